//! Mixed problems made so that the answer is known, or known not to exist.

use percussion_matrix::{DenseMatrix, Matrix};
use percussion_solve::mlcp::{MlcpProblem, MlcpSolver, mlcp_residuals};
use percussion_solve::{Method, SolveStatus, SolverOptions};

/// xorshift64*: the same numbers everywhere, in (−1, 1).
struct Dice(u64);

impl Dice {
    fn number(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn problem(rows: &[Vec<f64>], q: &[f64], equality: &[bool], free: &[bool]) -> MlcpProblem {
    let M = Matrix::Dense(DenseMatrix::from_rows(rows).expect("rows of one length"));
    let problem = MlcpProblem { M, q: q.to_vec(), equality: equality.to_vec(), free: free.to_vec() };
    assert!(problem.is_well_formed());
    problem
}

fn solve(problem: &MlcpProblem, method: Method) -> (SolveStatus, Vec<f64>) {
    let mut z = vec![0.0; problem.len()];
    let options = SolverOptions { method, ..SolverOptions::default() };
    let report = MlcpSolver::new(options).solve(problem, &mut z);
    assert_eq!(report.residuals, mlcp_residuals(problem, &z), "the report speaks of the z returned");
    (report.status, z)
}

/// z and w are chosen, q = w − M z; M is positive definite, so that z is the only answer. Equalities anywhere.
#[test]
fn known_answers_are_found() {
    let mut dice = Dice(7);
    for round in 0..200 {
        let n = 1 + round % 12;
        let flags: Vec<bool> = (0..n).map(|_| dice.number() > 0.0).collect();
        // G Gᵀ + I/2 plus a skew part
        let G: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| dice.number()).collect()).collect();
        let mut M = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..n {
                M[i][j] = (0..n).map(|k| G[i][k] * G[j][k]).sum::<f64>() + if i == j { 0.5 } else { 0.0 };
            }
        }
        for i in 0..n {
            for j in 0..i {
                let x = dice.number();
                M[i][j] += x;
                M[j][i] -= x;
            }
        }
        let mut z: Vec<f64> = (0..n).map(|_| dice.number()).collect();
        let mut w = vec![0.0; n];
        for i in (0..n).filter(|&i| !flags[i]) {
            (z[i], w[i]) = if z[i] > 0.0 { (z[i], 0.0) } else { (0.0, dice.number().abs()) };
        }
        let q: Vec<f64> = (0..n).map(|i| w[i] - (0..n).map(|j| M[i][j] * z[j]).sum::<f64>()).collect();
        let problem = problem(&M, &q, &flags, &flags);
        for method in [Method::Auto, Method::Lemke, Method::Enumeration] {
            let (status, found) = solve(&problem, method);
            assert_eq!(status, SolveStatus::Solved, "round {round} by {method}");
            for (x, y) in found.iter().zip(&z) {
                assert!((x - y).abs() < 1e-9, "round {round} by {method}: {found:?} where {z:?}");
            }
        }
    }
}

/// Joints without stiffness: the block of the equalities is zero, [0 C; −Cᵀ B], so pairs have to change sides.
#[test]
fn saddle_points() {
    let mut dice = Dice(8);
    for round in 0..200 {
        let (n, m) = (1 + round % 3, 4 + round % 4);
        let mut M = vec![vec![0.0; n + m]; n + m];
        for i in 0..m {
            M[n + i][n + i] = 2.0;
            for k in 0..n {
                let x = dice.number();
                M[k][n + i] = x;
                M[n + i][k] = -x;
            }
        }
        // v > 0 on all pairs and any u make it solvable
        let v: Vec<f64> = (0..m).map(|_| dice.number().abs()).collect();
        let u: Vec<f64> = (0..n).map(|_| dice.number()).collect();
        let z: Vec<f64> = u.iter().chain(&v).copied().collect();
        let q: Vec<f64> = (0..n + m).map(|i| -(0..n + m).map(|j| M[i][j] * z[j]).sum::<f64>()).collect();
        let flags: Vec<bool> = (0..n + m).map(|i| i < n).collect();
        let (status, found) = solve(&problem(&M, &q, &flags, &flags), Method::Auto);
        assert_eq!(status, SolveStatus::Solved, "round {round}");
        for (x, y) in found.iter().zip(&z) {
            assert!((x - y).abs() < 1e-8, "round {round}: {found:?} where {z:?}");
        }
    }
}

/// What cannot be is said to be so.
#[test]
fn contradictions_are_proved() {
    let (t, f) = (true, false);
    let cases = [
        // 0·x + 1 = 0
        problem(&[vec![0.0]], &[1.0], &[t], &[t]),
        // x + y = 1 and x + y = 2
        problem(&[vec![1.0, 1.0], vec![1.0, 1.0]], &[-1.0, -2.0], &[t, t], &[t, t]),
        // v + 1 = 0 with v ≥ 0, x free and nowhere
        problem(&[vec![0.0, 1.0], vec![0.0, 1.0]], &[1.0, 0.0], &[t, f], &[t, f]),
        // x = 0, 0 ≤ x − v − 1 ⟂ v ≥ 0
        problem(&[vec![1.0, 0.0], vec![1.0, -1.0]], &[0.0, -1.0], &[t, f], &[t, f]),
        // three equations for one free unknown, the third against the others
        problem(&[vec![1.0, 0.0], vec![2.0, 0.0], vec![1.0, 1.0]], &[-1.0, -3.0, 1.0], &[t, t, f], &[t, f]),
    ];
    for (k, problem) in cases.iter().enumerate() {
        assert_eq!(solve(problem, Method::Auto).0, SolveStatus::NoSolution, "case {k}");
    }
}

/// An equation given twice does no harm, nor does a free unknown that occurs nowhere.
#[test]
fn superfluous_equations_and_unknowns() {
    let (t, f) = (true, false);
    // x = v, twice; 0 ≤ x + v − 1 ⟂ v ≥ 0
    let twice = problem(&[vec![1.0, -1.0], vec![-2.0, 2.0], vec![1.0, 1.0]], &[0.0, 0.0, -1.0], &[t, t, f], &[t, f]);
    let (status, z) = solve(&twice, Method::Auto);
    assert_eq!(status, SolveStatus::Solved);
    assert!((z[0] - 0.5).abs() < 1e-12 && (z[1] - 0.5).abs() < 1e-12, "{z:?}");
    let idle = problem(&[vec![0.0, 0.0], vec![0.0, 2.0]], &[0.0, -4.0], &[t, f], &[t, f]);
    assert_eq!(solve(&idle, Method::Auto), (SolveStatus::Solved, vec![0.0, 2.0]));
}

/// The scaled residual does not see in which unit an equation is written; both grow with the error.
#[test]
fn residuals() {
    let (t, f) = (true, false);
    let rows = [vec![1.0, -1.0], vec![1.0, 1.0]];
    let one = problem(&rows, &[0.0, -1.0], &[t, f], &[t, f]);
    let other = problem(&[vec![1e6, -1e6], vec![1.0, 1.0]], &[0.0, -1.0], &[t, f], &[t, f]);
    assert_eq!(mlcp_residuals(&one, &[0.5, 0.5]).worst(), 0.0);
    let (a, b) = (mlcp_residuals(&one, &[0.6, 0.5]), mlcp_residuals(&other, &[0.6, 0.5]));
    assert!((a.scaled - b.scaled).abs() < 1e-12 && a.scaled > 0.05, "{a:?} {b:?}");
    // F = (0.1, 0.5 − [0.5 − 0.1]₊) = (0.1, 0.1) over ‖q‖ = 1
    assert!((a.plain - 0.02_f64.sqrt()).abs() < 1e-12, "{a:?}");
    assert_eq!(mlcp_residuals(&one, &[f64::NAN, 0.5]).worst(), f64::INFINITY);
}
