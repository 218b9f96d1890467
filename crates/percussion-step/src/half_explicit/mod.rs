//! Schemes that evaluate forces explicitly and solve for contacts only: time-discontinuous Galerkin and splitting.
//!
//! All of them ask a [`Mechanism`](crate::smooth::Mechanism), so they move linear and nonlinear models with one code.

mod contacts;
mod d0_constant;
mod d1_minus_linear;
mod splitting;
mod start;
mod stiff;

pub use d0_constant::ExplicitD0;
pub use d1_minus_linear::D1MinusLinear;
pub use splitting::Splitting;
pub use start::starting_acceleration;
pub use stiff::too_stiff;
