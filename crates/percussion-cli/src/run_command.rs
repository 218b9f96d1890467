//! `percussion run` and `percussion check`.

use crate::args::{Changes, CheckOptions, Format, ResumeOptions, RunOptions};
use crate::exit::Exit;
use crate::paint::Paint;
use crate::show_error::{clean, show, show_failure, show_warning};
use crate::verdict_table;
use crate::{complain, say};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use percussion::model::Code;
use percussion::scenario::{
    self, LoadOptions, Means, Progress, Resumed, Run, RunEnd, Scenario, ScenarioError, StartFrom, Summary, TableFormat,
};
use percussion::solve::Stop;
use percussion::step::{Activation, Warning, Written};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

impl Changes {
    /// What the library is asked to change.
    pub fn load_options(&self) -> LoadOptions {
        LoadOptions {
            set: self.set.clone(),
            scheme: self.scheme.clone(),
            step: self.step,
            end: self.end,
            project: self.fix_initial.is_some(),
            anywhere: self.allow_outside,
            kept: true,
            ..LoadOptions::default()
        }
    }
}

/// `percussion check SCENARIO`.
pub fn check(options: &CheckOptions) -> Exit {
    let changes = &options.changes;
    let loaded = match scenario::load(&options.scenario, &changes.load_options()) {
        Ok(loaded) => loaded,
        Err(error) => return show(&error, changes.json),
    };
    let scenario = &loaded.scenario;
    if changes.json {
        let warnings: Vec<String> = scenario.warnings.iter().map(ToString::to_string).collect();
        let mut answer = serde_json::json!({ "scenario": scenario.name, "valid": true, "warnings": warnings });
        let facts = scenario.solid_facts();
        if !facts.is_empty() {
            answer["solid"] =
                facts.into_iter().map(|(name, value)| (name.to_string(), serde_json::Value::from(value))).collect();
        }
        say!("{answer}");
    } else if !changes.quiet {
        announce(scenario);
        for (name, value) in scenario.solid_facts() {
            say!("  {name:<19} {value}");
        }
        say!("{} is valid", clean(&options.scenario));
    }
    Exit::Good
}

/// `percussion run SCENARIO`.
pub fn run(options: &RunOptions) -> Exit {
    let changes = &options.changes;
    if options.portable {
        percussion::matrix::math::use_portable();
    }
    if let Err(error) = TableFormat::from(options.format).available() {
        return show(&error, changes.json);
    }
    let (from, device) = (options.from.as_deref().map(StartFrom::parse), options.device.map(Into::into));
    let mut loaded = match scenario::load(&options.scenario, &LoadOptions { from, device, ..changes.load_options() }) {
        Ok(loaded) => loaded,
        Err(error) => return show(&error, changes.json),
    };
    loaded.simulation.use_threads(threads(options.threads));
    let talk = !changes.json && !changes.quiet;
    if talk {
        announce(&loaded.scenario);
    }
    let folder = options.out.clone().unwrap_or_else(|| default_folder(&loaded.scenario.name));
    if folder.join("checkpoint").is_file() {
        let message = format!("{} held a stopped run that could have been continued; it is replaced", folder.display());
        let warning = Warning { code: Code::RUN_REPLACED, message };
        if changes.json {
            let (code, message) = (warning.code.as_str(), &warning.message);
            complain!("{}", serde_json::json!({ "warning": { "code": code, "message": message } }));
        } else {
            show_warning(&warning);
        }
    }
    let stop = interrupt_flag();
    loaded.simulation.stop_when(&Stop::when(Arc::clone(&stop)));
    let mut bar = Bar::new(talk);
    let result = scenario::run_checkpointed(loaded, &folder, options.checkpoints.every(), &mut |progress| {
        bar.show(progress);
        !stop.load(Ordering::Relaxed)
    });
    bar.clear();
    match result {
        Ok(run) => match also_as(options.format, &folder) {
            Ok(()) => conclude(run, &folder, changes.json, talk),
            Err(error) => show(&error, changes.json),
        },
        Err(error) => show(&hopeful(error, &folder), changes.json),
    }
}

/// So many threads, all cores for none.
fn threads(asked: Option<u32>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), |n| n as usize)
}

/// `percussion resume RUN`.
pub fn resume(options: &ResumeOptions) -> Exit {
    let (folder, json) = (&options.run, options.json);
    if options.portable {
        percussion::matrix::math::use_portable();
    }
    if let Err(error) = TableFormat::from(options.format).available() {
        return show(&error, json);
    }
    let talk = !json && !options.quiet;
    let stop = interrupt_flag();
    let cut = Stop::when(Arc::clone(&stop));
    let mut bar = Bar::new(talk);
    let mut watch = |progress| {
        bar.show(progress);
        !stop.load(Ordering::Relaxed)
    };
    let every = options.checkpoints.every();
    let means = Means { threads: threads(options.threads), stop: &cut, device: options.device.map(Into::into) };
    let result = match options.end {
        None => scenario::resume_on(folder, every, means, &mut watch),
        Some(end) => scenario::resume_to(folder, every, means, end, &mut watch),
    };
    bar.clear();
    match result {
        Ok(Resumed::Run(run)) => match also_as(options.format, folder) {
            Ok(()) => conclude(*run, folder, json, talk),
            Err(error) => show(&error, json),
        },
        Ok(Resumed::Ended(summary)) => {
            if json {
                say!("{}", summary.to_json().trim_end());
            } else if talk {
                say!("the run in {} has already finished: nothing is left to resume", folder.display());
            }
            match summary.failure {
                Some(_) => Exit::Numerical,
                None if summary.failed() => Exit::Certificate,
                None => Exit::Good,
            }
        }
        Err(error) => show(&hopeful(error, folder), json),
    }
}

/// Files of another format beside the tables of a run, where they are asked for.
fn also_as(format: Format, folder: &Path) -> scenario::Result<()> {
    match format {
        Format::Csv => Ok(()),
        Format::Parquet => scenario::export_parquet(folder, folder).map(drop),
        Format::Hdf5 => scenario::export_hdf5(folder, folder).map(drop),
    }
}

/// A run that could not be written may have a checkpoint to go on from.
fn hopeful(mut error: Box<ScenarioError>, folder: &Path) -> Box<ScenarioError> {
    if error.code == Code::UNWRITABLE && folder.join("checkpoint").is_file() {
        error.help += &format!("; then go on from the last checkpoint: percussion resume {}", folder.display());
    }
    error
}

/// Says how a run ended.
fn conclude(Run { end, summary }: Run, folder: &Path, json: bool, talk: bool) -> Exit {
    if json {
        say!("{}", summary.to_json().trim_end());
    } else if talk {
        say!("{}", verdict_table::verdicts(&summary, Paint::stdout()));
        say!(
            "{} steps to t = {} s in {:.2} s, in {}",
            summary.steps,
            verdict_table::short(summary.t_end),
            summary.wall_s,
            clean(&folder.display().to_string())
        );
        let during = |text: &&String| text.starts_with(Code::BEYOND_REDUCTION.as_str());
        for text in summary.warnings.iter().filter(during) {
            complain!("{} {}", Paint::stderr().yellow("warning:"), clean(text));
        }
        if let Some(text) = adaptive(&summary) {
            say!("{text}");
        }
        if let Some(text) = fallbacks(&summary) {
            say!("{text}");
        }
    }
    match end {
        RunEnd::Failed(failure) => {
            let problem = summary.failure.as_ref().and_then(|f| f.problem.as_ref());
            let problem = problem.map_or(String::new(), |name| {
                format!("; to look at the unsolved problem: percussion solve {}", folder.join(name).display())
            });
            let kept = format!("the {} steps before it are kept in {}{problem}", summary.steps, folder.display());
            show_failure(&failure, &kept, json)
        }
        RunEnd::Interrupted => {
            complain!(
                "interrupted at t = {} s after {} steps; their tables, summary and report are kept in {}\nto go on: percussion \
                 resume {}",
                summary.t_end,
                summary.steps,
                folder.display(),
                folder.display()
            );
            Exit::Interrupted
        }
        RunEnd::Finished if summary.failed() => Exit::Certificate,
        RunEnd::Finished => Exit::Good,
    }
}

/// What choosing the steps took.
fn adaptive(summary: &Summary) -> Option<String> {
    let counts = summary.adaptive.as_ref()?;
    let number = |key: &str| counts.get(key).and_then(serde_json::Value::as_f64).unwrap_or(0.0);
    let forced = match number("forced") {
        0.0 => String::new(),
        n => format!(", {n} forced at step_min"),
    };
    Some(format!(
        "steps from {:.1e} to {:.1e} s: {} pairs accepted, {} rejected{forced}, {} steps computed",
        number("smallest_step"),
        number("largest_step"),
        number("accepted"),
        number("rejected"),
        number("solves")
    ))
}

/// How often Newton's method needed help, if it ever did.
fn fallbacks(summary: &Summary) -> Option<String> {
    let counts = summary.solver.get("newton")?.as_object()?;
    let count = |rung: &str| counts.get(rung).and_then(serde_json::Value::as_u64).filter(|&n| n > 0);
    let words =
        [("damped", "with damping"), ("inner_lcp", "by an inner complementarity problem"), ("halved", "in halves")];
    let used: Vec<String> = words.iter().filter_map(|(rung, how)| count(rung).map(|n| format!("{n} {how}"))).collect();
    (!used.is_empty()).then(|| format!("Newton's method needed help: steps made {}", used.join(", ")))
}

/// Whether contacts obey a law on the gap at the end of the step, which is worth a word.
fn on_gaps(activation: Activation) -> bool {
    matches!(activation, Activation::Gap | Activation::Equilibrium)
}

/// What is about to run and what is promised about it.
fn announce(scenario: &Scenario) {
    let paint = Paint::stdout();
    let parameters: Vec<String> = scenario
        .scheme
        .parameters()
        .into_iter()
        .map(|(name, value)| match value {
            Written::Number(x) => format!("{name} = {}", parameter(x)),
            Written::Integer(k) => format!("{name} = {k}"),
            Written::Word(word) => format!("{name} = {word}"),
        })
        .chain(
            on_gaps(scenario.scheme.activation).then(|| format!("activation = {}", scenario.scheme.activation.name())),
        )
        .collect();
    let steps = match &scenario.adaptive {
        None => format!("{} steps of {} s", scenario.count.n, scenario.step),
        Some(_) => format!("adaptive steps to t = {} s, the first {} s", scenario.end, scenario.step),
    };
    let parameters = if parameters.is_empty() { String::new() } else { format!(" ({})", parameters.join(", ")) };
    say!("{} by {}{parameters}, {steps}", paint.bold(&clean(&scenario.name)), scenario.scheme.name);
    if let Some(chosen) = scenario.chosen {
        say!("  {}", paint.dim(chosen));
    }
    if scenario.every > 1 {
        let kept = format!("one row in {} steps: [output] every = 1 keeps every step", scenario.every);
        say!("  {}", paint.dim(&kept));
    }
    let guarantee = scenario.guarantee();
    let word = if guarantee.holds { paint.green("holds") } else { paint.yellow("does not apply") };
    say!("guarantee {word}: {}", guarantee.theorem_name());
    say!("  {}", paint.dim(&format!("{}; {}", guarantee.condition, guarantee.reason)));
    for warning in &scenario.warnings {
        show_warning(warning);
    }
}

/// A parameter for people: tolerances as powers of ten.
fn parameter(x: f64) -> String {
    if x != 0.0 && x.abs() < 1e-3 { format!("{x:e}") } else { verdict_table::short(x) }
}

/// `percussion-runs/NAME`, with a name any file system takes.
pub fn default_folder(name: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let slug: String = name.chars().map(plain).take(100).collect();
    let slug = slug.trim_matches(['-', '.']);
    PathBuf::from("percussion-runs").join(if slug.is_empty() { "scenario" } else { slug })
}

/// True once the user or the system asks to stop; the step under way is finished.
pub fn interrupt_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    // without a handler an interrupt ends the program at once, as it would otherwise
    let _ = ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed));
    flag
}

/// A progress bar on a terminal, for runs longer than a second.
struct Bar {
    bar: Option<ProgressBar>,
    started: Instant,
    wanted: bool,
    next_look: u64,
}

impl Bar {
    fn new(wanted: bool) -> Self {
        let wanted = wanted && std::io::stderr().is_terminal();
        Self { bar: None, started: Instant::now(), wanted, next_look: 0 }
    }

    /// Looks at the clock now and then only.
    fn show(&mut self, progress: Progress) {
        if !self.wanted || progress.step < self.next_look {
            return;
        }
        let elapsed = self.started.elapsed();
        // ten looks a second at the speed so far
        let speed = progress.step as f64 / elapsed.as_secs_f64().max(1e-6);
        self.next_look = progress.step + (0.1 * speed).max(1.0) as u64;
        if elapsed < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(progress.steps), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}  {eta} left");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        bar.set_message(format!("t = {:.4} s, {} of {} steps", progress.t, progress.step, progress.steps));
        bar.set_position(progress.step);
    }

    fn clear(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
