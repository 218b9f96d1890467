//! A large symmetric sparse matrix for products alone: columns with the same rows, such as those of one finite-element node,
//! share them, so that a product reads half of what compressed columns hold.
//!
//!   y_j = Σ_i A_ij x_i,    A = Aᵀ
//!
//! Each y_j is one sum in a fixed order, whatever the number of threads.

use crate::SparseMatrix;
use crate::parts::worth;

/// Columns that share their rows, at most.
const MOST: usize = 3;

/// Consecutive columns with the same rows.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// The first of them.
    column: usize,
    /// Where their rows begin.
    row: usize,
    /// Where their values begin: row by row, those of one row side by side.
    value: usize,
}

/// The matrix.
#[derive(Debug)]
pub struct ColumnGroups {
    n: usize,
    /// The groups, and after the last one where all ends.
    groups: Vec<Group>,
    rows: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
}

impl ColumnGroups {
    /// Of a symmetric matrix with fewer than 2³² rows.
    pub fn new(A: &SparseMatrix) -> Self {
        let n = A.n_cols();
        let (mut groups, mut rows) = (Vec::with_capacity(n / MOST + 1), Vec::with_capacity(A.n_entries() / MOST));
        let mut values = Vec::with_capacity(A.n_entries());
        let mut column = 0;
        while column < n {
            let own = A.column(column).0;
            let width = (1..MOST.min(n - column)).take_while(|k| A.column(column + k).0 == own).count() + 1;
            groups.push(Group { column, row: rows.len(), value: values.len() });
            rows.extend(own.iter().map(|&i| i as u32));
            for place in 0..own.len() {
                values.extend((column..column + width).map(|j| A.column(j).1[place]));
            }
            column += width;
        }
        groups.push(Group { column: n, row: rows.len(), value: values.len() });
        Self { n, groups, rows, values, diagonal: (0..n).map(|j| A.get(j, j)).collect() }
    }

    /// Number of rows and of columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The diagonal.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// The block over some coordinates, ascending.
    pub fn block(&self, coordinates: &[usize]) -> SparseMatrix {
        let mut place = vec![usize::MAX; self.n];
        coordinates.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        let (mut start, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for pair in self.groups.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let width = to.column - from.column;
            for k in (0..width).filter(|k| place[from.column + k] != usize::MAX) {
                for (a, &i) in self.rows[from.row..to.row].iter().enumerate() {
                    if place[i as usize] != usize::MAX {
                        rows.push(place[i as usize]);
                        values.push(self.values[from.value + width * a + k]);
                    }
                }
                start.push(rows.len());
            }
        }
        let n = coordinates.len();
        SparseMatrix::from_columns(n, start, rows, values).expect("rows of a block of ascending coordinates ascend")
    }

    /// The coordinates coupled to those given, these among them, ascending.
    pub fn neighbourhood(&self, coordinates: &[usize]) -> Vec<usize> {
        let mut near = vec![false; self.n];
        for &i in coordinates {
            near[i] = true;
            let after = self.groups.partition_point(|group| group.column <= i);
            let rows = self.groups[after - 1].row..self.groups[after].row;
            self.rows[rows].iter().for_each(|&j| near[j as usize] = true);
        }
        (0..self.n).filter(|&i| near[i]).collect()
    }

    /// y ← A x on so many threads.
    pub fn times(&self, x: &[f64], y: &mut [f64], threads: usize) {
        let (all, threads) = (self.groups.len() - 1, worth(threads, self.n));
        if threads < 2 {
            return self.times_part(0..all, x, y);
        }
        std::thread::scope(|scope| {
            let mut rest = y;
            for k in 0..threads {
                let part = all * k / threads..all * (k + 1) / threads;
                let width = self.groups[part.end].column - self.groups[part.start].column;
                let (own, others) = rest.split_at_mut(width);
                rest = others;
                if k + 1 == threads {
                    self.times_part(part, x, own);
                } else {
                    scope.spawn(move || self.times_part(part, x, own));
                }
            }
        });
    }

    /// The same for the columns of some groups, which are the part of y given.
    fn times_part(&self, groups: std::ops::Range<usize>, x: &[f64], y: &mut [f64]) {
        let mut at = 0;
        for pair in self.groups[groups.start..=groups.end].windows(2) {
            let rows = &self.rows[pair[0].row..pair[1].row];
            let values = &self.values[pair[0].value..pair[1].value];
            let width = pair[1].column - pair[0].column;
            let own = &mut y[at..at + width];
            match width {
                1 => own.copy_from_slice(&sums::<1>(rows, values, x)),
                2 => own.copy_from_slice(&sums::<2>(rows, values, x)),
                _ => own.copy_from_slice(&sums::<MOST>(rows, values, x)),
            }
            at += width;
        }
    }
}

/// Σ_i A_ij x_i of the D columns of a group.
#[inline]
fn sums<const D: usize>(rows: &[u32], values: &[f64], x: &[f64]) -> [f64; D] {
    let mut sums = [0.0; D];
    for (&i, values) in rows.iter().zip(values.chunks_exact(D)) {
        let x = x[i as usize];
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value * x;
        }
    }
    sums
}
