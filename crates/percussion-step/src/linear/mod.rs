//! What schemes on linear models share: loads, mass factors, paid projection.

pub mod load;
pub mod mass;
pub mod operators;
pub mod projection;
