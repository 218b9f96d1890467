//! A sparse matrix that shares the pattern of W, diagonal included, so that one symbolic factorisation serves many.

use percussion_matrix::{Matrix, SparseMatrix};

/// The pattern of W with a full diagonal, and values to be filled in.
#[derive(Debug)]
pub(crate) struct FullPattern {
    /// Always `Matrix::Sparse`.
    A: Matrix,
    /// Where each entry of A lies in W; `MISSING` where W stores nothing.
    source: Vec<usize>,
    /// Pattern of W, to recognise it.
    col_ptr: Vec<usize>,
    row_idx: Vec<usize>,
}

const MISSING: usize = usize::MAX;

impl FullPattern {
    /// The pattern of W.
    pub fn new(W: &SparseMatrix) -> Self {
        let n = W.n_rows();
        let mut entries: Vec<(usize, usize, f64)> = W.triplets().map(|(i, j, _)| (i, j, 0.0)).collect();
        entries.extend((0..n).map(|i| (i, i, 0.0)));
        let A = SparseMatrix::from_triplets(n, n, &entries).expect("indices of W");
        let mut source = Vec::with_capacity(A.n_entries());
        for j in 0..n {
            let (rows, _) = W.column(j);
            let start = W.col_ptr()[j];
            for i in A.column(j).0 {
                source.push(rows.binary_search(i).map_or(MISSING, |k| start + k));
            }
        }
        Self { A: Matrix::Sparse(A), source, col_ptr: W.col_ptr().to_vec(), row_idx: W.row_idx().to_vec() }
    }

    /// Whether it is the pattern of W.
    pub fn fits(&self, W: &SparseMatrix) -> bool {
        self.col_ptr == W.col_ptr() && self.row_idx == W.row_idx()
    }

    /// A_ij ← value(i, j, W_ij) on the pattern.
    pub fn fill(&mut self, W: &SparseMatrix, value: impl Fn(usize, usize, f64) -> f64) -> &Matrix {
        if let Matrix::Sparse(A) = &mut self.A {
            for j in 0..A.n_cols() {
                for k in A.col_ptr()[j]..A.col_ptr()[j + 1] {
                    let i = A.row_idx()[k];
                    let w = if self.source[k] == MISSING { 0.0 } else { W.values()[self.source[k]] };
                    A.values_mut()[k] = value(i, j, w);
                }
            }
        }
        &self.A
    }
}
