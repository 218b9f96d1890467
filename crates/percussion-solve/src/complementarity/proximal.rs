//! The proximal point method (Rockafellar 1976) for redundant contacts.
//!
//!   p_{k+1} solves LCP(W + ε D, b − ε D p_k),    D = |diag(W)|,    p_0 = 0
//!
//! Each subproblem is regular where W is only semidefinite. Starting from zero, the limit is close to the solution of
//! least norm: redundant contacts share their load evenly. ε is reduced when the progress is slow, and for the last step.

use super::Tools;
use super::certificate::{PROOF, smallest_solution};
use super::lcp::Lcp;
use super::lemke::Lemke;
use super::newton_min::{NewtonMin, OnCycle};
use crate::Residuals;
use crate::entry::{Complementarity, Entry};
use crate::report::Outcome;
use crate::{Method, SolveReport, SolverOptions};

/// ε of the first subproblem; 1e-3 shares the load within 9 % of the least norm.
const EPSILON: f64 = 1e-3;
/// Below this the subproblem is as singular as W.
const SMALLEST_EPSILON: f64 = 1e-9;
/// Largest subproblem handed to pivoting when the active set cycles.
const LEMKE_SIZE: usize = 1500;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "proximal",
    summary: "regularised problems in sequence; shares the load evenly among redundant contacts",
    most_rows: None,
    complementarity: Complementarity::Run(run),
    friction: None,
};

/// The method alone.
fn run(tools: &mut Tools, lcp: &Lcp, p: &mut [f64], options: &SolverOptions) -> SolveReport {
    let Tools { u, newton, lemke, memories, .. } = tools;
    let proximal = memories.get::<Proximal>();
    let outcome = proximal.solve(lcp, newton, lemke, p, u, options.tolerance, options.max_iterations);
    lcp.judged(Method::Proximal, outcome, proximal.bound >= PROOF, p, u, options.tolerance)
}

/// The work memory of the method.
#[derive(Debug, Default)]
pub(crate) struct Proximal {
    b_shift: Vec<f64>,
    centre: Vec<f64>,
    /// p_{k+1} − p_k where it is positive: without a solution the p_k run away, and this tends to a Farkas certificate.
    ray: Vec<f64>,
    /// The bound on the size of any solution that the ray gives.
    pub bound: f64,
}

impl Proximal {
    /// Overwrites p, and u with its velocity; the guess only starts the first subproblem.
    #[allow(clippy::too_many_arguments)]
    pub fn solve(
        &mut self,
        lcp: &Lcp,
        newton: &mut NewtonMin,
        lemke: &mut Lemke,
        p: &mut [f64],
        u: &mut [f64],
        tolerance: f64,
        max_iterations: usize,
    ) -> Outcome {
        let n = lcp.len();
        self.b_shift.clear();
        self.b_shift.resize(n, 0.0);
        self.centre.clear();
        self.centre.resize(n, 0.0);
        self.ray.clear();
        self.ray.resize(n, 0.0);
        self.bound = 0.0;
        let mut epsilon = EPSILON;
        let mut residuals = Residuals::INFINITE;
        let mut iterations = 0;
        let mut failures = 0;
        let mut polished = false;

        while iterations < max_iterations && !lcp.stop.requested() {
            // b − ε D p_k
            for i in 0..n {
                self.b_shift[i] = lcp.b[i] - epsilon / lcp.rho[i] * self.centre[i];
            }
            let inner = lcp.shifted(epsilon, &self.b_shift);
            let newton_outcome = newton.solve(&inner, p, u, tolerance, 50, OnCycle::Stop);
            iterations += newton_outcome.iterations.max(1);
            if newton_outcome.residuals.worst() > tolerance {
                if n <= LEMKE_SIZE {
                    iterations += lemke.solve(&inner, p, u, 20 * n + 100).1.iterations;
                } else {
                    iterations += newton.solve(&inner, p, u, tolerance, 50, OnCycle::Damp).iterations;
                }
            }
            for i in 0..n {
                self.ray[i] = (p[i] - self.centre[i]).max(0.0);
            }
            self.centre.copy_from_slice(p);

            // judged by the problem itself
            let before = residuals.worst();
            residuals = lcp.finish(p, u);
            let now = residuals.worst();
            if polished || now == f64::INFINITY {
                break;
            }
            if now <= tolerance {
                // a small residual leaves an error of size ε⁻¹ times as large: once more, almost without shift
                polished = true;
                epsilon = (1e-3 * epsilon).max(SMALLEST_EPSILON);
                continue;
            }
            if now > 0.5 * before {
                failures += 1;
                self.bound = self.bound.max(smallest_solution(lcp, &self.ray));
                if self.bound >= PROOF {
                    break;
                }
                epsilon = (0.1 * epsilon).max(SMALLEST_EPSILON);
            }
            if failures > 20 {
                break;
            }
        }
        Outcome { iterations, residuals }
    }
}
