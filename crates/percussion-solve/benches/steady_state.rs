//! Time of one `Solver::solve` in a steady state: same W, same active set, b changing a little each time.
//!
//! Run with `cargo bench -p percussion-solve`; prints one line per size. On one core of an AMD EPYC:
//!
//!   one contact 12 ns; two to four 85–120 ns; table on four legs 0.16 µs; sparse chain of 1000 22 µs, of 100 000 2.3 ms

#[path = "../tests/common/mod.rs"]
mod common;

use common::Dice;
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_solve::{OneStepProblem, OneStepSolver, Solver};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    for n in [1, 2, 3, 4, 8, 16, 32, 64] {
        measure(&format!("dense definite, kept factor, n = {n}"), definite(n), 1);
    }
    for n in [2, 3, 4, 8] {
        measure(&format!("dense definite, new factor,  n = {n}"), definite(n), 0);
    }
    measure("table on four legs, n = 4", common::table(&mut Dice::new(3)), 1);
    measure("box on eight points, n = 8", common::box8(&mut Dice::new(3)), 1);
    measure_cold("table on four legs, from p = 0", common::table(&mut Dice::new(3)));
    measure_cold("box on eight points, from p = 0", common::box8(&mut Dice::new(3)));
    measure_cold("sparse chain, from p = 0, n = 1000", common::chain(1000));
    measure_cold("sparse chain, from p = 0, n = 100000", common::chain(100_000));
    measure_cold("stack of 250 plates, from p = 0, n = 1000", common::stack(250, &mut Dice::new(3)));
    for n in [100, 1000, 100_000] {
        measure(&format!("sparse chain, kept factor, n = {n}"), common::chain(n), 1);
    }
    measure("sparse chain, new factor,  n = 1000", common::chain(1000), 0);
}

fn definite(n: usize) -> OneStepProblem {
    let mut dice = Dice::new(n as u64);
    let mut W = DenseMatrix::zeros(n, n);
    for i in 0..n {
        for j in 0..i {
            let w = 0.5 * dice.uniform() / n as f64;
            W.set(i, j, w);
            W.set(j, i, w);
        }
        W.set(i, i, 1.0 + 0.5 * dice.uniform());
    }
    let b = (0..n).map(|i| if i % 4 == 3 { 1.0 } else { -1.0 + 0.3 * dice.uniform() }).collect();
    OneStepProblem::new(Matrix::Dense(W), b)
}

/// The whole solve without a guess, W known.
fn measure_cold(name: &str, mut problem: OneStepProblem) {
    problem.revision = 1;
    let mut solver = Solver::default();
    let mut p = vec![0.0; problem.len()];
    let report = solver.solve(&problem, &mut p);
    let repeats = (2_000_000 / (problem.len() * 1000)).clamp(2, 2000);
    let start = Instant::now();
    for _ in 0..repeats {
        p.fill(0.0);
        black_box(solver.solve(black_box(&problem), black_box(&mut p)));
    }
    let time = start.elapsed().as_secs_f64() / repeats as f64 * 1e9;
    println!("{name:<44} {time:>12.1} ns   ({}, {:?}, {} iterations)", report.method, report.status, report.iterations);
}

/// Median of 7 runs, each long enough for the clock.
fn measure(name: &str, mut problem: OneStepProblem, revision: u64) {
    problem.revision = revision;
    let mut solver = Solver::default();
    let mut p = vec![0.0; problem.len()];
    let report = solver.solve(&problem, &mut p);
    let b = problem.b.clone();
    let repeats = (20_000_000 / (problem.len() * 100 + 50)).clamp(5, 200_000);
    let mut times: Vec<f64> = (0..7)
        .map(|_| {
            let start = Instant::now();
            for k in 0..repeats {
                let factor = 1.0 + 1e-6 * (k % 7) as f64;
                problem.b[0] = b[0] * factor;
                black_box(solver.solve(black_box(&problem), black_box(&mut p)));
            }
            start.elapsed().as_secs_f64() / repeats as f64 * 1e9
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name:<44} {:>12.1} ns   ({}, {:?})", times[3], report.method, report.status);
}
