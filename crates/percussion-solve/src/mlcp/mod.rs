//! Mixed problems: equations with free unknowns beside complementary pairs.
//!
//!   w = M z + q,    w_i = 0 on the equality rows,    0 ≤ w_k ⟂ z_k ≥ 0 on the others

mod problem;

pub use problem::MlcpProblem;
