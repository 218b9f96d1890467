//! `percussion solve`.

use crate::args::{ProblemKind, SolveOptions};
use crate::exit::Exit;
use crate::paint::Paint;
use crate::run_command::interrupt_flag;
use crate::show_error::{clean, show};
use crate::timer::Timer;
use crate::{complain, say};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use percussion::files::{self, Answer, Kind, ProblemFile};
use percussion::model::Code;
use percussion::scenario::{ScenarioError, at_file, load_problem, nearest, write_solution};
use percussion::solve::{Method, SolveStatus, SolverOptions};
use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// One method asked for, or all that apply.
#[derive(Clone, Copy)]
enum Choice {
    One(Method),
    All,
}

/// Everything that was asked for, checked.
struct Request<'a> {
    options: &'a SolveOptions,
    choice: Choice,
    kind: Option<Kind>,
    tolerance: f64,
    max_iterations: usize,
    time_limit: Option<Duration>,
    interrupted: Arc<AtomicBool>,
    /// Characters of the longest file name.
    width: usize,
}

/// `percussion solve FILE…`.
pub fn solve(options: &SolveOptions) -> Exit {
    let request = match Request::new(options) {
        Ok(request) => request,
        Err(message) => {
            complain!("percussion solve: {message}");
            return Exit::Usage;
        }
    };
    let mut bar = Bar::new(options.files.len());
    if !options.json {
        let titles = ("kind", "contacts", "solver", "status", "residual", "scaled", "iterations", "time");
        let Request { width, .. } = request;
        let (kind, contacts, solver, status, plain, scaled, iterations, time) = titles;
        let line = format!(
            "{:<width$}  {kind:<7} {contacts:>8}  {solver:<13} {status:<13} {plain:>9} {scaled:>9} {iterations:>10} {time:>9}",
            "file"
        );
        say!("{}", Paint::stdout().bold(&line));
    }
    let mut exit = Exit::Good;
    for (number, path) in options.files.iter().enumerate() {
        bar.show(number, path);
        exit = worse(exit, request.file(path, &bar));
        if request.interrupted.load(Ordering::Relaxed) {
            exit = Exit::Interrupted;
            break;
        }
    }
    bar.clear();
    exit
}

/// A file that cannot be written says more than a problem above the tolerance, and that more than a file refused.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Good => 0,
        Exit::Input => 1,
        Exit::Numerical => 2,
        _ => 3,
    };
    if rank(other) > rank(one) { other } else { one }
}

impl<'a> Request<'a> {
    fn new(options: &'a SolveOptions) -> Result<Self, String> {
        let defaults = SolverOptions::default();
        let choice = match options.solver.as_str() {
            "all" => Choice::All,
            name => Choice::One(Method::from_name(name).ok_or_else(|| {
                let near = nearest(name, Method::NAMES.into_iter().chain(["all"]));
                let near = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
                format!("there is no solver \"{name}\"{near} (percussion list solvers)")
            })?),
        };
        let kind = match options.kind {
            ProblemKind::Auto => None,
            ProblemKind::Lcp => Some(Kind::Lcp),
            ProblemKind::Mlcp => Some(Kind::Mlcp),
            ProblemKind::Fc2d => Some(Kind::Fc2d),
            ProblemKind::Fc3d => Some(Kind::Fc3d),
            ProblemKind::Gfc2d => Some(Kind::Gfc2d),
            ProblemKind::Gfc3d => Some(Kind::Gfc3d),
            ProblemKind::Rolling => Some(Kind::Rolling),
        };
        let tolerance = options.tolerance.unwrap_or(defaults.tolerance);
        if !(1e-15..=1.0).contains(&tolerance) {
            return Err(format!("--tolerance {tolerance} does not lie between 1e-15 and 1"));
        }
        let time_limit = match options.time_limit {
            None => None,
            Some(seconds) if seconds > 0.0 && seconds <= 1e9 => Some(Duration::from_secs_f64(seconds)),
            Some(seconds) => return Err(format!("--time-limit {seconds} is not a positive number of seconds")),
        };
        let mut names = HashSet::new();
        for path in options.files.iter().filter(|_| options.out.is_some()) {
            let name = path.file_name().unwrap_or_default();
            if !names.insert(name) {
                return Err(format!("two files are called {}, and --out has one place", name.to_string_lossy()));
            }
        }
        // with a time limit the clock decides, else the number of iterations
        let max_iterations = if time_limit.is_some() { usize::MAX >> 1 } else { defaults.max_iterations };
        let width = options.files.iter().map(|path| shown(path).chars().count()).max().unwrap_or(4).clamp(4, 60);
        let interrupted = interrupt_flag();
        Ok(Self { options, choice, kind, tolerance, max_iterations, time_limit, interrupted, width })
    }

    /// One file by every method asked for.
    fn file(&self, path: &Path, bar: &Bar) -> Exit {
        let json = self.options.json;
        let file = match load_problem(path, self.kind) {
            Ok(file) => file,
            Err(error) => return bar.hidden(|| show(&error, json)),
        };
        for note in file.notes.iter().filter(|_| !json) {
            let text = format!("note: {}: {}", clean(&shown(path)), clean(note));
            bar.hidden(|| complain!("{}", Paint::stderr().dim(&text)));
        }
        let kind = file.problem.kind();
        let methods: Vec<Method> = match self.choice {
            Choice::All => kind.methods().collect(),
            Choice::One(method) if kind.is_solved_by(method) => vec![method],
            Choice::One(method) => {
                let message = format!("{method} does not solve problems of kind {kind}");
                let names: Vec<&str> = kind.methods().map(Method::name).collect();
                let help = format!("use one of {}, or all", names.join(", "));
                let error = ScenarioError::file(Code::UNKNOWN_SOLVER, path.display().to_string(), message, help);
                return bar.hidden(|| show(&error, json));
            }
        };
        let mut best: Option<Answer> = None;
        for method in methods {
            let options =
                SolverOptions { method, tolerance: self.tolerance, enough: None, max_iterations: self.max_iterations };
            let timer = Timer::start(self.time_limit, &self.interrupted);
            let start = Instant::now();
            let answer = files::solve(&file.problem, options, &timer.stop());
            let elapsed = start.elapsed().as_secs_f64();
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => return bar.hidden(|| show(&at_file(*error, path), json)),
            };
            // the driver names the method that gave the answer; a single one is named as asked
            let solver = if method == Method::Auto { answer.report.method } else { method };
            let note = too_large(method, &answer);
            bar.hidden(|| self.print(path, &file, (method, solver), &answer, elapsed, note.as_deref()));
            if best.as_ref().is_none_or(|best| better(&answer, best)) {
                best = Some(answer);
            }
        }
        let Some(best) = best else { return Exit::Good };
        if let Some(folder) = &self.options.out
            && best.report.status != SolveStatus::NoSolution
            && let Err(error) = write_solution(folder, path, &best)
        {
            return bar.hidden(|| show(&error, json));
        }
        match best.report.status {
            SolveStatus::Solved | SolveStatus::NoSolution => Exit::Good,
            _ => Exit::Numerical,
        }
    }

    /// One row; `asked` and `solver` differ where the driver chose.
    fn print(
        &self,
        path: &Path,
        file: &ProblemFile,
        (asked, solver): (Method, Method),
        answer: &Answer,
        elapsed: f64,
        note: Option<&str>,
    ) {
        let report = &answer.report;
        let (kind, contacts) = (file.problem.kind(), file.problem.contacts());
        let (plain, scaled) = (report.residuals.plain, report.residuals.scaled);
        let word = word(report.status);
        if self.options.json {
            let mut object = serde_json::json!({
                "file": path.display().to_string(),
                "kind": kind.name(),
                "contacts": contacts,
                "solver": solver.name(),
                "asked": asked.name(),
                "status": word,
                "residual": plain,
                "residual_scaled": scaled,
                "iterations": report.iterations,
                "time_s": elapsed,
            });
            if let Some(e) = answer.residual_global {
                object["residual_global"] = e.into();
            }
            let notes: Vec<&str> = file.notes.iter().map(String::as_str).chain(note).collect();
            if !notes.is_empty() {
                object["notes"] = notes.into();
            }
            say!("{object}");
            return;
        }
        let paint = Paint::stdout();
        let padded = format!("{word:<13}");
        let coloured = match report.status {
            SolveStatus::Solved => paint.green(&padded),
            SolveStatus::NoSolution => paint.yellow(&padded),
            _ => paint.red(&padded),
        };
        say!(
            "{:<width$}  {:<7} {contacts:>8}  {:<13} {coloured} {plain:>9.1e} {scaled:>9.1e} {:>10} {:>9}",
            fit(&clean(&shown(path)), self.width),
            kind.name(),
            solver.name(),
            report.iterations,
            seconds(elapsed),
            width = self.width
        );
        if let Some(note) = note {
            complain!("{}", Paint::stderr().dim(&format!("note: {}: {note}", clean(&shown(path)))));
        }
    }
}

/// Why a method did not even begin.
fn too_large(method: Method, answer: &Answer) -> Option<String> {
    let most = method.most_rows().filter(|&most| answer.solution.len() > most && answer.report.iterations == 0)?;
    let rows = answer.solution.len();
    Some(format!("{method} did not run: the problem has {rows} rows, and it takes at most {most}"))
}

/// A proved answer before none, then the smaller residual.
fn better(one: &Answer, other: &Answer) -> bool {
    let rank = |answer: &Answer| match answer.report.status {
        SolveStatus::Solved => 0,
        SolveStatus::NoSolution => 1,
        _ => 2,
    };
    let worst = |answer: &Answer| answer.report.residuals.worst();
    (rank(one), worst(one)) < (rank(other), worst(other))
}

fn word(status: SolveStatus) -> &'static str {
    match status {
        SolveStatus::Solved => "solved",
        SolveStatus::NotConverged => "not_converged",
        SolveStatus::NoSolution => "no_solution",
        SolveStatus::TimeLimit => "time_limit",
    }
}

fn shown(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// The end of a name that is too long.
fn fit(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width { text.to_string() } else { text.chars().skip(count - width).collect() }
}

fn seconds(t: f64) -> String {
    if t < 1.0 { format!("{:.3} ms", 1e3 * t) } else { format!("{t:.2} s") }
}

/// A progress bar on a terminal, once a second has passed.
struct Bar {
    bar: Option<ProgressBar>,
    started: Instant,
    n: usize,
}

impl Bar {
    fn new(n: usize) -> Self {
        Self { bar: None, started: Instant::now(), n }
    }

    fn show(&mut self, done: usize, path: &Path) {
        if self.n < 2 || !std::io::stderr().is_terminal() || self.started.elapsed() < Duration::from_secs(1) {
            return;
        }
        let n = self.n as u64;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(n), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:32} {pos} of {len} problems  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        bar.set_message(clean(&shown(path)));
        bar.set_position(done as u64);
    }

    /// Lines printed meanwhile do not mix with the bar.
    fn hidden<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(work),
            None => work(),
        }
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
