//! A ball falling on a floor, one coordinate: the height q of its centre.
//!
//!   m q̈ = −m g,    gap q − R ≥ 0,    V = m g (q − R)

use super::{accept, add};
use crate::{InputError, Lagrangian};
use percussion_matrix::DenseMatrix;

/// A ball on the vertical.
#[derive(Clone, Debug, PartialEq)]
pub struct PointMass {
    mass: f64,
    radius: f64,
    gravity: f64,
    restitutions: [f64; 1],
}

impl PointMass {
    /// m [kg], R ≥ 0 [m], g [m/s²] (positive pulls down), e ∈ [0, 1].
    pub fn new(mass: f64, radius: f64, gravity: f64, restitution: f64) -> Result<Self, InputError> {
        accept::mass("mass", mass)?;
        accept::not_negative("radius", radius)?;
        accept::finite("gravity", gravity)?;
        accept::restitution("restitution", restitution)?;
        Ok(Self { mass, radius, gravity, restitutions: [restitution] })
    }
}

impl Lagrangian for PointMass {
    fn n(&self) -> usize {
        1
    }

    fn restitutions(&self) -> &[f64] {
        &self.restitutions
    }

    fn mass(&self, _q: &[f64], M: &mut DenseMatrix) {
        add(M, 0, 0, self.mass);
    }

    fn force(&self, _q: &[f64], _v: &[f64], _t: f64, f: &mut [f64]) {
        f[0] = -self.mass * self.gravity;
    }

    fn force_tangents(&self, _q: &[f64], _v: &[f64], _t: f64, _K: &mut DenseMatrix, _C: &mut DenseMatrix) {}

    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.mass * self.gravity * (q[0] - self.radius)
    }

    fn constraint(&self, _j: usize, q: &[f64]) -> f64 {
        q[0] - self.radius
    }

    fn gradient(&self, _j: usize, _q: &[f64], row: &mut [f64]) {
        row[0] = 1.0;
    }

    fn hessian(&self, _j: usize, _q: &[f64], _weight: f64, _H: &mut DenseMatrix) {}

    fn kinetic_energy(&self, _q: &[f64], v: &[f64]) -> f64 {
        0.5 * self.mass * v[0] * v[0]
    }
}
