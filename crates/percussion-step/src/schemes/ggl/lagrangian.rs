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
//! When the iteration fails, a ladder of fallbacks is climbed: smaller r_j with damped increments, then the inner
//! complementarity solve (`inner_lcp.rs`), then the step in halves.
//!
//! Ledger: ΔE = [E(q̂, v̂) − E_n] + ½(v + v̂)ᵀg_qᵀΛ + [V(q) − V(q̂)] + ½ v̂ᵀ(M(q) − M(q̂))v̂; all but the first bracket is the
//! work of contacts and joints, reported together because at rest its parts only cancel in the sum.

use crate::newton::contact_problem::contact_problem;
use crate::newton::redundancy::redundant;
use crate::newton::system::{Accelerations, Scales, carry, consistent_acceleration, predict};
use crate::schemes::ggl::inner_lcp::InnerLcp;
use crate::schemes::ggl::newton::{GglNewton, GglVariant, Iterate, Setting};
use crate::{
    ContactState, LedgerEntry, Memory, NewmarkLike, State, Step, StepFailure, StepInfo, StepStart, Stepper, Warning,
};
use percussion_matrix::vector;
use percussion_model::Lagrangian;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Iterations of the plain Newton, of the damped one and of the one with the inner complementarity solve.
const ITERATIONS: [usize; 3] = [25, 40, 40];

/// Residuals up to this many tolerances may be round-off.
const NEARLY: f64 = 1e4;

/// A step is halved at most this often.
const HALVINGS: usize = 6;

/// The ways to solve a step, in the order they are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// Active sets at every iteration, full increments.
    #[default]
    Newton,
    /// r_j/10 and half increments.
    Damped,
    /// Contacts decided by a complementarity problem.
    InnerLcp,
    /// Two steps of half the length.
    Halved,
}

/// How often each rung solved a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LadderCounts {
    /// Plain Newton.
    pub newton: u64,
    /// Damped.
    pub damped: u64,
    /// Inner complementarity solve.
    pub inner_lcp: u64,
    /// Halved steps.
    pub halved: u64,
}

/// The scheme bound to a model.
pub struct Ggl {
    model: Arc<dyn Lagrangian>,
    variant: GglVariant,
    p: NewmarkLike,
    hold: bool,
    /// Relative tolerance of Newton's residuals.
    tolerance: f64,
    newton: GglNewton,
    inner: InnerLcp,
    x: Iterate,
    /// g_j(q_n) v_n.
    u_start: Vec<f64>,
    /// The sequential solution: smooth, position and velocity parts one after the other in each iteration, instead of all at
    /// once. Fit for small h²K and hC only.
    pub sequential: bool,
    redundant: Vec<Warning>,
    /// Where the ladder begins; tests start higher to exercise each rung.
    pub first: Rung,
    /// Statistics of the run.
    pub counts: LadderCounts,
}

impl Ggl {
    /// Binds the scheme to a model.
    pub fn new(model: Arc<dyn Lagrangian>, variant: GglVariant, p: NewmarkLike, hold: bool, tolerance: f64) -> Self {
        let newton = GglNewton::new(&*model);
        let x = Iterate::new(model.n(), model.n_joints(), newton.r.len());
        let options = SolverOptions { tolerance: 1e-12, ..Default::default() };
        let (inner, first, counts) = (InnerLcp::new(options), Rung::Newton, LadderCounts::default());
        let u_start = vec![0.0; newton.r.len()];
        Self {
            model,
            variant,
            p,
            hold,
            tolerance,
            newton,
            inner,
            x,
            u_start,
            sequential: false,
            redundant: Vec::new(),
            first,
            counts,
        }
    }

    /// λ of the joints in the last step: the smooth multipliers, forces.
    pub fn smooth_multipliers(&self) -> &[f64] {
        &self.x.lt
    }

    /// Λ of the last step, joints first: impulses.
    pub fn impulses(&self) -> &[f64] {
        &self.x.La
    }

    /// ν of the last step, joints first: multipliers of the position correction.
    pub fn position_multipliers(&self) -> &[f64] {
        &self.x.nu
    }

    /// v̇ = 0, no multipliers.
    fn predict(&mut self, state: &State, memory: &Memory, h: f64) {
        let x = &mut self.x;
        for zeroed in [&mut x.vd, &mut x.lt, &mut x.U, &mut x.nu, &mut x.W, &mut x.La] {
            zeroed.fill(0.0);
        }
        predict(&self.p, state, memory, h, &mut x.vt, &mut x.q);
        x.v.copy_from_slice(&x.vt);
    }

    /// One rung: iterates from the prediction until the residuals are small; iterations and the last residual.
    fn iterate(&mut self, s: &Setting, rung: Rung) -> Result<(usize, f64), String> {
        let (relax, damping) = if rung == Rung::Damped { (0.1, 0.5) } else { (1.0, 1.0) };
        let limit = ITERATIONS[(rung as usize).min(2)];
        let mut iterations = 0;
        loop {
            self.newton.evaluate(s, &self.x);
            if iterations == 0 && !self.newton.scale_multipliers(s) {
                return Err("mass and joints leave some motion without inertia".into());
            }
            self.newton.choose_sets(s, &self.x, relax);
            let (momentum, conditions) = self.newton.residuals(s, &self.x);
            let x = &self.x;
            let scales = Scales::new(&self.newton.at, &x.q, &x.v, &x.vd, s.v_n, s.h);
            let worst = scales.worst(momentum, conditions);
            let tolerance = self.tolerance;
            if scales.met(momentum, conditions, tolerance, 0.0) {
                return Ok((iterations, worst));
            }
            // nearly there: a stiff model cannot do better than the round-off of its forces
            if worst <= NEARLY * tolerance {
                let floor = self.newton.at.round_off(s.model, &x.q, &x.v, s.t, s.h);
                if scales.met(momentum, conditions, tolerance, floor) {
                    return Ok((iterations, worst));
                }
            }
            if iterations == limit || !worst.is_finite() {
                return Err(format!("Newton stopped at residual {worst:.1e} after {iterations} iterations"));
            }
            if self.sequential && rung == Rung::Newton {
                if !self.sequence(s) {
                    return Err("a block of the sequential solution is singular".into());
                }
                iterations += 1;
                continue;
            }
            let solved = if rung == Rung::InnerLcp {
                self.inner.increment(&mut self.newton, s, &self.x)
            } else if self.newton.is_free(s, &self.x) {
                self.newton.solve_free(s, &self.x)
            } else {
                self.newton.assemble(s, &self.x);
                self.newton.system.factorise() && self.newton.system.solve()
            };
            if !solved {
                return Err("the Newton matrix is singular".into());
            }
            if damping != 1.0 && iterations < limit / 2 {
                self.newton.system.x.iter_mut().for_each(|x| *x *= damping);
            }
            self.x.update(s, &self.newton.system.x);
            iterations += 1;
        }
    }

    /// One sequential iteration: each part with the others' latest values and sets chosen anew.
    fn sequence(&mut self, s: &Setting) -> bool {
        for part in 0..3 {
            if part > 0 {
                self.newton.evaluate(s, &self.x);
                self.newton.choose_sets(s, &self.x, 1.0);
                self.newton.residuals(s, &self.x);
            }
            if !self.newton.solve_part(s, &self.x, part) {
                return false;
            }
            self.x.update(s, &self.newton.system.x);
        }
        true
    }

    /// The step as two of half the length, each with the whole ladder.
    fn halves(
        &mut self,
        state: &State,
        memory: &Memory,
        h: f64,
        depth: usize,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure> {
        let (mut first, mut between) = (Step::default(), Memory::default());
        self.whole(state, memory, 0.5 * h, depth + 1, &mut first, &mut between)?;
        let middle = first.after.clone();
        self.whole(&middle, &between, 0.5 * h, depth + 1, step, next)?;
        step.h = h;
        step.smallest_gap = first.smallest_gap;
        let mut sum = first.ledger;
        sum.accumulate(&step.ledger);
        step.ledger = sum;
        step.info.solves += first.info.solves;
        step.info.iterations += first.info.iterations;
        step.info.residual = step.info.residual.max(first.info.residual);
        for c in first.contacts {
            match step.contacts.binary_search_by_key(&c.id, |k| k.id) {
                Ok(k) => {
                    step.contacts[k].p += c.p;
                    step.contacts[k].u_before = c.u_before;
                }
                // only in the first half: its gap and velocity are those of the whole step's end
                Err(k) => {
                    let j = self.model.n_joints() + c.id;
                    let mut row = vec![0.0; step.after.q.len()];
                    self.model.gradient(j, &step.after.q, &mut row);
                    let (gap, u_after) = (self.model.constraint(j, &step.after.q), vector::dot(&row, &step.after.v));
                    step.contacts.insert(k, ContactState { gap, u_after, ..c });
                }
            }
        }
        Ok(())
    }

    /// One step of length h, itself `depth` times halved, by the first rung that succeeds.
    fn whole(
        &mut self,
        state: &State,
        memory: &Memory,
        h: f64,
        depth: usize,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure> {
        let model = Arc::clone(&self.model);
        let (nb, m) = (model.n_joints(), model.restitutions().len());
        let t = state.t + h;
        step.h = h;
        step.after.t = t;

        // u_n with the old gradient, and the smallest gap at the start
        self.newton.at.constraints(&*model, &state.q);
        let gaps = self.newton.at.g[nb..].iter().enumerate().map(|(j, &g)| (g, j));
        step.smallest_gap = gaps.min_by(|a, b| a.0.total_cmp(&b.0));
        for j in 0..nb + m {
            self.u_start[j] = vector::dot(self.newton.at.G.column(j), &state.v);
        }

        // the ladder
        let s = Setting { model: &*model, p: self.p, variant: self.variant, hold: self.hold, h, t, v_n: &state.v };
        let mut reason = String::new();
        let mut solved = None;
        for rung in [Rung::Newton, Rung::Damped, Rung::InnerLcp] {
            let mixed = self.variant == GglVariant::ModifiedLcp && rung == Rung::InnerLcp;
            if (depth == 0 && rung < self.first) || mixed {
                continue;
            }
            self.newton.u_n.copy_from_slice(&self.u_start);
            self.predict(state, memory, h);
            match self.iterate(&s, rung) {
                Ok(found) => {
                    solved = Some((rung, found));
                    break;
                }
                Err(why) => reason = why,
            }
        }
        let Some((rung, (iterations, worst))) = solved else {
            if depth < HALVINGS {
                self.counts.halved += 1;
                return self.halves(state, memory, h, depth, step, next);
            }
            return Err(StepFailure::newton(state, h, reason));
        };
        match rung {
            Rung::Newton => self.counts.newton += 1,
            Rung::Damped => self.counts.damped += 1,
            _ => self.counts.inner_lcp += 1,
        }
        step.info = StepInfo { solves: 1, iterations, residual: worst, ..Default::default() };

        // the new state and memory
        let x = &self.x;
        step.after.set(t, &x.q, &x.v);
        carry(&self.p, &x.vd, memory, next);

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
            if self.newton.closed[k] || (self.newton.in_A[k] && x.nu[k] > 0.0) {
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
        entry.close(memory.H, entry.energy());
        next.H = entry.algorithmic_energy;
        step.ledger = entry;
        Ok(())
    }
}

impl Stepper for Ggl {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let (newton, x, nb) = (&self.newton, &self.x, self.model.n_joints());
        let contacts: Vec<(usize, f64, f64)> = (nb..x.La.len())
            .filter(|&j| newton.closed[j])
            .map(|j| (j - nb, vector::dot(newton.at.G.column(j), &x.v) + newton.e_hat[j] * newton.u_n[j], x.La[j]))
            .collect();
        contact_problem(&newton.at.M, &newton.at.G, nb, &contacts)
    }

    fn start(&mut self, state: &State) -> Memory {
        let (n, nb) = (self.model.n(), self.model.n_joints());
        let newton = &mut self.newton;
        newton.at.dynamics(&*self.model, &state.q, &state.v, state.t);
        newton.at.constraints(&*self.model, &state.q);
        self.redundant = redundant(&*self.model, &newton.at);
        let vd = consistent_acceleration(&*self.model, &newton.at, &state.q, &state.v, nb, &mut newton.system)
            .unwrap_or_else(|| vec![0.0; n]);
        let H = self.model.kinetic_energy(&state.q, &state.v) + self.model.potential_energy(&state.q);
        let m = self.model.restitutions().len();
        Memory::new(H, m).carrying(Accelerations::new(vd))
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        self.whole(state, memory, h, 0, step, next)
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        let LadderCounts { newton, damped, inner_lcp, halved } = self.counts;
        vec![("newton", newton), ("damped", damped), ("inner_lcp", inner_lcp), ("halved", halved)]
    }

    fn warnings(&mut self, _h: f64) -> Vec<Warning> {
        self.redundant.clone()
    }
}
