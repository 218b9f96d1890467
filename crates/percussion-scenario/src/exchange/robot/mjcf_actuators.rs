//! Actuators of MJCF as servos and motors on joints, through gears and through tendons that wind on joints which move together.
//!
//!   l = g Σ w_i c_i,    c_i = a_i c + b_i on one joint:    l = G c + L;    a force f along l is G f on the joint
//!   position  f = kp (u − l) − kv l̇;    velocity  f = kv (u − l̇);    general  f = k u + b₀ + b₁ l + b₂ l̇
//!   dampratio ζ  kv = 2 ζ √(kp M/G²),  M = m or I about the axis of all that hangs on the joint, at its zero, and the rotor

use super::mjcf_defaults::Settings;
use super::pose::Pose;
use super::xml::all;
use super::{Freedom, Robot, Servo};
use crate::error::Result;
use percussion_model::bodies::math::{cross, dot, mul, mul_t, norm, sub};
use roxmltree::Node;
use std::collections::BTreeMap;

/// What the control of an actuator asks of a joint's coordinate: slope u + at_zero.
pub struct Target {
    pub joint: String,
    pub slope: f64,
    pub at_zero: f64,
}

/// What an actuator pulls: joint, G and L.
#[derive(Clone, Copy)]
struct Pull {
    joint: usize,
    gain: f64,
    offset: f64,
}

/// Reads all actuators; gives what the control of each asks for, in order.
pub fn read(
    file: &str,
    settings: &Settings,
    root: &Node,
    references: &BTreeMap<String, f64>,
    robot: &mut Robot,
) -> Result<Vec<Option<Target>>> {
    let mut order = Vec::new();
    for n in all(root, "actuator").flat_map(|section| section.children().filter(Node::is_element).collect::<Vec<_>>()) {
        let (tag, name) = (n.tag_name().name(), n.attribute("name").unwrap_or_default());
        match pull(file, settings, root, &n, references, robot)? {
            Ok(pull) => order.push(actuator(file, settings, &n, pull, robot)?),
            Err(why) => {
                robot.notes.push(format!("actuator \"{name}\": <{tag}> {why}"));
                order.push(None);
            }
        }
    }
    Ok(order)
}

/// The one joint an actuator moves, or why there is none.
fn pull(
    file: &str,
    settings: &Settings,
    root: &Node,
    n: &Node,
    references: &BTreeMap<String, f64>,
    robot: &Robot,
) -> Result<std::result::Result<Pull, String>> {
    let gear = settings.number(file, n, "", "gear")?.unwrap_or(1.0);
    let joint = settings.get(n, "", "joint").or_else(|| settings.get(n, "", "jointinparent"));
    let mut parts: Vec<(String, f64)> = Vec::new();
    if let Some(joint) = joint {
        parts.push((joint.to_string(), gear));
    } else if let Some(tendon) = settings.get(n, "", "tendon") {
        let fixed = all(root, "tendon").flat_map(|s| all(&s, "fixed").collect::<Vec<_>>());
        let Some(tendon) = fixed.into_iter().find(|t| t.attribute("name") == Some(tendon)) else {
            return Ok(Err("on a tendon that winds on no joints".into()));
        };
        for wound in all(&tendon, "joint") {
            let weight = settings.number(file, &wound, "", "coef")?.unwrap_or(1.0);
            parts.push((wound.attribute("joint").unwrap_or_default().to_string(), gear * weight));
        }
    } else {
        return Ok(Err("on no hinge or slide".into()));
    }
    // followers move with their leaders
    let mut pulls: Vec<Pull> = Vec::new();
    for (name, weight) in parts {
        let (mut at, mut gain, mut offset) = (name, weight, 0.0);
        offset += gain * references.get(&at).copied().unwrap_or(0.0);
        for _ in 0..64 {
            let leader = robot.joints.iter().find(|j| j.name == at).and_then(|j| j.mimic.clone());
            let Some((leader, factor, more)) = leader else { break };
            offset += gain * more;
            (at, gain) = (leader, gain * factor);
        }
        let Some(joint) = robot.joints.iter().position(|j| j.name == at && j.has_coordinate()) else {
            return Ok(Err("on no hinge or slide".into()));
        };
        match pulls.iter_mut().find(|pull| pull.joint == joint) {
            Some(pull) => (pull.gain, pull.offset) = (pull.gain + gain, pull.offset + offset),
            None => pulls.push(Pull { joint, gain, offset }),
        }
    }
    Ok(match pulls[..] {
        [one] if one.gain != 0.0 => Ok(one),
        [_] | [] => Err("moves nothing".into()),
        _ => Err(format!("on a tendon over {} joints that move by themselves", pulls.len())),
    })
}

/// One actuator.
fn actuator(file: &str, settings: &Settings, n: &Node, pull: Pull, robot: &mut Robot) -> Result<Option<Target>> {
    let (tag, name) = (n.tag_name().name(), n.attribute("name").unwrap_or_default());
    let of = |key: &str| settings.numbers(file, n, "", key);
    let first = |key: &str, absent: f64| {
        Ok::<f64, Box<crate::error::ScenarioError>>(of(key)?.and_then(|x| x.first().copied()).unwrap_or(absent))
    };
    let Pull { joint: k, gain: G, offset } = pull;
    let square = G * G;
    let before = robot.joints[k].servo.unwrap_or_default();
    let filtered = first("timeconst", 0.0)? > 0.0
        || settings.get(n, "", "dyntype").is_some_and(|kind| !["none", "integrator"].contains(&kind));
    if filtered {
        robot.notes.push(format!("actuator \"{name}\": its activation, which follows the control with a delay"));
    }
    let control = control(file, settings, n, pull, robot)?;
    // f = slope u + at rest − stiffness l − damping l̇
    let (slope, rest, stiffness, damping) = match tag {
        "position" | "intvelocity" => {
            let kp = first("kp", 1.0)?;
            let ratio = first("dampratio", 0.0)?;
            let critical =
                if ratio > 0.0 { ratio * 2.0 * (kp * moved(robot, k) / square).max(0.0).sqrt() } else { 0.0 };
            (kp, 0.0, kp, first("kv", 0.0)? + critical)
        }
        "velocity" => (0.0, 0.0, 0.0, first("kv", 1.0)?),
        "general" if settings.get(n, "", "biastype") == Some("affine") => {
            let bias = of("biasprm")?.unwrap_or_default();
            let at = |k: usize| bias.get(k).copied().unwrap_or(0.0);
            let gain = first("gainprm", 1.0)?;
            // a positive b₂ is a damping ratio where k = −b₁
            let ratio = if gain == -at(1) { at(2).max(0.0) } else { 0.0 };
            let critical = ratio * 2.0 * (gain * moved(robot, k) / square).max(0.0).sqrt();
            (gain, at(0), -at(1), (-at(2)).max(0.0) + critical)
        }
        "motor" | "general" => {
            let joint = &mut robot.joints[k];
            joint.pushed = true;
            joint.comment = format!("control u is a force of {G} u");
            return Ok(None);
        }
        _ => {
            robot.notes.push(format!("actuator \"{name}\": <{tag}>"));
            return Ok(None);
        }
    };
    let damping = damping * square;
    let mut target = None;
    let mut servo = Servo { damping: before.damping + damping, ..before };
    if stiffness > 0.0 {
        // G (slope u + rest − stiffness (G c + offset)) = stiffness G² (c* − c)
        let asked = Target {
            joint: robot.joints[k].name.clone(),
            slope: slope / (stiffness * G),
            at_zero: (rest - stiffness * offset) / (stiffness * G),
        };
        // two servos on a joint are one at their mean
        let own = stiffness * square;
        servo.stiffness = before.stiffness + own;
        servo.target =
            (before.stiffness * before.target + own * (asked.slope * control + asked.at_zero)) / servo.stiffness;
        target = Some(asked);
    }
    robot.joints[k].servo = Some(servo);
    limit(file, settings, n, pull, robot)?;
    Ok(target)
}

/// The control nearest to zero.
fn control(file: &str, settings: &Settings, n: &Node, pull: Pull, robot: &Robot) -> Result<f64> {
    let inherited = settings.number(file, n, "", "inheritrange")?.filter(|x| *x > 0.0);
    let range = match (inherited, robot.joints[pull.joint].limits) {
        (Some(part), Some([low, high])) => {
            let ends = [low, high].map(|c| pull.gain * c + pull.offset);
            let (middle, half) = (0.5 * (ends[0] + ends[1]), 0.5 * part * (ends[1] - ends[0]).abs());
            Some([middle - half, middle + half])
        }
        _ => settings.numbers(file, n, "", "ctrlrange")?.and_then(|x| <[f64; 2]>::try_from(x).ok()),
    };
    let limited = settings.get(n, "", "ctrllimited") != Some("false");
    Ok(range.filter(|[low, high]| limited && low < high).map_or(0.0, |[low, high]| 0.0_f64.clamp(low, high)))
}

/// The most a servo pushes with: by the actuator, and by the joint.
fn limit(file: &str, settings: &Settings, n: &Node, pull: Pull, robot: &mut Robot) -> Result<()> {
    let name = n.attribute("name").unwrap_or_default();
    let range = settings.numbers(file, n, "", "forcerange")?.filter(|r| r.len() == 2 && r[0] < r[1]);
    let limited = settings.get(n, "", "forcelimited") != Some("false");
    let joint = &mut robot.joints[pull.joint];
    let mut most = joint.most;
    if let Some(range) = range.filter(|_| limited) {
        let larger = range[0].abs().max(range[1].abs());
        most = Some(most.map_or(larger * pull.gain.abs(), |other| other.min(larger * pull.gain.abs())));
        if range[0] != -range[1] {
            robot.notes.push(format!("actuator \"{name}\": it pushes with up to {larger} either way, not {range:?}"));
        }
    }
    if let (Some(most), Some(servo)) = (most, &mut robot.joints[pull.joint].servo) {
        servo.limit = Some(servo.limit.map_or(most, |other| other.max(most)));
    }
    Ok(())
}

/// Mass, or moment of inertia about the axis, of all that hangs on a joint at its zero, and its rotor.
fn moved(robot: &Robot, j: usize) -> f64 {
    let joint = &robot.joints[j];
    let mut sum = joint.armature;
    let (mut at, mut next) = (vec![(joint.child, Pose::IDENTITY)], 0);
    while let Some((link, pose)) = at.get(next).copied() {
        next += 1;
        let here = &robot.links[link];
        if joint.freedom == Freedom::Turn {
            // aᵀI a + m |a × d|²
            let d = pose.point(&here.centre);
            let arm = cross(&joint.axis, &sub(&d, &joint.anchor));
            let own = mul_t(&pose.R, &joint.axis);
            sum += dot(&own, &mul(&here.inertia, &own)) + here.mass * norm(&arm).powi(2);
        } else {
            sum += here.mass;
        }
        let below = robot.joints.iter().filter(|other| other.parent == link && other.freedom != Freedom::Everything);
        at.extend(below.map(|other| (other.child, pose.then(&other.moved(0.0)))));
    }
    sum
}

/// Springs and dampers written as a time T and a damping ratio ζ: k = M/(T ζ)², d = 2 M/T.
pub fn springdampers<'a>(written: impl Iterator<Item = (&'a str, [f64; 2])>, robot: &mut Robot) {
    for (name, [time, ratio]) in written {
        let Some(j) = robot.joints.iter().position(|joint| joint.name == name && joint.has_coordinate()) else {
            continue;
        };
        let M = moved(robot, j);
        robot.joints[j].stiffness = M / (time * ratio).powi(2);
        robot.joints[j].damping = 2.0 * M / time;
    }
}
