//! `momentum.csv` again: momenta from the states, what is left of their change, and the verdict.
//!
//!   P = Σ m v,  L = Σ (x × m v + R I w),    r = |ΔP − Δ(load + contact + joint)|

use super::differences::{LargestDifference, Scale};
use super::{Check, Finding};
use crate::error::Result;
use crate::run::folder::{Row, RunFolder};
use crate::run::momentum_table::{MOMENTUM, momentum_header};
use crate::run::table_reader::TableReader;
use percussion_model::bodies::math::{add, norm, sub};

/// Parts of the momenta that stored numbers and their sums are good to.
const ROUND_OFF: f64 = 1e-12;

/// The check, row by row.
pub struct MomentumCheck {
    table: Option<TableReader>,
    /// Columns that a row has.
    exists: [bool; 6],
    last: [[f64; 3]; 2],
    scale: [f64; 2],
    stored: [f64; 2],
    total: LargestDifference,
    residual: LargestDifference,
    reason: Option<String>,
}

impl MomentumCheck {
    /// Of a run; without the table where the run has none.
    pub fn new(run: &RunFolder) -> Result<Self> {
        let there = run.folder.join(MOMENTUM).is_file();
        let planar = run.model().momentum_is_planar();
        let reason = match planar {
            None => Some("the model is not made of bodies, nor a solid that nothing holds".to_string()),
            Some(_) if !there => Some("the run has no momentum.csv".to_string()),
            Some(_) => None,
        };
        let table = match &reason {
            None => Some(TableReader::open(&run.folder, MOMENTUM, &momentum_header())?),
            Some(_) => None,
        };
        let planar = planar.unwrap_or(false);
        Ok(Self {
            table,
            exists: std::array::from_fn(|k| !planar || matches!(k, 0 | 1 | 5)),
            last: Default::default(),
            scale: [0.0; 2],
            stored: [0.0; 2],
            total: LargestDifference::new("momentum", "Σ m v and Σ (x × m v + R I w)", Scale::Exact).unless(&reason),
            residual: LargestDifference::new("momentum balance", "Δ − loads − contacts − joints", Scale::Exact)
                .unless(&reason),
            reason,
        })
    }

    /// Takes in a row.
    pub fn row(&mut self, run: &RunFolder, row: &Row, first: bool) -> Result<()> {
        let state = &row.state;
        let (Some(table), Some(momentum)) = (&mut self.table, run.model().momentum(&state.q, &state.v)) else {
            return Ok(());
        };
        if !table.next()? {
            return table.refuse("it has fewer rows than ledger.csv", "run the scenario again");
        }
        let (table, exists) = (&*table, self.exists);
        let group = |g: usize| -> Result<Option<[[f64; 3]; 2]>> {
            let mut out = [[0.0; 3]; 2];
            for k in (0..6).filter(|&k| exists[k]) {
                if table.word(2 + 6 * g + k).is_empty() {
                    return Ok(None);
                }
                out[k / 3][k % 3] = table.number(2 + 6 * g + k)?;
            }
            Ok(Some(out))
        };
        let (again, size) = momentum;
        for k in 0..2 {
            self.scale[k] = self.scale[k].max(size[k]);
        }
        let stored = group(0)?.unwrap_or_default();
        for k in 0..2 {
            let off = norm(&sub(&stored[k], &again[k]));
            self.total.compare(if off <= ROUND_OFF * self.scale[k] { 0.0 } else { 1.0 }, row, None);
        }
        let given = [group(1)?, group(2)?, group(3)?];
        if let [Some(load), Some(contact), Some(joint)] = given {
            for k in 0..2 {
                let sum = add(&add(&load[k], &contact[k]), &joint[k]);
                let rest = sub(&stored[k], &sum);
                let kept = table.number(26 + k)?;
                // a row of several steps keeps the largest of their residuals
                if !first && run.loaded.scenario.every == 1 {
                    let off = (norm(&sub(&rest, &self.last[k])) - kept).abs();
                    // sums are as good as the digits of their parts, which cancel where a body rests
                    let parts = norm(&load[k]) + norm(&contact[k]) + norm(&joint[k]);
                    let noise = ROUND_OFF * (self.scale[k] + parts);
                    self.residual.compare(if off <= noise { 0.0 } else { 1.0 }, row, None);
                }
                self.last[k] = rest;
                self.stored[k] = self.stored[k].max(kept);
            }
        }
        Ok(())
    }

    /// What was found, and whether the verdict says so.
    pub fn finish(self, run: &RunFolder) -> ([LargestDifference; 2], Check) {
        let finding = match (&self.reason, run.summary.verdicts.get("momentum")) {
            (Some(reason), _) => Finding::Unsupported(reason.clone()),
            (None, None) => Finding::Differs { worst: 1.0, place: "missing in summary.json".into() },
            (None, Some(verdict)) => {
                // impulses, which are not all stored, make the scale larger than the momenta
                let part = |k: usize| if self.stored[k] == 0.0 { 0.0 } else { self.stored[k] / self.scale[k] };
                let most = part(0).max(part(1));
                let quiet = self.stored == [0.0; 2];
                if verdict.worst > most * (1.0 + 1e-6) && !quiet {
                    let place = format!("worst {:e} in summary.json, at most {most:e} in the rows", verdict.worst);
                    Finding::Differs { worst: 1.0, place }
                } else if (verdict.worst <= 1e-11) != (verdict.status == "pass" || verdict.status == "none") {
                    let place = format!("{} with {:e}", verdict.status, verdict.worst);
                    Finding::Differs { worst: 1.0, place }
                } else {
                    Finding::Agrees(0.0)
                }
            }
        };
        ([self.total, self.residual], Check { name: "verdict momentum", rule: "fits momentum.csv", finding })
    }
}
