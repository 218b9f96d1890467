//! Words of a text with their place; whatever is promised is compared with what is left before memory is allocated.

use crate::error::{FileError, Result};
use percussion_model::Code;

/// A place in the bytes of a text file.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How far it got, in bytes.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The next word.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let start = self.at + rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let tail = &self.bytes[start..];
        let end = start + tail.iter().position(u8::is_ascii_whitespace).unwrap_or(tail.len());
        self.at = end;
        Some(&self.bytes[start..end])
    }

    /// What is left of the line; the next line if nothing is.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        loop {
            let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
            let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            self.at += (end + 1).min(rest.len());
            if rest[..end].iter().any(|b| !b.is_ascii_whitespace()) {
                return Some(&rest[..end]);
            }
        }
    }

    /// The last word read, if the file ends with it and the number before it is longer: one cut in two.
    ///
    /// Many files have no line end, and their short last number is whole. Numbers of full precision with an exponent all
    /// have one length, sign aside, so a shorter one after them was longer once.
    pub fn cut_in_two(&self) -> Option<&'a [u8]> {
        let mut words = self.bytes.rsplit(u8::is_ascii_whitespace);
        let last = words.next().filter(|word| !word.is_empty() && self.at == self.bytes.len())?;
        let before = words.find(|word| !word.is_empty())?;
        let length = |word: &[u8]| word.strip_prefix(b"-").unwrap_or(word).len();
        let full = |word: &[u8]| length(word) > 16 && word.iter().any(|b| b.eq_ignore_ascii_case(&b'e'));
        (full(before) && length(last) < length(before)).then_some(last)
    }

    /// A whole number that is not negative.
    pub fn count(&mut self, what: &str) -> Result<usize> {
        let before = self.at;
        let Some(word) = self.word() else { return Err(self.ended(what)) };
        match text(word).parse::<i128>() {
            Ok(n) if n >= 0 && n <= usize::MAX as i128 => Ok(n as usize),
            Ok(n) => {
                self.at = before;
                let fact = if n < 0 { "is negative" } else { "is larger than any file" };
                Err(self.refuse(Code::BAD_PROBLEM_FILE, what, format!("{} {fact}", shown(word))))
            }
            Err(_) => {
                self.at = before;
                Err(self.refuse(
                    Code::BAD_PROBLEM_FILE,
                    what,
                    format!("a whole number was expected, not {}", shown(word)),
                ))
            }
        }
    }

    /// A finite number.
    pub fn number(&mut self, what: &str) -> Result<f64> {
        let before = self.at;
        let Some(word) = self.word() else { return Err(self.ended(what)) };
        match text(word).parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            Ok(_) => {
                self.at = before;
                Err(self.refuse(Code::NOT_FINITE, what, format!("{} is not a finite number", shown(word))))
            }
            Err(_) => {
                self.at = before;
                Err(self.refuse(Code::BAD_PROBLEM_FILE, what, format!("a number was expected, not {}", shown(word))))
            }
        }
    }

    /// `n` finite numbers.
    pub fn numbers(&mut self, n: usize, what: &str) -> Result<Vec<f64>> {
        self.expect(n, what)?;
        let mut values = Vec::with_capacity(n);
        for _ in 0..n {
            values.push(self.number(what)?);
        }
        Ok(values)
    }

    /// `n` whole numbers.
    pub fn counts(&mut self, n: usize, what: &str) -> Result<Vec<usize>> {
        self.expect(n, what)?;
        let mut values = Vec::with_capacity(n);
        for _ in 0..n {
            values.push(self.count(what)?);
        }
        Ok(values)
    }

    /// Refuses to go on unless `n` more words can fit in what is left: each takes a character and a space.
    pub fn expect(&self, n: usize, what: &str) -> Result<()> {
        let left = self.bytes.len() - self.at;
        if n > left.div_ceil(2) {
            let message = format!("{n} values are declared, and {left} bytes are left");
            return Err(self.refuse(Code::PROBLEM_CUT_SHORT, what, message));
        }
        Ok(())
    }

    /// The same for a product of sizes.
    pub fn expect_product(&self, a: usize, b: usize, what: &str) -> Result<usize> {
        match a.checked_mul(b) {
            Some(n) => self.expect(n, what).map(|()| n),
            None => Err(self.refuse(Code::PROBLEM_CUT_SHORT, what, format!("{a} × {b} values are declared"))),
        }
    }

    /// An error here.
    pub fn refuse(&self, code: Code, what: &str, message: impl Into<String>) -> Box<FileError> {
        let help = match code {
            Code::PROBLEM_CUT_SHORT => "the file was cut short, or its sizes are wrong",
            Code::NOT_FINITE => "every number of a problem must be finite",
            _ => "see the book's page on contact problems for the formats",
        };
        let start = self.at + self.bytes[self.at..].iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
        let line = 1 + self.bytes[..start].iter().filter(|&&b| b == b'\n').count();
        let mut error = FileError::new(code, what, message, help);
        error.line = Some(line);
        error
    }

    fn ended(&self, what: &str) -> Box<FileError> {
        self.refuse(Code::PROBLEM_CUT_SHORT, what, "the file ends here")
    }
}

/// A word as text; what is not UTF-8 is no number either.
pub fn text(word: &[u8]) -> &str {
    std::str::from_utf8(word).unwrap_or("\u{fffd}")
}

/// A word in quotes, short enough for a message.
pub fn shown(word: &[u8]) -> String {
    let short: String = String::from_utf8_lossy(&word[..word.len().min(40)])
        .chars()
        .map(|c| if c.is_control() { '.' } else { c })
        .collect();
    if word.len() > 40 { format!("\"{short}…\"") } else { format!("\"{short}\"") }
}
