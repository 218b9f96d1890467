//! The configuration a robot starts in: joint angles that are asked for, keyframes, limits, mimics; where every link then stands.
//!
//!   c_joint = c_asked, else the file's, brought into its limits but where it helps to close a loop;    mimic: c = multiplier · c_leader + offset

use super::pose::Pose;
use super::{ImportOptions, Robot, refuse};
use crate::error::Result;
use percussion_model::bodies::math::dot;
use std::collections::BTreeMap;

/// What limits may miss by rounding [rad or m].
const ROUNDED: f64 = 1e-6;

/// Coordinates and places at the start.
pub struct Start {
    /// Coordinate of each joint.
    pub c: Vec<f64>,
    /// World pose of each link.
    pub poses: Vec<Pose>,
}

impl Start {
    /// Places every link.
    pub fn new(file: &str, robot: &mut Robot, options: &ImportOptions) -> Result<Self> {
        let asked = asked(file, robot, options)?;
        let mut c: Vec<f64> = Vec::new();
        for joint in &robot.joints {
            c.push(asked.get(joint.name.as_str()).copied().unwrap_or(joint.start));
        }
        let looped = in_loops(robot);
        for k in 0..c.len() {
            let joint = &mut robot.joints[k];
            let Some([low, high]) = &mut joint.limits else { continue };
            let (l, h) = (*low, *high);
            if (l - ROUNDED..=h + ROUNDED).contains(&c[k]) {
                (*low, *high) = (l.min(c[k]), h.max(c[k]));
            } else if asked.contains_key(joint.name.as_str()) {
                let message = format!("joint \"{}\" at {} is outside its limits [{l}, {h}]", joint.name, c[k]);
                return refuse(file, message, "choose an angle between them");
            } else if looped[k] {
                // the file says where its loops close: one joint moved alone would open them
                (*low, *high) = (l.min(c[k]), h.max(c[k]));
                robot.notes.push(format!(
                    "joint \"{}\": {} is outside its limits [{l}, {h}] where the file closes its loop: they are widened to it",
                    joint.name, c[k]
                ));
            } else {
                let from = c[k];
                c[k] = c[k].clamp(l, h);
                robot.notes.push(format!(
                    "joint \"{}\": {from} is outside its limits [{l}, {h}]: it starts at {}",
                    joint.name, c[k]
                ));
            }
        }
        follow(robot, &mut c);
        let mut start = Self { c, poses: vec![Pose::IDENTITY; robot.links.len()] };
        start.place(robot);
        Ok(start)
    }

    fn place(&mut self, robot: &Robot) {
        let mut below: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (j, joint) in robot.joints.iter().enumerate() {
            below.entry(joint.parent).or_default().push(j);
        }
        let mut reached: Vec<usize> = Vec::new();
        for &(root, pose) in &robot.roots {
            self.poses[root] = pose;
            reached.push(root);
        }
        while let Some(link) = reached.pop() {
            for &j in below.get(&link).into_iter().flatten() {
                let joint = &robot.joints[j];
                self.poses[joint.child] = self.poses[link].then(&joint.moved(self.c[j]));
                reached.push(joint.child);
            }
        }
    }

    /// Height of the lowest point of all shapes against gravity, and the direction up.
    pub fn lowest(&self, robot: &Robot) -> f64 {
        let up = [0.0, 0.0, 1.0];
        let mut lowest = f64::INFINITY;
        for (link, pose) in robot.links.iter().zip(&self.poses) {
            for shape in &link.shapes {
                let at = pose.then(&shape.pose);
                super::floor::points(&shape.form, |p, radius| lowest = lowest.min(dot(&up, &at.point(p)) - radius));
            }
        }
        if lowest.is_finite() { lowest } else { 0.0 }
    }
}

/// Which joints lie between the two links of a joint that closes a loop.
fn in_loops(robot: &Robot) -> Vec<bool> {
    let above = |link: usize| {
        let (mut joints, mut at) = (Vec::new(), link);
        while let Some(j) = robot.joints.iter().position(|joint| joint.child == at).filter(|j| !joints.contains(j)) {
            joints.push(j);
            at = robot.joints[j].parent;
        }
        joints
    };
    let mut looped = vec![false; robot.joints.len()];
    for held in &robot.loops {
        let [a, b] = held.links.map(above);
        for j in a.iter().filter(|j| !b.contains(j)).chain(b.iter().filter(|j| !a.contains(j))) {
            looped[*j] = true;
        }
    }
    looped
}

/// Coordinates that the user asks for, by joint.
fn asked(file: &str, robot: &mut Robot, options: &ImportOptions) -> Result<BTreeMap<String, f64>> {
    let mut found = BTreeMap::new();
    for (name, angle) in &options.pose {
        let Some(angle) = angle else {
            let Some(frame) = robot.keyframes.iter().find(|known| known.name == *name).cloned() else {
                let known: Vec<&str> = robot.keyframes.iter().map(|known| known.name.as_str()).collect();
                let help = if known.is_empty() {
                    "write joint=angle".into()
                } else {
                    format!("known are: {}", known.join(", "))
                };
                return refuse(file, format!("there is no keyframe \"{name}\""), &help);
            };
            for (joint, target) in &frame.targets {
                let of = robot.joints.iter_mut().find(|j| j.name == *joint);
                of.and_then(|j| j.servo.as_mut()).into_iter().for_each(|servo| servo.target = *target);
            }
            for (link, pose) in &frame.roots {
                robot.roots.iter_mut().filter(|(root, _)| root == link).for_each(|(_, at)| *at = *pose);
            }
            found.extend(frame.coordinates);
            continue;
        };
        if !robot.joints.iter().any(|j| j.name == *name && j.has_coordinate()) {
            let near = crate::format::suggest::help(
                name,
                robot.joints.iter().filter(|j| j.has_coordinate()).map(|j| j.name.as_str()),
            );
            return refuse(file, format!("there is no joint \"{name}\" to set"), &near);
        }
        found.insert(name.clone(), *angle);
    }
    Ok(found)
}

/// Joints that mimic others take their values, chains of them included.
fn follow(robot: &mut Robot, c: &mut [f64]) {
    for _ in 0..robot.joints.len().min(64) {
        let mut changed = false;
        for k in 0..c.len() {
            let Some((leader, factor, offset)) = &robot.joints[k].mimic else { continue };
            let Some(l) = robot.joints.iter().position(|j| j.name == *leader) else { continue };
            let value = factor * c[l] + offset;
            changed |= value != c[k];
            c[k] = value;
            // a follower's limits hold where it starts
            if let Some([low, high]) = &mut robot.joints[k].limits {
                (*low, *high) = (low.min(value), high.max(value));
            }
        }
        if !changed {
            return;
        }
    }
}
