//! A cylinder along z.
//!
//!   m = π ρ r² l,  I_x = m (3r² + l²)/12,  I_z = m r²/2
//!
//! Before a plane each rim shows its lowest point and three more around it, which move over the rim as the cylinder rolls.

use percussion_matrix::math;
use super::lengths::{check_length, length};
use super::{Figure, Manner, Picture, Scenes, Shape, Surface};
use crate::bodies::detect::Solid;
use crate::bodies::math::{Vec3, axpy, cross, diagonal, dot, scale};
use crate::bodies::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{InputError, Key, Kind};
use parry3d_f64::math::{Pose, Rotation};
use parry3d_f64::shape::SharedShape;
use std::f64::consts::{FRAC_PI_2, PI};

/// A cylinder along z; space only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// [m].
    pub radius: f64,
    /// [m].
    pub length: f64,
}

const KEYS: &[Key] = &[length("radius", "of the cylinder"), length("length", "along z")];

impl Shape {
    /// A cylinder along z [m].
    pub fn cylinder(radius: f64, length: f64) -> Self {
        Cylinder { radius, length }.into()
    }
}

impl Cylinder {
    /// The ends of its axis.
    pub(crate) fn axis(&self, frame: &Frame) -> [Vec3; 2] {
        [-0.5, 0.5].map(|s| frame.point(&[0.0, 0.0, s * self.length]))
    }
}

/// Part of the normal across the axis below which the ball under a rim grows no further.
///
/// The lowest point of a rim is p, and where the cylinder spins about its axis p does not stay with the body: of the points p + ρ n of the body, that
/// with ρ = r/a, a the part of n across the axis, lies on the axis and does. Held by a law on velocities with ρ = 0, a rim at spin σ sinks by
/// ½h²σ²(r a − ρ a²) in each step. Nearly flat, where the axis meets the normal far away, a larger ball is no gain: there r a is small.
const SLOPE: f64 = 0.25;
/// The same below which a rim shows four points that stay with the body: what lies lower between them is round-off of gaps.
const LEVEL: f64 = 1e-12;

impl Figure for Cylinder {
    const KIND: Kind = Kind { name: "cylinder", also: &[], keys: KEYS, meaning: "a cylinder along z; space only" };
    const SCENES: Scenes = Scenes::Spatial;
    const MANNER: Manner = Manner::Convex;

    fn lasting(&self) -> bool {
        false
    }

    fn read<V: Values>(values: &V, _planar: bool) -> Result<Self, V::Error> {
        Ok(Self { radius: values.needed_number("radius")?, length: values.needed_number("length")? })
    }

    fn values(&self, _planar: bool) -> Vec<(&'static str, Value)> {
        vec![("radius", Value::Number(self.radius)), ("length", Value::Number(self.length))]
    }

    fn check(&self, _planar: bool) -> Result<(), InputError> {
        check_length("radius", self.radius)?;
        check_length("length", self.length)
    }

    fn mass_properties(&self, density: f64, _planar: bool) -> Option<MassProperties> {
        let (r, l) = (self.radius, self.length);
        let m = density * PI * r * r * l;
        let across = m * (3.0 * r * r + l * l) / 12.0;
        Some(MassProperties::centred(m, diagonal(across, across, 0.5 * m * r * r)))
    }

    fn recentred(&self, _centre: &Vec3) -> Self {
        *self
    }

    fn reach(&self) -> f64 {
        math::hypot(self.radius, 0.5 * self.length)
    }

    fn half_thickness(&self, _planar: bool) -> f64 {
        self.radius.min(0.5 * self.length)
    }

    /// It is the hull of two circles, not of finitely many balls.
    fn balls(&self, _planar: bool, _visit: impl FnMut(u16, &Vec3, f64)) {}

    fn before_plane(&self, frame: &Frame, n: &Vec3, _planar: bool, mut visit: impl FnMut(u16, &Vec3, f64)) {
        let column = |k: usize| [frame.R[0][k], frame.R[1][k], frame.R[2][k]];
        let [x, y, z] = [0, 1, 2].map(column);
        // across the axis by its components there: −n + (n·z) z would be off by ε along z, which over a small slope leads off the rim
        let (a, b) = (-dot(n, &x), -dot(n, &y));
        let slope = math::hypot(a, b);
        let s = if slope > LEVEL { axpy(&scale(a / slope, &x), b / slope, &y) } else { x };
        let t = cross(&z, &s);
        for end in 0..2_u16 {
            let centre = axpy(&frame.x, (f64::from(end) - 0.5) * self.length, &z);
            for (k, (c, d)) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)].into_iter().enumerate() {
                let p = axpy(&axpy(&centre, self.radius * c, &s), self.radius * d, &t);
                // the lowest point of the rim is that of a ball about the axis
                let ball = if k == 0 && slope > LEVEL { self.radius / slope.max(SLOPE) } else { 0.0 };
                visit(4 * end + k as u16, &axpy(&p, ball, n), ball);
            }
        }
    }

    fn corners(&self, _visit: impl FnMut(f64, f64)) {}

    /// The library's cylinders stand along y.
    fn solid(&self) -> Option<Solid> {
        let turn = Pose::from_rotation(Rotation::from_rotation_x(FRAC_PI_2));
        Some(Solid::turned(SharedShape::cylinder(0.5 * self.length, self.radius), turn))
    }

    fn probes(&self) -> Vec<(Vec3, f64)> {
        let rim = |z: f64| {
            (0..16).map(move |k| {
                let (s, c) = math::sin_cos(f64::from(k) * PI / 8.0);
                ([self.radius * c, self.radius * s, z], 0.0)
            })
        };
        rim(-0.5 * self.length).chain(rim(0.5 * self.length)).chain([([0.0; 3], 0.0)]).collect()
    }

    fn surface(&self, _planar: bool, fineness: usize) -> Surface {
        let (r, z) = (self.radius, 0.5 * self.length);
        Surface::turned(&[(0.0, -z), (r, -z), (r, z), (0.0, z)], fineness)
    }

    fn picture(&self, _planar: bool) -> Option<Picture> {
        Some(Picture::Cylinder { radius: self.radius, length: self.length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::math::{mul_t, rotation, sub};

    /// The lowest point of a rim lies on it, and no point lies lower, however little the cylinder is tilted.
    ///
    /// The bug: at a slope of 1e-8 it lay 4e-10 m beside a rim of 4 cm, so that a coin that came to lie flat seemed to sink into the floor and rise again.
    #[test]
    fn the_lowest_point_of_a_rim_lies_on_it() {
        let (radius, length) = (0.037, 0.011);
        let shape = Cylinder { radius, length };
        for turn in [0.3_f64, 2.0, 5.0] {
            for slope in [0.0_f64, 1e-15, 1e-13, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-5, 1e-2] {
                let (half, spin) = (0.5 * slope, 0.5 * turn);
                let (s, c, a, b) = (half.sin(), half.cos(), spin.sin(), spin.cos());
                // tilted about x after it was turned about z
                let q = [c * b, s * b, -s * a, c * a];
                let frame = Frame { x: [0.2, -0.1, 0.3], q, R: rotation(&q) };
                let n = [0.0, 0.0, 1.0];
                let mut lowest = f64::INFINITY;
                shape.before_plane(&frame, &n, false, |_, centre, ball| {
                    let p = axpy(centre, -ball, &n);
                    let own = mul_t(&frame.R, &sub(&p, &frame.x));
                    let off = (own[2].abs() - 0.5 * length).abs().max((math::hypot(own[0], own[1]) - radius).abs());
                    assert!(off < 1e-15, "slope {slope:e}: {off:e} m beside the rim");
                    lowest = lowest.min(p[2]);
                });
                let depth = 0.3 - 0.5 * length * slope.cos() - radius * slope.sin();
                assert!((lowest - depth).abs() <= 1e-15 + 0.3 * LEVEL * radius, "slope {slope:e}: {:e} m", lowest - depth);
            }
        }
    }
}
