//! A method of the user's own: a function from a problem and a first guess to better impulses.
//!
//!   (W, b, p, tolerance, limit) → p, iterations
//!
//! It is judged as every other method is: by the two residuals of the p it leaves, not by what it says of itself.

use crate::OneStepProblem;

/// A named function that improves p towards 0 ≤ W p + b ⟂ p ≥ 0 and returns its iterations.
#[derive(Clone, Copy)]
pub struct OwnMethod {
    /// Its name, for reports.
    pub name: &'static str,
    /// The function; the numbers are the residual asked and the iterations allowed.
    pub solve: fn(problem: &OneStepProblem, p: &mut [f64], tolerance: f64, limit: usize) -> usize,
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
