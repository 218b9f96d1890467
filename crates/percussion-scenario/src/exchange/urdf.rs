//! Robots in URDF as scenes of bodies, with a list of everything that was not taken over.
//!
//! Links become bodies placed at their centres of mass, joints at the zero configuration become joints; a joint that mimics
//! another becomes a gear. What the format says and a scene does not (effort limits, dry friction, transmissions, colours, …)
//! is named, never dropped in silence.

use crate::error::{Result, ScenarioError};
use crate::format::write::{line, list, number, quoted};
use percussion_model::Code;
use percussion_model::bodies::math::{Mat3, Vec3, add, mul, mul_mat, mul_t, sub, transpose};
use roxmltree::{Document, Node};
use std::collections::{BTreeMap, BTreeSet};

/// Links and joints at most.
const MAX_LINKS: usize = 10_000;

/// A scenario made from a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The scenario.
    pub toml: String,
    /// What was not taken over, in words.
    pub ignored: Vec<String>,
}

/// A place and a rotation.
#[derive(Clone, Copy, Debug)]
struct Pose {
    x: Vec3,
    R: Mat3,
}

impl Pose {
    const IDENTITY: Self = Self { x: [0.0; 3], R: percussion_model::bodies::math::IDENTITY };

    fn then(&self, inner: &Pose) -> Pose {
        Pose { x: add(&self.x, &mul(&self.R, &inner.x)), R: mul_mat(&self.R, &inner.R) }
    }

    /// This pose seen from another.
    fn seen_from(&self, other: &Pose) -> Pose {
        Pose { x: mul_t(&other.R, &sub(&self.x, &other.x)), R: mul_mat(&transpose(&other.R), &self.R) }
    }

    fn is_identity(&self) -> bool {
        let turned = (0..3).any(|i| (self.R[i][i] - 1.0).abs() > 1e-12);
        self.x.iter().all(|x| x.abs() < 1e-12) && !turned
    }
}

fn refuse<T>(file: &str, message: impl Into<String>, help: &str) -> Result<T> {
    Err(ScenarioError::file(Code::BAD_ROBOT, file, message, help))
}

/// The scenario of a robot; `file` is what messages call it. With `fixed` the root link does not move.
pub fn import_urdf(file: &str, text: &str, fixed: bool) -> Result<Imported> {
    if most_attributes(text) > MAX_ATTRIBUTES {
        return refuse(file, format!("an element has more than {MAX_ATTRIBUTES} attributes"), "give a URDF file");
    }
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => return refuse(file, format!("is not valid XML: {error}"), "check the file"),
    };
    let robot = document.root_element();
    if robot.tag_name().name() != "robot" {
        return refuse(file, format!("begins with <{}>, not <robot>", robot.tag_name().name()), "give a URDF file");
    }
    let mut ignored = Vec::new();
    let of = |tag: &'static str| robot.children().filter(move |n| n.has_tag_name(tag));
    for other in robot.children().filter(|n| n.is_element()) {
        let tag = other.tag_name().name();
        if !["link", "joint", "material"].contains(&tag) {
            ignored.push(format!("<{tag}> of the robot"));
        }
    }
    let links: Vec<Node> = of("link").collect();
    let joints: Vec<Node> = of("joint").collect();
    if links.is_empty() || links.len() > MAX_LINKS || joints.len() > MAX_LINKS {
        return refuse(file, format!("{} links and {} joints", links.len(), joints.len()), "give 1 to 10000 links");
    }
    for part in links.iter().chain(&joints) {
        check_numbers(file, part)?;
    }
    let name = |n: &Node| n.attribute("name").unwrap_or_default().to_string();
    let end = |n: &Node, tag: &str| {
        let child = n.children().find(|c| c.has_tag_name(tag));
        child.and_then(|c| c.attribute("link")).unwrap_or_default().to_string()
    };

    let mut held = BTreeSet::new();
    if let Some(twice) = joints.iter().map(|j| end(j, "child")).find(|child| !held.insert(child.clone())) {
        return refuse(file, format!("link \"{twice}\" is the child of two joints"), "give each link one parent");
    }

    // poses at the zero configuration, from the root on
    let mut poses: BTreeMap<String, Pose> = BTreeMap::new();
    let children: BTreeSet<String> = joints.iter().map(|j| end(j, "child")).collect();
    let roots: Vec<String> = links.iter().map(name).filter(|l| !children.contains(l)).collect();
    for root in &roots {
        poses.insert(root.clone(), Pose::IDENTITY);
    }
    let mut hanging: BTreeMap<String, Vec<&Node>> = BTreeMap::new();
    for j in &joints {
        hanging.entry(end(j, "parent")).or_default().push(j);
    }
    let mut reached = roots.clone();
    while let Some(parent) = reached.pop() {
        let pose = poses[&parent];
        for j in hanging.remove(&parent).unwrap_or_default() {
            let child = end(j, "child");
            if !poses.contains_key(&child) {
                poses.insert(child.clone(), pose.then(&origin(j)));
                reached.push(child);
            }
        }
    }
    let roots: BTreeSet<String> = roots.into_iter().collect();
    if let Some(lost) = links.iter().map(name).find(|l| !poses.contains_key(l)) {
        return refuse(file, format!("link \"{lost}\" hangs on no root: the joints form a loop"), "cut the loop");
    }

    let mut toml = String::new();
    line(&mut toml, "format", "1");
    line(&mut toml, "name", &quoted(&name_or(&robot, "robot")));
    toml.push_str("\n[model]\n");
    line(&mut toml, "kind", &quoted("bodies"));
    line(&mut toml, "gravity", "[0.0, 0.0, -9.81]");
    for link in &links {
        let grounded = fixed && roots.contains(&name(link));
        body(&mut toml, link, &poses[&name(link)], grounded, &mut ignored);
    }
    let mut gears = String::new();
    for j in &joints {
        joint(&mut toml, &mut gears, j, &poses, (&end(j, "parent"), &end(j, "child")), &mut ignored);
    }
    toml.push_str(&gears);
    toml.push_str("\n[scheme]\n");
    line(&mut toml, "name", &quoted("moreau-jean"));
    toml.push_str("\n[time]\n");
    line(&mut toml, "end", "1.0");
    line(&mut toml, "step", "1e-3");
    Ok(Imported { toml, ignored })
}

/// The most quoted values an element has. The parser compares every attribute with every other of its element.
fn most_attributes(text: &str) -> usize {
    let mut rest = text;
    let mut most = 0;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let mut count = 0;
        loop {
            // without a further mark there is no further attribute: "<r <r <r …" would be looked through again for every element
            let Some(at) = rest.find(['"', '\'', '>']) else { return most.max(count) };
            let mark = rest.as_bytes()[at];
            rest = &rest[at + 1..];
            if mark == b'>' {
                break;
            }
            count += 1;
            rest = rest.split_once(mark as char).map_or("", |(_, after)| after);
        }
        most = most.max(count);
    }
    most
}

fn name_or(n: &Node, other: &str) -> String {
    n.attribute("name").filter(|s| !s.is_empty()).unwrap_or(other).to_string()
}

/// Attributes of an element at most; a URDF element has six.
const MAX_ATTRIBUTES: usize = 100;

/// Attributes that are numbers, and how many.
const NUMBERS: [(&str, &[&str], usize); 5] = [
    ("origin", &["xyz", "rpy"], 3),
    ("axis", &["xyz"], 3),
    ("box", &["size"], 3),
    ("inertia", &["ixx", "iyy", "izz", "ixy", "ixz", "iyz"], 1),
    (
        "",
        &["value", "radius", "length", "lower", "upper", "effort", "velocity", "damping", "friction", "multiplier"],
        1,
    ),
];
/// The elements the last row is about.
const SCALARS: [&str; 6] = ["mass", "sphere", "cylinder", "limit", "dynamics", "mimic"];

/// Refuses numbers that are none, before defaults could take their place.
fn check_numbers(file: &str, part: &Node) -> Result<()> {
    for element in part.descendants().filter(Node::is_element) {
        let tag = element.tag_name().name();
        for (of, keys, count) in NUMBERS {
            if of != tag && !(of.is_empty() && SCALARS.contains(&tag)) {
                continue;
            }
            for (key, text) in keys.iter().filter_map(|key| Some((key, element.attribute(*key)?))) {
                let words = text.split_whitespace();
                let good = words.clone().all(|w| w.parse::<f64>().is_ok_and(f64::is_finite)) && words.count() == count;
                if !good {
                    let owner = name_or(part, part.tag_name().name());
                    let short: String = text.chars().take(60).collect();
                    let message = format!("<{tag} {key}=\"{short}\"> of \"{owner}\" is not {count} finite numbers");
                    return refuse(file, message, "correct the number");
                }
            }
        }
    }
    Ok(())
}

fn numbers<const N: usize>(text: Option<&str>, other: [f64; N]) -> [f64; N] {
    let Some(text) = text else { return other };
    let found: Vec<f64> = text.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    if found.len() == N { std::array::from_fn(|k| found[k]) } else { other }
}

/// `<origin xyz rpy>`: turns about the fixed axes x, y, z in this order.
fn origin(n: &Node) -> Pose {
    let Some(o) = n.children().find(|c| c.has_tag_name("origin")) else { return Pose::IDENTITY };
    let [r, p, y] = numbers(o.attribute("rpy"), [0.0; 3]);
    let ((sr, cr), (sp, cp), (sy, cy)) = (r.sin_cos(), p.sin_cos(), y.sin_cos());
    let R = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ];
    Pose { x: numbers(o.attribute("xyz"), [0.0; 3]), R }
}

/// The unit quaternion of a rotation.
fn quaternion(R: &Mat3) -> [f64; 4] {
    let trace = R[0][0] + R[1][1] + R[2][2];
    let q = if trace > 0.0 {
        [1.0 + trace, R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
    } else {
        let i = (0..3).max_by(|&a, &b| R[a][a].total_cmp(&R[b][b])).unwrap_or(0);
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let mut q = [R[k][j] - R[j][k], 0.0, 0.0, 0.0];
        q[1 + i] = 1.0 + R[i][i] - R[j][j] - R[k][k];
        q[1 + j] = R[j][i] + R[i][j];
        q[1 + k] = R[k][i] + R[i][k];
        q
    };
    percussion_model::bodies::math::normalised(&q)
}

fn vector(x: &[f64]) -> String {
    list(x.iter().map(|&x| number(x)))
}

fn body(toml: &mut String, link: &Node, pose: &Pose, fixed: bool, ignored: &mut Vec<String>) {
    let name = name_or(link, "link");
    let find = |tag: &'static str| link.children().filter(move |c| c.has_tag_name(tag));
    let inertial = find("inertial").next();
    let centre = inertial.as_ref().map_or(Pose::IDENTITY, origin);
    let place = pose.then(&centre);
    toml.push_str("\n[[body]]\n");
    line(toml, "name", &quoted(&name));
    line(toml, "position", &vector(&place.x));
    line(toml, "rotation", &vector(&quaternion(&place.R)));
    let collisions: Vec<Node> = find("collision").collect();
    if collisions.len() > 1 {
        ignored.push(format!("link \"{name}\": {} further collision shapes", collisions.len() - 1));
    }
    let visuals = find("visual").count();
    if visuals > 0 {
        ignored.push(format!("link \"{name}\": {visuals} visual shapes"));
    }
    match collisions.first() {
        Some(collision) => {
            let seen = pose.then(&origin(collision)).seen_from(&place);
            match shape(collision, &seen) {
                Ok(text) => {
                    if text.contains("\"hull\"") && collision.descendants().any(|n| n.has_tag_name("cylinder")) {
                        ignored.push(format!(
                            "link \"{name}\": its cylinder is turned or moved from the centre of mass; a prism of 16 sides stands for it"
                        ));
                    }
                    line(toml, "shape", &text);
                }
                Err(reason) => {
                    line(toml, "shape", "{ kind = \"point\" }");
                    ignored.push(format!("link \"{name}\": collision {reason}; the body meets nothing"));
                }
            }
        }
        None => line(toml, "shape", "{ kind = \"point\" }"),
    }
    let mass = inertial.as_ref().and_then(|i| i.children().find(|c| c.has_tag_name("mass")));
    let mass = mass.and_then(|m| m.attribute("value")).and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0);
    let inertia = inertial.as_ref().and_then(|i| i.children().find(|c| c.has_tag_name("inertia")));
    let entry = |key: &str| {
        let value = inertia.as_ref().and_then(|i| i.attribute(key));
        value.and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0)
    };
    if fixed {
        line(toml, "fixed", "true");
        if mass > 0.0 {
            ignored.push(format!("link \"{name}\": its mass, because the root is fixed"));
        }
    } else if mass > 0.0 {
        line(toml, "mass", &number(mass));
        let I = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"].map(entry);
        line(toml, "inertia", &vector(&I));
    } else {
        // a scene has no bodies without mass
        line(toml, "mass", "1e-6");
        line(toml, "inertia", "[1e-9, 1e-9, 1e-9]");
        ignored.push(format!("link \"{name}\" has no mass: 1e-6 kg and 1e-9 kg m² were given"));
    }
}

/// A shape in the frame of the centre of mass: as it is where it stands straight there, else as the hull of its corners.
fn shape(collision: &Node, seen: &Pose) -> std::result::Result<String, String> {
    let geometry = collision.children().find(|c| c.has_tag_name("geometry"));
    let Some(form) = geometry.and_then(|g| g.children().find(Node::is_element)) else {
        return Err("has no geometry".into());
    };
    let length = |key: &str| form.attribute(key).and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0);
    let hull = |corners: Vec<Vec3>| {
        let points = corners.iter().map(|c| vector(&add(&seen.x, &mul(&seen.R, c))));
        format!("{{ kind = \"hull\", points = {} }}", list(points))
    };
    match form.tag_name().name() {
        "box" => {
            let size: Vec3 = numbers(form.attribute("size"), [0.0; 3]);
            if seen.is_identity() {
                return Ok(format!("{{ kind = \"box\", size = {} }}", vector(&size)));
            }
            let corner = |k: usize| std::array::from_fn(|a| size[a] * if k >> a & 1 == 1 { 0.5 } else { -0.5 });
            Ok(hull((0..8).map(corner).collect()))
        }
        "sphere" if seen.x.iter().all(|x| x.abs() < 1e-12) => {
            Ok(format!("{{ kind = \"sphere\", radius = {} }}", number(length("radius"))))
        }
        "sphere" => Err("is a sphere away from the centre of mass, which a scene does not have".into()),
        "cylinder" => {
            let (radius, l) = (length("radius"), length("length"));
            if seen.is_identity() {
                return Ok(format!("{{ kind = \"cylinder\", radius = {}, length = {} }}", number(radius), number(l)));
            }
            let corner = |k: usize| {
                let (s, c) = ((k / 2) as f64 * std::f64::consts::TAU / 16.0).sin_cos();
                [radius * c, radius * s, if k.is_multiple_of(2) { -0.5 * l } else { 0.5 * l }]
            };
            Ok(hull((0..32).map(corner).collect()))
        }
        "mesh" => Err(format!("mesh \"{}\"", form.attribute("filename").unwrap_or_default())),
        other => Err(format!("<{other}>")),
    }
}

fn joint(
    toml: &mut String,
    gears: &mut String,
    joint: &Node,
    poses: &BTreeMap<String, Pose>,
    (parent, child): (&str, &str),
    ignored: &mut Vec<String>,
) {
    let name = name_or(joint, "joint");
    let (Some(_), Some(pose)) = (poses.get(parent), poses.get(child)) else {
        ignored.push(format!("joint \"{name}\": its links \"{parent}\" and \"{child}\" are not both there"));
        return;
    };
    let find = |tag: &'static str| joint.children().find(move |c| c.has_tag_name(tag));
    let kind = match joint.attribute("type").unwrap_or_default() {
        "revolute" | "continuous" => "revolute",
        "prismatic" => "prismatic",
        "fixed" => "fixed",
        "floating" => return,
        other => {
            ignored.push(format!("joint \"{name}\" of type \"{other}\": the link moves freely"));
            return;
        }
    };
    toml.push_str("\n[[joint]]\n");
    line(toml, "name", &quoted(&name));
    line(toml, "kind", &quoted(kind));
    line(toml, "a", &quoted(parent));
    line(toml, "b", &quoted(child));
    line(toml, "anchor", &vector(&pose.x));
    let axis: Vec3 = numbers(find("axis").and_then(|a| a.attribute("xyz")), [1.0, 0.0, 0.0]);
    line(toml, "axis", &vector(&mul(&pose.R, &axis)));
    let number_of = |n: Option<Node>, key: &str| n.and_then(|n| n.attribute(key)).and_then(|v| v.parse::<f64>().ok());
    let limit = find("limit");
    if joint.attribute("type") != Some("continuous")
        && kind != "fixed"
        && let (Some(low), Some(high)) = (number_of(limit, "lower"), number_of(limit, "upper"))
    {
        if (low..=high).contains(&0.0) && low < high && (kind == "prismatic" || high.max(-low) < std::f64::consts::PI) {
            line(toml, "limits", &vector(&[low, high]));
        } else {
            ignored.push(format!("joint \"{name}\": limits [{low}, {high}], which do not hold 0 or pass half a turn"));
        }
    }
    for key in ["effort", "velocity"] {
        if number_of(limit, key).is_some_and(|x| x != 0.0) {
            ignored.push(format!("joint \"{name}\": limit of {key}"));
        }
    }
    let dynamics = find("dynamics");
    if kind != "fixed"
        && let Some(damping) = number_of(dynamics, "damping").filter(|&d| d > 0.0)
    {
        line(toml, "damping", &number(damping));
    }
    if number_of(dynamics, "friction").is_some_and(|x| x != 0.0) {
        ignored.push(format!("joint \"{name}\": dry friction"));
    }
    for tag in ["calibration", "safety_controller"] {
        if find(tag).is_some() {
            ignored.push(format!("joint \"{name}\": <{tag}>"));
        }
    }
    if let Some(mimic) = find("mimic") {
        // c = multiplier c_other: c − multiplier c_other keeps its value
        gears.push_str("\n[[joint]]\n");
        line(gears, "name", &quoted(&format!("{name} mimics")));
        line(gears, "kind", &quoted("gear"));
        let other = mimic.attribute("joint").unwrap_or_default();
        line(gears, "joints", &format!("[{}, {}]", quoted(&name), quoted(other)));
        line(gears, "ratio", &number(-number_of(Some(mimic), "multiplier").unwrap_or(1.0)));
        if number_of(Some(mimic), "offset").is_some_and(|x| x != 0.0) {
            ignored.push(format!("joint \"{name}\": offset of its mimic"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARM: &str = r#"<?xml version="1.0"?>
<robot name="arm">
  <material name="red"/>
  <link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.5" rpy="0 0 0"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.01"/></inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.05" length="1"/></geometry></collision>
  </link>
  <link name="lower">
    <inertial><origin xyz="0 0 0.4"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.005"/></inertial>
    <collision><origin xyz="0 0.1 0.4"/><geometry><box size="0.1 0.1 0.8"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/><dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
  </joint>
  <transmission name="t"/>
</robot>"#;

    /// The arm is placed as its joints say, runs, and everything that was left out is named.
    #[test]
    fn an_arm_is_imported() {
        let imported = import_urdf("arm.urdf", ARM, true).unwrap();
        let text = imported.ignored.join("\n");
        for word in ["transmission", "effort", "velocity", "dry friction", "visual"] {
            assert!(text.contains(word), "{word} in {text}");
        }
        // a cylinder that is moved or turned is not the one the file has, and that is said
        let turned = ARM.replace("<collision><origin xyz=\"0 0 0.5\"/>", "<collision><origin xyz=\"0 0 0.4\"/>");
        let ignored = import_urdf("arm.urdf", &turned, true).unwrap().ignored.join("\n");
        assert!(ignored.contains("16 sides") && !text.contains("16 sides"), "{ignored}");
        let loaded = crate::load_text("arm.toml", &imported.toml, &crate::LoadOptions::default()).unwrap();
        let q = &loaded.scenario.problem.q0;
        // upper lies along x from (0, 0, 1): its centre at 0.5; lower follows, its centre at 1.4
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(close(q[7], 0.5) && close(q[9], 1.0) && close(q[14], 1.4) && close(q[16], 1.0), "{q:?}");
        assert_eq!(loaded.scenario.model().n_joints(), 10);
    }

    /// What is no robot is refused.
    #[test]
    fn nonsense_is_refused() {
        let joint = |name: &str, parent: &str| {
            format!("<joint name=\"{name}\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"c\"/></joint>")
        };
        let links = "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>";
        let two_parents = format!("<robot>{links}{}{}</robot>", joint("x", "a"), joint("y", "b"));
        for text in ["", "<robot", "<house/>", "<robot/>", &two_parents] {
            assert!(import_urdf("x.urdf", text, true).is_err(), "{text}");
        }
    }

    /// Entities, elements in elements and attributes without end cost nothing.
    #[test]
    fn bombs_are_refused() {
        let laughs: String =
            (1..12).map(|k| format!("<!ENTITY a{k} \"{}\">", format!("&a{};", k - 1).repeat(10))).collect();
        let attributes: String = (0..200_000).map(|k| format!(" a{k}='1'")).collect();
        let started = std::time::Instant::now();
        for text in [
            format!("<!DOCTYPE robot [<!ENTITY a0 \"ha\">{laughs}]><robot name=\"&a11;\"><link name=\"x\"/></robot>"),
            format!("<robot><link{attributes}/></robot>"),
            format!("<robot>{}", "<link>".repeat(200_000)),
            "<r\n".repeat(170_000),
        ] {
            let error = import_urdf("x.urdf", &text, true).unwrap_err();
            assert_eq!(error.code, Code::BAD_ROBOT, "{error}");
            assert!(error.message.len() < 500, "{error}");
        }
        assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
    }

    /// A number that is none is no default.
    #[test]
    fn numbers_are_numbers() {
        for (good, bad) in [
            ("mass value=\"2\"", "mass value=\"2 kg\""),
            ("xyz=\"0 0 0.5\"", "xyz=\"0 0\""),
            ("ixx=\"0.2\"", "ixx=\"NaN\""),
            ("size=\"0.1 0.1 0.8\"", "size=\"0.1 0.1 inf\""),
            ("damping=\"0.1\"", "damping=\"\""),
        ] {
            assert!(ARM.contains(good));
            let error = import_urdf("x.urdf", &ARM.replace(good, bad), true).unwrap_err();
            assert_eq!(error.code, Code::BAD_ROBOT, "{error}");
        }
    }

    /// Links in any order, ten thousand of them.
    #[test]
    fn long_chains_are_placed_in_any_order() {
        let n = 10_000;
        let mut text = String::from("<robot>");
        for k in (0..n).rev() {
            text += &format!("<link name='{k}'/>");
            if k > 0 {
                text += &format!(
                    "<joint name='j{k}' type='fixed'><parent link='{}'/><child link='{k}'/><origin xyz='0 0 1'/></joint>",
                    k - 1
                );
            }
        }
        let imported = import_urdf("x.urdf", &(text + "</robot>"), true).unwrap();
        assert!(imported.toml.contains("position = [0.0, 0.0, 9999.0]"));
    }
}
