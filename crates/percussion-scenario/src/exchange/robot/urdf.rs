//! URDF: links and joints that form a tree.
//!
//!   `<link name>` inertial, collision;    `<joint name type>` origin, parent, child, axis, limit, dynamics, mimic
//!
//! xacro, which is a language that makes URDF, is recognised and named.

use super::grip::Grip;
use super::looks::LinkLook;
use super::meshes::{Fit, Meshes};
use super::pose::{Pose, roll_pitch_yaw};
use super::xml::{all, child, list, number, number_or, numbers};
use super::{Form, Freedom, ImportOptions, Link, LinkShape, Robot, RobotJoint, refuse};
use crate::error::Result;
use percussion_model::bodies::math::{Vec3, mul_mat, norm, scale, transpose};
use roxmltree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Links and joints at most.
const MAX_LINKS: usize = 10_000;

/// What Drake's files call the ground without giving it a link.
const GROUND: &str = "world";

/// The robot of a document.
pub fn read(file: &str, root: &Node, options: &ImportOptions, meshes: &mut Meshes) -> Result<Robot> {
    let xacro = root.descendants().find(|n| n.tag_name().namespace().is_some_and(|space| space.contains("xacro")));
    if let Some(element) = xacro {
        let message = format!("is xacro, which makes URDF: it has <xacro:{}>", element.tag_name().name());
        return refuse(file, message, "expand it first: xacro FILE.xacro > FILE.urdf");
    }
    let mut robot = Robot::new(root.attribute("name").filter(|s| !s.is_empty()).unwrap_or("robot"));
    for other in root.children().filter(Node::is_element) {
        let tag = other.tag_name().name();
        let friction =
            tag == "gazebo" && other.children().filter(Node::is_element).all(|n| n.tag_name().name() == "mu1");
        if !["link", "joint", "material"].contains(&tag) && !friction {
            robot.notes.push(format!("<{tag}> of the robot"));
        }
    }
    let (links, joints): (Vec<Node>, Vec<Node>) = (all(root, "link").collect(), all(root, "joint").collect());
    if links.is_empty() || links.len() > MAX_LINKS || joints.len() > MAX_LINKS {
        return refuse(file, format!("{} links and {} joints", links.len(), joints.len()), "give 1 to 10000 links");
    }
    let colours = colours(root);
    let grips = grips(root);
    let mut number_of = BTreeMap::new();
    for link in &links {
        let name = link.attribute("name").unwrap_or_default();
        if number_of.insert(name.to_string(), robot.links.len()).is_some() {
            return refuse(file, format!("two links are called \"{name}\""), "rename one");
        }
        let mut read = read_link(file, link, meshes, &mut robot.notes)?;
        looks(file, link, meshes, &colours, (&mut read, &mut robot.notes))?;
        let own = child(link, "contact").and_then(|n| child(&n, "lateral_friction")?.attribute("value")?.parse().ok());
        let friction: Option<f64> = own.or(grips.get(name).copied()).filter(|mu| *mu >= 0.0);
        read.shapes.iter_mut().for_each(|shape| shape.grip = friction.map(Grip::of));
        robot.links.push(read);
    }
    let hangs = |joint: &Node| child(joint, "parent").and_then(|c| c.attribute("link")) == Some(GROUND);
    let ground = (!number_of.contains_key(GROUND) && joints.iter().any(hangs)).then_some(robot.links.len());
    if let Some(ground) = ground {
        number_of.insert(GROUND.to_string(), ground);
        robot.links.push(Link { fixed: true, ..Link::new(GROUND) });
        robot.notes.push(format!("\"{GROUND}\", which joints hang on and which is no link: it is the ground"));
    }
    for joint in &joints {
        if let Some(read) = read_joint(file, joint, &number_of, &mut robot.notes)? {
            robot.joints.push(read);
        }
    }
    check_tree(file, &robot)?;
    let free: BTreeSet<usize> =
        robot.joints.iter().filter(|j| j.freedom == Freedom::Everything).map(|j| j.child).collect();
    // links on a floating joint are roots that move, whatever the others do
    let children: BTreeSet<usize> = robot.joints.iter().map(|j| j.child).collect();
    for i in (0..robot.links.len()).filter(|i| !children.contains(i)) {
        robot.links[i].fixed = ground == Some(i) || !options.floating || !free.is_empty();
        robot.roots.push((i, Pose::IDENTITY));
    }
    Ok(robot)
}

/// Each link has one parent and hangs on a root.
pub fn check_tree(file: &str, robot: &Robot) -> Result<()> {
    let mut parent = vec![None; robot.links.len()];
    for (j, joint) in robot.joints.iter().enumerate() {
        if parent[joint.child].replace(j).is_some() {
            let name = &robot.links[joint.child].name;
            return refuse(file, format!("link \"{name}\" is the child of two joints"), "give each link one parent");
        }
    }
    // upwards from every link, each link passed once
    let mut hangs = vec![false; robot.links.len()];
    for i in 0..robot.links.len() {
        let (mut path, mut at) = (vec![i], i);
        while let Some(j) = parent[at].filter(|_| !hangs[at]) {
            at = robot.joints[j].parent;
            path.push(at);
            if path.len() > robot.links.len() {
                let name = &robot.links[i].name;
                return refuse(
                    file,
                    format!("link \"{name}\" hangs on no root: the joints form a loop"),
                    "cut the loop",
                );
            }
        }
        path.into_iter().for_each(|k| hangs[k] = true);
    }
    Ok(())
}

/// `<origin xyz rpy>`.
fn origin(file: &str, n: &Node) -> Result<Pose> {
    let Some(o) = child(n, "origin") else { return Ok(Pose::IDENTITY) };
    let R = roll_pitch_yaw(numbers(file, &o, "rpy")?.unwrap_or_default());
    Ok(Pose { x: numbers(file, &o, "xyz")?.unwrap_or_default(), R })
}

fn read_link(file: &str, n: &Node, meshes: &mut Meshes, notes: &mut Vec<String>) -> Result<Link> {
    let mut link = Link::new(n.attribute("name").unwrap_or_default());
    if let Some(inertial) = child(n, "inertial") {
        let pose = origin(file, &inertial)?;
        link.centre = pose.x;
        if let Some(mass) = child(&inertial, "mass") {
            link.mass = number(file, &mass, "value")?.unwrap_or(0.0);
        }
        if let Some(I) = child(&inertial, "inertia") {
            let entry = |key: &str| number_or(file, &I, key, 0.0);
            let [xx, yy, zz] = [entry("ixx")?, entry("iyy")?, entry("izz")?];
            let [xy, xz, yz] = [entry("ixy")?, entry("ixz")?, entry("iyz")?];
            let own = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
            link.inertia = mul_mat(&mul_mat(&pose.R, &own), &transpose(&pose.R));
        }
    }
    for collision in all(n, "collision") {
        let pose = origin(file, &collision)?;
        match child(&collision, "geometry").and_then(|g| g.children().find(Node::is_element)) {
            Some(form) => read_form(file, &form, meshes, &link.name, notes)?
                .into_iter()
                .for_each(|form| link.shapes.push(LinkShape { pose, form, grip: None })),
            None => notes.push(format!("link \"{}\": a collision without geometry", link.name)),
        }
    }
    Ok(link)
}

/// Colours of materials by name.
fn colours(root: &Node) -> BTreeMap<String, Vec3> {
    let named = root.descendants().filter(|n| n.is_element() && n.tag_name().name() == "material");
    named.filter_map(|n| Some((n.attribute("name")?.to_string(), colour_of(&n)?))).collect()
}

fn colour_of(n: &Node) -> Option<Vec3> {
    super::looks::colour(&list(child(n, "color")?.attribute("rgba")?)?)
}

/// Frictions that `<gazebo reference>` gives links.
fn grips(root: &Node) -> BTreeMap<String, f64> {
    let of = |n: Node| {
        let mu = child(&n, "mu1")?;
        let text = mu.attribute("value").or(mu.text())?;
        Some((n.attribute("reference")?.to_string(), text.trim().parse().ok()?))
    };
    all(root, "gazebo").filter_map(of).collect()
}

/// What a link looks like.
fn looks(
    file: &str,
    n: &Node,
    meshes: &Meshes,
    colours: &BTreeMap<String, Vec3>,
    (link, notes): (&mut Link, &mut Vec<String>),
) -> Result<()> {
    for visual in all(n, "visual") {
        let Some(form) = child(&visual, "geometry").and_then(|g| g.children().find(Node::is_element)) else { continue };
        let material = child(&visual, "material");
        let mut colour = material
            .and_then(|m| colour_of(&m).or_else(|| m.attribute("name").and_then(|name| colours.get(name).copied())));
        let name = form.attribute("filename").unwrap_or(form.tag_name().name()).to_string();
        let mesh = if form.tag_name().name() == "mesh" {
            colour = colour.or_else(|| meshes.colour(&name));
            meshes.seen(&name, &Fit::scaled(scale_of(&form).unwrap_or([1.0; 3])), &link.name, notes)
        } else {
            simple_form(file, &form)?.and_then(|form| super::looks::surface(&form))
        };
        if let Some(mesh) = mesh {
            link.looks.push(LinkLook { pose: origin(file, &visual)?, mesh, name, colour });
        }
    }
    Ok(())
}

/// The scale of a mesh: three numbers, one for all, or the first three of more, as other readers take them.
fn scale_of(n: &Node) -> Option<Vec3> {
    let Some(text) = n.attribute("scale") else { return Some([1.0; 3]) };
    match list(text)?[..] {
        [x] => Some([x; 3]),
        [x, y, z, ..] => Some([x, y, z]),
        [] | [_, _] => None,
    }
}

/// A form that is no mesh.
fn simple_form(file: &str, n: &Node) -> Result<Option<Form>> {
    let length = |key: &str| number_or(file, n, key, 0.0);
    Ok(match n.tag_name().name() {
        "box" => Some(Form::Box(numbers(file, n, "size")?.unwrap_or_default())),
        "sphere" => Some(Form::Sphere(length("radius")?)),
        "cylinder" => Some(Form::Cylinder { radius: length("radius")?, length: length("length")? }),
        "capsule" => Some(Form::Capsule { radius: length("radius")?, length: length("length")? }),
        // Bullet's
        "plane" => Some(Form::Plane),
        _ => None,
    })
}

fn read_form(file: &str, n: &Node, meshes: &mut Meshes, link: &str, notes: &mut Vec<String>) -> Result<Option<Form>> {
    if let Some(simple) = simple_form(file, n)? {
        return Ok(super::meshes::sized(simple, link, notes));
    }
    let form = match n.tag_name().name() {
        "mesh" => {
            let name = n.attribute("filename").unwrap_or_default();
            let scale = scale_of(n).unwrap_or_else(|| {
                notes.push(format!(
                    "link \"{link}\": mesh \"{name}\" has the scale \"{}\": 1 is taken",
                    n.attribute("scale").unwrap_or_default()
                ));
                [1.0; 3]
            });
            match meshes.hull(name, &Fit::scaled(scale)) {
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
    Ok(super::meshes::sized(form, link, notes))
}

fn read_joint(
    file: &str,
    n: &Node,
    links: &BTreeMap<String, usize>,
    notes: &mut Vec<String>,
) -> Result<Option<RobotJoint>> {
    let name = n.attribute("name").unwrap_or("joint");
    let end = |tag: &'static str| child(n, tag).and_then(|c| c.attribute("link")).unwrap_or_default();
    let (Some(&parent), Some(&below)) = (links.get(end("parent")), links.get(end("child"))) else {
        let message = format!(
            "joint \"{name}\" is between \"{}\" and \"{}\", which are not both links",
            end("parent"),
            end("child")
        );
        return refuse(file, message, "name two links of the robot");
    };
    let freedom = match n.attribute("type").unwrap_or_default() {
        "revolute" | "continuous" => Freedom::Turn,
        "prismatic" => Freedom::Slide,
        "fixed" => Freedom::Nothing,
        "floating" => Freedom::Everything,
        "ball" | "spherical" => Freedom::Ball,
        other => {
            notes.push(format!("joint \"{name}\" of type \"{other}\": the link moves freely"));
            Freedom::Everything
        }
    };
    let mut joint = RobotJoint::new(name, freedom, parent, below, origin(file, n)?);
    if !joint.has_coordinate() {
        return Ok(Some(joint));
    }
    if let Some(axis) = child(n, "axis") {
        let axis: Vec3 = numbers(file, &axis, "xyz")?.unwrap_or([1.0, 0.0, 0.0]);
        if norm(&axis) == 0.0 {
            return refuse(file, format!("joint \"{name}\" moves along an axis of length zero"), "give a direction");
        }
        joint.axis = scale(1.0 / norm(&axis), &axis);
    }
    if let Some(limit) = child(n, "limit") {
        let of = |key: &str| number(file, &limit, key);
        let (low, high) = (of("lower")?.unwrap_or(0.0), of("upper")?.unwrap_or(0.0));
        if n.attribute("type") != Some("continuous") {
            // both zero is what files write that mean none
            if low < high {
                joint.limits = Some([low, high]);
            } else {
                notes.push(format!("joint \"{name}\": limits [{low}, {high}], which leave nothing"));
            }
        }
        for (key, unit) in [
            ("effort", if freedom == Freedom::Turn { "N·m" } else { "N" }),
            ("velocity", if freedom == Freedom::Turn { "rad/s" } else { "m/s" }),
        ] {
            if let Some(x) = of(key)?.filter(|x| *x > 0.0) {
                joint.comment += &format!("{}{key} ≤ {x} {unit}", if joint.comment.is_empty() { "" } else { ", " });
            }
        }
    }
    if let Some(dynamics) = child(n, "dynamics") {
        joint.damping = number(file, &dynamics, "damping")?.unwrap_or(0.0).max(0.0);
        joint.friction_force = number(file, &dynamics, "friction")?.unwrap_or(0.0).max(0.0);
    }
    for tag in ["calibration", "safety_controller"] {
        if child(n, tag).is_some() {
            notes.push(format!("joint \"{name}\": <{tag}>"));
        }
    }
    if let Some(mimic) = child(n, "mimic") {
        let of = |key: &str, other: f64| number_or(file, &mimic, key, other);
        let leader = mimic.attribute("joint").unwrap_or_default().to_string();
        joint.mimic = Some((leader, of("multiplier", 1.0)?, of("offset", 0.0)?));
    }
    Ok(Some(joint))
}
