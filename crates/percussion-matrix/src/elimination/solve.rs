//! x ← A⁻¹ x with a factor on the elimination tree.
//!
//!   L y = b from the leaves up,   R x = y from the root down,   R = Lᵀ or U
//!
//! What a subtree gives to rows above it is kept apart and added subtree by subtree. Of Gᵀ A⁻¹ H with few rows in G and H only the
//! panels above those rows are read, once for some columns together.

use super::tree::Tree;
use super::{Kind, share};
use crate::{DenseMatrix, SparseMatrix};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, MatMut, MatRef, Par};

/// Numbers of a factor from which threads are worth their start.
const WORTH: usize = 1_000_000;
/// Numbers of one panel from which they are.
const WORTH_PANEL: usize = 400_000;
/// Rows or columns of a panel that a thread takes at once.
const PIECE: usize = 256;

/// Columns of H that are solved for together: a fixed number, so that threads change no bit.
const TOGETHER: usize = 16;

/// Vectors in the order of elimination.
#[derive(Clone, Debug)]
pub struct SolveMemory {
    x: Vec<f64>,
    /// Rows above each subtree, one after the other.
    outer: Vec<f64>,
    /// Rows below the widest panel.
    below: Vec<f64>,
}

impl SolveMemory {
    /// For factors on a tree.
    pub fn new(tree: &Tree) -> Self {
        let outer = tree.subtrees.iter().map(|subtree| tree.rows(subtree.nodes.end - 1).len()).sum();
        let widest = (0..tree.nodes().n_supernodes()).map(|s| tree.rows(s).len()).max().unwrap_or(0);
        Self { x: vec![0.0; tree.nodes().nrows()], outer: vec![0.0; outer], below: vec![0.0; widest] }
    }
}

/// A factor.
struct Numbers<'a> {
    tree: &'a Tree,
    kind: Kind,
    lower: &'a [f64],
    upper: &'a [f64],
}

/// One subtree's columns of x and the rows above it.
struct Part<'a> {
    k: usize,
    own: &'a mut [f64],
    outer: &'a mut [f64],
}

/// x ← A⁻¹ x.
pub fn solve(
    tree: &Tree,
    kind: Kind,
    (lower, upper): (&[f64], &[f64]),
    x: &mut [f64],
    memory: &mut SolveMemory,
    threads: usize,
) {
    let factor = Numbers { tree, kind, lower, upper };
    let threads = if lower.len() > WORTH { threads } else { 1 };
    let SolveMemory { x: y, outer, below } = memory;
    match tree.order() {
        Some((unknowns, _)) => y.iter_mut().zip(unknowns).for_each(|(y, &i)| *y = x[i]),
        None => y.copy_from_slice(x),
    }

    // up the subtrees, then what they gave, then the panels above
    outer.fill(0.0);
    factor.in_subtrees(y, outer, below, threads, |part, below| factor.up(part, below));
    let mut from = 0;
    for subtree in &tree.subtrees {
        let rows = tree.rows(subtree.nodes.end - 1);
        rows.iter().zip(&outer[from..]).for_each(|(&row, given)| y[row] += given);
        from += rows.len();
    }
    tree.top.iter().for_each(|&s| factor.up_panel(s, y, below, threads));

    // and down again
    tree.top.iter().rev().for_each(|&s| factor.down_panel(s, y, below, threads));
    let mut from = 0;
    for subtree in &tree.subtrees {
        let rows = tree.rows(subtree.nodes.end - 1);
        rows.iter().zip(&mut outer[from..]).for_each(|(&row, seen)| *seen = y[row]);
        from += rows.len();
    }
    factor.in_subtrees(y, outer, below, threads, |part, below| factor.down(part, below));
    match tree.order() {
        Some((unknowns, _)) => y.iter().zip(unknowns).for_each(|(y, &i)| x[i] = *y),
        None => x.copy_from_slice(y),
    }
}

/// Gᵀ A⁻¹ H.
pub fn between(
    tree: &Tree,
    kind: Kind,
    (lower, upper): (&[f64], &[f64]),
    [G, H]: [&SparseMatrix; 2],
    threads: usize,
) -> DenseMatrix {
    let factor = Numbers { tree, kind, lower, upper };
    let place = |unknown: usize| tree.order().map_or(unknown, |(_, places)| places[unknown]);
    let places = |A: &SparseMatrix, j: usize| A.column(j).0.iter().map(|&i| place(i)).collect::<Vec<_>>();
    let asked: Vec<Vec<usize>> = (0..G.n_cols()).map(|j| places(G, j)).collect();
    let seen: Vec<usize> = tree.above(asked.iter().flatten().copied());

    // columns that begin near each other have the same panels above them
    let mut order: Vec<usize> = (0..H.n_cols()).collect();
    order.sort_by_key(|&j| (places(H, j).into_iter().min(), j));
    let mut sorted = DenseMatrix::zeros(G.n_cols(), H.n_cols());
    let blocks: Vec<(&[usize], &mut [f64])> =
        order.chunks(TOGETHER).zip(sorted.values_mut().chunks_mut((TOGETHER * G.n_cols()).max(1))).collect();
    share(blocks, threads, Together::default, |room, (columns, W)| {
        let m = columns.len();
        room.y.clear();
        room.y.resize(m * H.n_rows(), 0.0);
        for (k, &j) in columns.iter().enumerate() {
            let (rows, values) = H.column(j);
            rows.iter().zip(values).for_each(|(&i, x)| room.y[m * place(i) + k] = *x);
        }
        let given = tree.above(columns.iter().flat_map(|&j| places(H, j)));
        factor.up_together(&given, m, room);
        factor.down_together(&seen, m, room);
        for (i, rows) in asked.iter().enumerate() {
            let mut sums = [0.0; TOGETHER];
            for (&row, x) in rows.iter().zip(G.column(i).1) {
                let found = &room.y[m * row..m * (row + 1)];
                sums.iter_mut().zip(found).for_each(|(sum, y)| *sum += x * y);
            }
            sums[..m].iter().enumerate().for_each(|(k, sum)| W[k * G.n_cols() + i] = *sum);
        }
    });
    let mut W = DenseMatrix::zeros(G.n_cols(), H.n_cols());
    order.iter().enumerate().for_each(|(k, &j)| W.column_mut(j).copy_from_slice(sorted.column(k)));
    W
}

/// Some columns in the order of elimination, the numbers of an unknown side by side, and the rows below a panel.
#[derive(Default)]
struct Together {
    y: Vec<f64>,
    below: Vec<f64>,
}

impl Numbers<'_> {
    /// L y = b in the panels where y is not zero.
    fn up_together(&self, panels: &[usize], m: usize, Together { y, below }: &mut Together) {
        for &s in panels {
            let (block, rows) = self.panel(s);
            let columns = self.tree.columns(s);
            let own = &mut y[m * columns.start..m * columns.end];
            match self.kind {
                Kind::Cholesky => solve_lower_triangular_in_place(block, side_by_side(own, m), Par::Seq),
                Kind::Lu => solve_unit_lower_triangular_in_place(block, side_by_side(own, m), Par::Seq),
            }
            below.resize(m * rows.nrows(), 0.0);
            matmul(side_by_side(below, m), Accum::Replace, rows, seen_side_by_side(own, m), 1.0, Par::Seq);
            for (&row, given) in self.tree.rows(s).iter().zip(below.chunks_exact(m)) {
                y[m * row..m * (row + 1)].iter_mut().zip(given).for_each(|(y, given)| *y -= given);
            }
        }
    }

    /// R x = y in panels with all that are above them.
    fn down_together(&self, panels: &[usize], m: usize, Together { y, below }: &mut Together) {
        for &s in panels.iter().rev() {
            let (block, _) = self.panel(s);
            let columns = self.tree.columns(s);
            below.clear();
            self.tree.rows(s).iter().for_each(|&row| below.extend_from_slice(&y[m * row..m * (row + 1)]));
            let own = &mut y[m * columns.start..m * columns.end];
            let right = self.right(s).transpose();
            matmul(side_by_side(own, m), Accum::Add, right, seen_side_by_side(below, m), -1.0, Par::Seq);
            match self.kind {
                Kind::Cholesky => solve_upper_triangular_in_place(block.transpose(), side_by_side(own, m), Par::Seq),
                Kind::Lu => solve_upper_triangular_in_place(block, side_by_side(own, m), Par::Seq),
            }
        }
    }

    /// Gives `work` every subtree.
    fn in_subtrees(
        &self,
        y: &mut [f64],
        outer: &mut [f64],
        below: &mut [f64],
        threads: usize,
        work: impl Fn(Part, &mut [f64]) + Sync,
    ) {
        let (mut y, mut outer, mut passed) = (y, outer, 0);
        let parts = self.tree.subtrees.iter().enumerate().map(|(k, subtree)| {
            let (_, rest) = std::mem::take(&mut y).split_at_mut(subtree.columns.start - passed);
            let (own, rest) = rest.split_at_mut(subtree.columns.len());
            y = rest;
            passed = subtree.columns.end;
            let above = self.tree.rows(subtree.nodes.end - 1).len();
            let (seen, rest) = std::mem::take(&mut outer).split_at_mut(above);
            outer = rest;
            Part { k, own, outer: seen }
        });
        if threads < 2 {
            return parts.for_each(|part| work(part, below));
        }
        let widest = below.len();
        share(parts.collect(), threads, || vec![0.0; widest], |below, part| work(part, below));
    }

    /// L of a panel: its diagonal block and the rows below.
    fn panel(&self, s: usize) -> (MatRef<'_, f64>, MatRef<'_, f64>) {
        let (columns, below) = (self.tree.columns(s).len(), self.tree.rows(s).len());
        let all = MatRef::from_column_major_slice(&self.lower[self.tree.lower(s)], columns + below, columns);
        all.split_at_row(columns)
    }

    /// Rᵀ of a panel below its diagonal block.
    fn right(&self, s: usize) -> MatRef<'_, f64> {
        match self.kind {
            Kind::Cholesky => self.panel(s).1,
            Kind::Lu => {
                let (columns, below) = (self.tree.columns(s).len(), self.tree.rows(s).len());
                MatRef::from_column_major_slice(&self.upper[self.tree.upper(s)], below, columns)
            }
        }
    }

    fn solve_up(&self, block: MatRef<f64>, x: &mut [f64]) {
        match self.kind {
            Kind::Cholesky => solve_lower_triangular_in_place(block, column(x), Par::Seq),
            Kind::Lu => solve_unit_lower_triangular_in_place(block, column(x), Par::Seq),
        }
    }

    fn solve_down(&self, block: MatRef<f64>, x: &mut [f64]) {
        match self.kind {
            Kind::Cholesky => solve_upper_triangular_in_place(block.transpose(), column(x), Par::Seq),
            Kind::Lu => solve_upper_triangular_in_place(block, column(x), Par::Seq),
        }
    }

    /// L y = b in a subtree; what it gives to rows above.
    fn up(&self, part: Part, below: &mut [f64]) {
        let subtree = &self.tree.subtrees[part.k];
        let n = part.own.len();
        for s in subtree.nodes.clone() {
            let (block, rows) = self.panel(s);
            let columns = self.tree.columns(s);
            let own = &mut part.own[columns.start - subtree.columns.start..columns.end - subtree.columns.start];
            self.solve_up(block, own);
            let below = &mut below[..rows.nrows()];
            matmul(column(below), Accum::Replace, rows, seen(own), 1.0, Par::Seq);
            for (&place, given) in self.tree.places(s).iter().zip(below) {
                let place = place as usize;
                if place < n {
                    part.own[place] -= *given;
                } else {
                    part.outer[place - n] -= *given;
                }
            }
        }
    }

    /// R x = y in a subtree, whose rows above are known.
    fn down(&self, part: Part, below: &mut [f64]) {
        let subtree = &self.tree.subtrees[part.k];
        let n = part.own.len();
        for s in subtree.nodes.clone().rev() {
            let (block, _) = self.panel(s);
            let columns = self.tree.columns(s);
            let below = &mut below[..self.tree.rows(s).len()];
            for (&place, x) in self.tree.places(s).iter().zip(&mut *below) {
                let place = place as usize;
                *x = if place < n { part.own[place] } else { part.outer[place - n] };
            }
            let own = &mut part.own[columns.start - subtree.columns.start..columns.end - subtree.columns.start];
            matmul(column(own), Accum::Add, self.right(s).transpose(), seen(below), -1.0, Par::Seq);
            self.solve_down(block, own);
        }
    }

    /// L y = b in a panel above the subtrees.
    fn up_panel(&self, s: usize, y: &mut [f64], below: &mut [f64], threads: usize) {
        let (block, rows) = self.panel(s);
        let below = &mut below[..rows.nrows()];
        let own = &mut y[self.tree.columns(s)];
        self.solve_up(block, own);
        let own = &*own;
        let threads = if rows.nrows() * rows.ncols() > WORTH_PANEL { threads } else { 1 };
        let pieces: Vec<(usize, &mut [f64])> = below.chunks_mut(PIECE).enumerate().collect();
        share(
            pieces,
            threads,
            || (),
            |(), (k, piece)| {
                let rows = rows.subrows(k * PIECE, piece.len());
                matmul(column(piece), Accum::Replace, rows, seen(own), 1.0, Par::Seq);
            },
        );
        self.tree.rows(s).iter().zip(below).for_each(|(&row, given)| y[row] -= *given);
    }

    /// R x = y in a panel above the subtrees.
    fn down_panel(&self, s: usize, y: &mut [f64], below: &mut [f64], threads: usize) {
        let (block, _) = self.panel(s);
        let right = self.right(s);
        let below = &mut below[..right.nrows()];
        self.tree.rows(s).iter().zip(&mut *below).for_each(|(&row, x)| *x = y[row]);
        let below = &*below;
        let own = &mut y[self.tree.columns(s)];
        let threads = if right.nrows() * right.ncols() > WORTH_PANEL { threads } else { 1 };
        let pieces: Vec<(usize, &mut [f64])> = own.chunks_mut(PIECE).enumerate().collect();
        share(
            pieces,
            threads,
            || (),
            |(), (k, piece)| {
                let right = right.subcols(k * PIECE, piece.len());
                matmul(column(piece), Accum::Add, right.transpose(), seen(below), -1.0, Par::Seq);
            },
        );
        self.solve_down(block, own);
    }
}

/// Rows of m numbers.
fn side_by_side(x: &mut [f64], m: usize) -> MatMut<'_, f64> {
    let n = x.len() / m;
    MatMut::from_row_major_slice_mut(x, n, m)
}

fn seen_side_by_side(x: &[f64], m: usize) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(x, x.len() / m, m)
}

fn column(x: &mut [f64]) -> MatMut<'_, f64> {
    let n = x.len();
    MatMut::from_column_major_slice_mut(x, n, 1)
}

fn seen(x: &[f64]) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(x, x.len(), 1)
}
