//! Velocities of contacts of bodies as the law of a scheme speaks of them.
//!
//!   u = H(q) v⁺,    q the start of the step, its middle or its end
//!
//! Steppers write these velocities, steps made in parts add up to them, and `verify` finds them again from two states.

use crate::{ContactFrame, State};
use percussion_model::bodies::Bodies;

impl ContactFrame {
    /// Normal and tangential velocities of a contact at the end of the step between two states; none where it does not exist.
    pub fn velocity(self, scene: &Bodies, id: usize, before: &State, after: &State) -> Option<[f64; 3]> {
        let place = match self {
            Self::Start | Self::Middle => &before.q,
            Self::End | Self::Parts => &after.q,
        };
        let contact = scene.contact(id as u64, place)?;
        Some(match self {
            Self::Middle => scene.middle_velocity(&contact, (&before.q, &after.q), &after.v, false),
            // at the one point both bodies share, which lies between the surfaces once they part
            Self::Parts => {
                let [a, b] = contact.bodies.map(|i| scene.frame(i, place));
                let (n, point) = contact.place_at(&a, &b);
                scene.velocity_at(contact.bodies, &point, &n, place, &after.v)
            }
            Self::Start | Self::End => scene.contact_velocity_of(&contact, place, (&after.q, &after.v)),
        })
    }
}
