//! One run of a sweep as one row; a run that is refused or fails is a row too.

use super::{RowMaker, Sweep};
use crate::build::load::{LoadOptions, Loaded};
use crate::build::sensitivity::scenario_number;
use crate::error::Result;
use crate::format::overrides::Override;
use crate::run::column::Column;
use crate::run::csv_text::quoted;
use crate::run::table::push_number;
use crate::run::{RunEnd, run_kept};
use std::sync::atomic::{AtomicBool, Ordering};
use toml::Value;

/// Columns after the parameters.
const OUTCOME: [(&str, Column); 15] = [
    ("seed", Column::Integer),
    ("status", Column::Word),
    ("code", Column::Word),
    ("steps", Column::Integer),
    ("t_end", Column::Number),
    ("energy", Column::Word),
    ("gap", Column::Word),
    ("cone", Column::Word),
    ("joints", Column::Word),
    ("solver", Column::Word),
    ("energy_worst", Column::Number),
    ("gap_worst", Column::Number),
    ("impacts", Column::Integer),
    ("state_hash", Column::Word),
    ("message", Column::Word),
];

impl RowMaker for Sweep {
    fn stem(&self) -> &'static str {
        "sweep"
    }

    fn count(&self) -> u64 {
        self.count
    }

    fn identity(&self) -> String {
        format!("{}\n# of the scenario\n{}", self.text, self.table)
    }

    /// The columns of the table and what they hold.
    fn columns(&self) -> Vec<(String, Column)> {
        let run = std::iter::once(("run".to_string(), Column::Integer));
        let parameters = self.parameters.iter().map(|parameter| (parameter.key.clone(), parameter.column()));
        let measures = self.measures.iter().map(|measure| (measure.name(), Column::Number));
        let outcome = OUTCOME.map(|(name, kind)| (name.to_string(), kind));
        run.chain(parameters).chain(measures).chain(outcome).collect()
    }

    /// Row i, without its end of line; none when `stop` was raised while it ran.
    fn row(&self, i: u64, stop: &AtomicBool) -> Option<String> {
        let (point, seed) = (self.point(i), self.seed(i));
        let loaded = self.load(i);
        let mut cells: Vec<String> = vec![i.to_string()];
        cells.extend(point.iter().map(|(_, x)| cell(x)));
        let mut outcome = vec![String::new(); OUTCOME.len()];
        outcome[0] = seed.to_string();
        let mut measured = vec![String::new(); self.measures.len()];
        let result = loaded.and_then(|loaded| run_kept(loaded, None, &mut |_| !stop.load(Ordering::Relaxed)));
        match result {
            Err(error) => {
                outcome[1] = "refused".into();
                outcome[2] = error.code.to_string();
                outcome[14] = quoted(&error.message);
            }
            Ok((scenario, run, kept)) => {
                let summary = &run.summary;
                outcome[1] = match &run.end {
                    RunEnd::Interrupted => return None,
                    RunEnd::Failed(failure) => {
                        outcome[2] = failure.code.to_string();
                        outcome[14] = quoted(&failure.message);
                        "failed".into()
                    }
                    RunEnd::Finished => "finished".into(),
                };
                outcome[3] = summary.steps.to_string();
                outcome[4] = number(summary.t_end);
                for (k, name) in ["energy", "gap", "cone", "joints", "solver"].into_iter().enumerate() {
                    let verdict = summary.verdicts.get(name);
                    outcome[5 + k] = verdict.map_or(String::new(), |verdict| verdict.status.clone());
                    if k < 2 {
                        outcome[10 + k] = verdict.map_or(String::new(), |verdict| number(verdict.worst));
                    }
                }
                outcome[12] = summary.events.get("impact").copied().unwrap_or(0).to_string();
                outcome[13] = summary.state_hash.clone();
                for (text, measure) in measured.iter_mut().zip(&self.measures) {
                    let own = measure.of(&kept, measure.alias(&scenario), &|key| scenario_number(&scenario, key));
                    *text = own.map_or(String::new(), number);
                }
            }
        }
        cells.append(&mut measured);
        cells.append(&mut outcome);
        Some(cells.join(","))
    }
}

impl Sweep {
    /// The scenario of run i.
    pub(super) fn load(&self, i: u64) -> Result<Loaded> {
        let (point, seed) = (self.point(i), self.seed(i));
        // as --scheme does, a scheme takes its own parameters only
        let scheme = point.iter().find(|(key, _)| key == "scheme.name").and_then(|(_, name)| name.as_str());
        let options = LoadOptions { scheme: scheme.map(str::to_string), ..LoadOptions::default() };
        let mut set: Vec<Override> = point
            .into_iter()
            .map(|(key, value)| Override::option(format!("sweep run {i}: {key}"), &key, value))
            .collect();
        if let Some(key) = self.seed_key() {
            set.push(Override::option(format!("sweep run {i}: {key}"), key, Value::Integer(seed as i64)));
        }
        self.source.load_changed(self.table.clone(), set, &options)
    }
}

/// A number, or an empty cell for what is none.
fn number(x: f64) -> String {
    if !x.is_finite() {
        return String::new();
    }
    let mut text = Vec::new();
    push_number(&mut text, x);
    String::from_utf8(text).unwrap_or_default()
}

fn cell(x: &Value) -> String {
    match x {
        Value::Float(x) => number(*x),
        Value::String(text) => quoted(text),
        other => quoted(&other.to_string()),
    }
}
