//! Rigid motions of space, SE(3): exponential, logarithm and the tangent map between them.
//!
//!   exp(u, φ) = (T(φ)ᵀu, exp φ),    log(x, R) = (T(φ)⁻ᵀx, φ),  φ = log R
//!
//! A curve of constant strain is t ↦ exp(t u, t φ), a helix. The tangent map in the frame of the result is [T U; 0 T].

use super::blocks::Mat6;
use super::rotation::{self, coefficients};
use crate::bodies::Frame;
use crate::bodies::math::{Mat3, Vec3, add, mul, mul_mat, mul_t, norm, scale, skew, sub};
use percussion_matrix::math;

/// A place and a rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    /// Place [m].
    pub x: Vec3,
    /// Rotation.
    pub R: Mat3,
}

/// Its logarithm: u [m] and φ [rad].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Logarithm {
    /// Part of the place; |u| is the arc length of the helix.
    pub u: Vec3,
    /// Part of the rotation.
    pub phi: Vec3,
}

impl RigidMotion {
    /// exp(u, φ).
    pub fn exp(u: &Vec3, phi: &Vec3) -> Self {
        Self { x: mul_t(&rotation::tangent(phi), u), R: rotation::exp(phi) }
    }

    /// The motion that leads from one frame to another, seen from the first.
    pub fn between(a: &Frame, b: &Frame) -> Self {
        Self { x: mul_t(&a.R, &sub(&b.x, &a.x)), R: rotation::relative(&a.R, &b.R) }
    }

    /// This motion followed by another one, seen from where this one leads.
    pub fn then(&self, next: &Self) -> Self {
        Self { x: add(&self.x, &mul(&self.R, &next.x)), R: mul_mat(&self.R, &next.R) }
    }

    /// Where it leads from a frame.
    pub fn from_frame(&self, frame: &Frame) -> Frame {
        let R = mul_mat(&frame.R, &self.R);
        Frame { x: add(&frame.x, &mul(&frame.R, &self.x)), q: rotation::quaternion(&R), R }
    }

    /// (u, φ) with |φ| ≤ π.
    pub fn log(&self) -> Logarithm {
        let phi = rotation::log(&self.R);
        Logarithm { u: mul_t(&rotation::inverse_tangent(&phi), &self.x), phi }
    }
}

impl Logarithm {
    /// [T U; 0 T]: a change of (u, φ) moves exp(u, φ) by this much in its own frame (Barfoot 2017, eq. 7.86).
    pub fn tangent(&self) -> Mat6 {
        let T = rotation::tangent(&self.phi);
        let U = self.coupling();
        let mut whole = [[0.0; 6]; 6];
        for i in 0..3 {
            for j in 0..3 {
                whole[i][j] = T[i][j];
                whole[i][3 + j] = U[i][j];
                whole[3 + i][3 + j] = T[i][j];
            }
        }
        whole
    }

    /// U(u, φ): how the place T(φ)ᵀu moves with φ, in the frame of the result. With P = −[φ], R = −[u]:
    /// ½R + C(PR + RP + PRP) + E(PPR + RPP − 3PRP) + F(PRPP + PPRP).
    fn coupling(&self) -> Mat3 {
        let angle = norm(&self.phi);
        let x = angle * angle;
        let c = coefficients(angle);
        // E = (φ²/2 + cos φ − 1)/φ⁴,   F = (2φ − 3 sin φ + φ cos φ)/2φ⁵
        let (E, F) = if angle < 0.25 {
            let E = 1.0 / 24.0 - x * (1.0 / 720.0 - x * (1.0 / 40320.0 - x * (1.0 / 3628800.0 - x / 479001600.0)));
            let F = 1.0 / 120.0 - x * (1.0 / 2520.0 - x * (1.0 / 120960.0 - x * (1.0 / 9979200.0 - x / 1245404160.0)));
            (E, F)
        } else {
            let (s, cos) = math::sin_cos(angle);
            ((0.5 * x + cos - 1.0) / (x * x), (2.0 * angle - 3.0 * s + angle * cos) / (2.0 * angle * x * x))
        };
        let (P, R) = (skew(&scale(-1.0, &self.phi)), skew(&scale(-1.0, &self.u)));
        let (PR, RP) = (mul_mat(&P, &R), mul_mat(&R, &P));
        let PRP = mul_mat(&PR, &P);
        let (PPR, RPP) = (mul_mat(&P, &PR), mul_mat(&RP, &P));
        let (PRPP, PPRP) = (mul_mat(&PRP, &P), mul_mat(&P, &PRP));
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                0.5 * R[i][j]
                    + c.C * (PR[i][j] + RP[i][j] + PRP[i][j])
                    + E * (PPR[i][j] + RPP[i][j] - 3.0 * PRP[i][j])
                    + F * (PRPP[i][j] + PPRP[i][j])
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::apply;
    use super::super::test_tools::Dice;
    use super::*;

    /// log(exp(u, φ)) = (u, φ), and half a helix twice is the whole of it.
    #[test]
    fn logarithm_and_halves() {
        let mut dice = Dice::new(7);
        for angle in [0.0, 1e-8, 0.1, 1.0, 2.5, 3.1] {
            let (u, phi) = (dice.vector(), scale(angle, &dice.unit()));
            let whole = RigidMotion::exp(&u, &phi);
            let log = whole.log();
            assert!(norm(&sub(&log.u, &u)) < 2e-13 && norm(&sub(&log.phi, &phi)) < 1e-14, "angle {angle}");
            let half = RigidMotion::exp(&scale(0.5, &u), &scale(0.5, &phi));
            let twice = half.then(&half);
            assert!(norm(&sub(&twice.x, &whole.x)) < 1e-15 * 8.0, "angle {angle}");
        }
    }

    /// The tangent map against central differences of exp (error 1e-10), on both sides of the change to series.
    #[test]
    fn tangent_map() {
        let mut dice = Dice::new(9);
        let step = 1e-5;
        for angle in [1e-7, 0.1, 0.2499, 0.2501, 1.0, 2.0, 3.0] {
            let log = Logarithm { u: dice.vector(), phi: scale(angle, &dice.unit()) };
            let (du, dphi) = (dice.unit(), dice.unit());
            let by =
                |s: f64| RigidMotion::exp(&add(&log.u, &scale(s * step, &du)), &add(&log.phi, &scale(s * step, &dphi)));
            let (plus, minus) = (by(1.0), by(-1.0));
            let middle = RigidMotion::exp(&log.u, &log.phi);
            let moved = mul_t(&middle.R, &scale(0.5 / step, &sub(&plus.x, &minus.x)));
            let turned = super::super::blocks::axial(&super::super::blocks::add_scaled(
                &rotation::relative(&middle.R, &plus.R),
                -1.0,
                &rotation::relative(&middle.R, &minus.R),
            ));
            let expected = apply(&log.tangent(), &[du[0], du[1], du[2], dphi[0], dphi[1], dphi[2]]);
            for k in 0..3 {
                assert!((moved[k] - expected[k]).abs() < 1e-9, "angle {angle}: {moved:?} {expected:?}");
                assert!((0.5 / step * turned[k] - expected[3 + k]).abs() < 1e-9, "angle {angle}");
            }
        }
    }
}
