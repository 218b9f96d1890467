//! From two shapes to the function that knows how they meet.
//!
//! Closed forms first, each for one pair of shapes. Every other pair is met in the manner that its shapes declare
//! ([`Manner`]): before a plane, by corners in the plane, by the collision library in space. There is no pair without an answer.

use super::super::shapes::{Manner, Shape};
use super::super::{Bodies, Frame};
use super::Touch;
use super::balls::{ball_ball, ball_box, ball_capsule, capsule_capsule};
use super::planar::{ball_polygon, polygon_polygon};
use super::planes::before_plane;

/// Contacts of two bodies within the margin; true when normals point to the first, false when to the second.
pub fn touch(scene: &Bodies, a: (usize, &Frame), b: (usize, &Frame), margin: f64, out: &mut Vec<Touch>) -> bool {
    let (s, t) = (&scene.bodies()[a.0].shape, &scene.bodies()[b.0].shape);
    if s.rank() > t.rank() {
        pair(scene, (b.0, t, b.1), (a.0, s, a.1), margin, out);
        return false;
    }
    pair(scene, (a.0, s, a.1), (b.0, t, b.1), margin, out);
    true
}

type Placed<'a> = (usize, &'a Shape, &'a Frame);

/// The shapes come in the order of their list.
fn pair(scene: &Bodies, a: Placed, b: Placed, margin: f64, out: &mut Vec<Touch>) {
    let planar = scene.is_planar();
    if let Shape::Sphere(ball) = a.1 {
        let ball = (&a.2.x, ball.radius);
        if let Shape::Sphere(other) = b.1 {
            return ball_ball(ball, (&b.2.x, other.radius), 0, margin, out);
        }
        if let Shape::Capsule(capsule) = b.1 {
            return ball_capsule(ball, (b.2, capsule), margin, out);
        }
        if let (Shape::Box(cuboid), false) = (b.1, planar) {
            return ball_box(ball, (b.2, &cuboid.size.map(|x| 0.5 * x)), margin, out);
        }
    }
    if let (Shape::Capsule(s), Shape::Capsule(t)) = (a.1, b.1) {
        return capsule_capsule((a.2, s), (b.2, t), margin, out);
    }
    match (a.1.manner(), b.1.manner()) {
        (Manner::Convex | Manner::Surface, Manner::HalfSpace) => before_plane((a.1, a.2), b.2, planar, margin, out),
        (Manner::Convex | Manner::Surface, Manner::Convex | Manner::Surface) if planar => {
            if let Shape::Sphere(ball) = a.1 {
                ball_polygon((&a.2.x, ball.radius), (b.2, b.1), margin, out);
            } else {
                polygon_polygon((a.1, a.2), (b.1, b.2), margin, out);
            }
        }
        (Manner::Convex | Manner::Surface, Manner::Convex | Manner::Surface) => {
            super::solids::touch(scene, (a.0, a.2), (b.0, b.2), margin, out);
        }
        // half-spaces, which are never free, do not meet; the list has nothing else after them
        (Manner::HalfSpace, Manner::Convex | Manner::Surface | Manner::HalfSpace) => {}
        (Manner::Nothing, _) | (_, Manner::Nothing) => {}
    }
}
