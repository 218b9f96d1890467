//! The line of three nodes: N = ½ξ(ξ ∓ 1) at the ends, 1 − ξ² in the middle.

use super::{Domain, Element, ElementFace, ElementKind, Lumping, rule};

pub(super) static ENTRY: Element = Element {
    name: "line3",
    gmsh: 8,
    vtk: 21,
    vtk_order: &[0, 1, 2],
    domain: Domain::Line,
    of_corners: ElementKind::Line2,
    nodes: &[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    corners: 2,
    shape,
    gradient,
    stiffness_rule: || rule::line(2),
    mass_rule: || rule::line(4),
    lumping: Lumping::DiagonalScaling,
    faces: &[
        ElementFace { kind: ElementKind::Point1, nodes: &[0] },
        ElementFace { kind: ElementKind::Point1, nodes: &[1] },
    ],
    mirror: &[1, 0, 2],
    triangles: &[],
};

fn shape([x, ..]: [f64; 3], N: &mut [f64]) {
    N[0] = 0.5 * x * (x - 1.0);
    N[1] = 0.5 * x * (x + 1.0);
    N[2] = 1.0 - x * x;
}

fn gradient([x, ..]: [f64; 3], dN: &mut [[f64; 3]]) {
    dN[0] = [x - 0.5, 0.0, 0.0];
    dN[1] = [x + 0.5, 0.0, 0.0];
    dN[2] = [-2.0 * x, 0.0, 0.0];
}
