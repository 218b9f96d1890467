//! Seven measures of two frames, each bilinear, so that their differences over a step are exact.
//!
//!   Λ = R_aᵀR_b,  D = x_b − x_a:    a = ax(Λ) = sin φ n,   t = (tr Λ − 1)/2 = cos φ,   y = ½(R_a + R_b)ᵀD
//!   Δy_i = ½(d̄_iᵃ + d̄_iᵇ)·ΔD + ½(d̄_iᵃ × D̄)·s_a + ½(d̄_iᵇ × D̄)·s_b
//!   Δa_i = z_i·(s_a − s_b),  z_i = ½(d̄_kᵃ × d̄_jᵇ − d̄_jᵃ × d̄_kᵇ),    Δt = z_t·(s_a − s_b),  z_t = ½Σ d̄_iᵃ × d̄_iᵇ
//!
//! d_i are the columns of R, (i, j, k) is cyclic, a bar is the mean of both ends of the step and s the spatial turn of a frame.

use super::blocks::{axial, product_t};
use crate::bodies::math::{Mat3, Vec3, cross, mul_t, scale, skew, transpose};

/// The measures at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BaseMeasures {
    /// sin φ n.
    pub a: Vec3,
    /// cos φ.
    pub t: f64,
    /// ½(R_a + R_b)ᵀD [m].
    pub y: Vec3,
}

impl BaseMeasures {
    /// Of two rotations and the way between their places.
    #[inline]
    pub fn new(Ra: &Mat3, Rb: &Mat3, D: &Vec3) -> Self {
        let turn = product_t(Ra, Rb);
        let (ya, yb) = (mul_t(Ra, D), mul_t(Rb, D));
        Self {
            a: axial(&turn),
            t: 0.5 * (turn[0][0] + turn[1][1] + turn[2][2] - 1.0),
            y: std::array::from_fn(|k| 0.5 * (ya[k] + yb[k])),
        }
    }
}

/// The rows of the measures on (ΔD, s_a, s_b): of y [Eᵀ Y_a Y_b], of (a, t) [0 Z −Z].
#[derive(Clone, Copy, Debug)]
pub struct BaseRows {
    /// E = ½(R̄_a + R̄_b).
    pub E: Mat3,
    /// Y_a and Y_b, rows ½ d̄_i × D̄.
    pub Y: [Mat3; 2],
    /// z₁, z₂, z₃, z_t.
    pub Z: [Vec3; 4],
}

impl BaseRows {
    /// Over a step whose means these are; the gradients where both ends coincide.
    #[inline]
    pub fn new(Ra: &Mat3, Rb: &Mat3, D: &Vec3) -> Self {
        let (a, b) = (transpose(Ra), transpose(Rb));
        // Rᵀ[D] has the rows d_i × D
        let half = skew(&scale(0.5, D));
        let z = |i: usize| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let (p, q) = (cross(&a[k], &b[j]), cross(&a[j], &b[k]));
            [0.5 * (p[0] - q[0]), 0.5 * (p[1] - q[1]), 0.5 * (p[2] - q[2])]
        };
        let (p, q, r) = (cross(&a[0], &b[0]), cross(&a[1], &b[1]), cross(&a[2], &b[2]));
        let z_t = std::array::from_fn(|c| 0.5 * (p[c] + q[c] + r[c]));
        Self {
            E: std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (Ra[i][j] + Rb[i][j]))),
            Y: [product_t(Ra, &half), product_t(Rb, &half)],
            Z: [z(0), z(1), z(2), z_t],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cayley;
    use super::super::test_tools::Dice;
    use super::*;
    use crate::bodies::math::{dot, mul, sub};
    use crate::bodies::measure::Passage;

    /// Rows times changes are the changes of the measures to round-off, for turns from 1e-6 to 3 in one step.
    #[test]
    fn differences_are_exact() {
        let mut dice = Dice::new(23);
        for size in [1e-6, 0.1, 3.0] {
            for _ in 0..50 {
                let starts = [dice.frame(), dice.frame()];
                let turns = [scale(size, &dice.vector()), scale(size, &dice.vector())];
                let ends: [_; 2] =
                    std::array::from_fn(|k| cayley::advanced(&starts[k], &scale(size, &dice.vector()), &turns[k]));
                let [a, b]: [Passage; 2] = std::array::from_fn(|k| Passage::new(&starts[k], &ends[k], &turns[k]));
                let rows = BaseRows::new(&a.R, &b.R, &sub(&b.x, &a.x));
                let at = |k: usize| BaseMeasures::new(&a.ends[k].R, &b.ends[k].R, &sub(&b.ends[k].x, &a.ends[k].x));
                let (m0, m1) = (at(0), at(1));
                let dD = sub(&sub(&b.ends[1].x, &a.ends[1].x), &sub(&b.ends[0].x, &a.ends[0].x));
                let s: [Vec3; 2] = std::array::from_fn(|k| mul(&starts[k].R, &turns[k]));
                let between = sub(&s[0], &s[1]);
                let from_y = mul_t(&rows.E, &dD);
                for i in 0..3 {
                    let dy = from_y[i] + dot(&rows.Y[0][i], &s[0]) + dot(&rows.Y[1][i], &s[1]);
                    let tolerance = 4e-15 * (1.0 + size * size);
                    assert!((m1.y[i] - m0.y[i] - dy).abs() < tolerance, "size {size}: {}", m1.y[i] - m0.y[i] - dy);
                    assert!((m1.a[i] - m0.a[i] - dot(&rows.Z[i], &between)).abs() < tolerance);
                }
                assert!((m1.t - m0.t - dot(&rows.Z[3], &between)).abs() < 4e-15 * (1.0 + size * size));
            }
        }
    }
}
