//! A run into a folder: tables, summary, resolved scenario, report.

pub mod along;
pub mod approach;
pub mod atomic_file;
mod beam_table;
pub mod body_tables;
pub mod checkpoint;
pub mod column;
pub mod columns;
pub mod contact_names;
pub(crate) mod crc64;
pub mod csv_text;
mod disk_space;
mod ending;
pub mod folder;
mod heavy_contacts;
mod limit_watch;
pub mod memory;
pub mod momentum_table;
pub mod names;
pub mod overview;
pub mod plain_file;
pub mod remove;
pub mod report;
mod report_joints;
mod report_tables;
pub mod selection;
pub(crate) mod solid_contacts;
pub mod solution;
pub mod summary;
pub mod table;
pub mod table_reader;
pub(crate) mod writer;

pub use crate::run::ending::RunEnd;

use crate::build::device::instead;
use crate::build::load::{LoadOptions, Loaded, Source};
use crate::build::scenario::Scenario;
use crate::error::{Result, ScenarioError};
use crate::exchange::hdf5::HDF5;
use crate::exchange::parquet::parquet_names;
use crate::format::write::{MARK, write_scenario};
use crate::live::inputs::INPUTS;
use crate::run::approach::GAPS;
use crate::run::atomic_file::{replace, replace_on_disk};
use crate::run::checkpoint::{End, Head, unusable};
use crate::run::crc64::Crc64;
use crate::run::folder::{BODY_TABLES, read_summary, table_names, tables};
use crate::run::limit_watch::LimitWatch;
use crate::run::memory::{Cells, Kept, KeptTable, write_inputs};
use crate::run::names::{NAMES, write_names};
use crate::run::report::{write_conclusions, write_report_with};
use crate::run::summary::{Failure, Summary, TableSum};
use crate::run::table_reader::missing;
use crate::run::writer::{RunWriter, Unwritable, Watch};
use percussion_files::{ContactProblem, write_dat};
use percussion_model::{Code, InputError};
use percussion_solve::friction::DeviceChoice;
use percussion_step::{Both, Outcome, Recorder, Simulation, StepFailure, Stop, Unsolved};
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;
use web_time::Instant;

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

/// A run that is over.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub end: RunEnd,
    /// What is in `summary.json`.
    pub summary: Summary,
}

/// Wall time between two checkpoints unless told otherwise.
pub const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

/// Runs a scenario into a folder, telling `watch` of every step; false from it ends the run after that step.
pub fn run(loaded: Loaded, folder: &Path, watch: &mut dyn FnMut(Progress) -> bool) -> Result<Run> {
    run_checkpointed(loaded, folder, CHECKPOINT_EVERY, watch)
}

/// The same with the wall time between two checkpoints; results do not depend on it.
pub fn run_checkpointed(
    loaded: Loaded,
    folder: &Path,
    every: Duration,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Run> {
    let Loaded { scenario, simulation } = loaded;
    let (run, _) = run_to(&scenario, simulation, Some((folder, every)), false, None, watch)?;
    Ok(run)
}

/// Runs a scenario into a folder and tells `recorder` of every step, whatever `[output] every` leaves of the tables.
pub fn run_recorded(
    loaded: Loaded,
    folder: &Path,
    recorder: &mut dyn Recorder,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Run> {
    let Loaded { scenario, simulation } = loaded;
    let target = Some((folder, CHECKPOINT_EVERY));
    let (run, _) = run_to(&scenario, simulation, target, false, Some(recorder), watch)?;
    Ok(run)
}

/// Runs a scenario and keeps its tables in memory; into a folder as well, where there is one.
pub fn run_kept(
    loaded: Loaded,
    folder: Option<&Path>,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<(Scenario, Run, Kept)> {
    let Loaded { scenario, simulation } = loaded;
    let target = folder.map(|folder| (folder, CHECKPOINT_EVERY));
    let (run, kept) = run_to(&scenario, simulation, target, true, None, watch)?;
    Ok((scenario, run, kept))
}

/// The scenario in the folder of a run, and its name.
fn scenario_of(folder: &Path) -> Result<(Source, String)> {
    let path = folder.join("scenario.toml");
    let file = path.display().to_string();
    std::fs::metadata(&path).map_err(|error| missing(&file, &error))?;
    Ok((Source::open(&file)?, file))
}

/// Goes on with a run that was stopped: from its checkpoint, or from the beginning where it had none yet.
pub fn resume(folder: &Path, every: Duration, watch: &mut dyn FnMut(Progress) -> bool) -> Result<Resumed> {
    let stop = percussion_solve::Stop::default();
    resume_on(folder, every, Means { threads: 1, stop: &stop, device: None }, watch)
}

/// What a run is made with; what it computes does not depend on any of it.
#[derive(Clone, Copy, Debug)]
pub struct Means<'a> {
    /// Threads.
    pub threads: usize,
    /// A request to stop that is heard within a step.
    pub stop: &'a percussion_solve::Stop,
    /// Where many contacts are swept, instead of where the scenario says.
    pub device: Option<DeviceChoice>,
}

/// The same by other means.
pub fn resume_on(
    folder: &Path,
    every: Duration,
    Means { threads, stop, device }: Means,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Resumed> {
    let (source, file) = scenario_of(folder)?;
    let checkpoint = checkpoint::read(folder)?;
    if checkpoint.is_none() && folder.join("summary.json").exists() {
        let summary = read_summary(folder)?;
        // cut off between the summary and the page
        if !folder.join("report.html").exists() {
            write_report_with(folder, &source.given)?;
        }
        return Ok(Resumed::Ended(Box::new(summary)));
    }
    // only what a run wrote is gone on with
    if !source.text.starts_with(MARK) {
        let help = "give the folder of a run; `percussion run SCENARIO --out FOLDER` makes one";
        return Err(ScenarioError::file(Code::BAD_RUN, file, "was not written by a run", help));
    }
    let Loaded { scenario, mut simulation } = source.load(&LoadOptions { device, ..LoadOptions::default() })?;
    simulation.use_threads(threads);
    simulation.stop_when(stop);
    let Some(checkpoint) = checkpoint else {
        let (run, _) = run_to(&scenario, simulation, Some((folder, every)), false, None, watch)?;
        return Ok(Resumed::Run(Box::new(run)));
    };
    go_on(folder, (&source, checkpoint::NAME), Loaded { scenario, simulation }, checkpoint, every, watch)
}

/// Goes on to a later end than the scenario's: a finished run from where it ended, a stopped one from its checkpoint. The folder is
/// then that of one run to the new end, its tables the same bytes.
pub fn resume_to(
    folder: &Path,
    every: Duration,
    Means { threads, stop, device }: Means,
    end: f64,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Resumed> {
    let (source, file) = scenario_of(folder)?;
    if !source.text.starts_with(MARK) {
        let help = "give the folder of a run; `percussion run SCENARIO --out FOLDER` makes one";
        return Err(ScenarioError::file(Code::BAD_RUN, file, "was not written by a run", help));
    }
    let name = if folder.join(checkpoint::NAME).exists() { checkpoint::NAME } else { checkpoint::END };
    let Some(checkpoint) = checkpoint::read_named(folder, name)? else {
        let message = "is missing: the run failed, its record begins in the middle, or an earlier version made it";
        return Err(unusable(&folder.join(checkpoint::END), message));
    };
    let Loaded { scenario, mut simulation } =
        source.load(&LoadOptions { end: Some(end), device, ..LoadOptions::default() })?;
    if scenario.adaptive.is_some() {
        let there = source.load(&LoadOptions { device, ..LoadOptions::default() })?.scenario.end;
        if there != end {
            return Err(other_end(there, end));
        }
    }
    simulation.use_threads(threads);
    simulation.stop_when(stop);
    go_on(folder, (&source, name), Loaded { scenario, simulation }, checkpoint, every, watch)
}

/// Adaptive steps are cut to their end, and count time in its last binary digit: no run to another end begins with the same steps.
fn other_end(there: f64, asked: f64) -> Box<ScenarioError> {
    let message = format!("adaptive steps were chosen for end = {there} s; a run to {asked} s would choose others");
    let help = "run the scenario again with the later end, or start another run where this one ended: \
                percussion run RUN/scenario.toml --from RUN";
    InputError::new(Code::CONTRADICTION, "time.end", message, help).into()
}

/// Goes on from a checkpoint that was made under the scenario's text; the scenario may have another end by now.
fn go_on(
    folder: &Path,
    (source, name): (&Source, &str),
    loaded: Loaded,
    checkpoint: checkpoint::Checkpoint,
    every: Duration,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Resumed> {
    let Loaded { scenario, mut simulation } = loaded;
    let mut head = checkpoint.head.clone();
    let path = folder.join(name);
    if head.version != env!("CARGO_PKG_VERSION") {
        return Err(unusable(&path, &format!("was written by version {}", head.version)));
    }
    if head.scenario != Crc64::of(source.text.as_bytes()) {
        return Err(unusable(&path, "belongs to another scenario.toml than the one beside it"));
    }
    let lock = alone(folder)?;
    let mut writer =
        RunWriter::go_on(folder, &head.written, &scenario, &simulation).map_err(|error| match error.error.kind() {
            ErrorKind::InvalidData => unusable(&error.path, &error.error.to_string()),
            ErrorKind::NotFound => unusable(&error.path, "is missing"),
            _ => boxed(error),
        })?;
    checkpoint.restore(&mut writer, &mut simulation, folder)?;
    if scenario.adaptive.is_none() && scenario.count.n < simulation.number() {
        let (asked, there) = (scenario.end, simulation.state().t);
        let message = format!("end = {asked} s lies before t = {there} s, where the run is");
        return Err(InputError::new(Code::BAD_TIME, "time.end", message, "give a later end").into());
    }
    // conclusions of the part before would contradict the tables of a run that dies
    clear(folder, &["summary.json", "report.html", NAMES, HDF5, GAPS, checkpoint::END])?;
    clear(folder, &parquet_names().iter().map(String::as_str).collect::<Vec<_>>())?;
    clear(folder, &["checkpoint.new", "summary.json.new", "report.html.new", "scenario.toml.new"])?;
    let text = write_scenario(&scenario, folder).map_err(|e| unwritable(&folder.join("scenario.toml"), &e))?;
    head.scenario = Crc64::of(text.as_bytes());
    let run = finish(&scenario, simulation, Some((folder, every)), writer, head, None, watch)?.0;
    drop(lock);
    Ok(Resumed::Run(Box::new(run)))
}

/// What became of a run gone on with.
#[derive(Debug)]
pub enum Resumed {
    /// It ran.
    Run(Box<Run>),
    /// It had ended before.
    Ended(Box<Summary>),
}

/// Numbers of a table for which memory is taken beforehand, at most: 64 MB.
const NUMBERS_AHEAD: u64 = 1 << 23;

/// Tells a watcher of progress.
fn told<'a>(scenario: &'a Scenario, watch: &'a mut dyn FnMut(Progress) -> bool) -> impl FnMut(u64, f64) -> bool + 'a {
    move |step, t| {
        // of adaptive steps the number is a guess: as many as so far for the same time
        let guess = scenario.adaptive.is_some() && t > 0.0;
        let steps = if guess { ((step as f64 * scenario.end / t) as u64).max(step) } else { scenario.count.n };
        watch(Progress { step, steps, t })
    }
}

fn run_to(
    scenario: &Scenario,
    simulation: Simulation,
    target: Option<(&Path, Duration)>,
    keep: bool,
    recorder: Option<&mut dyn Recorder>,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<(Run, Kept)> {
    let folder = target.map(|(folder, _)| folder);
    let mut head = Head::default();
    let mut lock = None;
    if let Some(folder) = folder {
        disk_space::on_disk(scenario, folder)?;
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        lock = alone(folder)?;
        prepare(folder)?;
        let text = write_scenario(scenario, folder).map_err(|e| unwritable(&folder.join("scenario.toml"), &e))?;
        head.version = env!("CARGO_PKG_VERSION").into();
        head.scenario = Crc64::of(text.as_bytes());
        head.warnings = scenario.warnings.iter().map(ToString::to_string).collect();
    }
    if keep {
        disk_space::in_memory(scenario)?;
    }
    let columns = (1 + scenario.model().n_q() + scenario.model().n_v()).max(12) as u64;
    let rows_ahead = (scenario.count.n / scenario.every + 2).min(NUMBERS_AHEAD / columns);
    let ahead = scenario.adaptive.is_none().then_some(rows_ahead);
    let rows = keep.then_some(ahead.unwrap_or(0) as usize);
    let writer = RunWriter::create(folder, rows, scenario).map_err(boxed)?;
    let done = finish(scenario, simulation, target, writer, head, recorder, watch);
    drop(lock);
    done
}

/// Locks a folder for the run that writes into it, where the system can; another run there would mix its rows in.
pub(crate) fn alone(folder: &Path) -> Result<Option<std::fs::File>> {
    let Ok(opened) = std::fs::File::open(folder) else { return Ok(None) };
    match opened.try_lock() {
        Ok(()) => Ok(Some(opened)),
        Err(std::fs::TryLockError::WouldBlock) => {
            let (message, help) = ("another run is writing into this folder", "wait for it, or give another --out");
            Err(ScenarioError::file(Code::UNWRITABLE, folder.display().to_string(), message, help))
        }
        Err(std::fs::TryLockError::Error(_)) => Ok(None),
    }
}

/// Makes the steps that are left, with checkpoints, and writes what is to be said at the end.
fn finish(
    scenario: &Scenario,
    mut simulation: Simulation,
    target: Option<(&Path, Duration)>,
    mut writer: RunWriter,
    mut head: Head,
    mut recorder: Option<&mut dyn Recorder>,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<(Run, Kept)> {
    let folder = target.map(|(folder, _)| folder);
    let mut tell = told(scenario, watch);
    let mut watcher = Watch(&mut tell);
    let mut limits = LimitWatch::new(scenario.model(), &head.warnings);
    let mut pace = Pace::new(target.map(|(_, every)| every));
    // warnings are known to the first checkpoint only: a run that dies before one would be gone on with without them
    pace.at_once = !head.warnings.is_empty() && simulation.number() == 0;
    let outcome = loop {
        let left = match scenario.adaptive {
            None => scenario.count.n.saturating_sub(simulation.number()),
            Some(_) => u64::MAX,
        };
        let slice = left.min(pace.steps());
        let outcome = match recorder.as_deref_mut() {
            None => simulation.run(slice, &mut Both(&mut Both(&mut writer, &mut limits), &mut watcher)),
            Some(recorder) => {
                let own = &mut Both(&mut writer, &mut limits);
                simulation.run(slice, &mut Both(&mut Both(own, recorder), &mut watcher))
            }
        };
        head.warnings.append(&mut limits.warnings);
        match outcome {
            Outcome::Finished if slice < left && !simulation.finished() => {}
            outcome => break outcome,
        }
        if let (Some(folder), true) = (folder, pace.due()) {
            let head = Head { wall_s: head.wall_s + pace.elapsed(), ..head.clone() };
            checkpoint::write(folder, head, &mut writer, &simulation).map_err(boxed)?;
        }
    };
    let wall_s = head.wall_s + pace.elapsed();
    if let (Some(folder), Outcome::Stopped(Stop::Interrupted)) = (folder, &outcome) {
        // before the row of a thinned table that only an interrupted run has
        checkpoint::write(folder, Head { wall_s, ..head.clone() }, &mut writer, &simulation).map_err(boxed)?;
    }
    if let (Some(folder), Outcome::Finished) = (folder, &outcome) {
        checkpoint::write_end(folder, Head { wall_s, ..head.clone() }, &mut writer, &simulation).map_err(boxed)?;
    }
    // one interrupted or failed has rows that no other run has
    let ended = matches!(outcome, Outcome::Finished) && writer.is_kept();
    let ended = ended.then(|| End::of(&mut writer, &simulation));
    writer.finish().map_err(boxed)?;

    let mut summary = Summary::new(
        scenario,
        (&writer.audit, writer.contact_names()),
        writer.counts(),
        &simulation.statistics(),
        wall_s,
    );
    summary.adaptive = simulation.adaptive_statistics().map(|statistics| crate::build::adaptive::summary(&statistics));
    let lost = simulation.device_fault().map(|fault| instead(&fault).to_string());
    // its factors may be most of the memory, and the report reads what was stored
    drop(simulation);
    if folder.is_some() {
        summary.warnings = head.warnings;
        summary.warnings.extend(lost);
        let names = tables(scenario.model(), &scenario.selection).into_iter().map(|(name, _)| name.to_string());
        summary.tables = names.zip(writer.written().into_iter().map(TableSum::from)).collect();
        if let (Some(folder), Some(inputs)) = (folder, &scenario.inputs) {
            let Cells { columns, values, words } = &**inputs;
            let sum = write_inputs(folder, &KeptTable { columns, values, words });
            summary.tables.insert(INPUTS.into(), sum.map_err(|error| unwritable(&folder.join(INPUTS), &error))?);
        }
    } else {
        summary.warnings.extend(head.warnings);
    }
    let end = RunEnd::of(outcome, &writer.audit, folder)?;
    match &end {
        RunEnd::Finished => {}
        RunEnd::Interrupted => summary.interrupted = true,
        RunEnd::Failed(failure) => {
            let problem = folder.map(|folder| save_problem(failure, summary.steps + 1, folder)).transpose()?.flatten();
            summary.fail(Failure::new(failure, problem));
        }
    }
    if let Some(folder) = folder {
        conclude(scenario, &mut writer, &summary, folder)?;
    }
    let kept = Kept { end: ended, ..writer.kept(scenario) };
    Ok((Run { end, summary }, kept))
}

/// Names, summary and report of a run that is over; its checkpoint is given up unless it was interrupted.
fn conclude(scenario: &Scenario, writer: &mut RunWriter, summary: &Summary, folder: &Path) -> Result<()> {
    let path = folder.join("summary.json");
    // a checkpoint is given up for what is on the disk only
    let give_up = !summary.interrupted && folder.join(checkpoint::NAME).exists();
    if give_up {
        writer.sync().map_err(boxed)?;
    }
    write_names(scenario, writer.contact_names(), folder).map_err(|error| unwritable(&folder.join(NAMES), &error))?;
    let replace = if give_up { replace_on_disk } else { replace };
    replace(&path, summary.to_json().as_bytes()).map_err(|error| unwritable(&path, &error))?;
    write_conclusions(folder, &scenario.given)?;
    if give_up {
        clear(folder, &[checkpoint::NAME])?;
    }
    Ok(())
}

/// When to look at the clock, and when a checkpoint is due.
struct Pace {
    every: Option<Duration>,
    started: Instant,
    looked: Instant,
    last: Instant,
    steps: u64,
    /// Whether the first look is to make a checkpoint.
    at_once: bool,
}

impl Pace {
    fn new(every: Option<Duration>) -> Self {
        let now = Instant::now();
        Self { every, started: now, looked: now, last: now, steps: 1, at_once: false }
    }

    /// Steps to make before the next look.
    fn steps(&self) -> u64 {
        if self.every.is_some() { self.steps } else { u64::MAX }
    }

    /// Looks at the clock: some hundred times a second, and ten times between two checkpoints.
    fn due(&mut self) -> bool {
        let Some(every) = self.every else { return false };
        let now = Instant::now();
        let (took, wanted) = (now - self.looked, (every / 10).min(Duration::from_millis(10)));
        self.steps = if took < wanted { (2 * self.steps).min(1 << 20) } else { (self.steps / 2).max(1) };
        self.looked = now;
        let due = now - self.last >= every || std::mem::take(&mut self.at_once);
        if due {
            self.last = now;
        }
        due
    }

    fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

/// Removes files of a folder that may be there.
pub(crate) fn clear(folder: &Path, names: &[&str]) -> Result<()> {
    for name in names {
        let path = folder.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(unwritable(&path, &error)),
            _ => {}
        }
    }
    Ok(())
}

/// Makes the folder and clears it of an earlier run's conclusions, which would contradict the tables of a run that dies;
/// refuses a folder whose scenario was written by a person.
pub(crate) fn prepare(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let path = folder.join("scenario.toml");
    let Ok(earlier) = std::fs::read_to_string(&path) else { return refuse_foreign(folder) };
    if !earlier.starts_with(MARK) {
        let message = "holds a scenario written by hand, which the run's own scenario.toml would replace";
        let help = "choose another --out folder";
        return Err(ScenarioError::file(Code::UNWRITABLE, path.display().to_string(), message, help));
    }
    // the checkpoint first: without it nothing is gone on with
    clear(folder, &[checkpoint::NAME, checkpoint::END, "summary.json", "report.html", NAMES, HDF5, GAPS])?;
    // another model may have none
    clear(folder, &BODY_TABLES)?;
    clear(folder, &[INPUTS])?;
    clear(folder, &parquet_names().iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut stale = Vec::new();
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

/// Refuses a folder in which no run has been but which holds files under the names of a run's.
fn refuse_foreign(folder: &Path) -> Result<()> {
    let names = table_names().chain(["summary.json", "report.html", checkpoint::NAME, checkpoint::END]);
    let Some(path) = names.map(|name| folder.join(name)).find(|path| path.symlink_metadata().is_ok()) else {
        return Ok(());
    };
    let message = "is there already, and no run wrote it: the folder has no scenario.toml of a run";
    let help = "choose another --out folder, or remove the file";
    Err(ScenarioError::file(Code::UNWRITABLE, path.display().to_string(), message, help))
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
        .and_then(|()| plain_file::write(&path, text.as_bytes()))
        .map_err(|error| unwritable(&path, &error))?;
    Ok(Some(name))
}

pub(crate) fn boxed(error: Unwritable) -> Box<ScenarioError> {
    unwritable(&error.path, &error.error)
}

/// E300 for a path.
pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> Box<ScenarioError> {
    let help = "check that the folder exists, that you may write there, and that the disk is not full";
    ScenarioError::file(Code::UNWRITABLE, path.display().to_string(), format!("cannot be written: {error}"), help)
}
