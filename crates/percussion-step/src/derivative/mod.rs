//! Derivatives of one-step schemes by implicit differentiation of every step.
//!
//!   R(z⁺, P; z, p) = 0   ⇒   R_{z⁺} δz⁺ + R_P δP = −R_z δz − R_p
//!
//! z are the vectors a scheme carries, P the impulses of the contacts that push. R are the equations of the step with
//! the laws of its contacts in the form they had (`contacts.rs`): those that stuck stick, those that slid slide, those that did not push
//! do not. R_p is a difference of order 8 of the model's matrices and forces, exact where these are polynomials of a parameter. Every step
//! is first put into R: one that does not obey these equations is not differentiated by them.
//! There is no derivative where the least change of a parameter makes a contact do something else.
//!
//! ```text
//! sums.rs     R is a sum of vectors (`equations.rs`): R_z and R_{z⁺} are made of the model's own tangents
//! whole.rs    any other R, a function without choices: its differences of order 8 (`ahead.rs`, `between.rs`, `corrected.rs`, `landed.rs`)
//! ```

mod ahead;
mod balance;
mod between;
pub mod contacts;
pub mod corrected;
pub mod equations;
mod landed;
mod sums;
pub mod whole;

use crate::derivative::sums::BySums;
use crate::derivative::whole::{ByWholeSteps, StepForm};
use crate::located::tangent::WEIGHTS;
use crate::{Activation, Model, ParameterModels, Problem, Projection, Scheme, State, Step, System};
use percussion_model::nonlinear::LinearAsLagrangian;
use percussion_model::{Lagrangian, Structure};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Coordinates up to which the equations of a step are solved as one dense system.
const LARGEST: usize = 100;
/// Part of its terms by which a step may miss its equations.
const OBEYED: f64 = 1e-7;

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
pub struct Variants {
    pub models: Vec<[Arc<dyn Lagrangian>; 2]>,
    step: f64,
}

impl Variants {
    /// d/dp of numbers of the model.
    fn difference(&self, size: usize, of: impl Fn(&dyn Lagrangian) -> Vec<f64>) -> Vec<f64> {
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
        Structure::Bodies(_) => Err("steps of bodies are differentiated by differences".into()),
    }
}

/// Why the steps of a scheme on a model are not those of `equations.rs`.
fn refuse(model: &Model, scheme: &Scheme) -> Result<(), String> {
    let face = face(model)?;
    let on_gaps = matches!(scheme.activation, Activation::Gap | Activation::Equilibrium);
    let between = scheme.parameters().iter().any(|(name, _)| *name == "evaluation");
    let nonlinear = model.system() == System::Lagrangian;
    let whole = !matches!(scheme.equations().step_form(model), StepForm::Sums(_) | StepForm::Ahead { .. });
    let why = if face.n() > LARGEST {
        "a model of more than 100 coordinates"
    } else if model.linear().is_some_and(|model| model.has_massless()) || on_gaps {
        "a law on the gaps at the ends of steps"
    } else if scheme.projection == Projection::Paid {
        "positions that are projected"
    } else if scheme.extrapolated {
        "steps that are extrapolated"
    } else if scheme.impact_law.is_some() {
        "restitution that depends on the approach"
    } else if nonlinear && between {
        "forces in the middle of a step"
    } else if nonlinear && face.n_joints() > 0 && !whole {
        "joints of a nonlinear model"
    } else {
        return Ok(());
    };
    Err(format!("{why}: differentiated by differences"))
}

/// A run on its way with the derivatives of what its scheme carries.
pub struct StepDerivative(Way);

enum Way {
    Sums(Box<BySums>),
    Whole(Box<ByWholeSteps>),
}

impl StepDerivative {
    /// At the start of a run, with the derivatives (δq, δv) of its state by each parameter.
    pub fn new(
        problem: &Problem,
        (scheme, options): (&Scheme, SolverOptions),
        h: f64,
        parameters: &[ParameterModels],
        columns: &[Vec<f64>],
    ) -> Result<Self, String> {
        refuse(&problem.model, scheme)?;
        let model = face(&problem.model)?;
        let mut variants = Vec::new();
        for parameter in parameters {
            let pair = |[plus, minus]: &[Model; 2]| Ok([face(plus)?, face(minus)?]);
            let models = parameter.models.iter().map(pair).collect::<Result<_, String>>()?;
            variants.push(Variants { models, step: parameter.step });
        }
        let with = (model, variants);
        let way = match scheme.equations().step_form(&problem.model) {
            StepForm::Sums(stored) => Way::Sums(Box::new(BySums::new(problem, (scheme, stored), h, with, columns)?)),
            form @ (StepForm::Ahead { .. } | StepForm::Between | StepForm::Corrected(_) | StepForm::Landing { .. }) => {
                Way::Whole(Box::new(ByWholeSteps::new(problem, (scheme, options), form, with, columns)?))
            }
        };
        Ok(Self(way))
    }

    /// The state arrived at.
    pub fn state(&self) -> &State {
        match &self.0 {
            Way::Sums(run) => run.state(),
            Way::Whole(run) => run.state(),
        }
    }

    /// (δq, δv) by a parameter.
    pub fn column(&self, p: usize) -> Vec<f64> {
        match &self.0 {
            Way::Sums(run) => run.column(p),
            Way::Whole(run) => run.column(p),
        }
    }

    /// What contacts have taken, and its derivatives.
    pub fn lost(&self) -> (f64, &[f64]) {
        match &self.0 {
            Way::Sums(run) => run.lost(),
            Way::Whole(run) => run.lost(),
        }
    }

    /// Carries the derivatives over a step.
    pub fn advance(&mut self, step: &Step) -> Result<(), NotDifferentiated> {
        match &mut self.0 {
            Way::Sums(run) => run.advance(step),
            Way::Whole(run) => run.advance(step),
        }
    }
}
