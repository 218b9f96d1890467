//! SDF: the first model of a file or of its world; poses of links are in the model, those of joints in their child links.
//!
//!   `<link>` pose, inertial, collision;    `<joint type>` pose, parent, child, axis/xyz, axis/limit, axis/dynamics

use super::meshes::{Meshes, sized};
use super::pose::{Pose, roll_pitch_yaw};
use super::xml::{all, child, list};
use super::{Form, Freedom, ImportOptions, Link, LinkShape, Robot, RobotJoint, refuse};
use crate::error::Result;
use percussion_model::bodies::math::{Vec3, mul_mat, mul_t, norm, scale, transpose};
use roxmltree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// The robot of a document.
pub fn read(file: &str, root: &Node, _options: &ImportOptions, meshes: &mut Meshes) -> Result<Robot> {
    let models: Vec<Node> = root.descendants().filter(|n| n.is_element() && n.tag_name().name() == "model").collect();
    let Some(model) = models.first() else { return refuse(file, "has no <model>", "give an SDF file with a model") };
    let mut robot = Robot::new(model.attribute("name").unwrap_or("robot"));
    if models.len() > 1 {
        robot.notes.push(format!("{} further models", models.len() - 1));
    }
    let mut frames = BTreeMap::new();
    let here = pose(file, model)?;
    for n in all(model, "link") {
        let name = n.attribute("name").unwrap_or_default();
        frames.insert(name.to_string(), (robot.links.len(), here.then(&pose(file, &n)?)));
        let link = read_link(file, &n, meshes, &mut robot.notes)?;
        robot.links.push(link);
    }
    if robot.links.is_empty() {
        return refuse(file, "its model has no link", "give a model with links");
    }
    let is_static =
        child(model, "static").is_some_and(|n| ["1", "true"].contains(&n.text().unwrap_or_default().trim()));
    let mut grounded = BTreeSet::new();
    for n in all(model, "joint") {
        read_joint(file, &n, &frames, &mut grounded, &mut robot)?;
    }
    for other in model.children().filter(Node::is_element) {
        let tag = other.tag_name().name();
        if !["link", "joint", "pose", "static"].contains(&tag) {
            robot.notes.push(format!("<{tag}> of the model"));
        }
    }
    let children: BTreeSet<usize> = robot.joints.iter().map(|j| j.child).collect();
    for (i, at) in frames.values() {
        if !children.contains(i) {
            // models of SDF move freely unless they are static or held by the world
            robot.links[*i].fixed = is_static || grounded.contains(i);
            robot.roots.push((*i, *at));
        }
    }
    Ok(robot)
}

fn value(file: &str, n: &Node, tag: &'static str) -> Result<Option<f64>> {
    let Some(text) = child(n, tag).and_then(|c| c.text()) else { return Ok(None) };
    match list(text).as_deref() {
        Some(&[x]) => Ok(Some(x)),
        _ => refuse(
            file,
            format!("<{tag}>{}</{tag}> is not a finite number", text.chars().take(60).collect::<String>()),
            "correct it",
        ),
    }
}

fn triple(file: &str, n: &Node, tag: &'static str) -> Result<Option<Vec3>> {
    let Some(text) = child(n, tag).and_then(|c| c.text()) else { return Ok(None) };
    match list(text).as_deref() {
        Some(&[x, y, z]) => Ok(Some([x, y, z])),
        _ => refuse(file, format!("<{tag}> is not three finite numbers"), "correct it"),
    }
}

/// `<pose>x y z roll pitch yaw</pose>`.
fn pose(file: &str, n: &Node) -> Result<Pose> {
    let Some(text) = child(n, "pose").and_then(|c| c.text()) else { return Ok(Pose::IDENTITY) };
    match list(text).as_deref() {
        Some(&[x, y, z, r, p, w]) => Ok(Pose { x: [x, y, z], R: roll_pitch_yaw([r, p, w]) }),
        Some(&[]) => Ok(Pose::IDENTITY),
        _ => refuse(file, "a <pose> is not six finite numbers", "correct it"),
    }
}

fn read_link(file: &str, n: &Node, meshes: &mut Meshes, notes: &mut Vec<String>) -> Result<Link> {
    let mut link = Link::new(n.attribute("name").unwrap_or_default());
    // SDF's own defaults
    link.mass = 1.0;
    link.inertia = percussion_model::bodies::math::IDENTITY;
    if let Some(inertial) = child(n, "inertial") {
        let at = pose(file, &inertial)?;
        link.centre = at.x;
        link.mass = value(file, &inertial, "mass")?.unwrap_or(1.0);
        if let Some(I) = child(&inertial, "inertia") {
            let mut entry = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
            for (x, tag) in entry.iter_mut().zip(["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]) {
                *x = value(file, &I, tag)?.unwrap_or(*x);
            }
            let [xx, yy, zz, xy, xz, yz] = entry;
            let own = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
            link.inertia = mul_mat(&mul_mat(&at.R, &own), &transpose(&at.R));
        }
    }
    for collision in all(n, "collision") {
        let at = pose(file, &collision)?;
        let Some(form) = child(&collision, "geometry").and_then(|g| g.children().find(Node::is_element)) else {
            continue;
        };
        if let Some(form) = read_form(file, &form, meshes, &link.name, notes)? {
            link.shapes.push(LinkShape { pose: at, form });
        }
    }
    let visuals = all(n, "visual").count();
    if visuals > 0 {
        notes.push(format!("link \"{}\": {visuals} visual shapes", link.name));
    }
    Ok(link)
}

fn read_form(file: &str, n: &Node, meshes: &mut Meshes, link: &str, notes: &mut Vec<String>) -> Result<Option<Form>> {
    let length = |tag: &'static str| Ok::<f64, Box<crate::error::ScenarioError>>(value(file, n, tag)?.unwrap_or(0.0));
    let form = match n.tag_name().name() {
        "box" => Form::Box(triple(file, n, "size")?.unwrap_or_default()),
        "sphere" => Form::Sphere(length("radius")?),
        "cylinder" => Form::Cylinder { radius: length("radius")?, length: length("length")? },
        "capsule" => Form::Capsule { radius: length("radius")?, length: length("length")? },
        "plane" => Form::Plane,
        "mesh" => {
            let name = child(n, "uri").and_then(|u| u.text()).unwrap_or_default().trim();
            match meshes.hull(name, &triple(file, n, "scale")?.unwrap_or([1.0; 3])) {
                Ok(form) => form,
                Err(reason) => {
                    notes.push(format!("link \"{link}\": mesh \"{name}\" {reason}"));
                    return Ok(None);
                }
            }
        }
        other => {
            notes.push(format!("link \"{link}\": a collision shape <{other}>"));
            return Ok(None);
        }
    };
    Ok(sized(form, link, notes))
}

fn read_joint(
    file: &str,
    n: &Node,
    frames: &BTreeMap<String, (usize, Pose)>,
    grounded: &mut BTreeSet<usize>,
    robot: &mut Robot,
) -> Result<()> {
    let name = n.attribute("name").unwrap_or("joint");
    let end = |tag: &'static str| child(n, tag).and_then(|c| c.text()).unwrap_or_default().trim().to_string();
    let Some(&(below, at)) = frames.get(&end("child")) else {
        return refuse(file, format!("joint \"{name}\" has no child link \"{}\"", end("child")), "name a link");
    };
    let world = end("parent") == "world";
    let freedom = match n.attribute("type").unwrap_or_default() {
        "revolute" | "continuous" => Freedom::Turn,
        "prismatic" => Freedom::Slide,
        "fixed" => Freedom::Nothing,
        "ball" => Freedom::Ball,
        other => {
            robot.notes.push(format!("joint \"{name}\" of type \"{other}\": the link moves freely"));
            return Ok(());
        }
    };
    if world && freedom == Freedom::Nothing {
        grounded.insert(below);
        return Ok(());
    }
    let (parent, from) = match frames.get(&end("parent")) {
        Some(&(parent, from)) => (parent, from),
        None if world => {
            let ground = Link { fixed: true, ..Link::new("world") };
            robot.links.push(ground);
            robot.roots.push((robot.links.len() - 1, Pose::IDENTITY));
            (robot.links.len() - 1, Pose::IDENTITY)
        }
        None => {
            return refuse(file, format!("joint \"{name}\" has no parent link \"{}\"", end("parent")), "name a link");
        }
    };
    let mut joint = RobotJoint::new(name, freedom, parent, below, at.seen_from(&from));
    let inner = pose(file, n)?;
    joint.anchor = inner.x;
    if let Some(axis) = child(n, "axis") {
        let d = triple(file, &axis, "xyz")?.unwrap_or([0.0, 0.0, 1.0]);
        if norm(&d) == 0.0 && joint.has_coordinate() {
            return refuse(file, format!("joint \"{name}\" moves along an axis of length zero"), "give a direction");
        }
        if norm(&d) > 0.0 {
            let d = scale(1.0 / norm(&d), &d);
            let frame = child(&axis, "xyz").and_then(|x| x.attribute("expressed_in")).unwrap_or_default();
            joint.axis = if frame == "__model__" { mul_t(&at.R, &d) } else { inner.direction(&d) };
        }
        if let Some(limit) = child(&axis, "limit") {
            let (low, high) = (value(file, &limit, "lower")?, value(file, &limit, "upper")?);
            // 1e16 stands for none
            joint.limits = low.zip(high).filter(|(l, h)| l < h && *l > -1e15 && *h < 1e15).map(|(l, h)| [l, h]);
        }
        if let Some(dynamics) = child(&axis, "dynamics") {
            joint.damping = value(file, &dynamics, "damping")?.unwrap_or(0.0).max(0.0);
            joint.stiffness = value(file, &dynamics, "spring_stiffness")?.unwrap_or(0.0).max(0.0);
            joint.rest = value(file, &dynamics, "spring_reference")?.unwrap_or(0.0);
            joint.friction_force = value(file, &dynamics, "friction")?.unwrap_or(0.0).max(0.0);
        }
    }
    robot.joints.push(joint);
    Ok(())
}
