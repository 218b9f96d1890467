//! What every method is given: the problem, its steps ρ, how far to go, when to stop.

use super::residual::residuals_with;
use super::{FrictionProblem, Stop};
use crate::Residuals;

/// One solve, as the methods see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'a> {
    /// The problem, well-formed and not empty.
    pub problem: &'a FrictionProblem,
    /// ρ_i = 1/‖W_ii‖₂, n [kg].
    pub rho: &'a [f64],
    /// Both residuals are to fall below this.
    pub tolerance: f64,
    /// Iterations or sweeps at most.
    pub limit: usize,
    /// A request from outside.
    pub stop: &'a Stop,
}

impl Task<'_> {
    /// u ← W r + b and the common residuals of r.
    pub fn judge(&self, r: &[f64], u: &mut [f64]) -> Residuals {
        self.problem.velocity(r, u);
        self.residuals(r, u)
    }

    /// The common residuals of r with the velocities given.
    pub fn residuals(&self, r: &[f64], u: &[f64]) -> Residuals {
        residuals_with(self.problem, self.rho, r, u)
    }

    /// The same task with another number of iterations.
    pub fn limited(&self, limit: usize) -> Self {
        Self { limit: limit.min(self.limit), ..*self }
    }
}
