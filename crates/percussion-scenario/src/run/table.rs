//! A table written row by row: to a CSV file with 17 significant digits, to memory, or to both.

use crate::run::crc64::Crc64;
use crate::run::csv_text::quoted;
use crate::run::memory::Cells;
use crate::run::plain_file;
use percussion_step::packed;
use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Length and checksum of what a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Bytes.
    pub bytes: u64,
    /// CRC-64 of them.
    pub crc: u64,
}
packed! { Written { bytes, crc } }

impl Written {
    /// Of the first so many bytes of a file, or of all there are.
    pub fn read(file: &mut impl Read, bytes: u64) -> std::io::Result<Self> {
        let (mut crc, mut buffer, mut left) = (Crc64::default(), vec![0; 1 << 16], bytes);
        while left > 0 {
            let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let n = match file.read(&mut buffer[..wanted]) {
                Ok(0) => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                result => result?,
            };
            crc.add(&buffer[..n]);
            left -= n as u64;
        }
        Ok(Self { bytes: bytes - left, crc: crc.value() })
    }
}

/// A file that only grows, and knows its checksum.
struct Appended {
    file: File,
    bytes: u64,
    crc: Crc64,
}

impl Write for Appended {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.bytes += n as u64;
        self.crc.add(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// A table being written.
pub struct Table {
    out: Option<BufWriter<Appended>>,
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
                let out = Appended { file: plain_file::create(&path)?, bytes: 0, crc: Crc64::default() };
                let mut out = BufWriter::with_capacity(1 << 16, out);
                out.write_all(header.as_bytes())?;
                out.write_all(b"\n")?;
                Some(out)
            }
        };
        Ok(Self { out, path, row: Vec::with_capacity(256), cells })
    }

    /// Goes on after what a checkpoint vouches for; what was written later is cut off. Other bytes than those are `InvalidData`.
    pub fn go_on(folder: &Path, name: &str, written: Written) -> std::io::Result<Self> {
        let path = folder.join(name);
        let mut file = plain_file::open(&path, File::options().read(true).write(true))?;
        let there = Written::read(&mut file, written.bytes)?;
        if there != written {
            let fault = if there.bytes < written.bytes { "is shorter than" } else { "holds other bytes than" };
            return Err(Error::new(ErrorKind::InvalidData, format!("{fault} at its checkpoint")));
        }
        file.set_len(written.bytes)?;
        file.seek(SeekFrom::End(0))?;
        let out = Appended { file, bytes: written.bytes, crc: Crc64::from_value(written.crc) };
        let out = Some(BufWriter::with_capacity(1 << 16, out));
        Ok(Self { out, path, row: Vec::with_capacity(256), cells: None })
    }

    /// What has been handed to the operating system; none in memory.
    pub fn written(&self) -> Option<Written> {
        self.out.as_ref().map(|out| Written { bytes: out.get_ref().bytes, crc: out.get_ref().crc.value() })
    }

    /// Hands everything to the disk.
    pub fn sync(&mut self) -> std::io::Result<()> {
        self.flush()?;
        self.out.as_ref().map_or(Ok(()), |out| out.get_ref().file.sync_data())
    }

    /// The cells kept so far.
    pub fn take_cells(&mut self) -> Option<Cells> {
        self.cells.take()
    }

    /// The cells kept so far, left where they are.
    pub fn cells(&self) -> Option<&Cells> {
        self.cells.as_ref()
    }

    /// Puts cells back.
    pub fn put_cells(&mut self, cells: Option<Cells>) {
        self.cells = cells;
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

    /// Adds a text a user wrote to the row, quoted where it must be.
    pub fn text(&mut self, text: &str) -> &mut Self {
        if let Some(cells) = &mut self.cells {
            cells.word(text);
        }
        if self.out.is_some() {
            self.row.extend_from_slice(quoted(text).as_bytes());
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
