//! Hands on the loads, drives and motions of a model, so that a program can set them by name between steps.
//!
//!   force[i] (matrices, nonlinear models: the generalised force on coordinate i; formulas: force.NAME);   GROUP.pressure, GROUP.traction,
//!   GROUP.force (loads of solids);   BODY.force, BODY.torque;   BEAM.NODE.force, BEAM.NODE.moment;
//!   BODY.velocity, BODY.angular_velocity of bodies that are moved;   JOINT.motor, of a servo its target;   JOINT.motor.velocity of a servo;
//!   contact[i].offset_rate, ẇ of an obstacle (matrices, bars);   GROUP.velocity (supports of solids), contact[i].velocity (their obstacles);
//!   gravity: what differs from its mean as written is a load

mod reason;
mod solid;

pub use reason::reason;
pub use solid::on_solid;

use super::nonlinear::under_gravity;
use super::scenario::{Description, LinearDescription};
use crate::error::Result;
use percussion_model::bodies::{Bodies, BodyParts, Motion, Motor, NodeLoad, SceneParts, Servo};
use percussion_model::nonlinear::Steered;
use percussion_model::{Dial, Lagrangian, LinearModel, Signal};
use percussion_step::{Model, Scheme, support};
use std::sync::Arc;

/// One name and the signals behind it, one for each of its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// As in `set(name, value)`.
    pub name: String,
    /// What is set [unit].
    pub unit: &'static str,
    /// Whether it is the velocity of a place, which goes on from where it is.
    pub moves: bool,
    /// One for each number.
    pub dials: Vec<Dial>,
}

/// What a program may set, and what it may not and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hands {
    /// What can be set.
    pub controls: Vec<Control>,
    /// Names, and why there is no hand on them.
    pub refused: Vec<(String, String)>,
}

/// What hands are put on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Nothing: a run.
    Nothing,
    /// Loads and drives; the scheme does not follow obstacles that move.
    Loads,
    /// Obstacles and supports as well.
    Motions,
}

impl Reach {
    /// What a live simulation by this scheme allows.
    pub fn of(scheme: &Scheme) -> Self {
        if support(scheme.name).contains(&"moving obstacles") { Self::Motions } else { Self::Loads }
    }
}

/// Why a motion has no hand where the scheme is the reason.
const NOT_FOLLOWED: &str = "the scheme does not follow obstacles that move: use another, such as moreau-jean";

/// The model with hands on it; their names are added to those of its parts.
pub fn with_dials(description: &Description, model: Model, reach: Reach, hands: &mut Hands) -> Result<Model> {
    Ok(match (description, model.linear()) {
        (Description::Linear(description), Some(linear)) => Model::from(matrices(linear, description, reach, hands)?),
        (Description::Bar { .. }, Some(linear)) => {
            Model::from(matrices(linear, &LinearDescription::default(), reach, hands)?)
        }
        (Description::Linear(_) | Description::Bar { .. }, None) => model,
        (Description::Bodies(parts), _) => Model::from(Bodies::new(scene(parts, &mut hands.controls))?),
        (Description::Formula(spec), _) => {
            let mut parts = spec.parts();
            parts.loads = vec![Signal::default(); parts.coordinates.len()];
            for (name, load) in parts.coordinates.iter().zip(&mut parts.loads) {
                hands.controls.push(control(format!("force.{name}"), "N or N·m", std::slice::from_mut(load)));
            }
            Model::from(Arc::new(parts.model()?) as Arc<dyn Lagrangian>)
        }
        (Description::Pendulum(_) | Description::RockingBlock(_) | Description::Beam(_), _) => {
            match under_gravity(description)? {
                Some(own) => pushed(own.model, Some((own.gravity, own.weight)), hands),
                None => model,
            }
        }
        (Description::Own(_), _) => match model.lagrangian() {
            Some(own) => pushed(Arc::clone(own), None, hands),
            None => model,
        },
        // hands are put on its parts before its matrices are made
        (Description::Solid(_), _) => model,
    })
}

/// Hands on the loads of matrices, on their obstacles and on gravity where they have one.
fn matrices(
    linear: &LinearModel,
    description: &LinearDescription,
    reach: Reach,
    hands: &mut Hands,
) -> Result<LinearModel> {
    let mut loads = linear.loads().to_vec();
    // M a on the coordinates that are neither held nor condensed
    let mass = description.given.as_ref().map_or(linear.mass(), |given| &given.mass);
    let place = |i: usize| match &description.kept {
        Some(kept) => kept.iter().position(|&k| k == i),
        None => Some(i),
    };
    let weigh = |loads: &mut [Signal], sign: f64, a: &[Signal]| {
        for (i, j, m) in mass.triplets() {
            if let Some(row) = place(i).filter(|_| !description.fixed.contains(&i)) {
                loads[row].add(sign * m, &a[j]);
            }
        }
    };
    let gravity = description.gravity.as_deref().unwrap_or_default();
    let mut varying: Vec<Signal> = gravity.iter().map(|a| Signal { mean: 0.0, ..a.clone() }).collect();
    let varies = varying.iter().any(|a| *a != Signal::default());
    if varies {
        weigh(&mut loads, -1.0, &varying);
    }
    for (i, load) in loads.iter_mut().enumerate() {
        // F is set; the weight stays
        let own = description.own_load.get(i).copied().unwrap_or(0.0);
        hands.controls.push(hand(format!("force[{i}]"), "N", vec![(-own, load)], false));
    }
    if !gravity.is_empty() {
        let signals = gravity.iter().map(|a| a.mean).zip(&mut varying).collect();
        hands.controls.push(hand("gravity".into(), "m/s²", signals, false));
        weigh(&mut loads, 1.0, &varying);
    }
    let model = linear.with_loads(loads)?;
    let mut offsets: Vec<Signal> = model.contacts().iter().map(|contact| contact.offset.clone()).collect();
    for (i, offset) in offsets.iter_mut().enumerate() {
        let name = format!("contact[{i}].offset_rate");
        match reach {
            Reach::Motions => hands.controls.push(hand(name, "m/s", vec![(0.0, offset)], true)),
            Reach::Nothing | Reach::Loads => hands.refused.push((name, NOT_FOLLOWED.into())),
        }
    }
    Ok(model.with_offsets(offsets)?)
}

/// Hands on the coordinates of a nonlinear model, and on gravity where its load is one of the model's and does not depend on the place.
fn pushed(own: Arc<dyn Lagrangian>, gravity: Option<(&Signal, Vec<f64>)>, hands: &mut Hands) -> Model {
    let mut loads = vec![Signal::default(); own.n()];
    for (i, load) in loads.iter_mut().enumerate() {
        hands.controls.push(control(format!("force[{i}]"), "N or N·m", std::slice::from_mut(load)));
    }
    if let Some((g, weight)) = gravity {
        let mut difference = Signal { mean: 0.0, ..g.clone() };
        hands.controls.push(hand("gravity".into(), "m/s²", vec![(g.mean, &mut difference)], false));
        loads.iter_mut().zip(weight).for_each(|(load, m)| load.add(m, &difference));
    }
    Model::from(Arc::new(Steered::new(own, loads)) as Arc<dyn Lagrangian>)
}

fn scene(parts: &SceneParts, controls: &mut Vec<Control>) -> SceneParts {
    let mut parts = parts.clone();
    shaken(&mut parts, controls);
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

/// A hand on gravity: its mean stays a potential, what differs from it is a load on everything that has mass.
fn shaken(parts: &mut SceneParts, controls: &mut Vec<Control>) {
    let axes = if parts.planar { 2 } else { 3 };
    let lines = &mut parts.flexible;
    let of = |body: &BodyParts| body.shaking.clone();
    let first = parts.bodies.first().map(of).or(lines.beams.first().map(|beam| beam.shaking.clone()));
    let first = first.or(lines.cables.first().map(|cable| cable.shaking.clone()));
    let mut shaking = first.or(lines.reduced.first().map(|body| body.shaking.clone())).unwrap_or_default();
    let signals = parts.gravity.iter().copied().zip(&mut shaking).take(axes).collect();
    controls.push(hand("gravity".into(), "m/s²", signals, false));
    parts.bodies.iter_mut().for_each(|body| body.shaking.clone_from(&shaking));
    lines.beams.iter_mut().for_each(|beam| beam.shaking.clone_from(&shaking));
    lines.cables.iter_mut().for_each(|cable| cable.shaking.clone_from(&shaking));
    lines.reduced.iter_mut().for_each(|body| body.shaking.clone_from(&shaking));
}

/// A hand on each of the signals.
fn control(name: String, unit: &'static str, signals: &mut [Signal]) -> Control {
    hand(name, unit, signals.iter_mut().map(|signal| (0.0, signal)).collect(), false)
}

/// The same where values are set as differences from something that stays, or are velocities of places.
fn hand(name: String, unit: &'static str, signals: Vec<(f64, &mut Signal)>, moves: bool) -> Control {
    let take = |(zero, signal): (f64, &mut Signal)| {
        let dial = Dial::from_zero(zero, std::mem::take(signal));
        *signal = dial.signal();
        dial
    };
    Control { name, unit, moves, dials: signals.into_iter().map(take).collect() }
}
