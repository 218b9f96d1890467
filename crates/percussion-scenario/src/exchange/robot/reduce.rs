//! Fewer links, the same mechanics: those fixed to each other become one, those without mass at the ends are removed.
//!
//!   m c = Σ m_k c_k,    I = Σ I_k + m_k (|d_k|² 1 − d_k d_kᵀ)
//!
//! A link without mass in the middle of a chain stays without (`massless`), where its joints move it only as what has mass follows: the axes
//! of a chain of such links must be independent. Others, and those with shapes, take a millionth of their child's mass, placed where the
//! child is, and the child keeps the rest: the total and its inertia about the joint at the start are exact.

use super::pose::Pose;
use super::{Form, Freedom, Link, Robot, RobotJoint};
use percussion_model::bodies::math::{Mat3, Vec3, cross, dot, mul, mul_mat, norm, sub, transpose};

/// The part of a child's matter that a massless link before it takes.
const SHARE: f64 = 1e-6;

/// Under all weight of a robot, a metre away, a damper that lets a joint move no faster than this holds it [m/s or rad/s].
const HELD: f64 = 1e-6;

/// Merges, removes and shares; joints that `asked` names start where the user says.
pub fn reduce(robot: &mut Robot, asked: &[(String, Option<f64>)]) {
    drop_missing_leaders(robot);
    hold_damped(robot, asked);
    while let Some(j) = robot.joints.iter().position(|joint| joint.freedom == Freedom::Nothing) {
        merge(robot, j);
    }
    // links that move freely are roots where they stand
    while let Some(j) = robot.joints.iter().position(|joint| joint.freedom == Freedom::Everything) {
        let joint = robot.joints.remove(j);
        let pose = place_of(robot, joint.parent).then(&joint.pose);
        robot.roots.push((joint.child, pose));
    }
    remove_ends(robot);
    share(robot);
    hold_loose(robot);
    forget_lost(robot);
}

/// Files hold a joint by a damper that nothing moves: its rate, times the damper, would be round-off times 1e11.
fn hold_damped(robot: &mut Robot, asked: &[(String, Option<f64>)]) {
    let weight = norm(&robot.gravity) * robot.links.iter().map(|link| link.mass).sum::<f64>();
    let leads = |name: &str| robot.joints.iter().any(|j| j.mimic.as_ref().is_some_and(|(leader, ..)| leader == name));
    let held: Vec<usize> = (0..robot.joints.len())
        .filter(|&j| {
            let joint = &robot.joints[j];
            let named =
                asked.iter().any(|(name, _)| *name == joint.name) || leads(&joint.name) || joint.mimic.is_some();
            weight > 0.0 && joint.damping * HELD > weight && joint.servo.is_none() && !joint.pushed && !named
        })
        .collect();
    for j in held {
        let joint = &mut robot.joints[j];
        let c = joint.limits.map_or(0.0, |[low, high]| 0.0_f64.clamp(low, high));
        let note =
            format!("joint \"{}\": its damper of {:.0e} lets nothing move it: it is held", joint.name, joint.damping);
        (joint.pose, joint.freedom) = (joint.moved(c), Freedom::Nothing);
        robot.notes.push(note);
    }
}

/// Where a link stands with all coordinates zero.
fn place_of(robot: &Robot, link: usize) -> Pose {
    let (mut pose, mut at) = (Pose::IDENTITY, link);
    while let Some(joint) = robot.joints.iter().find(|joint| joint.child == at) {
        pose = joint.pose.then(&pose);
        at = joint.parent;
    }
    robot.roots.iter().find(|(root, _)| *root == at).map_or(pose, |(_, root)| root.then(&pose))
}

/// A joint that mimics itself or one that is not there follows nothing.
fn drop_missing_leaders(robot: &mut Robot) {
    let movable: Vec<String> = robot.joints.iter().filter(|j| j.has_coordinate()).map(|j| j.name.clone()).collect();
    for joint in &mut robot.joints {
        let lost = |(leader, factor, _): &(String, f64, f64)| {
            *leader == joint.name || !movable.contains(leader) || *factor == 0.0
        };
        if joint.mimic.as_ref().is_some_and(lost) {
            let leader = joint.mimic.take().map(|(leader, ..)| leader).unwrap_or_default();
            robot
                .notes
                .push(format!("joint \"{}\": it mimics \"{leader}\", which has no coordinate to follow", joint.name));
        }
    }
}

/// The child of a fixed joint becomes part of its parent.
fn merge(robot: &mut Robot, j: usize) {
    let joint = robot.joints.remove(j);
    let child = std::mem::replace(&mut robot.links[joint.child], Link::new(""));
    let parent = &mut robot.links[joint.parent];
    for mut shape in child.shapes {
        shape.pose = joint.pose.then(&shape.pose);
        parent.shapes.push(shape);
    }
    for mut look in child.looks {
        look.pose = joint.pose.then(&look.pose);
        parent.looks.push(look);
    }
    (0..2).for_each(|k| parent.masks[k] |= child.masks[k]);
    let R = &joint.pose.R;
    let inertia = mul_mat(&mul_mat(R, &child.inertia), &transpose(R));
    add(parent, child.mass, &joint.pose.point(&child.centre), &inertia);
    for other in &mut robot.joints {
        if other.parent == joint.child {
            other.parent = joint.parent;
            other.pose = joint.pose.then(&other.pose);
        }
    }
    for held in &mut robot.loops {
        for (side, link) in held.links.iter_mut().enumerate() {
            if *link == joint.child {
                *link = joint.parent;
                if side == 0 {
                    held.anchor = joint.pose.point(&held.anchor);
                    held.axis = joint.pose.direction(&held.axis);
                }
            }
        }
    }
    let named = robot.excluded.iter_mut().chain(&mut robot.paired).flatten();
    named.filter(|link| **link == joint.child).for_each(|link| *link = joint.parent);
}

/// Adds mass at a place to a link.
fn add(link: &mut Link, mass: f64, centre: &Vec3, inertia: &Mat3) {
    let total = link.mass + mass;
    if total == 0.0 {
        // inertia without mass is moved with the frame
        (0..3).for_each(|i| (0..3).for_each(|j| link.inertia[i][j] += inertia[i][j]));
        return;
    }
    let place: Vec3 = std::array::from_fn(|k| (link.mass * link.centre[k] + mass * centre[k]) / total);
    let (a, b) = (sub(&link.centre, &place), sub(centre, &place));
    for i in 0..3 {
        for j in 0..3 {
            let steiner = |m: f64, d: &Vec3| m * (if i == j { dot(d, d) } else { 0.0 } - d[i] * d[j]);
            link.inertia[i][j] += inertia[i][j] + steiner(link.mass, &a) + steiner(mass, &b);
        }
    }
    (link.mass, link.centre) = (total, place);
}

/// Whether a link has neither mass nor inertia.
pub fn is_massless(link: &Link) -> bool {
    link.mass <= 0.0 && link.inertia.iter().flatten().all(|x| *x == 0.0)
}

/// Links without mass that carry nothing with mass say nothing about the motion.
fn remove_ends(robot: &mut Robot) {
    loop {
        let end = robot.joints.iter().position(|joint| {
            let leaf = robot.joints.iter().all(|other| other.parent != joint.child);
            leaf && is_massless(&robot.links[joint.child])
                && robot.loops.iter().all(|l| !l.links.contains(&joint.child))
        });
        let Some(j) = end else { return };
        let joint = robot.joints.remove(j);
        let link = std::mem::replace(&mut robot.links[joint.child], Link::new(""));
        let shapes =
            if link.shapes.is_empty() { String::new() } else { format!(" with its {} shapes", link.shapes.len()) };
        robot.notes.push(format!(
            "link \"{}\" has no mass and carries none: removed with joint \"{}\"{shapes}",
            link.name, joint.name
        ));
    }
}

/// A root without mass that nothing is joined to stays where it is, as Bullet takes it.
fn hold_loose(robot: &mut Robot) {
    let joined: Vec<usize> = robot.joints.iter().flat_map(|j| [j.parent, j.child]).collect();
    for (root, _) in &robot.roots {
        let link = &mut robot.links[*root];
        if !link.fixed && is_massless(link) && !link.shapes.is_empty() && !joined.contains(root) {
            link.fixed = true;
            robot.notes.push(format!("link \"{}\" has no mass: fixed", link.name));
        }
        if !link.fixed && link.shapes.iter().any(|shape| shape.form == Form::Plane) {
            link.shapes.retain(|shape| shape.form != Form::Plane);
            robot.notes.push(format!("link \"{}\": a plane that moves", link.name));
        }
        // moments without mass are what Bullet's files write for what stands still
        if !link.fixed && link.mass <= 0.0 && !is_massless(link) {
            link.fixed = true;
            robot.notes.push(format!("link \"{}\" has moments of inertia and no mass: fixed", link.name));
        }
    }
}

/// Links without mass in the middle stay so, or take a share of the first link with mass below them, from the ends inwards.
fn share(robot: &mut Robot) {
    let light: Vec<bool> = robot.links.iter().map(is_massless).collect();
    let mut kept = vec![false; light.len()];
    for link in (0..light.len()).filter(|&link| light[link] && !robot.links[link].fixed) {
        kept[link] = robot.links[link].shapes.is_empty() && is_held(robot, &light, link);
    }
    loop {
        let shares = |link: usize| is_massless(&robot.links[link]) && !kept[link] && !robot.links[link].fixed;
        let Some(j) = robot.joints.iter().position(|j| shares(j.parent) && !shares(j.child)) else { return };
        let RobotJoint { parent, mut child, mut pose, .. } = robot.joints[j].clone();
        while let Some(next) = robot.joints.iter().find(|joint| light[child] && joint.parent == child) {
            (pose, child) = (pose.then(&next.pose), next.child);
        }
        let from = robot.links[child].clone();
        let inertia = mul_mat(&mul_mat(&pose.R, &from.inertia), &transpose(&pose.R)).map(|row| row.map(|x| SHARE * x));
        add(&mut robot.links[parent], SHARE * from.mass, &pose.point(&from.centre), &inertia);
        let below = &mut robot.links[child];
        below.mass *= 1.0 - SHARE;
        below.inertia = below.inertia.map(|row| row.map(|x| (1.0 - SHARE) * x));
        let name = &robot.links[parent].name;
        robot.notes.push(format!(
            "link \"{name}\" has no mass: it takes a millionth of that of \"{}\"",
            robot.links[child].name
        ));
    }
}

/// Whether a link without mass follows what has mass: of the chain of such links it is in, the axes of turns are independent at
/// coordinates zero, and so are those of shifts.
fn is_held(robot: &Robot, light: &[bool], link: usize) -> bool {
    let into = |link: usize| robot.joints.iter().find(|joint| joint.child == link);
    let out_of = |link: usize| robot.joints.iter().filter(|joint| joint.parent == link).collect::<Vec<_>>();
    let mut first = link;
    while let Some(joint) = into(first).filter(|joint| light[joint.parent] && !robot.links[joint.parent].fixed) {
        first = joint.parent;
    }
    let Some(mut joint) = into(first) else { return false };
    let (mut R, mut axes) = (percussion_model::bodies::math::IDENTITY, [Vec::new(), Vec::new()]);
    loop {
        R = mul_mat(&R, &joint.pose.R);
        let of = match joint.freedom {
            Freedom::Turn => &mut axes[0],
            Freedom::Slide => &mut axes[1],
            Freedom::Nothing | Freedom::Ball | Freedom::Everything => return false,
        };
        of.push(mul(&R, &joint.axis));
        if !light[joint.child] {
            break;
        }
        match out_of(joint.child)[..] {
            [next] => joint = next,
            _ => return false,
        }
    }
    axes.iter().all(|axes| are_independent(axes))
}

/// Whether directions are far from depending on each other.
fn are_independent(axes: &[Vec3]) -> bool {
    let volume = match axes {
        [] | [_] => 1.0,
        [a, b] => norm(&cross(a, b)),
        [a, b, c] => dot(a, &cross(b, c)).abs(),
        _ => 0.0,
    };
    volume > 0.05
}

/// What is said about links and joints that are gone is forgotten.
fn forget_lost(robot: &mut Robot) {
    robot.excluded.retain(|[a, b]| a != b);
    drop_missing_leaders(robot);
    // a free root without mass or shape is nothing
    let used: Vec<usize> = robot.joints.iter().flat_map(|j| [j.parent, j.child]).collect();
    let nothing = |link: &Link| is_massless(link) && link.shapes.is_empty();
    let (links, mut lost) = (&robot.links, Vec::new());
    robot.roots.retain(|(root, _)| {
        let keep = used.contains(root) || !nothing(&links[*root]);
        if !keep && !links[*root].name.is_empty() {
            lost.push(links[*root].name.clone());
        }
        keep
    });
    // a file that holds nothing is a scene of its world
    if let Some(first) = robot.links.first_mut().filter(|_| robot.roots.is_empty()) {
        first.fixed = true;
        robot.roots.push((0, Pose::IDENTITY));
        lost.clear();
    }
    robot.notes.extend(lost.iter().map(|name| format!("link \"{name}\" has neither mass nor shape: left out")));
}
