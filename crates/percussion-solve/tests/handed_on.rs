//! Sweeps that other threads go on with, fewer where the cores are taken and more where they are free again: the same bits.

#[path = "common/pile.rs"]
mod pile;

use percussion_matrix::spare::TEAMS;
use percussion_solve::friction::{TwoBodyProblem, TwoBodySolver};
use percussion_solve::{SolveStatus, SolverOptions};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

fn solved(problem: &TwoBodyProblem, threads: usize) -> (Vec<u64>, usize) {
    let mut solver =
        TwoBodySolver::new(SolverOptions { tolerance: 1e-6, max_iterations: 20_000, ..Default::default() });
    solver.threads = threads;
    let (mut r, mut v) = (vec![0.0; 3 * problem.len()], problem.v.clone());
    let report = solver.solve(problem, &mut r, &mut v);
    assert_eq!(report.status, SolveStatus::Solved);
    (r.iter().chain(v.as_flattened()).map(|x| x.to_bits()).collect(), report.iterations)
}

/// Somebody says again and again that threads were waited for in vain, in a program of its own as that is heard everywhere.
#[test]
fn who_goes_on_leaves_no_trace() {
    let problem = pile::pile(10);
    let alone = solved(&problem, 1);
    let (done, fewest) = (AtomicBool::new(false), AtomicUsize::new(usize::MAX));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(3));
                let asked = TEAMS.of(4);
                fewest.fetch_min(asked, Ordering::Relaxed);
                TEAMS.tell(asked.max(2), Duration::ZERO, Duration::from_millis(100));
            }
        });
        for _ in 0..3 {
            assert!(solved(&problem, 4) == alone, "other bits");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(fewest.into_inner(), 1, "nobody was sent away");
}
