//! A cylinder along z with half-spheres at its ends.
//!
//!   I_x = m_t (3r² + l²)/12 + m_s (2/5 r² + l²/4 + 3/8 l r),  I_z = m_t r²/2 + 2/5 m_s r²,  m_t of the tube, m_s of both caps

use super::figure::balls_before_plane;
use super::lengths::{check_length, length};
use super::{Figure, Manner, Picture, Scenes, Shape, Surface};
use crate::bodies::detect::Solid;
use crate::bodies::math::{Vec3, axpy, diagonal};
use crate::bodies::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{InputError, Key, Kind};
use parry3d_f64::shape::SharedShape;
use percussion_matrix::math;
use std::f64::consts::PI;

/// A cylinder with half-spheres at its ends, along z; in the plane a strip with half-disks, along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// [m].
    pub radius: f64,
    /// Of the cylindrical part [m].
    pub length: f64,
}

const KEYS: &[Key] =
    &[length("radius", "of the cylinder and of the half-spheres"), length("length", "of the cylindrical part")];

impl Shape {
    /// A cylinder along z with half-spheres at its ends [m].
    pub fn capsule(radius: f64, length: f64) -> Self {
        Capsule { radius, length }.into()
    }
}

impl Capsule {
    /// World ends of its axis.
    #[inline]
    pub(crate) fn axis(&self, frame: &Frame, planar: bool) -> [Vec3; 2] {
        let along = if planar { 0 } else { 2 };
        let z = [frame.R[0][along], frame.R[1][along], frame.R[2][along]];
        [axpy(&frame.x, -0.5 * self.length, &z), axpy(&frame.x, 0.5 * self.length, &z)]
    }
}

impl Capsule {
    /// In the plane, with so many sides around its ends.
    fn outline(&self, fineness: usize) -> Vec<[f64; 2]> {
        let half = fineness.max(4) / 2;
        let around = |k: usize, from: f64, x: f64| {
            let (s, c) = math::sin_cos(from + PI * k as f64 / half as f64);
            [x + self.radius * c, self.radius * s]
        };
        let right = (0..=half).map(|k| around(k, -0.5 * PI, 0.5 * self.length));
        right.chain((0..=half).map(|k| around(k, 0.5 * PI, -0.5 * self.length))).collect()
    }
}

impl Figure for Capsule {
    const KIND: Kind = Kind {
        name: "capsule",
        also: &[],
        keys: KEYS,
        meaning: "a cylinder along z with half-spheres at its ends; in the plane a strip along x with half-disks",
    };
    const SCENES: Scenes = Scenes::Both;
    const MANNER: Manner = Manner::Convex;

    fn lasting(&self) -> bool {
        true
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

    fn mass_properties(&self, density: f64, planar: bool) -> Option<MassProperties> {
        let (r, l) = (self.radius, self.length);
        if planar {
            // ∫ |x|² dA: the strip, and the half-disks with ∫ x dA = 2 r³/3 each about their straight sides
            let (strip, disk) = (density * 2.0 * r * l, density * PI * r * r);
            let polar = strip * (l * l + 4.0 * r * r) / 12.0 + disk * (0.5 * r * r + 0.25 * l * l) + density * 4.0 / 3.0 * r * r * r * l;
            return Some(MassProperties::centred(strip + disk, diagonal(0.0, 0.0, polar)));
        }
        let tube = density * PI * r * r * l;
        let caps = density * 4.0 / 3.0 * PI * r * r * r;
        // a half-sphere's centre lies 3r/8 above its plane
        let across = tube * (3.0 * r * r + l * l) / 12.0 + caps * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
        Some(MassProperties::centred(tube + caps, diagonal(across, across, 0.5 * tube * r * r + 0.4 * caps * r * r)))
    }

    fn recentred(&self, _centre: &Vec3) -> Self {
        *self
    }

    fn reach(&self) -> f64 {
        self.radius + 0.5 * self.length
    }

    fn half_thickness(&self, _planar: bool) -> f64 {
        self.radius
    }

    fn balls(&self, planar: bool, mut visit: impl FnMut(u16, &Vec3, f64)) {
        let end = |s: f64| if planar { [s * self.length, 0.0, 0.0] } else { [0.0, 0.0, s * self.length] };
        visit(0, &end(-0.5), self.radius);
        visit(1, &end(0.5), self.radius);
    }

    fn before_plane(&self, frame: &Frame, _n: &Vec3, planar: bool, visit: impl FnMut(u16, &Vec3, f64)) {
        balls_before_plane(self, frame, planar, visit);
    }

    fn corners(&self, _visit: impl FnMut(f64, f64)) {}

    fn solid(&self) -> Option<Solid> {
        Some(Solid::new(SharedShape::capsule_z(0.5 * self.length, self.radius)))
    }

    fn probes(&self) -> Vec<(Vec3, f64)> {
        [-0.5, 0.0, 0.5].map(|s| ([0.0, 0.0, s * self.length], self.radius)).to_vec()
    }

    fn surface(&self, planar: bool, fineness: usize) -> Surface {
        if planar {
            return Surface::outline(self.outline(fineness).iter().map(|p| [p[0], p[1], 0.0]).collect());
        }
        Surface::stretched_ball(self.radius, self.length, fineness)
    }

    fn picture(&self, planar: bool) -> Option<Picture> {
        if planar {
            return Some(Picture::Polygon { points: self.outline(32) });
        }
        Some(Picture::Capsule { radius: self.radius, length: self.length })
    }
}
