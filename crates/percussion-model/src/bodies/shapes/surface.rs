//! Shapes to be looked at: polygons for other programs, a few primitives for pages.

use super::TriangleMesh;
use crate::bodies::math::Vec3;
use percussion_matrix::math;
use std::f64::consts::{PI, TAU};

/// Polygons that share points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// [m].
    pub points: Vec<Vec3>,
    /// Numbers of points, counter-clockwise seen from outside.
    pub faces: Vec<Vec<usize>>,
}

impl Surface {
    /// Several beside each other.
    pub fn joined(pieces: Vec<Self>) -> Self {
        let mut all = Self::default();
        for piece in pieces {
            let first = all.points.len();
            all.points.extend(piece.points);
            all.faces.extend(piece.faces.into_iter().map(|face| face.into_iter().map(|k| first + k).collect()));
        }
        all
    }
}

/// What a page can draw; a new shape is one of these.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// A ball, or a disk in the plane.
    Ball {
        /// [m].
        radius: f64,
    },
    /// A box, or a rectangle in the plane.
    Box {
        /// Lengths of its edges [m].
        size: Vec3,
    },
    /// A cylinder along z with half-spheres at its ends.
    Capsule {
        /// [m].
        radius: f64,
        /// Of the cylindrical part [m].
        length: f64,
    },
    /// A cylinder along z.
    Cylinder {
        /// [m].
        radius: f64,
        /// [m].
        length: f64,
    },
    /// Triangles.
    Mesh(TriangleMesh),
    /// A polygon of the plane.
    Polygon {
        /// Its corners [m].
        points: Vec<[f64; 2]>,
    },
    /// Everything below a plane through the origin.
    HalfSpace {
        /// Outward.
        normal: Vec3,
    },
}

impl Surface {
    /// One polygon.
    pub fn outline(points: Vec<Vec3>) -> Self {
        let face = (0..points.len()).collect();
        Self { points, faces: vec![face] }
    }

    /// A regular polygon about the origin in the plane.
    pub fn disk(radius: f64, n: usize) -> Self {
        Self::outline((0..n).map(|k| polar(radius, k, n)).collect())
    }

    /// What a profile (distance from the axis, height) sweeps about z.
    pub fn turned(profile: &[(f64, f64)], n: usize) -> Self {
        let mut points = Vec::new();
        for &(r, z) in profile {
            points.extend((0..n).map(|k| {
                let [x, y, _] = polar(r, k, n);
                [x, y, z]
            }));
        }
        let mut faces = Vec::new();
        for ring in 0..profile.len().saturating_sub(1) {
            for k in 0..n {
                let (a, b) = (ring * n + k, ring * n + (k + 1) % n);
                faces.push(vec![a, b, b + n, a + n]);
            }
        }
        Self { points, faces }
    }

    /// A ball about the origin, stretched along z by a length.
    pub fn stretched_ball(radius: f64, length: f64, n: usize) -> Self {
        let steps = n / 2;
        let mut profile = Vec::new();
        for k in 0..=steps {
            let angle = PI * k as f64 / steps as f64;
            let lift = if 2 * k < steps { -0.5 * length } else { 0.5 * length };
            if 2 * k == steps && length > 0.0 {
                profile.push((radius, -0.5 * length));
            }
            profile.push((radius * math::sin(angle), -radius * math::cos(angle) + lift));
        }
        Self::turned(&profile, n)
    }

    /// Its faces cut into triangles from their first corners.
    pub fn triangulated(&self) -> TriangleMesh {
        let fan = |face: &Vec<usize>| -> Vec<[usize; 3]> {
            (1..face.len().saturating_sub(1)).map(|k| [face[0], face[k], face[k + 1]]).collect()
        };
        TriangleMesh::new(self.points.clone(), self.faces.iter().flat_map(fan).collect())
    }

    /// Triangles.
    pub fn triangles(mesh: &TriangleMesh) -> Self {
        Self { points: mesh.vertices.clone(), faces: mesh.triangles.iter().map(|t| t.to_vec()).collect() }
    }
}

fn polar(radius: f64, k: usize, n: usize) -> Vec3 {
    let (s, c) = math::sin_cos(k as f64 * TAU / n as f64);
    [radius * c, radius * s, 0.0]
}

#[cfg(test)]
mod tests {
    use super::super::{Capsule, Cuboid, Cylinder, Hull, Shape, Sphere};
    use super::*;
    use crate::bodies::math::{cross, dot};

    fn volume(s: &Surface) -> f64 {
        let mut sum = 0.0;
        for f in &s.faces {
            for k in 1..f.len() - 1 {
                let [a, b, c] = [s.points[f[0]], s.points[f[k]], s.points[f[k + 1]]];
                sum += dot(&a, &cross(&b, &c)) / 6.0;
            }
        }
        sum
    }

    /// The divergence theorem gives the volumes of the closed surfaces: faces point outwards, nothing is missing. Round shapes are
    /// inscribed with 16 sides and have 4 to 8 % less.
    #[test]
    fn surfaces_enclose_their_volumes() {
        let points = vec![[0.0; 3], [0.3, 0.0, 0.0], [0.0, 0.4, 0.0], [0.1, 0.1, 0.5]];
        let shapes: [(Shape, bool); 5] = [
            (Cuboid { size: [1.0, 2.0, 3.0] }.into(), true),
            (Hull { points }.into(), true),
            (Sphere { radius: 1.0 }.into(), false),
            (Cylinder { radius: 1.0, length: 2.0 }.into(), false),
            (Capsule { radius: 1.0, length: 2.0 }.into(), false),
        ];
        for (shape, exact) in shapes {
            let ratio = volume(&shape.surface(false, 16)) / shape.mass_properties(1.0, false).unwrap().mass;
            assert!(if exact { (ratio - 1.0).abs() < 1e-12 } else { (0.9..1.0).contains(&ratio) }, "{shape:?} {ratio}");
        }
    }
}
