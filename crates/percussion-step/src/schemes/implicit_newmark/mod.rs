//! Newmark with the contact force inside the acceleration: fully implicit, and two deliberate failures.

pub mod linear;
pub mod parameters;
