//! Bodies inside the surface of another: a surface of triangles is hollow to contact detection, a solid to its user.
//!
//!   p inside ⟺ (p − s)·n_s ≤ 0,    s the nearest point of the surface, n_s its angle-weighted normal,    depth = |p − s| + r
//!
//! Asked of a few points of each body before the first step, where an overlap may be of any depth, and of two surfaces that are fast; in
//! motion, contacts are found before surfaces cross.

use super::math::{Vec3, mul, mul_t, sub};
use super::shapes::Manner;
use super::{Bodies, Frame};
use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{TriMesh, TriMeshFlags};

/// A body that reaches into a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside {
    /// The body and the one whose surface it is in.
    pub bodies: [usize; 2],
    /// How far the body is to go for this point to be outside [m].
    pub depth: f64,
    /// The way out, world frame.
    pub normal: Vec3,
}

impl Bodies {
    /// For each pair, the deepest point of a body inside another's surface of triangles.
    pub fn inside_surfaces(&self, frames: &[Frame]) -> Vec<Inside> {
        let mut found = Vec::new();
        for (k, body) in self.bodies().iter().enumerate() {
            if body.shape.manner() != Manner::Surface {
                continue;
            }
            let Some(surface) = self.oriented(k) else { continue };
            let others = (0..self.len()).filter(|&i| i != k && self.may_touch(i, k));
            found.extend(others.filter_map(|i| {
                let (depth, normal) =
                    self.deepest_inside(i, &self.bodies()[i].shape_frame(&frames[i]), &surface, &frames[k])?;
                Some(Inside { bodies: [i, k], depth, normal })
            }));
        }
        found
    }

    /// The surface of body k as one with an inside.
    fn oriented(&self, k: usize) -> Option<TriMesh> {
        let mesh = self.bodies()[k].shape.surface(false, 0);
        let vertices = mesh.points.iter().map(|x| Vector::new(x[0], x[1], x[2])).collect();
        let triangles = mesh.faces.iter().map(|f| [f[0], f[1], f[2]].map(|i| i as u32)).collect();
        TriMesh::with_flags(vertices, triangles, TriMeshFlags::ORIENTED).ok()
    }

    /// The deepest point of body i inside a surface, and its way out.
    fn deepest_inside(&self, i: usize, own: &Frame, surface: &TriMesh, frame: &Frame) -> Option<(f64, Vec3)> {
        let probes = self.bodies()[i].shape.probes();
        let inside = |p: &(Vec3, f64)| deepest(surface, frame, &own.point(&p.0), p.1);
        probes.iter().filter_map(inside).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// How deep a vertex of one of two surfaces is inside the other [m].
    pub(crate) fn depth_of_surfaces(&self, [i, j]: [usize; 2], [a, b]: [&Frame; 2]) -> f64 {
        let of = |k, own, other: usize, frame| {
            let surface = self.oriented(other)?;
            self.deepest_inside(k, own, &surface, frame).map(|(depth, _)| depth)
        };
        of(i, a, j, b).unwrap_or(0.0).max(of(j, b, i, a).unwrap_or(0.0))
    }
}

/// Depth of a ball about a world point, and the way out; none where its centre is outside.
fn deepest(surface: &TriMesh, frame: &Frame, point: &Vec3, radius: f64) -> Option<(f64, Vec3)> {
    let p = mul_t(&frame.R, &sub(point, &frame.x));
    let p = Vector::new(p[0], p[1], p[2]);
    if !surface.local_aabb().contains_local_point(p) {
        return None;
    }
    let nearest = surface.project_local_point(p, false);
    if !nearest.is_inside {
        return None;
    }
    let way = nearest.point - p;
    let distance = way.length();
    let out = if distance > 0.0 { way / distance } else { return None };
    Some((distance + radius, mul(&frame.R, &[out.x, out.y, out.z])))
}
