//! The quadrilateral of four nodes: N = ¼(1 ± ξ)(1 ± η) on [−1, 1]².

use super::{Domain, Element, ElementFace, ElementKind, Lumping, rule};

const NODES: [[f64; 3]; 4] = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];

pub(super) static ENTRY: Element = Element {
    name: "quad4",
    gmsh: 3,
    vtk: 9,
    vtk_order: &[0, 1, 2, 3],
    domain: Domain::Square,
    of_corners: ElementKind::Quad4,
    nodes: &NODES,
    corners: 4,
    shape,
    gradient,
    stiffness_rule: || rule::square(2),
    mass_rule: || rule::square(3),
    lumping: Lumping::RowSum,
    faces: &[
        ElementFace { kind: ElementKind::Line2, nodes: &[0, 1] },
        ElementFace { kind: ElementKind::Line2, nodes: &[1, 2] },
        ElementFace { kind: ElementKind::Line2, nodes: &[2, 3] },
        ElementFace { kind: ElementKind::Line2, nodes: &[3, 0] },
    ],
    mirror: &[0, 3, 2, 1],
    triangles: &[[0, 1, 2], [0, 2, 3]],
};

fn shape([x, y, _]: [f64; 3], N: &mut [f64]) {
    for (N, [a, b, _]) in N.iter_mut().zip(NODES) {
        *N = 0.25 * (1.0 + a * x) * (1.0 + b * y);
    }
}

fn gradient([x, y, _]: [f64; 3], dN: &mut [[f64; 3]]) {
    for (dN, [a, b, _]) in dN.iter_mut().zip(NODES) {
        *dN = [0.25 * a * (1.0 + b * y), 0.25 * b * (1.0 + a * x), 0.0];
    }
}
