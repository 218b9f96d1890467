//! The loop: a problem, a scheme and a solver in; every accepted step to the recorder.

use crate::adaptive::{AdaptiveOptions, AdaptiveStatistics, Controller};
use crate::bodies::{BodiesGgl, BodiesMoreauJean, JointedBodies};
use crate::half_explicit::{D1MinusLinear, ExplicitD0, Splitting};
use crate::linear::{D0Constant, FrictionalGgl, Implicit, LinearGgl, MoreauJean, NewmarkStepper, SchatzmanPaoli};
use crate::nonlinear::{
    EnergyMomentum, EnergyMomentumVarying, Ggl, GglVariant, NonlinearSchatzmanPaoli, SmoothAlpha, VelocityFriction,
    VelocityLevel, VelocityScheme,
};
use crate::redundant_contacts::redundant_contacts;
use crate::scheme::SchemeKind;
use crate::smooth::{EventDriven, LinearMechanism, Mechanism, NonlinearMechanism, RungeKuttaMoreau};
use crate::{
    Activation, LedgerEntry, Memory, Model, Problem, Recorder, Scheme, Start, State, Step, StepFailure, Stepper, Stop,
    Warning,
};
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::bodies::Bodies;
use percussion_model::nonlinear::LinearAsLagrangian;
use percussion_model::{Code, InputError, Lagrangian, LinearModel};
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{Method, SolverOptions};
use std::sync::Arc;

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
    stepper: Box<dyn Stepper>,
    pub(crate) state: State,
    pub(crate) memory: Memory,
    step: Step,
    next: Memory,
    pub(crate) number: u64,
    /// Whether a recorder was told of the start.
    begun: bool,
    /// Counts of the scheme before a checkpoint from which this run went on.
    pub(crate) earlier: Vec<u64>,
    pub(crate) h: f64,
    /// On contacts closed at the start.
    remark: Option<Warning>,
    /// Chooses the steps, where they are not equal.
    pub(crate) controller: Option<Controller>,
}

impl Simulation {
    /// At t = 0, with steps of length h.
    pub fn new(problem: &Problem, scheme: &Scheme, options: SolverOptions, h: f64) -> Result<Self, InputError> {
        step_count(0.0, h)?;
        check_solver(&options)?;
        check_method(problem, &options)?;
        check_mass(problem, scheme)?;
        let stepper = bind(&problem.model, scheme, options)?;
        Self::own(problem, scheme, stepper, h)
    }

    /// At t = 0, with steps of length h made by a stepper of the user's; `scheme` is how results name it (`Scheme::own`).
    pub fn own(problem: &Problem, scheme: &Scheme, mut stepper: Box<dyn Stepper>, h: f64) -> Result<Self, InputError> {
        step_count(0.0, h)?;
        let state = State { t: 0.0, q: problem.q0.clone(), v: problem.v0.clone() };
        if let Some(error) = stepper.refuse(&state, h) {
            return Err(error);
        }
        let memory = stepper.start(&state);
        Ok(Self {
            model: problem.model.clone(),
            scheme: scheme.clone(),
            stepper,
            state,
            memory,
            step: Step::default(),
            next: Memory::default(),
            number: 0,
            begun: false,
            earlier: Vec::new(),
            h,
            remark: redundant_contacts(problem),
            controller: None,
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
        let model = problem.model.clone();
        simulation.controller = Some(Controller::new(adaptive.clone(), model, &scheme, h, end));
        Ok(simulation)
    }

    /// Threads that steps may use: islands of contacts are shared among them. Results do not depend on it; 1 unless told otherwise.
    pub fn use_threads(&mut self, threads: usize) {
        self.stepper.use_threads(threads);
    }

    /// Makes one step; on failure the state before it stands.
    #[inline]
    pub fn advance(&mut self) -> Result<&Step, StepFailure> {
        let stepper = &mut *self.stepper;
        match &mut self.controller {
            None => stepper.step(&self.state, &self.memory, self.h, &mut self.step, &mut self.next)?,
            Some(controller) => {
                controller.next(stepper, &self.state, &self.memory, &mut self.step, &mut self.next)?;
            }
        }
        let after = &self.step.after;
        for x in [&after.q, &after.v] {
            if let Some(i) = x.iter().position(|x| !x.is_finite()) {
                return Err(StepFailure::not_finite(self.state.t, self.step.h, i));
            }
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
        self.state.q.copy_from_slice(&after.q);
        self.state.v.copy_from_slice(&after.v);
        Ok(&self.step)
    }

    /// The scheme.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The present state.
    pub fn state(&self) -> &State {
        &self.state
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
            algorithmic_energy: self.stepper.algorithmic_energy(&self.memory, self.h),
            ..Default::default()
        }
    }

    /// The contact problem with friction of the last step, with its impulses; none when nothing that rubs was in touch.
    pub fn friction_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.stepper.friction_problem()
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
        warnings
    }

    /// Tells a recorder of the state a run starts from.
    pub fn tell_start(&self, recorder: &mut dyn Recorder) -> Result<(), Stop> {
        let ledger = self.initial_ledger();
        recorder.start(&Start { model: &self.model, scheme: &self.scheme, state: &self.state, ledger: &ledger })
    }

    /// What adaptive steps could still do for a step that was not solved.
    fn shorter_steps(&self) -> &'static str {
        let adaptive = AdaptiveOptions::new(1e-4, 1.0);
        if self.controller.is_some() {
            "; adaptive steps have tried shorter ones, down to time.adaptive.step_min"
        } else if adaptive.check(&self.scheme, &self.model, 1.0).is_ok() {
            ", or time.adaptive = {}, which makes steps shorter where they fail"
        } else {
            ""
        }
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
                if failure.code == Code::NOT_SOLVED {
                    failure.help += self.shorter_steps();
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

fn check_solver(options: &SolverOptions) -> Result<(), InputError> {
    let refuse = |field: &str, message: String, help: &str| {
        Err(InputError::new(Code::BAD_SOLVER_OPTION, format!("solver.{field}"), message, help))
    };
    if !(1e-15..=1.0).contains(&options.tolerance) {
        let message = format!("tolerance = {} is outside [1e-15, 1]", options.tolerance);
        return refuse("tolerance", message, "1e-10 is the default; under 1e-14 rounding decides");
    }
    if options.max_iterations == 0 {
        return refuse("max_iterations", "max_iterations = 0".into(), "give at least 1");
    }
    Ok(())
}

/// A method that knows no cone would be named in the results of a run that another one solved.
fn check_method(problem: &Problem, options: &SolverOptions) -> Result<(), InputError> {
    let method = options.method;
    if !problem.model.has_friction() || method.solves_friction() || matches!(method, Method::Own(_)) {
        return Ok(());
    }
    let message = format!("{method} does not solve contacts with friction, which this model has");
    Err(InputError::new(Code::UNKNOWN_SOLVER, "solver.name", message, "use \"auto\", or another with friction"))
}

/// Coordinates up to which a linear model may be moved by a scheme made for dense nonlinear ones, whose Newton system has one
/// unknown per coordinate.
const LARGEST_DENSE: usize = 360;

/// Moreau–Jean divides forces by M alone, joints or not.
fn check_mass(problem: &Problem, scheme: &Scheme) -> Result<(), InputError> {
    let (Model::Nonlinear(model), SchemeKind::MoreauJean { .. }) = (&problem.model, &scheme.kind) else {
        return Ok(());
    };
    let mut M = DenseMatrix::zeros(model.n(), model.n());
    model.mass(&problem.q0, &mut M);
    Factor::cholesky(&Matrix::Dense(M)).map(drop).map_err(|failure| {
        let place = failure.row.map_or(String::new(), |row| format!(", first seen at coordinate {row}"));
        let message = format!("{} needs a mass that is regular without the joints{place}", scheme.name);
        unsupported(message, "use generalized-alpha or generalized-alpha-ggl, or give that coordinate a mass")
    })
}

/// The stepper of a scheme on a model, or why there is none.
fn bind(model: &Model, scheme: &Scheme, options: SolverOptions) -> Result<Box<dyn Stepper>, InputError> {
    if scheme.activation == Activation::Gap && !matches!(model, Model::Bodies(_)) {
        let message = "activation = \"gap\" is for bodies".to_string();
        return Err(InputError::new(Code::UNSUPPORTED, "scheme.activation", message, "use \"hold\""));
    }
    refuse_friction(model, scheme)?;
    refuse_law(model, scheme)?;
    let linear = match model {
        Model::Nonlinear(nonlinear) => return bind_nonlinear(Arc::clone(nonlinear), scheme, options),
        Model::Linear(linear) => Arc::clone(linear),
        Model::Bodies(scene) => return bind_bodies(Arc::clone(scene), scheme, options),
    };
    Ok(match scheme.kind {
        SchemeKind::MoreauJean { theta, midpoint } => {
            Box::new(MoreauJean::new(linear, theta, midpoint, scheme, options))
        }
        SchemeKind::NewmarkLike(p) => Box::new(NewmarkStepper::new(linear, p, scheme, options)),
        SchemeKind::ImplicitVelocity { beta, gamma } => {
            Box::new(Implicit::new(linear, beta, gamma, false, scheme, options))
        }
        SchemeKind::ImplicitPosition { beta, gamma } => {
            Box::new(Implicit::new(linear, beta, gamma, true, scheme, options))
        }
        SchemeKind::D0Constant => Box::new(D0Constant::new(linear, scheme, options)),
        SchemeKind::D1MinusLinear => {
            let mechanism = linear_mechanism(&linear)?;
            Box::new(D1MinusLinear::new(mechanism, Some(linear), scheme.activation, options))
        }
        SchemeKind::Splitting { variant } => Box::new(Splitting::new(linear_mechanism(&linear)?, variant, options)),
        SchemeKind::SchatzmanPaoli { theta } => Box::new(SchatzmanPaoli::new(linear, theta, scheme, options)),
        SchemeKind::Ggl(p, _) if linear.has_friction() => Box::new(FrictionalGgl::new(linear, p, scheme, options)),
        SchemeKind::EventDriven(_) | SchemeKind::RungeKuttaMoreau(_) => {
            let Some(mechanism) = LinearMechanism::new(linear) else {
                return Err(unsupported(
                    format!("{} needs a mass that can be inverted", scheme.name),
                    "check model.mass",
                ));
            };
            return located(Box::new(mechanism), scheme, options);
        }
        SchemeKind::Ggl(p, variant) => Box::new(LinearGgl::new(linear, p, variant, scheme, options)),
        SchemeKind::Own { .. } => {
            let message = format!("{} is a scheme of your own: nothing here knows its steps", scheme.name);
            return Err(unsupported(message, "run it with Simulation::own"));
        }
        SchemeKind::SmoothAlpha(_) | SchemeKind::EnergyMomentum => {
            if linear.n() > LARGEST_DENSE {
                let message = format!("{} moves linear models of up to {LARGEST_DENSE} coordinates", scheme.name);
                return Err(unsupported(message, "use generalized-alpha, or fewer coordinates"));
            }
            let face = LinearAsLagrangian::new(LinearModel::clone(&linear))?;
            return bind_nonlinear(Arc::new(face), scheme, options);
        }
    })
}

/// A law of impact where restitution is a number of the contact only.
fn refuse_law(model: &Model, scheme: &Scheme) -> Result<(), InputError> {
    let Some(law) = &scheme.impact_law else { return Ok(()) };
    let known = matches!(model, Model::Linear(_))
        && matches!(
            scheme.kind,
            SchemeKind::MoreauJean { .. } | SchemeKind::NewmarkLike(_) | SchemeKind::ImplicitVelocity { .. }
        );
    if known {
        return Ok(());
    }
    let message = format!("{} takes no impact law of its own ({}) on this kind of model", scheme.name, law.name);
    Err(unsupported(message, "use moreau-jean, newmark, hht or generalized-alpha on a linear model"))
}

/// Friction where the scheme or its parameters have no law for it.
fn refuse_friction(model: &Model, scheme: &Scheme) -> Result<(), InputError> {
    if !model.has_friction() || matches!(model, Model::Bodies(_)) {
        return Ok(());
    }
    let refuse = |message: String, help: &str| Err(unsupported(message, help));
    let known = match (model, &scheme.kind) {
        (
            Model::Linear(_),
            SchemeKind::MoreauJean { .. }
            | SchemeKind::NewmarkLike(_)
            | SchemeKind::ImplicitVelocity { .. }
            | SchemeKind::D0Constant,
        ) => true,
        (_, SchemeKind::EventDriven(_)) => true,
        // the θ- and α-families without variants: `bind_nonlinear` refuses the others
        (Model::Nonlinear(_), SchemeKind::MoreauJean { .. } | SchemeKind::NewmarkLike(_)) => true,
        (Model::Linear(_), SchemeKind::Ggl(_, GglVariant::Ggl)) => {
            if scheme.sequential || scheme.activation != Activation::Hold {
                let message = "friction at position level needs activation = \"hold\" and solution = \"monolithic\"";
                return refuse(message.into(), "remove the two keys: these are the defaults");
            }
            true
        }
        _ => false,
    };
    if !known {
        let message = format!("{} has no friction: {}", scheme.name, why_no_friction(&scheme.kind));
        return refuse(
            message,
            "use moreau-jean, newmark, hht, generalized-alpha or event-driven, or remove friction and tangents",
        );
    }
    if scheme.friction_law != crate::FrictionLaw::Newton && !scheme.opening_restitution().is_finite() {
        let message = "theta = 0 leaves no velocity for Frémond's law: α = (1 − θ)/θ is infinite".to_string();
        return refuse(message, "use theta ≥ 0.5, or friction_law = \"newton\"");
    }
    Ok(())
}

/// What a scheme lacks that Coulomb's law speaks of, in one sentence.
fn why_no_friction(kind: &SchemeKind) -> &'static str {
    match kind {
        SchemeKind::ImplicitPosition { .. } | SchemeKind::SchatzmanPaoli { .. } => {
            "its law is on positions, and Coulomb's is on velocities"
        }
        SchemeKind::EnergyMomentum => "its contact forces follow from gaps by discrete gradients, not from a velocity",
        SchemeKind::SmoothAlpha(_) => "contacts are inequalities on positions, without a velocity of impact",
        SchemeKind::Ggl(_, GglVariant::ModifiedLcp) => {
            "its complementarity joins gap and impulse, and leaves no velocity for a law along the contact"
        }
        SchemeKind::Ggl(..) => "its friction needs a constant mass and gradients, those of linear models",
        SchemeKind::RungeKuttaMoreau(_) => "it locates events, and stick–slip transitions are not among them",
        SchemeKind::D1MinusLinear | SchemeKind::Splitting { .. } => {
            "persistent contacts carry forces at acceleration level, and no law with friction is given for these"
        }
        SchemeKind::D0Constant => "on models that are not linear its explicit step has normal impulses only",
        _ => "not for this kind of model",
    }
}

fn bind_bodies(scene: Arc<Bodies>, scheme: &Scheme, options: SolverOptions) -> Result<Box<dyn Stepper>, InputError> {
    let theta = match scheme.kind {
        SchemeKind::MoreauJean { theta, midpoint: false } => theta,
        SchemeKind::EnergyMomentum => 0.5,
        SchemeKind::Ggl(p, GglVariant::Ggl) => return bodies_ggl(scene, p, scheme, options),
        _ => {
            let message = format!("{} does not move bodies", scheme.name);
            return Err(unsupported(
                message,
                "use moreau-jean, moreau-jean-fremond, energy-momentum or generalized-alpha-ggl",
            ));
        }
    };
    let refuse = |field: &str, message: &str, help: &str| {
        Err(InputError::new(Code::BAD_PARAMETER, format!("scheme.{field}"), message, help))
    };
    if theta <= 0.0 {
        return refuse("theta", "theta = 0 leaves no velocity for the laws", "use theta between 0.5 and 1");
    }
    if scheme.activation == Activation::Gap && theta != 1.0 {
        return refuse("theta", "activation = \"gap\" needs theta = 1", "set theta = 1, or activation = \"hold\"");
    }
    if scheme.activation == Activation::Gap && scene.largest_restitution() > 0.0 {
        let message = "activation = \"gap\" stops bodies before they touch and has no restitution";
        return refuse("activation", message, "set restitution = 0 for every pair, or activation = \"hold\"");
    }
    if scene.joints().is_empty() && scheme.kind != SchemeKind::EnergyMomentum {
        return Ok(Box::new(BodiesMoreauJean::new(scene, theta, scheme, options)));
    }
    if scheme.activation == Activation::Gap {
        return refuse("activation", "activation = \"gap\" is for bodies without joints", "use \"hold\"");
    }
    Ok(Box::new(JointedBodies::new(scene, theta, scheme, options)))
}

/// Bodies without joints and springs, contacts at position level.
fn bodies_ggl(
    scene: Arc<Bodies>,
    p: crate::NewmarkLike,
    scheme: &Scheme,
    options: SolverOptions,
) -> Result<Box<dyn Stepper>, InputError> {
    let refuse = |message: &str, help: &str| Err(unsupported(format!("{} {message}", scheme.name), help));
    if !scene.joints().is_empty() || !scene.springs().is_empty() {
        return refuse("moves bodies without joints and springs", "use energy-momentum or moreau-jean");
    }
    if scheme.sequential || scheme.activation != Activation::Hold {
        let help = "remove the two keys: these are the defaults";
        return refuse("on bodies needs activation = \"hold\" and solution = \"monolithic\"", help);
    }
    Ok(Box::new(BodiesGgl::new(scene, p, scheme, options)))
}

fn bind_nonlinear(
    model: Arc<dyn Lagrangian>,
    scheme: &Scheme,
    options: SolverOptions,
) -> Result<Box<dyn Stepper>, InputError> {
    // Newton goes to 1e-11 or to round-off whatever is asked: it converges fast, and ledgers are as exact as it is. What is
    // asked judges what was reached.
    let tolerance = (0.1 * options.tolerance).min(1e-11);
    let hold = scheme.activation == Activation::Hold;
    Ok(match scheme.kind {
        SchemeKind::Ggl(p, variant) => {
            let mut stepper = Ggl::new(model, variant, p, hold, tolerance);
            stepper.sequential = scheme.sequential;
            Box::new(stepper)
        }
        SchemeKind::SmoothAlpha(p) => Box::new(SmoothAlpha::new(model, p, tolerance)),
        SchemeKind::MoreauJean { theta, midpoint: false } if theta > 0.0 => {
            velocity_level(model, VelocityScheme::MoreauJean(theta), scheme, options, tolerance)
        }
        SchemeKind::NewmarkLike(p) if !p.kh && p.gamma > 0.0 => {
            velocity_level(model, VelocityScheme::Alpha(p), scheme, options, tolerance)
        }
        SchemeKind::D0Constant => {
            Box::new(ExplicitD0::new(Box::new(NonlinearMechanism::new(model)), scheme.activation, options))
        }
        SchemeKind::D1MinusLinear => {
            let mechanism = Box::new(NonlinearMechanism::new(model));
            Box::new(D1MinusLinear::new(mechanism, None, scheme.activation, options))
        }
        SchemeKind::Splitting { variant } => {
            Box::new(Splitting::new(Box::new(NonlinearMechanism::new(model)), variant, options))
        }
        SchemeKind::SchatzmanPaoli { theta } => {
            Box::new(NonlinearSchatzmanPaoli::new(model, theta, tolerance, options))
        }
        SchemeKind::EnergyMomentum => match EnergyMomentum::new(Arc::clone(&model), scheme.activation, tolerance) {
            Some(stepper) => Box::new(stepper),
            None => Box::new(EnergyMomentumVarying::new(model, scheme.activation, tolerance)),
        },
        SchemeKind::EventDriven(_) | SchemeKind::RungeKuttaMoreau(_) => {
            return located(Box::new(NonlinearMechanism::new(model)), scheme, options);
        }
        _ => {
            let message = format!("{} with these parameters is for linear models", scheme.name);
            return Err(unsupported(
                message,
                "use moreau-jean, generalized-alpha, generalized-alpha-ggl or energy-momentum",
            ));
        }
    })
}

/// The schemes that locate events, on any mechanism.
fn located(
    mechanism: Box<dyn Mechanism>,
    scheme: &Scheme,
    options: SolverOptions,
) -> Result<Box<dyn Stepper>, InputError> {
    Ok(match &scheme.kind {
        SchemeKind::RungeKuttaMoreau(p) => Box::new(RungeKuttaMoreau::new(mechanism, p, options)),
        SchemeKind::EventDriven(p) => Box::new(EventDriven::new(mechanism, p, scheme.friction_law, options)),
        _ => return Err(unsupported(format!("{} does not locate events", scheme.name), "use event-driven")),
    })
}

fn linear_mechanism(model: &Arc<LinearModel>) -> Result<Box<dyn Mechanism>, InputError> {
    match LinearMechanism::new(Arc::clone(model)) {
        Some(mechanism) => Ok(Box::new(mechanism)),
        None => Err(unsupported("the mass with these joints cannot be factorised".into(), "use moreau-jean")),
    }
}

/// With cones where some contact rubs.
fn velocity_level(
    model: Arc<dyn Lagrangian>,
    kind: VelocityScheme,
    scheme: &Scheme,
    options: SolverOptions,
    tolerance: f64,
) -> Box<dyn Stepper> {
    let rubs = model.frictions().iter().any(|&mu| mu > 0.0);
    let frictionless = VelocityLevel::new(model, kind, scheme.activation, tolerance);
    if rubs { Box::new(VelocityFriction::new(frictionless, scheme, options)) } else { Box::new(frictionless) }
}

fn unsupported(message: String, help: &str) -> InputError {
    InputError::new(Code::UNSUPPORTED, "scheme.name", message, help)
}
