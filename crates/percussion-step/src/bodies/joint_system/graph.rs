//! Newton directions of scenes with elements: one graph of blocks, free bodies and joints.
//!
//!   [ A    −Dᵀ ] [ δv ]     [ r_body ]
//!   [ W N   E  ] [ δλ ] = − [ r_row  ]        A = M + h²θ K + …: bodies touch where an element joins them
//!
//! A joint is eliminated after its bodies, so its pivot is W N A⁻¹Dᵀ as in the dual form. Chains, trees and combs of beams have no
//! fill, and the cost grows with the number of elements.

use crate::bodies::block_elimination::BlockElimination;
use crate::bodies::joint_system::JointSystem;
use crate::bodies::theta_step::BodiesStart;
use percussion_model::bodies::measure::BodyRow;
use percussion_model::bodies::{Bodies, RowLaw, Twist};

/// The components of a body's row that a planar scene has.
const PLANE: [usize; 3] = [0, 1, 5];
const SPACE: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// The graph and its elimination.
#[derive(Debug)]
pub struct BlockGraph {
    lu: BlockElimination,
    /// Free bodies: the first nodes of the graph.
    free: Vec<usize>,
    used: &'static [usize],
    /// Blocks (i, j) of every element's bodies, by the place of its first number.
    spans: Vec<[[Option<usize>; 2]; 2]>,
    /// Blocks (body, joint) and (joint, body) of every entry of a row at a free body, its place in the joint's rows, their number.
    entries: Vec<Option<Crossing>>,
    joints_with_dependent_rows: Vec<usize>,
    x: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Crossing {
    reaction: usize,
    row: usize,
    place: usize,
    rows: usize,
}

impl BlockGraph {
    /// For a scene whose joints have so many rows each; `node_of` is the joint of every row, `rows_at` the rows at every body.
    pub fn new(scene: &Bodies, joints: &[usize], node_of: &[usize], rows_at: &[Vec<usize>]) -> Self {
        let used: &'static [usize] = if scene.is_planar() { &PLANE } else { &SPACE };
        let free: Vec<usize> = (0..scene.len()).filter(|&i| scene.bodies()[i].is_free()).collect();
        let mut node: Vec<Option<usize>> = vec![None; scene.len()];
        free.iter().enumerate().for_each(|(k, &i)| node[i] = Some(k));
        let n = free.len();
        let sizes: Vec<usize> = free.iter().map(|_| used.len()).chain(joints.iter().copied()).collect();
        let mut touches = Vec::new();
        let mut after = vec![Vec::new(); sizes.len()];
        for span in scene.spans() {
            if let [Some(a), Some(b)] = span.bodies.map(|i| node[i]) {
                touches.push((a, b));
            }
        }
        for (body, rows) in rows_at.iter().enumerate() {
            let Some(k) = node[body] else { continue };
            for &row in rows {
                let joint = n + node_of[row];
                if !after[joint].contains(&k) {
                    touches.push((k, joint));
                    after[joint].push(k);
                }
            }
        }
        let lu = BlockElimination::ordered(sizes, &touches, &after);
        let block = |i: Option<usize>, j: Option<usize>| Some(lu.offset(i?, j?));
        let spans = scene.spans().iter().map(|span| {
            let [a, b] = span.bodies.map(|i| node[i]);
            [[block(a, a), block(a, b)], [block(b, a), block(b, b)]]
        });
        let spans = spans.collect();
        let mut entries = Vec::new();
        for (body, rows) in rows_at.iter().enumerate() {
            for &row in rows {
                let joint = n + node_of[row];
                entries.push(node[body].map(|k| Crossing {
                    reaction: lu.offset(k, joint),
                    row: lu.offset(joint, k),
                    place: row + lu.first(n) - lu.first(joint),
                    rows: joints[node_of[row]],
                }));
            }
        }
        let x = vec![0.0; n * used.len() + node_of.len()];
        Self { lu, free, used, spans, entries, joints_with_dependent_rows: Vec::new(), x }
    }

    /// Joints with a row that follows from others, at the last factorisation.
    pub fn dependent(&self) -> &[usize] {
        &self.joints_with_dependent_rows
    }

    fn read(free: &[usize], used: &[usize], x: &[f64], dv: &mut [BodyRow], dl: &mut [f64]) {
        dv.fill([0.0; 6]);
        for (&i, x) in free.iter().zip(x.chunks_exact(used.len())) {
            used.iter().zip(x).for_each(|(&k, x)| dv[i][k] = *x);
        }
        dl.copy_from_slice(&x[free.len() * used.len()..]);
    }

    fn solve(&mut self, dv: &mut [BodyRow], dl: &mut [f64]) {
        self.lu.solve(&mut self.x);
        Self::read(&self.free, self.used, &self.x, dv, dl);
    }

    /// The direction for residuals.
    pub fn direction(&mut self, r_body: &[BodyRow], r_row: &[f64], dv: &mut [BodyRow], dl: &mut [f64]) {
        let n = self.used.len();
        for (&i, x) in self.free.iter().zip(self.x.chunks_exact_mut(n)) {
            self.used.iter().zip(x).for_each(|(&k, x)| *x = -r_body[i][k]);
        }
        self.x[self.free.len() * n..].iter_mut().zip(r_row).for_each(|(x, r)| *x = -r);
        self.solve(dv, dl);
    }

    /// How velocities and reactions answer a unit impulse along a row on two bodies.
    pub fn answer(&mut self, bodies: [usize; 2], rows: &[BodyRow; 2], dv: &mut [BodyRow], dl: &mut [f64]) {
        self.x.fill(0.0);
        let n = self.used.len();
        for (body, row) in bodies.into_iter().zip(rows) {
            if let Ok(k) = self.free.binary_search(&body) {
                self.used.iter().zip(&mut self.x[k * n..]).for_each(|(&c, x)| *x += row[c]);
            }
        }
        self.solve(dv, dl);
    }

    /// λ for right-hand sides of rows, in their place, and the velocities A⁻¹Dᵀλ.
    pub fn react(&self, lambda: &mut [f64], mut visit: impl FnMut(usize, &BodyRow)) {
        let mut x = vec![0.0; self.x.len()];
        x[self.free.len() * self.used.len()..].copy_from_slice(lambda);
        self.lu.solve(&mut x);
        let last = self.free.last().map_or(0, |i| i + 1);
        let mut dv = vec![[0.0; 6]; last];
        Self::read(&self.free, self.used, &x, &mut dv, lambda);
        for &i in &self.free {
            visit(i, &dv[i]);
        }
    }
}

impl JointSystem {
    /// The graph at the last full evaluation, eliminated; `false` when it cannot be.
    pub fn factor_graph(&mut self, from: &BodiesStart, after: &[Twist]) -> bool {
        let Some(mut graph) = self.graph.take() else { return false };
        graph.lu.values.fill(0.0);
        self.put_bodies(&mut graph, from, after);
        self.put_elements(&mut graph, from.h);
        self.put_rows(&mut graph, from.h);
        let done = graph.lu.factor();
        let n = graph.free.len();
        graph.joints_with_dependent_rows.clear();
        graph.joints_with_dependent_rows.extend(graph.lu.dependent.iter().filter_map(|node| node.checked_sub(n)));
        self.graph = Some(graph);
        done
    }

    fn put_bodies(&mut self, graph: &mut BlockGraph, from: &BodiesStart, after: &[Twist]) {
        let factor = from.h * self.theta;
        let n = graph.used.len();
        for (k, &i) in graph.free.iter().enumerate() {
            let A = self.turning(i, from, after);
            let mass = self.scene.bodies()[i].mass + factor * self.scene.bodies()[i].drag[0];
            self.inverse[i].0 = 1.0 / mass;
            let at = graph.lu.offset(k, k);
            for (r, &c) in graph.used.iter().enumerate() {
                if c < 3 {
                    graph.lu.values[at + r * n + r] += mass;
                    continue;
                }
                for (s, &d) in graph.used.iter().enumerate().filter(|(_, d)| **d >= 3) {
                    graph.lu.values[at + r * n + s] += A[c - 3][d - 3];
                }
            }
        }
    }

    fn put_elements(&self, graph: &mut BlockGraph, h: f64) {
        let (factor, n) = (h * h * self.theta, graph.used.len());
        for ((span, K), blocks) in self.scene.spans().iter().zip(&self.elements.tangents).zip(&graph.spans) {
            for i in 0..2 {
                for j in 0..2 {
                    let Some(at) = blocks[i][j] else { continue };
                    let to = &mut graph.lu.values[at..at + n * n];
                    let coupling = if i == j { -span.coupling } else { span.coupling };
                    for (row, &c) in to.chunks_exact_mut(n).zip(graph.used) {
                        row.iter_mut().zip(graph.used).for_each(|(x, &d)| *x += factor * K[i][j][c][d]);
                    }
                    for (r, _) in graph.used.iter().enumerate().filter(|(_, c)| **c < 3) {
                        to[r * n + r] += coupling;
                    }
                }
            }
        }
    }

    fn put_rows(&self, graph: &mut BlockGraph, h: f64) {
        let n = graph.used.len();
        for (e, crossing) in self.entries.iter().zip(&graph.entries) {
            let Some(Crossing { reaction, row, place, rows }) = *crossing else { continue };
            let weight = self.weight(e.row, h);
            // a motor speaks of D v₁
            let N = if let RowLaw::Rate(_) = self.rows[e.row].law { &e.D } else { &e.N };
            for (k, &c) in graph.used.iter().enumerate() {
                graph.lu.values[reaction + k * rows + place] -= e.D[c];
                graph.lu.values[row + place * n + k] += weight * N[c];
            }
        }
        for node in 0..self.node_joint.len() {
            let (first, at) = (self.lu.first(node), graph.lu.offset(graph.free.len() + node, graph.free.len() + node));
            let m = self.lu.size(node);
            for k in 0..m {
                if let RowLaw::Force(_) | RowLaw::Spring { .. } = self.rows[first + k].law {
                    graph.lu.values[at + k * m + k] += 1.0;
                }
            }
        }
    }
}
