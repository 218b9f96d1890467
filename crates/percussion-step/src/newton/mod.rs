//! Newton's iteration over a step of a nonlinear model: evaluations, the linear system, redundant rows.

pub mod contact_problem;
pub mod driver;
pub mod evaluation;
pub mod project_start;
pub mod redundancy;
pub mod system;
