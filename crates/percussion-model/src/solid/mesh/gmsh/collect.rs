//! What a file has said so far, and the mesh it makes: numbers of nodes become places in the list, elements listed once for
//! each of their groups become one.

use super::source::Source;
use crate::InputError;
use crate::code::Code;
use crate::solid::element::{ElementKind, MOST_NODES};
use crate::solid::mesh::{Cell, Group, Mesh};
use std::collections::{BTreeMap, HashMap};

/// More nodes or elements than this are refused.
const MOST: usize = 1 << 28;

/// An element as the file has it.
pub(super) struct FileCell {
    kind: ElementKind,
    tag: u64,
    /// Its entity (4.1) or physical group (2.2).
    owner: i64,
    nodes: [u64; MOST_NODES],
}

#[derive(Default)]
pub(super) struct Collected {
    /// Names by dimension and number.
    pub names: BTreeMap<(usize, i64), String>,
    /// Physical groups of entities by dimension and number.
    pub entities: HashMap<(usize, i64), Vec<i64>>,
    pub node_tags: Vec<u64>,
    pub nodes: Vec<[f64; 3]>,
    pub cells: Vec<FileCell>,
    has_nodes: bool,
    has_elements: bool,
}

/// The element of Gmsh's number.
pub(super) fn kind(number: i64, source: &Source) -> Result<ElementKind, InputError> {
    if let Some(kind) = ElementKind::ALL.into_iter().find(|kind| i64::from(kind.entry().gmsh) == number) {
        return Ok(kind);
    }
    let name = match number {
        6 => " (prism of 6 nodes)",
        7 => " (pyramid of 5 nodes)",
        10 => " (quadrilateral of 9 nodes)",
        12 => " (hexahedron of 27 nodes)",
        16 => " (quadrilateral of 8 nodes)",
        17 => " (hexahedron of 20 nodes)",
        20..=31 => " (of third order or more)",
        _ => "",
    };
    let known: Vec<_> = ElementKind::ALL.iter().map(|kind| kind.entry().name).collect();
    let message = format!("has elements of Gmsh's type {number}{name}");
    Err(source.error(message, format!("elements are {}", known.join(", "))))
}

impl Collected {
    /// Refuses a second list of nodes.
    pub fn begin_nodes(&mut self, source: &Source) -> Result<(), InputError> {
        if std::mem::replace(&mut self.has_nodes, true) {
            return Err(source.error("$Nodes comes twice", "keep one mesh in a file"));
        }
        Ok(())
    }

    /// Refuses a second list of elements.
    pub fn begin_elements(&mut self, source: &Source) -> Result<(), InputError> {
        if std::mem::replace(&mut self.has_elements, true) {
            return Err(source.error("$Elements comes twice", "keep one mesh in a file"));
        }
        Ok(())
    }

    pub fn add_cell(&mut self, kind: ElementKind, tag: u64, owner: i64, nodes: [u64; MOST_NODES]) {
        self.cells.push(FileCell { kind, tag, owner, nodes });
    }

    /// The mesh; `by_entity` where groups belong to entities.
    pub fn finish(self, by_entity: bool, source: &Source) -> Result<Mesh, InputError> {
        if !self.has_nodes || !self.has_elements {
            let missing = if self.has_nodes { "$Elements" } else { "$Nodes" };
            return Err(source.error(format!("has no section {missing}"), "give a mesh, not a geometry"));
        }
        if self.nodes.len() > MOST || self.cells.len() > MOST {
            let message = format!("has {} nodes and {} elements", self.nodes.len(), self.cells.len());
            return Err(InputError::new(Code::TOO_LARGE, "model.mesh", message, format!("at most {MOST} are read")));
        }
        let mut place = HashMap::with_capacity(self.node_tags.len());
        for (i, &tag) in self.node_tags.iter().enumerate() {
            if place.insert(tag, i).is_some() {
                return Err(source.error(format!("lists node {tag} twice"), "save the mesh again"));
            }
        }

        let mut cells: Vec<Cell> = Vec::with_capacity(self.cells.len());
        let mut seen: HashMap<(ElementKind, [usize; MOST_NODES]), usize> = HashMap::with_capacity(self.cells.len());
        let mut members: BTreeMap<(usize, i64), Vec<usize>> = BTreeMap::new();
        for cell in &self.cells {
            let (nodes, sorted) = resolved(cell, &place, source)?;
            let index = *seen.entry((cell.kind, sorted)).or_insert(cells.len());
            if index == cells.len() {
                cells.push(Cell::new(cell.kind, cell.tag, &nodes));
            }
            let dimension = cell.kind.dimension();
            let own = [cell.owner];
            let groups: &[i64] =
                if by_entity { self.entities.get(&(dimension, cell.owner)).map_or(&[], Vec::as_slice) } else { &own };
            for &group in groups.iter().filter(|&&group| group != 0) {
                members.entry((dimension, group)).or_default().push(index);
            }
        }
        let named = |((dimension, tag), mut cells): ((usize, i64), Vec<usize>)| {
            cells.sort_unstable();
            cells.dedup();
            let name = self.names.get(&(dimension, tag)).cloned().unwrap_or_else(|| tag.to_string());
            Group { name, dimension, cells }
        };
        let groups: Vec<Group> = members.into_iter().map(named).collect();
        for (k, group) in groups.iter().enumerate() {
            if groups[..k].iter().any(|g| g.name == group.name && g.dimension == group.dimension) {
                let message = format!("two groups of dimension {} are called \"{}\"", group.dimension, group.name);
                return Err(source.error(message, "give each group a name of its own"));
            }
        }
        Ok(Mesh { nodes: self.nodes, node_tags: self.node_tags, cells, groups })
    }
}

/// The nodes of an element as places in the list, and the same sorted.
fn resolved(
    cell: &FileCell,
    place: &HashMap<u64, usize>,
    source: &Source,
) -> Result<([usize; MOST_NODES], [usize; MOST_NODES]), InputError> {
    let n = cell.kind.n_nodes();
    let mut nodes = [usize::MAX; MOST_NODES];
    for (slot, tag) in nodes.iter_mut().zip(&cell.nodes[..n]) {
        let Some(&i) = place.get(tag) else {
            let message = format!("element {} has node {tag}, which is not listed", cell.tag);
            return Err(source.error(message, "save the mesh again"));
        };
        *slot = i;
    }
    let mut sorted = nodes;
    sorted.sort_unstable();
    if let Some(pair) = sorted[..n].windows(2).find(|pair| pair[0] == pair[1]) {
        let tag = cell.nodes[nodes.iter().position(|&i| i == pair[0]).unwrap_or(0)];
        let message = format!("element {} has node {tag} twice", cell.tag);
        return Err(source.error(message, "it has no volume: mend the mesh in Gmsh"));
    }
    Ok((nodes, sorted))
}
