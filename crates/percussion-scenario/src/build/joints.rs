//! From joints as typed to joints between bodies.

use crate::build::bodies::{unknown, vector};
use crate::error::{Result, ScenarioError};
use crate::format::keys::bodies::JointSpec;
use percussion_model::bodies::{JointKind, JointParts, Motor};
use percussion_model::{Code, InputError};

/// One joint; fields are named relative to it. `find` gives the number of a body, `earlier` are the joints before it.
pub fn joint_parts(
    spec: &JointSpec,
    number: usize,
    planar: bool,
    earlier: &[JointParts],
    find: &impl Fn(&str, String) -> Result<usize>,
) -> Result<JointParts> {
    let kind = kind(spec, earlier)?;
    let body = |name: &Option<String>, key: &str| match name {
        Some(name) => find(name, key.into()),
        None => Err(missing(key, spec)),
    };
    let bodies = match kind {
        JointKind::Gear { .. } => [0, 0],
        _ => [body(&spec.a, "a")?, body(&spec.b, "b")?],
    };
    let point = |x: &Option<Vec<f64>>, key: &str| x.as_ref().map(|x| vector(x, planar, key)).transpose();
    let anchored = !matches!(kind, JointKind::Gear { .. });
    let anchor = match point(&spec.anchor, "anchor")? {
        Some(x) => x,
        None if anchored => return Err(missing("anchor", spec)),
        None => [0.0; 3],
    };
    let slides = matches!(kind, JointKind::Prismatic | JointKind::Slot { .. });
    let axis = match &spec.axis {
        Some(axis) if planar && !slides && axis.len() == 3 => [axis[0], axis[1], axis[2]],
        Some(axis) => vector(axis, planar, "axis")?,
        None if planar && slides => [1.0, 0.0, 0.0],
        None => [0.0, 0.0, 1.0],
    };
    let motor = match &spec.motor {
        None => None,
        Some(m) => match (&m.velocity, &m.force) {
            (Some(w), None) => Some(Motor::Velocity(w.0.clone())),
            (None, Some(f)) => Some(Motor::Force(f.0.clone())),
            _ => {
                let message = "a motor has a velocity or a force";
                return Err(InputError::new(Code::CONTRADICTION, "motor", message, "give one of the two").into());
            }
        },
    };
    Ok(JointParts {
        name: spec.name.clone().unwrap_or_else(|| format!("joint {number}")),
        kind,
        bodies,
        anchor,
        anchor_b: point(&spec.anchor_b, "anchor_b")?,
        axis,
        axis_b: point(&spec.axis_b, "axis_b")?,
        limits: spec.limits,
        restitution: spec.restitution.unwrap_or_default(),
        friction: spec.friction.unwrap_or_default(),
        motor,
        stiffness: spec.stiffness.unwrap_or_default(),
        damping: spec.damping.unwrap_or_default(),
        rest: spec.rest.unwrap_or_default(),
    })
}

fn kind(spec: &JointSpec, earlier: &[JointParts]) -> Result<JointKind> {
    let needs = |x: Option<f64>, key: &str| x.ok_or_else(|| missing(key, spec));
    let found = match spec.kind.as_str() {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        "cylindrical" => JointKind::Cylindrical,
        "spherical" => JointKind::Spherical,
        "distance" => JointKind::Distance,
        "screw" => JointKind::Screw { pitch: needs(spec.pitch, "pitch")? },
        "gear" => {
            let Some(names) = &spec.joints else { return Err(missing("joints", spec)) };
            let number = |name: &String| {
                let known = earlier.iter().map(|j| j.name.as_str());
                earlier
                    .iter()
                    .position(|j| j.name == *name)
                    .ok_or_else(|| unknown(name, "joints".into(), known.clone()))
            };
            let joints = [number(&names[0])?, number(&names[1])?];
            JointKind::Gear { joints, ratio: needs(spec.ratio, "ratio")? }
        }
        "journal" | "slot" => {
            let radius = needs(spec.radius, "radius")?;
            let clearance = needs(spec.clearance, "clearance")?;
            let length = spec.length.unwrap_or(0.0);
            if spec.kind == "journal" {
                JointKind::Journal { radius, clearance, length }
            } else {
                JointKind::Slot { radius, clearance, length }
            }
        }
        other => return Err(unknown(other, "kind".into(), JointKind::NAMES.into_iter())),
    };
    // a key of another kind was meant for something
    let play = matches!(found, JointKind::Journal { .. } | JointKind::Slot { .. });
    let one_point = matches!(found, JointKind::Fixed | JointKind::Revolute | JointKind::Spherical);
    let apart = spec.anchor_b.is_some() && spec.anchor_b != spec.anchor;
    let foreign = [
        ("pitch", spec.pitch.is_some(), matches!(found, JointKind::Screw { .. })),
        ("joints", spec.joints.is_some(), matches!(found, JointKind::Gear { .. })),
        ("ratio", spec.ratio.is_some(), matches!(found, JointKind::Gear { .. })),
        ("radius", spec.radius.is_some(), matches!(found, JointKind::Journal { .. } | JointKind::Slot { .. })),
        ("clearance", spec.clearance.is_some(), matches!(found, JointKind::Journal { .. } | JointKind::Slot { .. })),
        ("length", spec.length.is_some(), matches!(found, JointKind::Journal { .. } | JointKind::Slot { .. })),
        ("friction: only play rubs", is_set(spec.friction), play),
        ("restitution without limits or play", is_set(spec.restitution), play || spec.limits.is_some()),
        ("rest without stiffness", is_set(spec.rest), is_set(spec.stiffness)),
        ("anchor_b away from its anchor: its bodies share one point", apart, !one_point),
    ];
    if let Some((key, ..)) = foreign.into_iter().find(|(_, given, known)| *given && !known) {
        let message = format!("a {} joint has no {key}", found.name());
        let field = key.split([' ', ':']).next().unwrap_or(key);
        return Err(InputError::new(Code::CONTRADICTION, field, message, "remove it, or choose another kind").into());
    }
    Ok(found)
}

/// Whether a number that is zero when absent was given another value.
fn is_set(x: Option<f64>) -> bool {
    x.is_some_and(|x| x != 0.0)
}

fn missing(key: &str, spec: &JointSpec) -> Box<ScenarioError> {
    let message = format!("{key} is missing: a {} joint needs it", spec.kind);
    InputError::new(Code::WRONG_TYPE, key, message, format!("add {key} = …")).into()
}
