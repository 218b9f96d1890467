//! The driver: accelerated sweeps, then plain ones, the common residuals as judge.

use super::anderson::Patience;
use super::gauss_seidel::Order;
use super::local::Local;
use super::solver::{Work, report};
use super::task::Task;
use crate::{Method, SolveReport, SolveStatus};

/// Any number of contacts.
pub(crate) fn solve<const D: usize, const D2: usize, L: Local<D>>(
    work: &mut Work<D, D2, L>,
    task: &Task,
    r: &mut [f64],
) -> SolveReport {
    let Work { u, sweeper, anderson, .. } = work;
    let first = anderson.solve(sweeper, &task.limited(5000), Patience { progress: 0.5, sweeps: 1000 }, r, u);
    if first.residuals.worst() <= task.tolerance {
        return report(SolveStatus::Solved, Method::NsgsAnderson, first.iterations, first.residuals);
    }
    let second = sweeper.solve(task, r, u, Order::Natural);
    report(SolveStatus::NotConverged, Method::Nsgs, first.iterations + second.iterations, second.residuals)
}
