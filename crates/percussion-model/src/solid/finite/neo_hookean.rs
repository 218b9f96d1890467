//! Neo-Hookean law of a compressible solid.
//!
//!   ψ = ½μ (tr C − 3 − 2 ln J) + ½λ (ln J)²,   S = μ (1 − C⁻¹) + λ ln J C⁻¹,   J² = det C
//!   dS = ½λ (C⁻¹:dC) C⁻¹ + (μ − λ ln J) C⁻¹ dC C⁻¹

use super::tensor::{UNIT, add, cofactor, inner, sandwich, trace};
use crate::solid::hooke::{Lame, Tensor};
use percussion_matrix::math;

/// ln J and C⁻¹; `None` where C has no positive determinant.
fn inverse(C: &Tensor) -> Option<(f64, Tensor)> {
    let (det, cofactor) = cofactor(C);
    (det > 0.0 && det.is_finite()).then(|| (0.5 * math::ln(det), cofactor.map(|x| x / det)))
}

pub(super) fn energy(lame: &Lame, C: &Tensor) -> Option<f64> {
    let (ln_J, _) = inverse(C)?;
    Some(0.5 * lame.mu * (trace(C) - 3.0 - 2.0 * ln_J) + 0.5 * lame.lambda * ln_J * ln_J)
}

pub(super) fn stress(lame: &Lame, C: &Tensor) -> Option<Tensor> {
    let (ln_J, C_inverse) = inverse(C)?;
    Some(add(&UNIT.map(|x| lame.mu * x), lame.lambda * ln_J - lame.mu, &C_inverse))
}

pub(super) fn stress_change(lame: &Lame, C: &Tensor, dC: &Tensor) -> Option<Tensor> {
    let (ln_J, C_inverse) = inverse(C)?;
    let turned = sandwich(&C_inverse, dC).map(|x| (lame.mu - lame.lambda * ln_J) * x);
    Some(add(&turned, 0.5 * lame.lambda * inner(&C_inverse, dC), &C_inverse))
}
