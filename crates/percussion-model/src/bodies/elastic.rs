//! Elastic solids of a scene: nodes that are bodies without size, held together by finite elements.
//!
//!   V = Σ bodies + V_solid(x),    place of a group   Σ w_k x_k = x,    its turn   Σ w_k r_k × Rᵀ(x_k − x) = 0,   w_k = m_k/Σm
//!
//! A node has the lumped mass of its elements and three unknowns, and nothing turns it. What joints and springs hold of a solid is the mean
//! motion of a group: a rigid marker whose rows are products of frames, exact over a step. The marker carries a part of the mass of its
//! nodes, with the moments of inertia of that part, so a group that moves as a rigid body has the mass it had.

use super::math::{IDENTITY, Mat3, Vec3, add, axpy, cross, dot, inverse, mul, norm, scale, sub};
use super::measure::Measure;
use super::shapes::Manner;
use super::{Bodies, BodyParts, Frame, Joint, JointKind, JointRow, Matter, Motion, RowLaw, Shape, Term};
use crate::solid::{Axis, Elasticity, Kinematics, Solid, SolidMass};
use crate::{Code, InputError, Signal};
use percussion_matrix::DenseMatrix;
use std::collections::HashSet;
use std::sync::Arc;

/// The part of the mass of a group's nodes that its marker carries.
const MARKER_SHARE: f64 = 0.1;
/// Part of a group's moments of inertia below which one of them is none: its nodes lie on a line.
const ON_A_LINE: f64 = 1e-9;

/// A solid of a scene as described.
#[derive(Clone, Debug)]
pub struct ElasticParts {
    /// Its name; its nodes are bodies NAME.TAG by their numbers in the mesh.
    pub name: String,
    /// Where it stands in the world at t = 0, without contacts and gravity of its own.
    pub solid: Arc<Solid>,
    /// Groups whose nodes meet bodies, each with the number of its material.
    pub surfaces: Vec<(String, usize)>,
    /// Groups of several nodes that joints and springs hold, each once.
    pub groups: Vec<String>,
    /// World velocity of its centre of mass at t = 0, beside those of its parts [m/s].
    pub velocity: Vec3,
    /// World angular velocity about it [rad/s].
    pub angular_velocity: Vec3,
    /// What gravity adds to its constant part in time [m/s²].
    pub shaking: [Signal; 3],
}

impl PartialEq for ElasticParts {
    /// The same description makes the same solid.
    fn eq(&self, other: &Self) -> bool {
        let own = |x: &Self| (x.name.clone(), x.surfaces.clone(), x.groups.clone(), x.velocity, x.angular_velocity);
        own(self) == own(other)
            && self.shaking == other.shaking
            && self.solid.description() == other.solid.description()
    }
}

impl ElasticParts {
    /// Number of its nodes.
    pub fn n_nodes(&self) -> usize {
        self.solid.matter().n_nodes()
    }

    /// Number of its bodies: nodes, markers, and what rollers roll on.
    pub fn n_bodies(&self) -> usize {
        self.n_nodes() + self.groups.len() + usize::from(self.has_rollers())
    }

    /// What body k of its own is called.
    pub fn body_name(&self, k: usize) -> String {
        let (n, name) = (self.n_nodes(), &self.name);
        match k.checked_sub(n).map(|m| self.groups.get(m)) {
            None => format!("{name}.{}", self.solid.node_tag(k)),
            Some(Some(group)) => format!("{name}.{group}"),
            Some(None) => format!("{name}.ground"),
        }
    }

    /// How many directions of a node supports hold.
    fn held(&self, node: usize) -> usize {
        self.solid.coordinates().axes(node).iter().filter(|axis| matches!(axis, Axis::Supported(_))).count()
    }

    fn has_rollers(&self) -> bool {
        let d = self.solid.matter().dimension();
        (0..self.n_nodes()).any(|node| (1..d).contains(&self.held(node)))
    }

    /// Refuses what a solid among bodies does not have.
    fn check(&self, planar: bool) -> Result<(), InputError> {
        let parts = self.solid.description();
        let refuse =
            |code, field: String, message: String, help: &str| Err(InputError::new(code, field, message, help));
        if (self.solid.matter().dimension() == 2) != planar || self.solid.matter().section.has_rings() {
            let help = "plane = \"strain\" or \"stress\" belongs to dimension = 2, a solid in space to dimension = 3";
            return refuse(Code::BAD_SHAPE, "plane".into(), "is not of the scene's dimension".into(), help);
        }
        if parts.mass != SolidMass::Lumped {
            let help = "use mass = \"lumped\"";
            return refuse(Code::NOT_YET, "mass".into(), "among bodies the mass of a solid is lumped".into(), help);
        }
        for (k, support) in parts.supports.iter().enumerate() {
            if support.directions.iter().any(|(_, motion)| !motion.is_constant() || motion.at(0.0) != 0.0) {
                let message = "supports that move are not for solids among bodies".into();
                let help = "hold the group by a fixed joint to a body that moves (b_group)";
                return refuse(Code::NOT_YET, format!("support[{k}].motion"), message, help);
            }
        }
        if *self.solid.kinematics() == Kinematics::Linear && !self.is_held() {
            let message = "no support keeps it from turning, and small displacements know no rotation".into();
            let help = "use kinematics = \"finite\", or add a [[solid.support]] that holds it";
            return refuse(Code::CONTRADICTION, "kinematics".into(), message, help);
        }
        Ok(())
    }

    /// Whether supports leave no rigid motion: Σ n nᵀ over what they hold, n = (direction, X × direction), is regular.
    fn is_held(&self) -> bool {
        let (matter, coordinates) = (self.solid.matter(), self.solid.coordinates());
        let (size, centre) = (self.size(), self.centre().1);
        let used: &[usize] = if matter.dimension() == 2 { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
        let mut A = DenseMatrix::zeros(used.len(), used.len());
        for node in 0..matter.n_nodes() {
            for (k, _) in coordinates.axes(node).iter().enumerate().filter(|(_, a)| matches!(a, Axis::Supported(_))) {
                let n = coordinates.direction(node, k);
                let m = scale(1.0 / size, &cross(&sub(&matter.X[node], &centre), &n));
                let row = [n[0], n[1], n[2], m[0], m[1], m[2]];
                for (r, &i) in used.iter().enumerate() {
                    for (s, &j) in used.iter().enumerate() {
                        A.set(r, s, A.get(r, s) + row[i] * row[j]);
                    }
                }
            }
        }
        A.smallest_eigenvalue().is_some_and(|least| least > 1e-9)
    }

    /// Largest distance of a node from the centre of mass [m].
    fn size(&self) -> f64 {
        let centre = self.centre().1;
        self.solid.matter().X.iter().map(|x| norm(&sub(x, &centre))).fold(f64::MIN_POSITIVE, f64::max)
    }

    /// Mass and centre of mass [kg, m].
    pub fn centre(&self) -> (f64, Vec3) {
        let masses = &self.solid.node_mass().lumped;
        mass_and_centre(masses.iter().copied().zip(self.solid.matter().X.iter().copied()))
    }
}

fn mass_and_centre(points: impl Iterator<Item = (f64, Vec3)>) -> (f64, Vec3) {
    let (mass, moment) = points.fold((0.0, [0.0; 3]), |(sum, moment), (m, x)| (sum + m, axpy(&moment, m, &x)));
    (mass, scale(1.0 / mass, &moment))
}

/// A solid in a scene.
#[derive(Clone, Debug)]
pub struct Elastic {
    /// Its name.
    pub name: String,
    /// Mesh, materials, supports and loads.
    pub solid: Arc<Solid>,
    /// Number of its first node among the bodies.
    pub first_node: usize,
    /// Strain energy and forces.
    pub elasticity: Arc<Elasticity>,
    /// Groups with a marker, which are bodies after the nodes: their names and nodes.
    pub markers: Vec<(String, Vec<usize>)>,
    /// Whether a support holds some of it.
    pub supported: bool,
}

impl Elastic {
    /// Number of its nodes.
    pub fn n_nodes(&self) -> usize {
        self.solid.matter().n_nodes()
    }

    /// The largest distance of a node from the first [m].
    pub fn size(&self) -> f64 {
        let X = &self.solid.matter().X;
        X.iter().map(|x| norm(&sub(x, &X[0]))).fold(0.0, f64::max)
    }

    /// The bodies that are its nodes.
    pub fn nodes(&self) -> std::ops::Range<usize> {
        self.first_node..self.first_node + self.n_nodes()
    }

    /// x ← places of its nodes.
    pub fn places(&self, place: impl Fn(usize) -> Vec3, x: &mut Vec<Vec3>) {
        x.clear();
        x.extend(self.nodes().map(place));
    }
}

impl Bodies {
    /// The table that describes a body which is a node of a solid.
    pub(crate) fn table_of(&self, body: usize) -> Option<String> {
        self.elastic.iter().position(|solid| solid.nodes().contains(&body)).map(|k| format!("solid[{k}]"))
    }

    /// The elastic solids.
    #[inline]
    pub fn elastic(&self) -> &[Elastic] {
        &self.elastic
    }

    /// Whether anything between its bodies bends: beams, cables, bushings, modes, solids.
    #[inline]
    pub fn has_elements(&self) -> bool {
        !self.spans.is_empty() || !self.elastic.is_empty()
    }

    /// Σ V of the solids; NaN where an element is inside out.
    pub(super) fn solid_energy(&self, q: &[f64]) -> f64 {
        let mut x = Vec::new();
        let of = |solid: &Elastic| {
            solid.places(|i| self.frame(i, q).x, &mut x);
            solid.elasticity.energy(&x).unwrap_or(f64::NAN)
        };
        self.elastic.iter().map(of).sum()
    }

    /// Adds the nodes and markers of a solid.
    pub(super) fn add_elastic(&mut self, parts: &ElasticParts, names: &mut HashSet<String>) -> Result<(), InputError> {
        parts.check(self.planar)?;
        let (solid, first_node) = (&parts.solid, self.bodies.len());
        let materials = surface_materials(parts)?;
        let [displacement, velocity] = solid.initial_fields()?;
        let (mut masses, drags) = (solid.node_mass().lumped.clone(), solid.node_drags());
        let mut markers = Vec::new();
        for group in &parts.groups {
            let nodes = solid.nodes_of(group, "group")?;
            let matter = self.marker_matter(parts, group, &nodes, &mut masses)?;
            markers.push((group.clone(), nodes, matter));
        }
        let centre = parts.centre().1;
        let moving = |x: &Vec3| add(&parts.velocity, &cross(&parts.angular_velocity, &sub(x, &centre)));
        let d = solid.matter().dimension();
        let size = 0.01 * parts.size();
        let mut motion = Vec::with_capacity(parts.n_nodes());
        for node in 0..parts.n_nodes() {
            let fixed = parts.held(node) == d;
            let X = &solid.matter().X[node];
            let mut start = add(&moving(X), &velocity[node]);
            self.held_directions(parts, node, |n| start = axpy(&start, -dot(&start, &n), &n));
            let inertia = IDENTITY.map(|row| row.map(|x| x * masses[node] * size * size));
            let body = BodyParts {
                name: parts.body_name(node),
                shape: materials[node].map_or(Shape::point(), |_| Shape::sphere(0.0)),
                matter: Matter::Given { mass: masses[node], inertia },
                position: add(X, &displacement[node]),
                velocity: if fixed { [0.0; 3] } else { start },
                motion: if fixed { Motion::Fixed } else { Motion::Free },
                material: materials[node].unwrap_or(0),
                force: node_force(solid, node),
                shaking: parts.shaking.clone(),
                drag: [drags[node], 0.0],
                contact: materials[node].is_some(),
                node: true,
                ..Default::default()
            };
            self.add_part(&body, names)?;
            motion.push((body.position, body.velocity));
        }
        for (group, nodes, (mass, _, inertia)) in &markers {
            let [position, velocity, angular_velocity] = self.mean_motion(solid, nodes, &masses, &motion);
            let body = BodyParts {
                name: format!("{}.{group}", parts.name),
                matter: Matter::Given { mass: *mass, inertia: *inertia },
                position,
                velocity,
                angular_velocity,
                shaking: parts.shaking.clone(),
                contact: false,
                ..Default::default()
            };
            self.add_part(&body, names)?;
        }
        if parts.has_rollers() {
            let name = format!("{}.ground", parts.name);
            let body = BodyParts { name, motion: Motion::Fixed, contact: false, ..Default::default() };
            self.add_part(&body, names)?;
        }
        self.elastic.push(Elastic {
            name: parts.name.clone(),
            solid: Arc::clone(solid),
            first_node,
            elasticity: Arc::new(Elasticity::new(solid)?),
            markers: markers.into_iter().map(|(group, nodes, _)| (group, nodes)).collect(),
            supported: (0..parts.n_nodes()).any(|node| parts.held(node) > 0),
        });
        Ok(())
    }

    /// Takes the marker's share from the nodes of a group: its mass, centre and moments of inertia.
    fn marker_matter(
        &self,
        parts: &ElasticParts,
        group: &str,
        nodes: &[usize],
        masses: &mut [f64],
    ) -> Result<(f64, Vec3, Mat3), InputError> {
        let refuse = |message: String, help: &str| Err(InputError::new(Code::BAD_SOLID, "name", message, help));
        if nodes.iter().any(|&i| parts.held(i) > 0) {
            let message = format!("a joint holds the group \"{group}\" of \"{}\", and so does a support", parts.name);
            return refuse(message, "remove one of the two");
        }
        let X = &parts.solid.matter().X;
        let (mass, centre) = mass_and_centre(nodes.iter().map(|&i| (MARKER_SHARE * masses[i], X[i])));
        let mut I = [[0.0; 3]; 3];
        for &i in nodes {
            let (m, r) = (MARKER_SHARE * masses[i], sub(&X[i], &centre));
            for (k, row) in I.iter_mut().enumerate() {
                for (l, x) in row.iter_mut().enumerate() {
                    *x += m * (IDENTITY[k][l] * dot(&r, &r) - r[k] * r[l]);
                }
            }
            masses[i] *= 1.0 - MARKER_SHARE;
        }
        let trace = I[0][0] + I[1][1] + I[2][2];
        let least = match self.planar {
            true => I[2][2],
            false => {
                let rows = DenseMatrix::from_rows(&I.map(|row| row.to_vec()));
                rows.and_then(|I| I.smallest_eigenvalue()).unwrap_or(0.0)
            }
        };
        if nodes.len() < 2 || least <= ON_A_LINE * trace {
            let message =
                format!("the nodes of group \"{group}\" of \"{}\" lie on a line: they have no rotation", parts.name);
            return refuse(message, "hold a group with some width, or a single node");
        }
        Ok((mass, centre, I))
    }

    /// Mean place, velocity and angular velocity of nodes, as the rows of their marker have it: Σ w r × (v_k − v − w × d_k) = 0.
    fn mean_motion(&self, solid: &Solid, nodes: &[usize], masses: &[f64], motion: &[(Vec3, Vec3)]) -> [Vec3; 3] {
        let mean = |of: &dyn Fn(usize) -> Vec3| mass_and_centre(nodes.iter().map(|&i| (masses[i], of(i)))).1;
        let X = &solid.matter().X;
        let (rest, place, velocity) = (mean(&|i| X[i]), mean(&|i| motion[i].0), mean(&|i| motion[i].1));
        let (mut A, mut moment) = ([[0.0; 3]; 3], [0.0; 3]);
        for &i in nodes {
            let (m, r) = (masses[i], sub(&X[i], &rest));
            let d = sub(&motion[i].0, &place);
            moment = axpy(&moment, m, &cross(&r, &sub(&motion[i].1, &velocity)));
            for (k, row) in A.iter_mut().enumerate() {
                for (l, x) in row.iter_mut().enumerate() {
                    *x += m * (IDENTITY[k][l] * dot(&r, &d) - d[k] * r[l]);
                }
            }
        }
        let turn = if self.planar {
            [0.0, 0.0, moment[2] / A[2][2]]
        } else {
            inverse(&A).map_or([0.0; 3], |inverse| mul(&inverse, &moment))
        };
        [place, velocity, turn]
    }

    fn held_directions(&self, parts: &ElasticParts, node: usize, mut visit: impl FnMut(Vec3)) {
        let coordinates = parts.solid.coordinates();
        for (k, axis) in coordinates.axes(node).iter().enumerate() {
            if let Axis::Supported(_) = axis {
                visit(coordinates.direction(node, k));
            }
        }
    }

    /// Adds the rows of markers and of rollers, as joints after those of the scene.
    pub(super) fn join_solids(&mut self, described: &[ElasticParts]) {
        let frames: Vec<Frame> = (0..self.len()).map(|i| self.frame(i, &self.q0)).collect();
        for (solid, parts) in self.elastic.clone().iter().zip(described) {
            let after = solid.first_node + solid.n_nodes();
            for (k, (group, nodes)) in solid.markers.iter().enumerate() {
                let bodies = [solid.first_node + nodes[0], after + k];
                let rows = self.marker_rows(solid, nodes, after + k);
                self.add_rows(format!("{} holds {group}", solid.name), bodies, rows, &frames);
            }
            let d = solid.solid.matter().dimension();
            for node in (0..solid.n_nodes()).filter(|&node| (1..d).contains(&parts.held(node))) {
                let bodies = [after + solid.markers.len(), solid.first_node + node];
                let mut rows = Vec::new();
                self.held_directions(parts, node, |direction| {
                    let measure = Measure::Along { direction, points: [[0.0; 3]; 2] };
                    rows.push(vec![Term { bodies, measure, factor: 1.0 }]);
                });
                self.add_rows(format!("{} support", parts.body_name(node)), bodies, rows, &frames);
            }
        }
    }

    /// Place and turn of a marker as those of its nodes; turns in metres, by the size of the group.
    fn marker_rows(&self, solid: &Elastic, nodes: &[usize], marker: usize) -> Vec<Vec<Term>> {
        let X = &solid.solid.matter().X;
        let weight = |i: usize| self.bodies[solid.first_node + i].mass;
        let (whole, centre) = mass_and_centre(nodes.iter().map(|&i| (weight(i), X[i])));
        let size = nodes.iter().map(|&i| norm(&sub(&X[i], &centre))).fold(0.0, f64::max);
        let term = |i: usize, direction: Vec3, factor: f64| Term {
            bodies: [marker, solid.first_node + i],
            measure: Measure::Along { direction, points: [[0.0; 3]; 2] },
            factor,
        };
        let places: &[usize] = if self.planar { &[0, 1] } else { &[0, 1, 2] };
        let turns: &[usize] = if self.planar { &[2] } else { &[0, 1, 2] };
        let mut rows: Vec<Vec<Term>> = Vec::new();
        for &k in places {
            rows.push(nodes.iter().map(|&i| term(i, IDENTITY[k], weight(i) / whole)).collect());
        }
        for &k in turns {
            // (r × d)·e = d·(e × r)
            let own = nodes.iter().filter_map(|&i| {
                let direction = cross(&IDENTITY[k], &sub(&X[i], &centre));
                let length = norm(&direction);
                (length > 0.0).then(|| term(i, scale(1.0 / length, &direction), weight(i) / whole * length / size))
            });
            rows.push(own.collect());
        }
        rows
    }

    fn add_rows(&mut self, name: String, bodies: [usize; 2], rows: Vec<Vec<Term>>, frames: &[Frame]) {
        let of = |terms: Vec<Term>| {
            let row = JointRow { terms, law: RowLaw::Rigid { target: 0.0 } };
            let target = row.value(frames);
            JointRow { law: RowLaw::Rigid { target }, ..row }
        };
        let j = self.joints.len();
        self.rigid.extend((0..rows.len()).map(|r| (j, r)));
        self.joints
            .push(Joint { rows: rows.into_iter().map(of).collect(), ..Joint::of_rows(name, JointKind::Fixed, bodies) });
    }

    /// The pairs that a joint between two bodies keeps from touching: where one is held by a group or a node of a solid, all its nodes.
    pub(super) fn apart_by_joint(&self, bodies: [usize; 2]) -> Vec<[usize; 2]> {
        let own = |i: usize| {
            let of = |solid: &&Elastic| (solid.first_node..solid.nodes().end + solid.markers.len()).contains(&i);
            match self.elastic.iter().find(of) {
                Some(solid) => solid.nodes().filter(|&k| self.bodies[k].contact).collect(),
                None => vec![i],
            }
        };
        let [a, b] = bodies.map(own);
        a.iter().flat_map(|&i| b.iter().map(move |&j| [i, j])).collect()
    }

    /// Bodies whose shapes nodes cannot meet, and laws they cannot have.
    pub(super) fn check_nodes(&self) -> Result<(), InputError> {
        let Some(solid) = self.elastic.iter().position(|s| s.nodes().any(|i| self.bodies[i].contact)) else {
            return Ok(());
        };
        let field = format!("solid[{solid}].contact");
        if self.materials.has_rolling() {
            let message = "nodes do not roll: rolling friction is not for scenes with contact of solids";
            return Err(InputError::new(Code::NOT_YET, field, message, "remove rolling"));
        }
        let met = |shape: &Shape| {
            self.planar
                || matches!(shape, Shape::Sphere(_) | Shape::Capsule(_) | Shape::Box(_))
                || matches!(shape.manner(), Manner::HalfSpace | Manner::Nothing)
        };
        for body in self.bodies.iter().filter(|body| body.contact && !body.node) {
            let pieces = body.shape.pieces();
            let whole = pieces.is_empty() && !met(&body.shape);
            if whole || pieces.iter().any(|piece| !met(&piece.shape)) {
                let message = format!(
                    "nodes of solids do not meet the {} of \"{}\" in this version",
                    body.shape.name(),
                    body.name
                );
                let help = "use planes, balls, capsules and boxes, or contact = false for that body";
                return Err(InputError::new(Code::NOT_YET, field, message, help));
            }
        }
        Ok(())
    }
}

/// The material of every node that meets bodies.
fn surface_materials(parts: &ElasticParts) -> Result<Vec<Option<usize>>, InputError> {
    let mut materials = vec![None; parts.n_nodes()];
    for (k, (group, material)) in parts.surfaces.iter().enumerate() {
        for node in parts.solid.nodes_of(group, &format!("contact[{k}].surface"))? {
            materials[node].get_or_insert(*material);
        }
    }
    Ok(materials)
}

/// The loads of a node along the axes.
fn node_force(solid: &Solid, node: usize) -> [Signal; 3] {
    let mut force: [Signal; 3] = Default::default();
    let coordinates = solid.coordinates();
    for (k, axis) in coordinates.axes(node).iter().enumerate() {
        if let Axis::Free(i) = axis {
            let direction = coordinates.direction(node, k);
            force.iter_mut().zip(direction).for_each(|(sum, n)| sum.add(n, &solid.force()[*i]));
        }
    }
    force
}
