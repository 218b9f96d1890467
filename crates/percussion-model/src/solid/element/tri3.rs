//! The triangle of three nodes: N = (1 − ξ − η, ξ, η).

use super::{Domain, Element, ElementFace, ElementKind, Lumping, rule};

pub(super) static ENTRY: Element = Element {
    name: "tri3",
    gmsh: 2,
    vtk: 5,
    vtk_order: &[0, 1, 2],
    domain: Domain::Triangle,
    of_corners: ElementKind::Tri3,
    nodes: &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    corners: 3,
    shape,
    gradient,
    stiffness_rule: rule::triangle_centre,
    mass_rule: || rule::triangle(3),
    lumping: Lumping::RowSum,
    faces: &[
        ElementFace { kind: ElementKind::Line2, nodes: &[0, 1] },
        ElementFace { kind: ElementKind::Line2, nodes: &[1, 2] },
        ElementFace { kind: ElementKind::Line2, nodes: &[2, 0] },
    ],
    mirror: &[0, 2, 1],
    triangles: &[[0, 1, 2]],
};

fn shape([x, y, _]: [f64; 3], N: &mut [f64]) {
    N[0] = 1.0 - x - y;
    N[1] = x;
    N[2] = y;
}

fn gradient(_: [f64; 3], dN: &mut [[f64; 3]]) {
    dN[0] = [-1.0, -1.0, 0.0];
    dN[1] = [1.0, 0.0, 0.0];
    dN[2] = [0.0, 1.0, 0.0];
}
