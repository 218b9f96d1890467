//! What every method is given: the problem, its steps ρ, how far to go, when to stop.

use crate::Residuals;
use crate::Stop;
use crate::friction::FrictionProblem;
use crate::friction::residual::residuals_with;

/// One solve, as the methods see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'a> {
    /// The problem, well-formed and not empty.
    pub problem: &'a FrictionProblem,
    /// ρ_i = 1/‖W_ii‖₂, n [kg].
    pub rho: &'a [f64],
    /// Both residuals are to fall below this.
    pub tolerance: f64,
    /// Residuals at which only cheap attempts are made to go further; the tolerance where it must be met.
    pub enough: f64,
    /// Iterations or sweeps at most.
    pub limit: usize,
    /// A request from outside.
    pub stop: &'a Stop,
}

/// How far to go, for methods that do not see W.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal<'a> {
    /// Both residuals are to fall below this.
    pub tolerance: f64,
    /// Residuals at which only cheap attempts are made to go further; the tolerance where it must be met.
    pub enough: f64,
    /// Iterations or sweeps at most.
    pub limit: usize,
    /// A request from outside.
    pub stop: &'a Stop,
}

impl<'a> Task<'a> {
    /// How far to go.
    pub fn goal(&self) -> Goal<'a> {
        Goal { tolerance: self.tolerance, enough: self.enough, limit: self.limit, stop: self.stop }
    }

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
