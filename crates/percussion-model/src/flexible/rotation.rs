//! Rotations of space: exponential, logarithm and the tangent map between them.
//!
//!   exp φ = 1 + A[φ] + B[φ]²,    A = sin φ/φ,  B = (1 − cos φ)/φ²,    exp(φ)ᵀ δ(exp φ) = [T(φ) δφ]
//!   T(φ) = 1 − B[φ] + C[φ]²,    T⁻¹(φ) = 1 + ½[φ] + D[φ]²,    C = (φ − sin φ)/φ³,  D = (1 − (φ/2) cot(φ/2))/φ²
//!
//! The logarithm goes through the unit quaternion, so it is as accurate near half a turn as near none; its angle is in [0, π].

use crate::bodies::math::{IDENTITY, Mat3, Quaternion, Vec3, dot, mul_mat, norm, scale, skew};
use percussion_matrix::math;

/// Angle under which the coefficients come from their series: its terms left out are below 1e-17 of the sum.
const SMALL: f64 = 0.25;

/// The four coefficients A, B, C, D for an angle φ ≥ 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coefficients {
    /// sin φ/φ.
    pub A: f64,
    /// (1 − cos φ)/φ².
    pub B: f64,
    /// (φ − sin φ)/φ³.
    pub C: f64,
    /// (1 − (φ/2) cot(φ/2))/φ²; infinite at a whole turn.
    pub D: f64,
}

/// A, B, C, D.
pub(super) fn coefficients(angle: f64) -> Coefficients {
    let x = angle * angle;
    if angle < SMALL {
        // Σ (−x)ᵏ/(2k + n)!
        let series = |n: u32| {
            let (mut term, mut sum) = (1.0 / (1..=n).product::<u32>() as f64, 0.0);
            for k in 0..8 {
                sum += term;
                let m = f64::from(2 * k + n);
                term *= -x / ((m + 1.0) * (m + 2.0));
            }
            sum
        };
        // Σ |B₂ₖ|/(2k)! xᵏ⁻¹ with Bernoulli's numbers
        let D = (1.0 / 12.0)
            + x * (1.0 / 720.0
                + x * (1.0 / 30240.0 + x * (1.0 / 1209600.0 + x * (1.0 / 47900160.0 + x * 691.0 / 1307674368000.0))));
        return Coefficients { A: series(1), B: series(2), C: series(3), D };
    }
    let (s, c) = math::sin_cos(angle);
    let half = 0.5 * angle;
    let (sh, ch) = math::sin_cos(half);
    Coefficients {
        A: s / angle,
        B: if c < 0.0 { (1.0 - c) / x } else { 2.0 * sh * sh / x },
        C: (angle - s) / (angle * x),
        D: (1.0 - half * ch / sh) / x,
    }
}

/// exp φ.
pub fn exp(phi: &Vec3) -> Mat3 {
    let c = coefficients(norm(phi));
    combination(phi, 1.0, c.A, c.B)
}

/// φ with exp φ = R and |φ| ≤ π.
pub fn log(R: &Mat3) -> Vec3 {
    log_quaternion(&quaternion(R))
}

/// The same of a unit quaternion.
pub fn log_quaternion(q: &Quaternion) -> Vec3 {
    let sign = if q[0] < 0.0 { -1.0 } else { 1.0 };
    let v = [sign * q[1], sign * q[2], sign * q[3]];
    let (s, c) = (norm(&v), sign * q[0]);
    // 2 atan(s/c)/s; near none 2/c (1 − (s/c)²/3)
    let factor = if s < 1e-5 * c { 2.0 / c * (1.0 - s * s / (3.0 * c * c)) } else { 2.0 * math::atan2(s, c) / s };
    scale(factor, &v)
}

/// The unit quaternion of R with w ≥ 0, from its largest component (Shepperd 1978).
pub fn quaternion(R: &Mat3) -> Quaternion {
    let trace = R[0][0] + R[1][1] + R[2][2];
    let squares = [trace, 2.0 * R[0][0] - trace, 2.0 * R[1][1] - trace, 2.0 * R[2][2] - trace];
    let mut largest = 0;
    for k in 1..4 {
        if squares[k] > squares[largest] {
            largest = k;
        }
    }
    // 4 q_m q_k for the largest component m
    let mut q = match largest {
        0 => [1.0 + trace, R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]],
        1 => [R[2][1] - R[1][2], 1.0 + squares[1], R[1][0] + R[0][1], R[2][0] + R[0][2]],
        2 => [R[0][2] - R[2][0], R[1][0] + R[0][1], 1.0 + squares[2], R[2][1] + R[1][2]],
        _ => [R[1][0] - R[0][1], R[2][0] + R[0][2], R[2][1] + R[1][2], 1.0 + squares[3]],
    };
    let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let sign = if q[0] < 0.0 { -1.0 } else { 1.0 };
    q.iter_mut().for_each(|x| *x *= sign / size);
    q
}

/// T(φ): a change δφ turns exp φ by T δφ in its own frame.
pub fn tangent(phi: &Vec3) -> Mat3 {
    let c = coefficients(norm(phi));
    combination(phi, 1.0, -c.B, c.C)
}

/// T(φ)⁻¹, for |φ| < 2π.
pub fn inverse_tangent(phi: &Vec3) -> Mat3 {
    let c = coefficients(norm(phi));
    combination(phi, 1.0, 0.5, c.D)
}

/// a 1 + b[φ] + c[φ]².
fn combination(phi: &Vec3, a: f64, b: f64, c: f64) -> Mat3 {
    let S = skew(phi);
    let x = dot(phi, phi);
    std::array::from_fn(|i| std::array::from_fn(|j| (a - c * x) * IDENTITY[i][j] + b * S[i][j] + c * phi[i] * phi[j]))
}

/// Rᵀ S.
pub(super) fn relative(R: &Mat3, S: &Mat3) -> Mat3 {
    mul_mat(&crate::bodies::math::transpose(R), S)
}

#[cfg(test)]
mod tests {
    use super::super::test_tools::Dice;
    use super::*;
    use crate::bodies::math::{add, sub, transpose};

    fn largest(A: &Mat3, B: &Mat3) -> f64 {
        A.iter().flatten().zip(B.iter().flatten()).fold(0.0, |s: f64, (a, b)| s.max((a - b).abs()))
    }

    /// log(exp φ) = φ for angles from 1e-12 to half a turn, and exp(log R) = R there too.
    #[test]
    fn logarithm_inverts_the_exponential() {
        let mut dice = Dice::new(3);
        for angle in [
            0.0,
            1e-12,
            1e-6,
            1e-3,
            0.2499,
            0.2501,
            1.0,
            2.0,
            3.0,
            3.1,
            std::f64::consts::PI - 2.7e-6,
            std::f64::consts::PI - 1e-9,
        ] {
            for _ in 0..20 {
                let phi = scale(angle, &dice.unit());
                let R = exp(&phi);
                assert!(largest(&mul_mat(&transpose(&R), &R), &IDENTITY) < 4e-15);
                assert!(norm(&sub(&log(&R), &phi)) < 4e-15, "angle {angle}: {:?} {phi:?}", log(&R));
            }
        }
        // at half a turn the axis may come with either sign
        let n = dice.unit();
        let R = exp(&scale(std::f64::consts::PI, &n));
        assert!(largest(&exp(&log(&R)), &R) < 4e-15);
    }

    /// T is the derivative of exp in the body's frame (central differences, error 1e-10), and T T⁻¹ = 1.
    #[test]
    fn tangent_map() {
        let mut dice = Dice::new(5);
        let step = 1e-5;
        for angle in [1e-9, 0.01, 0.2499, 0.2501, 1.5, 3.0, std::f64::consts::PI - 9.3e-5, 5.0] {
            let (phi, change) = (scale(angle, &dice.unit()), dice.unit());
            let by = |s: f64| exp(&add(&phi, &scale(s * step, &change)));
            let R = exp(&phi);
            let turned = super::super::blocks::axial(&relative(
                &R,
                &super::super::blocks::add_scaled(&by(1.0), -1.0, &by(-1.0)),
            ));
            let T = tangent(&phi);
            let expected = crate::bodies::math::mul(&T, &change);
            assert!(norm(&sub(&scale(0.5 / step, &turned), &expected)) < 1e-9, "angle {angle}");
            assert!(largest(&mul_mat(&T, &inverse_tangent(&phi)), &IDENTITY) < 2e-14, "angle {angle}");
        }
    }
}
