//! Mass, centre of mass and inertia of shapes of uniform density.
//!
//!   m = ρ V,    I = ρ ∫ (|x|² 1 − x xᵀ) dV about the centre of mass;    in the plane I = ρ ∫ |x|² dA, ρ per area

use super::Shape;
use super::math::{Mat3, Vec3, axpy};
use super::mesh::{VolumeIntegrals, hull_triangles, volume_integrals};

/// What the motion needs to know of a body's matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// m [kg].
    pub mass: f64,
    /// Centre of mass in the frame of the shape [m].
    pub centre: Vec3,
    /// I about the centre of mass, axes of the shape [kg·m²]; planar bodies use the last entry.
    pub inertia: Mat3,
}

fn diagonal(x: f64, y: f64, z: f64) -> Mat3 {
    [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]
}

impl MassProperties {
    /// Of a shape of density ρ [kg/m³; kg/m² in the plane]; `None` for shapes without a finite volume.
    pub fn of(shape: &Shape, density: f64, planar: bool) -> Option<Self> {
        use std::f64::consts::PI;
        let centred = |mass: f64, inertia: Mat3| Some(Self { mass, centre: [0.0; 3], inertia });
        match shape {
            Shape::Sphere { radius: r } if planar => {
                let m = density * PI * r * r;
                centred(m, diagonal(0.0, 0.0, 0.5 * m * r * r))
            }
            Shape::Sphere { radius: r } => {
                let m = density * 4.0 / 3.0 * PI * r * r * r;
                let i = 0.4 * m * r * r;
                centred(m, diagonal(i, i, i))
            }
            Shape::Box { size: [a, b, _] } if planar => {
                let m = density * a * b;
                centred(m, diagonal(0.0, 0.0, m * (a * a + b * b) / 12.0))
            }
            Shape::Box { size: [a, b, c] } => {
                let m = density * a * b * c;
                let k = m / 12.0;
                centred(m, diagonal(k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b)))
            }
            Shape::Cylinder { radius: r, length: l } => {
                let m = density * PI * r * r * l;
                let across = m * (3.0 * r * r + l * l) / 12.0;
                centred(m, diagonal(across, across, 0.5 * m * r * r))
            }
            Shape::Capsule { radius: r, length: l } => {
                let tube = density * PI * r * r * l;
                let caps = density * 4.0 / 3.0 * PI * r * r * r;
                // a half-sphere's centre lies 3r/8 above its plane
                let across = tube * (3.0 * r * r + l * l) / 12.0 + caps * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
                centred(tube + caps, diagonal(across, across, 0.5 * tube * r * r + 0.4 * caps * r * r))
            }
            Shape::Hull { points } => {
                Some(Self::from_integrals(&volume_integrals(&hull_triangles(points).ok()?), density))
            }
            Shape::Mesh(mesh) => Some(Self::from_integrals(&volume_integrals(mesh), density)),
            Shape::Polygon { points } => Some(Self::polygon(points, density)),
            Shape::Plane | Shape::Point => None,
        }
    }

    fn from_integrals(integrals: &VolumeIntegrals, density: f64) -> Self {
        let V = integrals.volume;
        let centre = integrals.first.map(|x| x / V);
        let mut S = integrals.second;
        for i in 0..3 {
            for j in 0..3 {
                S[i][j] = density * (S[i][j] - V * centre[i] * centre[j]);
            }
        }
        let trace = S[0][0] + S[1][1] + S[2][2];
        let inertia = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { trace - S[i][i] } else { -S[i][j] }));
        Self { mass: density * V, centre, inertia }
    }

    fn polygon(points: &[[f64; 2]], density: f64) -> Self {
        let (mut area, mut first, mut polar) = (0.0, [0.0; 2], 0.0);
        for (i, a) in points.iter().enumerate() {
            let b = &points[(i + 1) % points.len()];
            let twice = a[0] * b[1] - a[1] * b[0];
            area += 0.5 * twice;
            for k in 0..2 {
                first[k] += twice / 6.0 * (a[k] + b[k]);
                polar += twice / 12.0 * (a[k] * a[k] + a[k] * b[k] + b[k] * b[k]);
            }
        }
        let centre = [first[0] / area, first[1] / area, 0.0];
        let inertia = density * (polar - area * (centre[0] * centre[0] + centre[1] * centre[1]));
        Self { mass: density * area, centre, inertia: diagonal(0.0, 0.0, inertia) }
    }
}

/// The shape with its origin moved to `centre`.
pub fn recentred(shape: &Shape, centre: &Vec3) -> Shape {
    match shape {
        Shape::Hull { points } => Shape::Hull { points: points.iter().map(|p| axpy(p, -1.0, centre)).collect() },
        Shape::Mesh(mesh) => {
            let mut mesh = mesh.clone();
            mesh.vertices.iter_mut().for_each(|p| *p = axpy(p, -1.0, centre));
            Shape::Mesh(mesh)
        }
        Shape::Polygon { points } => {
            Shape::Polygon { points: points.iter().map(|p| [p[0] - centre[0], p[1] - centre[1]]).collect() }
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn box_points(size: Vec3, at: Vec3) -> Vec<Vec3> {
        (0..8).map(|k| std::array::from_fn(|i| at[i] + size[i] * (f64::from(k >> i & 1) - 0.5))).collect()
    }

    /// A box as a hull, off its origin, has the inertia of the formula.
    #[test]
    fn hull_agrees_with_box() {
        let size = [0.4, 0.2, 0.1];
        let exact = MassProperties::of(&Shape::Box { size }, 1000.0, false).unwrap();
        let hull = Shape::Hull { points: box_points(size, [1.0, -2.0, 0.5]) };
        let found = MassProperties::of(&hull, 1000.0, false).unwrap();
        assert!((found.mass - exact.mass).abs() < 1e-12 * exact.mass && (found.centre[1] + 2.0).abs() < 1e-13);
        for i in 0..3 {
            for j in 0..3 {
                assert!((found.inertia[i][j] - exact.inertia[i][j]).abs() < 1e-12, "{found:?}");
            }
        }
    }

    /// Capsule and cylinder against the volume integrals of their numerical slices: I = ∫ of the discs' inertia.
    #[test]
    fn slices_agree() {
        let (r, l) = (0.3, 0.8);
        let n = 20000;
        for (shape, half) in [
            (Shape::Capsule { radius: r, length: l }, 0.5 * l + r),
            (Shape::Cylinder { radius: r, length: l }, 0.5 * l),
        ] {
            let (mut m, mut across, mut along) = (0.0, 0.0, 0.0);
            for k in 0..n {
                let z = half * (2.0 * (f64::from(k) + 0.5) / f64::from(n) - 1.0);
                let over = (z.abs() - 0.5 * l).max(0.0);
                let s2 = r * r - over * over;
                let disc = std::f64::consts::PI * s2 * 2.0 * half / f64::from(n);
                m += disc;
                across += disc * (0.25 * s2 + z * z);
                along += disc * 0.5 * s2;
            }
            let found = MassProperties::of(&shape, 1.0, false).unwrap();
            assert!((found.mass - m).abs() < 1e-7 && (found.inertia[0][0] - across).abs() < 1e-7, "{found:?}");
            assert!((found.inertia[2][2] - along).abs() < 1e-7);
        }
    }

    /// A square as a polygon, off its origin.
    #[test]
    fn polygon_agrees_with_box() {
        let square = Shape::Polygon { points: vec![[1.0, 1.0], [3.0, 1.0], [3.0, 2.0], [1.0, 2.0]] };
        let found = MassProperties::of(&square, 2.0, true).unwrap();
        let exact = MassProperties::of(&Shape::Box { size: [2.0, 1.0, 0.0] }, 2.0, true).unwrap();
        assert!((found.inertia[2][2] - exact.inertia[2][2]).abs() < 1e-13 && (found.mass - 4.0).abs() < 1e-14);
        assert!((found.centre[0] - 2.0).abs() < 1e-14 && (found.centre[1] - 1.5).abs() < 1e-14);
    }
}
