//! A mixed problem as a complementarity problem of twice its equalities, where no pivot removes them.
//!
//!   z_f = x⁺ − x⁻,    0 ≤ w_e ⟂ x⁺ ≥ 0,    0 ≤ −w_e ⟂ x⁻ ≥ 0    ⇒    w_e = 0
//!
//! Exact, and Farkas' certificate of the large problem is one of the mixed problem. Equalities without a free unknown
//! get one that occurs nowhere, free unknowns without an equality get 0 = 0.

use super::MlcpProblem;
use super::residual::steps;
use percussion_matrix::{DenseMatrix, Matrix};

/// W and b of the large problem.
pub(crate) fn split(problem: &MlcpProblem) -> (Matrix, Vec<f64>) {
    let (equalities, free, pairs) = parts(problem);
    let (k, m) = (equalities.len().max(free.len()), pairs.len());
    let rho = steps(problem);
    // the large problem's row and the sign of each of its parts
    let rows: Vec<(usize, usize, f64)> = equalities
        .iter()
        .enumerate()
        .flat_map(|(e, &i)| [(e, i, rho[i]), (k + e, i, -rho[i])])
        .chain(pairs.iter().enumerate().map(|(p, &(i, _))| (2 * k + p, i, 1.0)))
        .collect();
    let columns: Vec<(usize, usize, f64)> = free
        .iter()
        .enumerate()
        .flat_map(|(f, &j)| [(f, j, 1.0), (k + f, j, -1.0)])
        .chain(pairs.iter().enumerate().map(|(p, &(_, j))| (2 * k + p, j, 1.0)))
        .collect();
    let mut W = DenseMatrix::zeros(2 * k + m, 2 * k + m);
    let mut b = vec![0.0; 2 * k + m];
    for &(r, i, sign) in &rows {
        b[r] = sign * problem.q[i];
        for &(c, j, other) in &columns {
            W.set(r, c, sign * other * problem.M.get(i, j));
        }
    }
    (Matrix::Dense(W), b)
}

/// z from the solution of the large problem.
pub(crate) fn join(problem: &MlcpProblem, x: &[f64], z: &mut [f64]) {
    let (equalities, free, pairs) = parts(problem);
    let k = equalities.len().max(free.len());
    for (f, &j) in free.iter().enumerate() {
        z[j] = x[f] - x[k + f];
    }
    for (p, &(_, j)) in pairs.iter().enumerate() {
        z[j] = x[2 * k + p];
    }
}

fn parts(problem: &MlcpProblem) -> (Vec<usize>, Vec<usize>, Vec<(usize, usize)>) {
    let marked = |flags: &[bool]| (0..flags.len()).filter(|&i| flags[i]).collect();
    (marked(&problem.equality), marked(&problem.free), problem.pairs().collect())
}
