//! A rectangular block that rocks on the two lower corners, q = (x, y, θ) of its centre.
//!
//!   M = diag(m, m, m (b² + a²)/12),   V = m g y,
//!   gaps g₀ = y − (a/2) cos θ + (b/2) sin θ,   g₁ = y − (a/2) cos θ − (b/2) sin θ
//!
//! with b the width and a the height. With friction each corner slides along x:  u_T = ẋ + ((a/2) cos θ ∓ (b/2) sin θ) θ̇

use super::{accept, add};
use crate::{InputError, Lagrangian};
use percussion_matrix::{DenseMatrix, math};

/// A block above a horizontal floor at y = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct RockingBlock {
    mass: f64,
    inertia: f64,
    half_width: f64,
    half_height: f64,
    gravity: f64,
    restitutions: [f64; 2],
    frictions: [f64; 2],
}

impl RockingBlock {
    /// m [kg], width [m], height [m], g [m/s²], e ∈ [0, 1] of both corners.
    pub fn new(mass: f64, width: f64, height: f64, gravity: f64, restitution: f64) -> Result<Self, InputError> {
        accept::mass("mass", mass)?;
        accept::positive("width", width)?;
        accept::positive("height", height)?;
        accept::finite("gravity", gravity)?;
        accept::restitution("restitution", restitution)?;
        let inertia = mass * (width * width + height * height) / 12.0;
        let (half_width, half_height) = (0.5 * width, 0.5 * height);
        Ok(Self {
            mass,
            inertia,
            half_width,
            half_height,
            gravity,
            restitutions: [restitution; 2],
            frictions: [0.0; 2],
        })
    }

    /// The same block on a floor with Coulomb's coefficient μ ≥ 0.
    pub fn with_friction(self, friction: f64) -> Result<Self, InputError> {
        accept::friction("friction", friction)?;
        Ok(Self { frictions: [friction; 2], ..self })
    }

    /// ±b/2, the factor of sin θ in gap j.
    fn side(&self, j: usize) -> f64 {
        if j == 0 { self.half_width } else { -self.half_width }
    }
}

impl Lagrangian for RockingBlock {
    fn n(&self) -> usize {
        3
    }

    fn restitutions(&self) -> &[f64] {
        &self.restitutions
    }

    fn mass(&self, _q: &[f64], M: &mut DenseMatrix) {
        add(M, 0, 0, self.mass);
        add(M, 1, 1, self.mass);
        add(M, 2, 2, self.inertia);
    }

    fn force(&self, _q: &[f64], _v: &[f64], _t: f64, f: &mut [f64]) {
        f.copy_from_slice(&[0.0, -self.mass * self.gravity, 0.0]);
    }

    fn force_tangents(&self, _q: &[f64], _v: &[f64], _t: f64, _K: &mut DenseMatrix, _C: &mut DenseMatrix) {}

    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.mass * self.gravity * q[1]
    }

    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        let (s, c) = math::sin_cos(q[2]);
        q[1] - self.half_height * c + self.side(j) * s
    }

    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        let (s, c) = math::sin_cos(q[2]);
        row[1] = 1.0;
        row[2] = self.half_height * s + self.side(j) * c;
    }

    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        let (s, c) = math::sin_cos(q[2]);
        add(H, 2, 2, weight * (self.half_height * c - self.side(j) * s));
    }

    fn frictions(&self) -> &[f64] {
        &self.frictions
    }

    fn n_tangents(&self, i: usize) -> usize {
        usize::from(self.frictions[i] > 0.0)
    }

    /// The corner lies at x ± (b/2) cos θ + (a/2) sin θ.
    fn contact_tangent(&self, i: usize, _k: usize, q: &[f64], row: &mut [f64]) {
        let (s, c) = math::sin_cos(q[2]);
        row[0] = 1.0;
        row[2] = self.half_height * c - self.side(i) * s;
    }

    fn tangent_drift(&self, i: usize, _k: usize, q: &[f64], v: &[f64]) -> f64 {
        let (s, c) = math::sin_cos(q[2]);
        -(self.half_height * s + self.side(i) * c) * v[2] * v[2]
    }

    fn kinetic_energy(&self, _q: &[f64], v: &[f64]) -> f64 {
        0.5 * (self.mass * (v[0] * v[0] + v[1] * v[1]) + self.inertia * v[2] * v[2])
    }
}
