//! Means of two frames: the algebraic one that rows over a step are made of, and the middle of the helix between them.
//!
//!   R̄ = (R₀ + R₁)/2 = R₀(1 − ½[a])⁻¹,    R̄⁻¹ = (1 − ½[a])R₀ᵀ,    middle = H_a exp(½ log(H_a⁻¹H_b))
//!
//! R̄ is not a rotation. A spatial moment μ acts on a body as R̄⁻¹μ: its work over a step is s·μ, and what it adds to the
//! spatial angular momentum is μ itself.

use super::rigid_motion::RigidMotion;
use crate::bodies::Frame;
use crate::bodies::math::{Mat3, Vec3, axpy, cross, mul_t, scale, skew};

/// R̄⁻¹μ, the moment in the frame of the body that a spatial moment μ is over a step.
#[inline]
pub fn body_moment(R0: &Mat3, a: &Vec3, moment: &Vec3) -> Vec3 {
    let m = mul_t(R0, moment);
    axpy(&m, -0.5, &cross(a, &m))
}

/// R̄⁻¹ as a matrix.
#[inline]
pub fn inverse_mean(R0: &Mat3, a: &Vec3) -> Mat3 {
    let S = skew(&scale(-0.5, a));
    std::array::from_fn(|i| {
        std::array::from_fn(|j| R0[j][i] + S[i][0] * R0[j][0] + S[i][1] * R0[j][1] + S[i][2] * R0[j][2])
    })
}

/// The frame in the middle of the helix from a to b.
pub fn middle(a: &Frame, b: &Frame) -> Frame {
    let log = RigidMotion::between(a, b).log();
    RigidMotion::exp(&scale(0.5, &log.u), &scale(0.5, &log.phi)).from_frame(a)
}

#[cfg(test)]
mod tests {
    use super::super::cayley;
    use super::super::test_tools::Dice;
    use super::*;
    use crate::bodies::math::{IDENTITY, mul, mul_mat, norm, sub};

    /// R̄⁻¹R̄ = 1 and R̄⁻¹μ as a vector is that matrix times μ.
    #[test]
    fn inverse_of_the_mean() {
        let mut dice = Dice::new(17);
        for size in [1e-6, 0.3, 2.0] {
            let (start, a, moment) = (dice.frame(), scale(size, &dice.unit()), dice.vector());
            let end = cayley::advanced(&start, &[0.0; 3], &a);
            let mean: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (start.R[i][j] + end.R[i][j])));
            let inverse = inverse_mean(&start.R, &a);
            let unit = mul_mat(&inverse, &mean);
            for i in 0..3 {
                for j in 0..3 {
                    assert!((unit[i][j] - IDENTITY[i][j]).abs() < 2e-15);
                }
            }
            assert!(norm(&sub(&mul(&inverse, &moment), &body_moment(&start.R, &a, &moment))) < 2e-15);
        }
    }

    /// The middle is as far from one frame as from the other, and exchanging them changes nothing.
    #[test]
    fn middle_of_two_frames() {
        let mut dice = Dice::new(19);
        let a = dice.frame();
        let b = RigidMotion::exp(&dice.vector(), &scale(2.0, &dice.unit())).from_frame(&a);
        let (m, n) = (middle(&a, &b), middle(&b, &a));
        assert!(norm(&sub(&m.x, &n.x)) < 2e-15);
        let (first, second) = (RigidMotion::between(&a, &m).log(), RigidMotion::between(&m, &b).log());
        assert!(norm(&sub(&first.u, &second.u)) < 4e-15 && norm(&sub(&first.phi, &second.phi)) < 4e-15);
    }
}
