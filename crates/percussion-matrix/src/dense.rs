//! A dense matrix, stored by columns.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Auto, Par};
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
    ///
    /// By the QR algorithm at every size: faer's divide and conquer, its choice from 128 rows on, leaves residuals |Av − λv| of 4e-4 |A|
    /// on stiffness matrices of free bodies, where QR leaves round-off.
    pub fn symmetric_eigen(&self) -> Option<(Vec<f64>, Self)> {
        let n = self.n_rows;
        let symmetric = faer::Mat::from_fn(n, n, |i, j| 0.5 * (self.get(i, j) + self.get(j, i)));
        let mut by_qr: SelfAdjointEvdParams = Auto::<f64>::auto();
        by_qr.recursion_threshold = usize::MAX;
        let (mut S, mut U) = (faer::diag::Diag::<f64>::zeros(n), faer::Mat::<f64>::zeros(n, n));
        let room = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, by_qr.into());
        let mut memory = MemBuffer::new(room);
        let stack = MemStack::new(&mut memory);
        self_adjoint_evd(symmetric.as_ref(), S.as_mut(), Some(U.as_mut()), Par::Seq, stack, by_qr.into()).ok()?;
        let mut vectors = Self::zeros(n, n);
        for j in 0..n {
            vectors.column_mut(j).iter_mut().enumerate().for_each(|(i, x)| *x = U[(i, j)]);
        }
        Some(((0..n).map(|k| S[k]).collect(), vectors))
    }

    /// The smallest eigenvalue of the symmetric part ½(A + Aᵀ); `None` when it cannot be computed.
    pub fn smallest_eigenvalue(&self) -> Option<f64> {
        let n = self.n_rows;
        let symmetric = faer::Mat::from_fn(n, n, |i, j| 0.5 * (self.get(i, j) + self.get(j, i)));
        let eigenvalues = symmetric.self_adjoint_eigenvalues(faer::Side::Lower).ok()?;
        eigenvalues.into_iter().reduce(f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K of a free lattice of 6 × 6 × 5 points, springs of stiffness 1 along its edges and of 1e-6 across: clusters and zeros.
    #[test]
    fn large_clustered_spectra_to_round_off() {
        let (nx, ny, nz) = (6, 6, 5);
        let n = nx * ny * nz;
        let mut A = DenseMatrix::zeros(n, n);
        let mut spring = |i: usize, j: usize, k: f64| {
            for (r, c, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                A.set(r, c, A.get(r, c) + sign * k);
            }
        };
        let at = |x: usize, y: usize, z: usize| x + nx * (y + ny * z);
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    if x + 1 < nx {
                        spring(at(x, y, z), at(x + 1, y, z), 1.0);
                    }
                    if y + 1 < ny {
                        spring(at(x, y, z), at(x, y + 1, z), 1e-6);
                    }
                    if z + 1 < nz {
                        spring(at(x, y, z), at(x, y, z + 1), 1.0);
                    }
                }
            }
        }
        let (values, V) = A.symmetric_eigen().expect("eigenvalues");
        for k in 0..n {
            let mut r: Vec<f64> = V.column(k).iter().map(|v| -values[k] * v).collect();
            for (j, v) in V.column(k).iter().enumerate() {
                r.iter_mut().zip(A.column(j)).for_each(|(r, a)| *r += a * v);
            }
            let residual = r.iter().map(|x| x * x).sum::<f64>().sqrt();
            // n ε ‖A‖, where ‖A‖ ≤ 8
            assert!(residual < 8.0 * n as f64 * f64::EPSILON, "{k}: {residual:e}");
        }
        // a line of n points: ω² = 4 sin²(kπ/2n); the lattice adds those of its three directions
        let line = |n: usize, k: usize| 4.0 * (k as f64 * std::f64::consts::PI / (2 * n) as f64).sin().powi(2);
        let mut exact: Vec<f64> = Vec::new();
        for z in 0..nz {
            for y in 0..ny {
                exact.extend((0..nx).map(|x| line(nx, x) + 1e-6 * line(ny, y) + line(nz, z)));
            }
        }
        exact.sort_by(f64::total_cmp);
        let worst = values.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-13, "{worst:e}");
    }
}
