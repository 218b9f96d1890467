//! Steps of linear and Lagrangian models whose equations are differenced whole (`implicit.rs`): y = (x⁺, multipliers, impulses).

use crate::derivative::ahead::Ahead;
use crate::derivative::between::Between;
use crate::derivative::contacts::Touch;
use crate::derivative::corrected::{Apart, Corrected};
use crate::derivative::implicit::{Carried, Solved, Whole};
use crate::derivative::landed::Landed;
use crate::derivative::{Columns, Follow, NotDifferentiated, Variants};
use crate::schemes::landing::lagrangian::LagrangianMotion;
use crate::schemes::landing::linear::LinearMotion;
use crate::schemes::landing::part::Told;
use crate::schemes::landing::stepper::Landing;
use crate::{Activation, Memory, Model, NewmarkLike, Problem, Scheme, State, Step, StepStart, Stored};
use percussion_matrix::vector;
use percussion_model::{Lagrangian, Structure};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// How the steps of a scheme are differentiated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepForm {
    /// As sums of vectors.
    Sums(Stored),
    /// The same, of generalized-α of index 3 with the forces of contacts inside.
    Smooth(NewmarkLike),
    /// Positions two steps apart, the velocity one position ahead.
    Ahead {
        /// θ of forces.
        theta: f64,
    },
    /// Discrete gradients between both ends.
    Between,
    /// Generalized-α with positions and velocities apart.
    Corrected(Apart),
    /// In parts, each with a landing and an impact.
    Landing {
        /// Whether contacts land at the instants at which they touch.
        inside: bool,
    },
    /// As what they are once the contacts of their instants are given.
    Instants,
    /// The θ-method of bodies.
    Bodies {
        /// θ.
        theta: f64,
        /// Whether springs between points are rows, and not loads at the predicted middle of a step.
        rows: bool,
    },
    /// Bodies under generalized-α with positions and velocities apart.
    CorrectedBodies(NewmarkLike),
}

/// What a form needs of a run.
pub struct Setting {
    /// How contacts are chosen.
    pub activation: Activation,
    /// ê of contacts that open.
    pub e_open: f64,
    /// Whether M, C, K and H are constant.
    pub constant: bool,
}

/// A run under way.
pub struct ByWholeSteps {
    run: Carried<dyn Lagrangian>,
    form: StepForm,
    setting: Setting,
    state: State,
    /// The scheme itself where it must tell what it did, with its memory.
    again: Option<(Box<dyn Told>, Memory)>,
}

/// The scheme `landing` on a model, telling what the parts of its steps did.
fn landing(model: &Model, scheme: &Scheme, inside: bool, options: SolverOptions) -> Option<Box<dyn Told>> {
    let (law, options) = (scheme.friction_law, options.strict());
    match model.structure() {
        Structure::Constant(model) => {
            let motion = LinearMotion::new(Arc::clone(model), None);
            Some(Box::new(Landing::new(motion, inside, law, options).telling()))
        }
        Structure::Lagrangian(model) => {
            let motion = LagrangianMotion::new(Arc::clone(model), &options);
            Some(Box::new(Landing::new(motion, inside, law, options).telling()))
        }
        Structure::Bodies(_) => None,
    }
}

impl ByWholeSteps {
    /// At the start of a run.
    pub fn new(
        problem: &Problem,
        (scheme, options): (&Scheme, SolverOptions),
        form: StepForm,
        (model, parameters): (Arc<dyn Lagrangian>, Vec<Variants>),
        columns: &[Vec<f64>],
    ) -> Result<Self, String> {
        if matches!(form, StepForm::Ahead { .. }) && model.n_joints() > 0 {
            return Err(format!("{}: joints: differentiated by differences", scheme.name));
        }
        let setting = Setting {
            activation: scheme.activation,
            e_open: scheme.facts().opening_restitution,
            constant: problem.model.linear().is_some(),
        };
        let state = State { t: 0.0, q: problem.q0.clone(), v: problem.v0.clone() };
        let again = match form {
            StepForm::Landing { inside } => landing(&problem.model, scheme, inside, options),
            StepForm::Ahead { .. } | StepForm::Between | StepForm::Corrected(_) => None,
            StepForm::Sums(_) | StepForm::Smooth(_) | StepForm::Instants => None,
            StepForm::Bodies { .. } | StepForm::CorrectedBodies(_) => None,
        };
        let again = again.map(|mut stepper| {
            let memory = stepper.start(&state);
            (stepper, memory)
        });
        let x = problem.q0.iter().chain(&problem.v0).copied().collect();
        let run = Carried::new(model, parameters, setting.constant, x, columns);
        Ok(Self { run, form, setting, again, state })
    }
}

impl Follow for ByWholeSteps {
    fn state(&self) -> &State {
        &self.state
    }

    fn carried(&self) -> &dyn Columns {
        &self.run
    }

    fn advance(&mut self, step: &Step) -> Result<(), NotDifferentiated> {
        let n = self.state.q.len();
        if step.parts > 1 {
            let why = format!("the step to {} s was made in parts: differences are taken", step.after.t);
            return Err(NotDifferentiated::Unknown(why));
        }
        match self.form {
            StepForm::Ahead { theta } => {
                if self.run.x.len() == 2 * n {
                    let (start, guess) = Ahead::start(theta, &self.setting, &self.state, step);
                    let first = guess[..n].to_vec();
                    let Solved { y, columns, .. } = self.run.solve(&start, guess, &first, step.after.t)?;
                    self.run.x.extend_from_slice(&y[..n]);
                    self.run.columns.iter_mut().zip(columns).for_each(|(column, d)| column.extend_from_slice(&d[..n]));
                }
                let (form, guess) = Ahead::of(&*self.run.model, theta, &self.setting, (&self.state, &self.run.x), step);
                self.step(&form, guess, 3 * n, step)
            }
            StepForm::Between => {
                let (form, guess) = Between::of(&*self.run.model, &self.setting, &self.state, step);
                self.step(&form, guess, 2 * n, step)
            }
            StepForm::Corrected(apart) => {
                let carried = 4 * n + self.run.model.restitutions().len();
                if self.run.x.len() == 2 * n {
                    let (start, guess) = Corrected::start(apart, &*self.run.model, self.setting.constant, &self.state);
                    let Solved { y, columns, .. } = self.run.solve(&start, guess, &[], step.after.t)?;
                    // a₀ = v̇₀, μ₀ = 0
                    let extend = |x: &mut Vec<f64>, y: &[f64]| {
                        x.extend(y[..n].iter().chain(&y[..n]));
                        x.resize(carried, 0.0);
                    };
                    extend(&mut self.run.x, &y);
                    self.run.columns.iter_mut().zip(columns).for_each(|(column, d)| extend(column, &d));
                }
                let (form, guess) =
                    Corrected::of(&*self.run.model, apart, &self.setting, (&self.state, &self.run.x), step);
                self.step(&form, guess, carried, step)
            }
            StepForm::Landing { .. } => self.land(step),
            StepForm::Sums(_)
            | StepForm::Smooth(_)
            | StepForm::Instants
            | StepForm::Bodies { .. }
            | StepForm::CorrectedBodies(_) => Err(NotDifferentiated::Unknown("its steps are of another form".into())),
        }
    }
}

impl ByWholeSteps {
    /// A step of `landing`, part by part. A step is pure: made again from the same state and memory it does the same, and tells what.
    fn land(&mut self, step: &Step) -> Result<(), NotDifferentiated> {
        let n = self.state.q.len();
        let Some((mut stepper, memory)) = self.again.take() else { return Ok(()) };
        let (from, mut own, mut next) = (self.state.clone(), Step::default(), memory.clone());
        let from = StepStart { state: &from, memory: &memory, h: step.h };
        stepper.step(&from, &mut own, &mut next).map_err(|failure| NotDifferentiated::Unknown(failure.message))?;
        self.run.x.push(0.0);
        self.run.columns.iter_mut().for_each(|column| column.push(0.0));
        for part in stepper.parts() {
            let (form, guess) = Landed::of(&*self.run.model, part, self.setting.constant, &from, &self.run.x);
            let known: Vec<f64> = part.q.iter().chain(&part.v).copied().collect();
            let solved = self.run.solve(&form, guess, &known, step.after.t)?;
            self.run.account(&form, &solved, self.state.t)?;
            let Solved { y, columns, .. } = solved;
            self.run.x = y[..=2 * n].to_vec();
            self.run.columns = columns.into_iter().map(|column| column[..=2 * n].to_vec()).collect();
        }
        self.run.x.truncate(2 * n);
        self.run.columns.iter_mut().for_each(|column| column.truncate(2 * n));
        // the run's own state, from which it goes on
        self.state = step.after.clone();
        self.again = Some((stepper, next));
        Ok(())
    }

    /// One step of which so many numbers are carried on.
    fn step(
        &mut self,
        form: &dyn Whole<dyn Lagrangian>,
        guess: Vec<f64>,
        carried: usize,
        step: &Step,
    ) -> Result<(), NotDifferentiated> {
        let n = self.state.q.len();
        let known: Vec<f64> = step.after.q.iter().chain(&step.after.v).copied().collect();
        let solved = self.run.solve(form, guess, &known, step.after.t)?;
        self.run.account(form, &solved, self.state.t)?;
        let Solved { y, columns, .. } = solved;
        self.state = State { t: step.after.t, q: y[..n].to_vec(), v: y[n..2 * n].to_vec() };
        self.run.x = y[..carried].to_vec();
        self.run.columns = columns.into_iter().map(|column| column[..carried].to_vec()).collect();
        Ok(())
    }
}

/// A part of what numbers are over which they are differenced.
pub const THOUSANDTH: f64 = 1e-3;

/// How large places and velocities are at either end of a step of length h: what velocities move counts too, so that a body at rest, or at
/// the origin, has a size.
pub fn sizes(places: &[&[f64]], velocities: &[&[f64]], h: f64) -> [f64; 2] {
    let most = |lists: &[&[f64]]| lists.iter().map(|list| vector::max_abs(list)).fold(0.0, f64::max);
    let (place, speed) = (most(places), most(velocities));
    let of = |x: f64| if x > 0.0 { x } else { 1.0 };
    [of(place.max(h * speed)), of(speed.max(1e-3 * place / h))]
}

/// The impulses of pushing contacts, one after the other.
pub fn impulses(touches: &[Touch]) -> Vec<f64> {
    touches.iter().filter(|touch| touch.pushes).flat_map(|touch| touch.p[..=touch.tangents].to_vec()).collect()
}
