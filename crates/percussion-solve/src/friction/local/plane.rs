//! One contact in the plane, solved exactly.
//!
//!   u = W r + b,  W ∈ ℝ^{2×2}:   open (b_N ≥ 0), stick (r = −W⁻¹b in the cone), or slip one way or the other:
//!   r_T = ±μ r_N,  r_N = −b_N/(W_NN ± μ W_NT),  u_T opposite to r_T
//!
//! When several hold (W_NN < μ|W_NT|), stick is preferred, then the slip that continues the last reaction.

use crate::friction::Cone;
use crate::friction::local::{Local, Memory};

/// The block of one contact with what the exact solution needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plane {
    w: [f64; 4],
    mu: f64,
    /// 1/det W, 0 when W is singular and sticking is not offered.
    inverse_det: f64,
}

impl Local<2> for Plane {
    fn new(w: &[f64], cone: Cone) -> Self {
        let w = [w[0], w[1], w[2], w[3]];
        let det = w[0] * w[3] - w[1] * w[2];
        let scale = (w[0] * w[3]).abs() + (w[1] * w[2]).abs();
        Self { w, mu: cone.mu, inverse_det: if det.abs() > 1e-13 * scale { 1.0 / det } else { 0.0 } }
    }

    #[inline]
    fn solve(&self, b: &[f64; 2], old: &[f64; 2], _: &mut Memory) -> Option<[f64; 2]> {
        let [nn, tn, nt, tt] = self.w;
        let mu = self.mu;
        if b[0] >= 0.0 {
            return Some([0.0, 0.0]);
        }
        if mu == 0.0 {
            return (nn > 0.0).then(|| [-b[0] / nn, 0.0]);
        }
        if self.inverse_det != 0.0 {
            let r = [-(tt * b[0] - nt * b[1]) * self.inverse_det, -(nn * b[1] - tn * b[0]) * self.inverse_det];
            if r[0] >= 0.0 && r[1].abs() <= mu * r[0] {
                return Some(r);
            }
        }
        let slip = |sign: f64| {
            let stiffness = nn + sign * mu * nt;
            if stiffness <= 0.0 {
                return None;
            }
            let r = [-b[0] / stiffness, -sign * mu * b[0] / stiffness];
            let u = tn * r[0] + tt * r[1] + b[1];
            (sign * u <= 0.0).then_some(r)
        };
        let first = if old[1] < 0.0 { -1.0 } else { 1.0 };
        slip(first).or_else(|| slip(-first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Symmetric positive definite blocks: an answer always comes, and it satisfies the law.
        #[test]
        fn answers_satisfy_the_law(l in prop::array::uniform3(-1.0..1.0f64), b in prop::array::uniform2(-1.0..1.0f64), mu in 0.0..2.0f64) {
            let (p, q, s) = (l[0] + 1.5, l[1], l[2] + 1.2);
            let w = [p * p, p * q, p * q, q * q + s * s];
            let cone = Cone::coulomb(mu);
            let Some(r) = Plane::new(&w, cone).solve(&b, &[0.0; 2], &mut [0.0; 2]) else {
                // Painlevé's region only
                prop_assert!(w[0] <= mu * w[1].abs());
                return Ok(());
            };
            let u = [w[0] * r[0] + w[2] * r[1] + b[0], w[1] * r[0] + w[3] * r[1] + b[1]];
            for x in cone.natural_map(&r, &u, 1.0) {
                prop_assert!(x.abs() < 1e-12, "{w:?} {b:?} {mu} {r:?} {u:?}");
            }
        }
    }
}
