//! SDF: all models of a file or of its world, with those they include or hold; poses are relative to whatever they name.
//!
//!   x_world = x_model · x_relative_to · pose;    default: of links and models the model around them, of joints their child links
//!   axes are those of the joint's frame, before version 1.5 those of the model

use super::grip::Grip;
use super::looks::LinkLook;
use super::meshes::{Fit, Meshes, sized};
use super::pose::{Pose, along_z, roll_pitch_yaw};
use super::sdf_joints;
use super::sdf_tree::{Element, Reader};
use super::xml::list;
use super::{Form, ImportOptions, Link, LinkShape, Robot, refuse};
use crate::error::Result;
use percussion_model::bodies::math::{IDENTITY, Vec3, mul_mat, normalised, rotation, transpose};
use roxmltree::Node;
use std::collections::BTreeMap;

/// Frames that are given by frames at most, and models.
const DEEPEST: usize = 64;
const MOST_MODELS: usize = 1000;

/// A model within the file.
pub struct Scope<'a> {
    pub file: &'a str,
    element: &'a Element,
    /// What names of links begin with outside.
    prefix: String,
    /// Of the model in the world.
    pub pose: Pose,
    /// Links by name.
    links: BTreeMap<String, usize>,
    models: BTreeMap<String, Scope<'a>>,
}

/// The robot of a document.
pub fn read(file: &str, root: &Node, options: &ImportOptions, meshes: &mut Meshes) -> Result<Robot> {
    let mut reader = Reader::new(file);
    let version = root.attribute("version").unwrap_or_default().to_string();
    let document = reader.tree(root, options.folder.as_deref(), &version, 0)?;
    let around = document.child("world").unwrap_or(&document);
    let models: Vec<&Element> = around.all("model").collect();
    let Some(first) = models.first() else { return refuse(file, "has no <model>", "give an SDF file with a model") };
    if models.len() > MOST_MODELS {
        return refuse(file, format!("has {} models", models.len()), "give fewer");
    }
    let mut robot = Robot::new(first.name());
    robot.notes.append(&mut reader.notes);
    if let Some(gravity) = triple(file, around, "gravity")? {
        robot.gravity = gravity;
    }
    let mut scopes = Vec::new();
    for (k, model) in models.iter().enumerate() {
        let prefix = if models.len() > 1 { format!("{}::", model.name()) } else { String::new() };
        let at = pose(file, model)?;
        let scope = scope(file, model, (prefix, at), 0, &mut robot, meshes)?;
        // links of a model meet each other only where it says so
        if !model.says("self_collide") {
            let bit = 1_u32 << (k % 31 + 1);
            scope.each(&mut |link| robot.links[link].masks = [bit, !bit]);
        }
        scopes.push(scope);
    }
    if robot.links.is_empty() {
        return refuse(file, "its models have no link", "give a model with links");
    }
    if models.iter().any(|model| model.all("link").count() > 1 && !model.says("self_collide")) {
        robot.notes.push("contacts of links of one model with each other: it does not say <self_collide>".into());
    }
    let mut placed = BTreeMap::new();
    scopes.iter().try_for_each(|scope| scope.places(&mut placed))?;
    for (model, scope) in models.iter().zip(&scopes) {
        let all: Vec<usize> = {
            let mut all = Vec::new();
            scope.each(&mut |link| all.push(link));
            all
        };
        if model.says("static") {
            all.iter().for_each(|&link| robot.links[link].fixed = true);
        } else {
            sdf_joints::read(scope, &placed, &mut robot)?;
        }
    }
    for (&link, at) in &placed {
        if robot.joints.iter().all(|joint| joint.child != link) {
            robot.roots.push((link, *at));
        }
    }
    Ok(robot)
}

/// Reads the links of a model and of those within it.
fn scope<'a>(
    file: &'a str,
    model: &'a Element,
    (prefix, pose): (String, Pose),
    depth: usize,
    robot: &mut Robot,
    meshes: &mut Meshes,
) -> Result<Scope<'a>> {
    if depth > DEEPEST {
        return refuse(file, "has models more than 64 deep", "give fewer");
    }
    let mut here = Scope { file, element: model, prefix, pose, links: BTreeMap::new(), models: BTreeMap::new() };
    for n in model.all("link") {
        let mut link = read_link(file, n, meshes, &mut robot.notes)?;
        link.name = format!("{}{}", here.prefix, n.name());
        if here.links.insert(n.name().to_string(), robot.links.len()).is_some() {
            return refuse(file, format!("two links are called \"{}\"", link.name), "rename one");
        }
        robot.links.push(link);
    }
    for other in &model.children {
        const TAKEN: [&str; 9] =
            ["link", "joint", "pose", "static", "self_collide", "frame", "model", "allow_auto_disable", "enable_wind"];
        if !TAKEN.contains(&other.tag.as_str()) {
            robot.notes.push(format!("<{}> of the model", other.tag));
        }
    }
    for inner in model.all("model") {
        let merged = inner.attribute("merge").is_some();
        let prefix = if merged { here.prefix.clone() } else { format!("{}{}::", here.prefix, inner.name()) };
        let within = scope(file, inner, (prefix, Pose::IDENTITY), depth + 1, robot, meshes)?;
        if merged {
            // names of what is merged are known outside
            for (name, link) in &within.links {
                here.links.entry(name.clone()).or_insert(*link);
            }
        }
        here.models.insert(inner.name().to_string(), within);
    }
    let within: Vec<String> = here.models.keys().cloned().collect();
    for name in within {
        let at = here.pose.then(&here.frame(&name, 0)?);
        if let Some(inner) = here.models.get_mut(&name) {
            inner.moved(&at);
        }
    }
    Ok(here)
}

impl<'a> Scope<'a> {
    fn moved(&mut self, by: &Pose) {
        self.pose = by.then(&self.pose);
        self.models.values_mut().for_each(|inner| inner.moved(by));
    }

    pub fn element(&self) -> &'a Element {
        self.element
    }

    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    pub fn models(&self) -> impl Iterator<Item = &Scope<'a>> {
        self.models.values()
    }

    /// Every link of the model and of those within it.
    pub fn each(&self, visit: &mut impl FnMut(usize)) {
        let merged = |link: &usize| self.models.values().any(|inner| inner.links.values().any(|other| other == link));
        self.links.values().filter(|link| !merged(link)).for_each(|&link| visit(link));
        self.models.values().for_each(|inner| inner.each(visit));
    }

    /// Where every link stands in the world.
    fn places(&self, placed: &mut BTreeMap<usize, Pose>) -> Result<()> {
        for (name, &link) in &self.links {
            let at = self.pose.then(&self.frame(name, 0)?);
            placed.insert(link, at);
        }
        self.models.values().try_for_each(|inner| inner.places(placed))
    }

    /// Whether axes are written in the frame of the model.
    pub fn has_old_axes(&self) -> bool {
        let version = self.element.attribute("version of sdf").unwrap_or_default();
        version.parse::<f64>().is_ok_and(|version| version < 1.45)
    }

    /// The element and the scope of a name, and its default frame.
    fn find(&self, name: &str) -> Option<(&'a Element, String)> {
        let named = |tag: &'static str| self.element.all(tag).find(|n| n.name() == name);
        if let Some(n) = named("link").or_else(|| named("model")) {
            return Some((n, String::new()));
        }
        if let Some(n) = named("frame") {
            return Some((n, n.attribute("attached_to").unwrap_or_default().to_string()));
        }
        named("joint").map(|n| (n, n.words("child").unwrap_or_default().to_string()))
    }

    /// A frame of the model by name, seen from the model.
    pub fn frame(&self, name: &str, depth: usize) -> Result<Pose> {
        if depth > DEEPEST {
            return refuse(self.file, format!("the frame \"{name}\" is given by itself"), "name another frame");
        }
        if ["", "__model__", "world", "__root__"].contains(&name) {
            return Ok(Pose::IDENTITY);
        }
        if let Some((n, default)) = self.find(name) {
            let relative = n.child("pose").and_then(|p| p.attribute("relative_to")).filter(|to| !to.is_empty());
            let base = self.frame(relative.unwrap_or(&default), depth + 1)?;
            return Ok(base.then(&pose(self.file, n)?));
        }
        if let Some((model, rest)) = name.split_once("::")
            && let Some(inner) = self.models.get(model)
        {
            return Ok(self.frame(model, depth + 1)?.then(&inner.frame(rest, depth + 1)?));
        }
        for inner in self.models.values().filter(|inner| inner.element.attribute("merge").is_some()) {
            if inner.find(name).is_some() || inner.links.contains_key(name) {
                return Ok(self.frame(inner.element.name(), depth + 1)?.then(&inner.frame(name, depth + 1)?));
            }
        }
        refuse(
            self.file,
            format!("there is no frame \"{name}\" in the model \"{}\"", self.element.name()),
            "name a link, joint or frame",
        )
    }

    /// The link of a name: itself, what a frame is attached to, the first of a model.
    pub fn link(&self, name: &str, depth: usize) -> Option<usize> {
        if depth > DEEPEST {
            return None;
        }
        if let Some(&link) = self.links.get(name) {
            return Some(link);
        }
        if let Some((model, rest)) = name.split_once("::") {
            return self.models.get(model)?.link(rest, depth + 1);
        }
        if let Some(frame) = self.element.all("frame").find(|n| n.name() == name) {
            let to = frame.attribute("attached_to").filter(|to| !to.is_empty() && *to != "__model__");
            return to.map_or_else(|| self.first(), |to| self.link(to, depth + 1));
        }
        if name == "__model__" {
            return self.first();
        }
        let inner = self.models.get(name).map(Scope::first);
        let merged = || self.models.values().filter(|inner| inner.element.attribute("merge").is_some());
        inner.unwrap_or_else(|| merged().find_map(|inner| inner.link(name, depth + 1)))
    }

    fn first(&self) -> Option<usize> {
        let own = self.element.all("link").next().and_then(|n| self.links.get(n.name()).copied());
        own.or_else(|| self.models.values().find_map(Scope::first))
    }
}

/// A number of an element.
pub fn value(file: &str, n: &Element, tag: &str) -> Result<Option<f64>> {
    let Some(text) = n.words(tag) else { return Ok(None) };
    // limits are written without end
    if let Ok(x) = text.parse::<f64>()
        && x.is_infinite()
    {
        return Ok(Some(x.signum() * 1e16));
    }
    match list(text).as_deref() {
        Some(&[x]) => Ok(Some(x)),
        _ => refuse(
            file,
            format!("<{tag}>{}</{tag}> is not a finite number", text.chars().take(60).collect::<String>()),
            "correct it",
        ),
    }
}

/// Three numbers of an element.
pub fn triple(file: &str, n: &Element, tag: &str) -> Result<Option<Vec3>> {
    let Some(text) = n.words(tag) else { return Ok(None) };
    match list(text).as_deref() {
        Some(&[x, y, z]) => Ok(Some([x, y, z])),
        _ => refuse(file, format!("<{tag}> is not three finite numbers"), "correct it"),
    }
}

/// `<pose>x y z roll pitch yaw</pose>`, in degrees or by a quaternion where it says so.
pub fn pose(file: &str, n: &Element) -> Result<Pose> {
    let Some(n) = n.child("pose") else { return Ok(Pose::IDENTITY) };
    let unit = if n.attribute("degrees") == Some("true") { std::f64::consts::PI / 180.0 } else { 1.0 };
    match list(n.text.trim()).as_deref() {
        Some(&[x, y, z, r, p, w]) => Ok(Pose { x: [x, y, z], R: roll_pitch_yaw([r * unit, p * unit, w * unit]) }),
        Some(&[x, y, z, i, j, k, w]) if n.attribute("rotation_format") == Some("quat_xyzw") => {
            Ok(Pose { x: [x, y, z], R: rotation(&normalised(&[w, i, j, k])) })
        }
        Some(&[]) => Ok(Pose::IDENTITY),
        _ => refuse(file, "a <pose> is not six finite numbers", "correct it"),
    }
}

fn read_link(file: &str, n: &Element, meshes: &mut Meshes, notes: &mut Vec<String>) -> Result<Link> {
    let mut link = Link::new(n.name());
    // SDF's own defaults
    (link.mass, link.inertia) = (1.0, IDENTITY);
    for collision in n.all("collision") {
        let mut at = pose(file, collision)?;
        let Some(form) = collision.child("geometry").and_then(|g| g.children.first()) else { continue };
        if form.tag == "plane"
            && let Some(normal) = triple(file, form, "normal")?
        {
            at = at.then(&Pose { x: [0.0; 3], R: along_z(&normal) });
        }
        if let Some(form) = read_form(file, form, meshes, n.name(), notes)? {
            let surface = collision.child("surface").and_then(|s| s.child("friction"));
            let ode = surface.and_then(|f| f.child("ode"));
            let mu = ode.map_or(Ok(None), |ode| value(file, ode, "mu"))?;
            link.shapes.push(LinkShape { pose: at, form, grip: mu.filter(|mu| *mu >= 0.0).map(Grip::of) });
        }
    }
    if let Some(inertial) = n.child("inertial") {
        let at = pose(file, inertial)?;
        link.centre = at.x;
        link.mass = value(file, inertial, "mass")?.unwrap_or(1.0);
        if let Some(I) = inertial.child("inertia") {
            let mut entry = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
            for (x, tag) in entry.iter_mut().zip(["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]) {
                *x = value(file, I, tag)?.unwrap_or(*x);
            }
            let [xx, yy, zz, xy, xz, yz] = entry;
            let own = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
            link.inertia = mul_mat(&mul_mat(&at.R, &own), &transpose(&at.R));
        }
        let density = value(file, inertial, "density")?.unwrap_or(1000.0);
        if inertial.attribute("auto") == Some("true")
            && let Some(full) =
                super::floor::solid(&link).mass_properties(density, false).filter(|full| full.mass > 0.0)
        {
            (link.mass, link.centre, link.inertia) = (full.mass, full.centre, full.inertia);
        }
    }
    for tag in ["kinematic", "gravity", "velocity_decay"] {
        let usual = if tag == "gravity" { ["1", "true"] } else { ["0", "false"] };
        if n.child(tag).is_some_and(|child| !child.text.trim().is_empty() && !usual.contains(&child.text.trim())) {
            notes.push(format!("link \"{}\": <{tag}>", n.name()));
        }
    }
    for visual in n.all("visual") {
        let Some(form) = visual.child("geometry").and_then(|g| g.children.first()) else { continue };
        let diffuse = visual.child("material").and_then(|m| m.words("diffuse")).and_then(list);
        let mut colour = diffuse.and_then(|rgba| super::looks::colour(&rgba));
        let mut name = form.tag.clone();
        let mesh = if form.tag == "mesh" {
            name = form.words("uri").unwrap_or_default().to_string();
            colour = colour.or_else(|| meshes.colour(&name));
            meshes.seen(&name, &Fit::scaled(triple(file, form, "scale")?.unwrap_or([1.0; 3])), n.name(), notes)
        } else {
            simple_form(file, form)?.and_then(|form| super::looks::surface(&form))
        };
        if let Some(mesh) = mesh {
            link.looks.push(LinkLook { pose: pose(file, visual)?, mesh, name, colour });
        }
    }
    Ok(link)
}

/// A form that is no mesh.
fn simple_form(file: &str, n: &Element) -> Result<Option<Form>> {
    let length = |tag: &str| Ok::<f64, Box<crate::error::ScenarioError>>(value(file, n, tag)?.unwrap_or(0.0));
    Ok(match n.tag.as_str() {
        "box" => Some(Form::Box(triple(file, n, "size")?.unwrap_or_default())),
        "sphere" => Some(Form::Sphere(length("radius")?)),
        "cylinder" => Some(Form::Cylinder { radius: length("radius")?, length: length("length")? }),
        "capsule" => Some(Form::Capsule { radius: length("radius")?, length: length("length")? }),
        "ellipsoid" => Some(super::mjcf_world::ellipsoid(triple(file, n, "radii")?.unwrap_or([1.0; 3]))),
        "plane" => Some(Form::Plane),
        _ => None,
    })
}

fn read_form(
    file: &str,
    n: &Element,
    meshes: &mut Meshes,
    link: &str,
    notes: &mut Vec<String>,
) -> Result<Option<Form>> {
    if let Some(simple) = simple_form(file, n)? {
        return Ok(sized(simple, link, notes));
    }
    let form = match n.tag.as_str() {
        "empty" => return Ok(None),
        "mesh" => {
            let name = n.words("uri").unwrap_or_default();
            if n.child("submesh").is_some() {
                notes.push(format!("link \"{link}\": a part of mesh \"{name}\": the whole is taken"));
            }
            match meshes.hull(name, &Fit::scaled(triple(file, n, "scale")?.unwrap_or([1.0; 3]))) {
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
