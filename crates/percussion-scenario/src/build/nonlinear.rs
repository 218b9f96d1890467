//! From `[model]` of a nonlinear kind to the model and its initial state.

use crate::build::attachments::Attachments;
use crate::build::coordinates;
use crate::build::dials::Hands;
use crate::build::linear::{Built, limit};
use crate::build::matrices::vector;
use crate::build::scenario::Description;
use crate::error::Result;
use crate::format::keys::nonlinear::{BeamSpec, OwnSpec, PendulumSpec, RockingBlockSpec};
use crate::limits::MAX_BEAM_ELEMENTS;
use crate::scene::Picture;
use percussion_model::nonlinear::{Beam, Pendulum, RockingBlock, Steered};
use percussion_model::{Code, InputError, Lagrangian, Signal};
use percussion_step::Model;
use std::sync::Arc;

/// The load of a unit of gravity on a mass whose height is the second of three coordinates [kg].
fn pull(mass: f64) -> Vec<f64> {
    vec![0.0, -mass, 0.0]
}

/// A pendulum, block or beam under the mean of its gravity.
pub struct UnderGravity<'a> {
    /// The model.
    pub model: Arc<dyn Lagrangian>,
    /// Gravity as written.
    pub gravity: &'a Signal,
    /// The load of a unit of gravity [kg].
    pub weight: Vec<f64>,
}

/// The pendulum, block or beam that a description speaks of.
pub fn under_gravity(description: &Description) -> Result<Option<UnderGravity<'_>>> {
    Ok(match description {
        Description::Pendulum(spec) => {
            let model = Arc::new(pendulum_of(spec)?);
            Some(UnderGravity { model, gravity: &spec.gravity.0, weight: pull(spec.mass) })
        }
        Description::RockingBlock(spec) => {
            let model = Arc::new(block_of(spec)?);
            Some(UnderGravity { model, gravity: &spec.gravity.0, weight: pull(spec.mass) })
        }
        Description::Beam(spec) => {
            let beam = beam_of(spec)?;
            let weight = beam.unit_weight();
            Some(UnderGravity { model: Arc::new(beam), gravity: &spec.gravity.0, weight })
        }
        Description::Linear(_)
        | Description::Bar { .. }
        | Description::Formula(_)
        | Description::Own(_)
        | Description::Bodies(..)
        | Description::Solid(_) => None,
    })
}

fn pendulum_of(spec: &PendulumSpec) -> Result<Pendulum> {
    let PendulumSpec { mass, inertia, length, wall, restitution, .. } = *spec;
    let model = Pendulum::new(mass, inertia, length, spec.gravity.0.mean, wall, restitution)?;
    Ok(model.with_friction(spec.friction.unwrap_or_default())?)
}

fn block_of(spec: &RockingBlockSpec) -> Result<RockingBlock> {
    let RockingBlockSpec { mass, width, height, restitution, .. } = *spec;
    let model = RockingBlock::new(mass, width, height, spec.gravity.0.mean, restitution)?;
    Ok(model.with_friction(spec.friction.unwrap_or_default())?)
}

fn beam_of(spec: &BeamSpec) -> Result<Beam> {
    let parts = spec.parts();
    let model = if spec.joints { Beam::with_joints(parts)? } else { Beam::new(parts)? };
    Ok(model.with_friction(spec.friction.unwrap_or_default())?)
}

/// A model of kind "pendulum"; the angle becomes the q0 that satisfies both joints.
pub fn pendulum(spec: PendulumSpec) -> Result<Built> {
    let model = pendulum_of(&spec)?;
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
    shaken(built(Description::Pendulum(spec), Arc::new(model), q0, v0, start))
}

/// A model of kind "rocking-block".
pub fn rocking_block(spec: RockingBlockSpec) -> Result<Built> {
    let model = block_of(&spec)?;
    let (q0, v0) = (vector(Some(spec.q0.clone()), 3, "model.q0")?, vector(spec.v0.clone(), 3, "model.v0")?);
    shaken(built(Description::RockingBlock(spec), Arc::new(model), q0, v0, "model.q0"))
}

/// A model of kind "beam".
pub fn beam(spec: BeamSpec) -> Result<Built> {
    limit("model.elements", "elements", spec.parts().elements, MAX_BEAM_ELEMENTS)?;
    let model = beam_of(&spec)?;
    let n = model.n();
    let start = if spec.q0.is_some() { "model.q0" } else { "model.wall" };
    let q0 = vector(spec.q0.clone().or_else(|| Some(model.straight())), n, "model.q0")?;
    let v0 = vector(spec.v0.clone(), n, "model.v0")?;
    shaken(built(Description::Beam(spec), Arc::new(model), q0, v0, start))
}

/// A model of kind "own", handed over by a program.
pub fn own(spec: OwnSpec, given: &Attachments) -> Result<Built> {
    let Some(model) = &given.model else {
        let message = "kind = \"own\" is a model written in Python or Rust, and none was handed over";
        return Err(InputError::new(Code::UNKNOWN_KIND, "model.kind", message, "describe the model by its data").into());
    };
    let n = model.n();
    let (q0, v0) = (vector(spec.q0.clone(), n, "model.q0")?, vector(spec.v0.clone(), n, "model.v0")?);
    coordinates::check(&spec.coordinates, spec.units.as_ref(), n)?;
    Picture::of_own(&spec, n)?;
    Ok(built(Description::Own(Box::new(spec)), Arc::clone(model), q0, v0, "model.q0"))
}

/// What gravity adds to its mean in time is a load.
fn shaken(built: Built) -> Result<Built> {
    let Some(UnderGravity { model, gravity, weight }) = under_gravity(&built.description)? else { return Ok(built) };
    if !gravity.is_finite() {
        let message = "a number is NaN or infinite";
        return Err(InputError::new(Code::NOT_FINITE, "model.gravity", message, "give finite numbers").into());
    }
    let varying = Signal { mean: 0.0, ..gravity.clone() };
    if varying == Signal::default() {
        return Ok(built);
    }
    let mut loads = vec![Signal::default(); weight.len()];
    loads.iter_mut().zip(weight).for_each(|(load, m)| load.add(m, &varying));
    Ok(Built { model: Model::from(Arc::new(Steered::new(model, loads)) as Arc<dyn Lagrangian>), ..built })
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
        hands: Hands::default(),
    }
}
