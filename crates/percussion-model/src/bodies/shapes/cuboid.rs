//! A box with its edges along the axes; in a planar scene a rectangle.
//!
//!   m = ρ a b c,  I_x = m (b² + c²)/12 and so on;    in the plane m = ρ a b,  I = m (a² + b²)/12

use super::figure::balls_before_plane;
use super::lengths::check_length;
use super::{Figure, Manner, Picture, Scenes, Shape, Surface};
use crate::bodies::detect::Solid;
use crate::bodies::math::{Vec3, diagonal, norm, scale};
use crate::bodies::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{Form, InputError, Key, KeyDefault, Kind};
use parry3d_f64::shape::SharedShape;

/// A box about the origin; in a planar scene a rectangle, whose third size is not used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Lengths of its edges [m].
    pub size: Vec3,
}

const KEYS: &[Key] = &[Key::new(
    "size",
    Form::List { of: &Form::POSITIVE, least: 2, most: 3 },
    "m",
    KeyDefault::Required,
    "lengths of the edges: two in the plane, three in space",
)];

impl Shape {
    /// A box with these edges; in a planar scene a rectangle [m].
    pub fn cuboid(size: Vec3) -> Self {
        Cuboid { size }.into()
    }
}

impl Figure for Cuboid {
    const KIND: Kind =
        Kind { name: "box", also: &[], keys: KEYS, meaning: "edges along the axes; in the plane a rectangle" };
    const SCENES: Scenes = Scenes::Both;
    const MANNER: Manner = Manner::Convex;

    fn lasting(&self) -> bool {
        true
    }

    fn read<V: Values>(values: &V, planar: bool) -> Result<Self, V::Error> {
        Ok(Self { size: values.needed("size", values.vector("size", planar)?)? })
    }

    fn values(&self, planar: bool) -> Vec<(&'static str, Value)> {
        vec![("size", Value::Numbers(self.size[..if planar { 2 } else { 3 }].to_vec()))]
    }

    fn check(&self, planar: bool) -> Result<(), InputError> {
        let n = if planar { 2 } else { 3 };
        self.size[..n].iter().enumerate().try_for_each(|(k, &x)| check_length(&format!("size[{k}]"), x))
    }

    fn mass_properties(&self, density: f64, planar: bool) -> Option<MassProperties> {
        let [a, b, c] = self.size;
        if planar {
            let m = density * a * b;
            return Some(MassProperties::centred(m, diagonal(0.0, 0.0, m * (a * a + b * b) / 12.0)));
        }
        let m = density * a * b * c;
        let k = m / 12.0;
        let inertia = diagonal(k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b));
        Some(MassProperties::centred(m, inertia))
    }

    fn recentred(&self, _centre: &Vec3) -> Self {
        *self
    }

    fn reach(&self) -> f64 {
        0.5 * norm(&self.size)
    }

    fn half_thickness(&self, planar: bool) -> f64 {
        self.size[..if planar { 2 } else { 3 }].iter().fold(f64::INFINITY, |least, x| least.min(0.5 * x))
    }

    fn balls(&self, planar: bool, mut visit: impl FnMut(u16, &Vec3, f64)) {
        for k in 0..if planar { 4 } else { 8_u16 } {
            let half = |i: usize| self.size[i] * (f64::from(k >> i & 1) - 0.5);
            visit(k, &[half(0), half(1), if planar { 0.0 } else { half(2) }], 0.0);
        }
    }

    fn before_plane(&self, frame: &Frame, _n: &Vec3, planar: bool, visit: impl FnMut(u16, &Vec3, f64)) {
        balls_before_plane(self, frame, planar, visit);
    }

    fn corners(&self, mut visit: impl FnMut(f64, f64)) {
        let (x, y) = (0.5 * self.size[0], 0.5 * self.size[1]);
        for (x, y) in [(-x, -y), (x, -y), (x, y), (-x, y)] {
            visit(x, y);
        }
    }

    fn solid(&self) -> Option<Solid> {
        let [x, y, z] = scale(0.5, &self.size);
        Some(Solid::new(SharedShape::cuboid(x, y, z)))
    }

    fn probes(&self) -> Vec<(Vec3, f64)> {
        let mut points = Vec::new();
        self.balls(false, |_, corner, radius| points.push((*corner, radius)));
        points.push(([0.0; 3], 0.0));
        points
    }

    fn surface(&self, planar: bool, _fineness: usize) -> Surface {
        if planar {
            let mut points = Vec::new();
            self.corners(|x, y| points.push([x, y, 0.0]));
            return Surface::outline(points);
        }
        let corner = |k: usize| std::array::from_fn(|a| self.size[a] * if k >> a & 1 == 1 { 0.5 } else { -0.5 });
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Surface { points: (0..8).map(corner).collect(), faces: faces.iter().map(|f| f.to_vec()).collect() }
    }

    fn picture(&self, _planar: bool) -> Option<Picture> {
        Some(Picture::Box { size: self.size })
    }
}
