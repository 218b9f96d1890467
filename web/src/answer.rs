//! Questions of a page answered: what a scenario offers, its runs as the parts of a report, its orders of convergence.

use crate::request::{Bounds, Changes, Kind, Request};
use percussion_model::{Code, InputError};
use percussion_report::{Parts, Report, parts};
use percussion_scenario::{
    Attachments, Cells, Kept, LoadOptions, Loaded, Plain, PlayNumber, Progress, Result, RunEnd, ScenarioError, Source,
    Summary, error_text, failure_text, play_numbers, report_kept, run_kept, schema,
};
use percussion_step::SCHEMES;
use percussion_study::{Against, ConvergeOptions, Levels, Threads, Variant, converge};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use web_time::Instant;

/// Told how much is done, from 0 to 1; false ends the run.
pub type Tell<'a> = dyn FnMut(f64) -> bool + 'a;

/// Seconds between two words about progress.
const PACE: f64 = 0.05;
/// Steps of a convergence study over the scenario's own: halves down from eight times as long.
const LEVELS: [f64; 5] = [8.0, 4.0, 2.0, 1.0, 0.5];

/// The simulator behind a page, with the files that travel in it.
#[derive(Default)]
pub struct Player {
    given: Attachments,
    bounds: Bounds,
}

impl Player {
    /// A file that a scenario may name.
    pub fn add_file(&mut self, name: &str, bytes: &[u8]) {
        self.given.files.insert(name.into(), Arc::from(bytes));
    }

    /// The answer to a question, both JSON; an error is an answer too.
    pub fn answer(&self, question: &str, tell: &mut Tell) -> String {
        let answered = match serde_json::from_str::<Request>(question) {
            Ok(request) => self.to(&request, tell),
            Err(error) => Err(ScenarioError::file(Code::SYNTAX, "request", error.to_string(), "reload the page")),
        };
        answered.unwrap_or_else(|error| json!({ "error": told(&error) })).to_string()
    }

    fn to(&self, request: &Request, tell: &mut Tell) -> Result<Value> {
        if request.text.len() > self.bounds.text {
            return Err(self.too_large(request, "bytes", request.text.len() as u64, self.bounds.text as u64));
        }
        if request.runs.len() > self.bounds.runs {
            return Err(self.too_large(request, "runs", request.runs.len() as u64, self.bounds.runs as u64));
        }
        let source = Source::of_text(&request.name, &request.text, self.given.clone());
        match request.kind {
            Kind::Schema => Ok(json!({ "version": env!("CARGO_PKG_VERSION"), "schema": schema() })),
            Kind::Describe => describe(&source),
            Kind::Run => self.run(request, &source, tell),
            Kind::Converge => self.converge(request, &source, tell),
        }
    }

    fn too_large(&self, request: &Request, what: &str, found: u64, limit: u64) -> Box<ScenarioError> {
        let message = format!("{found} {what}, where a page takes {limit}");
        let help = "save the scenario and use `percussion run`, which has no such bound";
        ScenarioError::file(Code::TOO_LARGE, request.name.clone(), message, help)
    }

    /// Why a run that goes on ends here, if it does: memory or time beyond what a page takes.
    fn too_much(&self, request: &Request, pace: &Pace) -> Option<Box<ScenarioError>> {
        let (held, passed) = (memory_held(), pace.started.elapsed().as_secs_f64());
        if held > self.bounds.memory {
            return Some(self.too_large(request, "bytes of memory", held as u64, self.bounds.memory as u64));
        }
        (passed > self.bounds.seconds)
            .then(|| self.too_large(request, "seconds", passed as u64, self.bounds.seconds as u64))
    }

    /// Loads, and refuses what is too long for a page.
    fn load(&self, request: &Request, source: &Source, options: &LoadOptions) -> Result<Loaded> {
        let loaded = source.load(options)?;
        let scenario = &loaded.scenario;
        let steps = if scenario.adaptive.is_some() { 0 } else { scenario.count.n };
        if steps > self.bounds.steps {
            return Err(self.too_large(request, "steps", steps, self.bounds.steps));
        }
        let columns = (1 + scenario.model().n_q() + scenario.model().n_v() + 15) as u64;
        let numbers = (steps / scenario.every + 2).saturating_mul(columns);
        if numbers > self.bounds.numbers {
            return Err(self.too_large(request, "numbers in the tables", numbers, self.bounds.numbers));
        }
        Ok(loaded)
    }

    fn run(&self, request: &Request, source: &Source, tell: &mut Tell) -> Result<Value> {
        let alone = [Changes::default()];
        let wanted = if request.runs.is_empty() { &alone[..] } else { &request.runs };
        let (mut reports, mut runs) = (Vec::new(), Vec::new());
        for (k, changes) in wanted.iter().enumerate() {
            let loaded = self.load(request, source, &options(changes))?;
            let (mut pace, mut passed) = (Pace::new(), None);
            let mut watch = |progress: Progress| {
                let share = progress.step as f64 / progress.steps.max(1) as f64;
                if progress.step > self.bounds.steps {
                    passed = Some(self.too_large(request, "steps", progress.step, self.bounds.steps));
                }
                if pace.due(progress.step) {
                    passed = passed.take().or_else(|| self.too_much(request, &pace));
                    return passed.is_none() && tell((k as f64 + share) / wanted.len() as f64);
                }
                passed.is_none()
            };
            let warnings: Vec<String> = loaded.scenario.warnings.iter().map(ToString::to_string).collect();
            let (scenario, run, kept) = run_kept(loaded, None, &mut watch)?;
            let summary = Summary { warnings, ..run.summary };
            let mut told = of_run(&summary, &run.end);
            if let Some(bound) = passed {
                told["failure"] = json!(error_text(&bound, &Plain));
            }
            if request.tables {
                told["tables"] = tables(&kept);
            }
            runs.push(told);
            reports.push(report_kept(&scenario, &summary, kept)?);
        }
        Ok(with_parts(json!({ "runs": runs }), &reports))
    }

    fn converge(&self, request: &Request, source: &Source, tell: &mut Tell) -> Result<Value> {
        let alone = [Changes::default()];
        let wanted = if request.runs.is_empty() { &alone[..] } else { &request.runs };
        let (mut variants, mut step, mut end) = (Vec::new(), 0.0, 0.0);
        for changes in wanted {
            let options = options(changes);
            let scenario = self.load(request, source, &options)?.scenario;
            (step, end) = (scenario.step, scenario.end);
            variants.push(Variant { label: scenario.scheme.name.to_string(), options });
        }
        let steps: Vec<f64> = LEVELS.iter().map(|factor| factor * step).filter(|h| *h <= 0.25 * end).collect();
        if steps.len() < 2 {
            let message = format!("an order needs several steps, and {step} s is too long a step for {end} s");
            let help = "make the end later or the step shorter";
            return Err(InputError::new(Code::BAD_TIME, "time.step", message, help).into());
        }
        let study = ConvergeOptions {
            variants,
            levels: Levels::Steps(steps),
            against: Against::Automatic,
            hausdorff: false,
            norm: None,
            threads: Threads(1),
        };
        let tell = RefCell::new(tell);
        let made = converge(&|options: &LoadOptions| self.load(request, source, options), &study, &|progress| {
            tell.borrow_mut()(progress.share)
        })?;
        let made = made.map(|made| {
            let document = made.document();
            json!({ "title": document.title, "subtitle": document.subtitle, "main": document.content(), "csv": made.csv() })
        });
        Ok(json!({ "study": made }))
    }
}

/// When to speak of progress: looks at the clock some twenty times a second, whatever a step costs.
struct Pace {
    started: Instant,
    next: Cell<u64>,
    said: f64,
}

impl Pace {
    fn new() -> Self {
        Self { started: Instant::now(), next: Cell::new(1), said: 0.0 }
    }

    fn due(&mut self, step: u64) -> bool {
        if step < self.next.get() {
            return false;
        }
        let passed = self.started.elapsed().as_secs_f64();
        let speed = step as f64 / passed.max(1e-6);
        self.next.set(step + (0.5 * PACE * speed).clamp(1.0, 1e6) as u64);
        let due = passed - self.said >= PACE;
        if due {
            self.said = passed;
        }
        due
    }
}

/// Bytes of memory that the simulator of a page holds; nothing is known of them elsewhere.
fn memory_held() -> usize {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size(0) << 16;
    #[cfg(not(target_arch = "wasm32"))]
    0
}

fn options(changes: &Changes) -> LoadOptions {
    LoadOptions { scheme: changes.scheme.clone(), set: changes.set.clone(), ..LoadOptions::default() }
}

/// What the panel needs to know of a scenario.
fn describe(source: &Source) -> Result<Value> {
    let scenario = source.load(&LoadOptions::default())?.scenario;
    let numbers: Vec<Value> = play_numbers(source)?.iter().map(of_number).collect();
    let fits = |name: &str| source.load(&LoadOptions { scheme: Some(name.into()), ..LoadOptions::default() }).is_ok();
    let fitting = SCHEMES.iter().filter(|entry| fits(entry.name));
    let schemes: Vec<Value> =
        fitting.map(|entry| json!({ "name": entry.name, "parameters": entry.parameter_names() })).collect();
    Ok(json!({ "name": scenario.name, "scheme": scenario.scheme.name, "schemes": schemes, "numbers": numbers }))
}

fn of_number(number: &PlayNumber) -> Value {
    let PlayNumber { key, label, value, low, high, log, whole, unit, meaning, shown } = number;
    json!({
        "key": key, "label": label, "value": value, "low": low, "high": high, "log": log, "whole": whole, "unit": unit,
        "meaning": meaning, "shown": shown,
    })
}

fn of_run(summary: &Summary, end: &RunEnd) -> Value {
    let failure = match end {
        RunEnd::Failed(failure) => Some(failure_text(failure, &Plain)),
        RunEnd::Finished | RunEnd::Interrupted => None,
    };
    let verdicts: serde_json::Map<String, Value> = summary
        .verdicts
        .iter()
        .map(|(name, verdict)| (name.clone(), json!({ "status": verdict.status, "worst": verdict.worst })))
        .collect();
    json!({
        "state_hash": summary.state_hash, "steps": summary.steps, "t_end": summary.t_end, "wall_s": summary.wall_s,
        "scheme": summary.scheme.get("name"), "verdicts": verdicts, "failure": failure,
        "interrupted": summary.interrupted,
    })
}

fn with_parts(mut answer: Value, reports: &[Report]) -> Value {
    let Parts { title, header, main, data, columns, in_space } = parts(reports, &[]);
    let more = json!({
        "title": title, "header": header, "main": main, "data": data, "columns": columns, "in_space": in_space,
    });
    if let (Value::Object(answer), Value::Object(more)) = (&mut answer, more) {
        answer.extend(more);
    }
    answer
}

/// The tables in full; empty cells are null.
fn tables(kept: &Kept) -> Value {
    let of = |cells: &Cells| json!({ "columns": cells.columns, "values": cells.values, "words": cells.words });
    json!({
        "trajectory": of(&kept.trajectory), "contacts": of(&kept.contacts), "ledger": of(&kept.ledger),
        "events": of(&kept.events),
    })
}

/// An error with its place, and as the terminal shows it.
fn told(error: &ScenarioError) -> Value {
    let place = error.place;
    json!({
        "code": error.code.as_str(), "title": error.code.title(), "field": error.field, "message": error.message,
        "help": error.help, "line": place.map(|p| p.line), "column": place.map(|p| p.column),
        "length": place.map(|p| p.length), "text": error_text(error, &Plain),
    })
}
