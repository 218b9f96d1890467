//! Nonsmooth generalized-α with constraints at position and velocity level (Gear–Gupta–Leimkuhler; Brüls, Acary and
//! Cardona 2014), solved by one semi-smooth Newton over the whole step.
//!
//!   M v̇ − f(q, v, t) − g_bᵀλ = 0           g_b v̂ = 0                 smooth part; b: joints
//!   M U − g_qᵀν = 0      g_b(q) = 0        0 ≤ g_u(q) ⟂ ν_u ≥ 0        position; u: contacts
//!   M W − g_qᵀΛ = 0      g_b v = 0         0 ≤ g_u v + e g_u(q_n) v_n ⟂ Λ_u ≥ 0 where g_u(q̂) ≤ 0, else Λ_u = 0
//!   q̂ = q_n + h v_n + h²(½−β)a_n + h²β a    q = q̂ + U
//!   v̂ = v_n + h(1−γ)a_n + hγ a              v = v̂ + W
//!   (1−α_m) a + α_m a_n = (1−α_f) v̇ + α_f v̇_n
//!
//! Under `hold` the velocity condition also acts where ν > 0, u_n = g_q(q_{n+1}) v_n and ê = 1 for opening contacts.
//! Inactive rows carry −1 (with +1, as printed in the paper, ν and Λ double instead of vanishing).
//!
//! Ledger: ΔE = [E(q̂, v̂) − E_n] + ½(v + v̂)ᵀg_qᵀΛ + [V(q) − V(q̂)] + ½ v̂ᵀ(M(q) − M(q̂))v̂; all but the first bracket is the
//! work of contacts and joints, reported together because at rest its parts only cancel in the sum.

use super::ggl_newton::{GglNewton, GglVariant, Iterate, Setting};
use super::newton::consistent_acceleration;
use crate::{ContactState, LedgerEntry, Memory, NewmarkLike, State, Step, StepFailure, StepInfo, Stepper, Warning};
use percussion_matrix::vector;
use percussion_model::{Code, Lagrangian};
use std::sync::Arc;

/// Places of the vectors in `Memory::fields`.
const ACCELERATION: usize = 0;
const SMOOTH: usize = 1;

/// Newton iterations before a step is given up or a fallback tried.
const MAX_ITERATIONS: usize = 60;

/// The scheme bound to a model.
pub struct Ggl {
    model: Arc<dyn Lagrangian>,
    variant: GglVariant,
    p: NewmarkLike,
    hold: bool,
    /// Relative tolerance of Newton's residuals.
    tolerance: f64,
    newton: GglNewton,
    x: Iterate,
}

impl Ggl {
    /// Binds the scheme to a model.
    pub fn new(model: Arc<dyn Lagrangian>, variant: GglVariant, p: NewmarkLike, hold: bool, tolerance: f64) -> Self {
        let newton = GglNewton::new(&*model);
        let x = Iterate::new(model.n(), model.n_joints(), newton.r.len());
        Self { model, variant, p, hold, tolerance, newton, x }
    }

    /// v̇ = 0, no multipliers.
    fn predict(&mut self, state: &State, memory: &Memory, h: f64) {
        let (a, vd) = (&memory.fields[ACCELERATION], &memory.fields[SMOOTH]);
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = self.p;
        let x = &mut self.x;
        for zeroed in [&mut x.vd, &mut x.lt, &mut x.U, &mut x.nu, &mut x.W, &mut x.La] {
            zeroed.fill(0.0);
        }
        for i in 0..state.q.len() {
            let a_p = (alpha_f * vd[i] - alpha_m * a[i]) / (1.0 - alpha_m);
            x.vt[i] = state.v[i] + h * (1.0 - gamma) * a[i] + h * gamma * a_p;
            x.q[i] = state.q[i] + h * state.v[i] + h * h * ((0.5 - beta) * a[i] + beta * a_p);
            x.v[i] = x.vt[i];
        }
    }

    fn failure(&self, state: &State, h: f64, message: String) -> StepFailure {
        StepFailure {
            code: Code::NOT_SOLVED,
            t: state.t,
            h,
            message,
            help: format!("try step = {:.1e}", 0.5 * h),
            problem: None,
        }
    }
}

impl Stepper for Ggl {
    fn start(&mut self, state: &State) -> Memory {
        let (n, nb) = (self.model.n(), self.model.n_joints());
        let newton = &mut self.newton;
        newton.at.dynamics(&*self.model, &state.q, &state.v, state.t);
        newton.at.constraints(&*self.model, &state.q);
        let vd = consistent_acceleration(&*self.model, &newton.at, &state.q, &state.v, nb, &mut newton.system)
            .unwrap_or_else(|| vec![0.0; n]);
        let H = self.model.kinetic_energy(&state.q, &state.v) + self.model.potential_energy(&state.q);
        let m = self.model.restitutions().len();
        Memory { H, u_max: 0.0, p: vec![0.0; m], push: vec![0.0; m], fields: vec![vd.clone(), vd] }
    }

    fn step(
        &mut self,
        state: &State,
        memory: &Memory,
        h: f64,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure> {
        let model = Arc::clone(&self.model);
        let (n, nb, m) = (model.n(), model.n_joints(), model.restitutions().len());
        let t = state.t + h;
        step.h = h;
        step.after.t = t;

        // u_n with the old gradient, and the smallest gap at the start
        self.newton.at.constraints(&*model, &state.q);
        let mut smallest: Option<(f64, usize)> = None;
        for j in 0..m {
            self.newton.u_n[nb + j] = vector::dot(self.newton.at.G.column(nb + j), &state.v);
            let gap = self.newton.at.g[nb + j];
            if smallest.is_none_or(|(g, _)| gap < g) {
                smallest = Some((gap, j));
            }
        }
        step.smallest_gap = smallest;

        // Newton
        self.predict(state, memory, h);
        let s = Setting { model: &*model, p: self.p, variant: self.variant, hold: self.hold, h, t, v_n: &state.v };
        let mut iterations = 0;
        let worst = loop {
            self.newton.evaluate(&s, &self.x);
            if iterations == 0 && !self.newton.scale_multipliers(&s) {
                return Err(self.failure(state, h, "mass and joints leave some motion without inertia".into()));
            }
            self.newton.choose_sets(&s, &self.x, 1.0);
            let (momentum, conditions) = self.newton.residuals(&s, &self.x);
            let inertia = momentum_size(&self.newton.at.M, &self.x.v);
            let speed = vector::max_abs(&self.x.v);
            let worst = (momentum / inertia.max(1.0)).max(conditions / speed.max(1.0));
            if worst <= self.tolerance {
                break worst;
            }
            if iterations == MAX_ITERATIONS || !worst.is_finite() {
                let message = format!("Newton stopped at residual {worst:.1e} after {iterations} iterations");
                return Err(self.failure(state, h, message));
            }
            self.newton.assemble(&s, &self.x);
            if !(self.newton.system.factorise() && self.newton.system.solve()) {
                return Err(self.failure(state, h, "the Newton matrix is singular".into()));
            }
            self.x.update(&s, &self.newton.system.x);
            iterations += 1;
        };
        step.info = StepInfo { solves: 1, iterations, residual: worst };

        // the new state and memory
        let x = &self.x;
        step.after.q.clear();
        step.after.q.extend_from_slice(&x.q);
        step.after.v.clear();
        step.after.v.extend_from_slice(&x.v);
        let NewmarkLike { alpha_m, alpha_f, .. } = self.p;
        next.fields.resize_with(2, Vec::new);
        for field in &mut next.fields {
            field.resize(n, 0.0);
        }
        for i in 0..n {
            let (a, vd) = (memory.fields[ACCELERATION][i], memory.fields[SMOOTH][i]);
            next.fields[ACCELERATION][i] = (alpha_f * vd - alpha_m * a + (1.0 - alpha_f) * x.vd[i]) / (1.0 - alpha_m);
            next.fields[SMOOTH][i] = x.vd[i];
        }

        // contacts that took part at either level
        step.contacts.clear();
        next.p.resize(m, 0.0);
        next.push.resize(m, 0.0);
        next.u_max = memory.u_max;
        for j in 0..m {
            let k = nb + j;
            let row = self.newton.at.G.column(k);
            next.p[j] = x.La[k];
            next.push[j] = x.La[k] / self.newton.r[k];
            if self.newton.closed[k] || x.nu[k] > 0.0 {
                step.contacts.push(ContactState {
                    id: j,
                    gap: self.newton.at.g[k],
                    u_before: self.newton.u_n[k],
                    u_free: vector::dot(row, &x.vt),
                    u_after: vector::dot(row, &x.v),
                    p: x.La[k].max(0.0),
                });
            }
        }

        // ledger
        let qt = &self.newton.qt;
        let (T0, V0) = (model.kinetic_energy(qt, &x.vt), model.potential_energy(qt));
        let mut entry = LedgerEntry {
            kinetic: model.kinetic_energy(&x.q, &x.v),
            potential: model.potential_energy(&x.q),
            ..Default::default()
        };
        let mut impulse = 0.0;
        for k in 0..nb + m {
            let row = self.newton.at.G.column(k);
            impulse += 0.5 * x.La[k] * (vector::dot(row, &x.v) + vector::dot(row, &x.vt));
        }
        let moved = if model.mass_is_constant() { 0.0 } else { model.kinetic_energy(&x.q, &x.vt) - T0 };
        entry.work_contact = impulse + (entry.potential - V0) + moved;
        entry.work_external = 0.5
            * h
            * (model.power_without_potential(&state.q, &state.v, state.t)
                + model.power_without_potential(qt, &x.vt, t));
        entry.dissipation_numerical = memory.H + entry.work_external - (T0 + V0);
        entry.algorithmic_energy = entry.energy();
        entry.balance = entry.algorithmic_energy - memory.H - entry.work_external - entry.created();
        next.H = entry.algorithmic_energy;
        step.ledger = entry;
        Ok(())
    }

    fn initial_ledger(&self, state: &State, memory: &Memory, _h: f64) -> LedgerEntry {
        LedgerEntry {
            kinetic: self.model.kinetic_energy(&state.q, &state.v),
            potential: self.model.potential_energy(&state.q),
            algorithmic_energy: memory.H,
            ..Default::default()
        }
    }

    fn warnings(&mut self, _h: f64) -> Vec<Warning> {
        Vec::new()
    }
}

/// ‖M v‖∞.
fn momentum_size(M: &percussion_matrix::DenseMatrix, v: &[f64]) -> f64 {
    let mut largest = 0.0_f64;
    for i in 0..v.len() {
        let sum: f64 = (0..v.len()).map(|j| M.get(i, j) * v[j]).sum();
        largest = largest.max(sum.abs());
    }
    largest
}
