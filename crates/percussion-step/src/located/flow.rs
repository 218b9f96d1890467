//! The event-driven flow as a map: a state, a time, and the columns δx carried to the end (`tangent.rs`).

use crate::Memory;
use crate::located::no_derivative::FlowStop;
use crate::located::options::EventDrivenOptions;
use crate::located::tangent::{Instant, Tangent, Variants, WEIGHTS};
use crate::mechanism::Mechanism;
use crate::mechanism::bodies::BodiesMechanism;
use crate::mechanism::lagrangian::NonlinearMechanism;
use crate::mechanism::linear::LinearMechanism;
use crate::schemes::event_driven::parameters::refuse_large;
use crate::{EventDriven, FrictionLaw, LocatedEvent, Model, Problem, SchemeOptions, State, Step, StepStart, Stepper};
use percussion_model::{Code, InputError, Structure};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// A model's motion from event to event, with its derivatives.
pub struct Flow {
    stepper: EventDriven,
    tangent: Tangent,
    n: usize,
}

/// Where a motion arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowEnd {
    /// t, q, v.
    pub state: State,
    /// a, so that (v, a) is the rate of the state.
    pub acceleration: Vec<f64>,
    /// The columns at the end.
    pub columns: Vec<Vec<f64>>,
    /// Events, in the order of time.
    pub events: Vec<LocatedEvent>,
    /// Those that can move, with the derivatives of their times; empty without columns.
    pub instants: Vec<Instant>,
    /// The smallest gap at which an open contact turned back: gap, contact, time.
    pub nearest: Option<(f64, usize, f64)>,
}

/// A parameter as models on both sides of its value.
pub struct ParameterModels {
    /// The models at p ± kδ, k = 1 … 4.
    pub models: Vec<[Model; 2]>,
    /// δ.
    pub step: f64,
}

impl ParameterModels {
    /// Asks for the model at p ± kδ.
    pub fn new<E>(p: f64, step: f64, mut at: impl FnMut(f64) -> Result<Model, E>) -> Result<Self, E> {
        let pair = |k: usize| {
            let d = (k + 1) as f64 * step;
            Ok([at(p + d)?, at(p - d)?])
        };
        Ok(Self { models: (0..WEIGHTS.len()).map(pair).collect::<Result<_, E>>()?, step })
    }

    /// d/dp of a number known at each model, in the order they were asked for.
    pub fn difference(&self, values: &[f64]) -> f64 {
        let pair = |(weight, pair): (f64, &[f64])| weight * (pair[0] - pair[1]) / self.step;
        WEIGHTS.into_iter().zip(values.chunks_exact(2)).map(pair).sum()
    }
}

impl Flow {
    /// Of a problem's model; `parameters` are those with respect to which there are derivatives.
    pub fn new(problem: &Problem, solver: SolverOptions, parameters: &[ParameterModels]) -> Result<Self, InputError> {
        if problem.q0.len() != problem.v0.len() {
            let message = "derivatives of the flow of bodies in space are not in this version";
            let help = "use a planar scene, a linear or a formula model";
            return Err(InputError::new(Code::UNSUPPORTED, "model", message, help));
        }
        let options = EventDrivenOptions::resolve(&SchemeOptions::default())?;
        let mut variants = Vec::new();
        for parameter in parameters {
            let pair = |[plus, minus]: &[Model; 2]| Ok([mechanism(plus)?, mechanism(minus)?]);
            let models = parameter.models.iter().map(pair).collect::<Result<_, InputError>>()?;
            variants.push(Variants { models, step: parameter.step });
        }
        let stepper = EventDriven::new(mechanism(&problem.model)?, &options, FrictionLaw::default(), solver);
        Ok(Self { stepper, tangent: Tangent::new(variants), n: problem.q0.len() })
    }

    /// Coordinates; a column has twice as many numbers.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Parameters it has derivatives for.
    pub fn parameters(&self) -> usize {
        self.tangent.parameters.len()
    }

    /// The unit columns of a start: one for each coordinate and velocity, one of zeros for each parameter.
    pub fn unit_columns(&self) -> Vec<Vec<f64>> {
        let m = 2 * self.n;
        (0..m + self.parameters()).map(|c| (0..m).map(|i| f64::from(u8::from(i == c))).collect()).collect()
    }

    /// Follows the motion for a time; with columns (the last of which belong to the parameters) or, without any, alone.
    pub fn run(&mut self, from: &State, duration: f64, columns: Vec<Vec<f64>>) -> Result<FlowEnd, FlowStop> {
        let follows = !columns.is_empty();
        self.tangent.begin(columns);
        let memory = self.stepper.start(from);
        let (mut step, mut next) = (Step::default(), Memory::default());
        let start = StepStart { state: from, memory: &memory, h: duration };
        if let Err(failure) = self.stepper.follow(&start, &mut step, &mut next, follows.then_some(&mut self.tangent)) {
            return Err(FlowStop { failure, reason: self.tangent.reason });
        }
        Ok(FlowEnd {
            state: step.after,
            acceleration: self.stepper.acceleration().to_vec(),
            columns: std::mem::take(&mut self.tangent.columns),
            events: step.events,
            instants: std::mem::take(&mut self.tangent.instants),
            nearest: self.tangent.nearest,
        })
    }
}

/// The model as schemes that follow the smooth motion see it.
fn mechanism(model: &Model) -> Result<Box<dyn Mechanism>, InputError> {
    if let Structure::Constant(model) = model.structure() {
        refuse_large(model.n())?;
    }
    Ok(match model.structure() {
        Structure::Constant(model) => match LinearMechanism::new(Arc::clone(model)) {
            Some(mechanism) => Box::new(mechanism),
            None => {
                let message = "event-driven needs a mass that can be inverted";
                return Err(InputError::new(Code::UNSUPPORTED, "model.mass", message, "check model.mass"));
            }
        },
        Structure::Lagrangian(model) => Box::new(NonlinearMechanism::new(Arc::clone(model))),
        Structure::Bodies(scene) => Box::new(BodiesMechanism::new(Arc::clone(scene), "event-driven")?),
    })
}
