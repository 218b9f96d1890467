//! How to solve: method, accuracy, patience.

use crate::Method;
use serde::{Deserialize, Serialize};

/// How to solve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolverOptions {
    /// Which method. Default `auto`.
    pub method: Method,
    /// Accept when both residuals fall to this; under 1e-14 rounding decides. Default 1e-10.
    pub tolerance: f64,
    /// Accept what `auto` has reached at this, where `tolerance` asks for more work than a problem of its size is worth; `None`:
    /// `tolerance` must be met. Default `None`; a scenario that writes no tolerance has 1e-6.
    pub enough: Option<f64>,
    /// Sweeps of Gauss–Seidel, iterations of Newton, pivots of Lemke. Default 10 000.
    pub max_iterations: usize,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self { method: Method::Auto, tolerance: 1e-10, enough: None, max_iterations: 10_000 }
    }
}

impl SolverOptions {
    /// The largest residual of an answer that counts as solved.
    #[inline]
    pub fn acceptable(&self) -> f64 {
        self.enough.map_or(self.tolerance, |enough| enough.max(self.tolerance))
    }

    /// The same where nothing above the tolerance is enough.
    pub fn strict(self) -> Self {
        Self { enough: None, ..self }
    }
}
