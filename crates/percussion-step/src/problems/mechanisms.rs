//! Three mechanisms with nonlinear equations and the parameters under which the literature moves them.
//!
//!   M(q) dv = f(q, v, t) dt + ∇g dI,    g(q) ≥ 0

use crate::Problem;
use percussion_model::nonlinear::{Beam, BeamParts, Pendulum, RockingBlock};
use percussion_model::{InputError, Lagrangian};
use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::sync::Arc;

/// 1 kg at the end of 1 m in coordinates (x, y, θ) with two joints, against a wall that it meets at −45° with restitution e
/// (Brüls, Acary and Cardona 2014, with e = 0.8).
pub fn pendulum_model(e: f64) -> Result<Pendulum, InputError> {
    Pendulum::new(1.0, 0.1, 1.0, 10.0, FRAC_1_SQRT_2, e)
}

/// The pendulum released at 15° above the horizontal.
pub fn pendulum(e: f64) -> Result<Problem, InputError> {
    let model = pendulum_model(e)?;
    let q0 = model.at_angle(PI / 12.0).to_vec();
    released(model, q0)
}

/// A block of 1 kg, 1 m × 1.5 m, that meets the floor with two corners of restitution e.
pub fn rocking_block_model(e: f64) -> Result<RockingBlock, InputError> {
    RockingBlock::new(1.0, 1.0, 1.5, 9.81, e)
}

/// The block dropped from 1 m, tilted by 0.2 rad.
pub fn rocking_block(e: f64) -> Result<Problem, InputError> {
    released(rocking_block_model(e)?, vec![0.0, 1.0, 0.2])
}

/// Four elements of a steel strip, 1 m × 1 cm × 1 cm, hinged at one end over a wall that it meets at −45°, e = 0.8.
pub fn rotating_beam_model() -> Beam {
    let parts = BeamParts {
        length: 1.0,
        width: 0.01,
        depth: 0.01,
        young: 2.1e11,
        poisson: 0.3,
        density: 7800.0,
        gravity: 9.81,
        elements: 4,
        wall: FRAC_1_SQRT_2,
        restitution: 0.8,
    };
    Beam::new(parts).expect("data in range")
}

/// The beam released level and straight.
pub fn rotating_beam() -> Problem {
    let model = rotating_beam_model();
    let q0 = model.straight();
    released(model, q0).expect("over its wall")
}

/// From rest at q0.
fn released(model: impl Lagrangian + 'static, q0: Vec<f64>) -> Result<Problem, InputError> {
    let v0 = vec![0.0; q0.len()];
    Problem::nonlinear(Arc::new(model), q0, v0)
}
