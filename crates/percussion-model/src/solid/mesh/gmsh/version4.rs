//! Format 4.1: nodes and elements in blocks, one per entity; physical groups belong to entities.

use super::collect::{Collected, kind};
use super::source::Source;
use crate::InputError;

/// $Entities: which physical groups each point, curve, surface and volume belongs to.
pub(super) fn entities(source: &mut Source, mesh: &mut Collected) -> Result<(), InputError> {
    let mut counts = [0; 4];
    for (count, what) in counts.iter_mut().zip(["points", "curves", "surfaces", "volumes"]) {
        *count = source.count(what, 8, 30)?;
    }
    for (dimension, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            let tag = source.int("the number of an entity")?;
            // a point has a place, the others a box
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                source.real("the place of an entity")?;
            }
            let n = source.count("physical groups", 2, 4)?;
            let mut groups = Vec::with_capacity(n);
            for _ in 0..n {
                // the sign tells an orientation, which solids do not need
                groups.push(source.int("a physical group")?.abs());
            }
            if dimension > 0 {
                for _ in 0..source.count("bounding entities", 2, 4)? {
                    source.int("a bounding entity")?;
                }
            }
            if mesh.entities.insert((dimension, tag), groups).is_some() {
                let message = format!("lists entity {tag} of dimension {dimension} twice");
                return Err(source.error(message, "save the mesh again"));
            }
        }
    }
    Ok(())
}

/// $Nodes.
pub(super) fn nodes(source: &mut Source, mesh: &mut Collected) -> Result<(), InputError> {
    mesh.begin_nodes(source)?;
    let blocks = source.count("blocks of nodes", 8, 20)?;
    let total = source.count("nodes", 8, 28)?;
    source.size("the smallest node")?;
    source.size("the largest node")?;
    for _ in 0..blocks {
        let dimension = source.int("the dimension of a block")?;
        source.int("the entity of a block")?;
        let parametric = source.int("whether nodes are parametric")?;
        let n = source.count("nodes of a block", 8, 28)?;
        let more = match (dimension, parametric) {
            (0..=3, 0) => 0,
            (0..=3, 1) => dimension,
            _ => {
                let message = format!("a block of nodes has dimension {dimension} and parametric = {parametric}");
                return Err(source.error(message, "dimensions are 0 to 3, parametric is 0 or 1"));
            }
        };
        if mesh.node_tags.len() + n > total {
            return Err(
                source.error(format!("blocks hold more than the {total} nodes declared"), "save the mesh again")
            );
        }
        for _ in 0..n {
            let tag = source.size("the number of a node")?;
            mesh.node_tags.push(tag);
        }
        for _ in 0..n {
            let mut x = [0.0; 3];
            for x in &mut x {
                *x = source.real("the place of a node")?;
            }
            for _ in 0..more {
                source.real("a parameter of a node")?;
            }
            mesh.nodes.push(x);
        }
    }
    if mesh.nodes.len() < total {
        let message = format!("blocks hold {} of the {total} nodes declared", mesh.nodes.len());
        return Err(source.error(message, "save the mesh again"));
    }
    Ok(())
}

/// $Elements.
pub(super) fn elements(source: &mut Source, mesh: &mut Collected) -> Result<(), InputError> {
    mesh.begin_elements(source)?;
    let blocks = source.count("blocks of elements", 8, 20)?;
    let total = source.count("elements", 4, 8)?;
    source.size("the smallest element")?;
    source.size("the largest element")?;
    for _ in 0..blocks {
        let dimension = source.int("the dimension of a block")?;
        let entity = source.int("the entity of a block")?;
        let kind = kind(source.int("the kind of an element")?, source)?;
        if usize::try_from(dimension) != Ok(kind.dimension()) {
            let message = format!("a block of dimension {dimension} holds elements {}", kind.entry().name);
            return Err(source.error(message, "save the mesh again"));
        }
        let n = source.count("elements of a block", 4, 8)?;
        if mesh.cells.len() + n > total {
            let message = format!("blocks hold more than the {total} elements declared");
            return Err(source.error(message, "save the mesh again"));
        }
        for _ in 0..n {
            let tag = source.size("the number of an element")?;
            let mut nodes = [0; crate::solid::element::MOST_NODES];
            for node in &mut nodes[..kind.n_nodes()] {
                *node = source.size("a node of an element")?;
            }
            mesh.add_cell(kind, tag, entity, nodes);
        }
    }
    if mesh.cells.len() < total {
        let message = format!("blocks hold {} of the {total} elements declared", mesh.cells.len());
        return Err(source.error(message, "save the mesh again"));
    }
    Ok(())
}
