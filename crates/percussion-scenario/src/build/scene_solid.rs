//! From `[[solid]]` as typed to elastic solids among bodies, and from their groups to bodies.

use crate::build::bodies::{axial, below, rotation, unknown, vector};
use crate::build::load::Source;
use crate::build::solid;
use crate::error::{Result, ScenarioError};
use crate::format::keys::bodies::BodiesSpec;
use crate::format::keys::scene_solid::SceneSolidSpec;
use crate::format::keys::solid::SolidSpec;
use percussion_model::bodies::math::{Vec3, add, mul, norm, rotation as matrix, sub};
use percussion_model::bodies::{ElasticParts, Materials};
use percussion_model::solid::Solid;
use percussion_model::{Code, InputError, Signal};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A solid as it was typed, with its mesh, so that it can be written out again.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneSolid {
    /// Its keys.
    pub spec: SceneSolidSpec,
    /// The bytes of its mesh.
    pub mesh: Arc<[u8]>,
}

/// The solids of a scene.
pub fn solids(
    spec: &BodiesSpec,
    planar: bool,
    shaking: &[Signal; 3],
    materials: &Materials,
    source: &Source,
) -> Result<(Vec<ElasticParts>, Vec<SceneSolid>)> {
    let (mut list, mut typed) = (Vec::new(), Vec::new());
    for (i, entry) in spec.solid.iter().enumerate() {
        let at = format!("solid[{i}]");
        let own = |e: Box<ScenarioError>| {
            let field = e.field.strip_prefix("model.").unwrap_or(&e.field).to_string();
            below(e.about(field), &at)
        };
        let (mut parts, mesh) = parts(entry, planar, materials, source).map_err(own)?;
        parts.shaking.clone_from(shaking);
        parts.groups = held_groups(spec, &parts);
        list.push(parts);
        typed.push(SceneSolid { spec: entry.clone(), mesh });
    }
    Ok((list, typed))
}

fn parts(
    spec: &SceneSolidSpec,
    planar: bool,
    materials: &Materials,
    source: &Source,
) -> Result<(ElasticParts, Arc<[u8]>)> {
    if spec.name.is_empty() || spec.name.contains('.') {
        let message = format!("\"{}\" is no name of a solid", spec.name);
        return Err(InputError::new(Code::BAD_NAME, "name", message, "give letters without a dot").into());
    }
    let (mut described, mesh) = solid::described(&alone(spec), source)?;
    let q = rotation(&spec.rotation, spec.angle, planar)?;
    let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !size.is_finite() || (size - 1.0).abs() > 1e-6 {
        let message = format!("the quaternion {q:?} has length {size}, not 1");
        return Err(InputError::new(Code::BAD_ROTATION, "rotation", message, "divide w, x, y, z by that length").into());
    }
    let R = matrix(&q.map(|x| x / size));
    let optional = |x: &Option<Vec<f64>>, field: &str| x.as_ref().map_or(Ok([0.0; 3]), |x| vector(x, planar, field));
    let position = optional(&spec.position, "position")?;
    for (field, x) in [("position", position), ("velocity", optional(&spec.velocity, "velocity")?)] {
        if x.iter().any(|x| !x.is_finite()) {
            return Err(InputError::new(Code::NOT_FINITE, field, "is NaN or infinite", "give finite numbers").into());
        }
    }
    if R != matrix(&[1.0, 0.0, 0.0, 0.0]) || position != [0.0; 3] {
        described.mesh.nodes.iter_mut().for_each(|x| *x = add(&position, &mul(&R, x)));
    }
    let turning = spec.angular_velocity.as_ref().map_or(Ok([0.0; 3]), |w| axial(w, planar, "angular_velocity"))?;
    let mut surfaces = Vec::new();
    for (k, contact) in spec.contact.iter().enumerate() {
        let number = match &contact.material {
            None => 0,
            Some(name) => {
                let names = materials.names().iter().map(String::as_str);
                let field = format!("contact[{k}].material");
                materials.find(name).ok_or_else(|| unknown(name, field, names))?
            }
        };
        surfaces.push((contact.surface.clone(), number));
    }
    let parts = ElasticParts {
        name: spec.name.clone(),
        solid: Arc::new(Solid::new(described)?),
        surfaces,
        groups: Vec::new(),
        velocity: optional(&spec.velocity, "velocity")?,
        angular_velocity: mul(&R, &turning),
        shaking: Default::default(),
    };
    Ok((parts, mesh))
}

/// The keys that a solid has alone too.
fn alone(spec: &SceneSolidSpec) -> SolidSpec {
    SolidSpec {
        mesh: spec.mesh.clone(),
        scale: spec.scale,
        kinematics: spec.kinematics.clone(),
        plane: spec.plane.clone(),
        thickness: spec.thickness,
        gravity: None,
        mass: Some(spec.mass.clone()),
        damping: None,
        part: spec.part.clone(),
        support: spec.support.clone(),
        load: spec.load.clone(),
        contact: Vec::new(),
        q0: None,
        v0: None,
    }
}

/// The groups of a solid that joints, springs, bushings and cables hold and that have more than one node, by name.
fn held_groups(spec: &BodiesSpec, parts: &ElasticParts) -> Vec<String> {
    let springs = spec.spring.iter().flat_map(|s| [(Some(&s.a), &s.a_group), (Some(&s.b), &s.b_group)]);
    let joints = spec.joint.iter().map(|joint| &joint.fields);
    let joints = joints.flat_map(|j| [(j.a.as_ref(), &j.a_group), (j.b.as_ref(), &j.b_group)]);
    let bushings = spec.bushing.iter().flat_map(|b| [(Some(&b.a), &b.a_group), (Some(&b.b), &b.b_group)]);
    let cables = spec.cable.iter().flat_map(|c| [(c.from_body.as_ref(), &None), (c.to_body.as_ref(), &None)]);
    let mut held = BTreeSet::new();
    for (name, group) in springs.chain(joints).chain(bushings).chain(cables) {
        let Some(name) = name else { continue };
        let group = match group {
            Some(group) if *name == parts.name => group.as_str(),
            Some(_) => continue,
            None => match name.strip_prefix(&parts.name).and_then(|rest| rest.strip_prefix('.')) {
                Some(rest) => rest,
                None => continue,
            },
        };
        if parts.solid.nodes_of(group, "").is_ok_and(|nodes| nodes.len() > 1) {
            held.insert(group.to_string());
        }
    }
    held.into_iter().collect()
}

/// A solid with the number of its first body.
pub struct SolidLine<'a> {
    /// As described.
    pub parts: &'a ElasticParts,
    /// Number of its first node.
    pub first: usize,
}

impl SolidLine<'_> {
    /// The body that stands for a group: its marker, or its only node.
    pub fn group(&self, group: &str, field: &str) -> Result<usize> {
        if let Some(k) = self.parts.groups.iter().position(|held| held == group) {
            return Ok(self.first + self.parts.n_nodes() + k);
        }
        let nodes = self.parts.solid.nodes_of(group, field)?;
        Ok(self.first + nodes[0])
    }

    /// The body of a name such as "bracket.hole" or "bracket.17".
    pub fn find(&self, name: &str) -> Option<usize> {
        let rest = name.strip_prefix(&self.parts.name)?.strip_prefix('.')?;
        if let Some(k) = self.parts.groups.iter().position(|held| held == rest) {
            return Some(self.first + self.parts.n_nodes() + k);
        }
        let own = (0..self.parts.n_nodes()).find(|&k| self.parts.solid.node_tag(k).to_string() == rest);
        own.or_else(|| self.parts.solid.nodes_of(rest, "").ok().map(|nodes| nodes[0])).map(|k| self.first + k)
    }

    /// Why a solid alone is no body.
    pub fn needs_group(&self, key: &str) -> Box<ScenarioError> {
        let groups: Vec<String> =
            self.parts.solid.mesh().groups.iter().map(|group| format!("\"{}\"", group.name)).collect();
        let message = format!("\"{}\" is a solid: which group of it?", self.parts.name);
        let own = key.rsplit('.').next().unwrap_or(key);
        let help = format!("write {own}_group = one of {}", groups.join(", "));
        InputError::new(Code::BAD_NAME, key, message, help).into()
    }

    /// Refuses a joint on a single node away from the node: it would have to turn it.
    pub fn check_anchor(&self, body: usize, anchor: Option<&Vec3>, key: &str) -> Result<()> {
        let Some(node) = body.checked_sub(self.first).filter(|&k| k < self.parts.n_nodes()) else { return Ok(()) };
        let X = self.parts.solid.matter().X[node];
        let size = self.parts.solid.matter().X.iter().map(|x| norm(&sub(x, &X))).fold(0.0, f64::max);
        match anchor {
            Some(anchor) if norm(&sub(anchor, &X)) > 1e-9 * size => {
                let message = format!("a single node of \"{}\" is held away from where it is", self.parts.name);
                let help = format!("move the anchor to {X:?}, or hold a group of several nodes");
                Err(InputError::new(Code::JOINT_POSITION, format!("{key}_group"), message, help).into())
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// What `check` says of the solids of a scene.
pub fn facts(solids: &[ElasticParts], h: f64) -> Vec<(&'static str, String)> {
    let of = |parts: &ElasticParts| {
        let solid = &parts.solid;
        let touching: BTreeSet<usize> =
            parts.surfaces.iter().filter_map(|(group, _)| solid.nodes_of(group, "").ok()).flatten().collect();
        let text = format!(
            "{}: {} nodes, {} elements, mass {:.6} kg, volume {:.6e} m³, {} contact nodes, {} groups held, h c/Δx = {:.3}",
            parts.name,
            parts.n_nodes(),
            solid.matter().cells.len(),
            parts.centre().0,
            solid.volume(),
            touching.len(),
            parts.groups.len(),
            h / solid.crossing_time()
        );
        ("solid", text)
    };
    solids.iter().map(of).collect()
}
