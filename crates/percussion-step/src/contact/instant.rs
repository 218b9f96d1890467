//! Contact problems at one place: impulses and forces have the same operator.
//!
//!   0 ≤ W x + b ⟂ x ≥ 0,   W = GᵀM⁻¹G at q;   impact: x = P, b = (1+ê)U⁻;   forces: x = λ, b = Γ_free

use crate::contact::activation::{Approach, IndexSet};
use crate::contact::law::without_friction;
use crate::mechanism::Mechanism;
use crate::mechanism::hold::Row;
use crate::{Activation, ContactState, Memory, State, Step, StepFailure, StepInfo, StepStart};
use percussion_matrix::{DenseMatrix, Matrix, SmallLu};
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{Method, OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};

/// Part of a gap's terms that counts as closed.
const CLOSED: f64 = 1e-10;
/// Part of the largest velocity so far under which a contact counts as neither closing nor opening.
const RESTING: f64 = 1e-9;

/// Contacts that act at an instant, each with an ê that is not its own e.
pub type Acting = Vec<(usize, Option<f64>)>;

/// Who looks on at the instants of a step, or says what happens at them.
#[derive(Default)]
pub struct Watch {
    /// What acted at each instant of the last step.
    pub acted: Vec<Acting>,
    /// What is to act at each instant of the next one, whatever gaps, velocities and signs say.
    pub given: Option<Vec<Acting>>,
    /// Forces and impulses of a step whose contacts are given.
    pub answers: Vec<(usize, f64)>,
}

impl Watch {
    /// Ends an instant with these forces or impulses of contacts, each with its ê where that is not e.
    pub fn end_instant(&mut self, of: impl Iterator<Item = (usize, f64, Option<f64>)>) {
        let mut acting = Acting::new();
        for (i, x, other) in of {
            if self.given.is_some() {
                self.answers.push((i, x));
            }
            if self.given.is_some() || x > 0.0 {
                acting.push((i, other));
            }
        }
        self.acted.push(acting);
    }
}

/// A mechanism with its contact solver.
pub struct InstantContacts {
    /// The model.
    pub mechanism: Box<dyn Mechanism>,
    solver: Solver,
    problem: OneStepProblem,
    /// The contacts of the last problem.
    pub set: Vec<usize>,
    rows: Vec<Row>,
    /// b of the next problem, then its answer.
    pub x: Vec<f64>,
    /// The answer of the last problem of the step.
    answer: Vec<f64>,
    /// What the problems of this step took.
    pub info: StepInfo,
    /// ê of the contacts of the next problem, where it is not e.
    other: Vec<Option<f64>>,
    /// For whoever differentiates steps.
    pub watch: Option<Box<Watch>>,
}

impl InstantContacts {
    /// For a model.
    pub fn new(mechanism: Box<dyn Mechanism>, options: SolverOptions) -> Self {
        Self {
            mechanism,
            solver: Solver::new(options),
            problem: OneStepProblem::empty(),
            set: Vec::new(),
            rows: Vec::new(),
            x: Vec::new(),
            answer: Vec::new(),
            info: StepInfo::default(),
            other: Vec::new(),
            watch: None,
        }
    }

    /// What a run starts with: E of its state.
    pub fn start(&self, state: &State) -> Memory {
        let mechanism = &self.mechanism;
        let H = mechanism.kinetic_energy(&state.q, &state.v) + mechanism.potential_energy(&state.q);
        Memory::new(H, mechanism.n_contacts())
    }

    /// Forgets the problems of the last step.
    pub fn begin_step(&mut self) {
        self.info = StepInfo::default();
        self.answer.clear();
        if let Some(watch) = &mut self.watch {
            watch.acted.clear();
            watch.answers.clear();
        }
    }

    /// The last problem of the step with its answer.
    pub fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        without_friction(&self.problem, &self.answer)
    }

    /// Every contact at the start of a step, into `step`; the smallest gap and the largest velocity.
    pub fn look(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) {
        let State { t, q, v } = from.state;
        let mut set = IndexSet::new(Activation::Gap, 0.0, from);
        step.contacts.clear();
        for i in 0..self.mechanism.n_contacts() {
            let (gap, u) = (self.mechanism.gap(i, q, *t), self.mechanism.gap_rate(i, q, v, *t));
            set.admit(i, &Approach { gap, u, push: 0.0 }, || 0.0);
            step.contacts.push(ContactState::before(i, gap, u));
        }
        set.finish(step, next);
    }

    /// Whether contact i is closed at q.
    #[inline]
    pub fn closed(&mut self, i: usize, q: &[f64], t: f64) -> bool {
        self.mechanism.gap(i, q, t) <= CLOSED * self.mechanism.gap_size(i, q, t)
    }

    /// Velocities under this are rest.
    #[inline]
    pub fn rest(u_max: f64) -> f64 {
        RESTING * u_max
    }

    /// Whether contact i is closed and at rest at a state: gap and velocity are round-off of what there is, or of what its acceleration γ without contact forces
    /// does in a step.
    pub fn rests(&mut self, i: usize, State { t, q, v }: &State, rest: f64, (gamma, h): (f64, f64)) -> bool {
        let gap = self.mechanism.gap(i, q, *t);
        let closed = gap <= CLOSED * self.mechanism.gap_size(i, q, *t).max(gamma.abs() * h * h);
        closed && self.mechanism.gap_rate(i, q, v, *t).abs() <= rest.max(RESTING * gamma.abs() * h)
    }

    /// Forgets the set.
    pub fn clear(&mut self) {
        self.set.clear();
        self.x.clear();
        self.other.clear();
    }

    /// A contact of the next problem with its b.
    pub fn add(&mut self, i: usize, b: f64) {
        self.set.push(i);
        self.x.push(b);
        self.other.push(None);
    }

    /// A contact that is struck with velocity u; `other` is ê where it is not its own e.
    pub fn strike(&mut self, i: usize, u: f64, other: Option<f64>) {
        let e = other.unwrap_or_else(|| self.mechanism.restitution(i));
        self.add(i, (1.0 + e) * u);
        if let Some(last) = self.other.last_mut() {
            *last = other;
        }
    }

    /// Whether what acts is given.
    pub fn is_given(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.given.is_some())
    }

    /// What is to act at the instant that comes next, where that is given.
    pub fn next_given(&self) -> Option<Acting> {
        let watch = self.watch.as_ref()?;
        watch.given.as_ref().map(|given| given.get(watch.acted.len()).cloned().unwrap_or_default())
    }

    /// Ends an instant at which forces or impulses x were found: those of the last problem.
    pub fn end_instant(&mut self) {
        let Self { set, other, x, .. } = self;
        if let Some(watch) = &mut self.watch {
            watch.end_instant(set.iter().zip(x.iter()).zip(other.iter()).map(|((&i, &x), &other)| (i, x, other)));
        }
    }

    /// Solves the problem that was put together, at q and t; answers stand in `x`.
    pub fn solve(&mut self, (t, q): (f64, &[f64]), from: &State, h: f64) -> Result<(), StepFailure> {
        if self.set.is_empty() {
            return Ok(());
        }
        if let Some(k) = self.x.iter().position(|b| !b.is_finite()) {
            return Err(StepFailure::not_finite(from.t, h, k));
        }
        if !matches!(self.problem.W, Matrix::Dense(_)) {
            self.problem.W = Matrix::Dense(DenseMatrix::zeros(0, 0));
        }
        // W of a linear model changes only with the set
        if !(self.mechanism.is_linear() && self.problem.ids == self.set) {
            let Matrix::Dense(W) = &mut self.problem.W else { unreachable!("made dense above") };
            self.rows.clear();
            self.rows.extend(self.set.iter().copied().map(Row::normal));
            if !self.mechanism.response(t, q, &self.rows, W) {
                return Err(StepFailure::singular(from.t, h, None));
            }
            self.problem.revision += 1;
        }
        self.problem.b.clear();
        self.problem.b.extend_from_slice(&self.x);
        self.problem.ids.clear();
        self.problem.ids.extend_from_slice(&self.set);
        let w = self.problem.W.get(0, 0);
        if self.is_given() {
            return self.solve_as_given(from, h);
        }
        if self.set.len() == 1 && w > 0.0 && self.solver.options.method == Method::Auto {
            // one contact has a closed form, exact to round-off
            self.x[0] = (-self.x[0] / w).max(0.0);
            self.info.solves += 1;
        } else {
            self.x.fill(0.0);
            let report = self.solver.solve(&self.problem, &mut self.x);
            self.info.add(&StepInfo::of(&report));
            if report.status != SolveStatus::Solved {
                return Err(StepFailure::unsolved(from.t, h, &self.problem, &report));
            }
            self.x.iter_mut().for_each(|x| *x = x.max(0.0));
        }
        self.answer.clone_from(&self.x);
        Ok(())
    }

    /// W x + b = 0, whatever signs.
    fn solve_as_given(&mut self, from: &State, h: f64) -> Result<(), StepFailure> {
        let Matrix::Dense(W) = &self.problem.W else { unreachable!("made dense above") };
        let mut lu = SmallLu::default();
        lu.reset(self.set.len()).copy_from_slice(W.values());
        if !lu.factorise() {
            return Err(StepFailure::singular(from.t, h, None));
        }
        lu.solve(&mut self.x);
        self.x.iter_mut().for_each(|x| *x = -*x);
        self.info.solves += 1;
        Ok(())
    }

    /// y ← y + M⁻¹G x.
    pub fn push(&self, y: &mut [f64]) {
        for (k, &x) in self.x.iter().enumerate() {
            if x != 0.0 {
                self.mechanism.push(k, x, y);
            }
        }
    }

    /// W_kk of the last problem.
    pub fn mobility(&self, k: usize) -> f64 {
        self.problem.W.get(k, k)
    }
}
