//! Points shared by segments in the plane: a segment is cut where the other surface has a node.
//!
//!   t = (x − x_a)·(x_b − x_a)/L²,    three Gauss points in each piece

use super::mortar::Shared;
use crate::bodies::math::{Vec3, axpy, dot, norm, scale, sub};
use crate::solid::element::{MOST_NODES, rule};
use crate::solid::section::Section;
use crate::solid::surface::{Face, Surface};

/// Points of a face shared with faces of the other surface; sides are taken as straight between their corners.
pub(super) fn shared(
    face: &Face,
    other: &Surface,
    near: &[usize],
    reach: f64,
    X: &[Vec3],
    section: Section,
) -> Vec<Shared> {
    let [a, b] = [X[face.corners()[0]], X[face.corners()[1]]];
    let along = sub(&b, &a);
    let length = norm(&along);
    let n = scale(1.0 / length, &[along[1], -along[0], 0.0]);
    let mut list = Vec::new();
    for &k in near {
        let candidate = &other.faces[k];
        let [c, d] = [X[candidate.corners()[0]], X[candidate.corners()[1]]];
        let place = |x: &Vec3| dot(&sub(x, &a), &along) / (length * length);
        let (t_c, t_d) = (place(&c), place(&d));

        // segments that look at each other run in opposite directions
        let overlap = [t_d.max(0.0), t_c.min(1.0)];
        if candidate.element == face.element || t_c <= t_d || overlap[1] - overlap[0] <= 1e-12 {
            continue;
        }
        let middle = axpy(&d, (0.5 * (overlap[0] + overlap[1]) - t_d) / (t_c - t_d), &sub(&c, &d));
        let gap = dot(&n, &sub(&middle, &a));
        if gap.abs() > reach {
            continue;
        }
        for point in rule::line(3) {
            let half = 0.5 * (overlap[1] - overlap[0]);
            let t = overlap[0] + half * (1.0 + point.xi[0]);
            let xi_other = -1.0 + 2.0 * (t_c - t) / (t_c - t_d);
            let mut N_other = [0.0; MOST_NODES];
            let entry = candidate.kind.entry();
            (entry.shape)([xi_other, 0.0, 0.0], &mut N_other[..entry.nodes.len()]);
            let r = a[0] + t * along[0];
            let dA = half * point.weight * length * section.weight(r);
            list.push(Shared { xi: [2.0 * t - 1.0, 0.0, 0.0], other: k, N_other, dA });
        }
    }
    list
}
