//! Joints of SDF: of one axis, of two (with a link without mass between them), of none; those that close a loop.
//!
//!   universal, revolute2  parent –axis– cross –axis2– child;    screw  parent –slide– nut –turn– child, slide = p/2π · turn

use super::pose::Pose;
use super::sdf::{Scope, pose, triple, value};
use super::sdf_tree::Element;
use super::{Freedom, Link, Loop, Robot, RobotJoint, refuse};
use crate::error::Result;
use percussion_model::bodies::math::{mul_t, norm, scale};
use std::collections::BTreeMap;

/// The joints of a model and of those within it.
pub fn read(scope: &Scope, placed: &BTreeMap<usize, Pose>, robot: &mut Robot) -> Result<()> {
    for n in scope.element().all("joint") {
        joint(scope, n, placed, robot)?;
    }
    scope.models().try_for_each(|inner| read(inner, placed, robot))
}

/// The end of a joint; `None` for the world.
fn end(scope: &Scope, n: &Element, tag: &'static str, robot: &mut Robot) -> Result<Option<Option<usize>>> {
    let name = n.words(tag).unwrap_or_default();
    if name == "world" {
        return Ok(Some(None));
    }
    match scope.link(name, 0) {
        Some(link) => Ok(Some(Some(link))),
        // it may be in a model that was not found
        None if name.contains("::") => {
            robot.notes.push(format!("joint \"{}\": its {tag} \"{name}\" is not there", n.name()));
            Ok(None)
        }
        None => refuse(scope.file, format!("joint \"{}\" has no {tag} link \"{name}\"", n.name()), "name a link"),
    }
}

fn joint(scope: &Scope, n: &Element, placed: &BTreeMap<usize, Pose>, robot: &mut Robot) -> Result<()> {
    let name = format!("{}{}", scope.prefix(), n.name());
    let (Some(parent), Some(child)) = (end(scope, n, "parent", robot)?, end(scope, n, "child", robot)?) else {
        return Ok(());
    };
    let kind = n.attribute("type").unwrap_or_default();
    let freedoms: &[Freedom] = match kind {
        "revolute" | "continuous" => &[Freedom::Turn],
        "prismatic" => &[Freedom::Slide],
        "fixed" => &[Freedom::Nothing],
        "ball" => &[Freedom::Ball],
        "universal" | "revolute2" => &[Freedom::Turn, Freedom::Turn],
        "screw" => &[Freedom::Slide, Freedom::Turn],
        "gearbox" => {
            robot.notes.push(format!("joint \"{name}\": a gearbox between joints"));
            return Ok(());
        }
        other => {
            robot.notes.push(format!("joint \"{name}\" of type \"{other}\": the link moves freely"));
            return Ok(());
        }
    };
    // the world may be either end
    let (parent, child) = match (parent, child) {
        (parent, Some(child)) => (parent, child),
        (Some(parent), None) => (None, parent),
        (None, None) => {
            return refuse(scope.file, format!("joint \"{name}\" joins the world to itself"), "name a link");
        }
    };
    let (parent, from) = match parent {
        Some(parent) => (parent, placed[&parent]),
        None if freedoms == [Freedom::Nothing] && robot.joints.iter().all(|joint| joint.child != child) => {
            robot.links[child].fixed = true;
            return Ok(());
        }
        None => (world(robot), Pose::IDENTITY),
    };
    if parent == child {
        return refuse(scope.file, format!("joint \"{name}\" joins a link to itself"), "name two links");
    }
    let below = placed[&child];
    // the joint's frame in the world, then in its child
    let frame = scope.pose.then(&match n.name() {
        "" => pose(scope.file, n)?,
        own => scope.frame(own, 0)?,
    });
    let inner = frame.seen_from(&below);
    let closes =
        |child: usize, robot: &Robot| robot.joints.iter().any(|joint| joint.child == child) || robot.links[child].fixed;
    if hangs_on(robot, parent, child) || closes(child, robot) {
        if closes(parent, robot) || hangs_on(robot, parent, child) || hangs_on(robot, child, parent) {
            return close(scope, n, (&name, freedoms), [parent, child], (&frame, &from), robot);
        }
        // written from its end: the other way round
        let mut turned = RobotJoint::new(&name, freedoms[0], child, parent, from.seen_from(&below));
        if freedoms.len() > 1 {
            robot.notes.push(format!("joint \"{name}\" of type \"{kind}\", which is written from its end: left out"));
            return Ok(());
        }
        turned.anchor = frame.seen_from(&from).x;
        describe(scope, n, "axis", (&mut turned, &frame, &from))?;
        // what turns forwards seen from one side turns backwards seen from the other
        turned.axis = turned.axis.map(|x| -x);
        robot.joints.push(turned);
        return Ok(());
    }
    let mut at = parent;
    let mut offset = below.seen_from(&from);
    for (k, freedom) in freedoms.iter().enumerate() {
        let last = k + 1 == freedoms.len();
        let next = if last { child } else { between(robot, &format!("{name} cross")) };
        let own = if k == 0 { name.clone() } else { format!("{name} {}", k + 1) };
        let mut joint = RobotJoint::new(&own, *freedom, at, next, offset);
        joint.anchor = inner.x;
        let axis = if k == 1 && kind != "screw" { "axis2" } else { "axis" };
        describe(scope, n, axis, (&mut joint, &frame, &below))?;
        if kind == "screw" {
            pitch(scope, n, k, &name, &mut joint)?;
        }
        robot.joints.push(joint);
        (at, offset) = (next, Pose::IDENTITY);
    }
    Ok(())
}

/// The slide of a screw follows its turn, to which limits and friction belong.
fn pitch(scope: &Scope, n: &Element, k: usize, name: &str, joint: &mut RobotJoint) -> Result<()> {
    if k == 1 {
        return Ok(());
    }
    let per_turn = match (value(scope.file, n, "screw_thread_pitch")?, value(scope.file, n, "thread_pitch")?) {
        (Some(pitch), _) => pitch / std::f64::consts::TAU,
        // radians for a metre, the other way round
        (None, Some(pitch)) if pitch != 0.0 => -1.0 / pitch,
        (None, _) => 1.0 / std::f64::consts::TAU,
    };
    (joint.limits, joint.damping, joint.stiffness, joint.friction_force) = (None, 0.0, 0.0, 0.0);
    joint.mimic = Some((format!("{name} 2"), per_turn, 0.0));
    Ok(())
}

/// Whether a link is above another.
fn hangs_on(robot: &Robot, link: usize, above: usize) -> bool {
    let mut at = link;
    for _ in 0..=robot.joints.len() {
        if at == above {
            return true;
        }
        match robot.joints.iter().find(|joint| joint.child == at) {
            Some(joint) => at = joint.parent,
            None => return false,
        }
    }
    true
}

/// A joint whose links hang together already.
fn close(
    scope: &Scope,
    n: &Element,
    (name, freedoms): (&str, &[Freedom]),
    links: [usize; 2],
    (frame, from): (&Pose, &Pose),
    robot: &mut Robot,
) -> Result<()> {
    let [freedom] = freedoms else {
        robot.notes.push(format!("joint \"{name}\", which closes a loop with two axes"));
        return Ok(());
    };
    let mut told = RobotJoint::new(name, *freedom, links[0], links[1], Pose::IDENTITY);
    describe(scope, n, "axis", (&mut told, frame, from))?;
    if told.limits.is_some() || told.damping + told.stiffness + told.friction_force > 0.0 {
        robot.notes.push(format!("joint \"{name}\", which closes a loop: its limits, damping, spring and friction"));
    }
    let anchor = frame.seen_from(from).x;
    robot.loops.push(Loop {
        name: name.to_string(),
        freedom: *freedom,
        links,
        anchor,
        axis: told.axis,
        softness: None,
    });
    Ok(())
}

/// The ground as a link.
fn world(robot: &mut Robot) -> usize {
    if let Some(known) = robot.links.iter().position(|link| link.name == "world" && link.fixed) {
        return known;
    }
    robot.links.push(Link { fixed: true, ..Link::new("world") });
    robot.roots.push((robot.links.len() - 1, Pose::IDENTITY));
    robot.links.len() - 1
}

fn between(robot: &mut Robot, name: &str) -> usize {
    robot.links.push(Link::new(name));
    robot.links.len() - 1
}

/// Axis, limits, damping, spring, friction and mimic of a joint whose frame stands there, seen from a link.
fn describe(
    scope: &Scope,
    n: &Element,
    tag: &str,
    (joint, frame, link): (&mut RobotJoint, &Pose, &Pose),
) -> Result<()> {
    let file = scope.file;
    let Some(axis) = n.child(tag) else {
        joint.axis = mul_t(&link.R, &frame.direction(&[0.0, 0.0, 1.0]));
        return Ok(());
    };
    let d = triple(file, axis, "xyz")?.unwrap_or([0.0, 0.0, 1.0]);
    if norm(&d) == 0.0 && joint.has_coordinate() {
        return refuse(
            file,
            format!("joint \"{}\" moves along an axis of length zero", joint.name),
            "give a direction",
        );
    }
    if norm(&d) > 0.0 {
        let d = scale(1.0 / norm(&d), &d);
        let named = axis.child("xyz").and_then(|x| x.attribute("expressed_in")).filter(|name| !name.is_empty());
        let old = scope.has_old_axes() || axis.says("use_parent_model_frame");
        let in_world = match named {
            Some(name) => scope.pose.then(&scope.frame(name, 0)?).direction(&d),
            None if old => scope.pose.direction(&d),
            None => frame.direction(&d),
        };
        joint.axis = mul_t(&link.R, &in_world);
    }
    if let Some(limit) = axis.child("limit") {
        let (low, high) = (value(file, limit, "lower")?, value(file, limit, "upper")?);
        // 1e16 stands for none
        joint.limits = low.zip(high).filter(|(l, h)| l < h && *l > -1e15 && *h < 1e15).map(|(l, h)| [l, h]);
        for (tag, unit) in [("effort", "N·m or N"), ("velocity", "rad/s or m/s")] {
            if let Some(x) = value(file, limit, tag)?.filter(|x| *x > 0.0 && *x < 1e15) {
                joint.comment += &format!("{}{tag} ≤ {x} {unit}", if joint.comment.is_empty() { "" } else { ", " });
            }
        }
    }
    if let Some(dynamics) = axis.child("dynamics") {
        joint.damping = value(file, dynamics, "damping")?.unwrap_or(0.0).max(0.0);
        joint.stiffness = value(file, dynamics, "spring_stiffness")?.unwrap_or(0.0).max(0.0);
        joint.rest = value(file, dynamics, "spring_reference")?.unwrap_or(0.0);
        joint.friction_force = value(file, dynamics, "friction")?.unwrap_or(0.0).max(0.0);
    }
    if let Some(mimic) = axis.child("mimic") {
        let leader = mimic.attribute("joint").unwrap_or_default();
        let of = |tag: &str, other: f64| {
            Ok::<f64, Box<crate::error::ScenarioError>>(value(file, mimic, tag)?.unwrap_or(other))
        };
        let (factor, offset, reference) = (of("multiplier", 1.0)?, of("offset", 0.0)?, of("reference", 0.0)?);
        joint.mimic = Some((format!("{}{leader}", scope.prefix()), factor, offset - factor * reference));
    }
    Ok(())
}
