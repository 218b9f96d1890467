//! Meshes: nodes, cells of any dimension, and the named groups they belong to.
//!
//! A mesh is what a file says, not yet a solid: which groups are matter, supports or surfaces is decided by `Solid`.

mod gmsh;

use super::element::{ElementKind, MOST_NODES};
use crate::InputError;
use crate::code::Code;

/// An element of a file: matter, or a piece of surface, line or point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its kind.
    pub kind: ElementKind,
    /// Its number in the file.
    pub tag: u64,
    nodes: [u32; MOST_NODES],
}

/// A physical group: cells of one dimension under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name, or its number where the file gives none.
    pub name: String,
    /// Dimension of its cells.
    pub dimension: usize,
    /// Its cells, ascending.
    pub cells: Vec<usize>,
}

/// Nodes, cells and groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Places of the nodes, in the order of the file [m].
    pub nodes: Vec<[f64; 3]>,
    /// Numbers of the nodes in the file.
    pub node_tags: Vec<u64>,
    /// The cells, in the order of the file.
    pub cells: Vec<Cell>,
    /// The groups, by dimension and number.
    pub groups: Vec<Group>,
}

impl Cell {
    /// A cell; the first nodes are used, as many as its kind has.
    pub fn new(kind: ElementKind, tag: u64, nodes: &[usize]) -> Self {
        let mut list = [0; MOST_NODES];
        for (slot, &node) in list.iter_mut().zip(&nodes[..kind.n_nodes()]) {
            *slot = u32::try_from(node).expect("meshes have fewer than 2³² nodes");
        }
        Self { kind, tag, nodes: list }
    }

    /// Its nodes, in Gmsh's order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.nodes[..self.kind.n_nodes()].iter().map(|&i| i as usize)
    }

    /// The same cell turned inside out.
    pub fn mirrored(&self) -> Self {
        let mut nodes = [0; MOST_NODES];
        for (slot, &from) in nodes.iter_mut().zip(self.kind.entry().mirror) {
            *slot = self.nodes[from];
        }
        Self { nodes, ..*self }
    }
}

impl Mesh {
    /// Reads a Gmsh file of format 4.1 or 2.2, text or binary.
    pub fn from_gmsh(bytes: &[u8]) -> Result<Self, InputError> {
        gmsh::read(bytes)
    }

    /// Multiplies all lengths, as for meshes in millimetres.
    pub fn scale(&mut self, factor: f64) -> Result<(), InputError> {
        if !(factor > 0.0 && factor.is_finite()) {
            let message = format!("scale = {factor} is not a positive number");
            return Err(InputError::new(Code::BAD_SIZE, "model.scale", message, "1e-3 reads millimetres as metres"));
        }
        self.nodes.iter_mut().flatten().for_each(|x| *x *= factor);
        Ok(())
    }

    /// The groups of a name, of any dimension.
    pub fn groups_named<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Group> {
        self.groups.iter().filter(move |group| group.name == name)
    }

    /// The cells of dimension d in a group; refuses names the file does not have.
    pub fn cells_of(&self, name: &str, dimension: usize, field: &str) -> Result<&[usize], InputError> {
        if let Some(group) = self.groups_named(name).find(|group| group.dimension == dimension) {
            return Ok(&group.cells);
        }
        let others: Vec<_> = self.groups_named(name).map(|group| group.dimension.to_string()).collect();
        let message = if others.is_empty() {
            format!("the mesh has no group \"{name}\"")
        } else {
            format!("group \"{name}\" has dimension {}, not {dimension}", others.join(" and "))
        };
        // volumes are asked for where nothing was said of a plane
        let plane = dimension == 3 && self.groups_named(name).any(|group| group.dimension == 2);
        let help = match plane {
            true => "add plane = \"strain\", \"stress\" or \"axisymmetric\" for a mesh of the plane".into(),
            false => self.list_groups(),
        };
        Err(InputError::new(Code::UNKNOWN_GROUP, field, message, help))
    }

    /// The nodes of a group of any dimension, ascending; refuses names the file does not have.
    pub fn nodes_of(&self, name: &str, field: &str) -> Result<Vec<usize>, InputError> {
        let mut nodes: Vec<usize> =
            self.groups_named(name).flat_map(|g| &g.cells).flat_map(|&c| self.cells[c].nodes()).collect();
        if nodes.is_empty() {
            let message = format!("the mesh has no group \"{name}\"");
            return Err(InputError::new(Code::UNKNOWN_GROUP, field, message, self.list_groups()));
        }
        nodes.sort_unstable();
        nodes.dedup();
        Ok(nodes)
    }

    fn list_groups(&self) -> String {
        if self.groups.is_empty() {
            return "it has no physical groups at all: add some in Gmsh and save the mesh again".into();
        }
        let list: Vec<_> = self.groups.iter().map(|g| format!("\"{}\" (dimension {})", g.name, g.dimension)).collect();
        format!("it has {}", list.join(", "))
    }
}
