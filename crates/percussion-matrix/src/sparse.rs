//! A sparse matrix in compressed-column form.

use serde::{Deserialize, Serialize};

/// A sparse n_rows × n_cols matrix: column j holds `values[col_ptr[j]..col_ptr[j+1]]` at rows `row_idx[..]`, sorted, without duplicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SparseMatrix {
    n_rows: usize,
    n_cols: usize,
    col_ptr: Vec<usize>,
    row_idx: Vec<usize>,
    values: Vec<f64>,
}

impl SparseMatrix {
    /// From triplets (row, column, value) in any order; duplicates are summed. `None` when an index is out of range.
    pub fn from_triplets(n_rows: usize, n_cols: usize, triplets: &[(usize, usize, f64)]) -> Option<Self> {
        if triplets.iter().any(|&(i, j, _)| i >= n_rows || j >= n_cols) {
            return None;
        }
        // by column in their order, then by row within each column: duplicates are summed in the order they came
        let mut start = vec![0; n_cols + 1];
        triplets.iter().for_each(|&(_, j, _)| start[j + 1] += 1);
        for j in 0..n_cols {
            start[j + 1] += start[j];
        }
        let mut place = start.clone();
        let mut sorted = vec![(0, 0.0); triplets.len()];
        for &(i, j, x) in triplets {
            sorted[place[j]] = (i, x);
            place[j] += 1;
        }
        let mut col_ptr = vec![0; n_cols + 1];
        let mut row_idx: Vec<usize> = Vec::with_capacity(triplets.len());
        let mut values: Vec<f64> = Vec::with_capacity(triplets.len());
        for j in 0..n_cols {
            append_column(&mut sorted[start[j]..start[j + 1]], &mut row_idx, &mut values);
            col_ptr[j + 1] = row_idx.len();
        }
        Some(Self { n_rows, n_cols, col_ptr, row_idx, values })
    }

    /// From its columns as they are stored; `None` unless starts rise and the rows of each column rise below n_rows.
    pub fn from_columns(n_rows: usize, col_ptr: Vec<usize>, row_idx: Vec<usize>, values: Vec<f64>) -> Option<Self> {
        let n_cols = col_ptr.len().checked_sub(1)?;
        let whole = col_ptr[0] == 0 && col_ptr[n_cols] == row_idx.len() && row_idx.len() == values.len();
        let rising = |j: usize| {
            let rows = row_idx.get(col_ptr[j]..col_ptr[j + 1]);
            rows.is_some_and(|rows| rows.windows(2).all(|w| w[0] < w[1]) && rows.last().is_none_or(|&i| i < n_rows))
        };
        let sound = whole && col_ptr.windows(2).all(|w| w[0] <= w[1]) && (0..n_cols).all(rising);
        sound.then_some(Self { n_rows, n_cols, col_ptr, row_idx, values })
    }

    /// Σ c_i A_i of square matrices, column by column. Stored zeros are kept, so that the pattern does not depend on the coefficients.
    pub fn combination(n: usize, terms: &[(f64, &Self)]) -> Self {
        let most = terms.iter().map(|(_, A)| A.n_entries()).max().unwrap_or(0);
        let (mut col_ptr, mut row_idx, mut values) =
            (vec![0], Vec::with_capacity(most), Vec::<f64>::with_capacity(most));
        let mut column: Vec<(usize, f64)> = Vec::new();
        for j in 0..n {
            column.clear();
            for (c, A) in terms {
                let (rows, own) = A.column(j);
                column.extend(rows.iter().zip(own).map(|(&i, &x)| (i, c * x)));
            }
            append_column(&mut column, &mut row_idx, &mut values);
            col_ptr.push(row_idx.len());
        }
        Self { n_rows: n, n_cols: n, col_ptr, row_idx, values }
    }

    /// Adds c B in place where all entries of B are among those stored; false, and nothing is changed, where they are not.
    pub fn add_within(&mut self, c: f64, B: &Self) -> bool {
        if (B.n_rows, B.n_cols) != (self.n_rows, self.n_cols) {
            return false;
        }
        // columns rise: one walk finds the places of a column's entries
        let mut places = Vec::with_capacity(B.n_entries());
        for j in 0..self.n_cols {
            let mut at = self.col_ptr[j];
            for &i in B.column(j).0 {
                while at < self.col_ptr[j + 1] && self.row_idx[at] < i {
                    at += 1;
                }
                if at == self.col_ptr[j + 1] || self.row_idx[at] != i {
                    return false;
                }
                places.push(at);
            }
        }
        places.iter().zip(&B.values).for_each(|(&at, x)| self.values[at] += c * x);
        true
    }

    /// A diagonal matrix.
    pub fn from_diagonal(diagonal: &[f64]) -> Self {
        let n = diagonal.len();
        Self { n_rows: n, n_cols: n, col_ptr: (0..=n).collect(), row_idx: (0..n).collect(), values: diagonal.to_vec() }
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

    /// Number of stored entries.
    #[inline]
    pub fn n_entries(&self) -> usize {
        self.values.len()
    }

    /// Start of each column in `row_idx` and `values`, and the end of the last.
    #[inline]
    pub fn col_ptr(&self) -> &[usize] {
        &self.col_ptr
    }

    /// Row of each stored entry.
    #[inline]
    pub fn row_idx(&self) -> &[usize] {
        &self.row_idx
    }

    /// Value of each stored entry.
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Values, to be overwritten on the same pattern.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Column j as (rows, values).
    #[inline]
    pub fn column(&self, j: usize) -> (&[usize], &[f64]) {
        let span = self.col_ptr[j]..self.col_ptr[j + 1];
        (&self.row_idx[span.clone()], &self.values[span])
    }

    /// Column j dotted with x.
    #[inline(always)] // a contact's column has few entries: a call would cost as much as they do
    pub fn column_dot(&self, j: usize, x: &[f64]) -> f64 {
        let (rows, values) = self.column(j);
        let mut sum = 0.0;
        for (&i, &a) in rows.iter().zip(values) {
            sum += a * x[i];
        }
        sum
    }

    /// y ← y + α · column j.
    #[inline(always)]
    pub fn add_column(&self, j: usize, alpha: f64, y: &mut [f64]) {
        let (rows, values) = self.column(j);
        for (&i, &a) in rows.iter().zip(values) {
            y[i] += alpha * a;
        }
    }

    /// Entry (i, j), zero where nothing is stored.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (rows, values) = self.column(j);
        rows.binary_search(&i).map_or(0.0, |k| values[k])
    }

    /// All entries as (row, column, value), column by column.
    pub fn triplets(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.n_cols).flat_map(move |j| {
            let (rows, values) = self.column(j);
            rows.iter().zip(values).map(move |(&i, &x)| (i, j, x))
        })
    }

    /// The transpose.
    pub fn transpose(&self) -> Self {
        let mut col_ptr = vec![0; self.n_rows + 1];
        self.row_idx.iter().for_each(|&i| col_ptr[i + 1] += 1);
        for i in 0..self.n_rows {
            col_ptr[i + 1] += col_ptr[i];
        }
        let mut place = col_ptr.clone();
        let (mut row_idx, mut values) = (vec![0; self.n_entries()], vec![0.0; self.n_entries()]);
        for (i, j, x) in self.triplets() {
            (row_idx[place[i]], values[place[i]]) = (j, x);
            place[i] += 1;
        }
        Self { n_rows: self.n_cols, n_cols: self.n_rows, col_ptr, row_idx, values }
    }

    /// The product A B.
    pub fn times(&self, B: &Self) -> Self {
        assert_eq!(self.n_cols, B.n_rows, "inner dimensions");
        let mut entries = Vec::new();
        let mut column = vec![0.0; self.n_rows];
        let mut touched: Vec<usize> = Vec::new();
        let mut seen = vec![false; self.n_rows];
        for j in 0..B.n_cols {
            let (ks, bs) = B.column(j);
            for (&k, &b) in ks.iter().zip(bs) {
                let (is, xs) = self.column(k);
                for (&i, &a) in is.iter().zip(xs) {
                    if !seen[i] {
                        seen[i] = true;
                        touched.push(i);
                    }
                    column[i] += a * b;
                }
            }
            for &i in &touched {
                entries.push((i, j, column[i]));
                column[i] = 0.0;
                seen[i] = false;
            }
            touched.clear();
        }
        Self::from_triplets(self.n_rows, B.n_cols, &entries).expect("indices of a valid product")
    }
}

/// Appends a column's entries by row; those of one place are summed in the order they came.
fn append_column(column: &mut [(usize, f64)], row_idx: &mut Vec<usize>, values: &mut Vec<f64>) {
    column.sort_by_key(|&(i, _)| i);
    let first = row_idx.len();
    for &(i, x) in column.iter() {
        match (row_idx[first..].last(), values.last_mut()) {
            (Some(&last), Some(sum)) if last == i => *sum += x,
            _ => {
                row_idx.push(i);
                values.push(x);
            }
        }
    }
}
