//! Farkas' certificate that an LCP has no solution.
//!
//!   y ≥ 0,   Wᵀy ≤ 0,   bᵀy < 0    ⇒    yᵀ(W p + b) < 0 for every p ≥ 0, so no p makes u ≥ 0
//!
//! In floating point Wᵀy ≤ δ holds instead, and yᵀu ≥ 0 then asks for ‖p‖₁ ≥ −bᵀy/δ. The check measures that bound
//! in units in which diag(W) = 1, relative to ‖b‖₁. Beyond 1e11 it counts as proof: a solution that large would change
//! by its own size if W were rounded once more. It does not count where W is proved to be definite ([`is_definite`]).

use super::lcp::Lcp;
use percussion_matrix::{Factor, Matrix, SparseMatrix};

/// The bound from which a certificate counts.
pub(crate) const PROOF: f64 = 1e11;

/// A lower bound on ‖p‖₁/‖b‖₁ of any solution, in the scale where diag(W) = 1; 0 when y certifies nothing.
pub(crate) fn smallest_solution(lcp: &Lcp, y: &[f64]) -> f64 {
    let n = lcp.len();
    // data in the scale p̂ = p/√ρ, b̂ = √ρ b, ŷ = y/√ρ
    let s = |i: usize| lcp.rho[i].sqrt();
    let (mut by, mut by_abs, mut b_sum) = (0.0, 0.0, 0.0);
    for i in 0..n {
        if y[i] < 0.0 || y[i].is_nan() {
            return 0.0;
        }
        by += lcp.b[i] * y[i];
        by_abs += (lcp.b[i] * y[i]).abs();
        b_sum += (s(i) * lcp.b[i]).abs();
    }
    let gain = -by - 2.0 * n as f64 * f64::EPSILON * by_abs;
    if !(gain > 0.0 && b_sum > 0.0) {
        return 0.0;
    }

    // δ = max_j √ρ_j (Wᵀy)_j, with what rounding may hide
    let mut delta = 0.0_f64;
    for j in 0..n {
        let (mut sum, mut size, mut terms) = (0.0, 0.0, 0);
        let mut add = |i: usize, w: f64| {
            terms += usize::from(y[i] != 0.0);
            sum += w * y[i];
            size += (w * y[i]).abs();
        };
        match lcp.W {
            Matrix::Dense(W) => W.column(j).iter().enumerate().for_each(|(i, &w)| add(i, w)),
            Matrix::Sparse(W) => {
                let (rows, values) = W.column(j);
                rows.iter().zip(values).for_each(|(&i, &w)| add(i, w));
            }
        }
        let upper = s(j) * (sum + 2.0 * terms as f64 * f64::EPSILON * size);
        if upper.is_nan() {
            return 0.0;
        }
        delta = delta.max(upper);
    }
    if delta > 0.0 { gain / (delta * b_sum) } else { f64::INFINITY }
}

/// Whether W is proved to be positive definite, so that there is a solution whatever b is.
///
/// In the scale diag(W) = 1 the symmetric part less 4n² round-off units of the diagonal is factorised: where that succeeds,
/// W is definite in exact arithmetic (Rump 2006). It outweighs any certificate: those bound the size of solutions only.
pub(crate) fn is_definite(lcp: &Lcp) -> bool {
    let n = lcp.len();
    let s: Vec<f64> = lcp.rho.iter().map(|rho| rho.sqrt()).collect();
    let mut entries: Vec<(usize, usize, f64)> = Vec::new();
    for (i, j, w) in lcp.W.triplets() {
        let half = 0.5 * s[i] * w * s[j];
        entries.extend([(i, j, half), (j, i, half)]);
    }
    entries.extend((0..n).map(|i| (i, i, -4.0 * (n * n) as f64 * f64::EPSILON)));
    if entries.iter().any(|(.., x)| !x.is_finite()) {
        return false;
    }
    let Some(A) = SparseMatrix::from_triplets(n, n, &entries) else { return false };
    let A = match lcp.W {
        Matrix::Dense(_) => Matrix::Dense(Matrix::Sparse(A).to_dense()),
        Matrix::Sparse(_) => Matrix::Sparse(A),
    };
    Factor::cholesky(&A).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;
    use percussion_matrix::DenseMatrix;

    fn bound(rows: &[Vec<f64>], b: &[f64], y: &[f64]) -> f64 {
        let W = Matrix::Dense(DenseMatrix::from_rows(rows).expect("square"));
        let mut rho = Vec::new();
        crate::complementarity::lcp::steps(&W, &mut rho);
        smallest_solution(&Lcp { W: &W, b, rho: &rho, shift: 0.0, revision: 0, stop: &Stop::default() }, y)
    }

    /// Two contacts on opposite sides of one body that should both open: impossible, and y = (1, 1) shows it.
    #[test]
    fn opposite_contacts_cannot_both_open() {
        let W = [vec![1.0, -1.0], vec![-1.0, 1.0]];
        assert!(bound(&W, &[-1.0, -1.0], &[1.0, 1.0]) >= PROOF);
        assert_eq!(bound(&W, &[-1.0, 1.0], &[1.0, 1.0]), 0.0);
    }

    /// Nearly the same with a regular W is solvable by a large p, and the bound says how large.
    #[test]
    fn a_nearly_singular_problem_is_not_refused() {
        let W = [vec![1.0, -1.0 + 1e-6], vec![-1.0 + 1e-6, 1.0]];
        assert!(bound(&W, &[-1.0, -1.0], &[1.0, 1.0]) < 2e6);
    }
}
