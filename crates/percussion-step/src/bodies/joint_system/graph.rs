//! Newton directions of scenes with elements: one graph of blocks, free bodies and joints.
//!
//!   [ A    −Dᵀ ] [ δv ]     [ r_body ]
//!   [ W N   E  ] [ δλ ] = − [ r_row  ]        A = M + h²θ K + …: bodies touch where an element joins them
//!
//! A joint is eliminated after its bodies, or after one that has no other joint, so its pivot is W N A⁻¹Dᵀ as in the dual form. Chains,
//! trees and combs of beams have no fill, and the cost grows with the number of elements. Knots of cables and nodes of solids, which nothing
//! turns, and modal coordinates are points with the unknowns of their place alone; two points that a joint holds together are one (`ties.rs`).

use crate::bodies::block_elimination::{Before, BlockElimination};
use crate::bodies::joint_system::JointSystem;
use crate::bodies::joint_system::ties::Ties;
use crate::bodies::theta_step::BodiesStart;
use percussion_model::Signal;
use percussion_model::bodies::math::norm;
use percussion_model::bodies::measure::{BodyRow, Measure};
use percussion_model::bodies::{Bodies, Elastic, Term, Twist};
use percussion_model::flexible::Element;
use percussion_model::solid::Cell;

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
    /// Free bodies.
    free: Vec<usize>,
    /// The first unknown of every free body and every joint, and their nodes in the elimination; joints that ties stand for have none.
    first: Vec<usize>,
    nodes: Vec<Option<usize>>,
    /// The joint of every node of the elimination that is one.
    joint_of: Vec<Option<usize>>,
    /// Points that joints hold together.
    ties: Ties,
    /// The components of each that are unknown.
    used: Vec<&'static [usize]>,
    /// Blocks (i, j) of every element's bodies, by the place of its first number.
    spans: Vec<SpanBlocks>,
    /// Blocks (a, b) of the nodes of every element of every solid, by rows of nodes, with their widths; none where one of the two is held.
    solids: Vec<Vec<ElementBlocks>>,
    /// Blocks (body, joint) and (joint, body) of every entry of a row at a free body, its place in the joint's rows, their number.
    entries: Vec<Option<Crossing>>,
    joints_with_dependent_rows: Vec<usize>,
    x: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Crossing {
    at: CrossingPlace,
    place: usize,
    rows: usize,
    node: usize,
}

/// Where the blocks of a crossing are.
#[derive(Clone, Copy, Debug)]
enum CrossingPlace {
    /// In the elimination: body by joint, and joint by body.
    Blocks { reaction: usize, row: usize },
    /// At the point that a tie lets follow.
    Follower(usize),
    /// At the one it follows.
    Leader,
}

/// Blocks between the nodes of an element of a solid, each where it starts with its width.
type ElementBlocks = Vec<Option<(usize, usize)>>;

/// Where the bodies of an element stand.
#[derive(Clone, Copy, Debug)]
struct SpanBlocks {
    nodes: [usize; 2],
    at: [[Option<usize>; 2]; 2],
    /// The same once more where one of the two follows another.
    tied: [[Option<usize>; 2]; 2],
}

/// Part of a cable's length or a solid's size by which a joint may miss the centre of a knot or a node: anchors are written in decimals.
const AT_CENTRE: f64 = 1e-12;

/// Which bodies nothing turns: they are ends of cables at their centre or nodes of solids, and held there alone, free of moments.
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
    let nodes = || scene.elastic().iter().flat_map(|solid| solid.nodes());
    nodes().for_each(|i| points[i] = true);
    let size = |i: usize| scene.elastic().iter().find(|solid| solid.nodes().contains(&i)).map(Elastic::size);
    for term in terms {
        for (side, &i) in term.bodies.iter().enumerate() {
            let arm = size(i).map_or(arm, |size| AT_CENTRE * size);
            points[i] &= match &term.measure {
                Measure::Point { points, .. } | Measure::Length { points } => norm(&points[side]) <= arm,
                Measure::Along { points, .. } => side == 1 && points[1] == [0.0; 3],
                Measure::Dot { .. }
                | Measure::Angle { .. }
                | Measure::Turn { .. }
                | Measure::Curve { .. }
                | Measure::Modal { .. } => false,
            };
        }
    }
    for body in (0..scene.len()).filter(|&i| scene.bodies()[i].contact && !scene.bodies()[i].node) {
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

/// The first unknown of nodes of these sizes.
fn firsts(sizes: &[usize]) -> Vec<usize> {
    let next = |sum: &mut usize, n: &usize| {
        *sum += n;
        Some(*sum - n)
    };
    // one more, for rows after the last body of a scene without joints
    sizes.iter().chain(&[0]).scan(0, next).collect()
}

/// Free bodies that elements of beams, cables and solids join.
fn touches(scene: &Bodies, spans: &[[Option<usize>; 2]], node: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut touches: Vec<(usize, usize)> = spans.iter().filter_map(|&[a, b]| Some((a?, b?))).collect();
    for solid in scene.elastic() {
        for cell in &solid.solid.matter().cells {
            let own: Vec<usize> = cell.nodes().filter_map(|i| node[solid.first_node + i]).collect();
            touches.extend(own.iter().flat_map(|&a| own.iter().filter(move |&&b| b < a).map(move |&b| (a, b))));
        }
    }
    touches
}

/// Bodies that joints touch, and what each joint waits for.
fn waits(
    scene: &Bodies,
    (joints, node_of, rows_at): (&[usize], &[usize], &[Vec<usize>]),
    (node, used): (&[Option<usize>], &[&'static [usize]]),
    count: usize,
) -> (Vec<(usize, usize)>, Vec<Before>) {
    let (mut touches, mut after) = (Vec::new(), vec![Before::default(); count]);
    for (body, rows) in rows_at.iter().enumerate() {
        let Some(k) = node[body] else { continue };
        let alone = rows.iter().all(|&row| node_of[row] == node_of[rows[0]]);
        for &row in rows {
            let joint = used.len() + node_of[row];
            if !after[joint].all.contains(&k) {
                touches.push((k, joint));
                after[joint].all.push(k);
                // three coordinates cannot carry six rows
                let few = scene.bodies()[body].node && used[k].len() < joints[node_of[row]];
                if alone && !few && !scene.bodies()[body].modal {
                    after[joint].own.push(k);
                }
            }
        }
    }
    (touches, after)
}

/// Adds a block of the components that are unknown, by rows.
#[inline]
fn add_block(
    to: &mut [f64],
    (rows, columns): (&'static [usize], &'static [usize]),
    value: impl Fn(usize, usize) -> f64,
) {
    let n = columns.len();
    for (row, &c) in to[..rows.len() * n].chunks_exact_mut(n).zip(rows) {
        row.iter_mut().zip(columns).for_each(|(x, &d)| *x += value(c, d));
    }
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
        let first = firsts(&sizes);
        let mut spans_between = Vec::with_capacity(scene.spans().len());
        for span in scene.spans() {
            spans_between.push(span.bodies.map(|i| node[i]));
        }
        let mut ties = Ties::find(scene, node_of, rows_at, &points, &node);
        let nodes = ties.nodes(sizes.len(), n);
        let mut joint_of = Vec::new();
        for (k, own) in nodes.iter().enumerate().filter(|(k, _)| !ties.is_follower(*k)) {
            if own.is_some() {
                joint_of.push(k.checked_sub(n));
            }
        }
        let kept = |list: &[usize]| -> Vec<usize> {
            (0..list.len()).filter(|&k| nodes[k].is_some() && !ties.is_follower(k)).map(|k| list[k]).collect()
        };
        let touches = touches(scene, &spans_between, &node);
        let (crossed, after) = waits(scene, (joints, node_of, rows_at), (&node, &used), sizes.len());
        let touches: Vec<(usize, usize)> =
            touches.into_iter().chain(crossed).filter_map(|(a, b)| Some((nodes[a]?, nodes[b]?))).collect();
        let mut waiting = vec![Before::default(); joint_of.len()];
        for (k, before) in after.into_iter().enumerate() {
            let Some(own) = nodes[k].filter(|_| k >= n) else { continue };
            let of = |list: Vec<usize>| {
                let mut list: Vec<usize> = list.into_iter().filter_map(|k| nodes[k]).collect();
                list.sort_unstable();
                list.dedup();
                list
            };
            waiting[own] = Before { all: of(before.all), own: of(before.own) };
        }
        let lu = BlockElimination::ordered(kept(&sizes), &touches, &waiting);
        let block = |i: Option<usize>, j: Option<usize>| Some(lu.offset(nodes[i?]?, nodes[j?]?));
        let mut spans = Vec::with_capacity(spans_between.len());
        for [a, b] in spans_between {
            let at = [[block(a, a), block(a, b)], [block(b, a), block(b, b)]];
            let tied = [[a, a], [a, b], [b, a], [b, b]].map(|[i, j]| ties.block(i?, j?, &used));
            let tied = [[tied[0], tied[1]], [tied[2], tied[3]]];
            spans.push(SpanBlocks { nodes: [a, b].map(|node| node.unwrap_or(0)), at, tied });
        }
        let of_solid = |solid: &Elastic| {
            let of_cell = |cell: &Cell| {
                let own: Vec<Option<usize>> = cell.nodes().map(|i| node[solid.first_node + i]).collect();
                own.iter()
                    .flat_map(|&a| own.iter().map(move |&b| (a, b)))
                    .map(|(a, b)| Some((block(a, b)?, used[b?].len())))
                    .collect()
            };
            solid.solid.matter().cells.iter().map(of_cell).collect()
        };
        let solids = scene.elastic().iter().map(of_solid).collect();
        let mut entries = Vec::new();
        for (body, rows) in rows_at.iter().enumerate() {
            for &row in rows {
                let joint = n + node_of[row];
                entries.push(node[body].map(|k| Crossing {
                    at: match (ties.of_joint(joint), nodes[k], nodes[joint]) {
                        (None, Some(k), Some(joint)) => {
                            CrossingPlace::Blocks { reaction: lu.offset(k, joint), row: lu.offset(joint, k) }
                        }
                        (Some(tie), _, _) if ties.follows(tie, k) => CrossingPlace::Follower(tie),
                        (_, _, _) => CrossingPlace::Leader,
                    },
                    place: row + first[n] - first[joint],
                    rows: joints[node_of[row]],
                    node: k,
                }));
            }
        }
        let x = vec![0.0; used.iter().map(|used| used.len()).sum::<usize>() + node_of.len()];
        ties.begin(&used, &first, &lu, &nodes);
        let joints_with_dependent_rows = Vec::new();
        Self { lu, free, first, nodes, joint_of, ties, used, spans, solids, entries, joints_with_dependent_rows, x }
    }

    /// Begins with zeros.
    pub fn clear(&mut self) {
        self.lu.values.fill(0.0);
        self.ties.clear();
    }

    /// Adds to A of every free body.
    pub fn add_bodies(&mut self, mut of: impl FnMut(usize) -> [BodyRow; 6]) {
        for k in 0..self.free.len() {
            let A = of(self.free[k]);
            self.add_body(k, &A);
        }
    }

    /// Adds to A of one of them.
    fn add_body(&mut self, k: usize, A: &[BodyRow; 6]) {
        let Some(node) = self.nodes[k] else { return };
        let (used, at) = (self.used[k], self.lu.offset(node, node));
        add_block(&mut self.lu.values[at..], (used, used), |c, d| A[c][d]);
        if let Some(at) = self.ties.own_block(k) {
            add_block(&mut self.ties.values[at..], (used, used), |c, d| A[c][d]);
        }
    }

    /// Adds to A of a body of the scene, if it is free.
    pub fn add_to_body(&mut self, body: usize, A: &[BodyRow; 6]) {
        if let Ok(k) = self.free.binary_search(&body) {
            self.add_body(k, A);
        }
    }

    /// Adds what element e puts between its bodies i and j.
    pub fn add_span(&mut self, e: usize, i: usize, j: usize, K: &[BodyRow; 6]) {
        let blocks = &self.spans[e];
        let Some(at) = blocks.at[i][j] else { return };
        let used = (self.used[blocks.nodes[i]], self.used[blocks.nodes[j]]);
        add_block(&mut self.lu.values[at..], used, |c, d| K[c][d]);
        if let Some(at) = blocks.tied[i][j] {
            add_block(&mut self.ties.values[at..], used, |c, d| K[c][d]);
        }
    }

    /// Adds what element e of solid k puts between its nodes: d rows and columns of K for each.
    pub fn add_element(&mut self, k: usize, e: usize, d: usize, factor: f64, K: &[f64]) {
        let blocks = &self.solids[k][e];
        let n = blocks.len().isqrt();
        for (place, at) in blocks.iter().enumerate() {
            let Some((at, width)) = *at else { continue };
            let (a, b) = (place / n, place % n);
            for i in 0..d {
                let row = &K[(d * a + i) * d * n + d * b..][..d];
                let to = &mut self.lu.values[at + i * width..];
                to.iter_mut().zip(row).for_each(|(x, k)| *x += factor * k);
            }
        }
    }

    /// Adds −D to the equations of a body and N to a row: entry e, by body and then by row.
    pub fn add_crossing(&mut self, e: usize, D: &BodyRow, N: impl Fn(usize) -> f64) {
        let Some(Crossing { at, place, rows, node }) = self.entries[e] else { return };
        let n = self.used[node].len();
        for (k, &c) in self.used[node].iter().enumerate() {
            match at {
                CrossingPlace::Blocks { reaction, row } => {
                    self.lu.values[reaction + k * rows + place] -= D[c];
                    self.lu.values[row + place * n + k] += N(c);
                }
                CrossingPlace::Follower(tie) => self.ties.add_crossing(tie, (place, k), D[c], N(c)),
                CrossingPlace::Leader => {}
            }
        }
    }

    /// Adds to the diagonal of row k of a joint.
    pub fn add_own(&mut self, joint: usize, k: usize, x: f64) {
        // the rows of ties have none
        let Some(node) = self.nodes[self.free.len() + joint] else { return };
        let (at, m) = (self.lu.offset(node, node), self.lu.size(node));
        self.lu.values[at + k * m + k] += x;
    }

    /// Eliminates; `false` when that cannot be.
    pub fn factor(&mut self) -> bool {
        let done = self.lu.factor() && self.ties.factor();
        self.joints_with_dependent_rows.clear();
        self.joints_with_dependent_rows.extend(self.lu.dependent.iter().filter_map(|&node| self.joint_of[node]));
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
        self.ties.solve(&self.lu, &mut self.x);
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

    /// How velocities and reactions answer impulses on all bodies.
    pub fn spread(&self, impulses: &[BodyRow], dv: &mut [BodyRow], dl: &mut [f64]) {
        let mut x = vec![0.0; self.x.len()];
        let mut to = x.iter_mut();
        for (&i, used) in self.free.iter().zip(&self.used) {
            used.iter().zip(&mut to).for_each(|(&k, x)| *x = impulses[i][k]);
        }
        self.ties.solve(&self.lu, &mut x);
        self.read(&x, dv, dl);
    }

    /// How velocities and reactions answer a unit impulse along a row on two bodies.
    pub fn answer(&mut self, bodies: [usize; 2], rows: &[BodyRow; 2], dv: &mut [BodyRow], dl: &mut [f64]) {
        self.x.fill(0.0);
        for (body, row) in bodies.into_iter().zip(rows) {
            if let Ok(k) = self.free.binary_search(&body) {
                let first = self.first[k];
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
        self.ties.solve(&self.lu, &mut x);
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
        self.put_bending(&mut graph, from.h);
        let known = self.put_solids(&mut graph, from.h);
        self.put_rows(&mut graph, from.h);
        let done = known && graph.factor();
        self.graph = Some(graph);
        done
    }

    fn put_bodies(&mut self, graph: &mut BlockGraph, from: &BodiesStart, after: &[Twist]) {
        let factor = from.h * self.theta;
        for k in 0..graph.free.len() {
            let i = graph.free[k];
            let turning = self.turning(i, from, after);
            let mass = self.scene.bodies()[i].divisor().0 + factor * self.scene.bodies()[i].drag[0];
            self.inverse[i].0 = 1.0 / mass;
            let mut A = [[0.0; 6]; 6];
            for r in 0..3 {
                A[r][r] = mass;
                A[3 + r][3..].copy_from_slice(&turning[r]);
            }
            graph.add_body(k, &A);
        }
    }

    fn put_elements(&self, graph: &mut BlockGraph, h: f64) {
        let factor = h * h * self.theta;
        let BlockGraph { lu, ties, spans, used, .. } = graph;
        for ((span, K), blocks) in self.scene.spans().iter().zip(&self.elements.tangents).zip(spans) {
            for i in 0..2 {
                for j in 0..2 {
                    let Some(at) = blocks.at[i][j] else { continue };
                    let coupling = if i == j { -span.coupling } else { span.coupling };
                    let used = (used[blocks.nodes[i]], used[blocks.nodes[j]]);
                    let between = |c: usize, d: usize| if c == d && c < 3 { coupling } else { 0.0 };
                    add_block(&mut lu.values[at..], used, |c, d| factor * K[i][j][c][d]);
                    if coupling != 0.0 {
                        add_block(&mut lu.values[at..], used, between);
                    }
                    if let Some(at) = blocks.tied[i][j] {
                        add_block(&mut ties.values[at..], used, |c, d| factor * K[i][j][c][d] + between(c, d));
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
