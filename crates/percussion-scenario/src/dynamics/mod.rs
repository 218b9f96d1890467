//! `[dynamics]`: a scenario whose parameters vary, and the files in which such a study can go on where it stopped.

mod line_file;
mod spec;

pub use line_file::LineFile;
pub(crate) use spec::read_dynamics;
pub use spec::{Axis, Direction, Dynamics, DynamicsKind};
