//! A pendulum in redundant coordinates q = (x, y, θ) that swings against a wall.
//!
//!   M = diag(m, m, J),   V = m g y,
//!   joints x − l cos θ = 0,  y − l sin θ = 0,    contact x − w ≥ 0
//!
//! With friction the mass slides along the wall: u_T = ẏ. θ is measured from the horizontal, positive upwards. The joint forces show the jump an impact causes in them.

use super::{accept, add};
use crate::{InputError, Lagrangian};
use percussion_matrix::{DenseMatrix, math};

/// A pendulum held by two joints, above a vertical wall.
#[derive(Clone, Debug, PartialEq)]
pub struct Pendulum {
    mass: f64,
    inertia: f64,
    length: f64,
    gravity: f64,
    wall: f64,
    restitutions: [f64; 1],
    frictions: [f64; 1],
}

impl Pendulum {
    /// m [kg], J about the mass [kg·m²], zero for a point, l [m], g [m/s²], wall x ≥ w [m], e ∈ [0, 1].
    pub fn new(
        mass: f64,
        inertia: f64,
        length: f64,
        gravity: f64,
        wall: f64,
        restitution: f64,
    ) -> Result<Self, InputError> {
        accept::mass("mass", mass)?;
        accept::mass_or_none("inertia", inertia)?;
        accept::positive("length", length)?;
        accept::finite("gravity", gravity)?;
        accept::finite("wall", wall)?;
        accept::restitution("restitution", restitution)?;
        Ok(Self { mass, inertia, length, gravity, wall, restitutions: [restitution], frictions: [0.0] })
    }

    /// The same pendulum at a wall with Coulomb's coefficient μ ≥ 0.
    pub fn with_friction(self, friction: f64) -> Result<Self, InputError> {
        accept::friction("friction", friction)?;
        Ok(Self { frictions: [friction], ..self })
    }

    /// The q that satisfies both joints at angle θ [rad].
    pub fn at_angle(&self, theta: f64) -> [f64; 3] {
        [self.length * math::cos(theta), self.length * math::sin(theta), theta]
    }
}

impl Lagrangian for Pendulum {
    fn n(&self) -> usize {
        3
    }

    fn n_joints(&self) -> usize {
        2
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
        match j {
            0 => q[0] - self.length * math::cos(q[2]),
            1 => q[1] - self.length * math::sin(q[2]),
            _ => q[0] - self.wall,
        }
    }

    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        let l = self.length;
        row.copy_from_slice(&match j {
            0 => [1.0, 0.0, l * math::sin(q[2])],
            1 => [0.0, 1.0, -l * math::cos(q[2])],
            _ => [1.0, 0.0, 0.0],
        });
    }

    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        match j {
            0 => add(H, 2, 2, weight * self.length * math::cos(q[2])),
            1 => add(H, 2, 2, weight * self.length * math::sin(q[2])),
            _ => {}
        }
    }

    fn frictions(&self) -> &[f64] {
        &self.frictions
    }

    fn n_tangents(&self, i: usize) -> usize {
        usize::from(self.frictions[i] > 0.0)
    }

    fn contact_tangent(&self, _i: usize, _k: usize, _q: &[f64], row: &mut [f64]) {
        row[1] = 1.0;
    }

    fn tangent_drift(&self, _i: usize, _k: usize, _q: &[f64], _v: &[f64]) -> f64 {
        0.0
    }

    fn kinetic_energy(&self, _q: &[f64], v: &[f64]) -> f64 {
        0.5 * (self.mass * (v[0] * v[0] + v[1] * v[1]) + self.inertia * v[2] * v[2])
    }
}
