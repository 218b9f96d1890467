//! A single node: N = 1.

use super::{Domain, Element, ElementKind, Lumping, rule};

pub(super) static ENTRY: Element = Element {
    name: "point1",
    gmsh: 15,
    vtk: 1,
    vtk_order: &[0],
    domain: Domain::Point,
    of_corners: ElementKind::Point1,
    nodes: &[[0.0; 3]],
    corners: 1,
    shape: |_, N| N[0] = 1.0,
    gradient: |_, dN| dN[0] = [0.0; 3],
    stiffness_rule: rule::point,
    mass_rule: rule::point,
    lumping: Lumping::RowSum,
    faces: &[],
    mirror: &[0],
    triangles: &[],
};
