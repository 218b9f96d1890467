//! Where a mesh is cut although it looks whole: nodes of the surface that lie on faces they do not belong to.
//!
//!   x = Σ N_a x_a with N_a ≥ 0 on a face without the node:   N_a = 1, the place of another node;   else a hanging node
//!
//! Surfaces in contact are left out: there it is meant.

use super::contact::search::{Boxes, Extent};
use super::model::Solid;
use super::surface::Face;
use crate::bodies::math::{Vec3, axpy, cross, dot, norm, sub};

/// Places nearer than this part of a face's size are the same.
const SAME: f64 = 1e-7;

/// Nodes of the surface that nothing joins to the face they lie on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seams {
    /// Nodes where another node is.
    pub twins: usize,
    /// Nodes on a face between its nodes.
    pub hanging: usize,
    /// The first of either, as a node of the solid.
    pub first: Option<usize>,
}

/// Where a node is on a face.
enum Place {
    Away,
    Corner,
    Between,
}

impl Solid {
    /// Nodes that lie on faces they do not belong to, contact surfaces aside.
    pub fn seams(&self) -> Seams {
        let (X, mut seams) = (&self.matter().X, Seams::default());
        let mut own = vec![true; X.len()];
        for (surface, other) in self.contact_surfaces() {
            let both = surface.nodes.iter().chain(other.iter().flat_map(|other| &other.nodes));
            both.for_each(|&i| own[i] = false);
        }
        let outer = self.outer_surface();
        let faces: Vec<&Face> = outer.faces.iter().filter(|face| face.corners().iter().any(|&i| own[i])).collect();
        let corners = |face: &Face| face.corners().iter().map(|&i| X[i]).collect::<Vec<Vec3>>();
        let boxes = Boxes::new(faces.iter().map(|face| Extent::of(corners(face))).collect());
        for &i in outer.nodes.iter().filter(|&&i| own[i]) {
            let (mut twin, mut hangs) = (false, false);
            for k in boxes.near(&Extent::of([X[i]]), 0.0) {
                if faces[k].nodes().contains(&i) {
                    continue;
                }
                match place(&X[i], &corners(faces[k])) {
                    Place::Away => (),
                    Place::Corner => twin = true,
                    Place::Between => hangs = true,
                }
            }
            // a twin of one face's node may hang on another
            seams.twins += usize::from(twin);
            seams.hanging += usize::from(hangs && !twin);
            if (twin || hangs) && seams.first.is_none() {
                seams.first = Some(i);
            }
        }
        seams
    }
}

/// Where x is on a face with these corners.
fn place(x: &Vec3, corners: &[Vec3]) -> Place {
    let size = corners.iter().map(|c| norm(&sub(c, &corners[0]))).fold(0.0, f64::max);
    let near = |p: &Vec3| norm(&sub(x, p)) <= SAME * size;
    if corners.iter().any(near) {
        return Place::Corner;
    }
    let inside = match corners {
        [a, b] => {
            let (along, r) = (sub(b, a), sub(x, a));
            let s = dot(&r, &along) / dot(&along, &along);
            (0.0..=1.0).contains(&s) && near(&axpy(a, s, &along))
        }
        [a, b, c] => in_triangle(x, [a, b, c], size),
        [a, b, c, d] => in_triangle(x, [a, b, c], size) || in_triangle(x, [a, c, d], size),
        _ => false,
    };
    if inside { Place::Between } else { Place::Away }
}

/// Whether x is in a triangle, its rim included.
fn in_triangle(x: &Vec3, [a, b, c]: [&Vec3; 3], size: f64) -> bool {
    let (u, v, r) = (sub(b, a), sub(c, a), sub(x, a));
    let n = cross(&u, &v);
    let area = norm(&n);
    if dot(&r, &n).abs() > SAME * size * area {
        return false;
    }
    let share = |p: &Vec3| dot(p, &n) / (area * area);
    let (s, t) = (share(&cross(&r, &v)), share(&cross(&u, &r)));
    s >= -SAME && t >= -SAME && s + t <= 1.0 + SAME
}
