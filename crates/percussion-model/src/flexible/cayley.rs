//! The Cayley map, by which frames turn over a step.
//!
//!   R₁ = R₀ cay(a),  cay(a) = (1 − ½[a])⁻¹(1 + ½[a]),    R₁ − R₀ = R̄[a] = [s]R̄,  s = R₀a = R₁a
//!
//! cay turns by 2 atan(|a|/2) about a. With R̄ the mean of both ends every product of frames has an exact difference.

use super::rotation;
use crate::bodies::Frame;
use crate::bodies::math::{Mat3, Vec3, add, mul, scale, skew, turned};

/// The frame a step later: x + Δx, R cay(a).
pub fn advanced(frame: &Frame, dx: &Vec3, a: &Vec3) -> Frame {
    let q = turned(&frame.q, a);
    Frame { x: add(&frame.x, dx), q, R: crate::bodies::math::rotation(&q) }
}

/// a with cay(a) = R: 2 tan(φ/2) about the axis; infinite at half a turn.
pub fn inverse(R: &Mat3) -> Vec3 {
    let q = rotation::quaternion(R);
    let factor = 2.0 / q[0];
    [factor * q[1], factor * q[2], factor * q[3]]
}

/// How the end of the step turns with a, in world axes: δψ = R₀(1 + ½[a])/(1 + ¼|a|²) δa, δR₁ = [δψ]R₁.
pub fn end_turn(R0: &Mat3, a: &Vec3) -> Mat3 {
    let c = 1.0 / (1.0 + 0.25 * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
    let S = skew(&scale(0.5, a));
    std::array::from_fn(|i| {
        std::array::from_fn(|j| c * (R0[i][j] + R0[i][0] * S[0][j] + R0[i][1] * S[1][j] + R0[i][2] * S[2][j]))
    })
}

/// s = R₀a = R₁a, the turn of a step in world axes.
pub fn spatial(R0: &Mat3, a: &Vec3) -> Vec3 {
    mul(R0, a)
}

#[cfg(test)]
mod tests {
    use super::super::blocks::add_scaled;
    use super::super::test_tools::Dice;
    use super::*;
    use crate::bodies::math::{mul_mat, norm, sub};

    /// R₁ − R₀ = R̄[a] = [s]R̄ and s = R₁a, to round-off at any size of the turn; the inverse gives a back.
    #[test]
    fn exact_difference() {
        let mut dice = Dice::new(11);
        for size in [1e-9, 0.1, 1.0, 5.0] {
            let start = dice.frame();
            let a = scale(size, &dice.unit());
            let end = advanced(&start, &[0.0; 3], &a);
            let mean: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (start.R[i][j] + end.R[i][j])));
            let s = spatial(&start.R, &a);
            let (right, left) = (mul_mat(&mean, &skew(&a)), mul_mat(&skew(&s), &mean));
            for i in 0..3 {
                for j in 0..3 {
                    let change = end.R[i][j] - start.R[i][j];
                    assert!((change - right[i][j]).abs() < 2e-15 && (change - left[i][j]).abs() < 2e-15);
                }
            }
            assert!(norm(&sub(&mul(&end.R, &a), &s)) < 1e-15 * size.max(1.0) * 4.0);
            let back = inverse(&rotation::relative(&start.R, &end.R));
            assert!(norm(&sub(&back, &a)) < 2e-15 * (1.0 + size * size), "size {size}");
        }
    }

    /// `end_turn` against central differences, error 1e-10.
    #[test]
    fn turn_of_the_end() {
        let mut dice = Dice::new(13);
        let (start, a, change) = (dice.frame(), dice.vector(), dice.unit());
        let step = 1e-5;
        let by = |s: f64| advanced(&start, &[0.0; 3], &add(&a, &scale(s * step, &change))).R;
        let end = advanced(&start, &[0.0; 3], &a).R;
        let difference = add_scaled(&by(1.0), -1.0, &by(-1.0));
        let spatial = super::super::blocks::product_by_t(&difference, &end);
        let turned = scale(0.5 / step, &super::super::blocks::axial(&spatial));
        assert!(norm(&sub(&turned, &mul(&end_turn(&start.R, &a), &change))) < 1e-9);
    }
}
