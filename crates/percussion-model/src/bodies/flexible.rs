//! Flexible parts of a scene: nodes that are bodies, elements between bodies, loads at nodes.
//!
//!   T = Σ bodies − Σ ½(μ/6)|v_b − v_a|²,    V = Σ bodies + Σ elements,    p_a = m_a v_a + (μ/6)(v_b − v_a), p_b the other way
//!
//! The mass of an element stands at its nodes; what consistent mass takes from them and puts between them is its coupling μ/6.

use super::math::{Vec3, add, cross, dot, norm, scale, sub};
use super::{Bodies, Body, BodyParts, ElasticParts, Frame, Matter, Shape, Twist};
use crate::flexible::blocks::{Mat6, Vec6, inverse_spd};
use crate::flexible::{BeamParts, Bushing, CableParts, Course, Element, ReducedParts, round_outline};
use crate::{Code, InputError, Signal};
use std::collections::HashSet;

/// Flexible parts of a scene as described.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlexibleParts {
    /// Beams; their nodes are bodies after those of the scene.
    pub beams: Vec<BeamParts>,
    /// Cables; their nodes come after those of the beams.
    pub cables: Vec<CableParts>,
    /// Reduced bodies; their markers, frames and modal coordinates come after those.
    pub reduced: Vec<ReducedParts>,
    /// Elastic solids; their nodes and markers come after those.
    pub solids: Vec<ElasticParts>,
    /// Elements between any two bodies.
    pub bushings: Vec<BushingParts>,
    /// Loads at nodes.
    pub loads: Vec<NodeLoad>,
}

/// An elastic element between two bodies at a point, along the axes of the world at t = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct BushingParts {
    /// a and b.
    pub bodies: [usize; 2],
    /// World place at t = 0 [m].
    pub anchor: Vec3,
    /// C [N/m, N·m]; zero where it does not resist.
    pub stiffness: Mat6,
    /// η [N·s/m, N·m·s].
    pub viscosity: Option<Mat6>,
}

impl FlexibleParts {
    /// Names of beams, cables and reduced bodies in the order of the scene: how many nodes or markers each has, and how many bodies.
    pub fn lines(&self) -> impl Iterator<Item = (&str, usize, usize)> {
        let beams = self.beams.iter().map(|beam| (&*beam.name, beam.n_nodes(), beam.n_nodes()));
        let cables = self.cables.iter().map(|cable| (&*cable.name, cable.elements + 1, cable.n_bodies()));
        let reduced = self.reduced.iter().map(|body| (&*body.name, body.markers.len(), body.n_bodies()));
        beams.chain(cables).chain(reduced)
    }
}

/// A load in world axes that does not turn with its node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeLoad {
    /// Number of the body.
    pub body: usize,
    /// [N].
    pub force: [Signal; 3],
    /// [N·m].
    pub moment: [Signal; 3],
}

/// A beam in a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Beam {
    /// Its name.
    pub name: String,
    /// Number of its first node among the bodies.
    pub first_node: usize,
    /// Number of its first element among those of the scene.
    pub first_span: usize,
    /// Number of its elements.
    pub elements: usize,
    /// Its length at t = 0 [m].
    pub length: f64,
    /// How thick it is drawn [m].
    pub thickness: f64,
    /// Its section as it is drawn, along the second and third axis of its nodes [m].
    pub outline: Vec<[f64; 2]>,
    /// Number of the first of the links of a cable that touches.
    pub links: Option<usize>,
}

impl Beam {
    /// Whether body i is one of its nodes or links.
    pub fn is_made_of(&self, i: usize) -> bool {
        (self.first_node..=self.first_node + self.elements).contains(&i) || self.is_link(i)
    }

    /// Whether body i is one of its links.
    pub fn is_link(&self, i: usize) -> bool {
        self.links.is_some_and(|first| (first..first + self.elements).contains(&i))
    }
}

/// An element between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// a and b.
    pub bodies: [usize; 2],
    /// What it is.
    pub element: Element,
    /// μ/6, zero for lumped mass [kg].
    pub coupling: f64,
}

impl Span {
    /// n = C(ε − ε_ref) of two frames, and ε − ε_ref; of a cable tension and stretch.
    pub fn section_forces(&self, a: &Frame, b: &Frame) -> (Vec6, Vec6) {
        self.element.section_forces(a, b)
    }
}

impl Bodies {
    /// The beams.
    pub fn beams(&self) -> &[Beam] {
        &self.beams
    }

    /// The elements between bodies.
    #[inline]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Moments in world axes, by body.
    #[inline]
    pub fn world_moments(&self) -> &[(usize, [Signal; 3])] {
        &self.moments
    }

    /// Adds nodes, elements and loads; gives the pairs of nodes that are too near to each other on one beam to touch.
    pub(super) fn add_flexible(&mut self, parts: &FlexibleParts) -> Result<Vec<[usize; 2]>, InputError> {
        let mut neighbours = Vec::new();
        let mut names: HashSet<String> = self.bodies.iter().map(|body| body.name.clone()).collect();
        for (i, beam) in parts.beams.iter().enumerate() {
            self.add_beam(beam, &mut names, &mut neighbours).map_err(|e| e.below(format!("beam[{i}]")))?;
        }
        for (i, cable) in parts.cables.iter().enumerate() {
            let near = self.add_cable(cable, &mut names).map_err(|e| e.below(format!("cable[{i}]")))?;
            neighbours.extend(near);
        }
        for (i, reduced) in parts.reduced.iter().enumerate() {
            let own = self.add_reduced(reduced, &mut names).map_err(|e| e.below(format!("flexible[{i}]")))?;
            neighbours.extend(own);
        }
        for (i, solid) in parts.solids.iter().enumerate() {
            let below = |e: InputError| {
                let field = e.field.strip_prefix("model.").unwrap_or(&e.field).to_string();
                InputError { field, ..e }.below(format!("solid[{i}]"))
            };
            self.add_elastic(solid, &mut names).map_err(below)?;
        }
        for (i, bushing) in parts.bushings.iter().enumerate() {
            self.add_bushing(bushing).map_err(|e| e.below(format!("bushing[{i}]")))?;
        }
        for (i, load) in parts.loads.iter().enumerate() {
            let field = |key: &str| format!("load[{i}].{key}");
            let finite = |x: &[Signal; 3]| x.iter().all(Signal::is_finite);
            if !finite(&load.force) || !finite(&load.moment) {
                return Err(InputError::new(
                    Code::NOT_FINITE,
                    field("force"),
                    "is NaN or infinite",
                    "give finite numbers",
                ));
            }
            let Some(body) = self.bodies.get_mut(load.body).filter(|body| body.is_free()) else {
                let message = "nothing moves what is fixed";
                return Err(InputError::new(Code::BAD_NAME, field("node"), message, "name a node of a beam"));
            };
            body.force.iter_mut().zip(&load.force).for_each(|(sum, f)| sum.add(1.0, f));
            if load.moment != <[Signal; 3]>::default() {
                self.moments.push((load.body, load.moment.clone()));
            }
        }
        Ok(neighbours)
    }

    fn add_beam(
        &mut self,
        beam: &BeamParts,
        names: &mut HashSet<String>,
        neighbours: &mut Vec<[usize; 2]>,
    ) -> Result<(), InputError> {
        if beam.name.is_empty() || self.beams.iter().any(|other| other.name == beam.name) {
            let message = format!("a beam has the name \"{}\" too", beam.name);
            return Err(InputError::new(Code::BAD_NAME, "name", message, "rename one"));
        }
        let nodes = beam.nodes()?;
        let (first_node, first_span) = (self.bodies.len(), self.spans.len());
        let (matter, elements) = beam.elements(&nodes)?;
        let lengths: Vec<f64> = elements.iter().map(|(element, _)| element.length()).collect();
        self.check_contact(beam)?;
        for (k, (node, (mass, inertia))) in nodes.iter().zip(matter).enumerate() {
            let (velocity, angular_velocity) = beam.start_velocity(&nodes[0].x, node);
            let parts = BodyParts {
                name: format!("{}.{k}", beam.name),
                matter: Matter::Given { mass, inertia },
                position: node.x,
                rotation: node.q,
                velocity,
                angular_velocity,
                shaking: beam.shaking.clone(),
                contact: false,
                ..Default::default()
            };
            let parts = match (beam.contact, beam.capsule(k, &lengths)) {
                (Some(contact), Some((radius, length, seat))) => BodyParts {
                    shape: Shape::capsule(radius, length),
                    material: contact.material,
                    placed: Some(seat),
                    contact: true,
                    ..parts
                },
                (Some(_), None) | (None, _) => parts,
            };
            let (body, _) = Body::new(&parts, self.planar, &self.materials).map_err(|e| match e.field.as_str() {
                "inertia" => InputError { field: "inertia_per_length".into(), ..e },
                "mass" => InputError { field: "mass_per_length".into(), ..e },
                "position" => InputError { field: "from".into(), ..e },
                _ => e,
            })?;
            if !names.insert(body.name.clone()) {
                let message = format!("a body has the name \"{}\" of a node", body.name);
                return Err(InputError::new(Code::BAD_NAME, "name", message, "rename one"));
            }
            self.bodies.push(body);
            self.start_at(&parts, &node.x);
        }
        if let Some(contact) = beam.contact {
            neighbours.extend(too_near(first_node, &lengths, contact.radius));
        }
        // from the frames as the state has them: nothing is strained by their last digits
        let frames: Vec<Frame> = (0..nodes.len()).map(|k| self.frame(first_node + k, &self.q0)).collect();
        let (_, elements) = beam.elements(&frames)?;
        self.beams.push(Beam {
            name: beam.name.clone(),
            first_node,
            first_span,
            elements: elements.len(),
            length: beam.length(),
            thickness: beam.section.thickness(),
            outline: beam.section.outline(),
            links: None,
        });
        let spans = elements.into_iter().enumerate().map(|(k, (element, coupling))| Span {
            bodies: [first_node + k, first_node + k + 1],
            element,
            coupling,
        });
        self.spans.extend(spans);
        Ok(())
    }

    fn add_cable(&mut self, cable: &CableParts, names: &mut HashSet<String>) -> Result<Vec<[usize; 2]>, InputError> {
        let nodes = cable.nodes()?;
        self.check_links(cable)?;
        let (first_node, first_span) = (self.bodies.len(), self.spans.len());
        for (k, node) in nodes.iter().enumerate() {
            let (mass, inertia) = cable.matter(k);
            let parts = BodyParts {
                name: format!("{}.{k}", cable.name),
                matter: Matter::Given { mass, inertia },
                position: node.x,
                velocity: cable.velocity_at(&node.x),
                shaking: cable.shaking.clone(),
                contact: false,
                ..Default::default()
            };
            let (body, _) = Body::new(&parts, self.planar, &self.materials)?;
            if cable.name.is_empty() || !names.insert(body.name.clone()) {
                let message = format!("a body has the name \"{}\" of a node", body.name);
                return Err(InputError::new(Code::BAD_NAME, "name", message, "rename one"));
            }
            self.bodies.push(body);
            self.start_at(&parts, &node.x);
        }
        self.beams.push(Beam {
            name: cable.name.clone(),
            first_node,
            first_span,
            elements: cable.elements,
            length: cable.length,
            thickness: cable.contact.map_or(0.0, |contact| 2.0 * contact.radius),
            outline: round_outline(cable.contact.map_or(0.0025 * cable.length, |contact| contact.radius)),
            links: cable.contact.map(|_| first_node + nodes.len()),
        });
        let element = cable.element();
        self.spans.extend((0..cable.elements).map(|k| Span {
            bodies: [first_node + k, first_node + k + 1],
            element,
            coupling: 0.0,
        }));
        match cable.contact {
            Some(contact) => self.add_links(cable, contact, names),
            None => Ok(Vec::new()),
        }
    }

    fn add_bushing(&mut self, parts: &BushingParts) -> Result<(), InputError> {
        let [a, b] = parts.bodies;
        if a == b || parts.bodies.iter().any(|&i| i >= self.bodies.len()) {
            let message = format!("joins bodies {a} and {b} of {}", self.bodies.len());
            return Err(InputError::new(Code::BAD_NAME, "b", message, "name two different bodies"));
        }
        if !parts.bodies.iter().any(|&i| self.bodies[i].is_free()) {
            let message = "is between two bodies neither of which moves freely";
            return Err(InputError::new(Code::ZERO_JOINT, "", message, "remove it, or let one of the two move"));
        }
        check_resistance("stiffness", &parts.stiffness)?;
        if let Some(viscosity) = &parts.viscosity {
            check_resistance("damping", viscosity)?;
        }
        let [x, y] = parts.bodies.map(|i| self.frame(i, &self.q0));
        let bushing = Bushing::at_anchor(&x, &y, &parts.anchor, parts.stiffness, parts.viscosity);
        self.spans.push(Span { bodies: parts.bodies, element: Element::Bushing(bushing), coupling: 0.0 });
        Ok(())
    }

    /// Capsules need a beam in space without corners.
    fn check_contact(&self, beam: &BeamParts) -> Result<(), InputError> {
        let Some(contact) = beam.contact else { return Ok(()) };
        let refuse = |code, field: &str, message: &str, help: &str| Err(InputError::new(code, field, message, help));
        if !(contact.radius > 0.0 && contact.radius.is_finite()) {
            return refuse(Code::BAD_SIZE, "contact.radius", "is not positive", "give a radius above zero");
        }
        if self.planar {
            return refuse(Code::BAD_SHAPE, "contact", "beams of the plane meet nothing", "use dimension = 3");
        }
        if matches!(&beam.course, Course::Points(points) if points.len() > 2) {
            let help = "describe each side as a beam and hold them together by fixed joints";
            return refuse(Code::CONTRADICTION, "contact", "a beam with corners meets nothing", help);
        }
        Ok(())
    }

    /// Σ V of the elements and solids.
    pub fn strain_energy(&self, q: &[f64]) -> f64 {
        let of = |span: &Span| {
            let [a, b] = span.bodies.map(|i| self.frame(i, q));
            span.element.energy(&a, &b)
        };
        self.spans.iter().map(of).sum::<f64>() + self.solid_energy(q)
    }

    /// −Σ ½(μ/6)|v_b − v_a|², for the velocities of bodies.
    pub fn coupling_energy(&self, twist: impl Fn(usize) -> Twist) -> f64 {
        let mut sum = 0.0;
        for span in self.spans.iter().filter(|span| span.coupling != 0.0) {
            let [a, b] = span.bodies.map(&twist);
            let between = sub(&b.v, &a.v);
            sum -= 0.5 * span.coupling * dot(&between, &between);
        }
        sum
    }

    /// What couplings add to the angular momentum, (x_a − x_b) × (μ/6)(v_b − v_a), and the sizes of what they add up.
    pub fn coupling_momentum(&self, q: &[f64], v: &[f64]) -> (Vec3, [f64; 2]) {
        let (mut sum, mut size) = ([0.0; 3], [0.0; 2]);
        for span in self.spans.iter().filter(|span| span.coupling != 0.0) {
            let ([a, b], [va, vb]) = (span.bodies.map(|i| self.frame(i, q).x), span.bodies.map(|i| self.twist(i, v).v));
            let p = scale(span.coupling, &sub(&vb, &va));
            sum = add(&sum, &cross(&sub(&a, &b), &p));
            size[0] += norm(&p);
            size[1] += (norm(&a) + norm(&b)) * norm(&p);
        }
        (sum, size)
    }
}

/// Symmetric, and not negative in any direction: zero rows resist nothing.
fn check_resistance(field: &str, C: &Mat6) -> Result<(), InputError> {
    let size = C.iter().flatten().fold(0.0_f64, |s, x| s.max(x.abs()));
    let symmetric = (0..6).all(|i| (0..i).all(|j| (C[i][j] - C[j][i]).abs() <= 1e-12 * size));
    let mut filled = *C;
    for (k, row) in filled.iter_mut().enumerate() {
        if row.iter().all(|x| *x == 0.0) {
            row[k] = 1.0;
        }
    }
    if symmetric && size.is_finite() && inverse_spd(&filled).is_some() {
        return Ok(());
    }
    let message = "is not symmetric, or some motion would gain by it";
    Err(InputError::new(
        Code::BAD_PARAMETER,
        field,
        message,
        "give numbers of 0 or more, or a symmetric positive matrix",
    ))
}

/// Pairs of nodes whose capsules, which end half-way to their neighbours, touch or are nearer than 2r along the beam.
fn too_near(first: usize, lengths: &[f64], radius: f64) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    for i in 0..=lengths.len() {
        let mut apart = 0.0;
        for j in i + 1..=lengths.len() {
            if j > i + 1 {
                apart += 0.5 * (lengths[j - 2] + lengths[j - 1]);
            }
            if j > i + 1 && apart >= 2.0 * radius {
                break;
            }
            pairs.push([first + i, first + j]);
        }
    }
    pairs
}
