//! One-step contact problems and their solvers.
//!
//!   0 ≤ u = W p + b  ⟂  p ≥ 0
//!
//! W is the Delassus operator of the contacts in the index set, p their impulses, u the velocities the impact law
//! speaks of. A problem is data: it can be printed, saved and solved elsewhere; it knows neither time nor bodies.

mod auto;
mod block;
mod certificate;
mod enumeration;
pub mod friction;
mod lcp;
mod lemke;
mod method;
pub mod mlcp;
mod newton_fb;
mod newton_min;
mod own_method;
mod pattern;
mod pgs;
mod problem;
mod proximal;
mod report;
mod residual;
mod solver;

pub use method::Method;
pub use own_method::OwnMethod;
pub use problem::OneStepProblem;
pub use report::{SolveReport, SolveStatus};
pub use residual::{Residuals, residuals};
pub use solver::{OneStepSolver, Solver, SolverOptions};
