//! The pile of 10⁵ contacts that `friction_pile` times, a tenth of it: iterations and memory within bounds.

#[path = "common/pile.rs"]
mod pile;

use percussion_solve::friction::TwoBodySolver;
use percussion_solve::{Method, SolveStatus, SolverOptions};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Sweeps or iterations from r = 0 to 1e-4 and bytes per contact that problem and solver hold at the end.
fn solve(method: Method) -> (usize, usize) {
    let region = Region::new(ALLOCATOR);
    let mut problem = pile::pile(9);
    problem.H.shrink_to_fit();
    problem.w.shrink_to_fit();
    let n = problem.len();
    let (mut r, mut v) = (vec![0.0; problem.w.len()], problem.v.clone());
    let mut solver = TwoBodySolver::new(SolverOptions { method, tolerance: 1e-4, ..SolverOptions::default() });
    let report = solver.solve(&problem, &mut r, &mut v);
    let change = region.change();
    let held = (change.bytes_allocated - change.bytes_deallocated) / n;
    println!("{n} contacts: {report:?}, {held} bytes a contact held at the end");
    assert!(n > 8000 && report.status == SolveStatus::Solved, "{n} contacts: {report:?}");
    assert!(problem.residuals(&r).worst() <= 1e-4);
    (report.iterations, held)
}

/// The driver takes 69 sweeps, `apgd` several hundred iterations with less memory: below 1000 bytes a contact.
#[test]
fn nine_thousand_contacts() {
    let (sweeps, _) = solve(Method::Auto);
    assert!(sweeps <= 140, "{sweeps}");
    let (iterations, held) = solve(Method::Apgd);
    assert!(iterations <= 900 && held <= 1000, "{iterations}, {held}");
}
