//! What is too large, decided before memory is allocated.

use crate::error::ScenarioError;
use percussion_model::Code;

/// Coordinates.
pub const MAX_N: u64 = 2_000_000;
/// Contacts.
pub const MAX_CONTACTS: usize = 2_000_000;
/// Bodies.
pub const MAX_BODIES: usize = 1_000_000;
/// Elements of a beam, whose matrices are dense.
pub const MAX_BEAM_ELEMENTS: usize = 1000;
/// Elements of a beam among bodies, on each of its sides.
pub const MAX_ELEMENTS: usize = 10_000;
/// Rows of a matrix written out in the scenario.
pub const MAX_INLINE_ROWS: usize = 4000;
/// Bytes of a matrix file.
pub const MAX_FILE: u64 = 1 << 30;
/// Bytes of a scenario; its parsed form takes some twenty times as much.
pub const MAX_SCENARIO: u64 = 1 << 28;

/// Bytes of a checkpoint.
pub const MAX_CHECKPOINT: u64 = 1 << 30;

/// The refusal.
pub fn too_large(file: &str, what: &str, found: u64, limit: u64) -> Box<ScenarioError> {
    let message = format!("{found} {what}; the limit is {limit}");
    ScenarioError::file(Code::TOO_LARGE, file, message, "use a coarser model, or sparse matrix files")
}
