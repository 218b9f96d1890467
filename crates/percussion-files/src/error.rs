//! Why a file was refused: a code, the line, the fact and the way out.

use percussion_model::Code;

/// One refused file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileError {
    /// The code, explained by `percussion explain`.
    pub code: Code,
    /// Line of a text file, from 1.
    pub line: Option<usize>,
    /// What was being read: `M`, `mu`, `fclib_local/W/x`.
    pub field: String,
    /// The fact.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// The result of reading; boxed because the error carries its context.
pub type Result<T> = std::result::Result<T, Box<FileError>>;

impl FileError {
    /// An error about a part of the file.
    pub fn new(code: Code, field: &str, message: impl Into<String>, help: &str) -> Box<Self> {
        Box::new(Self { code, line: None, field: field.into(), message: message.into(), help: help.into() })
    }
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: ", self.code)?;
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        write!(f, "{} ({})", self.message, self.help)
    }
}

impl std::error::Error for FileError {}
