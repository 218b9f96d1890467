//! Robots that begin inside a plane of their own file, which programs with soft contacts push out of it.
//!
//!   free trees are raised along the normal by what their lowest point lacks;    what is held in a plane does not meet it
//!
//! Both are said, and so is what the file itself keeps from a plane.

use super::pose::Pose;
use super::start::Start;
use super::{Form, Robot};
use percussion_model::bodies::math::{Vec3, axpy, dot, sub};

/// Raised by this more: a start that overlaps by round-off is refused [m].
const CLEAR: f64 = 1e-9;

/// A plane of the ground: its link, its number among the planes of that link, where it stands.
struct Ground {
    link: usize,
    number: usize,
    pose: Pose,
}

impl Ground {
    fn normal(&self) -> Vec3 {
        self.pose.direction(&[0.0, 0.0, 1.0])
    }
}

fn grounds(robot: &Robot, start: &Start) -> Vec<Ground> {
    let mut found = Vec::new();
    for (link, of) in robot.links.iter().enumerate() {
        for (number, shape) in of.shapes.iter().filter(|s| s.form == Form::Plane).enumerate() {
            found.push(Ground { link, number, pose: start.poses[link].then(&shape.pose) });
        }
    }
    found
}

/// Whether the file lets a link meet a plane.
fn meets(robot: &Robot, ground: &Ground, link: usize) -> bool {
    let ([c1, a1], [c2, a2]) = (robot.links[ground.link].masks, robot.links[link].masks);
    let excluded = robot.excluded.iter().any(|pair| pair.contains(&ground.link) && pair.contains(&link));
    let paired = || robot.paired.iter().any(|pair| pair.contains(&ground.link) && pair.contains(&link));
    (c1 & a2 != 0 || c2 & a1 != 0 || paired()) && !excluded
}

/// How far the lowest point of a link is above a plane; infinite where it has no shape.
fn height(robot: &Robot, start: &Start, ground: &Ground, link: usize) -> f64 {
    let (mut height, n) = (f64::INFINITY, ground.normal());
    for shape in &robot.links[link].shapes {
        let at = start.poses[link].then(&shape.pose);
        super::floor::points(&shape.form, |p, radius| {
            height = height.min(dot(&n, &sub(&at.point(p), &ground.pose.x)) - radius);
        });
    }
    height
}

/// A link and all that hangs from it.
fn tree_of(robot: &Robot, root: usize) -> Vec<usize> {
    let (mut tree, mut at) = (vec![root], 0);
    while let Some(&link) = tree.get(at) {
        tree.extend(robot.joints.iter().filter(|joint| joint.parent == link).map(|joint| joint.child));
        at += 1;
    }
    tree
}

/// Raises the trees of links that move freely out of the planes they begin in.
pub fn leave(robot: &mut Robot, start: &mut Start) {
    for ground in grounds(robot, start) {
        for root in
            robot.roots.iter().map(|(root, _)| *root).filter(|&root| !robot.links[root].fixed).collect::<Vec<_>>()
        {
            let tree = tree_of(robot, root);
            let of = tree.iter().filter(|&&link| meets(robot, &ground, link));
            let lowest = of.map(|&link| height(robot, start, &ground, link)).fold(f64::INFINITY, f64::min);
            if lowest >= 0.0 {
                continue;
            }
            let n = ground.normal();
            for &link in &tree {
                start.poses[link].x = axpy(&start.poses[link].x, CLEAR * (1.0 - lowest) - lowest, &n);
            }
            let name = &robot.links[root].name;
            robot.notes.push(format!("\"{name}\" begins {:.2e} m inside a plane: raised by as much", -lowest));
        }
    }
}

/// Planes and links by name that do not meet: the file keeps them apart, or they overlap at the start.
pub fn apart(robot: &mut Robot, start: &Start, names: &[String], present: &[usize]) -> Vec<[String; 2]> {
    let mut pairs = Vec::new();
    for ground in grounds(robot, start) {
        let plane = plane_name(&names[ground.link], ground.number);
        for &link in present.iter().filter(|&&link| !robot.links[link].fixed) {
            let overlaps = height(robot, start, &ground, link) < 0.0;
            if robot.links[link].shapes.is_empty() || meets(robot, &ground, link) && !overlaps {
                continue;
            }
            if meets(robot, &ground, link) {
                robot.notes.push(format!("contact of \"{plane}\" and \"{}\": they overlap at the start", names[link]));
            }
            pairs.push([plane.clone(), names[link].clone()]);
        }
    }
    pairs
}

/// What the body of a plane is called.
pub fn plane_name(link: &str, number: usize) -> String {
    format!("{link} plane {number}")
}
