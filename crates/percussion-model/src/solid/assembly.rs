//! Element matrices added into sparse ones over the free coordinates.
//!
//!   A = Σ_e T_eᵀ A_e T_e,    T: coordinates to displacements of the nodes

use super::coordinates::{Axis, Coordinates};
use super::graph::NodeGraph;
use crate::bodies::math::{Mat3, dot, mul};
use percussion_matrix::SparseMatrix;
use std::borrow::Cow;

/// Where the entries of a graph's matrices are: made once where matrices are assembled again and again.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// All zero.
    matrix: SparseMatrix,
    /// Row offset of each pair of nodes within the columns of its first node.
    offset: Vec<usize>,
}

/// A sparse matrix being assembled, and its entries between free and supported coordinates.
pub(super) struct Assembly<'a> {
    graph: &'a NodeGraph,
    coordinates: &'a Coordinates,
    matrix: SparseMatrix,
    offset: Cow<'a, [usize]>,
    /// Entries (free, supported, value).
    pub coupling: Vec<(usize, usize, f64)>,
}

impl Pattern {
    /// Of a graph over the free coordinates.
    pub fn new(graph: &NodeGraph, coordinates: &Coordinates) -> Self {
        let free = |node: usize| {
            coordinates.axes(node).iter().filter_map(|axis| match axis {
                Axis::Free(i) => Some(*i),
                Axis::Supported(_) => None,
            })
        };
        let most = graph.n_pairs() * coordinates.dimension().pow(2);
        let (mut start, mut entries) = (vec![0], Vec::with_capacity(most));
        let mut offset = Vec::with_capacity(graph.n_pairs());
        for node in 0..graph.n() {
            let mut rows = 0;
            for &other in graph.neighbours(node) {
                offset.push(rows);
                rows += free(other).count();
            }
            for _ in free(node) {
                entries.extend(graph.neighbours(node).iter().flat_map(|&other| free(other)));
                start.push(entries.len());
            }
        }
        let zeros = vec![0.0; entries.len()];
        let matrix = SparseMatrix::from_columns(coordinates.n_free(), start, entries, zeros);
        let matrix = matrix.expect("free coordinates are numbered node by node, and neighbours ascend");
        Self { matrix, offset }
    }

    /// The zero matrix.
    pub fn zeros(&self) -> SparseMatrix {
        self.matrix.clone()
    }

    /// Where the matrix of an element with these nodes goes, for axes that no support has turned.
    pub fn places(&self, graph: &NodeGraph, coordinates: &Coordinates, nodes: &[usize]) -> ElementPlaces {
        let mut places = ElementPlaces::default();
        for (b, &column_node) in nodes.iter().enumerate() {
            for (j, axis) in coordinates.axes(column_node).iter().enumerate() {
                let &Axis::Free(column) = axis else { continue };
                places.columns.push((column as u32, (coordinates.dimension() * b + j) as u32));
                let first = |&row_node: &usize| self.offset[graph.pair(column_node, row_node)];
                places.first.extend(nodes.iter().map(|node| (self.matrix.col_ptr()[column] + first(node)) as u32));
            }
        }
        for (a, &node) in nodes.iter().enumerate() {
            let of = |(i, axis): (usize, &Axis)| match axis {
                Axis::Free(_) => Some((coordinates.dimension() * a + i) as u32),
                Axis::Supported(_) => None,
            };
            places.rows.extend(coordinates.axes(node).iter().enumerate().filter_map(of));
            places.ends.push(places.rows.len() as u32);
        }
        places
    }
}

/// Where the entries of an element's matrix stand among the values of a matrix of the graph.
#[derive(Clone, Debug, Default)]
pub(super) struct ElementPlaces {
    /// Free columns: in the whole, and of the element.
    columns: Vec<(u32, u32)>,
    /// Of each, the place of the first row of each node.
    first: Vec<u32>,
    /// Free rows of the element, node by node, and where each node's end.
    rows: Vec<u32>,
    ends: Vec<u32>,
}

impl ElementPlaces {
    /// Adds the columns of A, an element's matrix by rows, that are among `columns` of the whole to their values, which begin at `start`.
    pub fn add(&self, A: &[f64], size: usize, columns: &std::ops::Range<usize>, start: usize, values: &mut [f64]) {
        let n = self.ends.len();
        for (k, &(column, own)) in self.columns.iter().enumerate() {
            if !columns.contains(&(column as usize)) {
                continue;
            }
            let mut row = 0;
            for (&first, &end) in self.first[n * k..n * (k + 1)].iter().zip(&self.ends) {
                let node = &self.rows[row..end as usize];
                for (value, &r) in values[first as usize - start..].iter_mut().zip(node) {
                    *value += A[r as usize * size + own as usize];
                }
                row = end as usize;
            }
        }
    }
}

impl<'a> Assembly<'a> {
    /// A zero matrix with the pattern of the graph.
    pub fn new(graph: &'a NodeGraph, coordinates: &'a Coordinates) -> Self {
        let Pattern { matrix, offset } = Pattern::new(graph, coordinates);
        Self { graph, coordinates, matrix, offset: offset.into(), coupling: Vec::new() }
    }

    /// The same with a pattern made before; for nodes whose axes are turned.
    pub fn on(pattern: &'a Pattern, graph: &'a NodeGraph, coordinates: &'a Coordinates) -> Self {
        let Pattern { matrix, offset } = pattern;
        Self { graph, coordinates, matrix: matrix.clone(), offset: offset.into(), coupling: Vec::new() }
    }

    /// Adds a d × d block between the displacements of nodes a (rows) and b (columns).
    pub fn add(&mut self, a: usize, b: usize, block: &Mat3) {
        let plain = !self.coordinates.is_turned(a) && !self.coordinates.is_turned(b);
        let first = self.offset[self.graph.pair(b, a)];
        for (k, &column) in self.coordinates.axes(b).iter().enumerate() {
            let mut row_offset = first;
            for (i, &row) in self.coordinates.axes(a).iter().enumerate() {
                let Axis::Free(row) = row else { continue };
                let value = if plain {
                    block[i][k]
                } else {
                    dot(&self.coordinates.direction(a, i), &mul(block, &self.coordinates.direction(b, k)))
                };
                match column {
                    Axis::Free(column) => {
                        let at = self.matrix.col_ptr()[column] + row_offset;
                        self.matrix.values_mut()[at] += value;
                    }
                    Axis::Supported(column) => self.coupling.push((row, column, value)),
                }
                row_offset += 1;
            }
        }
    }

    /// Adds an element matrix, nd × nd by rows, times c.
    pub fn add_element(&mut self, nodes: &[usize], c: f64, A: &[f64]) {
        let d = self.coordinates.dimension();
        let size = d * nodes.len();
        for (a, &node_a) in nodes.iter().enumerate() {
            for (b, &node_b) in nodes.iter().enumerate() {
                let mut block = [[0.0; 3]; 3];
                for i in 0..d {
                    for j in 0..d {
                        block[i][j] = c * A[(d * a + i) * size + d * b + j];
                    }
                }
                self.add(node_a, node_b, &block);
            }
        }
    }

    /// The matrix.
    pub fn finish(self) -> (SparseMatrix, Vec<(usize, usize, f64)>) {
        (self.matrix, self.coupling)
    }
}

/// m times the unit matrix.
pub(super) fn isotropic(m: f64) -> Mat3 {
    [[m, 0.0, 0.0], [0.0, m, 0.0], [0.0, 0.0, m]]
}
