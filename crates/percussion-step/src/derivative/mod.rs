//! Derivatives of one-step schemes by implicit differentiation of every step.
//!
//!   R(z⁺, P; z, p) = 0   ⇒   R_{z⁺} δz⁺ + R_P δP = −R_z δz − R_p
//!
//! z is what a scheme carries, P the impulses of the contacts that push. R are the equations of the step with
//! the laws of its contacts in the form they had (`contacts.rs`): those that stuck stick, those that slid slide, those that did not push
//! do not. R_p is a difference of order 8 of the model's matrices and forces, exact where these are polynomials of a parameter. Every step
//! is first put into R: one that does not obey these equations is not differentiated by them.
//! There is no derivative where the least change of a parameter makes a contact do something else.
//!
//! ```text
//! sums/         R is a sum of vectors (`equations.rs`): R_z and R_{z⁺} are made of the model's own tangents
//! implicit.rs   any other R, a function without choices: its differences of order 8
//!   whole.rs      linear and Lagrangian models (`ahead.rs`, `between.rs`, `corrected.rs`, `landed.rs`)
//!   bodies.rs     the θ-method of bodies with joints and contacts, corrected_bodies.rs: generalized-α with positions and velocities apart
//! instants.rs   steps that are functions of z and p once the contacts of their instants are given
//! ```

mod ahead;
mod balance;
mod between;
mod bodies;
pub mod contacts;
pub mod corrected;
mod corrected_bodies;
pub mod equations;
mod implicit;
mod instants;
mod landed;
mod sums;
pub mod whole;

use crate::derivative::bodies::ByBodies;
use crate::derivative::corrected_bodies::ByCorrectedBodies;
use crate::derivative::instants::ByInstants;
use crate::derivative::sums::BySums;
use crate::derivative::whole::{ByWholeSteps, StepForm};
use crate::located::tangent::WEIGHTS;
use crate::{Activation, Model, ParameterModels, Problem, Projection, Scheme, State, Step};
use percussion_model::nonlinear::LinearAsLagrangian;
use percussion_model::{Lagrangian, Structure};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Coordinates up to which the equations of a step are solved as one dense system.
const LARGEST: usize = 100;
/// Part of its terms by which a step may miss its equations.
const OBEYED: f64 = 1e-7;
/// Part of the largest of a run's numbers that counts where later ones are less: what is at rest is round-off of what was.
const LEFT: f64 = 1e-6;

/// Why a run has no derivative by its equations.
#[derive(Clone, Debug, PartialEq)]
pub enum NotDifferentiated {
    /// These are not known, or not those of the step; whoever knows another way may take it.
    Unknown(String),
    /// A contact changes what it does, as soon as a parameter moves, in the step that begins at t.
    Changes {
        /// When the step begins [s].
        t: f64,
        /// The contact.
        contact: usize,
        /// The parameter.
        parameter: usize,
    },
}

/// A parameter as models on both sides of its value.
pub struct Variants<M: ?Sized = dyn Lagrangian> {
    pub models: Vec<[Arc<M>; 2]>,
    step: f64,
}

impl<M: ?Sized> Variants<M> {
    /// Parameters as models of another kind.
    fn of(list: &[ParameterModels], kind: impl Fn(&Model) -> Result<Arc<M>, String>) -> Result<Vec<Self>, String> {
        let one = |parameter: &ParameterModels| {
            let pair = |[plus, minus]: &[Model; 2]| Ok([kind(plus)?, kind(minus)?]);
            Ok(Self { models: parameter.models.iter().map(pair).collect::<Result<_, String>>()?, step: parameter.step })
        };
        list.iter().map(one).collect()
    }

    /// d/dp of numbers of the model.
    fn difference(&self, size: usize, of: impl Fn(&M) -> Vec<f64>) -> Vec<f64> {
        let mut sum = vec![0.0; size];
        for (weight, [plus, minus]) in WEIGHTS.iter().zip(&self.models) {
            let (plus, minus) = (of(&**plus), of(&**minus));
            for (sum, (a, b)) in sum.iter_mut().zip(plus.iter().zip(&minus)) {
                *sum += weight * (a - b) / self.step;
            }
        }
        sum
    }
}

fn face(model: &Model) -> Result<Arc<dyn Lagrangian>, String> {
    match model.structure() {
        Structure::Constant(model) => Ok(Arc::new(LinearAsLagrangian::new((**model).clone()))),
        Structure::Lagrangian(model) => Ok(Arc::clone(model)),
        Structure::Bodies(_) => {
            Err("the equations of this scheme's steps on bodies are not differentiated in this version".into())
        }
    }
}

/// Why the steps of a scheme on a model have no derivative here.
fn refuse(model: &Model, scheme: &Scheme, form: StepForm) -> Result<(), String> {
    let on_gaps = matches!(scheme.activation, Activation::Gap | Activation::Equilibrium);
    let between = scheme.parameters().iter().any(|(name, _)| *name == "evaluation");
    let sums = matches!(form, StepForm::Sums(_) | StepForm::Smooth(_) | StepForm::Ahead { .. });
    let (nonlinear, joints) = match model.structure() {
        Structure::Lagrangian(model) => (true, model.n_joints() > 0),
        Structure::Constant(_) | Structure::Bodies(_) => (false, false),
    };
    let why = if model.linear().is_some_and(|model| model.has_massless()) || on_gaps {
        "a law on the gaps at the ends of steps"
    } else if scheme.projection == Projection::Paid {
        "positions that are projected"
    } else if scheme.extrapolated {
        "steps that are extrapolated"
    } else if scheme.impact_law.is_some() {
        "restitution that depends on the approach"
    } else if nonlinear && between {
        "forces in the middle of a step"
    } else if joints && nonlinear && sums {
        "joints of a nonlinear model"
    } else if model.bodies().is_some_and(|scene| scene.has_compliance()) {
        "contacts that give way"
    } else {
        return Ok(());
    };
    Err(format!("{why}: differentiated by differences"))
}

/// Derivatives of what a scheme carries, q and v first.
pub trait Columns {
    /// So many of them, by a parameter.
    fn column(&self, p: usize, n: usize) -> Vec<f64>;

    /// What contacts have taken, and its derivatives.
    fn lost(&self) -> (f64, &[f64]);
}

/// A run on its way with the derivatives of what its scheme carries.
pub trait Follow: Send {
    /// The state arrived at.
    fn state(&self) -> &State;

    /// What the scheme carries, with its derivatives.
    fn carried(&self) -> &dyn Columns;

    /// (δq, δv) by a parameter.
    fn column(&self, p: usize) -> Vec<f64> {
        let State { q, v, .. } = self.state();
        self.carried().column(p, q.len() + v.len())
    }

    /// What contacts have taken, and its derivatives.
    fn lost(&self) -> (f64, &[f64]) {
        self.carried().lost()
    }

    /// Carries the derivatives over a step.
    fn advance(&mut self, step: &Step) -> Result<(), NotDifferentiated>;
}

/// The run of a problem under a scheme, at its start, with the derivatives (δq, δv) of its state by each parameter.
pub fn step_derivative(
    problem: &Problem,
    (scheme, options): (&Scheme, SolverOptions),
    h: f64,
    parameters: &[ParameterModels],
    columns: &[Vec<f64>],
) -> Result<Box<dyn Follow>, String> {
    let form = scheme.equations().step_form(&problem.model);
    refuse(&problem.model, scheme, form)?;
    let small = |n: usize| {
        let why = format!("a model of more than {LARGEST} coordinates: differentiated by differences");
        if n > LARGEST { Err(why) } else { Ok(()) }
    };
    if let StepForm::Bodies { theta, rows } = form {
        small(problem.v0.len())?;
        return Ok(Box::new(ByBodies::new(problem, scheme, (theta, rows), parameters, columns)?));
    }
    if let StepForm::CorrectedBodies(alpha) = form {
        small(problem.v0.len())?;
        return Ok(Box::new(ByCorrectedBodies::new(problem, (scheme, options), alpha, parameters, columns)?));
    }
    if form == StepForm::Instants {
        return Ok(Box::new(ByInstants::new(problem, (scheme, options), parameters, columns)?));
    }
    let with = (face(&problem.model)?, Variants::of(parameters, face)?);
    small(problem.q0.len())?;
    match form {
        StepForm::Sums(_) | StepForm::Smooth(_) => {
            Ok(Box::new(BySums::new(problem, (scheme, form), h, with, columns)?))
        }
        StepForm::Ahead { .. } | StepForm::Between | StepForm::Corrected(_) | StepForm::Landing { .. } => {
            Ok(Box::new(ByWholeSteps::new(problem, (scheme, options), form, with, columns)?))
        }
        StepForm::Instants | StepForm::Bodies { .. } | StepForm::CorrectedBodies(_) => Err("not differentiated".into()),
    }
}

/// Corners of signals looked at.
const CORNERS: usize = 100_000;

/// A corner of a signal that lies where steps of length h ask for forces, at their ends or middles, and moves with a parameter: its time, and the
/// parameter. What such a run gives jumps there.
pub fn corner_on_the_grid(model: &Model, parameters: &[ParameterModels], h: f64, steps: u64) -> Option<(f64, usize)> {
    let end = h * steps as f64;
    let next = |model: &Model, t: f64| match model.structure() {
        Structure::Constant(model) => model.next_corner(t),
        Structure::Lagrangian(model) => model.next_corner(t),
        Structure::Bodies(scene) => scene.next_corner(t),
    };
    let corners = |model: &Model| -> Vec<f64> {
        let list = std::iter::successors(Some(next(model, 0.0)), |t| Some(next(model, *t)));
        list.take_while(|t| *t <= end).take(CORNERS).collect()
    };
    let own = corners(model);
    // which half of a step; a corner that lies between two is in both
    let half = |t: f64| {
        let at = 2.0 * t / h;
        ((at - 1e-9).floor(), (at + 1e-9).floor())
    };
    for (p, parameter) in parameters.iter().enumerate() {
        for model in parameter.models.iter().flatten() {
            let moved = corners(model);
            let over =
                |(a, b): (&f64, &f64)| (a != b && (half(*a) != half(*b) || half(*a).0 != half(*a).1)).then_some(*a);
            let last = || (own.len() != moved.len()).then_some(end);
            if let Some(t) = own.iter().zip(&moved).find_map(over).or_else(last) {
                return Some((t, p));
            }
        }
    }
    None
}
