//! The acceleration a motion starts with, contact forces included.
//!
//!   M a = f(q, v, t) + Jᵀλ_b + G λ,   0 ≤ Γ ⟂ λ ≥ 0 on the contacts closed with U = 0
//!
//! A two-step scheme that took the free acceleration instead would start a body at rest on its obstacle from a place before the
//! first that penetrates it, and throw it up by e·½h²a.

use crate::contact::instant::InstantContacts;
use crate::mechanism::Mechanism;
use crate::{State, StepFailure};
use percussion_solve::SolverOptions;

/// a at the start of a run.
pub fn starting_acceleration(
    mechanism: Box<dyn Mechanism>,
    options: SolverOptions,
    state: &State,
) -> Result<Vec<f64>, StepFailure> {
    let State { t, q, v } = state;
    let mut contacts = InstantContacts::new(mechanism, options);
    let mut a = vec![0.0; q.len()];
    if !contacts.mechanism.accelerate(*t, q, v, &[], &mut a, &mut []) {
        return Err(StepFailure::singular(*t, 0.0, None));
    }

    // a contact that approaches has come freely, one that leaves goes freely
    let u: Vec<f64> = (0..contacts.mechanism.n_contacts()).map(|i| contacts.mechanism.gap_rate(i, q, v, *t)).collect();
    // rates are differences of velocities: these, not the rates alone, measure their round-off
    let rest = InstantContacts::rest(u.iter().chain(v).fold(0.0, |s, u| s.max(u.abs())));
    for (i, u) in u.iter().enumerate() {
        if u.abs() <= rest && contacts.closed(i, q, *t) {
            let gamma = contacts.mechanism.gap_acceleration(i, q, v, &a, *t);
            contacts.add(i, gamma);
        }
    }
    contacts.solve((*t, q), state, 0.0)?;
    contacts.push(&mut a);
    Ok(a)
}
