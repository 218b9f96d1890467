//! From `[model]` of a nonlinear kind to the model and its initial state.

use crate::build::attachments::Attachments;
use crate::build::linear::{Built, limit};
use crate::build::matrices::vector;
use crate::build::scenario::Description;
use crate::error::Result;
use crate::format::keys::nonlinear::{BeamSpec, OwnSpec, PendulumSpec, RockingBlockSpec};
use crate::limits::MAX_BEAM_ELEMENTS;
use crate::scene::Picture;
use percussion_model::nonlinear::{Beam, Pendulum, RockingBlock};
use percussion_model::{Code, InputError, Lagrangian};
use percussion_step::Model;
use std::sync::Arc;

/// A model of kind "pendulum"; the angle becomes the q0 that satisfies both joints.
pub fn pendulum(spec: PendulumSpec) -> Result<Built> {
    let PendulumSpec { mass, inertia, length, gravity, wall, restitution, .. } = spec;
    let model = Pendulum::new(mass, inertia, length, gravity, wall, restitution)?;
    let model = model.with_friction(spec.friction.unwrap_or_default())?;
    let (q0, start) = match (spec.angle, spec.q0.clone()) {
        (Some(angle), None) => {
            let angle = vector(Some(vec![angle]), 1, "model.angle")?[0];
            (model.at_angle(angle).to_vec(), "model.angle")
        }
        (None, Some(q0)) => (vector(Some(q0), 3, "model.q0")?, "model.q0"),
        (Some(_), Some(_)) => {
            let message = "angle and q0 both say where the pendulum starts";
            return Err(InputError::new(Code::CONTRADICTION, "model.angle", message, "remove one of the two").into());
        }
        (None, None) => {
            let message = "angle is missing, and so is q0";
            let help = "add angle = … [rad, from the horizontal], or q0 = [x, y, θ]";
            return Err(InputError::new(Code::WRONG_TYPE, "model.angle", message, help).into());
        }
    };
    let v0 = vector(spec.v0.clone(), 3, "model.v0")?;
    Ok(built(Description::Pendulum(spec), Arc::new(model), q0, v0, start))
}

/// A model of kind "rocking-block".
pub fn rocking_block(spec: RockingBlockSpec) -> Result<Built> {
    let RockingBlockSpec { mass, width, height, gravity, restitution, .. } = spec;
    let model = RockingBlock::new(mass, width, height, gravity, restitution)?;
    let model = model.with_friction(spec.friction.unwrap_or_default())?;
    let (q0, v0) = (vector(Some(spec.q0.clone()), 3, "model.q0")?, vector(spec.v0.clone(), 3, "model.v0")?);
    Ok(built(Description::RockingBlock(spec), Arc::new(model), q0, v0, "model.q0"))
}

/// A model of kind "beam".
pub fn beam(spec: BeamSpec) -> Result<Built> {
    let parts = spec.parts();
    limit("model.elements", "elements", parts.elements, MAX_BEAM_ELEMENTS)?;
    let model = if spec.joints { Beam::with_joints(parts)? } else { Beam::new(parts)? };
    let model = model.with_friction(spec.friction.unwrap_or_default())?;
    let n = model.n();
    let start = if spec.q0.is_some() { "model.q0" } else { "model.wall" };
    let q0 = vector(spec.q0.clone().or_else(|| Some(model.straight())), n, "model.q0")?;
    let v0 = vector(spec.v0.clone(), n, "model.v0")?;
    Ok(built(Description::Beam(spec), Arc::new(model), q0, v0, start))
}

/// A model of kind "own", handed over by a program.
pub fn own(spec: OwnSpec, given: &Attachments) -> Result<Built> {
    let Some(model) = &given.model else {
        let message = "kind = \"own\" is a model written in Python or Rust, and none was handed over";
        return Err(InputError::new(Code::UNKNOWN_KIND, "model.kind", message, "describe the model by its data").into());
    };
    let n = model.n();
    let (q0, v0) = (vector(spec.q0.clone(), n, "model.q0")?, vector(spec.v0.clone(), n, "model.v0")?);
    Picture::of_own(&spec, n)?;
    Ok(built(Description::Own(Box::new(spec)), Arc::clone(model), q0, v0, "model.q0"))
}

fn built(
    description: Description,
    model: Arc<dyn Lagrangian>,
    q0: Vec<f64>,
    v0: Vec<f64>,
    start: &'static str,
) -> Built {
    Built {
        description,
        model: Model::from(model),
        q0,
        v0,
        start: Some(start),
        tables: Vec::new(),
        controls: Vec::new(),
    }
}
