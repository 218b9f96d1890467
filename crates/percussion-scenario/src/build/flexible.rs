//! From beams and loads as typed to flexible parts of a scene, and from names to bodies.

use crate::build::bodies::{self, below, signals, size, unknown};
use crate::build::linear::limit;
use crate::build::scene_solid::SolidLine;
use crate::error::{Result, ScenarioError};
use crate::format::keys::bodies::BodiesSpec;
use crate::format::keys::flexible::{BeamContactSpec, BeamEntry, BushingEntry, CableEntry, NodeLoadSpec, SectionSpec};
use crate::format::values::Either;
use crate::limits::MAX_ELEMENTS;
use percussion_model::bodies::math::{Vec3, cross, norm, sub};
use percussion_model::bodies::{
    BodyParts, BushingParts, ElasticParts, FlexibleParts, Frame, JointKind, JointParts, Materials, NodeLoad,
};
use percussion_model::flexible::blocks::Mat6;
use percussion_model::flexible::{
    BeamContact, BeamParts, CableParts, Course, MarkerParts, MassKind, ReducedParts, SectionParts, SectionShape,
    StrainMeasure, diagonal6,
};
use percussion_model::{Code, InputError, Signal};
use std::ops::Range;

/// Part of a beam's length within which an anchor is at a node.
const AT_NODE: f64 = 1e-6;

/// A beam or a cable with the number of its first node.
struct Line<'a> {
    name: &'a str,
    length: f64,
    first: usize,
    nodes: Vec<Frame>,
    /// Number of its bodies, and what its nodes are called.
    bodies: usize,
    called: &'static str,
}

impl<'a> Line<'a> {
    fn of_nodes(name: &'a str, length: f64, nodes: Vec<Frame>) -> Self {
        Self { name, length, first: 0, bodies: nodes.len(), nodes, called: "node" }
    }

    fn of_markers(body: &'a ReducedParts) -> Self {
        let frame = |marker: &MarkerParts| Frame { x: body.world(&marker.place), ..Default::default() };
        let nodes = body.markers.iter().map(frame).collect();
        Self { name: &body.name, length: body.size(), first: 0, bodies: body.n_bodies(), nodes, called: "marker" }
    }
}

/// Names of bodies, of the nodes of beams and cables, of the markers of reduced bodies and of the groups of solids, in the order of the scene.
pub struct Names<'a> {
    bodies: &'a [BodyParts],
    lines: Vec<Line<'a>>,
    solids: Vec<SolidLine<'a>>,
}

impl<'a> Names<'a> {
    /// Of bodies and beams; a beam that cannot be laid out is refused.
    pub fn new(
        bodies: &'a [BodyParts],
        beams: &'a [BeamParts],
        cables: &'a [CableParts],
        reduced: &'a [ReducedParts],
        solids: &'a [ElasticParts],
    ) -> Result<Self> {
        let mut lines = Vec::new();
        for (i, beam) in beams.iter().enumerate() {
            let nodes = beam.nodes().map_err(|e| e.below(format!("beam[{i}]")))?;
            lines.push(Line::of_nodes(&beam.name, beam.length(), nodes));
        }
        for (i, cable) in cables.iter().enumerate() {
            let nodes = cable.nodes().map_err(|e| e.below(format!("cable[{i}]")))?;
            lines.push(Line { bodies: cable.n_bodies(), ..Line::of_nodes(&cable.name, cable.length, nodes) });
        }
        lines.extend(reduced.iter().map(Line::of_markers));
        let mut first = bodies.len();
        for line in &mut lines {
            line.first = first;
            first += line.bodies;
        }
        let own = |parts: &'a ElasticParts| {
            let line = SolidLine { parts, first };
            first += parts.n_bodies();
            line
        };
        let solids = solids.iter().map(own).collect();
        Ok(Self { bodies, lines, solids })
    }

    /// Number of bodies that flexible parts are made of.
    pub fn n_flexible(&self) -> usize {
        let solids: usize = self.solids.iter().map(|solid| solid.parts.n_bodies()).sum();
        self.lines.iter().map(|line| line.bodies).sum::<usize>() + solids
    }

    /// The number of a body, or of a node by its own name.
    pub fn find(&self, name: &str, field: String) -> Result<usize> {
        if let Some(body) = self.bodies.iter().position(|b| b.name == name) {
            return Ok(body);
        }
        for Line { name: line, first, nodes, bodies, called, .. } in &self.lines {
            let digits = name.strip_prefix(line).and_then(|rest| rest.strip_prefix('.')).unwrap_or_default();
            if let Ok(k) = digits.parse::<usize>()
                && k < nodes.len()
                && k.to_string() == digits
            {
                return Ok(first + k);
            }
            let links = if *called == "node" { bodies - nodes.len() } else { 0 };
            let digits = name.strip_prefix(line).and_then(|rest| rest.strip_prefix(".link.")).unwrap_or_default();
            if let Ok(k) = digits.parse::<usize>()
                && k < links
                && k.to_string() == digits
            {
                return Ok(first + nodes.len() + k);
            }
            if *line == name {
                let message = format!("\"{name}\" has {called}s: which of them?");
                let help = format!("write \"{name}.0\" to \"{name}.{}\"", nodes.len() - 1);
                return Err(InputError::new(Code::BAD_NAME, field, message, help).into());
            }
        }
        for solid in &self.solids {
            if solid.parts.name == name {
                return Err(solid.needs_group(&field));
            }
            if let Some(body) = solid.find(name) {
                return Ok(body);
            }
        }
        let known = self.bodies.iter().map(|b| &*b.name).chain(self.lines.iter().map(|line| line.name));
        Err(unknown(name, field, known.chain(self.solids.iter().map(|solid| &*solid.parts.name))))
    }

    /// The body that stands for a group of a solid.
    pub fn group(&self, name: &str, group: &str, key: &str) -> Result<usize> {
        match self.solids.iter().find(|solid| solid.parts.name == name) {
            Some(solid) => solid.group(group, &format!("{key}_group")),
            None => {
                self.find(name, key.into())?;
                let message = format!("\"{name}\" is no solid and has no groups");
                Err(InputError::new(Code::CONTRADICTION, format!("{key}_group"), message, "remove it").into())
            }
        }
    }

    /// The bodies behind a name: of a beam all its nodes, of a cable its links too.
    pub fn all(&self, name: &str, field: String) -> Result<Range<usize>> {
        match self.lines.iter().find(|line| line.name == name) {
            Some(line) if line.called == "node" => Ok(line.first..line.first + line.bodies),
            Some(line) => Ok(line.first..line.first + line.nodes.len()),
            None => match self.solids.iter().find(|solid| solid.parts.name == name) {
                Some(solid) => Ok(solid.first..solid.first + solid.parts.n_nodes()),
                None => self.find(name, field).map(|i| i..i + 1),
            },
        }
    }

    /// The body of a joint: of a beam the node, of a reduced body the marker of that number, or the one at the anchor, of a solid the group.
    pub fn joined(
        &self,
        name: &str,
        ([node, marker], group): ([Option<i64>; 2], Option<&String>),
        anchor: Option<&Vec3>,
        key: &str,
    ) -> Result<usize> {
        if let Some(group) = group {
            return self.at_anchor(self.group(name, group, key)?, anchor, key);
        }
        let line = self.lines.iter().find(|line| line.name == name);
        let known = line.is_some() || self.find(name, key.into()).is_ok();
        for (number, called) in [(node, "node"), (marker, "marker")] {
            if number.is_some() && known && line.is_none_or(|line| line.called != called) {
                let message = format!("\"{name}\" has no {called}s");
                let field = format!("{key}_{called}");
                return Err(InputError::new(Code::CONTRADICTION, field, message, "remove it").into());
            }
        }
        let Some(Line { length, first, nodes, called, .. }) = line else {
            return self.at_anchor(self.find(name, key.into())?, anchor, key);
        };
        if let Some(number) = node.or(marker) {
            return node_of(name, number, nodes.len(), &format!("{key}_{called}")).map(|k| first + k);
        }
        let Some(anchor) = anchor else { return self.find(name, key.into()) };
        let away = |frame: &Frame| norm(&sub(&frame.x, anchor));
        let nearest = (0..nodes.len()).min_by(|&i, &j| away(&nodes[i]).total_cmp(&away(&nodes[j]))).unwrap_or(0);
        let distance = away(&nodes[nearest]);
        if distance > AT_NODE * length {
            let message = format!(
                "the anchor is {distance:.3e} m from the nearest {called} of \"{name}\", which is {called} {nearest}"
            );
            let help =
                format!("move it to a {called}, or write {key}_{called} = {nearest} to hold that {called} from there");
            return Err(InputError::new(Code::JOINT_POSITION, "anchor", message, help).into());
        }
        Ok(first + nearest)
    }

    /// A body, unless it is a single node of a solid that would be held from elsewhere.
    fn at_anchor(&self, body: usize, anchor: Option<&Vec3>, key: &str) -> Result<usize> {
        self.solids.iter().try_for_each(|solid| solid.check_anchor(body, anchor, key))?;
        Ok(body)
    }
}

fn node_of(beam: &str, number: i64, n: usize, field: &str) -> Result<usize> {
    match usize::try_from(number) {
        Ok(k) if k < n => Ok(k),
        Ok(_) | Err(_) => {
            let message = format!("\"{beam}\" has nodes 0 to {}, not {number}", n - 1);
            Err(InputError::new(Code::BAD_NAME, field, message, "give one of them").into())
        }
    }
}

/// The beams of a scene.
pub fn beams(spec: &BodiesSpec, planar: bool, shaking: &[Signal; 3], materials: &Materials) -> Result<Vec<BeamParts>> {
    let of = |(i, beam): (usize, &BeamEntry)| {
        let mut parts = beam_parts(beam, planar, materials).map_err(|e| below(e, &format!("beam[{i}]")))?;
        parts.shaking.clone_from(shaking);
        Ok(parts)
    };
    spec.beam.iter().enumerate().map(of).collect()
}

/// The flexible parts of a scene.
pub fn flexible(
    spec: &BodiesSpec,
    planar: bool,
    (beams, cables, reduced): (&[BeamParts], &[CableParts], &[ReducedParts]),
    names: &Names,
) -> Result<FlexibleParts> {
    let mut parts = FlexibleParts {
        beams: beams.to_vec(),
        cables: cables.to_vec(),
        reduced: reduced.to_vec(),
        ..Default::default()
    };
    for (i, entry) in spec.bushing.iter().enumerate() {
        parts.bushings.push(bushing(entry, planar, names).map_err(|e| below(e, &format!("bushing[{i}]")))?);
    }
    for (i, load) in spec.load.iter().enumerate() {
        parts.loads.push(node_load(load, planar, names).map_err(|e| below(e, &format!("load[{i}]")))?);
    }
    Ok(parts)
}

fn node_load(spec: &NodeLoadSpec, planar: bool, names: &Names) -> Result<NodeLoad> {
    let Some(line) = names.lines.iter().find(|line| line.name == spec.beam) else {
        return Err(unknown(&spec.beam, "beam".into(), names.lines.iter().map(|line| line.name)));
    };
    let node = node_of(line.name, spec.node, line.nodes.len(), "node")?;
    if spec.force.is_none() && spec.moment.is_none() {
        return Err(absent("force", "the load has neither force nor moment", "give force, moment or both"));
    }
    Ok(NodeLoad {
        body: line.first + node,
        force: signals(&spec.force, planar, false, "force")?,
        moment: signals(&spec.moment, planar, true, "moment")?,
    })
}

fn bushing(spec: &BushingEntry, planar: bool, names: &Names) -> Result<BushingParts> {
    let anchor = vector(&spec.anchor, planar, "anchor")?;
    let body = |name: &str, place, group: &Option<String>, key| {
        names.joined(name, (place, group.as_ref()), Some(&anchor), key)
    };
    let stiffness = entries(&spec.stiffness, planar, 0.0, "stiffness")?;
    let viscosity = match &spec.damping {
        None => None,
        Some(Either::One(time)) if !(*time >= 0.0 && time.is_finite()) => {
            let message = format!("damping = {time} is negative or not finite");
            return Err(InputError::new(Code::BAD_PARAMETER, "damping", message, "give 0 or more seconds").into());
        }
        Some(Either::One(time)) => (*time > 0.0).then(|| stiffness.map(|row| row.map(|x| time * x))),
        Some(Either::Other(given)) => Some(entries(given, planar, 0.0, "damping")?),
    };
    let bodies = [
        body(&spec.a, [spec.a_node, spec.a_marker], &spec.a_group, "a")?,
        body(&spec.b, [spec.b_node, spec.b_marker], &spec.b_group, "b")?,
    ];
    Ok(BushingParts { bodies, anchor, stiffness, viscosity })
}

/// The cables of a scene, and the joints that hold their ends.
pub fn cables(
    spec: &BodiesSpec,
    planar: bool,
    shaking: &[Signal; 3],
    materials: &Materials,
) -> Result<Vec<CableParts>> {
    let of = |(i, entry): (usize, &CableEntry)| {
        let mut parts = cable_parts(entry, planar, materials).map_err(|e| below(e, &format!("cable[{i}]")))?;
        parts.shaking.clone_from(shaking);
        Ok(parts)
    };
    spec.cable.iter().enumerate().map(of).collect()
}

fn cable_parts(spec: &CableEntry, planar: bool, materials: &Materials) -> Result<CableParts> {
    let ends = [vector(&spec.from, planar, "from")?, vector(&spec.to, planar, "to")?];
    let velocity = spec.velocity.as_ref().map_or(Ok([0.0; 3]), |x| vector(x, planar, "velocity"))?;
    let turning = spec.angular_velocity.as_ref().map_or(Ok([0.0; 3]), |x| axial(x, planar, "angular_velocity"))?;
    Ok(CableParts {
        name: spec.name.clone(),
        ends,
        elements: elements(spec.elements)?,
        axial: spec.axial_stiffness,
        length: spec.length.unwrap_or_else(|| norm(&sub(&ends[1], &ends[0]))),
        mass: spec.mass_per_length,
        velocity,
        angular_velocity: turning,
        shaking: Default::default(),
        contact: spec.contact.as_ref().map(|contact| surface(contact, materials)).transpose()?,
    })
}

/// The joints that hold the ends of cables, written as such.
pub fn held_ends(spec: &BodiesSpec, planar: bool, cables: &[CableParts], names: &Names) -> Result<Vec<JointParts>> {
    let mut joints = Vec::new();
    for (i, (entry, cable)) in spec.cable.iter().zip(cables).enumerate() {
        let ends = [("from", &entry.from_body, 0), ("to", &entry.to_body, cable.elements)];
        for (end, (key, holder, node)) in ends.into_iter().enumerate() {
            let Some(holder) = holder else { continue };
            let anchor = cable.ends[end];
            let body = names
                .joined(holder, ([None; 2], None), Some(&anchor), &format!("{key}_body"))
                .map_err(|e| below(e, &format!("cable[{i}]")))?;
            let own = names.find(&format!("{}.{node}", cable.name), format!("cable[{i}].name"))?;
            joints.push(JointParts {
                name: format!("{} {key}", cable.name),
                kind: if planar { JointKind::Revolute } else { JointKind::Spherical },
                bodies: [body, own],
                anchor,
                ..JointParts::default()
            });
        }
    }
    Ok(joints)
}

fn beam_parts(spec: &BeamEntry, planar: bool, materials: &Materials) -> Result<BeamParts> {
    let course = course(spec, planar)?;
    let vector_of = |x: &Option<Vec<f64>>, field| x.as_ref().map_or(Ok([0.0; 3]), |x| vector(x, planar, field));
    let turn_of = |x: &Option<Vec<f64>>, field| x.as_ref().map(|x| axial(x, planar, field)).transpose();
    Ok(BeamParts {
        name: spec.name.clone(),
        up: up(spec, planar, &course)?,
        course,
        elements: elements(spec.elements)?,
        section: section(spec, planar)?,
        damping: spec.damping,
        strain: match spec.strain.as_str() {
            "cayley" => StrainMeasure::Cayley,
            "director" => StrainMeasure::Director,
            "se3" => StrainMeasure::Se3,
            other => return Err(unknown(other, "strain".into(), ["se3", "cayley", "director"].into_iter())),
        },
        mass: match spec.mass.as_str() {
            "lumped" => MassKind::Lumped,
            "consistent" => MassKind::Consistent,
            other => return Err(unknown(other, "mass".into(), ["consistent", "lumped"].into_iter())),
        },
        residual: spec.residual,
        rest_curvature: turn_of(&spec.rest_curvature, "rest_curvature")?,
        tension: finite([spec.tension.unwrap_or_default()], "tension")?[0],
        velocity: vector_of(&spec.velocity, "velocity")?,
        angular_velocity: turn_of(&spec.angular_velocity, "angular_velocity")?.unwrap_or_default(),
        shaking: Default::default(),
        contact: spec.contact.as_ref().map(|contact| surface(contact, materials)).transpose()?,
    })
}

/// Numbers of which none is NaN or infinite: what follows from them would be blamed on another key.
pub fn finite<const N: usize>(x: [f64; N], field: &str) -> Result<[f64; N]> {
    match x.iter().all(|x| x.is_finite()) {
        true => Ok(x),
        false => Err(InputError::new(Code::NOT_FINITE, field, "is NaN or infinite", "give finite numbers").into()),
    }
}

/// A point or direction of finite numbers.
fn vector(x: &[f64], planar: bool, field: &str) -> Result<Vec3> {
    finite(bodies::vector(x, planar, field)?, field)
}

/// A turn of finite numbers: one in the plane, three in space.
fn axial(x: &[f64], planar: bool, field: &str) -> Result<Vec3> {
    finite(bodies::axial(x, planar, field)?, field)
}

/// A number of elements within its range; none is refused where nodes are laid out.
fn elements(number: i64) -> Result<usize> {
    let n = usize::try_from(number).unwrap_or(0);
    limit("elements", "elements", n, MAX_ELEMENTS)?;
    Ok(n)
}

pub fn surface(spec: &BeamContactSpec, materials: &Materials) -> Result<BeamContact> {
    let material = match &spec.material {
        None => 0,
        Some(name) => {
            let names = materials.names().iter().map(String::as_str);
            materials.find(name).ok_or_else(|| unknown(name, "contact.material".into(), names))?
        }
    };
    Ok(BeamContact { radius: spec.radius, material })
}

fn contradiction(field: &str, message: &str, help: &str) -> Box<ScenarioError> {
    InputError::new(Code::CONTRADICTION, field, message, help).into()
}

fn absent(field: &str, message: &str, help: &str) -> Box<ScenarioError> {
    InputError::new(Code::WRONG_TYPE, field, message, help).into()
}

fn course(spec: &BeamEntry, planar: bool) -> Result<Course> {
    let places = "give from and to, from and arc, or points";
    if let Some(points) = &spec.points {
        for (field, given) in [("from", spec.from.is_some()), ("to", spec.to.is_some()), ("arc", spec.arc.is_some())] {
            if given {
                return Err(contradiction(field, "points already say where the beam lies", places));
            }
        }
        let all: Result<Vec<Vec3>> =
            points.iter().enumerate().map(|(i, x)| vector(x, planar, &format!("points[{i}]"))).collect();
        return Ok(Course::Points(all?));
    }
    let Some(from) = &spec.from else { return Err(absent("from", "the beam has no start", places)) };
    let from = vector(from, planar, "from")?;
    match (&spec.to, &spec.arc) {
        (Some(to), None) => Ok(Course::Points(vec![from, vector(to, planar, "to")?])),
        (None, Some(arc)) => Ok(Course::Arc {
            from,
            centre: vector(&arc.centre, planar, "arc.centre")?,
            axis: arc.axis.as_ref().map_or(Ok([0.0, 0.0, 1.0]), |x| vector(x, false, "arc.axis"))?,
            angle: finite([arc.angle], "arc.angle")?[0],
        }),
        (Some(_), Some(_)) => Err(contradiction("arc", "to and arc both say where the beam ends", places)),
        (None, None) => Err(absent("to", "the beam has no end", places)),
    }
}

/// The third axis of the section: z where nothing is said, and x for beams along z.
fn up(spec: &BeamEntry, planar: bool, course: &Course) -> Result<Vec3> {
    let z = [0.0, 0.0, 1.0];
    match (&spec.up, planar) {
        (Some(up), true) if up[..] != z => Err(contradiction("up", "in the plane up is z", "remove it")),
        (Some(up), _) => vector(up, false, "up"),
        (None, true) => Ok(z),
        (None, false) => {
            let along = |d: &Vec3| norm(&cross(&z, d)) <= 1e-9 * norm(d);
            let vertical = match course {
                Course::Points(points) => points.windows(2).any(|side| along(&sub(&side[1], &side[0]))),
                Course::Arc { from, centre, axis, .. } => along(&cross(axis, &sub(from, centre))),
            };
            Ok(if vertical { [1.0, 0.0, 0.0] } else { z })
        }
    }
}

fn section(spec: &BeamEntry, planar: bool) -> Result<SectionParts> {
    let help = "give section, young and density, or stiffness, mass_per_length and inertia_per_length";
    let Some(outline) = &spec.section else {
        let given = [("young", spec.young), ("poisson", spec.poisson), ("density", spec.density)];
        if let Some((field, _)) = given.into_iter().find(|(_, x)| x.is_some()) {
            return Err(contradiction(field, "belongs to a section with an outline", help));
        }
        let Some(stiffness) = &spec.stiffness else { return Err(absent("section", "the beam has no section", help)) };
        let Some(mass) = spec.mass_per_length else {
            return Err(absent("mass_per_length", "the beam has no mass", help));
        };
        let Some(inertia) = &spec.inertia_per_length else {
            return Err(absent("inertia_per_length", "the beam has no rotary inertia", help));
        };
        let inertia = match (&inertia[..], planar) {
            (&[z], true) => [[z, 0.0, 0.0], [0.0, z, 0.0], [0.0, 0.0, z]],
            (&[x, y, z], false) => [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
            (&[x, y, z, xy, xz, yz], false) => [[x, xy, xz], [xy, y, yz], [xz, yz, z]],
            (other, _) => return Err(size(other.len(), if planar { 1 } else { 3 }, "inertia_per_length")),
        };
        let stiffness = entries(stiffness, planar, 1.0, "stiffness")?;
        return Ok(SectionParts::Given { stiffness: Box::new(stiffness), mass, inertia });
    };
    let idle = [
        ("stiffness", spec.stiffness.is_some()),
        ("mass_per_length", spec.mass_per_length.is_some()),
        ("inertia_per_length", spec.inertia_per_length.is_some()),
    ];
    if let Some((field, _)) = idle.into_iter().find(|(_, given)| *given) {
        return Err(contradiction(field, "the section already says it", help));
    }
    let (Some(young), Some(density)) = (spec.young, spec.density) else {
        let field = if spec.young.is_none() { "young" } else { "density" };
        return Err(absent(field, &format!("a section needs {field}"), help));
    };
    let shape = match outline {
        SectionSpec::Rectangle(r) => SectionShape::Rectangle { width: r.width, depth: r.depth },
        SectionSpec::Circle(c) => SectionShape::Circle { radius: c.radius },
        SectionSpec::Tube(t) => SectionShape::Tube { radius: t.radius, inner: t.inner },
    };
    Ok(SectionParts::Shape { shape, young, poisson: spec.poisson.unwrap_or(0.3), density })
}

/// C from its diagonal or its rows; in the plane of three, with as much where nothing moves, unless `unused` is zero.
fn entries(stiffness: &Either<Vec<f64>, Vec<Vec<f64>>>, planar: bool, unused: f64, field: &str) -> Result<Mat6> {
    let n = if planar { 3 } else { 6 };
    let place: &[usize] = if planar { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
    let mut C = diagonal6(&[unused; 6]);
    match stiffness {
        Either::One(diagonal) if diagonal.len() == n => {
            place.iter().zip(diagonal).for_each(|(&k, x)| C[k][k] = *x);
        }
        Either::Other(rows) if rows.len() == n && rows.iter().all(|row| row.len() == n) => {
            for (&i, row) in place.iter().zip(rows) {
                place.iter().zip(row).for_each(|(&j, x)| C[i][j] = *x);
            }
        }
        Either::One(diagonal) => return Err(size(diagonal.len(), n, field)),
        Either::Other(rows) => return Err(size(rows.len(), n, field)),
    }
    if planar && unused > 0.0 {
        for (k, like) in [(2, 1), (3, 5), (4, 5)] {
            C[k][k] = C[like][like];
        }
    }
    Ok(C)
}
