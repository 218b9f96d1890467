//! A robot as a scenario that a user can read and edit.
//!
//!   bodies stand at their centres of mass in the axes of their links; coordinates of joints are counted from the start: limits and rests
//!   are those of the file less the coordinate at the start

use super::grip::Materials;
use super::meshes::Meshes;
use super::pose::{Pose, quaternion};
use super::start::Start;
use super::{Form, Freedom, ImportOptions, Link, LinkShape, Loop, Robot, RobotJoint};
use crate::format::write::{line, list, number, quoted};
use percussion_model::bodies::math::{Vec3, norm};
use std::collections::BTreeSet;

fn vector(x: &[f64]) -> String {
    list(x.iter().map(|&x| number(x + 0.0)))
}

/// The text of a scenario; what is changed on the way is noted in the robot.
pub fn scenario(robot: &mut Robot, start: &Start, options: &ImportOptions, meshes: &mut Meshes) -> String {
    let present = present(robot);
    let names = names(robot, &present);
    let mut pairs: Vec<[String; 2]> =
        no_contact(robot, start, &present).into_iter().map(|pair| pair.map(|i| names[i].clone())).collect();
    pairs.extend(super::planes::apart(robot, start, &names, &present));
    let mut toml = String::new();
    line(&mut toml, "format", "1");
    line(&mut toml, "name", &quoted(if options.name.is_empty() { &robot.name } else { &options.name }));
    toml.push_str("\n[model]\n");
    line(&mut toml, "kind", &quoted("bodies"));
    line(&mut toml, "gravity", &vector(&robot.gravity));
    line(&mut toml, "friction", &number(robot.friction));
    if !pairs.is_empty() {
        let pair = |[a, b]: &[String; 2]| format!("\n  [{}, {}]", quoted(a), quoted(b));
        toml.push_str("# pairs that the file excludes, or that overlap at the start\n");
        line(&mut toml, "no_contact", &format!("[{}\n]", pairs.iter().map(pair).collect::<Vec<_>>().join(",")));
    }
    let materials = Materials::of(robot, &present);
    let triangles = super::looks::share(robot, &present);
    materials.write(robot, &mut toml);
    if options.floor {
        toml.push_str("\n[[body]]\n");
        line(&mut toml, "name", &quoted("floor"));
        line(&mut toml, "shape", "{ kind = \"plane\" }");
        line(&mut toml, "fixed", "true");
        // a hair below what stands on it: a start that overlaps by round-off is refused
        let height = start.lowest(robot);
        line(&mut toml, "position", &vector(&[0.0, 0.0, height - 1e-9 * (1.0 + height.abs())]));
    }
    for &i in &present {
        planes(&mut toml, &names[i], &robot.links[i], (&start.poses[i], &materials));
        body(&mut toml, &names[i], &robot.links[i], (&start.poses[i], &materials), (meshes, triangles));
    }
    let hands = hands(robot, start, &names);
    keep_rotors(robot);
    let mut gears = String::new();
    let used = unique_joints(robot);
    for (j, joint) in robot.joints.iter().enumerate() {
        write_joint(
            &mut toml,
            joint,
            &used[j],
            start.c[j],
            &start.poses[joint.child],
            [&names[joint.parent], &names[joint.child]],
        );
        if let Some((leader, factor, _)) = &joint.mimic
            && let Some(l) = robot.joints.iter().position(|other| other.name == *leader)
        {
            // c − factor c_leader keeps its value
            gears.push_str("\n[[joint]]\n");
            line(&mut gears, "name", &quoted(&format!("{} mimics", used[j])));
            line(&mut gears, "kind", &quoted("gear"));
            line(&mut gears, "joints", &format!("[{}, {}]", quoted(&used[j]), quoted(&used[l])));
            line(&mut gears, "ratio", &number(-factor));
        }
    }
    for held in robot.loops.iter().filter(|held| held.softness.is_none()) {
        toml.push_str("\n[[joint]]\n");
        line(&mut toml, "name", &quoted(&held.name));
        let kind = kind_of(held.freedom).unwrap_or("fixed");
        line(&mut toml, "kind", &quoted(kind));
        line(&mut toml, "a", &quoted(&names[held.links[0]]));
        line(&mut toml, "b", &quoted(&names[held.links[1]]));
        line(&mut toml, "anchor", &vector(&start.poses[held.links[0]].point(&held.anchor)));
        if matches!(held.freedom, Freedom::Turn | Freedom::Slide) {
            line(&mut toml, "axis", &vector(&start.poses[held.links[0]].direction(&held.axis)));
        }
    }
    toml.push_str(&gears);
    toml.push_str(&hands);
    toml.push_str("\n[scheme]\n");
    line(&mut toml, "name", &quoted("moreau-jean"));
    toml.push_str("\n[time]\n");
    line(&mut toml, "end", "1.0");
    line(&mut toml, "step", "1e-3");
    toml
}

/// Elastic elements for holds that give way, each as stiff as by what its link would weigh there.
fn hands(robot: &mut Robot, start: &Start, names: &[String]) -> String {
    let mut toml = String::new();
    let free = |held: &&Loop| held.links.iter().any(|&i| !robot.links[i].fixed);
    for held in robot.loops.iter().filter(free) {
        let Some(softness) = held.softness else { continue };
        let link = &robot.links[held.links[0]];
        let trace = (0..3).map(|k| link.inertia[k][k]).sum::<f64>();
        let mobility = super::mobility::mean_mobility(robot, start, (held.links[0], &held.anchor));
        let [m, moment] = mobility.map_or([link.mass, trace / 3.0], |y| y.map(|y| 1.0 / y));
        let turns = if held.freedom == Freedom::Ball { 0.0 } else { moment };
        let of = |x: f64| vector(&[x * m, x * m, x * m, x * turns, x * turns, x * turns]);
        toml.push_str("\n[[bushing]]\n");
        toml.push_str(&format!(
            "# \"{}\": what MuJoCo moves by hand pulls as softly as its solref and solimp say\n",
            held.name
        ));
        line(&mut toml, "a", &quoted(&names[held.links[1]]));
        line(&mut toml, "b", &quoted(&names[held.links[0]]));
        line(&mut toml, "anchor", &vector(&start.poses[held.links[0]].point(&held.anchor)));
        line(&mut toml, "stiffness", &of(softness.stiffness));
        line(&mut toml, "damping", &of(softness.damping));
        let (name, k) = (&held.name, softness.stiffness * m);
        robot.notes.push(format!("equality \"{name}\" to a mocap body: it holds elastically, by {k:.2e} N/m"));
    }
    toml
}

/// Rotors on sliders whose guide moves are not taken.
fn keep_rotors(robot: &mut Robot) {
    for joint in robot.joints.iter_mut().filter(|joint| joint.freedom == Freedom::Slide && joint.armature > 0.0) {
        if !robot.links[joint.parent].fixed {
            robot.notes.push(format!("joint \"{}\": the armature of a slider whose guide moves", joint.name));
            joint.armature = 0.0;
        }
    }
}

/// The links that become bodies.
fn present(robot: &Robot) -> Vec<usize> {
    let mut links: BTreeSet<usize> = robot.roots.iter().map(|(root, _)| *root).collect();
    links.extend(robot.joints.iter().flat_map(|j| [j.parent, j.child]));
    links.into_iter().collect()
}

/// A name for each link, each once; "floor" is taken.
fn names(robot: &Robot, present: &[usize]) -> Vec<String> {
    let mut taken = BTreeSet::from(["floor".to_string()]);
    let mut names = vec![String::new(); robot.links.len()];
    for &i in present {
        names[i] = unique(&robot.links[i].name, "link", &mut taken);
    }
    names
}

fn unique_joints(robot: &Robot) -> Vec<String> {
    let mut taken = BTreeSet::new();
    robot.joints.iter().map(|joint| unique(&joint.name, "joint", &mut taken)).collect()
}

fn unique(name: &str, other: &str, taken: &mut BTreeSet<String>) -> String {
    let clean: String = name.chars().filter(|c| !c.is_control()).collect();
    let first = if clean.trim().is_empty() { other.to_string() } else { clean };
    let (mut found, mut k) = (first.clone(), 2);
    while !taken.insert(found.clone()) {
        found = format!("{first} {k}");
        k += 1;
    }
    found
}

/// Pairs that the file excludes, and those that overlap at the start, which are listed.
fn no_contact(robot: &mut Robot, start: &Start, present: &[usize]) -> Vec<[usize; 2]> {
    let mut pairs: Vec<[usize; 2]> = robot.excluded.clone();
    pairs.retain(|pair| pair.iter().all(|i| present.contains(i)));
    for (k, &a) in present.iter().enumerate() {
        for &b in &present[k + 1..] {
            let ([c1, a1], [c2, a2]) = (robot.links[a].masks, robot.links[b].masks);
            let both = !robot.links[a].shapes.is_empty() && !robot.links[b].shapes.is_empty();
            let paired = || robot.paired.iter().any(|pair| pair.contains(&a) && pair.contains(&b));
            if both && c1 & a2 == 0 && c2 & a1 == 0 && !paired() {
                pairs.push([a, b]);
            }
        }
    }
    match super::floor::overlaps(robot, start, present) {
        Some(found) => {
            for [a, b] in &found {
                let [a, b] = [a, b].map(|i| &robot.links[*i].name);
                robot.notes.push(format!("contact of \"{a}\" and \"{b}\": they overlap at the start"));
            }
            pairs.extend(found);
        }
        None => robot.notes.push("whether links overlap at the start: their shapes make no scene".into()),
    }
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Planes of the ground, each a body of its own.
fn planes(toml: &mut String, name: &str, link: &Link, (pose, materials): (&Pose, &Materials)) {
    for (k, shape) in link.shapes.iter().filter(|s| s.form == Form::Plane).enumerate() {
        let at = pose.then(&shape.pose);
        toml.push_str("\n[[body]]\n");
        line(toml, "name", &quoted(&super::planes::plane_name(name, k)));
        line(toml, "shape", "{ kind = \"plane\" }");
        line(toml, "fixed", "true");
        line(toml, "position", &vector(&at.x));
        line(toml, "rotation", &vector(&quaternion(&at.R)));
        materials.named(shape.grip).into_iter().for_each(|name| line(toml, "material", &name));
    }
}

fn body(
    toml: &mut String,
    name: &str,
    link: &Link,
    (pose, materials): (&Pose, &Materials),
    (meshes, triangles): (&mut Meshes, usize),
) {
    let centre = if link.fixed { [0.0; 3] } else { link.centre };
    toml.push_str("\n[[body]]\n");
    line(toml, "name", &quoted(name));
    let solid: Vec<&LinkShape> = link.shapes.iter().filter(|s| s.form != Form::Plane).collect();
    let shared = materials.shared(link);
    let own = |s: &LinkShape| materials.named(s.grip.filter(|_| shared.is_none()));
    let and = |text: String, material: Option<String>| match material {
        Some(material) => format!("{text}, material = {material}"),
        None => text,
    };
    let shapes: Vec<String> = solid.iter().filter_map(|s| Some(and(written(s, &centre, meshes)?, own(s)))).collect();
    match &shapes[..] {
        [] => line(toml, "shape", "{ kind = \"point\" }"),
        [one] if ["position", "rotation", "material"].iter().all(|key| !one.contains(&format!("{key} ="))) => {
            line(toml, "shape", &format!("{{ {one} }}"))
        }
        several => {
            let rows: Vec<String> = several.iter().map(|s| format!("\n  {{ {s} }}")).collect();
            line(toml, "shapes", &format!("[{}\n]", rows.join(",")));
        }
    }
    if let Some(looks) = super::looks::written(link, &centre, triangles, meshes) {
        line(toml, "looks", &looks);
    }
    materials.named(shared).into_iter().for_each(|name| line(toml, "material", &name));
    line(toml, "position", &vector(&pose.point(&centre)));
    line(toml, "rotation", &vector(&quaternion(&pose.R)));
    if link.fixed {
        line(toml, "fixed", "true");
        return;
    }
    if super::reduce::is_massless(link) {
        return line(toml, "massless", "true");
    }
    line(toml, "mass", &number(link.mass));
    let I = &link.inertia;
    line(toml, "inertia", &vector(&[I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]]));
}

/// The keys of a shape seen from the centre of mass; `None` for a hull that is none.
fn written(shape: &LinkShape, centre: &Vec3, meshes: &mut Meshes) -> Option<String> {
    let mut text = match &shape.form {
        Form::Box(size) => format!("kind = \"box\", size = {}", vector(size)),
        Form::Sphere(radius) => format!("kind = \"sphere\", radius = {}", number(*radius)),
        Form::Cylinder { radius, length } => {
            format!("kind = \"cylinder\", radius = {}, length = {}", number(*radius), number(*length))
        }
        Form::Capsule { radius, length } => {
            format!("kind = \"capsule\", radius = {}, length = {}", number(*radius), number(*length))
        }
        Form::Hull { corners, name } => format!("kind = \"hull\", file = {}", quoted(&meshes.file(name, corners)?)),
        Form::Plane => return None,
    };
    let at: Vec3 = std::array::from_fn(|k| shape.pose.x[k] - centre[k]);
    if norm(&at) > 1e-12 {
        text += &format!(", position = {}", vector(&at));
    }
    let q = quaternion(&shape.pose.R);
    if matches!(shape.form, Form::Sphere(_)) || norm(&[q[1], q[2], q[3]]) < 1e-12 {
        return Some(text);
    }
    Some(text + &format!(", rotation = {}", vector(&q)))
}

/// What a scene calls a joint; none where nothing is joined.
fn kind_of(freedom: Freedom) -> Option<&'static str> {
    match freedom {
        Freedom::Turn => Some("revolute"),
        Freedom::Slide => Some("prismatic"),
        Freedom::Ball => Some("spherical"),
        Freedom::Nothing => Some("fixed"),
        Freedom::Everything => None,
    }
}

fn write_joint(toml: &mut String, joint: &RobotJoint, name: &str, c: f64, pose: &Pose, [a, b]: [&String; 2]) {
    let Some(kind) = kind_of(joint.freedom) else { return };
    toml.push_str("\n[[joint]]\n");
    line(toml, "name", &quoted(name));
    line(toml, "kind", &quoted(kind));
    line(toml, "a", &quoted(a));
    line(toml, "b", &quoted(b));
    line(toml, "anchor", &vector(&pose.point(&joint.anchor)));
    if !joint.has_coordinate() {
        return;
    }
    line(toml, "axis", &vector(&pose.direction(&joint.axis)));
    if c != 0.0 || !joint.comment.is_empty() {
        let starts = if c != 0.0 { format!("starts at {c} of the file's coordinate") } else { String::new() };
        let both = if c != 0.0 && !joint.comment.is_empty() { "; " } else { "" };
        let comment: String = joint.comment.chars().filter(|c| !c.is_control()).collect();
        toml.push_str(&format!("# {starts}{both}{comment}\n"));
    }
    if let Some([low, high]) = joint.limits {
        line(toml, "limits", &vector(&[low - c, high - c]));
    }
    if joint.stiffness > 0.0 {
        line(toml, "stiffness", &number(joint.stiffness));
        line(toml, "rest", &number(joint.rest - c));
    }
    for (key, x) in [("damping", joint.damping), ("friction_force", joint.friction_force), ("armature", joint.armature)]
    {
        if x > 0.0 {
            line(toml, key, &number(x));
        }
    }
    if let Some(motor) = motor(joint, c) {
        line(toml, "motor", &format!("{{ {motor} }}"));
    }
}

/// The motor of a joint that starts at c.
fn motor(joint: &RobotJoint, c: f64) -> Option<String> {
    let Some(servo) = joint.servo.filter(|servo| servo.stiffness > 0.0 || servo.damping > 0.0) else {
        return joint.pushed.then(|| "force = 0.0".into());
    };
    let mut text = if servo.stiffness > 0.0 {
        format!("target = {}, stiffness = {}", number(servo.target - c), number(servo.stiffness))
    } else {
        "velocity = 0.0".into()
    };
    if servo.damping > 0.0 {
        text += &format!(", damping = {}", number(servo.damping));
    }
    if let Some(limit) = servo.limit {
        text += &format!(", limit = {}", number(limit));
    }
    Some(text)
}
