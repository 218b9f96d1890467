//! A closed surface of triangles, and the volume integrals behind its mass and inertia.
//!
//!   ∫ f dV = Σ over triangles of the integral over the tetrahedron (0, a, b, c), exact for polynomials of degree 2

use super::figure::balls_before_plane;
use super::hull::convex;
use super::lengths::POINT;
use super::{Figure, Manner, Picture, Scenes, Surface};
use crate::bodies::detect::Solid;
use crate::bodies::math::{Mat3, Vec3, axpy, cross, dot, norm};
use crate::bodies::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{Code, Form, InputError, Key, KeyDefault, Kind};
use parry3d_f64::math::Vector;
use parry3d_f64::shape::SharedShape;
use std::collections::HashMap;

/// Triangles at most: a larger surface is refused before memory is allocated.
pub const MAX_TRIANGLES: usize = 2_000_000;
/// A closed surface of triangles; space only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// [m].
    pub vertices: Vec<Vec3>,
    /// Numbers of vertices, counter-clockwise seen from outside.
    pub triangles: Vec<[usize; 3]>,
    /// Vertices that no triangle used, left out: they bound nothing and must not touch anything.
    pub strays: usize,
}

impl TriangleMesh {
    /// Of the vertices those that a triangle uses, numbered again in their order; numbers beyond them are left to `check`.
    pub fn new(vertices: Vec<Vec3>, mut triangles: Vec<[usize; 3]>) -> Self {
        let mut used = vec![false; vertices.len()];
        triangles.iter().flatten().for_each(|&i| {
            if let Some(used) = used.get_mut(i) {
                *used = true;
            }
        });
        let strays = used.iter().filter(|used| !**used).count();
        if strays == 0 || triangles.iter().flatten().any(|&i| i >= vertices.len()) {
            return Self { vertices, triangles, strays: 0 };
        }
        let mut number = 0;
        let numbers: Vec<usize> = used.iter().map(|&used| { number += usize::from(used); number.saturating_sub(1) }).collect();
        triangles.iter_mut().flatten().for_each(|i| *i = numbers[*i]);
        let vertices = vertices.into_iter().zip(used).filter(|(_, used)| *used).map(|(p, _)| p).collect();
        Self { vertices, triangles, strays }
    }
}

const KEYS: &[Key] = &[
    Key::new("vertices", Form::list(&POINT), "m", KeyDefault::Absent("from the file"), "corners of the triangles"),
    Key::new(
        "triangles",
        Form::list(&Form::exactly(3, &Form::Integer { least: 0, most: i64::MAX })),
        "",
        KeyDefault::Absent("from the file"),
        "numbers of vertices from 0, counter-clockwise seen from outside",
    ),
    Key::new("file", Form::Text, "", KeyDefault::Absent("none"), "an STL, OBJ or DAE file in the scenario's folder instead"),
    Key::new("scale", Form::POSITIVE, "m", KeyDefault::Number(1.0), "one unit of the file"),
];

pub(super) fn refuse<T>(field: &str, message: String, help: &str) -> Result<T, InputError> {
    Err(InputError::new(Code::BAD_MESH, field, message, help))
}

impl Figure for TriangleMesh {
    const KIND: Kind = Kind {
        name: "mesh",
        also: &[],
        keys: KEYS,
        meaning: "a closed surface of triangles, from vertices and triangles or from a file; space only",
    };
    const SCENES: Scenes = Scenes::Spatial;
    const MANNER: Manner = Manner::Surface;

    fn lasting(&self) -> bool {
        true
    }

    fn read<V: Values>(values: &V, _planar: bool) -> Result<Self, V::Error> {
        let (vertices, triangles) = (values.points("vertices")?, values.triples("triangles")?);
        let scale = values.number("scale")?;
        let surface = values.surface("file", scale.unwrap_or(1.0))?;
        match (vertices, triangles, surface, scale) {
            (Some(vertices), Some(triangles), None, None) => {
                // a negative number is no vertex
                let number = |i: i64| usize::try_from(i).unwrap_or(usize::MAX);
                Ok(Self::new(vertices, triangles.into_iter().map(|t| t.map(number)).collect()))
            }
            (None, None, Some(surface), _) => Ok(surface),
            _ => {
                let help = "give vertices and triangles, or file and perhaps scale";
                Err(InputError::new(Code::CONTRADICTION, "", "the mesh has no single source", help).into())
            }
        }
    }

    fn values(&self, _planar: bool) -> Vec<(&'static str, Value)> {
        let vertices = self.vertices.iter().map(|p| p.to_vec()).collect();
        vec![("vertices", Value::Rows(vertices)), ("triangles", Value::Triples(self.triangles.clone()))]
    }

    fn check(&self, _planar: bool) -> Result<(), InputError> {
        check_mesh(self)
    }

    fn mass_properties(&self, density: f64, _planar: bool) -> Option<MassProperties> {
        Some(MassProperties::from_integrals(&volume_integrals(self), density))
    }

    fn recentred(&self, centre: &Vec3) -> Self {
        let mut mesh = self.clone();
        mesh.vertices.iter_mut().for_each(|p| *p = axpy(p, -1.0, centre));
        mesh
    }

    fn reach(&self) -> f64 {
        self.vertices.iter().map(norm).fold(0.0, f64::max)
    }

    fn half_thickness(&self, _planar: bool) -> f64 {
        0.0
    }

    /// Its vertices: as far as a plane is concerned it is their hull. There are names for so many.
    fn balls(&self, _planar: bool, mut visit: impl FnMut(u16, &Vec3, f64)) {
        for (k, p) in self.vertices.iter().enumerate().take(usize::from(u16::MAX)) {
            visit(k as u16, p, 0.0);
        }
    }

    fn before_plane(&self, frame: &Frame, _n: &Vec3, planar: bool, visit: impl FnMut(u16, &Vec3, f64)) {
        balls_before_plane(self, frame, planar, visit);
    }

    fn corners(&self, _visit: impl FnMut(f64, f64)) {}

    fn solid(&self) -> Option<Solid> {
        if let Some(hull) = convex(self) {
            return Some(Solid::new(hull));
        }
        let vertices = self.vertices.iter().map(|x| Vector::new(x[0], x[1], x[2])).collect();
        let triangles = self.triangles.iter().map(|t| t.map(|i| i as u32)).collect();
        Some(Solid::new(SharedShape::trimesh(vertices, triangles).ok()?))
    }

    fn probes(&self) -> Vec<(Vec3, f64)> {
        self.vertices.iter().map(|p| (*p, 0.0)).collect()
    }

    fn surface(&self, _planar: bool, _fineness: usize) -> Surface {
        Surface::triangles(self)
    }

    fn picture(&self, _planar: bool) -> Option<Picture> {
        Some(Picture::Mesh(self.clone()))
    }
}

/// Refuses surfaces that are too large, have wrong numbers, or are not closed.
fn check_mesh(mesh: &TriangleMesh) -> Result<(), InputError> {
    let (n, m) = (mesh.vertices.len(), mesh.triangles.len());
    if m > MAX_TRIANGLES || n > MAX_TRIANGLES {
        let message = format!("{m} triangles, {n} vertices; the limit is {MAX_TRIANGLES}");
        return Err(InputError::new(Code::TOO_LARGE, "triangles", message, "use a coarser mesh"));
    }
    if let Some(i) = mesh.vertices.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        let message = format!("vertex {i} is {:?}", mesh.vertices[i]);
        return Err(InputError::new(Code::NOT_FINITE, "vertices", message, "give finite numbers"));
    }
    let mut edges: HashMap<(usize, usize), i64> = HashMap::new();
    for (k, t) in mesh.triangles.iter().enumerate() {
        if t.iter().any(|&i| i >= n) || t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
            return refuse(
                "triangles",
                format!("triangle {k} is {t:?} with {n} vertices"),
                "number vertices from 0, three different ones",
            );
        }
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            *edges.entry((a, b)).or_default() += 1;
        }
    }
    // each edge once in each direction
    let open =
        edges.iter().filter(|((a, b), count)| **count != 1 || edges.get(&(*b, *a)) != Some(&1)).map(|(e, _)| *e).min();
    if let Some((a, b)) = open {
        let message = format!("the surface is open or inconsistent at the edge {a}–{b}");
        return refuse(
            "triangles",
            message,
            "close the mesh: every edge belongs to two triangles that run through it in opposite directions",
        );
    }
    if m < 4 || volume_integrals(mesh).volume <= 0.0 {
        return refuse(
            "triangles",
            "the surface encloses no positive volume".into(),
            "order the vertices of each triangle counter-clockwise seen from outside",
        );
    }
    Ok(())
}

/// Volume, its first and second moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VolumeIntegrals {
    /// ∫ dV.
    pub volume: f64,
    /// ∫ x dV.
    pub first: Vec3,
    /// ∫ x xᵀ dV.
    pub second: Mat3,
}

/// The integrals over the inside of a closed surface.
pub fn volume_integrals(mesh: &TriangleMesh) -> VolumeIntegrals {
    let mut sum = VolumeIntegrals::default();
    for t in &mesh.triangles {
        let p = [mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]];
        let six = dot(&p[0], &cross(&p[1], &p[2]));
        sum.volume += six / 6.0;
        for i in 0..3 {
            sum.first[i] += six / 24.0 * (p[0][i] + p[1][i] + p[2][i]);
            for j in 0..3 {
                let mut s = 0.0;
                for a in 0..3 {
                    for b in 0..3 {
                        s += p[a][i] * p[b][j] * if a == b { 2.0 } else { 1.0 };
                    }
                }
                sum.second[i][j] += six / 120.0 * s;
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::hull::hull_triangles;
    use super::*;

    /// A surface with a hole is refused.
    #[test]
    fn open_surfaces_are_refused() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut mesh = hull_triangles(&points).unwrap();
        check_mesh(&mesh).unwrap();
        mesh.triangles.pop();
        assert_eq!(check_mesh(&mesh).unwrap_err().code, Code::BAD_MESH);
    }
}
