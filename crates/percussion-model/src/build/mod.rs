//! Builders of linear models from physical data.

mod bar;
mod column;

pub use bar::{Bar, MassKind};
pub use column::column;
