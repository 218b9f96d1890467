//! Piecewise constant velocities on models whose mass and gradients move.
//!
//!   q⁺ = q + h v,   v⁺ = v + h M(q⁺)⁻¹f(q⁺, v, t⁺) + M⁻¹G P,   0 ≤ U⁺ + êU ⟂ P ≥ 0 on the contacts the activation rule admits
//!
//! On a linear model this is `d0_linear.rs`, which has an identity; here the balance is measured.

use crate::contact::activation::Approach;
use crate::contact::instant::InstantContacts;
use crate::located::stiffness::{euler_is_stable, too_stiff};
use crate::mechanism::Mechanism;
use crate::{Activation, ContactState, LedgerEntry, Memory, State, Step, StepFailure, StepStart, Stepper};
use percussion_model::InputError;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;

/// The scheme bound to a model.
pub struct ExplicitD0 {
    contacts: InstantContacts,
    activation: Activation,
    a: Vec<f64>,
}

impl ExplicitD0 {
    /// Binds the scheme.
    pub fn new(mechanism: Box<dyn Mechanism>, activation: Activation, options: SolverOptions) -> Self {
        let a = vec![0.0; mechanism.n()];
        Self { contacts: InstantContacts::new(mechanism, options), activation, a }
    }
}

impl Stepper for ExplicitD0 {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.contact_problem()
    }

    fn start(&mut self, state: &State) -> Memory {
        self.contacts.start(state)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let Self { contacts, activation, a } = self;
        let (n, m) = (state.q.len(), memory.p.len());
        let singular = || StepFailure::singular(state.t, h, None);
        contacts.begin_step();
        step.h = h;
        step.after.t = state.t + h;
        step.after.q.resize(n, 0.0);
        step.after.v.clone_from(&state.v);
        let State { t, q, v } = &mut step.after;

        // free motion
        for i in 0..n {
            q[i] = state.q[i] + h * state.v[i];
        }
        let mechanism = &mut contacts.mechanism;
        if mechanism.drifts() && !mechanism.project(*t, q, v, &[]) {
            return Err(singular());
        }
        if !mechanism.accelerate(*t, q, v, &[], a, &mut []) {
            return Err(singular());
        }
        for i in 0..n {
            v[i] += h * a[i];
        }
        if mechanism.drifts() && !mechanism.project(*t, q, v, &[]) {
            return Err(singular());
        }

        // active contacts and their impulses
        step.contacts.clear();
        step.smallest_gap = None;
        next.u_max = memory.u_max;
        contacts.clear();
        for i in 0..m {
            let gap = contacts.mechanism.gap(i, &state.q, state.t);
            let u = contacts.mechanism.gap_rate(i, &state.q, &state.v, state.t);
            next.u_max = next.u_max.max(u.abs());
            if step.smallest_gap.is_none_or(|(g, _)| gap < g) {
                step.smallest_gap = Some((gap, i));
            }
            let ahead = match activation {
                Activation::Predicted { prediction } => *prediction * h,
                _ => h,
            };
            let seen = if ahead == h { contacts.mechanism.gap(i, q, *t) - h * u } else { gap };
            if activation.admits(&Approach { gap: seen, u, push: memory.push[i] }, h, next.u_max) {
                let e = activation.restitution(u, contacts.mechanism.restitution(i), 1.0);
                let free = contacts.mechanism.gap_rate(i, q, v, *t);
                contacts.add(i, free + e * u);
                step.contacts.push(ContactState { id: i, gap, u_before: u, u_free: free, u_after: u, p: 0.0 });
            }
        }
        contacts.solve((*t, q), state, h)?;
        contacts.push(v);
        step.info = contacts.info;

        // measured balance
        next.clear_impulses(m);
        let after = &step.after;
        let mut entry = LedgerEntry {
            kinetic: contacts.mechanism.kinetic_energy(&after.q, &after.v),
            potential: contacts.mechanism.potential_energy(&after.q),
            ..Default::default()
        };
        for (k, c) in step.contacts.iter_mut().enumerate() {
            c.gap = contacts.mechanism.gap(c.id, &after.q, after.t);
            c.u_after = contacts.mechanism.gap_rate(c.id, &after.q, &after.v, after.t);
            c.p = contacts.x[k];
            (next.p[c.id], next.push[c.id]) = (c.p, contacts.mobility(k) * c.p);
            entry.work_contact += 0.5 * c.p * (c.u_before + c.u_after);
        }
        let before = contacts.mechanism.power(state.t, &state.q, &state.v);
        let end = contacts.mechanism.power(after.t, &after.q, &after.v);
        entry.work_external = 0.5 * h * (before.external + end.external);
        entry.work_damping = 0.5 * h * (before.damping + end.damping);
        entry.close(memory.H, entry.energy());
        next.H = entry.energy();
        step.ledger = entry;
        Ok(())
    }

    fn refuse(&mut self, state: &State, h: f64) -> Option<InputError> {
        too_stiff("d0-constant", &mut *self.contacts.mechanism, state, h, euler_is_stable)
    }
}
