//! The matrix inside every `.dat` file: dense, block-sparse or sparse.
//!
//! ```text
//! storage rows columns       0 dense: rows columns, then all entries by columns
//!                            1 blocks: block CSR with blocks of any size, entries of a block by columns
//!                            2 sparse: CSparse's listing of triplets, columns or rows, six digits
//! ```

use crate::cursor::{Cursor, shown, text};
use crate::error::Result;
use percussion_matrix::{BlockMatrix, DenseMatrix, Matrix, SparseMatrix};
use percussion_model::Code;

/// A matrix as read.
#[derive(Clone, Debug)]
pub struct FileMatrix {
    /// Rows.
    pub n_rows: usize,
    /// Columns.
    pub n_cols: usize,
    entries: Entries,
}

#[derive(Clone, Debug)]
enum Entries {
    /// All, by columns.
    All(Vec<f64>),
    /// (row, column, value); several of one place are summed.
    Listed(Vec<(usize, usize, f64)>),
}

impl FileMatrix {
    /// Dense when it was stored so, else sparse.
    pub fn into_matrix(self) -> Option<Matrix> {
        match self.entries {
            Entries::All(values) => DenseMatrix::from_columns(self.n_rows, self.n_cols, values).map(Matrix::Dense),
            Entries::Listed(entries) => {
                SparseMatrix::from_triplets(self.n_rows, self.n_cols, &entries).map(Matrix::Sparse)
            }
        }
    }

    /// Sparse in any case; zeros are not stored.
    pub fn into_sparse(self) -> Option<SparseMatrix> {
        let entries = match self.entries {
            Entries::Listed(entries) => entries,
            Entries::All(values) => {
                let rows = self.n_rows.max(1);
                let place = |(k, x): (usize, f64)| (k % rows, k / rows, x);
                values.into_iter().enumerate().filter(|&(_, x)| x != 0.0).map(place).collect()
            }
        };
        SparseMatrix::from_triplets(self.n_rows, self.n_cols, &entries)
    }

    /// In blocks of d × d.
    pub fn into_blocks(self, d: usize) -> Option<BlockMatrix> {
        BlockMatrix::from_sparse(d, &self.into_sparse()?)
    }
}

/// Reads a matrix; `what` is its letter.
pub fn read(cursor: &mut Cursor, what: &str) -> Result<FileMatrix> {
    let start = cursor.clone();
    let storage = cursor.count(what)?;
    if storage > 2 {
        let message = format!("storage {storage} is not known: 0 dense, 1 blocks, 2 sparse");
        return Err(start.refuse(Code::BAD_PROBLEM_FILE, what, message));
    }
    let (n_rows, n_cols) = (cursor.count(what)?, cursor.count(what)?);
    // a vector as long as each side follows in every problem
    cursor.expect(n_rows, what)?;
    cursor.expect(n_cols, what)?;
    let entries = match storage {
        0 => Entries::All(dense(cursor, n_rows, n_cols, what)?),
        1 => Entries::Listed(blocks(cursor, n_rows, n_cols, what)?),
        _ => Entries::Listed(sparse(cursor, n_rows, n_cols, what)?),
    };
    Ok(FileMatrix { n_rows, n_cols, entries })
}

fn dense(cursor: &mut Cursor, n_rows: usize, n_cols: usize, what: &str) -> Result<Vec<f64>> {
    let start = cursor.clone();
    let again = (cursor.count(what)?, cursor.count(what)?);
    if again != (n_rows, n_cols) {
        let message = format!("declared {n_rows} × {n_cols} and then {} × {}", again.0, again.1);
        return Err(start.refuse(Code::BAD_SHAPE, what, message));
    }
    let n = cursor.expect_product(n_rows, n_cols, what)?;
    cursor.numbers(n, what)
}

/// Block compressed rows: ends of the block rows and columns, row pointers, block columns, then the blocks.
fn blocks(cursor: &mut Cursor, n_rows: usize, n_cols: usize, what: &str) -> Result<Vec<(usize, usize, f64)>> {
    let start = cursor.clone();
    let (n_blocks, n_row, n_col) = (cursor.count(what)?, cursor.count(what)?, cursor.count(what)?);
    let row_end = cursor.counts(n_row, what)?;
    let col_end = cursor.counts(n_col, what)?;
    let fits = |ends: &[usize], size: usize| ends.is_sorted() && ends.last().copied().unwrap_or(0) == size;
    if !fits(&row_end, n_rows) || !fits(&col_end, n_cols) {
        let message = format!("the ends of its blocks do not lead up to {n_rows} rows and {n_cols} columns");
        return Err(start.refuse(Code::BAD_SHAPE, what, message));
    }
    let place = cursor.clone();
    let (filled_rows, filled) = (cursor.count(what)?, cursor.count(what)?);
    if filled != n_blocks || filled_rows > n_row + 1 || (filled_rows < n_row + 1 && n_blocks > 0) {
        let message = format!("{n_blocks} blocks in {n_row} rows, but lists of {filled_rows} and {filled}");
        return Err(place.refuse(Code::BAD_SHAPE, what, message));
    }
    let pointer = cursor.counts(filled_rows, what)?;
    let column = cursor.counts(filled, what)?;
    let first = pointer.first().copied().unwrap_or(0);
    let last = pointer.last().copied().unwrap_or(0);
    if first != 0 || !pointer.is_sorted() || last != n_blocks || column.iter().any(|&c| c >= n_col) {
        return Err(place.refuse(Code::BAD_SHAPE, what, "its lists of blocks do not fit each other"));
    }
    let side = |ends: &[usize], k: usize| (if k == 0 { 0 } else { ends[k - 1] })..ends[k];
    let mut entries = Vec::new();
    for (r, pair) in pointer.windows(2).enumerate() {
        for b in pair[0]..pair[1] {
            let before = cursor.clone();
            let running = cursor.count(what)?;
            if running != b {
                return Err(before.refuse(
                    Code::BAD_PROBLEM_FILE,
                    what,
                    format!("block {b} was expected, not {running}"),
                ));
            }
            let (rows, cols) = (side(&row_end, r), side(&col_end, column[b]));
            let n = cursor.expect_product(rows.len(), cols.len(), what)?;
            entries.reserve(n);
            for j in cols {
                for i in rows.clone() {
                    entries.push((i, j, cursor.number(what)?));
                }
            }
        }
    }
    Ok(entries)
}

/// CSparse's listing, line by line.
fn sparse(cursor: &mut Cursor, n_rows: usize, n_cols: usize, what: &str) -> Result<Vec<(usize, usize, f64)>> {
    let start = cursor.clone();
    let origin = cursor.count(what)?;
    if !matches!(origin, 1..=3) {
        let message = format!("origin {origin} is not known: 1 triplets, 2 columns, 3 rows");
        return Err(start.refuse(Code::BAD_PROBLEM_FILE, what, message));
    }
    let place = cursor.clone();
    let banner = cursor.line().unwrap_or_default();
    if !banner.trim_ascii_start().starts_with(b"CSparse") {
        return Err(place.refuse(
            Code::BAD_PROBLEM_FILE,
            what,
            format!("CSparse's banner was expected, not {}", shown(banner)),
        ));
    }
    let place = cursor.clone();
    let header = text(cursor.line().unwrap_or_default());
    let Some((rows, cols, n)) = listing_header(header) else {
        let message = "a line \"m-by-n, nzmax: a nnz: b\" was expected";
        return Err(place.refuse(Code::BAD_PROBLEM_FILE, what, message));
    };
    // a compressed row listing is that of the transposed matrix in some versions
    if (rows, cols) != (n_rows, n_cols) && !(origin == 3 && (cols, rows) == (n_rows, n_cols)) {
        let message = format!("declared {n_rows} × {n_cols} and then {rows} × {cols}");
        return Err(place.refuse(Code::BAD_SHAPE, what, message));
    }
    // an entry takes at least "i : x"
    cursor.expect(n.saturating_mul(2), what)?;
    let mut entries = Vec::with_capacity(n);
    let mut line = 0;
    while entries.len() < n {
        let place = cursor.clone();
        let words = cursor.line().map(text).unwrap_or_default();
        let Some((left, right)) = words.split_once(':') else {
            let code = if words.is_empty() { Code::PROBLEM_CUT_SHORT } else { Code::BAD_PROBLEM_FILE };
            return Err(place.refuse(code, what, format!("{n} entries are declared, {} are there", entries.len())));
        };
        let mut indices = left.split_whitespace();
        let (first, second) = (indices.next().unwrap_or_default(), indices.next());
        if origin != 1 && (first == "col" || first == "row") {
            match second.and_then(|word| word.parse().ok()) {
                Some(index) => line = index,
                None => return Err(place.refuse(Code::BAD_PROBLEM_FILE, what, "a line without its index")),
            }
            continue;
        }
        let index = |word: &str| word.parse::<usize>().ok();
        let (i, j) = match (origin, index(first), second) {
            (1, Some(i), Some(j)) => (Some(i), index(j)),
            (2, Some(i), None) => (Some(i), Some(line)),
            (3, Some(j), None) => (Some(line), Some(j)),
            _ => (None, None),
        };
        let value = right.trim();
        match (i, j, value.parse::<f64>()) {
            (Some(i), Some(j), Ok(x)) if i < n_rows && j < n_cols && x.is_finite() => entries.push((i, j, x)),
            (_, _, Ok(x)) if !x.is_finite() => {
                return Err(place.refuse(
                    Code::NOT_FINITE,
                    what,
                    format!("{} is not a finite number", shown(value.as_bytes())),
                ));
            }
            (Some(i), Some(j), Ok(_)) => {
                let message = format!("an entry at ({i}, {j}) of a {n_rows} × {n_cols} matrix");
                return Err(place.refuse(Code::BAD_SHAPE, what, message));
            }
            _ => {
                let message = format!("{} is not an entry", shown(words.trim().as_bytes()));
                return Err(place.refuse(Code::BAD_PROBLEM_FILE, what, message));
            }
        }
    }
    // empty columns at the end have lines of their own
    loop {
        let place = cursor.clone();
        let word = text(cursor.line().unwrap_or_default()).split_whitespace().next().unwrap_or_default();
        if origin == 1 || !matches!(word, "col" | "row") {
            *cursor = place;
            return Ok(entries);
        }
    }
}

/// (m, n, nnz) of "triplet: m-by-n, nzmax: a nnz: b, …".
fn listing_header(line: &str) -> Option<(usize, usize, usize)> {
    let (left, right) = line.split_once("-by-")?;
    let rows = left.split_whitespace().last()?.parse().ok()?;
    let cols = right.split([',', ' ']).next()?.parse().ok()?;
    let count = right.split_once("nnz:")?.1;
    let n = count.split([',', ' ']).find(|word| !word.is_empty())?.parse().ok()?;
    Some((rows, cols, n))
}
