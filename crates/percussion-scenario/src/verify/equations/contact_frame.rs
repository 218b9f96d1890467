//! The frame in which contacts of bodies obey their law: that of the start of a step, of its middle or of its end.

use crate::run::folder::RunFolder;
use crate::run::momentum_table::MOMENTUM;
use percussion_model::bodies::Bodies;
use percussion_step::{ContactFrame, Scheme, State};

/// Why impulses under `equilibrium` are not judged by their sign.
pub const TAKEN_BACK: &str = "under \"equilibrium\" impulses contain what contacts whose status changes take back";

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
        self.frame.velocity(scene, id, before, after).unwrap_or([f64::NAN; 3])
    }
}
