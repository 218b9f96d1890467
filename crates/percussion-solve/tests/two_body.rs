//! Problems of rigid bodies two at a time: the same as their condensed form, solved without it.

mod common;
#[path = "common/pile.rs"]
mod pile;

use common::Dice;
use percussion_solve::friction::{FrictionSolver, TwoBodyProblem, TwoBodySolver, friction_residuals};
use percussion_solve::{Method, SolveStatus, SolverOptions};

/// Bodies in a row, each touching the next and some the ground, with random directions.
fn chain(dice: &mut Dice, d: usize, bodies: usize, mu: f64) -> TwoBodyProblem {
    let mut problem = TwoBodyProblem { dim: d, ..TwoBodyProblem::default() };
    let numbers = |dice: &mut Dice| -> [f64; 6] { std::array::from_fn(|_| dice.uniform()) };
    for body in 0..bodies {
        problem.inverse_mass.push(dice.between(0.5, 2.0));
        let (a, b, c, s) =
            (dice.between(0.5, 2.0), dice.between(0.5, 2.0), dice.between(0.5, 2.0), dice.between(-0.2, 0.2));
        problem.inverse_inertia.push([a, s, 0.0, s, b, 0.0, 0.0, 0.0, c]);
        problem.v.push(numbers(dice));
        let other = if body == 0 || body % 3 == 0 { TwoBodyProblem::GROUND } else { body as u32 - 1 };
        problem.bodies.push([body as u32, other]);
        problem.H.extend((0..2 * d).map(|_| numbers(dice)));
        problem.w.extend((0..d).map(|_| 0.1 * dice.uniform()));
        problem.mu.push(mu);
        if d == 5 {
            problem.mu_rolling.push(0.2 * mu);
        }
    }
    problem
}

/// The residuals of any r are those of the condensed problem.
#[test]
fn residuals_are_those_of_the_condensed_problem() {
    let mut dice = Dice::new(3);
    for d in [2, 3, 5] {
        let problem = chain(&mut dice, d, 7, 0.4);
        let condensed = problem.condense().unwrap();
        for _ in 0..20 {
            let r: Vec<f64> = (0..7 * d).map(|_| dice.uniform()).collect();
            let mut u = vec![0.0; r.len()];
            condensed.velocity(&r, &mut u);
            let (x, y) = (friction_residuals(&condensed, &r, &u), problem.residuals(&r));
            assert!((x.plain - y.plain).abs() <= 1e-13 * x.plain, "{x:?} {y:?}");
            assert!((x.scaled - y.scaled).abs() <= 1e-13 * x.scaled, "{x:?} {y:?}");
        }
    }
}

/// Both methods reach the answer of the condensed problem, and the bodies move accordingly.
#[test]
fn sweeps_and_gradient_reach_the_condensed_answer() {
    let mut dice = Dice::new(8);
    for (case, d) in [2, 3, 3, 3, 5].into_iter().enumerate() {
        let problem = chain(&mut dice, d, 9, 0.3);
        let condensed = problem.condense().unwrap();
        let mut reference = vec![0.0; condensed.b.len()];
        let mut solver = FrictionSolver::new(SolverOptions { tolerance: 1e-12, ..SolverOptions::default() });
        assert_eq!(solver.solve(&condensed, &mut reference).status, SolveStatus::Solved, "case {case}");
        for method in [Method::Nsgs, Method::Apgd] {
            let options = SolverOptions { method, tolerance: 1e-10, enough: None, max_iterations: 100_000 };
            let (mut r, mut v) = (vec![0.0; reference.len()], problem.v.clone());
            let report = TwoBodySolver::new(options).solve(&problem, &mut r, &mut v);
            assert_eq!(report.status, SolveStatus::Solved, "{method}, case {case}: {report:?}");
            assert!(problem.residuals(&r).worst() <= 1e-10);
            let (mut u, mut exact) = (reference.clone(), reference.clone());
            problem.contact_velocities(&v, &mut u);
            condensed.velocity(&reference, &mut exact);
            for (x, y) in u.iter().zip(&exact) {
                assert!((x - y).abs() <= 1e-6, "{method}, case {case}: {x} and {y}");
            }
        }
    }
}

/// Indices out of range, NaN and wrong sizes are refused without a panic.
#[test]
fn malformed_problems_are_refused() {
    let mut dice = Dice::new(1);
    let good = chain(&mut dice, 3, 3, 0.3);
    let mut solver = TwoBodySolver::default();
    let mut wrong_body = good.clone();
    wrong_body.bodies[0][0] = 17;
    let mut not_a_number = good.clone();
    not_a_number.v[1][2] = f64::NAN;
    let mut short = good.clone();
    short.H.pop();
    for problem in [wrong_body, not_a_number, short] {
        let (mut r, mut v) = (vec![0.0; 9], problem.v.clone());
        assert_eq!(solver.solve(&problem, &mut r, &mut v).status, SolveStatus::NotConverged);
        assert!(problem.condense().is_none());
    }
    let (mut r, mut v) = (vec![0.0; 9], good.v.clone());
    assert_eq!(solver.solve(&good, &mut r, &mut v).status, SolveStatus::Solved);
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Bodies in a heap: orthonormal frames at the contacts, opposite rows with arms, as collision detection gives them.
fn heap(dice: &mut Dice, bodies: usize, balls: bool) -> TwoBodyProblem {
    let mut problem = TwoBodyProblem { dim: 3, ..TwoBodyProblem::default() };
    for body in 0..bodies {
        problem.inverse_mass.push(dice.between(0.5, 2.0));
        let i = dice.between(1.0, 4.0);
        let (j, k, s) = if balls { (i, i, 0.0) } else { (2.0 * i, 3.0 * i, 0.3) };
        problem.inverse_inertia.push([i, s, 0.0, s, j, 0.0, 0.0, 0.0, k]);
        let mut v: [f64; 6] = std::array::from_fn(|_| 0.1 * dice.uniform());
        v[2] -= 1.0;
        problem.v.push(v);
        for k in 0..if body == 0 { 1 } else { 3 } {
            let below = if k == 0 || body < 3 { TwoBodyProblem::GROUND } else { (body - k) as u32 };
            if k > 0 && below == TwoBodyProblem::GROUND {
                continue;
            }
            let n = [0.4 * dice.uniform(), 0.4 * dice.uniform(), 1.0];
            let size = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
            let n = n.map(|x| x / size);
            let t = cross(&n, &[1.0, 0.0, 0.0]);
            let size = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt();
            let t = t.map(|x| x / size);
            let s = cross(&t, &n);
            problem.bodies.push([body as u32, below]);
            for sign in [1.0, -1.0] {
                let arm = if balls {
                    n.map(|x| -0.1 * sign * x)
                } else {
                    std::array::from_fn(|j| -0.1 * sign * n[j] + 0.1 * dice.uniform())
                };
                for d in [n, s, t] {
                    let m = cross(&arm, &d);
                    problem.H.push([d[0], d[1], d[2], m[0], m[1], m[2]].map(|x| sign * x));
                }
            }
            problem.w.extend([0.1 * dice.uniform(), 0.0, 0.0]);
            // small enough for a single solution: with 0.5 one heap in twelve has two
            problem.mu.push(0.15);
        }
    }
    problem
}

/// Contacts side by side reach what the condensed problem's solver reaches; so do contacts one at a time.
#[test]
fn packets_reach_the_condensed_answer() {
    for balls in [true, false] {
        let mut dice = Dice::new(11);
        for case in 0..12 {
            let problem = heap(&mut dice, 8 + case, balls);
            let condensed = problem.condense().unwrap();
            let mut reference = vec![0.0; condensed.b.len()];
            let mut solver = FrictionSolver::new(SolverOptions { tolerance: 1e-12, ..SolverOptions::default() });
            assert_eq!(solver.solve(&condensed, &mut reference).status, SolveStatus::Solved, "case {case}");
            let options =
                SolverOptions { method: Method::Auto, tolerance: 1e-10, enough: None, max_iterations: 100_000 };
            let mut solver = TwoBodySolver::new(options);
            let (mut r, mut v) = (vec![0.0; reference.len()], problem.v.clone());
            let report = solver.solve(&problem, &mut r, &mut v);
            assert_eq!(report.status, SolveStatus::Solved, "balls {balls}, case {case}: {report:?}");
            assert!(problem.residuals(&r).worst() <= 1e-10);
            let (mut u, mut exact) = (reference.clone(), reference.clone());
            problem.contact_velocities(&v, &mut u);
            condensed.velocity(&reference, &mut exact);
            for (x, y) in u.iter().zip(&exact) {
                assert!((x - y).abs() <= 1e-7, "balls {balls}, case {case}: {x} and {y}");
            }
            // a solver remembers nothing
            let mut again = vec![0.0; reference.len()];
            let second = solver.solve(&problem, &mut again, &mut v);
            assert_eq!((again, second.iterations), (r, report.iterations));
        }
    }
}

/// Random contacts on bodies of which `cut` and its multiples touch the ground only: chains, islands of `cut` contacts.
fn chains(dice: &mut Dice, bodies: usize, cut: usize) -> TwoBodyProblem {
    let mut problem = chain(dice, 3, bodies, 0.4);
    for (body, pair) in problem.bodies.iter_mut().enumerate() {
        pair[1] = if body % cut == 0 { TwoBodyProblem::GROUND } else { body as u32 - 1 };
    }
    problem
}

fn solved(
    problem: &TwoBodyProblem,
    tolerance: f64,
    threads: usize,
) -> (Vec<f64>, Vec<[f64; 6]>, percussion_solve::SolveReport) {
    let (mut r, mut v) = (vec![0.0; problem.w.len()], problem.v.clone());
    let mut solver = TwoBodySolver::new(SolverOptions { tolerance, max_iterations: 20_000, ..Default::default() });
    percussion_matrix::spare::insist();
    solver.threads = threads;
    let report = solver.solve(problem, &mut r, &mut v);
    (r, v, report)
}

/// Islands of 1, 5, 60 and 200 contacts: solved, the whole within the tolerance, and the same bits on 1, 2 and 4 threads.
#[test]
fn islands_on_any_number_of_threads() {
    let mut dice = Dice::new(21);
    for cut in [1, 5, 60, 200] {
        let problem = chains(&mut dice, 1200, cut);
        let (r, v, report) = solved(&problem, 1e-8, 1);
        assert_eq!(report.status, SolveStatus::Solved, "{cut}: {report:?}");
        assert!(problem.residuals(&r).worst() <= 1e-8 && r.iter().any(|&x| x > 0.0), "{cut}");
        for threads in [2, 4] {
            let other = solved(&problem, 1e-8, threads);
            assert!(r == other.0 && v == other.1 && report == other.2, "islands of {cut}, {threads} threads");
        }
    }
}

/// An island of its own group is solved as if there were nothing else: the same bits, unless the whole asks for more.
#[test]
fn an_island_does_not_feel_the_others() {
    let mut dice = Dice::new(22);
    let both = chains(&mut dice, 400, 200);
    let mut first = both.clone();
    for list in [&mut first.inverse_mass, &mut first.mu] {
        list.truncate(200);
    }
    first.inverse_inertia.truncate(200);
    first.v.truncate(200);
    first.bodies.truncate(200);
    first.H.truncate(6 * 200);
    first.w.truncate(3 * 200);
    let (whole, _, report) = solved(&both, 1e-8, 2);
    assert_eq!(report.status, SolveStatus::Solved);
    assert!(whole[..600] == solved(&first, 1e-8, 1).0, "other bits beside another island");
}

/// One large island is coloured and shared among threads: balls, and solids of unequal inertia; the same bits on 1 to 5 threads, again
/// from the answer, and the whole within the tolerance.
#[test]
fn a_large_island_on_any_number_of_threads() {
    for solid in [false, true] {
        let mut problem = pile::pile(10);
        assert!(problem.len() > 12_000);
        if solid {
            problem.inverse_inertia.iter_mut().for_each(|inertia| inertia[4] *= 1.2);
        }
        let (r, v, report) = solved(&problem, 1e-4, 1);
        assert_eq!(report.status, SolveStatus::Solved);
        assert!(problem.residuals(&r).worst() <= 1e-4);
        for threads in [2, 3, 5] {
            let other = solved(&problem, 1e-4, threads);
            assert!(r == other.0 && v == other.1 && report == other.2, "solid: {solid}, {threads} threads");
        }
    }
}
