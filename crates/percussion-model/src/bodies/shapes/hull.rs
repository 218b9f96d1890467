//! The convex hull of points.
//!
//!   faces: every plane through three points with all others on one side;    mass by the integrals over its triangles

use super::figure::balls_before_plane;
use super::lengths::POINT;
use super::mesh::{refuse, volume_integrals};
use super::{Figure, Manner, Picture, Scenes, Shape, Surface, TriangleMesh};
use crate::bodies::detect::Solid;
use crate::bodies::math::{Vec3, axpy, cross, dot, norm, sub, tangents};
use crate::bodies::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{Code, Form, InputError, Key, KeyDefault, Kind};
use parry3d_f64::math::Vector;
use parry3d_f64::shape::SharedShape;
use parry3d_f64::transformation::try_convex_hull;
use percussion_matrix::math;

/// Points of a hull, and corners of a polygon, at most.
pub const MAX_HULL_POINTS: usize = 256;

/// The convex hull of points; space only.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// At least four, not in one plane [m].
    pub points: Vec<Vec3>,
}

const KEYS: &[Key] = &[
    Key::new(
        "points",
        Form::List { of: &POINT, least: 4, most: MAX_HULL_POINTS },
        "m",
        KeyDefault::Absent("from the file"),
        "at least four, not in one plane",
    ),
    Key::new("file", Form::Text, "", KeyDefault::Absent("none"), "an STL, OBJ or DAE file in the scenario's folder instead"),
    Key::new("scale", Form::POSITIVE, "m", KeyDefault::Number(1.0), "one unit of the file"),
];

impl Shape {
    /// The convex hull of points [m].
    pub fn hull(points: Vec<Vec3>) -> Self {
        Hull { points }.into()
    }
}

impl Figure for Hull {
    const KIND: Kind = Kind { name: "hull", also: &[], keys: KEYS, meaning: "the convex hull of points; space only" };
    const SCENES: Scenes = Scenes::Spatial;
    const MANNER: Manner = Manner::Convex;

    fn lasting(&self) -> bool {
        true
    }

    fn read<V: Values>(values: &V, _planar: bool) -> Result<Self, V::Error> {
        let (points, scale) = (values.points("points")?, values.number("scale")?);
        let surface = values.surface("file", scale.unwrap_or(1.0))?;
        match (points, surface, scale) {
            (Some(points), None, None) => Ok(Self { points }),
            (None, Some(mesh), _) => Ok(Self { points: corners_of_hull(&mesh.vertices, MAX_HULL_POINTS) }),
            (None, None, None) => Err(values.missing("points")),
            (Some(_), Some(_), _) | (_, None, Some(_)) => {
                let help = "give points, or file and perhaps scale";
                Err(InputError::new(Code::CONTRADICTION, "", "the hull has no single source", help).into())
            }
        }
    }

    fn values(&self, _planar: bool) -> Vec<(&'static str, Value)> {
        vec![("points", Value::Rows(self.points.iter().map(|p| p.to_vec()).collect()))]
    }

    fn check(&self, _planar: bool) -> Result<(), InputError> {
        hull_triangles(&self.points).map(|_| ())
    }

    fn mass_properties(&self, density: f64, _planar: bool) -> Option<MassProperties> {
        Some(MassProperties::from_integrals(&volume_integrals(&hull_triangles(&self.points).ok()?), density))
    }

    fn recentred(&self, centre: &Vec3) -> Self {
        Self { points: self.points.iter().map(|p| axpy(p, -1.0, centre)).collect() }
    }

    fn reach(&self) -> f64 {
        self.points.iter().map(norm).fold(0.0, f64::max)
    }

    /// The nearest of its faces, seen from its centre: its origin may be anywhere, such as at the joint of a robot's link.
    fn half_thickness(&self, planar: bool) -> f64 {
        let Ok(mesh) = hull_triangles(&self.points) else { return 0.0 };
        let centre = self.mass_properties(1.0, planar).map_or([0.0; 3], |full| full.centre);
        let height = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|i| mesh.vertices[i]);
            let normal = cross(&sub(&b, &a), &sub(&c, &a));
            dot(&normal, &sub(&a, &centre)) / norm(&normal)
        };
        mesh.triangles.iter().map(height).fold(f64::INFINITY, f64::min).max(0.0)
    }

    fn balls(&self, _planar: bool, mut visit: impl FnMut(u16, &Vec3, f64)) {
        for (k, p) in self.points.iter().enumerate() {
            visit(k as u16, p, 0.0);
        }
    }

    fn before_plane(&self, frame: &Frame, _n: &Vec3, planar: bool, visit: impl FnMut(u16, &Vec3, f64)) {
        balls_before_plane(self, frame, planar, visit);
    }

    fn corners(&self, _visit: impl FnMut(f64, f64)) {}

    fn solid(&self) -> Option<Solid> {
        let mesh = hull_triangles(&self.points).ok()?;
        let vertices: Vec<Vector> = mesh.vertices.iter().map(|x| Vector::new(x[0], x[1], x[2])).collect();
        let found = SharedShape::convex_hull(&vertices).filter(|found| holds(found, &mesh));
        Some(Solid::new(found.or_else(|| ours(&mesh))?))
    }

    fn probes(&self) -> Vec<(Vec3, f64)> {
        self.points.iter().map(|p| (*p, 0.0)).collect()
    }

    fn surface(&self, _planar: bool, _fineness: usize) -> Surface {
        hull_triangles(&self.points).map_or(Surface::default(), |mesh| Surface::triangles(&mesh))
    }

    fn picture(&self, _planar: bool) -> Option<Picture> {
        hull_triangles(&self.points).ok().map(Picture::Mesh)
    }
}

/// Whether the library's hull reaches every face of ours: of thin hulls it leaves out points that lie near to a face.
fn holds(found: &SharedShape, ours: &TriangleMesh) -> bool {
    let Some(hull) = found.as_convex_polyhedron() else { return false };
    let size = ours.vertices.iter().map(norm).fold(0.0, f64::max);
    ours.triangles.iter().all(|t| {
        let [a, b, c] = t.map(|i| ours.vertices[i]);
        let normal = cross(&sub(&b, &a), &sub(&c, &a));
        let n = normal.map(|x| x / norm(&normal));
        let reach = hull.points().iter().map(|p| dot(&n, &[p.x, p.y, p.z])).fold(f64::NEG_INFINITY, f64::max);
        dot(&n, &a) - reach <= 1e-9 * size
    })
}

/// Part of a surface's size by which a vertex may stand out over a triangle of it and the surface still count as convex: STL files keep single precision.
const STANDS_OUT: f64 = 1e-7;

/// A surface that is its own hull, as the library knows hulls; none where it has a dent, or too many corners for that.
///
/// Triangles against triangles are plates without an inside: of two tetrahedra that lie on each other the plates that cross said 9.5 cm of depth, and
/// two such contacts against each other squeezed the bodies with 180 N s. Convex bodies have an inside, and one depth.
pub(super) fn convex(mesh: &TriangleMesh) -> Option<SharedShape> {
    if mesh.vertices.len() > MAX_HULL_POINTS {
        return None;
    }
    let size = mesh.vertices.iter().map(|p| norm(&sub(p, &mesh.vertices[0]))).fold(0.0, f64::max);
    let is_below = |t: &[usize; 3]| {
        let [a, b, c] = t.map(|i| mesh.vertices[i]);
        let normal = cross(&sub(&b, &a), &sub(&c, &a));
        let most = STANDS_OUT * size * norm(&normal);
        mesh.vertices.iter().all(|p| dot(&normal, &sub(p, &a)) <= most)
    };
    let found = if mesh.triangles.iter().all(is_below) { ours(mesh) } else { None };
    found.filter(|found| holds(found, mesh))
}

/// Our own surface of a hull for the library, points inside left out.
fn ours(mesh: &TriangleMesh) -> Option<SharedShape> {
    let mut used: Vec<usize> = mesh.triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let vertices = used.iter().map(|&i| mesh.vertices[i]).map(|x| Vector::new(x[0], x[1], x[2])).collect();
    let number = |i: &usize| used.binary_search(i).map_or(0, |k| k as u32);
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| [number(&t[0]), number(&t[1]), number(&t[2])]).collect();
    SharedShape::convex_mesh(vertices, &triangles)
}

/// Points up to which a hull is found by trying every three of them, n⁴; of more, by the collision library.
const FEW: usize = 40;

/// The corners of the convex hull of any number of points, at most `most` of them: of more, those that lie furthest in directions spread
/// evenly over the sphere. The points as they are where they have no hull.
pub fn corners_of_hull(points: &[Vec3], most: usize) -> Vec<Vec3> {
    let vectors: Vec<Vector> = points.iter().map(|x| Vector::new(x[0], x[1], x[2])).collect();
    let Ok((corners, _)) = try_convex_hull(&vectors) else {
        return points.iter().copied().take(most).collect();
    };
    let corners: Vec<Vec3> = corners.iter().map(|v| [v.x, v.y, v.z]).collect();
    if corners.len() <= most {
        return corners;
    }
    let mut kept = std::collections::BTreeSet::new();
    for k in 0..2 * most {
        // Fibonacci's spiral
        let z = 1.0 - (2 * k + 1) as f64 / (2 * most) as f64;
        let (s, c) = math::sin_cos(k as f64 * std::f64::consts::PI * (3.0 - 5.0_f64.sqrt()));
        let r = (1.0 - z * z).sqrt();
        let d = [r * c, r * s, z];
        let furthest = (0..corners.len()).max_by(|&i, &j| dot(&d, &corners[i]).total_cmp(&dot(&d, &corners[j])));
        kept.extend(furthest);
        if kept.len() == most {
            break;
        }
    }
    kept.into_iter().map(|i| corners[i]).collect()
}

/// The surface of the hull of points; `None` where they enclose no volume or are too many.
pub fn hull_of(points: &[Vec3]) -> Option<TriangleMesh> {
    hull_triangles(points).ok()
}

/// The surface by the collision library.
fn many_triangles(points: &[Vec3]) -> Result<TriangleMesh, InputError> {
    let vectors: Vec<Vector> = points.iter().map(|x| Vector::new(x[0], x[1], x[2])).collect();
    match try_convex_hull(&vectors) {
        Ok((corners, triangles)) => Ok(TriangleMesh::new(
            corners.iter().map(|v| [v.x, v.y, v.z]).collect(),
            triangles.iter().map(|t| t.map(|i| i as usize)).collect(),
        )),
        Err(error) => refuse("points", format!("they have no hull: {error}"), "give points that enclose a volume"),
    }
}

/// The surface of the convex hull of points: every plane through three of them with all others on one side. Made for the
/// few points of a body's hull.
pub fn hull_triangles(points: &[Vec3]) -> Result<TriangleMesh, InputError> {
    let n = points.len();
    if points.iter().flatten().any(|x| !x.is_finite()) {
        return Err(InputError::new(Code::NOT_FINITE, "points", "a point is not finite", "give finite numbers"));
    }
    if !(4..=MAX_HULL_POINTS).contains(&n) {
        return refuse("points", format!("{n} points"), "a hull has 4 to 256 points; use a mesh for more");
    }
    let size = points.iter().map(|p| norm(&sub(p, &points[0]))).fold(0.0, f64::max);
    if n > FEW {
        return many_triangles(points);
    }
    let tolerance = 1e-12 * size;
    let mut faces: Vec<(Vec3, Vec<usize>)> = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let normal = cross(&sub(&points[j], &points[i]), &sub(&points[k], &points[i]));
                let length = norm(&normal);
                if length <= 1e-12 * size * size {
                    continue;
                }
                let normal = normal.map(|x| x / length);
                let heights: Vec<f64> = points.iter().map(|p| dot(&normal, &sub(p, &points[i]))).collect();
                let above = heights.iter().any(|&h| h > tolerance);
                let below = heights.iter().any(|&h| h < -tolerance);
                if above == below {
                    continue;
                }
                let normal = if above { normal.map(|x| -x) } else { normal };
                let on: Vec<usize> = (0..n).filter(|&p| heights[p].abs() <= tolerance).collect();
                // found once: from its three lowest-numbered corners that span it
                if !faces.iter().any(|(_, face)| *face == on) {
                    faces.push((normal, on));
                }
            }
        }
    }
    let mut mesh = TriangleMesh { vertices: points.to_vec(), ..TriangleMesh::default() };
    for (normal, face) in &faces {
        let ring = ring(points, normal, face);
        for k in 1..ring.len().saturating_sub(1) {
            mesh.triangles.push([ring[0], ring[k], ring[k + 1]]);
        }
    }
    if mesh.triangles.len() < 4 || volume_integrals(&mesh).volume <= 1e-12 * size * size * size {
        return refuse("points", "the points lie in one plane".into(), "give points that enclose a volume");
    }
    Ok(mesh)
}

/// The corners of a face in counter-clockwise order seen against its normal, points inside edges left out.
fn ring(points: &[Vec3], normal: &Vec3, face: &[usize]) -> Vec<usize> {
    let [s, t] = tangents(normal);
    let flat = |i: usize| [dot(&s, &points[i]), dot(&t, &points[i])];
    let mut order: Vec<usize> = face.to_vec();
    order.sort_by(|&a, &b| flat(a).partial_cmp(&flat(b)).expect("finite").then(a.cmp(&b)));
    // Andrew's monotone chain
    let turn = |a: usize, b: usize, c: usize| {
        let (a, b, c) = (flat(a), flat(b), flat(c));
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let scale = points.iter().map(norm).fold(0.0, f64::max).powi(2) * 1e-13;
    let chain = |ids: &mut dyn Iterator<Item = usize>| {
        let mut out: Vec<usize> = Vec::new();
        for i in ids {
            while out.len() >= 2 && turn(out[out.len() - 2], out[out.len() - 1], i) <= scale {
                out.pop();
            }
            out.push(i);
        }
        out.pop();
        out
    };
    let mut lower = chain(&mut order.iter().copied());
    lower.extend(chain(&mut order.iter().rev().copied()));
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Vec<Vec3> {
        (0..8).map(|k| [f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2 & 1)]).collect()
    }

    /// The hull of a cube's corners has 12 triangles, volume 1 and is closed; points inside change nothing.
    #[test]
    fn hull_of_a_cube() {
        let mut points = cube();
        let mesh = hull_triangles(&points).unwrap();
        assert_eq!(mesh.triangles.len(), 12);
        Figure::check(&mesh, false).unwrap();
        let integrals = volume_integrals(&mesh);
        assert!((integrals.volume - 1.0).abs() < 1e-14 && (integrals.first[1] - 0.5).abs() < 1e-14);
        assert!((integrals.second[0][0] - 1.0 / 3.0).abs() < 1e-14 && (integrals.second[0][1] - 0.25).abs() < 1e-14);
        points.push([0.5, 0.5, 0.5]);
        assert_eq!(volume_integrals(&hull_triangles(&points).unwrap()), integrals);
        assert!((Hull { points: points.clone() }.recentred(&[0.5; 3]).half_thickness(false) - 0.5).abs() < 1e-15);
        // wherever its origin is: on a face, just inside one, outside
        for place in [[0.5, 0.5, 0.0], [0.5, 0.5, 1e-9], [3.0, -1.0, 7.0]] {
            assert!((Hull { points: points.clone() }.recentred(&place).half_thickness(false) - 0.5).abs() < 1e-14);
        }
    }

    /// A plate 2000 times as wide as thick has both its faces in the library too.
    #[test]
    fn thin_hulls_keep_their_faces() {
        let points: Vec<Vec3> = cube().iter().map(|p| [40.0 * p[0] - 20.0, 40.0 * p[1] - 20.0, 0.02 * p[2] - 0.01]).collect();
        let mesh = hull_triangles(&points).unwrap();
        assert!(ours(&mesh).is_some_and(|shape| holds(&shape, &mesh)));
    }

    /// A cube of triangles is its own hull, one with a dent is not.
    #[test]
    fn only_surfaces_without_dents_are_convex() {
        let mut mesh = hull_triangles(&cube()).unwrap();
        assert!(convex(&mesh).is_some_and(|shape| shape.as_convex_polyhedron().is_some_and(|hull| hull.faces().len() == 6)));
        mesh.vertices[7] = [0.6; 3];
        Figure::check(&mesh, false).unwrap();
        assert!(convex(&mesh).is_none());
    }

    /// Points in one plane have no hull.
    #[test]
    fn flat_hulls_are_refused() {
        let flat = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        assert_eq!(hull_triangles(&flat).unwrap_err().code, Code::BAD_MESH);
    }
}
