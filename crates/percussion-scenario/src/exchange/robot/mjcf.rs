//! MJCF: MuJoCo's models. Bodies, joints, geoms, defaults, meshes, servos, couplings, exclusions and keyframes are taken; the rest is named.
//!
//!   position  f = kp (u − c) − kv ċ;    velocity  f = −kv ċ at u = 0;    general  f = b₀ + b₁ c + b₂ ċ at u = 0

use super::meshes::Meshes;
use super::mjcf_defaults::Settings;
use super::mjcf_world::{MeshAsset, World};
use super::xml::{all, list};
use super::{Freedom, ImportOptions, Keyframe, Loop, Robot, Servo};
use crate::error::Result;
use percussion_model::bodies::math::Vec3;
use roxmltree::Node;
use std::collections::BTreeMap;

/// The robot of a document.
pub fn read(file: &str, root: &Node, _options: &ImportOptions, meshes: &mut Meshes) -> Result<Robot> {
    let settings = Settings::new(root);
    let mut robot = Robot::new(root.attribute("model").unwrap_or("robot"));
    robot.friction =
        settings.default("geom", "main", "friction").and_then(list).and_then(|x| x.first().copied()).unwrap_or(1.0);
    for option in all(root, "option") {
        if let Some(&[x, y, z]) = option.attribute("gravity").and_then(list).as_deref() {
            robot.gravity = [x, y, z];
        }
        if all(&option, "flag").any(|flag| flag.attribute("gravity") == Some("disable")) {
            robot.gravity = [0.0; 3];
        }
        for key in ["density", "viscosity", "wind"] {
            if option.attribute(key).and_then(list).is_some_and(|x| x.iter().any(|x| *x != 0.0)) {
                robot.notes.push(format!("{key} of the air"));
            }
        }
    }
    note_sections(root, &mut robot);
    let mut world = World::new(file, &settings, meshes, robot);
    for mesh in all(root, "asset").flat_map(|assets| all(&assets, "mesh").collect::<Vec<_>>()) {
        let asset = asset(file, &settings, &mesh)?;
        let stem = asset.file.rsplit('/').next().unwrap_or_default();
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem).to_string();
        let name = mesh.attribute("name").map_or(stem, str::to_string);
        world.assets.insert(name, asset);
    }
    world.read(root)?;
    let World { mut robot, bodies, coordinates, .. } = world;
    let references: BTreeMap<String, f64> = coordinates.iter().map(|(name, _, zero)| (name.clone(), *zero)).collect();
    let actuators = actuators(file, &settings, root, &references, &mut robot)?;
    equalities(root, &bodies, &references, &mut robot);
    for exclude in all(root, "contact").flat_map(|c| all(&c, "exclude").collect::<Vec<_>>()) {
        let body = |key: &str| exclude.attribute(key).and_then(|name| bodies.get(name).copied());
        if let (Some(a), Some(b)) = (body("body1"), body("body2")) {
            robot.excluded.push([a, b]);
        }
    }
    let pairs = all(root, "contact").map(|c| all(&c, "pair").count()).sum::<usize>();
    if pairs > 0 {
        robot.notes.push(format!("{pairs} contact pairs with laws of their own"));
    }
    keyframes(root, &coordinates, &actuators, &mut robot);
    if let Some(total) = settings.total_mass {
        let moving = robot.links.iter_mut().filter(|link| !link.fixed);
        let factor = total / moving.map(|link| link.mass).sum::<f64>();
        if factor.is_finite() && factor > 0.0 {
            for link in robot.links.iter_mut().filter(|link| !link.fixed) {
                link.mass *= factor;
                link.inertia = link.inertia.map(|row| row.map(|x| factor * x));
            }
        }
    }
    Ok(robot)
}

/// Sections that say nothing a scene can hold.
fn note_sections(root: &Node, robot: &mut Robot) {
    const TAKEN: [&str; 11] = [
        "compiler",
        "option",
        "default",
        "asset",
        "worldbody",
        "actuator",
        "equality",
        "contact",
        "keyframe",
        "size",
        "visual",
    ];
    for section in root.children().filter(Node::is_element) {
        let (tag, n) = (section.tag_name().name(), section.children().filter(Node::is_element).count());
        if !TAKEN.contains(&tag) && n > 0 {
            robot.notes.push(format!("<{tag}> with {n} elements"));
        }
    }
    for tag in ["site", "camera", "light", "composite", "flexcomp", "attach", "replicate", "frame"] {
        let n = root.descendants().filter(|d| d.is_element() && d.tag_name().name() == tag).count();
        if n > 0 && !["site", "camera", "light"].contains(&tag) {
            robot.notes.push(format!("{n} elements <{tag}>"));
        }
    }
}

fn asset(file: &str, settings: &Settings, n: &Node) -> Result<MeshAsset> {
    let name = n.attribute("file").unwrap_or_default();
    let path = if settings.meshdir.is_empty() || name.is_empty() {
        name.to_string()
    } else {
        format!("{}/{name}", settings.meshdir.trim_end_matches('/'))
    };
    let scale = settings.triple(file, n, "", "scale")?.unwrap_or([1.0; 3]);
    let vertices: Vec<Vec3> = settings
        .numbers(file, n, "", "vertex")?
        .unwrap_or_default()
        .chunks_exact(3)
        .map(|v| [v[0], v[1], v[2]])
        .collect();
    Ok(MeshAsset { file: path, scale, vertices })
}

/// Servos and motors on joints; gives the joint of each actuator, in order.
fn actuators(
    file: &str,
    settings: &Settings,
    root: &Node,
    references: &BTreeMap<String, f64>,
    robot: &mut Robot,
) -> Result<Vec<Option<String>>> {
    let mut order = Vec::new();
    for n in all(root, "actuator").flat_map(|section| section.children().filter(Node::is_element).collect::<Vec<_>>()) {
        let (tag, name) = (n.tag_name().name(), n.attribute("name").unwrap_or_default());
        let joint = settings.get(&n, "", "joint").map(str::to_string);
        order.push(joint.clone().filter(|_| tag == "position" || tag == "general"));
        let known =
            joint.as_ref().and_then(|joint| robot.joints.iter().position(|j| j.name == *joint && j.has_coordinate()));
        let Some(k) = known else {
            robot.notes.push(format!("actuator \"{name}\": <{tag}> on no hinge or slide"));
            continue;
        };
        actuator(file, settings, &n, references, (k, robot))?;
    }
    Ok(order)
}

/// One actuator on joint k.
fn actuator(
    file: &str,
    settings: &Settings,
    n: &Node,
    references: &BTreeMap<String, f64>,
    (k, robot): (usize, &mut Robot),
) -> Result<()> {
    let (tag, name) = (n.tag_name().name(), n.attribute("name").unwrap_or_default());
    let of = |key: &str| settings.numbers(file, n, "", key);
    let first = |key: &str, absent: f64| {
        Ok::<f64, Box<crate::error::ScenarioError>>(of(key)?.and_then(|x| x.first().copied()).unwrap_or(absent))
    };
    let gear = first("gear", 1.0)?;
    let square = gear * gear;
    let zero = references.get(&robot.joints[k].name).copied().unwrap_or(0.0);
    let before = robot.joints[k].servo.unwrap_or_default();
    match tag {
        "position" => {
            if settings.get(n, "", "dampratio").is_some() {
                robot.notes.push(format!("actuator \"{name}\": its dampratio"));
            }
            let range = of("ctrlrange")?.filter(|r| r.len() == 2 && r[0] < r[1]);
            let control = range.map_or(0.0, |r| 0.0_f64.clamp(r[0], r[1]));
            let (stiffness, damping) = (first("kp", 1.0)? * square, before.damping + first("kv", 0.0)? * square);
            robot.joints[k].servo = Some(Servo { stiffness, damping, target: control / gear - zero, ..before });
        }
        "velocity" => {
            let damping = before.damping + first("kv", 1.0)? * square;
            robot.joints[k].servo = Some(Servo { damping, ..before });
        }
        "general" if settings.get(n, "", "biastype") == Some("affine") => {
            let bias = of("biasprm")?.unwrap_or_default();
            let at = |k: usize| bias.get(k).copied().unwrap_or(0.0);
            let (stiffness, damping) = (-at(1) * square, before.damping + (-at(2) * square).max(0.0));
            if stiffness > 0.0 {
                let target = at(0) * gear / stiffness - zero;
                robot.joints[k].servo = Some(Servo { stiffness, damping, target, ..before });
            }
        }
        "motor" | "general" => {
            let joint = &mut robot.joints[k];
            joint.pushed = true;
            joint.comment = format!("control u is a force of {gear} u");
        }
        other => robot.notes.push(format!("actuator \"{name}\": <{other}>")),
    }
    let range = of("forcerange")?.filter(|r| r.len() == 2 && r[0] < r[1]);
    let limited = settings.get(n, "", "forcelimited") != Some("false");
    if let (Some(range), Some(servo)) = (range.filter(|_| limited), &mut robot.joints[k].servo) {
        let most = range[0].abs().max(range[1].abs());
        servo.limit = Some(most * gear.abs());
        if range[0] != -range[1] {
            robot.notes.push(format!("actuator \"{name}\": it pushes with up to {most} either way, not {range:?}"));
        }
    }
    Ok(())
}

/// Couplings of joints, and bodies that are pinned or welded to each other.
fn equalities(root: &Node, bodies: &BTreeMap<String, usize>, references: &BTreeMap<String, f64>, robot: &mut Robot) {
    let section: Vec<Node> =
        all(root, "equality").flat_map(|s| s.children().filter(Node::is_element).collect::<Vec<_>>()).collect();
    for n in section.iter().filter(|n| n.attribute("active") != Some("false")) {
        let (tag, name) = (n.tag_name().name(), n.attribute("name").unwrap_or_default());
        match tag {
            "joint" => {
                let (one, two) = (n.attribute("joint1").unwrap_or_default(), n.attribute("joint2"));
                let poly = n.attribute("polycoef").and_then(list).unwrap_or(vec![0.0, 1.0]);
                let at = |k: usize| poly.get(k).copied().unwrap_or(0.0);
                let bent = (2..5).any(|k| at(k) != 0.0);
                // (c₁ − ref₁) = a₀ + a₁ (c₂ − ref₂), and our coordinates are counted from the references
                let follower = robot.joints.iter_mut().find(|j| j.name == one && j.has_coordinate());
                match (follower, two) {
                    (Some(joint), Some(two)) if !bent && at(1) != 0.0 && references.contains_key(two) => {
                        joint.mimic = Some((two.to_string(), at(1), at(0)));
                    }
                    _ => robot.notes.push(format!("equality of joint \"{one}\" that is no straight line of another")),
                }
            }
            "connect" | "weld" => {
                let body = |key: &str| n.attribute(key).map_or(Some(0), |name| bodies.get(name).copied());
                let anchor =
                    n.attribute("anchor").and_then(list).and_then(|x| <[f64; 3]>::try_from(x).ok()).unwrap_or_default();
                match (body("body1"), body("body2")) {
                    (Some(a), Some(b)) if a != b && n.attribute("body1").is_some() => {
                        let freedom = if tag == "connect" { Freedom::Ball } else { Freedom::Nothing };
                        let name =
                            if name.is_empty() { format!("{tag} {}", robot.loops.len() + 1) } else { name.to_string() };
                        robot.loops.push(Loop { name, freedom, links: [a, b], anchor });
                    }
                    _ => robot.notes.push(format!("equality \"{name}\": a {tag} between sites")),
                }
            }
            other => robot.notes.push(format!("equality \"{name}\": <{other}>")),
        }
    }
}

fn keyframes(root: &Node, coordinates: &[(String, usize, f64)], actuators: &[Option<String>], robot: &mut Robot) {
    for (k, key) in all(root, "keyframe").flat_map(|s| all(&s, "key").collect::<Vec<_>>()).enumerate() {
        let q = key.attribute("qpos").and_then(list).unwrap_or_default();
        let mut frame = Keyframe {
            name: key.attribute("name").map_or_else(|| format!("{k}"), str::to_string),
            ..Keyframe::default()
        };
        let mut at = 0;
        for (name, size, zero) in coordinates {
            if *size == 1 {
                frame.coordinates.extend(q.get(at).map(|x| (name.clone(), x - zero)));
            }
            at += size;
        }
        let control = key.attribute("ctrl").and_then(list).unwrap_or_default();
        for (joint, u) in actuators.iter().zip(control) {
            if let Some(joint) = joint {
                let zero = coordinates.iter().find(|(name, ..)| name == joint).map_or(0.0, |(_, _, zero)| *zero);
                frame.targets.push((joint.clone(), u - zero));
            }
        }
        robot.keyframes.push(frame);
    }
    if !robot.keyframes.is_empty() {
        let names: Vec<&str> = robot.keyframes.iter().map(|k| k.name.as_str()).collect();
        robot.notes.push(format!("keyframes to start from with --pose NAME: {}", names.join(", ")));
    }
}
