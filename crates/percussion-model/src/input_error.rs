//! Input that cannot be accepted: a code, the field it concerns, the fact and the way out.

use crate::Code;

/// One refused input.
#[derive(Clone, Debug, PartialEq)]
pub struct InputError {
    /// The code, explained by `percussion explain`.
    pub code: Code,
    /// The key it concerns, dotted, as in a scenario: `model.contact[2].restitution`.
    pub field: String,
    /// The fact, with the number that is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl InputError {
    /// An error about a field.
    pub fn new(code: Code, field: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, field: field.into(), message: message.into(), help: help.into() }
    }

    /// The same error with its field named below `prefix`.
    pub fn below(mut self, prefix: String) -> Self {
        self.field = if self.field.is_empty() { prefix } else { format!("{prefix}.{}", self.field) };
        self
    }
}

impl std::fmt::Display for InputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {} ({})", self.code, self.field, self.message, self.help)
    }
}

impl std::error::Error for InputError {}
