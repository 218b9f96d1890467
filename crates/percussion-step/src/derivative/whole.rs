//! Steps whose equations are differenced whole.
//!
//!   R(y; x, p) = 0   ⇒   δy = −R_y⁻¹ (R_x δx + R_p),   x carried, y = (x⁺, multipliers, impulses)
//!
//! With its contacts in the form they had R makes no choices: differences of order 8 over a part of what each number is have only
//! round-off left. Newton's iteration on R takes what a solver left of it out of y first.

use crate::derivative::ahead::Ahead;
use crate::derivative::between::Between;
use crate::derivative::contacts::Touch;
use crate::derivative::corrected::{Apart, Corrected};
use crate::derivative::landed::Landed;
use crate::derivative::{NotDifferentiated, OBEYED, Variants};
use crate::located::tangent::WEIGHTS;
use crate::newton::system::NewtonSystem;
use crate::schemes::landing::lagrangian::LagrangianMotion;
use crate::schemes::landing::linear::LinearMotion;
use crate::schemes::landing::part::Told;
use crate::schemes::landing::stepper::Landing;
use crate::{Activation, Memory, Model, Problem, Scheme, State, Step, StepStart, Stored};
use percussion_matrix::vector;
use percussion_model::{Lagrangian, Structure};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// How the steps of a scheme are differentiated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepForm {
    /// As sums of vectors.
    Sums(Stored),
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
}

/// Part of a parameter's step of differences within which no contact may change what it does: 1e-9 of the parameter.
const NEAR: f64 = 1e-5;
/// Newton steps at most.
const STEPS: usize = 4;

/// The equations of one step, its contacts in the form they had.
pub trait Whole {
    /// R.
    fn residual(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> Vec<f64>;
    /// The work of contacts, then how far each is from doing something else.
    fn numbers(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> (f64, Vec<(usize, f64)>);
    /// The steps of differences in x and y.
    fn reach(&self, x: &[f64], y: &[f64]) -> [Vec<f64>; 2];
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
    model: Arc<dyn Lagrangian>,
    parameters: Vec<Variants>,
    form: StepForm,
    setting: Setting,
    state: State,
    x: Vec<f64>,
    columns: Vec<Vec<f64>>,
    lost: f64,
    lost_columns: Vec<f64>,
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
            StepForm::Sums(_) | StepForm::Ahead { .. } | StepForm::Between | StepForm::Corrected(_) => None,
        };
        let again = again.map(|mut stepper| {
            let memory = stepper.start(&state);
            (stepper, memory)
        });
        Ok(Self {
            model,
            form,
            setting,
            again,
            state,
            x: problem.q0.iter().chain(&problem.v0).copied().collect(),
            columns: columns.to_vec(),
            lost: 0.0,
            lost_columns: vec![0.0; parameters.len()],
            parameters,
        })
    }

    /// The state arrived at.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// (δq, δv) by a parameter.
    pub fn column(&self, p: usize) -> Vec<f64> {
        self.columns[p][..2 * self.state.q.len()].to_vec()
    }

    /// What contacts have taken, and its derivatives.
    pub fn lost(&self) -> (f64, &[f64]) {
        (self.lost, &self.lost_columns)
    }

    /// Carries the derivatives over a step.
    pub fn advance(&mut self, step: &Step) -> Result<(), NotDifferentiated> {
        let n = self.state.q.len();
        match self.form {
            StepForm::Ahead { theta } => {
                if self.x.len() == 2 * n {
                    let (start, guess) = Ahead::start(theta, &self.setting, &self.state, step);
                    let first = guess[..n].to_vec();
                    let (y, columns) = self.solve(&start, guess, (&first, n), step)?;
                    self.x.extend_from_slice(&y[..n]);
                    self.columns.iter_mut().zip(columns).for_each(|(column, d)| column.extend_from_slice(&d[..n]));
                }
                let (form, guess) = Ahead::of(&*self.model, theta, &self.setting, (&self.state, &self.x), step);
                self.step(&form, guess, 3 * n, step)
            }
            StepForm::Between => {
                let (form, guess) = Between::of(&*self.model, &self.setting, &self.state, step);
                self.step(&form, guess, 2 * n, step)
            }
            StepForm::Corrected(apart) => {
                let carried = 4 * n + self.model.restitutions().len();
                if self.x.len() == 2 * n {
                    let (start, guess) = Corrected::start(apart, &*self.model, self.setting.constant, &self.state);
                    let (y, columns) = self.solve(&start, guess, (&[], 0), step)?;
                    // a₀ = v̇₀, μ₀ = 0
                    let extend = |x: &mut Vec<f64>, y: &[f64]| {
                        x.extend(y[..n].iter().chain(&y[..n]));
                        x.resize(carried, 0.0);
                    };
                    extend(&mut self.x, &y);
                    self.columns.iter_mut().zip(columns).for_each(|(column, d)| extend(column, &d));
                }
                let (form, guess) = Corrected::of(&*self.model, apart, &self.setting, (&self.state, &self.x), step);
                self.step(&form, guess, carried, step)
            }
            StepForm::Landing { .. } => self.land(step),
            StepForm::Sums(_) => Err(NotDifferentiated::Unknown("its steps are sums of vectors".into())),
        }
    }

    /// A step of `landing`, part by part. A step is pure: made again from the same state and memory it does the same, and tells what.
    fn land(&mut self, step: &Step) -> Result<(), NotDifferentiated> {
        let n = self.state.q.len();
        let Some((mut stepper, memory)) = self.again.take() else { return Ok(()) };
        let (from, mut own, mut next) = (self.state.clone(), Step::default(), memory.clone());
        let from = StepStart { state: &from, memory: &memory, h: step.h };
        stepper.step(&from, &mut own, &mut next).map_err(|failure| NotDifferentiated::Unknown(failure.message))?;
        self.x.push(0.0);
        self.columns.iter_mut().for_each(|column| column.push(0.0));
        for part in stepper.parts() {
            let (form, guess) = Landed::of(&*self.model, part, self.setting.constant, &from, &self.x);
            let known: Vec<f64> = part.q.iter().chain(&part.v).copied().collect();
            let (y, columns) = self.solve(&form, guess, (&known, 2 * n), step)?;
            self.account(&form, &y, &columns)?;
            self.x = y[..=2 * n].to_vec();
            self.columns = columns.into_iter().map(|column| column[..=2 * n].to_vec()).collect();
        }
        self.x.truncate(2 * n);
        self.columns.iter_mut().for_each(|column| column.truncate(2 * n));
        // the run's own state, from which it goes on
        self.state = step.after.clone();
        self.again = Some((stepper, next));
        Ok(())
    }

    /// One step of which so many numbers are carried on.
    fn step(
        &mut self,
        form: &dyn Whole,
        guess: Vec<f64>,
        carried: usize,
        step: &Step,
    ) -> Result<(), NotDifferentiated> {
        let n = self.state.q.len();
        let known: Vec<f64> = step.after.q.iter().chain(&step.after.v).copied().collect();
        let (y, columns) = self.solve(form, guess, (&known, 2 * n), step)?;
        self.account(form, &y, &columns)?;
        self.state = State { t: step.after.t, q: y[..n].to_vec(), v: y[n..2 * n].to_vec() };
        self.x = y[..carried].to_vec();
        self.columns = columns.into_iter().map(|column| column[..carried].to_vec()).collect();
        Ok(())
    }

    /// y and δy; the first `count` of y must be what is known of them.
    fn solve(
        &self,
        form: &dyn Whole,
        mut y: Vec<f64>,
        (known, count): (&[f64], usize),
        step: &Step,
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), NotDifferentiated> {
        let unknown = NotDifferentiated::Unknown;
        let model = &*self.model;
        let mut system = NewtonSystem::default();
        // the guess lacks multipliers and accelerations: where R is not affine its derivative is that of the step only at what it leads to
        let rounds = if self.setting.constant { 1 } else { 2 };
        for _ in 0..rounds {
            if !self.linearise(form, &y, &mut system) {
                let why = format!("contacts share their impulses at {} s: differences are taken", step.after.t);
                return Err(unknown(why));
            }
            for _ in 0..STEPS {
                let mut r: Vec<f64> = form.residual(model, &self.x, &y).iter().map(|r| -r).collect();
                system.solve_refined(&mut r);
                vector::axpy(1.0, &r, &mut y);
            }
        }
        if !self.linearise(form, &y, &mut system) {
            return Err(unknown(format!("the step to {} s is singular: differences are taken", step.after.t)));
        }
        let [reach_x, _] = form.reach(&self.x, &y);
        let size = vector::max_abs(known);
        let off = y.iter().zip(known).take(count).map(|(y, x)| (y - x).abs()).fold(0.0, f64::max);
        // the comparison is false of a NaN
        let obeyed = off <= OBEYED * size.max(f64::MIN_POSITIVE) || off == 0.0;
        if !obeyed || y.iter().any(|y| !y.is_finite()) {
            let t = step.after.t;
            return Err(unknown(format!("the step to {t} s is not that of the equations: differences are taken")));
        }
        let mut columns = Vec::new();
        for (parameter, column) in self.parameters.iter().zip(&self.columns) {
            let mut b = parameter.difference(y.len(), |model| form.residual(model, &self.x, &y));
            let by_x = along(&[(&self.x[..], &column[..], &reach_x[..])], y.len(), |x| form.residual(model, &x[0], &y));
            b.iter_mut().zip(by_x).for_each(|(b, x)| *b = -(*b + x));
            system.solve_refined(&mut b);
            columns.push(b);
        }
        Ok((y, columns))
    }

    /// R_y, factorised; false where it is singular.
    fn linearise(&self, form: &dyn Whole, y: &[f64], system: &mut NewtonSystem) -> bool {
        let [_, reach] = form.reach(&self.x, y);
        system.clear(y.len());
        for k in 0..y.len() {
            let moved = |s: f64| {
                let mut y = y.to_vec();
                y[k] += s * reach[k];
                form.residual(&*self.model, &self.x, &y)
            };
            system.add_column(0, k, 1.0 / reach[k], &difference(y.len(), moved));
        }
        system.factorise()
    }

    /// The work of contacts with its derivatives, and whether no contact is about to change what it does.
    fn account(&mut self, form: &dyn Whole, y: &[f64], columns: &[Vec<f64>]) -> Result<(), NotDifferentiated> {
        let [reach_x, reach_y] = form.reach(&self.x, y);
        let numbers = |model: &dyn Lagrangian, x: &[f64], y: &[f64]| {
            let (work, margins) = form.numbers(model, x, y);
            std::iter::once(work).chain(margins.into_iter().map(|(_, margin)| margin)).collect::<Vec<f64>>()
        };
        let (work, margins) = form.numbers(&*self.model, &self.x, y);
        let count = 1 + margins.len();
        for (p, (parameter, d)) in self.parameters.iter().zip(columns).enumerate() {
            let by_model = parameter.difference(count, |model| numbers(model, &self.x, y));
            let both = [(&self.x[..], &self.columns[p][..], &reach_x[..]), (y, &d[..], &reach_y[..])];
            let moved = along(&both, count, |moved| numbers(&*self.model, &moved[0], &moved[1]));
            for (k, &(contact, margin)) in margins.iter().enumerate() {
                if margin.abs() < NEAR * parameter.step * (by_model[1 + k] + moved[1 + k]).abs() {
                    return Err(NotDifferentiated::Changes { t: self.state.t, contact, parameter: p });
                }
            }
            self.lost_columns[p] -= by_model[0] + moved[0];
        }
        self.lost -= work;
        Ok(())
    }
}

/// Σ w_k (f(k) − f(−k)).
fn difference(size: usize, f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let mut sum = vec![0.0; size];
    for (k, weight) in WEIGHTS.iter().enumerate() {
        let s = (k + 1) as f64;
        for (sum, (a, b)) in sum.iter_mut().zip(f(s).iter().zip(&f(-s))) {
            *sum += weight * (a - b);
        }
    }
    sum
}

/// A list of numbers, the direction in which it moves, and how far each may.
type Moving<'a> = (&'a [f64], &'a [f64], &'a [f64]);

/// The derivative of numbers in a direction.
fn along(lists: &[Moving], size: usize, f: impl Fn(&[Vec<f64>]) -> Vec<f64>) -> Vec<f64> {
    let ratio = |(_, d, reach): &Moving| d.iter().zip(*reach).map(|(d, reach)| d.abs() / reach).fold(0.0, f64::max);
    let most = lists.iter().map(ratio).fold(0.0, f64::max);
    if most == 0.0 {
        return vec![0.0; size];
    }
    let moved = |s: f64| {
        let shift = |(x, d, _): &Moving| x.iter().zip(*d).map(|(x, d)| x + s / most * d).collect::<Vec<f64>>();
        f(&lists.iter().map(shift).collect::<Vec<_>>())
    };
    difference(size, moved).iter().map(|x| x * most).collect()
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
