//! Blocks of hexahedra, or of quadrilaterals in the plane, for tests of solids.

#![allow(dead_code, reason = "each test uses a part of it")]

use percussion_model::solid::element::ElementKind;
use percussion_model::solid::{Cell, Group, Mesh};

type Vec3 = [f64; 3];

/// Adds a block of n cells per axis; groups `name` and, of its outer faces, `name skin`. Two axes make plane elements.
pub fn add_block(mesh: &mut Mesh, name: &str, low: Vec3, size: Vec3, n: [usize; 3]) {
    let (first, flat) = (mesh.nodes.len(), n[2] == 0);
    let node = |i: [usize; 3]| first + i[0] + (n[0] + 1) * (i[1] + (n[1] + 1) * i[2]);
    for k in 0..=n[2] {
        for j in 0..=n[1] {
            for i in 0..=n[0] {
                let at = |a: usize, i: usize| low[a] + size[a] * i as f64 / n[a].max(1) as f64;
                mesh.nodes.push([at(0, i), at(1, j), if flat { 0.0 } else { at(2, k) }]);
                mesh.node_tags.push(mesh.nodes.len() as u64);
            }
        }
    }
    let around = [[0, 0], [1, 0], [1, 1], [0, 1]];
    let (mut cells, mut faces) = (Vec::new(), Vec::new());
    for (i, j, k) in (0..n[0]).flat_map(|i| (0..n[1]).flat_map(move |j| (0..n[2].max(1)).map(move |k| (i, j, k)))) {
        let ring = |above: usize| around.map(|[a, b]| node([i + a, j + b, k + above]));
        let cell: Vec<usize> = if flat { ring(0).to_vec() } else { ring(0).into_iter().chain(ring(1)).collect() };
        let sides: &[&[usize]] = if flat {
            &[&[0, 1], &[1, 2], &[2, 3], &[3, 0]]
        } else {
            &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]]
        };
        faces.extend(sides.iter().map(|side| side.iter().map(|&a| cell[a]).collect::<Vec<usize>>()));
        cells.push(cell);
    }
    let key = |face: &[usize]| {
        let mut key = face.to_vec();
        key.sort_unstable();
        key
    };
    let all: Vec<Vec<usize>> = faces.iter().map(|face| key(face)).collect();
    faces.retain(|face| all.iter().filter(|other| **other == key(face)).count() == 1);
    let kinds = if flat { [ElementKind::Quad4, ElementKind::Line2] } else { [ElementKind::Hex8, ElementKind::Quad4] };
    let names = [name.to_string(), format!("{name} skin")];
    for ((name, kind), (list, below)) in names.into_iter().zip(kinds).zip([(cells, 0), (faces, 1)]) {
        let start = mesh.cells.len();
        list.iter().for_each(|nodes| mesh.cells.push(Cell::new(kind, mesh.cells.len() as u64 + 1, nodes)));
        let dimension = if flat { 2 } else { 3 } - below;
        mesh.groups.push(Group { name, dimension, cells: (start..start + list.len()).collect() });
    }
}

/// Nothing yet.
pub fn no_mesh() -> Mesh {
    Mesh { nodes: vec![], node_tags: vec![], cells: vec![], groups: vec![] }
}

/// Adds a group of the nodes that a test chooses, each a point.
pub fn add_points(mesh: &mut Mesh, name: &str, chosen: impl Fn(&Vec3) -> bool) {
    let start = mesh.cells.len();
    for i in (0..mesh.nodes.len()).filter(|&i| chosen(&mesh.nodes[i])) {
        mesh.cells.push(Cell::new(ElementKind::Point1, mesh.cells.len() as u64 + 1, &[i]));
    }
    mesh.groups.push(Group { name: name.into(), dimension: 0, cells: (start..mesh.cells.len()).collect() });
}
