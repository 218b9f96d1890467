//! What a contact does: open, closed without friction, sticking or sliding. The one place where stick and slip are judged.
//!
//!   stick:  ‖r_T‖ < μ r_N (1 − τ)   or   ‖u_T‖ ≤ τ·scale,       τ = max(1e-9, 10·residual)
//!
//! u_T is the tangential velocity the law speaks of (with α times the velocity before, where the law has it), and the
//! scale is the largest velocity an impulse of the problem gives its own contact, max W_NN r_N. Reactions of redundant
//! contacts are known to the tolerance of the solver only, so that a sticking contact may lie on its cone by chance, and
//! with next to no load: it is the velocity that decides there, and only the largest contact says what is small. A contact with next to no load that
//! slides fast may be inside its cone by as little: what breaks its own law least is what it does,  ‖u_T‖/scale against 1 − ‖r_T‖/(μ r_N).

use serde::{Deserialize, Serialize};

/// The smallest τ.
const TOLERANCE: f64 = 1e-9;
/// τ in units of the residual a problem was solved to.
const RESIDUALS: f64 = 10.0;

/// Whether a contact carries an impulse, and how it moves in its tangent plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactStatus {
    /// No impulse.
    #[default]
    Open,
    /// An impulse, no friction.
    Closed,
    /// An impulse inside the cone: the tangential velocity of the law is zero.
    Stick,
    /// An impulse on the cone's surface, opposite to the tangential velocity of the law.
    Slip,
}

impl ContactStatus {
    /// The status of a contact with friction μ, impulse r and velocity of the law u, normal components first.
    ///
    /// Two tangential components at most are looked at: moments of rolling friction do not count. `scale` is the largest
    /// W_NN r_N of the problem [m/s], `residual` what it was solved to.
    pub fn judge(mu: f64, r: &[f64], u: &[f64], scale: f64, residual: f64) -> Self {
        let tolerance = TOLERANCE.max(RESIDUALS * residual);
        let tangential = |x: &[f64]| x.iter().skip(1).take(2).map(|x| x * x).sum::<f64>().sqrt();
        if r[0] <= 0.0 {
            Self::Open
        } else if mu == 0.0 {
            Self::Closed
        } else if tangential(u) <= tolerance * scale {
            Self::Stick
        } else {
            // what is left of the cone, against the velocity that sticking leaves over
            let inside = 1.0 - tangential(r) / (mu * r[0]);
            let sticks = inside > tolerance && (scale == 0.0 || tangential(u) <= inside * scale);
            if sticks { Self::Stick } else { Self::Slip }
        }
    }

    /// The word in `contacts.csv`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Stick => "stick",
            Self::Slip => "slip",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block on a plane: lifted, without friction, held, at the limit without motion, sliding.
    #[test]
    fn block_on_a_plane() {
        let judge = |mu, r: [f64; 3], u: [f64; 3]| ContactStatus::judge(mu, &r, &u, 1.0, 1e-12);
        assert_eq!(judge(0.5, [0.0; 3], [1.0, 0.0, 0.0]), ContactStatus::Open);
        assert_eq!(judge(0.0, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), ContactStatus::Closed);
        assert_eq!(judge(0.5, [1.0, 0.3, 0.3], [0.0, 1e-9, 0.0]), ContactStatus::Stick);
        assert_eq!(judge(0.5, [1.0, -0.5, 0.0], [0.0, 1e-9, 0.0]), ContactStatus::Stick);
        assert_eq!(judge(0.5, [1.0, -0.5, 0.0], [0.0, 1e-8, 0.0]), ContactStatus::Slip);
        let rough = ContactStatus::judge(0.5, &[1.0, -0.5, 0.0], &[0.0, 1e-8, 0.0], 1.0, 1e-8);
        assert_eq!(rough, ContactStatus::Stick, "within what the problem was solved to");
        assert_eq!(judge(0.5, [1.0, -0.5, 0.0], [0.0, 1e-3, 0.0]), ContactStatus::Slip);
        let light = ContactStatus::judge(0.5, &[1e-5, -0.5e-5 * (1.0 - 2e-9), 0.0], &[0.0, 11.0, 0.0], 1e-4, 1e-12);
        assert_eq!(light, ContactStatus::Slip, "off its cone by what the problem was solved to, and sliding");
        assert_eq!(ContactStatus::judge(0.5, &[1.0, -0.5], &[0.0, 1e-3], 1.0, 1e-12), ContactStatus::Slip);
    }
}
