//! The driver: the cheapest method first, the surest last, the common residuals as judge.
//!
//!   one contact:    p = [−b/W]₊
//!   more:           active set → pivoting → pivoting on W + 1e-12 D → proximal point → sweeps → Fischer–Burmeister
//!
//! Large problems meet the proximal point before pivoting. After every method the active set it found is solved once
//! more directly. An infeasibility certificate from pivoting or from the proximal point, or the failure of all bases of
//! a small problem, ends the search with `NoSolution`.

use crate::certificate::{PROOF, smallest_solution};
use crate::enumeration::Verdict;
use crate::lcp::{Lcp, Outcome, step};
use crate::lemke::Ending;
use crate::newton_min::OnCycle;
use crate::residual::natural_residuals;
use crate::solver::Work;
use crate::{Method, OneStepProblem, Residuals, SolveReport, SolveStatus, SolverOptions};
use percussion_matrix::Matrix;

/// Active-set iterations before anything else is tried; large chains need some twenty.
const NEWTON_ITERATIONS: usize = 60;
/// Largest problem handed to pivoting.
const LEMKE_SIZE: usize = 1500;
/// Largest problem whose bases are all tried: 4096 of them take some milliseconds.
const ENUMERATION_SIZE: usize = 12;
/// Up to this size pivoting is faster than the proximal point method: at 400 rows 19 ms against 3 ms.
const PIVOTING_FIRST: usize = 150;
/// Methods with the relative shift of diag(W) under which they are used.
const PIVOTING_ORDER: [(Method, f64); 5] = [
    (Method::Lemke, 0.0),
    (Method::Lemke, 1e-12),
    (Method::Proximal, 0.0),
    (Method::Pgs, 0.0),
    (Method::NewtonFb, 0.0),
];
const PROXIMAL_ORDER: [(Method, f64); 5] = [
    (Method::Proximal, 0.0),
    (Method::Lemke, 0.0),
    (Method::Lemke, 1e-12),
    (Method::Pgs, 0.0),
    (Method::NewtonFb, 0.0),
];

/// One contact in closed form; `None` when W ≤ 0 needs a closer look.
#[inline]
pub(crate) fn solve_single(problem: &OneStepProblem, p: &mut [f64], u: &mut [f64]) -> Option<Residuals> {
    let w = match &problem.W {
        Matrix::Dense(W) => W.values()[0],
        Matrix::Sparse(W) => W.get(0, 0),
    };
    let b = problem.b[0];
    if b >= 0.0 {
        p[0] = 0.0;
    } else if w > f64::MIN_POSITIVE {
        p[0] = -b / w;
    } else {
        return None;
    }
    u[0] = w * p[0] + b;
    Some(natural_residuals(&problem.b, |_| step(w), p, u))
}

/// Any number of contacts.
#[inline]
pub(crate) fn solve(work: &mut Work, problem: &OneStepProblem, p: &mut [f64], options: &SolverOptions) -> SolveReport {
    let Work { rho, u, newton, stop, .. } = work;
    let lcp = Lcp { W: &problem.W, b: &problem.b, rho, shift: 0.0, revision: problem.revision, stop };
    let limit = NEWTON_ITERATIONS.min(options.max_iterations);
    let on_cycle = if lcp.len() <= LEMKE_SIZE { OnCycle::Stop } else { OnCycle::Damp };
    let outcome = newton.solve(&lcp, p, u, options.tolerance, limit, on_cycle);
    if lcp.accepts(p, &outcome.residuals, options.tolerance) {
        return SolveReport {
            status: SolveStatus::Solved,
            method: Method::NewtonMin,
            iterations: outcome.iterations,
            residuals: outcome.residuals,
        };
    }
    search(work, problem, p, options, outcome)
}

/// The best answer so far.
struct Best<'a> {
    p: &'a mut Vec<f64>,
    error: f64,
    residuals: Residuals,
    method: Method,
    iterations: usize,
    solved: bool,
    lcp: Lcp<'a>,
    tolerance: f64,
}

impl Best<'_> {
    /// Counts the work, keeps p if it is better; whether it is good enough.
    fn offer(&mut self, p: &[f64], outcome: Outcome, method: Method) -> bool {
        self.iterations += outcome.iterations;
        let solved = self.lcp.accepts(p, &outcome.residuals, self.tolerance);
        let error = self.lcp.error(p, &outcome.residuals);
        if solved || error < self.error {
            self.p.copy_from_slice(p);
            self.error = error;
            self.residuals = outcome.residuals;
            self.method = method;
            self.solved = solved;
        }
        self.solved
    }

    /// Hands the best p back.
    fn report(self, p: &mut [f64], proved: bool) -> SolveReport {
        p.copy_from_slice(self.p);
        let status = if self.solved {
            SolveStatus::Solved
        } else if proved {
            SolveStatus::NoSolution
        } else {
            SolveStatus::NotConverged
        };
        SolveReport { status, method: self.method, iterations: self.iterations, residuals: self.residuals }
    }
}

/// The methods in turn, after the active set gave up.
#[cold]
fn search(
    work: &mut Work,
    problem: &OneStepProblem,
    p: &mut [f64],
    options: &SolverOptions,
    newton_outcome: Outcome,
) -> SolveReport {
    let Work { rho, u, best, newton, lemke, pgs, proximal, fb, enumeration, stop, .. } = work;
    let n = problem.len();
    let tolerance = options.tolerance;
    let lcp = Lcp { W: &problem.W, b: &problem.b, rho, shift: 0.0, revision: problem.revision, stop };
    best.clear();
    best.resize(n, 0.0);
    let mut best = Best {
        p: best,
        error: f64::INFINITY,
        residuals: Residuals::INFINITE,
        method: Method::Auto,
        iterations: 0,
        solved: false,
        lcp,
        tolerance,
    };

    // data that are not numbers have no answer
    let finite = problem.W.max_abs().is_finite() && problem.b.iter().all(|b| b.is_finite());
    if !finite {
        return best.report(p, false);
    }
    best.offer(p, newton_outcome, Method::NewtonMin);
    let mut bound = 0.0_f64;

    // each method from the best p, each answer followed by a direct solve of the active set it found
    let order = if n <= PIVOTING_FIRST { PIVOTING_ORDER } else { PROXIMAL_ORDER };
    for (method, shift) in order {
        if lcp.stop.requested() {
            return best.report(p, false);
        }
        p.copy_from_slice(best.p);
        let mut outcome = match method {
            Method::Lemke if n > LEMKE_SIZE => continue,
            Method::Lemke => {
                let (ending, outcome) = lemke.solve(&lcp.shifted(shift, &problem.b), p, u, options.max_iterations);
                if ending == Ending::Ray {
                    bound = bound.max(smallest_solution(&lcp, &lemke.ray));
                }
                outcome
            }
            Method::Proximal => {
                let outcome = proximal.solve(&lcp, newton, lemke, p, u, tolerance, 200);
                bound = bound.max(proximal.bound);
                outcome
            }
            Method::Pgs => pgs.solve(&lcp, p, u, tolerance, options.max_iterations.min(2000)),
            _ => fb.solve(&lcp, p, u, tolerance, 200),
        };
        outcome.residuals = lcp.finish(p, u);
        if best.offer(p, outcome, method) {
            return best.report(p, false);
        }
        if bound >= PROOF {
            return best.report(p, true);
        }
        let outcome = newton.solve(&lcp, p, u, tolerance, 10, OnCycle::Stop);
        if best.offer(p, outcome, method) {
            return best.report(p, false);
        }
    }

    // all bases of a small problem
    let mut proved = false;
    if n <= ENUMERATION_SIZE {
        let (verdict, outcome) = enumeration.solve(&lcp, p, u, tolerance);
        best.offer(p, outcome, Method::Enumeration);
        proved = verdict == Verdict::NoSolution;
    }
    best.report(p, proved)
}
