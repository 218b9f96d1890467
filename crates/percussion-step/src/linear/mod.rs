//! What schemes on linear models share: loads, momentum, what steps divide by, paid projection.

pub mod factorised;
pub mod load;
pub mod mass;
pub mod momentum;
pub mod operators;
pub mod projection;
