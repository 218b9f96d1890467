//! Newton directions of scenes with elements: one graph of blocks, free bodies and joints.
//!
//!   [ A    −Dᵀ ] [ δv ]     [ r_body ]
//!   [ W N   E  ] [ δλ ] = − [ r_row  ]        A = M + h²θ K + …: bodies touch where an element joins them
//!
//! A joint is eliminated after its bodies, or after one that has no other joint, so its pivot is W N A⁻¹Dᵀ as in the dual form. Chains,
//! trees and combs of beams have no fill, and the cost grows with the number of elements. Knots of cables, which nothing turns, and modal
//! coordinates are points with the unknowns of their place alone.

use crate::bodies::block_elimination::{Before, BlockElimination};
use crate::bodies::joint_system::JointSystem;
use crate::bodies::theta_step::BodiesStart;
use percussion_model::Signal;
use percussion_model::bodies::math::norm;
use percussion_model::bodies::measure::{BodyRow, Measure};
use percussion_model::bodies::{Bodies, Term, Twist};
use percussion_model::flexible::Element;

/// The components of a body's row that a planar scene has.
const PLANE: [usize; 3] = [0, 1, 5];
const SPACE: [usize; 6] = [0, 1, 2, 3, 4, 5];
/// Those of what nothing turns.
const PLANE_POINT: [usize; 2] = [0, 1];
const POINT: [usize; 3] = [0, 1, 2];

/// The graph and its elimination.
#[derive(Debug)]
pub struct BlockGraph {
    lu: BlockElimination,
    /// Free bodies: the first nodes of the graph.
    free: Vec<usize>,
    /// The components of each that are unknown.
    used: Vec<&'static [usize]>,
    /// Blocks (i, j) of every element's bodies, by the place of its first number.
    spans: Vec<SpanBlocks>,
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
    node: usize,
}

/// Where the bodies of an element stand.
#[derive(Clone, Copy, Debug)]
struct SpanBlocks {
    nodes: [usize; 2],
    at: [[Option<usize>; 2]; 2],
}

/// Part of a cable's length by which a joint may miss the centre of a knot: anchors are written in decimals.
const AT_CENTRE: f64 = 1e-12;

/// Which bodies nothing turns: they are ends of cables at their centre and held there alone, free of moments.
fn points<'a>(scene: &Bodies, terms: impl Iterator<Item = &'a Term>) -> Vec<bool> {
    let mut points = vec![false; scene.len()];
    for span in scene.spans() {
        for &i in &span.bodies {
            let I = &scene.bodies()[i].inertia;
            let round = (0..3).all(|r| (0..3).all(|c| I[r][c] == if r == c { I[0][0] } else { 0.0 }));
            points[i] = round && scene.bodies()[i].torque == <[Signal; 3]>::default();
        }
    }
    for span in scene.spans() {
        for (side, &i) in span.bodies.iter().enumerate() {
            points[i] &= matches!(&span.element, Element::Cable(cable) if cable.points[side] == [0.0; 3]);
        }
    }
    scene.world_moments().iter().for_each(|(i, _)| points[*i] = false);
    let cables = scene.spans().iter().filter(|span| span.element.is_cable());
    let arm = AT_CENTRE * cables.map(|span| span.element.length()).fold(f64::INFINITY, f64::min).min(f64::MAX);
    for term in terms {
        for (side, &i) in term.bodies.iter().enumerate() {
            points[i] &= match &term.measure {
                Measure::Point { points, .. } | Measure::Length { points } => norm(&points[side]) <= arm,
                Measure::Dot { .. } | Measure::Along { .. } | Measure::Angle { .. } | Measure::Modal { .. } => false,
            };
        }
    }
    for body in (0..scene.len()).filter(|&i| scene.bodies()[i].contact) {
        points[body] = false;
    }
    // joints with play act by contacts of their own
    for joint in scene.joints().iter().filter(|joint| joint.rows.is_empty()) {
        joint.bodies.iter().for_each(|&i| points[i] = false);
    }
    // modal coordinates are places alone
    points.iter_mut().zip(scene.bodies()).for_each(|(point, body)| *point |= body.modal);
    points
}

impl BlockGraph {
    /// For a scene whose joints have so many rows each; `node_of` is the joint of every row, `rows_at` the rows at every body, `terms`
    /// all that rows are made of.
    pub fn new<'a>(
        scene: &Bodies,
        joints: &[usize],
        node_of: &[usize],
        rows_at: &[Vec<usize>],
        terms: impl Iterator<Item = &'a Term>,
    ) -> Self {
        let free: Vec<usize> = (0..scene.len()).filter(|&i| scene.bodies()[i].is_free()).collect();
        let mut node: Vec<Option<usize>> = vec![None; scene.len()];
        free.iter().enumerate().for_each(|(k, &i)| node[i] = Some(k));
        let n = free.len();
        let points = points(scene, terms);
        let of = |&i: &usize| -> &'static [usize] {
            match (scene.is_planar(), points[i]) {
                (true, true) => &PLANE_POINT,
                (true, false) => &PLANE,
                (false, true) => &POINT,
                (false, false) => &SPACE,
            }
        };
        let used: Vec<&'static [usize]> = free.iter().map(of).collect();
        let sizes: Vec<usize> = used.iter().map(|used| used.len()).chain(joints.iter().copied()).collect();
        let mut touches = Vec::new();
        let mut after = vec![Before::default(); sizes.len()];
        for span in scene.spans() {
            if let [Some(a), Some(b)] = span.bodies.map(|i| node[i]) {
                touches.push((a, b));
            }
        }
        for (body, rows) in rows_at.iter().enumerate() {
            let Some(k) = node[body] else { continue };
            let alone = rows.iter().all(|&row| node_of[row] == node_of[rows[0]]);
            for &row in rows {
                let joint = n + node_of[row];
                if !after[joint].all.contains(&k) {
                    touches.push((k, joint));
                    after[joint].all.push(k);
                    // three modal coordinates cannot carry six rows
                    if alone && !scene.bodies()[body].modal {
                        after[joint].own.push(k);
                    }
                }
            }
        }
        let lu = BlockElimination::ordered(sizes, &touches, &after);
        let block = |i: Option<usize>, j: Option<usize>| Some(lu.offset(i?, j?));
        let spans = scene.spans().iter().map(|span| {
            let [a, b] = span.bodies.map(|i| node[i]);
            let at = [[block(a, a), block(a, b)], [block(b, a), block(b, b)]];
            SpanBlocks { nodes: [a, b].map(|node| node.unwrap_or(0)), at }
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
                    node: k,
                }));
            }
        }
        let x = vec![0.0; used.iter().map(|used| used.len()).sum::<usize>() + node_of.len()];
        Self { lu, free, used, spans, entries, joints_with_dependent_rows: Vec::new(), x }
    }

    /// Begins with zeros.
    pub fn clear(&mut self) {
        self.lu.values.fill(0.0);
    }

    /// Adds to A of every free body.
    pub fn add_bodies(&mut self, mut of: impl FnMut(usize) -> [BodyRow; 6]) {
        for (k, (&i, used)) in self.free.iter().zip(&self.used).enumerate() {
            let (A, n, at) = (of(i), used.len(), self.lu.offset(k, k));
            for (row, &c) in self.lu.values[at..at + n * n].chunks_exact_mut(n).zip(*used) {
                row.iter_mut().zip(*used).for_each(|(x, &d)| *x += A[c][d]);
            }
        }
    }

    /// Adds what element e puts between its bodies i and j.
    pub fn add_span(&mut self, e: usize, i: usize, j: usize, K: &[BodyRow; 6]) {
        let blocks = &self.spans[e];
        let Some(at) = blocks.at[i][j] else { return };
        let (rows, columns) = (self.used[blocks.nodes[i]], self.used[blocks.nodes[j]]);
        let n = columns.len();
        for (row, &c) in self.lu.values[at..at + rows.len() * n].chunks_exact_mut(n).zip(rows) {
            row.iter_mut().zip(columns).for_each(|(x, &d)| *x += K[c][d]);
        }
    }

    /// Adds −D to the equations of a body and N to a row: entry e, by body and then by row.
    pub fn add_crossing(&mut self, e: usize, D: &BodyRow, N: impl Fn(usize) -> f64) {
        let Some(Crossing { reaction, row, place, rows, node }) = self.entries[e] else { return };
        let n = self.used[node].len();
        for (k, &c) in self.used[node].iter().enumerate() {
            self.lu.values[reaction + k * rows + place] -= D[c];
            self.lu.values[row + place * n + k] += N(c);
        }
    }

    /// Adds to the diagonal of row k of a joint.
    pub fn add_own(&mut self, joint: usize, k: usize, x: f64) {
        let node = self.free.len() + joint;
        let (at, m) = (self.lu.offset(node, node), self.lu.size(node));
        self.lu.values[at + k * m + k] += x;
    }

    /// Eliminates; `false` when that cannot be.
    pub fn factor(&mut self) -> bool {
        let done = self.lu.factor();
        let n = self.free.len();
        self.joints_with_dependent_rows.clear();
        self.joints_with_dependent_rows.extend(self.lu.dependent.iter().filter_map(|node| node.checked_sub(n)));
        done
    }

    /// Joints with a row that follows from others, at the last factorisation.
    pub fn dependent(&self) -> &[usize] {
        &self.joints_with_dependent_rows
    }

    fn read(&self, x: &[f64], dv: &mut [BodyRow], dl: &mut [f64]) {
        dv.fill([0.0; 6]);
        let mut x = x.iter();
        for (&i, used) in self.free.iter().zip(&self.used) {
            used.iter().zip(&mut x).for_each(|(&k, x)| dv[i][k] = *x);
        }
        dl.iter_mut().zip(x).for_each(|(l, x)| *l = *x);
    }

    fn solve(&mut self, dv: &mut [BodyRow], dl: &mut [f64]) {
        self.lu.solve(&mut self.x);
        self.read(&self.x, dv, dl);
    }

    /// The direction for residuals.
    pub fn direction(&mut self, r_body: &[BodyRow], r_row: &[f64], dv: &mut [BodyRow], dl: &mut [f64]) {
        let mut x = self.x.iter_mut();
        for (&i, used) in self.free.iter().zip(&self.used) {
            used.iter().zip(&mut x).for_each(|(&k, x)| *x = -r_body[i][k]);
        }
        x.zip(r_row).for_each(|(x, r)| *x = -r);
        self.solve(dv, dl);
    }

    /// How velocities and reactions answer a unit impulse along a row on two bodies.
    pub fn answer(&mut self, bodies: [usize; 2], rows: &[BodyRow; 2], dv: &mut [BodyRow], dl: &mut [f64]) {
        self.x.fill(0.0);
        for (body, row) in bodies.into_iter().zip(rows) {
            if let Ok(k) = self.free.binary_search(&body) {
                let first = self.lu.first(k);
                self.used[k].iter().zip(&mut self.x[first..]).for_each(|(&c, x)| *x += row[c]);
            }
        }
        self.solve(dv, dl);
    }

    /// λ for right-hand sides of rows, in their place, and the velocities A⁻¹Dᵀλ.
    pub fn react(&self, lambda: &mut [f64], mut visit: impl FnMut(usize, &BodyRow)) {
        let mut x = vec![0.0; self.x.len()];
        let first = x.len() - lambda.len();
        x[first..].copy_from_slice(lambda);
        self.lu.solve(&mut x);
        let last = self.free.last().map_or(0, |i| i + 1);
        let mut dv = vec![[0.0; 6]; last];
        self.read(&x, &mut dv, lambda);
        for &i in &self.free {
            visit(i, &dv[i]);
        }
    }
}

impl JointSystem {
    /// The graph at the last full evaluation, eliminated; `false` when it cannot be.
    pub fn factor_graph(&mut self, from: &BodiesStart, after: &[Twist]) -> bool {
        let Some(mut graph) = self.graph.take() else { return false };
        graph.clear();
        self.put_bodies(&mut graph, from, after);
        self.put_elements(&mut graph, from.h);
        self.put_rows(&mut graph, from.h);
        let done = graph.factor();
        self.graph = Some(graph);
        done
    }

    fn put_bodies(&mut self, graph: &mut BlockGraph, from: &BodiesStart, after: &[Twist]) {
        let factor = from.h * self.theta;
        for (k, (&i, used)) in graph.free.iter().zip(&graph.used).enumerate() {
            let n = used.len();
            let A = self.turning(i, from, after);
            let mass = self.scene.bodies()[i].mass + factor * self.scene.bodies()[i].drag[0];
            self.inverse[i].0 = 1.0 / mass;
            let at = graph.lu.offset(k, k);
            for (r, &c) in used.iter().enumerate() {
                if c < 3 {
                    graph.lu.values[at + r * n + r] += mass;
                    continue;
                }
                for (s, &d) in used.iter().enumerate().filter(|(_, d)| **d >= 3) {
                    graph.lu.values[at + r * n + s] += A[c - 3][d - 3];
                }
            }
        }
    }

    fn put_elements(&self, graph: &mut BlockGraph, h: f64) {
        let factor = h * h * self.theta;
        for ((span, K), blocks) in self.scene.spans().iter().zip(&self.elements.tangents).zip(&graph.spans) {
            for i in 0..2 {
                for j in 0..2 {
                    let Some(at) = blocks.at[i][j] else { continue };
                    let (rows, columns) = (graph.used[blocks.nodes[i]], graph.used[blocks.nodes[j]]);
                    let n = columns.len();
                    let to = &mut graph.lu.values[at..at + rows.len() * n];
                    let coupling = if i == j { -span.coupling } else { span.coupling };
                    for (row, &c) in to.chunks_exact_mut(n).zip(rows) {
                        row.iter_mut().zip(columns).for_each(|(x, &d)| *x += factor * K[i][j][c][d]);
                    }
                    for (r, _) in rows.iter().enumerate().filter(|(_, c)| **c < 3) {
                        to[r * n + r] += coupling;
                    }
                }
            }
        }
    }

    fn put_rows(&self, graph: &mut BlockGraph, h: f64) {
        for (k, e) in self.entries.iter().enumerate() {
            let weight = self.weight(e.row, h);
            // motors and rotors speak of D v₁
            let N = if self.on_rates(e.row) { &e.D } else { &e.N };
            graph.add_crossing(k, &e.D, |c| weight * N[c]);
        }
        for node in 0..self.node_joint.len() {
            let first = self.lu.first(node);
            for k in 0..self.lu.size(node) {
                if !self.rows[first + k].law.holds() {
                    graph.add_own(node, k, 1.0);
                }
            }
        }
    }
}
