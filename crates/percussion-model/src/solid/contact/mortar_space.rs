//! Points shared by faces in space: faces are projected along the normal of the first, clipped against each other
//! (Sutherland, Hodgman 1974) and cut into triangles (Puso, Laursen 2004).
//!
//! Exact for constant pressure on triangles and parallelograms; on other quadrilaterals the shape functions are not
//! polynomials in the plane and Gauss points integrate them approximately.

use super::mortar::Shared;
use crate::bodies::math::{Vec3, axpy, cross, dot, norm, scale, sub};
use crate::solid::contact::frame;
use crate::solid::element::{Element, MOST_NODES, rule};
use crate::solid::surface::{Face, Surface};

type Planar = [f64; 2];

/// Points of a face shared with faces of the other surface; faces are taken as flat between their corners.
pub(super) fn shared(face: &Face, other: &Surface, near: &[usize], reach: f64, X: &[Vec3]) -> Vec<Shared> {
    let own: Vec<Vec3> = face.corners().iter().map(|&i| X[i]).collect();
    let plane = Plane::new(&own);
    let mine: Vec<Planar> = own.iter().map(|x| plane.project(x)).collect();
    let corners = face.kind.entry().of_corners.entry();
    let points = rule::triangle(3);
    let mut list = Vec::new();
    for &k in near {
        let candidate = &other.faces[k];
        let theirs: Vec<Vec3> = candidate.corners().iter().map(|&i| X[i]).collect();
        let facing = dot(&area(&theirs), &plane.frame[0]) < 0.0;
        let centre = theirs.iter().fold([0.0; 3], |sum, x| axpy(&sum, 1.0 / theirs.len() as f64, x));
        let gap = dot(&plane.frame[0], &sub(&centre, &plane.origin));
        if candidate.element == face.element || !facing || gap.abs() > reach {
            continue;
        }
        // reversed, they turn the same way round
        let flat: Vec<Planar> = theirs.iter().map(|x| plane.project(x)).collect();
        let mut clipped: Vec<Planar> = flat.iter().rev().copied().collect();
        for i in 0..mine.len() {
            clipped = clip(&clipped, mine[i], mine[(i + 1) % mine.len()]);
        }
        if clipped.len() < 3 {
            continue;
        }
        let candidate_corners = candidate.kind.entry().of_corners.entry();
        for i in 1..clipped.len() - 1 {
            let triangle = [clipped[0], clipped[i], clipped[i + 1]];
            let twice = turn(triangle[0], triangle[1], triangle[2]);
            for point in &points {
                let at = [0, 1].map(|c| {
                    let [p, q, r] = triangle.map(|x| x[c]);
                    p + point.xi[0] * (q - p) + point.xi[1] * (r - p)
                });
                let (Some(xi), Some(xi_other)) = (locate(corners, &mine, at), locate(candidate_corners, &flat, at))
                else {
                    continue;
                };
                let entry = candidate.kind.entry();
                let mut N_other = [0.0; MOST_NODES];
                (entry.shape)(xi_other, &mut N_other[..entry.nodes.len()]);
                list.push(Shared { xi, other: k, N_other, dA: twice * point.weight });
            }
        }
    }
    list
}

/// The plane of a face.
struct Plane {
    origin: Vec3,
    frame: [Vec3; 3],
}

impl Plane {
    fn new(corners: &[Vec3]) -> Self {
        let n = area(corners);
        let origin = corners.iter().fold([0.0; 3], |sum, x| axpy(&sum, 1.0 / corners.len() as f64, x));
        Self { origin, frame: frame(scale(1.0 / norm(&n), &n), 3) }
    }

    fn project(&self, x: &Vec3) -> Planar {
        let from = sub(x, &self.origin);
        [dot(&from, &self.frame[1]), dot(&from, &self.frame[2])]
    }
}

/// Area vector of a polygon.
fn area(corners: &[Vec3]) -> Vec3 {
    let mut sum = [0.0; 3];
    for i in 1..corners.len() - 1 {
        let part = cross(&sub(&corners[i], &corners[0]), &sub(&corners[i + 1], &corners[0]));
        sum = axpy(&sum, 0.5, &part);
    }
    sum
}

/// Twice the signed area of a triangle.
fn turn(a: Planar, b: Planar, c: Planar) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The part of a polygon to the left of the line from a to b.
fn clip(polygon: &[Planar], a: Planar, b: Planar) -> Vec<Planar> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for i in 0..polygon.len() {
        let (p, q) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        let (side_p, side_q) = (turn(a, b, p), turn(a, b, q));
        if side_p >= 0.0 {
            kept.push(p);
        }
        if (side_p > 0.0 && side_q < 0.0) || (side_p < 0.0 && side_q > 0.0) {
            let s = side_p / (side_p - side_q);
            kept.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]);
        }
    }
    kept
}

/// ξ of a point of a flat face with the given corners, by Newton's method (exact in one step on triangles and parallelograms).
fn locate(corners: &Element, places: &[Planar], at: Planar) -> Option<[f64; 3]> {
    let n = corners.nodes.len();
    let mut xi = corners.centre();
    for _ in 0..30 {
        let (mut N, mut dN) = ([0.0; MOST_NODES], [[0.0; 3]; MOST_NODES]);
        (corners.shape)(xi, &mut N[..n]);
        (corners.gradient)(xi, &mut dN[..n]);
        let mut r = at;
        let mut J = [[0.0; 2]; 2];
        for a in 0..n {
            for i in 0..2 {
                r[i] -= N[a] * places[a][i];
                for k in 0..2 {
                    J[i][k] += dN[a][k] * places[a][i];
                }
            }
        }
        let det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        let step = [(J[1][1] * r[0] - J[0][1] * r[1]) / det, (J[0][0] * r[1] - J[1][0] * r[0]) / det];
        if !(step[0].is_finite() && step[1].is_finite()) {
            return None;
        }
        xi[0] += step[0];
        xi[1] += step[1];
        if step[0].abs().max(step[1].abs()) < 1e-15 {
            break;
        }
    }
    Some(xi)
}
