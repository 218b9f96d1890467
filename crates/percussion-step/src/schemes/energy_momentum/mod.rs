//! Energy-exact stepping of nonlinear systems with constant mass (Simo and Tarnow 1992; Gonzalez 1996).
//!
//!   q₁ − q₀ = h (v₀ + v₁)/2,   M (v₁ − v₀) = −h D_V + h f_np(q_m, v_m, t_m) + Σ_j D_gj p_j
//!   joints:    g_j(q₁) = 0                                  (neither drift nor work)
//!   contacts:  0 ≤ D_g·v₁ + ê D_g·v₀ ⟂ p ≥ 0  on {g(q₀ + h v₀) ≤ 0},   ê = 1 for opening contacts
//!
//! D are discrete gradients, D_V·Δq = V₁ − V₀ and D_g·Δq = g₁ − g₀, and ONE D_g serves velocities and impulse, so
//!
//!   ΔE = h f_np·v_m + Σ_contacts p u_{k+½} + Σ_joints p (g₁ − g₀)/h       exactly.
//!
//! V has Gonzalez' gradient (1996), or the model's own (`DiscreteForce`) with independent stresses in Newton's tangent.

pub mod discrete_gradient;
pub mod finite;
pub mod frame;
pub mod friction;
pub mod hamiltonian;
pub mod parameters;
pub mod varying_mass;

use crate::newton::driver::{Iteration, Judged, iterate};
use crate::newton::evaluation::mul_add;
use crate::newton::system::{Scales, larger, over, sharing};
use crate::schemes::energy_momentum::discrete_gradient::{Between, Potential, Room, gonzalez};
use crate::schemes::energy_momentum::frame::{ConstraintOf, ContactRows, Frame};
use crate::schemes::energy_momentum::friction::{Left, Motion};
use crate::{Activation, Memory, State, Step, StepFailure, StepInfo, StepStart, Stepper};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::{AtTime, Lagrangian};
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

const MAX_ITERATIONS: usize = 40;
/// What is asked of a step, over what Newton is to reach.
const ASKED: f64 = 10.0;

/// What the scheme carries from step to step: the independent stresses of the model's elements.
#[derive(Clone, Debug, Default, PartialEq)]
struct Stresses {
    elements: Vec<[f64; 3]>,
}

crate::carried! { Stresses { elements } }

/// The scheme bound to a model.
pub struct EnergyMomentum {
    frame: Frame,
    /// Independent stresses in Newton's tangent where the model offers them.
    pub independent_stress: bool,
    /// Whether a problem of its own decides the contacts.
    apart: bool,
    p: Vec<f64>,
    /// u after along D_g.
    u1: Vec<f64>,
    v1: Vec<f64>,
    vm: Vec<f64>,
    q1: Vec<f64>,
    qm: Vec<f64>,
    dq: Vec<f64>,
    Mdq: Vec<f64>,
    /// −D_V, f_np, and buffers.
    force: Vec<f64>,
    outer: Vec<f64>,
    row: Vec<f64>,
    room: Room,
    jacobian: DenseMatrix,
    C: DenseMatrix,
    tangent: DenseMatrix,
    stresses: Vec<[f64; 3]>,
    residual: Vec<f64>,
    /// Kinetic and potential energy at the start, and the last residual: the iteration ends where no more is gained.
    energy: f64,
    last: f64,
}

/// What the constraints leave.
#[derive(Default)]
struct Conditions {
    /// The largest residual as a velocity [m/s].
    worst: f64,
    /// The largest second derivative of a gap.
    curvature: f64,
    /// ½Σ|p r| of joints and contacts, the work they do beyond their laws [J].
    work: f64,
}

/// V as a function with derivatives.
pub struct PotentialOf<'a>(pub &'a dyn Lagrangian);

impl Potential for PotentialOf<'_> {
    fn value(&self, q: &[f64]) -> f64 {
        self.0.potential_energy(q)
    }
    fn gradient(&self, q: &[f64], d: &mut [f64]) {
        self.0.potential_gradient(q, d);
    }
    fn hessian(&self, q: &[f64], H: &mut DenseMatrix) {
        self.0.potential_hessian(q, H);
    }
}

impl EnergyMomentum {
    /// Binds the scheme to a model; `None` when its mass depends on q.
    pub fn new(model: Arc<dyn Lagrangian>, activation: Activation, tolerance: f64) -> Option<Self> {
        if !model.mass_is_constant() {
            return None;
        }
        let stresses = model.discrete_force().map_or(0, |d| d.n_stresses());
        let frame = Frame::new(model, activation, tolerance);
        let (n, nc) = (frame.model.n(), frame.r.len());
        let zero = |k| vec![0.0; k];
        Some(Self {
            frame,
            independent_stress: true,
            apart: false,
            p: zero(nc),
            u1: zero(nc),
            v1: zero(n),
            vm: zero(n),
            q1: zero(n),
            qm: zero(n),
            dq: zero(n),
            Mdq: zero(n),
            force: zero(n),
            outer: zero(n),
            row: zero(n),
            room: Room::new(n),
            jacobian: DenseMatrix::zeros(n, n),
            C: DenseMatrix::zeros(n, n),
            tangent: DenseMatrix::zeros(n, n),
            stresses: vec![[0.0; 3]; stresses],
            residual: Vec::new(),
            energy: 0.0,
            last: f64::MAX,
        })
    }

    /// The same for contacts decided by a problem of their own.
    pub fn apart(self) -> Self {
        Self { apart: true, ..self }
    }

    /// Velocities of contact i along its discrete gradient before and after the last step: those of the law and the work.
    pub fn discrete_rates(&self, i: usize) -> (f64, f64) {
        let j = self.frame.model.n_joints() + i;
        (self.frame.u0[j], self.u1[j])
    }

    /// q₁ and all that follows from v₁.
    fn place(&mut self, state: &State, h: f64) {
        for i in 0..self.v1.len() {
            self.vm[i] = 0.5 * (state.v[i] + self.v1[i]);
            self.dq[i] = h * self.vm[i];
            self.q1[i] = state.q[i] + self.dq[i];
            self.qm[i] = state.q[i] + 0.5 * self.dq[i];
        }
        self.Mdq.fill(0.0);
        mul_add(&self.frame.at.M, 1.0, &self.dq, &mut self.Mdq);
        if !self.independent_stress
            && let Some(own) = self.frame.model.discrete_force()
        {
            own.stresses(&state.q, &self.q1, &mut self.stresses);
        }
    }

    /// Rows of motion of residual and matrix in [Δv₁, −Δp], without the constraints; gives the largest stiffness.
    fn forces(&mut self, from: &StepStart) -> f64 {
        let StepStart { state, h, .. } = *from;
        let model = Arc::clone(&self.frame.model);
        let (n, nc) = (model.n(), self.p.len());
        let M = &self.frame.at.M;
        let T = &mut self.frame.system;
        T.clear(n + nc);
        let r = &mut self.residual;
        r.clear();
        r.resize(n + nc, 0.0);

        // M (v₁ − v₀) − h f̄
        for i in 0..n {
            self.row[i] = self.v1[i] - state.v[i];
        }
        mul_add(M, 1.0, &self.row, &mut r[..n]);
        T.add_block(0, 0, 1.0, M);
        if let Some(own) = model.discrete_force() {
            own.evaluate(&state.q, &self.q1, &mut self.force);
            self.tangent.values_mut().fill(0.0);
            own.tangent(&state.q, &self.q1, &self.stresses, &mut self.tangent);
        } else {
            let at = Between { q0: &state.q, q1: &self.q1, qm: &self.qm, dq: &self.dq, M, Mdq: &self.Mdq };
            gonzalez(&PotentialOf(&*model), &at, &mut self.force, &mut self.tangent, &mut self.room);
            self.force.iter_mut().for_each(|x| *x = -*x);
        }
        vector::axpy(-h, &self.force, &mut r[..n]);
        T.add_block(0, 0, 0.5 * h * h, &self.tangent);

        // forces without a potential, at the midpoint: f + ∂V/∂q
        model.force(&self.qm, &self.vm, state.t + 0.5 * h, &mut self.outer);
        model.potential_gradient(&self.qm, &mut self.row);
        vector::axpy(1.0, &self.row, &mut self.outer);
        vector::axpy(-h, &self.outer, &mut r[..n]);
        self.jacobian.values_mut().fill(0.0);
        self.C.values_mut().fill(0.0);
        model.force_tangents(&self.qm, &self.vm, state.t + 0.5 * h, &mut self.jacobian, &mut self.C);
        T.add_block(0, 0, 0.5 * h, &self.C);
        vector::max_abs(self.tangent.values())
    }

    /// Rows and columns of joints and contacts.
    fn constraints(&mut self, from: &StepStart) -> Conditions {
        let StepStart { state, h, .. } = *from;
        let model = Arc::clone(&self.frame.model);
        let (n, nb) = (model.n(), model.n_joints());
        let (mut left, middle) = (Conditions::default(), AtTime(&*model, state.t + 0.5 * h));
        for j in 0..self.p.len() {
            let frame = &mut self.frame;
            if frame.far(j) {
                (self.u1[j], self.residual[n + j]) = (0.0, self.p[j]);
                frame.system.add(n + j, n + j, -1.0);
                continue;
            }
            let (M, column) = (&frame.at.M, frame.D.column_mut(j));
            let at = Between { q0: &state.q, q1: &self.q1, qm: &self.qm, dq: &self.dq, M, Mdq: &self.Mdq };
            gonzalez(&ConstraintOf(middle, j), &at, column, &mut self.jacobian, &mut self.room);
            let rate = middle.rate(j, &self.qm);
            frame.rates[j] = rate;
            frame.u0[j] = vector::dot(column, &state.v) + rate;
            self.u1[j] = vector::dot(column, &self.v1) + rate;
            vector::axpy(-self.p[j], column, &mut self.residual[..n]);
            left.curvature = larger(left.curvature, vector::max_abs(self.jacobian.values()));
            let T = &mut frame.system;
            T.add_block(0, 0, -0.5 * h * self.p[j], &self.jacobian);
            T.add_column(0, n + j, 1.0, column);
            if j < nb {
                // 2 g(q₁)/h as 2(g₀ + D·Δq)/h: the round-off of g over h then stands in a constant of the step, not in the
                // residual; its derivative in v₁ is ∇g(q₁)
                let r = frame.u0[j] + self.u1[j] + 2.0 * frame.at.g[j] / h;
                self.residual[n + j] = r;
                left.work += 0.5 * (self.p[j] * r).abs();
                self.row.fill(0.0);
                model.gradient(j, &self.q1, &mut self.row);
                T.add_row(n + j, 0, 1.0, &self.row);
                left.worst = larger(left.worst, r.abs());
                continue;
            }
            if self.apart {
                self.residual[n + j] = self.p[j];
                frame.system.add(n + j, n + j, -1.0);
                continue;
            }
            let e_hat = frame.restitution(j);
            let law = self.u1[j] + e_hat * frame.u0[j];
            frame.choose(j, self.p[j], law);
            if frame.active[j] {
                self.residual[n + j] = law;
                left.work += 0.5 * (self.p[j] * law).abs();
                // ∂(D·(v₁ + ê v₀))/∂v₁ = D + (h/2) Jᵀ(v₁ + ê v₀)
                for i in 0..n {
                    self.row[i] = self.v1[i] + e_hat * state.v[i];
                }
                frame.system.add_row(n + j, 0, 1.0, frame.D.column(j));
                for k in 0..n {
                    frame.system.add(n + j, k, 0.5 * h * vector::dot(self.jacobian.column(k), &self.row));
                }
                // (1 + ê) ∂g/∂t at the middle
                self.row.fill(0.0);
                middle.gradient_rate(j, &self.qm, &mut self.row);
                frame.system.add_row(n + j, 0, 0.5 * h * (1.0 + e_hat), &self.row);
                left.worst = larger(left.worst, law.abs());
            } else {
                // an impulse that should vanish counts by the velocity it would give
                self.residual[n + j] = self.p[j];
                frame.system.add(n + j, n + j, -1.0);
                left.worst = larger(left.worst, over(self.p[j].abs(), frame.r[j]));
            }
        }
        left
    }
}

impl EnergyMomentum {
    /// Residual and matrix at the iterate, what the constraints leave, and what is round-off.
    fn evaluate_all(&mut self, from: &StepStart) -> (Conditions, Scales, f64) {
        let StepStart { state, h, .. } = *from;
        self.place(state, h);
        let stiffness = self.forces(from);
        let left = self.constraints(from);
        let (frame, r, n) = (&mut self.frame, &self.residual, self.v1.len());
        frame.system.x.iter_mut().zip(r).for_each(|(x, r)| *x = -r);

        // impulses and velocities of the step set the scale; h f̄ and D p are no better than ε times
        // the coordinates and the stiffness, or p and the curvature of the gaps
        for i in 0..n {
            self.row[i] = (self.v1[i] - state.v[i]) / h;
        }
        let scales =
            Scales::new(&frame.at, &self.q1, &self.v1, &self.row, &state.v, h).with_impulses(&self.p, &frame.r);
        let impulse = self.p.iter().map(|p| p.abs()).sum::<f64>();
        let floor = 16.0 * f64::EPSILON * (h * stiffness + impulse * left.curvature) * vector::max_abs(&self.q1);
        (left, scales, floor)
    }
}

impl Motion for EnergyMomentum {
    fn rows(&mut self) -> &mut dyn ContactRows {
        &mut self.frame
    }

    fn memory(&mut self, state: &State) -> Memory {
        self.start(state)
    }

    /// Newton from the old velocity.
    fn prepare(&mut self, from: &StepStart) {
        let state = from.state;
        self.v1.copy_from_slice(&state.v);
        self.p.fill(0.0);
        self.stresses.clone_from(&from.memory.carried.of::<Stresses>().elements);
        let model = &self.frame.model;
        self.energy = model.kinetic_energy(&state.q, &state.v) + model.potential_energy(&state.q).abs();
        self.last = f64::MAX;
    }

    fn evaluate(&mut self, from: &StepStart) -> Result<Left, StepFailure> {
        let (left, scales, floor) = self.evaluate_all(from);
        Ok(Left { scales, conditions: left.worst, floor })
    }

    /// `evaluate` made the matrix.
    fn linearise(&mut self, _: &StepStart) -> Result<(), StepFailure> {
        Ok(())
    }

    fn balance(&self) -> &[f64] {
        &self.residual[..self.v1.len()]
    }

    fn first_row(&self) -> usize {
        0
    }

    fn way(&self, h: f64) -> f64 {
        0.5 * h
    }

    fn update(&mut self, from: &StepStart, x: &[f64]) {
        let n = self.v1.len();
        for i in 0..n {
            self.row[i] = 0.5 * from.h * x[i];
        }
        if let Some(own) = self.frame.model.discrete_force() {
            own.predicted_stresses(&from.state.q, &self.q1, &self.row, &mut self.stresses);
        }
        self.v1.iter_mut().zip(x).for_each(|(v, x)| *v += x);
        self.p.iter_mut().zip(&x[n..]).for_each(|(p, x)| *p -= x);
    }

    fn push(&mut self, j: usize, p: f64) {
        self.p[j] = p;
    }

    fn mean_velocity(&self) -> &[f64] {
        &self.vm
    }

    fn finish(&mut self, from: &StepStart, (work_friction, _): (f64, f64), (step, next): (&mut Step, &mut Memory)) {
        next.carried.renew::<Stresses>().elements.clone_from(&self.stresses);
        let work = from.h * vector::dot(&self.outer, &self.vm);
        let Self { frame, q1, v1, p, u1, .. } = self;
        let middle = |frame: &Frame, j: usize| 0.5 * (frame.u0[j] + u1[j]);
        frame.conclude(from, (q1, v1, p), middle, (work, work_friction), (step, next));
    }
}

impl Iteration for EnergyMomentum {
    /// Until the residual is what was asked and the identity closes to the round-off of the energies, or no more is gained.
    fn judge(&mut self, from: &StepStart, iteration: usize) -> Result<Judged, StepFailure> {
        let (left, scales, floor) = self.evaluate_all(from);
        let r = self.balance();
        let momentum = vector::max_abs(r);
        let worst = scales.worst(momentum, left.worst);

        // |v_m·r| is what the energy identity fails by
        let identity = vector::dot(&self.vm, r).abs() + left.work;
        let tolerance = self.frame.tolerance;
        let closed = worst <= tolerance && identity <= 8.0 * f64::EPSILON * self.energy;
        let stalled = scales.met(momentum, left.worst, tolerance, floor) && worst > 0.5 * self.last;
        self.last = worst;
        // contacts at one place that hold each other with impulses far above those that move anything leave no more digits: what was asked counts
        let met = iteration == MAX_ITERATIONS && worst <= ASKED * tolerance;
        let done = closed || stalled || met;
        Ok(Judged { worst: if done { scales.beyond_round_off(momentum, left.worst, floor) } else { worst }, done })
    }

    fn improve(&mut self, from: &StepStart, _iteration: usize) -> Result<(), StepFailure> {
        let (n, frame) = (self.v1.len(), &mut self.frame);
        if !frame.system.solve_sharing(|i| sharing(&frame.r, n, i)) {
            return Err(from.failure("the Newton matrix is singular"));
        }
        let x = std::mem::take(&mut frame.system.x);
        self.update(from, &x);
        self.frame.system.x = x;
        Ok(())
    }
}

impl Stepper for EnergyMomentum {
    fn loads_in_the_middle(&self) -> bool {
        true
    }

    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let frame = &self.frame;
        frame.problem(&self.p, |j| self.u1[j] + frame.restitution(j) * frame.u0[j])
    }

    fn start(&mut self, state: &State) -> Memory {
        let model = &self.frame.model;
        if let Some(own) = model.discrete_force() {
            own.stresses(&state.q, &state.q, &mut self.stresses);
        }
        let memory = Memory::new(self.frame.energy(state), model.restitutions().len());
        memory.carrying(Stresses { elements: self.stresses.clone() })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        self.frame.begin(from, step, next)?;
        self.prepare(from);
        let (iterations, residual) = iterate(self, from, MAX_ITERATIONS)?;
        step.info = StepInfo { solves: 1, iterations, residual, ..Default::default() };
        self.finish(from, (0.0, 0.0), (step, next));
        Ok(())
    }
}
