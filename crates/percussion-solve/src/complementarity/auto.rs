//! The driver: the cheapest method first, the surest last, the common residuals as judge.
//!
//!   one contact:    p = [−b/W]₊
//!   more:           active set → pivoting → pivoting on W + 1e-12 D → proximal point → sweeps → Fischer–Burmeister
//!
//! Large problems meet the proximal point before pivoting. After every method the active set it found is solved once
//! more directly. An infeasibility certificate from pivoting or from the proximal point, or the failure of all bases of
//! a small problem, ends the search with `NoSolution`.

use super::certificate::{PROOF, is_definite, smallest_solution};
use super::enumeration::{Enumeration, Verdict};
use super::lcp::{Lcp, step};
use super::lemke::Ending;
use super::newton_fb::NewtonFb;
use super::newton_min::OnCycle;
use super::pgs::Pgs;
use super::proximal::Proximal;
use super::residual::natural_residuals;
use super::{OneStepProblem, Tools};
use crate::report::Outcome;
use crate::{Method, Residuals, SolveReport, SolveStatus, SolverOptions};
use percussion_matrix::Matrix;

/// Active-set iterations before anything else is tried; large chains need some twenty.
const NEWTON_ITERATIONS: usize = 60;
/// Largest problem handed to pivoting.
const LEMKE_SIZE: usize = 1500;
/// Largest problem whose bases are all tried: 4096 of them take some milliseconds.
const ENUMERATION_SIZE: usize = 12;
/// Up to this size pivoting is faster than the proximal point method: at 400 rows 19 ms against 3 ms.
const PIVOTING_FIRST: usize = 150;
/// A method to try, Lemke's with the shift of diag(W), relative, under which it is used.
#[derive(Clone, Copy)]
enum Rung {
    Lemke(f64),
    Proximal,
    Pgs,
    FischerBurmeister,
}
const PIVOTING_ORDER: [Rung; 5] =
    [Rung::Lemke(0.0), Rung::Lemke(1e-12), Rung::Proximal, Rung::Pgs, Rung::FischerBurmeister];
const PROXIMAL_ORDER: [Rung; 5] =
    [Rung::Proximal, Rung::Lemke(0.0), Rung::Lemke(1e-12), Rung::Pgs, Rung::FischerBurmeister];

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
pub(crate) fn solve(tools: &mut Tools, lcp: &Lcp, p: &mut [f64], options: &SolverOptions) -> SolveReport {
    let Tools { u, newton, .. } = tools;
    let limit = NEWTON_ITERATIONS.min(options.max_iterations);
    let on_cycle = if lcp.len() <= LEMKE_SIZE { OnCycle::Stop } else { OnCycle::Damp };
    let outcome = newton.solve(lcp, p, u, options.tolerance, limit, on_cycle);
    if lcp.accepts(p, u, &outcome.residuals, options.tolerance) {
        return outcome.report(Method::NewtonMin, SolveStatus::Solved);
    }
    search(tools, lcp, p, options, outcome)
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
    fn offer(&mut self, p: &[f64], u: &[f64], outcome: Outcome, method: Method) -> bool {
        self.iterations += outcome.iterations;
        let solved = self.lcp.accepts(p, u, &outcome.residuals, self.tolerance);
        let error = self.lcp.error(p, u);
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
    tools: &mut Tools,
    lcp: &Lcp,
    p: &mut [f64],
    options: &SolverOptions,
    newton_outcome: Outcome,
) -> SolveReport {
    let Tools { u, best, newton, lemke, memories } = tools;
    let n = lcp.len();
    let tolerance = options.tolerance;
    best.clear();
    best.resize(n, 0.0);
    let mut best = Best {
        p: best,
        error: f64::INFINITY,
        residuals: Residuals::INFINITE,
        method: Method::Auto,
        iterations: 0,
        solved: false,
        lcp: *lcp,
        tolerance,
    };

    // data that are not numbers have no answer
    let finite = lcp.W.max_abs().is_finite() && lcp.b.iter().all(|b| b.is_finite());
    if !finite {
        return best.report(p, false);
    }
    best.offer(p, u, newton_outcome, Method::NewtonMin);
    let mut bound = 0.0_f64;

    // each method from the best p, each answer followed by a direct solve of the active set it found
    let order = if n <= PIVOTING_FIRST { PIVOTING_ORDER } else { PROXIMAL_ORDER };
    for rung in order {
        if lcp.stop.requested() {
            return best.report(p, false);
        }
        p.copy_from_slice(best.p);
        let (method, mut outcome) = match rung {
            // what is good enough is not worth sweeps
            Rung::Pgs | Rung::FischerBurmeister if best.residuals.worst() <= options.acceptable() => break,
            Rung::Lemke(_) if n > LEMKE_SIZE => continue,
            Rung::Lemke(shift) => {
                let (ending, outcome) = lemke.solve(&lcp.shifted(shift, lcp.b), p, u, options.max_iterations);
                if ending == Ending::Ray {
                    bound = bound.max(smallest_solution(lcp, &lemke.ray));
                }
                (Method::Lemke, outcome)
            }
            Rung::Proximal => {
                let proximal = memories.get::<Proximal>();
                let outcome = proximal.solve(lcp, (newton, lemke), p, u, tolerance, 200);
                bound = bound.max(proximal.bound);
                (Method::Proximal, outcome)
            }
            Rung::Pgs => {
                let limit = options.max_iterations.min(2000);
                (Method::Pgs, memories.get::<Pgs>().solve(lcp, p, u, tolerance, limit))
            }
            Rung::FischerBurmeister => (Method::NewtonFb, memories.get::<NewtonFb>().solve(lcp, p, u, tolerance, 200)),
        };
        outcome.residuals = lcp.finish(p, u);
        if best.offer(p, u, outcome, method) {
            return best.report(p, false);
        }
        if bound >= PROOF && !is_definite(lcp) {
            return best.report(p, true);
        }
        let outcome = newton.solve(lcp, p, u, tolerance, 10, OnCycle::Stop);
        if best.offer(p, u, outcome, method) {
            return best.report(p, false);
        }
    }

    // all bases of a small problem
    let mut proved = false;
    if n <= ENUMERATION_SIZE {
        let (verdict, outcome) = memories.get::<Enumeration>().solve(lcp, p, u, tolerance);
        best.offer(p, u, outcome, Method::Enumeration);
        proved = verdict == Verdict::NoSolution && !is_definite(lcp);
    }
    best.report(p, proved)
}
