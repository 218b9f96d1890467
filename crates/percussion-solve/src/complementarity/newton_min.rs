//! Semismooth Newton on the min map, which is the primal–dual active-set method (Hintermüller, Ito, Kunisch 2002).
//!
//!   min(p, ρ∘u) = 0:    A = {i : p_i − ρ_i u_i > 0},    W_AA p_A = −b_A,    p_i = 0 for i ∉ A
//!
//! When the set repeats itself the answer is exact up to rounding. From the solution's active set it takes one linear
//! solve, and no factorisation if W has not changed.

use super::Tools;
use super::active_block::ActiveBlock;
use super::lcp::Lcp;
use crate::entry::{Complementarity, Entry};
use crate::report::Outcome;
use crate::{Method, SolveReport, SolverOptions};

/// A residual this small is rounding: no solve can improve it.
pub(crate) const ROUND_OFF: f64 = 1e-15;
/// Above this a converged set is worth a step of iterative refinement.
const REFINE: f64 = 1e-13;
/// So many sets are remembered once the steps are damped.
const LONGEST_MEMORY: usize = 1000;
/// Damping stops at this step length.
const SHORTEST_STEP: f64 = 1e-6;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "newton-min",
    summary: "active set, one sparse solve per iteration; large regular problems, warm starts",
    most_rows: None,
    complementarity: Complementarity::Run(run),
    friction: None,
};

/// The method alone.
fn run(tools: &mut Tools, lcp: &Lcp, p: &mut [f64], options: &SolverOptions) -> SolveReport {
    let Tools { u, newton, .. } = tools;
    let outcome = newton.solve(lcp, p, u, options.tolerance, options.max_iterations, OnCycle::Damp);
    lcp.judged(Method::NewtonMin, outcome, false, p, u, options.tolerance)
}

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct NewtonMin {
    block: ActiveBlock,
    active: Vec<bool>,
    trial: Vec<f64>,
    u_trial: Vec<f64>,
    seen: Vec<u64>,
}

/// How to go on when the active sets start to repeat in a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OnCycle {
    /// Leave it to another method.
    Stop,
    /// Shorten the steps until ½‖min(p, ρ∘u)‖² falls.
    Damp,
}

impl NewtonMin {
    /// Improves p and leaves its velocity in u.
    pub fn solve(
        &mut self,
        lcp: &Lcp,
        p: &mut [f64],
        u: &mut [f64],
        tolerance: f64,
        max_iterations: usize,
        on_cycle: OnCycle,
    ) -> Outcome {
        let n = lcp.len();
        self.active.resize(n, false);
        self.trial.resize(n, 0.0);
        self.u_trial.resize(n, 0.0);
        self.seen.clear();
        let mut damped = false;

        // the contacts that carried load, or else those that close
        if !self.start_active(lcp, p) {
            let residuals = lcp.finish(p, u);
            if residuals.worst() <= ROUND_OFF {
                return Outcome { iterations: 0, residuals };
            }
        }

        for iterations in 1..=max_iterations {
            if lcp.stop.requested() {
                return Outcome { iterations, residuals: lcp.finish(p, u) };
            }

            // W_AA p_A = −b_A
            if !self.block.prepare(lcp, &self.active) {
                return Outcome { iterations, residuals: lcp.finish(p, u) };
            }
            for i in 0..n {
                self.trial[i] = -lcp.b[i];
            }
            self.block.solve(&mut self.trial);
            lcp.velocity(&self.trial, &mut self.u_trial);

            // the step, in full or down to where the merit falls
            if damped && !self.shorten(lcp, p, u) {
                return Outcome { iterations, residuals: lcp.finish(p, u) };
            }
            p.copy_from_slice(&self.trial);
            u.copy_from_slice(&self.u_trial);
            let mut residuals = lcp.residuals(p, u);

            // the same set again, or nothing left to gain
            let changed = self.choose_active(lcp, p, u);
            let exact = !changed && !damped;
            if exact && residuals.worst() > REFINE {
                self.refine(lcp, p, u);
                residuals = lcp.finish(p, u);
                return Outcome { iterations, residuals };
            }
            if exact || residuals.worst() <= ROUND_OFF {
                if p.iter().any(|&x| x < 0.0) {
                    residuals = lcp.finish(p, u);
                }
                return Outcome { iterations, residuals };
            }
            if residuals.worst() == f64::INFINITY {
                return Outcome { iterations, residuals };
            }

            // a set seen before: the full steps go in circles
            let mark = fingerprint(&self.active);
            if self.seen.contains(&mark) {
                let good = residuals.worst() <= tolerance;
                if good || on_cycle == OnCycle::Stop || self.seen.len() > LONGEST_MEMORY {
                    return Outcome { iterations, residuals: lcp.finish(p, u) };
                }
                damped = true;
            }
            self.seen.push(mark);
        }
        Outcome { iterations: max_iterations, residuals: lcp.finish(p, u) }
    }

    /// A ← {p_i > 0}, or {b_i ≤ 0} for a guess without load; false when that is empty. A column at rest has b_i = 0 at all
    /// contacts but the lowest: without the equality they would enter one by one.
    #[inline]
    fn start_active(&mut self, lcp: &Lcp, p: &[f64]) -> bool {
        let loaded = p.iter().any(|&x| x > 0.0);
        let mut any = false;
        for i in 0..lcp.len() {
            let active = if loaded { p[i] > 0.0 } else { lcp.b[i] <= 0.0 };
            self.active[i] = active;
            any |= active;
        }
        any
    }

    /// A ← {p_i − ρ_i u_i > 0}; whether that changed it. A contact enters only by more than rounding can explain:
    /// redundant contacts have u_i = 0, and letting them in makes the block singular.
    #[inline]
    fn choose_active(&mut self, lcp: &Lcp, p: &[f64], u: &[f64]) -> bool {
        let mut largest = 0.0_f64;
        for &x in p {
            largest = largest.max(x.abs());
        }
        let mut changed = false;
        for i in 0..lcp.len() {
            let rho = lcp.rho[i];
            let x = p[i] - rho * u[i];
            let active = x > 0.0 && (self.active[i] || x > 1e-13 * rho * lcp.b[i].abs() + 1e-15 * largest);
            changed |= active != self.active[i];
            self.active[i] = active;
        }
        changed
    }

    /// One step of iterative refinement of p_A; the block is that of the current set. Kept if it helps.
    fn refine(&mut self, lcp: &Lcp, p: &mut [f64], u: &mut [f64]) {
        let before = lcp.residuals(p, u).worst();
        self.trial.copy_from_slice(u);
        self.block.solve(&mut self.trial);
        for i in 0..p.len() {
            self.trial[i] = p[i] - self.trial[i];
        }
        lcp.velocity(&self.trial, &mut self.u_trial);
        if lcp.residuals(&self.trial, &self.u_trial).worst() < before {
            p.copy_from_slice(&self.trial);
            u.copy_from_slice(&self.u_trial);
        }
    }

    /// Pulls the trial point towards p until the merit falls enough; false when it never does.
    fn shorten(&mut self, lcp: &Lcp, p: &[f64], u: &[f64]) -> bool {
        let start = merit(lcp, p, u, &self.trial, &self.u_trial, 0.0);
        let mut t = 1.0;
        while t > SHORTEST_STEP {
            // u is affine in p: no product with W
            if merit(lcp, p, u, &self.trial, &self.u_trial, t) <= (1.0 - 2e-4 * t) * start {
                for i in 0..p.len() {
                    self.trial[i] = p[i] + t * (self.trial[i] - p[i]);
                    self.u_trial[i] = u[i] + t * (self.u_trial[i] - u[i]);
                }
                return true;
            }
            t *= 0.5;
        }
        false
    }
}

/// ½‖min(p, ρ∘u)‖² at the fraction t of the way from (p, u) to (p1, u1).
fn merit(lcp: &Lcp, p: &[f64], u: &[f64], p1: &[f64], u1: &[f64], t: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..p.len() {
        let x = p[i] + t * (p1[i] - p[i]);
        let y = lcp.rho[i] * (u[i] + t * (u1[i] - u[i]));
        let m = if x < y { x } else { y };
        sum += m * m;
    }
    0.5 * sum
}

/// FNV-1a over the set; a collision only brings the damping forward.
fn fingerprint(active: &[bool]) -> u64 {
    active.iter().fold(0xcbf29ce484222325, |hash, &a| (hash ^ u64::from(a)).wrapping_mul(0x100000001b3))
}
