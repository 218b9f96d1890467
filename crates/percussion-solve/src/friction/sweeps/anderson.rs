//! Gauss–Seidel with Anderson's acceleration (Anderson 1965; Walker and Ni 2011).
//!
//!   G = sweep(r),  f = G − r,    γ = argmin ‖f − ΔF γ‖,    r ← P_C(G − ΔG γ)
//!
//! Once every contact has found out whether it sticks, slips or opens, a sweep is a smooth map and the combination of
//! the last few differences acts as a Krylov method on it. Velocities, and what sweeps keep of them, are affine in r and
//! are combined with the same γ, so an iteration costs one sweep. A step that makes ‖f‖ grow is taken back and the history dropped.

use crate::Method;
use crate::entry::{Complementarity, Entry, Friction, friction_method};
use crate::friction::FrictionProblem;
use crate::friction::local::Local;
use crate::friction::solver::FrictionTools;
use crate::friction::sweeps::gauss_seidel::{GaussSeidel, Order};
use crate::friction::task::Task;
use crate::friction::two_body::OnBodies;
use crate::report::Outcome;

/// Differences kept.
const DEPTH: usize = 8;
/// Growth of ‖f‖ after which the last combination is taken back.
const GROWTH: f64 = 2.0;
/// Sweeps between exact recomputations of u.
const REFRESH: usize = 30;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "nsgs-anderson",
    summary: "block Gauss-Seidel with Anderson's acceleration; medium and high accuracy without a factorisation",
    most_rows: None,
    complementarity: Complementarity::None,
    friction: Some(Friction::of::<NsgsAnderson>(OnBodies::Momentum)),
};

friction_method! {
    /// Accelerated sweeps until the iterations end.
    NsgsAnderson(tools, task, r) {
        let FrictionTools { u, sweeper, memories, .. } = tools;
        let outcome = memories.get::<Anderson>().solve(sweeper, task, Patience::ENDLESS, r, u);
        outcome.unjudged(Method::NsgsAnderson)
    }
}

/// Work memory of the acceleration.
#[derive(Debug, Default)]
pub(crate) struct Anderson {
    start: Vec<f64>,
    f: Vec<f64>,
    f_last: Vec<f64>,
    g_last: Vec<f64>,
    u_last: Vec<f64>,
    dF: Vec<Vec<f64>>,
    dG: Vec<Vec<f64>>,
    dU: Vec<Vec<f64>>,
    /// ΔFᵀΔF, DEPTH × DEPTH.
    gram: Vec<f64>,
}

/// When accelerated sweeps are given up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// The residual has to fall to this fraction …
    pub progress: f64,
    /// … within so many sweeps.
    pub sweeps: usize,
}

impl Patience {
    /// Never.
    pub const ENDLESS: Self = Self { progress: 1.0, sweeps: usize::MAX };
}

impl Anderson {
    /// Sweeps until both residuals are within the tolerance.
    pub fn solve<const D: usize, const D2: usize, L: Local<D>>(
        &mut self,
        sweeper: &mut GaussSeidel<D, D2, L>,
        task: &Task,
        patience: Patience,
        r: &mut [f64],
        u: &mut [f64],
    ) -> Outcome {
        let Task { problem, rho, tolerance, limit, stop, .. } = *task;
        sweeper.prepare(problem);
        self.resize(r.len());
        let mut residuals = task.judge(r, u);
        let mut light = tolerance;
        let (mut count, mut held, mut next) = (0, 0, 0);
        let mut f_norm_last = f64::INFINITY;
        let mut combined = false;
        let (mut milestone, mut milestone_at) = (residuals.worst(), 0);
        sweeper.without_own(r, u);
        while count < limit && residuals.worst() > tolerance && !stop.requested() {
            self.start.copy_from_slice(r);
            let change = sweeper.sweep(problem, rho, r, u, Order::Natural);
            count += 1;
            if !change.is_finite() {
                break;
            }
            let mut f_norm = 0.0;
            for k in 0..r.len() {
                self.f[k] = r[k] - self.start[k];
                f_norm += self.f[k] * self.f[k];
            }
            let f_norm = f_norm.sqrt();

            // a bad combination: back to the last plain sweep
            if combined && f_norm > GROWTH * f_norm_last {
                r.copy_from_slice(&self.g_last);
                u.copy_from_slice(&self.u_last);
                (held, next, combined) = (0, 0, false);
                f_norm_last = f64::INFINITY;
                continue;
            }

            if change <= light || count == limit || count % 20 == 0 {
                residuals = task.judge(r, u);
                if residuals.worst() <= tolerance {
                    break;
                }
                sweeper.without_own(r, u);
                let ratio = (tolerance / residuals.worst()).clamp(0.05, 0.9);
                light = light.min(change * ratio);
                if residuals.worst() <= patience.progress * milestone {
                    (milestone, milestone_at) = (residuals.worst(), count);
                } else if count - milestone_at >= patience.sweeps {
                    break;
                }
            } else if count % REFRESH == 0 {
                problem.velocity(r, u);
                sweeper.without_own(r, u);
            }

            // differences of this sweep and the last
            if f_norm_last.is_finite() {
                for k in 0..r.len() {
                    self.dF[next][k] = self.f[k] - self.f_last[k];
                    self.dG[next][k] = r[k] - self.g_last[k];
                    self.dU[next][k] = u[k] - self.u_last[k];
                }
                held = (held + 1).min(DEPTH);
                for j in 0..held {
                    let dot = dot(&self.dF[next], &self.dF[j]);
                    self.gram[next * DEPTH + j] = dot;
                    self.gram[j * DEPTH + next] = dot;
                }
                next = (next + 1) % DEPTH;
            }
            self.f_last.copy_from_slice(&self.f);
            self.g_last.copy_from_slice(r);
            self.u_last.copy_from_slice(u);
            f_norm_last = f_norm;
            combined = held > 0 && self.combine(held, r, u);
            if combined {
                project::<D, D2, L>(sweeper, problem, r, u);
            }
        }
        Outcome { iterations: count, residuals: task.judge(r, u) }
    }

    /// r ← G − ΔG γ and u likewise; false when γ cannot be had.
    fn combine(&self, held: usize, r: &mut [f64], u: &mut [f64]) -> bool {
        let mut A = [[0.0; DEPTH]; DEPTH];
        let mut y = [0.0; DEPTH];
        let mut trace = 0.0;
        for i in 0..held {
            for j in 0..held {
                A[i][j] = self.gram[i * DEPTH + j];
            }
            y[i] = dot(&self.dF[i], &self.f);
            trace += A[i][i];
        }
        for (i, row) in A.iter_mut().enumerate().take(held) {
            row[i] += 1e-13 * trace;
        }
        if !cholesky_solve(&mut A, &mut y, held) {
            return false;
        }
        for (j, &gamma) in y.iter().enumerate().take(held) {
            if gamma != 0.0 {
                for k in 0..r.len() {
                    r[k] -= gamma * self.dG[j][k];
                    u[k] -= gamma * self.dU[j][k];
                }
            }
        }
        true
    }

    fn resize(&mut self, n: usize) {
        for x in [&mut self.start, &mut self.f, &mut self.f_last, &mut self.g_last, &mut self.u_last] {
            x.resize(n, 0.0);
        }
        for table in [&mut self.dF, &mut self.dG, &mut self.dU] {
            table.resize_with(DEPTH, Vec::new);
            for column in table.iter_mut() {
                column.resize(n, 0.0);
            }
        }
        self.gram.resize(DEPTH * DEPTH, 0.0);
    }
}

/// Brings r back into the cones, the others following the contacts that move.
fn project<const D: usize, const D2: usize, L: Local<D>>(
    sweeper: &GaussSeidel<D, D2, L>,
    problem: &FrictionProblem,
    r: &mut [f64],
    u: &mut [f64],
) {
    for i in 0..problem.len() {
        let x = &mut r.as_chunks_mut::<D>().0[i];
        let p = problem.cone(i).project(x);
        let delta: [f64; D] = std::array::from_fn(|k| p[k] - x[k]);
        if delta.iter().any(|&d| d != 0.0) {
            *x = p;
            sweeper.add_to_others(i, &delta, u);
        }
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    percussion_matrix::vector::dot(x, y)
}

/// y ← A⁻¹ y for a small positive definite A.
fn cholesky_solve(A: &mut [[f64; DEPTH]; DEPTH], y: &mut [f64; DEPTH], n: usize) -> bool {
    for j in 0..n {
        for k in 0..j {
            for i in j..n {
                A[i][j] -= A[i][k] * A[j][k];
            }
        }
        if A[j][j] <= 0.0 || A[j][j].is_nan() {
            return false;
        }
        let pivot = A[j][j].sqrt();
        for i in j..n {
            A[i][j] /= pivot;
        }
    }
    for i in 0..n {
        for k in 0..i {
            y[i] -= A[i][k] * y[k];
        }
        y[i] /= A[i][i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            y[i] -= A[k][i] * y[k];
        }
        y[i] /= A[i][i];
    }
    y[..n].iter().all(|y| y.is_finite())
}
