//! Where a motion may begin: finite numbers, gaps that are not negative, joints that hold.
//!
//!   g_i(q₀, 0) ≥ −ε s_i,    |g_j(q₀)| ≤ ε s_j,    |ġ_j(q₀, v₀)| ≤ ε s_j′,    s the size of the terms

use super::Mechanics;
use crate::{Code, InputError};

/// Part of its terms by which a gap may be negative.
const GAP: f64 = 1e-12;
/// Part of its terms by which a joint, or its rate, may differ from zero.
const JOINT: f64 = 1e-10;

/// Energies, gaps, joints and rates are numbers; q₀ is at fault where it alone gives none, else v₀.
pub fn check_finite<M: Mechanics + ?Sized>(model: &M, q: &[f64], v: &[f64]) -> Result<(), InputError> {
    let rest = vec![0.0; v.len()];
    if let Some(what) = model.undefined(q, &rest, 0.0) {
        let help = "check q0, and that the model is defined there";
        return Err(InputError::new(
            Code::NOT_FINITE,
            "model.q0",
            format!("{what} is infinite or NaN at the start"),
            help,
        ));
    }
    let gaps = (0..model.n_contacts()).map(|i| model.gap(i, q, 0.0));
    let joints = (0..model.n_joints()).map(|j| model.joint(j, q));
    let energies = [model.potential_energy(q), model.kinetic_energy(q, &rest)];
    let (field, message, help) = if !energies.into_iter().chain(gaps).chain(joints).all(f64::is_finite) {
        let help = "check q0, and that the model is defined there";
        ("model.q0", "an energy, a gap or a joint is infinite or NaN at the start", help)
    } else {
        let rates = (0..model.n_joints()).map(|j| model.joint_rate(j, q, v));
        if [model.kinetic_energy(q, v)].into_iter().chain(rates).all(f64::is_finite) {
            return Ok(());
        }
        let message = "the kinetic energy or a joint's rate is infinite or NaN at the start";
        ("model.v0", message, "give smaller velocities")
    };
    Err(InputError::new(Code::NOT_FINITE, field, message, help))
}

/// Gaps are not negative.
pub fn check_gaps<M: Mechanics + ?Sized>(model: &M, q: &[f64]) -> Result<(), InputError> {
    for i in 0..model.n_contacts() {
        let gap = model.gap(i, q, 0.0);
        if gap < -GAP * model.gap_terms(i, q) {
            let message = format!("{} penetrates by {:.6e} m at t = 0", model.contact_name(i), -gap);
            let help = "move q0 or the offset, or use --fix-initial project";
            return Err(InputError::new(Code::PENETRATION, format!("model.contact[{i}]"), message, help));
        }
    }
    Ok(())
}

/// Joints hold, and go on holding.
pub fn check_joints<M: Mechanics + ?Sized>(model: &M, q: &[f64], v: &[f64]) -> Result<(), InputError> {
    for j in 0..model.n_joints() {
        let field = format!("model.joint[{j}]");
        let [place, rate] = model.joint_terms(j, q, v);
        let position = model.joint(j, q);
        if position.abs() > JOINT * place {
            let message = format!("the joint is violated by {position:.6e} instead of 0");
            let help = "correct q0, or use --fix-initial project";
            return Err(InputError::new(Code::JOINT_POSITION, field, message, help));
        }
        let velocity = model.joint_rate(j, q, v);
        if velocity.abs() > JOINT * rate {
            let message = format!("the joint's velocity is {velocity:.6e} instead of 0");
            let help = "correct v0, or use --fix-initial project";
            return Err(InputError::new(Code::JOINT_VELOCITY, field, message, help));
        }
    }
    Ok(())
}
