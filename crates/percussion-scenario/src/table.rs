//! A table written row by row: to a CSV file with 17 significant digits, to memory, or to both.

use crate::kept::Cells;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A table being written.
pub struct Table {
    out: Option<BufWriter<File>>,
    path: PathBuf,
    row: Vec<u8>,
    cells: Option<Cells>,
}

impl Table {
    /// Creates the file with its header, where there is a folder; keeps the cells, where they are asked for.
    pub fn create(folder: Option<&Path>, cells: Option<Cells>, name: &str, header: &str) -> std::io::Result<Self> {
        let path = folder.unwrap_or(Path::new("")).join(name);
        let out = match folder {
            None => None,
            Some(_) => {
                let mut out = BufWriter::with_capacity(1 << 16, File::create(&path)?);
                out.write_all(header.as_bytes())?;
                out.write_all(b"\n")?;
                Some(out)
            }
        };
        Ok(Self { out, path, row: Vec::with_capacity(256), cells })
    }

    /// The cells kept so far.
    pub fn take_cells(&mut self) -> Option<Cells> {
        self.cells.take()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a number to the row.
    #[inline]
    pub fn number(&mut self, x: f64) -> &mut Self {
        if let Some(cells) = &mut self.cells {
            cells.values.push(x);
        }
        if self.out.is_some() {
            push_number(&mut self.row, x);
            self.row.push(b',');
        }
        self
    }

    /// Adds a whole number to the row.
    #[inline]
    pub fn integer(&mut self, k: u64) -> &mut Self {
        if let Some(cells) = &mut self.cells {
            cells.values.push(k as f64);
        }
        if self.out.is_some() {
            let _ = write!(self.row, "{k},");
        }
        self
    }

    /// Adds a word to the row.
    #[inline]
    pub fn word(&mut self, word: &str) -> &mut Self {
        if let Some(cells) = &mut self.cells {
            cells.word(word);
        }
        if self.out.is_some() {
            self.row.extend_from_slice(word.as_bytes());
            self.row.push(b',');
        }
        self
    }

    /// Ends the row.
    #[inline]
    pub fn end(&mut self) -> std::io::Result<()> {
        if let Some(out) = &mut self.out {
            if let Some(last) = self.row.last_mut() {
                *last = b'\n';
            }
            out.write_all(&self.row)?;
            self.row.clear();
        }
        Ok(())
    }

    /// Hands everything to the operating system.
    pub fn flush(&mut self) -> std::io::Result<()> {
        self.out.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// 17 significant digits: enough to read the same bits back.
#[inline]
pub fn push_number(row: &mut Vec<u8>, x: f64) {
    if x == 0.0 {
        // most works are zero
        row.extend_from_slice(if x.is_sign_negative() { b"-0.0000000000000000e0" } else { b"0.0000000000000000e0" });
        return;
    }
    let _ = write!(row, "{x:.16e}");
}

#[cfg(test)]
mod tests {
    use super::push_number;

    /// Seventeen digits, and the same bits back.
    #[test]
    fn numbers_survive() {
        for x in [0.0, -0.0, 1.0 / 3.0, 5e-324, f64::MAX, -1.234_567_890_123_456_7e-7, 2.0, 1e22] {
            let mut text = Vec::new();
            push_number(&mut text, x);
            let text = String::from_utf8(text).expect("ASCII");
            assert_eq!(text.parse::<f64>().expect("a number").to_bits(), x.to_bits(), "{text}");
            let digits = text.split('e').next().expect("mantissa").chars().filter(char::is_ascii_digit).count();
            assert_eq!(digits, 17, "{text}");
        }
    }
}
