//! The equilibrium of a scene, as a scenario that starts there.

use crate::build::scenario::Scenario;
use crate::error::{Result, ScenarioError};
use percussion_model::{Code, InputError};
use percussion_step::{Settled, StepFailure, Unsettled};

/// Brings the bodies of a scenario to rest under the loads of time t; the scenario then starts there, without velocities.
pub fn settle(scenario: &mut Scenario, t: f64) -> Result<Settled> {
    let Some(scene) = scenario.problem.model.bodies() else {
        let message = "equilibrium is sought for bodies and beams";
        return Err(InputError::new(Code::UNSUPPORTED, "model.kind", message, "use kind = \"bodies\"").into());
    };
    if !scene.elastic().is_empty() {
        let message = "equilibrium of solids among bodies is not sought in this version";
        let help = "run the scene with damping until it rests, and start from there with run --from";
        return Err(InputError::new(Code::NOT_YET, "solid", message, help).into());
    }
    let settled = percussion_step::settle(scene, &scenario.problem.q0, t, scenario.step, scenario.solver);
    let settled = settled.map_err(|unsettled| match unsettled {
        Unsettled::Input(error) => error.into(),
        Unsettled::Failed(StepFailure { code, message, help, .. }) => {
            Box::<ScenarioError>::from(InputError::new(code, "", message, help))
        }
    })?;
    scenario.problem.q0.clone_from(&settled.state.q);
    scenario.problem.v0.fill(0.0);
    scenario.continued = true;
    Ok(settled)
}
