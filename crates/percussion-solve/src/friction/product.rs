//! A friction problem seen through products alone: what first-order methods need.
//!
//!   u = W r + b
//!
//! W may be stored or be implied by the bodies' velocities.

use super::Cone;
use super::residual;
use super::task::Task;
use crate::Residuals;

/// Products with W, and what surrounds them.
pub(crate) trait Product {
    /// b, d n [m/s].
    fn b(&self) -> &[f64];

    /// ρ_i = 1/‖W_ii‖₂, n [kg].
    fn rho(&self) -> &[f64];

    /// The cone of contact i.
    fn cone(&self, i: usize) -> Cone;

    /// u ← W r + b.
    fn velocity(&mut self, r: &[f64], u: &mut [f64]);

    /// Both residuals of r with the velocities given.
    fn residuals<const D: usize>(&self, r: &[f64], u: &[f64]) -> Residuals {
        residual::natural::<D>(self.b(), |i| self.cone(i), self.rho(), r, u)
    }
}

impl Product for Task<'_> {
    fn b(&self) -> &[f64] {
        &self.problem.b
    }

    fn rho(&self) -> &[f64] {
        self.rho
    }

    fn cone(&self, i: usize) -> Cone {
        self.problem.cone(i)
    }

    fn velocity(&mut self, r: &[f64], u: &mut [f64]) {
        self.problem.velocity(r, u);
    }
}
