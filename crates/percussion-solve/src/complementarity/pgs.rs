//! Projected Gauss–Seidel (Cryer 1971; Moreau and Jean's contact solver).
//!
//!   p_i ← [p_i − ρ_i (W p + b)_i]₊,    i = 1 … n, again and again
//!
//! Converges for symmetric positive semidefinite W with a solution, slowly when contacts are redundant. It needs the
//! rows of W; a transposed copy is kept as long as W stays.

use super::Tools;
use super::lcp::Lcp;
use crate::entry::{Complementarity, Entry};
use crate::report::Outcome;
use crate::{Method, SolveReport, SolverOptions};
use percussion_matrix::{DenseMatrix, Matrix};

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "pgs",
    summary: "projected Gauss-Seidel sweeps; any size, low accuracy, never a factorisation",
    most_rows: None,
    complementarity: Complementarity::Run(run),
    friction: None,
};

/// The method alone.
fn run(tools: &mut Tools, lcp: &Lcp, p: &mut [f64], options: &SolverOptions) -> SolveReport {
    let Tools { u, memories, .. } = tools;
    let outcome = memories.get::<Pgs>().solve(lcp, p, u, options.tolerance, options.max_iterations);
    lcp.judged(Method::Pgs, outcome, false, p, u, options.tolerance)
}

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct Pgs {
    /// Wᵀ: its columns are the rows of W.
    transpose: Option<Matrix>,
    revision: u64,
}

impl Pgs {
    /// Improves p and leaves its velocity in u.
    pub fn solve(&mut self, lcp: &Lcp, p: &mut [f64], u: &mut [f64], tolerance: f64, max_iterations: usize) -> Outcome {
        let rows = self.rows(lcp);
        let mut residuals = lcp.finish(p, u);
        for sweep in 1..=max_iterations {
            if residuals.worst() <= tolerance || residuals.worst() == f64::INFINITY || lcp.stop.requested() {
                return Outcome { iterations: sweep - 1, residuals };
            }
            for i in 0..lcp.len() {
                let product = match rows {
                    Matrix::Dense(rows) => percussion_matrix::vector::dot(rows.column(i), p),
                    Matrix::Sparse(rows) => rows.column_dot(i, p),
                };
                let diagonal = lcp.shift / lcp.rho[i];
                let step = lcp.rho[i] / (1.0 + lcp.shift);
                p[i] = (p[i] - step * (product + diagonal * p[i] + lcp.b[i])).max(0.0);
            }

            // the residual costs as much as a sweep: look rarely once the iteration is slow
            if sweep < 8 || sweep % 8 == 0 || sweep == max_iterations {
                residuals = lcp.finish(p, u);
            }
        }
        Outcome { iterations: max_iterations, residuals }
    }

    fn rows(&mut self, lcp: &Lcp) -> &Matrix {
        let n = lcp.len();
        let kept = lcp.revision != 0
            && lcp.revision == self.revision
            && self.transpose.as_ref().is_some_and(|rows| {
                rows.n_rows() == n && matches!(rows, Matrix::Dense(_)) == matches!(lcp.W, Matrix::Dense(_))
            });
        if !kept {
            self.transpose = None;
        }
        self.revision = lcp.revision;
        self.transpose.get_or_insert_with(|| match lcp.W {
            Matrix::Dense(W) => {
                let mut rows = DenseMatrix::zeros(n, n);
                for j in 0..n {
                    for (i, &w) in W.column(j).iter().enumerate() {
                        rows.set(j, i, w);
                    }
                }
                Matrix::Dense(rows)
            }
            Matrix::Sparse(W) => Matrix::Sparse(W.transpose()),
        })
    }
}
