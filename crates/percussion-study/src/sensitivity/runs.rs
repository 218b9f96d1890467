//! Derivatives by differences of whole runs that keep one history of contacts.
//!
//!   dF/dp ≈ Σ_k w_k (F(p + kδ) − F(p − kδ))/δ,   k = 1 … 4, of order 8
//!
//! A run of a one-step scheme is a smooth function of its parameters as long as every contact is open, closed, sticking or sliding in
//! the same steps; one that locates its events as long as these come in the same order. Runs in which that differs are no basis of a
//! difference: δ shrinks until all eight agree. Among the δ that do, the one with the least estimate of the error is taken.

use super::{Derivative, Found, ImpactTime, Quantity, Study, failed};
use crate::parallel::{Task, Watch, ordered};
use percussion_model::Code;
use percussion_scenario::{Loaded, Result, Scenario, ScenarioError};
use percussion_step::{EventKind, Outcome, Recorder, Start, Step, StepFailure, Stop};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Weights of order 8 and of order 6.
const EIGHTH: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
const SIXTH: [f64; 4] = [3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0, 0.0];
/// δ over the size of the parameter.
const STEPS: [f64; 7] = [3e-3, 3e-4, 3e-5, 3e-6, 3e-7, 3e-8, 3e-9];
/// Part of the value at which a derivative is as good as it gets.
const GOOD: f64 = 1e-11;

/// What a run shows.
#[derive(Clone, Debug, Default)]
struct Observed {
    /// Values by time, then quantity; without those that are times of impacts.
    values: Vec<Vec<f64>>,
    /// When, of each: the steps nearest to what was asked.
    times: Vec<f64>,
    /// Times and contacts of impacts that were located.
    impacts: Vec<(f64, usize)>,
    /// Which contacts did what in which step.
    history: u64,
}

struct Observer<'a> {
    of: &'a [Quantity],
    /// Numbers of the steps at whose ends values are taken.
    steps: &'a [u64],
    seen: Observed,
    lost: f64,
    hasher: DefaultHasher,
    task: &'a Task<'a>,
    n: u64,
}

impl Recorder for Observer<'_> {
    fn start(&mut self, _start: &Start) -> std::result::Result<(), Stop> {
        Ok(())
    }

    fn record(&mut self, number: u64, step: &Step) -> std::result::Result<(), Stop> {
        self.lost -= step.ledger.work_contact + step.ledger.work_projection.unwrap_or(0.0);
        if step.located {
            for event in &step.events {
                (event.kind as u8, event.contact).hash(&mut self.hasher);
                if event.kind == EventKind::Impact {
                    self.seen.impacts.push((event.t, event.contact));
                }
            }
        } else {
            for (k, contact) in step.contacts.iter().enumerate() {
                (number, contact.id, step.status(k) as u8).hash(&mut self.hasher);
            }
        }
        if self.steps.binary_search(&number).is_ok() {
            let value = |quantity: &Quantity| match *quantity {
                Quantity::Position(i) => step.after.q[i],
                Quantity::Velocity(i) => step.after.v[i],
                Quantity::Energy => step.ledger.energy(),
                Quantity::Lost => self.lost,
                Quantity::Impact(_) => 0.0,
            };
            self.seen.values.push(self.of.iter().map(value).collect());
            self.seen.times.push(step.after.t);
        }
        if self.task.step(number, self.n) { Ok(()) } else { Err(Stop::Interrupted) }
    }
}

/// Why a run is no basis.
enum Unfit {
    Error(Box<ScenarioError>),
    Stopped,
}

fn observe(study: &Study, loaded: Loaded, task: &Task) -> std::result::Result<Observed, Unfit> {
    let Loaded { scenario, mut simulation } = loaded;
    let n = scenario.count.n;
    let number = |t: &f64| ((t / scenario.step).round() as u64).clamp(1, n);
    let mut steps: Vec<u64> = study.times.iter().map(number).collect();
    steps.dedup();
    let hasher = DefaultHasher::new();
    let mut observer = Observer { of: &study.of, steps: &steps, seen: Observed::default(), lost: 0.0, hasher, task, n };
    match simulation.run(n, &mut observer) {
        Outcome::Finished => {}
        Outcome::Failed(failure) => return Err(Unfit::Error(failed(&scenario, failure))),
        Outcome::Stopped(_) => return Err(Unfit::Stopped),
    }
    let mut seen = observer.seen;
    seen.history = observer.hasher.finish();
    Ok(seen)
}

/// d/dp with its error, number by number.
type Column = Vec<(f64, f64)>;

/// The numbers of a run in one list: quantities by time, then times of impacts.
fn numbers(seen: &Observed) -> Vec<f64> {
    seen.values.iter().flatten().copied().chain(seen.impacts.iter().map(|(t, _)| *t)).collect()
}

/// All rows and impacts; none when it was stopped.
pub fn differentiate(study: &Study, scenario: &Scenario, watch: &Watch) -> Result<Option<Found>> {
    let own = ordered(&[1.0], study.threads, watch, |_, task| {
        let loaded = (study.load)(study.base).map_err(Unfit::Error)?;
        observe(study, loaded, task)
    });
    let seen = match own.and_then(|mut list| list.pop()) {
        None | Some(Err(Unfit::Stopped)) => return Ok(None),
        Some(Err(Unfit::Error(error))) => return Err(error),
        Some(Ok(seen)) => seen,
    };
    let mut columns = Vec::new();
    for p in 0..study.wrt.len() {
        if study.sides[p].is_some() {
            columns.push(vec![(0.0, 0.0); numbers(&seen).len()]);
            continue;
        }
        match column(study, scenario, p, &seen, watch)? {
            None => return Ok(None),
            Some(column) => columns.push(column),
        }
    }
    collect(study, &seen, &columns).map(Some)
}

/// The derivatives by one parameter.
fn column(study: &Study, scenario: &Scenario, p: usize, seen: &Observed, watch: &Watch) -> Result<Option<Column>> {
    let base = numbers(seen);
    let mut best: Option<Column> = None;
    let mut refused = None;
    for part in STEPS {
        let step = part * study.size(p);
        let task = |i: usize, task: &Task| {
            let (k, sign) = (i / 2 + 1, if i.is_multiple_of(2) { 1.0 } else { -1.0 });
            let loaded = study.at(p, study.wrt[p].1 + sign * k as f64 * step).map_err(Unfit::Error)?;
            observe(study, loaded, task)
        };
        let Some(made) = ordered(&[1.0; 8], study.threads, watch, task) else { return Ok(None) };
        let mut list = Vec::with_capacity(8);
        for one in made {
            match one {
                Ok(one) if one.history == seen.history => list.push(numbers(&one)),
                Ok(_) => {}
                Err(Unfit::Stopped) => return Ok(None),
                Err(Unfit::Error(error)) => refused = Some(error),
            }
        }
        if list.len() < 8 {
            continue;
        }
        let now: Column = (0..base.len()).map(|i| difference(&list, i, step, base[i])).collect();
        let better = improve(&mut best, now);
        let sure = |(i, (d, error)): (usize, &(f64, f64))| *error <= GOOD * d.abs().max(base[i].abs() / study.size(p));
        if !better || best.iter().flatten().enumerate().all(sure) {
            break;
        }
    }
    match (best, refused) {
        (Some(best), _) => Ok(Some(best)),
        (None, Some(error)) => Err(study.refused_beside(p, &error)),
        (None, None) => Err(failed(scenario, changes(study, p))),
    }
}

/// How much more of the noise of runs is in the difference of order 8 than in its distance from that of order 6.
const NOISE: f64 = 11.0;
/// 4 times the noise in the difference of order 8 over that in Δ⁸ = Σ (−1)^k C(8, 4+k) F(p + kδ).
const EIGHTH_NOISE: f64 = 4.0 * 1.17 / 113.4;

/// The difference of order 8 and how far it may be off. What solvers and round-off leave in each run is seen where smooth functions have
/// nothing: in the seventh difference, which is what order 8 has before order 6, and in the eighth.
fn difference(list: &[Vec<f64>], i: usize, step: f64, value: f64) -> (f64, f64) {
    let sum = |weights: [f64; 4]| -> f64 {
        let pair = |(w, pair): (f64, &[Vec<f64>])| w * (pair[0][i] - pair[1][i]) / step;
        weights.into_iter().zip(list.chunks_exact(2)).map(pair).sum()
    };
    let (d, coarse) = (sum(EIGHTH), sum(SIXTH));
    let even = |(w, pair): (f64, &[Vec<f64>])| w * (pair[0][i] + pair[1][i] - 2.0 * value);
    let eighth: f64 = [-56.0, 28.0, -8.0, 1.0].into_iter().zip(list.chunks_exact(2)).map(even).sum();
    let noise = EIGHTH_NOISE * eighth.abs() + f64::EPSILON * value.abs();
    (d, NOISE * (d - coarse).abs() + noise / step)
}

/// Takes what is surer, number by number; whether anything was.
fn improve(best: &mut Option<Column>, now: Column) -> bool {
    match best {
        None => {
            *best = Some(now);
            true
        }
        Some(best) => {
            let mut better = false;
            for (old, new) in best.iter_mut().zip(now) {
                if new.1 < old.1 {
                    (*old, better) = (new, true);
                }
            }
            better
        }
    }
}

pub fn changes(study: &Study, p: usize) -> StepFailure {
    let (key, x) = &study.wrt[p];
    let message = format!("contacts close, open, stick or slide in other steps as soon as {key} differs from {x}");
    let help = "move the start or the parameter a little, or use --scheme event-driven".into();
    StepFailure { code: Code::NO_DERIVATIVE, t: 0.0, h: 0.0, message, help, problem: None }
}

/// Rows in the order of time and quantity.
fn collect(study: &Study, seen: &Observed, columns: &[Column]) -> Result<Found> {
    let split = |i: usize| columns.iter().map(|column| column[i]).unzip::<f64, f64, Vec<_>, Vec<_>>();
    let (mut rows, width) = (Vec::new(), study.of.len());
    for (k, values) in seen.values.iter().enumerate() {
        for (quantity, &value) in values.iter().enumerate() {
            if !matches!(study.of[quantity], Quantity::Impact(_)) {
                let (derivatives, errors) = split(k * width + quantity);
                rows.push(Derivative { quantity, t: seen.times[k], value, derivatives, errors });
            }
        }
    }
    let first = seen.values.len() * width;
    let impact =
        |(k, &(t, contact)): (usize, &(f64, usize))| ImpactTime { t, contact, derivatives: split(first + k).0 };
    let impacts: Vec<ImpactTime> = seen.impacts.iter().enumerate().map(impact).collect();
    for (quantity, asked) in study.of.iter().enumerate() {
        let Quantity::Impact(k) = *asked else { continue };
        let Some(impact) = impacts.get(k) else {
            let message = format!("the motion has {} impacts", impacts.len());
            return super::refuse("of", message, "count impacts from 0, or run longer");
        };
        let (derivatives, errors) = split(first + k);
        rows.push(Derivative { quantity, t: impact.t, value: impact.t, derivatives, errors });
    }
    Ok(Found { rows, impacts, ..Default::default() })
}
