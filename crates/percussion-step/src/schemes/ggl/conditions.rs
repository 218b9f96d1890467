//! When the velocity condition acts, and with which restitution: the same on every kind of model.
//!
//!   closed = {g(q̂) ≤ 0},   ê = e                                         Brüls, Acary and Cardona 2014
//!   closed = {g(q̂) ≤ 0 or ν > 0},   ê = 1 where u_n > 0, else e           under `hold`

/// How the multipliers of positions and velocities enter the complementarity conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GglVariant {
    /// Position and velocity conditions apart.
    Ggl,
    /// 0 ≤ g ⟂ ν − hΛ ≥ 0: the two multipliers mixed; it chatters at rest.
    ModifiedLcp,
}

/// Part of the normal way of a step that counts as round-off of a gap.
pub const CLOSED: f64 = 1e-10;

/// Whether a gap at q̂ is closed: ties must not depend on rounding, so one below round-off of the way |u_n| h counts.
#[inline]
pub fn touches(gap: f64, u_n: f64, h: f64) -> bool {
    gap <= CLOSED * h * u_n.abs()
}

/// ê: opening contacts are held, not thrown back.
#[inline]
pub fn restitution(hold: bool, u_n: f64, e: f64) -> f64 {
    if hold && u_n > 0.0 { 1.0 } else { e }
}
