//! Which nodes share an element: the pattern of every matrix of a solid.

use super::mesh::Cell;
use percussion_matrix::Adjacency;

/// The neighbours of each node, itself among them, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGraph {
    start: Vec<usize>,
    neighbours: Vec<usize>,
}

impl NodeGraph {
    /// Of the cells of a mesh of n nodes.
    pub fn new(n: usize, cells: &[Cell]) -> Self {
        let touching = cells_at_nodes(n, cells);
        let (mut start, mut neighbours) = (vec![0], Vec::new());
        let mut list = Vec::new();
        for (i, own) in touching.iter().enumerate() {
            list.clear();
            list.push(i);
            list.extend(own.iter().flat_map(|&c| cells[c as usize].nodes()));
            list.sort_unstable();
            list.dedup();
            neighbours.extend_from_slice(&list);
            start.push(neighbours.len());
        }
        Self { start, neighbours }
    }

    /// As the graph to dissect.
    pub fn adjacency(&self) -> Adjacency<'_> {
        Adjacency { start: &self.start, neighbours: &self.neighbours }
    }

    /// Number of nodes.
    pub fn n(&self) -> usize {
        self.start.len() - 1
    }

    /// The neighbours of node i, itself among them.
    pub fn neighbours(&self, i: usize) -> &[usize] {
        &self.neighbours[self.start[i]..self.start[i + 1]]
    }

    /// Place of the pair (i, j) among all pairs.
    pub(super) fn pair(&self, i: usize, j: usize) -> usize {
        self.start[i] + self.neighbours(i).binary_search(&j).expect("nodes of one element are neighbours")
    }

    /// Number of pairs.
    pub(super) fn n_pairs(&self) -> usize {
        self.neighbours.len()
    }

    /// The connected piece each node belongs to, and their number.
    pub fn pieces(&self) -> (Vec<usize>, usize) {
        let mut piece = vec![usize::MAX; self.n()];
        let (mut count, mut stack) = (0, Vec::new());
        for seed in 0..self.n() {
            if piece[seed] != usize::MAX {
                continue;
            }
            piece[seed] = count;
            stack.push(seed);
            while let Some(i) = stack.pop() {
                for &j in self.neighbours(i) {
                    if piece[j] == usize::MAX {
                        piece[j] = count;
                        stack.push(j);
                    }
                }
            }
            count += 1;
        }
        (piece, count)
    }
}

/// The cells at each node, ascending.
pub(super) fn cells_at_nodes(n: usize, cells: &[Cell]) -> Vec<Vec<u32>> {
    let mut touching = vec![Vec::new(); n];
    for (c, cell) in cells.iter().enumerate() {
        for i in cell.nodes() {
            touching[i].push(c as u32);
        }
    }
    touching
}
