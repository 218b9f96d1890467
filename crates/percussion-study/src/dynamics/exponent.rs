//! Lyapunov exponents of a driven scenario, at one value or over a parameter; every value is a row of its own.

use super::figures::{exponent_plot, write_figures};
use super::orbit::driven;
use super::prepared::{first_of, prepare, words};
use crate::compare::quoted;
use crate::parallel::{StudyProgress, Threads, Watch};
use percussion_dynamics::exponents;
use percussion_model::Code;
use percussion_scenario::{
    Column, Dynamics, Result, RowMaker, ScenarioError, Shard, SweepProgress, TableFormat, csv_cells, read_text,
    run_sweep,
};
use percussion_step::State;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Systems with more coordinates and velocities than this get their largest exponent only.
const SPECTRUM: usize = 8;

/// Exponents.
pub struct ExponentStudy {
    /// Value of the parameter and the exponents there; none where the run failed.
    pub rows: Vec<(Option<f64>, Option<Vec<f64>>)>,
    /// Why the first that has none has none.
    pub message: Option<String>,
    /// Rows made now.
    pub made: u64,
    /// Rows that are missing, of other shards.
    pub missing: u64,
    /// The table and figure.
    pub files: Vec<PathBuf>,
}

struct Values<'a> {
    study: &'a Dynamics,
    count: usize,
}

impl RowMaker for Values<'_> {
    fn stem(&self) -> &'static str {
        "exponent"
    }

    fn count(&self) -> u64 {
        self.study.axes.first().map_or(1, |axis| axis.points as u64)
    }

    fn columns(&self) -> Vec<(String, Column)> {
        let key = self.study.axes.first().map_or("parameter".to_string(), |axis| axis.key.clone());
        let mut list = vec![("value".to_string(), Column::Integer), (key, Column::Number)];
        list.extend((1..=self.count).map(|k| (format!("exponent_{k}"), Column::Number)));
        list.extend(["impacts", "skipped"].map(|name| (name.to_string(), Column::Integer)));
        list.extend(["status", "code", "message"].map(|name| (name.to_string(), Column::Word)));
        list
    }

    fn identity(&self) -> String {
        self.study.identity()
    }

    fn row(&self, i: u64, stop: &AtomicBool) -> Option<String> {
        let (study, spec) = (self.study, &self.study.spec);
        let point: Vec<f64> = study.axes.first().map(|axis| axis.at(i as usize)).into_iter().collect();
        let mut cells = vec![i.to_string(), point.first().map_or(String::new(), |x| format!("{x:e}"))];
        let refused = |error: Box<ScenarioError>| {
            let (code, message) = words(&error);
            ("refused", code, message)
        };
        let made = prepare(study, &point, Some("event-driven")).map_err(refused).and_then(|prepared| {
            // derivatives by the parameter are not asked for
            let failed = |failure: percussion_step::StepFailure| ("failed", failure.code, failure.message);
            let mut driven = driven(study, &prepared, &[]).map_err(failed)?;
            let x: Vec<f64> = prepared.problem.q0.iter().chain(&prepared.problem.v0).copied().collect();
            let span = (spec.transient as u64, spec.periods as u64);
            exponents(&mut driven, &x, self.count, span, stop, &|_| {}).map_err(failed)
        });
        match made {
            Ok(None) => return None,
            Err(_) if stop.load(Ordering::Relaxed) => return None,
            Ok(Some(found)) => {
                let value = |k: usize| found.values.get(k).map_or(String::new(), |x| format!("{x:e}"));
                cells.extend((0..self.count).map(value));
                cells.extend([found.impacts.to_string(), found.skipped.to_string(), "finished".into()]);
                cells.extend([String::new(), String::new()]);
            }
            Err((status, code, message)) => {
                cells.resize(cells.len() + self.count + 2, String::new());
                let code: Code = code;
                cells.extend([status.to_string(), code.to_string(), quoted(&message.replace('\n', " "))]);
            }
        }
        Some(cells.join(","))
    }
}

/// Makes or goes on with exponents in a folder; none when it was stopped.
pub fn exponent(
    study: &Dynamics,
    folder: &Path,
    shard: Shard,
    threads: Threads,
    watch: &Watch,
) -> Result<Option<ExponentStudy>> {
    let refused = |failure| super::orbit::refused(study, failure);
    let directions = |k: u64| {
        let point: Vec<f64> = study.axes.first().map(|axis| axis.at(k as usize)).into_iter().collect();
        let prepared = prepare(study, &point, Some("event-driven"))?;
        let state = State { t: 0.0, q: prepared.problem.q0.clone(), v: prepared.problem.v0.clone() };
        driven(study, &prepared, &[]).and_then(|mut driven| driven.flow.free(&state)).map_err(refused)
    };
    let size = first_of(study.axes.first().map_or(1, |axis| axis.points as u64), directions)?;
    let values = Values { study, count: if size <= SPECTRUM { size } else { 1 } };
    let progress = |p: SweepProgress| {
        let share = p.done as f64 / p.runs.max(1) as f64;
        watch(StudyProgress { done: p.done as usize, runs: p.runs as usize, share })
    };
    let end = run_sweep(&values, folder, shard, threads.0, TableFormat::Csv, &progress)?;
    if end.interrupted {
        return Ok(None);
    }
    let mut made =
        ExponentStudy { rows: Vec::new(), message: None, made: end.made, missing: end.missing, files: Vec::new() };
    if end.missing > 0 {
        return Ok(Some(made));
    }
    let path = folder.join("exponent.csv");
    let number = |cell: &str| cell.parse::<f64>().ok();
    for line in read_text(&path).unwrap_or_default().lines().skip(1) {
        let cells = csv_cells(line);
        let list: Option<Vec<f64>> =
            cells.get(2..2 + values.count).and_then(|list| list.iter().map(|cell| number(cell)).collect());
        if list.is_none() && made.message.is_none() {
            let end = values.count + 5;
            made.message = cells.get(end..).map(|words| words.join(": "));
        }
        made.rows.push((cells.get(1).and_then(|cell| number(cell)), list));
    }
    made.files.push(path);
    if !study.axes.is_empty() {
        made.files.extend(write_figures(&exponent_plot(study, &made.rows), folder, "exponent")?);
    }
    Ok(Some(made))
}
