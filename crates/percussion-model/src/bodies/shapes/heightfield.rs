//! A ground of heights above a grid: a way of writing a surface, closed to a solid `depth` below its lowest point.
//!
//!   x = size_x (i/(columns − 1) − ½),  y = size_y (j/(rows − 1) − ½),  z = heights[j][i]

use super::TriangleMesh;
use super::lengths::PLANAR_POINT;
use super::mesh::MAX_TRIANGLES;
use crate::written::Values;
use crate::{Code, Form, InputError, Key, KeyDefault, Kind};

/// Heights above a grid from −size/2 to size/2.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    /// Rows along y, each along x [m].
    pub heights: Vec<Vec<f64>>,
    /// Of the grid along x and y, centred [m].
    pub size: [f64; 2],
    /// Below the lowest point, where it is closed [m].
    pub depth: f64,
}

const KEYS: &[Key] = &[
    Key::new("heights", Form::list(&Form::NUMBERS), "m", KeyDefault::Required, "rows along y, each along x"),
    Key::new("size", PLANAR_POINT, "m", KeyDefault::Required, "of the grid along x and y, centred"),
    Key::new("depth", Form::POSITIVE, "m", KeyDefault::Number(1.0), "below the lowest point, where it is closed"),
];

impl Heightfield {
    /// Word, keys and meaning.
    pub(super) const KIND: Kind = Kind {
        name: "heightfield",
        also: &[],
        keys: KEYS,
        meaning: "a ground of heights above a grid, closed below to a mesh; space only",
    };

    /// The surface of the heightfield that these keys describe.
    pub(super) fn read<V: Values>(values: &V, _planar: bool) -> Result<TriangleMesh, V::Error> {
        let heights = values.needed("heights", values.rows("heights")?)?;
        let [x, y, _] = values.needed("size", values.vector("size", true)?)?;
        let depth = values.number("depth")?.unwrap_or(1.0);
        Ok(Self { heights, size: [x, y], depth }.surface()?)
    }

    /// The closed surface, or what is wrong; fields are named relative to the shape.
    pub fn surface(&self) -> Result<TriangleMesh, InputError> {
        let Self { heights, size, depth } = self;
        let (rows, columns) = self.check()?;
        let low = heights.iter().flatten().fold(f64::INFINITY, |m, &x| m.min(x)) - depth;
        let mut mesh = TriangleMesh::default();
        for level in 0..2 {
            for (j, row) in heights.iter().enumerate() {
                for (i, &z) in row.iter().enumerate() {
                    let x = size[0] * (i as f64 / (columns - 1) as f64 - 0.5);
                    let y = size[1] * (j as f64 / (rows - 1) as f64 - 0.5);
                    mesh.vertices.push([x, y, if level == 0 { z } else { low }]);
                }
            }
        }
        let at = |level: usize, j: usize, i: usize| (level * rows + j) * columns + i;
        let t = &mut mesh.triangles;
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                let top = [at(0, j, i), at(0, j, i + 1), at(0, j + 1, i + 1), at(0, j + 1, i)];
                let bottom = [at(1, j, i), at(1, j + 1, i), at(1, j + 1, i + 1), at(1, j, i + 1)];
                for [a, b, c, d] in [top, bottom] {
                    t.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
        // the walls, once around counter-clockwise seen from above
        let mut border: Vec<(usize, usize)> = (0..columns).map(|i| (0, i)).collect();
        border.extend((1..rows).map(|j| (j, columns - 1)));
        border.extend((0..columns - 1).rev().map(|i| (rows - 1, i)));
        border.extend((1..rows - 1).rev().map(|j| (j, 0)));
        for k in 0..border.len() {
            let ((j, i), (l, m)) = (border[k], border[(k + 1) % border.len()]);
            let [a, b, c, d] = [at(1, j, i), at(1, l, m), at(0, l, m), at(0, j, i)];
            t.extend([[a, b, c], [a, c, d]]);
        }
        Ok(mesh)
    }

    /// Rows and columns of a grid that makes sense.
    fn check(&self) -> Result<(usize, usize), InputError> {
        let Self { heights, size, depth } = self;
        let rows = heights.len();
        let columns = heights.first().map_or(0, Vec::len);
        let bad =
            |field: &str, message: String, help: &str| Err(InputError::new(Code::BAD_SHAPE, field, message, help));
        if rows < 2 || columns < 2 || heights.iter().any(|row| row.len() != columns) {
            return bad(
                "heights",
                format!("{rows} rows of {columns}"),
                "give at least 2 rows of at least 2 heights, equally long",
            );
        }
        if rows.saturating_mul(columns) > MAX_TRIANGLES / 4 {
            let found = rows.saturating_mul(columns).saturating_mul(4);
            let message = format!("{found} triangles; the limit is {MAX_TRIANGLES}");
            return Err(InputError::new(Code::TOO_LARGE, "heights", message, "use a coarser grid"));
        }
        if heights.iter().flatten().chain(size).chain([depth]).any(|x| !x.is_finite()) {
            return Err(InputError::new(
                Code::NOT_FINITE,
                "heights",
                "a number is NaN or infinite",
                "give finite numbers",
            ));
        }
        if size.iter().chain([depth]).any(|&x| x <= 0.0) {
            let message = format!("size {size:?} and depth {depth} must be positive");
            return Err(InputError::new(Code::BAD_SIZE, "size", message, "give lengths above zero"));
        }
        Ok((rows, columns))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;

    /// A heightfield is a closed solid; grids and sizes that make no sense are refused.
    #[test]
    fn heightfields_are_solids() {
        let heights = vec![vec![0.0, 0.1, 0.0], vec![0.2, 0.3, 0.1]];
        let field = Heightfield { heights, size: [2.0, 1.0], depth: 0.5 };
        assert!(Shape::Mesh(field.surface().unwrap()).check(false).is_ok());
        let short = Heightfield { heights: field.heights[..1].to_vec(), ..field.clone() };
        assert_eq!(short.surface().unwrap_err().code, Code::BAD_SHAPE);
        let inverted = Heightfield { size: [2.0, -1.0], ..field };
        assert_eq!(inverted.surface().unwrap_err().code, Code::BAD_SIZE);
    }
}
