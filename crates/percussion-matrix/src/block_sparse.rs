//! A sparse matrix of square blocks, by rows: what Gauss–Seidel walks through.
//!
//!   y_i = Σ_j A_ij x_j,    A_ij ∈ ℝ^{d×d}
//!
//! Block row i holds the blocks `row_ptr[i]..row_ptr[i+1]` at the block columns `col_idx[..]`, sorted, each block by
//! columns. Every row holds its diagonal block, zero or not.

use crate::{DenseMatrix, SparseMatrix};
use serde::{Deserialize, Serialize};

/// A square matrix of n × n blocks of d × d numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockMatrix {
    d: usize,
    row_ptr: Vec<usize>,
    col_idx: Vec<u32>,
    /// Position of the diagonal block of each row.
    diagonal: Vec<usize>,
    values: Vec<f64>,
}

impl BlockMatrix {
    /// A matrix without rows, for blocks of size d.
    pub fn empty(d: usize) -> Self {
        Self { d, row_ptr: vec![0], ..Self::default() }
    }

    /// From blocks (row, column, values by columns) in any order; duplicates are summed, missing diagonal blocks are
    /// zero. `None` when an index is out of range or a block does not hold d² numbers.
    pub fn from_blocks(d: usize, n: usize, blocks: &[(usize, usize, &[f64])]) -> Option<Self> {
        let fits = |&(i, j, block): &(usize, usize, &[f64])| i < n && j < n && block.len() == d * d;
        if n > u32::MAX as usize || !blocks.iter().all(fits) {
            return None;
        }
        let mut order: Vec<(usize, usize, Option<usize>)> =
            blocks.iter().enumerate().map(|(k, &(i, j, _))| (i, j, Some(k))).collect();
        order.extend((0..n).map(|i| (i, i, None)));
        order.sort_unstable();
        let mut A = Self::empty(d);
        A.row_ptr.clear();
        let mut last = None;
        for (i, j, k) in order {
            if last != Some((i, j)) {
                while A.row_ptr.len() <= i {
                    A.row_ptr.push(A.col_idx.len());
                }
                if i == j {
                    A.diagonal.push(A.col_idx.len());
                }
                A.col_idx.push(j as u32);
                A.values.resize(A.values.len() + d * d, 0.0);
                last = Some((i, j));
            }
            if let Some(k) = k {
                let start = A.values.len() - d * d;
                for (a, x) in A.values[start..].iter_mut().zip(blocks[k].2) {
                    *a += x;
                }
            }
        }
        A.row_ptr.push(A.col_idx.len());
        Some(A)
    }

    /// All n × n blocks, row by row, each what `block` says of (row, column, its numbers by columns).
    pub fn full(d: usize, n: usize, block: impl Fn(usize, usize, &mut [f64])) -> Self {
        let mut values = vec![0.0; n * n * d * d];
        for (k, own) in values.chunks_exact_mut((d * d).max(1)).enumerate() {
            block(k / n, k % n, own);
        }
        Self {
            d,
            row_ptr: (0..=n).map(|i| i * n).collect(),
            col_idx: (0..n).flat_map(|_| 0..n as u32).collect(),
            diagonal: (0..n).map(|i| i * n + i).collect(),
            values,
        }
    }

    /// The blocks of a full matrix that are not zero. `None` unless it is square with a multiple of d rows.
    pub fn from_dense(d: usize, A: &DenseMatrix) -> Option<Self> {
        if A.n_rows() != A.n_cols() || d == 0 || !A.n_rows().is_multiple_of(d) {
            return None;
        }
        let n = A.n_rows() / d;
        let mut blocks: Vec<(usize, usize, Vec<f64>)> = Vec::new();
        for j in 0..n {
            for i in 0..n {
                let block: Vec<f64> = (0..d * d).map(|k| A.get(i * d + k % d, j * d + k / d)).collect();
                if block.iter().any(|&x| x != 0.0) {
                    blocks.push((i, j, block));
                }
            }
        }
        let blocks: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, block.as_slice())).collect();
        Self::from_blocks(d, n, &blocks)
    }

    /// The blocks of a sparse matrix. `None` unless it is square with a multiple of d rows.
    pub fn from_sparse(d: usize, A: &SparseMatrix) -> Option<Self> {
        if A.n_rows() != A.n_cols() || d == 0 || !A.n_rows().is_multiple_of(d) {
            return None;
        }
        let n = A.n_rows() / d;
        if n > u32::MAX as usize {
            return None;
        }
        let mut keys: Vec<(usize, usize)> = A.triplets().map(|(i, j, _)| (i / d, j / d)).collect();
        keys.extend((0..n).map(|i| (i, i)));
        keys.sort_unstable();
        keys.dedup();
        let mut out = Self::empty(d);
        out.row_ptr = vec![0; n + 1];
        out.values = vec![0.0; keys.len() * d * d];
        for (k, &(i, j)) in keys.iter().enumerate() {
            out.row_ptr[i + 1] += 1;
            out.col_idx.push(j as u32);
            if i == j {
                out.diagonal.push(k);
            }
        }
        for i in 0..n {
            out.row_ptr[i + 1] += out.row_ptr[i];
        }
        for (i, j, x) in A.triplets() {
            let row = out.row_ptr[i / d]..out.row_ptr[i / d + 1];
            let place = out.col_idx[row.clone()].binary_search(&((j / d) as u32)).expect("the block was listed");
            out.values[(row.start + place) * d * d + (j % d) * d + i % d] += x;
        }
        Some(out)
    }

    /// Rows and columns of a block.
    #[inline]
    pub fn block_size(&self) -> usize {
        self.d
    }

    /// Number of block rows.
    #[inline]
    pub fn n_blocks(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of stored blocks.
    #[inline]
    pub fn n_stored(&self) -> usize {
        self.col_idx.len()
    }

    /// Start of each block row, and the end of the last.
    #[inline]
    pub fn row_ptr(&self) -> &[usize] {
        &self.row_ptr
    }

    /// Block column of each stored block.
    #[inline]
    pub fn col_idx(&self) -> &[u32] {
        &self.col_idx
    }

    /// All blocks, one after the other, each by columns.
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All blocks, to be overwritten.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Position of the diagonal block of row i among the stored blocks.
    #[inline]
    pub fn diagonal_position(&self, i: usize) -> usize {
        self.diagonal[i]
    }

    /// The diagonal block of row i, by columns.
    #[inline]
    pub fn diagonal_block(&self, i: usize) -> &[f64] {
        let size = self.d * self.d;
        &self.values[self.diagonal[i] * size..(self.diagonal[i] + 1) * size]
    }

    /// The stored blocks of row i with their columns.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> + '_ {
        let size = self.d * self.d;
        (self.row_ptr[i]..self.row_ptr[i + 1])
            .map(move |k| (self.col_idx[k] as usize, &self.values[k * size..(k + 1) * size]))
    }

    /// Entry (i, j) of the whole matrix.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let d = self.d;
        let row = self.row_ptr[i / d]..self.row_ptr[i / d + 1];
        match self.col_idx[row.clone()].binary_search(&((j / d) as u32)) {
            Ok(place) => self.values[(row.start + place) * d * d + (j % d) * d + i % d],
            Err(_) => 0.0,
        }
    }

    /// y ← y + A x.
    pub fn mul_add(&self, x: &[f64], y: &mut [f64]) {
        match self.d {
            1 => self.mul_add_sized::<1, 1>(x, y),
            2 => self.mul_add_sized::<2, 4>(x, y),
            3 => self.mul_add_sized::<3, 9>(x, y),
            5 => self.mul_add_sized::<5, 25>(x, y),
            _ => self.mul_add_any(x, y),
        }
    }

    /// The same with the block size known to the compiler; D2 = D².
    fn mul_add_sized<const D: usize, const D2: usize>(&self, x: &[f64], y: &mut [f64]) {
        let (x, _) = x.as_chunks::<D>();
        let (blocks, _) = self.values.as_chunks::<D2>();
        for (i, y) in y.as_chunks_mut::<D>().0.iter_mut().enumerate() {
            let row = self.row_ptr[i]..self.row_ptr[i + 1];
            for (block, &j) in blocks[row.clone()].iter().zip(&self.col_idx[row]) {
                let x = &x[j as usize];
                for c in 0..D {
                    for r in 0..D {
                        y[r] += block[c * D + r] * x[c];
                    }
                }
            }
        }
    }

    fn mul_add_any(&self, x: &[f64], y: &mut [f64]) {
        let d = self.d;
        for i in 0..self.n_blocks() {
            for (j, block) in self.row(i) {
                for c in 0..d {
                    for r in 0..d {
                        y[i * d + r] += block[c * d + r] * x[j * d + c];
                    }
                }
            }
        }
    }

    /// Largest |entry|; infinite when one is not a number.
    pub fn max_abs(&self) -> f64 {
        self.values.iter().fold(0.0, |m: f64, x| if x.is_nan() { f64::INFINITY } else { m.max(x.abs()) })
    }

    /// The same matrix by columns of numbers.
    pub fn to_sparse(&self) -> SparseMatrix {
        let d = self.d;
        let mut triplets = Vec::with_capacity(self.values.len());
        for i in 0..self.n_blocks() {
            for (j, block) in self.row(i) {
                for (k, &x) in block.iter().enumerate() {
                    triplets.push((i * d + k % d, j * d + k / d, x));
                }
            }
        }
        let n = d * self.n_blocks();
        SparseMatrix::from_triplets(n, n, &triplets).expect("blocks lie inside the matrix")
    }

    /// The same matrix in full.
    pub fn to_dense(&self) -> DenseMatrix {
        let d = self.d;
        let n = d * self.n_blocks();
        let mut A = DenseMatrix::zeros(n, n);
        for i in 0..self.n_blocks() {
            for (j, block) in self.row(i) {
                for (k, &x) in block.iter().enumerate() {
                    A.set(i * d + k % d, j * d + k / d, x);
                }
            }
        }
        A
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made row by row it is what it is from a list of its blocks.
    #[test]
    fn full_matrices() {
        let of = |i: usize, j: usize| [0, 1, 2, 3].map(|k| (100 * i + 10 * j + k) as f64);
        let blocks: Vec<(usize, usize, [f64; 4])> = (0..9).map(|k| (k % 3, k / 3, of(k % 3, k / 3))).collect();
        let listed: Vec<(usize, usize, &[f64])> = blocks.iter().map(|(i, j, block)| (*i, *j, &block[..])).collect();
        let full = BlockMatrix::full(2, 3, |i, j, block| block.copy_from_slice(&of(i, j)));
        assert_eq!(Some(full), BlockMatrix::from_blocks(2, 3, &listed));
    }

    /// Blocks in any order, one twice, one diagonal missing: the products agree with the full matrix.
    #[test]
    fn blocks_and_full_matrix_agree() {
        for d in [1, 2, 3, 4, 5] {
            let block = |s: usize| -> Vec<f64> { (0..d * d).map(|k| ((k * 7 + s * 5) % 11) as f64 - 4.0).collect() };
            let (a, b, c) = (block(1), block(2), block(3));
            let A = BlockMatrix::from_blocks(d, 3, &[(2, 0, &a), (0, 0, &b), (2, 0, &c), (2, 2, &b)]).unwrap();
            assert_eq!(A.n_stored(), 4);
            let x: Vec<f64> = (0..3 * d).map(|k| k as f64 * 0.5 - 1.0).collect();
            let mut y = vec![1.0; 3 * d];
            A.mul_add(&x, &mut y);
            let full = A.to_dense();
            for i in 0..3 * d {
                let exact: f64 = 1.0 + (0..3 * d).map(|j| full.get(i, j) * x[j]).sum::<f64>();
                assert!((y[i] - exact).abs() < 1e-12);
                assert_eq!(full.get(i, 0), A.get(i, 0));
            }
            assert_eq!(BlockMatrix::from_sparse(d, &A.to_sparse()).unwrap(), A);
            assert_eq!(BlockMatrix::from_dense(d, &full).unwrap().to_dense(), full);
        }
    }

    #[test]
    fn blocks_outside_are_refused() {
        assert!(BlockMatrix::from_blocks(2, 1, &[(0, 1, &[0.0; 4])]).is_none());
        assert!(BlockMatrix::from_blocks(2, 1, &[(0, 0, &[0.0; 3])]).is_none());
        assert!(BlockMatrix::from_dense(2, &DenseMatrix::zeros(3, 3)).is_none());
    }
}
