//! LU of a block-sparse matrix in an order chosen once, with pivoting inside blocks only.
//!
//!   A = L U,    L_ij and U_ij ∈ ℝ^{d×d},  L_ii = 1
//!
//! The order (approximate minimum degree, faer's) and the places of fill depend on the pattern alone; numbers change
//! often. Pivoting never leaves a block, so the matrix should be near a definite one; the caller checks the residual
//! of a solution and falls back to a pivoting factorisation where it is large. Rows can be left out: they and their
//! columns are then treated as those of the identity.

use crate::BlockMatrix;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// The factor with its symbolic part and work memory; blocks of D × D (D2 = D²), by columns.
#[derive(Clone, Debug, Default)]
pub struct BlockLu<const D: usize, const D2: usize> {
    /// order[k] is the row eliminated as the k-th.
    order: Vec<usize>,
    /// rank[order[k]] = k.
    rank: Vec<usize>,
    /// Pattern of row k (in elimination order): columns below k, k, above k, sorted.
    row_ptr: Vec<usize>,
    col_idx: Vec<u32>,
    diagonal: Vec<usize>,
    blocks: Vec<[f64; D2]>,
    /// U_kk⁻¹.
    inverse: Vec<[f64; D2]>,
    skipped: Vec<bool>,
    scatter: Vec<[f64; D2]>,
    work: Vec<[f64; D]>,
}

impl<const D: usize, const D2: usize> BlockLu<D, D2> {
    /// Order and fill for the pattern of A, which is taken as symmetric.
    pub fn new(A: &BlockMatrix) -> Self {
        let n = A.n_blocks();
        let neighbours = symmetric_pattern(A);
        let order = minimum_degree(&neighbours);
        let mut rank = vec![0; n];
        for (k, &i) in order.iter().enumerate() {
            rank[i] = k;
        }

        // row k of U: its later neighbours and those of every earlier row whose first later neighbour is k
        let mut upper: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut mark = vec![usize::MAX; n];
        for k in 0..n {
            mark[k] = k;
            let mut row: Vec<u32> = Vec::new();
            for &j in &neighbours[order[k]] {
                let j = rank[j];
                if j > k && mark[j] != k {
                    mark[j] = k;
                    row.push(j as u32);
                }
            }
            for &c in &children[k] {
                for &j in &upper[c] {
                    let j = j as usize;
                    if j > k && mark[j] != k {
                        mark[j] = k;
                        row.push(j as u32);
                    }
                }
            }
            row.sort_unstable();
            if let Some(&parent) = row.first() {
                children[parent as usize].push(k);
            }
            upper[k] = row;
        }
        // row k of L is column k of U's pattern
        let mut lower: Vec<Vec<u32>> = vec![Vec::new(); n];
        for k in 0..n {
            for &j in &upper[k] {
                lower[j as usize].push(k as u32);
            }
        }
        let mut lu = Self { order, rank, row_ptr: vec![0], ..Self::default() };
        for k in 0..n {
            lu.col_idx.extend_from_slice(&lower[k]);
            lu.diagonal.push(lu.col_idx.len());
            lu.col_idx.push(k as u32);
            lu.col_idx.extend_from_slice(&upper[k]);
            lu.row_ptr.push(lu.col_idx.len());
        }
        lu.blocks = vec![[0.0; D2]; lu.col_idx.len()];
        lu.inverse = vec![[0.0; D2]; n];
        lu.skipped = vec![false; n];
        lu.scatter = vec![[0.0; D2]; n];
        lu.work = vec![[0.0; D]; n];
        lu
    }

    /// Stored blocks, fill included.
    pub fn n_stored(&self) -> usize {
        self.col_idx.len()
    }

    /// Block products of a factorisation without rows left out.
    pub fn n_products(&self) -> f64 {
        let below = |k: usize| self.diagonal[k] - self.row_ptr[k];
        let above = |k: usize| self.row_ptr[k + 1] - self.diagonal[k];
        // the pattern is symmetric: row k is used once by every row that meets it below the diagonal
        (0..self.order.len()).map(|k| (above(k) * above(k) + below(k)) as f64).sum()
    }

    /// Factorises: `row(i, put)` calls `put(j, block)` for every block of row i and says whether to go on; rows with
    /// `skip(i)` are left out. False when a pivot block is singular, or at the first row that says stop.
    pub fn factorise(
        &mut self,
        skip: impl Fn(usize) -> bool,
        mut row: impl FnMut(usize, &mut dyn FnMut(usize, &[f64; D2])) -> bool,
    ) -> bool {
        let n = self.order.len();
        for k in 0..n {
            self.skipped[k] = skip(self.order[k]);
        }
        for k in 0..n {
            if self.skipped[k] {
                continue;
            }
            let pattern = self.row_ptr[k]..self.row_ptr[k + 1];
            for &j in &self.col_idx[pattern.clone()] {
                self.scatter[j as usize] = [0.0; D2];
            }
            let (scatter, rank) = (&mut self.scatter, &self.rank);
            let go_on = row(self.order[k], &mut |j, block| {
                let place = &mut scatter[rank[j]];
                for e in 0..D2 {
                    place[e] += block[e];
                }
            });
            if !go_on {
                return false;
            }

            // eliminate what lies below the diagonal
            for e in self.row_ptr[k]..self.diagonal[k] {
                let m = self.col_idx[e] as usize;
                if self.skipped[m] {
                    continue;
                }
                let x = self.scatter[m];
                if x.iter().all(|&x| x == 0.0) {
                    self.blocks[e] = x;
                    continue;
                }
                let factor = product::<D, D2>(&x, &self.inverse[m]);
                self.blocks[e] = factor;
                let tail = self.diagonal[m] + 1..self.row_ptr[m + 1];
                for (u, &j) in self.blocks[tail.clone()].iter().zip(&self.col_idx[tail]) {
                    subtract_product::<D, D2>(&mut self.scatter[j as usize], &factor, u);
                }
            }
            for e in self.diagonal[k]..self.row_ptr[k + 1] {
                self.blocks[e] = self.scatter[self.col_idx[e] as usize];
            }
            match invert::<D, D2>(&self.blocks[self.diagonal[k]]) {
                Some(inverse) => self.inverse[k] = inverse,
                None => return false,
            }
        }
        true
    }

    /// x ← A⁻¹ x on the rows not left out; the others are untouched and count as zero.
    pub fn solve(&mut self, x: &mut [f64]) {
        let x = x.as_chunks_mut::<D>().0;
        let n = self.order.len();
        for k in 0..n {
            if self.skipped[k] {
                self.work[k] = [0.0; D];
                continue;
            }
            let mut y = x[self.order[k]];
            for e in self.row_ptr[k]..self.diagonal[k] {
                let m = self.col_idx[e] as usize;
                if !self.skipped[m] {
                    subtract_times::<D, D2>(&mut y, &self.blocks[e], &self.work[m]);
                }
            }
            self.work[k] = y;
        }
        for k in (0..n).rev() {
            if self.skipped[k] {
                continue;
            }
            let mut y = self.work[k];
            for e in self.diagonal[k] + 1..self.row_ptr[k + 1] {
                let m = self.col_idx[e] as usize;
                if !self.skipped[m] {
                    subtract_times::<D, D2>(&mut y, &self.blocks[e], &self.work[m]);
                }
            }
            let mut z = [0.0; D];
            for c in 0..D {
                for r in 0..D {
                    z[r] += self.inverse[k][c * D + r] * y[c];
                }
            }
            self.work[k] = z;
            x[self.order[k]] = z;
        }
    }
}

/// A B.
#[inline(always)]
fn product<const D: usize, const D2: usize>(A: &[f64; D2], B: &[f64; D2]) -> [f64; D2] {
    let mut C = [0.0; D2];
    for c in 0..D {
        for k in 0..D {
            for r in 0..D {
                C[c * D + r] += A[k * D + r] * B[c * D + k];
            }
        }
    }
    C
}

/// C ← C − A B.
#[inline(always)]
fn subtract_product<const D: usize, const D2: usize>(C: &mut [f64; D2], A: &[f64; D2], B: &[f64; D2]) {
    for c in 0..D {
        for k in 0..D {
            for r in 0..D {
                C[c * D + r] -= A[k * D + r] * B[c * D + k];
            }
        }
    }
}

/// y ← y − A x.
#[inline(always)]
fn subtract_times<const D: usize, const D2: usize>(y: &mut [f64; D], A: &[f64; D2], x: &[f64; D]) {
    for c in 0..D {
        for r in 0..D {
            y[r] -= A[c * D + r] * x[c];
        }
    }
}

/// A⁻¹ by Gauss–Jordan with row pivoting; `None` when a pivot vanishes.
fn invert<const D: usize, const D2: usize>(A: &[f64; D2]) -> Option<[f64; D2]> {
    let mut A = *A;
    let mut B = [0.0; D2];
    for k in 0..D {
        B[k * D + k] = 1.0;
    }
    for c in 0..D {
        let mut pivot = c;
        for r in c + 1..D {
            if A[c * D + r].abs() > A[c * D + pivot].abs() {
                pivot = r;
            }
        }
        let p = A[c * D + pivot];
        if p == 0.0 || !p.is_finite() {
            return None;
        }
        for k in 0..D {
            A.swap(k * D + c, k * D + pivot);
            B.swap(k * D + c, k * D + pivot);
        }
        let scale = 1.0 / p;
        for k in 0..D {
            A[k * D + c] *= scale;
            B[k * D + c] *= scale;
        }
        for r in 0..D {
            if r != c {
                let factor = A[c * D + r];
                for k in 0..D {
                    A[k * D + r] -= factor * A[k * D + c];
                    B[k * D + r] -= factor * B[k * D + c];
                }
            }
        }
    }
    B.iter().all(|x| x.is_finite()).then_some(B)
}

/// Neighbours of each block row through A or Aᵀ, itself left out.
fn symmetric_pattern(A: &BlockMatrix) -> Vec<Vec<usize>> {
    let n = A.n_blocks();
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); n];
    for i in 0..n {
        for &j in &A.col_idx()[A.row_ptr()[i]..A.row_ptr()[i + 1]] {
            let j = j as usize;
            if i != j {
                neighbours[i].push(j);
                neighbours[j].push(i);
            }
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}

/// An order that keeps the fill small.
fn minimum_degree(neighbours: &[Vec<usize>]) -> Vec<usize> {
    let n = neighbours.len();
    let mut col_ptr = vec![0];
    let mut row_idx = Vec::new();
    for list in neighbours {
        row_idx.extend_from_slice(list);
        col_ptr.push(row_idx.len());
    }
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, &col_ptr, None, &row_idx);
    let (mut order, mut inverse) = (vec![0_usize; n], vec![0_usize; n]);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, row_idx.len()));
    let done = amd::order(&mut order, &mut inverse, pattern, amd::Control::default(), MemStack::new(&mut memory));
    if done.is_err() {
        return (0..n).collect();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Random patterns with dominant diagonals: the residual of a solution is round-off, also with rows left out.
    #[test]
    fn solutions_have_no_residual() {
        let mut seed = 3;
        for n in [1, 2, 7, 30, 80] {
            let mut blocks: Vec<(usize, usize, [f64; 9])> = Vec::new();
            for i in 0..n {
                let mut diagonal: [f64; 9] = std::array::from_fn(|_| noise(&mut seed));
                for k in 0..3 {
                    diagonal[k * 4] += 8.0;
                }
                blocks.push((i, i, diagonal));
                for _ in 0..2 {
                    let j = ((noise(&mut seed).abs() * n as f64) as usize).min(n - 1);
                    if i != j {
                        blocks.push((i, j, std::array::from_fn(|_| noise(&mut seed))));
                    }
                }
            }
            let list: Vec<_> = blocks.iter().map(|(i, j, b)| (*i, *j, b.as_slice())).collect();
            let A = BlockMatrix::from_blocks(3, n, &list).unwrap();
            let values = A.values().as_chunks::<9>().0;
            let mut lu = BlockLu::<3, 9>::new(&A);
            for hole in [usize::MAX, n / 2] {
                let row = |i: usize, put: &mut dyn FnMut(usize, &[f64; 9])| {
                    for e in A.row_ptr()[i]..A.row_ptr()[i + 1] {
                        put(A.col_idx()[e] as usize, &values[e]);
                    }
                    true
                };
                assert!(lu.factorise(|i| i == hole, row));
                let b: Vec<f64> = (0..3 * n).map(|_| noise(&mut seed)).collect();
                let mut x = b.clone();
                lu.solve(&mut x);
                if hole < n {
                    x[3 * hole..3 * hole + 3].fill(0.0);
                }
                let mut residual = vec![0.0; 3 * n];
                A.mul_add(&x, &mut residual);
                for k in (0..3 * n).filter(|k| k / 3 != hole) {
                    assert!((residual[k] - b[k]).abs() < 1e-12, "n = {n}, hole {hole}");
                }
            }
        }
    }

    /// A chain needs no fill: 3 blocks a row.
    #[test]
    fn chains_do_not_fill() {
        let one = [1.0];
        let n = 200;
        let mut blocks: Vec<(usize, usize, &[f64])> = Vec::new();
        for i in 0..n {
            blocks.push((i, i, &one));
            if i > 0 {
                blocks.push((i, i - 1, &one));
                blocks.push((i - 1, i, &one));
            }
        }
        let A = BlockMatrix::from_blocks(1, n, &blocks).unwrap();
        assert_eq!(BlockLu::<1, 1>::new(&A).n_stored(), A.n_stored());
    }
}
