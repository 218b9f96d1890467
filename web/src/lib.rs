//! The simulator for a page: a scenario's text in, the parts of its report out; no files, no threads, no clock but the page's.
//!
//! ```text
//! request (JSON) ─► Player::answer ─► describe: numbers and schemes · run: report · converge: study
//! ```
//!
//! What stands behind it is the program's own code in the portable arithmetic: `percussion run --portable` gives the same
//! `state_hash`.

mod answer;
#[cfg(target_family = "wasm")]
mod binding;
mod request;

pub use answer::Player;
pub use request::{Bounds, Request};
