//! Generalized-α of index 3 with contacts as plain inequalities: the scheme that shows why impacts need impulses.
//!
//!   M v̇ − f − g_qᵀλ = 0,   g_b(q) = 0,   0 ≤ g_u(q) ⟂ λ_u ≥ 0,   q, v, a by generalized-α with the force λ inside
//!
//! Restitution is not used; energy grows at impacts. Newton in [Δv, −hΔλ]:
//!
//!   [(1−α_m)/((1−α_f)γ) M + hC + (β/γ)h²K_t,  g_qᵀ;   active: (β/γ) g_q, 0, else −1]

pub mod parameters;

use crate::newton::contact_problem::contact_problem;
use crate::newton::driver::{Iteration, Judged, alpha_start, close_step, iterate, outer_work, smallest_gap};
use crate::newton::evaluation::{Evaluation, mul_add};
use crate::newton::system::{NewtonSystem, Scales, carry, effective_masses, larger, over, predict, sharing};
use crate::{ContactState, LedgerEntry, Memory, NewmarkLike, State, Step, StepFailure, StepInfo, StepStart, Stepper};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::Lagrangian;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

const MAX_ITERATIONS: usize = 60;

/// The scheme bound to a nonlinear model.
pub struct SmoothAlpha {
    model: Arc<dyn Lagrangian>,
    p: NewmarkLike,
    tolerance: f64,
    at: Evaluation,
    system: NewtonSystem,
    r: Vec<f64>,
    active: Vec<bool>,
    vd: Vec<f64>,
    lambda: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    residual: Vec<f64>,
    Kt: DenseMatrix,
    /// Length of the last step [s].
    h: f64,
}

impl SmoothAlpha {
    /// Binds the scheme to a model.
    pub fn new(model: Arc<dyn Lagrangian>, p: NewmarkLike, tolerance: f64) -> Self {
        let at = Evaluation::new(&*model);
        let (n, nc) = (model.n(), at.g.len());
        let zero = |k| vec![0.0; k];
        Self {
            p,
            tolerance,
            at,
            system: NewtonSystem::default(),
            r: zero(nc),
            active: vec![false; nc],
            vd: zero(n),
            lambda: zero(nc),
            q: zero(n),
            v: zero(n),
            residual: Vec::new(),
            Kt: DenseMatrix::zeros(n, n),
            h: 0.0,
            model,
        }
    }

    fn residuals(&mut self, v_n: &[f64], h: f64) -> (Scales, f64, f64) {
        let (n, nb, nc) = (self.model.n(), self.model.n_joints(), self.lambda.len());
        let r = &mut self.residual;
        r.clear();
        r.resize(n + nc, 0.0);
        mul_add(&self.at.M, h, &self.vd, &mut r[..n]);
        vector::axpy(-h, &self.at.f, &mut r[..n]);
        for j in 0..nc {
            vector::axpy(-h * self.lambda[j], self.at.G.column(j), &mut r[..n]);
            self.active[j] = j < nb || h * h * self.lambda[j] - self.r[j] * self.at.g[j] >= 0.0;
            r[n + j] = if self.active[j] { self.at.g[j] / h } else { h * self.lambda[j] };
        }
        let momentum = vector::max_abs(&r[..n]);
        // a force that should vanish counts by the velocity it would give
        let mut conditions = 0.0;
        for j in 0..nc {
            let x = r[n + j].abs();
            conditions = larger(conditions, if self.active[j] { x } else { over(x, self.r[j]) });
        }
        (Scales::new(&self.at, &self.q, &self.v, &self.vd, v_n, h), momentum, conditions)
    }

    fn assemble(&mut self, t: f64, h: f64) {
        let (n, nc) = (self.model.n(), self.lambda.len());
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = self.p;
        let b = beta / gamma;
        let model = &*self.model;
        self.at.tangents(model, &self.q, &self.v, t);
        self.Kt.values_mut().copy_from_slice(self.at.K.values());
        if !model.mass_is_constant() {
            model.mass_tangent(&self.q, &self.vd, &mut self.Kt);
        }
        let T = &mut self.system;
        T.clear(n + nc);
        for j in 0..nc {
            let column = self.at.G.column(j);
            model.hessian(j, &self.q, -self.lambda[j], &mut self.Kt);
            T.add_column(0, n + j, 1.0, column);
            if self.active[j] {
                T.add_row(n + j, 0, b, column);
            } else {
                T.add(n + j, n + j, -1.0);
            }
        }
        T.add_block(0, 0, (1.0 - alpha_m) / ((1.0 - alpha_f) * gamma), &self.at.M);
        T.add_block(0, 0, h, &self.at.C);
        T.add_block(0, 0, b * h * h, &self.Kt);
        for (x, r) in T.x.iter_mut().zip(&self.residual) {
            *x = -r;
        }
    }
}

impl Iteration for SmoothAlpha {
    fn judge(&mut self, from: &StepStart, iteration: usize) -> Result<Judged, StepFailure> {
        let (StepStart { state, h, .. }, t) = (*from, from.end());
        let model = &*self.model;
        self.at.dynamics(model, &self.q, &self.v, t);
        self.at.constraints(model, &self.q, t);
        if iteration == 0 && !effective_masses(&self.at, model.n_joints(), &mut self.system, &mut self.r) {
            return Err(from.failure("the mass matrix is singular"));
        }
        let (scales, momentum, conditions) = self.residuals(&state.v, h);
        let Self { model, at, q, v, .. } = self;
        Ok(scales.judge(momentum, conditions, self.tolerance, || at.round_off(&**model, q, v, t, h)))
    }

    fn improve(&mut self, from: &StepStart, _iteration: usize) -> Result<(), StepFailure> {
        let (n, h) = (self.model.n(), from.h);
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = self.p;
        self.assemble(from.end(), h);
        if !self.system.solve_sharing(|i| sharing(&self.r, n, i)) {
            return Err(from.failure("the Newton matrix is singular"));
        }
        let rate = (1.0 - alpha_m) / ((1.0 - alpha_f) * gamma * h);
        for i in 0..n {
            let dv = self.system.x[i];
            self.v[i] += dv;
            self.vd[i] += rate * dv;
            self.q[i] += h * beta / gamma * dv;
        }
        for (lambda, x) in self.lambda.iter_mut().zip(&self.system.x[n..]) {
            *lambda -= x / h;
        }
        Ok(())
    }
}

impl Stepper for SmoothAlpha {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        // q moves by h β′ times the velocity an impulse gives
        let NewmarkLike { alpha_m, alpha_f, beta, .. } = self.p;
        let (nb, length) = (self.model.n_joints(), self.h * beta * (1.0 - alpha_f) / (1.0 - alpha_m));
        let contacts: Vec<(usize, f64, f64)> = (nb..self.lambda.len())
            .filter(|&j| self.active[j] || self.lambda[j] > 0.0)
            .map(|j| (j - nb, self.at.g[j] / length, self.h * self.lambda[j]))
            .collect();
        contact_problem(&self.at.M, &self.at.G, nb, &contacts)
    }

    fn start(&mut self, state: &State) -> Memory {
        let nb = self.model.n_joints();
        let (memory, carried, _) = alpha_start(&*self.model, &mut self.at, &mut self.system, nb, state);
        memory.carrying(carried)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let model = Arc::clone(&self.model);
        let (nb, m) = (model.n_joints(), model.restitutions().len());
        self.h = h;
        step.h = h;

        // Newton from v̇ = 0, λ = 0
        self.at.constraints(&*model, &state.q, state.t);
        step.smallest_gap = smallest_gap(&self.at, nb);
        self.vd.fill(0.0);
        self.lambda.fill(0.0);
        predict(&self.p, state, memory, h, &mut self.v, &mut self.q);
        let (iterations, residual) = iterate(self, from, MAX_ITERATIONS)?;
        step.info = StepInfo { solves: 1, iterations, residual, ..Default::default() };

        // the new state and memory
        step.after.set(from.end(), &self.q, &self.v);
        carry(&self.p, &self.vd, memory, next);
        step.contacts.clear();
        next.clear_impulses(m);
        next.u_max = memory.u_max;
        let mut entry =
            LedgerEntry { work_external: outer_work(&*model, from, &self.q, &self.v), ..Default::default() };
        for j in nb..nb + m {
            let row = self.at.G.column(j);
            let (before, after) = (vector::dot(row, &state.v), vector::dot(row, &self.v));
            let p = h * self.lambda[j];
            next.p[j - nb] = p;
            entry.work_contact += 0.5 * p * (before + after);
            if self.active[j] || p > 0.0 {
                step.contacts.push(ContactState {
                    id: j - nb,
                    gap: self.at.g[j],
                    u_before: before,
                    u_free: after - p / self.r[j],
                    u_after: after,
                    p: p.max(0.0),
                });
            }
        }
        close_step(&*model, entry, from, step, next);
        Ok(())
    }
}
