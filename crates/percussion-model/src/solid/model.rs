//! An elastic solid in finite elements with small displacements: from groups of a mesh to M, C, K, F and contacts.
//!
//!   M q̈ + C q̇ + K q = F(t) + G λ,    u = T q + supports

use super::contact::{self, Against, Candidate, Method, SurfaceContact};
use super::coordinates::{Axis, Constraint, Coordinates};
use super::finite;
use super::graph::NodeGraph;
use super::loads::Loads;
use super::mass::SolidMass;
use super::matrices::{self, NodeMass, Rules};
use super::matter::{Matter, shared_nodes};
use super::mesh::{Cell, Mesh};
use super::parts::{Kinematics, LoadKind, Part, SolidParts};
use super::rows;
use super::surface::{FaceTable, Surface};
use crate::bodies::math::{Vec3, axpy, cross, mul, norm, scale, sub};
use crate::code::Code;
use crate::{Contact, ElementFacts, InputError, LinearModel, LinearParts, NodalCoordinates, Signal, reduce};
use percussion_matrix::{Matrix, SparseMatrix, dissected_by_place};

/// A checked solid.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Nodes and elements.
    pub(super) matter: Matter,
    parts: SolidParts,
    graph: NodeGraph,
    coordinates: Coordinates,
    node_mass: NodeMass,
    mass: SparseMatrix,
    damping: Option<SparseMatrix>,
    stiffness: SparseMatrix,
    force: Vec<Signal>,
    /// What loads do in the directions that supports hold.
    held_force: Vec<Signal>,
    /// What gravity does to the free coordinates.
    weight: Vec<f64>,
    outer: Surface,
    surfaces: Vec<Pair>,
    candidates: Vec<Candidate>,
    contacts: Vec<Contact>,
    /// Candidates that supports hold fast.
    held: usize,
}

impl Solid {
    /// Checks the parts and assembles the matrices.
    pub fn new(parts: SolidParts) -> Result<Self, InputError> {
        parts.section.check()?;
        crate::linear::finite(parts.gravity.iter().all(Signal::is_finite), "model.gravity")?;
        finite::refuse(&parts)?;
        let matter = Matter::new(&parts)?;
        let graph = NodeGraph::new(matter.n_nodes(), &matter.cells);
        let table = FaceTable::new(&matter.cells);
        let coordinates = Coordinates::new(matter.n_nodes(), matter.dimension(), &constraints(&parts, &matter)?)?;
        if coordinates.n_free() == 0 {
            let help = "leave some node free";
            return Err(InputError::new(Code::BAD_SOLID, "model.support", "supports hold every node", help));
        }

        let finite = parts.kinematics != Kinematics::Linear;

        // contact surfaces, and which of their nodes give their mass away
        let surfaces = Surfaces { parts: &parts, matter: &matter, table: &table };
        let (found, bare) = surfaces.of_contacts()?;
        let rules = Rules::new();
        let node_mass = NodeMass::new(&matter, &parts, &rules, &graph, bare)?;

        // matrices and loads
        let K = matrices::stiffness(&matter, &parts.parts, &rules, &graph, &coordinates);
        let M = matrices::mass_matrix(&matter, &parts, &rules, &graph, &coordinates, &node_mass);
        let C = matrices::damping(&matter, &parts, &rules, &graph, &coordinates, &node_mass);
        let mut loads = Loads::new(&coordinates);
        loads.add_gravity(&node_mass.weight, &parts.gravity);
        let weight = loads.force.iter().map(|force| force.mean).collect();
        if finite {
            // constant weight has a potential of its own there
            loads.force.iter_mut().for_each(|force| force.mean = 0.0);
        }
        for (k, load) in parts.loads.iter().enumerate() {
            let (nodes, surface) = surfaces.of_load(k, load)?;
            loads.add_load(&load.kind, &nodes, &surface, &matter);
        }
        loads.add_supports(&K, C.as_ref(), &M);
        let (force, held_force) = (loads.force, loads.held);

        // contacts
        let mut candidates = Vec::new();
        for (k, (law, (own, other))) in parts.contacts.iter().zip(&found).enumerate() {
            candidates.extend(match (finite, other) {
                (true, Some(_)) => contact::every_node(k, own, &matter.X, matter.section),
                (false, _) | (true, None) => paired(k, law, own, other.as_ref(), &matter)?,
            });
        }
        let mut contacts = Vec::with_capacity(candidates.len());
        let mut kept = Vec::with_capacity(candidates.len());
        let all = candidates.len();
        for candidate in candidates {
            if finite {
                let free = |axis: &Axis| matches!(axis, Axis::Free(_));
                let movable = found[candidate.contact].1.is_some() || coordinates.axes(candidate.node).iter().any(free);
                kept.extend(movable.then_some(candidate));
            } else if let Some(contact) = rows::contact(&candidate, &parts.contacts[candidate.contact], &coordinates)? {
                contacts.push(contact);
                kept.push(candidate);
            }
        }
        Ok(Self {
            outer: table.outer(),
            held: all - kept.len(),
            mass: M.matrix,
            damping: C.map(|C| C.matrix),
            stiffness: K.matrix,
            parts,
            candidates: kept,
            matter,
            graph,
            coordinates,
            node_mass,
            force,
            held_force,
            weight,
            surfaces: found,
            contacts,
        })
    }

    /// The same with damping of its modes beside that of its parts: `ratio(k)` is ζ of the k-th mode with stiffness, by rising frequency. Nodes without mass
    /// follow the others and are not damped, nor are rigid motions.
    pub fn with_modal_damping(mut self, ratio: impl Fn(usize) -> f64) -> Result<Self, InputError> {
        let refuse = |message: &str, help: &str| {
            Err(InputError::new(Code::CONTRADICTION, "model.damping.ratios", message, help))
        };
        if self.parts.kinematics != Kinematics::Linear {
            let message = "modes are of small displacements, and their damping would brake rotations";
            return refuse(message, "use damping.mass of the parts");
        }
        if self.coordinates.motions().iter().any(|motion| !motion.is_constant()) {
            let message = "damping of modes acts against the ground, not against supports that move";
            return refuse(message, "use damping.stiffness of the parts");
        }
        let n = self.coordinates.n_free();
        let undamped = LinearParts {
            damping: None,
            force: vec![Signal::default(); n],
            contacts: Vec::new(),
            ..self.linear_parts()
        };
        let (parts, kept) = reduce::condense(undamped)?;
        let stiffness = parts.stiffness.as_ref().unwrap_or(&parts.mass);
        let C = reduce::modal_damping(&parts.mass, stiffness, ratio)?;
        let entries: Vec<_> = C.triplets().into_iter().map(|(i, j, x)| (kept[i], kept[j], x)).collect();
        let own = SparseMatrix::from_triplets(n, n, &entries).expect("indices of a valid matrix");
        self.damping = Some(match &self.damping {
            Some(C) => SparseMatrix::combination(n, &[(1.0, C), (1.0, &own)]),
            None => own,
        });
        Ok(self)
    }

    /// What a linear model of it is made of.
    pub fn linear_parts(&self) -> LinearParts {
        LinearParts {
            mass: Matrix::Sparse(self.mass.clone()),
            damping: self.damping.clone().map(Matrix::Sparse),
            stiffness: Some(Matrix::Sparse(self.stiffness.clone())),
            force: self.force.clone(),
            contacts: self.contacts.clone(),
            joints: Vec::new(),
        }
    }

    /// The linear model that schemes move. Where nodes have no mass, only those whose law of contact is made for it take it.
    pub fn linear_model(&self) -> Result<LinearModel, InputError> {
        LinearModel::of_elements(self.linear_parts(), self.facts())
    }

    /// What a linear model need not find out by factorising.
    fn facts(&self) -> ElementFacts {
        let free = |axis: Option<&Axis>| match axis {
            Some(Axis::Free(i)) => Some(*i),
            Some(Axis::Supported(_)) | None => None,
        };
        let node = |i: usize| [0, 1, 2].map(|k| free(self.coordinates.axes(i).get(k)));
        let nodes: Vec<[Option<usize>; 3]> = (0..self.matter.n_nodes()).map(node).collect();

        let mut massless = vec![false; self.coordinates.n_free()];
        for (own, _) in nodes.iter().zip(&self.node_mass.massless).filter(|(_, bare)| **bare) {
            own.iter().flatten().for_each(|&i| massless[i] = true);
        }
        ElementFacts {
            massless: if massless.contains(&true) { massless } else { Vec::new() },
            coordinates: NodalCoordinates { translations: self.translations(&nodes), nodes },
            order: self.elimination_order(),
            contact_names: self.candidates.iter().map(|c| self.contact_name(c)).collect(),
            moments: self.moments(),
            half_thicknesses: self.half_thicknesses(),
        }
    }

    /// The direction of each coordinate and its moment about the origin; none where a support holds anything or rings stretch.
    fn moments(&self) -> Vec<[Vec3; 2]> {
        let nodes = 0..self.matter.n_nodes();
        let free =
            nodes.clone().all(|node| self.coordinates.axes(node).iter().all(|axis| matches!(axis, Axis::Free(_))));
        if !free || self.matter.section.has_rings() {
            return Vec::new();
        }
        let of_node = |node: usize| {
            let own = move |k: usize| {
                let b = self.coordinates.direction(node, k);
                [b, cross(&self.matter.X[node], &b)]
            };
            (0..self.coordinates.axes(node).len()).map(own)
        };
        nodes.flat_map(of_node).collect()
    }

    /// For each connected piece and each axis along which nothing holds it, its coordinates. About an axis radial motion
    /// stretches rings, so only the axial one counts.
    fn translations(&self, nodes: &[[Option<usize>; 3]]) -> Vec<Vec<usize>> {
        let (piece, count) = self.graph.pieces();
        let d = self.matter.dimension();
        let first = usize::from(self.matter.section.has_rings());
        let mut sets: Vec<Option<Vec<usize>>> = vec![Some(Vec::new()); count * d];
        for (i, own) in nodes.iter().enumerate() {
            for k in 0..d {
                let set = &mut sets[piece[i] * d + k];
                match (own[k], self.coordinates.is_turned(i) || k < first) {
                    (Some(coordinate), false) => set.iter_mut().for_each(|list| list.push(coordinate)),
                    (None, _) | (_, true) => *set = None,
                }
            }
        }
        sets.into_iter().flatten().filter(|list| !list.is_empty()).collect()
    }

    /// q and v at the start: displaced, strained and moving as its parts say.
    pub fn initial_state(&self) -> Result<(Vec<f64>, Vec<f64>), InputError> {
        let [displacement, velocity] = self.initial_fields()?;
        Ok((self.coordinates.gather(&displacement), self.coordinates.gather(&velocity)))
    }

    /// Displacement and velocity of each node at the start, supports left aside.
    pub fn initial_fields(&self) -> Result<[Vec<Vec3>; 2], InputError> {
        let centres: Vec<Vec3> = (0..self.parts().len()).map(|k| self.centre_of_part(k)).collect();
        let arm = |part: usize, X: &Vec3| sub(X, &centres[part]);
        let displacement = self.field_of_parts("displacement", |own, part, X| {
            axpy(&own.displacement, 1.0, &mul(&own.gradient, &arm(part, X)))
        })?;
        let velocity = self.field_of_parts("velocity", |own, part, X| {
            axpy(&own.velocity, 1.0, &cross(&own.angular_velocity, &arm(part, X)))
        })?;
        Ok([displacement, velocity])
    }

    /// a m of each node, of damping by the mass [N·s/m].
    pub fn node_drags(&self) -> Vec<f64> {
        matrices::node_drags(&self.matter, &self.parts.parts, &Rules::new(), &self.node_mass)
    }

    /// The number of a node in the mesh's file.
    pub fn node_tag(&self, node: usize) -> u64 {
        self.parts.mesh.node_tags[self.matter.mesh_node[node]]
    }

    /// A field that each part gives its nodes; refuses parts that share nodes and differ there.
    fn field_of_parts(&self, key: &str, value: impl Fn(&Part, usize, &Vec3) -> Vec3) -> Result<Vec<Vec3>, InputError> {
        let mut field: Vec<Option<(Vec3, usize)>> = vec![None; self.matter.n_nodes()];
        for (cell, &part) in self.matter.cells.iter().zip(&self.matter.part) {
            for i in cell.nodes() {
                let x = value(&self.parts()[part], part, &self.matter.X[i]);
                match field[i] {
                    Some((_, other)) if other == part => (),
                    Some((before, other)) if norm(&sub(&before, &x)) > 1e-12 * norm(&x) => {
                        return Err(shared_nodes(part, self.parts(), other, key));
                    }
                    _ => field[i] = Some((x, part)),
                }
            }
        }
        Ok(field.into_iter().map(|x| x.map_or([0.0; 3], |(x, _)| x)).collect())
    }

    /// Centre of mass of a part, undeformed [m].
    pub fn centre_of_part(&self, part: usize) -> Vec3 {
        let (mut centre, mut volume) = ([0.0; 3], 0.0);
        let rules = Rules::new();
        for e in (0..self.matter.cells.len()).filter(|&e| self.matter.part[e] == part) {
            for at in self.matter.samples(e, rules.mass(self.matter.cells[e].kind)) {
                centre = axpy(&centre, at.dV, &at.x);
                volume += at.dV;
            }
        }
        scale(1.0 / volume, &centre)
    }

    /// Nodes and elements.
    pub fn matter(&self) -> &Matter {
        &self.matter
    }

    /// How coordinates become displacements.
    pub fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }

    /// The free coordinates in an order of elimination that keeps factors sparse: nested dissection of the nodes by their places.
    pub fn elimination_order(&self) -> Vec<usize> {
        let nodes = dissected_by_place(self.graph.adjacency(), &self.matter.X);
        let free = |axis: &Axis| match axis {
            Axis::Free(i) => Some(*i),
            Axis::Supported(_) => None,
        };
        nodes.into_iter().flat_map(|node| self.coordinates.axes(node).iter().filter_map(free)).collect()
    }

    /// Which nodes share elements.
    pub fn graph(&self) -> &NodeGraph {
        &self.graph
    }

    /// Masses of the nodes.
    pub fn node_mass(&self) -> &NodeMass {
        &self.node_mass
    }

    /// M.
    pub fn mass(&self) -> &SparseMatrix {
        &self.mass
    }

    /// C, if any.
    pub fn damping(&self) -> Option<&SparseMatrix> {
        self.damping.as_ref()
    }

    /// K.
    pub fn stiffness(&self) -> &SparseMatrix {
        &self.stiffness
    }

    /// What loads do in the directions that supports hold, by their numbers [N].
    pub fn held_force(&self) -> &[Signal] {
        &self.held_force
    }

    /// What gravity does to the free coordinates [N].
    pub fn weight(&self) -> &[f64] {
        &self.weight
    }

    /// How far its displacements may go.
    pub fn kinematics(&self) -> &Kinematics {
        &self.parts.kinematics
    }

    /// The surface of each contact, and the one it may touch.
    pub(super) fn contact_surfaces(&self) -> &[Pair] {
        &self.surfaces
    }

    /// What a contact is called.
    pub fn contact_name(&self, candidate: &Candidate) -> String {
        let tag = self.node_tag(candidate.node);
        format!("node {tag} of {}", self.laws()[candidate.contact].surface)
    }

    /// F(t); of finite displacements without constant weight, which has a potential of its own there.
    pub fn force(&self) -> &[Signal] {
        &self.force
    }

    /// The whole outer surface.
    pub fn outer_surface(&self) -> &Surface {
        &self.outer
    }

    /// All it was made of.
    pub fn description(&self) -> &SolidParts {
        &self.parts
    }

    /// Its parts as given.
    pub fn parts(&self) -> &[Part] {
        &self.parts.parts
    }

    /// Its surface contacts as given.
    pub fn laws(&self) -> &[SurfaceContact] {
        &self.parts.contacts
    }

    /// The nodes of a group of the mesh, ascending.
    pub fn nodes_of(&self, group: &str, field: &str) -> Result<Vec<usize>, InputError> {
        self.matter.nodes_of(&self.parts.mesh, group, field)
    }

    /// The mesh it was made of.
    pub fn mesh(&self) -> &Mesh {
        &self.parts.mesh
    }

    /// Candidates in the order of the contacts of the model.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Contacts of the linear model.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Number of candidates left out because supports hold them.
    pub fn held_candidates(&self) -> usize {
        self.held
    }
}

/// Supports, and the axis of a body of revolution, as constraints of nodes.
fn constraints(parts: &SolidParts, matter: &Matter) -> Result<Vec<Constraint>, InputError> {
    let mut list = Vec::new();
    for (k, support) in parts.supports.iter().enumerate() {
        let field = format!("model.support[{k}]");
        let nodes = matter.nodes_of(&parts.mesh, &support.group, &format!("{field}.group"))?;
        for (direction, motion) in &support.directions {
            crate::linear::finite(motion.is_finite() && direction.iter().all(|x| x.is_finite()), &field)?;
            let length = norm(direction);
            if length == 0.0 || (matter.dimension() == 2 && direction[2] != 0.0) {
                let message = format!("direction {direction:?} is none of the solid's");
                let help = "give a direction that is not zero, within the plane for plane solids";
                return Err(InputError::new(Code::ZERO_NORMAL, field, message, help));
            }
            let direction = if length == 1.0 { *direction } else { scale(1.0 / length, direction) };
            for &node in &nodes {
                list.push(Constraint { node, direction, motion: motion.clone(), field: field.clone() });
            }
        }
    }
    if matter.section.has_rings() {
        for node in (0..matter.n_nodes()).filter(|&i| matter.is_on_axis(i)) {
            let field = "model.plane".to_string();
            list.push(Constraint { node, direction: [1.0, 0.0, 0.0], motion: Signal::default(), field });
        }
    }
    Ok(list)
}

/// Finds groups of faces on the matter.
struct Surfaces<'a> {
    parts: &'a SolidParts,
    matter: &'a Matter,
    table: &'a FaceTable,
}

pub(super) type Pair = (Surface, Option<Surface>);

impl Surfaces<'_> {
    fn named(&self, group: &str, field: &str) -> Result<Surface, InputError> {
        let mesh = &self.parts.mesh;
        let cells = mesh.cells_of(group, self.matter.dimension() - 1, field)?;
        let own = |&c: &usize| -> (Cell, Vec<usize>) {
            let cell = mesh.cells[c];
            (cell, cell.nodes().map(|i| self.matter.node(i).unwrap_or(usize::MAX)).collect())
        };
        self.table.surface(&cells.iter().map(own).collect::<Vec<_>>(), field)
    }

    /// The surfaces of every contact, and the nodes that give their mass away.
    fn of_contacts(&self) -> Result<(Vec<Pair>, Vec<bool>), InputError> {
        let mut bare = vec![false; self.matter.n_nodes()];
        let mut found = Vec::with_capacity(self.parts.contacts.len());
        for (k, law) in self.parts.contacts.iter().enumerate() {
            let field = format!("model.contact[{k}]");
            let own = self.named(&law.surface, &format!("{field}.surface"))?;
            let other = match &law.against {
                Against::Obstacle { .. } => None,
                Against::Surface { surface, .. } => Some(self.named(surface, &format!("{field}.against.surface"))?),
            };
            if law.massless {
                if self.parts.mass == SolidMass::Consistent {
                    let message = "mass is taken from lumped masses, not from consistent ones";
                    let help = "use lumped mass for the solid";
                    return Err(InputError::new(Code::CONTRADICTION, format!("{field}.mass"), message, help));
                }
                let nodes = own.nodes.iter().chain(other.iter().flat_map(|other| &other.nodes));
                nodes.for_each(|&i| bare[i] = true);
            }
            found.push((own, other));
        }
        Ok((found, bare))
    }

    /// Nodes and faces a load acts on.
    fn of_load(&self, k: usize, load: &super::parts::Load) -> Result<(Vec<usize>, Surface), InputError> {
        let field = format!("model.load[{k}]");
        let group = format!("{field}.group");
        let none = Surface { faces: Vec::new(), nodes: Vec::new() };
        let components = match &load.kind {
            LoadKind::Pressure(p) => {
                crate::linear::finite(p.is_finite(), &field)?;
                return Ok((Vec::new(), self.named(&load.group, &group)?));
            }
            LoadKind::Traction(list) | LoadKind::Nodal(list) => list,
        };
        crate::linear::finite(components.iter().all(Signal::is_finite), &field)?;
        if components.len() != self.matter.dimension() {
            let (found, d) = (components.len(), self.matter.dimension());
            let message = format!("has {found} components where the solid has {d}");
            return Err(InputError::new(Code::BAD_SHAPE, field, message, format!("give {d} numbers or signals")));
        }
        match load.kind {
            LoadKind::Nodal(_) => Ok((self.matter.nodes_of(&self.parts.mesh, &load.group, &group)?, none)),
            LoadKind::Pressure(_) | LoadKind::Traction(_) => Ok((Vec::new(), self.named(&load.group, &group)?)),
        }
    }
}

/// The candidates of one contact.
fn paired(
    k: usize,
    law: &SurfaceContact,
    own: &Surface,
    other: Option<&Surface>,
    matter: &Matter,
) -> Result<Vec<Candidate>, InputError> {
    let (X, section) = (&matter.X[..], matter.section);
    match (&law.against, other) {
        (Against::Obstacle { shape, .. }, _) => contact::node_to_obstacle(k, own, shape, X, section),
        (Against::Surface { method, reach, .. }, Some(other)) => Ok(match method {
            Method::Node => contact::node_to_face(k, own, other, *reach, X, section),
            Method::Mortar(multipliers) => contact::mortar(k, [own, other], *multipliers, *reach, X, section),
        }),
        (Against::Surface { .. }, None) => Ok(Vec::new()),
    }
}
