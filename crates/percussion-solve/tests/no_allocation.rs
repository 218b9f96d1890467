//! In a steady state a solve touches no allocator: same W, same active set, b changing a little.

mod common;

use common::Dice;
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_solve::{Method, OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations of 100 solves after 3 to warm up, the fewest of three counts; `cold` starts each from p = 0.
fn allocations(mut problem: OneStepProblem, method: Method, cold: bool) -> usize {
    problem.revision = 7;
    let mut solver = Solver::new(SolverOptions { method, ..SolverOptions::default() });
    let mut p = vec![0.0; problem.len()];
    let b = problem.b.clone();
    let mut solve = |k: usize| {
        // the active set does not feel a common factor
        problem.b.iter_mut().zip(&b).for_each(|(x, y)| *x = y * (1.0 + 1e-3 * k as f64));
        if cold {
            p.fill(0.0);
        }
        assert_eq!(solver.solve(&problem, &mut p).status, SolveStatus::Solved);
    };
    (0..3).for_each(&mut solve);
    // the counter sees the whole process, the test harness included: what the solver allocates shows every time
    (0..3)
        .map(|_| {
            let region = Region::new(ALLOCATOR);
            (0..100).for_each(&mut solve);
            let change = region.change();
            change.allocations + change.reallocations
        })
        .min()
        .unwrap_or(0)
}

// one test: the allocator counts the whole process
#[test]
fn steady_state_does_not_allocate() {
    for n in [1, 2, 3, 4, 17, 32, 64] {
        let W = Matrix::Dense(DenseMatrix::identity(n));
        let problem = OneStepProblem::new(W, (0..n).map(|i| (i as f64).sin() - 0.2).collect());
        assert_eq!(allocations(problem, Method::Auto, false), 0, "dense, n = {n}");
    }
    for n in [2, 10, 1000] {
        assert_eq!(allocations(common::chain(n), Method::Auto, false), 0, "sparse chain, n = {n}");
    }

    // redundant contacts, warm and through pivoting
    for cold in [false, true] {
        let dice = &mut Dice::new(3);
        for problem in [common::table(dice), common::box8(dice), common::redundant_closing(dice)] {
            assert_eq!(allocations(problem, Method::Auto, cold), 0, "redundant, cold: {cold}");
        }
    }

    // the single methods that promise it
    let dice = &mut Dice::new(4);
    for method in [Method::Lemke, Method::NewtonMin, Method::Pgs, Method::Proximal] {
        assert_eq!(allocations(common::definite(dice), method, false), 0, "{method}");
    }
}
