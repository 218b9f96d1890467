//! The solver of problems without friction: its work memory, and the way from a method's entry to its answer.

use super::lcp::{Lcp, steps};
use super::lemke::Lemke;
use super::newton_min::NewtonMin;
use super::{OneStepProblem, auto};
use crate::entry::Complementarity;
use crate::memory::Memories;
use crate::report::Outcome;
use crate::{Method, SolveReport, SolveStatus, SolverOptions, Stop};

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
    /// When to give up from outside.
    pub stop: Stop,
    /// ρ of the revision below, n [kg].
    rho: Vec<f64>,
    rho_revision: u64,
    tools: Tools,
}

/// The memory the methods work with; grows when needed, never shrinks.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// u of the answer, n [m/s].
    pub u: Vec<f64>,
    pub best: Vec<f64>,
    pub newton: NewtonMin,
    pub lemke: Lemke,
    pub memories: Memories,
}

impl Solver {
    /// A solver without memory yet.
    pub fn new(options: SolverOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The same solver that gives up when asked from outside.
    pub fn stopping(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// ρ and memory for u.
    #[inline]
    fn prepare(&mut self, problem: &OneStepProblem) {
        let n = problem.len();
        if problem.revision == 0 || problem.revision != self.rho_revision || self.rho.len() != n {
            steps(&problem.W, &mut self.rho);
            self.rho_revision = problem.revision;
        }
        self.tools.u.resize(n, 0.0);
    }
}

impl OneStepSolver for Solver {
    #[inline]
    fn solve(&mut self, problem: &OneStepProblem, p: &mut [f64]) -> SolveReport {
        let n = problem.len();
        let method = self.options.method;
        if problem.W.n_rows() != n || problem.W.n_cols() != n || p.len() != n {
            p.fill(0.0);
            return SolveReport::malformed(method);
        }
        if n == 0 {
            return SolveReport::empty(method);
        }
        if n == 1 && method == Method::Auto {
            let mut u = [0.0];
            let closed_form = auto::solve_single(problem, p, &mut u).filter(|r| r.worst() <= self.options.tolerance);
            if let Some(residuals) = closed_form {
                return Outcome { iterations: 0, residuals }.report(Method::Auto, SolveStatus::Solved);
            }
        }
        self.prepare(problem);
        let Self { options, stop, rho, tools, .. } = self;
        let lcp = Lcp { W: &problem.W, b: &problem.b, rho, shift: 0.0, revision: problem.revision, stop };
        let mut report = match method.entry().complementarity {
            Complementarity::Run(run) => run(tools, &lcp, p, options),
            Complementarity::User(own) => own.solve(problem, tools, &lcp, p, options),
            // a friction solver's name: without friction the driver knows better
            Complementarity::None => auto::solve(tools, &lcp, p, options),
        };
        if report.status == SolveStatus::NotConverged && stop.requested() {
            report.status = SolveStatus::TimeLimit;
        }
        report
    }
}
