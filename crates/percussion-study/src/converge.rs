//! Errors over a range of steps, the order fitted to them, and the work they cost.
//!
//!   error ≈ C h^p,   p ± its standard error by least squares of logarithms: errors of impact problems are not monotone in h

use crate::parallel::{Threads, Watch, ordered};
use crate::reference::{Reference, Rows};
use crate::variant::Variant;
use crate::{ErrorMeter, Errors, Load};
use percussion_model::Code;
use percussion_scenario::{LoadOptions, Loaded, Result, ScenarioError, exact};
use percussion_step::measure::{Exact, OrderFit, fit_order};
use percussion_step::{Audit, Both, Outcome, Recorder, Start, Step, Stop};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

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
    /// The errors, or the code and the words of a failure.
    pub errors: std::result::Result<Errors, (String, String)>,
}

/// The order of one measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// Which scheme.
    pub variant: usize,
    /// l1_q, l1_v, hausdorff_q or hausdorff_v.
    pub measure: &'static str,
    /// The fit; none for fewer than two errors above zero.
    pub fit: Option<OrderFit>,
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
    // what is wrong with the scenario itself is told once
    let mut scenario = None;
    for variant in variants {
        for k in 0..levels.values().len() {
            let loaded = load(&levels.set(k, &variant.options))?;
            scenario.get_or_insert(loaded.scenario);
        }
    }
    let Some(scenario) = scenario else { return Ok(None) };
    if let (Levels::Steps(steps), end) = (levels, scenario.end)
        && let Some(step) = steps.iter().find(|step| **step > end)
    {
        let message = format!("a step of {step} s is longer than the run of {end} s: nothing would be measured");
        return Err(ScenarioError::file(Code::BAD_STUDY, "--steps", message, "give shorter steps, or a later end"));
    }
    let stop = AtomicBool::new(false);
    let reference = match (&options.against, exact(&scenario)) {
        (Against::Motion(motion), _) => Reference::Exact(Arc::clone(motion)),
        (Against::Automatic, Some(exact)) => Reference::Exact(exact.into()),
        (Against::Automatic, None) => fine_run(load, options, None, watch, &stop)?,
        (Against::Scheme(variant), _) => fine_run(load, options, Some(variant), watch, &stop)?,
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
    let rows = ordered(variants.len() * n, options.threads, watch, |i, stop| {
        let (variant, k) = (i / n, i % n);
        let loaded = load(&levels.set(k, &variants[variant].options))?;
        Ok(measure(loaded, &reference, options.hausdorff, (variant, levels.values()[k]), stop))
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
    if !list.iter().any(|x| *x != list[0]) {
        return refuse(place, "an order needs two different values at least", "give several, such as 1e-2,5e-3,2.5e-3");
    }
    Ok(())
}

/// A run finer than all others: the scheme asked for, else located events where the model allows, else the first scheme.
fn fine_run(
    load: &Load,
    options: &ConvergeOptions,
    asked: Option<&Variant>,
    watch: &Watch,
    stop: &AtomicBool,
) -> Result<Reference> {
    let first = &options.variants[0];
    let finest = options.levels.values().iter().copied().fold(f64::INFINITY, f64::min) / 8.0;
    let fine = |variant: &Variant, scheme: Option<&str>| {
        let mut set = LoadOptions { step: Some(finest), ..variant.options.clone() };
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
    let steps = matches!(options.levels, Levels::Steps(_));
    let (label, loaded) = match asked {
        Some(variant) => (variant.label.clone(), load(&fine(variant, None))?),
        None if !steps => {
            let help = "name a reference: --reference event-driven:time.step=1e-4";
            let message = "a study of tolerances needs an exact motion or a reference";
            return Err(ScenarioError::file(Code::BAD_STUDY, "--tolerances", message, help));
        }
        None => match load(&fine(first, Some("event-driven"))) {
            Ok(loaded) => ("event-driven".to_string(), loaded),
            Err(_) => (first.label.clone(), load(&fine(first, None))?),
        },
    };
    let mut watched = Watched { rows: Rows::default(), watch, stop, seen: 0 };
    let what = format!("{label} with steps of {:e} s", loaded.scenario.step);
    let Loaded { scenario, mut simulation } = loaded;
    let n = if scenario.adaptive.is_some() { u64::MAX } else { scenario.count.n };
    match simulation.run(n, &mut watched) {
        Outcome::Finished => Ok(Reference::Run { what, rows: watched.rows }),
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
    watch: &'a Watch<'a>,
    stop: &'a AtomicBool,
    seen: u64,
}

impl Recorder for Watched<'_> {
    fn start(&mut self, start: &Start) -> std::result::Result<(), Stop> {
        self.rows.start(start)
    }

    fn record(&mut self, number: u64, step: &Step) -> std::result::Result<(), Stop> {
        self.seen += 1;
        if self.seen.is_multiple_of(4096) && !(self.watch)(0, 0) {
            self.stop.store(true, Ordering::Relaxed);
            return Err(Stop::Interrupted);
        }
        self.rows.record(number, step)
    }
}

fn measure(
    loaded: Loaded,
    reference: &Reference,
    graphs: bool,
    (variant, level): (usize, f64),
    stop: &AtomicBool,
) -> ConvergenceRow {
    let Loaded { scenario, mut simulation } = loaded;
    let (mut meter, mut audit) = (ErrorMeter::new(reference, scenario.end, graphs, stop), Audit::new());
    let n = if scenario.adaptive.is_some() { u64::MAX } else { scenario.count.n };
    let started = Instant::now();
    let outcome = simulation.run(n, &mut Both(&mut meter, &mut audit));
    let wall_s = started.elapsed().as_secs_f64();
    let errors = match outcome {
        Outcome::Finished => Ok(meter.errors()),
        Outcome::Failed(failure) => Err((failure.code.to_string(), failure.to_string())),
        Outcome::Stopped(_) => Err((String::new(), "stopped".into())),
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

    /// The order of a measure of one scheme over the levels.
    pub fn fit(&self, variant: usize, measure: fn(&Errors) -> Option<f64>) -> Option<OrderFit> {
        let (mut levels, mut errors) = (Vec::new(), Vec::new());
        for row in self.of(variant) {
            if let Some(error) = row.errors.as_ref().ok().and_then(measure) {
                levels.push(row.level);
                errors.push(error);
            }
        }
        fit_order(&levels, &errors)
    }

    /// Every order there is.
    pub fn orders(&self) -> Vec<Order> {
        type Pick = fn(&Errors) -> Option<f64>;
        let measures: [(&'static str, Pick); 4] = [
            ("l1_q", |e| Some(e.l1_q)),
            ("l1_v", |e| Some(e.l1_v)),
            ("hausdorff_q", |e| e.hausdorff_q),
            ("hausdorff_v", |e| e.hausdorff_v),
        ];
        let graphs = self.rows.iter().any(|row| row.errors.as_ref().is_ok_and(|e| e.hausdorff_q.is_some()));
        let list = if graphs { &measures[..] } else { &measures[..2] };
        (0..self.labels.len())
            .flat_map(|variant| list.iter().map(move |&(measure, pick)| (variant, measure, pick)))
            .map(|(variant, measure, pick)| Order { variant, measure, fit: self.fit(variant, pick) })
            .collect()
    }
}
