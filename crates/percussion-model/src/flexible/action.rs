//! What an element between two frames does to them, and how that changes with where they end.
//!
//!   f on the place of b, −f on that of a, spatial moments μ_a, μ_b;    work = f·ΔD + μ_a·s_a + μ_b·s_b
//!   on a body:  f and R̄⁻¹(μ ± (R̄r) × f) where the element is held at the point r of the body
//!
//! R̄⁻¹ makes the work of a moment exact and lets spatial moments add up, so angular momentum is exact at θ = ½. These are the
//! forces that hold the element: the bodies receive their negatives.

use super::blocks::{Mat6, add_scaled, product};
use super::mean_frame::{body_moment, inverse_mean};
use crate::bodies::math::{Mat3, Vec3, add, cross, mul, mul_mat, mul_t, scale, skew, sub};
use crate::bodies::measure::{BodyRow, Passage};

/// Force and spatial moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Action {
    /// On b; a receives its negative [N].
    pub force: Vec3,
    /// On a and b, world axes [N·m].
    pub moments: [Vec3; 2],
}

/// ∂(f, μ_a, μ_b)/∂(D, ψ_a, ψ_b) at the end of a step: nine blocks of 3 × 3, ψ spatial turns.
pub type Stiffness = [[Mat3; 3]; 3];

/// The tangent between two bodies: blocks (a, a), (a, b), (b, a), (b, b) on (world velocity, body-frame turn) times h.
pub type BodyTangent = [[Mat6; 2]; 2];

impl Action {
    /// The same action as seen from the origins of the bodies, where the element is held at the points r of a and b.
    #[inline]
    pub fn carried(&self, a: &Passage, b: &Passage, points: &[Vec3; 2]) -> Self {
        let (ra, rb) = (mul(&a.R, &points[0]), mul(&b.R, &points[1]));
        Self {
            force: self.force,
            moments: [sub(&self.moments[0], &cross(&ra, &self.force)), add(&self.moments[1], &cross(&rb, &self.force))],
        }
    }

    /// World force and body moment of a and b: the rows that multiply (Δx, a) of each body.
    #[inline]
    pub fn on_bodies(&self, a: &Passage, b: &Passage) -> [BodyRow; 2] {
        let f = &self.force;
        let m = body_moment(&a.ends[0].R, &a.tilt, &self.moments[0]);
        let n = body_moment(&b.ends[0].R, &b.tilt, &self.moments[1]);
        [[-f[0], -f[1], -f[2], m[0], m[1], m[2]], [f[0], f[1], f[2], n[0], n[1], n[2]]]
    }
}

/// The tangent of a carried action: `action` as it was before it was carried.
#[inline]
pub fn carried_stiffness(K: &Stiffness, action: &Action, a: &Passage, b: &Passage, points: &[Vec3; 2]) -> Stiffness {
    let mut out = *K;
    let passages = [a, b];
    for side in 0..2 {
        // δD = … ± R₁r × δψ
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let arm = skew(&scale(sign, &mul(&passages[side].ends[1].R, &points[side])));
        for row in &mut out {
            row[1 + side] = add_scaled(&row[1 + side], 1.0, &mul_mat(&row[0], &arm));
        }
    }
    for side in 0..2 {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let mean = skew(&scale(sign, &mul(&passages[side].R, &points[side])));
        for column in 0..3 {
            let force = out[0][column];
            out[1 + side][column] = add_scaled(&out[1 + side][column], 1.0, &mul_mat(&mean, &force));
        }
        // ½(δψ × R₁r) × f = ½[f][R₁r]δψ
        let end = skew(&mul(&passages[side].ends[1].R, &points[side]));
        let turned = mul_mat(&skew(&action.force), &end);
        out[1 + side][1 + side] = add_scaled(&out[1 + side][1 + side], 0.5 * sign, &turned);
    }
    out
}

/// What changes (Δx, a) of both bodies make of (D, ψ_a, ψ_b) at the end of the step, for an element held at the points r.
#[inline]
pub fn spatial_change(a: &Passage, b: &Passage, points: &[Vec3; 2], change: &[BodyRow; 2]) -> [Vec3; 3] {
    let passages = [a, b];
    let place = |k: usize| [change[k][0], change[k][1], change[k][2]];
    let turns: [Vec3; 2] = std::array::from_fn(|k| {
        let p = passages[k];
        mul(&p.ends[1].R, &mul(&p.end_turn, &[change[k][3], change[k][4], change[k][5]]))
    });
    let moved = |k: usize| add(&place(k), &cross(&turns[k], &mul(&passages[k].ends[1].R, &points[k])));
    [sub(&moved(1), &moved(0)), turns[0], turns[1]]
}

/// ∂(rows of `on_bodies`)/∂(Δx, a) of both bodies.
#[inline]
pub fn body_tangent(K: &Stiffness, action: &Action, a: &Passage, b: &Passage) -> BodyTangent {
    let passages = [a, b];
    // turns of the ends with a, world axes: R₁ end_turn
    let T: [Mat3; 2] = std::array::from_fn(|k| mul_mat(&passages[k].ends[1].R, &passages[k].end_turn));
    let P: [Mat3; 2] = std::array::from_fn(|k| inverse_mean(&passages[k].ends[0].R, &passages[k].tilt));
    let signs = [-1.0, 1.0];
    let mut out = [[[[0.0; 6]; 6]; 2]; 2];
    for i in 0..2 {
        let moment_by_place = mul_mat(&P[i], &K[1 + i][0]);
        for j in 0..2 {
            let force_by_turn = mul_mat(&K[0][1 + j], &T[j]);
            let moment_by_turn = product(&mul_mat(&P[i], &K[1 + i][1 + j]), &T[j]);
            let block = &mut out[i][j];
            for r in 0..3 {
                for c in 0..3 {
                    block[r][c] = signs[i] * signs[j] * K[0][0][r][c];
                    block[r][3 + c] = signs[i] * force_by_turn[r][c];
                    block[3 + r][c] = signs[j] * moment_by_place[r][c];
                    block[3 + r][3 + c] = moment_by_turn[r][c];
                }
            }
        }
        if passages[i].is_in_the_world() {
            continue;
        }
        // R̄⁻¹ = (1 − ½[a])R₀ᵀ turns with a itself: ½[R₀ᵀμ]
        let own = skew(&scale(0.5, &mul_t(&passages[i].ends[0].R, &action.moments[i])));
        for r in 0..3 {
            for c in 0..3 {
                out[i][i][3 + r][3 + c] += own[r][c];
            }
        }
    }
    out
}
