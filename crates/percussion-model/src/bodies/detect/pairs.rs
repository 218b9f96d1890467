//! From two shapes to the function that knows how they meet.
//!
//! Closed forms first, each for one pair of shapes. Every other pair is met in the manner that its shapes declare
//! ([`Manner`]): before a plane, by corners in the plane, by the collision library in space. There is no pair without an answer.

use super::super::math::Vec3;
use super::super::shapes::{Manner, Shape};
use super::super::{Bodies, Frame};
use super::balls::{ball_ball, ball_box, ball_capsule, capsule_along_side, capsule_capsule, crossed_sides};
use super::planar::{ball_polygon, capsule_polygon, polygon_polygon};
use super::planes::before_plane;
use super::solids::Solid;
use super::{Touch, compounds};

/// A shape in space, or one of several of a body.
pub struct Placed<'a> {
    /// What it looks like.
    pub shape: &'a Shape,
    /// Where it is.
    pub frame: &'a Frame,
    /// As the collision library knows it.
    pub solid: Option<&'a Solid>,
    /// Radius of the ball about its origin that holds it [m].
    pub reach: f64,
}

/// Contacts of two bodies within the margin; normals point to the first unless a touch is turned.
#[inline]
pub fn touch(scene: &Bodies, a: (usize, &Frame), b: (usize, &Frame), margin: f64, out: &mut Vec<Touch>) {
    let (s, t) = (&scene.bodies()[a.0], &scene.bodies()[b.0]);
    if s.placed.is_some() || t.placed.is_some() {
        let (p, q) = (s.shape_frame(a.1), t.shape_frame(b.1));
        return touch_at(scene, (a.0, &p), (b.0, &q), margin, out);
    }
    touch_at(scene, a, b, margin, out);
}

/// The same with the frames of the shapes.
#[inline]
fn touch_at(scene: &Bodies, a: (usize, &Frame), b: (usize, &Frame), margin: f64, out: &mut Vec<Touch>) {
    let [s, t] = [a, b].map(|(i, frame)| {
        let prepared = scene.prepared(i, 0);
        let shape = &scene.bodies()[i].shape;
        Placed { shape, frame, solid: prepared.solid.as_ref(), reach: scene.bodies()[i].reach }
    });
    let several = |placed: &Placed| placed.shape.manner() == Manner::Several;
    if several(&s) || several(&t) {
        return compounds::touch(scene, a, b, margin, out);
    }
    meet(scene.is_planar(), &s, &t, margin, out);
}

/// Contacts of two shapes.
pub fn meet(planar: bool, a: &Placed, b: &Placed, margin: f64, out: &mut Vec<Touch>) {
    if a.shape.rank() > b.shape.rank() {
        let from = out.len();
        pair(planar, b, a, margin, out);
        out[from..].iter_mut().for_each(|touch| touch.turned = !touch.turned);
    } else {
        pair(planar, a, b, margin, out);
    }
}

/// The axis, the radius and whether it ends flat, of a shape with a round side.
fn round_side(placed: &Placed) -> Option<([Vec3; 2], f64, bool)> {
    if let Shape::Cylinder(cylinder) = placed.shape {
        return Some((cylinder.axis(placed.frame), cylinder.radius, true));
    }
    if let Shape::Capsule(capsule) = placed.shape {
        return Some((capsule.axis(placed.frame, false), capsule.radius, false));
    }
    None
}

/// The shapes come in the order of their list.
fn pair(planar: bool, a: &Placed, b: &Placed, margin: f64, out: &mut Vec<Touch>) {
    if let Shape::Sphere(ball) = a.shape {
        let ball = (&a.frame.x, ball.radius);
        if let Shape::Sphere(other) = b.shape {
            return ball_ball(ball, (&b.frame.x, other.radius), 0, margin, out);
        }
        if let Shape::Capsule(capsule) = b.shape {
            return ball_capsule(ball, (&capsule.axis(b.frame, planar), capsule.radius), margin, out);
        }
        if let (Shape::Box(cuboid), false) = (b.shape, planar) {
            return ball_box(ball, (b.frame, &cuboid.size.map(|x| 0.5 * x)), margin, out);
        }
    }
    if let (Shape::Capsule(s), Shape::Capsule(t)) = (a.shape, b.shape) {
        let (s, t) = ((&s.axis(a.frame, planar), s.radius), (&t.axis(b.frame, planar), t.radius));
        return capsule_capsule(s, t, margin, out);
    }
    if let (false, Some((s, a, flat_a)), Some((t, b, flat_b))) = (planar, round_side(a), round_side(b))
        && crossed_sides((&s, a, flat_a), (&t, b, flat_b), margin, out)
    {
        return;
    }
    if let (Shape::Capsule(capsule), Shape::Cylinder(cylinder), false) = (a.shape, b.shape, planar) {
        let (axis, side) = (capsule.axis(a.frame, false), cylinder.axis(b.frame));
        if capsule_along_side((&axis, capsule.radius), (&side, cylinder.radius), margin, out) {
            return;
        }
    }
    match (a.shape.manner(), b.shape.manner()) {
        (Manner::Convex | Manner::Surface, Manner::HalfSpace) => {
            before_plane((a.shape, a.frame), b.frame, planar, margin, out);
        }
        (Manner::Convex | Manner::Surface, Manner::Convex | Manner::Surface) if planar => {
            if let Shape::Sphere(ball) = a.shape {
                ball_polygon((&a.frame.x, ball.radius), (b.frame, b.shape), margin, out);
            } else if let Shape::Capsule(capsule) = a.shape {
                capsule_polygon((&capsule.axis(a.frame, true), capsule.radius), (b.frame, b.shape), margin, out);
            } else {
                polygon_polygon((a.shape, a.frame), (b.shape, b.frame), margin, out);
            }
        }
        (Manner::Convex | Manner::Surface, Manner::Convex | Manner::Surface) => {
            super::solids::touch(a, b, margin, out);
        }
        // half-spaces, which are never free, do not meet; the list has nothing else after them
        (Manner::HalfSpace, Manner::Convex | Manner::Surface | Manner::HalfSpace) => {}
        // several shapes are met piece by piece
        (Manner::Several, _) | (_, Manner::Several) => {}
        (Manner::Nothing, _) | (_, Manner::Nothing) => {}
    }
}
