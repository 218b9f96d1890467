//! Nodes of one surface against faces of another.
//!
//!   g = n·(x_s − Σ_j N_j(ξ) x_j),    (x_s − x(ξ)) ⟂ ∂x/∂ξ,    n the face's normal at ξ

use super::search::{Boxes, Extent};
use super::{Candidate, frame};
use crate::bodies::math::{Vec3, dot, scale, sub};
use crate::solid::element::{Domain, FaceSample, MOST_NODES, Point};
use crate::solid::section::Section;
use crate::solid::surface::{Face, Surface};

/// How far beyond the edge of a face, in its own coordinates, a node still belongs to it: above a ridge there is no face.
pub(in crate::solid) const BEYOND: f64 = 0.05;

/// One candidate per node that faces the other surface within reach.
pub(in crate::solid) fn candidates(
    contact: usize,
    surface: &Surface,
    other: &Surface,
    reach: f64,
    X: &[Vec3],
    section: Section,
) -> Vec<Candidate> {
    let boxes = Boxes::new(other.faces.iter().map(|face| Extent::of(face.nodes().iter().map(|&i| X[i]))).collect());
    let areas = surface.tributary_areas(X, section);
    let normals = surface.normals(X, section);
    let mut list = Vec::new();
    for ((&node, area), normal) in surface.nodes.iter().zip(areas).zip(normals) {
        let near = boxes.near(&Extent::of([X[node]]), reach);
        let hits = near.into_iter().map(|k| &other.faces[k]).filter(|face| !face.nodes().contains(&node));
        let hits = hits.filter_map(|face| Some((face, project(face, &X[node], X, section)?)));
        let best = hits
            .filter(|(_, hit)| dot(&hit.normal, &normal) < 0.0 && hit.gap <= reach && hit.gap >= -reach)
            .min_by(|(_, a), (_, b)| a.gap.abs().total_cmp(&b.gap.abs()));
        if let Some((face, hit)) = best {
            let mut weights = vec![(node, 1.0)];
            weights.extend(face.nodes().iter().zip(hit.N).map(|(&j, N)| (j, -N)));
            let frame = frame(hit.normal, section.dimension());
            list.push(Candidate { contact, node, weights, frame, gap: hit.gap, area });
        }
    }
    list
}

/// One candidate per node of a surface, for displacements of any size: what it touches is found step by step.
pub(in crate::solid) fn every_node(contact: usize, surface: &Surface, X: &[Vec3], section: Section) -> Vec<Candidate> {
    let (areas, normals) = (surface.tributary_areas(X, section), surface.normals(X, section));
    let of = |((&node, area), normal): ((&usize, f64), Vec3)| {
        let frame = frame(scale(-1.0, &normal), section.dimension());
        Candidate { contact, node, weights: vec![(node, 1.0)], frame, gap: 0.0, area }
    };
    surface.nodes.iter().zip(areas).zip(normals).map(of).collect()
}

struct Hit {
    N: [f64; MOST_NODES],
    normal: Vec3,
    gap: f64,
}

/// The foot of x on a face by Gauss–Newton; `None` when it is beyond the edges.
fn project(face: &Face, x: &Vec3, X: &[Vec3], section: Section) -> Option<Hit> {
    let entry = face.kind.entry();
    let n = entry.nodes.len();
    let own = face.places(X);
    let mut xi = entry.centre();
    for _ in 0..30 {
        let at = FaceSample::new(entry, &own[..n], &Point { xi, weight: 1.0 }, section);
        let r = sub(x, &at.x);
        let mut dN = [[0.0; 3]; MOST_NODES];
        (entry.gradient)(xi, &mut dN[..n]);
        let tangent = |k: usize| [0, 1, 2].map(|i| (0..n).map(|a| own[a][i] * dN[a][k]).sum::<f64>());
        let (a, b) = (tangent(0), if entry.domain.dimension() == 2 { tangent(1) } else { [0.0; 3] });
        let (aa, ab, bb) = (dot(&a, &a), dot(&a, &b), if entry.domain.dimension() == 2 { dot(&b, &b) } else { 1.0 });
        let det = aa * bb - ab * ab;
        let (ra, rb) = (dot(&a, &r), dot(&b, &r));
        let step = [(bb * ra - ab * rb) / det, (aa * rb - ab * ra) / det];
        if !(step[0].is_finite() && step[1].is_finite()) {
            return None;
        }
        xi[0] += step[0];
        xi[1] += step[1];
        if step[0].abs().max(step[1].abs()) < 1e-14 {
            break;
        }
    }
    let xi = clamped(entry.domain, xi)?;
    let at = FaceSample::new(entry, &own[..n], &Point { xi, weight: 1.0 }, section);
    Some(Hit { N: at.N, normal: at.normal, gap: dot(&at.normal, &sub(x, &at.x)) })
}

/// ξ moved onto the face if it is hardly beyond it.
fn clamped(domain: Domain, xi: [f64; 3]) -> Option<[f64; 3]> {
    let [x, y, _] = xi;
    match domain {
        Domain::Line => (x.abs() <= 1.0 + BEYOND).then(|| [x.clamp(-1.0, 1.0), 0.0, 0.0]),
        Domain::Square => (x.abs().max(y.abs()) <= 1.0 + BEYOND).then(|| [x.clamp(-1.0, 1.0), y.clamp(-1.0, 1.0), 0.0]),
        Domain::Triangle => {
            let L = [1.0 - x - y, x, y];
            if L.iter().any(|&L| L < -BEYOND) {
                return None;
            }
            let inside = L.map(|L| L.max(0.0));
            let sum: f64 = inside.iter().sum();
            Some([inside[1] / sum, inside[2] / sum, 0.0])
        }
        Domain::Point | Domain::Tetrahedron | Domain::Cube => None,
    }
}
