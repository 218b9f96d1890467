//! A ball; in a planar scene a disk.
//!
//!   m = 4/3 π ρ r³,  I = 2/5 m r²;    in the plane m = π ρ r²,  I = 1/2 m r²

use super::figure::balls_before_plane;
use super::lengths::{check_length, length};
use super::{Figure, Manner, Picture, Scenes, Shape, Surface};
use crate::bodies::detect::Solid;
use crate::bodies::math::{Vec3, diagonal};
use crate::bodies::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{InputError, Key, Kind};
use parry3d_f64::shape::SharedShape;
use std::f64::consts::PI;

/// A ball about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// [m].
    pub radius: f64,
}

const KEYS: &[Key] = &[length("radius", "of the ball or disk")];

impl Shape {
    /// A ball; in a planar scene a disk [m].
    pub fn sphere(radius: f64) -> Self {
        Sphere { radius }.into()
    }
}

impl Figure for Sphere {
    const KIND: Kind = Kind { name: "sphere", also: &["disk"], keys: KEYS, meaning: "a ball; in the plane a disk" };
    const SCENES: Scenes = Scenes::Both;
    const MANNER: Manner = Manner::Convex;

    fn lasting(&self) -> bool {
        true
    }

    fn read<V: Values>(values: &V, _planar: bool) -> Result<Self, V::Error> {
        Ok(Self { radius: values.needed_number("radius")? })
    }

    fn values(&self, _planar: bool) -> Vec<(&'static str, Value)> {
        vec![("radius", Value::Number(self.radius))]
    }

    fn check(&self, _planar: bool) -> Result<(), InputError> {
        check_length("radius", self.radius)
    }

    fn mass_properties(&self, density: f64, planar: bool) -> Option<MassProperties> {
        let r = self.radius;
        if planar {
            let m = density * PI * r * r;
            return Some(MassProperties::centred(m, diagonal(0.0, 0.0, 0.5 * m * r * r)));
        }
        let m = density * 4.0 / 3.0 * PI * r * r * r;
        let i = 0.4 * m * r * r;
        Some(MassProperties::centred(m, diagonal(i, i, i)))
    }

    fn recentred(&self, _centre: &Vec3) -> Self {
        *self
    }

    fn reach(&self) -> f64 {
        self.radius
    }

    fn half_thickness(&self, _planar: bool) -> f64 {
        self.radius
    }

    fn balls(&self, _planar: bool, mut visit: impl FnMut(u16, &Vec3, f64)) {
        visit(0, &[0.0; 3], self.radius);
    }

    fn before_plane(&self, frame: &Frame, _n: &Vec3, planar: bool, visit: impl FnMut(u16, &Vec3, f64)) {
        balls_before_plane(self, frame, planar, visit);
    }

    fn corners(&self, _visit: impl FnMut(f64, f64)) {}

    fn solid(&self) -> Option<Solid> {
        Some(Solid::new(SharedShape::ball(self.radius)))
    }

    fn probes(&self) -> Vec<(Vec3, f64)> {
        vec![([0.0; 3], self.radius)]
    }

    fn surface(&self, planar: bool, fineness: usize) -> Surface {
        if planar { Surface::disk(self.radius, 24) } else { Surface::stretched_ball(self.radius, 0.0, fineness) }
    }

    fn picture(&self, _planar: bool) -> Option<Picture> {
        Some(Picture::Ball { radius: self.radius })
    }
}
