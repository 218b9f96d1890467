//! What a node of a solid in finite deformation may touch: rigid shapes, and facets of surfaces that move with it.
//!
//!   plane           g = n·(x − p),                D = n
//!   sphere          g = ρ − r,  ρ = |x − c|,      D = (x₀ + x₁ − 2c)/(ρ₀ + ρ₁)
//!   cylinder        the same across its axis
//!   block           the face, edge or corner that is nearest at the start of the step
//!   facet           segments in the plane, triangles in space
//!
//! D is exact over a step, D·Δx = g₁ − g₀: for round shapes as ρ₁² − ρ₀² = (x₀ + x₁ − 2c)·Δx. Of shapes that move x is relative to them. Faces with nodes on
//! their edges are cut into facets between all their nodes. The facet a node may touch is the nearest at the start of a step and stays so through it.

use super::face_gap::FaceGap;
use super::segment_gap::SegmentGap;
use crate::Signal;
use crate::bodies::math::{Vec3, add, axpy, cross, dot, norm, scale, sub};
use crate::solid::contact::search::{Boxes, Extent};
use crate::solid::contact::{Obstacle, frame};
use crate::solid::element::ElementKind;
use crate::solid::section::Section;
use crate::solid::surface::{Face, Surface};

/// Heights below this part of a distance are round-off.
const ROUND_OFF: f64 = 1e-9;
/// How far beyond the edge of a facet, in parts of its length, a node still belongs to it.
const BEYOND: f64 = 0.05;
/// How deep a node may be behind a facet of its own surface that was behind it from the beginning, in parts of the distance they
/// had: deeper ones see each other through the matter between them.
const THROUGH_MATTER: f64 = 0.25;

/// What a node touches in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// The rigid shape.
    Shape,
    /// A facet of the other surface, by its number.
    Facet(usize),
}

/// The rows of a contact over a step, as vectors at its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepRow {
    /// Its nodes: the one of the surface first.
    pub nodes: [usize; 4],
    /// How many of them.
    pub n: usize,
    /// g at the start [m].
    pub before: f64,
    /// g at the end [m].
    pub after: f64,
    /// D_g.
    pub normal: [Vec3; 4],
    /// Rows of the slip rates.
    pub tangents: [[Vec3; 4]; 2],
    /// The velocity of the shape, its mean over a step [m/s].
    pub drag: Vec3,
}

impl StepRow {
    /// What the motion of the shape adds to the rate of one of its rows.
    pub fn rate(&self, row: &[Vec3; 4]) -> f64 {
        -dot(&row[0], &self.drag)
    }
}

/// Two nodes in the plane, three in space, in the order that points the normal outwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facet {
    nodes: [usize; 3],
    n: usize,
}

/// What the nodes of a surface may touch.
#[derive(Clone, Debug)]
pub(super) enum Partner {
    Shape {
        shape: Obstacle,
        /// Its displacement by component, none at rest [m].
        motion: Vec<Signal>,
    },
    Facets {
        facets: Vec<Facet>,
        /// Facets further away are none [m].
        reach: f64,
        /// The surface itself with the undeformed places of all nodes, where it may touch itself.
        own: Option<(Surface, Vec<Vec3>)>,
    },
}

impl Facet {
    fn nodes(&self) -> &[usize] {
        &self.nodes[..self.n]
    }

    /// A face cut into facets.
    pub fn of(face: &Face) -> Vec<Self> {
        let nodes = face.nodes();
        let segment = |a: usize, b: usize| Self { nodes: [nodes[a], nodes[b], 0], n: 2 };
        match face.kind {
            ElementKind::Line2 => vec![segment(0, 1)],
            ElementKind::Line3 => vec![segment(0, 2), segment(2, 1)],
            kind => kind.entry().triangles.iter().map(|t| Self { nodes: t.map(|a| nodes[a]), n: 3 }).collect(),
        }
    }

    /// How far a point is from it, and how far its foot is beyond the edges in parts of the facet.
    fn distance(&self, s: &Vec3, x: &[Vec3]) -> (f64, f64) {
        let [a, b] = [x[self.nodes[0]], x[self.nodes[1]]];
        if self.n == 2 {
            return to_segment(s, &a, &b);
        }
        let c = x[self.nodes[2]];
        let (e1, e2, r) = (sub(&b, &a), sub(&c, &a), sub(s, &a));
        let area = cross(&e1, &e2);
        let square = dot(&area, &area).max(f64::MIN_POSITIVE);
        let (N_b, N_c) = (dot(&cross(&e2, &area), &r) / square, dot(&cross(&area, &e1), &r) / square);
        let beyond = (-N_b).max(-N_c).max(N_b + N_c - 1.0);
        if beyond <= 0.0 {
            return (dot(&area, &r).abs() / square.sqrt(), beyond);
        }
        let edges = [to_segment(s, &a, &b), to_segment(s, &b, &c), to_segment(s, &c, &a)];
        (edges.iter().map(|(distance, _)| *distance).fold(f64::INFINITY, f64::min), beyond)
    }

    /// How far a point is in front of its plane [m].
    fn height(&self, s: &Vec3, x: &[Vec3]) -> f64 {
        let normal = self.normal(x);
        dot(&normal, &sub(s, &x[self.nodes[0]])) / norm(&normal).max(f64::MIN_POSITIVE)
    }

    /// Whether a node of the same surface is behind it because the solid is between them: it was so when nothing was deformed.
    fn sees_through_matter(&self, node: usize, x: &[Vec3], X: &[Vec3]) -> bool {
        let apart = self.distance(&X[node], X).0;
        self.height(&X[node], X) < -ROUND_OFF * apart && self.height(&x[node], x) < -THROUGH_MATTER * apart
    }

    /// Its normal, of any length.
    fn normal(&self, x: &[Vec3]) -> Vec3 {
        let e = sub(&x[self.nodes[1]], &x[self.nodes[0]]);
        if self.n == 2 { [e[1], -e[0], 0.0] } else { cross(&e, &sub(&x[self.nodes[2]], &x[self.nodes[0]])) }
    }

    fn row(&self, node: usize, x0: &[Vec3], x1: &[Vec3]) -> StepRow {
        let [a, b, c] = self.nodes;
        let at = |k: usize| if k < self.n + 1 { [node, a, b, c][k] } else { node };
        let nodes = [0, 1, 2, 3].map(at);
        if self.n == 2 {
            let gap = SegmentGap::new(&[0, 1, 2].map(|k| x0[nodes[k]]), &[0, 1, 2].map(|k| x1[nodes[k]]));
            let wide = |[s, a, b]: [Vec3; 3]| [s, a, b, [0.0; 3]];
            let tangents = [wide(gap.tangent), [[0.0; 3]; 4]];
            let normal = wide(gap.normal);
            return StepRow { nodes, n: 3, before: gap.before, after: gap.after, normal, tangents, drag: [0.0; 3] };
        }
        let gap = FaceGap::new(&nodes.map(|i| x0[i]), &nodes.map(|i| x1[i]));
        let FaceGap { before, after, normal, tangents } = gap;
        StepRow { nodes, n: 4, before, after, normal, tangents, drag: [0.0; 3] }
    }
}

/// Distance of a point from a segment, and how far its foot is beyond the ends in parts of the segment.
fn to_segment(s: &Vec3, a: &Vec3, b: &Vec3) -> (f64, f64) {
    let (e, r) = (sub(b, a), sub(s, a));
    let xi = dot(&e, &r) / dot(&e, &e).max(f64::MIN_POSITIVE);
    (norm(&axpy(&r, -xi.clamp(0.0, 1.0), &e)), (-xi).max(xi - 1.0))
}

impl Partner {
    /// The facets of a surface.
    pub fn facets(other: &Surface, reach: f64, own: Option<(&Surface, &[Vec3])>) -> Self {
        let own = own.map(|(own, X)| (own.clone(), X.to_vec()));
        Self::Facets { facets: other.faces.iter().flat_map(Facet::of).collect(), reach, own }
    }

    /// What each of some nodes may touch at places x.
    pub fn touches(&self, nodes: &[usize], x: &[Vec3], section: Section) -> Vec<Option<Touch>> {
        let Self::Facets { facets, reach, own } = self else { return vec![Some(Touch::Shape); nodes.len()] };
        let boxes = Boxes::new(facets.iter().map(|facet| Extent::of(facet.nodes().iter().map(|&i| x[i]))).collect());
        let normals = own.as_ref().map(|(own, X)| (own, own.normals(x, section), X));
        let faces = |node: usize, facet: &Facet| {
            normals.as_ref().is_none_or(|(own, normals, X)| {
                let at = own.nodes.binary_search(&node);
                let opposed = at.is_ok_and(|at| dot(&normals[at], &facet.normal(x)) < 0.0);
                opposed && !facet.sees_through_matter(node, x, X)
            })
        };
        let nearest = |&node: &usize| {
            let near = boxes.near(&Extent::of([x[node]]), *reach).into_iter();
            let near = near.filter(|&k| !facets[k].nodes().contains(&node) && faces(node, &facets[k]));
            let near = near.map(|k| (k, facets[k].distance(&x[node], x).0)).filter(|(_, distance)| distance <= reach);
            near.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(k, _)| Touch::Facet(k))
        };
        nodes.iter().map(nearest).collect()
    }

    /// The rows of a node against what it touches, over a step from x₀ to x₁ and t₀ to t₁.
    pub fn row(&self, node: usize, touch: Touch, [x0, x1]: [&[Vec3]; 2], [t0, t1]: [f64; 2], d: usize) -> StepRow {
        match (self, touch) {
            (Self::Shape { shape, motion }, _) => {
                let at = |value: &dyn Fn(&Signal) -> f64| [0, 1, 2].map(|k| motion.get(k).map_or(0.0, value));
                let [d0, d1] = [t0, t1].map(|t| at(&|signal| signal.at(t)));
                let row = against(shape, node, &sub(&x0[node], &d0), &sub(&x1[node], &d1), d);
                let drag = if t1 > t0 { scale(1.0 / (t1 - t0), &sub(&d1, &d0)) } else { at(&|signal| signal.rate(t0)) };
                StepRow { drag, ..row }
            }
            (Self::Facets { facets, .. }, Touch::Facet(k)) => facets[k].row(node, x0, x1),
            (Self::Facets { .. }, Touch::Shape) => StepRow::default(),
        }
    }

    /// Whether it moves by itself.
    pub fn moves(&self) -> bool {
        matches!(self, Self::Shape { motion, .. } if !motion.is_empty())
    }

    /// Whether the foot of a node is on what it touches, hardly beyond its edges.
    pub fn is_above(&self, node: usize, touch: Touch, x: &[Vec3]) -> bool {
        match (self, touch) {
            (Self::Facets { facets, .. }, Touch::Facet(k)) => facets[k].distance(&x[node], x).1 <= BEYOND,
            (Self::Shape { .. } | Self::Facets { .. }, _) => true,
        }
    }

    /// The least a gap can be where nothing is found to touch [m].
    pub fn reach(&self) -> f64 {
        match self {
            Self::Shape { .. } => f64::INFINITY,
            Self::Facets { reach, .. } => *reach,
        }
    }
}

fn against(shape: &Obstacle, node: usize, x0: &Vec3, x1: &Vec3, d: usize) -> StepRow {
    let round = |from: &dyn Fn(&Vec3) -> Vec3, radius: f64| {
        let (from0, from1) = (from(x0), from(x1));
        let (rho0, rho1) = (norm(&from0), norm(&from1));
        let sum = (rho0 + rho1).max(f64::MIN_POSITIVE);
        (rho0 - radius, rho1 - radius, scale(1.0 / sum, &add(&from0, &from1)))
    };
    let (before, after, D) = match &shape.met_at(x0) {
        Obstacle::Plane { point, normal } => {
            let n = scale(1.0 / norm(normal), normal);
            (dot(&n, &sub(x0, point)), dot(&n, &sub(x1, point)), n)
        }
        Obstacle::Sphere { centre, radius } => round(&|x| sub(x, centre), *radius),
        Obstacle::Cylinder { point, axis, radius } => {
            let a = scale(1.0 / norm(axis), axis);
            let across = |x: &Vec3| {
                let from = sub(x, point);
                axpy(&from, -dot(&from, &a), &a)
            };
            round(&across, *radius)
        }
        Obstacle::Block { .. } => unreachable!("a block is met by its faces, edges and corners"),
    };
    let length = norm(&D).max(f64::MIN_POSITIVE);
    let [_, t1, t2] = frame(scale(1.0 / length, &D), d);
    let one = |v: Vec3| [v, [0.0; 3], [0.0; 3], [0.0; 3]];
    StepRow { nodes: [node; 4], n: 1, before, after, normal: one(D), tangents: [one(t1), one(t2)], drag: [0.0; 3] }
}
