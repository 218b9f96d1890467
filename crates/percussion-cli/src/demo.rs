//! The demonstration.

use crate::exit::Exit;

/// Runs it.
pub fn demonstrate() -> Exit {
    Exit::Good
}
