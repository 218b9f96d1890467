//! What every shape answers; nothing here has a default.

use super::{Picture, Surface};
use crate::bodies::detect::Solid;
use crate::bodies::math::Vec3;
use crate::bodies::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{InputError, Kind};

/// Scenes that know a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scenes {
    /// The plane and space.
    Both,
    /// The plane.
    Planar,
    /// Space.
    Spatial,
}

/// How a shape meets others where no closed form is known: see `detect/pairs.rs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Manner {
    /// Piece by piece.
    Several,
    /// By its corners in the plane, by the collision library in space.
    Convex,
    /// As a surface of triangles, by the collision library; space only.
    Surface,
    /// As everything below a plane.
    HalfSpace,
    /// Not at all.
    Nothing,
}

/// A shape.
pub trait Figure: Sized {
    /// Word, keys and meaning.
    const KIND: Kind;
    /// Where it may be used.
    const SCENES: Scenes;
    /// How it meets others.
    const MANNER: Manner;

    /// Whether each of its gaps to a plane follows from the places of the two bodies alone: no feature moves over the shape.
    fn lasting(&self) -> bool;

    /// From its keys.
    fn read<V: Values>(values: &V, planar: bool) -> Result<Self, V::Error>;

    /// To its keys.
    fn values(&self, planar: bool) -> Vec<(&'static str, Value)>;

    /// Refuses sizes that make no sense; fields are named relative to the shape.
    fn check(&self, planar: bool) -> Result<(), InputError>;

    /// Of uniform density ρ; `None` without a finite volume.
    fn mass_properties(&self, density: f64, planar: bool) -> Option<MassProperties>;

    /// With its origin at `centre`; shapes whose centre of mass is their origin stay.
    fn recentred(&self, centre: &Vec3) -> Self;

    /// The radius of the ball about the origin that holds it.
    fn reach(&self) -> f64;

    /// The radius of a ball about its centre inside it, at most half its least width.
    fn half_thickness(&self, planar: bool) -> f64;

    /// The balls whose convex hull it is: (feature, centre, radius) in the frame of the body.
    fn balls(&self, planar: bool, visit: impl FnMut(u16, &Vec3, f64));

    /// What may touch a plane with the normal n: (feature, world centre, radius).
    fn before_plane(&self, frame: &Frame, n: &Vec3, planar: bool, visit: impl FnMut(u16, &Vec3, f64));

    /// Its corners in the plane, counter-clockwise; none for disks and in space.
    fn corners(&self, visit: impl FnMut(f64, f64));

    /// As the collision library knows it.
    fn solid(&self) -> Option<Solid>;

    /// Points by which to see whether it is inside a surface, with the radius of the ball about each.
    fn probes(&self) -> Vec<(Vec3, f64)>;

    /// As polygons, with `fineness` sides around.
    fn surface(&self, planar: bool, fineness: usize) -> Surface;

    /// As it is drawn.
    fn picture(&self, planar: bool) -> Option<Picture>;
}

/// `before_plane` of shapes that are convex hulls of balls.
#[inline]
pub fn balls_before_plane(figure: &impl Figure, frame: &Frame, planar: bool, mut visit: impl FnMut(u16, &Vec3, f64)) {
    figure.balls(planar, |feature, centre, radius| visit(feature, &frame.point(centre), radius));
}
