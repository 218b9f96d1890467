//! The convex pieces of a mesh: a way of writing several shapes, found by volumetric decomposition (Mamou, Lengyel & Peters 2016).
//!
//!   concavity of a piece = distance from its hull to the surface, in parts of the mesh's size, at most `concavity`
//!
//! The result is a function of the mesh and of the keys alone. A scenario that is written back holds the pieces, not the mesh: what has
//! been decomposed once is not decomposed again.

use super::compound::{Compound, Piece};
use super::hull::{MAX_HULL_POINTS, corners_of_hull, hull_triangles};
use super::{Hull, TriangleMesh};
use crate::written::Values;
use crate::{Code, Form, InputError, Key, KeyDefault, Kind};
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};

/// How finely a mesh is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pieces {
    /// Of a piece at most, in parts of the mesh's size.
    pub concavity: f64,
    /// Cells along the longest side.
    pub resolution: u32,
}

const KEYS: &[Key] = &[
    Key::new("file", Form::Text, "", KeyDefault::Required, "an STL, OBJ or DAE file in the scenario's folder"),
    Key::new("scale", Form::POSITIVE, "m", KeyDefault::Number(1.0), "one unit of the file"),
    Key::new("concavity", Form::between(1e-4, 1.0), "", KeyDefault::Number(0.01), "of a piece at most, in parts of the mesh's size"),
    Key::new("resolution", Form::Integer { least: 8, most: 256 }, "", KeyDefault::Integer(64), "cells along the longest side of the mesh"),
];

impl Pieces {
    /// Word, keys and meaning.
    pub(super) const KIND: Kind = Kind {
        name: "pieces",
        also: &[],
        keys: KEYS,
        meaning: "convex pieces that together fill a mesh, open or closed; space only",
    };

    /// The pieces that these keys describe.
    pub(super) fn read<V: Values>(values: &V, _planar: bool) -> Result<Compound, V::Error> {
        let scale = values.number("scale")?.unwrap_or(1.0);
        let mesh = values.needed("file", values.surface("file", scale)?)?;
        let concavity = values.number("concavity")?.unwrap_or(0.01);
        let resolution = values.number("resolution")?.unwrap_or(64.0);
        Ok(Self { concavity, resolution: resolution as u32 }.of(&mesh)?)
    }

    /// Hulls that together fill a mesh.
    pub fn of(&self, mesh: &TriangleMesh) -> Result<Compound, InputError> {
        let points: Vec<Vector> = mesh.vertices.iter().map(|x| Vector::new(x[0], x[1], x[2])).collect();
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|i| i as u32)).collect();
        let parameters =
            VHACDParameters { concavity: self.concavity, resolution: self.resolution, ..VHACDParameters::default() };
        let cut = VHACD::decompose(&parameters, &points, &triangles, true);
        let hulls = cut.compute_exact_convex_hulls(&points, &triangles);
        let mut pieces = Vec::new();
        for (vertices, _) in hulls {
            let vertices: Vec<[f64; 3]> = vertices.iter().map(|v| [v.x, v.y, v.z]).collect();
            let points = corners_of_hull(&vertices, MAX_HULL_POINTS);
            // slivers without volume hold nothing
            if hull_triangles(&points).is_ok() {
                pieces.push(Piece::new(Hull { points }.into(), [0.0; 3], &[1.0, 0.0, 0.0, 0.0], None));
            }
        }
        if pieces.is_empty() {
            let message = format!("a mesh of {} triangles has no piece with a volume", mesh.triangles.len());
            return Err(InputError::new(Code::BAD_MESH, "file", message, "use a hull, or a mesh that encloses a volume"));
        }
        Ok(Compound { pieces })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Figure, Outline};
    use super::*;

    /// An L cut into convex pieces keeps its volume to the size of a cell, and its notch stays open.
    #[test]
    fn an_angle_is_cut_in_two() {
        let points = vec![[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
        let solid = Outline { points, height: 1.0 }.solid().unwrap();
        let mesh = solid.surface(false, 8).triangulated();
        let cut = Pieces { concavity: 0.01, resolution: 48 }.of(&mesh).unwrap();
        let volume = cut.mass_properties(1.0, false).unwrap().mass;
        assert!((2..=8).contains(&cut.pieces.len()), "{}", cut.pieces.len());
        assert!((volume - 5.0).abs() < 0.5, "{volume}");
        assert_eq!(cut, Pieces { concavity: 0.01, resolution: 48 }.of(&mesh).unwrap());
    }
}
