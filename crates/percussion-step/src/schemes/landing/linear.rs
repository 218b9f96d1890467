//! `landing` on linear models.
//!
//!   M̂ = M + ½hC + ¼h²K,   v_free = v_k + M̂⁻¹h (F_½ − C v_k − K (q_k + ½h v_k)),   N = M̂⁻¹H,   W = HᵀN
//!   0 ≤ W p₁ + U_free + U_k + 2 g_k/h ⟂ p₁ ≥ 0,   U with the mean velocity (w_{k+1} − w_k)/h of moving obstacles
//!
//! for the contacts that are closed or would be passed, and any other that these push into an obstacle. The left side is
//! 2g_{k+1}/h: there is no prediction. Where K = C = 0 nothing depends on h.

use crate::contact::phase::conclude_tangents;
use crate::linear::load::Load;
use crate::linear::operators::{Operators, Weights};
use crate::schemes::landing::contact_problem::ContactProblem;
use crate::schemes::landing::contacts::Contacts;
use crate::schemes::landing::instant::{Arrival, CLOSED, Instant};
use crate::schemes::landing::motion::{Motion, Trial};
use crate::schemes::landing::rows::Rows;
use crate::{ImpactLaw, LedgerEntry, State, Step, StepFailure, StepInfo};
use percussion_matrix::vector;
use percussion_model::LinearModel;
use std::sync::Arc;

/// A linear model as `landing` moves it.
pub struct LinearMotion {
    model: Arc<LinearModel>,
    impact_law: Option<ImpactLaw>,
    d: usize,
    load: Load,
    /// M̂ by step size, and which of them the last step used.
    operators: Vec<Operators>,
    used: usize,
    mass: Operators,
    first: Rows,
    last: Rows,
    /// g_k, and w_{k+1} − w_k, of every contact.
    gaps: Vec<f64>,
    shifts: Vec<f64>,
    v_free: Vec<f64>,
    spare: Vec<f64>,
}

impl LinearMotion {
    /// For a model.
    pub fn new(model: Arc<LinearModel>, impact_law: Option<ImpactLaw>) -> Self {
        let (n, m) = (model.n(), model.n_contacts());
        let tangents = model.contacts().iter().filter(|c| c.friction > 0.0).map(|c| c.tangents.len()).max();
        Self {
            impact_law,
            d: 1 + tangents.unwrap_or(0),
            load: Load::new(&model),
            operators: Vec::new(),
            used: 0,
            mass: Operators::of_mass(&model),
            first: Rows::default(),
            last: Rows::default(),
            gaps: vec![0.0; m],
            shifts: vec![0.0; m],
            v_free: vec![0.0; n],
            spare: vec![0.0; n],
            model,
        }
    }

    /// v_free; the operators of this step size are those used from here on.
    fn move_freely(&mut self, at: &Instant, h: f64) -> Result<f64, StepFailure> {
        let model = &*self.model;
        // one set of operators serves every step where K = C = 0
        let constant = model.damping().is_none() && model.stiffness().is_none();
        let key = if constant { 0.0 } else { h };
        let weights = Weights { damping: 0.5 * h, stiffness: 0.25 * h * h, response: 1.0, columns: true, threads: 1 };
        Operators::of(&mut self.operators, model, (at.t, key), weights)?;
        self.used = self.operators.iter().position(|o| o.is_of(key)).unwrap_or_default();
        self.load.evaluate(model, at.t, h);
        for i in 0..at.q.len() {
            self.v_free[i] = h * self.load.weighted(0.5, i);
            self.spare[i] = at.q[i] + 0.5 * h * at.v[i];
        }
        if let Some(C) = model.damping() {
            C.mul_add(-h, &at.v, &mut self.v_free);
        }
        if let Some(K) = model.stiffness() {
            K.mul_add(-h, &self.spare, &mut self.v_free);
        }
        self.operators[self.used].factor.solve(&mut self.v_free);
        vector::axpy(1.0, &at.v, &mut self.v_free);
        Ok(key)
    }

    /// The contacts that take part before any other has been met.
    fn select(&mut self, at: &Instant, h: f64, barred: &[usize]) {
        let Self { model, first, gaps, shifts, v_free, .. } = self;
        first.index.clear();
        for (i, contact) in model.contacts().iter().enumerate() {
            gaps[i] = model.gap(i, &at.q, at.t);
            shifts[i] = contact.offset.at(at.t + h) - contact.offset.at(at.t);
            let way = 0.5 * h * (model.G().column_dot(i, &at.v) + model.G().column_dot(i, v_free));
            let takes_part = at.landed.is_closed(i) || gaps[i] + way + shifts[i] < 0.0;
            if takes_part && barred.binary_search(&i).is_err() {
                first.index.push(i);
            }
        }
    }

    /// Velocities, restitution and first guess of the contacts listed; friction acts on closed contacts alone.
    fn fill(&mut self, at: &Instant, h: f64, contacts: &mut Contacts) {
        let (model, rows, d) = (&*self.model, &self.first, self.d);
        let problem = &mut contacts.first;
        problem.clear();
        contacts.gaps.clear();
        contacts.closed.clear();
        for (k, &i) in rows.index.iter().enumerate() {
            let closed = at.landed.is_closed(i);
            let level = at.landed.level(self.gaps[i], closed, h);
            contacts.gaps.push(level);
            contacts.closed.push(closed);
            problem.law.restitution.push(1.0);
            let guess = at.landed.guess(i);
            for c in 0..d {
                let drift = if c == 0 { self.shifts[i] / h } else { 0.0 };
                let gap = if c == 0 { 2.0 * level / h } else { 0.0 };
                problem.law.u_before.push(rows.rate(model, k * d + c, &at.v) + drift + gap);
                problem.law.u_free.push(rows.rate(model, k * d + c, &self.v_free) + drift);
                problem.law.p.push(guess[c]);
                problem.drift.push(drift);
            }
        }
    }

    /// q_{k+1}, v₁ and all gaps; whether a contact that did not take part is passed.
    fn arrive(&mut self, at: &Instant, h: f64, barred: &[usize], contacts: &Contacts, to: &mut Arrival) -> bool {
        let model = &*self.model;
        to.v1.clone_from(&self.v_free);
        to.fastest = vector::max_abs(&self.v_free);
        let response = &self.operators[self.used].response;
        for (column, &p) in self.first.columns.iter().zip(&contacts.first.law.p) {
            if let (Some(j), true) = (column, p != 0.0) {
                response.add_A(*j, p, &mut to.v1);
            }
        }
        to.q.clone_from(&at.q);
        for i in 0..to.q.len() {
            to.q[i] += 0.5 * h * (at.v[i] + to.v1[i]);
        }
        to.near.clear();
        let taking_part = self.first.index.len();
        for i in 0..model.n_contacts() {
            let gap = model.gap(i, &to.q, at.t + h);
            to.near.push((i, gap));
            if gap < 0.0
                && self.first.index[..taking_part].binary_search(&i).is_err()
                && barred.binary_search(&i).is_err()
            {
                self.first.index.push(i);
            }
        }
        let passed = self.first.index.len() > taking_part;
        self.first.index.sort_unstable();
        passed
    }
}

impl Motion for LinearMotion {
    fn position(&mut self, of: Trial, contacts: &mut Contacts, to: &mut Arrival) -> Result<StepInfo, StepFailure> {
        let Trial { at, h, barred } = of;
        let key = self.move_freely(at, h)?;
        self.select(at, h, barred);
        let mut info = StepInfo::default();
        loop {
            StepFailure::unless_stopped(at.t, h)?;
            self.first.list(&self.model, self.d);
            let operators = &mut self.operators[self.used];
            let frictional = |i: usize| at.landed.is_closed(i);
            self.first.assemble(&self.model, operators, &mut contacts.first, (at.t, key), frictional)?;
            self.fill(at, h, contacts);
            info.repeat(&contacts.first.solve_level((at.t, h), at.landed.left_over(h))?);
            if !self.arrive(at, h, barred, contacts, to) {
                contacts.take_in();
                return Ok(info);
            }
        }
    }

    fn turn_rows(&mut self, _: &Instant, _: f64, _: &Contacts, _: &Arrival) -> Result<(), StepFailure> {
        Ok(())
    }

    fn respond(&self, row: usize, p: f64, x: &mut [f64]) {
        if let Some(j) = self.first.columns[row] {
            self.operators[self.used].response.add_A(j, p, x);
        }
    }

    fn weigh(&self, row: usize, x: &mut [f64]) {
        let mut N = vec![0.0; x.len()];
        self.respond(row, 1.0, &mut N);
        x.fill(0.0);
        self.model.mass().mul_add(1.0, &N, x);
    }

    fn along(&self, row: usize, x: &[f64]) -> f64 {
        self.first.columns[row].map_or(0.0, |j| self.operators[self.used].response.dot_A(j, x))
    }

    fn product(&self, x: &[f64], y: &[f64]) -> f64 {
        self.model.mass().bilinear(x, y)
    }

    fn touch(&mut self, ids: &[usize], t: f64, to: &Arrival, last: &mut ContactProblem) {
        let (model, d) = (&*self.model, self.d);
        self.last.index.clear();
        self.last.index.extend_from_slice(ids);
        self.last.list(model, d);
        for (k, &i) in ids.iter().enumerate() {
            let (contact, first) = (&model.contacts()[i], k * d);
            for c in 0..d {
                let drift = if c == 0 { contact.offset.rate(t) } else { 0.0 };
                last.law.u_before.push(self.last.rate(model, first + c, &to.v_minus) + drift);
                last.law.p.push(0.0);
                last.drift.push(drift);
            }
            let e = contact.restitution;
            last.law.restitution.push(self.impact_law.map_or(e, |law| law.at(i, last.law.u_before[first], e)));
        }
    }

    fn impact(
        &mut self,
        (t, _): (f64, f64),
        _: f64,
        _: &mut [f64],
        last: &mut ContactProblem,
    ) -> Result<(), StepFailure> {
        self.last.assemble(&self.model, &mut self.mass, last, (t, 0.0), |_| true)?;
        let law = &mut last.law;
        law.u_free.clone_from(&law.u_before);
        Ok(())
    }

    fn strike(&self, row: usize, p: f64, x: &mut [f64]) {
        if let Some(j) = self.last.columns[row] {
            self.mass.response.add_A(j, p, x);
        }
    }

    fn works(&mut self, at: &Instant, h: f64, to: &Arrival) -> LedgerEntry {
        let mut external = 0.0;
        for i in 0..to.q.len() {
            self.spare[i] = 0.5 * (at.v[i] + to.v1[i]);
            external += h * self.spare[i] * self.load.weighted(0.5, i);
        }
        let work_damping = self.model.damping().map_or(0.0, |C| -h * C.bilinear(&self.spare, &self.spare));
        LedgerEntry { work_external: external, work_damping, ..Default::default() }
    }

    fn energies(&self, q: &[f64], v: &[f64]) -> [f64; 2] {
        [self.model.kinetic_energy(v), self.model.potential_energy(q)]
    }

    fn sizes(&self) -> (usize, usize) {
        (self.d, self.model.n())
    }

    fn contact_count(&self) -> usize {
        self.model.n_contacts()
    }

    fn closed_at_start(&mut self, state: &State) -> (Vec<u64>, f64) {
        let model = &self.model;
        let gaps: Vec<f64> = (0..model.n_contacts()).map(|i| model.gap(i, &state.q, state.t)).collect();
        let length = gaps.iter().chain(&state.q).fold(0.0_f64, |L, x| L.max(x.abs()));
        let closed = |&i: &usize| gaps[i] <= CLOSED * length && model.gap_rate(i, &state.v, state.t) >= 0.0;
        ((0..gaps.len()).filter(closed).map(|i| i as u64).collect(), length)
    }

    fn smallest_gap(&mut self, state: &State) -> Option<(f64, usize)> {
        let gaps = (0..self.model.n_contacts()).map(|i| (self.model.gap(i, &state.q, state.t), i));
        gaps.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn conclude(&mut self, state: &State, step: &mut Step) {
        let (model, after) = (&*self.model, &step.after);
        for c in &mut step.contacts {
            c.gap = model.gap(c.id, &after.q, after.t);
            c.u_before = model.gap_rate(c.id, &state.v, state.t);
            c.u_after = model.gap_rate(c.id, &after.v, after.t);
        }
        if model.has_tangents() {
            conclude_tangents(model, &state.v, step);
        }
    }
}
