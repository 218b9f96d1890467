//! A dense matrix, stored by columns.

use serde::{Deserialize, Serialize};

/// A dense n_rows × n_cols matrix, column-major: entry (i, j) is `values[i + j * n_rows]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DenseMatrix {
    n_rows: usize,
    n_cols: usize,
    values: Vec<f64>,
}

impl DenseMatrix {
    /// The zero matrix.
    pub fn zeros(n_rows: usize, n_cols: usize) -> Self {
        Self { n_rows, n_cols, values: vec![0.0; n_rows * n_cols] }
    }

    /// The identity.
    pub fn identity(n: usize) -> Self {
        let mut A = Self::zeros(n, n);
        for i in 0..n {
            A.set(i, i, 1.0);
        }
        A
    }

    /// From column-major values; `None` when their number is not n_rows · n_cols.
    pub fn from_columns(n_rows: usize, n_cols: usize, values: Vec<f64>) -> Option<Self> {
        (n_rows.checked_mul(n_cols) == Some(values.len())).then_some(Self { n_rows, n_cols, values })
    }

    /// From a list of rows; `None` when the rows differ in length.
    pub fn from_rows(rows: &[Vec<f64>]) -> Option<Self> {
        let n_cols = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|row| row.len() != n_cols) {
            return None;
        }
        let mut A = Self::zeros(rows.len(), n_cols);
        for (i, row) in rows.iter().enumerate() {
            for (j, &x) in row.iter().enumerate() {
                A.set(i, j, x);
            }
        }
        Some(A)
    }

    /// Number of rows.
    #[inline]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    #[inline]
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// All entries, column by column.
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All entries, to be overwritten.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Entry (i, j).
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.values[i + j * self.n_rows]
    }

    /// Overwrites entry (i, j).
    #[inline]
    pub fn set(&mut self, i: usize, j: usize, x: f64) {
        self.values[i + j * self.n_rows] = x;
    }

    /// Column j.
    #[inline]
    pub fn column(&self, j: usize) -> &[f64] {
        &self.values[j * self.n_rows..(j + 1) * self.n_rows]
    }

    /// Column j, to be overwritten.
    #[inline]
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.values[j * self.n_rows..(j + 1) * self.n_rows]
    }

    /// Becomes a zero matrix of the given size, keeping the memory it has.
    pub fn reset(&mut self, n_rows: usize, n_cols: usize) {
        self.n_rows = n_rows;
        self.n_cols = n_cols;
        self.values.clear();
        self.values.resize(n_rows * n_cols, 0.0);
    }

    /// Eigenvalues of the symmetric part ½(A + Aᵀ), rising, and its eigenvectors as columns; `None` when they cannot be computed.
    pub fn symmetric_eigen(&self) -> Option<(Vec<f64>, Self)> {
        let n = self.n_rows;
        let symmetric = faer::Mat::from_fn(n, n, |i, j| 0.5 * (self.get(i, j) + self.get(j, i)));
        let found = symmetric.self_adjoint_eigen(faer::Side::Lower).ok()?;
        let values: Vec<f64> = (0..n).map(|k| found.S()[k]).collect();
        let mut vectors = Self::zeros(n, n);
        for j in 0..n {
            vectors.column_mut(j).iter_mut().enumerate().for_each(|(i, x)| *x = found.U()[(i, j)]);
        }
        Some((values, vectors))
    }

    /// The smallest eigenvalue of the symmetric part ½(A + Aᵀ); `None` when it cannot be computed.
    pub fn smallest_eigenvalue(&self) -> Option<f64> {
        let n = self.n_rows;
        let symmetric = faer::Mat::from_fn(n, n, |i, j| 0.5 * (self.get(i, j) + self.get(j, i)));
        let eigenvalues = symmetric.self_adjoint_eigenvalues(faer::Side::Lower).ok()?;
        eigenvalues.into_iter().reduce(f64::min)
    }
}
