//! A node against a segment in the plane: a gap whose row is exact over a step.
//!
//!   g = A/L,   A = (x_s − x_a) × (x_b − x_a),   L = |x_b − x_a|,   positive outside a boundary that runs counter-clockwise
//!   D_g = ½(1/L₀ + 1/L₁) ∇A(x_½) − (A₀ + A₁)/(2L₀L₁(L₀ + L₁)) ∇L²(x_½),    D_g·Δx = g₁ − g₀
//!
//! A and L² are quadratic, so their gradients at midpoint are exact.

use crate::bodies::math::{Vec3, axpy, dot, norm, scale, sub};

/// The places of a node and of the ends of a segment: s, a, b.
pub type Triple = [Vec3; 3];

/// A node against a segment over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentGap {
    /// g at the start [m].
    pub before: f64,
    /// g at the end [m].
    pub after: f64,
    /// D_g, the row of the normal: one vector per node.
    pub normal: Triple,
    /// Row of the slip rate t·(v_s − v at the segment), with the couple that keeps angular momentum where g ≠ 0.
    pub tangent: Triple,
}

impl SegmentGap {
    /// Between places x₀ and x₁ of s, a, b.
    pub fn new(x0: &Triple, x1: &Triple) -> Self {
        let (A0, L0) = area_and_length(x0);
        let (A1, L1) = area_and_length(x1);
        let middle = [0, 1, 2].map(|k| scale(0.5, &axpy(&x0[k], 1.0, &x1[k])));
        let e = sub(&middle[2], &middle[1]);
        let r = sub(&middle[0], &middle[1]);

        // ∇A and ∇L² at midpoint; J(p) = (p_y, −p_x)
        let J = |p: &Vec3| [p[1], -p[0], 0.0];
        let grad_A = [J(&e), axpy(&J(&r), -1.0, &J(&e)), scale(-1.0, &J(&r))];
        let grad_L2 = [[0.0; 3], scale(-2.0, &e), scale(2.0, &e)];
        let (a, b) = (0.5 * (1.0 / L0 + 1.0 / L1), (A0 + A1) / (2.0 * L0 * L1 * (L0 + L1)));
        let normal = [0, 1, 2].map(|k| axpy(&scale(a, &grad_A[k]), -b, &grad_L2[k]));
        Self { before: A0 / L0, after: A1 / L1, normal, tangent: slip(&middle) }
    }
}

fn area_and_length([s, a, b]: &Triple) -> (f64, f64) {
    let (r, e) = (sub(s, a), sub(b, a));
    (r[0] * e[1] - r[1] * e[0], norm(&e))
}

/// s: t;  a: −(1−ξ)t − (g/L)n;  b: −ξt + (g/L)n.
fn slip(x: &Triple) -> Triple {
    let e = sub(&x[2], &x[1]);
    let L = norm(&e);
    let t = scale(1.0 / L, &e);
    let n = [t[1], -t[0], 0.0];
    let r = sub(&x[0], &x[1]);
    let (xi, g) = (dot(&r, &t) / L, dot(&r, &n));
    [t, axpy(&scale(xi - 1.0, &t), -g / L, &n), axpy(&scale(-xi, &t), g / L, &n)]
}
