//! Energy-exact stepping of nonlinear systems with constant mass.
//!
//!   q₁ − q₀ = h (v₀ + v₁)/2,   M (v₁ − v₀) = −h D_V + h f_np(q_m, v_m, t_m) + Σ_j D_gj p_j
//!   joints:    g_j(q₁) = 0                                  (neither drift nor work)
//!   contacts:  0 ≤ D_g·v₁ + ê D_g·v₀ ⟂ p ≥ 0  on {g(q₀ + h v₀) ≤ 0},   ê = 1 for opening contacts
//!
//! D are discrete gradients, D_V·Δq = V₁ − V₀ and D_g·Δq = g₁ − g₀, and ONE D_g serves velocities and impulse, so
//!
//!   ΔE = h f_np·v_m + Σ_contacts p u_{k+½} + Σ_joints p (g₁ − g₀)/h       exactly.
//!
//! V has Gonzalez' gradient, or the model's own (`DiscreteForce`) with independent stresses in Newton's tangent.

pub mod discrete_gradient;
pub mod parameters;
pub mod varying_mass;

use crate::contact::activation::Approach;
use crate::newton::contact_problem::contact_problem;
use crate::newton::evaluation::{Evaluation, mul_add};
use crate::newton::system::{NewtonSystem, REDUNDANT, Scales, effective_masses, larger, over};
use crate::schemes::energy_momentum::discrete_gradient::{Between, Potential, Room, gonzalez};
use crate::{Activation, ContactState, LedgerEntry, Memory, State, Step, StepFailure, StepInfo, StepStart, Stepper};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::Lagrangian;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

const MAX_ITERATIONS: usize = 40;

/// What the scheme carries from step to step: the independent stresses of the model's elements.
#[derive(Clone, Debug, Default, PartialEq)]
struct Stresses {
    elements: Vec<[f64; 3]>,
}

crate::carried! { Stresses { elements } }

/// The scheme bound to a model.
pub struct EnergyMomentum {
    model: Arc<dyn Lagrangian>,
    activation: Activation,
    tolerance: f64,
    /// Independent stresses in Newton's tangent where the model offers them.
    pub independent_stress: bool,
    at: Evaluation,
    system: NewtonSystem,
    index: Vec<bool>,
    active: Vec<bool>,
    r: Vec<f64>,
    p: Vec<f64>,
    /// D_g by column, and u before and after along it.
    D: DenseMatrix,
    u0: Vec<f64>,
    u1: Vec<f64>,
    e_hat: Vec<f64>,
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
}

/// What an iterate leaves.
struct Residual {
    /// The largest residual relative to its scale.
    worst: f64,
    /// Whether round-off may allow no more.
    met: bool,
    /// |v_m·r|, by which the energy identity fails, and ½Σ|p r| of joints and contacts, the work they do beyond their laws [J].
    energy: f64,
}

struct PotentialOf<'a>(&'a dyn Lagrangian);

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

/// g_j as a function with derivatives.
pub struct ConstraintOf<'a>(pub &'a dyn Lagrangian, pub usize);

impl Potential for ConstraintOf<'_> {
    fn value(&self, q: &[f64]) -> f64 {
        self.0.constraint(self.1, q)
    }
    fn gradient(&self, q: &[f64], d: &mut [f64]) {
        self.0.gradient(self.1, q, d);
    }
    fn hessian(&self, q: &[f64], H: &mut DenseMatrix) {
        self.0.hessian(self.1, q, 1.0, H);
    }
}

impl EnergyMomentum {
    /// Binds the scheme to a model; `None` when its mass depends on q.
    pub fn new(model: Arc<dyn Lagrangian>, activation: Activation, tolerance: f64) -> Option<Self> {
        if !model.mass_is_constant() {
            return None;
        }
        let at = Evaluation::new(&*model);
        let (n, nc) = (model.n(), at.g.len());
        let zero = |k| vec![0.0; k];
        let stresses = model.discrete_force().map_or(0, |d| d.n_stresses());
        Some(Self {
            activation,
            tolerance,
            independent_stress: true,
            at,
            system: NewtonSystem::default(),
            index: vec![false; nc],
            active: vec![false; nc],
            r: zero(nc),
            p: zero(nc),
            D: DenseMatrix::zeros(n, nc),
            u0: zero(nc),
            u1: zero(nc),
            e_hat: zero(nc),
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
            model,
        })
    }

    /// Velocities of contact i along its discrete gradient before and after the last step: those of the law and the work.
    pub fn discrete_rates(&self, i: usize) -> (f64, f64) {
        let j = self.model.n_joints() + i;
        (self.u0[j], self.u1[j])
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
        mul_add(&self.at.M, 1.0, &self.dq, &mut self.Mdq);
    }

    /// Residual and matrix in [Δv₁, −Δp].
    fn linearise(&mut self, state: &State, h: f64) -> Residual {
        let (n, nb, nc) = (self.model.n(), self.model.n_joints(), self.p.len());
        let model = Arc::clone(&self.model);
        let at = Between { q0: &state.q, q1: &self.q1, qm: &self.qm, dq: &self.dq, M: &self.at.M, Mdq: &self.Mdq };
        let T = &mut self.system;
        T.clear(n + nc);
        let r = &mut self.residual;
        r.clear();
        r.resize(n + nc, 0.0);

        // M (v₁ − v₀) − h f̄
        for i in 0..n {
            self.row[i] = self.v1[i] - state.v[i];
        }
        mul_add(&self.at.M, 1.0, &self.row, &mut r[..n]);
        T.add_block(0, 0, 1.0, &self.at.M);
        if let Some(own) = model.discrete_force() {
            own.evaluate(&state.q, &self.q1, &mut self.force);
            self.tangent.values_mut().fill(0.0);
            own.tangent(&state.q, &self.q1, &self.stresses, &mut self.tangent);
        } else {
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
        let stiffness = vector::max_abs(self.tangent.values());
        self.jacobian.values_mut().fill(0.0);
        self.C.values_mut().fill(0.0);
        model.force_tangents(&self.qm, &self.vm, state.t + 0.5 * h, &mut self.jacobian, &mut self.C);
        T.add_block(0, 0, 0.5 * h, &self.C);

        // constraints
        let (mut conditions, mut curvature, mut work) = (0.0_f64, 0.0_f64, 0.0_f64);
        for j in 0..nc {
            let column = self.D.column_mut(j);
            gonzalez(&ConstraintOf(&*model, j), &at, column, &mut self.jacobian, &mut self.room);
            self.u0[j] = vector::dot(column, &state.v);
            self.u1[j] = vector::dot(column, &self.v1);
            vector::axpy(-self.p[j], column, &mut r[..n]);
            curvature = larger(curvature, vector::max_abs(self.jacobian.values()));
            T.add_block(0, 0, -0.5 * h * self.p[j], &self.jacobian);
            T.add_column(0, n + j, 1.0, column);
            if j < nb {
                // 2 g(q₁)/h as 2(g₀ + D·Δq)/h: the round-off of g over h then stands in a constant of the step, not in the
                // residual; its derivative in v₁ is ∇g(q₁)
                r[n + j] = self.u0[j] + self.u1[j] + 2.0 * self.at.g[j] / h;
                work += 0.5 * (self.p[j] * r[n + j]).abs();
                self.row.fill(0.0);
                model.gradient(j, &self.q1, &mut self.row);
                T.add_row(n + j, 0, 1.0, &self.row);
                conditions = larger(conditions, r[n + j].abs());
                continue;
            }
            let opening = self.activation == Activation::Hold && self.u0[j] > 0.0;
            self.e_hat[j] = if opening { 1.0 } else { model.restitutions()[j - nb] };
            let law = self.u1[j] + self.e_hat[j] * self.u0[j];
            self.active[j] = self.index[j] && self.p[j] - self.r[j] * law >= 0.0;
            if self.active[j] {
                r[n + j] = law;
                work += 0.5 * (self.p[j] * law).abs();
                // ∂(D·(v₁ + ê v₀))/∂v₁ = D + (h/2) Jᵀ(v₁ + ê v₀)
                for i in 0..n {
                    self.row[i] = self.v1[i] + self.e_hat[j] * state.v[i];
                }
                T.add_row(n + j, 0, 1.0, column);
                for k in 0..n {
                    T.add(n + j, k, 0.5 * h * vector::dot(self.jacobian.column(k), &self.row));
                }
            } else {
                r[n + j] = self.p[j];
                T.add(n + j, n + j, -1.0);
            }
            // an impulse that should vanish counts by the velocity it would give
            let x = r[n + j].abs();
            conditions = larger(conditions, if self.active[j] { x } else { over(x, self.r[j]) });
        }
        for (x, r) in T.x.iter_mut().zip(r.iter()) {
            *x = -r;
        }

        // impulses and velocities of the step set the scale; h f̄ and D p are no better than ε times
        // the coordinates and the stiffness, or p and the curvature of the gaps
        for i in 0..n {
            self.row[i] = (self.v1[i] - state.v[i]) / h;
        }
        let scales = Scales::new(&self.at, &self.q1, &self.v1, &self.row, &state.v, h).with_impulses(&self.p, &self.r);
        let momentum = vector::max_abs(&r[..n]);
        let impulse = self.p.iter().map(|p| p.abs()).sum::<f64>();
        let size = vector::max_abs(&self.q1);
        let floor = 16.0 * f64::EPSILON * (h * stiffness + impulse * curvature) * size;
        Residual {
            worst: scales.worst(momentum, conditions),
            met: scales.met(momentum, conditions, self.tolerance, floor),
            energy: vector::dot(&self.vm, &r[..n]).abs() + work,
        }
    }
}

impl Stepper for EnergyMomentum {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let nb = self.model.n_joints();
        let contacts: Vec<(usize, f64, f64)> = (nb..self.p.len())
            .filter(|&j| self.index[j])
            .map(|j| (j - nb, self.u1[j] + self.e_hat[j] * self.u0[j], self.p[j]))
            .collect();
        contact_problem(&self.at.M, &self.D, nb, &contacts)
    }

    fn start(&mut self, state: &State) -> Memory {
        let H = self.model.kinetic_energy(&state.q, &state.v) + self.model.potential_energy(&state.q);
        let m = self.model.restitutions().len();
        if let Some(own) = self.model.discrete_force() {
            own.stresses(&state.q, &state.q, &mut self.stresses);
        }
        Memory::new(H, m).carrying(Stresses { elements: self.stresses.clone() })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let model = Arc::clone(&self.model);
        let (n, nb, m) = (model.n(), model.n_joints(), model.restitutions().len());
        step.h = h;
        step.after.t = state.t + h;

        // index set at the start
        self.at.dynamics(&*model, &state.q, &state.v, state.t);
        self.at.constraints(&*model, &state.q);
        if !effective_masses(&self.at, nb, &mut self.system, &mut self.r) {
            return Err(StepFailure::newton(state, h, "the mass matrix is singular".into()));
        }
        admitted(&*model, &self.at, self.activation, state, memory, h, step, next, &mut self.index);

        // Newton from the old velocity
        self.v1.copy_from_slice(&state.v);
        self.p.fill(0.0);
        self.stresses.clone_from(&memory.carried.of::<Stresses>().elements);
        // until the residual is what was asked and the identity closes to the round-off of the energies, or no more is gained
        let energy = model.kinetic_energy(&state.q, &state.v) + model.potential_energy(&state.q).abs();
        let (mut iterations, mut last) = (0, f64::MAX);
        let worst = loop {
            self.place(state, h);
            if !self.independent_stress
                && let Some(own) = model.discrete_force()
            {
                own.stresses(&state.q, &self.q1, &mut self.stresses);
            }
            let Residual { worst, met, energy: identity } = self.linearise(state, h);
            let closed = worst <= self.tolerance && identity <= 8.0 * f64::EPSILON * energy;
            if closed || (met && worst > 0.5 * last) {
                break worst;
            }
            last = worst;
            if iterations == MAX_ITERATIONS || !worst.is_finite() {
                let message = format!("Newton stopped at residual {worst:.1e} after {iterations} iterations");
                return Err(StepFailure::newton(state, h, message));
            }
            let r = &self.r;
            if !self.system.solve_sharing(|i| if i < n { 0.0 } else { -REDUNDANT / r[i - n].max(f64::MIN_POSITIVE) }) {
                return Err(StepFailure::newton(state, h, "the Newton matrix is singular".into()));
            }
            let x = &self.system.x;
            for i in 0..n {
                self.row[i] = 0.5 * h * x[i];
            }
            if let Some(own) = model.discrete_force() {
                own.predicted_stresses(&state.q, &self.q1, &self.row, &mut self.stresses);
            }
            for i in 0..n {
                self.v1[i] += x[i];
            }
            for j in 0..nb + m {
                self.p[j] -= x[n + j];
            }
            iterations += 1;
        };
        step.info = StepInfo { solves: 1, iterations, residual: worst, ..Default::default() };

        // the new state and memory
        step.after.set(state.t + h, &self.q1, &self.v1);
        next.carried.renew::<Stresses>().elements.clone_from(&self.stresses);
        next.clear_impulses(m);
        step.contacts.clear();
        let mut entry = LedgerEntry {
            kinetic: model.kinetic_energy(&self.q1, &self.v1),
            potential: model.potential_energy(&self.q1),
            work_external: h * vector::dot(&self.outer, &self.vm),
            ..Default::default()
        };
        for j in 0..nb + m {
            let work = 0.5 * self.p[j] * (self.u0[j] + self.u1[j]);
            if j < nb {
                entry.work_joints += work;
                continue;
            }
            entry.work_contact += work;
            next.p[j - nb] = self.p[j];
            next.push[j - nb] = self.p[j] / self.r[j];
            if self.index[j] {
                // velocities as the gap has them at either end; the law and the work use the discrete gradient
                self.row.fill(0.0);
                model.gradient(j, &self.q1, &mut self.row);
                let u_after = vector::dot(&self.row, &self.v1);
                step.contacts.push(ContactState {
                    id: j - nb,
                    gap: model.constraint(j, &self.q1),
                    u_before: vector::dot(self.at.G.column(j), &state.v),
                    u_free: u_after - self.p[j] / self.r[j],
                    u_after,
                    p: self.p[j].max(0.0),
                });
            }
        }
        entry.close(memory.H, entry.energy());
        next.H = entry.algorithmic_energy;
        step.ledger = entry;
        Ok(())
    }
}

/// The index set at the start of a step, from the constraints evaluated there; notes the smallest gap and velocity.
#[allow(clippy::too_many_arguments, reason = "state and memory in, step and memory out")]
pub fn admitted(
    model: &dyn Lagrangian,
    at: &Evaluation,
    activation: Activation,
    state: &State,
    memory: &Memory,
    h: f64,
    step: &mut Step,
    next: &mut Memory,
    index: &mut [bool],
) {
    let nb = model.n_joints();
    step.smallest_gap = None;
    next.u_max = memory.u_max;
    // room of the new state, overwritten at the end of the step
    step.after.q.clear();
    step.after.q.extend(state.q.iter().zip(&state.v).map(|(q, v)| q + h * v));
    for j in 0..model.restitutions().len() {
        let k = nb + j;
        let u = vector::dot(at.G.column(k), &state.v);
        next.u_max = next.u_max.max(u.abs());
        if step.smallest_gap.is_none_or(|(g, _)| at.g[k] < g) {
            step.smallest_gap = Some((at.g[k], j));
        }
        let gap = model.constraint(k, &step.after.q) - h * u;
        index[k] = activation.admits(&Approach { gap, u, push: memory.push[j] }, h, next.u_max);
    }
}
