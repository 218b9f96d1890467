//! From joints as typed to joints between bodies.

use crate::build::bodies::{unknown, vector};
use crate::build::flexible::Names;
use crate::build::keys::Keys;
use crate::build::load::Source;
use crate::error::{Result, ScenarioError};
use crate::format::keys::joints::{JointFields, JointSpec, MotorSpec};
use crate::format::values::SignalSpec;
use percussion_model::bodies::joints::Anchor;
use percussion_model::bodies::math::Vec3;
use percussion_model::bodies::{Acts, JointKind, JointParts, Motor, Servo};
use percussion_model::{Code, InputError};

/// One joint; fields are named relative to it. `names` are those of bodies, `earlier` are the joints before it.
pub fn joint_parts(
    spec: &JointSpec,
    number: usize,
    planar: bool,
    earlier: &[JointParts],
    names: &Names,
    source: &Source,
) -> Result<JointParts> {
    let keys = Keys { table: &spec.own, source, earlier };
    let spec = &spec.fields;
    let kind = JointKind::read(&spec.kind, &keys)
        .unwrap_or_else(|| Err(unknown(&spec.kind, "kind".into(), JointKind::NAMES.iter().copied())))?;
    check_meaning(spec, &kind)?;
    let point = |x: &Option<Vec<f64>>, key: &str| x.as_ref().map(|x| vector(x, planar, key)).transpose();
    let places = [point(&spec.anchor, "anchor")?, point(&spec.anchor_b, "anchor_b")?];
    let body = |name: &Option<String>, part, place: Option<Vec3>, key: &str| match name {
        Some(name) => names.joined(name, part, place.as_ref(), key),
        None => Err(missing(key, spec)),
    };
    let anchored = kind.anchor() != Anchor::Nowhere;
    let bodies = if anchored {
        [
            body(&spec.a, ([spec.a_node, spec.a_marker], spec.a_group.as_ref()), places[0], "a")?,
            body(&spec.b, ([spec.b_node, spec.b_marker], spec.b_group.as_ref()), places[1].or(places[0]), "b")?,
        ]
    } else {
        [0, 0]
    };
    let anchor = match places[0] {
        Some(x) => x,
        None if anchored => return Err(missing("anchor", spec)),
        None => [0.0; 3],
    };
    let slides = kind.slides();
    let axis = match &spec.axis {
        Some(axis) if planar && !slides && axis.len() == 3 => [axis[0], axis[1], axis[2]],
        Some(axis) => vector(axis, planar, "axis")?,
        None if planar && slides => [1.0, 0.0, 0.0],
        None => [0.0, 0.0, 1.0],
    };
    let motor = spec.motor.as_ref().map(motor).transpose()?;
    let acts = match spec.acts.as_deref() {
        None | Some("both") => Acts::Both,
        Some("above") => Acts::Above,
        Some("below") => Acts::Below,
        Some(other) => return Err(unknown(other, "acts".into(), ["both", "above", "below"].into_iter())),
    };
    Ok(JointParts {
        name: spec.name.clone().unwrap_or_else(|| format!("joint {number}")),
        kind,
        bodies,
        anchor,
        anchor_b: places[1],
        axis,
        axis_b: point(&spec.axis_b, "axis_b")?,
        limits: spec.limits,
        restitution: spec.restitution.unwrap_or_default(),
        friction: spec.friction.unwrap_or_default(),
        motor,
        stiffness: spec.stiffness.unwrap_or_default(),
        damping: spec.damping.unwrap_or_default(),
        rest: spec.rest.unwrap_or_default(),
        friction_force: spec.friction_force.unwrap_or_default(),
        armature: spec.armature.unwrap_or_default(),
        acts,
        points: match &spec.points {
            Some(points) => points.iter().map(|x| vector(x, planar, "points")).collect::<Result<_>>()?,
            None => Vec::new(),
        },
        closed: spec.closed.unwrap_or_default(),
        tables: [spec.force_table.clone().unwrap_or_default(), spec.rate_table.clone().unwrap_or_default()],
    })
}

/// A motor: at a rate, with a force, or a servo, which has a stiffness or a damping.
fn motor(spec: &MotorSpec) -> Result<Motor> {
    let MotorSpec { velocity, force, target, stiffness, damping, limit } = spec;
    let signal = |s: &Option<SignalSpec>| s.as_ref().map(|s| s.0.clone());
    let servo = is_set(*stiffness) || is_set(*damping) || limit.is_some();
    match (signal(velocity), signal(force), signal(target)) {
        (Some(velocity), None, None) if !servo => Ok(Motor::Velocity(velocity)),
        (None, Some(force), None) if !servo => Ok(Motor::Force(force)),
        (velocity, None, target) if velocity.is_some() || target.is_some() => {
            if target.is_none() && is_set(*stiffness) {
                let message = "a servo with stiffness needs a target";
                return Err(InputError::new(Code::CONTRADICTION, "motor.target", message, "add target = …").into());
            }
            Ok(Motor::Servo(Servo {
                target: target.unwrap_or_default(),
                velocity,
                stiffness: stiffness.unwrap_or(0.0),
                damping: damping.unwrap_or(0.0),
                limit: limit.unwrap_or(f64::INFINITY),
            }))
        }
        _ => {
            let message =
                "a motor has a velocity or a force, or is a servo with a target, stiffness, damping and limit";
            let help = "give one of the three";
            Err(InputError::new(Code::CONTRADICTION, "motor", message, help).into())
        }
    }
}

/// Refuses keys that would do nothing.
fn check_meaning(spec: &JointFields, kind: &JointKind) -> Result<()> {
    let play = kind.has_play();
    let apart = spec.anchor_b.is_some() && spec.anchor_b != spec.anchor;
    let idle = [
        (
            "friction",
            "friction: it belongs to joints with play; friction_force is a moment or force",
            is_set(spec.friction) && !play,
        ),
        (
            "restitution",
            "restitution without limits, play or backlash",
            is_set(spec.restitution) && !play && spec.limits.is_none() && kind.backlash() == 0.0,
        ),
        (
            "acts",
            "acts without stiffness",
            spec.acts.as_deref().is_some_and(|acts| acts != "both") && !is_set(spec.stiffness),
        ),
        ("points", "points: they belong to curve and cam", spec.points.is_some() && !kind.follows()),
        ("closed", "closed: it belongs to curve and cam", spec.closed == Some(true) && !kind.follows()),
        ("rest", "rest without stiffness", is_set(spec.rest) && !is_set(spec.stiffness)),
        (
            "anchor_b",
            "anchor_b away from its anchor: its bodies share one point",
            apart && kind.anchor() == Anchor::Shared,
        ),
    ];
    match idle.into_iter().find(|(_, _, idle)| *idle) {
        Some((field, what, _)) => {
            let message = format!("a {} joint has no {what}", kind.name());
            Err(InputError::new(Code::CONTRADICTION, field, message, "remove it, or choose another kind").into())
        }
        None => Ok(()),
    }
}

/// Whether a number that is zero when absent was given another value.
fn is_set(x: Option<f64>) -> bool {
    x.is_some_and(|x| x != 0.0)
}

fn missing(key: &str, spec: &JointFields) -> Box<ScenarioError> {
    let message = format!("{key} is missing: a {} joint needs it", spec.kind);
    InputError::new(Code::WRONG_TYPE, key, message, format!("add {key} = …")).into()
}
