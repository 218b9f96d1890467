//! From free motion to impulses: index set, one-step problem, solve.
//!
//!   I by the activation rule;   b_i = G_iᵀv_free + ẇ_i(t_{k+1}) + ê_i U_{k,i};   0 ≤ W_II P + b ⟂ P ≥ 0

use crate::contact::activation::{Approach, IndexSet};
use crate::contact::friction_phase::FrictionPhase;
use crate::contact::law::without_friction;
use crate::contact::response::Response;
use crate::{Activation, ContactState, ImpactLaw, Memory, Scheme, Step, StepFailure, StepInfo, StepStart, Tangential};
use percussion_matrix::parts::add_rows;
use percussion_model::LinearModel;
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};
use std::sync::Arc;

/// Contacts of a coupled system at once: W is then a full matrix, 3.2 GB at this size.
const LARGEST_DENSE: usize = 20_000;

/// The contact part of a step with its buffers.
#[derive(Debug)]
pub struct ContactPhase {
    model: Arc<LinearModel>,
    activation: Activation,
    /// ê of opening contacts under `hold`.
    e_open: f64,
    law: Option<ImpactLaw>,
    solver: Solver,
    problem: OneStepProblem,
    /// The index set of the current step, by rising contact number.
    pub index: Vec<usize>,
    /// P on the index set.
    pub p: Vec<f64>,
    /// Step size for which `problem.W` was assembled.
    assembled_for: Option<u64>,
    previous: Vec<usize>,
    restitution: Vec<f64>,
    /// Present when some contact has friction; the complementarity problem is then not used.
    friction: Option<Box<FrictionPhase>>,
}

impl ContactPhase {
    /// The contact problem of the last step, with its impulses.
    pub fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        match &self.friction {
            Some(friction) => friction.contact_problem(),
            None => without_friction(&self.problem, &self.p),
        }
    }

    /// For the contacts of a model under a scheme's activation rule and friction law.
    pub fn new(model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Self {
        Self {
            model: Arc::clone(model),
            activation: scheme.activation,
            e_open: scheme.facts().opening_restitution,
            law: scheme.impact_law,
            solver: Solver::new(options),
            problem: OneStepProblem::empty(),
            index: Vec::new(),
            p: Vec::new(),
            assembled_for: None,
            previous: Vec::new(),
            restitution: Vec::new(),
            friction: model.has_friction().then(|| Box::new(FrictionPhase::new(model, scheme, options))),
        }
    }

    /// The columns of H whose responses the step needs: normals of the index set, then tangents with friction.
    #[inline]
    pub fn columns(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let tangents = self.friction.as_ref().map_or(&[][..], |friction| &friction.tangents);
        self.index.iter().chain(tangents).copied()
    }

    /// The impulse along each of these columns.
    #[inline]
    pub fn impulses(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let p = self.friction.as_ref().map_or(&[][..], |friction| &friction.p);
        self.columns().zip(self.p.iter().chain(p).copied())
    }

    /// Selects the index set at the start of a step and notes gaps and velocities in `step.contacts`.
    #[inline]
    pub fn select(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) {
        let StepStart { state, memory, .. } = *from;
        let model = &self.model;
        step.contacts.clear();
        step.friction.clear();
        self.index.clear();
        self.restitution.clear();
        let mut set = IndexSet::new(self.activation, self.e_open, from);
        // this rule compares with the largest velocity, this step's included
        if matches!(self.activation, Activation::PredictedAndClosing) {
            for i in 0..model.n_contacts() {
                set.u_max = set.u_max.max(model.gap_rate(i, &state.v, state.t).abs());
            }
        }
        for (i, contact) in model.contacts().iter().enumerate() {
            let (gap, u) = model.gap_and_rate(i, (&state.q, &state.v), state.t);
            let e = || self.law.map_or(contact.restitution, |law| law.at(i, u, contact.restitution));
            if let Some(e) = set.admit(i, &Approach { gap, u, push: memory.push[i] }, e) {
                self.index.push(i);
                self.restitution.push(e);
                step.contacts.push(ContactState::before(i, gap, u));
            }
        }
        set.finish(step, next);
        if let Some(friction) = &mut self.friction {
            friction.select(from, &step.contacts, &self.restitution);
        }
    }

    /// Solves the velocity law on the index set for the given free velocity; P goes to `self.p`, `step` and `next`.
    #[inline]
    pub fn solve(
        &mut self,
        from: &StepStart,
        v_free: &[f64],
        response: &Response,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure> {
        let t_next = from.state.t + from.h;
        self.problem.b.clear();
        for (k, c) in step.contacts.iter_mut().enumerate() {
            c.u_free = self.model.gap_rate(c.id, v_free, t_next);
            self.problem.b.push(c.u_free + self.restitution[k] * c.u_before);
        }
        if let Some(friction) = &mut self.friction {
            next.clear_impulses(self.model.n_contacts());
            self.p.clear();
            step.info = Default::default();
            return friction.solve(from, v_free, response, &mut self.p, (step, next));
        }
        self.finish(from, response, step, next)
    }

    /// Solves 0 ≤ W λ + b ⟂ λ ≥ 0 with right-hand sides given by the caller, one per contact of the index set.
    pub fn solve_with(
        &mut self,
        from: &StepStart,
        b: impl Fn(usize) -> f64,
        response: &Response,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure> {
        self.problem.b.clear();
        for &i in &self.index {
            self.problem.b.push(b(i));
        }
        self.finish(from, response, step, next)
    }

    fn finish(
        &mut self,
        from: &StepStart,
        response: &Response,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let model = &self.model;
        next.clear_impulses(model.n_contacts());
        self.p.clear();
        step.info = Default::default();
        if self.index.is_empty() {
            return Ok(());
        }

        // W changes only with the step size or the index set
        let key = h.to_bits();
        if self.assembled_for != Some(key) || self.previous != self.index {
            if response.delassus_is_dense(self.index.len()) && self.index.len() > LARGEST_DENSE {
                return Err(StepFailure::too_large(state.t, h, self.index.len(), LARGEST_DENSE));
            }
            response.delassus(model.G(), &self.index, &mut self.problem.W);
            self.problem.ids.clear();
            self.problem.ids.extend_from_slice(&self.index);
            self.problem.revision += 1;
            self.previous.clear();
            self.previous.extend_from_slice(&self.index);
            self.assembled_for = Some(key);
        }

        // a motion that has overflowed is not a contact problem without solution
        if let Some(k) = self.problem.b.iter().position(|b| !b.is_finite()) {
            let coordinate = model.contacts()[self.index[k]].normal[0].0;
            return Err(StepFailure::not_finite(state.t, h, coordinate));
        }

        // warm start by contact identity
        for &i in &self.index {
            self.p.push(memory.p[i]);
        }
        let report = self.solver.solve(&self.problem, &mut self.p);
        step.info = StepInfo::of(&report);
        if report.status != SolveStatus::Solved {
            return Err(StepFailure::unsolved(state.t, h, &self.problem, &report));
        }
        for (k, c) in step.contacts.iter_mut().enumerate() {
            // a solver's −1e-17 is a zero impulse
            let p = self.p[k].max(0.0);
            self.p[k] = p;
            c.p = p;
            next.p[c.id] = p;
            next.push[c.id] = self.problem.W.get(k, k) * p;
        }
        Ok(())
    }

    /// Fills in gaps and velocities at the end of the step.
    #[inline]
    pub fn conclude(&self, from: &StepStart, step: &mut Step) {
        let (model, after) = (&self.model, &step.after);
        for c in &mut step.contacts {
            (c.gap, c.u_after) = model.gap_and_rate(c.id, (&after.q, &after.v), after.t);
        }
        if model.has_tangents() {
            conclude_tangents(model, &from.state.v, step);
        }
        if let Some(friction) = &self.friction {
            friction.judge(step);
        }
    }
}

/// Tangential velocities at both ends of the step; without friction the statuses are open and closed.
pub fn conclude_tangents(model: &LinearModel, v: &[f64], step: &mut Step) {
    for (k, c) in step.contacts.iter().enumerate() {
        if step.friction.len() == k {
            step.friction.push(Tangential { status: c.status(), ..Default::default() });
        }
        let tangential = &mut step.friction[k];
        tangential.n = model.tangent_columns(c.id).len();
        tangential.u_before = model.tangent_rate(c.id, v);
        tangential.u_after = model.tangent_rate(c.id, &step.after.v);
    }
}

/// Σ p_i·((1−c) x_i + c y_i) over the contacts of a step and all their components: contact work, with u before and after.
#[inline]
pub fn work(step: &Step, c: f64) -> f64 {
    work_by(step, c, 1)
}

/// The same on so many threads.
#[inline]
pub fn work_by(step: &Step, c: f64, threads: usize) -> f64 {
    let Step { contacts, friction, .. } = step;
    let mut sum = [0.0];
    let normal = |k: &ContactState| k.p * ((1.0 - c) * k.u_before + c * k.u_after);
    add_rows(&mut sum, contacts.len(), threads, |[sum], i| *sum += normal(&contacts[i]));
    add_rows(&mut sum, friction.len(), threads, |[sum], i| *sum += friction[i].work(c));
    sum[0]
}

/// −Pᵀẇ_{k+c}: what moving obstacles put in.
#[inline]
pub fn obstacle_work(model: &LinearModel, contacts: &[ContactState], t: f64, h: f64, c: f64) -> f64 {
    if model.offsets_are_constant() { 0.0 } else { moving_obstacle_work(model, contacts, t, h, c) }
}

fn moving_obstacle_work(model: &LinearModel, contacts: &[ContactState], t: f64, h: f64, c: f64) -> f64 {
    let mut sum = 0.0;
    for k in contacts.iter().filter(|k| k.p != 0.0) {
        let offset = &model.contacts()[k.id].offset;
        sum -= k.p * ((1.0 - c) * offset.rate(t) + c * offset.rate(t + h));
    }
    sum
}
