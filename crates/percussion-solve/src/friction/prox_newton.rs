//! Proximal point with semismooth Newton inside: the workhorse for high accuracy.
//!
//!   r_{k+1} solves the problem with W + ε_k D and b − ε_k D r_k,    D = diag ρ⁻¹
//!
//! The shift makes every Newton matrix regular, redundant contacts included, and vanishes at the limit. ε falls while
//! the inner problems are solved and rises where they are not; the common residuals of the unshifted problem decide.

use super::newton::{Newton, Proximal};
use super::task::Task;
use crate::lcp::Outcome;

/// First ε, relative to W_ii.
const START: f64 = 1e-3;
const SMALLEST: f64 = 1e-9;
const LARGEST: f64 = 10.0;

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct ProxNewton {
    centre: Vec<f64>,
    best: Vec<f64>,
}

impl ProxNewton {
    /// Improves r and leaves its velocity in u.
    pub fn solve<const D: usize, const D2: usize>(
        &mut self,
        newton: &mut Newton<D, D2>,
        task: &Task,
        r: &mut [f64],
        u: &mut [f64],
    ) -> Outcome {
        let mut residuals = task.judge(r, u);
        let mut epsilon = START;
        let (mut iterations, mut failures) = (0, 0);
        self.best.clear();
        self.best.extend_from_slice(r);
        let mut best = residuals.worst();
        let mut idle = 0;
        while iterations < task.limit && best > task.tolerance && failures < 8 && idle < 60 && !task.stop.requested() {
            self.centre.clear();
            self.centre.extend_from_slice(r);
            let proximal = Proximal { epsilon, centre: &self.centre, again: iterations > 0 };
            let target = (1e-2 * residuals.worst()).clamp(1e-15, 1e-3).max(0.02 * task.tolerance);
            let inner = task.limited(60);
            let (count, reached) = newton.solve(&inner, Some(proximal), r, u, target);
            iterations += count.max(1);
            residuals = task.judge(r, u);
            if std::env::var_os("TRACE").is_some() { eprintln!("eps {epsilon:.1e} target {target:.1e} count {count} reached {reached:.1e} e {:.2e} {:.2e}", residuals.plain, residuals.scaled); }
            let solved = reached <= target.max(1e-14);
            if residuals.worst() < best {
                idle = if residuals.worst() < 0.7 * best { 0 } else { idle + 1 };
                best = residuals.worst();
                self.best.copy_from_slice(r);
            } else {
                idle += 1;
            }
            if solved {
                epsilon = if count <= 6 { (0.1 * epsilon).max(SMALLEST) } else { epsilon };
                failures = 0;
            } else {
                failures += 1;
                epsilon = (30.0 * epsilon).min(LARGEST);
                r.copy_from_slice(&self.best);
                residuals = task.judge(r, u);
            }
        }
        r.copy_from_slice(&self.best);
        Outcome { iterations, residuals: task.judge(r, u) }
    }
}
