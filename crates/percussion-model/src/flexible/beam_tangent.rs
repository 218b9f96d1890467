//! The tangent of a beam element over a step, material and geometric part.
//!
//!   K = Bᵀ[X + 𝒞ᵀ(½C + η/h)𝒞₁/L]N + K_geo
//!
//! B are the rows over the step, N those at its end, 𝒞 and 𝒞₁ the strain maps there, X how the rows' coefficients change.
//! K_geo is how the rows turn with the frames at fixed weights (α, τ, η), with u = R₁η, W = ½([α] + τ1):
//!
//!   δf = −¼[u_a]δψ_a − ¼[u_b]δψ_b
//!   δζ = ½(M_a − tr M_a 1)δψ_a + ½(tr M_b 1 − M_b)δψ_b,    M_a = R₁ₐWR̄_bᵀ,  M_b = R₁_bWᵀR̄_aᵀ
//!   δ(½R̄η × D̄) = ¼(uD̄ᵀ − u·D̄ 1)δψ + ¼[R̄η]δD

use super::action::{Action, Stiffness};
use super::base_measures::BaseRows;
use super::beam_element::{BeamElement, BeamStep, action};
use super::blocks::{Mat6, Vec6, apply, product, product_by_t, product_t};
use super::strain::Weights;
use crate::bodies::math::{Mat3, Vec3, dot, mul, mul_mat, mul_t, scale, skew, sub};
use crate::bodies::measure::Passage;

/// The whole tangent, and the action of the stress in its geometric part.
#[inline]
pub(super) fn tangent(
    element: &BeamElement,
    slope: &Mat6,
    step: &BeamStep,
    a: &Passage,
    b: &Passage,
    stress: &Vec6,
) -> (Stiffness, Action) {
    let strain = &step.strain;
    let map = strain.map();
    let weights = map.weights(stress);

    // X + 𝒞ᵀ(½C + η/h)𝒞₁/L on the base measures
    let end_map = strain.end_map().matrix();
    let scaled: Mat6 = slope.map(|row| row.map(|x| x / element.length));
    let followed = product(&scaled, &end_map);
    let mut core = strain.row_change(stress);
    let material = product_t(&map.matrix(), &followed);
    for i in 0..7 {
        for j in 0..7 {
            core[i][j] += material[i][j];
        }
    }
    let mut K = between_rows(step.rows(), &core, &end_rows(a, b));
    add_geometric(&mut K, &weights, step, a, b);
    (K, action(step.rows(), &weights, &a.R, &b.R, step.way()))
}

/// L δε for a move of the end of the step.
pub(super) fn strain_increment(step: &BeamStep, a: &Passage, b: &Passage, change: &[Vec3; 3]) -> Vec6 {
    let rows = end_rows(a, b);
    let [dD, turn_a, turn_b] = change;
    let between = sub(turn_a, turn_b);
    let (y, ya, yb) = (mul_t(&rows.E, dD), mul(&rows.Y[0], turn_a), mul(&rows.Y[1], turn_b));
    let measures: [f64; 7] =
        std::array::from_fn(|k| if k < 4 { dot(&rows.Z[k], &between) } else { y[k - 4] + ya[k - 4] + yb[k - 4] });
    apply(&step.strain.end_map().matrix(), &measures)
}

#[inline]
fn end_rows(a: &Passage, b: &Passage) -> BaseRows {
    let [ea, eb] = [&a.ends[1], &b.ends[1]];
    BaseRows::new(&ea.R, &eb.R, &sub(&eb.x, &ea.x))
}

/// Bᵀ core N: rows [Eᵀ Y_a Y_b] of y and [0 Z −Z] of (a, t) on both sides.
#[inline]
fn between_rows(B: &BaseRows, core: &[[f64; 7]; 7], N: &BaseRows) -> Stiffness {
    // core N, 7 × 3 for each of D, ψ_a, ψ_b
    let mut by_turn = [[0.0; 3]; 7];
    let mut right = [[[0.0; 3]; 7]; 3];
    for i in 0..7 {
        for c in 0..3 {
            by_turn[i][c] =
                core[i][0] * N.Z[0][c] + core[i][1] * N.Z[1][c] + core[i][2] * N.Z[2][c] + core[i][3] * N.Z[3][c];
            right[0][i][c] = core[i][4] * N.E[c][0] + core[i][5] * N.E[c][1] + core[i][6] * N.E[c][2];
            for side in 0..2 {
                right[1 + side][i][c] =
                    core[i][4] * N.Y[side][0][c] + core[i][5] * N.Y[side][1][c] + core[i][6] * N.Y[side][2][c];
            }
            right[1][i][c] += by_turn[i][c];
            right[2][i][c] -= by_turn[i][c];
        }
    }
    let mut K = [[[[0.0; 3]; 3]; 3]; 3];
    for (column, right) in right.iter().enumerate() {
        let y: Mat3 = [right[4], right[5], right[6]];
        let turns: [Vec3; 4] = [right[0], right[1], right[2], right[3]];
        let zeta = product_t(&B.Z, &turns);
        K[0][column] = mul_mat(&B.E, &y);
        for side in 0..2 {
            let arm = product_t(&B.Y[side], &y);
            let sign = if side == 0 { 1.0 } else { -1.0 };
            K[1 + side][column] = super::blocks::add_scaled(&arm, sign, &zeta);
        }
    }
    K
}

#[inline]
fn add_geometric(K: &mut Stiffness, weights: &Weights, step: &BeamStep, a: &Passage, b: &Passage) {
    let way = step.way();
    let passages = [a, b];
    let mut W = skew(&scale(0.5, &weights.a));
    for k in 0..3 {
        W[k][k] += 0.5 * weights.t;
    }
    let M = [product_by_t(&mul_mat(&a.ends[1].R, &W), &b.R), product_by_t(&b.ends[1].R, &mul_mat(&a.R, &W))];
    for side in 0..2 {
        let p = passages[side];
        let u = mul(&p.ends[1].R, &weights.y);
        let mean = mul(&p.R, &weights.y);
        let (turning, pulled) = (skew(&scale(0.25, &u)), skew(&scale(0.25, &mean)));
        let along = 0.25 * dot(&u, way);
        let trace = 0.5 * (M[side][0][0] + M[side][1][1] + M[side][2][2]);
        let sign = if side == 0 { 1.0 } else { -1.0 };
        for i in 0..3 {
            for j in 0..3 {
                let unit = if i == j { 1.0 } else { 0.0 };
                K[0][1 + side][i][j] -= turning[i][j];
                K[1 + side][0][i][j] += pulled[i][j];
                let zeta = sign * (0.5 * M[side][i][j] - trace * unit);
                K[1][1 + side][i][j] += zeta;
                K[2][1 + side][i][j] -= zeta;
                K[1 + side][1 + side][i][j] += 0.25 * u[i] * way[j] - along * unit;
            }
        }
    }
}
