//! A proof that a friction problem has no solution: its normals contradict each other, whatever friction does.
//!
//!   y ≥ 0,   Σ y_i b_N,i < 0,   x = Wᵀ(y n) with x_N + μ‖x_T‖ ≤ 0 at every contact
//!     ⇒   Σ y_i u_N,i = Σ x_i·r_i + Σ y_i b_N,i < 0 for every r in the cones, where the law asks u_N ≥ 0
//!
//! y is the ray that pivoting on the normals alone ends on. For W symmetric and positive semidefinite such a ray has
//! W(y n) = 0 and the last condition holds by itself; it is checked all the same, with what rounding may hide. As for problems
//! without friction a solution then needs Σ r_N ≥ −yᵀb/δ, and counts as excluded beyond 1e11 loads.
//!
//! One contact of a body that has one freedom left, W = a aᵀ, b_N < 0, may have none although its normals agree: u = b + λ a with λ = a·r, so
//!
//!   u_N = 0   ⇒   λ = −b_N/a_N,   u_T = b_T + λ a_T,   and where u_T ≠ 0   r = s (1, −μ t),   t = u_T/‖u_T‖,   s = λ/(a_N − μ a_T·t)
//!
//! which a_N < μ a_T·t excludes: friction drives the contact into itself (Painlevé).

use crate::complementarity::certificate::{PROOF, is_definite};
use crate::complementarity::lcp::{Lcp, step};
use crate::complementarity::lemke::{Ending, Lemke};
use crate::friction::task::Task;
use percussion_matrix::{DenseMatrix, Matrix};

/// Contacts up to which normals are pivoted upon.
const CONTACTS: usize = 300;

/// Whether no reactions at all satisfy the law. False says nothing.
pub(crate) fn proved<const D: usize>(task: &Task) -> bool {
    let problem = task.problem;
    let n = problem.len();
    if n > CONTACTS {
        return false;
    }
    if n == 1 && D <= 3 && jammed::<D>(problem.W.values(), &problem.b, problem.cone(0).mu) {
        return true;
    }
    let (row_ptr, col_idx) = (problem.W.row_ptr(), problem.W.col_idx());
    let values = problem.W.values();
    let mut normals = DenseMatrix::zeros(n, n);
    for i in 0..n {
        for k in row_ptr[i]..row_ptr[i + 1] {
            normals.set(i, col_idx[k] as usize, values[k * D * D]);
        }
    }
    let rho: Vec<f64> = (0..n).map(|i| step(normals.get(i, i))).collect();
    let b: Vec<f64> = problem.b.as_chunks::<D>().0.iter().map(|b| b[0]).collect();
    let W = Matrix::Dense(normals);
    let lcp = Lcp { W: &W, b: &b, rho: &rho, shift: 0.0, revision: 0, stop: task.stop };
    let mut lemke = Lemke::default();
    let (mut p, mut u) = (vec![0.0; n], vec![0.0; n]);
    let (ending, _) = lemke.solve(&lcp, &mut p, &mut u, 50 * n);
    ending == Ending::Ray && smallest_solution::<D>(task, &b, &rho, &lemke.ray) >= PROOF && !is_definite(&lcp)
}

/// Part of the sizes beside which numbers of a single contact count.
const CLEAR: f64 = 1e-9;

/// Whether friction drives a single contact of one freedom into itself.
fn jammed<const D: usize>(W: &[f64], b: &[f64], mu: f64) -> bool {
    let most = (0..D).fold(0, |k, j| if W[j * D + j] > W[k * D + k] { j } else { k });
    let size = W[most * D + most];
    if size <= 0.0 || b[0] >= 0.0 {
        return false;
    }
    let sign = if W[most * D] < 0.0 { -1.0 } else { 1.0 };
    let a: [f64; D] = std::array::from_fn(|k| sign * W[most * D + k] / size.sqrt());
    let one_freedom = (0..D * D).all(|k| (W[k] - a[k % D] * a[k / D]).abs() <= CLEAR * size);
    if !one_freedom || a[0] <= CLEAR * size.sqrt() {
        return false;
    }
    let lambda = -b[0] / a[0];
    let u: [f64; D] = std::array::from_fn(|k| b[k] + lambda * a[k]);
    let slip = u[1..].iter().map(|u| u * u).sum::<f64>().sqrt();
    let along: f64 = (1..D).map(|k| a[k] * u[k]).sum::<f64>() / slip;
    slip > CLEAR * lambda * size.sqrt() && a[0] - mu * along < -CLEAR * size.sqrt()
}

/// A lower bound on Σ r_N of any solution over Σ |b_N|, in the scale where W_NN = 1; 0 when y certifies nothing.
fn smallest_solution<const D: usize>(task: &Task, b: &[f64], rho: &[f64], y: &[f64]) -> f64 {
    let problem = task.problem;
    let n = problem.len();
    let (mut by, mut by_abs, mut b_sum) = (0.0, 0.0, 0.0);
    for i in 0..n {
        if y[i] < 0.0 || y[i].is_nan() {
            return 0.0;
        }
        by += b[i] * y[i];
        by_abs += (b[i] * y[i]).abs();
        b_sum += (rho[i].sqrt() * b[i]).abs();
    }
    let gain = -by - 2.0 * n as f64 * f64::EPSILON * by_abs;
    if !(gain > 0.0 && b_sum > 0.0) {
        return 0.0;
    }

    // x = Wᵀ(y n): the normal row of each block of row i, times y_i; and the sum of sizes, for rounding
    let mut x = vec![[0.0; D]; n];
    let mut size = vec![[0.0; D]; n];
    let (row_ptr, col_idx) = (problem.W.row_ptr(), problem.W.col_idx());
    for i in 0..n {
        for k in row_ptr[i]..row_ptr[i + 1] {
            let j = col_idx[k] as usize;
            for c in 0..D {
                let term = y[i] * problem.W.values()[(k * D + c) * D];
                x[j][c] += term;
                size[j][c] += term.abs();
            }
        }
    }
    let mut delta = 0.0_f64;
    for j in 0..n {
        let hidden = |c: usize| 2.0 * n as f64 * f64::EPSILON * size[j][c];
        let length =
            |from: usize, to: usize| (from..to.min(D)).map(|c| (x[j][c].abs() + hidden(c)).powi(2)).sum::<f64>().sqrt();
        let cone = problem.cone(j);
        let outside = x[j][0] + hidden(0) + cone.mu * length(1, 3) + cone.mu_rolling * length(3, 5);
        if outside.is_nan() {
            return 0.0;
        }
        delta = delta.max(rho[j].sqrt() * outside);
    }
    if delta > 0.0 { gain / (delta * b_sum) } else { f64::INFINITY }
}
