//! One-step contact problems and their solvers.
//!
//!   0 ≤ u = W p + b  ⟂  p ≥ 0
//!
//! W is the Delassus operator of the contacts in the index set, p their impulses, u the velocities the impact law
//! speaks of. A problem is data: it can be printed, saved and solved elsewhere; it knows neither time nor bodies.
//!
//! A solver is one file that owns its entry (name, summary, problems it takes, how it is run) and one line of
//! `method.rs`. Every answer is judged by two residuals, whatever the solver says of itself.

mod auto;
mod complementarity;
mod entry;
pub mod friction;
mod memory;
mod method;
pub mod mlcp;
mod options;
mod report;
mod residual;

pub use complementarity::{OneStepProblem, OneStepSolver, OwnMethod, Solver, residuals};
pub use method::Method;
pub use options::SolverOptions;
pub use percussion_matrix::stop::Stop;
pub use report::{SolveReport, SolveStatus};
pub use residual::Residuals;
