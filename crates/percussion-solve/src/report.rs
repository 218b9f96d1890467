//! What a solver says about its answer.

use crate::{Method, Residuals, SolverOptions, Stop};
use serde::{Deserialize, Serialize};

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SolveStatus {
    /// Both residuals are under the tolerance, or good enough where the options say what that is.
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

/// How far a method came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Iterations, sweeps or pivots.
    pub iterations: usize,
    /// Of the impulses it left behind, for the problem it was given.
    pub residuals: Residuals,
}

impl Outcome {
    /// The report of this method with the given status.
    #[inline]
    pub fn report(self, method: Method, status: SolveStatus) -> SolveReport {
        SolveReport { status, method, iterations: self.iterations, residuals: self.residuals }
    }

    /// The report of this method before its answer is judged.
    #[inline]
    pub fn unjudged(self, method: Method) -> SolveReport {
        self.report(method, SolveStatus::NotConverged)
    }
}

impl SolveReport {
    /// The status its residuals deserve. An answer that was cut short depends on the moment, so only the tolerance excuses it.
    pub(crate) fn judge(&mut self, options: &SolverOptions, stop: &Stop) {
        let worst = self.residuals.worst();
        if worst <= options.tolerance || (worst <= options.acceptable() && !stop.requested()) {
            self.status = SolveStatus::Solved;
            return;
        }
        // parts that were solved each need not be so together
        if self.status == SolveStatus::Solved {
            self.status = SolveStatus::NotConverged;
        }
        if stop.requested() && self.status == SolveStatus::NotConverged {
            self.status = SolveStatus::TimeLimit;
        }
    }

    /// Of a problem whose sizes disagree.
    pub(crate) const fn malformed(method: Method) -> Self {
        Self { status: SolveStatus::NotConverged, method, iterations: 0, residuals: Residuals::INFINITE }
    }

    /// Of a problem without contacts.
    pub(crate) const fn empty(method: Method) -> Self {
        Self { status: SolveStatus::Solved, method, iterations: 0, residuals: Residuals { plain: 0.0, scaled: 0.0 } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A residual above what is enough is no solution, whatever the parts of a problem said; one below it is.
    ///
    /// The bug: islands that stopped at 1e-6 each were called solved at 1.007e-6 together, which the certificate of the run then refused.
    #[test]
    fn what_is_enough_is_judged_of_the_whole() {
        let options = SolverOptions { enough: Some(1e-6), ..SolverOptions::default() };
        for (worst, status) in [(1.007e-6, SolveStatus::NotConverged), (0.993e-6, SolveStatus::Solved)] {
            let residuals = Residuals { plain: worst, scaled: 0.0 };
            let mut report =
                SolveReport { status: SolveStatus::Solved, method: Method::Auto, iterations: 1, residuals };
            report.judge(&options, &Stop::default());
            assert_eq!(report.status, status, "{worst:e}");
        }
    }
}
