//! What schemes on linear models share: loads, what steps divide by, paid projection.

pub mod factorised;
pub mod load;
pub mod mass;
pub mod operators;
pub mod projection;
