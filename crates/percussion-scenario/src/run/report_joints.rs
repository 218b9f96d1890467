//! `reactions.csv` and `joints.csv` on the page: what joints carry and how far they have come, beside the states.

use crate::error::Result;
use crate::run::body_tables::{JOINTS, REACTIONS, joint_unit};
use crate::run::folder::{RunFolder, open_table};
use crate::run::memory::Kept;
use crate::run::selection::Selection;
use crate::run::table_reader::TableReader;
use percussion_model::bodies::Bodies;
use percussion_report::{JointMeta, ReportBuilder};
use percussion_step::Model;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The two tables, read along with the states.
pub struct JointTables {
    tables: [Option<Waiting>; 2],
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
        Ok(Self { tables: [open("reactions.csv", REACTIONS)?, open("joints.csv", JOINTS)?] })
    }

    /// Of a run in memory.
    pub fn kept(kept: &mut Kept) -> Result<Self> {
        let [reactions, joints] = [&mut kept.reactions, &mut kept.joints].map(std::mem::take);
        let open = |name: &str, cells: crate::run::memory::Cells| match cells.columns.is_empty() {
            true => Ok(None),
            false => Waiting::new(TableReader::kept(name, Arc::new(cells))).map(Some),
        };
        Ok(Self { tables: [open("reactions.csv", reactions)?, open("joints.csv", joints)?] })
    }

    /// Hands on the rows up to a step; those of steps that are not shown are passed over.
    pub fn push(&mut self, builder: &mut ReportBuilder, joints: &PageJoints, (step, shown): (u64, bool)) -> Result<()> {
        for (k, slot) in self.tables.iter_mut().enumerate() {
            let Some(Waiting { table, waits }) = slot else { continue };
            while *waits && table.integer(0)? <= step {
                if let Some(&joint) = joints.places.get(table.word(2)).filter(|_| shown) {
                    let t = table.number(1)?;
                    if k == 0 {
                        let number = |c: usize| table.number(c);
                        let force = number(3)?.hypot(number(4)?).hypot(number(5)?);
                        let moment = match joints.planar {
                            true => number(8)?,
                            false => number(6)?.hypot(number(7)?).hypot(number(8)?),
                        };
                        builder.push_reaction(t, joint, force, moment);
                    } else {
                        builder.push_joint(t, joint, table.number(4)?);
                    }
                }
                *waits = table.next()?;
            }
        }
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
}

impl PageJoints {
    /// Those that are in the tables; `drawn` says which a reader chose.
    pub fn new(model: &Model, kept: &Selection, drawn: &Selection) -> Self {
        let Some(scene) = model.bodies() else { return Self::default() };
        let in_tables = |j: usize| {
            let joint = &scene.joints()[j];
            kept.joint(j) && (!joint.rows.is_empty() || joint.coordinate.is_some())
        };
        let list: Vec<JointMeta> =
            (0..scene.joints().len()).filter(|&j| in_tables(j)).map(|j| described(scene, j, drawn)).collect();
        let places = list.iter().enumerate().map(|(k, joint)| (joint.name.clone(), k)).collect();
        Self { list, places, planar: scene.is_planar() }
    }
}

fn described(scene: &Bodies, j: usize, drawn: &Selection) -> JointMeta {
    let joint = &scene.joints()[j];
    let unit = joint.coordinate.as_ref().map_or("", |term| joint_unit(&term.measure));
    JointMeta { name: joint.name.clone(), unit: unit.into(), chosen: !drawn.is_whole() && drawn.joint(j) }
}
