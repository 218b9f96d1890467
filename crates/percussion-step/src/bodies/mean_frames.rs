//! Where the bodies of a step are in its middle and at its end, as far as contacts need to know.
//!
//!   x_m = x₀ + ½ h v_m,    R_m half-way,    a = h w_m:  rows of contacts are H_w(d) = (1 − ½[a])R₀ᵀ((c − x_m) × d)

use crate::StepStart;
use crate::bodies::theta_step::ThetaStep;
use percussion_model::bodies::math::Vec3;
use percussion_model::bodies::{Bodies, Frame, half_way};

/// Frames and turns of the bodies that take part in contacts.
#[derive(Debug, Default)]
pub struct MeanFrames {
    /// In the middle of the step …
    pub middle: Vec<Frame>,
    /// … and at its end.
    pub end: Vec<Frame>,
    /// a of bodies whose spin stands in their frame, zero for the others.
    pub tilts: Vec<Vec3>,
}

impl MeanFrames {
    /// For the velocities of a step as they are now.
    pub fn take(&mut self, scene: &Bodies, step: &ThetaStep, from: &StepStart, bodies: &[usize]) {
        let n = scene.len();
        if self.middle.len() != n {
            self.middle.clone_from(&step.start.frames);
            self.end.clone_from(&step.start.frames);
            self.tilts = vec![[0.0; 3]; n];
        }
        for &i in bodies {
            let way = step.passage(scene, i, from);
            self.middle[i] = half_way(&way.ends[0], &way.x, &way.turn);
            self.end[i] = way.ends[1];
            self.tilts[i] = way.tilt;
        }
    }
}
