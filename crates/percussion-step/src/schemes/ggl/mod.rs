//! The nonsmooth generalized-α scheme with contacts and joints at position and velocity level (Brüls, Acary and Cardona 2014).

pub mod bodies;
pub mod inner_lcp;
pub mod lagrangian;
pub mod linear;
pub mod linear_friction;
pub mod newton;
pub mod parameters;
pub mod sequential;
