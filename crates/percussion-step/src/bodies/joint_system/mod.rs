//! The equations of one step of jointed bodies and their Newton directions.
//!
//!   m Δv = h F + D_vᵀλ + H_vᵀp,    I Δw + h w_θ × I w_θ = h τ + D_wᵀλ + H_wᵀp
//!   rigid   c(q₁) = c₀;    motor  D v₁ = ω(t₁);    spring  λ = −h k (c̄ − rest) − d (c₁ − c₀);    force  λ = h f;    servo  `Servo`;    rotor  λ = −J Δs, s = a·v with its constant row
//!
//! D is exact over the step (`Measure`), so a rigid joint does no work for any θ, and a spring exactly what its potential loses.
//! A Newton direction solves S δλ = …, S = θ N A⁻¹ Dᵀ over the joints, with A of each body alone: inertia, gyroscopic term and
//! the moment of the body's own reactions; N = ∂c(q₁)/∂(h v_θ). How reactions turn with the other body is left out of A.

pub mod bending;
pub mod conflict;
pub mod direction;
pub mod elements;
pub mod evaluate;
pub mod full_newton;
pub mod graph;
pub mod jump;
pub mod pieces;
pub mod reactions;
pub mod solids;
pub mod standing;
pub mod statics;
pub mod ties;
pub mod works;

use crate::bodies::block_elimination::BlockElimination;
use crate::bodies::joint_system::bending::Bendings;
use crate::bodies::joint_system::elements::Elements;
use crate::bodies::joint_system::full_newton::FullNewton;
use crate::bodies::joint_system::graph::BlockGraph;
use crate::bodies::joint_system::pieces::Piece;
use crate::bodies::joint_system::solids::Solids;
use crate::bodies::theta_step::BodiesStart;
use percussion_model::bodies::math::{Mat3, Vec3, dot, mul_mat, scale, skew, sub};
use percussion_model::bodies::measure::{BodyRow, Measure, Passage};
use percussion_model::bodies::{Bodies, Frame, RowLaw, Spring, Term, Twist};
use percussion_model::flexible::mean_frame::inverse_mean;
use std::sync::Arc;

/// A row at one body.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    row: usize,
    D: BodyRow,
    N: BodyRow,
}

/// One term of a row: its entries at a and b.
#[derive(Clone, Debug)]
pub struct RowTerm {
    term: Term,
    entries: [usize; 2],
}

/// One row of the system.
#[derive(Clone, Debug)]
pub struct Row {
    terms: Vec<RowTerm>,
    law: RowLaw,
    source: By,
}

/// Who pushes by a row: the number of its joint or spring, and whether all of it is between free bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct By {
    node: usize,
    inside: bool,
}

/// Rows of one node at one body: what they add to S.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// Entries of the two nodes: first and number.
    left: (usize, usize),
    right: (usize, usize),
    /// Block of S, its width, and the first rows of both nodes.
    block: usize,
    width: usize,
    first: (usize, usize),
}

/// What contacts do to the bodies of a step.
#[derive(Clone, Debug, Default)]
pub struct Push {
    /// Hᵀp on every body.
    pub impulses: Vec<BodyRow>,
    /// R₀ᵀ Σ (c − x_m) × p.
    pub moments: Vec<Vec3>,
}

impl Push {
    /// Nothing, on n bodies.
    pub fn none(n: usize) -> Self {
        Self { impulses: vec![[0.0; 6]; n], moments: vec![[0.0; 3]; n] }
    }
}

/// Moments of reactions as they turn with their own body: δ(R̄⁻¹μ), μ = Σ (R̄ r) × y, for a turn δa.
#[derive(Clone, Copy, Debug, Default)]
pub struct Geometric {
    /// Σ [z][r], z = R₁ᵀy.
    arms: Mat3,
    /// R₀ᵀμ.
    moment: Vec3,
}

impl Geometric {
    /// ∂(R̄⁻¹μ)/∂a = ½ R̄⁻¹R₁ Σ [z][r] E + ½ [R₀ᵀμ]; without the last where spin is counted in the world frame.
    fn turned(&self, passage: &Passage) -> Mat3 {
        let [start, end] = &passage.ends;
        let left = mul_mat(&inverse_mean(&start.R, &passage.tilt), &end.R);
        let mut out = mul_mat(&mul_mat(&left, &self.arms), &passage.end_turn);
        if passage.tilt != [0.0; 3] {
            let S = skew(&self.moment);
            out = std::array::from_fn(|i| std::array::from_fn(|j| out[i][j] + S[i][j]));
        }
        out.map(|row| scale(0.5, &row))
    }
}

/// The rows of a scene's joints and springs, and what a step needs of them.
#[derive(Debug)]
pub struct JointSystem {
    scene: Arc<Bodies>,
    theta: f64,
    rows: Vec<Row>,
    /// The rows as they are read.
    pieces: Vec<Piece>,
    /// Whether any row speaks of D v₁.
    speaks_of_rates: bool,
    /// By body, then by node.
    entries: Vec<Entry>,
    /// Entries of each body.
    of_body: Vec<(usize, usize)>,
    meetings: Vec<Meeting>,
    lu: BlockElimination,
    node_joint: Vec<Option<usize>>,
    /// Bodies without mass.
    massless: Vec<usize>,
    /// A⁻¹ of each body: 1/m and the inverse of the 3 × 3 part.
    inverse: Vec<(f64, Mat3)>,
    /// A⁻¹Dᵀ of each entry.
    response: Vec<BodyRow>,
    /// Weights of N and of D in the rows of Newton's matrix, one of them zero.
    weights: Vec<[f64; 2]>,
    frames: Vec<Frame>,
    /// The ways of the bodies through the step.
    pub passages: Vec<Passage>,
    /// R̄⁻¹ of those that joints hold.
    back: Vec<Mat3>,
    geometric: Vec<Geometric>,
    /// c at the start and at the end of the step.
    pub c_start: Vec<f64>,
    pub c_end: Vec<f64>,
    /// How much of what earlier steps left of rigid rows a step takes back at most; none: all of it. Where it is said rows are read from rates,
    /// D v_θ = (c₁ − c₀)/h, which places tell only to their round-off over h: parts of steps may be 1e-13 of a step long.
    pub takes_back: Option<f64>,
    /// Whether directions are those of D as it stands, for D v_θ = 0, and not of how D changes with the motion: slower, but S = θ D A⁻¹Dᵀ
    /// is symmetric, and v₁ = −v₀ meets the rows, so that a contact problem with these W has an answer wherever bodies are jammed.
    pub secant: bool,
    /// D v_θ and D v₁ of each row.
    pub rate: Vec<f64>,
    rate_end: Vec<f64>,
    /// U_told where bodies stand: D v of the bodies that are told how to move, of drives −D v. A reaction λ has −λ·U_told of work from hands
    /// and drives.
    pub told: Vec<f64>,
    /// Residuals.
    pub r_body: Vec<BodyRow>,
    pub r_row: Vec<f64>,
    /// −∂λ/∂c₁ of laws that are not linear, and whether it changed at the last evaluation.
    slope: Vec<f64>,
    bent: bool,
    /// The equations of all unknowns, where the elimination does not get there.
    full: FullNewton,
    /// Bodies and joints together, in scenes with elements between bodies.
    graph: Option<BlockGraph>,
    elements: Elements,
    bendings: Bendings,
    solids: Solids,
}

#[inline]
fn row_dot(row: &BodyRow, t: &Twist) -> f64 {
    row[0] * t.v[0] + row[1] * t.v[1] + row[2] * t.v[2] + row[3] * t.w[0] + row[4] * t.w[1] + row[5] * t.w[2]
}

#[inline]
pub fn dot6(a: &BodyRow, b: &BodyRow) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}

/// Where rows of two nodes meet on a body: of each, given by body, the node, its first entry there and how many it has.
fn meetings_of(groups: &[Vec<(usize, usize, usize)>], sizes: &[usize], lu: &BlockElimination) -> Vec<Meeting> {
    let mut meetings = Vec::new();
    for of in groups {
        for &(i, first_i, n_i) in of {
            for &(j, first_j, n_j) in of {
                meetings.push(Meeting {
                    left: (first_i, n_i),
                    right: (first_j, n_j),
                    block: lu.offset(i, j),
                    width: sizes[j],
                    first: (lu.first(i), lu.first(j)),
                });
            }
        }
    }
    meetings
}

impl JointSystem {
    /// The rows of a scene; springs between points are rows of their own.
    pub fn new(scene: Arc<Bodies>, theta: f64) -> Self {
        let mut rows = Vec::new();
        let (mut node_of, mut node_joint) = (Vec::new(), Vec::new());
        let mut sizes = Vec::new();
        for (j, joint) in scene.joints().iter().enumerate().filter(|(_, joint)| !joint.rows.is_empty()) {
            for row in &joint.rows {
                rows.push((row.terms.clone(), row.law.clone()));
                node_of.push(sizes.len());
            }
            sizes.push(joint.rows.len());
            node_joint.push(Some(j));
        }
        for spring in scene.springs().iter().filter(|s| s.stiffness > 0.0 || s.damping > 0.0) {
            rows.push(spring_row(spring));
            node_of.push(sizes.len());
            sizes.push(1);
            node_joint.push(None);
        }

        // entries by body: rows come in the order of their nodes
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); scene.len()];
        for (r, (terms, _)) in rows.iter().enumerate() {
            for body in terms.iter().flat_map(|t| t.bodies) {
                if at[body].last() != Some(&r) {
                    at[body].push(r);
                }
            }
        }
        let mut entries = Vec::new();
        let mut of_body = Vec::new();
        for list in &at {
            of_body.push((entries.len(), list.len()));
            entries.extend(list.iter().map(|&row| Entry { row, D: [0.0; 6], N: [0.0; 6] }));
        }
        let place = |body: usize, row: usize| {
            let (first, _) = of_body[body];
            first + at[body].binary_search(&row).expect("a row of the body")
        };
        let rows: Vec<Row> = rows
            .into_iter()
            .enumerate()
            .map(|(r, (terms, law))| {
                let inside = terms.iter().all(|t| t.bodies.into_iter().all(|b| scene.bodies()[b].is_free()));
                let terms = terms.into_iter().map(|term| RowTerm { entries: term.bodies.map(|b| place(b, r)), term });
                Row { terms: terms.collect(), law, source: By { node: node_of[r], inside } }
            })
            .collect();

        // nodes that share a free body
        let mut touches = Vec::new();
        let mut groups: Vec<Vec<(usize, usize, usize)>> = Vec::new();
        for (body, list) in at.iter().enumerate() {
            let mut of: Vec<(usize, usize, usize)> = Vec::new();
            for (k, &row) in list.iter().enumerate() {
                match of.last_mut() {
                    Some((node, _, n)) if *node == node_of[row] => *n += 1,
                    _ => of.push((node_of[row], of_body[body].0 + k, 1)),
                }
            }
            if !scene.bodies()[body].is_free() {
                of.clear();
            }
            for i in &of {
                touches.extend(of.iter().filter(|j| j.0 < i.0).map(|j| (i.0, j.0)));
            }
            groups.push(of);
        }
        let lu = BlockElimination::new(sizes.clone(), &touches);
        let meetings = meetings_of(&groups, &sizes, &lu);
        let (n, m) = (scene.len(), rows.len());
        Self {
            theta,
            node_joint,
            response: vec![[0.0; 6]; entries.len()],
            weights: Vec::new(),
            entries,
            of_body,
            meetings,
            lu,
            massless: (0..n).filter(|&i| scene.bodies()[i].stand_in.is_some()).collect(),
            inverse: vec![(0.0, [[0.0; 3]; 3]); n],
            frames: Vec::with_capacity(n),
            passages: Vec::with_capacity(n),
            back: Vec::with_capacity(n),
            geometric: vec![Geometric::default(); n],
            c_start: vec![0.0; m],
            c_end: vec![0.0; m],
            takes_back: None,
            secant: false,
            rate: vec![0.0; m],
            rate_end: vec![0.0; m],
            told: vec![0.0; m],
            r_body: vec![[0.0; 6]; n],
            r_row: vec![0.0; m],
            slope: vec![0.0; m],
            bent: false,
            full: FullNewton::default(),
            graph: scene.has_elements().then(|| {
                let terms = rows.iter().flat_map(|row| row.terms.iter().map(|t| &t.term));
                BlockGraph::new(&scene, &sizes, &node_of, &at, terms)
            }),
            elements: Elements::new(&scene),
            bendings: Bendings::new(&scene),
            solids: Solids::new(&scene),
            pieces: Piece::of(&rows),
            speaks_of_rates: rows.iter().any(|row| matches!(row.law, RowLaw::Rate(_))),
            rows,
            scene,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The joint of a row, if it is not a spring.
    pub fn joint_of(&self, row: usize) -> Option<usize> {
        let node = (0..self.node_joint.len()).rev().find(|&node| self.lu.first(node) <= row)?;
        self.node_joint[node]
    }

    /// Joints with a row that follows from others, at the last factorisation.
    pub fn dependent(&self) -> impl Iterator<Item = usize> {
        let own = match &self.graph {
            Some(graph) => graph.dependent(),
            None => &self.lu.dependent,
        };
        own.iter().filter_map(|&node| self.node_joint[node])
    }

    /// c of every row from the frames, angles as written in (−π, π].
    pub fn values(&self, frames: &[Frame], c: &mut Vec<f64>) {
        c.clear();
        for row in &self.rows {
            let of = |t: &RowTerm| {
                let [a, b] = t.term.bodies;
                t.term.factor * t.term.measure.value(&frames[a], &frames[b])
            };
            c.push(row.terms.iter().map(of).sum());
        }
    }
}

impl JointSystem {
    /// Whether a row speaks of D v₁ and not of where that leads.
    fn on_rates(&self, r: usize) -> bool {
        matches!(self.rows[r].law, RowLaw::Rate(_) | RowLaw::Rotor { .. })
    }

    /// The change of a rotor's rate, with the constant axes of a hinge.
    fn change_of_rate(&self, r: usize, from: &BodiesStart, after: &[Twist]) -> f64 {
        let mut sum = 0.0;
        for RowTerm { term, entries } in &self.rows[r].terms {
            for (side, body) in term.bodies.into_iter().enumerate() {
                let (v0, v1) = (&from.before[body], &after[body]);
                sum += if let Measure::Angle { axes, .. } = &term.measure {
                    let sign = if side == 0 { -1.0 } else { 1.0 };
                    sign * dot(&axes[side], &sub(&v1.w, &v0.w))
                } else {
                    let D = &self.entries[entries[side]].D;
                    row_dot(D, v1) - row_dot(D, v0)
                };
            }
        }
        sum
    }
}

fn spring_row(spring: &Spring) -> (Vec<Term>, RowLaw) {
    let measure = Measure::Length { points: spring.points };
    let law = RowLaw::Spring { stiffness: spring.stiffness, damping: spring.damping, rest: spring.length };
    (vec![Term { bodies: spring.bodies, measure, factor: 1.0 }], law)
}
