//! Hands on the loads, drives and motions of a model, so that a program can set them by name between steps.
//!
//!   force[i] (matrices, nonlinear models: the generalised force on coordinate i; formulas: force.NAME);   GROUP.pressure, GROUP.traction,
//!   GROUP.force (loads of solids);   BODY.force, BODY.torque;   BEAM.NODE.force, BEAM.NODE.moment;
//!   BODY.velocity, BODY.angular_velocity of bodies that are moved;   JOINT.motor, of a servo its target;   JOINT.motor.velocity of a servo;
//!   contact[i].offset_rate, ẇ of an obstacle (matrices, bars);   GROUP.velocity (supports of solids), contact[i].velocity (their obstacles);
//!   SOLID.GROUP.pressure and the like (loads of solids among bodies);   parameters.NAME, parameters.NAME.rate (formulas);
//!   gravity: what differs from its mean as written is a load

mod formula;
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
        (Description::Bodies(parts, ..), _) => Model::from(Bodies::new(scene(parts, &mut hands.controls)?)?),
        (Description::Formula(spec), _) => {
            let parts = formula::with_dials(spec.parts(), reach, hands)?;
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
    let varying: Vec<Signal> = gravity.iter().map(|a| Signal { mean: 0.0, ..a.clone() }).collect();
    // F is set; the weight stays
    let mut own = loads.clone();
    if !gravity.is_empty() {
        weigh(&mut own, -1.0, &varying);
    }
    for (i, (load, own)) in loads.iter_mut().zip(own).enumerate() {
        let weight = description.own_load.get(i).copied().unwrap_or(0.0);
        let dial = Dial::beside(-weight, own);
        load.add(1.0, &dial.signal());
        hands.controls.push(Control { name: format!("force[{i}]"), unit: "N", moves: false, dials: vec![dial] });
    }
    if !gravity.is_empty() {
        let (control, differences) = of_gravity(gravity);
        hands.controls.push(control);
        weigh(&mut loads, 1.0, &differences);
    }
    let model = linear.with_loads(loads)?;
    let mut offsets: Vec<Signal> = model.contacts().iter().map(|contact| contact.offset.clone()).collect();
    for (i, offset) in offsets.iter_mut().enumerate() {
        let name = format!("contact[{i}].offset_rate");
        match reach {
            Reach::Motions => hands.controls.push(hand(name, "m/s", vec![offset], true)),
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
        let (control, differences) = of_gravity(std::slice::from_ref(g));
        hands.controls.push(control);
        for (load, m) in loads.iter_mut().zip(weight) {
            load.add(m, &Signal { mean: 0.0, ..g.clone() });
            differences.iter().for_each(|difference| load.add(m, difference));
        }
    }
    Model::from(Arc::new(Steered::new(own, loads)) as Arc<dyn Lagrangian>)
}

fn scene(parts: &SceneParts, controls: &mut Vec<Control>) -> Result<SceneParts> {
    let mut parts = parts.clone();
    shaken(&mut parts, controls);
    let (along, about) = if parts.planar { (0..2, 2..3) } else { (0..3, 0..3) };
    for BodyParts { name, motion, force, torque, .. } in &mut parts.bodies {
        match motion {
            Motion::Free => {
                controls.push(load(format!("{name}.force"), "N", &mut force[along.clone()]));
                controls.push(load(format!("{name}.torque"), "N·m", &mut torque[about.clone()]));
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
            let mut own = NodeLoad { body: body + node, force: Default::default(), moment: Default::default() };
            controls.push(load(format!("{name}.{node}.force"), "N", &mut own.force[along.clone()]));
            controls.push(load(format!("{name}.{node}.moment"), "N·m", &mut own.moment[about.clone()]));
            parts.flexible.loads.push(own);
        }
        body += bodies;
    }
    solid::among_bodies(&mut parts.flexible.solids, controls)?;
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
    Ok(parts)
}

/// A hand on gravity: its mean stays a potential, what differs from it is a load on everything that has mass.
fn shaken(parts: &mut SceneParts, controls: &mut Vec<Control>) {
    let axes = if parts.planar { 2 } else { 3 };
    let lines = &mut parts.flexible;
    let of = |body: &BodyParts| body.shaking.clone();
    let first = parts.bodies.first().map(of).or(lines.beams.first().map(|beam| beam.shaking.clone()));
    let first = first.or(lines.cables.first().map(|cable| cable.shaking.clone()));
    let first = first.or(lines.reduced.first().map(|body| body.shaking.clone()));
    let mut shaking = first.or(lines.solids.first().map(|solid| solid.shaking.clone())).unwrap_or_default();
    let written: Vec<Signal> =
        shaking.iter().zip(parts.gravity).map(|(a, mean)| Signal { mean, ..a.clone() }).take(axes).collect();
    let (control, differences) = of_gravity(&written);
    controls.push(control);
    shaking.iter_mut().zip(&differences).for_each(|(a, difference)| a.add(1.0, difference));
    parts.bodies.iter_mut().for_each(|body| body.shaking.clone_from(&shaking));
    lines.beams.iter_mut().for_each(|beam| beam.shaking.clone_from(&shaking));
    lines.cables.iter_mut().for_each(|cable| cable.shaking.clone_from(&shaking));
    lines.reduced.iter_mut().for_each(|body| body.shaking.clone_from(&shaking));
    lines.solids.iter_mut().for_each(|solid| solid.shaking.clone_from(&shaking));
}

/// A hand on gravity, and what it adds to gravity as written, which stays.
fn of_gravity(written: &[Signal]) -> (Control, Vec<Signal>) {
    let dials: Vec<Dial> = written.iter().map(|a| Dial::beside(a.mean, Signal { mean: 0.0, ..a.clone() })).collect();
    let differences = dials.iter().map(Dial::signal).collect();
    (Control { name: "gravity".into(), unit: "m/s²", moves: false, dials }, differences)
}

/// A hand beside each of the loads: what is set acts in their place.
fn load(name: String, unit: &'static str, loads: &mut [Signal]) -> Control {
    let beside = |load: &mut Signal| {
        let dial = Dial::beside(0.0, load.clone());
        load.add(1.0, &dial.signal());
        dial
    };
    Control { name, unit, moves: false, dials: loads.iter_mut().map(beside).collect() }
}

/// A hand on each of the signals.
fn control(name: String, unit: &'static str, signals: &mut [Signal]) -> Control {
    hand(name, unit, signals.iter_mut().collect(), false)
}

/// The same where they may be places, whose velocities are set.
fn hand(name: String, unit: &'static str, signals: Vec<&mut Signal>, moves: bool) -> Control {
    let take = |signal: &mut Signal| {
        let dial = Dial::new(std::mem::take(signal));
        *signal = dial.signal();
        dial
    };
    Control { name, unit, moves, dials: signals.into_iter().map(take).collect() }
}
