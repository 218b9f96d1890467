//! The choice of a solver: one word, one set of options, one driver that knows them all.

use crate::{OneStepProblem, Residuals, SolveReport, SolveStatus};
use serde::{Deserialize, Serialize};

/// The methods by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Chooses, watches and changes method; the default.
    #[default]
    Auto,
    /// Lemke's complementary pivoting with the lexicographic rule.
    Lemke,
    /// Projected Gauss–Seidel.
    Pgs,
    /// Semismooth Newton on the min map (an active-set method).
    NewtonMin,
    /// Semismooth Newton on the Fischer–Burmeister map.
    NewtonFb,
    /// All complementary bases in turn; at most 20 rows.
    Enumeration,
}

/// How to solve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolverOptions {
    /// Which method. Default `auto`.
    pub method: Method,
    /// Accept when both residuals fall to this; under 1e-14 rounding decides. Default 1e-10.
    pub tolerance: f64,
    /// Sweeps of Gauss–Seidel, iterations of Newton, pivots of Lemke. Default 10 000.
    pub max_iterations: usize,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self { method: Method::Auto, tolerance: 1e-10, max_iterations: 10_000 }
    }
}

/// Anything that solves one-step problems.
pub trait OneStepSolver {
    /// Improves p, which holds a first guess (zero, or the last impulses), and says how it went.
    fn solve(&mut self, problem: &OneStepProblem, p: &mut [f64]) -> SolveReport;
}

/// The solver with its options and its reusable work memory.
#[derive(Debug, Default)]
pub struct Solver {
    /// How to solve.
    pub options: SolverOptions,
}

impl OneStepSolver for Solver {
    fn solve(&mut self, problem: &OneStepProblem, _p: &mut [f64]) -> SolveReport {
        let _ = problem;
        SolveReport {
            status: SolveStatus::NotConverged,
            method: self.options.method,
            iterations: 0,
            residuals: Residuals::default(),
        }
    }
}
