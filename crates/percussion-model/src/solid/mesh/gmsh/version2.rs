//! Format 2.2: one node or element after the other; an element carries its physical group as its first tag, and is listed once
//! for each group it belongs to.

use super::collect::{Collected, kind};
use super::source::{Encoding, Source};
use crate::InputError;
use crate::solid::element::{ElementKind, MOST_NODES};

/// $Nodes.
pub(super) fn nodes(source: &mut Source, mesh: &mut Collected) -> Result<(), InputError> {
    mesh.begin_nodes(source)?;
    let n = first_count(source, "nodes", 8, 28)?;
    for _ in 0..n {
        mesh.node_tags.push(tag(source, "the number of a node")?);
        let mut x = [0.0; 3];
        for x in &mut x {
            *x = source.real("the place of a node")?;
        }
        mesh.nodes.push(x);
    }
    Ok(())
}

/// $Elements.
pub(super) fn elements(source: &mut Source, mesh: &mut Collected) -> Result<(), InputError> {
    mesh.begin_elements(source)?;
    let total = first_count(source, "elements", 6, 8)?;
    if source.encoding == Encoding::Text {
        for _ in 0..total {
            let number = tag(source, "the number of an element")?;
            let kind = kind(source.int("the kind of an element")?, source)?;
            let n_tags = source.count("tags of an element", 2, 4)?;
            element(source, mesh, kind, n_tags, number)?;
        }
        return Ok(());
    }

    // binary: headers, each for a number of elements of one kind
    let mut left = total;
    while left > 0 {
        let kind = kind(source.int("the kind of an element")?, source)?;
        let n = source.count("elements of a kind", 6, 4)?;
        let n_tags = source.count("tags of an element", 2, 4)?;
        if n == 0 || n > left {
            let message = format!("a header announces {n} elements where {left} are left");
            return Err(source.error(message, "save the mesh again"));
        }
        for _ in 0..n {
            let number = tag(source, "the number of an element")?;
            element(source, mesh, kind, n_tags, number)?;
        }
        left -= n;
    }
    Ok(())
}

/// Tags and nodes of one element.
fn element(
    source: &mut Source,
    mesh: &mut Collected,
    kind: ElementKind,
    n_tags: usize,
    number: u64,
) -> Result<(), InputError> {
    let mut group = 0;
    for k in 0..n_tags {
        let tag = source.int("a tag of an element")?;
        if k == 0 {
            group = tag.abs();
        }
    }
    let mut nodes = [0; MOST_NODES];
    for node in &mut nodes[..kind.n_nodes()] {
        *node = tag(source, "a node of an element")?;
    }
    mesh.add_cell(kind, number, group, nodes);
    Ok(())
}

/// The count at the head of a section, a line of text in binary files too.
fn first_count(source: &mut Source, what: &str, text: usize, binary: usize) -> Result<usize, InputError> {
    if source.encoding == Encoding::Text {
        return source.count(what, text, binary);
    }
    let line = source.line();
    let Ok(count) = line.trim().parse() else {
        return Err(source.error(format!("the number of {what} is missing"), "save the mesh again"));
    };
    source.check_count(count, binary, what)?;
    Ok(count)
}

fn tag(source: &mut Source, what: &str) -> Result<u64, InputError> {
    let tag = source.int(what)?;
    u64::try_from(tag).map_err(|_| source.error(format!("{what} is {tag}"), "numbers begin at 1: save the mesh again"))
}
