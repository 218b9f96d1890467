//! The loop: a problem, a scheme and a solver in; every accepted step to the recorder.

use crate::bodies::swept::Swept;
use crate::contact::redundancy::redundant_contacts;
use crate::linear::momentum::account;
use crate::run::adaptive::controller::{AdaptiveStatistics, Controller};
use crate::run::adaptive::options::AdaptiveOptions;
use crate::schemes::bind::bind;
use crate::schemes::refuse::{check_mass, check_method, check_solver};
use crate::step::halved::Halved;
use crate::{
    Ability, LedgerEntry, Memory, Model, Problem, Recorder, Scheme, Start, State, Step, StepFailure, StepStart,
    Stepper, Stop, Warning,
};
use percussion_matrix::parts::{all_of, copied};
use percussion_matrix::phase;
use percussion_model::{Code, InputError};
use percussion_solve::friction::{Device, DeviceError, FrictionProblem};
use percussion_solve::{Method, SolverOptions};

/// How many steps cover a horizon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepCount {
    /// Number of steps.
    pub n: u64,
    /// Whether n·h is the end itself, to round-off.
    pub exact: bool,
}

/// Steps of length h from 0 to `end`; the last may reach beyond it.
pub fn step_count(end: f64, h: f64) -> Result<StepCount, InputError> {
    let refuse = |field: &str, message: String, help: &str| {
        let code = if h.is_finite() && end.is_finite() { Code::BAD_TIME } else { Code::NOT_FINITE };
        Err(InputError::new(code, format!("time.{field}"), message, help))
    };
    if !(h > 0.0 && h.is_finite()) {
        return refuse("step", format!("step = {h} must be positive and finite"), "give a positive step in seconds");
    }
    if !(end >= 0.0 && end.is_finite()) {
        return refuse("end", format!("end = {end} must not be negative"), "give the end of the run in seconds");
    }
    let ratio = end / h;
    if ratio > 1e12 {
        return refuse("step", format!("end/step = {ratio:.3e} steps"), "use a larger step or an earlier end");
    }
    let nearest = ratio.round();
    let exact = (ratio - nearest).abs() <= 1e-9 * ratio.max(1.0);
    Ok(StepCount { n: if exact { nearest } else { ratio.ceil() } as u64, exact })
}

/// A run in progress.
pub struct Simulation {
    pub(crate) model: Model,
    pub(crate) scheme: Scheme,
    pub(crate) stepper: Box<dyn Stepper>,
    pub(crate) state: State,
    pub(crate) memory: Box<Memory>,
    step: Step,
    next: Box<Memory>,
    pub(crate) number: u64,
    /// Whether a recorder was told of the start.
    begun: bool,
    /// Counts of the scheme before a checkpoint from which this run went on.
    pub(crate) earlier: Vec<u64>,
    pub(crate) h: f64,
    /// On contacts closed at the start.
    remark: Option<Warning>,
    /// On the place a run begins at, where it is another than the one given.
    settled: Option<Warning>,
    /// Chooses the steps, where they are not equal.
    pub(crate) controller: Option<Controller>,
    /// A request to stop in the middle of a step.
    cut: percussion_solve::Stop,
    /// The method asked for.
    method: Option<Method>,
    /// A machine that sweeps, and whether there is no run without it.
    device: Option<(Device, bool)>,
    /// Sets loads and motions before each step.
    driver: Option<Box<dyn Driver>>,
    /// Threads that work on a step.
    threads: usize,
}

/// Sets what a model's hands are on before a step is made.
pub trait Driver: Send {
    /// After so many steps, before the next.
    fn before_step(&mut self, number: u64);
}

impl Simulation {
    /// At t = 0, with steps of length h.
    pub fn new(problem: &Problem, scheme: &Scheme, options: SolverOptions, h: f64) -> Result<Self, InputError> {
        step_count(0.0, h)?;
        check_solver(&options)?;
        check_method(problem, &options)?;
        check_mass(problem, scheme)?;
        let stepper = bind(&problem.model, scheme, options)?;
        Ok(Self { method: Some(options.method), ..Self::own(problem, scheme, stepper, h)? })
    }

    /// At t = 0, with steps of length h made by a stepper of the user's; `scheme` is how results name it (`Scheme::own`).
    pub fn own(problem: &Problem, scheme: &Scheme, mut stepper: Box<dyn Stepper>, h: f64) -> Result<Self, InputError> {
        step_count(0.0, h)?;
        stepper = Halved::over(Swept::over(stepper, &problem.model, scheme), &problem.model, scheme);
        let mut state = State { t: 0.0, q: problem.q0.clone(), v: problem.v0.clone() };
        let settled = stepper.settle(&mut state);
        if let Some(error) = stepper.refuse(&state, h) {
            return Err(error);
        }
        let memory = Box::new(stepper.start(&state));
        Ok(Self {
            model: problem.model.clone(),
            scheme: scheme.clone(),
            stepper,
            settled,
            state,
            memory,
            step: Step::default(),
            next: Box::default(),
            number: 0,
            begun: false,
            earlier: Vec::new(),
            h,
            remark: redundant_contacts(problem),
            controller: None,
            cut: percussion_solve::Stop::default(),
            method: None,
            device: None,
            driver: None,
            threads: 1,
        })
    }

    /// At t = 0, with steps chosen by their error, the first of length h, until `end`.
    pub fn adaptive(
        problem: &Problem,
        scheme: &Scheme,
        options: SolverOptions,
        h: f64,
        end: f64,
        adaptive: &AdaptiveOptions,
    ) -> Result<Self, InputError> {
        step_count(end, h)?;
        adaptive.check(scheme, &problem.model, end)?;
        let scheme = Scheme { extrapolated: adaptive.extrapolate, ..scheme.clone() };
        let mut simulation = Self::new(problem, &scheme, options, h)?;
        simulation.stepper.follow_errors();
        let model = problem.model.clone();
        simulation.controller = Some(Controller::new(adaptive.clone(), model, &scheme, h, end));
        Ok(simulation)
    }

    /// Threads that steps may use: islands of contacts are shared among them. Results do not depend on it; 1 unless told otherwise.
    pub fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
        self.stepper.use_threads(threads);
    }

    /// A machine that sweeps over many contacts of bodies in space, and whether the run is to fail with it; else threads take over.
    /// Results do not depend on it.
    pub fn use_device(&mut self, device: &Device, required: bool) {
        self.stepper.use_device(device);
        self.device = Some((device.clone(), required));
    }

    /// Why the machine is no longer asked, if it failed.
    pub fn device_fault(&self) -> Option<DeviceError> {
        self.device.as_ref().and_then(|(device, _)| device.fault())
    }

    /// Who sets loads and motions before each step.
    pub fn driven_by(&mut self, driver: Option<Box<dyn Driver>>) {
        self.driver = driver;
    }

    /// A request to stop that is heard in the middle of a step: the step is dropped and the run ends as interrupted.
    pub fn stop_when(&mut self, stop: &percussion_solve::Stop) {
        self.cut = stop.clone();
    }

    /// Makes one step; on failure the state before it stands.
    #[inline]
    pub fn advance(&mut self) -> Result<&Step, StepFailure> {
        match self.attempt() {
            Ok(()) => Ok(&self.step),
            Err(failure) => Err(self.explained(failure)),
        }
    }

    /// The failure, or what of the model has no value at the start, in the middle or at the end of the step.
    #[cold]
    fn explained(&self, failure: StepFailure) -> StepFailure {
        let State { t, q, v } = &self.state;
        for part in [0.0, 0.5, 1.0] {
            let (mut place, time) = (q.clone(), t + part * self.h);
            if place.len() == v.len() {
                percussion_matrix::vector::axpy(part * self.h, v, &mut place);
            }
            if let Some(what) = self.model.undefined(&place, v, time) {
                return failure.undefined(&what, time);
            }
        }
        failure.with_names(|id| self.model.contact_name(id))
    }

    fn attempt(&mut self) -> Result<(), StepFailure> {
        let _hears = self.cut.heard();
        if let Some(driver) = &mut self.driver {
            driver.before_step(self.number);
        }
        let stepper = &mut *self.stepper;
        let from = StepStart { state: &self.state, memory: &self.memory, h: self.h };
        match &mut self.controller {
            None => {
                stepper.step(&from, &mut self.step, &mut self.next)?;
                // what was told to stop ended early with what it had: such a step is dropped, even one that was just done
                StepFailure::unless_stopped(self.state.t, self.h)?;
            }
            Some(controller) => controller.next(stepper, &from, &mut self.step, &mut self.next)?,
        }
        phase::enter("checks and the next state");
        if let Some((device, true)) = &self.device
            && let Some(fault) = device.fault()
        {
            return Err(StepFailure::device(self.state.t, self.step.h, &fault));
        }
        let after = &self.step.after;
        let finite = |x: &[f64]| match self.threads {
            0 | 1 => x.iter().all(|x| x.is_finite()),
            threads => all_of(x, threads, |x| x.is_finite()),
        };
        if !(finite(&after.q) && finite(&after.v)) {
            let lost = |x: &[f64]| x.iter().position(|x| !x.is_finite());
            let i = lost(&after.q).or_else(|| lost(&after.v)).unwrap_or(0);
            return Err(StepFailure::not_finite(self.state.t, self.step.h, i));
        }
        if let Some(i) = self.model.lost_obstacle(&after.q, after.t) {
            let what = format!("the obstacle of {}", self.model.contact_name(i));
            return Err(StepFailure::no_energy(self.state.t, self.step.h).undefined(&what, after.t));
        }
        if let Some(linear) = self.model.linear().filter(|linear| linear.has_potential_load()) {
            self.step.ledger.book_potential(linear.potential_work(&self.state.q), linear.potential_work(&after.q));
        }
        if let Some(linear) = self.model.linear().filter(|linear| linear.momenta().is_some())
            && self.scheme.facts().promises.momentum
            && self.step.parts <= 1
            && let Some(entry) = account(linear, &self.state, &self.step, self.stepper.loads_in_the_middle())
        {
            self.step.momentum = entry;
        }
        let entry = &self.step.ledger;
        if !(entry.energy().is_finite() && entry.balance.is_finite()) {
            return Err(StepFailure::no_energy(self.state.t, self.step.h));
        }
        self.number += 1;
        // counted, not summed: no drift of t over 10⁷ steps
        let after = &mut self.step.after;
        if self.controller.is_none() {
            after.t = self.number as f64 * self.h;
        }
        std::mem::swap(&mut self.memory, &mut self.next);
        self.state.t = after.t;
        if self.threads < 2 {
            self.state.q.copy_from_slice(&after.q);
            self.state.v.copy_from_slice(&after.v);
        } else {
            copied(&mut self.state.q, &after.q, self.threads);
            copied(&mut self.state.v, &after.v, self.threads);
        }
        Ok(())
    }

    /// The scheme.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The present state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The last step made; empty before the first.
    pub fn last(&self) -> &Step {
        &self.step
    }

    /// Number of steps made.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Energies of the present state, no works.
    pub fn initial_ledger(&self) -> LedgerEntry {
        let State { q, v, .. } = &self.state;
        LedgerEntry {
            kinetic: self.model.kinetic_energy(q, v),
            potential: self.model.potential_energy(q),
            algorithmic_energy: self.stepper.algorithmic_energy(&self.memory, self.h)
                - self.model.linear().map_or(0.0, |linear| linear.potential_work(q)),
            work_projection: self.scheme.facts().has(Ability::CorrectsPositions).then_some(0.0),
            ..Default::default()
        }
    }

    /// The contact problem of the last step, with its impulses; none when no contact took part.
    pub fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.stepper.contact_problem()
    }

    /// Counts the scheme kept: Newton's rungs and the like.
    pub fn statistics(&self) -> Vec<(&'static str, u64)> {
        let mut counts = self.stepper.statistics();
        counts.iter_mut().zip(&self.earlier).for_each(|((_, n), earlier)| *n += earlier);
        counts
    }

    /// What the controller of adaptive steps did.
    pub fn adaptive_statistics(&self) -> Option<AdaptiveStatistics> {
        self.controller.as_ref().map(|controller| controller.statistics)
    }

    /// Whether a run with adaptive steps has reached its end; equal steps have none of their own.
    pub fn finished(&self) -> bool {
        self.controller.as_ref().is_some_and(Controller::finished)
    }

    /// Remarks of the scheme on this step size.
    pub fn warnings(&mut self) -> Vec<Warning> {
        let mut warnings = self.stepper.warnings(self.h);
        // a scheme may have named them one by one
        if !warnings.iter().any(|w| w.code == Code::REDUNDANT_CONTACT) {
            warnings.extend(self.remark.clone());
        }
        warnings.extend(self.settled.clone());
        warnings
    }

    /// Tells a recorder of the state a run starts from.
    pub fn tell_start(&self, recorder: &mut dyn Recorder) -> Result<(), Stop> {
        let ledger = self.initial_ledger();
        recorder.start(&Start { model: &self.model, scheme: &self.scheme, state: &self.state, ledger: &ledger })
    }

    /// What may help where a step was not solved: what did in at least half of the failures on which it is tried (`random_scenes/remedies.rs`
    /// of the scenario crate). Half a step helps in fewer, and so do adaptive steps of bodies, whose steps are made in shorter parts anyway.
    fn remedies(&self, failure: &StepFailure) -> String {
        let mut tried = None;
        let mut helpful: Vec<String> = (!failure.help.is_empty()).then(|| failure.help.clone()).into_iter().collect();
        if self.controller.is_some() {
            tried = Some("adaptive steps have tried shorter ones, down to time.adaptive.step_min");
        } else {
            helpful.push(format!("try step = {:.0e}", 0.1 * self.h));
            let swept = self.model.bodies().is_some() && !self.scheme.facts().has(Ability::LocatesEvents);
            if swept || Halved::takes(&self.model, &self.scheme) {
                tried = Some("the step was tried in shorter parts too");
            } else if AdaptiveOptions::new(1e-4, 1.0).check(&self.scheme, &self.model, 1.0).is_ok() {
                helpful.push("try time.adaptive = {}, which makes steps shorter where they fail".into());
            }
        }
        if !matches!(self.method, Some(Method::Auto) | None) {
            helpful.push("set solver.name = \"auto\"".into());
        }
        let help = helpful.join(", or ");
        tried.into_iter().map(String::from).chain((!help.is_empty()).then_some(help)).collect::<Vec<_>>().join("; ")
    }

    /// Makes n steps, or as many as adaptive steps need to their end, handing each to the recorder.
    pub fn run(&mut self, n: u64, recorder: &mut dyn Recorder) -> Outcome {
        if self.number == 0
            && !self.begun
            && let Err(stop) = self.tell_start(recorder)
        {
            return Outcome::Stopped(stop);
        }
        self.begun = true;
        for _ in 0..n {
            if self.finished() {
                break;
            }
            if let Err(mut failure) = self.advance() {
                if self.cut.requested() {
                    return Outcome::Stopped(Stop::Interrupted);
                }
                if failure.code == Code::NOT_SOLVED {
                    failure.help = self.remedies(&failure);
                }
                return Outcome::Failed(failure);
            }
            if let Err(stop) = recorder.record(self.number, &self.step) {
                return Outcome::Stopped(stop);
            }
        }
        Outcome::Finished
    }
}

/// How a run ended.
#[derive(Debug)]
pub enum Outcome {
    /// At its horizon.
    Finished,
    /// At a step that could not be made.
    Failed(StepFailure),
    /// By a recorder.
    Stopped(Stop),
}

/// Runs a problem from t = 0 to `end`.
pub fn simulate(
    problem: &Problem,
    scheme: &Scheme,
    options: SolverOptions,
    h: f64,
    end: f64,
    recorder: &mut dyn Recorder,
) -> Result<Outcome, InputError> {
    let count = step_count(end, h)?;
    let mut simulation = Simulation::new(problem, scheme, options, h)?;
    Ok(simulation.run(count.n, recorder))
}

/// Runs a problem from t = 0 to `end` with steps chosen by their error, the first of length h.
pub fn simulate_adaptive(
    problem: &Problem,
    scheme: &Scheme,
    options: SolverOptions,
    (h, end): (f64, f64),
    adaptive: &AdaptiveOptions,
    recorder: &mut dyn Recorder,
) -> Result<(Outcome, AdaptiveStatistics), InputError> {
    let mut simulation = Simulation::adaptive(problem, scheme, options, h, end, adaptive)?;
    let outcome = simulation.run(u64::MAX, recorder);
    Ok((outcome, simulation.adaptive_statistics().unwrap_or_default()))
}
