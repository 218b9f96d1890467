//! A scenario at one value of its parameters, and its run: period, step, number of steps.
//!
//!   h = T/steps (T itself for a scheme whose steps are as long as its tolerance allows), n = (transient + periods) T/h

use percussion_dynamics::{ForcingError, MOST_NUMBERS, Sampler, Sampling, Section, forcing_period};
use percussion_model::{Code, short};
use percussion_scenario::{ColumnName, Dynamics, DynamicsKind, Result, ScenarioError, column_names};
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
    /// The names of q and of v.
    names: [Vec<ColumnName>; 2],
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
        (Some(period), _) => Some(period),
        (None, Some(key)) => match study.number(key, x)? {
            omega if omega != 0.0 => Some(2.0 * std::f64::consts::PI / omega.abs()),
            _ => {
                let message = format!("{key} is zero: nothing drives the motion");
                return study.refuse(
                    "omega",
                    message,
                    "name the key of a frequency that is not zero, or give period = …",
                );
            }
        },
        (None, None) => None,
    };
    let loaded = study.load(x, scheme, known.map(|period| period / spec.steps as f64))?;
    let scenario = loaded.scenario;
    if scenario.adaptive.is_some() {
        return study.refuse("steps", "[dynamics] makes equal steps, not adaptive ones", "remove time.adaptive");
    }
    let (n_q, n_v) = (scenario.problem.q0.len(), scenario.problem.v0.len());
    let model = &scenario.problem.model;
    let names = column_names(&scenario.description, model);
    let section = match Section::parse(&by_column(&spec.section, &names), n_q, n_v) {
        Ok(Section::Impact(Some(contact))) if !model.contacts_vary() && contact >= model.n_contacts() => {
            let message = format!("there is no contact {contact}");
            return study.refuse("section", message, "contacts are numbered from 0 in the order they are written");
        }
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
    // a scheme that chooses its steps needs no more stops than there are points to take
    let own = chooses_steps(&scenario.scheme) && section == Section::Period;
    let (steps, h, n) = match period {
        Some(period) => {
            let steps = if own { 1 } else { spec.steps as u64 };
            (steps, period / steps as f64, (spec.transient + spec.periods) as u64 * steps)
        }
        None => (1, scenario.step, scenario.count.n),
    };
    let sampling = Sampling { section, period, steps, transient: spec.transient as u64 };
    let (problem, scheme, solver) = (scenario.problem, scenario.scheme, scenario.solver);
    let prepared = Prepared { problem, scheme, solver, h, n, sampling, names };
    limit_numbers(study, prepared.kept(), MOST_NUMBERS as u64)?;
    Ok(prepared)
}

/// Refuses a study that would keep more numbers than memory is meant for.
pub fn limit_numbers(study: &Dynamics, numbers: u64, most: u64) -> Result<()> {
    if numbers <= most {
        return Ok(());
    }
    let message =
        format!("{:.1e} numbers would be kept of the motion; {:.1e} are the most", numbers as f64, most as f64);
    study.refuse("periods", message, "give fewer periods, steps or points, or a section that is met less often")
}

/// Values of a study that are tried at most until one of them is admissible.
const TRIED: u64 = 1000;

/// The first that is made of the values of a study, of which there are n; what is wrong with the first value where none is.
pub fn first_of<T>(n: u64, of: impl Fn(u64) -> Result<T>) -> Result<T> {
    let tried = n.clamp(1, TRIED);
    let place =
        |k: u64| if tried == n { k } else { (u128::from(k) * u128::from(n - 1) / u128::from(tried - 1)) as u64 };
    let first = match of(0) {
        Ok(made) => return Ok(made),
        Err(error) => error,
    };
    (1..tried).find_map(|k| of(place(k)).ok()).ok_or(first)
}

/// A section such as `bob.x > 0.5` with the column of what it names.
fn by_column(section: &str, names: &[Vec<ColumnName>; 2]) -> String {
    let Some((name, rest)) = section.find(['>', '<']).map(|at| section.split_at(at)) else { return section.into() };
    match names.iter().flatten().find(|own| own.answers(name.trim())) {
        Some(own) => format!("{} {} {}", own.column, &rest[..1], rest[1..].trim()),
        None => section.into(),
    }
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
    /// The steps that were asked for in a period; none of a scheme that chooses its own.
    pub fn steps_told(&self) -> Option<u64> {
        let driven = self.sampling.period.is_some();
        (driven && !chooses_steps(&self.scheme)).then_some(self.sampling.steps)
    }

    /// The scheme with its parameters.
    pub fn label(&self) -> String {
        let written = |(name, value): (&str, Written)| match value {
            Written::Number(x) => format!("{name} = {}", short(x)),
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

    /// Whether its points are states to go on from: at a fixed phase of what drives the motion, or of a motion that nothing drives.
    pub fn can_go_on(&self) -> bool {
        match self.sampling.section {
            Section::Period => true,
            Section::Surface { .. } | Section::Step => self.sampling.period.is_none(),
            Section::Impact(_) => false,
        }
    }

    /// Numbers that the run is known to keep; 0 where its motion decides.
    pub fn kept(&self) -> u64 {
        let Sampling { section, period, steps, transient } = self.sampling;
        let cut = if period.is_some() { transient * steps } else { transient };
        let after = self.n.saturating_sub(cut);
        let points = match section {
            Section::Period => after / steps.max(1),
            Section::Step => after,
            Section::Surface { .. } | Section::Impact(_) => 0,
        };
        points.saturating_mul(self.columns().len() as u64)
    }

    /// The column that figures show: its place in a point.
    pub fn drawn(&self, study: &Dynamics) -> Result<usize> {
        let columns = self.columns();
        let impact = matches!(self.sampling.section, Section::Impact(_));
        let first = if impact { "u_n_before".into() } else { format!("q{}", self.first_moving()) };
        let name = study.spec.draw.as_ref().unwrap_or(&first);
        let own = self.names.iter().flatten().find(|own| !impact && own.answers(name)).map(|own| &own.column);
        match columns.iter().position(|column| column == own.unwrap_or(name)) {
            Some(place) => Ok(place),
            None => {
                study.refuse("draw", format!("a point has no {name}"), &format!("use one of {}", columns.join(", ")))
            }
        }
    }

    /// The first coordinate that moves: those of fixed bodies do not.
    fn first_moving(&self) -> usize {
        let Some(scene) = self.problem.model.bodies() else { return 0 };
        let body = scene.bodies().iter().position(percussion_model::bodies::Body::is_free).unwrap_or(0);
        body * self.problem.q0.len() / scene.bodies().len().max(1)
    }

    /// What the scenario calls coordinates and velocities.
    pub fn names(&self) -> impl Iterator<Item = &ColumnName> {
        self.names.iter().flatten()
    }

    /// What figures call a number of a point: the name the scenario gives it.
    pub fn shown(&self, place: usize) -> String {
        let column = self.columns().swap_remove(place);
        self.names.iter().flatten().find(|own| own.column == column).map_or(column, |own| own.name.clone())
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
                Outcome::Stopped(_) if sampler.full => {
                    return Err(Shortage::Failed(self.too_many(simulation.state().t)));
                }
                Outcome::Stopped(_) => return Err(Shortage::Stopped),
            }
            left -= part;
            told(self.n - left);
        }
        let state = simulation.state();
        let end = (state.q.clone(), state.v.clone());
        Ok(Sampled { width: sampler.width, values: sampler.values, impacts: sampler.impacts, end })
    }

    /// More points than are kept.
    fn too_many(&self, t: f64) -> StepFailure {
        let message = format!("the section is met more often than can be kept: {MOST_NUMBERS} numbers by {t} s");
        let help = "give fewer periods, or a section that is met less often".into();
        StepFailure { code: Code::BAD_DYNAMICS, t, h: self.h, message, help, problem: None }
    }

    /// Impacts in a period; in the whole run where there is none.
    pub fn impacts_per_period(&self, impacts: u64) -> f64 {
        let kept = (self.n / self.sampling.steps.max(1)).saturating_sub(self.sampling.transient);
        if self.sampling.period.is_some() { impacts as f64 / kept.max(1) as f64 } else { impacts as f64 }
    }
}

/// Whether a scheme follows the motion to a tolerance from event to event, whatever step it is given. One of fixed order between
/// events takes the steps it is told.
pub fn chooses_steps(scheme: &Scheme) -> bool {
    scheme.facts().steps == Steps::Own && scheme.parameters().iter().any(|(name, _)| *name == "tolerance")
}

/// Steps between two words of progress.
const PART: u64 = 20_000;

/// An error of a study as a row: its code and words.
pub fn words(error: &ScenarioError) -> (Code, String) {
    (error.code, error.message.clone())
}
