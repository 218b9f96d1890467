//! From two shapes to the function that knows them.

use super::super::{Bodies, Frame, Shape};
use super::Touch;
use super::balls::{ball_ball, ball_box, ball_capsule, capsule_capsule};
use super::planar::{ball_polygon, polygon_polygon};
use super::planes::before_plane;

/// Contacts of two bodies within the margin; true when normals point to the first, false when to the second.
pub fn touch(scene: &Bodies, a: (usize, &Frame), b: (usize, &Frame), margin: f64, out: &mut Vec<Touch>) -> bool {
    let (s, t) = (&scene.bodies()[a.0].shape, &scene.bodies()[b.0].shape);
    if rank(s) > rank(t) {
        pair(scene, (b.0, t, b.1), (a.0, s, a.1), margin, out);
        return false;
    }
    pair(scene, (a.0, s, a.1), (b.0, t, b.1), margin, out);
    true
}

/// Rounder first, planes last.
fn rank(shape: &Shape) -> u8 {
    match shape {
        Shape::Sphere { .. } => 0,
        Shape::Capsule { .. } => 1,
        Shape::Box { .. } => 2,
        Shape::Polygon { .. } => 3,
        Shape::Cylinder { .. } => 4,
        Shape::Hull { .. } => 5,
        Shape::Mesh(_) => 6,
        Shape::Plane => 7,
        Shape::Point => 8,
    }
}

type Placed<'a> = (usize, &'a Shape, &'a Frame);

fn pair(scene: &Bodies, a: Placed, b: Placed, margin: f64, out: &mut Vec<Touch>) {
    let planar = scene.is_planar();
    match (a.1, b.1) {
        (shape, Shape::Plane) => before_plane((shape, a.2), b.2, if planar { 1 } else { 2 }, margin, out),
        (Shape::Sphere { radius: r }, Shape::Sphere { radius: s }) => {
            ball_ball((&a.2.x, *r), (&b.2.x, *s), 0, margin, out);
        }
        (Shape::Sphere { radius: r }, Shape::Capsule { radius: s, length }) => {
            ball_capsule((&a.2.x, *r), (b.2, *s, *length), margin, out);
        }
        (Shape::Capsule { radius: r, length: l }, Shape::Capsule { radius: s, length: m }) => {
            capsule_capsule((a.2, *r, *l), (b.2, *s, *m), margin, out);
        }
        (Shape::Sphere { radius: r }, Shape::Box { size }) if !planar => {
            ball_box((&a.2.x, *r), (b.2, &size.map(|x| 0.5 * x)), margin, out);
        }
        (Shape::Sphere { radius: r }, other) if planar => ball_polygon((&a.2.x, *r), (b.2, other), margin, out),
        (s, t) if planar => polygon_polygon((s, a.2), (t, b.2), margin, out),
        _ => super::solids::touch(scene, (a.0, a.2), (b.0, b.2), margin, out),
    }
}
