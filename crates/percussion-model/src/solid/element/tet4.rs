//! The tetrahedron of four nodes: N = (1 − ξ − η − ζ, ξ, η, ζ).

use super::{Domain, Element, ElementFace, ElementKind, Lumping, rule};

pub(super) static ENTRY: Element = Element {
    name: "tet4",
    gmsh: 4,
    vtk: 10,
    vtk_order: &[0, 1, 2, 3],
    domain: Domain::Tetrahedron,
    of_corners: ElementKind::Tet4,
    nodes: &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    corners: 4,
    shape,
    gradient,
    stiffness_rule: rule::tetrahedron_centre,
    mass_rule: || rule::tetrahedron(3),
    lumping: Lumping::RowSum,
    faces: &[
        ElementFace { kind: ElementKind::Tri3, nodes: &[0, 2, 1] },
        ElementFace { kind: ElementKind::Tri3, nodes: &[0, 1, 3] },
        ElementFace { kind: ElementKind::Tri3, nodes: &[1, 2, 3] },
        ElementFace { kind: ElementKind::Tri3, nodes: &[0, 3, 2] },
    ],
    mirror: &[0, 2, 1, 3],
    triangles: &[],
};

fn shape([x, y, z]: [f64; 3], N: &mut [f64]) {
    N[0] = 1.0 - x - y - z;
    N[1] = x;
    N[2] = y;
    N[3] = z;
}

fn gradient(_: [f64; 3], dN: &mut [[f64; 3]]) {
    dN[0] = [-1.0, -1.0, -1.0];
    dN[1] = [1.0, 0.0, 0.0];
    dN[2] = [0.0, 1.0, 0.0];
    dN[3] = [0.0, 0.0, 1.0];
}
