//! Methods that take the cones and W apart: W + ρD is factorised, the cones are met by projections or barriers.

pub(crate) mod admm;
pub(crate) mod interior_point;
