//! The pile of 10⁵ contacts that `friction_pile` times, whole by the driver and a tenth of it by projected gradients: iterations and memory within
//! bounds.

#[path = "common/pile.rs"]
mod pile;

use percussion_solve::friction::TwoBodySolver;
use percussion_solve::{Method, SolveStatus, SolverOptions};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Sweeps or iterations from r = 0 to 1e-4 and bytes per contact that problem and solver hold at the end.
fn solve(layers: usize, method: Method) -> (usize, usize) {
    let region = Region::new(ALLOCATOR);
    let mut problem = pile::pile(layers);
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
    assert!(layers < 20 || n > 100_000);
    assert!(problem.residuals(&r).worst() <= 1e-4);
    (report.iterations, held)
}

/// The driver takes 103 sweeps for 107 185 contacts and less than 1000 bytes for each; projected gradients take several hundred iterations and
/// less memory still. One test: memory is counted for the whole process.
#[test]
fn piles_take_few_sweeps_and_little_memory() {
    let (sweeps, held) = solve(20, Method::Auto);
    assert!(sweeps <= 160 && held <= 1000, "{sweeps}, {held}");
    let (iterations, held) = solve(9, Method::Apgd);
    assert!(iterations <= 900 && held <= 1000, "{iterations}, {held}");
}
