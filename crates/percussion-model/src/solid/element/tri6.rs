//! The triangle of six nodes: with L = (1 − ξ − η, ξ, η), N = L(2L − 1) at corners and 4 L_a L_b in the middle of sides.

use super::{Domain, Element, ElementFace, ElementKind, Lumping, rule};

/// The corners each side runs between.
const SIDES: [(usize, usize); 3] = [(0, 1), (1, 2), (2, 0)];
/// ∂L/∂ξ.
const DL: [[f64; 3]; 3] = [[-1.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

pub(super) static ENTRY: Element = Element {
    name: "tri6",
    gmsh: 9,
    vtk: 22,
    vtk_order: &[0, 1, 2, 3, 4, 5],
    domain: Domain::Triangle,
    of_corners: ElementKind::Tri3,
    nodes: &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.0]],
    corners: 3,
    shape,
    gradient,
    stiffness_rule: rule::triangle_three,
    mass_rule: || rule::triangle(4),
    lumping: Lumping::DiagonalScaling,
    faces: &[
        ElementFace { kind: ElementKind::Line3, nodes: &[0, 1, 3] },
        ElementFace { kind: ElementKind::Line3, nodes: &[1, 2, 4] },
        ElementFace { kind: ElementKind::Line3, nodes: &[2, 0, 5] },
    ],
    mirror: &[0, 2, 1, 5, 4, 3],
    triangles: &[[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]],
};

fn shape([x, y, _]: [f64; 3], N: &mut [f64]) {
    let L = [1.0 - x - y, x, y];
    for a in 0..3 {
        N[a] = L[a] * (2.0 * L[a] - 1.0);
    }
    for (k, (a, b)) in SIDES.into_iter().enumerate() {
        N[3 + k] = 4.0 * L[a] * L[b];
    }
}

fn gradient([x, y, _]: [f64; 3], dN: &mut [[f64; 3]]) {
    let L = [1.0 - x - y, x, y];
    for a in 0..3 {
        dN[a] = DL[a].map(|d| (4.0 * L[a] - 1.0) * d);
    }
    for (k, (a, b)) in SIDES.into_iter().enumerate() {
        dN[3 + k] = [0, 1, 2].map(|i| 4.0 * (DL[a][i] * L[b] + L[a] * DL[b][i]));
    }
}
