//! A point without extent: it meets nothing.

use super::{Figure, Manner, Picture, Scenes, Shape, Surface};
use crate::bodies::detect::Solid;
use crate::bodies::math::Vec3;
use crate::bodies::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{InputError, Kind};

/// No extent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point;

impl Shape {
    /// A point that meets nothing.
    pub fn point() -> Self {
        Point.into()
    }
}

impl Figure for Point {
    const KIND: Kind = Kind { name: "point", also: &[], keys: &[], meaning: "no extent: it meets nothing" };
    const SCENES: Scenes = Scenes::Both;
    const MANNER: Manner = Manner::Nothing;

    fn lasting(&self) -> bool {
        true
    }

    fn read<V: Values>(_values: &V, _planar: bool) -> Result<Self, V::Error> {
        Ok(Self)
    }

    fn values(&self, _planar: bool) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    fn check(&self, _planar: bool) -> Result<(), InputError> {
        Ok(())
    }

    fn mass_properties(&self, _density: f64, _planar: bool) -> Option<MassProperties> {
        None
    }

    fn recentred(&self, _centre: &Vec3) -> Self {
        *self
    }

    fn reach(&self) -> f64 {
        0.0
    }

    fn half_thickness(&self, _planar: bool) -> f64 {
        0.0
    }

    fn balls(&self, _planar: bool, _visit: impl FnMut(u16, &Vec3, f64)) {}

    fn before_plane(&self, _frame: &Frame, _n: &Vec3, _planar: bool, _visit: impl FnMut(u16, &Vec3, f64)) {}

    fn corners(&self, _visit: impl FnMut(f64, f64)) {}

    fn solid(&self) -> Option<Solid> {
        None
    }

    fn probes(&self) -> Vec<(Vec3, f64)> {
        Vec::new()
    }

    fn surface(&self, _planar: bool, _fineness: usize) -> Surface {
        Surface::default()
    }

    fn picture(&self, _planar: bool) -> Option<Picture> {
        None
    }
}
