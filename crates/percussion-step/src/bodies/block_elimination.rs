//! Elimination of small dense blocks in a fixed order: O(n) for chains and trees, sparse for loops.
//!
//!   S_ij ← S_ij − S_ik S_kk⁻¹ S_kj   for every later i, j that k touches
//!
//! Blocks are joints, which touch where they share a body, or bodies and joints of one graph; a joint comes after its bodies, which
//! give it its pivot. The order is that of least degree: a chain is eliminated from its ends without fill. Pivots are sought inside blocks only; a pivot that vanishes against its row names a joint that follows
//! from the others, and is lifted by 1e-9 of its row.

use std::collections::BTreeSet;

/// Part of its row's diagonal under which a pivot counts as zero, and by which it is then lifted.
const DEPENDENT: f64 = 1e-9;

/// A neighbour eliminated later: its blocks right of and below the pivot.
#[derive(Clone, Copy, Debug)]
struct Later {
    node: usize,
    size: usize,
    right: usize,
    below: usize,
}

/// What a node waits for.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// It has its turn after all of these,
    pub all: Vec<usize>,
    /// or after one of these, which give a pivot to no other.
    pub own: Vec<usize>,
}

/// A matrix of blocks with the plan of its elimination.
#[derive(Clone, Debug, Default)]
pub struct BlockElimination {
    sizes: Vec<usize>,
    /// First unknown of each node.
    first: Vec<usize>,
    order: Vec<usize>,
    position: Vec<usize>,
    diagonal: Vec<usize>,
    later: Vec<Vec<Later>>,
    /// Where the products of the neighbours of each node go, neighbour by neighbour: what a large net streams through, so it is short.
    products: Vec<Vec<u32>>,
    /// Whether a node and all its later neighbours have the same size.
    alike: Vec<bool>,
    /// The blocks, each by rows.
    pub values: Vec<f64>,
    work: Vec<f64>,
    /// Size of each row before the elimination.
    scales: Vec<f64>,
    /// Nodes that begin as zero and get their size from others.
    late: Vec<bool>,
    /// Nodes with a pivot that was lifted.
    pub dependent: Vec<usize>,
}

impl BlockElimination {
    /// Plans the elimination of nodes of these sizes and touches.
    pub fn new(sizes: Vec<usize>, touches: &[(usize, usize)]) -> Self {
        let free = vec![Before::default(); sizes.len()];
        Self::ordered(sizes, touches, &free)
    }

    /// The same where a node has its turn after others; its own block is then zero to begin with.
    pub fn ordered(sizes: Vec<usize>, touches: &[(usize, usize)], after: &[Before]) -> Self {
        let n = sizes.len();
        let mut waiting: Vec<usize> = after.iter().map(|before| before.all.len()).collect();
        let mut waited_for = vec![Vec::new(); n];
        for (i, before) in after.iter().enumerate() {
            before.all.iter().for_each(|&j| waited_for[j].push((i, before.own.contains(&j))));
        }
        let mut around = vec![BTreeSet::new(); n];
        for &(i, j) in touches.iter().filter(|(i, j)| i != j) {
            around[i].insert(j);
            around[j].insert(i);
        }
        let first: Vec<usize> = sizes
            .iter()
            .scan(0, |sum, n| {
                *sum += n;
                Some(*sum - n)
            })
            .collect();
        let ready = (0..n).filter(|&i| waiting[i] == 0);
        let mut queue: BTreeSet<(usize, usize)> = ready.map(|i| (around[i].len(), i)).collect();
        let mut this = Self {
            position: vec![0; n],
            diagonal: vec![0; n],
            later: vec![Vec::new(); n],
            products: vec![Vec::new(); n],
            alike: vec![true; n],
            late: after.iter().map(|before| !before.all.is_empty()).collect(),
            first,
            sizes,
            ..Self::default()
        };
        let mut length = 0;
        while let Some((_, k)) = queue.pop_first() {
            this.position[k] = this.order.len();
            this.order.push(k);
            this.diagonal[k] = length;
            length += this.sizes[k] * this.sizes[k];
            let touched: Vec<usize> = std::mem::take(&mut around[k]).into_iter().collect();
            for &(i, own) in &waited_for[k] {
                waiting[i] = if own { 0 } else { waiting[i].saturating_sub(1) };
            }
            for &i in &touched {
                queue.remove(&(around[i].len(), i));
                around[i].remove(&k);
                around[i].extend(touched.iter().filter(|&&j| j != i));
                if waiting[i] == 0 {
                    queue.insert((around[i].len(), i));
                }
                let size = this.sizes[i] * this.sizes[k];
                this.later[k].push(Later { node: i, size: this.sizes[i], right: length, below: length + size });
                this.alike[k] &= this.sizes[i] == this.sizes[k];
                length += 2 * size;
            }
        }
        this.values = vec![0.0; length];
        for k in 0..n {
            for a in 0..this.later[k].len() {
                for b in 0..this.later[k].len() {
                    let to = this.offset(this.later[k][a].node, this.later[k][b].node);
                    this.products[k].push(to as u32);
                }
            }
        }
        this
    }

    /// Where block (i, j) of touching nodes starts in `values`, by rows.
    pub fn offset(&self, i: usize, j: usize) -> usize {
        if i == j {
            return self.diagonal[i];
        }
        let (earlier, other, right) = if self.position[i] < self.position[j] { (i, j, true) } else { (j, i, false) };
        let later = self.later[earlier].iter().find(|l| l.node == other).expect("touching nodes");
        if right { later.right } else { later.below }
    }

    /// First unknown of a node.
    pub fn first(&self, node: usize) -> usize {
        self.first[node]
    }

    /// Rows of a node.
    pub fn size(&self, node: usize) -> usize {
        self.sizes[node]
    }

    /// Eliminates; `false` when a row is zero or not a number.
    pub fn factor(&mut self) -> bool {
        self.dependent.clear();
        self.scales.clear();
        for (k, &n) in self.sizes.iter().enumerate() {
            let block = &self.values[self.diagonal[k]..self.diagonal[k] + n * n];
            self.scales.extend(block.chunks_exact(n).map(|row| row.iter().fold(0.0_f64, |s, x| x.abs().max(s))));
        }
        for at in 0..self.order.len() {
            let k = self.order[at];
            let n = self.sizes[k];
            let d = self.diagonal[k];
            let lifted = match invert(&mut self.values[d..d + n * n], &self.scales[self.first[k]..], n) {
                Some(lifted) => lifted,
                None => return false,
            };
            if lifted {
                self.dependent.push(k);
            }
            for l in 0..self.later[k].len() {
                let Later { node, right, .. } = self.later[k][l];
                let m = self.sizes[node];
                self.work.clear();
                self.work.extend_from_slice(&self.values[right..right + n * m]);
                // right ← S_kk⁻¹ right
                for i in 0..n {
                    for j in 0..m {
                        let mut sum = 0.0;
                        for c in 0..n {
                            sum += self.values[d + i * n + c] * self.work[c * m + j];
                        }
                        self.values[right + i * m + j] = sum;
                    }
                }
            }
            let later = &self.later[k];
            for (l, places) in later.iter().zip(self.products[k].chunks_exact(later.len().max(1))) {
                match (self.alike[k], n) {
                    (true, 6) => alike_products::<6>(&mut self.values, l.below, later, places),
                    (true, 3) => alike_products::<3>(&mut self.values, l.below, later, places),
                    _ => products(&mut self.values, (l.below, l.size, n), later, places),
                }
                if self.late[l.node] {
                    let d = self.diagonal[l.node];
                    let rows = self.values[d..d + l.size * l.size].chunks_exact(l.size);
                    for (scale, row) in self.scales[self.first[l.node]..].iter_mut().zip(rows) {
                        *scale = row.iter().fold(*scale, |s, x| x.abs().max(s));
                    }
                }
            }
        }
        true
    }

    /// x ← S⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let mut z = [0.0; MAX_SIZE];
        for &k in &self.order {
            let (n, f, d) = (self.sizes[k], self.first[k], self.diagonal[k]);
            for i in 0..n {
                let row = &self.values[d + i * n..d + (i + 1) * n];
                z[i] = row.iter().zip(&x[f..f + n]).map(|(a, b)| a * b).sum();
            }
            x[f..f + n].copy_from_slice(&z[..n]);
            for l in &self.later[k] {
                let fi = self.first[l.node];
                for i in 0..self.sizes[l.node] {
                    let row = &self.values[l.below + i * n..l.below + (i + 1) * n];
                    let sum: f64 = row.iter().zip(&z[..n]).map(|(a, b)| a * b).sum();
                    x[fi + i] -= sum;
                }
            }
        }
        for &k in self.order.iter().rev() {
            let (n, f) = (self.sizes[k], self.first[k]);
            for l in &self.later[k] {
                let (m, fj) = (self.sizes[l.node], self.first[l.node]);
                for i in 0..n {
                    let row = &self.values[l.right + i * m..l.right + (i + 1) * m];
                    let sum: f64 = row.iter().zip(&x[fj..fj + m]).map(|(a, b)| a * b).sum();
                    x[f + i] -= sum;
                }
            }
        }
    }
}

/// Rows of a node at most.
pub const MAX_SIZE: usize = 12;

/// A block of so many rows below a pivot of size n, times all blocks right of it, subtracted at their places.
#[inline]
fn products(values: &mut [f64], (below, rows, n): (usize, usize, usize), later: &[Later], places: &[u32]) {
    for (l, &to) in later.iter().zip(places) {
        let (to, right) = (to as usize, l.right);
        match (rows, l.size, n) {
            (6, 6, 6) => sized_product::<6, 6, 6>(values, to, below, right),
            (5, 5, 5) => sized_product::<5, 5, 5>(values, to, below, right),
            (3, 3, 3) => sized_product::<3, 3, 3>(values, to, below, right),
            (2, 2, 2) => sized_product::<2, 2, 2>(values, to, below, right),
            _ => {
                for i in 0..rows {
                    for j in 0..l.size {
                        let mut sum = 0.0;
                        for c in 0..n {
                            sum += values[below + i * n + c] * values[right + c * l.size + j];
                        }
                        values[to + i * l.size + j] -= sum;
                    }
                }
            }
        }
    }
}

/// The same where all blocks have one size that the compiler knows; the block below stays at hand.
#[inline]
fn alike_products<const N: usize>(values: &mut [f64], below: usize, later: &[Later], places: &[u32]) {
    let mut left = [[0.0; N]; N];
    for (row, from) in left.iter_mut().zip(values[below..below + N * N].chunks_exact(N)) {
        row.copy_from_slice(from);
    }
    for (l, &to) in later.iter().zip(places) {
        let mut right = [[0.0; N]; N];
        for (row, from) in right.iter_mut().zip(values[l.right..l.right + N * N].chunks_exact(N)) {
            row.copy_from_slice(from);
        }
        let to = to as usize;
        for (row, to) in left.iter().zip(values[to..to + N * N].chunks_exact_mut(N)) {
            let mut sum = [0.0; N];
            for (x, right) in row.iter().zip(&right) {
                sum.iter_mut().zip(right).for_each(|(s, r)| *s += x * r);
            }
            to.iter_mut().zip(sum).for_each(|(to, s)| *to -= s);
        }
    }
}

/// to −= below · right with sizes the compiler knows.
#[inline]
fn sized_product<const M: usize, const N: usize, const K: usize>(
    values: &mut [f64],
    to: usize,
    below: usize,
    right: usize,
) {
    let mut block = [[0.0; N]; K];
    for (row, from) in block.iter_mut().zip(values[right..right + K * N].chunks_exact(N)) {
        row.copy_from_slice(from);
    }
    for i in 0..M {
        let mut sum = [0.0; N];
        for c in 0..K {
            let x = values[below + i * K + c];
            for j in 0..N {
                sum[j] += x * block[c][j];
            }
        }
        for (to, s) in values[to + i * N..to + (i + 1) * N].iter_mut().zip(sum) {
            *to -= s;
        }
    }
}

/// A ← A⁻¹ by Gauss and Jordan with pivots sought below; whether a pivot was lifted, `None` for a row without any number.
fn invert(A: &mut [f64], scales: &[f64], n: usize) -> Option<bool> {
    let mut scale = [0.0_f64; MAX_SIZE];
    let mut swaps = [0_usize; MAX_SIZE];
    for i in 0..n {
        scale[i] = scales[i];
        if !(scale[i] > 0.0 && scale[i].is_finite()) {
            return None;
        }
    }
    let mut lifted = false;
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| (A[i * n + k].abs() / scale[i]).total_cmp(&(A[j * n + k].abs() / scale[j])));
        let mut best = best.unwrap_or(k);
        if A[best * n + k].abs() <= DEPENDENT * scale[best] {
            // a column of round-off: lift it in a row that is round-off too, or that row's other pivots are lost
            let rest = |i: usize| (k..n).fold(0.0_f64, |s, c| s.max(A[i * n + c].abs())) / scale[i];
            best = (k..n).min_by(|&i, &j| rest(i).total_cmp(&rest(j))).unwrap_or(k);
        }
        swaps[k] = best;
        if best != k {
            for c in 0..n {
                A.swap(k * n + c, best * n + c);
            }
            scale.swap(k, best);
        }
        if A[k * n + k].abs() <= DEPENDENT * scale[k] {
            A[k * n + k] += (DEPENDENT * scale[k]).copysign(A[k * n + k]);
            lifted = true;
        }
        let pivot = 1.0 / A[k * n + k];
        A[k * n + k] = 1.0;
        for c in 0..n {
            A[k * n + c] *= pivot;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = A[i * n + k];
            A[i * n + k] = 0.0;
            for c in 0..n {
                A[i * n + c] -= factor * A[k * n + c];
            }
        }
    }
    for k in (0..n).rev().filter(|&k| swaps[k] != k) {
        for i in 0..n {
            A.swap(i * n + k, i * n + swaps[k]);
        }
    }
    Some(lifted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of rank two, its dependent rows and columns anywhere: what solves the lifted block solves the block, to the size of the
    /// lift.
    #[test]
    fn dependent_rows_do_not_spoil_the_others() {
        let mut seed = 5_u64;
        let mut dice = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for case in 0..50 {
            let n = 6;
            let J: Vec<[f64; 2]> =
                (0..n).map(|i| if (i + case) % 3 == 0 { [0.0, dice()] } else { [dice(), 0.0] }).collect();
            let S: Vec<f64> = (0..n * n).map(|e| J[e / n][0] * J[e % n][0] + J[e / n][1] * J[e % n][1]).collect();
            // as an elimination leaves it: round-off in every entry
            let rough: Vec<f64> = S.iter().map(|x| x + 1e-16 * dice()).collect();
            let scales = vec![1.0; n];
            let mut A = rough.clone();
            assert_eq!(invert(&mut A, &scales, n), Some(true));
            let v = [dice(), dice()];
            let b: Vec<f64> = J.iter().map(|row| row[0] * v[0] + row[1] * v[1]).collect();
            let x: Vec<f64> = (0..n).map(|i| (0..n).map(|j| A[i * n + j] * b[j]).sum()).collect();
            for i in 0..n {
                let sum: f64 = (0..n).map(|j| S[i * n + j] * x[j]).sum();
                assert!((sum - b[i]).abs() < 1e-5, "case {case}, row {i}: {sum} instead of {}", b[i]);
            }
        }
    }

    /// Solutions of random chains, trees and loops satisfy their equations.
    #[test]
    fn solves_random_graphs() {
        let mut seed = 11_u64;
        let mut dice = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for case in 0..20 {
            let sizes: Vec<usize> = (0..12).map(|i| 1 + (i * 7 + case) % 6).collect();
            let mut touches: Vec<_> = (1..12).map(|i| (i - 1, i)).collect();
            if case % 2 == 1 {
                touches.extend([(0, 11), (3, 8), (case % 7, 10)]);
            }
            let mut lu = BlockElimination::new(sizes.clone(), &touches);
            let total: usize = sizes.iter().sum();
            let mut dense = vec![0.0; total * total];
            let mut pairs: Vec<_> = touches.iter().flat_map(|&(i, j)| [(i, j), (j, i)]).collect();
            pairs.extend((0..12).map(|i| (i, i)));
            pairs.sort_unstable();
            pairs.dedup();
            for (i, j) in pairs {
                let at = lu.offset(i, j);
                for r in 0..sizes[i] {
                    for c in 0..sizes[j] {
                        let x = dice() + if i == j && r == c { 8.0 } else { 0.0 };
                        lu.values[at + r * sizes[j] + c] = x;
                        dense[(lu.first(i) + r) * total + lu.first(j) + c] = x;
                    }
                }
            }
            let b: Vec<f64> = (0..total).map(|_| dice()).collect();
            let mut x = b.clone();
            assert!(lu.factor() && lu.dependent.is_empty());
            lu.solve(&mut x);
            for r in 0..total {
                let sum: f64 = (0..total).map(|c| dense[r * total + c] * x[c]).sum();
                assert!((sum - b[r]).abs() < 1e-12, "case {case} row {r}");
            }
        }
    }
}
