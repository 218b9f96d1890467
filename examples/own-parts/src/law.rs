//! A law of impact: restitution falls with the fourth root of the approach.
//!
//!   e(U) = (v₀/|U|)^¼ above v₀, elastic below            (Goldsmith 1960, chapter on measured restitution)

use percussion::step::ImpactLaw;

/// The speed above which the material yields [m/s].
const YIELD: f64 = 0.1;

/// The law under the name scenarios give it.
pub const GOLDSMITH: ImpactLaw = ImpactLaw { name: "goldsmith", restitution };

/// e of an approach with this speed; the contact's own restitution bounds it.
pub fn restitution(_contact: usize, speed: f64) -> f64 {
    (YIELD / speed).powf(0.25).min(1.0)
}
