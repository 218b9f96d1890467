//! The event-driven flow as a map: a state, a time, and the columns δx carried to the end (`tangent.rs`).

use crate::Memory;
use crate::located::no_derivative::FlowStop;
use crate::located::options::EventDrivenOptions;
use crate::located::order::Reach;
use crate::located::permitted::{permitted, settle};
use crate::located::tangent::{Instant, Tangent, Variants, WEIGHTS};
use crate::mechanism::Mechanism;
use crate::mechanism::bodies::BodiesMechanism;
use crate::mechanism::hold::Hold;
use crate::mechanism::lagrangian::NonlinearMechanism;
use crate::mechanism::linear::LinearMechanism;
use crate::schemes::event_driven::parameters::refuse_large;
use crate::{
    EventDriven, FrictionLaw, LocatedEvent, Model, Problem, Scheme, SchemeOptions, State, Step, StepFailure, StepStart,
    Stepper, Steps, Written,
};
use percussion_model::{Code, InputError, Structure};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// A model's motion from event to event, with its derivatives.
pub struct Flow {
    stepper: EventDriven,
    tangent: Tangent,
    n: usize,
    /// Places of the coordinates that move; those of fixed bodies do not.
    moving: Vec<usize>,
    /// Where the last motion ended, and what it knew of its contacts there.
    last: Option<(State, Memory)>,
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
    /// The work of contacts [J].
    pub work: f64,
    /// Its derivative along each column; empty without columns.
    pub works: Vec<f64>,
    /// Events, in the order of time.
    pub events: Vec<LocatedEvent>,
    /// Those that can move, with the derivatives of their times; empty without columns.
    pub instants: Vec<Instant>,
    /// The smallest gap at which an open contact turned back: gap, contact, time.
    pub nearest: Option<(f64, usize, f64)>,
    /// A contact that turned back where its gap was nothing but round-off, and when: it grazes, and the least change decides whether it is met.
    pub grazed: Option<(usize, f64)>,
    /// How far each parameter may go until the motion meets its contacts in another order; none without events that move.
    pub reach: Vec<Option<Reach>>,
}

/// How a state may move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Permitted {
    /// Orthonormal columns (δq, δv) that joints and held contacts leave.
    pub basis: Vec<Vec<f64>>,
    /// One column for each parameter: how the state goes with joints and contacts that move with it; zeros as a rule.
    pub starts: Vec<Vec<f64>>,
    held: Vec<Hold>,
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
        let options = EventDrivenOptions::resolve(&SchemeOptions::default())?;
        Self::by(problem, (&options, FrictionLaw::default(), solver), parameters)
    }

    /// The same as the scheme of a run follows it: its law of impacts with friction and, where it locates events, what it counts as rest, its
    /// tolerance and its method.
    pub fn under(
        problem: &Problem,
        (scheme, solver): (&Scheme, SolverOptions),
        parameters: &[ParameterModels],
    ) -> Result<Self, InputError> {
        if scheme.facts().steps != Steps::Own {
            return Self::new(problem, solver, parameters);
        }
        let mut options = SchemeOptions::default();
        for (name, value) in scheme.parameters() {
            match (name, value) {
                ("cut", Written::Number(x)) => options.cut = Some(x),
                ("tolerance", Written::Number(x)) => options.tolerance = Some(x),
                ("method", Written::Word(word)) => options.method = Some(word),
                (_, Written::Number(_) | Written::Integer(_) | Written::Word(_)) => {}
            }
        }
        let options = EventDrivenOptions::resolve(&options)?;
        Self::by(problem, (&options, scheme.friction_law, solver), parameters)
    }

    fn by(
        problem: &Problem,
        (options, law, solver): (&EventDrivenOptions, FrictionLaw, SolverOptions),
        parameters: &[ParameterModels],
    ) -> Result<Self, InputError> {
        if problem.q0.len() != problem.v0.len() {
            let message = "derivatives of the flow of bodies in space are not in this version";
            let help = "use a planar scene, a linear or a formula model";
            return Err(InputError::new(Code::UNSUPPORTED, "model", message, help));
        }
        let mut variants = Vec::new();
        for parameter in parameters {
            let pair = |[plus, minus]: &[Model; 2]| Ok([mechanism(plus)?, mechanism(minus)?]);
            let models = parameter.models.iter().map(pair).collect::<Result<_, InputError>>()?;
            variants.push(Variants { models, step: parameter.step });
        }
        let mut own = mechanism(&problem.model)?;
        let moving = moving(&mut *own, problem.q0.len());
        let stepper = EventDriven::new(own, options, law, solver);
        Ok(Self { stepper, tangent: Tangent::new(variants), n: problem.q0.len(), moving, last: None })
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

    /// The nearest state that joints and the contacts held nearby permit.
    pub fn settle(&mut self, state: &State, nearby: &Permitted) -> Result<State, StepFailure> {
        let (mut q, mut v) = (Vec::new(), Vec::new());
        let mechanism = self.stepper.mechanism();
        mechanism.enter((&state.q, &state.v), &mut q, &mut v);
        let n = q.len();
        q.append(&mut v);
        if !settle(mechanism, state.t, &mut q, &nearby.held) {
            return Err(StepFailure::singular(state.t, 0.0, None));
        }
        let mut settled = state.clone();
        mechanism.leave((&q[..n], &q[n..]), &mut settled.q, &mut settled.v);
        Ok(settled)
    }

    /// The number of directions in which joints alone let a state move: as many as perturbations can ever have.
    pub fn free(&mut self, state: &State) -> Result<usize, StepFailure> {
        let (mut x, mut v) = (Vec::new(), Vec::new());
        self.stepper.mechanism().enter((&state.q, &state.v), &mut x, &mut v);
        x.append(&mut v);
        let basis = permitted(self.stepper.mechanism(), state.t, &x, &[]);
        Ok(basis.ok_or_else(|| StepFailure::singular(state.t, 0.0, None))?.len())
    }

    /// The directions in which a state may move, an orthonormal basis, and the column with which each parameter starts there: how far
    /// the nearest permitted state goes with it.
    pub fn permitted(&mut self, state: &State) -> Result<Permitted, StepFailure> {
        let held = self.stepper.held_at(state, 1.0)?;
        let singular = || StepFailure::singular(state.t, 0.0, None);
        let (mut x, mut v) = (Vec::new(), Vec::new());
        self.stepper.mechanism().enter((&state.q, &state.v), &mut x, &mut v);
        x.append(&mut v);
        let basis = permitted(self.stepper.mechanism(), state.t, &x, &held).ok_or_else(singular)?;
        let mut starts = Vec::with_capacity(self.parameters());
        for parameter in &mut self.tangent.parameters {
            let mut column = vec![0.0; x.len()];
            let settled = |model: &mut dyn Mechanism, out: &mut [f64]| {
                out.copy_from_slice(&x);
                settle(model, state.t, out, &held)
            };
            parameter.difference(x.len(), settled, &mut column).map_err(|_| singular())?;
            starts.push(column);
        }
        let whole = |list: Vec<Vec<f64>>| list.iter().map(|column| self.whole(column, 2)).collect::<Vec<_>>();
        Ok(Permitted { basis: whole(basis), starts: whole(starts), held })
    }

    /// (δq, δv) of what moves.
    fn part(&self, column: &[f64]) -> Vec<f64> {
        column.chunks_exact(self.n).flat_map(|half| self.moving.iter().map(|&i| half[i])).collect()
    }

    /// Parts of what moves, zeros where nothing does.
    fn whole(&self, part: &[f64], halves: usize) -> Vec<f64> {
        let mut whole = vec![0.0; halves * self.n];
        for (k, &x) in part.iter().enumerate() {
            whole[k / self.moving.len() * self.n + self.moving[k % self.moving.len()]] = x;
        }
        whole
    }

    /// Follows the motion for a time; with columns (the last of which belong to the parameters) or, without any, alone.
    ///
    /// A motion that goes on from where the last one ended knows its contacts from there: one that was about to close at that very
    /// instant closes as an event of this motion, with its derivative.
    pub fn run(&mut self, from: &State, duration: f64, columns: Vec<Vec<f64>>) -> Result<FlowEnd, FlowStop> {
        let follows = !columns.is_empty();
        self.tangent.begin(from.t, columns.iter().map(|column| self.part(column)).collect());
        let goes_on = |last: (State, Memory)| (last.0.q == from.q && last.0.v == from.v).then_some(last.1);
        let memory = self.last.take().and_then(goes_on).unwrap_or_else(|| self.stepper.start(from));
        let (mut step, mut next) = (Step::default(), Memory::default());
        let start = StepStart { state: from, memory: &memory, h: duration };
        if let Err(failure) = self.stepper.follow(&start, &mut step, &mut next, follows.then_some(&mut self.tangent)) {
            return Err(FlowStop { failure, reason: self.tangent.reason });
        }
        self.last = Some((step.after.clone(), next));
        Ok(FlowEnd {
            state: step.after,
            acceleration: self.whole(self.stepper.acceleration(), 1),
            columns: std::mem::take(&mut self.tangent.columns).iter().map(|column| self.whole(column, 2)).collect(),
            work: step.ledger.work_contact,
            works: std::mem::take(&mut self.tangent.work),
            events: step.events,
            instants: std::mem::take(&mut self.tangent.instants),
            nearest: self.tangent.nearest,
            grazed: self.tangent.grazed,
            reach: std::mem::take(&mut self.tangent.order.reach),
        })
    }
}

/// Which coordinates of a model its mechanism moves: those it makes of their own numbers.
fn moving(mechanism: &mut dyn Mechanism, n: usize) -> Vec<usize> {
    let numbers: Vec<f64> = (0..n).map(|i| i as f64).collect();
    let (mut q, mut v) = (Vec::new(), Vec::new());
    mechanism.enter((&numbers, &vec![0.0; n]), &mut q, &mut v);
    q.into_iter().map(|i| i as usize).collect()
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
