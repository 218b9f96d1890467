//! Beams, cables, bushings and modes in the smooth motion.
//!
//!   M v̇ + … + F(q̃) + N(q̃) ṽ = f + Dᵀλ,    F = ∂V/∂q̃,   N of viscosity
//!   Newton's matrix in (v̇, λ):   A = M + gain (… + N) + reach · 2K diag(1, E),   E = (1 − ½[Δ])/(1 + ¼|Δ|²) the turn of q̃ with Δ
//!
//! F and K are those of an element over a step whose ends coincide, where half of ∂F belongs to each end. Bodies and joints are
//! eliminated as one graph of blocks, as in the other schemes.

use crate::bodies::joint_system::graph::BlockGraph;
use crate::schemes::ggl::bodies::Row;
use crate::schemes::ggl::bodies::eliminated::{nodes_of, rows_at};
use crate::schemes::ggl::bodies::joints::JointRow;
use percussion_model::bodies::math::{Mat3, Vec3, dot, mul_t, skew};
use percussion_model::bodies::measure::Passage;
use percussion_model::bodies::{Bodies, Frame, at};
use percussion_model::flexible::action::BodyTangent;

/// The elements of a scene where the bodies are.
#[derive(Debug)]
pub(crate) struct Elements {
    graph: BlockGraph,
    /// Rows at every body, and the number of the first entry of each.
    rows_at: Vec<Vec<usize>>,
    first_entry: Vec<usize>,
    /// The node of every row among joints and springs, and its place there.
    node_of: Vec<(usize, usize)>,
    /// F by element and end.
    force: Vec<[Row; 2]>,
    /// ∂F/∂q̃, and N where there is viscosity.
    stiffness: Vec<BodyTangent>,
    viscosity: Vec<Option<BodyTangent>>,
}

impl Elements {
    /// For a scene that has any, with the rows of its joints and springs.
    pub fn new(scene: &Bodies, rows: &[JointRow]) -> Option<Self> {
        if scene.spans().is_empty() {
            return None;
        }
        let (sizes, node_of) = nodes_of(scene, rows.len());
        let rows_at = rows_at(scene, rows);
        let mut first_entry = Vec::new();
        let mut count = 0;
        for rows in &rows_at {
            first_entry.push(count);
            count += rows.len();
        }
        let nodes: Vec<usize> = node_of.iter().map(|(node, _)| *node).collect();
        let terms = rows.iter().flat_map(|row| row.terms());
        let graph = BlockGraph::new(scene, &sizes, &nodes, &rows_at, terms);
        let (force, stiffness, viscosity) = (Vec::new(), Vec::new(), Vec::new());
        Some(Self { graph, rows_at, first_entry, node_of, force, stiffness, viscosity })
    }

    /// F, ∂F and N at these frames.
    pub fn place(&mut self, scene: &Bodies, frames: &[Frame]) {
        self.force.clear();
        self.stiffness.clear();
        self.viscosity.clear();
        for span in scene.spans() {
            let [a, b] = span.bodies.map(|i| Passage::resting(&frames[i]));
            let elastic = span.element.without_viscosity();
            let (step, half) = elastic.with_tangent(&a, &b, 1.0, None);
            let damped = (elastic != span.element).then(|| span.element.with_tangent(&a, &b, 1.0, None).1);
            // at coinciding ends viscosity adds (1/h) LᵀηL to ∂F and nothing to F
            let less = |K: BodyTangent| -> BodyTangent {
                std::array::from_fn(|i| {
                    std::array::from_fn(|j| {
                        std::array::from_fn(|r| std::array::from_fn(|c| K[i][j][r][c] - half[i][j][r][c]))
                    })
                })
            };
            self.force.push(step.force);
            self.viscosity.push(damped.map(less));
            self.stiffness.push(half.map(|row| row.map(|K| K.map(|row| row.map(|x| 2.0 * x)))));
        }
    }

    /// The first element whose ends are turned by 0.9π or more against each other.
    pub fn folded(scene: &Bodies, frames: &[Frame]) -> Option<usize> {
        scene.spans().iter().position(|span| {
            let [a, b] = span.bodies.map(|i| Passage::resting(&frames[i]));
            span.element.over_step(&a, &b, 1.0).folded
        })
    }

    /// F + N v on every body, added.
    pub fn add_forces(&self, scene: &Bodies, velocity: &[Row], sign: f64, to: &mut [Row]) {
        for (e, span) in scene.spans().iter().enumerate() {
            for (i, &body) in span.bodies.iter().enumerate() {
                let viscous = self.viscous(e, i, span.bodies, velocity);
                (0..6).for_each(|k| to[body][k] += sign * (self.force[e][i][k] + viscous[k]));
            }
        }
    }

    /// N v of element e at its end i.
    fn viscous(&self, e: usize, i: usize, bodies: [usize; 2], velocity: &[Row]) -> Row {
        let mut sum = [0.0; 6];
        if let Some(N) = &self.viscosity[e] {
            for (j, &body) in bodies.iter().enumerate() {
                (0..6).for_each(|k| sum[k] += (0..6).map(|c| N[i][j][k][c] * velocity[body][c]).sum::<f64>());
            }
        }
        sum
    }

    /// What viscosity takes in a unit of time, and what elements ask of fixed and prescribed bodies.
    pub fn powers(&self, scene: &Bodies, velocity: &[Row]) -> (f64, f64) {
        let (mut lost, mut prescribed) = (0.0, 0.0);
        for (e, span) in scene.spans().iter().enumerate() {
            for (i, &body) in span.bodies.iter().enumerate() {
                let (viscous, v) = (self.viscous(e, i, span.bodies, velocity), &velocity[body]);
                lost += (0..6).map(|k| viscous[k] * v[k]).sum::<f64>();
                if !scene.bodies()[body].is_free() {
                    prescribed += (0..6).map(|k| (viscous[k] + self.force[e][i][k]) * v[k]).sum::<f64>();
                }
            }
        }
        (lost, prescribed)
    }

    /// The Newton direction for residuals of bodies and rows; none where the matrix is singular.
    pub fn direction(
        &mut self,
        scene: &Bodies,
        rows: &[JointRow],
        matrix: &NewtonMatrix,
        residuals: (&[Row], &[f64]),
    ) -> Option<(Vec<Row>, Vec<f64>)> {
        let Self { graph, rows_at, first_entry, node_of, stiffness, viscosity, .. } = self;
        graph.clear();
        graph.add_bodies(|i| matrix.own[i]);
        let turn_with = |body: usize| {
            let way = &matrix.ways[body];
            turn_of_end(&[way[3], way[4], way[5]])
        };
        for (e, span) in scene.spans().iter().enumerate() {
            let ends = span.bodies.map(turn_with);
            for i in 0..2 {
                for j in 0..2 {
                    let mut block = turned(&stiffness[e][i][j], &ends[j], scene.is_planar(), matrix.reach);
                    if let Some(N) = &viscosity[e] {
                        (0..6).for_each(|r| (0..6).for_each(|c| block[r][c] += matrix.gain * N[i][j][r][c]));
                    }
                    let coupling = if i == j { -span.coupling } else { span.coupling };
                    (0..3).for_each(|k| block[k][k] += coupling);
                    graph.add_span(e, i, j, &block);
                }
            }
        }
        for (r, row) in rows.iter().enumerate() {
            let (weight, own) = matrix.laws[r];
            for (body, D) in &row.D {
                let k = rows_at[*body].binary_search(&r).ok()?;
                graph.add_crossing(first_entry[*body] + k, D, |c| weight * D[c]);
            }
            let (node, k) = node_of[r];
            graph.add_own(node, k, own);
        }
        if !graph.factor() {
            return None;
        }
        let (mut delta, mut change) = (vec![[0.0; 6]; scene.len()], vec![0.0; rows.len()]);
        graph.direction(residuals.0, residuals.1, &mut delta, &mut change);
        Some((delta, change))
    }
}

/// What Newton's matrix is made of beside elements.
pub(crate) struct NewtonMatrix<'a> {
    /// A of each body alone.
    pub own: Vec<[Row; 6]>,
    /// Δ of each body.
    pub ways: &'a [Row],
    pub gain: f64,
    pub reach: f64,
    /// Weight of D and own entry of each row.
    pub laws: Vec<(f64, f64)>,
}

/// E: R cay(Δ + δ) = R cay(Δ) cay(E δ) to first order.
fn turn_of_end(way: &Vec3) -> Mat3 {
    let (S, size) = (skew(way), 1.0 + 0.25 * dot(way, way));
    std::array::from_fn(|i| std::array::from_fn(|j| (f64::from(u8::from(i == j)) - 0.5 * S[i][j]) / size))
}

/// reach · K diag(1, E).
fn turned(K: &[Row; 6], E: &Mat3, planar: bool, reach: f64) -> [Row; 6] {
    let mut out = K.map(|row| row.map(|x| reach * x));
    if !planar {
        for (to, row) in out.iter_mut().zip(K) {
            (0..3).for_each(|c| to[3 + c] = reach * (0..3).map(|k| row[3 + k] * E[k][c]).sum::<f64>());
        }
    }
    out
}

/// Moments in world axes as the bodies see them, by body.
pub(super) fn world_moments<'a>(
    scene: &'a Bodies,
    frames: &'a [Frame],
    t: f64,
) -> impl Iterator<Item = (usize, Vec3)> + 'a {
    scene.world_moments().iter().map(move |(body, moment)| (*body, mul_t(&frames[*body].R, &at(moment, t))))
}
