//! Something the user should know that does not stop the run.

use percussion_model::Code;

/// A coded remark.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// W4xx, explained by `percussion explain`.
    pub code: Code,
    /// The fact.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}
