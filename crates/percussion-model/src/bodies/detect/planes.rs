//! Everything before a plane: corners, ends and rims, each a contact of its own.
//!
//!   g = n·(c − x_b) − r,    c and r of each ball or corner that the shape shows

use super::super::math::{Vec3, axpy, dot, sub};
use super::super::{Frame, Shape};
use super::Touch;

/// Contacts of body a with the plane of body b.
pub fn before_plane(a: (&Shape, &Frame), b: &Frame, planar: bool, margin: f64, out: &mut Vec<Touch>) {
    let up = if planar { 1 } else { 2 };
    let n: Vec3 = [b.R[0][up], b.R[1][up], b.R[2][up]];
    before(a, (&b.x, &n), planar, margin, out);
}

/// Contacts of a body with the plane through a point.
pub fn before(a: (&Shape, &Frame), (x, n): (&Vec3, &Vec3), planar: bool, margin: f64, out: &mut Vec<Touch>) {
    a.0.before_plane(a.1, n, planar, |feature, centre, radius| {
        let height = dot(n, &sub(centre, x));
        if height - radius <= margin {
            let points = [axpy(centre, -radius, n), axpy(centre, -height, n)];
            out.push(Touch {
                feature,
                gap: height - radius,
                normal: *n,
                points,
                radii: [radius, 0.0],
                round: false,
                turned: false,
            });
        }
    });
}
