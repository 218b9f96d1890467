//! A method of the user's own: a function from a problem and a first guess to better impulses.
//!
//!   (W, b, p, tolerance, limit) → p, iterations
//!
//! It is judged as every other method is: by the two residuals of the p it leaves, not by what it says of itself.

use super::lcp::Lcp;
use super::{OneStepProblem, Tools};
use crate::entry::{Complementarity, Entry};
use crate::report::Outcome;
use crate::{Method, SolveReport, SolverOptions};

/// A named function that improves p towards 0 ≤ W p + b ⟂ p ≥ 0 and returns its iterations.
#[derive(Clone, Copy)]
pub struct OwnMethod {
    /// Its name, for reports.
    pub name: &'static str,
    /// The function; the numbers are the residual asked and the iterations allowed.
    pub solve: fn(problem: &OneStepProblem, p: &mut [f64], tolerance: f64, limit: usize) -> usize,
}

/// The entry of such a function.
pub(crate) const fn entry(own: OwnMethod) -> Entry {
    Entry {
        name: own.name,
        summary: "a function of the user's own",
        most_rows: None,
        complementarity: Complementarity::User(own),
        friction: None,
    }
}

impl OwnMethod {
    /// Runs the function and judges what it left.
    pub(crate) fn solve(
        self,
        problem: &OneStepProblem,
        tools: &mut Tools,
        lcp: &Lcp,
        p: &mut [f64],
        options: &SolverOptions,
    ) -> SolveReport {
        let iterations = (self.solve)(problem, p, options.tolerance, options.max_iterations);
        let outcome = Outcome { iterations, residuals: lcp.finish(p, &mut tools.u) };
        lcp.judged(Method::Own(self), outcome, false, p, &mut tools.u, options.tolerance)
    }
}

impl PartialEq for OwnMethod {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && std::ptr::fn_addr_eq(self.solve, other.solve)
    }
}

impl Eq for OwnMethod {}

impl std::hash::Hash for OwnMethod {
    fn hash<S: std::hash::Hasher>(&self, state: &mut S) {
        self.name.hash(state);
    }
}

impl std::fmt::Debug for OwnMethod {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OwnMethod({})", self.name)
    }
}
