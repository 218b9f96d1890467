//! Errors over a range of steps, the order fitted to them, and the work they cost.
//!
//!   error ≈ C h^p,   p ± its standard error by least squares of logarithms: errors of impact problems are not monotone in h
//!
//! Errors that rounding alone explains say nothing of h: they are left out of the fit, and counted.

use crate::compare::steps_of;
use crate::parallel::{StudyProgress, Task, Threads, Watch, ordered};
use crate::reference::{Reference, Rows};
use crate::variant::Variant;
use crate::{ErrorMeter, Errors, Load};
use percussion_model::Code;
use percussion_scenario::{LoadOptions, Loaded, Result, ScenarioError, exact};
use percussion_step::measure::{Exact, OrderFit, fit_order};
use percussion_step::{Audit, Both, Outcome, Recorder, Start, Step, Stop};
use std::sync::Arc;
use web_time::Instant;

/// What varies from run to run.
#[derive(Clone, Debug, PartialEq)]
pub enum Levels {
    /// The step h [s].
    Steps(Vec<f64>),
    /// The tolerance of adaptive steps, absolute and relative; scenario or scheme may say more about how they are chosen.
    Tolerances(Vec<f64>),
}

impl Levels {
    /// The values.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::Steps(list) | Self::Tolerances(list) => list,
        }
    }

    /// The name of the column.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Steps(_) => "step",
            Self::Tolerances(_) => "tolerance",
        }
    }

    /// How much of the study's progress a run is: its steps, of which a tolerance tells the power only (error ∝ h²).
    fn weight(&self, k: usize, loaded: &Loaded) -> f64 {
        match self {
            Self::Steps(_) => steps_of(loaded),
            Self::Tolerances(list) => 30.0 / list[k].sqrt(),
        }
    }

    fn set(&self, k: usize, options: &LoadOptions) -> LoadOptions {
        let mut options = options.clone();
        match self {
            Self::Steps(list) => options.step = Some(list[k]),
            Self::Tolerances(list) => {
                options.set.extend(["atol", "rtol"].map(|key| format!("time.adaptive.{key}={:?}", list[k])));
            }
        }
        options
    }
}

/// What errors are measured against.
#[derive(Clone, Default)]
pub enum Against {
    /// The exact motion where it is known, else a fine run.
    #[default]
    Automatic,
    /// A scheme, run with an eighth of the smallest step, or with its own where its words set one.
    Scheme(Variant),
    /// A motion.
    Motion(Arc<dyn Exact>),
}

/// How to measure.
#[derive(Clone)]
pub struct ConvergeOptions {
    /// The schemes.
    pub variants: Vec<Variant>,
    /// The steps or tolerances.
    pub levels: Levels,
    /// What errors are measured against.
    pub against: Against,
    /// Whether Hausdorff distances are measured too.
    pub hausdorff: bool,
    /// p of L^p errors that are measured too.
    pub norm: Option<f64>,
    /// Threads to use.
    pub threads: Threads,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvergenceRow {
    /// Which scheme.
    pub variant: usize,
    /// h or the tolerance.
    pub level: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Steps computed, rejected and repeated ones too: the work.
    pub work: u64,
    /// Wall time [s].
    pub wall_s: f64,
    /// Deepest penetration [m].
    pub penetration: f64,
    /// The errors, or why there are none.
    pub errors: std::result::Result<Errors, Shortfall>,
}

/// Why a run has no errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Shortfall {
    /// The scheme refused the scenario; otherwise a step failed.
    pub refused: bool,
    /// The code, such as E120.
    pub code: String,
    /// In words.
    pub words: String,
}

/// The order of one measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// Which scheme.
    pub variant: usize,
    /// l1_q, l1_v, hausdorff_q, hausdorff_v, lp_q or lp_v.
    pub measure: &'static str,
    /// The fit; none for fewer than two errors above round-off.
    pub fit: Option<OrderFit>,
    /// Errors left out of it because rounding alone explains them.
    pub at_round_off: usize,
}

/// A convergence study.
pub struct Convergence {
    /// The scenario's name.
    pub scenario: String,
    /// Names of the schemes.
    pub labels: Vec<String>,
    /// What varied.
    pub levels: Levels,
    /// What was measured against.
    pub reference: String,
    /// One per scheme and level, in the order asked.
    pub rows: Vec<ConvergenceRow>,
}

/// Runs every scheme at every level; none when `watch` stopped it.
pub fn converge(load: &Load, options: &ConvergeOptions, watch: &Watch) -> Result<Option<Convergence>> {
    check(options)?;
    let ConvergeOptions { variants, levels, .. } = options;
    // what is wrong with the scenario itself is told once; a scheme that refuses it gets rows that say so
    let (mut scenario, mut weights, mut refusal) = (None, Vec::new(), None);
    let mut able: Option<&Variant> = None;
    for variant in variants {
        for k in 0..levels.values().len() {
            match load(&levels.set(k, &variant.options)) {
                Ok(loaded) => {
                    weights.push(levels.weight(k, &loaded));
                    scenario.get_or_insert(loaded.scenario);
                    able.get_or_insert(variant);
                }
                Err(error) if error.code == Code::UNSUPPORTED => {
                    weights.push(0.0);
                    refusal.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
    }
    let (Some(scenario), Some(able)) = (scenario, able) else { return refusal.map_or(Ok(None), Err) };
    if let (Levels::Steps(steps), end) = (levels, scenario.end)
        && let Some(step) = steps.iter().find(|step| **step > end)
    {
        let message = format!("a step of {step} s is longer than the run of {end} s: nothing would be measured");
        return Err(ScenarioError::file(Code::BAD_STUDY, "--steps", message, "give shorter steps, or a later end"));
    }
    let (rest, runs) = (weights.iter().sum::<f64>(), weights.len());
    let fine = |asked| fine_run(load, options, (able, asked), (rest, runs), watch);
    let (reference, before) = match (&options.against, exact(&scenario)) {
        (Against::Motion(motion), _) => (Reference::Exact(Arc::clone(motion)), 0.0),
        (Against::Automatic, Some(exact)) => (Reference::Exact(exact.into()), 0.0),
        // nodes of a solid land by dozens at once, and under another scheme they have another mass
        (Against::Automatic, None) if scenario.model().is_of_elements() => fine(Some(able))?,
        (Against::Automatic, None) => fine(None)?,
        (Against::Scheme(variant), _) => fine(Some(variant))?,
    };
    let (q, v) = reference.at(0.0);
    let sizes = (scenario.problem.q0.len(), scenario.problem.v0.len());
    if (q.len(), v.len()) != sizes {
        let message = format!(
            "has {} coordinates and {} velocities where the model has {} and {}",
            q.len(),
            v.len(),
            sizes.0,
            sizes.1
        );
        let help = "give one value for each coordinate and each velocity";
        return Err(ScenarioError::file(Code::BAD_STUDY, "the motion to measure against", message, help));
    }
    let n = levels.values().len();
    let after = |p: StudyProgress| watch(StudyProgress { share: (before + p.share * rest) / (before + rest), ..p });
    let rows = ordered(&weights, options.threads, &after, |i, task| {
        let (variant, k) = (i / n, i % n);
        let place = (variant, levels.values()[k]);
        match load(&levels.set(k, &variants[variant].options)) {
            Ok(loaded) => Ok(measure(loaded, &reference, options, place, task)),
            Err(error) if error.code == Code::UNSUPPORTED => Ok(refused(place, &error)),
            Err(error) => Err(error),
        }
    });
    let Some(rows) = rows else { return Ok(None) };
    Ok(Some(Convergence {
        scenario: scenario.name,
        labels: variants.iter().map(|v| v.label.clone()).collect(),
        levels: levels.clone(),
        reference: reference.what(),
        rows: rows.into_iter().collect::<Result<_>>()?,
    }))
}

fn check(options: &ConvergeOptions) -> Result<()> {
    let refuse = |place: String, message: &str, help: &str| {
        Err(ScenarioError::file(Code::BAD_STUDY, place, message.to_string(), help.to_string()))
    };
    let list = options.levels.values();
    let place = format!("--{}s", options.levels.name());
    if options.variants.is_empty() {
        return refuse("--schemes".into(), "there is no scheme", "percussion list schemes names them");
    }
    if list.iter().any(|x| !(x.is_finite() && *x > 0.0)) {
        return refuse(place, "a value is not a positive number", "give positive numbers, such as 1e-2,5e-3,2.5e-3");
    }
    if options.norm.is_some_and(|p| !(p.is_finite() && p >= 1.0)) {
        return refuse("--norm".into(), "p of a norm is at least 1", "give 1, 2, 4 or any number from 1 on");
    }
    if !list.iter().any(|x| *x != list[0]) {
        return refuse(place, "an order needs two different values at least", "give several, such as 1e-2,5e-3,2.5e-3");
    }
    Ok(())
}

/// Numbers that the rows of a reference may be: 1 GB.
const MOST_NUMBERS: f64 = 1.3e8;

/// A run finer than all others, and its steps: the scheme asked for, else located events where the model allows, else the first
/// scheme, which is also that of solids, whose nodes strike too often for events. Eight times as fine, or less where that would not fit into
/// memory. The runs to come are `rest` steps.
fn fine_run(
    load: &Load,
    options: &ConvergeOptions,
    (first, asked): (&Variant, Option<&Variant>),
    (rest, runs): (f64, usize),
    watch: &Watch,
) -> Result<(Reference, f64)> {
    let finest = options.levels.values().iter().copied().fold(f64::INFINITY, f64::min);
    let finer = |variant: &Variant, scheme: Option<&str>, times: f64| {
        let mut set = LoadOptions { step: Some(finest / times), ..variant.options.clone() };
        if asked.is_some() && variant.options.set.iter().any(|key| key.starts_with("time.step")) {
            set.step = None;
        }
        if let Some(scheme) = scheme {
            // another scheme's parameters mean nothing to this one
            set.set.retain(|key| !key.starts_with("scheme."));
            set.scheme = Some(scheme.into());
        }
        set.set.retain(|key| !key.starts_with("time.adaptive"));
        set
    };
    let fine = |variant: &Variant, scheme: Option<&str>| -> Result<Loaded> {
        let mut numbers = 0.0;
        for times in [8.0, 4.0, 2.0] {
            let loaded = load(&finer(variant, scheme, times))?;
            let model = loaded.scenario.model();
            numbers = (steps_of(&loaded) + 1.0) * (model.n_q() + model.n_v()) as f64;
            if numbers <= MOST_NUMBERS {
                return Ok(loaded);
            }
        }
        let message = format!("the rows of a reference would hold {numbers:.1e} numbers, more than {MOST_NUMBERS:.1e}");
        let help = "shorten the run with --end, or leave out the smallest value";
        Err(ScenarioError::file(Code::BAD_STUDY, format!("--{}s", options.levels.name()), message, help))
    };
    let steps = matches!(options.levels, Levels::Steps(_));
    let (label, loaded) = match asked {
        Some(variant) => (variant.label.clone(), fine(variant, None)?),
        None if !steps => {
            let help = "name a reference: --reference event-driven:time.step=1e-4";
            let message = "a study of tolerances needs an exact motion or a reference";
            return Err(ScenarioError::file(Code::BAD_STUDY, "--tolerances", message, help));
        }
        None => match fine(first, Some("event-driven")) {
            Ok(loaded) if !loaded.scenario.model().is_of_elements() => ("event-driven".to_string(), loaded),
            Ok(_) | Err(_) => (first.label.clone(), fine(first, None)?),
        },
    };
    let weight = steps_of(&loaded);
    let end = loaded.scenario.end;
    let at = |t: f64| {
        let share = (t / end).clamp(0.0, 1.0) * weight / (weight + rest);
        watch(StudyProgress { done: 0, runs, share })
    };
    let mut watched = Watched { rows: Rows::default(), at: &at, seen: 0 };
    let what = format!("{label} with steps of {:e} s", loaded.scenario.step);
    let Loaded { scenario, mut simulation } = loaded;
    let n = if scenario.adaptive.is_some() { u64::MAX } else { scenario.count.n };
    match simulation.run(n, &mut watched) {
        Outcome::Finished => Ok((Reference::Run { what, rows: watched.rows }, weight)),
        Outcome::Failed(failure) => {
            let message = format!("the reference, {what}, ended at t = {} s: {}", failure.t, failure.message);
            Err(ScenarioError::file(failure.code, "--reference", message, failure.help))
        }
        Outcome::Stopped(_) => {
            let message = format!("the reference, {what}, was stopped");
            Err(ScenarioError::file(Code::BAD_STUDY, "--reference", message, "run it again"))
        }
    }
}

/// Rows of a run that asks now and then whether to go on.
struct Watched<'a> {
    rows: Rows,
    /// Told the time reached; false ends the run.
    at: &'a dyn Fn(f64) -> bool,
    seen: u64,
}

impl Recorder for Watched<'_> {
    fn start(&mut self, start: &Start) -> std::result::Result<(), Stop> {
        self.rows.start(start)
    }

    fn record(&mut self, number: u64, step: &Step) -> std::result::Result<(), Stop> {
        self.seen += 1;
        if self.seen.is_multiple_of(4096) && !(self.at)(step.after.t) {
            return Err(Stop::Interrupted);
        }
        self.rows.record(number, step)
    }
}

/// Tells the study how far a run is.
struct Told<'a>(&'a Task<'a>, f64);

impl Recorder for Told<'_> {
    fn start(&mut self, _: &Start) -> std::result::Result<(), Stop> {
        Ok(())
    }

    fn record(&mut self, _: u64, step: &Step) -> std::result::Result<(), Stop> {
        self.0.at(step.after.t / self.1);
        Ok(())
    }
}

fn refused((variant, level): (usize, f64), error: &ScenarioError) -> ConvergenceRow {
    let errors = Err(Shortfall { refused: true, code: error.code.to_string(), words: error.message.clone() });
    ConvergenceRow { variant, level, steps: 0, work: 0, wall_s: 0.0, penetration: 0.0, errors }
}

fn measure(
    loaded: Loaded,
    reference: &Reference,
    options: &ConvergeOptions,
    (variant, level): (usize, f64),
    task: &Task,
) -> ConvergenceRow {
    let Loaded { scenario, mut simulation } = loaded;
    let meter = ErrorMeter::new(reference, scenario.end, options.hausdorff, task.stop);
    let (mut meter, mut audit) = (meter.with_norm(options.norm), Audit::new());
    let mut told = Told(task, scenario.end);
    let n = if scenario.adaptive.is_some() { u64::MAX } else { scenario.count.n };
    let started = Instant::now();
    let outcome = simulation.run(n, &mut Both(&mut told, &mut Both(&mut meter, &mut audit)));
    let wall_s = started.elapsed().as_secs_f64();
    let errors = match outcome {
        Outcome::Finished => Ok(meter.errors()),
        Outcome::Failed(failure) => {
            Err(Shortfall { refused: false, code: failure.code.to_string(), words: failure.to_string() })
        }
        Outcome::Stopped(_) => Err(Shortfall { refused: false, code: String::new(), words: "stopped".into() }),
    };
    let steps = simulation.number();
    let work = simulation.adaptive_statistics().map_or(steps, |statistics| statistics.solves);
    ConvergenceRow { variant, level, steps, work, wall_s, penetration: audit.deepest().max(0.0), errors }
}

impl Convergence {
    /// The rows of one scheme.
    pub fn of(&self, variant: usize) -> impl Iterator<Item = &ConvergenceRow> {
        self.rows.iter().filter(move |row| row.variant == variant)
    }

    /// The order of any function of the errors of one scheme over the levels, rounding included.
    pub fn fit(&self, variant: usize, measure: fn(&Errors) -> Option<f64>) -> Option<OrderFit> {
        let points = self.of(variant).filter_map(|row| Some((row.level, measure(row.errors.as_ref().ok()?)?)));
        let (levels, errors): (Vec<f64>, Vec<f64>) = points.unzip();
        fit_order(&levels, &errors)
    }

    /// The order of a measure of one scheme over the levels, without the errors that are rounding.
    pub fn order(&self, variant: usize, measure: &Measure) -> Order {
        let (mut levels, mut errors, mut at_round_off) = (Vec::new(), Vec::new(), 0);
        for row in self.of(variant) {
            let Some(all) = row.errors.as_ref().ok() else { continue };
            match (measure.pick)(all) {
                Some(_) if (measure.rounded)(all) => at_round_off += 1,
                Some(error) => {
                    levels.push(row.level);
                    errors.push(error);
                }
                None => {}
            }
        }
        Order { variant, measure: measure.name, fit: fit_order(&levels, &errors), at_round_off }
    }

    /// Every order there is.
    pub fn orders(&self) -> Vec<Order> {
        let measures = self.measures();
        let of = |variant: usize| measures.iter().map(move |measure| self.order(variant, measure));
        (0..self.labels.len()).flat_map(of).collect()
    }

    /// The measures there are: Hausdorff distances and L^p only where they were asked for.
    pub fn measures(&self) -> Vec<&'static Measure> {
        let has =
            |measure: &&Measure| self.rows.iter().flat_map(|row| &row.errors).any(|e| (measure.pick)(e).is_some());
        MEASURES.iter().take(2).chain(MEASURES.iter().skip(2).filter(has)).collect()
    }
}

/// A kind of error.
pub struct Measure {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub pick: fn(&Errors) -> Option<f64>,
    /// Whether rounding alone explains it.
    pub rounded: fn(&Errors) -> bool,
}

/// All of them.
pub const MEASURES: [Measure; 6] = [
    Measure { name: "l1_q", pick: |e| Some(e.l1_q), rounded: |e| e.rounded_q },
    Measure { name: "l1_v", pick: |e| Some(e.l1_v), rounded: |e| e.rounded_v },
    Measure { name: "hausdorff_q", pick: |e| e.hausdorff_q, rounded: |e| e.rounded_q },
    Measure { name: "hausdorff_v", pick: |e| e.hausdorff_v, rounded: |e| e.rounded_v },
    Measure { name: "lp_q", pick: |e| e.lp_q, rounded: |e| e.rounded_q },
    Measure { name: "lp_v", pick: |e| e.lp_v, rounded: |e| e.rounded_v },
];
