//! Contacts closed at the start whose gradients follow from each other: how they share a load is then not unique.
//!
//!   rank(G_N M⁻¹ G_Nᵀ on the motions the joints allow) = rank [J; G_N] − rank J,   found by orthogonalising the gradients

use crate::newton::redundancy::Independent;
use crate::{Problem, Warning};
use percussion_matrix::vector;
use percussion_model::Code;

/// Gaps up to this part of their terms are closed.
const CLOSED: f64 = 1e-9;
/// Operations beyond which nobody waits for a remark.
const WORK: usize = 20_000_000;

/// One warning that names the contacts closed at the start that follow from the others, if any do.
pub fn redundant_contacts(problem: &Problem) -> Option<Warning> {
    let (n, nb) = (problem.q0.len(), problem.model.n_joints());
    let closed: Vec<usize> = (0..problem.model.n_contacts())
        .filter(|&i| problem.model.gap(i, &problem.q0, 0.0) <= CLOSED * problem.model.gap_terms(i, &problem.q0))
        .collect();
    let rows = nb + closed.len();
    if closed.len() < 2 || rows.saturating_mul(rows).saturating_mul(n) > WORK {
        return None;
    }
    let mut independent = Independent::default();
    let mut follow = Vec::new();
    for k in (0..nb).chain(closed.iter().map(|i| nb + i)) {
        let mut unit = gradient(problem, k);
        let length = vector::norm(&unit).max(f64::MIN_POSITIVE);
        unit.iter_mut().for_each(|x| *x /= length);
        if !independent.admit(unit) && k >= nb {
            follow.push(k - nb);
        }
    }
    if follow.is_empty() {
        return None;
    }
    let mut names: Vec<String> = follow.iter().take(8).map(ToString::to_string).collect();
    if follow.len() > names.len() {
        names.push("…".into());
    }
    let message = format!(
        "{} of the {} contacts closed at the start follow from the others (contact {}): the motion does not depend on how they \
         share the load",
        follow.len(),
        closed.len(),
        names.join(", ")
    );
    Some(Warning { code: Code::REDUNDANT_CONTACT, message })
}

/// Gradient of constraint k at the start, joints first.
fn gradient(problem: &Problem, k: usize) -> Vec<f64> {
    let (model, q) = (&problem.model, &problem.q0);
    let mut entries = Vec::new();
    match k.checked_sub(model.n_joints()) {
        None => model.joint_row(k, q, &mut entries),
        Some(contact) => model.gap_row(contact, q, &mut entries),
    }
    let mut row = vec![0.0; problem.v0.len()];
    entries.into_iter().for_each(|(i, x)| row[i] += x);
    row
}
