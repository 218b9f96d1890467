//! GGL generalized-α on a Lagrangian model, solved by one semi-smooth Newton over the whole step.
//!
//!   M v̇ − f(q, v, t) − g_bᵀλ = 0           g_b v̂ = 0                 smooth part; b: joints
//!   M U − g_qᵀν = 0      g_b(q) = 0        0 ≤ g_u(q) ⟂ ν_u ≥ 0        position; u: contacts
//!   M W − g_qᵀΛ = 0      g_b v = 0         0 ≤ g_u v + e g_u(q_n) v_n ⟂ Λ_u ≥ 0 where g_u(q̂) ≤ 0, else Λ_u = 0
//!   q̂ = q_n + h v_n + h²(½−β)a_n + h²β a    q = q̂ + U
//!   v̂ = v_n + h(1−γ)a_n + hγ a              v = v̂ + W
//!   (1−α_m) a + α_m a_n = (1−α_f) v̇ + α_f v̇_n
//!
//! Under `hold` the velocity condition also acts where ν > 0, u_n = g_q(q_{n+1}) v_n and ê = 1 for opening contacts.
//! Inactive rows carry −1 (with +1, as printed in Brüls, Acary and Cardona 2014, ν and Λ double instead of vanishing).
//!
//! When the iteration fails, the ladder of fallbacks in `ladder.rs` is climbed. The account of energy is that of `../ledger.rs`,
//! with ½v_nᵀ(M_{n+1} − M_n)v_n in the bracket where the mass varies.

pub mod friction;
pub mod inner_lcp;
pub mod ladder;
pub mod newton;

use crate::newton::contact_problem::contact_problem;
use crate::newton::driver::{alpha_start, iterate, outer_work, smallest_gap};
use crate::newton::evaluation::mul_add;
use crate::newton::redundancy::redundant;
use crate::newton::system::{carry, inertia, predict};
use crate::schemes::ggl::conditions::{ClosedAt, GglVariant};
use crate::schemes::ggl::ledger::{Projection, Works};
use crate::{
    Accelerations, ContactState, Memory, NewmarkLike, State, Step, StepFailure, StepInfo, StepStart, Stepper, Warning,
};
use inner_lcp::InnerLcp;
use ladder::{Attempt, LadderCounts, Rung, join};
use newton::{GglNewton, Iterate, Numerics, Setting};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::Lagrangian;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// A step is halved at most this often.
const HALVINGS: usize = 6;

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
    /// Where the gap is asked that closes a contact.
    pub closed_at: ClosedAt,
    /// What steers Newton's iterations.
    pub numerics: Numerics,
    /// h(1−θ)μ_n of each constraint in the modified condition.
    carried: Vec<f64>,
    /// Joints and pushing contacts, with M⁻¹g_qᵀ of these.
    rows: Vec<usize>,
    Y: DenseMatrix,
    projection: Projection,
    // Δq, a_γ, v_½ and a spare
    work: [Vec<f64>; 4],
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
        let (n, nc) = (model.n(), newton.r.len());
        Self {
            variant,
            p,
            hold,
            tolerance,
            newton,
            inner: InnerLcp::new(SolverOptions { tolerance: 1e-12, ..Default::default() }),
            x: Iterate::new(n, model.n_joints(), nc),
            u_start: vec![0.0; nc],
            closed_at: ClosedAt::default(),
            numerics: Numerics::default(),
            carried: vec![0.0; nc],
            rows: Vec::new(),
            Y: DenseMatrix::zeros(n, nc),
            projection: Projection::default(),
            work: std::array::from_fn(|_| vec![0.0; n]),
            sequential: false,
            redundant: Vec::new(),
            first: Rung::Newton,
            counts: LadderCounts::default(),
            model,
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

    /// The first rung that solves the step, from the prediction each; the reason of the last where none does.
    fn climb(&mut self, from: &StepStart, depth: usize) -> Result<(usize, f64), StepFailure> {
        let model = Arc::clone(&self.model);
        let (StepStart { state, memory, h }, t) = (*from, from.end());
        let mut reason = None;
        for rung in [Rung::Newton, Rung::Damped, Rung::InnerLcp] {
            let mixed = self.variant.is_mixed() && rung == Rung::InnerLcp;
            if (depth == 0 && rung < self.first) || mixed {
                continue;
            }
            self.newton.u_n.copy_from_slice(&self.u_start);
            self.predict(state, memory, h);
            let mut attempt = Attempt {
                newton: &mut self.newton,
                inner: &mut self.inner,
                x: &mut self.x,
                s: Setting {
                    model: &*model,
                    p: self.p,
                    variant: self.variant,
                    hold: self.hold,
                    h,
                    t,
                    v_n: &state.v,
                    closed_at: self.closed_at,
                    numerics: self.numerics,
                    weights: self.numerics.tolerances.map(|own| own.map_or(1.0, |own| self.tolerance / own)),
                    carried: &self.carried,
                },
                rung,
                sequential: self.sequential,
                tolerance: self.tolerance,
            };
            match iterate(&mut attempt, from, rung.limit()) {
                Ok(found) => {
                    self.counts.add(rung);
                    return Ok(found);
                }
                Err(failure) => reason = Some(failure),
            }
        }
        Err(reason.unwrap_or_else(|| from.failure("")))
    }

    /// One step of length h, itself `depth` times halved, by the first rung that succeeds.
    fn whole(&mut self, from: &StepStart, depth: usize, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let model = Arc::clone(&self.model);
        let StepStart { state, memory, h } = *from;
        step.h = h;

        // u_n with the old gradient, and the smallest gap at the start
        self.newton.at.constraints(&*model, &state.q, state.t);
        step.smallest_gap = smallest_gap(&self.newton.at, model.n_joints());
        for (j, u) in self.u_start.iter_mut().enumerate() {
            *u = vector::dot(self.newton.at.G.column(j), &state.v);
        }
        self.look_ahead(from);

        // the ladder, whose last rung is the step as two of half the length
        let (iterations, residual) = match self.climb(from, depth) {
            Ok(found) => found,
            Err(failure) if depth == HALVINGS => return Err(failure),
            Err(_) => {
                self.counts.add(Rung::Halved);
                let (mut first, mut between) = (Step::default(), Memory::default());
                let h_half = 0.5 * h;
                self.whole(&StepStart { h: h_half, ..*from }, depth + 1, &mut first, &mut between)?;
                let middle = StepStart { state: &first.after, memory: &between, h: h_half };
                self.whole(&middle, depth + 1, step, next)?;
                join(&*model, &first, h, step);
                return Ok(());
            }
        };
        step.info = StepInfo { solves: 1, iterations, residual, ..Default::default() };

        // the new state and memory, contacts, energy
        step.after.set(from.end(), &self.x.q, &self.x.v);
        step.contacts.clear();
        next.clear_impulses(model.restitutions().len());
        carry(&self.p, &self.x.vd, memory, next);
        if self.variant.is_mixed() {
            self.keep_multipliers(h, next);
        }
        next.u_max = memory.u_max;
        let mut works = self.record(state, step, next);
        self.joint_works(from, next, &mut works);
        self.account(from, step, next, &mut works);
        next.H = step.ledger.energy();
        Ok(())
    }

    /// Gaps at the place known before the step, and what the modified condition carries on.
    fn look_ahead(&mut self, from: &StepStart) {
        let StepStart { state, memory, h } = *from;
        let nb = self.model.n_joints();
        if let Some(part) = self.closed_at.explicit() {
            let place = &mut self.work[0];
            place.copy_from_slice(&state.q);
            vector::axpy(part * h, &state.v, place);
            for j in nb..self.newton.g_ahead.len() {
                self.newton.g_ahead[j] = self.model.constraint(j, place);
            }
        }
        let last = &memory.carried.of::<Accelerations>().nu;
        for (j, carried) in self.carried.iter_mut().enumerate().skip(nb) {
            *carried = self.variant.carried(last.get(j - nb).copied().unwrap_or(0.0));
        }
    }

    /// hθμ of each contact, which the modified condition needs in the next step.
    fn keep_multipliers(&self, h: f64, next: &mut Memory) {
        let nb = self.model.n_joints();
        let theta = self.variant.share();
        let nu = &mut next.carried.renew::<Accelerations>().nu;
        nu.clear();
        nu.extend((nb..self.x.nu.len()).map(|j| self.x.nu[j] - theta * h * self.x.La[j] - self.carried[j]));
    }

    /// Contacts that took part at either level, with the works of the law and of turning rows.
    fn record(&mut self, state: &State, step: &mut Step, next: &mut Memory) -> Works {
        let (newton, x) = (&self.newton, &self.x);
        let nb = self.model.n_joints();
        self.rows.clear();
        self.rows.extend(0..nb);
        let mut works = Works::default();
        for (j, k) in (nb..newton.r.len()).enumerate() {
            let (row, La) = (newton.at.G.column(k), x.La[k]);
            next.p[j] = La;
            next.push[j] = La / newton.r[k];
            let pushes = newton.in_A[k] && x.nu[k] > 0.0;
            if La != 0.0 || pushes {
                self.rows.push(k);
            }
            if La == 0.0 && !newton.closed[k] && !pushes {
                continue;
            }
            let (u_n, u_after) = (newton.u_n[k], vector::dot(row, &x.v));
            works.law += 0.5 * La * (u_n + u_after);
            works.turning += 0.5 * La * (vector::dot(row, &state.v) - u_n);
            if newton.closed[k] || pushes {
                let (gap, u_free) = (newton.at.g[k], vector::dot(row, &x.vt));
                step.contacts.push(ContactState { id: j, gap, u_before: u_n, u_free, u_after, p: La.max(0.0) });
            }
        }
        works
    }

    /// J: impulses ½Λ·g_b(v_n + v_{n+1}), and forces g_bᵀλ filtered as accelerations are.
    fn joint_works(&mut self, from: &StepStart, next: &mut Memory, works: &mut Works) {
        let nb = self.model.n_joints();
        if nb == 0 {
            return;
        }
        let (x, gamma) = (&self.x, self.p.gamma);
        let force = &mut self.work[3];
        force.fill(0.0);
        for j in 0..nb {
            let row = self.newton.at.G.column(j);
            vector::axpy(x.lt[j], row, force);
            works.joint_impulses += 0.5 * x.La[j] * (vector::dot(row, &from.state.v) + vector::dot(row, &x.v));
        }
        let (before, after) = (from.memory.carried.of::<Accelerations>(), next.carried.renew::<Accelerations>());
        after.carry_forces(&self.p, force, before);
        for i in 0..force.len() {
            let filtered = (1.0 - gamma) * before.f_a[i] + gamma * after.f_a[i];
            works.joint_forces += 0.5 * from.h * (from.state.v[i] + x.v[i]) * filtered;
        }
    }

    /// The works that belong to the motion between the states.
    fn account(&mut self, from: &StepStart, step: &mut Step, next: &Memory, works: &mut Works) {
        let (model, x, gamma) = (&*self.model, &self.x, self.p.gamma);
        let StepStart { state, memory, h } = *from;
        let Accelerations { a: a_n, .. } = memory.carried.of();
        let Accelerations { a, .. } = next.carried.of();
        let [dq, a_gamma, v_half, spare] = &mut self.work;
        for i in 0..x.q.len() {
            dq[i] = x.q[i] - state.q[i];
            a_gamma[i] = (1.0 - gamma) * a_n[i] + gamma * a[i];
            v_half[i] = 0.5 * (state.v[i] + x.v[i]);
        }
        works.loads = outer_work(model, from, &x.q, &x.v);
        let potential = model.potential_energy(&x.q);
        spare.fill(0.0);
        mul_add(&self.newton.at.M, h, a_gamma, spare);
        works.bracket = potential - model.potential_energy(&state.q) + vector::dot(v_half, spare);
        if !model.mass_is_constant() {
            works.bracket += model.kinetic_energy(&x.q, &state.v) - model.kinetic_energy(&state.q, &state.v);
        }

        // G_A ζ against G_A a_γ
        let (at, system, Y) = (&self.newton.at, &mut self.newton.system, &mut self.Y);
        if !self.rows.is_empty() && inertia(at, model.n_joints(), system) {
            for (k, &j) in self.rows.iter().enumerate() {
                system.x.clear();
                system.x.extend_from_slice(at.G.column(j));
                system.solve();
                Y.column_mut(k).copy_from_slice(&system.x);
            }
            let rows = &self.rows;
            self.projection.factorise(rows.len(), |i, k| vector::dot(at.G.column(rows[i]), Y.column(k)));
            let row = |&j: &usize| {
                let row = at.G.column(j);
                (vector::dot(row, dq) - h * vector::dot(row, v_half), vector::dot(row, a_gamma))
            };
            works.projection = self.projection.work(rows.iter().map(row));
        }
        step.ledger = works.entry(model.kinetic_energy(&x.q, &x.v), potential, memory.H);
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
        let nb = self.model.n_joints();
        let GglNewton { at, system, .. } = &mut self.newton;
        let (memory, mut carried, lambda) = alpha_start(&*self.model, at, system, nb, state);
        self.redundant = redundant(&*self.model, at);
        if nb > 0 {
            let mut force = vec![0.0; self.model.n()];
            lambda.iter().enumerate().for_each(|(j, l)| vector::axpy(*l, at.G.column(j), &mut force));
            (carried.f_a, carried.f) = (force.clone(), force);
        }
        if self.variant.is_mixed() {
            carried.nu = vec![0.0; self.model.restitutions().len()];
        }
        memory.carrying(carried)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        self.whole(from, 0, step, next)
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        let LadderCounts { newton, damped, inner_lcp, halved } = self.counts;
        vec![("newton", newton), ("damped", damped), ("inner_lcp", inner_lcp), ("halved", halved)]
    }

    fn warnings(&mut self, _h: f64) -> Vec<Warning> {
        self.redundant.clone()
    }
}
