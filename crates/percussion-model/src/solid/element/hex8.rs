//! The hexahedron of eight nodes: N = ⅛(1 ± ξ)(1 ± η)(1 ± ζ) on [−1, 1]³.

use super::{Domain, Element, ElementFace, ElementKind, Lumping, rule};

const NODES: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

pub(super) static ENTRY: Element = Element {
    name: "hex8",
    gmsh: 5,
    vtk: 12,
    vtk_order: &[0, 1, 2, 3, 4, 5, 6, 7],
    domain: Domain::Cube,
    of_corners: ElementKind::Hex8,
    nodes: &NODES,
    corners: 8,
    shape,
    gradient,
    stiffness_rule: || rule::cube(2),
    mass_rule: || rule::cube(3),
    lumping: Lumping::RowSum,
    faces: &[
        ElementFace { kind: ElementKind::Quad4, nodes: &[0, 3, 2, 1] },
        ElementFace { kind: ElementKind::Quad4, nodes: &[4, 5, 6, 7] },
        ElementFace { kind: ElementKind::Quad4, nodes: &[0, 1, 5, 4] },
        ElementFace { kind: ElementKind::Quad4, nodes: &[1, 2, 6, 5] },
        ElementFace { kind: ElementKind::Quad4, nodes: &[2, 3, 7, 6] },
        ElementFace { kind: ElementKind::Quad4, nodes: &[3, 0, 4, 7] },
    ],
    mirror: &[0, 3, 2, 1, 4, 7, 6, 5],
    triangles: &[],
};

fn shape([x, y, z]: [f64; 3], N: &mut [f64]) {
    for (N, [a, b, c]) in N.iter_mut().zip(NODES) {
        *N = 0.125 * (1.0 + a * x) * (1.0 + b * y) * (1.0 + c * z);
    }
}

fn gradient([x, y, z]: [f64; 3], dN: &mut [[f64; 3]]) {
    for (dN, [a, b, c]) in dN.iter_mut().zip(NODES) {
        let (p, q, r) = (1.0 + a * x, 1.0 + b * y, 1.0 + c * z);
        *dN = [0.125 * a * q * r, 0.125 * b * p * r, 0.125 * c * p * q];
    }
}
