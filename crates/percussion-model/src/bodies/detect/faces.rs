//! A cylinder above the inside of one face of a polyhedron, or of a cap of a wider cylinder, which it meets as it meets a plane.
//!
//!   p: the cylinder's centre led onto the face n·x = o that lies nearest to it or least deep;    ρ: radius of the ball about the cylinder
//!   m·p + ρ |m − (m·n) n| ≤ o_m    for every other face: the shadow of the ball lies inside this one;    of a cap  |p − (n·p) n| + ρ ≤ R
//!
//! The collision library replaces a cap by a square and looks for nearest points step by step: where a rim touches a face its normal is up to 1e-2
//! off and its gap 4e-8 m, and which square stands for the cap changes with the place. Before a plane points and gaps are exact.

use super::super::math::{Vec3, axpy, dot, mul, mul_t, sub};
use super::super::shapes::Shape;
use super::Touch;
use super::pairs::Placed;
use super::planes::before;
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::shape::SharedShape;
use percussion_matrix::math;

/// n and o of a face n·x ≤ o, in the axes of its shape.
pub(super) type Plane = (Vec3, f64);

/// Cosine from which two normals are those of one face.
const ONE_FACE: f64 = 1.0 - 1e-12;

/// The faces of a box or a convex polyhedron; none of other shapes.
pub(super) fn planes(shape: &SharedShape, turn: &Pose) -> Vec<Plane> {
    let turned = |n: Vector| {
        let n = turn.rotation * n;
        [n.x, n.y, n.z]
    };
    if let Some(cuboid) = shape.as_cuboid() {
        let half = cuboid.half_extents;
        return [half.x, half.y, half.z]
            .into_iter()
            .enumerate()
            .flat_map(|(k, half)| {
                [1.0, -1.0].map(|sign| (std::array::from_fn(|i| if i == k { sign } else { 0.0 }), half))
            })
            .collect();
    }
    let Some(hull) = shape.as_convex_polyhedron() else { return Vec::new() };
    let corner = |first: u32| hull.points()[hull.vertices_adj_to_face()[first as usize] as usize];
    hull.faces().iter().map(|face| (turned(face.normal), face.normal.dot(corner(face.first_vertex_or_edge)))).collect()
}

/// The face that lies nearest to a point, in the axes of the shape, where the shadow of a ball about the point lies inside it.
fn face_below(other: &Placed, centre: &Vec3, reach: f64) -> Option<Plane> {
    if let Shape::Cylinder(cylinder) = other.shape {
        let cap = ([0.0, 0.0, 1.0_f64.copysign(centre[2])], 0.5 * cylinder.length);
        return (math::hypot(centre[0], centre[1]) + reach <= cylinder.radius).then_some(cap);
    }
    let planes = other.solid?.planes();
    let height = |(n, o): &Plane| dot(n, centre) - o;
    let face = planes.iter().max_by(|a, b| height(a).total_cmp(&height(b)))?;
    let n = face.0;
    let p = axpy(centre, -height(face), &n);
    let inside = |(m, o): &Plane| {
        let along = dot(m, &n);
        along >= ONE_FACE || dot(m, &p) + reach * (1.0 - along * along).max(0.0).sqrt() <= *o
    };
    planes.iter().all(inside).then_some(*face)
}

/// Contacts of a cylinder with the face of a polyhedron or the cap of a cylinder inside which its shadow lies; whether there is such a face.
pub(super) fn before_face(cylinder: &Placed, other: &Placed, margin: f64, out: &mut Vec<Touch>) -> bool {
    let Shape::Cylinder(_) = cylinder.shape else { return false };
    let centre = mul_t(&other.frame.R, &sub(&cylinder.frame.x, &other.frame.x));
    let Some((n, o)) = face_below(other, &centre, cylinder.reach) else { return false };
    let height = dot(&n, &centre) - o;
    if height <= cylinder.reach + margin {
        let p = axpy(&centre, -height, &n);
        before(
            (cylinder.shape, cylinder.frame),
            (&other.frame.point(&p), &mul(&other.frame.R, &n)),
            false,
            margin,
            out,
        );
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::super::Frame;
    use super::super::super::math::rotation;
    use super::super::pairs::meet;
    use super::*;

    fn placed<'a>(shape: &'a Shape, frame: &'a Frame, solid: Option<&'a super::super::Solid>) -> Placed<'a> {
        Placed { shape, frame, solid, reach: 0.0 }
    }

    fn frame(x: Vec3, q: [f64; 4]) -> Frame {
        Frame { x, q, R: rotation(&q) }
    }

    /// A cylinder on its rim, as it rolls over a box: the same gaps, points and normals as on a plane at the height of its top, to round-off; beyond
    /// the edge the library is asked.
    #[test]
    fn on_a_box_as_on_a_plane() {
        let (cylinder, ground, plane) = (Shape::cylinder(0.06, 0.09), Shape::cuboid([2.0, 2.0, 0.4]), Shape::plane());
        let (round, block) = (cylinder.solid(), ground.solid());
        let low = frame([0.3, -0.2, -0.2], [1.0, 0.0, 0.0, 0.0]);
        let level = frame([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        let axis = [0.6, 0.0, 0.8];
        for (k, angle) in [0.0, 1e-3, 0.4, 1.2, 1.6, 3.1].into_iter().enumerate() {
            let (s, c) = f64::sin_cos(0.5 * angle);
            let there = frame([0.1 * k as f64, 0.1, 0.07], [c, s * axis[0], s * axis[1], s * axis[2]]);
            let (mut on_box, mut on_plane) = (Vec::new(), Vec::new());
            let own = || Placed { reach: 0.1, ..placed(&cylinder, &there, round.as_ref()) };
            meet(false, &placed(&ground, &low, block.as_ref()), &own(), 0.05, &mut on_box);
            meet(false, &own(), &placed(&plane, &level, None), 0.05, &mut on_plane);
            assert!(
                !on_plane.is_empty() && on_box.len() == on_plane.len(),
                "{angle}: {} {}",
                on_box.len(),
                on_plane.len()
            );
            for (a, b) in on_box.iter().zip(&on_plane) {
                assert!(
                    a.feature == b.feature && a.turned && !b.turned && (a.gap - b.gap).abs() < 1e-13,
                    "{a:?} {b:?}"
                );
                let near = |p: &Vec3, q: &Vec3| (0..3).all(|k| (p[k] - q[k]).abs() < 1e-13);
                assert!(near(&a.normal, &b.normal) && near(&a.points[0], &b.points[0]), "{a:?} {b:?}");
            }
        }
        let over = frame([1.26, -0.2, 0.045], [1.0, 0.0, 0.0, 0.0]);
        let own = Placed { reach: 0.1, ..placed(&cylinder, &over, round.as_ref()) };
        assert!(!before_face(&own, &placed(&ground, &low, block.as_ref()), 0.05, &mut Vec::new()));
        assert_eq!(block.as_ref().map(|solid| solid.planes().len()), Some(6));
    }

    /// A coin that spins on the cap of a wide disc: as on a plane at its height, above and below; beyond the border the library is asked.
    ///
    /// The bug: of a coin of 4 cm that lay on a disc of 20 m the library told an overlap of 6 cm, and under `generalized-alpha-ggl` the coin was pushed through.
    #[test]
    fn on_a_cap_as_on_a_plane() {
        let (coin, disc, plane) = (Shape::cylinder(0.038, 0.023), Shape::cylinder(20.0, 0.038), Shape::plane());
        let (round, wide) = (coin.solid(), disc.solid());
        let level = frame([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        for (k, angle) in [0.0, 1e-9, 1e-3, 0.4, 1.2].into_iter().enumerate() {
            let (s, c) = f64::sin_cos(0.5 * angle);
            let at = |z: f64| frame([3.0 * k as f64, -2.0, z], [c, 0.6 * s, 0.8 * s, 0.0]);
            let (mut on_disc, mut on_plane, mut below) = (Vec::new(), Vec::new(), Vec::new());
            let places = [at(0.019 + 0.03), at(-0.019 - 0.03), at(0.03)];
            let coins = places.each_ref().map(|at| Placed { reach: 0.045, ..placed(&coin, at, round.as_ref()) });
            let cap = Placed { reach: 20.1, ..placed(&disc, &level, wide.as_ref()) };
            meet(false, &coins[0], &cap, 0.05, &mut on_disc);
            meet(false, &coins[1], &cap, 0.05, &mut below);
            meet(false, &coins[2], &placed(&plane, &level, None), 0.05, &mut on_plane);
            assert!(
                !on_plane.is_empty() && on_disc.len() == on_plane.len() && below.len() == on_plane.len(),
                "{angle}"
            );
            for (a, b) in on_disc.iter().zip(&on_plane) {
                assert!(a.feature == b.feature && (a.gap - b.gap).abs() < 1e-13, "{a:?} {b:?}");
            }
        }
        let over = frame([19.99, 0.0, 0.049], [1.0, 0.0, 0.0, 0.0]);
        let own = Placed { reach: 0.045, ..placed(&coin, &over, round.as_ref()) };
        assert!(!before_face(&own, &placed(&disc, &level, wide.as_ref()), 0.05, &mut Vec::new()));
    }
}
