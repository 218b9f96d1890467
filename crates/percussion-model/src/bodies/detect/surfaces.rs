//! Surfaces of triangles against each other: which of the library's touches are of the solids behind the surfaces, and one of them per place.
//!
//! The library meets triangle with triangle, each a plate of its own. Of closed surfaces with outward normals N₁, N₂ a touch along d, from the first
//! to the second, can only be one where the plates look at each other:
//!
//!   N₁·d ≥ 0 ≥ N₂·d
//!
//! Coplanar caps of two wheels, N₁ = N₂ = ±d, do not. And the point that touches bears: no surface around it on the first body lies further along d,
//! none on the second less far,
//!
//!   d·(x − p₁) ≤ 0 ≤ d·(x − p₂)   for the triangles that contain the point,
//!
//! which plates that cross near an edge, and part in a direction of their own, do not satisfy. Where an edge or a corner touches, every triangle around it finds the same touch again; one is
//! kept for each place and normal. All this is asked only where faces of the two lie in one plane and look the same way: elsewhere plates that have got through each
//! other part as well as they can, and what they say is all there is.

use super::super::math::{Vec3, norm, sub};
use super::Touch;
use super::solids::Solid;
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::TriMesh;
use std::collections::BTreeMap;

/// Round-off of d·N: a cap and the flank beside it are perpendicular to the digits of their vertices, which STL files keep in single precision.
const LOOKING: f64 = 1e-6;
/// Part of the smaller body's size within which two touches are at one place.
const PLACE: f64 = 1e-6;
/// Difference of the unit normals of two touches at one place that are the same one: of touching triangles the library finds d to about 1e-2.
const NORMAL: f64 = 0.02;
/// Round-off of the cosine between d and the normal of a face along which it is.
const ALONG: f64 = 1e-9;

/// A touch, and whether its normal is that of a face.
pub(super) type Found = (Touch, bool);

/// Outward normals of the triangles of two surfaces, in the axes of the first.
pub(super) struct Faces<'a> {
    solids: [&'a Solid; 2],
    relative: &'a Pose,
}

impl<'a> Faces<'a> {
    /// Of two shapes, the second placed before the first.
    pub(super) fn new(solids: [&'a Solid; 2], relative: &'a Pose) -> Self {
        Self { solids, relative }
    }

    /// Whether two triangles lie in one plane and look the same way, as caps of two wheels do.
    pub(super) fn flush(&self, triangles: [u32; 2], size: f64) -> bool {
        let [first, second] = [0, 1].map(|k| self.solids[k].mesh().map(|(mesh, _)| mesh.triangle(triangles[k])));
        let (Some(first), Some(second)) = (first, second) else { return false };
        let (Some(n), Some(m)) = (first.normal(), second.normal()) else { return false };
        let across = self.relative.transform_point(second.a) - first.a;
        self.relative.transform_vector(m).dot(n) >= 1.0 - LOOKING && n.dot(across).abs() <= PLACE * size
    }

    /// N₁·d and −N₂·d of two triangles, where both shapes are surfaces of triangles.
    pub(super) fn looks(&self, triangles: [u32; 2], d: Vector) -> Option<[f64; 2]> {
        let [first, second] =
            [0, 1].map(|k| self.solids[k].mesh().map(|(mesh, _)| mesh.triangle(triangles[k]).normal()));
        let (n, m) = (first??, second??);
        Some([n.dot(d), -self.relative.transform_vector(m).dot(d)])
    }

    /// Whether the points of two triangles, each in the axes of its own surface, are the furthest of their surroundings along d and against it.
    pub(super) fn bear(&self, triangles: [u32; 2], points: [Vector; 2], d: Vector, size: f64) -> bool {
        let back = -self.relative.inverse().transform_vector(d);
        [(0, d), (1, back)].into_iter().all(|(k, d)| {
            let Some((mesh, around)) = self.solids[k].mesh() else { return true };
            is_furthest(mesh, around, triangles[k], points[k], d, PLACE * size)
        })
    }
}

/// The triangles around each vertex of a surface.
pub(super) fn triangles_around(mesh: &TriMesh) -> Vec<Vec<u32>> {
    let mut around = vec![Vec::new(); mesh.vertices().len()];
    for (k, triangle) in mesh.indices().iter().enumerate() {
        triangle.iter().for_each(|&i| around[i as usize].push(k as u32));
    }
    around
}

/// Whether no triangle that contains p, which lies on this one, reaches further along d than p.
fn is_furthest(mesh: &TriMesh, around: &[Vec<u32>], triangle: u32, p: Vector, d: Vector, bound: f64) -> bool {
    let mut neighbours = mesh.indices()[triangle as usize].iter().flat_map(|&i| &around[i as usize]);
    neighbours.all(|&k| {
        let t = mesh.triangle(k);
        let corners = [t.a, t.b, t.c];
        let rises = |x: &Vector| (*x - p).dot(d) > NORMAL * (*x - p).length() + bound;
        !corners.iter().any(rises) || t.distance_to_local_point(p, true) > bound
    })
}

/// Whether two triangles look at each other along d, and whether d is the normal of one of them.
pub(super) fn facing(looks: [f64; 2]) -> Option<bool> {
    let aligned = looks.iter().any(|x| *x >= 1.0 - ALONG);
    looks.iter().all(|x| *x >= -LOOKING).then_some(aligned)
}

/// One touch per place and normal: that along the normal of a face before others, then by name, so that which one is kept does not depend on
/// round-off of their gaps.
pub(super) fn one_per_place(mut found: Vec<Found>, size: f64) -> Vec<Touch> {
    found.sort_by(|(a, aligned), (b, other)| other.cmp(aligned).then(a.feature.cmp(&b.feature)));
    let bound = PLACE * size;
    // what was kept, by cells of twice the bound: a touch at the same place is in the cell of a corner of the cube about it
    let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
    let cell = |p: &Vec3, corner: usize| -> [i64; 3] {
        std::array::from_fn(|k| {
            let side = if corner >> k & 1 == 0 { -bound } else { bound };
            ((p[k] + side) / (2.0 * bound)).floor() as i64
        })
    };
    let near = |p: &Vec3, q: &Vec3, bound: f64| norm(&sub(p, q)) <= bound;
    let mut kept: Vec<Touch> = Vec::new();
    for (touch, _) in found {
        let [p, q] = &touch.points;
        let same = |k: &usize| {
            let other = &kept[*k];
            near(&touch.normal, &other.normal, NORMAL)
                && near(p, &other.points[0], bound)
                && near(q, &other.points[1], bound)
        };
        let seen = (0..8).any(|corner| cells.get(&cell(p, corner)).is_some_and(|there| there.iter().any(same)));
        if !seen {
            let own = std::array::from_fn(|k| (p[k] / (2.0 * bound)).floor() as i64);
            cells.entry(own).or_default().push(kept.len());
            kept.push(touch);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(feature: u16, x: f64, normal: [f64; 3]) -> Touch {
        let points = [[x, 0.0, 0.0]; 2];
        Touch { feature, gap: 1e-9 * f64::from(feature), normal, points, radii: [0.0; 2], round: false, turned: false }
    }

    /// Touches found again by neighbouring triangles are one, the one along a face's normal.
    #[test]
    fn one_touch_per_place() {
        let up = [0.0, 0.0, 1.0];
        let tilted = [0.0, 0.007, (1.0_f64 - 4.9e-5).sqrt()];
        let found = vec![
            (touch(1, 0.0, tilted), false),
            (touch(7, 0.0, up), true),
            (touch(9, 0.0, up), true),
            (touch(3, 0.5, up), true),
            (touch(4, 1.0, up), true),
            (touch(5, 1.0, [1.0, 0.0, 0.0]), true),
        ];
        let kept = one_per_place(found, 1.0);
        let names: Vec<u16> = kept.iter().map(|t| t.feature).collect();
        assert_eq!(names, [3, 4, 5, 7]);
    }

    /// On a cube the middle of an edge bears along what lies between the normals of its two faces, and nothing beyond them.
    #[test]
    fn an_edge_bears_between_its_faces() {
        let corners = (0..8_u32).map(|k| [k & 1, k >> 1 & 1, k >> 2 & 1].map(f64::from));
        let vertices: Vec<Vector> = corners.map(|[x, y, z]| Vector::new(x, y, z)).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        let mesh = TriMesh::new(vertices, triangles).expect("a surface");
        let around = triangles_around(&mesh);
        // the edge x = y = 1 and the triangles beside it
        let p = Vector::new(1.0, 1.0, 0.5);
        for triangle in (0..12).filter(|&k| mesh.triangle(k).distance_to_local_point(p, true) < 1e-12) {
            for (angle, bears) in [(0.0, true), (0.7, true), (1.57, true), (-0.1, false), (1.7, false), (3.0, false)] {
                let d = Vector::new(f64::cos(angle), f64::sin(angle), 0.0);
                assert_eq!(is_furthest(&mesh, &around, triangle, p, d, 1e-9), bears, "{triangle} {angle}");
            }
        }
    }

    /// Coplanar caps do not look at each other; a ridge before a flank does.
    #[test]
    fn coplanar_caps_do_not_touch() {
        assert_eq!(facing([1.0, -1.0]), None);
        assert_eq!(facing([1.0, 1.0]), Some(true));
        assert_eq!(facing([0.0, 1.0]), Some(true));
        assert_eq!(facing([0.9, 0.8]), Some(false));
    }
}
