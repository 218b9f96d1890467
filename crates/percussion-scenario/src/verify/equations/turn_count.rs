//! Whole turns of sprung hinges: as `joints.csv` has them, where there is one, else counted again from the rows of a run.
//!
//!   n = (value − c(frames)) / 2π;    without the table c₁ − c₀ brought into [−π, π)
//!
//! A step made in parts, and rows many steps apart, turn a hinge by more than the two states tell. Whether n is right shows in the potential.

use crate::error::Result;
use crate::run::body_tables::JOINTS;
use crate::run::folder::{Row, RunFolder, open_table};
use crate::run::table_reader::TableReader;
use percussion_model::bodies::Frame;
use percussion_step::Model;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// The count, row by row.
pub struct TurnCount {
    model: Model,
    counted: Vec<usize>,
    turns: Vec<f64>,
    told: Option<Told>,
}

/// `joints.csv`, read along with the states, and whether a row of it waits for its state.
struct Told {
    table: TableReader,
    joints: BTreeMap<String, usize>,
    waits: bool,
}

impl TurnCount {
    /// Of a run, at its first row.
    pub fn new(run: &RunFolder) -> Result<Self> {
        let model = run.model().clone();
        let (counted, n) =
            model.bodies().map_or((Vec::new(), 0), |scene| (scene.counted_joints(), scene.joints().len()));
        let mut told = None;
        if let Some(scene) = model.bodies().filter(|_| !counted.is_empty() && run.folder.join("joints.csv").is_file()) {
            let mut table = open_table(&run.folder, "joints.csv", JOINTS)?;
            let waits = table.next()?;
            let joints = counted.iter().map(|&j| (scene.joints()[j].name.clone(), j)).collect();
            told = Some(Told { table, joints, waits });
        }
        Ok(Self { model, counted, turns: vec![0.0; n], told })
    }

    /// Whether turns are lost between rows that are several steps apart.
    pub fn lost_between_rows(&self) -> bool {
        !self.counted.is_empty() && self.told.is_none()
    }

    /// From one row to the next.
    pub fn go(&mut self, before: &Row, row: &Row, first: bool) -> Result<()> {
        let Self { model, counted, turns, told } = self;
        let Some(scene) = model.bodies().filter(|_| !counted.is_empty()) else { return Ok(()) };
        let frames = |q: &[f64]| -> Vec<Frame> { (0..scene.len()).map(|i| scene.frame(i, q)).collect() };
        let after = frames(&row.state.q);
        if let Some(told) = told {
            return told.read(row.step, |j, value| {
                let term = scene.joints()[j].coordinate.as_ref();
                let c = term.map_or(0.0, |term| term.measure.value(&after[term.bodies[0]], &after[term.bodies[1]]));
                turns[j] = ((value - c) / TAU).round();
            });
        }
        if !first {
            let before = frames(&before.state.q);
            for &j in counted.iter() {
                turns[j] = scene.turns_after(j, turns[j], &before, &after);
            }
        }
        Ok(())
    }

    /// V with the turns made so far.
    pub fn potential_energy(&self, q: &[f64]) -> f64 {
        match self.model.bodies() {
            Some(scene) => scene.potential_energy_turned(q, &self.turns),
            None => self.model.potential_energy(q),
        }
    }
}

impl Told {
    /// Hands over the coordinates of joints up to a step.
    fn read(&mut self, step: u64, mut take: impl FnMut(usize, f64)) -> Result<()> {
        let Self { table, joints, waits } = self;
        while *waits && table.integer(0)? <= step {
            if let Some(&j) = joints.get(table.word(2)) {
                take(j, table.number(4)?);
            }
            *waits = table.next()?;
        }
        Ok(())
    }
}
