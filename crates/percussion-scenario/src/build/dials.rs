//! Hands on the loads and drives of a model, so that a program can set them by name between steps.
//!
//!   force[i] (matrices, nonlinear models: the generalised force on coordinate i; formulas: force.NAME);   GROUP.pressure, GROUP.traction,
//!   GROUP.force (loads of solids);   BODY.force, BODY.torque;   BEAM.NODE.force, BEAM.NODE.moment;
//!   BODY.velocity, BODY.angular_velocity of bodies that are moved;   JOINT.motor, of a servo its target;   JOINT.motor.velocity of a servo

use super::scenario::Description;
use percussion_model::bodies::{Bodies, BodyParts, Motion, Motor, NodeLoad, SceneParts, Servo};
use percussion_model::nonlinear::Steered;
use percussion_model::solid::{LoadKind, SolidParts};
use percussion_model::{Dial, InputError, Signal};
use percussion_step::Model;
use std::sync::Arc;

/// One name and the signals behind it, one for each of its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// As in `set(name, value)`.
    pub name: String,
    /// What is set [unit].
    pub unit: &'static str,
    /// One for each number.
    pub dials: Vec<Dial>,
}

/// The model with hands on it, and their names; models whose loads cannot be set stay as they are.
pub fn with_dials(description: &Description, model: Model) -> Result<(Model, Vec<Control>), InputError> {
    let mut controls = Vec::new();
    let model = match description {
        Description::Linear(_) | Description::Bar { .. } => match model.linear() {
            Some(linear) => {
                let mut loads = linear.loads().to_vec();
                for (i, force) in loads.iter_mut().enumerate() {
                    controls.push(control(format!("force[{i}]"), "N", std::slice::from_mut(force)));
                }
                Model::from(linear.with_loads(loads)?)
            }
            None => model,
        },
        Description::Bodies(parts) => Model::from(Bodies::new(scene(parts, &mut controls))?),
        Description::Formula(spec) => {
            let mut parts = spec.parts();
            parts.loads = vec![Signal::default(); parts.coordinates.len()];
            for (name, load) in parts.coordinates.iter().zip(&mut parts.loads) {
                controls.push(control(format!("force.{name}"), "N or N·m", std::slice::from_mut(load)));
            }
            Model::from(Arc::new(parts.model()?) as Arc<dyn percussion_model::Lagrangian>)
        }
        Description::Pendulum(_) | Description::RockingBlock(_) | Description::Beam(_) | Description::Own(_) => {
            match model.lagrangian().cloned() {
                Some(own) => {
                    let mut loads = vec![Signal::default(); own.n()];
                    for (i, load) in loads.iter_mut().enumerate() {
                        controls.push(control(format!("force[{i}]"), "N or N·m", std::slice::from_mut(load)));
                    }
                    Model::from(Arc::new(Steered::new(own, loads)) as Arc<dyn percussion_model::Lagrangian>)
                }
                None => model,
            }
        }
        // hands are put on its parts before its matrices are made
        Description::Solid(_) => model,
    };
    Ok((model, controls))
}

/// Hands on the loads of a solid, by the names of their groups. Supports keep their motion: one that is set would jump.
pub fn on_solid(parts: &mut SolidParts) -> Vec<Control> {
    let mut controls: Vec<Control> = Vec::new();
    let mut take = |group: &str, what: &str, unit, signals: &mut [Signal]| {
        let name = format!("{group}.{what}");
        let before = controls.iter().filter(|c| c.name == name || c.name.starts_with(&format!("{name}["))).count();
        let name = if before == 0 { name } else { format!("{name}[{before}]") };
        controls.push(control(name, unit, signals));
    };
    for load in &mut parts.loads {
        match &mut load.kind {
            LoadKind::Pressure(signal) => take(&load.group, "pressure", "Pa", std::slice::from_mut(signal)),
            LoadKind::Traction(signals) => take(&load.group, "traction", "Pa", signals),
            LoadKind::Nodal(signals) => take(&load.group, "force", "N", signals),
        }
    }
    controls
}

fn scene(parts: &SceneParts, controls: &mut Vec<Control>) -> SceneParts {
    let mut parts = parts.clone();
    let (along, about) = if parts.planar { (0..2, 2..3) } else { (0..3, 0..3) };
    for BodyParts { name, motion, force, torque, .. } in &mut parts.bodies {
        match motion {
            Motion::Free => {
                controls.push(control(format!("{name}.force"), "N", &mut force[along.clone()]));
                controls.push(control(format!("{name}.torque"), "N·m", &mut torque[about.clone()]));
            }
            Motion::Prescribed { velocity, angular_velocity } => {
                controls.push(control(format!("{name}.velocity"), "m/s", &mut velocity[along.clone()]));
                let turning = &mut angular_velocity[about.clone()];
                controls.push(control(format!("{name}.angular_velocity"), "rad/s", turning));
            }
            Motion::Fixed => {}
        }
    }
    let lines: Vec<(String, usize, usize)> =
        parts.flexible.lines().map(|(name, nodes, bodies)| (name.to_string(), nodes, bodies)).collect();
    let mut body = parts.bodies.len();
    for (name, nodes, bodies) in lines {
        for node in 0..nodes {
            let mut load = NodeLoad { body: body + node, force: Default::default(), moment: Default::default() };
            controls.push(control(format!("{name}.{node}.force"), "N", &mut load.force[along.clone()]));
            controls.push(control(format!("{name}.{node}.moment"), "N·m", &mut load.moment[about.clone()]));
            parts.flexible.loads.push(load);
        }
        body += bodies;
    }
    for joint in &mut parts.joints {
        let (signal, unit) = match &mut joint.motor {
            Some(Motor::Velocity(signal)) => (signal, "rad/s or m/s"),
            Some(Motor::Force(signal)) => (signal, "N·m or N"),
            Some(Motor::Servo(Servo { target, velocity, stiffness, .. })) => {
                if let Some(velocity) = velocity {
                    let name = format!("{}.motor.velocity", joint.name);
                    controls.push(control(name, "rad/s or m/s", std::slice::from_mut(velocity)));
                }
                if *stiffness == 0.0 {
                    continue;
                }
                (target, "rad or m")
            }
            None => continue,
        };
        controls.push(control(format!("{}.motor", joint.name), unit, std::slice::from_mut(signal)));
    }
    parts
}

/// A hand on each of the signals.
fn control(name: String, unit: &'static str, signals: &mut [Signal]) -> Control {
    let dials: Vec<Dial> = signals.iter().map(|signal| Dial::new(signal.clone())).collect();
    signals.iter_mut().zip(&dials).for_each(|(signal, dial)| *signal = dial.signal());
    Control { name, unit, dials }
}
