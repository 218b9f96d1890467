//! Problems in global form: bodies' velocities and reactions together, M v = f + H r.

mod admm;
mod problem;

pub use admm::{GlobalAnswer, solve_global_admm};
pub use problem::{GlobalFrictionProblem, MOST_ENTRIES, NotCondensed};
