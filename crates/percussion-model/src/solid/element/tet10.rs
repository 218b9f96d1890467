//! The tetrahedron of ten nodes: with L = (1 − ξ − η − ζ, ξ, η, ζ), N = L(2L − 1) at corners and 4 L_a L_b in the middle of edges.
//!
//! Gmsh and VTK exchange the last two nodes.

use super::{Domain, Element, ElementFace, ElementKind, Lumping, rule};

/// The corners each edge runs between.
const EDGES: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3)];
/// ∂L/∂ξ.
const DL: [[f64; 3]; 4] = [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub(super) static ENTRY: Element = Element {
    name: "tet10",
    gmsh: 11,
    vtk: 24,
    vtk_order: &[0, 1, 2, 3, 4, 5, 6, 7, 9, 8],
    domain: Domain::Tetrahedron,
    of_corners: ElementKind::Tet4,
    nodes: &[
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.5, 0.0, 0.0],
        [0.5, 0.5, 0.0],
        [0.0, 0.5, 0.0],
        [0.0, 0.0, 0.5],
        [0.0, 0.5, 0.5],
        [0.5, 0.0, 0.5],
    ],
    corners: 4,
    shape,
    gradient,
    stiffness_rule: rule::tetrahedron_four,
    mass_rule: || rule::tetrahedron(4),
    lumping: Lumping::DiagonalScaling,
    faces: &[
        ElementFace { kind: ElementKind::Tri6, nodes: &[0, 2, 1, 6, 5, 4] },
        ElementFace { kind: ElementKind::Tri6, nodes: &[0, 1, 3, 4, 9, 7] },
        ElementFace { kind: ElementKind::Tri6, nodes: &[1, 2, 3, 5, 8, 9] },
        ElementFace { kind: ElementKind::Tri6, nodes: &[0, 3, 2, 7, 8, 6] },
    ],
    mirror: &[0, 2, 1, 3, 6, 5, 4, 7, 9, 8],
    triangles: &[],
};

fn shape([x, y, z]: [f64; 3], N: &mut [f64]) {
    let L = [1.0 - x - y - z, x, y, z];
    for a in 0..4 {
        N[a] = L[a] * (2.0 * L[a] - 1.0);
    }
    for (k, (a, b)) in EDGES.into_iter().enumerate() {
        N[4 + k] = 4.0 * L[a] * L[b];
    }
}

fn gradient([x, y, z]: [f64; 3], dN: &mut [[f64; 3]]) {
    let L = [1.0 - x - y - z, x, y, z];
    for a in 0..4 {
        dN[a] = DL[a].map(|d| (4.0 * L[a] - 1.0) * d);
    }
    for (k, (a, b)) in EDGES.into_iter().enumerate() {
        dN[4 + k] = [0, 1, 2].map(|i| 4.0 * (DL[a][i] * L[b] + L[a] * DL[b][i]));
    }
}
