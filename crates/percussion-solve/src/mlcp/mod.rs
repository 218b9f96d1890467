//! Mixed problems: equations with free unknowns beside complementary pairs.
//!
//!   w = M z + q,    w_i = 0 on the equality rows,    0 ≤ w_k ⟂ z_k ≥ 0 on the others

mod basis;
mod eliminate;
mod problem;
mod residual;
mod solver;
mod split;

pub use problem::MlcpProblem;
pub use residual::mlcp_residuals;
pub use solver::MlcpSolver;
