//! Friction problems made at random: every method that claims to converge on them does, and the answers obey the law.

mod common;

use common::Dice;
use percussion_matrix::BlockMatrix;
use percussion_solve::friction::{FrictionProblem, FrictionSolver, friction_residuals};
use percussion_solve::{Method, SolveStatus, SolverOptions};

/// W = HᵀM⁻¹H for random directions of `contacts` contacts on `n` coordinates, b = Hᵀv for a random v: solvable, since
/// b is the velocity of a motion and −v undoes it.
fn random(dice: &mut Dice, d: usize, contacts: usize, n: usize, mu: f64) -> FrictionProblem {
    let m = d * contacts;
    let H: Vec<Vec<f64>> = (0..m).map(|_| (0..n).map(|_| dice.uniform()).collect()).collect();
    let mass: Vec<f64> = (0..n).map(|_| dice.between(0.5, 2.0)).collect();
    let v: Vec<f64> = (0..n).map(|_| dice.uniform()).collect();
    let mut blocks = Vec::new();
    for i in 0..contacts {
        for j in 0..contacts {
            let block: Vec<f64> =
                (0..d * d).map(|k| (0..n).map(|a| H[i * d + k % d][a] * H[j * d + k / d][a] / mass[a]).sum()).collect();
            blocks.push((i, j, block));
        }
    }
    let blocks: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, block.as_slice())).collect();
    let W = BlockMatrix::from_blocks(d, contacts, &blocks).unwrap();
    let b = (0..m).map(|i| (0..n).map(|a| H[i][a] * v[a]).sum()).collect();
    let rolling = if d == 5 { vec![0.3 * mu; contacts] } else { Vec::new() };
    FrictionProblem::new(W, b, vec![mu; contacts], rolling).unwrap()
}

/// The driver on regular problems (more coordinates than rows) in the plane, in space, with rolling.
#[test]
fn random_regular_problems_are_solved() {
    let mut dice = Dice::new(11);
    for d in [2, 3, 5] {
        let mut solver = FrictionSolver::new(SolverOptions { tolerance: 1e-10, ..SolverOptions::default() });
        for case in 0..200 {
            let contacts = 1 + case % 6;
            let n = d * contacts + 6;
            let problem = random(&mut dice, d, contacts, n, [0.0, 0.1, 0.5, 1.0][case % 4]);
            let mut r = vec![0.0; problem.b.len()];
            let report = solver.solve(&problem, &mut r);
            assert_eq!(report.status, SolveStatus::Solved, "d = {d}, case {case}: {report:?}");
            let mut u = vec![0.0; r.len()];
            problem.velocity(&r, &mut u);
            assert!(friction_residuals(&problem, &r, &u).worst() <= 1e-10);
        }
    }
}

/// The driver where contacts are redundant: fewer coordinates than rows, so that W is singular.
#[test]
fn random_redundant_problems_are_solved() {
    let mut dice = Dice::new(12);
    for d in [2, 3, 5] {
        let mut solver = FrictionSolver::new(SolverOptions { tolerance: 1e-8, ..SolverOptions::default() });
        for case in 0..120_usize {
            let contacts = 2 + case % 5;
            let n = (d * contacts * 2).div_ceil(3);
            let problem = random(&mut dice, d, contacts, n, [0.0, 0.1, 0.5, 1.0][case % 4]);
            let mut r = vec![0.0; problem.b.len()];
            let report = solver.solve(&problem, &mut r);
            assert_eq!(report.status, SolveStatus::Solved, "d = {d}, case {case}: {report:?}");
            let mut u = vec![0.0; r.len()];
            problem.velocity(&r, &mut u);
            assert!(friction_residuals(&problem, &r, &u).worst() <= 1e-8);
        }
    }
}

/// Every friction method on well-conditioned problems, and all answers agree.
#[test]
fn every_method_finds_the_same_answer() {
    let mut dice = Dice::new(5);
    for case in 0..40 {
        let contacts = 1 + case % 4;
        let problem = random(&mut dice, 3, contacts, 40, 0.3);
        let mut first: Option<Vec<f64>> = None;
        for method in Method::ALL.into_iter().filter(|m| m.solves_friction()) {
            let mut solver =
                FrictionSolver::new(SolverOptions { method, tolerance: 1e-10, enough: None, max_iterations: 100_000 });
            let mut r = vec![0.0; problem.b.len()];
            let report = solver.solve(&problem, &mut r);
            assert_eq!(report.status, SolveStatus::Solved, "{method}, case {case}: {report:?}");
            let reference = first.get_or_insert_with(|| r.clone());
            let size = reference.iter().map(|x| x.abs()).fold(1e-6, f64::max);
            for (x, y) in r.iter().zip(reference.iter()) {
                assert!((x - y).abs() <= 1e-7 * size, "{method}, case {case}: {x} and {y}");
            }
        }
    }
}

/// What was solved before does not show: the same bits from a new solver and from a used one, also after μ changed.
#[test]
fn answers_do_not_depend_on_history() {
    let mut dice = Dice::new(21);
    for method in Method::ALL.into_iter().filter(|m| m.solves_friction()) {
        let options = SolverOptions { method, tolerance: 1e-9, enough: None, max_iterations: 20_000 };
        let mut used = FrictionSolver::new(options);
        for case in 0..6 {
            let mut problem = random(&mut dice, 3, 4, 30, 0.4);
            problem.revision = 1 + case;
            let mut answer = |problem: &FrictionProblem| {
                let mut twin = (vec![0.0; 12], vec![0.0; 12]);
                used.solve(problem, &mut twin.0);
                FrictionSolver::new(options).solve(problem, &mut twin.1);
                assert_eq!(twin.0, twin.1, "{method}, case {case}");
                twin.0
            };
            let first = answer(&problem);
            // same matrix, other velocities and then another μ
            problem.b.iter_mut().for_each(|b| *b *= 1.1);
            answer(&problem);
            problem.mu.fill(0.1);
            let last = answer(&problem);
            let closed = first.iter().any(|&x| x != 0.0);
            assert!(!closed || last != first, "{method}, case {case}");
        }
    }
}
