//! Why a name has no hand on it, in words.

use super::super::scenario::{Description, Scenario};
use percussion_model::bodies::Motion;

/// Why a thing that exists cannot be set, where that is so.
pub fn reason(scenario: &Scenario, name: &str) -> Option<String> {
    if let Some((_, why)) = scenario.hands.refused.iter().find(|(refused, _)| refused == name) {
        return Some(why.clone());
    }
    let moving = name.starts_with("contact[");
    match &scenario.description {
        Description::Linear(_) if name == "gravity" => {
            Some("the model has none: write gravity = [0, …] in [model]".into())
        }
        Description::Bar { .. } if name == "gravity" => Some("a bar has none: set force[i]".into()),
        Description::Formula(_) if name == "gravity" => {
            Some("it is a parameter of the formulas: set parameters.NAME, by the name it has there".into())
        }
        Description::Own(_) if name == "gravity" => Some("it is inside your functions: push by force[i]".into()),
        Description::Formula(_) if moving => {
            Some("the gap is yours: let it use a parameter that is a signal, and set parameters.NAME.rate".into())
        }
        Description::Own(_) if moving => Some("the gap is yours: let it depend on t".into()),
        Description::Pendulum(_) | Description::RockingBlock(_) | Description::Beam(_) if moving => {
            Some("the wall of this kind of model stands still: use bodies, or a formula with gap(q, t)".into())
        }
        Description::Bodies(parts, ..) => {
            let (object, what) = name.rsplit_once('.')?;
            if let Some(body) = parts.bodies.iter().find(|body| body.name == object) {
                return match (&body.motion, what) {
                    (Motion::Fixed, "velocity" | "angular_velocity") => {
                        Some("it is fixed: give it motion = { velocity = [0, …] } instead of fixed = true".into())
                    }
                    (Motion::Fixed, "force" | "torque") => Some("it is fixed, and no load moves it".into()),
                    (Motion::Free, "velocity" | "angular_velocity") => {
                        Some(format!("it moves freely: push it by {object}.force, or assign a state"))
                    }
                    (Motion::Prescribed { .. }, "force" | "torque") => {
                        Some(format!("its motion is prescribed: set {object}.velocity"))
                    }
                    (Motion::Free | Motion::Fixed | Motion::Prescribed { .. }, _) => None,
                };
            }
            if parts
                .flexible
                .solids
                .iter()
                .any(|solid| object.strip_prefix(&*solid.name).is_some_and(|s| s.starts_with('.')))
            {
                return Some(
                    "its loads can be set: write one, such as [[solid.load]] with group and force = [0, …]".into(),
                );
            }
            let joint = parts.joints.iter().find(|joint| joint.name == object)?;
            (what == "motor" && joint.motor.is_none())
                .then(|| "it has no motor: give it motor = { force = 0.0 }, or { velocity = 0.0 }, or a target".into())
        }
        Description::Linear(_)
        | Description::Bar { .. }
        | Description::Pendulum(_)
        | Description::RockingBlock(_)
        | Description::Beam(_)
        | Description::Formula(_)
        | Description::Own(_)
        | Description::Solid(_) => None,
    }
}
