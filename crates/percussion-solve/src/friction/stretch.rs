//! Redundant contacts whose velocities do not quite belong to one motion: the misfit is stretched, and let go in stages.
//!
//!   b(η) = (b − o) + η o,    o the part of b outside the range of W,    η = ‖b‖/(10‖o‖), …/4, …/4, 1
//!
//! A box on four corners has W of rank 6 for 12 rows. Where corners close with e and others open with another ratio, or the
//! law asks for α u_T beside e u_N, b is a little off the range: all corners cannot stick, and the reactions that let some of
//! them slide or open are far from those of the others. Methods that go by velocities creep there, by o in an iteration. With
//! o as large as b the sliding contacts are found in some sweeps, and it is the same as o gets small: velocities of slip go with η, the
//! reactions stay.

use crate::friction::local::Local;
use crate::friction::newton::prox_newton::{ProxNewton, START};
use crate::friction::solver::FrictionTools;
use crate::friction::sweeps::gauss_seidel::Order;
use crate::friction::task::Task;
use crate::report::Outcome;
use percussion_matrix::{Factor, Matrix};

/// Rows up to which W is factorised as a dense matrix.
const ROWS: usize = 200;
/// ε of W + ε D, which has an inverse; three steps of refinement leave ε³.
const SHIFT: f64 = 1e-7;
/// The misfit at the start, as part of b.
const FIRST: f64 = 0.1;
/// By which the misfit falls.
const STAGE: f64 = 4.0;
/// Sweeps in a stage; the first has to find the sliding contacts.
const SWEEPS: [usize; 2] = [1000, 100];
/// Tolerance of stages before the last.
const ENOUGH: f64 = 1e-9;
/// A smaller misfit is round-off.
const ROUND_OFF: f64 = 1e-15;

/// The answer that stages lead to in r, its velocity in u; none where nothing is redundant or too much is asked.
pub(crate) fn solve<const D: usize, const D2: usize, L: Local<D>>(
    tools: &mut FrictionTools<D, D2, L>,
    task: &Task,
    r: &mut [f64],
) -> Option<Outcome> {
    let b = &task.problem.b;
    let o = misfit::<D>(task)?;
    let (all, off) = (norm(b), norm(&o));
    if !(off > ROUND_OFF * all && off < FIRST * all) {
        return None;
    }
    let mut problem = task.problem.clone();
    let mut eta = FIRST * all / off;
    let mut iterations = 0;
    r.fill(0.0);
    for stage in 0.. {
        for (x, (b, o)) in problem.b.iter_mut().zip(b.iter().zip(&o)) {
            *x = b + (eta - 1.0) * o;
        }
        let left = task.limit.saturating_sub(iterations);
        // before the last stage it is enough to know which contacts slide
        let tolerance = if eta == 1.0 { task.tolerance } else { task.tolerance.max(ENOUGH) };
        let part = Task { problem: &problem, limit: left, tolerance, ..*task };
        let sweeps = part.limited(SWEEPS[stage.min(1)]);
        let FrictionTools { u, sweeper, newton, memories, .. } = tools;
        let swept = sweeper.solve(&sweeps, r, u, Order::Natural);
        iterations += swept.iterations;
        let mut residuals = swept.residuals;
        if residuals.worst() > tolerance {
            let outcome = memories.get::<ProxNewton>().solve(
                newton,
                &part.limited(left.saturating_sub(swept.iterations)),
                START,
                r,
                u,
            );
            iterations += outcome.iterations;
            residuals = outcome.residuals;
        }
        if eta == 1.0 || task.stop.requested() || iterations >= task.limit {
            let residuals = if eta == 1.0 { residuals } else { task.judge(r, u) };
            return Some(Outcome { iterations, residuals });
        }
        eta = (eta / STAGE).max(1.0);
    }
    None
}

/// b − W x with x of least squares: x ← x + (W + ε D)⁻¹ (b − W x), D = diag ρ⁻¹.
fn misfit<const D: usize>(task: &Task) -> Option<Vec<f64>> {
    let b = &task.problem.b;
    if b.len() > ROWS {
        return None;
    }
    let mut A = Matrix::Sparse(task.problem.W.to_sparse()).to_dense();
    for (i, rho) in task.rho.iter().enumerate() {
        for k in i * D..(i + 1) * D {
            A.set(k, k, A.get(k, k) + SHIFT / rho);
        }
    }
    let mut factor = Factor::lu(&Matrix::Dense(A)).ok()?;
    let mut o = b.clone();
    for _ in 0..3 {
        // o = b − W x:  o ← o − W (W + ε D)⁻¹ o = ε D (W + ε D)⁻¹ o
        factor.solve(&mut o);
        for (o, rho) in o.chunks_exact_mut(D).zip(task.rho) {
            o.iter_mut().for_each(|o| *o *= SHIFT / rho);
        }
    }
    o.iter().all(|o| o.is_finite()).then_some(o)
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
