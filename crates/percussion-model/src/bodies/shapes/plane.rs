//! The half-space below z = 0, in a planar scene below y = 0; only for bodies that are fixed or moved.

use super::{Figure, Manner, Picture, Scenes, Shape, Surface};
use crate::bodies::detect::Solid;
use crate::bodies::math::Vec3;
use crate::bodies::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{InputError, Kind};

/// How far a plane is drawn to each side [m].
const DRAWN: f64 = 10.0;
/// How thick it is drawn in a planar scene [m].
const THICK: f64 = 0.1;

/// A half-space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane;

impl Shape {
    /// The half-space below the last axis.
    pub fn plane() -> Self {
        Plane.into()
    }
}

impl Plane {
    /// Outward, in the frame of the body.
    pub(crate) fn normal(planar: bool) -> Vec3 {
        if planar { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] }
    }
}

impl Figure for Plane {
    const KIND: Kind = Kind {
        name: "plane",
        also: &[],
        keys: &[],
        meaning: "solid below its last axis; only for bodies that are fixed or moved",
    };
    const SCENES: Scenes = Scenes::Both;
    const MANNER: Manner = Manner::HalfSpace;

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
        f64::INFINITY
    }

    fn half_thickness(&self, _planar: bool) -> f64 {
        f64::INFINITY
    }

    fn balls(&self, _planar: bool, _visit: impl FnMut(u16, &Vec3, f64)) {}

    /// Two planes that are not free do not meet.
    fn before_plane(&self, _frame: &Frame, _n: &Vec3, _planar: bool, _visit: impl FnMut(u16, &Vec3, f64)) {}

    fn corners(&self, _visit: impl FnMut(f64, f64)) {}

    fn solid(&self) -> Option<Solid> {
        None
    }

    fn probes(&self) -> Vec<(Vec3, f64)> {
        Vec::new()
    }

    /// A square; in the plane a thin rectangle below the line.
    fn surface(&self, planar: bool, _fineness: usize) -> Surface {
        let (low, high) = if planar { (-THICK, 0.0) } else { (-DRAWN, DRAWN) };
        Surface::outline(vec![[-DRAWN, low, 0.0], [DRAWN, low, 0.0], [DRAWN, high, 0.0], [-DRAWN, high, 0.0]])
    }

    fn picture(&self, planar: bool) -> Option<Picture> {
        Some(Picture::HalfSpace { normal: Self::normal(planar) })
    }
}
