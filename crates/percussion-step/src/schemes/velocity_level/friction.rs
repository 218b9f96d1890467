//! Velocity-level schemes for nonlinear models with friction: Newton for the motion, a cone problem in every iteration.
//!
//!   M W = g_bᵀΛ_b + Hᵀp,    H = [g_i; T_i](q_{k+1}),    u = H v,    u_k := H(q_{k+1}) v_k,    the law by `FrictionRule`
//!
//! At an iterate Newton's matrix is that of the frictionless scheme without contact rows, and the impulses enter linearly:
//!
//!   v = v_free + Y p,    u_free = H v_free,    W = H Y
//!
//! so each iteration solves the law of a linear step, then evaluates M, f, the joints and H again. What it leaves out, the
//! change of H, is of order h: convergence is linear with that factor, quadratic where H does not turn.
//!
//! One H serves the whole step, the one the impulses act through. Then the kinetic energy they bring is u_{k+½}·p exactly,
//! with the u_k and u_{k+1} of the law, and what the law says about the sign of that work holds: with H(q_k) v_k in its
//! place a body that rolls on a corner would gain ½ p_N (H(q_{k+1}) − H(q_k)) v_k in every step. Where obstacles move ∂g/∂t is added to the
//! normal velocities, u_k with that of the start; its work is external.

use crate::contact::law::{ContactLaw, components, padded_blocks, tangents};
use crate::newton::driver::{Iteration, Judged, iterate};
use crate::newton::system::{Scales, larger};
use crate::schemes::velocity_level::{MAX_ITERATIONS, VelocityLevel, compliance};
use crate::step::contact::judge;
use crate::{
    Activation, ContactState, LedgerEntry, Memory, Scheme, State, Step, StepFailure, StepInfo, StepStart, Stepper,
    Tangential,
};
use percussion_matrix::vector;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;

/// Iterations whose Frémond flags are dropped: their velocities are still rough.
const ROUGH: usize = 3;

/// A velocity-level scheme bound to a nonlinear model with friction.
pub struct VelocityFriction {
    /// The same scheme without friction, whose contact rows stay inactive.
    base: VelocityLevel,
    activation: Activation,
    /// ê of opening contacts.
    e_open: f64,
    /// Contact work is p·((1−c) u_k + c u_{k+1}).
    c: f64,
    /// The problem of the iteration under way, on the index set.
    law: ContactLaw,
    /// The index set.
    contacts: Vec<usize>,
    /// The rows of H, d per contact, and which of them are not zero.
    H: Vec<f64>,
    rows: Vec<Option<usize>>,
    /// The free Newton step, and what a unit impulse along each row adds to it.
    free: Vec<f64>,
    Y: Vec<f64>,
    v_free: Vec<f64>,
    /// The velocities the last law was solved for.
    u_law: Vec<f64>,
    entries: Vec<(usize, usize, f64)>,
    momentum: Vec<f64>,
    info: StepInfo,
}

impl VelocityFriction {
    /// Adds friction to a scheme.
    pub fn new(base: VelocityLevel, scheme: &Scheme, options: SolverOptions) -> Self {
        let (d, n) = (components(&*base.model), base.model.n());
        let c = base.scheme.work_weight();
        let e_open = scheme.facts().opening_restitution;
        Self {
            base,
            activation: scheme.activation,
            e_open,
            c,
            law: ContactLaw::new(d, scheme.friction_law, e_open, options),
            contacts: Vec::new(),
            H: Vec::new(),
            rows: Vec::new(),
            free: Vec::new(),
            Y: Vec::new(),
            v_free: vec![0.0; n],
            u_law: Vec::new(),
            entries: Vec::new(),
            momentum: vec![0.0; n],
            info: StepInfo::default(),
        }
    }

    /// The index set that the base found, with the last impulses as a first guess.
    fn select(&mut self, memory: &Memory) {
        let (model, nb) = (&*self.base.model, self.base.model.n_joints());
        self.contacts.clear();
        self.u_law.clear();
        self.law.clear();
        for i in 0..model.restitutions().len() {
            if !std::mem::take(&mut self.base.index[nb + i]) {
                continue;
            }
            self.contacts.push(i);
            let p_t = memory.p_t.get(i).copied().unwrap_or_default();
            self.law.p.push(memory.p[i]);
            let of = |k: usize| if k < tangents(model, i) { p_t[k] } else { 0.0 };
            self.law.p.extend((1..self.law.dim()).map(|k| of(k - 1)));
        }
        let problem = &mut self.law.problem;
        problem.ids.clone_from(&self.contacts);
        problem.mu.clear();
        problem.mu.extend(self.contacts.iter().map(|&i| model.frictions()[i]));
    }

    /// H at the iterate.
    fn evaluate_rows(&mut self) {
        let (model, n, d) = (&*self.base.model, self.base.model.n(), self.law.dim());
        self.H.clear();
        self.H.resize(self.law.p.len() * n, 0.0);
        self.rows.clear();
        for (k, row) in self.H.chunks_exact_mut(n).enumerate() {
            let i = self.contacts[k / d];
            match k % d {
                0 => row.copy_from_slice(self.base.at.G.column(model.n_joints() + i)),
                t if t <= tangents(model, i) => model.contact_tangent(i, t - 1, &self.base.q_e, row),
                _ => {}
            }
            self.rows.push(row.iter().any(|&x| x != 0.0).then_some(k));
        }
    }

    /// What moving obstacles add to u_k and u along row k of H.
    fn obstacle(&self, k: usize) -> [f64; 2] {
        if !k.is_multiple_of(self.law.dim()) {
            return [0.0; 2];
        }
        let j = self.base.model.n_joints() + self.contacts[k / self.law.dim()];
        [self.base.rates_n[j], self.base.at.rates[j]]
    }

    /// Residuals at the iterate: momentum with all impulses; joints, and how far the velocities are from those of the law.
    fn residuals(&mut self, state: &State, h: f64) -> (Scales, f64, f64) {
        let (n, nb, d) = (self.base.model.n(), self.base.model.n_joints(), self.law.dim());
        let at_W = n + self.base.smooth_joints();
        let (scales, ..) = self.base.residuals(&state.v, h);
        let r = &self.base.residual;
        // the base knows the normal impulses
        self.momentum.copy_from_slice(&r[at_W..at_W + n]);
        for (k, row) in self.H.chunks_exact(n).enumerate().filter(|(k, _)| k % d != 0) {
            vector::axpy(-self.law.p[k], row, &mut self.momentum);
        }
        let momentum = larger(vector::max_abs(&r[..n]), vector::max_abs(&self.momentum));
        let mut conditions = larger(vector::max_abs(&r[n..at_W]), vector::max_abs(&r[at_W + n..at_W + n + nb]));
        for (k, ((row, u), before)) in self.H.chunks_exact(n).zip(&self.u_law).zip(&self.law.u_before).enumerate() {
            let [then, now] = self.obstacle(k);
            conditions = larger(conditions, (vector::dot(row, &self.base.v) + now - u).abs());
            conditions = larger(conditions, (vector::dot(row, &state.v) + then - before).abs());
        }
        (scales, momentum, conditions)
    }

    /// The free Newton step and the responses; false when the matrix is singular.
    fn linearise(&mut self, from: &StepStart) -> bool {
        let (n, nb) = (self.base.model.n(), self.base.model.n_joints());
        let at_W = n + self.base.smooth_joints();
        self.base.assemble(from);
        let (system, r) = (&mut self.base.system, &self.base.r);
        let shared = !system.factorise();
        if shared && !system.factorise_shifted(|i| compliance(r, n, nb, at_W + n, i)) {
            return false;
        }
        let mut solve = |x: &mut Vec<f64>| {
            if shared {
                system.solve_refined(x);
                return x.iter().all(|x| x.is_finite());
            }
            std::mem::swap(&mut system.x, x);
            let solved = system.solve();
            std::mem::swap(&mut system.x, x);
            solved
        };
        let size = self.base.residual.len();
        self.free.clear();
        self.free.extend(self.base.residual.iter().map(|r| -r));
        if !solve(&mut self.free) {
            return false;
        }
        self.Y.clear();
        let mut column = Vec::new();
        for row in self.H.chunks_exact(n) {
            column.clear();
            column.resize(size, 0.0);
            column[at_W..at_W + n].copy_from_slice(row);
            if !solve(&mut column) {
                return false;
            }
            self.Y.extend_from_slice(&column);
        }
        for i in 0..n {
            self.v_free[i] = self.base.v[i] + self.free[i] + self.free[at_W + i];
        }
        true
    }

    /// The law for the linearised motion.
    fn solve_law(&mut self, from: &StepStart, iteration: usize) -> Result<(), StepFailure> {
        let StepStart { state, h, .. } = *from;
        let (n, d, size) = (self.base.model.n(), self.law.dim(), self.base.residual.len());
        let at_W = n + self.base.smooth_joints();
        self.law.u_before.clear();
        self.law.u_free.clear();
        for (k, row) in self.H.chunks_exact(n).enumerate() {
            let [then, now] = self.obstacle(k);
            self.law.u_before.push(vector::dot(row, &state.v) + then);
            self.law.u_free.push(vector::dot(row, &self.v_free) + now);
        }
        let law = &mut self.law;
        if let Some(i) = self.v_free.iter().position(|v| !v.is_finite()) {
            return Err(StepFailure::not_finite(state.t, h, i));
        }
        law.restitution.clear();
        for (k, &i) in self.contacts.iter().enumerate() {
            let e = self.base.model.restitutions()[i];
            law.restitution.push(self.activation.restitution(law.u_before[k * d], e, self.e_open));
        }
        self.entries.clear();
        for (b, y) in self.Y.chunks_exact(size).enumerate() {
            for (a, row) in self.H.chunks_exact(n).enumerate() {
                if self.rows[a].is_none() || self.rows[b].is_none() {
                    continue;
                }
                let w = vector::dot(row, &y[..n]) + vector::dot(row, &y[at_W..at_W + n]);
                // contacts of bodies apart belong to islands apart
                if w != 0.0 || a / d == b / d {
                    self.entries.push((a, b, w));
                }
            }
        }
        law.problem.W = padded_blocks(d, &self.rows, &self.entries);
        law.problem.revision += 1;
        law.iterate(from, iteration < ROUGH, &mut self.info)?;
        self.u_law.clear();
        self.u_law.extend(law.velocities());
        Ok(())
    }

    /// The Newton step with its impulses.
    fn apply(&mut self, h: f64) {
        let (n, nb, d) = (self.base.model.n(), self.base.model.n_joints(), self.law.dim());
        let (size, at_La) = (self.base.residual.len(), 2 * n + self.base.smooth_joints());
        let x = &mut self.base.system.x;
        x.clear();
        x.extend_from_slice(&self.free);
        for (p, y) in self.law.p.iter().zip(self.Y.chunks_exact(size)).filter(|(p, _)| **p != 0.0) {
            vector::axpy(*p, y, x);
        }
        // the base keeps the normal impulses, for the curvature of the gaps: Λ ← Λ − x
        for (k, &i) in self.contacts.iter().enumerate() {
            x[at_La + nb + i] = self.base.La[nb + i] - self.law.p[k * d];
        }
        self.base.update(h);
        for (k, &i) in self.contacts.iter().enumerate() {
            self.base.La[nb + i] = self.law.p[k * d];
        }
    }

    /// Contacts, their memory, and the works of contacts and obstacles.
    fn conclude(&self, step: &mut Step, next: &mut Memory, from: &StepStart) -> LedgerEntry {
        let state = from.state;
        let (model, n, d) = (&*self.base.model, self.base.model.n(), self.law.dim());
        let m = model.restitutions().len();
        next.clear_impulses(m);
        next.p_t.clear();
        next.p_t.resize(m, [0.0; 2]);
        let mut entry = LedgerEntry::default();
        for (k, &i) in self.contacts.iter().enumerate() {
            let (p, mu, push) =
                (&self.law.p[k * d..], self.law.problem.mu[k], self.law.mobility(k) * self.law.p[k * d]);
            let u = |row: usize, v: &[f64]| vector::dot(&self.H[(k * d + row) * n..(k * d + row + 1) * n], v);
            let mut along = Tangential {
                n: tangents(model, i),
                fremond: self.law.fremond(k),
                frictional: mu > 0.0,
                ..Default::default()
            };
            for t in 0..along.n {
                (along.u_before[t], along.u_after[t]) = (u(1 + t, &state.v), u(1 + t, &self.base.v));
                along.p[t] = p[1 + t];
            }
            let [then, now] = self.obstacle(k * d);
            let contact = ContactState {
                id: i,
                gap: self.base.gap(model.n_joints() + i, from.end()),
                u_before: u(0, &state.v) + then,
                u_free: self.law.u_free[k * d],
                u_after: u(0, &self.base.v) + now,
                p: p[0],
            };
            entry.work_external -= p[0] * ((1.0 - self.c) * then + self.c * now);
            entry.work_contact +=
                p[0] * ((1.0 - self.c) * contact.u_before + self.c * contact.u_after) + along.work(self.c);
            next.p[i] = p[0];
            next.p_t[i] = along.p;
            next.push[i] = push;
            step.contacts.push(contact);
            step.friction.push(along);
        }
        judge(step, self.e_open, |k| (self.law.problem.mu[k], self.law.mobility(k) * self.law.p[k * d]));
        entry
    }
}

impl Iteration for VelocityFriction {
    fn judge(&mut self, from: &StepStart, iteration: usize) -> Result<Judged, StepFailure> {
        self.base.evaluate(from, iteration)?;
        self.evaluate_rows();
        let left = self.residuals(from.state, from.h);
        // the first iterate knows no impulses yet
        if iteration == 0 && !self.contacts.is_empty() {
            return Ok(Judged { worst: left.0.worst(left.1, left.2), done: false });
        }
        Ok(self.base.judged(from, left))
    }

    fn improve(&mut self, from: &StepStart, iteration: usize) -> Result<(), StepFailure> {
        if !self.linearise(from) {
            return Err(from.failure("the Newton matrix is singular"));
        }
        if !self.contacts.is_empty() {
            self.solve_law(from, iteration)?;
        }
        self.apply(from.h);
        Ok(())
    }
}

impl Stepper for VelocityFriction {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.law.contact_problem()
    }

    fn start(&mut self, state: &State) -> Memory {
        self.base.start(state)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        step.h = h;
        step.contacts.clear();
        step.friction.clear();
        self.base.predict(state, memory, h, step, next);
        self.select(memory);
        self.info = StepInfo::default();
        let (iterations, worst) = iterate(self, from, MAX_ITERATIONS)?;
        self.info.solves = self.info.solves.max(1);
        self.info.iterations += iterations;
        self.info.residual = self.info.residual.max(worst);
        step.info = self.info;

        step.after.set(from.end(), &self.base.q, &self.base.v);
        self.base.remember(memory, h, next);
        let VelocityLevel { model, at, La, v, .. } = &self.base;
        let mut entry = self.conclude(step, next, from);
        for (j, La) in La.iter().enumerate().take(model.n_joints()) {
            let row = at.G.column(j);
            entry.work_joints += 0.5 * La * (vector::dot(row, &state.v) + vector::dot(row, v));
        }
        self.base.close(from, entry, step, next);
        Ok(())
    }
}
