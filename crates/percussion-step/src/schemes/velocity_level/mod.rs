//! Velocity-level schemes for nonlinear models: Moreau–Jean, nonsmooth generalized-α and their relatives in one form.
//!
//!   Moreau–Jean:     M v̇ = f(q, v, t),                v̂ = v_n + h(1−θ)v̇_n + hθ v̇,    q = q_n + h(1−θ)v_n + hθ v
//!   generalized-α:   M v̇ = f(q, v, t) + g_bᵀλ, g_b v̂ = 0,   v̂, q̂ as in GGL,            q = q̂ + (h/2) W
//!   all:             M W = g_qᵀΛ,  v = v̂ + W,  g_b v = 0,  0 ≤ g_u v + ê g_u(q_n)v_n ⟂ Λ_u ≥ 0 on the index set,
//!                    with ∂g/∂t added to g_u v where obstacles move
//!
//! The others are in `family.rs`. The index set is explicit (activation rule at q_n, v_n). With Δq = c_q Δv̂ + c_w ΔW, Δv̇ = ρ Δv̂
//! and s the share of Δq and Δv by which the place of M, f and rows moves (1, or θ), the Newton matrix in [Δv̂, −hΔλ, ΔW, −ΔΛ] is
//!
//!   [hρM + hsC + h s c_q K_t,  g_bᵀ,  hsC + h s c_w K_t,  0;   g_b + s c_q G_ss, 0, s c_w G_ss, 0;
//!    s c_q G_v, 0, M + s c_w G_v, g_qᵀ;   B: g_q + s c_q G_sv, 0, g_q + s c_w G_sv, 0, else −1]
//!
//! No energy identity is known for nonlinear forces: the balance in the ledger is measured, ΔE minus the works.

pub mod family;
pub mod friction;

use crate::contact::activation::Approach;
use crate::newton::contact_problem::contact_problem;
use crate::newton::driver::{Iteration, Judged, alpha_start, close_step, iterate, outer_work};
use crate::newton::evaluation::{Evaluation, mul_add};
use crate::newton::system::{
    NewtonSystem, REDUNDANT, Scales, effective_masses, larger, newton_tolerance, over, sharing,
};
pub use crate::schemes::velocity_level::family::VelocityScheme;
use crate::schemes::velocity_level::family::{FilteredPotential, Weights};
use crate::schemes::velocity_level::friction::VelocityFriction;
use crate::{
    Activation, ContactState, LedgerEntry, Memory, Scheme, State, Step, StepFailure, StepInfo, StepStart, Stepper,
};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::{AtTime, Lagrangian};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

pub(crate) const MAX_ITERATIONS: usize = 60;

/// A velocity-level scheme bound to a nonlinear model.
pub struct VelocityLevel {
    pub(crate) model: Arc<dyn Lagrangian>,
    pub(crate) scheme: VelocityScheme,
    activation: Activation,
    pub(crate) tolerance: f64,
    pub(crate) at: Evaluation,
    pub(crate) system: NewtonSystem,
    /// In the index set, with its ê and u_n; joints always are.
    pub(crate) index: Vec<bool>,
    e_hat: Vec<f64>,
    u_n: Vec<f64>,
    /// ∂g/∂t at the start.
    pub(crate) rates_n: Vec<f64>,
    active: Vec<bool>,
    pub(crate) r: Vec<f64>,
    // unknowns
    vd: Vec<f64>,
    lt: Vec<f64>,
    W: Vec<f64>,
    pub(crate) La: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) vt: Vec<f64>,
    pub(crate) v: Vec<f64>,
    /// Where M, f and rows are taken.
    pub(crate) q_e: Vec<f64>,
    v_e: Vec<f64>,
    pub(crate) residual: Vec<f64>,
    hessian: DenseMatrix,
    Kt: DenseMatrix,
    Gv: DenseMatrix,
    row: Vec<f64>,
}

impl VelocityLevel {
    /// Binds the scheme to a model.
    pub fn new(model: Arc<dyn Lagrangian>, scheme: VelocityScheme, activation: Activation, tolerance: f64) -> Self {
        let at = Evaluation::new(&*model);
        let (n, nb, nc) = (model.n(), model.n_joints(), at.g.len());
        let zero = |k| vec![0.0; k];
        Self {
            scheme,
            activation,
            tolerance,
            at,
            system: NewtonSystem::default(),
            index: vec![false; nc],
            e_hat: zero(nc),
            u_n: zero(nc),
            rates_n: zero(nc),
            active: vec![false; nc],
            r: zero(nc),
            vd: zero(n),
            lt: zero(nb),
            W: zero(n),
            La: zero(nc),
            q: zero(n),
            vt: zero(n),
            v: zero(n),
            q_e: zero(n),
            v_e: zero(n),
            residual: Vec::new(),
            hessian: DenseMatrix::zeros(n, n),
            Kt: DenseMatrix::zeros(n, n),
            Gv: DenseMatrix::zeros(n, n),
            row: zero(n),
            model,
        }
    }

    /// Λ of the last step, joints first: impulses.
    pub fn impulses(&self) -> &[f64] {
        &self.La
    }

    fn weights(&self, h: f64) -> Weights {
        self.scheme.weights(h)
    }

    /// Joints with a smooth multiplier of their own.
    pub(crate) fn smooth_joints(&self) -> usize {
        if self.scheme.has_smooth_joints() { self.model.n_joints() } else { 0 }
    }

    /// Index set, ê and u_n from the state at the start; the prediction v̇ = 0.
    pub(crate) fn predict(&mut self, state: &State, memory: &Memory, h: f64, step: &mut Step, next: &mut Memory) {
        let (n, nb) = (self.model.n(), self.model.n_joints());
        let model = &*self.model;
        self.at.constraints(model, &state.q, state.t);
        self.rates_n.copy_from_slice(&self.at.rates);
        let e_open = self.scheme.opening_restitution();
        next.u_max = memory.u_max;
        for j in nb..self.u_n.len() {
            self.u_n[j] = self.at.constraint_rate(j, &state.v);
            next.u_max = next.u_max.max(self.u_n[j].abs());
        }
        let ahead = match self.activation {
            Activation::Predicted { prediction } => prediction * h,
            _ => h,
        };
        for i in 0..n {
            self.row[i] = state.q[i] + ahead * state.v[i];
        }
        step.smallest_gap = None;
        for j in 0..self.index.len() {
            if j < nb {
                (self.index[j], self.e_hat[j]) = (true, 0.0);
                continue;
            }
            if step.smallest_gap.is_none_or(|(g, _)| self.at.g[j] < g) {
                step.smallest_gap = Some((self.at.g[j], j - nb));
            }
            // the gap of the predicted place, so that curvature is seen
            let gap = AtTime(model, state.t + ahead).constraint(j, &self.row);
            let u = self.u_n[j];
            let contact = Approach { gap: gap - ahead * u, u, push: memory.push[j - nb] };
            self.index[j] = self.activation.admits(&contact, h, next.u_max);
            self.e_hat[j] = self.activation.restitution(u, model.restitutions()[j - nb], e_open);
        }

        // v̇ = 0, no impulses
        for zeroed in [&mut self.vd, &mut self.lt, &mut self.W, &mut self.La] {
            zeroed.fill(0.0);
        }
        self.predict_motion(state, memory, h);
        self.v.copy_from_slice(&self.vt);
    }

    /// Residuals at the evaluated iterate, with the active set chosen again.
    pub(crate) fn residuals(&mut self, v_n: &[f64], h: f64) -> (Scales, f64, f64) {
        let (n, nb, nc) = (self.model.n(), self.smooth_joints(), self.La.len());
        let joints = self.model.n_joints();
        let (at_W, at_La) = (n + nb, 2 * n + nb);
        let r = &mut self.residual;
        r.clear();
        r.resize(at_La + nc, 0.0);
        mul_add(&self.at.M, h, &self.vd, &mut r[..n]);
        vector::axpy(-h, &self.at.f, &mut r[..n]);
        mul_add(&self.at.M, 1.0, &self.W, &mut r[at_W..at_W + n]);
        for j in 0..nc {
            let column = self.at.G.column(j);
            if j < nb {
                vector::axpy(-h * self.lt[j], column, &mut r[..n]);
                r[n + j] = vector::dot(column, &self.vt);
            }
            vector::axpy(-self.La[j], column, &mut r[at_W..at_W + n]);
            let u = self.at.constraint_rate(j, &self.v) + self.e_hat[j] * self.u_n[j];
            self.active[j] = j < joints || (self.index[j] && self.La[j] - self.r[j] * u >= 0.0);
            r[at_La + j] = if self.active[j] { u } else { self.La[j] };
        }
        let momentum = larger(vector::max_abs(&r[..n]), vector::max_abs(&r[at_W..at_La]));
        // a multiplier that should vanish counts by the velocity it would give
        let mut conditions = vector::max_abs(&r[n..at_W]);
        for j in 0..nc {
            let x = r[at_La + j].abs();
            conditions = larger(conditions, if self.active[j] { x } else { over(x, self.r[j]) });
        }
        (Scales::new(&self.at, &self.q, &self.v, &self.vd, v_n, h), momentum, conditions)
    }

    pub(crate) fn assemble(&mut self, from: &StepStart) {
        let h = from.h;
        let (n, nb, nc) = (self.model.n(), self.smooth_joints(), self.La.len());
        let (at_W, at_La) = (n + nb, 2 * n + nb);
        let Weights { c_q, c_w, rate, share } = self.weights(h);
        let (c_q, c_w) = (share * c_q, share * c_w);
        let (model, t) = (&*self.model, self.scheme.time(from));
        let rows = AtTime(model, t);
        self.at.tangents(model, &self.q_e, &self.v_e, t);
        self.Kt.values_mut().copy_from_slice(self.at.K.values());
        self.Gv.values_mut().fill(0.0);
        if !model.mass_is_constant() {
            model.mass_tangent(&self.q_e, &self.vd, &mut self.Kt);
            model.mass_tangent(&self.q_e, &self.W, &mut self.Gv);
        }
        if let Some(kappa) = self.scheme.potential_weight() {
            self.hessian.values_mut().fill(0.0);
            model.potential_hessian(&self.q_e, &mut self.hessian);
            vector::axpy(kappa - 1.0, self.hessian.values(), self.Kt.values_mut());
        }
        let T = &mut self.system;
        T.clear(at_La + nc);
        for j in 0..nc {
            let column = self.at.G.column(j);
            self.hessian.values_mut().fill(0.0);
            rows.hessian(j, &self.q_e, 1.0, &mut self.hessian);
            if j < nb {
                vector::axpy(-self.lt[j], self.hessian.values(), self.Kt.values_mut());
                T.add_column(0, n + j, 1.0, column);
                self.row.fill(0.0);
                mul_add(&self.hessian, 1.0, &self.vt, &mut self.row);
                T.add_row(n + j, 0, 1.0, column);
                T.add_row(n + j, 0, c_q, &self.row);
                T.add_row(n + j, at_W, c_w, &self.row);
            }
            vector::axpy(-self.La[j], self.hessian.values(), self.Gv.values_mut());
            T.add_column(at_W, at_La + j, 1.0, column);
            if self.active[j] {
                self.row.fill(0.0);
                mul_add(&self.hessian, 1.0, &self.v, &mut self.row);
                rows.gradient_rate(j, &self.q_e, &mut self.row);
                T.add_row(at_La + j, 0, 1.0, column);
                T.add_row(at_La + j, 0, c_q, &self.row);
                T.add_row(at_La + j, at_W, 1.0, column);
                T.add_row(at_La + j, at_W, c_w, &self.row);
            } else {
                T.add(at_La + j, at_La + j, -1.0);
            }
        }
        T.add_block(0, 0, h * rate, &self.at.M);
        T.add_block(0, 0, share * h, &self.at.C);
        T.add_block(0, 0, h * c_q, &self.Kt);
        T.add_block(0, at_W, share * h, &self.at.C);
        T.add_block(0, at_W, h * c_w, &self.Kt);
        T.add_block(at_W, 0, c_q, &self.Gv);
        T.add_block(at_W, at_W, 1.0, &self.at.M);
        T.add_block(at_W, at_W, c_w, &self.Gv);
        for (x, r) in T.x.iter_mut().zip(&self.residual) {
            *x = -r;
        }
    }

    /// The measured balance of a step with these works of contacts, joints and obstacles.
    pub(crate) fn close(&self, from: &StepStart, mut entry: LedgerEntry, step: &mut Step, next: &mut Memory) {
        entry.work_external += outer_work(&*self.model, from, &self.q, &self.v);
        close_step(&*self.model, entry, from, step, next);
    }

    /// M, f and the constraints at the iterate, and the masses constraints see at the first.
    pub(crate) fn evaluate(&mut self, from: &StepStart, iteration: usize) -> Result<(), StepFailure> {
        let model = &*self.model;
        self.scheme.place((&from.state.q, &self.q), &mut self.q_e);
        self.scheme.place((&from.state.v, &self.v), &mut self.v_e);
        self.at.dynamics(model, &self.q_e, &self.v_e, self.scheme.time(from));
        if let Some(kappa) = self.scheme.potential_weight() {
            model.potential_gradient(&self.q_e, &mut self.row);
            vector::axpy(1.0 - kappa, &self.row, &mut self.at.f);
        }
        self.at.constraints(model, &self.q_e, self.scheme.time(from));
        if iteration == 0 && !effective_masses(&self.at, model.n_joints(), &mut self.system, &mut self.r) {
            return Err(from.failure("the mass matrix is singular"));
        }
        Ok(())
    }

    /// g_j at the end of the step.
    pub(crate) fn gap(&self, j: usize, end: f64) -> f64 {
        if self.scheme.is_between() { AtTime(&*self.model, end).constraint(j, &self.q) } else { self.at.g[j] }
    }

    /// What is left of the iterate, judged.
    pub(crate) fn judged(&mut self, from: &StepStart, (scales, momentum, conditions): (Scales, f64, f64)) -> Judged {
        let (t, tolerance) = (self.scheme.time(from), self.tolerance);
        let Self { model, at, q_e, v_e, .. } = self;
        scales.judge(momentum, conditions, tolerance, || at.round_off(&**model, q_e, v_e, t, from.h))
    }

    pub(crate) fn update(&mut self, h: f64) {
        let (n, nb) = (self.model.n(), self.smooth_joints());
        let Weights { c_q, c_w, rate, .. } = self.weights(h);
        let x = &self.system.x;
        for i in 0..n {
            let (dv, dW) = (x[i], x[n + nb + i]);
            self.vt[i] += dv;
            self.vd[i] += rate * dv;
            self.W[i] += dW;
            self.q[i] += c_q * dv + c_w * dW;
            self.v[i] = self.vt[i] + self.W[i];
        }
        for j in 0..nb {
            self.lt[j] -= x[n + j] / h;
        }
        for j in 0..self.La.len() {
            self.La[j] -= x[2 * n + nb + j];
        }
    }
}

/// The compliance of row i of the Newton matrix where redundant constraints make it singular; none in rows of motion.
pub(crate) fn compliance(r: &[f64], n: usize, nb: usize, at_La: usize, i: usize) -> f64 {
    match i {
        i if i >= at_La => sharing(r, at_La, i),
        i if (n..n + nb).contains(&i) && at_La > 2 * n => -REDUNDANT / r[i - n],
        _ => 0.0,
    }
}

impl Iteration for VelocityLevel {
    fn judge(&mut self, from: &StepStart, iteration: usize) -> Result<Judged, StepFailure> {
        self.evaluate(from, iteration)?;
        let left = self.residuals(&from.state.v, from.h);
        Ok(self.judged(from, left))
    }

    fn improve(&mut self, from: &StepStart, _iteration: usize) -> Result<(), StepFailure> {
        self.assemble(from);
        let (n, nb) = (self.model.n(), self.model.n_joints());
        let at_La = 2 * n + self.smooth_joints();
        if !self.system.solve_sharing(|i| compliance(&self.r, n, nb, at_La, i)) {
            return Err(from.failure("the Newton matrix is singular"));
        }
        self.update(from.h);
        Ok(())
    }
}

impl Stepper for VelocityLevel {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let nb = self.model.n_joints();
        let contacts: Vec<(usize, f64, f64)> = (nb..self.index.len())
            .filter(|&j| self.index[j])
            .map(|j| {
                let u = self.at.constraint_rate(j, &self.v);
                (j - nb, u + self.e_hat[j] * self.u_n[j], self.La[j])
            })
            .collect();
        contact_problem(&self.at.M, &self.at.G, nb, &contacts)
    }

    fn start(&mut self, state: &State) -> Memory {
        // Moreau–Jean: v̇_0 = M⁻¹f without multipliers; the others: accelerations consistent with the joints
        let nb = if self.scheme.starts_with_joints() { self.model.n_joints() } else { 0 };
        let (memory, carried, _) = alpha_start(&*self.model, &mut self.at, &mut self.system, nb, state);
        if self.scheme.potential_weight().is_none() {
            return memory.carrying(carried);
        }
        self.q_e.copy_from_slice(&state.q);
        let s = self.potential_acceleration();
        memory.carrying(FilteredPotential { a: carried.a, b: s.clone(), s })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let (nb, m) = (self.model.n_joints(), self.model.restitutions().len());
        step.h = h;
        self.predict(state, memory, h, step, next);
        let (iterations, residual) = iterate(self, from, MAX_ITERATIONS)?;
        step.info = StepInfo { solves: 1, iterations, residual, ..Default::default() };

        // the new state and memory
        step.after.set(from.end(), &self.q, &self.v);
        self.remember(memory, h, next);
        step.contacts.clear();
        next.clear_impulses(m);
        let mut entry = LedgerEntry::default();
        for j in 0..nb + m {
            let row = self.at.G.column(j);
            let (before, after) = (vector::dot(row, &state.v), vector::dot(row, &self.v));
            let work = 0.5 * self.La[j] * (before + after);
            if j < nb {
                entry.work_joints += work;
                continue;
            }
            let obstacle = 0.5 * self.La[j] * (self.rates_n[j] + self.at.rates[j]);
            entry.work_contact += work + obstacle;
            entry.work_external -= obstacle;
            next.p[j - nb] = self.La[j];
            next.push[j - nb] = self.La[j] / self.r[j];
            if self.index[j] {
                step.contacts.push(ContactState {
                    id: j - nb,
                    gap: self.gap(j, from.end()),
                    u_before: self.u_n[j],
                    u_free: self.at.constraint_rate(j, &self.vt),
                    u_after: after + self.at.rates[j],
                    p: self.La[j].max(0.0),
                });
            }
        }
        self.close(from, entry, step, next);
        Ok(())
    }
}

/// The stepper of a velocity-level scheme on a Lagrangian model, with cones where some contact has friction.
pub(crate) fn velocity_level(
    model: &Arc<dyn Lagrangian>,
    kind: VelocityScheme,
    scheme: &Scheme,
    options: SolverOptions,
) -> Box<dyn Stepper> {
    let frictional = model.frictions().iter().any(|&mu| mu > 0.0);
    let frictionless = VelocityLevel::new(Arc::clone(model), kind, scheme.activation, newton_tolerance(&options));
    if frictional { Box::new(VelocityFriction::new(frictionless, scheme, options)) } else { Box::new(frictionless) }
}
