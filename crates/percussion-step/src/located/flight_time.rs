//! How long a contact that has left with a velocity stays away.
//!
//!   g + U τ + ½ Γ τ² = 0:    τ = (U + √(U² + 2 g |Γ|))/|Γ|,  Γ < 0

use crate::located::impact::INSTANT;
use crate::located::motion::{Motion, Standing};

/// A rise of fewer units of round-off cannot be seen in the gap.
const INVISIBLE: f64 = 1e3 * f64::EPSILON;
/// Flights are followed this much beyond their expected end.
const BEYOND: f64 = 1.05;

impl Motion {
    /// How far a stretch of at most `limit` may go so that flights end inside it, and the contact that lands at its end
    /// unseen: one that rises less than the round-off of its gap lands when its velocity says so. All that fly so low go to
    /// `unseen`: their gaps tell nothing.
    pub fn flight_limit(&mut self, limit: f64) -> (f64, Option<usize>) {
        let Self { mechanism, now, standing, unseen, .. } = self;
        unseen.clear();
        let mut limit = (limit, None);
        for i in (0..standing.len()).filter(|&i| standing[i] == Standing::Flying) {
            let gamma = mechanism.gap_acceleration(i, &now.q, &now.v, &now.a, now.t);
            if gamma >= 0.0 {
                continue;
            }
            let gap = mechanism.gap(i, &now.q, now.t).max(0.0);
            let u = mechanism.gap_rate(i, &now.q, &now.v, now.t);
            let flight = (u + (u * u - 2.0 * gap * gamma).sqrt()) / -gamma;
            let rise = gap - 0.5 * u * u / gamma;
            // late in a run the place of a moving obstacle has the round-off of the time
            let late = INSTANT * f64::EPSILON * (now.t * mechanism.obstacle_rate(i, &now.q, now.t)).abs();
            if rise <= late.max(INVISIBLE * mechanism.gap_size(i, &now.q, now.t)) {
                // up and down in equal times: a gap of one unit of round-off would give it more velocity each time
                unseen.push(i);
                let flight = (2.0 * u / -gamma).max(8.0 * f64::EPSILON * now.t.abs());
                if flight <= limit.0 {
                    limit = (flight, Some(i));
                }
            } else if BEYOND * flight < limit.0 {
                limit = ((BEYOND * flight).max(INSTANT * f64::EPSILON * now.t.abs()), None);
            }
        }
        limit
    }
}
