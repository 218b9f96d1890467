//! Schatzman–Paoli: the contact law on positions two steps apart, written with the velocities between the positions.
//!
//!   q_{k+1} = q_k + h w_{k+½},   M̂ w_{k+½} = M w_{k−½} + h (F_{k+θ} − K q_k − ½ C w_{k−½}) + G p,   M̂ = M + θh²K + ½hC
//!   0 ≤ (g_{k+1} + e g_{k−1})/h ⟂ p ≥ 0 for every contact,   v_k = ½ (w_{k−½} + w_{k+½})
//!
//! The damping force is −C v_k: weighting the lagged velocity instead costs the order of smooth motion. v_k is centred at t_k, so
//! each step looks one position ahead: state k + 1 is (q_{k+1}, v_{k+1}), its impulse p is the one that acts at t_{k+1}, and the
//! first step makes two position steps. w_{−½} = v_0 − ½h a_0 with the contact forces of the start in a_0: a body that rests, rests.
//! q_{−1} = q_0 − h w_{−½} never was: where it lies behind a contact, e g_{−1} counts as zero.
//!
//! Multiplying by v_k gives an identity, exact for every θ:
//!
//!   H_{k+½} = ½‖w_{k+½}‖²_M + ½‖q_k + ½h w_{k+½}‖²_K + (h²/4)(θ−½)‖w_{k+½}‖²_K
//!   H_{k+½} − H_{k−½} = h v_kᵀF_{k+θ} − h‖v_k‖²_C + pᵀ(g_{k+1} − g_{k−1})/(2h) − θh²‖v_k‖²_K
//!
//! A pushing contact has g_{k+1} = −e g_{k−1}, hence does the work −(1+e) g_{k−1} p/(2h): never positive unless g_{k−1} < 0.

use crate::contact::phase::ContactPhase;
use crate::linear::load::Load;
use crate::linear::operators::{Operators, Weights};
use crate::located::start::starting_acceleration;
use crate::mechanism::linear::LinearMechanism;
use crate::schemes::schatzman_paoli::{VelocityAhead, reflected, unequal};
use crate::{LedgerEntry, Memory, Scheme, State, Step, StepFailure, StepInfo, StepStart, Stepper};
use percussion_model::LinearModel;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// The scheme bound to a linear model.
pub struct SchatzmanPaoli {
    model: Arc<LinearModel>,
    theta: f64,
    options: SolverOptions,
    contacts: ContactPhase,
    load: Load,
    operators: Vec<Operators>,
    /// w before and after, q, v and a spare.
    work: [Vec<f64>; 5],
}

impl SchatzmanPaoli {
    /// Binds the scheme.
    pub fn new(model: Arc<LinearModel>, theta: f64, scheme: &Scheme, options: SolverOptions) -> Self {
        let n = model.n();
        Self {
            theta,
            options,
            contacts: ContactPhase::new(&model, scheme, options),
            load: Load::new(&model),
            operators: Vec::new(),
            work: std::array::from_fn(|_| vec![0.0; n]),
            model,
        }
    }

    /// a_0 with the forces of contacts that rest.
    fn a_0(&self, state: &State) -> Result<Vec<f64>, StepFailure> {
        let mechanism =
            LinearMechanism::new(Arc::clone(&self.model)).ok_or_else(|| StepFailure::singular(state.t, 0.0, None))?;
        starting_acceleration(Box::new(mechanism), self.options, state)
    }

    /// From w_{k−½} to w_{k+½} at place `work[2]` = q_k and time t_k: impulses to `contacts.p`, v_k to `work[3]`, the works of this
    /// position step added to `entry`.
    fn leave(
        &mut self,
        from: &StepStart,
        t: f64,
        step: &mut Step,
        next: &mut Memory,
        entry: &mut LedgerEntry,
    ) -> Result<(), StepFailure> {
        let h = from.h;
        let first = from.memory.carried.of::<VelocityAhead>().h == 0.0 && t == from.state.t;
        let weights =
            Weights { damping: 0.5 * h, stiffness: self.theta * h * h, response: 1.0, columns: true, threads: 1 };
        let operators = Operators::of(&mut self.operators, &self.model, (t, h), weights)?;
        let (model, n, theta) = (&*self.model, from.state.q.len(), self.theta);
        let [w, w_next, q, v, spare] = &mut self.work;

        // free motion: M̂ w⁺ = M w + h (F_{k+θ} − K q − ½ C w)
        self.load.evaluate(model, t, h);
        for i in 0..n {
            w_next[i] = h * self.load.weighted(theta, i);
        }
        model.mass().mul_add(1.0, w, w_next);
        if let Some(K) = model.stiffness() {
            K.mul_add(-h, q, w_next);
        }
        if let Some(C) = model.damping() {
            C.mul_add(-0.5 * h, w, w_next);
        }
        operators.factor.solve(w_next);

        // every contact takes part: b = (g_free + e g_{k−1})/h
        for &j in &self.contacts.index {
            operators.ensure(model, j);
        }
        let rates = |j: usize, w: &[f64], w_next: &[f64]| {
            let offset = &model.contacts()[j].offset;
            let (here, before, after) = (offset.at(t), offset.at(t - h), offset.at(t + h));
            let arriving = model.G().column_dot(j, w) + (here - before) / h;
            let leaving = model.G().column_dot(j, w_next) + (after - here) / h;
            (arriving, leaving)
        };
        let b = |j: usize| {
            let (arriving, leaving) = rates(j, w, w_next);
            let gap = model.gap(j, q, t) / h;
            let e = reflected(model.contacts()[j].restitution, first, gap - arriving);
            (1.0 + e) * gap + leaving - e * arriving
        };
        for c in &mut step.contacts {
            let (arriving, leaving) = rates(c.id, w, w_next);
            c.u_free = 0.5 * (arriving + leaving);
        }
        self.contacts.solve_with(from, b, &operators.response, step, next)?;
        for (k, &j) in self.contacts.index.iter().enumerate() {
            if self.contacts.p[k] != 0.0 {
                operators.response.add_A(j, self.contacts.p[k], w_next);
            }
        }

        // works of the identity
        for i in 0..n {
            v[i] = 0.5 * (w[i] + w_next[i]);
            entry.work_external += h * v[i] * self.load.weighted(theta, i);
        }
        for c in step.contacts.iter().filter(|c| c.p != 0.0) {
            let (arriving, leaving) = rates(c.id, w, w_next);
            let whole = 0.5 * c.p * (arriving + leaving);
            entry.work_contact += whole;
            if !model.offsets_are_constant() {
                entry.work_external += c.p * model.G().column_dot(c.id, v) - whole;
            }
        }
        if let Some(C) = model.damping() {
            entry.work_damping -= h * C.bilinear(v, v);
        }
        if theta != 0.0 {
            entry.dissipation_numerical += 2.0 * theta * h * h * model.potential_energy(v);
        }
        entry.algorithmic_energy = energy(model, theta, q, w_next, h, spare);
        Ok(())
    }
}

impl Stepper for SchatzmanPaoli {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.contact_problem()
    }

    fn start(&mut self, state: &State) -> Memory {
        // a problem that cannot be solved here is met again, and reported, by the first step
        let a = self.a_0(state).unwrap_or_else(|_| vec![0.0; state.q.len()]);
        Memory::new(0.0, self.model.n_contacts()).carrying(VelocityAhead::new(a, state))
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let model = Arc::clone(&self.model);
        let mut entry = LedgerEntry::default();
        step.h = h;
        step.after.t = state.t + h;
        self.contacts.select_all(&model, state, step);
        step.smallest_gap = step.contacts.iter().map(|c| (c.gap, c.id)).min_by(|a, b| a.0.total_cmp(&b.0));
        next.u_max = step.contacts.iter().fold(memory.u_max, |u, c| u.max(c.u_before.abs()));

        // the velocity that leaves q_k is known, but for the first step, which finds it from w_{−½}
        let VelocityAhead { w: ahead, h: last, .. } = memory.carried.of();
        let mut first = (StepInfo::default(), Vec::new());
        if *last == 0.0 {
            let a_0 = self.a_0(state)?;
            let [w, _, q, ..] = &mut self.work;
            for (i, a) in a_0.iter().enumerate() {
                w[i] = state.v[i] - 0.5 * h * a;
                q[i] = state.q[i];
            }
            self.leave(from, state.t, step, next, &mut entry)?;
            first = (step.info, step.contacts.iter().map(|c| c.p).collect());
            let [w, w_next, ..] = &mut self.work;
            std::mem::swap(w, w_next);
        } else if *last != h {
            return Err(unequal(state, h, *last));
        } else {
            self.work[0].copy_from_slice(ahead);
        }

        // arrive, and look one position ahead
        let [w, _, q, ..] = &mut self.work;
        for i in 0..state.q.len() {
            q[i] = state.q[i] + h * w[i];
        }
        self.leave(from, step.after.t, step, next, &mut entry)?;
        let [_, w_next, q, v, _] = &self.work;
        for (to, x) in [(&mut step.after.q, q), (&mut step.after.v, v)] {
            to.clear();
            to.extend_from_slice(x);
        }
        self.contacts.conclude(from, step);
        let (info, impulses) = first;
        step.info.solves += info.solves;
        step.info.iterations += info.iterations;
        step.info.residual = step.info.residual.max(info.residual);
        for (c, p) in step.contacts.iter_mut().zip(impulses) {
            c.p += p;
        }
        next.carried.renew::<VelocityAhead>().set(w_next, h);

        // ledger
        entry.kinetic = model.kinetic_energy(&step.after.v);
        entry.potential = model.potential_energy(&step.after.q);
        entry.close(self.algorithmic_energy(memory, h), entry.algorithmic_energy);
        next.H = entry.algorithmic_energy;
        step.ledger = entry;
        Ok(())
    }

    /// H_{k+½}; at the start H_{−½}.
    fn algorithmic_energy(&self, memory: &Memory, h: f64) -> f64 {
        let Some((q, w)) = memory.carried.of::<VelocityAhead>().before_start(h, 1.0) else { return memory.H };
        energy(&self.model, self.theta, &q, &w, h, &mut vec![0.0; q.len()])
    }
}

/// H of the half step that leaves q with the velocity w; `spare` is work memory.
fn energy(model: &LinearModel, theta: f64, q: &[f64], w: &[f64], h: f64, spare: &mut [f64]) -> f64 {
    for i in 0..q.len() {
        spare[i] = q[i] + 0.5 * h * w[i];
    }
    let mut H = model.kinetic_energy(w) + model.potential_energy(spare);
    if theta != 0.5 {
        H += 0.5 * h * h * (theta - 0.5) * model.potential_energy(w);
    }
    H
}
