//! The solver of mixed problems: eliminate, solve what is left, polish, judge.

use super::basis::{self, Verdict};
use super::eliminate::{Rest, Tableau};
use super::residual::steps;
use super::split::{join, split};
use super::{MlcpProblem, mlcp_residuals};
use crate::Stop;
use crate::{Method, OneStepProblem, OneStepSolver, Residuals, SolveReport, SolveStatus, Solver, SolverOptions};

/// Dense work on more rows than this would take gigabytes.
const LARGEST: usize = 8000;
/// Eliminations with smaller pivots prove nothing.
const SOUND_PIVOT: f64 = 1e-9;

/// The solver with its options; the method is that of the complementarity problem that is left.
#[derive(Debug, Default)]
pub struct MlcpSolver {
    /// How to solve.
    pub options: SolverOptions,
    /// When to give up from outside.
    pub stop: Stop,
}

impl MlcpSolver {
    /// A solver with these options.
    pub fn new(options: SolverOptions) -> Self {
        Self { options, stop: Stop::default() }
    }

    /// Finds z and says how it went; the guess is not used.
    pub fn solve(&mut self, problem: &MlcpProblem, z: &mut [f64]) -> SolveReport {
        let failed = |residuals| SolveReport {
            status: SolveStatus::NotConverged,
            method: self.options.method,
            iterations: 0,
            residuals,
        };
        z.fill(0.0);
        if !problem.is_well_formed() || z.len() != problem.len() {
            return failed(Residuals::INFINITE);
        }
        if problem.q.len().max(problem.len()) > LARGEST {
            return failed(mlcp_residuals(problem, z));
        }

        // the complementarity problem that is left without the free unknowns
        let tableau = Tableau::new(problem);
        let rest = tableau.rest(problem);
        if self.options.method == Method::Enumeration {
            return self.enumerate(problem, z, 0);
        }
        let mut report = match rest {
            Rest::Contradiction => {
                let mut report = failed(mlcp_residuals(problem, z));
                report.status = SolveStatus::NoSolution;
                report
            }
            Rest::Complementarity { W, b } => {
                let (mut report, x) = self.complementarity(W, b);
                tableau.recover(problem, &x, z);
                report.residuals = basis::polish(problem, z);
                report
            }
            Rest::Mixed => {
                let (W, b) = split(problem);
                let (mut report, x) = self.complementarity(W, b);
                join(problem, &x, z);
                report.residuals = basis::polish(problem, z);
                report
            }
        };

        // the answer counts by its residuals, a refutation by its pivots
        let sound = tableau.smallest_pivot >= SOUND_PIVOT;
        if accepts(problem, z, &report.residuals, self.options.tolerance) {
            report.status = SolveStatus::Solved;
        } else if report.status == SolveStatus::NoSolution && sound {
            z.fill(0.0);
            report.residuals = mlcp_residuals(problem, z);
        } else if self.options.method == Method::Auto && problem.n_pairs() <= basis::LARGEST {
            return self.enumerate(problem, z, report.iterations);
        } else {
            report.status = if self.stop.requested() { SolveStatus::TimeLimit } else { SolveStatus::NotConverged };
        }
        report
    }

    fn complementarity(&self, W: percussion_matrix::Matrix, b: Vec<f64>) -> (SolveReport, Vec<f64>) {
        let lcp = OneStepProblem::new(W, b);
        let mut x = vec![0.0; lcp.len()];
        let report = Solver::new(self.options).stopping(self.stop.clone()).solve(&lcp, &mut x);
        (report, x)
    }

    fn enumerate(&self, problem: &MlcpProblem, z: &mut [f64], iterations: usize) -> SolveReport {
        let (verdict, count, residuals) = basis::enumerate(problem, z, self.options.tolerance, &self.stop);
        let status = match verdict {
            Verdict::Found if accepts(problem, z, &residuals, self.options.tolerance) => SolveStatus::Solved,
            Verdict::NoSolution => SolveStatus::NoSolution,
            _ if self.stop.requested() => SolveStatus::TimeLimit,
            _ => SolveStatus::NotConverged,
        };
        SolveReport { status, method: Method::Enumeration, iterations: iterations + count, residuals }
    }
}

/// Both residuals within the tolerance, and the equations wrong by no more than a millionth of q: a z that runs away
/// makes the residuals of an infeasible problem small, but not this.
fn accepts(problem: &MlcpProblem, z: &[f64], residuals: &Residuals, tolerance: f64) -> bool {
    let rho = steps(problem);
    let zz: f64 = z.iter().map(|z| z * z).sum();
    let rq: f64 = problem.q.iter().zip(&rho).map(|(q, rho)| (rho * q) * (rho * q)).sum();
    let worst = residuals.worst();
    let error = if zz <= rq || worst == 0.0 { worst } else { worst * (zz / rq).sqrt() };
    worst <= tolerance && error <= 1e-6
}
