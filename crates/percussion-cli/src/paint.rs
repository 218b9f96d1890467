//! Colours, on terminals only and never against NO_COLOR.

use percussion::scenario::Colours;
use std::io::IsTerminal;

/// Colours or none.
#[derive(Clone, Copy, Debug)]
pub struct Paint(bool);

impl Paint {
    /// For standard output.
    pub fn stdout() -> Self {
        Self(allowed() && std::io::stdout().is_terminal())
    }

    /// For standard error.
    pub fn stderr() -> Self {
        Self(allowed() && std::io::stderr().is_terminal())
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Headings.
    pub fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    /// Errors.
    pub fn red(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// Warnings.
    pub fn yellow(self, text: &str) -> String {
        self.with("33", text)
    }

    /// Good news.
    pub fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    /// Line numbers and the like.
    pub fn blue(self, text: &str) -> String {
        self.with("34", text)
    }

    /// What may be overlooked.
    pub fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    /// A verdict's word in its colour.
    pub fn status(self, status: &str) -> String {
        match status {
            "pass" => self.green(status),
            "warn" => self.yellow(status),
            "fail" => self.red(status),
            _ => self.dim(status),
        }
    }
}

impl Colours for Paint {
    fn bold(&self, text: &str) -> String {
        (*self).bold(text)
    }

    fn red(&self, text: &str) -> String {
        (*self).red(text)
    }

    fn blue(&self, text: &str) -> String {
        (*self).blue(text)
    }

    fn dim(&self, text: &str) -> String {
        (*self).dim(text)
    }
}

/// <https://no-color.org>: any value that is not empty; and terminals that say they are dumb.
fn allowed() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|x| x.is_empty()) && std::env::var_os("TERM").is_none_or(|x| x != "dumb")
}
