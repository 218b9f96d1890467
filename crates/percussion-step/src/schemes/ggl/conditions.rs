//! When the velocity condition acts, and with which restitution: the same on every kind of model.
//!
//!   closed = {g(q̂) ≤ 0},   ê = e                                         Brüls, Acary and Cardona 2014
//!   closed = {g(q̂) ≤ 0 or ν > 0},   ê = 1 where u_n > 0, else e           under `hold`
//!
//! The place q̂ is a choice (§7.2 there): the smooth motion's, q_n, q_n + h v_n, or q_{n+1} with a tolerance on the gap.
//! In the modified condition 0 ≤ g ⟂ ν − hθΛ − h(1−θ)μ_n ≥ 0, with μ_n the multiplier of the last step, hθμ = ν − hθΛ − h(1−θ)μ_n
//! ((26) there; θ = 1 is (27)).

/// How the multipliers of positions and velocities enter the complementarity conditions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GglVariant {
    /// Position and velocity conditions apart.
    Ggl,
    /// 0 ≤ g ⟂ ν − hθΛ − h(1−θ)μ_n ≥ 0: the two multipliers mixed; it chatters at rest.
    ModifiedLcp {
        /// θ.
        theta: f64,
    },
}

impl GglVariant {
    /// Whether the two multipliers are mixed.
    pub fn is_mixed(self) -> bool {
        self != Self::Ggl
    }

    /// θ where they are mixed, else 0: the part of hΛ in ν.
    pub fn share(self) -> f64 {
        match self {
            Self::Ggl => 0.0,
            Self::ModifiedLcp { theta } => theta,
        }
    }

    /// h(1−θ)μ_n of a contact whose hθμ_n is known, for steps of equal length.
    pub fn carried(self, last: f64) -> f64 {
        match self {
            Self::Ggl => 0.0,
            Self::ModifiedLcp { theta } => (1.0 - theta) / theta * last,
        }
    }
}

/// Where the gap is asked that closes a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ClosedAt {
    /// At the end of the smooth motion.
    #[default]
    Smooth,
    /// At q_n.
    Start,
    /// At q_n + h v_n.
    Ahead,
    /// At q_{n+1}, up to this gap [m].
    End(f64),
}

impl ClosedAt {
    /// The place if it is known before the step: this part of h v_n from q_n.
    pub fn explicit(self) -> Option<f64> {
        match self {
            Self::Start => Some(0.0),
            Self::Ahead => Some(1.0),
            Self::Smooth | Self::End(_) => None,
        }
    }
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
