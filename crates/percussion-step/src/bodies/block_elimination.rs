//! Elimination of small dense blocks in a fixed order: O(n) for chains and trees, sparse for loops.
//!
//!   S_ij ← S_ij − S_ik S_kk⁻¹ S_kj   for every later i, j that k touches
//!
//! Blocks are joints, which touch where they share a body, or bodies and joints of one graph; a joint comes after its bodies, which
//! give it its pivot. The order is that of `elimination_order.rs`: a chain is eliminated from its ends without fill. Pivots are sought inside blocks
//! only; a pivot that vanishes against its row names a joint that follows from the others, and is lifted by 1e-9 of its row.

pub use crate::bodies::elimination_order::Before;
use crate::bodies::elimination_order::sequence;

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
    /// Blocks of points right of the pivot, as their products read them.
    lanes: Vec<Laid>,
    /// Size of each row before the elimination.
    scales: Vec<f64>,
    /// Nodes that begin as zero and get their size from others.
    late: Vec<bool>,
    /// Nodes with a pivot that was lifted.
    pub dependent: Vec<usize>,
}

/// An elimination where a processor has registers of four numbers.
#[cfg(target_arch = "x86_64")]
struct InWide<'a>(&'a mut BlockElimination);

#[cfg(target_arch = "x86_64")]
impl pulp::WithSimd for InWide<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> bool {
        self.0.eliminate()
    }
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
        let first: Vec<usize> = sizes
            .iter()
            .scan(0, |sum, n| {
                *sum += n;
                Some(*sum - n)
            })
            .collect();
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
        for (k, touched) in sequence(&this.sizes, touches, after) {
            this.position[k] = this.order.len();
            this.order.push(k);
            this.diagonal[k] = length;
            length += this.sizes[k] * this.sizes[k];
            for i in touched {
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

    /// Eliminates; `false` when a row is zero or not a number. In the widest registers there are: the bits are the same in any.
    pub fn factor(&mut self) -> bool {
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = pulp::x86::V3::try_new() {
            return pulp::Simd::vectorize(wide, InWide(self));
        }
        self.eliminate()
    }

    #[inline(always)]
    fn eliminate(&mut self) -> bool {
        self.dependent.clear();
        self.scales.clear();
        for (k, &n) in self.sizes.iter().enumerate() {
            let block = &self.values[self.diagonal[k]..self.diagonal[k] + n * n];
            self.scales.extend(block.chunks_exact(n).map(largest));
        }
        for at in 0..self.order.len() {
            let k = self.order[at];
            let n = self.sizes[k];
            let d = self.diagonal[k];
            let (own, scales) = (&mut self.values[d..d + n * n], &self.scales[self.first[k]..]);
            let inverted = match n {
                6 => invert_sized::<6>(own, scales),
                5 => invert_sized::<5>(own, scales),
                3 => invert_sized::<3>(own, scales),
                _ => invert(own, scales, n),
            };
            let Some(lifted) = inverted else { return false };
            if lifted {
                self.dependent.push(k);
            }
            for l in 0..self.later[k].len() {
                let Later { size, right, .. } = self.later[k][l];
                match (n, size) {
                    (6, 6) => sized_pivot::<6, 6>(&mut self.values, d, right),
                    (5, 5) => sized_pivot::<5, 5>(&mut self.values, d, right),
                    (3, 3) => sized_pivot::<3, 3>(&mut self.values, d, right),
                    _ => pivot(&mut self.values, &mut self.work, (d, n), (right, size)),
                }
            }
            let later = &self.later[k];
            if self.alike[k] && n == 3 {
                self.lanes.clear();
                self.lanes.extend(later.iter().map(|l| laid_out(&rows_of(&self.values[l.right..]))));
            }
            for (l, places) in later.iter().zip(self.products[k].chunks_exact(later.len().max(1))) {
                match (self.alike[k], n) {
                    (true, 6) => alike_products::<6>(&mut self.values, l.below, later, places),
                    (true, 3) => point_products(&mut self.values, l.below, &self.lanes, places),
                    _ => products(&mut self.values, (l.below, l.size, n), later, places),
                }
                if self.late[l.node] {
                    let d = self.diagonal[l.node];
                    let rows = self.values[d..d + l.size * l.size].chunks_exact(l.size);
                    for (scale, row) in self.scales[self.first[l.node]..].iter_mut().zip(rows) {
                        *scale = scale.max(largest(row));
                    }
                }
            }
        }
        true
    }

    /// x ← S⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        for &k in &self.order {
            match self.sizes[k] {
                6 => self.forward::<6>(k, x),
                5 => self.forward::<5>(k, x),
                3 => self.forward::<3>(k, x),
                n => self.forward_any(k, n, x),
            }
        }
        for &k in self.order.iter().rev() {
            let (n, f) = (self.sizes[k], self.first[k]);
            for l in &self.later[k] {
                let (to, from) = (f..f + n, self.first[l.node]);
                match (n, l.size) {
                    (6, 6) => subtract::<6, 6>(&self.values[l.right..], x, to, from),
                    (5, 5) => subtract::<5, 5>(&self.values[l.right..], x, to, from),
                    (3, 3) => subtract::<3, 3>(&self.values[l.right..], x, to, from),
                    (_, m) => subtract_any(&self.values[l.right..], x, to, (from, m)),
                }
            }
        }
    }

    /// x_k ← S_kk⁻¹ x_k, and what that takes from later nodes; nothing where x_k is zero.
    #[inline]
    fn forward<const N: usize>(&self, k: usize, x: &mut [f64]) {
        let (f, d) = (self.first[k], self.diagonal[k]);
        let mut own = [0.0; N];
        own.copy_from_slice(&x[f..f + N]);
        if own == [0.0; N] {
            return;
        }
        let z: [f64; N] = std::array::from_fn(|i| inner(&self.values[d + i * N..d + (i + 1) * N], &own));
        x[f..f + N].copy_from_slice(&z);
        for l in &self.later[k] {
            let to = self.first[l.node];
            let rows = self.values[l.below..l.below + l.size * N].chunks_exact(N);
            x[to..to + l.size].iter_mut().zip(rows).for_each(|(x, row)| *x -= inner(row, &z));
        }
    }

    /// The same for any size.
    fn forward_any(&self, k: usize, n: usize, x: &mut [f64]) {
        let (f, d) = (self.first[k], self.diagonal[k]);
        if x[f..f + n].iter().all(|&x| x == 0.0) {
            return;
        }
        let mut z = [0.0; MAX_SIZE];
        for i in 0..n {
            let row = &self.values[d + i * n..d + (i + 1) * n];
            z[i] = row.iter().zip(&x[f..f + n]).map(|(a, b)| a * b).sum();
        }
        x[f..f + n].copy_from_slice(&z[..n]);
        for l in &self.later[k] {
            let fi = self.first[l.node];
            for i in 0..l.size {
                let row = &self.values[l.below + i * n..l.below + (i + 1) * n];
                let sum: f64 = row.iter().zip(&z[..n]).map(|(a, b)| a * b).sum();
                x[fi + i] -= sum;
            }
        }
    }
}

#[inline]
fn inner<const N: usize>(row: &[f64], x: &[f64; N]) -> f64 {
    row[..N].iter().zip(x).map(|(a, b)| a * b).sum()
}

/// x of one node less a block times x of another.
#[inline]
fn subtract<const N: usize, const M: usize>(block: &[f64], x: &mut [f64], to: std::ops::Range<usize>, from: usize) {
    let mut other = [0.0; M];
    other.copy_from_slice(&x[from..from + M]);
    let rows = block[..N * M].chunks_exact(M);
    x[to].iter_mut().zip(rows).for_each(|(x, row)| *x -= inner(row, &other));
}

/// The same for any sizes.
fn subtract_any(block: &[f64], x: &mut [f64], to: std::ops::Range<usize>, (from, m): (usize, usize)) {
    for (i, row) in to.zip(block.chunks_exact(m)) {
        let sum: f64 = row.iter().zip(&x[from..from + m]).map(|(a, b)| a * b).sum();
        x[i] -= sum;
    }
}

/// Rows of a node at most.
pub const MAX_SIZE: usize = 12;

/// The largest number of a row; NaN stays.
#[inline(always)]
fn largest(row: &[f64]) -> f64 {
    row.iter().fold(0.0_f64, |s, x| if x.abs() <= s { s } else { x.abs() })
}

/// A block by rows.
#[inline(always)]
fn rows_of<const R: usize, const C: usize>(values: &[f64]) -> [[f64; C]; R] {
    let rows = values[..R * C].as_chunks::<C>().0;
    *<&[[f64; C]; R]>::try_from(rows).expect("R rows of C numbers")
}

/// Σ x_c rows_c.
#[inline(always)]
fn combine<const R: usize, const C: usize>(x: &[f64; R], rows: &[[f64; C]; R]) -> [f64; C] {
    let mut sum = [0.0; C];
    for (x, row) in x.iter().zip(rows) {
        sum.iter_mut().zip(row).for_each(|(s, r)| *s += x * r);
    }
    sum
}

/// right ← S_kk⁻¹ right.
fn pivot(values: &mut [f64], work: &mut Vec<f64>, (d, n): (usize, usize), (right, m): (usize, usize)) {
    work.clear();
    work.extend_from_slice(&values[right..right + n * m]);
    for i in 0..n {
        for j in 0..m {
            let mut sum = 0.0;
            for c in 0..n {
                sum += values[d + i * n + c] * work[c * m + j];
            }
            values[right + i * m + j] = sum;
        }
    }
}

/// The same with sizes the compiler knows.
#[inline(always)]
fn sized_pivot<const N: usize, const M: usize>(values: &mut [f64], d: usize, right: usize) {
    let (pivot, old) = (rows_of::<N, N>(&values[d..]), rows_of::<N, M>(&values[right..]));
    let new = pivot.each_ref().map(|row| combine(row, &old));
    values[right..right + N * M].copy_from_slice(new.as_flattened());
}

/// A block of so many rows below a pivot of size n, times all blocks right of it, subtracted at their places.
#[inline(always)]
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
#[inline(always)]
fn alike_products<const N: usize>(values: &mut [f64], below: usize, later: &[Later], places: &[u32]) {
    let left = rows_of::<N, N>(&values[below..]);
    for (l, &to) in later.iter().zip(places) {
        let (right, to) = (rows_of::<N, N>(&values[l.right..]), to as usize);
        for (row, to) in left.iter().zip(values[to..to + N * N].as_chunks_mut::<N>().0) {
            let sum = combine(row, &right);
            to.iter_mut().zip(sum).for_each(|(to, s)| *to -= s);
        }
    }
}

/// A block of 3 × 3 by rows k as a product of 3 × 3 reads it, nine numbers in a row: R_kj with j = 0 1 2 0 | 1 2 0 1 | 2.
type Laid = [([f64; 4], [f64; 4], f64); 3];

#[inline(always)]
fn laid_out(rows: &[[f64; 3]; 3]) -> Laid {
    rows.map(|[a, b, c]| ([a, b, c, a], [b, c, a, b], c))
}

/// `alike_products` of points, nine numbers of a product side by side in registers of four.
#[inline(always)]
fn point_products(values: &mut [f64], below: usize, later: &[Laid], places: &[u32]) {
    let left = rows_of::<3, 3>(&values[below..]);
    // L_ik with i = 0 0 0 1 | 1 1 2 2 | 2
    let left: [([f64; 4], [f64; 4], f64); 3] = std::array::from_fn(|k| {
        let [a, b, c] = [left[0][k], left[1][k], left[2][k]];
        ([a, a, a, b], [b, b, c, c], c)
    });
    for (right, &to) in later.iter().zip(places) {
        let ([mut first, mut second], mut last) = ([[0.0; 4]; 2], 0.0);
        for (l, r) in left.iter().zip(right) {
            for m in 0..4 {
                first[m] += l.0[m] * r.0[m];
                second[m] += l.1[m] * r.1[m];
            }
            last += l.2 * r.2;
        }
        let to = &mut values[to as usize..to as usize + 9];
        for m in 0..4 {
            to[m] -= first[m];
            to[4 + m] -= second[m];
        }
        to[8] -= last;
    }
}

/// to −= below · right with sizes the compiler knows.
#[inline(always)]
fn sized_product<const M: usize, const N: usize, const K: usize>(
    values: &mut [f64],
    to: usize,
    below: usize,
    right: usize,
) {
    let (below, right) = (rows_of::<M, K>(&values[below..]), rows_of::<K, N>(&values[right..]));
    for (to, row) in values[to..to + M * N].as_chunks_mut::<N>().0.iter_mut().zip(&below) {
        let sum = combine(row, &right);
        to.iter_mut().zip(sum).for_each(|(to, s)| *to -= s);
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

/// The same with a size the compiler knows: the same pivots and the same bits.
#[inline(always)]
fn invert_sized<const N: usize>(values: &mut [f64], scales: &[f64]) -> Option<bool> {
    let mut A = rows_of::<N, N>(values);
    let mut scale = [0.0; N];
    scale.copy_from_slice(&scales[..N]);
    if !scale.iter().all(|&s| s > 0.0 && s.is_finite()) {
        return None;
    }
    let mut swaps = [0_usize; N];
    let mut lifted = false;
    for k in 0..N {
        let mut best = k;
        let mut largest = A[k][k].abs() / scale[k];
        for i in k + 1..N {
            let size = A[i][k].abs() / scale[i];
            if size.total_cmp(&largest).is_ge() {
                (best, largest) = (i, size);
            }
        }
        if A[best][k].abs() <= DEPENDENT * scale[best] {
            // a column of round-off: lift it in a row that is round-off too, or that row's other pivots are lost
            let rest = |i: usize| A[i][k..].iter().fold(0.0_f64, |s, x| s.max(x.abs())) / scale[i];
            best = (k..N).min_by(|&i, &j| rest(i).total_cmp(&rest(j))).unwrap_or(k);
        }
        swaps[k] = best;
        A.swap(k, best);
        scale.swap(k, best);
        if A[k][k].abs() <= DEPENDENT * scale[k] {
            A[k][k] += (DEPENDENT * scale[k]).copysign(A[k][k]);
            lifted = true;
        }
        let pivot = 1.0 / A[k][k];
        A[k][k] = 1.0;
        A[k].iter_mut().for_each(|x| *x *= pivot);
        let row = A[k];
        for (_, other) in A.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = other[k];
            other[k] = 0.0;
            other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
        }
    }
    for k in (0..N).rev().filter(|&k| swaps[k] != k) {
        A.iter_mut().for_each(|row| row.swap(k, swaps[k]));
    }
    values.copy_from_slice(A.as_flattened());
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

    /// Products of points side by side in registers have the bits of those one by one.
    #[test]
    fn products_of_points_in_registers() {
        let mut values: Vec<f64> = (0..72_u32).map(|k| (1.7 * f64::from(k)).sin()).collect();
        let mut others = values.clone();
        let later = [(9, 45), (18, 54), (27, 63)].map(|(right, to)| (Later { node: 0, size: 3, right, below: 0 }, to));
        let (later, places): (Vec<Later>, Vec<u32>) = later.into_iter().unzip();
        let laid: Vec<Laid> = later.iter().map(|l| laid_out(&rows_of(&values[l.right..]))).collect();
        point_products(&mut values, 36, &laid, &places);
        alike_products::<3>(&mut others, 36, &later, &places);
        assert_eq!(values, others);
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
