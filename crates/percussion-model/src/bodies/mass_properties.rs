//! Mass, centre of mass and inertia of uniform density; each shape has its own formula.
//!
//!   m = ρ V,    I = ρ ∫ (|x|² 1 − x xᵀ) dV about the centre of mass;    in the plane I = ρ ∫ |x|² dA, ρ per area

use super::math::{Mat3, Vec3};
use super::shapes::VolumeIntegrals;

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

impl MassProperties {
    /// Of a shape whose centre of mass is its origin.
    pub(super) fn centred(mass: f64, inertia: Mat3) -> Self {
        Self { mass, centre: [0.0; 3], inertia }
    }

    /// From the moments of a volume.
    pub(super) fn from_integrals(integrals: &VolumeIntegrals, density: f64) -> Self {
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
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;

    fn box_points(size: Vec3, at: Vec3) -> Vec<Vec3> {
        (0..8).map(|k| std::array::from_fn(|i| at[i] + size[i] * (f64::from(k >> i & 1) - 0.5))).collect()
    }

    /// A box as a hull, off its origin, has the inertia of the formula.
    #[test]
    fn hull_agrees_with_box() {
        let size = [0.4, 0.2, 0.1];
        let exact = Shape::cuboid(size).mass_properties(1000.0, false).unwrap();
        let hull = Shape::hull(box_points(size, [1.0, -2.0, 0.5]));
        let found = hull.mass_properties(1000.0, false).unwrap();
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
        for (shape, half) in [(Shape::capsule(r, l), 0.5 * l + r), (Shape::cylinder(r, l), 0.5 * l)] {
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
            let found = shape.mass_properties(1.0, false).unwrap();
            assert!((found.mass - m).abs() < 1e-7 && (found.inertia[0][0] - across).abs() < 1e-7, "{found:?}");
            assert!((found.inertia[2][2] - along).abs() < 1e-7);
        }
    }
}
