//! The line of two nodes: N = ½(1 ∓ ξ) on [−1, 1].

use super::{Domain, Element, ElementFace, ElementKind, Lumping, rule};

pub(super) static ENTRY: Element = Element {
    name: "line2",
    gmsh: 1,
    vtk: 3,
    vtk_order: &[0, 1],
    domain: Domain::Line,
    of_corners: ElementKind::Line2,
    nodes: &[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
    corners: 2,
    shape,
    gradient,
    stiffness_rule: || rule::line(1),
    mass_rule: || rule::line(2),
    lumping: Lumping::RowSum,
    faces: &[
        ElementFace { kind: ElementKind::Point1, nodes: &[0] },
        ElementFace { kind: ElementKind::Point1, nodes: &[1] },
    ],
    mirror: &[1, 0],
    triangles: &[],
};

fn shape([x, ..]: [f64; 3], N: &mut [f64]) {
    N[0] = 0.5 * (1.0 - x);
    N[1] = 0.5 * (1.0 + x);
}

fn gradient(_: [f64; 3], dN: &mut [[f64; 3]]) {
    dN[0] = [-0.5, 0.0, 0.0];
    dN[1] = [0.5, 0.0, 0.0];
}
