//! `reactions.csv` and `joints.csv` on the page: what joints carry and how far they have come, beside the states.

use crate::build::scenario::Scenario;
use crate::error::Result;
use crate::run::body_tables::{JOINTS, REACTIONS, joint_unit};
use crate::run::folder::{RunFolder, open_table};
use crate::run::memory::Kept;
use crate::run::selection::Selection;
use crate::run::table_reader::TableReader;
use percussion_model::bodies::Bodies;
use percussion_report::{JointMeta, ReportBuilder};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The two tables, read along with the states.
pub struct JointTables {
    tables: [Option<Waiting>; 2],
    /// What each joint carried in the row before, where nothing struck.
    last: Vec<Option<[f64; 6]>>,
    /// The time of the last state.
    from: f64,
}

/// A state of which rows are handed on.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    pub step: u64,
    pub t: f64,
    /// Whether it is shown.
    pub shown: bool,
    /// Whether something struck on the way to it.
    pub impact: bool,
}

/// A table and whether a row of it waits for its state.
struct Waiting {
    table: TableReader,
    waits: bool,
}

impl Waiting {
    fn new(mut table: TableReader) -> Result<Self> {
        let waits = table.next()?;
        Ok(Self { table, waits })
    }
}

impl JointTables {
    /// Of a folder; none where its model has no joints or an earlier version wrote no such tables.
    pub fn open(run: &RunFolder) -> Result<Self> {
        let open = |name: &str, header: &str| match run.folder.join(name).exists() && run.model().bodies().is_some() {
            true => open_table(&run.folder, name, header).and_then(Waiting::new).map(Some),
            false => Ok(None),
        };
        Ok(Self::of([open("reactions.csv", REACTIONS)?, open("joints.csv", JOINTS)?]))
    }

    fn of(tables: [Option<Waiting>; 2]) -> Self {
        Self { tables, last: Vec::new(), from: 0.0 }
    }

    /// Of a run in memory.
    pub fn kept(kept: &mut Kept) -> Result<Self> {
        let [reactions, joints] = [&mut kept.reactions, &mut kept.joints].map(std::mem::take);
        let open = |name: &str, cells: crate::run::memory::Cells| match cells.columns.is_empty() {
            true => Ok(None),
            false => Waiting::new(TableReader::kept(name, Arc::new(cells))).map(Some),
        };
        Ok(Self::of([open("reactions.csv", reactions)?, open("joints.csv", joints)?]))
    }

    /// Hands on the rows up to a step; those of steps that are not shown are passed over.
    pub fn push(&mut self, builder: &mut ReportBuilder, joints: &PageJoints, at: Reached) -> Result<()> {
        let Self { tables, last, from } = self;
        last.resize(joints.list.len(), None);
        for (k, slot) in tables.iter_mut().enumerate() {
            let Some(Waiting { table, waits }) = slot else { continue };
            while *waits && table.integer(0)? <= at.step {
                if let Some(&joint) = joints.places.get(table.word(2)).filter(|_| at.shown) {
                    if k == 0 {
                        let mut now = [0.0; 6];
                        for (c, x) in now.iter_mut().enumerate() {
                            *x = table.number(3 + c)?;
                        }
                        joints.push(builder, joint, (at, at.t - *from), (&mut last[joint], now));
                    } else {
                        builder.push_joint(table.number(1)?, joint, table.number(4)?);
                    }
                }
                *waits = table.next()?;
            }
        }
        *from = at.t;
        Ok(())
    }
}

/// The joints a page tells of.
#[derive(Default)]
pub struct PageJoints {
    /// In the order of the scenario.
    pub list: Vec<JointMeta>,
    places: BTreeMap<String, usize>,
    planar: bool,
    /// Whether reactions of one step alternate, so that means of two are shown: with θ = ½, which is what conserves momentum here.
    pub of_two_steps: bool,
}

impl PageJoints {
    /// Those that are in the tables; `drawn` says which a reader chose.
    pub fn new(scenario: &Scenario, kept: &Selection, drawn: &Selection) -> Self {
        let Some(scene) = scenario.model().bodies() else { return Self::default() };
        let in_tables = |j: usize| {
            let joint = &scene.joints()[j];
            kept.joint(j) && (!joint.rows.is_empty() || joint.coordinate.is_some())
        };
        let list: Vec<JointMeta> =
            (0..scene.joints().len()).filter(|&j| in_tables(j)).map(|j| described(scene, j, drawn)).collect();
        let places = list.iter().enumerate().map(|(k, joint)| (joint.name.clone(), k)).collect();
        let of_two_steps = scenario.scheme.facts().promises.momentum;
        Self { list, places, planar: scene.is_planar(), of_two_steps }
    }

    /// Hands on (f, m) of a row that took `h`; `last` is that of the row before, of the same joint.
    fn push(
        &self,
        builder: &mut ReportBuilder,
        joint: usize,
        (at, h): (Reached, f64),
        (last, now): (&mut Option<[f64; 6]>, [f64; 6]),
    ) {
        let size = |x: &[f64]| x[0].hypot(x[1]).hypot(x[2]);
        if at.impact {
            *last = None;
            builder.push_joint_impulse(at.t, joint, h * size(&now));
            return;
        }
        let before = last.replace(now);
        let mean = match (self.of_two_steps, before) {
            (false, _) => now,
            (true, Some(before)) => std::array::from_fn(|c| 0.5 * (before[c] + now[c])),
            (true, None) => return,
        };
        let moment = if self.planar { mean[5] } else { size(&mean[3..]) };
        builder.push_reaction(at.t, joint, size(&mean), moment);
    }
}

fn described(scene: &Bodies, j: usize, drawn: &Selection) -> JointMeta {
    let joint = &scene.joints()[j];
    let unit = joint.coordinate.as_ref().map_or("", |term| joint_unit(&term.measure));
    JointMeta { name: joint.name.clone(), unit: unit.into(), chosen: !drawn.is_whole() && drawn.joint(j) }
}
