//! Rolling friction: moments about the tangents, in the units of people and in those of the contact problem.
//!
//!   ‖m‖ ≤ μ_r p_N,    m = ℓ r_R,    w = u_R/ℓ,    μ_r = ℓ μ_R
//!
//! Work m·w = r_R·u_R and the law do not depend on ℓ; the contact problem takes the size of the smaller body, so that
//! turning and sliding weigh alike in W, in the cone and in the residuals.

use crate::Tangential;
use percussion_solve::friction::FrictionProblem;

/// Fills in what a contact of five components did about its axes.
pub fn conclude(along: &mut Tangential, length: f64, before: &[f64], after: &[f64], r: &[f64]) {
    along.n_rolling = along.n;
    for k in 0..along.n {
        along.w_before[k] = before[3 + k] / length;
        along.w_after[k] = after[3 + k] / length;
        along.m[k] = r[3 + k] * length;
    }
}

/// The problem and its reactions with moments in N·m·s and μ_r in metres.
pub fn in_metres(lengths: &[f64], problem: &mut FrictionProblem, r: &mut [f64]) {
    if problem.dim() != 5 || lengths.len() != problem.len() {
        return;
    }
    let scale = |i: usize, k: usize| if k < 3 { 1.0 } else { 1.0 / lengths[i] };
    let (rows, columns) = (problem.W.row_ptr().to_vec(), problem.W.col_idx().to_vec());
    let blocks = problem.W.values_mut().as_chunks_mut::<25>().0;
    for i in 0..lengths.len() {
        for at in rows[i]..rows[i + 1] {
            let j = columns[at] as usize;
            for c in 0..5 {
                for k in 0..5 {
                    blocks[at][c * 5 + k] *= scale(i, k) * scale(j, c);
                }
            }
        }
        for k in 3..5 {
            problem.b[5 * i + k] /= lengths[i];
            r[5 * i + k] *= lengths[i];
        }
        problem.mu_rolling[i] *= lengths[i];
    }
    problem.revision = 0;
}
