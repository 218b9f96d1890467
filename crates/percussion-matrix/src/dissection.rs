//! Nested dissection (George 1973): an order of elimination that keeps the factor of a mesh sparse.
//!
//!   split in two halves that do not touch, the separator between them last; the same in each half
//!
//! With coordinates the halves lie left and right of the median along the longest axis. Without, they are the first and last
//! levels of a breadth-first walk from a node at the rim (George, Liu 1978), or lie left and right of a median in places made from
//! such walks (`embedding.rs`), whichever direction has the smallest separator. Each separator is then exchanged for a smaller one near
//! it (`separator.rs`): L of a cube of 31³ hexahedra has 94 million numbers where places are not known, and 124 million without.

use crate::SparseMatrix;
use crate::embedding::embedded;
use crate::separator::Separators;
use std::collections::HashMap;

/// Sets this small are taken in their own order.
const SMALL: usize = 60;

/// Which nodes are neighbours: those of node i are `neighbours[start[i]..start[i + 1]]`, itself allowed among them, and a node is a
/// neighbour of each of its neighbours. The pattern of a symmetric matrix is one.
#[derive(Clone, Copy, Debug)]
pub struct Adjacency<'a> {
    /// Where the neighbours of each node begin, and the end of the last.
    pub start: &'a [usize],
    /// The neighbours.
    pub neighbours: &'a [usize],
}

impl Adjacency<'_> {
    pub(crate) fn n(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    pub(crate) fn of(&self, i: usize) -> &[usize] {
        &self.neighbours[self.start[i]..self.start[i + 1]]
    }
}

/// The nodes in the order of their elimination, halves found from their places.
pub fn dissected_by_place(graph: Adjacency, places: &[[f64; 3]]) -> Vec<usize> {
    dissected(graph, |work, set| {
        let length = |k: usize| {
            let (low, high) = set.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &i| {
                (low.min(places[i][k]), high.max(places[i][k]))
            });
            high - low
        };
        let lengths = [length(0), length(1), length(2)];
        let axis = (1..3).fold(0, |best, k| if lengths[k] > lengths[best] { k } else { best });
        // ties go by number: the same order on every machine
        set.sort_by(|&a, &b| places[a][axis].total_cmp(&places[b][axis]).then(a.cmp(&b)));
        let (left, right) = set.split_at(set.len() / 2);
        work.separate(graph, left, right)
    })
}

/// The nodes in the order of their elimination, halves found from the graph alone.
pub fn dissected_by_graph(graph: Adjacency) -> Vec<usize> {
    dissected(graph, |work, set| {
        let levels = work.levels_from_rim(graph, set);
        // nodes the walk did not reach are a half of their own
        if levels.reached.len() < set.len() {
            let rest: Vec<usize> = set.iter().copied().filter(|&i| work.mark[i] == work.stamp).collect();
            return [levels.reached, rest, Vec::new()];
        }
        let half = set.len() / 2;
        let middle = levels.ends.partition_point(|&end| end <= half).min(levels.ends.len() - 1);
        let end = levels.ends[middle];
        let (left, right) = levels.reached.split_at(end);
        work.separate(graph, right, left)
    })
}

/// The nodes in the order of their elimination, halves found from places that agree with the distances in the graph.
pub fn dissected_by_distances(graph: Adjacency) -> Vec<usize> {
    let places = embedded(graph);
    dissected(graph, |work, set| {
        let mut best: Option<[Vec<usize>; 3]> = None;
        for direction in DIRECTIONS {
            let along = |i: usize| (0..3).map(|k| direction[k] * places[i][k]).sum::<f64>();
            // ties go by number: the same order on every machine
            set.sort_by(|&a, &b| along(a).total_cmp(&along(b)).then(a.cmp(&b)));
            let (left, right) = set.split_at(set.len() / 2);
            let parts = work.separate(graph, left, right);
            if best.as_ref().is_none_or(|best| parts[2].len() < best[2].len()) {
                best = Some(parts);
            }
        }
        best.unwrap_or_default()
    })
}

/// Axes, diagonals of faces and of the cube.
const DIRECTIONS: [[f64; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// The unknowns of a sparse symmetric matrix in the order of their elimination. Those with the same neighbours, such as the
/// coordinates of one finite-element node, are one node of the graph and stay together.
pub fn dissected_by_pattern(A: &SparseMatrix) -> Vec<usize> {
    let n = A.n_cols();
    let (mut node, mut first) = (vec![0; n], Vec::new());
    let mut known: HashMap<&[usize], usize> = HashMap::new();
    for i in 0..n {
        let (neighbours, _) = A.column(i);
        // unknowns not coupled to themselves or to anything would all look alike
        let alone = neighbours.binary_search(&i).is_err();
        let next = first.len();
        node[i] = if alone { next } else { *known.entry(neighbours).or_insert(next) };
        if node[i] == next {
            first.push(i);
        }
    }
    let (mut start, mut neighbours) = (vec![0], Vec::new());
    let mut last = vec![usize::MAX; first.len()];
    for (k, &i) in first.iter().enumerate() {
        for &j in A.column(i).0 {
            if last[node[j]] != k {
                last[node[j]] = k;
                neighbours.push(node[j]);
            }
        }
        start.push(neighbours.len());
    }
    let order = dissected_by_distances(Adjacency { start: &start, neighbours: &neighbours });
    let mut members = vec![Vec::new(); first.len()];
    node.iter().enumerate().for_each(|(i, &k)| members[k].push(i));
    order.into_iter().flat_map(|k| std::mem::take(&mut members[k])).collect()
}

/// Work memory of the recursion.
struct Work {
    /// Which set a node belongs to at the moment.
    mark: Vec<usize>,
    /// The name of the latest set; names are never used again.
    stamp: usize,
}

struct Levels {
    /// Nodes in the order they were reached.
    reached: Vec<usize>,
    /// Where each level ends.
    ends: Vec<usize>,
}

impl Work {
    fn name(&mut self, set: &[usize]) -> usize {
        self.stamp += 1;
        set.iter().for_each(|&i| self.mark[i] = self.stamp);
        self.stamp
    }

    /// First half, second half without its nodes that touch the first, and these.
    fn separate(&mut self, graph: Adjacency, first: &[usize], second: &[usize]) -> [Vec<usize>; 3] {
        let name = self.name(first);
        let touches = |&&i: &&usize| graph.of(i).iter().any(|&j| self.mark[j] == name);
        let (separator, rest): (Vec<&usize>, Vec<&usize>) = second.iter().partition(touches);
        [first.to_vec(), rest.into_iter().copied().collect(), separator.into_iter().copied().collect()]
    }

    /// Levels of a walk from a node that is as far from another as the set allows; nodes not reached keep the latest name.
    fn levels_from_rim(&mut self, graph: Adjacency, set: &[usize]) -> Levels {
        let mut levels = self.levels(graph, set, set[0]);
        for _ in 0..8 {
            let last = levels.ends.len().checked_sub(2).map_or(0, |k| levels.ends[k]);
            let degree = |i: usize| graph.of(i).len();
            let far = levels.reached[last..].iter().copied().min_by_key(|&i| (degree(i), i));
            let Some(seed) = far else { break };
            let next = self.levels(graph, set, seed);
            let deeper = next.ends.len() > levels.ends.len();
            levels = next;
            if !deeper {
                break;
            }
        }
        levels
    }

    fn levels(&mut self, graph: Adjacency, set: &[usize], seed: usize) -> Levels {
        let name = self.name(set);
        let (mut reached, mut ends) = (vec![seed], vec![1]);
        self.mark[seed] = 0;
        let mut from = 0;
        loop {
            let end = reached.len();
            for k in from..end {
                for &j in graph.of(reached[k]) {
                    if self.mark[j] == name {
                        self.mark[j] = 0;
                        reached.push(j);
                    }
                }
            }
            if reached.len() == end {
                return Levels { reached, ends };
            }
            ends.push(reached.len());
            from = end;
        }
    }
}

fn dissected(graph: Adjacency, split: impl Fn(&mut Work, &mut Vec<usize>) -> [Vec<usize>; 3]) -> Vec<usize> {
    let n = graph.n();
    let mut work = Work { mark: vec![0; n], stamp: 0 };
    let mut separators = Separators::new(graph);
    // the order from its end: a separator comes after both halves
    let mut order = Vec::with_capacity(n);
    let mut sets = vec![(0..n).collect::<Vec<usize>>()];
    while let Some(mut set) = sets.pop() {
        if set.len() <= SMALL {
            set.sort_unstable();
            order.extend(set.iter().rev());
            continue;
        }
        let [first, second, separator] = separators.refined(split(&mut work, &mut set));
        // a half that is everything would be split for ever
        if separator.len() == set.len() || (separator.is_empty() && (first.is_empty() || second.is_empty())) {
            order.extend(set.iter().rev());
            continue;
        }
        order.extend(separator.iter().rev());
        sets.extend([first, second].into_iter().filter(|half| !half.is_empty()));
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The graph of n³ hexahedra: nodes with their places, neighbours within one step along each axis.
    fn cube(n: usize) -> (Vec<usize>, Vec<usize>, Vec<[f64; 3]>) {
        let m = n + 1;
        let at = |i: usize, j: usize, k: usize| i + m * (j + m * k);
        let (mut start, mut neighbours, mut places) = (vec![0], Vec::new(), Vec::new());
        for k in 0..m {
            for j in 0..m {
                for i in 0..m {
                    places.push([i as f64, j as f64, k as f64]);
                    for c in k.saturating_sub(1)..=(k + 1).min(n) {
                        for b in j.saturating_sub(1)..=(j + 1).min(n) {
                            for a in i.saturating_sub(1)..=(i + 1).min(n) {
                                neighbours.push(at(a, b, c));
                            }
                        }
                    }
                    start.push(neighbours.len());
                }
            }
        }
        (start, neighbours, places)
    }

    /// Entries of L for an order of elimination, by the elimination tree's row subtrees (Liu 1990).
    fn fill(graph: Adjacency, order: &[usize]) -> usize {
        let n = order.len();
        let mut rank = vec![0; n];
        order.iter().enumerate().for_each(|(k, &i)| rank[i] = k);
        let (mut parent, mut ancestor) = (vec![usize::MAX; n], vec![usize::MAX; n]);
        for row in 0..n {
            for &j in graph.of(order[row]) {
                let mut k = rank[j];
                while k < row && ancestor[k] != row {
                    let next = ancestor[k];
                    ancestor[k] = row;
                    if next == usize::MAX {
                        parent[k] = row;
                        break;
                    }
                    k = next;
                }
            }
        }
        let (mut seen, mut entries) = (vec![usize::MAX; n], n);
        for row in 0..n {
            seen[row] = row;
            for &j in graph.of(order[row]) {
                let mut k = rank[j];
                while k < row && seen[k] != row {
                    seen[k] = row;
                    entries += 1;
                    k = parent[k];
                }
            }
        }
        entries
    }

    /// Every node once, and the fill of a cube of 20³ hexahedra: with three coordinates a node, at most 16 million values.
    #[test]
    fn cubes_stay_sparse() {
        let (start, neighbours, places) = cube(20);
        let graph = Adjacency { start: &start, neighbours: &neighbours };
        let natural: Vec<usize> = (0..places.len()).collect();
        let values = |order: &[usize]| 9 * fill(graph, order);
        let by_place = dissected_by_place(graph, &places);
        let by_graph = dissected_by_graph(graph);
        let by_distances = dissected_by_distances(graph);
        for order in [&by_place, &by_graph, &by_distances] {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, natural);
        }
        let (place, walk, plain) = (values(&by_place), values(&by_graph), values(&natural));
        let distances = values(&by_distances);
        eprintln!(
            "values in L of 27 783 coordinates: {place} by place, {walk} by graph, {distances} by distances, {plain} as numbered"
        );
        assert!(distances <= 16_500_000, "{distances}");
        assert!(place <= 16_000_000, "{place}");
        assert!(walk <= 2 * place, "{walk}");
        assert!(plain > 2 * place);
    }

    /// Three coordinates a node, in any numbering, are ordered as the nodes are, each once and together.
    #[test]
    fn coordinates_of_a_node_stay_together() {
        let (start, neighbours, places) = cube(6);
        let entries: Vec<(usize, usize, f64)> = (0..places.len())
            .flat_map(|i| neighbours[start[i]..start[i + 1]].iter().map(move |&j| (i, j)))
            .flat_map(|(i, j)| (0..9).map(move |k| (i + 343 * (k / 3), j + 343 * (k % 3), 1.0)))
            .collect();
        let A = SparseMatrix::from_triplets(3 * 343, 3 * 343, &entries).expect("in range");
        let order = dissected_by_pattern(&A);
        for triple in order.chunks(3) {
            assert!(triple.iter().all(|i| i % 343 == triple[0] % 343), "{triple:?}");
        }
        let nodes: Vec<usize> = order.iter().step_by(3).map(|i| i % 343).collect();
        assert_eq!(nodes, dissected_by_distances(Adjacency { start: &start, neighbours: &neighbours }));
    }

    /// Pieces that do not touch, chains, stars and single nodes.
    #[test]
    fn odd_graphs() {
        let chain = |n: usize| {
            let (mut start, mut list) = (vec![0], Vec::new());
            for i in 0..n {
                // two chains, even and odd nodes
                list.extend([i.checked_sub(2), Some(i + 2)].into_iter().flatten().filter(|&j| j < n));
                start.push(list.len());
            }
            (start, list)
        };
        let star = |n: usize| {
            let mut list: Vec<usize> = (1..n).collect();
            let mut start = vec![0, n - 1];
            for _ in 1..n {
                list.push(0);
                start.push(list.len());
            }
            (start, list)
        };
        let full = |n: usize| {
            let list: Vec<usize> = (0..n).flat_map(|_| 0..n).collect();
            ((0..=n).map(|i| n * i).collect::<Vec<_>>(), list)
        };
        for (start, list) in
            [chain(1), chain(500), star(300), full(90), (vec![0; 200], Vec::new()), (vec![0], Vec::new())]
        {
            let graph = Adjacency { start: &start, neighbours: &list };
            let places: Vec<[f64; 3]> = (0..graph.n()).map(|i| [i as f64, 0.0, 0.0]).collect();
            for order in [dissected_by_graph(graph), dissected_by_distances(graph), dissected_by_place(graph, &places)]
            {
                let mut sorted = order;
                sorted.sort_unstable();
                assert_eq!(sorted, (0..graph.n()).collect::<Vec<_>>());
            }
        }
    }
}
