//! Rectangles of quadrilaterals with named sides, and what contacts of solids made of them are, for tests of solids.

#![allow(dead_code, reason = "each test uses a part of it")]

use percussion_model::solid::contact::{Against, Obstacle, SurfaceContact};
use percussion_model::solid::element::ElementKind;
use percussion_model::solid::{Cell, Group, Hooke, Kinematics, Mesh, Part, Section, SolidMass, SolidParts};

pub fn no_mesh() -> Mesh {
    Mesh { nodes: vec![], node_tags: vec![], cells: vec![], groups: vec![] }
}

/// Adds n_x × n_y quadrilaterals on a rectangle, inner nodes shaken by that part of an element; groups `name` and its sides.
pub fn add_block(
    mesh: &mut Mesh,
    name: &str,
    low: [f64; 2],
    size: [f64; 2],
    n: [usize; 2],
    shake: &mut impl FnMut() -> f64,
) {
    let first = mesh.nodes.len();
    let node = |i: usize, j: usize| first + i + (n[0] + 1) * j;
    for j in 0..=n[1] {
        for i in 0..=n[0] {
            let inner = |i: usize, n: usize| if i > 0 && i < n { 1.0 } else { 0.0 };
            let x = (i as f64 + inner(i, n[0]) * shake()) / n[0] as f64;
            let y = (j as f64 + inner(j, n[1]) * shake()) / n[1] as f64;
            mesh.nodes.push([low[0] + size[0] * x, low[1] + size[1] * y, 0.0]);
            mesh.node_tags.push(mesh.nodes.len() as u64);
        }
    }
    let mut group = |name: String, dimension: usize, kind: ElementKind, list: Vec<Vec<usize>>| {
        let start = mesh.cells.len();
        for nodes in &list {
            mesh.cells.push(Cell::new(kind, mesh.cells.len() as u64 + 1, nodes));
        }
        mesh.groups.push(Group { name, dimension, cells: (start..start + list.len()).collect() });
    };
    let quads = (0..n[1]).flat_map(|j| (0..n[0]).map(move |i| (i, j)));
    let quads = quads.map(|(i, j)| vec![node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]).collect();
    group(name.into(), 2, ElementKind::Quad4, quads);
    for (side, along, edge) in [("bottom", 0, 0), ("top", 0, n[1]), ("left", 1, 0), ("right", 1, n[0])] {
        let at = |k: usize| if along == 0 { node(k, edge) } else { node(edge, k) };
        let lines = (0..n[along]).map(|k| vec![at(k), at(k + 1)]).collect();
        group(format!("{name} {side}"), 1, ElementKind::Line2, lines);
    }
}

pub fn parts(mesh: Mesh, names: &[&str], material: Hooke) -> SolidParts {
    SolidParts {
        kinematics: Kinematics::Linear,
        mesh,
        section: Section::Stress { thickness: 1.0 },
        mass: SolidMass::Lumped,
        gravity: Default::default(),
        parts: names.iter().map(|name| Part::new(*name, material)).collect(),
        supports: vec![],
        loads: vec![],
        contacts: vec![],
    }
}

pub fn against_plane(surface: &str, point: [f64; 2], normal: [f64; 2], friction: f64) -> SurfaceContact {
    let flat = |x: [f64; 2]| [x[0], x[1], 0.0];
    SurfaceContact {
        surface: surface.into(),
        against: Against::Obstacle {
            shape: Obstacle::Plane { point: flat(point), normal: flat(normal) },
            motion: vec![],
        },
        restitution: 0.0,
        friction,
        massless: true,
    }
}

pub fn still() -> impl FnMut() -> f64 {
    || 0.0
}
