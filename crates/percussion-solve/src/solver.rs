//! The solver: its options, its work memory and the way from a method's name to its code.

use crate::enumeration::{Enumeration, Verdict};
use crate::friction::Stop;
use crate::lcp::{Lcp, Outcome, steps};
use crate::lemke::{Ending, Lemke};
use crate::newton_fb::NewtonFb;
use crate::newton_min::{NewtonMin, OnCycle};
use crate::pgs::Pgs;
use crate::proximal::Proximal;
use crate::{Method, OneStepProblem, Residuals, SolveReport, SolveStatus, auto, certificate};
use serde::{Deserialize, Serialize};

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
///
/// What it keeps between calls are buffers and factorisations of an unchanged W; the answer does not depend on them.
#[derive(Debug, Default)]
pub struct Solver {
    /// How to solve.
    pub options: SolverOptions,
    work: Work,
}

/// The memory of all methods; grows when needed, never shrinks.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// ρ of the revision below, n [kg].
    pub rho: Vec<f64>,
    rho_revision: u64,
    /// u of the answer, n [m/s].
    pub u: Vec<f64>,
    pub best: Vec<f64>,
    pub newton: NewtonMin,
    pub lemke: Lemke,
    pub pgs: Pgs,
    pub proximal: Proximal,
    pub fb: NewtonFb,
    pub enumeration: Enumeration,
    /// When to give up from outside.
    pub stop: Stop,
}

impl Solver {
    /// A solver without memory yet.
    pub fn new(options: SolverOptions) -> Self {
        Self { options, work: Work::default() }
    }

    /// The same solver that gives up when asked from outside.
    pub fn stopping(mut self, stop: Stop) -> Self {
        self.work.stop = stop;
        self
    }
}

impl OneStepSolver for Solver {
    #[inline]
    fn solve(&mut self, problem: &OneStepProblem, p: &mut [f64]) -> SolveReport {
        let n = problem.len();
        let (work, options) = (&mut self.work, &self.options);
        if problem.W.n_rows() != n || problem.W.n_cols() != n || p.len() != n {
            p.fill(0.0);
            return report(SolveStatus::NotConverged, options.method, 0, Residuals::INFINITE);
        }
        if n == 0 {
            return report(SolveStatus::Solved, options.method, 0, Residuals::default());
        }
        if n == 1 && options.method == Method::Auto {
            let mut u = [0.0];
            let closed_form = auto::solve_single(problem, p, &mut u).filter(|r| r.worst() <= options.tolerance);
            if let Some(residuals) = closed_form {
                return report(SolveStatus::Solved, Method::Auto, 0, residuals);
            }
        }
        work.prepare(problem);
        let mut report = match options.method {
            Method::Auto => auto::solve(work, problem, p, options),
            // a friction solver's name: without friction the driver knows better
            method if !method.solves_complementarity() => auto::solve(work, problem, p, options),
            _ => single_method(work, problem, p, options),
        };
        if report.status == SolveStatus::NotConverged && work.stop.requested() {
            report.status = SolveStatus::TimeLimit;
        }
        report
    }
}

impl Work {
    /// ρ and memory for u.
    #[inline]
    fn prepare(&mut self, problem: &OneStepProblem) {
        let n = problem.len();
        if problem.revision == 0 || problem.revision != self.rho_revision || self.rho.len() != n {
            steps(&problem.W, &mut self.rho);
            self.rho_revision = problem.revision;
        }
        self.u.resize(n, 0.0);
    }
}

/// The method that was asked for and no other.
fn single_method(work: &mut Work, problem: &OneStepProblem, p: &mut [f64], options: &SolverOptions) -> SolveReport {
    let Work { rho, u, newton, lemke, pgs, proximal, fb, enumeration, stop, .. } = work;
    let lcp = Lcp { W: &problem.W, b: &problem.b, rho, shift: 0.0, revision: problem.revision, stop };
    let (tolerance, limit) = (options.tolerance, options.max_iterations);
    let mut proved = false;
    let mut outcome = match options.method {
        Method::Lemke => {
            let (ending, outcome) = lemke.solve(&lcp, p, u, limit);
            proved = ending == Ending::Ray && certificate::smallest_solution(&lcp, &lemke.ray) >= certificate::PROOF;
            outcome
        }
        Method::Pgs => pgs.solve(&lcp, p, u, tolerance, limit),
        Method::Proximal => {
            let outcome = proximal.solve(&lcp, newton, lemke, p, u, tolerance, limit);
            proved = proximal.bound >= certificate::PROOF;
            outcome
        }
        Method::NewtonFb => fb.solve(&lcp, p, u, tolerance, limit),
        Method::Enumeration => {
            let (verdict, outcome) = enumeration.solve(&lcp, p, u, tolerance);
            proved = verdict == Verdict::NoSolution;
            outcome
        }
        Method::Own(own) => {
            let iterations = (own.solve)(problem, p, tolerance, limit);
            Outcome { iterations, residuals: lcp.finish(p, u) }
        }
        _ => newton.solve(&lcp, p, u, tolerance, limit, OnCycle::Damp),
    };

    // nothing that is not a number leaves the solver
    if outcome.residuals.worst() == f64::INFINITY {
        p.fill(0.0);
        outcome.residuals = lcp.finish(p, u);
    }
    let status = if lcp.accepts(p, &outcome.residuals, tolerance) {
        SolveStatus::Solved
    } else if proved {
        SolveStatus::NoSolution
    } else {
        SolveStatus::NotConverged
    };
    report(status, options.method, outcome.iterations, outcome.residuals)
}

#[inline]
fn report(status: SolveStatus, method: Method, iterations: usize, residuals: Residuals) -> SolveReport {
    SolveReport { status, method, iterations, residuals }
}
