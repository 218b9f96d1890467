//! The mixed problem as data.

use percussion_matrix::Matrix;
use serde::{Deserialize, Serialize};

/// Find z with w = M z + q, w = 0 on the equality rows, and 0 ≤ w ⟂ z ≥ 0 on the others.
///
/// The k-th row that is no equality belongs to the k-th unknown that is not free. Joints and circuits give as many
/// equalities as free unknowns; with more of them M has more rows than columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MlcpProblem {
    /// M, one row per condition, one column per unknown.
    pub M: Matrix,
    /// q, one entry per row.
    pub q: Vec<f64>,
    /// Whether a row is an equality.
    pub equality: Vec<bool>,
    /// Whether an unknown is free.
    pub free: Vec<bool>,
}

impl MlcpProblem {
    /// A problem with as many equalities as free unknowns, at the same places; `None` when the sizes disagree.
    pub fn square(M: Matrix, q: Vec<f64>, equality: Vec<bool>) -> Option<Self> {
        let problem = Self { M, q, free: equality.clone(), equality };
        problem.is_well_formed().then_some(problem)
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.free.len()
    }

    /// Whether there is no unknown at all.
    pub fn is_empty(&self) -> bool {
        self.free.is_empty()
    }

    /// Number of complementary pairs.
    pub fn n_pairs(&self) -> usize {
        self.free.iter().filter(|&&free| !free).count()
    }

    /// The row and the unknown of each complementary pair.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = (0..self.equality.len()).filter(|&i| !self.equality[i]);
        rows.zip((0..self.free.len()).filter(|&j| !self.free[j]))
    }

    /// Whether sizes agree and every number is one.
    pub fn is_well_formed(&self) -> bool {
        let n_rows = self.equality.iter().filter(|&&equality| !equality).count();
        self.M.n_rows() == self.equality.len()
            && self.q.len() == self.equality.len()
            && self.M.n_cols() == self.free.len()
            && n_rows == self.n_pairs()
            && self.M.max_abs().is_finite()
            && self.q.iter().all(|q| q.is_finite())
    }

    /// w ← M z + q.
    pub fn evaluate(&self, z: &[f64], w: &mut [f64]) {
        w.copy_from_slice(&self.q);
        self.M.mul_add(1.0, z, w);
    }
}
