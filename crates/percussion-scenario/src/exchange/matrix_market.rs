//! Matrix Market files: real or integer, coordinate or array, general, symmetric or skew-symmetric.
//!
//! Sizes are compared with the limits and with the file's length before memory is allocated.

use crate::error::{Result, ScenarioError};
use crate::limits::{MAX_N, too_large};
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion_model::Code;
use std::io::{BufRead, Write};
use std::str::SplitWhitespace;

/// How the entries were listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Entry by entry with its place.
    Coordinate,
    /// All entries, column by column.
    Array,
}

/// The entries of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct MarketFile {
    /// Rows.
    pub n_rows: usize,
    /// Columns.
    pub n_cols: usize,
    /// How they were listed.
    pub layout: Layout,
    /// (row, column, value) from 0.
    pub entries: Vec<(usize, usize, f64)>,
}

/// Lines of a file with their numbers, for messages.
struct Lines<'a, R> {
    reader: R,
    name: &'a str,
    line: String,
    number: usize,
}

impl<R: BufRead> Lines<'_, R> {
    /// The next line that is neither a comment nor empty; false at the end.
    fn next(&mut self, comments: bool) -> Result<bool> {
        loop {
            self.line.clear();
            let got = self.reader.read_line(&mut self.line);
            self.number += 1;
            match got {
                Ok(0) => return Ok(false),
                Ok(_) => {
                    let text = self.line.trim();
                    if !comments || !(text.is_empty() || text.starts_with('%')) {
                        return Ok(true);
                    }
                }
                Err(error) => {
                    let message = format!("cannot be read: {error}");
                    return Err(ScenarioError::file(Code::BAD_MATRIX_FILE, self.name, message, "use a text file")
                        .at_line(self.number, None));
                }
            }
        }
    }

    fn refuse<T>(&self, message: impl Into<String>, help: &str) -> Result<T> {
        let text = self.line.trim_end();
        let text = (!text.is_empty()).then_some(text);
        Err(ScenarioError::file(Code::BAD_MATRIX_FILE, self.name, message, help).at_line(self.number, text))
    }
}

/// Reads the bytes of a file; `name` is what messages call it.
pub fn read(bytes: &[u8], name: &str) -> Result<MarketFile> {
    parse(&mut Lines { reader: bytes, name, line: String::new(), number: 0 }, bytes.len() as u64)
}

/// The first line.
struct Header {
    layout: Layout,
    /// As written: general, symmetric, skew-symmetric.
    symmetry: String,
    /// What the upper triangle is of the lower: nothing, the same, or minus the same.
    mirror: Option<f64>,
}

impl Header {
    /// `%%MatrixMarket matrix coordinate real general`.
    fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<Self> {
        let example = "%%MatrixMarket matrix coordinate real general";
        if !lines.next(false)? {
            return lines.refuse("the file is empty", &format!("begin with a line {example}"));
        }
        let head = lines.line.to_lowercase();
        let words: Vec<&str> = head.split_whitespace().collect();
        let ["%%matrixmarket", "matrix", layout, field, symmetry] = words[..] else {
            return lines.refuse("the first line is not a Matrix Market header", example);
        };
        let layout = match layout {
            "coordinate" => Layout::Coordinate,
            "array" => Layout::Array,
            other => return lines.refuse(format!("the layout {other} is not known"), "use coordinate or array"),
        };
        if !matches!(field, "real" | "integer" | "double") {
            return lines.refuse(format!("{field} entries are not accepted"), "use real or integer entries");
        }
        let mirror = match symmetry {
            "general" => None,
            "symmetric" => Some(1.0),
            "skew-symmetric" => Some(-1.0),
            other => {
                let help = "use general, symmetric or skew-symmetric";
                return lines.refuse(format!("{other} matrices are not accepted"), help);
            }
        };
        Ok(Self { layout, symmetry: symmetry.into(), mirror })
    }

    fn is_symmetric(&self) -> bool {
        self.mirror.is_some()
    }

    fn is_skew(&self) -> bool {
        self.mirror == Some(-1.0)
    }
}

/// The second line: rows, columns and entries that follow.
struct Sizes {
    n_rows: u64,
    n_cols: u64,
    count: u64,
}

impl Sizes {
    /// Refused before any memory is taken where the file cannot hold them.
    fn read<R: BufRead>(lines: &mut Lines<R>, header: &Header, bytes: u64) -> Result<Self> {
        if !lines.next(true)? {
            return lines.refuse("the line with the sizes is missing", "add a line: rows columns [entries]");
        }
        let sizes: Vec<Option<u64>> = lines.line.split_whitespace().map(|word| word.parse().ok()).collect();
        let (n_rows, n_cols, count) = match (header.layout, &sizes[..]) {
            (Layout::Coordinate, &[Some(rows), Some(cols), Some(entries)]) => (rows, cols, entries),
            (Layout::Array, &[Some(rows), Some(cols)]) => {
                let (full, diagonal) = (rows.saturating_mul(cols), rows.min(cols));
                let count = match header.mirror {
                    None => full,
                    Some(_) if header.is_skew() => (full - diagonal) / 2,
                    Some(_) => (full + diagonal) / 2,
                };
                (rows, cols, count)
            }
            _ => {
                let help = "coordinate: rows columns entries; array: rows columns";
                return lines.refuse("the sizes cannot be understood", help);
            }
        };
        let largest = n_rows.max(n_cols);
        if largest > MAX_N {
            let text = lines.line.trim_end();
            return Err(too_large(lines.name, "rows or columns", largest, MAX_N).at_line(lines.number, Some(text)));
        }
        if header.is_symmetric() && n_rows != n_cols {
            let message = format!("a {} matrix of {n_rows} × {n_cols}", header.symmetry);
            return lines.refuse(message, "make it square or general");
        }
        let shortest = if header.layout == Layout::Coordinate { 6 } else { 2 };
        if count.saturating_mul(shortest) > bytes + 1 {
            return lines.refuse(
                format!("{count} entries are announced, more than the file can hold"),
                "the file is cut short, or the sizes are wrong",
            );
        }
        Ok(Self { n_rows, n_cols, count })
    }
}

/// Row and column of an entry written out, from 0.
fn place(words: &mut SplitWhitespace, header: &Header, sizes: &Sizes) -> std::result::Result<(u64, u64), Complaint> {
    let Sizes { n_rows, n_cols, .. } = *sizes;
    let place = [words.next(), words.next()].map(|word| word.and_then(|w| w.parse::<u64>().ok()));
    let [Some(i), Some(j)] = place else {
        return Err(("row and column cannot be understood".into(), "write: row column value"));
    };
    if i == 0 || j == 0 || i > n_rows || j > n_cols {
        let message = format!("entry ({i}, {j}) lies outside {n_rows} × {n_cols}");
        return Err((message, "rows and columns are numbered from 1"));
    }
    if header.is_symmetric() && i < j {
        let message = format!("entry ({i}, {j}) lies above the diagonal of a {} matrix", header.symmetry);
        return Err((message, "list the lower triangle only"));
    }
    Ok((i - 1, j - 1))
}

/// The fact and the remedy.
type Complaint = (String, &'static str);

fn parse<R: BufRead>(lines: &mut Lines<R>, bytes: u64) -> Result<MarketFile> {
    let header = Header::read(lines)?;
    let sizes = Sizes::read(lines, &header, bytes)?;
    let (n_rows, n_cols, count, layout) = (sizes.n_rows, sizes.n_cols, sizes.count, header.layout);
    let (symmetric, skew) = (header.is_symmetric(), header.is_skew());
    let mut entries = Vec::with_capacity(count as usize * if symmetric { 2 } else { 1 });
    // of the next entry of an array, column by column
    let (mut row, mut col) = (u64::from(skew), 0_u64);
    for seen in 0..count {
        if !lines.next(true)? {
            return lines.refuse(
                format!("the file ends after {seen} of {count} entries"),
                "the file is cut short, or the sizes are wrong",
            );
        }
        let mut words = lines.line.split_whitespace();
        let (i, j) = match layout {
            Layout::Coordinate => match place(&mut words, &header, &sizes) {
                Ok(place) => place,
                Err((message, help)) => return lines.refuse(message, help),
            },
            Layout::Array => {
                let place = (row, col);
                row += 1;
                if row == n_rows {
                    col += 1;
                    row = if symmetric { col + u64::from(skew) } else { 0 };
                }
                place
            }
        };
        let Some(x) = words.next().and_then(|word| word.parse::<f64>().ok()) else {
            return lines.refuse("the value cannot be understood", "write a number");
        };
        if words.next().is_some() {
            return lines.refuse("there is more on the line than one entry", "write one entry per line");
        }
        if !x.is_finite() {
            let text = lines.line.trim_end();
            let message = format!("an entry is {x}");
            let error = ScenarioError::file(Code::NOT_FINITE, lines.name, message, "give a finite number");
            return Err(error.at_line(lines.number, Some(text)));
        }
        if skew && i == j && x != 0.0 {
            return lines.refuse(
                format!("entry ({0}, {0}) on the diagonal of a skew-symmetric matrix is {x}", i + 1),
                "leave the diagonal out, or use general",
            );
        }
        entries.push((i as usize, j as usize, x));
        if let Some(sign) = header.mirror
            && i != j
        {
            entries.push((j as usize, i as usize, sign * x));
        }
    }
    if lines.next(true)? {
        return lines.refuse(
            format!("there are more than the {count} entries announced"),
            "correct the sizes, or remove the rest",
        );
    }
    Ok(MarketFile { n_rows: n_rows as usize, n_cols: n_cols as usize, layout, entries })
}

/// First line of every matrix file written here.
const HEADER: &str = "%%MatrixMarket matrix";

/// Writes a matrix so that reading it gives the same bits and the same storage.
pub fn write(out: &mut dyn Write, A: &Matrix) -> std::io::Result<()> {
    match A {
        Matrix::Sparse(A) => write_sparse(out, A),
        Matrix::Dense(A) => write_dense(out, A),
    }
}

fn write_sparse(out: &mut dyn Write, A: &SparseMatrix) -> std::io::Result<()> {
    writeln!(out, "{HEADER} coordinate real general")?;
    writeln!(out, "% written by percussion")?;
    writeln!(out, "{} {} {}", A.n_rows(), A.n_cols(), A.n_entries())?;
    for (i, j, x) in A.triplets() {
        writeln!(out, "{} {} {x:?}", i + 1, j + 1)?;
    }
    Ok(())
}

fn write_dense(out: &mut dyn Write, A: &DenseMatrix) -> std::io::Result<()> {
    writeln!(out, "{HEADER} array real general")?;
    writeln!(out, "% written by percussion")?;
    writeln!(out, "{} {}", A.n_rows(), A.n_cols())?;
    for x in A.values() {
        writeln!(out, "{x:?}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> Result<MarketFile> {
        parse(&mut Lines { reader: text.as_bytes(), name: "M.mtx", line: String::new(), number: 0 }, text.len() as u64)
    }

    /// The lower triangle stands for both; array files run down the columns.
    #[test]
    fn both_layouts() {
        let coordinate = "%%MatrixMarket matrix coordinate real symmetric\n% c\n2 2 3\n1 1 2.0\n2 1 -1\n2 2 3e0\n";
        let array = "%%MatrixMarket matrix array integer symmetric\n2 2\n2\n-1\n3\n";
        let expected = [(0, 0, 2.0), (1, 0, -1.0), (0, 1, -1.0), (1, 1, 3.0)];
        assert_eq!(parse_text(coordinate).expect("good").entries, expected);
        assert_eq!(parse_text(array).expect("good").entries, expected);
    }

    /// The upper triangle is minus the lower; a zero on the diagonal does no harm.
    #[test]
    fn skew_symmetric() {
        let coordinate = "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 3\n2 1 5\n3 1 -6\n3 2 7\n";
        let array = "%%MatrixMarket matrix array real skew-symmetric\n3 3\n5\n-6\n7\n";
        let expected = [(1, 0, 5.0), (0, 1, -5.0), (2, 0, -6.0), (0, 2, 6.0), (2, 1, 7.0), (1, 2, -7.0)];
        assert_eq!(parse_text(coordinate).expect("good").entries, expected);
        assert_eq!(parse_text(array).expect("good").entries, expected);
        let zero = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 1 0\n2 1 1\n";
        assert_eq!(parse_text(zero).expect("good").entries, [(0, 0, 0.0), (1, 0, 1.0), (0, 1, -1.0)]);
        let nothing = "%%MatrixMarket matrix array real skew-symmetric\n1 1\n";
        assert_eq!(parse_text(nothing).expect("good").entries, []);
    }

    /// Each kind of damage is refused at its line.
    #[test]
    fn damage_is_named() {
        let head = "%%MatrixMarket matrix coordinate real general\n";
        let cases = [
            ("", 1),
            ("hello\n", 1),
            ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", 1),
            ("%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n2 1 1\n", 1),
            ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n", 3),
            ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 2 1\n", 3),
            ("%%MatrixMarket matrix coordinate real skew-symmetric\n3 2 1\n2 1 1\n", 2),
            ("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n", 1),
            (&format!("{head}2 2\n"), 2),
            (&format!("{head}2 2 99999999999\n1 1 1\n"), 2),
            (&format!("{head}99999999999 2 1\n1 1 1\n"), 2),
            (&format!("{head}2 2 2\n1 1 1.000000\n"), 4),
            (&format!("{head}2 2 1\n1 1 1\n2 2 1\n"), 4),
            (&format!("{head}2 2 1\n3 1 1\n"), 3),
            (&format!("{head}2 2 1\n0 1 1\n"), 3),
            (&format!("{head}2 2 1\n1 1 nan\n"), 3),
            (&format!("{head}2 2 1\n1 1 x\n"), 3),
            (&format!("{head}2 2 1\n1 1 1 1\n"), 3),
        ];
        for (text, line) in cases {
            let error = parse_text(text).expect_err(text);
            assert_eq!(error.place.map(|p| p.line), Some(line), "{text}: {error}");
        }
    }

    /// What is written is read back bit by bit.
    #[test]
    fn round_trip() {
        let entries = [(0, 0, 1.0 / 3.0), (2, 1, -1e-300), (1, 2, 7.0), (2, 2, 0.0)];
        let A = Matrix::Sparse(SparseMatrix::from_triplets(3, 3, &entries).expect("in range"));
        let mut text = Vec::new();
        write(&mut text, &A).expect("memory");
        let back = parse_text(&String::from_utf8(text).expect("text")).expect("own file");
        let B = Matrix::Sparse(SparseMatrix::from_triplets(3, 3, &back.entries).expect("in range"));
        assert_eq!(A, B);
    }
}
