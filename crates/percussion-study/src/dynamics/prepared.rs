//! A scenario at one value of its parameters, and its run: period, step, number of steps.
//!
//!   h = T/steps (T itself for schemes that locate events), n = (transient + periods) T/h

use percussion_dynamics::{ForcingError, Sampler, Sampling, Section, forcing_period};
use percussion_model::Code;
use percussion_scenario::{Dynamics, DynamicsKind, Result, ScenarioError};
use percussion_solve::SolverOptions;
use percussion_step::{Outcome, Problem, Scheme, Simulation, StepFailure, Steps, Written};
use std::sync::atomic::AtomicBool;

/// What a run needs.
pub struct Prepared {
    /// Model and initial state.
    pub problem: Problem,
    pub scheme: Scheme,
    pub(super) solver: SolverOptions,
    h: f64,
    /// Steps in all.
    pub n: u64,
    /// What is kept.
    pub sampling: Sampling,
}

/// What a run gave.
pub struct Sampled {
    /// Numbers in a point.
    pub width: usize,
    /// The points.
    pub values: Vec<f64>,
    /// Impacts after the transient.
    pub impacts: u64,
    /// Where it ended: q, v.
    pub end: (Vec<f64>, Vec<f64>),
}

/// Why there are no points.
pub enum Shortage {
    /// A step could not be made.
    Failed(StepFailure),
    /// It was stopped.
    Stopped,
}

/// The scenario at x, under its own scheme or another.
pub fn prepare(study: &Dynamics, x: &[f64], scheme: Option<&str>) -> Result<Prepared> {
    let spec = &study.spec;
    let known = match (spec.period, &spec.omega) {
        (Some(period), None) => Some(period),
        (None, Some(key)) => Some(2.0 * std::f64::consts::PI / study.number(key, x)?.abs()),
        (None, None) => None,
        (Some(_), Some(_)) => return study.refuse("period", "period and omega say the same twice", "remove one"),
    };
    let loaded = study.load(x, scheme, known.map(|period| period / spec.steps as f64))?;
    let scenario = loaded.scenario;
    if scenario.adaptive.is_some() {
        return study.refuse("steps", "[dynamics] makes equal steps, not adaptive ones", "remove time.adaptive");
    }
    let (n_q, n_v) = (scenario.problem.q0.len(), scenario.problem.v0.len());
    let section = match Section::parse(&spec.section, n_q, n_v) {
        Ok(Section::Period) if study.kind == DynamicsKind::Spectrum => Section::Step,
        Ok(Section::Surface { .. } | Section::Impact(_)) if study.kind == DynamicsKind::Spectrum => {
            return study.refuse("section", "a spectrum is of the steps of a motion", "remove section");
        }
        Ok(section) => section,
        Err(message) => {
            return study.refuse("section", message, "write period, step, impact, impact 0, q0 > 0.5 or v1 < 0");
        }
    };
    let period = match known {
        Some(period) => Some(period),
        None => harmonic_period(study, scenario.linear().map(|model| forcing_period(model)), section)?,
    };
    // a scheme that locates events needs no more steps than there are points to take
    let own = scenario.scheme.facts().steps == Steps::Own && section == Section::Period;
    let (steps, h, n) = match period {
        Some(period) => {
            let steps = if own { 1 } else { spec.steps as u64 };
            (steps, period / steps as f64, (spec.transient + spec.periods) as u64 * steps)
        }
        None => (1, scenario.step, scenario.count.n),
    };
    let sampling = Sampling { section, period, steps, transient: spec.transient as u64 };
    Ok(Prepared { problem: scenario.problem, scheme: scenario.scheme, solver: scenario.solver, h, n, sampling })
}

/// T where nothing is said of it.
fn harmonic_period(
    study: &Dynamics,
    found: Option<std::result::Result<f64, ForcingError>>,
    section: Section,
) -> Result<Option<f64>> {
    let message = match found {
        Some(Ok(period)) => return Ok(Some(period)),
        Some(Err(ForcingError::Incommensurable(a, b))) => {
            format!("loads of {a} and {b} rad/s have no common period")
        }
        // a surface or an impact needs no period
        Some(Err(ForcingError::Autonomous | ForcingError::Unknown)) | None if section != Section::Period => {
            return Ok(None);
        }
        Some(Err(ForcingError::Autonomous)) => "no load and no obstacle is harmonic".into(),
        Some(Err(ForcingError::Unknown)) => "a load is no sum of harmonics, and its period is not known".into(),
        None => "of this kind of model the period is not known".into(),
    };
    let help = "give period = …, or omega = the key of the driving frequency, or a section that needs no period";
    study.refuse("period", message, help)
}

impl Prepared {
    /// The scheme with its parameters.
    pub fn label(&self) -> String {
        let written = |(name, value): (&str, Written)| match value {
            Written::Number(x) => format!("{name} = {x}"),
            Written::Word(word) => format!("{name} = {word}"),
            Written::Integer(n) => format!("{name} = {n}"),
        };
        let parameters: Vec<String> = self.scheme.parameters().into_iter().map(written).collect();
        if parameters.is_empty() {
            self.scheme.name.into()
        } else {
            format!("{} ({})", self.scheme.name, parameters.join(", "))
        }
    }

    /// The names of what a point holds.
    pub fn columns(&self) -> Vec<String> {
        self.sampling.section.columns(self.problem.q0.len(), self.problem.v0.len())
    }

    /// The column that figures show: its place in a point.
    pub fn drawn(&self, study: &Dynamics) -> Result<usize> {
        let columns = self.columns();
        let impact = matches!(self.sampling.section, Section::Impact(_));
        let name = study.spec.draw.as_deref().unwrap_or(if impact { "u_n_before" } else { "q0" });
        match columns.iter().position(|column| column == name) {
            Some(place) => Ok(place),
            None => {
                study.refuse("draw", format!("a point has no {name}"), &format!("use one of {}", columns.join(", ")))
            }
        }
    }

    /// Runs it, from its own initial state or another.
    pub fn sample(
        &self,
        start: Option<&(Vec<f64>, Vec<f64>)>,
        stop: &AtomicBool,
        told: &dyn Fn(u64),
    ) -> std::result::Result<Sampled, Shortage> {
        let mut problem = self.problem.clone();
        if let Some((q, v)) = start {
            (problem.q0, problem.v0) = (q.clone(), v.clone());
        }
        let refused = |error: percussion_model::InputError| {
            let (t, h, problem) = (0.0, self.h, None);
            Shortage::Failed(StepFailure { code: error.code, t, h, message: error.message, help: error.help, problem })
        };
        let mut simulation = Simulation::new(&problem, &self.scheme, self.solver, self.h).map_err(refused)?;
        let mut sampler = Sampler::new(self.sampling, Some(stop));
        let mut left = self.n;
        while left > 0 {
            let part = left.min(PART);
            match simulation.run(part, &mut sampler) {
                Outcome::Finished => {}
                Outcome::Failed(failure) => return Err(Shortage::Failed(failure)),
                Outcome::Stopped(_) => return Err(Shortage::Stopped),
            }
            left -= part;
            told(self.n - left);
        }
        let state = simulation.state();
        let end = (state.q.clone(), state.v.clone());
        Ok(Sampled { width: sampler.width, values: sampler.values, impacts: sampler.impacts, end })
    }

    /// Impacts in a period; in the whole run where there is none.
    pub fn impacts_per_period(&self, impacts: u64) -> f64 {
        let kept = self.n / self.sampling.steps.max(1) - self.sampling.transient;
        if self.sampling.period.is_some() { impacts as f64 / kept.max(1) as f64 } else { impacts as f64 }
    }
}

/// Steps between two words of progress.
const PART: u64 = 20_000;

/// An error of a study as a row: its code and words.
pub fn words(error: &ScenarioError) -> (Code, String) {
    (error.code, error.message.clone())
}
