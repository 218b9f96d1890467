//! The one-step problem as data.

use percussion_matrix::{DenseMatrix, Matrix};
use serde::{Deserialize, Serialize};

/// Find p with 0 ≤ W p + b ⟂ p ≥ 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneStepProblem {
    /// W, the Delassus operator, n × n [1/kg]; not necessarily symmetric, possibly rank-deficient.
    pub W: Matrix,
    /// b, the velocity the law speaks of at zero impulse, n [m/s].
    pub b: Vec<f64>,
    /// Identity of the contact behind each row, for warm starts and messages.
    pub ids: Vec<usize>,
    /// Changes whenever W does; solvers keep factorisations of W as long as it stays. 0: never keep any.
    #[serde(skip)]
    pub revision: u64,
}

impl OneStepProblem {
    /// A problem whose contacts are numbered from 0.
    pub fn new(W: Matrix, b: Vec<f64>) -> Self {
        assert!(W.n_rows() == b.len() && W.n_cols() == b.len(), "W is n × n and b has n entries");
        let ids = (0..b.len()).collect();
        Self { W, b, ids, revision: 0 }
    }

    /// A problem without contacts, to be filled.
    pub fn empty() -> Self {
        Self::new(Matrix::Dense(DenseMatrix::zeros(0, 0)), Vec::new())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// Whether there is no contact at all.
    pub fn is_empty(&self) -> bool {
        self.b.is_empty()
    }

    /// u ← W p + b.
    pub fn velocity(&self, p: &[f64], u: &mut [f64]) {
        u.copy_from_slice(&self.b);
        self.W.mul_add(1.0, p, u);
    }
}

impl std::fmt::Display for OneStepProblem {
    /// The whole problem for small sizes, its size and scale for large ones.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n = self.len();
        writeln!(f, "0 ≤ W p + b ⟂ p ≥ 0 with {n} contacts, max |W| = {:.3e}", self.W.max_abs())?;
        if n > 12 {
            return Ok(());
        }
        for i in 0..n {
            write!(f, "  contact {:>4}:", self.ids[i])?;
            for j in 0..n {
                write!(f, " {:>12.5e}", self.W.get(i, j))?;
            }
            writeln!(f, "  | {:>12.5e}", self.b[i])?;
        }
        Ok(())
    }
}
