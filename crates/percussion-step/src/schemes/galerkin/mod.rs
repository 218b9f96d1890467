//! Schemes by discontinuous Galerkin in time: piecewise constant and linear velocities (Schindler and Acary 2014).

pub mod d0_explicit;
pub mod d0_linear;
pub mod d0_parameters;
pub mod d1_minus_linear;
pub mod d1_parameters;
