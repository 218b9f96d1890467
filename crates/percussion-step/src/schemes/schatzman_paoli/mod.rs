//! The Schatzman–Paoli scheme: contact forces on positions, restitution by reflection (Paoli and Schatzman 2002).

pub mod lagrangian;
pub mod linear;
pub mod parameters;
