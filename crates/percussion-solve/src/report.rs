//! What a solver says about its answer.

use crate::{Method, Residuals};
use serde::{Deserialize, Serialize};

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SolveStatus {
    /// Both residuals are under the tolerance.
    Solved,
    /// The iterations or pivots ended above the tolerance; the best p found is returned.
    NotConverged,
    /// Proved to have no solution (an infeasibility certificate, or no complementary basis is feasible).
    NoSolution,
    /// The time allowed ran out.
    TimeLimit,
}

/// The outcome of one solve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolveReport {
    /// How it ended.
    pub status: SolveStatus,
    /// The method that gave the answer.
    pub method: Method,
    /// Iterations, sweeps or pivots of all methods tried.
    pub iterations: usize,
    /// The two common residuals of the returned p.
    pub residuals: Residuals,
}
