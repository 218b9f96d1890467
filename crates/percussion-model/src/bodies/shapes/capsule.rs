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
use std::f64::consts::PI;

/// A cylinder with half-spheres at its ends, along z; space only.
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
    pub(crate) fn axis(&self, frame: &Frame) -> [Vec3; 2] {
        let z = [frame.R[0][2], frame.R[1][2], frame.R[2][2]];
        [axpy(&frame.x, -0.5 * self.length, &z), axpy(&frame.x, 0.5 * self.length, &z)]
    }
}

impl Figure for Capsule {
    const KIND: Kind = Kind {
        name: "capsule",
        also: &[],
        keys: KEYS,
        meaning: "a cylinder along z with half-spheres at its ends; space only",
    };
    const SCENES: Scenes = Scenes::Spatial;
    const MANNER: Manner = Manner::Convex;
    const LASTING: bool = true;

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

    fn balls(&self, _planar: bool, mut visit: impl FnMut(u16, &Vec3, f64)) {
        visit(0, &[0.0, 0.0, -0.5 * self.length], self.radius);
        visit(1, &[0.0, 0.0, 0.5 * self.length], self.radius);
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

    fn surface(&self, _planar: bool, fineness: usize) -> Surface {
        Surface::stretched_ball(self.radius, self.length, fineness)
    }

    fn picture(&self, _planar: bool) -> Option<Picture> {
        Some(Picture::Capsule { radius: self.radius, length: self.length })
    }
}
