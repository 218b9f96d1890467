//! The matter of a solid: its nodes and elements, turned the right way round, each with its part.

use super::element::{MOST_NODES, Point, Sample};
use super::mesh::{Cell, Mesh};
use super::parts::{Part, Rayleigh, SolidParts};
use super::section::Section;
use crate::InputError;
use crate::bodies::math::{Vec3, axpy, sub};
use crate::code::Code;

/// Elements thinner than this part of their length have no volume.
const THINNEST: f64 = 1e-10;

/// Nodes and elements that carry matter.
#[derive(Clone, Debug)]
pub struct Matter {
    /// What plane elements stand for.
    pub section: Section,
    /// Places of the nodes, undeformed [m].
    pub X: Vec<Vec3>,
    /// The elements, on these nodes.
    pub cells: Vec<Cell>,
    /// The part of each element.
    pub part: Vec<usize>,
    /// Node of the mesh each node is.
    pub mesh_node: Vec<usize>,
    /// Number of elements that were inside out and have been reordered.
    pub reordered: usize,
    /// Number of nodes of the mesh that belong to no part.
    pub left_out: usize,
    /// The largest x, which about an axis is the radius [m].
    radius: f64,
    /// Node each node of the mesh became.
    place: Vec<Option<usize>>,
}

impl Matter {
    pub(super) fn new(parts: &SolidParts) -> Result<Self, InputError> {
        let (mesh, section) = (&parts.mesh, parts.section);
        let owner = owners(mesh, section, &parts.parts)?;

        // nodes in the order of the file, those of no part left out
        let mut used = vec![false; mesh.nodes.len()];
        for (cell, _) in mesh.cells.iter().zip(&owner).filter(|(_, owner)| owner.is_some()) {
            cell.nodes().for_each(|i| used[i] = true);
        }
        let mesh_node: Vec<usize> = (0..used.len()).filter(|&i| used[i]).collect();
        let mut place = vec![None; used.len()];
        mesh_node.iter().enumerate().for_each(|(new, &old)| place[old] = Some(new));

        let mut X: Vec<Vec3> = mesh_node.iter().map(|&i| mesh.nodes[i]).collect();
        let mut matter = Self {
            section,
            X: Vec::new(),
            cells: Vec::new(),
            part: Vec::new(),
            left_out: used.len() - mesh_node.len(),
            mesh_node,
            reordered: 0,
            radius: 0.0,
            place,
        };
        let mut moved_by = vec![usize::MAX; X.len()];
        for (cell, owner) in mesh.cells.iter().zip(&owner) {
            let Some(part) = *owner else { continue };
            let nodes: Vec<usize> = cell.nodes().filter_map(|i| matter.place[i]).collect();
            for &i in &nodes {
                let offset = parts.parts[part].offset;
                if moved_by[i] == usize::MAX {
                    moved_by[i] = part;
                    X[i] = axpy(&X[i], 1.0, &offset);
                } else if offset != parts.parts[moved_by[i]].offset {
                    return Err(shared_nodes(part, &parts.parts, moved_by[i], "offset"));
                }
            }
            matter.cells.push(Cell::new(cell.kind, cell.tag, &nodes));
            matter.part.push(part);
        }
        matter.radius = X.iter().map(|x| x[0]).fold(0.0, f64::max);
        matter.X = X;
        matter.check_places(mesh)?;
        for e in 0..matter.cells.len() {
            matter.orient(e)?;
        }
        Ok(matter)
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.X.len()
    }

    /// Dimension of space.
    pub fn dimension(&self) -> usize {
        self.section.dimension()
    }

    /// Whether a node of a body of revolution lies on its axis.
    pub fn is_on_axis(&self, node: usize) -> bool {
        self.section.has_rings() && self.X[node][0] <= 1e-12 * self.radius
    }

    /// The node a node of the mesh became, if it belongs to a part.
    pub fn node(&self, mesh_node: usize) -> Option<usize> {
        self.place[mesh_node]
    }

    /// Places of the nodes of an element.
    pub fn places(&self, e: usize) -> [Vec3; MOST_NODES] {
        let mut own = [[0.0; 3]; MOST_NODES];
        own.iter_mut().zip(self.cells[e].nodes()).for_each(|(own, i)| *own = self.X[i]);
        own
    }

    /// An element at the points of a rule.
    pub fn samples<'a>(&self, e: usize, rule: &'a [Point]) -> impl Iterator<Item = Sample> + 'a {
        let (own, section, entry) = (self.places(e), self.section, self.cells[e].kind.entry());
        rule.iter().filter_map(move |point| Sample::new(entry, &own[..entry.nodes.len()], point, section))
    }

    /// The nodes of a group, ascending; those of no part are passed over, but not all.
    pub(super) fn nodes_of(&self, mesh: &Mesh, group: &str, field: &str) -> Result<Vec<usize>, InputError> {
        let nodes: Vec<usize> = mesh.nodes_of(group, field)?.into_iter().filter_map(|i| self.place[i]).collect();
        if nodes.is_empty() {
            let message = format!("no node of group \"{group}\" belongs to a part");
            return Err(InputError::new(Code::BAD_SOLID, field, message, "name a group on a part"));
        }
        Ok(nodes)
    }

    /// Refuses nodes outside the plane, and across the axis.
    fn check_places(&self, mesh: &Mesh) -> Result<(), InputError> {
        if self.dimension() == 3 {
            return Ok(());
        }
        let size = self.X.iter().flat_map(|x| x[..2].iter()).fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
        let z = self.X[0][2];
        for (i, x) in self.X.iter().enumerate() {
            let tag = mesh.node_tags[self.mesh_node[i]];
            if (x[2] - z).abs() > 1e-9 * size {
                let message = format!("node {tag} is at z = {}, others at z = {z}", x[2]);
                let help = "plane solids are meshed in the plane x, y";
                return Err(InputError::new(Code::BAD_SOLID, "model.mesh", message, help));
            }
            if self.section.has_rings() && x[0] < 0.0 {
                let message = format!("node {tag} is at r = {}", x[0]);
                let help = "bodies of revolution are meshed at r = x ≥ 0";
                return Err(InputError::new(Code::BAD_SOLID, "model.mesh", message, help));
            }
        }
        Ok(())
    }

    /// Reorders an element that is inside out; refuses one without volume, or that overlaps itself.
    fn orient(&mut self, e: usize) -> Result<(), InputError> {
        let entry = self.cells[e].kind.entry();
        let places = self.places(e);
        let own = &places[..entry.nodes.len()];
        let edge = |x: &Vec3| (0..3).map(|k| sub(x, &own[0])[k].abs()).fold(0.0, f64::max);
        let size = own.iter().map(edge).fold(0.0, f64::max).powi(entry.domain.dimension() as i32);
        // volumes of the mesh itself, whatever an area of it counts for
        let volumes: Vec<f64> = [(entry.stiffness_rule)(), (entry.mass_rule)()]
            .iter()
            .flatten()
            .map(|p| Sample::new(entry, own, p, Section::Space).map_or(0.0, |at| at.dV / p.weight))
            .collect();
        let thin = |v: &f64| v.abs() <= THINNEST * size || !v.is_finite();
        let positive = volumes.iter().filter(|&&v| v > 0.0).count();
        let tag = self.cells[e].tag;
        if volumes.iter().any(thin) || (positive != 0 && positive != volumes.len()) {
            let fact = if volumes.iter().all(thin) { "has no volume" } else { "overlaps itself" };
            let message = format!("element {tag} ({}) {fact}", entry.name);
            return Err(InputError::new(Code::BAD_SOLID, "model.mesh", message, "mend the mesh there"));
        }
        if positive == 0 {
            self.cells[e] = self.cells[e].mirrored();
            self.reordered += 1;
        }
        Ok(())
    }
}

/// The part of each cell of the mesh.
fn owners(mesh: &Mesh, section: Section, parts: &[Part]) -> Result<Vec<Option<usize>>, InputError> {
    if parts.is_empty() {
        let help = "add [[model.part]] with a group and a material";
        return Err(InputError::new(Code::BAD_SOLID, "model.part", "the solid has no parts", help));
    }
    let mut owner = vec![None; mesh.cells.len()];
    for (k, part) in parts.iter().enumerate() {
        let field = format!("model.part[{k}]");
        check_part(part, section).map_err(|error| error.below(field.clone()))?;
        for &cell in mesh.cells_of(&part.group, section.dimension(), &format!("{field}.group"))? {
            if let Some(first) = owner[cell].replace(k) {
                let message = format!("element {} belongs to part {first} too", mesh.cells[cell].tag);
                return Err(InputError::new(Code::CONTRADICTION, field, message, "give each element one material"));
            }
        }
    }
    Ok(owner)
}

fn check_part(part: &Part, section: Section) -> Result<(), InputError> {
    part.material.check().map_err(|error| error.below("material".into()))?;
    let Rayleigh { mass, stiffness } = part.damping;
    for (field, x) in [("damping.mass", mass), ("damping.stiffness", stiffness)] {
        if !(x >= 0.0 && x.is_finite()) {
            let message = format!("{field} = {x} is not a number of at least 0");
            return Err(InputError::new(Code::BAD_ELASTICITY, field, message, "damping takes energy away"));
        }
    }
    crate::linear::finite(part.gradient.iter().flatten().all(|x| x.is_finite()), "gradient")?;
    for (field, x) in [
        ("offset", part.offset),
        ("displacement", part.displacement),
        ("velocity", part.velocity),
        ("angular_velocity", part.angular_velocity),
    ] {
        crate::linear::finite(x.iter().all(|x| x.is_finite()), field)?;
        let flat = match field {
            "angular_velocity" => x[0] == 0.0 && x[1] == 0.0,
            _ => x[2] == 0.0,
        };
        if section.dimension() == 2 && !flat {
            let message = format!("{field} = {x:?} leaves the plane");
            return Err(InputError::new(Code::BAD_SHAPE, field, message, "plane solids move in x, y and turn about z"));
        }
    }
    Ok(())
}

/// Parts that share nodes cannot differ in where or how fast these are.
pub(super) fn shared_nodes(part: usize, parts: &[Part], other: usize, key: &str) -> InputError {
    let message = format!("\"{}\" and \"{}\" share nodes but differ in {key}", parts[part].group, parts[other].group);
    let help = "give both the same, or separate their meshes";
    InputError::new(Code::CONTRADICTION, format!("model.part[{part}].{key}"), message, help)
}
