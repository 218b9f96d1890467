//! Friction problems without a solution are proved to have none; small ones that creep are solved.

mod common;

use common::Dice;
use percussion_files::{ContactProblem, read};
use percussion_matrix::BlockMatrix;
use percussion_solve::friction::{FrictionProblem, FrictionSolver, friction_residuals};
use percussion_solve::{SolveStatus, SolverOptions};

const COORDINATES: usize = 9;

/// Three contacts at random and a fourth whose normal is against their weighted sum: n₄ = −Σ y_i n_i, so that
/// Σ y_i u_N,i + u_N,4 = Σ y_i b_N,i + b_N,4 whatever the reactions do. That sum is `gain`.
fn squeezed(dice: &mut Dice, d: usize, gain: f64) -> FrictionProblem {
    let mut H: Vec<Vec<f64>> = (0..4 * d).map(|_| (0..COORDINATES).map(|_| dice.uniform()).collect()).collect();
    let y: Vec<f64> = (0..3).map(|_| dice.between(0.2, 2.0)).collect();
    H[3 * d] = (0..COORDINATES).map(|k| -(0..3).map(|i| y[i] * H[i * d][k]).sum::<f64>()).collect();
    let mut b: Vec<f64> = (0..4 * d).map(|_| dice.uniform()).collect();
    b[3 * d] = gain - (0..3).map(|i| y[i] * b[i * d]).sum::<f64>();
    let block = |i: usize, j: usize| -> Vec<f64> {
        (0..d * d).map(|k| common::dot(&H[i * d + k % d], &H[j * d + k / d])).collect()
    };
    let blocks: Vec<_> = (0..16).map(|k| (k / 4, k % 4, block(k / 4, k % 4))).collect();
    let list: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, &block[..])).collect();
    let rolling = if d == 5 { vec![0.1; 4] } else { vec![] };
    let mu = dice.between(0.0, 0.8);
    FrictionProblem::new(BlockMatrix::from_blocks(d, 4, &list).expect("inside"), b, vec![mu; 4], rolling)
        .expect("sizes")
}

/// A sum of approaches that no impulse changes: no solution where it closes, solved where it opens.
#[test]
fn normals_that_contradict_each_other() {
    let mut dice = Dice::new(3);
    for d in [2, 3, 5] {
        for case in 0..60 {
            let closing = squeezed(&mut dice, d, -0.3);
            let opening = squeezed(&mut dice, d, 0.3);
            let solve = |problem: &FrictionProblem| {
                let mut r = vec![0.0; problem.b.len()];
                let report =
                    FrictionSolver::new(SolverOptions { tolerance: 1e-8, ..Default::default() }).solve(problem, &mut r);
                (report, r)
            };
            let (report, r) = solve(&closing);
            assert_eq!(report.status, SolveStatus::NoSolution, "d = {d}, case {case}: {report:?}");
            assert!(report.residuals.worst() > 1e-8 && r.iter().all(|r| r.is_finite()));
            let (report, _) = solve(&opening);
            assert_ne!(report.status, SolveStatus::NoSolution, "d = {d}, case {case}: {report:?}");
        }
    }
}

/// Four nearly coplanar corners of a rocking block under Frémond's law: every shifted method creeps at 1e-10, and the
/// driver ended after its 10 000 iterations at 1.6e-10. Newton without a shift takes ten.
#[test]
fn corners_that_creep() {
    let file = read(include_bytes!("data/rocking-corners.dat"), None).expect("a problem file");
    let ContactProblem::Local(problem) = file.problem else { panic!("a local problem") };
    for tolerance in [1e-10, 1e-11] {
        let mut r = vec![0.0; problem.b.len()];
        let report = FrictionSolver::new(SolverOptions { tolerance, ..Default::default() }).solve(&problem, &mut r);
        let mut u = vec![0.0; r.len()];
        problem.velocity(&r, &mut u);
        assert_eq!(report.status, SolveStatus::Solved, "{report:?}");
        assert!(friction_residuals(&problem, &r, &u).worst() <= tolerance && report.iterations < 5000, "{report:?}");
    }
}

/// A guess with a thousand times more self-stress than there is load is not built upon: the same answer as from zero.
#[test]
fn self_stress_is_left_behind() {
    let file = read(include_bytes!("data/rocking-corners.dat"), None).expect("a problem file");
    let ContactProblem::Local(problem) = file.problem else { panic!("a local problem") };
    let (mut fresh, mut stressed) = (vec![0.0; problem.b.len()], vec![10.0; problem.b.len()]);
    FrictionSolver::default().solve(&problem, &mut fresh);
    FrictionSolver::default().solve(&problem, &mut stressed);
    assert_eq!(fresh, stressed);
}

/// A rod that stands on a surface, one freedom left by its hinge: from the μ on at which friction outweighs the normal there is no answer where it is dragged
/// towards its hinge. There is one where it is dragged away, sticks, opens or has a second freedom.
#[test]
fn a_rod_dragged_towards_its_hinge() {
    let solve = |more: f64, b: [f64; 2], mu: f64| {
        let (n, t) = (0.6, -0.8);
        let W = BlockMatrix::from_blocks(2, 1, &[(0, 0, &[n * n, n * t, n * t, t * t + more])]).unwrap();
        let problem = FrictionProblem::new(W, b.to_vec(), vec![mu], Vec::new()).unwrap();
        FrictionSolver::new(SolverOptions::default()).solve(&problem, &mut [0.0; 2]).status
    };
    assert_eq!(solve(0.0, [-1.0, 1.0], 0.9), SolveStatus::NoSolution);
    assert_eq!(solve(0.0, [-1.0, 1.0], 0.7), SolveStatus::Solved, "friction is too small");
    assert_eq!(solve(0.0, [-1.0, 2.0], 0.9), SolveStatus::Solved, "dragged away");
    assert_eq!(solve(0.0, [-1.0, 0.8 / 0.6], 0.9), SolveStatus::Solved, "sticks");
    assert_eq!(solve(0.1, [-1.0, 1.0], 0.9), SolveStatus::Solved, "two freedoms");
    assert_eq!(solve(0.0, [0.1, 1.0], 0.9), SolveStatus::Solved, "opens");
}
