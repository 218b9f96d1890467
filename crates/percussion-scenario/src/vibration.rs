//! Small vibrations of a scene about its start.

use crate::build::scenario::Scenario;
use crate::error::Result;
use percussion_model::{Code, InputError};
use percussion_step::Mode;

/// The modes of small vibration about where a scenario starts, under the loads of time t, by rising frequency.
pub fn modes(scenario: &Scenario, t: f64) -> Result<Vec<Mode>> {
    let Some(scene) = scenario.problem.model.bodies() else {
        let message = "modes are sought for bodies and beams";
        return Err(InputError::new(Code::UNSUPPORTED, "model.kind", message, "use kind = \"bodies\"").into());
    };
    percussion_step::modes(scene, &scenario.problem.q0, t).ok_or_else(|| {
        let message = format!("{} velocities: modes are sought of 1 to 1500", scene.n_v());
        InputError::new(Code::TOO_LARGE, "", message, "use fewer elements").into()
    })
}
