//! Nonsmooth generalized-α with contacts and joints at position and velocity level (Gear–Gupta–Leimkuhler; Brüls, Acary and
//! Cardona 2014), on linear and Lagrangian models and on bodies.
//!
//!   smooth     (q̂, v̂) by generalized-α, without contact;  J = {g(q̂) ≤ 0}
//!   positions  q = q̂ + U,  M U = g_qᵀν,    0 ≤ g(q) ⟂ ν ≥ 0,   g_b(q) = 0
//!   velocities v = v̂ + W,  M W = g_qᵀΛ,    0 ≤ g_q v + ê u_n ⟂ Λ ≥ 0 on J,   g_b v = 0

pub mod bodies;
pub mod conditions;
pub mod lagrangian;
pub mod ledger;
pub mod linear;
pub mod parameters;
