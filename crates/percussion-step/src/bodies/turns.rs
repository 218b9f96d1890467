//! Whole turns of hinges from step to step, where stops, springs and couplings mean them.
//!
//!   |c₁ − c₀| < π   in every step, else the count is lost and the step fails

use crate::StepFailure;
use crate::bodies::theta_step::{BodiesStart, middle};
use percussion_model::Code;
use percussion_model::bodies::{Bodies, Frame, Twist};
use std::f64::consts::PI;

/// The joints whose turns are counted.
#[derive(Clone, Debug)]
pub struct Turns {
    counted: Vec<usize>,
}

impl Turns {
    /// Of a scene.
    pub fn new(scene: &Bodies) -> Self {
        Self { counted: scene.counted_joints() }
    }

    /// Whether nothing is counted.
    pub fn is_empty(&self) -> bool {
        self.counted.is_empty()
    }

    /// Turns of every joint after a step, from those before it.
    pub fn count(
        &self,
        scene: &Bodies,
        from: &BodiesStart,
        after: &[Twist],
        frames: &[Frame],
        theta: f64,
        turns: &mut [f64],
    ) -> Result<(), StepFailure> {
        let (before, h) = (from.before, from.h);
        let mean = |i: usize| Twist {
            v: middle(&before[i].v, &after[i].v, theta),
            w: middle(&before[i].w, &after[i].w, theta),
        };
        for &j in &self.counted {
            let growth = scene.angle_growth(j, from.frames, h, mean);
            if growth.is_nan() || growth.abs() >= PI {
                let name = &scene.joints()[j].name;
                return Err(StepFailure {
                    code: Code::TURNED_TOO_FAR,
                    t: from.t,
                    h,
                    message: format!(
                        "joint \"{name}\" turned by {growth:.3} rad in one step: its turns cannot be counted"
                    ),
                    help: format!("a step of {:.1e} turns it by a quarter of a turn", h * 0.5 * PI / growth.abs()),
                    problem: None,
                });
            }
            turns[j] = scene.turns_after(j, turns[j], from.frames, frames);
        }
        Ok(())
    }
}
