//! Interior points for the convex part, an accelerated fixed point for the rest (Acary, Cadoux, Lemaréchal, Malick 2011).
//!
//!   r(c) = argmin over C of ½ rᵀW_s r + (b + c)·r,    c ← s n + K r,    s = μ‖u_T‖,   W = W_s + K
//!
//! For given c the problem is a quadratic program over second-order cones, solved by Clarabel. The fixed point on c, de
//! Saxcé's shift and the skew part of W, is accelerated by the last few differences (Anderson). Unknowns are scaled by
//! √ρ_i and ‖√ρ∘b‖, so units do not matter. Interior points end at residuals of about 1e-9, and
//! above where a contact is neither clearly open nor clearly closed; what is left is removed by block Gauss–Seidel.

use crate::Method;
use crate::entry::friction_method;
use crate::friction::local::Local;
use crate::friction::solver::FrictionTools;
use crate::friction::sweeps::gauss_seidel::{GaussSeidel, Order};
use crate::friction::task::Task;
use crate::report::Outcome;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver};
use percussion_matrix::{SmallLu, vector};

/// Differences kept by the acceleration.
const DEPTH: usize = 5;
/// Interior-point iterations at most for one convex problem.
const INNER: usize = 100;
/// Accuracy asked of the convex problems.
const ACCURACY: f64 = 1e-14;
/// Convex problems without a better residual after which there is no hope.
const PATIENCE: usize = 60;
/// Below this residual the accuracy of interior points is what stops progress, and a few problems tell.
const POLISH: f64 = 1e-3;
/// So few.
const PATIENCE_NEAR: usize = 8;

friction_method! {
    /// The method on a stored W.
    InteriorPoints(tools, task, r) {
        let FrictionTools { u, sweeper, memories, .. } = tools;
        memories.get::<InteriorPoint>().solve(sweeper, task, r, u).unjudged(Method::InteriorPoint)
    }
}

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct InteriorPoint {
    c: Vec<f64>,
    q: Vec<f64>,
    f: Vec<f64>,
    f_last: Vec<f64>,
    g_last: Vec<f64>,
    best: Vec<f64>,
    dF: Vec<Vec<f64>>,
    dG: Vec<Vec<f64>>,
    small: SmallLu,
}

impl InteriorPoint {
    /// Improves r and leaves its velocity in u; iterations are those of the interior points and the last sweeps.
    pub fn solve<const D: usize, const D2: usize, L: Local<D>>(
        &mut self,
        sweeper: &mut GaussSeidel<D, D2, L>,
        task: &Task,
        r: &mut [f64],
        u: &mut [f64],
    ) -> Outcome {
        let rough = self.solve_rough::<D>(task, r, u);
        let worst = rough.residuals.worst();
        if worst <= task.tolerance || worst > POLISH {
            return rough;
        }
        let polished = sweeper.solve(&task.limited(task.limit.saturating_sub(rough.iterations)), r, u, Order::Natural);
        if polished.residuals.worst() <= worst {
            return Outcome { iterations: rough.iterations + polished.iterations, ..polished };
        }
        r.copy_from_slice(&self.best);
        Outcome { residuals: task.judge(r, u), ..rough }
    }

    fn solve_rough<const D: usize>(&mut self, task: &Task, r: &mut [f64], u: &mut [f64]) -> Outcome {
        let n = r.len();
        for x in [&mut self.c, &mut self.q, &mut self.f, &mut self.f_last, &mut self.g_last, &mut self.best] {
            x.resize(n, 0.0);
        }
        let mut best = task.judge(r, u).worst();
        self.best.copy_from_slice(r);
        let mut iterations = 0;
        let skew = is_skew(task);
        let sigma: Vec<f64> = (0..n).map(|k| task.rho[k / D].sqrt()).collect();
        let beta = sigma.iter().zip(&task.problem.b).map(|(s, b)| (s * b).powi(2)).sum::<f64>().sqrt();
        let prepared = if beta > 0.0 && beta.is_finite() { convex_problem::<D>(task, &sigma, INNER) } else { None };
        let Some(mut convex) = prepared else {
            return Outcome { iterations, residuals: task.judge(r, u) };
        };
        map::<D>(task, skew, r, u, &mut self.c);
        self.dF.clear();
        self.dG.clear();
        let (mut held, mut idle, mut f_last) = (false, 0, f64::INFINITY);
        while iterations < task.limit && best > task.tolerance && !task.stop.requested() {
            if idle >= if best <= POLISH { PATIENCE_NEAR } else { PATIENCE } {
                break;
            }
            for k in 0..n {
                self.q[k] = sigma[k] * (task.problem.b[k] + self.c[k]) / beta;
            }
            if convex.update_q(&self.q).is_err() {
                break;
            }
            convex.solve();
            iterations += (convex.solution.iterations as usize).max(1);
            if convex.solution.x.len() != n || !convex.solution.x.iter().all(|x| x.is_finite()) {
                break;
            }
            for (i, r) in r.as_chunks_mut::<D>().0.iter_mut().enumerate() {
                for k in 0..D {
                    r[k] = beta * sigma[i * D + k] * convex.solution.x[i * D + k];
                }
                *r = task.problem.cone(i).project(r);
            }
            let worst = task.judge(r, u).worst();
            if worst < best {
                idle = if worst < 0.9 * best { 0 } else { idle + 1 };
                best = worst;
                self.best.copy_from_slice(r);
            } else {
                idle += 1;
            }

            // g = G(c), f = g − c, and the next c
            map::<D>(task, skew, r, u, &mut self.q);
            for k in 0..n {
                self.f[k] = self.q[k] - self.c[k];
            }
            // in the metric of ρ: all contacts count alike
            let size = self.f.iter().zip(&sigma).map(|(f, s)| (s * f).powi(2)).sum::<f64>().sqrt();
            if !size.is_finite() {
                break;
            }
            if size > 2.0 * f_last {
                self.dF.clear();
                self.dG.clear();
            } else if held {
                if self.dF.len() == DEPTH {
                    self.dF.remove(0);
                    self.dG.remove(0);
                }
                self.dF.push((0..n).map(|k| sigma[k] * (self.f[k] - self.f_last[k])).collect());
                self.dG.push((0..n).map(|k| self.q[k] - self.g_last[k]).collect());
            }
            (held, f_last) = (true, size);
            self.f_last.copy_from_slice(&self.f);
            self.g_last.copy_from_slice(&self.q);
            self.c.copy_from_slice(&self.q);
            self.combine(&sigma);
        }
        r.copy_from_slice(&self.best);
        Outcome { iterations, residuals: task.judge(r, u) }
    }

    /// c ← g − ΔG γ with γ = argmin ‖σ∘f − ΔF γ‖.
    fn combine(&mut self, sigma: &[f64]) {
        let m = self.dF.len();
        if m == 0 {
            return;
        }
        let weighted: Vec<f64> = self.f.iter().zip(sigma).map(|(f, s)| f * s).collect();
        let trace: f64 = self.dF.iter().map(|x| vector::dot(x, x)).sum();
        let gram = self.small.reset(m);
        for i in 0..m {
            for j in 0..m {
                gram[j * m + i] = vector::dot(&self.dF[i], &self.dF[j]) + if i == j { 1e-14 * trace } else { 0.0 };
            }
        }
        let mut gamma: Vec<f64> = self.dF.iter().map(|x| vector::dot(x, &weighted)).collect();
        if !self.small.factorise() {
            return;
        }
        self.small.solve(&mut gamma);
        if gamma.iter().all(|x| x.is_finite()) {
            for (gamma, dG) in gamma.iter().zip(&self.dG) {
                vector::axpy(-gamma, dG, &mut self.c);
            }
        }
    }
}

/// G(c) = s n + K r at the answer r, whose velocity is u.
fn map<const D: usize>(task: &Task, skew: bool, r: &[f64], u: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    if skew {
        // K r = ½(W − Wᵀ) r
        let W = &task.problem.W;
        for i in 0..task.problem.len() {
            for (j, block) in W.row(i) {
                for c in 0..D {
                    for k in 0..D {
                        let w = 0.5 * block[c * D + k];
                        out[i * D + k] += w * r[j * D + c];
                        out[j * D + c] -= w * r[i * D + k];
                    }
                }
            }
        }
    }
    for (i, u) in u.as_chunks::<D>().0.iter().enumerate() {
        out[i * D] += task.problem.cone(i).shift(u);
    }
}

/// Whether W differs from its transpose by more than rounding.
fn is_skew(task: &Task) -> bool {
    let W = task.problem.W.to_sparse();
    let transposed = W.transpose();
    let scale = 1e-15 * task.problem.W.max_abs();
    W.n_entries() != transposed.n_entries()
        || W.row_idx() != transposed.row_idx()
        || W.values().iter().zip(transposed.values()).any(|(a, b)| (a - b).abs() > scale)
}

/// The convex problem with q = 0: P = σ W_s σ, and the cones of all contacts.
fn convex_problem<const D: usize>(task: &Task, sigma: &[f64], limit: usize) -> Option<DefaultSolver<f64>> {
    let n = sigma.len();
    let W = task.problem.W.to_sparse();
    let transposed = W.transpose();
    let mut P = Columns::default();
    for j in 0..n {
        let mut column: Vec<(usize, f64)> = Vec::new();
        for A in [&W, &transposed] {
            let (rows, values) = A.column(j);
            column.extend(
                rows.iter().zip(values).filter(|(i, _)| **i <= j).map(|(&i, &w)| (i, 0.5 * sigma[i] * w * sigma[j])),
            );
        }
        P.push(column);
    }
    let mut rows_of = vec![Vec::new(); n];
    let mut cones: Vec<SupportedConeT<f64>> = Vec::new();
    let mut row = 0;
    for i in 0..task.problem.len() {
        let cone = task.problem.cone(i);
        let discs: &[(f64, std::ops::Range<usize>)] =
            if D == 5 { &[(cone.mu, 1..3), (cone.mu_rolling, 3..5)] } else { &[(cone.mu, 1..D)] };
        if discs.iter().all(|(mu, _)| *mu == 0.0) {
            rows_of[i * D].push((row, -1.0));
            cones.push(NonnegativeConeT(1));
            row += 1;
        }
        for (mu, range) in discs {
            if *mu > 0.0 {
                rows_of[i * D].push((row, -mu));
                row += 1;
                cones.push(SecondOrderConeT(1 + range.len()));
            } else {
                cones.push(ZeroConeT(range.len()));
            }
            for k in range.clone() {
                rows_of[i * D + k].push((row, -1.0));
                row += 1;
            }
        }
    }
    let mut A = Columns::default();
    rows_of.into_iter().for_each(|column| A.push(column));
    let settings = DefaultSettings {
        verbose: false,
        max_iter: limit as u32,
        tol_gap_abs: ACCURACY,
        tol_gap_rel: ACCURACY,
        tol_feas: ACCURACY,
        presolve_enable: false,
        ..DefaultSettings::default()
    };
    DefaultSolver::new(&P.matrix(n), &vec![0.0; n], &A.matrix(row), &vec![0.0; row], &cones, settings).ok()
}

/// A matrix by columns, in the making.
#[derive(Debug)]
struct Columns {
    ptr: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl Default for Columns {
    fn default() -> Self {
        Self { ptr: vec![0], rows: Vec::new(), values: Vec::new() }
    }
}

impl Columns {
    /// One more column; entries of the same row are added.
    fn push(&mut self, mut column: Vec<(usize, f64)>) {
        column.sort_by_key(|entry| entry.0);
        let start = self.rows.len();
        for (i, x) in column {
            if self.rows.len() > start && self.rows.last() == Some(&i) {
                if let Some(last) = self.values.last_mut() {
                    *last += x;
                }
            } else {
                self.rows.push(i);
                self.values.push(x);
            }
        }
        self.ptr.push(self.rows.len());
    }

    fn matrix(self, n_rows: usize) -> CscMatrix<f64> {
        CscMatrix::new(n_rows, self.ptr.len() - 1, self.ptr, self.rows, self.values)
    }
}
