//! Contact without friction: the linear complementarity problem, its residuals and its solvers.
//!
//!   0 ≤ u = W p + b  ⟂  p ≥ 0

mod active_block;
pub(crate) mod auto;
pub(crate) mod certificate;
pub(crate) mod enumeration;
pub(crate) mod lcp;
pub(crate) mod lemke;
pub(crate) mod newton_fb;
pub(crate) mod newton_min;
pub(crate) mod own_method;
mod pattern;
pub(crate) mod pgs;
mod problem;
pub(crate) mod proximal;
mod residual;
mod solver;

pub use own_method::OwnMethod;
pub use problem::OneStepProblem;
pub use residual::residuals;
pub(crate) use solver::Tools;
pub use solver::{OneStepSolver, Solver};
