//! A run into a folder: tables, summary, resolved scenario, report.

use crate::error::{Result, ScenarioError};
use crate::kept::{Kept, writable};
use crate::load::Loaded;
use crate::report::write_report;
use crate::run_writer::{RunWriter, Unwritable};
use crate::scenario::Scenario;
use crate::summary::{Failure, Summary};
use crate::write_scenario::{MARK, write_scenario};
use percussion_files::{ContactProblem, write_dat};
use percussion_model::Code;
use percussion_step::{Outcome, Simulation, StepFailure, Stop, Unsolved};
use std::path::Path;
use std::time::Instant;

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps made.
    pub step: u64,
    /// Steps to make.
    pub steps: u64,
    /// t [s].
    pub t: f64,
}

/// How a run ended.
#[derive(Debug)]
pub enum RunEnd {
    /// At its horizon.
    Finished,
    /// By the watcher.
    Interrupted,
    /// At a step that could not be made.
    Failed(Box<StepFailure>),
}

/// A run that is over.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub end: RunEnd,
    /// What is in `summary.json`.
    pub summary: Summary,
}

/// Runs a scenario into a folder, telling `watch` of every step; false from it ends the run after that step.
pub fn run(loaded: Loaded, folder: &Path, watch: &mut dyn FnMut(Progress) -> bool) -> Result<Run> {
    let Loaded { scenario, simulation } = loaded;
    let (run, _) = run_to(&scenario, simulation, Some(folder), false, watch)?;
    Ok(run)
}

/// Runs a scenario and keeps its tables in memory; into a folder as well, where there is one.
pub fn run_kept(
    loaded: Loaded,
    folder: Option<&Path>,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<(Scenario, Run, Kept)> {
    let Loaded { scenario, simulation } = loaded;
    let (run, kept) = run_to(&scenario, simulation, folder, true, watch)?;
    Ok((scenario, run, kept))
}

/// Rows for which memory is taken beforehand.
const ROWS_AHEAD: u64 = 1 << 22;

fn run_to(
    scenario: &Scenario,
    mut simulation: Simulation,
    folder: Option<&Path>,
    keep: bool,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<(Run, Kept)> {
    if let Some(folder) = folder {
        writable(scenario, folder)?;
        prepare(folder)?;
        write_scenario(scenario, folder).map_err(|error| unwritable(&folder.join("scenario.toml"), &error))?;
    }
    let steps = scenario.count.n;
    let end = scenario.end;
    let adaptive = scenario.adaptive.is_some();
    let mut tell = |step: u64, t: f64| {
        // of adaptive steps the number is a guess: as many as so far for the same time
        let steps = if adaptive && t > 0.0 { ((step as f64 * end / t) as u64).max(step) } else { steps };
        watch(Progress { step, steps, t })
    };
    let started = Instant::now();
    let ahead = if adaptive { 0 } else { (steps / scenario.every + 2).min(ROWS_AHEAD) };
    let rows = keep.then_some(ahead as usize);
    let mut writer = RunWriter::create(folder, rows, scenario.model(), scenario.every, &mut tell).map_err(boxed)?;
    let outcome = simulation.run(if adaptive { u64::MAX } else { steps }, &mut writer);
    writer.finish().map_err(boxed)?;
    let wall_s = started.elapsed().as_secs_f64();

    let mut summary = Summary::new(scenario, &writer.audit, writer.counts(), &simulation.statistics(), wall_s);
    summary.adaptive = simulation.adaptive_statistics().map(|statistics| crate::adaptive::summary(&statistics));
    let end = match outcome {
        Outcome::Finished => RunEnd::Finished,
        Outcome::Failed(failure) => RunEnd::Failed(Box::new(failure)),
        Outcome::Stopped(Stop::Interrupted) => RunEnd::Interrupted,
        Outcome::Stopped(Stop::Failed(error)) => match error.downcast::<StepFailure>() {
            Ok(failure) => RunEnd::Failed(failure),
            Err(error) => match error.downcast::<Unwritable>() {
                Ok(error) => return Err(boxed(*error)),
                Err(error) => {
                    return Err(ScenarioError::file(
                        Code::UNWRITABLE,
                        folder.map_or(String::new(), |folder| folder.display().to_string()),
                        error.to_string(),
                        "see above",
                    ));
                }
            },
        },
    };
    match &end {
        RunEnd::Finished => {}
        RunEnd::Interrupted => summary.interrupted = true,
        RunEnd::Failed(failure) => {
            let problem = folder.map(|folder| save_problem(failure, summary.steps + 1, folder)).transpose()?.flatten();
            summary.fail(Failure::new(failure, problem));
        }
    }
    if let Some(folder) = folder {
        let path = folder.join("summary.json");
        std::fs::write(&path, summary.to_json()).map_err(|error| unwritable(&path, &error))?;
        write_report(folder)?;
    }
    let kept = writer.kept();
    Ok((Run { end, summary }, kept))
}

/// Makes the folder and clears it of an earlier run's conclusions, which would contradict the tables of a run that dies;
/// refuses a folder whose scenario was written by a person.
pub(crate) fn prepare(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let path = folder.join("scenario.toml");
    let Ok(earlier) = std::fs::read_to_string(&path) else { return Ok(()) };
    if !earlier.starts_with(MARK) {
        let message = "holds a scenario written by hand, which the run's own scenario.toml would replace";
        let help = "choose another --out folder";
        return Err(ScenarioError::file(Code::UNWRITABLE, path.display().to_string(), message, help));
    }
    let mut stale = vec![folder.join("summary.json"), folder.join("report.html")];
    if let Ok(list) = std::fs::read_dir(folder.join("unsolved")) {
        let ours = |name: &str| name.starts_with("step-") && (name.ends_with(".dat") || name.ends_with(".json"));
        stale.extend(
            list.flatten().filter(|entry| ours(&entry.file_name().to_string_lossy())).map(|entry| entry.path()),
        );
    }
    for path in stale {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(unwritable(&path, &error)),
            _ => {}
        }
    }
    let _ = std::fs::remove_dir(folder.join("unsolved"));
    Ok(())
}

/// The problem of a failed step as `unsolved/step-N.dat`, which `percussion solve` reads; whose contacts and when it
/// was stands after its end. Problems with entries that are not numbers are not kept.
fn save_problem(failure: &StepFailure, number: u64, folder: &Path) -> Result<Option<String>> {
    let Some(problem) = &failure.problem else { return Ok(None) };
    let (problem, ids) = match &**problem {
        Unsolved::Frictionless(p) if p.W.max_abs().is_finite() && p.b.iter().all(|b| b.is_finite()) => {
            (ContactProblem::Lcp(p.clone()), &p.ids)
        }
        Unsolved::Frictional(p) if p.is_well_formed() => (ContactProblem::Local(p.clone()), &p.ids),
        _ => return Ok(None),
    };
    let Some(mut text) = write_dat(&problem) else { return Ok(None) };
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    text += &format!("step {number} at t = {} s, contacts {}\n", failure.t, ids.join(" "));
    let name = format!("unsolved/step-{number}.dat");
    let path = folder.join(&name);
    std::fs::create_dir_all(folder.join("unsolved"))
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|error| unwritable(&path, &error))?;
    Ok(Some(name))
}

fn boxed(error: Unwritable) -> Box<ScenarioError> {
    unwritable(&error.path, &error.error)
}

/// E300 for a path.
pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> Box<ScenarioError> {
    let help = "check that the folder exists, that you may write there, and that the disk is not full";
    ScenarioError::file(Code::UNWRITABLE, path.display().to_string(), format!("cannot be written: {error}"), help)
}
