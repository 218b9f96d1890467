//! A convex polygon of the plane, counter-clockwise.
//!
//!   A = ½ Σ a × b over its edges,    ∫ |x|² dA = Σ (a × b)(a·a + a·b + b·b)/12

use percussion_matrix::math;
use super::figure::balls_before_plane;
use super::hull::MAX_HULL_POINTS;
use super::lengths::PLANAR_POINT;
use super::mesh::refuse;
use super::{Figure, Manner, Picture, Scenes, Shape, Surface};
use crate::bodies::detect::Solid;
use crate::bodies::math::{Vec3, diagonal};
use crate::bodies::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{Code, Form, InputError, Key, KeyDefault, Kind};

/// A convex polygon, counter-clockwise; planar scenes only.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    /// Its corners [m].
    pub points: Vec<[f64; 2]>,
}

const KEYS: &[Key] = &[Key::new(
    "points",
    Form::List { of: &PLANAR_POINT, least: 3, most: MAX_HULL_POINTS },
    "m",
    KeyDefault::Required,
    "corners of a convex polygon, counter-clockwise",
)];

impl Shape {
    /// A convex polygon, counter-clockwise [m].
    pub fn polygon(points: Vec<[f64; 2]>) -> Self {
        Polygon { points }.into()
    }
}

impl Figure for Polygon {
    const KIND: Kind = Kind {
        name: "polygon",
        also: &[],
        keys: KEYS,
        meaning: "a convex polygon, counter-clockwise; planar scenes only",
    };
    const SCENES: Scenes = Scenes::Planar;
    const MANNER: Manner = Manner::Convex;

    fn lasting(&self) -> bool {
        true
    }

    fn read<V: Values>(values: &V, _planar: bool) -> Result<Self, V::Error> {
        Ok(Self { points: values.needed("points", values.points("points")?)? })
    }

    fn values(&self, _planar: bool) -> Vec<(&'static str, Value)> {
        vec![("points", Value::Rows(self.points.iter().map(|p| p.to_vec()).collect()))]
    }

    fn check(&self, _planar: bool) -> Result<(), InputError> {
        check_polygon(&self.points)
    }

    fn mass_properties(&self, density: f64, _planar: bool) -> Option<MassProperties> {
        let (mut area, mut first, mut polar) = (0.0, [0.0; 2], 0.0);
        for (i, a) in self.points.iter().enumerate() {
            let b = &self.points[(i + 1) % self.points.len()];
            let twice = a[0] * b[1] - a[1] * b[0];
            area += 0.5 * twice;
            for k in 0..2 {
                first[k] += twice / 6.0 * (a[k] + b[k]);
                polar += twice / 12.0 * (a[k] * a[k] + a[k] * b[k] + b[k] * b[k]);
            }
        }
        let centre = [first[0] / area, first[1] / area, 0.0];
        let inertia = density * (polar - area * (centre[0] * centre[0] + centre[1] * centre[1]));
        Some(MassProperties { mass: density * area, centre, inertia: diagonal(0.0, 0.0, inertia) })
    }

    fn recentred(&self, centre: &Vec3) -> Self {
        Self { points: self.points.iter().map(|p| [p[0] - centre[0], p[1] - centre[1]]).collect() }
    }

    fn reach(&self) -> f64 {
        self.points.iter().map(|p| math::hypot(p[0], p[1])).fold(0.0, f64::max)
    }

    /// The nearest of its edges, seen from its centre.
    fn half_thickness(&self, planar: bool) -> f64 {
        let centre = self.mass_properties(1.0, planar).map_or([0.0; 3], |full| full.centre);
        let seen = |p: &[f64; 2]| [p[0] - centre[0], p[1] - centre[1]];
        let height = |i: usize| {
            let (a, b) = (seen(&self.points[i]), seen(&self.points[(i + 1) % self.points.len()]));
            (a[0] * b[1] - a[1] * b[0]) / math::hypot(b[0] - a[0], b[1] - a[1])
        };
        (0..self.points.len()).map(height).fold(f64::INFINITY, f64::min).max(0.0)
    }

    fn balls(&self, _planar: bool, mut visit: impl FnMut(u16, &Vec3, f64)) {
        for (k, p) in self.points.iter().enumerate() {
            visit(k as u16, &[p[0], p[1], 0.0], 0.0);
        }
    }

    fn before_plane(&self, frame: &Frame, _n: &Vec3, planar: bool, visit: impl FnMut(u16, &Vec3, f64)) {
        balls_before_plane(self, frame, planar, visit);
    }

    fn corners(&self, mut visit: impl FnMut(f64, f64)) {
        self.points.iter().for_each(|p| visit(p[0], p[1]));
    }

    fn solid(&self) -> Option<Solid> {
        None
    }

    fn probes(&self) -> Vec<(Vec3, f64)> {
        Vec::new()
    }

    fn surface(&self, _planar: bool, _fineness: usize) -> Surface {
        Surface::outline(self.points.iter().map(|p| [p[0], p[1], 0.0]).collect())
    }

    fn picture(&self, _planar: bool) -> Option<Picture> {
        Some(Picture::Polygon { points: self.points.clone() })
    }
}

/// Refuses polygons that are not convex and counter-clockwise.
fn check_polygon(points: &[[f64; 2]]) -> Result<(), InputError> {
    let n = points.len();
    if points.iter().flatten().any(|x| !x.is_finite()) {
        return Err(InputError::new(Code::NOT_FINITE, "points", "a corner is not finite", "give finite numbers"));
    }
    if !(3..=MAX_HULL_POINTS).contains(&n) {
        return refuse("points", format!("{n} corners"), "give 3 to 256 corners");
    }
    for i in 0..n {
        let (a, b, c) = (points[i], points[(i + 1) % n], points[(i + 2) % n]);
        if (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) <= 0.0 {
            return refuse(
                "points",
                format!("corner {} is not convex", (i + 1) % n),
                "give the corners of a convex polygon counter-clockwise",
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square as a polygon, off its origin, has the inertia of a rectangle.
    #[test]
    fn polygon_agrees_with_box() {
        let square = Polygon { points: vec![[1.0, 1.0], [3.0, 1.0], [3.0, 2.0], [1.0, 2.0]] };
        let found = square.mass_properties(2.0, true).unwrap();
        let exact = Shape::cuboid([2.0, 1.0, 0.0]).mass_properties(2.0, true).unwrap();
        assert!((found.inertia[2][2] - exact.inertia[2][2]).abs() < 1e-13 && (found.mass - 4.0).abs() < 1e-14);
        assert!((found.centre[0] - 2.0).abs() < 1e-14 && (found.centre[1] - 1.5).abs() < 1e-14);
        assert!((square.recentred(&found.centre).half_thickness(true) - 0.5).abs() < 1e-14);
        assert!((square.half_thickness(true) - 0.5).abs() < 1e-14);
    }

    /// Clockwise corners are refused.
    #[test]
    fn clockwise_polygons_are_refused() {
        assert_eq!(check_polygon(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]).unwrap_err().code, Code::BAD_MESH);
    }
}
