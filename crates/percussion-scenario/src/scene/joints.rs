//! Joints in the picture: dots, pins in their holes, guides, and the impulses of those with play.

use crate::scene::bodies::coordinates;
use percussion_model::bodies::joints::Mark;
use percussion_model::bodies::math::{Vec3, axpy, cross, mul_t, norm, scale, sub, tangents};
use percussion_model::bodies::{Bodies, Joint, JointKind, Play};
use percussion_report::{Geometry, Place, Role, Shape};

/// Where a joint is: a dot on the body that shows it; a pin over its hole where it has play.
pub fn marks(bodies: &Bodies, joint: &Joint, drawn: usize) -> Vec<Shape> {
    let reach = joint.bodies.map(|i| &bodies.bodies()[i]).into_iter().filter(|b| b.is_free()).map(|b| b.reach);
    let reach = reach.filter(|r| *r > 0.0 && r.is_finite()).fold(f64::INFINITY, f64::min);
    let dot = if reach.is_finite() { 0.06 * reach } else { 0.02 };
    let mark = |side: usize, radius: f64, role| {
        let i = joint.bodies[side];
        let first = i * coordinates(bodies);
        let place = if bodies.is_planar() { Place::Planar { first } } else { Place::Body { first } };
        let c = joint.points[side];
        let geometry = if bodies.is_planar() {
            let corner = |k: i32| {
                let (s, cos) = (f64::from(k) * std::f64::consts::TAU / 24.0).sin_cos();
                [c[0] + radius * cos, c[1] + radius * s]
            };
            Geometry::Polygon { points: (0..24).map(corner).collect() }
        } else {
            let tips = [
                [1.0, 0.0, 0.0],
                [-1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [0.0, -1.0, 0.0],
                [0.0, 0.0, 1.0],
                [0.0, 0.0, -1.0],
            ];
            let vertices = tips.map(|t| std::array::from_fn(|k| c[k] + radius * t[k])).to_vec();
            let triangles =
                vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
            Geometry::Mesh { vertices, triangles, colour: None }
        };
        (i < drawn).then(|| Shape { name: joint.name.clone(), role, geometry, place })
    };
    let marks = match (joint.kind.mark(), &joint.play) {
        (Mark::Nothing, _) => vec![],
        (Mark::Guide, Some(play)) if bodies.is_planar() && play.radius > 0.0 => return guide(bodies, joint, play),
        (Mark::Pin, Some(play)) => {
            vec![mark(0, play.radius + play.clearance, Role::Obstacle), mark(1, play.radius, Role::Link)]
        }
        (Mark::Ends, _) => vec![mark(0, dot, Role::Link), mark(1, dot, Role::Link)],
        (Mark::Dot | Mark::Guide | Mark::Pin, _) => vec![mark(1, dot, Role::Link)],
    };
    marks.into_iter().flatten().chain(curve(bodies, joint, drawn)).collect()
}

/// Part of its length that a curve is drawn thick.
const LINE: f64 = 4e-3;

/// The curve that a joint follows: a cam filled, a groove or a wire as a strip.
fn curve(bodies: &Bodies, joint: &Joint, drawn: usize) -> Option<Shape> {
    let a = joint.bodies[0];
    let (places, closed) = joint.curve().filter(|_| a < drawn)?;
    let (first, planar) = (a * coordinates(bodies), bodies.is_planar());
    let length: f64 = places.windows(2).map(|pair| norm(&sub(&pair[1], &pair[0]))).sum();
    let last = places.len() - 1;
    // the plane of the curve, from any three of its places
    let normal = places.windows(3).map(|p| cross(&sub(&p[1], &p[0]), &sub(&p[2], &p[1])));
    let normal = normal.max_by(|m, n| norm(m).total_cmp(&norm(n))).filter(|n| norm(n) > 0.0).unwrap_or([0.0, 0.0, 1.0]);
    let beside = |k: usize| {
        let along = sub(&places[(k + 1).min(last)], &places[k.saturating_sub(1)]);
        let across = cross(&normal, &along);
        axpy(&places[k], LINE * length / norm(&across).max(f64::MIN_POSITIVE), &across)
    };
    let other: Vec<Vec3> = (0..=last).map(beside).collect();
    let geometry = if planar {
        let filled = closed && joint.kind == JointKind::Cam;
        let back = other.iter().rev().filter(|_| !filled);
        Geometry::Polygon { points: places.iter().chain(back).map(|p| [p[0], p[1]]).collect() }
    } else {
        let triangles =
            (0..last).flat_map(|k| [[k, k + 1, last + 1 + k], [k + 1, last + 2 + k, last + 1 + k]]).collect();
        Geometry::Mesh { vertices: places.iter().chain(&other).copied().collect(), triangles, colour: None }
    };
    let place = if planar { Place::Planar { first } } else { Place::Body { first } };
    Some(Shape { name: joint.name.clone(), role: Role::Link, geometry, place })
}

/// The axis of a joint that leaves one coordinate, from the second body's side; `along` is its direction in the world at the start.
pub fn axis(bodies: &Bodies, joint: &Joint, along: &Vec3, drawn: usize) -> Option<Shape> {
    let [a, b] = joint.bodies;
    if bodies.is_planar() || joint.coordinate.is_none() || b >= drawn || norm(along) == 0.0 {
        return None;
    }
    let reach = [a, b].map(|i| &bodies.bodies()[i]).into_iter().filter(|body| body.is_free()).map(|body| body.reach);
    let reach = reach.filter(|r| *r > 0.0 && r.is_finite()).fold(f64::INFINITY, f64::min);
    let half = if reach.is_finite() { 0.6 * reach } else { 0.1 };
    let d = mul_t(&bodies.frame(b, bodies.q0()).R, &scale(1.0 / norm(along), along));
    let across = tangents(&d);
    let corner = |k: usize| -> Vec3 {
        let (s, c) = ((k % 3) as f64 * std::f64::consts::TAU / 3.0).sin_cos();
        let side = if k < 3 { -half } else { half };
        std::array::from_fn(|i| joint.points[1][i] + side * d[i] + 0.02 * half * (c * across[0][i] + s * across[1][i]))
    };
    let triangles = (0..3).flat_map(|k| [[k, (k + 1) % 3, 3 + k], [3 + k, (k + 1) % 3, 3 + (k + 1) % 3]]).collect();
    Some(Shape {
        name: joint.name.clone(),
        role: Role::Axis,
        geometry: Geometry::Mesh { vertices: (0..6).map(corner).collect(), triangles, colour: None },
        place: Place::Body { first: b * coordinates(bodies) },
    })
}

/// The walls of a guide in the plane, a few lengths of its slider to both sides.
fn guide(bodies: &Bodies, joint: &Joint, play: &Play) -> Vec<Shape> {
    let first = joint.bodies[0] * coordinates(bodies);
    let (c, z, x) = (joint.points[0], play.axes[0], play.across[0]);
    let (near, long) = (play.radius + play.clearance, 7.0 * play.length.max(play.radius));
    let wall = |side: f64| {
        let corner = |along: f64, across: f64| [0, 1].map(|k| c[k] + along * z[k] + side * across * x[k]);
        let far = near + 0.3 * play.radius;
        let mut points = vec![corner(-long, near), corner(long, near), corner(long, far), corner(-long, far)];
        let turn = (points[1][0] - points[0][0]) * (points[2][1] - points[1][1])
            - (points[1][1] - points[0][1]) * (points[2][0] - points[1][0]);
        if turn < 0.0 {
            points.reverse();
        }
        Shape {
            name: joint.name.clone(),
            role: Role::Obstacle,
            geometry: Geometry::Polygon { points },
            place: Place::Planar { first },
        }
    };
    vec![wall(1.0), wall(-1.0)]
}
