//! The surface of a solid: faces that belong to one element only, their normals outwards, and what area each node stands for.

use super::element::{ElementKind, FaceSample, MOST_NODES};
use super::mesh::Cell;
use super::section::Section;
use crate::InputError;
use crate::bodies::math::{Vec3, axpy, cross, norm, scale, sub};
use crate::code::Code;
use std::collections::HashMap;

/// A face of an element, its nodes in the order that points its normal outwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// Its kind.
    pub kind: ElementKind,
    /// The element it belongs to.
    pub element: usize,
    nodes: [usize; MOST_NODES],
}

/// Faces and the nodes on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    /// The faces.
    pub faces: Vec<Face>,
    /// Their nodes, ascending.
    pub nodes: Vec<usize>,
}

/// Corners of a face, ascending: its name whatever the order of its nodes.
type Corners = [usize; 4];

/// Every face of a solid by its corners.
pub(super) struct FaceTable {
    faces: HashMap<Corners, (Face, usize)>,
}

impl Face {
    /// Its nodes.
    pub fn nodes(&self) -> &[usize] {
        &self.nodes[..self.kind.n_nodes()]
    }

    /// Its corners.
    pub fn corners(&self) -> &[usize] {
        &self.nodes[..self.kind.entry().corners]
    }

    /// Places of its nodes.
    pub(super) fn places(&self, X: &[Vec3]) -> [Vec3; MOST_NODES] {
        let mut own = [[0.0; 3]; MOST_NODES];
        own.iter_mut().zip(self.nodes()).for_each(|(own, &i)| *own = X[i]);
        own
    }

    /// The face at the points that integrate products of its shape functions.
    pub(super) fn samples(&self, X: &[Vec3], section: Section) -> Vec<FaceSample> {
        let entry = self.kind.entry();
        let own = self.places(X);
        let n = entry.nodes.len();
        (entry.mass_rule)().iter().map(|point| FaceSample::new(entry, &own[..n], point, section)).collect()
    }

    /// Area times normal [m²].
    pub fn area_vector(&self, X: &[Vec3], section: Section) -> Vec3 {
        self.samples(X, section).iter().fold([0.0; 3], |sum, at| axpy(&sum, at.dA, &at.normal))
    }
}

impl FaceTable {
    pub fn new(cells: &[Cell]) -> Self {
        let mut faces: HashMap<Corners, (Face, usize)> = HashMap::new();
        for (element, cell) in cells.iter().enumerate() {
            let own: Vec<usize> = cell.nodes().collect();
            for face in cell.kind.entry().faces {
                let mut nodes = [0; MOST_NODES];
                nodes.iter_mut().zip(face.nodes).for_each(|(slot, &a)| *slot = own[a]);
                let face = Face { kind: face.kind, element, nodes };
                faces.entry(corners(face.corners())).or_insert((face, 0)).1 += 1;
            }
        }
        Self { faces }
    }

    /// The faces of one element only, in the order of their elements.
    pub fn outer(&self) -> Surface {
        let mut faces: Vec<Face> =
            self.faces.values().filter(|(_, count)| *count == 1).map(|(face, _)| *face).collect();
        faces.sort_by_key(|face| (face.element, face.nodes));
        Surface::new(faces)
    }

    /// The faces that cells of a group lie on.
    pub fn surface(&self, cells: &[(Cell, Vec<usize>)], field: &str) -> Result<Surface, InputError> {
        let refuse = |cell: &Cell, fact: &str, help: &str| {
            Err(InputError::new(Code::BAD_SOLID, field, format!("element {} of the surface {fact}", cell.tag), help))
        };
        let mut faces = Vec::with_capacity(cells.len());
        for (cell, nodes) in cells {
            match self.faces.get(&corners(&nodes[..cell.kind.entry().corners])) {
                Some((face, 1)) => faces.push(*face),
                Some(_) => return refuse(cell, "lies between two elements", "give faces on the outside"),
                None => return refuse(cell, "is no face of a part", "give faces of elements that belong to parts"),
            }
        }
        Ok(Surface::new(faces))
    }
}

impl Surface {
    fn new(faces: Vec<Face>) -> Self {
        let mut nodes: Vec<usize> = faces.iter().flat_map(|face| face.nodes().iter().copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Self { faces, nodes }
    }

    /// Area each of its nodes stands for, in their order [m²]: ∫N dA, on faces of tet10 the linear sub-triangles', as ∫N of
    /// their corners vanishes.
    pub fn tributary_areas(&self, X: &[Vec3], section: Section) -> Vec<f64> {
        let mut areas = vec![0.0; self.nodes.len()];
        let mut add = |node: usize, area: f64| {
            areas[self.nodes.binary_search(&node).expect("nodes of its own faces")] += area;
        };
        for face in &self.faces {
            if face.kind == ElementKind::Tri6 {
                for triangle in face.kind.entry().triangles {
                    let [a, b, c] = triangle.map(|a| X[face.nodes()[a]]);
                    let area = 0.5 * norm(&cross(&sub(&b, &a), &sub(&c, &a)));
                    triangle.iter().for_each(|&a| add(face.nodes()[a], area / 3.0));
                }
            } else {
                for at in face.samples(X, section) {
                    face.nodes().iter().zip(at.N).for_each(|(&node, N)| add(node, N * at.dA));
                }
            }
        }
        areas
    }

    /// Mean unit normal at each of its nodes, in their order.
    pub fn normals(&self, X: &[Vec3], section: Section) -> Vec<Vec3> {
        let mut normals = vec![[0.0; 3]; self.nodes.len()];
        for face in &self.faces {
            let area = face.area_vector(X, section);
            for node in face.nodes() {
                let at = self.nodes.binary_search(node).expect("nodes of its own faces");
                normals[at] = axpy(&normals[at], 1.0, &area);
            }
        }
        let unit = |n: Vec3| {
            let length = norm(&n);
            if length > 0.0 { scale(1.0 / length, &n) } else { n }
        };
        normals.into_iter().map(unit).collect()
    }

    /// Total area [m²].
    pub fn area(&self, X: &[Vec3], section: Section) -> f64 {
        self.faces.iter().flat_map(|face| face.samples(X, section)).map(|at| at.dA).sum()
    }
}

fn corners(nodes: &[usize]) -> Corners {
    let mut list = [usize::MAX; 4];
    list.iter_mut().zip(nodes).for_each(|(slot, &i)| *slot = i);
    list.sort_unstable();
    list
}
