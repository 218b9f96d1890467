//! Proximal point with semismooth Newton inside: the workhorse for high accuracy.
//!
//!   r_{k+1} solves the problem with W + ε_k D and b − ε_k D r_k,    D = diag ρ⁻¹
//!
//! The shift makes every Newton matrix regular, redundant contacts included, and vanishes at the limit. ε falls while
//! the inner problems are solved quickly and rises where they are not. Coulomb's law is not monotone: the residual
//! may rise along the way, so a step is only taken back when Newton failed on it.

use crate::Method;
use crate::entry::{Complementarity, Entry, Friction, friction_method};
use crate::friction::newton::newton_ac::{Newton, Proximal};
use crate::friction::solver::FrictionTools;
use crate::friction::task::Task;
use crate::friction::two_body::OnBodies;
use crate::report::Outcome;

/// First ε, relative to W_ii, where nothing else is asked.
pub(crate) const START: f64 = 1e-3;
const SMALLEST: f64 = 1e-10;
const LARGEST: f64 = 30.0;
/// Newton iterations for one inner problem.
const INNER: usize = 60;
/// Newton iterations without a tenth of progress after which the method gives up.
const PATIENCE: usize = 600;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "prox-newton",
    summary: "proximal point with semismooth Newton inside; high accuracy, redundant contacts",
    most_rows: None,
    complementarity: Complementarity::None,
    friction: Some(Friction::of::<ProximalPoint>(OnBodies::Momentum)),
};

friction_method! {
    /// The method from its usual ε.
    ProximalPoint(tools, task, r) {
        let FrictionTools { u, newton, memories, .. } = tools;
        memories.get::<ProxNewton>().solve(newton, task, START, r, u).unjudged(Method::ProxNewton)
    }
}

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct ProxNewton {
    centre: Vec<f64>,
    best: Vec<f64>,
}

impl ProxNewton {
    /// Improves r and leaves its velocity in u; the first ε is `start`.
    pub fn solve<const D: usize, const D2: usize>(
        &mut self,
        newton: &mut Newton<D, D2>,
        task: &Task,
        start: f64,
        r: &mut [f64],
        u: &mut [f64],
    ) -> Outcome {
        let mut residuals = task.judge(r, u);
        let (mut epsilon, mut failed_at) = (start, 0.0_f64);
        let mut iterations = 0;
        self.best.clear();
        self.best.extend_from_slice(r);
        let (mut best, mut milestone, mut milestone_at) = (residuals.worst(), residuals.worst(), 0);
        while iterations < task.limit && best > task.tolerance && !task.stop.requested() {
            self.centre.clear();
            self.centre.extend_from_slice(r);
            let proximal = Proximal { epsilon, centre: &self.centre };
            let target = (1e-2 * residuals.worst()).clamp(1e-15, 1e-3).max(0.02 * task.tolerance);
            let inner = task.limited(INNER);
            let (count, reached) = newton.solve(&inner, Some(proximal), r, u, target);
            iterations += count.max(1);
            residuals = task.judge(r, u);
            if residuals.worst() < best {
                best = residuals.worst();
                self.best.copy_from_slice(r);
            }
            if best < 0.9 * milestone {
                (milestone, milestone_at) = (best, iterations);
            } else if iterations - milestone_at > PATIENCE {
                break;
            }
            if reached <= target.max(1e-14) {
                failed_at *= 0.7;
                if count <= 5 {
                    epsilon = (0.2 * epsilon).max(2.0 * failed_at).min(epsilon).max(SMALLEST);
                }
            } else {
                failed_at = epsilon;
                epsilon = (6.0 * epsilon).min(LARGEST);
                r.copy_from_slice(&self.centre);
                residuals = task.judge(r, u);
            }
        }
        r.copy_from_slice(&self.best);
        Outcome { iterations, residuals: task.judge(r, u) }
    }
}
