//! One matrix type for the interfaces: dense or sparse, chosen by whoever builds it.

use crate::{DenseMatrix, SparseMatrix, vector};
use serde::{Deserialize, Serialize};

/// A matrix, dense or sparse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Matrix {
    /// Stored entry by entry.
    Dense(DenseMatrix),
    /// Stored by its nonzero entries.
    Sparse(SparseMatrix),
}

impl Matrix {
    /// Number of rows.
    #[inline]
    pub fn n_rows(&self) -> usize {
        match self {
            Self::Dense(A) => A.n_rows(),
            Self::Sparse(A) => A.n_rows(),
        }
    }

    /// Number of columns.
    #[inline]
    pub fn n_cols(&self) -> usize {
        match self {
            Self::Dense(A) => A.n_cols(),
            Self::Sparse(A) => A.n_cols(),
        }
    }

    /// Entry (i, j).
    pub fn get(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Dense(A) => A.get(i, j),
            Self::Sparse(A) => A.get(i, j),
        }
    }

    /// y ← y + α A x.
    #[inline]
    pub fn mul_add(&self, alpha: f64, x: &[f64], y: &mut [f64]) {
        match self {
            Self::Dense(A) => {
                for (j, &xj) in x.iter().enumerate() {
                    vector::axpy(alpha * xj, A.column(j), y);
                }
            }
            Self::Sparse(A) => {
                for (j, &xj) in x.iter().enumerate() {
                    A.add_column(j, alpha * xj, y);
                }
            }
        }
    }

    /// xᵀA y.
    #[inline]
    pub fn bilinear(&self, x: &[f64], y: &[f64]) -> f64 {
        let mut sum = 0.0;
        match self {
            Self::Dense(A) => {
                for (column, &yj) in A.values().chunks_exact(A.n_rows().max(1)).zip(y) {
                    sum += yj * vector::dot(column, x);
                }
            }
            Self::Sparse(A) => {
                for (j, &yj) in y.iter().enumerate() {
                    sum += yj * A.column_dot(j, x);
                }
            }
        }
        sum
    }

    /// The diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.n_rows().min(self.n_cols())).map(|i| self.get(i, i)).collect()
    }

    /// Every nonzero entry as (row, column, value), column by column.
    pub fn triplets(&self) -> Vec<(usize, usize, f64)> {
        match self {
            Self::Dense(A) => {
                let mut entries = Vec::new();
                for j in 0..A.n_cols() {
                    for (i, &x) in A.column(j).iter().enumerate() {
                        if x != 0.0 {
                            entries.push((i, j, x));
                        }
                    }
                }
                entries
            }
            Self::Sparse(A) => A.triplets().filter(|&(_, _, x)| x != 0.0).collect(),
        }
    }

    /// Σ c_i A_i over the given terms, sparse when every term is.
    pub fn combination<'a>(n: usize, terms: &[(f64, &'a Matrix)]) -> Matrix {
        let sparse = |(c, A): &(f64, &'a Matrix)| match A {
            Matrix::Sparse(A) => Some((*c, A)),
            Matrix::Dense(_) => None,
        };
        if let Some(terms) = terms.iter().map(sparse).collect::<Option<Vec<_>>>() {
            return Matrix::Sparse(SparseMatrix::combination(n, &terms));
        }
        let mut sum = DenseMatrix::zeros(n, n);
        for (c, A) in terms {
            for (i, j, x) in A.triplets() {
                sum.set(i, j, sum.get(i, j) + c * x);
            }
        }
        Matrix::Dense(sum)
    }

    /// The dense form.
    pub fn to_dense(&self) -> DenseMatrix {
        match self {
            Self::Dense(A) => A.clone(),
            Self::Sparse(A) => {
                let mut D = DenseMatrix::zeros(A.n_rows(), A.n_cols());
                for (i, j, x) in A.triplets() {
                    D.set(i, j, x);
                }
                D
            }
        }
    }

    /// Whether all entries off the diagonal are zero.
    pub fn is_diagonal(&self) -> bool {
        match self {
            Self::Dense(_) => self.triplets().iter().all(|&(i, j, _)| i == j),
            Self::Sparse(A) => A.triplets().all(|(i, j, x)| i == j || x == 0.0),
        }
    }

    /// max |A_ij|, NaN if any entry is.
    pub fn max_abs(&self) -> f64 {
        match self {
            Self::Dense(A) => vector::max_abs(A.values()),
            Self::Sparse(A) => vector::max_abs(A.values()),
        }
    }

    /// The largest |A_ij − A_ji| with its place, or `None` for a symmetric matrix.
    pub fn asymmetry(&self) -> Option<(usize, usize, f64)> {
        let mut worst: Option<(usize, usize, f64)> = None;
        self.for_each_pair(|i, j, x, mirrored| {
            let difference = (x - mirrored).abs();
            if difference > worst.map_or(0.0, |(_, _, d)| d) {
                worst = Some((i, j, difference));
            }
        });
        worst
    }

    /// Calls `pair(i, j, A_ij, A_ji)` for every nonzero A_ij of a square matrix, column by column.
    pub fn for_each_pair(&self, mut pair: impl FnMut(usize, usize, f64, f64)) {
        let mirror = match self {
            Self::Sparse(A) => A.transpose(),
            Self::Dense(_) => {
                self.triplets().into_iter().for_each(|(i, j, x)| pair(i, j, x, self.get(j, i)));
                return;
            }
        };
        let Self::Sparse(A) = self else { return };
        for j in 0..A.n_cols() {
            let (rows, values) = A.column(j);
            let (across, mirrored) = mirror.column(j);
            let mut k = 0;
            for (&i, &x) in rows.iter().zip(values).filter(|(_, x)| **x != 0.0) {
                k += across[k..].iter().take_while(|&&other| other < i).count();
                let y = if across.get(k) == Some(&i) { mirrored[k] } else { 0.0 };
                pair(i, j, x, y);
            }
        }
    }

    /// ½(A + Aᵀ).
    pub fn symmetric_part(&self) -> Self {
        match self {
            Self::Dense(A) => {
                let mut S = A.clone();
                for j in 0..A.n_cols() {
                    (0..A.n_rows()).for_each(|i| S.set(i, j, 0.5 * (A.get(i, j) + A.get(j, i))));
                }
                Self::Dense(S)
            }
            Self::Sparse(A) => {
                let T = Self::Sparse(A.transpose());
                Self::combination(A.n_rows(), &[(0.5, self), (0.5, &T)])
            }
        }
    }
}
