//! MJCF's bodies: a tree in which every body holds its joints and its geoms.
//!
//!   a body with n joints is a chain of n links, of which the last has the mass;    without one it is part of its parent

use super::grip::Grip;
use super::looks::LinkLook;
use super::meshes::{Fit, Meshes, sized};
use super::mjcf_defaults::Settings;
use super::mjcf_frames::{Part, parts};
use super::mjcf_mesh::{self, Filling};
use super::pose::{Pose, along_z};
use super::xml::{all, child};
use super::{Form, Freedom, Link, LinkShape, Robot, RobotJoint, refuse};
use crate::error::Result;
use percussion_model::bodies::math::{Mat3, Vec3, axpy, dot, mul_mat, norm, scale, sub, transpose};
use percussion_model::bodies::{MassProperties, Shape, TriangleMesh};
use roxmltree::Node;
use std::collections::BTreeMap;

/// A mesh of `<asset>`.
pub struct MeshAsset {
    pub file: String,
    pub fit: Fit,
    /// Vertices written in the file itself.
    pub vertices: Vec<Vec3>,
    /// Faces between them; none stand for their hull.
    pub faces: Vec<[usize; 3]>,
    /// How its mass is spread.
    pub filling: Filling,
}

/// What is known while the bodies are read.
pub struct World<'a> {
    pub file: &'a str,
    pub settings: &'a Settings,
    pub meshes: &'a mut Meshes,
    pub assets: BTreeMap<String, MeshAsset>,
    /// Colours by material.
    pub materials: BTreeMap<String, Vec<f64>>,
    pub robot: Robot,
    /// Number of the link of each body by name.
    pub bodies: BTreeMap<String, usize>,
    /// Links of geoms by name.
    pub geoms: BTreeMap<String, usize>,
    /// Every joint in the order of coordinates.
    pub coordinates: Vec<Coordinates>,
    unnamed: usize,
}

/// The coordinates of a joint in `qpos`.
pub struct Coordinates {
    pub joint: String,
    pub link: usize,
    pub size: usize,
    /// What a file counts one coordinate from.
    pub reference: f64,
    /// `springdamper`.
    pub springdamper: Option<[f64; 2]>,
}

/// Bodies within bodies at most.
const DEEPEST: usize = 512;

impl<'a> World<'a> {
    pub fn new(file: &'a str, settings: &'a Settings, meshes: &'a mut Meshes, robot: Robot) -> Self {
        let (assets, bodies, geoms, coordinates) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), Vec::new());
        let materials = BTreeMap::new();
        Self { file, settings, meshes, assets, materials, robot, bodies, geoms, coordinates, unnamed: 0 }
    }

    /// The whole world.
    pub fn read(&mut self, root: &Node) -> Result<()> {
        self.robot.links.push(Link { fixed: true, masks: [0; 2], ..Link::new("world") });
        self.robot.roots.push((0, Pose::IDENTITY));
        self.bodies.insert("world".into(), 0);
        for world in all(root, "worldbody") {
            let inside = parts(self.settings, self.file, &world, "", "")?;
            self.geoms(&inside, (0, false))?;
            for body in inside.iter().filter(|part| part.tag() == "body") {
                self.body(body, 0, 0)?;
            }
        }
        if self.settings.off.contains("contact") {
            self.robot.notes.push("the file switches contact off: no shape of it is taken".into());
            self.robot.links.iter_mut().for_each(|link| link.shapes.clear());
        }
        Ok(())
    }

    fn body(&mut self, part: &Part, parent: usize, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return refuse(self.file, "has bodies more than 512 deep", "give a flatter tree");
        }
        let n = &part.node;
        let around = n.attribute("childclass").unwrap_or(&part.around).to_string();
        self.unnamed += 1;
        let name = part.name().unwrap_or_else(|| format!("body {}", self.unnamed));
        let pose = part.frame.then(&self.settings.pose(self.file, n, "")?);
        let inside = parts(self.settings, self.file, n, &around, &part.suffix)?;
        let joints: Vec<&Part> = inside.iter().filter(|part| ["joint", "freejoint"].contains(&part.tag())).collect();
        let mut at = parent;
        for (k, joint) in joints.iter().enumerate() {
            let last = k + 1 == joints.len();
            self.robot
                .links
                .push(Link { masks: [0; 2], ..Link::new(&if last { name.clone() } else { format!("{name} {k}") }) });
            let link = self.robot.links.len() - 1;
            let here = if k == 0 { pose } else { Pose::IDENTITY };
            self.joint(joint, (name.as_str(), k), (at, link), here)?;
            at = link;
        }
        if joints.is_empty() {
            self.robot.links.push(Link { masks: [0; 2], ..Link::new(&name) });
            let link = self.robot.links.len() - 1;
            self.robot.joints.push(RobotJoint::new(&name, Freedom::Nothing, parent, link, pose));
            at = link;
        }
        self.bodies.insert(name, at);
        self.geoms(&inside, (at, child(n, "inertial").is_some()))?;
        self.inertial(n, at)?;
        for inner in inside.iter().filter(|part| part.tag() == "body") {
            self.body(inner, at, depth + 1)?;
        }
        Ok(())
    }

    fn joint(
        &mut self,
        part: &Part,
        (body, k): (&str, usize),
        (parent, link): (usize, usize),
        pose: Pose,
    ) -> Result<()> {
        let (file, settings, n, around) = (self.file, self.settings, &part.node, part.around.as_str());
        let of = |key: &str| settings.number(file, n, around, key);
        let name = part.name().unwrap_or_else(|| format!("{body} joint {k}"));
        let kind = if n.tag_name().name() == "freejoint" {
            "free"
        } else {
            settings.get(n, around, "type").unwrap_or("hinge")
        };
        let (freedom, size) = match kind {
            "hinge" => (Freedom::Turn, 1),
            "slide" => (Freedom::Slide, 1),
            "ball" => (Freedom::Ball, 4),
            "free" => (Freedom::Everything, 7),
            other => {
                return refuse(
                    file,
                    format!("joint \"{name}\" is of type \"{other}\""),
                    "give hinge, slide, ball or free",
                );
            }
        };
        let mut joint = RobotJoint::new(&name, freedom, parent, link, pose);
        let zero = of("ref")?.unwrap_or(0.0);
        let unit = |x: f64| if freedom == Freedom::Turn { settings.angle(x) } else { x };
        let springdamper = match settings.numbers(file, n, around, "springdamper")?.as_deref() {
            Some(&[time, ratio]) if time > 0.0 && ratio > 0.0 => Some([time, ratio]),
            _ => None,
        };
        let reference = if size == 1 { unit(zero) } else { 0.0 };
        self.coordinates.push(Coordinates { joint: name.clone(), link, size, reference, springdamper });
        if freedom == Freedom::Everything {
            self.robot.joints.push(joint);
            return Ok(());
        }
        joint.anchor = part.frame.point(&settings.triple(file, n, around, "pos")?.unwrap_or_default());
        let axis = settings.triple(file, n, around, "axis")?.unwrap_or([0.0, 0.0, 1.0]);
        if norm(&axis) == 0.0 {
            return refuse(file, format!("joint \"{name}\" has an axis of length zero"), "give a direction");
        }
        joint.axis = part.frame.direction(&scale(1.0 / norm(&axis), &axis));
        let limited = settings.get(n, around, "limited").unwrap_or("auto");
        let range = settings.numbers(file, n, around, "range")?;
        if let Some(&[low, high]) = range.as_deref()
            && joint.has_coordinate()
            && (limited == "true" || limited == "auto" && settings.autolimits)
            && low < high
            && !settings.off.contains("limit")
        {
            joint.limits = Some([unit(low) - unit(zero), unit(high) - unit(zero)]);
        }
        joint.damping = of("damping")?.unwrap_or(0.0).max(0.0);
        joint.stiffness = of("stiffness")?.unwrap_or(0.0).max(0.0);
        joint.rest = unit(of("springref")?.unwrap_or(0.0)) - unit(zero);
        joint.friction_force = of("frictionloss")?.unwrap_or(0.0).max(0.0);
        for (off, of) in [
            (&["passive", "damper"], &mut joint.damping),
            (&["passive", "spring"], &mut joint.stiffness),
            (&["constraint", "frictionloss"], &mut joint.friction_force),
        ] {
            if off.iter().any(|flag| settings.off.contains(*flag)) {
                *of = 0.0;
            }
        }
        joint.armature = of("armature")?.unwrap_or(0.0).max(0.0);
        if let Some(&[low, high]) = settings.numbers(file, n, around, "actuatorfrcrange")?.as_deref()
            && low < high
            && settings.get(n, around, "actuatorfrclimited") != Some("false")
        {
            joint.most = Some(low.abs().max(high.abs()));
        }
        let resisted = joint.damping + joint.stiffness + joint.friction_force + joint.armature > 0.0;
        if freedom == Freedom::Ball && (resisted || range.is_some()) {
            let what = "damping, stiffness, frictionloss, armature and range";
            self.robot.notes.push(format!("joint \"{name}\": {what} of a ball"));
        }
        self.robot.joints.push(joint);
        Ok(())
    }

    /// The geoms of a body: what touches becomes a shape, and all of them its mass where no inertial is given.
    fn geoms(&mut self, inside: &[Part], (link, inertial): (usize, bool)) -> Result<()> {
        let (file, settings) = (self.file, self.settings);
        let mut masses = Vec::new();
        let weigh = match settings.inertia_from_geoms.as_str() {
            "true" => true,
            "false" => false,
            _ => !inertial,
        };
        let (looked, mut simple) = (self.robot.links[link].looks.len(), true);
        for part in inside.iter().filter(|part| part.tag() == "geom") {
            let (geom, around) = (&part.node, part.around.as_str());
            let number = |key: &str| settings.number(file, geom, around, key);
            let bits = |key: &str| Ok::<u32, Box<crate::error::ScenarioError>>(number(key)?.map_or(1, |x| x as u32));
            let masks = [bits("contype")?, bits("conaffinity")?];
            let name = part.name();
            let paired = name.as_ref().is_some_and(|name| settings.paired.contains(name));
            self.geoms.extend(name.map(|name| (name, link)));
            let [low, high] = settings.weighed_groups;
            let counts = weigh && (low..=high).contains(&number("group")?.unwrap_or(0.0));
            self.look(part, link)?;
            let mut pose = settings.pose(file, geom, around)?;
            let touches = masks != [0, 0] || paired;
            simple &= touches && settings.get(geom, around, "mesh").is_none();
            let Some((form, properties)) = self.form(geom, around, &mut pose, touches || counts)? else { continue };
            pose = part.frame.then(&pose);
            if counts && link != 0 {
                masses.extend(properties.map(|p| (pose, p)));
            }
            if touches && let Some(form) = sized(form, &self.robot.links[link].name, &mut self.robot.notes) {
                if form == Form::Plane && link != 0 {
                    self.robot.notes.push("a plane that moves".into());
                    continue;
                }
                let grip = self.grip(geom, around)?;
                let here = &mut self.robot.links[link];
                (0..2).for_each(|k| here.masks[k] |= masks[k]);
                here.shapes.push(LinkShape { pose, form, grip });
            }
        }
        if simple {
            // its shapes are what it looks like
            self.robot.links[link].looks.truncate(looked);
        }
        if weigh {
            combine(&masses, &mut self.robot.links[link]);
        }
        Ok(())
    }

    /// What a geom looks like, where it can be seen: groups above 2 are hidden.
    fn look(&mut self, part: &Part, link: usize) -> Result<()> {
        let (file, settings, geom, around) = (self.file, self.settings, &part.node, part.around.as_str());
        if settings.number(file, geom, around, "group")?.unwrap_or(0.0) > 2.0 {
            return Ok(());
        }
        let own = settings.numbers(file, geom, around, "rgba")?;
        let rgba = own.or_else(|| self.materials.get(settings.get(geom, around, "material")?).cloned());
        if rgba.as_ref().is_some_and(|rgba| rgba.get(3) == Some(&0.0)) {
            return Ok(());
        }
        let mut pose = settings.pose(file, geom, around)?;
        let name = settings
            .get(geom, around, "mesh")
            .filter(|_| settings.get(geom, around, "type").is_none_or(|kind| kind == "mesh"));
        let mesh = match name.and_then(|name| self.assets.get(name)) {
            Some(asset) if asset.vertices.is_empty() => self.meshes.fitted(&asset.file, &asset.fit).ok(),
            Some(_) | None => {
                let notes = self.robot.notes.len();
                let found = self.form(geom, around, &mut pose, true)?;
                // what is to be said is said of the shape
                self.robot.notes.truncate(notes);
                found.and_then(|(form, _)| super::looks::surface(&form))
            }
        };
        if let Some(mesh) = mesh {
            let name = name.unwrap_or(settings.get(geom, around, "type").unwrap_or("sphere")).to_string();
            let colour = rgba.as_deref().and_then(super::looks::colour);
            self.robot.links[link].looks.push(LinkLook { pose: part.frame.then(&pose), mesh, name, colour });
        }
        Ok(())
    }

    /// Friction of a geom, where it is not that of geoms by default.
    fn grip(&self, geom: &Node, around: &str) -> Result<Option<Grip>> {
        let number = |key: &str| self.settings.number(self.file, geom, around, key);
        let friction = number("friction")?.unwrap_or(1.0).max(0.0);
        let priority = number("priority")?.unwrap_or(0.0) as i64;
        let grip = Grip { friction, priority, smooth: number("condim")?.unwrap_or(3.0) < 3.0 };
        Ok(Some(grip).filter(|grip| *grip != Grip::of(self.robot.friction)))
    }

    /// The form of a geom and its mass; moves the pose to its middle where it is written by its ends.
    fn form(
        &mut self,
        n: &Node,
        around: &str,
        pose: &mut Pose,
        needed: bool,
    ) -> Result<Option<(Form, Option<MassProperties>)>> {
        let (file, settings) = (self.file, self.settings);
        let mut size = settings.numbers(file, n, around, "size")?.unwrap_or_default();
        let mesh = settings.get(n, around, "mesh");
        let mut kind = settings.get(n, around, "type").unwrap_or(if mesh.is_some() { "mesh" } else { "sphere" });
        if let (Some(mesh), false) = (mesh, kind == "mesh") {
            self.robot.notes.push(format!("a {kind} fitted to mesh \"{mesh}\": the hull of the mesh is taken"));
            kind = "mesh";
        }
        if let Some(&[a, b, c, d, e, f]) = settings.numbers(file, n, around, "fromto")?.as_deref() {
            let (from, to) = ([a, b, c], [d, e, f]);
            let along = sub(&to, &from);
            *pose = Pose { x: axpy(&from, 0.5, &along), R: along_z(&along) };
            let half = 0.5 * norm(&along);
            let r = size.first().copied().unwrap_or(0.0);
            size = if kind == "box" || kind == "ellipsoid" { vec![r, r, half] } else { vec![r, half] };
        }
        size.resize(3, 0.0);
        let [x, y, z] = [size[0], size[1], size[2]];
        let density = settings.number(file, n, around, "density")?.unwrap_or(1000.0);
        let mass = settings.number(file, n, around, "mass")?;
        let weighed = |shape: Shape| weighed(&shape, density, mass);
        let found = match kind {
            "plane" => (Form::Plane, None),
            "sphere" => (Form::Sphere(x), weighed(Shape::sphere(x))),
            "capsule" => (Form::Capsule { radius: x, length: 2.0 * y }, weighed(Shape::capsule(x, 2.0 * y))),
            "cylinder" => (Form::Cylinder { radius: x, length: 2.0 * y }, weighed(Shape::cylinder(x, 2.0 * y))),
            "box" => (Form::Box([2.0 * x, 2.0 * y, 2.0 * z]), weighed(Shape::cuboid([2.0 * x, 2.0 * y, 2.0 * z]))),
            "ellipsoid" => (ellipsoid([x, y, z]), ellipsoid_mass([x, y, z], density, mass)),
            "mesh" if !needed => return Ok(None),
            "mesh" => {
                let name = settings.get(n, around, "mesh").unwrap_or_default().to_string();
                match self.mesh(&name) {
                    Ok((form, mesh, filling)) => (form, mjcf_mesh::mass(&mesh, filling, density, mass)),
                    Err(reason) => {
                        self.robot.notes.push(format!("mesh \"{name}\" {reason}"));
                        return Ok(None);
                    }
                }
            }
            other => {
                self.robot.notes.push(format!("a geom of type \"{other}\""));
                return Ok(None);
            }
        };
        Ok(Some(found))
    }

    fn mesh(&mut self, name: &str) -> std::result::Result<(Form, TriangleMesh, Filling), String> {
        let asset = self.assets.get(name).ok_or("is not among the assets")?;
        if !asset.vertices.is_empty() {
            let points: Vec<Vec3> = asset.vertices.iter().map(|v| asset.fit.point(v)).collect();
            let corners = percussion_model::bodies::shapes::corners_of_hull(&points, 100);
            let hull = percussion_model::bodies::shapes::hull_of(&corners).ok_or("encloses no volume")?;
            let within = asset.faces.iter().flatten().all(|&k| k < points.len());
            let mesh = if asset.faces.is_empty() || !within {
                hull
            } else {
                TriangleMesh { vertices: points, triangles: asset.faces.clone(), strays: 0 }
            };
            return Ok((Form::Hull { corners, name: name.to_string() }, mesh, asset.filling));
        }
        let form = self.meshes.hull(&asset.file, &asset.fit)?;
        Ok((form, self.meshes.fitted(&asset.file, &asset.fit)?, asset.filling))
    }

    /// `<inertial>`.
    fn inertial(&mut self, n: &Node, link: usize) -> Result<()> {
        let [least_mass, least_moment] = self.settings.bounds;
        if let Some(inertial) = child(n, "inertial").filter(|_| self.settings.inertia_from_geoms != "true") {
            let (file, settings) = (self.file, self.settings);
            let pose = settings.pose(file, &inertial, "")?;
            let of = |key: &str| settings.numbers(file, &inertial, "", key);
            let mut own: Mat3 = [[0.0; 3]; 3];
            if let Some(&[x, y, z]) = of("diaginertia")?.as_deref() {
                (own[0][0], own[1][1], own[2][2]) = (x, y, z);
            }
            if let Some(&[xx, yy, zz, xy, xz, yz]) = of("fullinertia")?.as_deref() {
                own = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
            }
            let here = &mut self.robot.links[link];
            here.mass = of("mass")?.and_then(|m| m.first().copied()).unwrap_or(0.0);
            here.centre = pose.x;
            here.inertia = mul_mat(&mul_mat(&pose.R, &own), &transpose(&pose.R));
        }
        let here = &mut self.robot.links[link];
        here.mass = here.mass.max(least_mass);
        (0..3).for_each(|k| here.inertia[k][k] = here.inertia[k][k].max(least_moment));
        Ok(())
    }
}

/// The mass of a shape by its density, or spread evenly where it is given.
fn weighed(shape: &Shape, density: f64, mass: Option<f64>) -> Option<MassProperties> {
    let unit = shape.mass_properties(1.0, false).filter(|p| p.mass.is_finite() && p.mass != 0.0)?;
    let factor = mass.map_or(density, |mass| mass / unit.mass);
    let inertia = unit.inertia.map(|row| row.map(|x| factor * x));
    Some(MassProperties { mass: factor * unit.mass, centre: unit.centre, inertia }).filter(|p| p.mass > 0.0)
}

/// I = m/5 (b² + c², …).
fn ellipsoid_mass([a, b, c]: Vec3, density: f64, mass: Option<f64>) -> Option<MassProperties> {
    let m = mass.unwrap_or(density * 4.0 / 3.0 * std::f64::consts::PI * a * b * c);
    let I = [b * b + c * c, a * a + c * c, a * a + b * b].map(|x| 0.2 * m * x);
    let inertia = [[I[0], 0.0, 0.0], [0.0, I[1], 0.0], [0.0, 0.0, I[2]]];
    Some(MassProperties { mass: m, centre: [0.0; 3], inertia }).filter(|p| p.mass > 0.0)
}

/// The hull of points spread evenly over an ellipsoid.
pub fn ellipsoid(axes: Vec3) -> Form {
    let n = 100;
    let corners = (0..n)
        .map(|k| {
            let z = 1.0 - f64::from(2 * k + 1) / f64::from(n);
            let (s, c) = (f64::from(k) * std::f64::consts::PI * (3.0 - 5.0_f64.sqrt())).sin_cos();
            let r = (1.0 - z * z).sqrt();
            [axes[0] * r * c, axes[1] * r * s, axes[2] * z]
        })
        .collect();
    Form::Hull { corners, name: "ellipsoid".into() }
}

/// The masses of geoms as one.
fn combine(masses: &[(Pose, MassProperties)], link: &mut Link) {
    let total: f64 = masses.iter().map(|(_, p)| p.mass).sum();
    if total <= 0.0 {
        return;
    }
    let centres: Vec<Vec3> = masses.iter().map(|(pose, p)| pose.point(&p.centre)).collect();
    let centre: Vec3 =
        std::array::from_fn(|k| masses.iter().zip(&centres).map(|((_, p), c)| p.mass * c[k]).sum::<f64>() / total);
    let mut inertia: Mat3 = [[0.0; 3]; 3];
    for ((pose, p), c) in masses.iter().zip(&centres) {
        let (own, d) = (mul_mat(&mul_mat(&pose.R, &p.inertia), &transpose(&pose.R)), sub(c, &centre));
        for i in 0..3 {
            for j in 0..3 {
                inertia[i][j] += own[i][j] + p.mass * (if i == j { dot(&d, &d) } else { 0.0 } - d[i] * d[j]);
            }
        }
    }
    (link.mass, link.centre, link.inertia) = (total, centre, inertia);
}
