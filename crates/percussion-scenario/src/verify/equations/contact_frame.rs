//! The frame in which contacts of bodies obey their law: that of the start of a step, of its middle or of its end.

use percussion_model::bodies::Bodies;
use percussion_step::{ContactFrame, Scheme, State};

/// The frame of a scheme on a model.
#[derive(Clone, Copy, Debug)]
pub struct LawFrame(ContactFrame);

impl LawFrame {
    /// As the scheme says.
    pub fn of(scheme: &Scheme) -> Self {
        Self(scheme.facts().contact_frame)
    }

    /// Normal and tangential velocities of a contact at the end of the step between two states.
    pub fn velocity(self, scene: &Bodies, id: usize, before: &State, after: &State) -> [f64; 3] {
        let place = match self.0 {
            ContactFrame::Start | ContactFrame::Middle => &before.q,
            ContactFrame::End | ContactFrame::Parts => &after.q,
        };
        let Some(contact) = scene.contact(id as u64, place) else { return [f64::NAN; 3] };
        match self.0 {
            ContactFrame::Middle => scene.middle_velocity(&contact, (&before.q, &after.q), &after.v, false),
            ContactFrame::Start | ContactFrame::End | ContactFrame::Parts => {
                scene.contact_velocity_of(&contact, place, (&after.q, &after.v))
            }
        }
    }
}
