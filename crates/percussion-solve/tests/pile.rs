//! The pile of 10⁵ contacts that `friction_pile` times, a tenth of it: sweeps and memory within bounds.

#[path = "common/pile.rs"]
mod pile;

use percussion_solve::friction::TwoBodySolver;
use percussion_solve::{SolveStatus, SolverOptions};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// About 10 000 contacts from r = 0 to 1e-4 by the driver: at most 600 sweeps, as many as there are for ten times as many
/// contacts, and less than 1000 bytes a contact held by problem and solver
/// together at the end.
#[test]
fn ten_thousand_contacts() {
    let region = Region::new(ALLOCATOR);
    let problem = pile::pile(9);
    let n = problem.len();
    let (mut r, mut v) = (vec![0.0; problem.w.len()], problem.v.clone());
    let options = SolverOptions { tolerance: 1e-4, ..SolverOptions::default() };
    let mut solver = TwoBodySolver::new(options);
    let report = solver.solve(&problem, &mut r, &mut v);
    let change = region.change();
    let held = (change.bytes_allocated - change.bytes_deallocated) / n;
    println!("{n} contacts: {report:?}, {held} bytes a contact held at the end");
    assert!(n > 8000 && report.status == SolveStatus::Solved, "{n} contacts: {report:?}");
    assert!(problem.residuals(&r).worst() <= 1e-4);
    assert!(report.iterations <= 600, "{report:?}");
    assert!(held <= 1000, "{held} bytes a contact");
}
