//! MJCF: MuJoCo's models. Bodies, joints, geoms, defaults, meshes, servos, couplings, exclusions and keyframes are taken; the rest is named.

use super::grip::Mixing;
use super::meshes::{Fit, Meshes};
use super::mjcf_defaults::Settings;
use super::mjcf_world::{Coordinates, MeshAsset, World};
use super::pose::Pose;
use super::xml::{all, list};
use super::{Freedom, ImportOptions, Keyframe, Loop, Robot, Softness, mjcf_actuators, mjcf_mesh, refuse};
use crate::error::Result;
use percussion_model::bodies::math::{IDENTITY, Vec3, normalised, rotation};
use roxmltree::Node;
use std::collections::BTreeMap;

/// The robot of a document.
pub fn read(file: &str, root: &Node, _options: &ImportOptions, meshes: &mut Meshes) -> Result<Robot> {
    let settings = Settings::new(root);
    let mut robot = Robot::new(root.attribute("model").unwrap_or("robot"));
    robot.mixing = Mixing::Largest;
    robot.friction =
        settings.default("geom", "main", "friction").and_then(list).and_then(|x| x.first().copied()).unwrap_or(1.0);
    for option in all(root, "option") {
        if let Some(&[x, y, z]) = option.attribute("gravity").and_then(list).as_deref() {
            robot.gravity = [x, y, z];
        }
        if settings.off.contains("gravity") {
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
    for material in all(root, "asset").flat_map(|assets| all(&assets, "material").collect::<Vec<_>>()) {
        if let (Some(name), Some(rgba)) = (material.attribute("name"), settings.numbers(file, &material, "", "rgba")?) {
            world.materials.insert(name.to_string(), rgba);
        }
    }
    world.read(root)?;
    let World { mut robot, bodies, geoms, coordinates, .. } = world;
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
    let springs = coordinates.iter().filter_map(|c| Some((c.joint.as_str(), c.springdamper?)));
    mjcf_actuators::springdampers(springs, &mut robot);
    let references: BTreeMap<String, f64> = coordinates.iter().map(|c| (c.joint.clone(), c.reference)).collect();
    if !["equality", "constraint"].iter().any(|flag| settings.off.contains(*flag)) {
        equalities(file, &settings, root, &bodies, &references, &mut robot)?;
    }
    let actuators = if settings.off.contains("actuation") {
        robot.notes.push("the file switches actuators off: none is taken".into());
        Vec::new()
    } else {
        mjcf_actuators::read(file, &settings, root, &references, &mut robot)?
    };
    contacts(root, &bodies, &geoms, &mut robot);
    keyframes(root, &coordinates, &actuators, &mut robot);
    Ok(robot)
}

/// Pairs that meet and bodies that do not.
fn contacts(root: &Node, bodies: &BTreeMap<String, usize>, geoms: &BTreeMap<String, usize>, robot: &mut Robot) {
    let of = |n: &Node, key: &str, known: &BTreeMap<String, usize>| {
        n.attribute(key).and_then(|name| known.get(name).copied())
    };
    let mut own_laws = 0;
    for n in all(root, "contact").flat_map(|c| c.children().filter(Node::is_element).collect::<Vec<_>>()) {
        match n.tag_name().name() {
            "exclude" => {
                if let (Some(a), Some(b)) = (of(&n, "body1", bodies), of(&n, "body2", bodies)) {
                    robot.excluded.push([a, b]);
                }
            }
            "pair" => match (of(&n, "geom1", geoms), of(&n, "geom2", geoms)) {
                (Some(a), Some(b)) => {
                    robot.paired.push([a, b]);
                    own_laws += usize::from(n.attribute("friction").is_some() || n.attribute("condim").is_some());
                }
                _ => robot.notes.push("a contact pair of geoms that are not there".into()),
            },
            other => robot.notes.push(format!("<{other}> of <contact>")),
        }
    }
    if own_laws > 0 {
        robot.notes.push(format!("friction of {own_laws} contact pairs: that of their geoms is taken"));
    }
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
    for tag in ["composite", "flexcomp", "attach"] {
        let n = root.descendants().filter(|d| d.is_element() && d.tag_name().name() == tag).count();
        if n > 0 {
            robot.notes.push(format!("{n} elements <{tag}>, and the bodies they make"));
        }
    }
}

fn asset(file: &str, settings: &Settings, n: &Node) -> Result<MeshAsset> {
    let name = n.attribute("file").unwrap_or_default();
    let found = std::path::Path::new(name).is_absolute();
    let path = if settings.meshdir.is_empty() || name.is_empty() || found {
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
    let faces = settings.numbers(file, n, "", "face")?.unwrap_or_default();
    let faces = faces.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(|x| x.max(0.0) as usize)).collect();
    let reference = Pose {
        x: settings.triple(file, n, "", "refpos")?.unwrap_or([0.0; 3]),
        R: match settings.numbers(file, n, "", "refquat")?.as_deref() {
            Some(&[w, x, y, z]) => rotation(&normalised(&[w, x, y, z])),
            _ => IDENTITY,
        },
    };
    let word = settings.get(n, "", "inertia").unwrap_or("legacy");
    let Some(filling) = mjcf_mesh::Filling::named(word) else {
        let owner = n.attribute("name").unwrap_or(name);
        let help = "write legacy, exact, convex or shell, or leave it out for legacy";
        return refuse(
            file,
            format!("<mesh inertia=\"{word}\"> of \"{owner}\": there is no such way to spread a mass"),
            help,
        );
    };
    Ok(MeshAsset { file: path, fit: Fit { reference, scale }, vertices, faces, filling })
}

/// How a weld gives way under a load: a = (1 − d) a₀ − d (b v + d k c) resists a₀ as a spring of d² k/(1 − d) by the link's mass would.
///
///   solref > 0, (t, ζ):  k = 1/(d₁ t ζ)²,  b = 2/(d₁ t);    solref < 0, (−k₀, −b₀):  k = k₀/d₁²,  b = b₀/d₁;    d, d₁ = solimp
fn softness(settings: &Settings, file: &str, n: &Node) -> Result<Softness> {
    let default = |tag: &str, key: &str| settings.default(tag, n.attribute("class").unwrap_or_default(), key);
    let numbers = |key: &str| -> Result<Vec<f64>> {
        let own = settings.numbers(file, n, "", key)?;
        Ok(own.or_else(|| default("equality", key).and_then(list)).unwrap_or_default())
    };
    let (reference, impedance) = (numbers("solref")?, numbers("solimp")?);
    let share = |k: usize, usual: f64| impedance.get(k).copied().unwrap_or(usual).clamp(1e-4, 0.9999);
    let (d, most) = (share(0, 0.9), share(1, 0.95));
    let [t, ratio] = [(0, 0.02), (1, 1.0)].map(|(k, usual): (usize, f64)| reference.get(k).copied().unwrap_or(usual));
    let (k, b) = if t > 0.0 && ratio > 0.0 {
        (1.0 / (most * t * ratio).powi(2), 2.0 / (most * t))
    } else {
        (t.abs() / (most * most), ratio.abs() / most)
    };
    Ok(Softness { stiffness: d * d * k / (1.0 - d), damping: d * b / (1.0 - d) })
}

/// Couplings of joints, and bodies that are pinned or welded to each other. Those that MuJoCo moves by hand (`mocap`) pull elastically: a
/// rigid hold would stand against joints that cannot follow.
fn equalities(
    file: &str,
    settings: &Settings,
    root: &Node,
    bodies: &BTreeMap<String, usize>,
    references: &BTreeMap<String, f64>,
    robot: &mut Robot,
) -> Result<()> {
    let hands: Vec<&str> = root
        .descendants()
        .filter(|n| n.tag_name().name() == "body" && n.attribute("mocap") == Some("true"))
        .filter_map(|n| n.attribute("name"))
        .collect();
    let section: Vec<Node> =
        all(root, "equality").flat_map(|s| s.children().filter(Node::is_element).collect::<Vec<_>>()).collect();
    for n in section.iter().filter(|n| settings.get(n, "", "active") != Some("false")) {
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
                let hand = ["body1", "body2"].map(|key| n.attribute(key).is_some_and(|name| hands.contains(&name)));
                let softness = if hand[0] || hand[1] { Some(softness(settings, file, n)?) } else { None };
                match (body("body1"), body("body2")) {
                    (Some(a), Some(b)) if a != b && n.attribute("body1").is_some() => {
                        let freedom = if tag == "connect" { Freedom::Ball } else { Freedom::Nothing };
                        let name =
                            if name.is_empty() { format!("{tag} {}", robot.loops.len() + 1) } else { name.to_string() };
                        // a hand holds its link at the link's own origin
                        let links = if hand[0] { [b, a] } else { [a, b] };
                        let anchor = settings.triple(file, n, "", "anchor")?.filter(|_| softness.is_none());
                        let (anchor, axis) = (anchor.unwrap_or_default(), [0.0, 0.0, 1.0]);
                        robot.loops.push(Loop { name, freedom, links, anchor, axis, softness });
                    }
                    _ => robot.notes.push(format!("equality \"{name}\": a {tag} between sites")),
                }
            }
            other => robot.notes.push(format!("equality \"{name}\": <{other}>")),
        }
    }
    Ok(())
}

fn keyframes(
    root: &Node,
    coordinates: &[Coordinates],
    actuators: &[Option<mjcf_actuators::Target>],
    robot: &mut Robot,
) {
    for (k, key) in all(root, "keyframe").flat_map(|s| all(&s, "key").collect::<Vec<_>>()).enumerate() {
        let q = key.attribute("qpos").and_then(list).unwrap_or_default();
        let mut frame = Keyframe {
            name: key.attribute("name").map_or_else(|| format!("{k}"), str::to_string),
            ..Keyframe::default()
        };
        let mut at = 0;
        for Coordinates { joint, link, size, reference, .. } in coordinates {
            match q.get(at..at + size).unwrap_or_default() {
                [x] => frame.coordinates.push((joint.clone(), x - reference)),
                [x, y, z, turn @ ..] if turn.len() == 4 && turn.iter().any(|x| *x != 0.0) => {
                    let R = rotation(&normalised(&[turn[0], turn[1], turn[2], turn[3]]));
                    frame.roots.push((*link, Pose { x: [*x, *y, *z], R }));
                }
                [w, x, y, z] if *w != 0.0 && [x, y, z].iter().any(|x| **x != 0.0) => {
                    robot.notes.push(format!("keyframe \"{}\": how the ball \"{joint}\" is turned", frame.name));
                }
                _ => {}
            }
            at += size;
        }
        let control = key.attribute("ctrl").and_then(list).unwrap_or_default();
        for (target, u) in actuators.iter().zip(control) {
            frame
                .targets
                .extend(target.as_ref().map(|target| (target.joint.clone(), target.slope * u + target.at_zero)));
        }
        robot.keyframes.push(frame);
    }
}
