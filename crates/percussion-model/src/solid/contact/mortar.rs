//! Mortar contact between two surfaces (Wohlmuth 2000; Popp, Gitterle, Gee, Wall 2010; on quadratic elements Puso, Laursen, Solberg 2008):
//! gaps weighted by functions φ_j of the corner nodes.
//!
//!   g_j = n_j·∫ φ_j (x_s − x_m) dA / ∫ φ_j dA,    Σ_j φ_j = 1
//!
//! φ are the linear functions of the face, or functions dual to them, ∫φ_i L_j = δ_ij ∫L_j, which couple fewer nodes. Dividing by
//! ∫φ_j makes gaps lengths and multipliers forces.

use super::search::{Boxes, Extent};
use super::{Candidate, frame, mortar_plane, mortar_space};
use crate::bodies::math::{Vec3, axpy, dot, norm, scale};
use crate::solid::element::MOST_NODES;
use crate::solid::section::Section;
use crate::solid::surface::{Face, Surface};
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use std::collections::BTreeMap;

/// Which functions weight the gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multipliers {
    /// The linear shape functions of the surface.
    Standard,
    /// Functions dual to them, on faces the other surface covers entirely.
    Dual,
}

/// Rows that stand for less than this part of their nodes' area are left out: they would be ill conditioned.
const LEAST_AREA: f64 = 1e-3;
/// Faces covered up to this part count as covered entirely.
const COVERED: f64 = 1.0 - 1e-9;

/// A point shared by a face of each surface.
pub(super) struct Shared {
    /// Coordinates on the face of the first surface.
    pub xi: [f64; 3],
    /// The face of the second surface, and its shape functions there.
    pub other: usize,
    pub N_other: [f64; MOST_NODES],
    /// Area it stands for [m²].
    pub dA: f64,
}

/// The integrals of one multiplier.
#[derive(Default)]
struct Row {
    weights: BTreeMap<usize, f64>,
    /// ∫φ n dA.
    normal: Vec3,
    /// ∫φ dA.
    area: f64,
}

/// One candidate per corner node that faces the other surface within reach.
pub(in crate::solid) fn candidates(
    contact: usize,
    surfaces: [&Surface; 2],
    multipliers: Multipliers,
    reach: f64,
    X: &[Vec3],
    section: Section,
) -> Vec<Candidate> {
    let [surface, other] = surfaces;
    let extent = |face: &Face| Extent::of(face.nodes().iter().map(|&i| X[i]));
    let boxes = Boxes::new(other.faces.iter().map(extent).collect());
    let mut rows: BTreeMap<usize, Row> = BTreeMap::new();
    let mut whole: BTreeMap<usize, f64> = BTreeMap::new();
    for face in &surface.faces {
        let near: Vec<usize> = boxes.near(&extent(face), reach);
        let shared = if section.dimension() == 2 {
            mortar_plane::shared(face, other, &near, reach, X, section)
        } else {
            mortar_space::shared(face, other, &near, reach, X)
        };
        add_face(face, other, &shared, multipliers, X, section, (&mut rows, &mut whole));
    }
    let mut list = Vec::with_capacity(rows.len());
    for (node, row) in rows {
        if row.area <= LEAST_AREA * whole[&node] {
            continue;
        }
        // the normal points from the other surface to this one
        let n = scale(-1.0 / norm(&row.normal), &row.normal);
        let weights: Vec<(usize, f64)> =
            row.weights.into_iter().filter(|&(_, w)| w != 0.0).map(|(i, w)| (i, w / row.area)).collect();
        let between = weights.iter().fold([0.0; 3], |sum, &(i, w)| axpy(&sum, w, &X[i]));
        let frame = frame(n, section.dimension());
        list.push(Candidate { contact, node, weights, frame, gap: dot(&n, &between), area: row.area });
    }
    list
}

/// Adds the integrals over one face.
fn add_face(
    face: &Face,
    other: &Surface,
    shared: &[Shared],
    multipliers: Multipliers,
    X: &[Vec3],
    section: Section,
    (rows, whole): (&mut BTreeMap<usize, Row>, &mut BTreeMap<usize, f64>),
) {
    let entry = face.kind.entry();
    let corners = face.kind.entry().of_corners.entry();
    let samples = face.samples(X, section);
    let area: f64 = samples.iter().map(|at| at.dA).sum();
    let mut L = [0.0; MOST_NODES];

    // ∫L and ∫L Lᵀ over the whole face
    let n = corners.nodes.len();
    let (mut mean, mut gram) = (vec![0.0; n], DenseMatrix::zeros(n, n));
    for (at, point) in samples.iter().zip((entry.mass_rule)()) {
        (corners.shape)(point.xi, &mut L[..n]);
        for i in 0..n {
            mean[i] += L[i] * at.dA;
            for j in 0..n {
                gram.set(i, j, gram.get(i, j) + L[i] * L[j] * at.dA);
            }
        }
    }
    for (&node, mean) in face.corners().iter().zip(&mean) {
        *whole.entry(node).or_default() += mean;
    }
    let covered: f64 = shared.iter().map(|point| point.dA).sum();
    let mut dual = match multipliers {
        Multipliers::Dual if covered >= COVERED * area => Factor::cholesky(&Matrix::Dense(gram)).ok(),
        Multipliers::Dual | Multipliers::Standard => None,
    };

    let outward = face.area_vector(X, section);
    let outward = scale(1.0 / norm(&outward), &outward);
    for point in shared {
        let mut N = [0.0; MOST_NODES];
        (entry.shape)(point.xi, &mut N[..entry.nodes.len()]);
        (corners.shape)(point.xi, &mut L[..n]);
        let mut phi = L[..n].to_vec();
        if let Some(factor) = &mut dual {
            // φ = diag(∫L) (∫L Lᵀ)⁻¹ L
            factor.solve(&mut phi);
            phi.iter_mut().zip(&mean).for_each(|(phi, mean)| *phi *= mean);
        }
        for (&node, phi) in face.corners().iter().zip(&phi) {
            let row = rows.entry(node).or_default();
            row.area += phi * point.dA;
            row.normal = axpy(&row.normal, phi * point.dA, &outward);
            for (&i, N) in face.nodes().iter().zip(N) {
                *row.weights.entry(i).or_default() += phi * N * point.dA;
            }
            for (&i, N) in other.faces[point.other].nodes().iter().zip(point.N_other) {
                *row.weights.entry(i).or_default() -= phi * N * point.dA;
            }
        }
    }
}
