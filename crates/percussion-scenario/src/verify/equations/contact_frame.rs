//! The frame in which contacts of bodies obey their law: that of the start of a step, of its middle or of its end.

use crate::run::folder::RunFolder;
use crate::run::momentum_table::MOMENTUM;
use percussion_model::bodies::Bodies;
use percussion_step::{ContactFrame, Scheme, State};

/// Why impulses of a step made of parts are not judged by their sign or their cone.
pub const SUMMED: &str = "impulses are sums over the parts of a step, of which some was taken back";

/// The frame of a scheme on a model.
#[derive(Clone, Copy, Debug)]
pub struct LawFrame {
    frame: ContactFrame,
    /// Of a run without a table of momentum: version 0.1 took the start of a step for its middle, for bodies that are moved too.
    old: bool,
}

impl LawFrame {
    /// As the scheme says.
    pub fn of(run: &RunFolder, scheme: &Scheme) -> Self {
        let frame = scheme.facts().contact_frame;
        let old = !run.folder.join(MOMENTUM).is_file() && matches!(frame, ContactFrame::Start | ContactFrame::Middle);
        Self { frame, old }
    }

    /// Normal and tangential velocities of a contact at the end of the step between two states.
    pub fn velocity(self, scene: &Bodies, id: usize, before: &State, after: &State) -> [f64; 3] {
        if self.old {
            let Some(contact) = scene.contact(id as u64, &before.q) else { return [f64::NAN; 3] };
            return scene.contact_velocity_of(&contact, &before.q, (&before.q, &after.v));
        }
        let place = match self.frame {
            ContactFrame::Start | ContactFrame::Middle => &before.q,
            ContactFrame::End | ContactFrame::Parts => &after.q,
        };
        let Some(contact) = scene.contact(id as u64, place) else { return [f64::NAN; 3] };
        match self.frame {
            ContactFrame::Middle => scene.middle_velocity(&contact, (&before.q, &after.q), &after.v, false),
            // at the one point both bodies share, which lies between the surfaces once they part
            ContactFrame::Parts => {
                let [a, b] = contact.bodies.map(|i| scene.frame(i, place));
                let (n, point) = contact.place_at(&a, &b);
                scene.velocity_at(contact.bodies, &point, &n, place, &after.v)
            }
            ContactFrame::Start | ContactFrame::End => scene.contact_velocity_of(&contact, place, (&after.q, &after.v)),
        }
    }
}
