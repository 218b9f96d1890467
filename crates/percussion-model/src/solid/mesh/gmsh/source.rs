//! The bytes of a Gmsh file, read as text or binary by the same verbs.
//!
//! Whole numbers are words in text, four bytes in binary; counts and tags of format 4.1 have the size the header says.

use crate::InputError;
use crate::code::Code;

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    /// Bytes of a count, and whether the highest byte comes first.
    Binary {
        size: usize,
        swapped: bool,
    },
}

pub(super) struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    pub encoding: Encoding,
}

/// Characters of an error.
const LONGEST_MESSAGE: usize = 200;

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        // some editors put a mark before the first character
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { bytes, at, encoding: Encoding::Text }
    }

    /// An error at the present place, in words that fit a screen: what they quote of the file may be one line of megabytes.
    pub fn error(&self, message: impl Into<String>, help: impl Into<String>) -> InputError {
        let at = self.at.min(self.bytes.len());
        let place = match self.encoding {
            Encoding::Text => format!("line {}", 1 + self.bytes[..at].iter().filter(|&&b| b == b'\n').count()),
            Encoding::Binary { .. } => format!("byte {at}"),
        };
        let message: String = message.into();
        let shown = match message.char_indices().nth(LONGEST_MESSAGE) {
            Some((end, _)) => format!("{} …", &message[..end]),
            None => message,
        };
        InputError::new(Code::BAD_MESH_FILE, "model.mesh", format!("{place}: {shown}"), help)
    }

    /// The name of the section that begins next, `None` at the end of the file.
    pub fn next_section(&mut self) -> Result<Option<String>, InputError> {
        self.skip_space();
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let line = self.line();
        let name = line.trim_end().strip_prefix('$').filter(|n| !n.is_empty() && !n.starts_with("End"));
        match name {
            Some(name) => Ok(Some(name.to_string())),
            None => {
                let shown: String = line.trim().chars().take(40).collect();
                Err(self.error(format!("expected a section, found \"{shown}\""), "sections are $Name … $EndName"))
            }
        }
    }

    /// Reads $EndName.
    pub fn end_section(&mut self, name: &str) -> Result<(), InputError> {
        self.skip_space();
        let line = self.line();
        if line.trim_end().strip_prefix("$End") == Some(name) {
            return Ok(());
        }
        let message = format!("section ${name} does not end where its counts say");
        Err(self.error(message, "the file was cut short or changed: save the mesh again"))
    }

    /// Passes over a section.
    pub fn skip_section(&mut self, name: &str) -> Result<(), InputError> {
        let end = format!("\n$End{name}");
        // the section may be empty: its own line end then comes before $End
        let from = self.at.saturating_sub(1);
        let found = find(&self.bytes[from..], end.as_bytes());
        let Some(offset) = found else {
            let message = format!("section ${name} has no end");
            return Err(self.error(message, "the file was cut short: save the mesh again"));
        };
        self.at = from + offset + 1;
        self.end_section(name)
    }

    /// The rest of the line, without its end.
    pub fn line(&mut self) -> String {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        String::from_utf8_lossy(&rest[..length]).trim_end_matches('\r').to_string()
    }

    /// Goes over to binary numbers; reads the 1 that tells the order of bytes.
    pub fn begin_binary(&mut self, size: usize) -> Result<(), InputError> {
        let swapped = match self.take::<4>("the number 1")? {
            [1, 0, 0, 0] => false,
            [0, 0, 0, 1] => true,
            _ => return Err(self.error("the number 1 is missing in the binary header", "save the mesh again")),
        };
        self.encoding = Encoding::Binary { size, swapped };
        Ok(())
    }

    /// Refuses a count of things of at least `least` bytes each that the rest of the file cannot hold.
    pub fn check_count(&self, count: usize, least: usize, what: &str) -> Result<(), InputError> {
        let left = self.bytes.len().saturating_sub(self.at);
        if count.checked_mul(least).is_some_and(|bytes| bytes <= left + least) {
            return Ok(());
        }
        let message = format!("declares {count} {what}, more than the {left} bytes left can hold");
        Err(self.error(message, "the file was cut short or changed: save the mesh again"))
    }

    /// A number of things that follow, each at least `text` characters or `binary` bytes long.
    pub fn count(&mut self, what: &str, text: usize, binary: usize) -> Result<usize, InputError> {
        let count = self.size(what)?;
        let least = if self.encoding == Encoding::Text { text } else { binary };
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.check_count(count, least, what)?;
        Ok(count)
    }

    /// A count or tag of format 4.1, not negative.
    pub fn size(&mut self, what: &str) -> Result<u64, InputError> {
        match self.encoding {
            Encoding::Text => self.word(what)?.parse().map_err(|_| self.not_a(what, "whole number of at least 0")),
            Encoding::Binary { size: 8, swapped } => {
                let bytes = self.take::<8>(what)?;
                Ok(if swapped { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
            }
            Encoding::Binary { .. } => {
                u64::try_from(self.int(what)?).map_err(|_| self.not_a(what, "whole number of at least 0"))
            }
        }
    }

    /// A whole number of four bytes.
    pub fn int(&mut self, what: &str) -> Result<i64, InputError> {
        match self.encoding {
            Encoding::Text => self.word(what)?.parse().map_err(|_| self.not_a(what, "whole number")),
            Encoding::Binary { swapped, .. } => {
                let bytes = self.take::<4>(what)?;
                Ok(i64::from(if swapped { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) }))
            }
        }
    }

    /// A finite number.
    pub fn real(&mut self, what: &str) -> Result<f64, InputError> {
        let x = match self.encoding {
            Encoding::Text => self.word(what)?.parse().map_err(|_| self.not_a(what, "number"))?,
            Encoding::Binary { swapped, .. } => {
                let bytes = self.take::<8>(what)?;
                if swapped { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) }
            }
        };
        if x.is_finite() { Ok(x) } else { Err(self.not_a(what, "finite number")) }
    }

    fn not_a(&self, what: &str, kind: &str) -> InputError {
        self.error(format!("{what} is not a {kind}"), "the file was changed or is not a mesh: save it again")
    }

    /// The next word of the section.
    fn word(&mut self, what: &str) -> Result<&'a str, InputError> {
        self.skip_space();
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let word = std::str::from_utf8(&rest[..length]).unwrap_or("");
        if word.is_empty() || word.starts_with('$') {
            let message = format!("{what} is missing: the section ends before its counts say");
            return Err(self.error(message, "the file was cut short or changed: save the mesh again"));
        }
        self.at += length;
        Ok(word)
    }

    fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], InputError> {
        let Some(bytes) = self.bytes.get(self.at..self.at + N).and_then(|b| b.try_into().ok()) else {
            return Err(self.error(format!("the file ends before {what}"), "it was cut short: save the mesh again"));
        };
        self.at += N;
        Ok(bytes)
    }

    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }
}

fn find(text: &[u8], pattern: &[u8]) -> Option<usize> {
    text.windows(pattern.len()).position(|window| window == pattern)
}
