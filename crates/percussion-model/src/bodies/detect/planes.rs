//! Everything before a plane: corners, ends and rims, each a contact of its own.

use super::super::math::{Vec3, axpy, dot, norm, scale, sub};
use super::super::{Frame, Shape};
use super::Touch;
use super::balls::axis;

/// Contacts of body a with the plane of body b; `up` is the plane's axis in its own frame (z, or y in the plane).
pub fn before_plane(a: (&Shape, &Frame), b: &Frame, up: usize, margin: f64, out: &mut Vec<Touch>) {
    let n = [b.R[0][up], b.R[1][up], b.R[2][up]];
    let mut point = |centre: &Vec3, radius: f64, feature: u16| {
        let height = dot(&n, &sub(centre, &b.x));
        if height - radius <= margin {
            let points = [axpy(centre, -radius, &n), axpy(centre, -height, &n)];
            out.push(Touch { feature, gap: height - radius, normal: n, points, radii: [radius, 0.0], round: false });
        }
    };
    let frame = a.1;
    match a.0 {
        Shape::Sphere { radius } => point(&frame.x, *radius, 0),
        Shape::Capsule { radius, length } => {
            let [p, q] = axis(frame, *length);
            point(&p, *radius, 0);
            point(&q, *radius, 1);
        }
        Shape::Box { size } => {
            let corners = if up == 1 { 4 } else { 8 };
            for k in 0..corners {
                let half = |i: usize| size[i] * (f64::from(k >> i & 1) - 0.5);
                let corner = [half(0), half(1), if up == 1 { 0.0 } else { half(2) }];
                point(&frame.point(&corner), 0.0, k as u16);
            }
        }
        Shape::Polygon { points } => {
            for (k, p) in points.iter().enumerate() {
                point(&frame.point(&[p[0], p[1], 0.0]), 0.0, k as u16);
            }
        }
        Shape::Hull { points } => {
            for (k, p) in points.iter().enumerate() {
                point(&frame.point(p), 0.0, k as u16);
            }
        }
        Shape::Mesh(mesh) => {
            for (k, p) in mesh.vertices.iter().enumerate().take(usize::from(u16::MAX)) {
                point(&frame.point(p), 0.0, k as u16);
            }
        }
        Shape::Cylinder { radius, length } => {
            // on each rim the lowest point and three more around it
            let z = [frame.R[0][2], frame.R[1][2], frame.R[2][2]];
            let x = [frame.R[0][0], frame.R[1][0], frame.R[2][0]];
            let down = axpy(&scale(-1.0, &n), dot(&n, &z), &z);
            let slope = norm(&down);
            let s = if slope > 1e-9 { scale(1.0 / slope, &down) } else { x };
            let t = super::super::math::cross(&z, &s);
            for (end, centre) in axis(frame, *length).iter().enumerate() {
                for (k, (c, d)) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)].iter().enumerate() {
                    let p = axpy(&axpy(centre, radius * c, &s), radius * d, &t);
                    point(&p, 0.0, (4 * end + k) as u16);
                }
            }
        }
        Shape::Plane | Shape::Point => {}
    }
}
