//! Every solver on every family of problems it is meant for: the velocities must agree, `auto` must never fail.
//!
//! The other bounds are the failures measured, with a little room. The active set alone stops at the first singular
//! block, so it fails wherever all contacts close at once.

mod common;

use common::Dice;
use percussion_solve::{Method, OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};

const CASES: u64 = 300;
/// W p is unique for semidefinite W; residuals of 1e-10 and condition numbers up to 1e2 leave 1e-8 of the velocities
/// that the impulses cause one by one.
const AGREEMENT: f64 = 1e-8;

/// Solves with one method from zero; `None` unless solved.
fn solution(method: Method, problem: &OneStepProblem) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut solver = Solver::new(SolverOptions { method, ..SolverOptions::default() });
    let mut p = vec![0.0; problem.len()];
    let report = solver.solve(problem, &mut p);
    assert_ne!(report.status, SolveStatus::NoSolution, "{method} refused a feasible problem\n{problem}");
    assert!(p.iter().all(|&x| x >= 0.0), "{method} pulls: {p:?}");
    let mut u = vec![0.0; problem.len()];
    problem.velocity(&p, &mut u);
    (report.status == SolveStatus::Solved).then_some((p, u))
}

/// Runs a family; the number of failures of each method, in the order given.
fn failures(name: &str, family: fn(&mut Dice) -> OneStepProblem, methods: &[(Method, usize)]) {
    let mut failed = vec![0; methods.len()];
    let mut auto_failed = 0;
    for case in 0..CASES {
        let problem = family(&mut Dice::new(case));
        let Some((p, u)) = solution(Method::Auto, &problem) else {
            auto_failed += 1;
            continue;
        };
        let scale = (0..p.len()).fold(0.0_f64, |s, i| s.max(problem.b[i].abs()).max(problem.W.get(i, i) * p[i]));
        for (count, &(method, _)) in failed.iter_mut().zip(methods) {
            match solution(method, &problem) {
                None => *count += 1,
                Some((_, other)) => {
                    for i in 0..u.len() {
                        let difference = (u[i] - other[i]).abs();
                        assert!(difference <= AGREEMENT * scale, "{name} {case}: {method} differs by {difference:e}");
                    }
                }
            }
        }
    }
    println!("{name}: auto {auto_failed}");
    for (&count, &(method, bound)) in failed.iter().zip(methods) {
        println!("{name}: {method} {count}");
        assert!(count <= bound, "{name}: {method} failed {count} times of {CASES}, more than {bound}");
    }
    assert_eq!(auto_failed, 0, "{name}: auto failed");
}

#[test]
fn definite() {
    use Method::*;
    failures(
        "definite",
        common::definite,
        &[(Lemke, 0), (Pgs, 0), (NewtonMin, 0), (NewtonFb, 2), (Enumeration, 0), (Proximal, 0)],
    );
}

#[test]
fn nonsymmetric() {
    use Method::*;
    failures(
        "nonsymmetric",
        common::nonsymmetric,
        &[(Lemke, 0), (NewtonMin, 0), (NewtonFb, 2), (Enumeration, 0), (Proximal, 0)],
    );
}

#[test]
fn redundant_closing() {
    use Method::*;
    failures(
        "closing",
        common::redundant_closing,
        &[(Lemke, 0), (Pgs, 0), (NewtonMin, 300), (NewtonFb, 2), (Enumeration, 0), (Proximal, 0)],
    );
}

#[test]
fn redundant_uniform() {
    use Method::*;
    failures(
        "uniform",
        common::redundant_uniform,
        &[(Lemke, 0), (Pgs, 15), (NewtonMin, 220), (NewtonFb, 2), (Enumeration, 0), (Proximal, 0)],
    );
}

#[test]
fn triplicated() {
    use Method::*;
    failures(
        "triplicated",
        common::triplicated,
        &[(Lemke, 0), (Pgs, 0), (NewtonMin, 280), (NewtonFb, 2), (Enumeration, 0), (Proximal, 0)],
    );
}

#[test]
fn table() {
    use Method::*;
    failures(
        "table",
        common::table,
        &[(Lemke, 0), (Pgs, 0), (NewtonMin, 180), (NewtonFb, 2), (Enumeration, 0), (Proximal, 0)],
    );
}

#[test]
fn box8() {
    use Method::*;
    failures(
        "box8",
        common::box8,
        &[(Lemke, 0), (Pgs, 0), (NewtonMin, 300), (NewtonFb, 2), (Enumeration, 0), (Proximal, 0)],
    );
}
