//! Large matrices in the folder of a run: bytes instead of text, read back bit by bit.
//!
//!   "PERCMTX1", form, n_rows, n_cols, n_entries;   columns: starts, rows, values   or   full: values column by column
//!
//! All numbers are little-endian: sizes and starts in 8 bytes, rows in 4, values in 8. A symmetric matrix is stored once, by its
//! lower triangle.

use crate::error::{Result, ScenarioError};
use crate::limits::{MAX_N, too_large};
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion_model::Code;
use std::io::Write;

/// The first bytes of such a file.
pub const MARK: &[u8; 8] = b"PERCMTX1";
const FULL: u64 = 0;
const COLUMNS: u64 = 1;
const LOWER: u64 = 2;
/// Mark, form and three sizes.
const HEAD: usize = 40;

/// Writes a matrix.
pub fn write(out: &mut dyn Write, A: &Matrix) -> std::io::Result<()> {
    match A {
        Matrix::Dense(A) => {
            head(out, FULL, [A.n_rows(), A.n_cols(), A.values().len()])?;
            A.values().iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))
        }
        Matrix::Sparse(S) => {
            let T = S.transpose();
            // bit by bit: −0 is not 0
            let same = |(x, y): (&f64, &f64)| x.to_bits() == y.to_bits();
            let symmetric = T == *S && T.values().iter().zip(S.values()).all(same);
            let form = if symmetric { LOWER } else { COLUMNS };
            let stored = |&(i, j, _): &(usize, usize, f64)| !symmetric || i >= j;
            let mut start = vec![0_u64; S.n_cols() + 1];
            S.triplets().filter(stored).for_each(|(_, j, _)| start[j + 1] += 1);
            for j in 0..S.n_cols() {
                start[j + 1] += start[j];
            }
            head(out, form, [S.n_rows(), S.n_cols(), start[S.n_cols()] as usize])?;
            start.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
            S.triplets().filter(stored).try_for_each(|(i, ..)| out.write_all(&(i as u32).to_le_bytes()))?;
            S.triplets().filter(stored).try_for_each(|(.., x)| out.write_all(&x.to_le_bytes()))
        }
    }
}

fn head(out: &mut dyn Write, form: u64, sizes: [usize; 3]) -> std::io::Result<()> {
    out.write_all(MARK)?;
    out.write_all(&form.to_le_bytes())?;
    sizes.iter().try_for_each(|&x| out.write_all(&(x as u64).to_le_bytes()))
}

/// Reads the bytes of a file; `name` is what messages call it. The length is compared with the sizes before memory is allocated.
pub fn read(bytes: &[u8], name: &str) -> Result<Matrix> {
    let refuse = |message: &str| {
        let help = "the file is damaged: make it again, or use a Matrix Market file";
        Err(ScenarioError::file(Code::BAD_MATRIX_FILE, name, message, help))
    };
    let word =
        |at: usize| bytes.get(at..at + 8).map(|b| u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]));
    let (Some(form), Some(n_rows), Some(n_cols), Some(count)) = (word(8), word(16), word(24), word(32)) else {
        return refuse("the file is cut short");
    };
    if !bytes.starts_with(MARK) || form > LOWER {
        return refuse("the file does not begin as a matrix");
    }
    let largest = n_rows.max(n_cols);
    if largest > MAX_N {
        return Err(too_large(name, "rows or columns", largest, MAX_N));
    }
    let (n, m) = (n_rows as usize, n_cols as usize);
    let length = if form == FULL { count.checked_mul(8) } else { count.checked_mul(12).map(|x| x + 8 * (n_cols + 1)) };
    if length.and_then(|length| length.checked_add(HEAD as u64)) != Some(bytes.len() as u64) {
        return refuse("the length of the file is not that of its entries");
    }
    let count = count as usize;
    let values = |at: usize| -> Vec<f64> { (0..count).filter_map(|k| word(at + 8 * k)).map(f64::from_bits).collect() };
    let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
    if form == FULL {
        let values = values(HEAD);
        return match finite(&values).then(|| DenseMatrix::from_columns(n, m, values)).flatten() {
            Some(A) => Ok(Matrix::Dense(A)),
            None => refuse("the entries are not those of a full matrix of numbers"),
        };
    }
    let starts: Vec<usize> = (0..=m).filter_map(|j| word(HEAD + 8 * j)).map(|x| x as usize).collect();
    let rows_at = HEAD + 8 * (m + 1);
    let row = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize;
    let rows: Vec<usize> = bytes[rows_at..rows_at + 4 * count].chunks_exact(4).map(row).collect();
    let values = values(rows_at + 4 * count);
    let sound = finite(&values) && (form == COLUMNS || n == m);
    let Some(A) = sound.then(|| SparseMatrix::from_columns(n, starts, rows, values)).flatten() else {
        return refuse("the entries are not those of a matrix in columns");
    };
    if form == COLUMNS {
        return Ok(Matrix::Sparse(A));
    }
    if A.triplets().any(|(i, j, _)| i < j) {
        return refuse("an entry lies above the diagonal of a symmetric matrix");
    }
    let mirrored = |(i, j, x): (usize, usize, f64)| std::iter::once((i, j, x)).chain((i != j).then_some((j, i, x)));
    let both: Vec<_> = A.triplets().flat_map(mirrored).collect();
    match SparseMatrix::from_triplets(n, n, &both) {
        Some(A) => Ok(Matrix::Sparse(A)),
        None => refuse("an entry lies outside the matrix"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(A: &Matrix) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, A).expect("memory");
        bytes
    }

    fn samples() -> [Matrix; 3] {
        let general = [(0, 0, 1.0 / 3.0), (2, 1, -1e-300), (1, 2, 7.0), (2, 2, 0.0)];
        let symmetric = [(0, 0, 2.0), (1, 0, -0.1), (0, 1, -0.1), (2, 2, -0.0)];
        let full = DenseMatrix::from_columns(2, 3, vec![1.0, -0.0, 0.1, 3.0, 4.0, 5.0]);
        let sparse = |entries| Matrix::Sparse(SparseMatrix::from_triplets(3, 3, entries).expect("in range"));
        [sparse(&general), sparse(&symmetric), Matrix::Dense(full.expect("2 × 3"))]
    }

    /// What is written is read back, in the same storage.
    #[test]
    fn round_trip() {
        for A in samples() {
            assert_eq!(read(&bytes(&A), "A.bin").expect("own file"), A);
        }
    }

    /// A file cut short, lengthened or with any one byte changed is refused or is another matrix, and never a panic.
    #[test]
    fn damage_is_refused() {
        for A in samples() {
            let whole = bytes(&A);
            (0..whole.len()).for_each(|k| assert!(read(&whole[..k], "A.bin").is_err()));
            assert!(read(&[&whole[..], &[0]].concat(), "A.bin").is_err());
            for k in 0..whole.len() {
                for flip in [1, 0x80, 0xff] {
                    let mut damaged = whole.clone();
                    damaged[k] ^= flip;
                    if let Ok(B) = read(&damaged, "A.bin") {
                        assert!(B.max_abs().is_finite());
                    }
                }
            }
        }
    }
}
