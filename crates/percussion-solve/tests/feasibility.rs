//! Problems without a solution are proved to have none, and no problem with one is refused.

mod common;

use common::Dice;
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion_solve::{Method, OneStepProblem, OneStepSolver, SolveReport, SolveStatus, Solver, SolverOptions};

fn solve(method: Method, problem: &OneStepProblem) -> SolveReport {
    let mut solver = Solver::new(SolverOptions { method, ..SolverOptions::default() });
    solver.solve(problem, &mut vec![0.0; problem.len()])
}

/// Largest t ≤ 1 with W p + b ≥ t − 1, p ≥ 0 by the simplex method with Bland's rule; 1 (feasible) up to rounding.
///
/// Rows: W p − t 1 + b + 1 = s ≥ 0 from the start p = 0, t = 0 after scaling to b ≥ −1. A positive semidefinite LCP
/// has a solution exactly when this reaches 1.
fn feasibility(problem: &OneStepProblem) -> f64 {
    let n = problem.len();
    let scale = problem.b.iter().fold(0.0_f64, |s, b| s.max(b.abs()));
    // columns: p (n), t, rhs; row n: t ≤ 1; last row: the objective
    let mut T = vec![vec![0.0; n + 2]; n + 2];
    for i in 0..n {
        for j in 0..n {
            T[i][j] = -problem.W.get(i, j);
        }
        T[i][n] = 1.0;
        T[i][n + 1] = problem.b[i] / scale + 1.0;
    }
    T[n][n] = 1.0;
    T[n][n + 1] = 1.0;
    T[n + 1][n] = 1.0;
    let mut basic: Vec<usize> = (n + 1..2 * n + 2).collect();
    let mut nonbasic: Vec<usize> = (0..n + 1).collect();
    loop {
        // entering: positive objective coefficient, smallest variable
        let Some(column) = (0..n + 1).filter(|&j| T[n + 1][j] > 1e-9).min_by_key(|&j| nonbasic[j]) else {
            return -T[n + 1][n + 1];
        };
        let mut row: Option<usize> = None;
        for i in (0..n + 1).filter(|&i| T[i][column] > 1e-9) {
            let ratio = |i: usize| T[i][n + 1].max(0.0) / T[i][column];
            let better = row.is_none_or(|r| {
                let difference = ratio(i) - ratio(r);
                difference < -1e-12 || (difference < 1e-12 && basic[i] < basic[r])
            });
            if better {
                row = Some(i);
            }
        }
        let row = row.expect("t is bounded by 1");
        let pivot = T[row][column];
        for j in 0..n + 2 {
            if j != column {
                T[row][j] /= pivot;
            }
        }
        for i in (0..n + 2).filter(|&i| i != row) {
            let factor = T[i][column];
            for j in (0..n + 2).filter(|&j| j != column) {
                T[i][j] -= factor * T[row][j];
            }
            T[i][column] = -factor / pivot;
        }
        T[row][column] = 1.0 / pivot;
        std::mem::swap(&mut basic[row], &mut nonbasic[column]);
    }
}

/// 8 contacts on 4 degrees of freedom with different e: about a third is infeasible. The linear programme decides with
/// a margin of 1e-6 of |b|; in between lie problems that need impulses beyond 1e6 times the usual. Enumeration may leave
/// a basis undecided whose candidate is all rounding.
#[test]
fn infeasible_problems_are_refused_and_no_others() {
    let (mut refused, mut solved, mut doubtful, mut undecided) = (0, 0, 0, 0);
    for case in 0..1000 {
        let problem = common::heterogeneous(&mut Dice::new(case));
        let t = feasibility(&problem);
        let report = solve(Method::Auto, &problem);
        let enumeration = solve(Method::Enumeration, &problem);
        if t > 1.0 - 1e-9 {
            assert_eq!(report.status, SolveStatus::Solved, "case {case}: feasible, but {report:?}");
            assert_ne!(enumeration.status, SolveStatus::NoSolution, "case {case}: {enumeration:?}");
            solved += 1;
        } else if t < 1.0 - 1e-6 {
            assert_eq!(report.status, SolveStatus::NoSolution, "case {case}: t = {t}, but {report:?}");
            assert_ne!(enumeration.status, SolveStatus::Solved, "case {case}: t = {t}, but {enumeration:?}");
            undecided += usize::from(enumeration.status == SolveStatus::NotConverged);
            refused += 1;
        } else {
            doubtful += 1;
        }
    }
    println!("1000 problems: {solved} solved, {refused} proved infeasible, {doubtful} doubtful");
    println!("enumeration undecided in {undecided} infeasible ones");
    assert!(refused > 200 && doubtful <= 1 && undecided <= 5);
}

/// Two jaws pressed apart by one body: the ray is (1, 1), at any scale of mass and speed.
#[test]
fn jaws_have_no_solution_in_any_units() {
    for mass in [1e-12, 1.0, 1e12] {
        for speed in [1e-9, 1.0, 1e9] {
            let w = 1.0 / mass;
            let W = DenseMatrix::from_rows(&[vec![w, -w], vec![-w, w]]).expect("2 × 2");
            let problem = OneStepProblem::new(Matrix::Dense(W), vec![-speed, -0.5 * speed]);
            for method in [Method::Auto, Method::Lemke, Method::Enumeration] {
                assert_eq!(
                    solve(method, &problem).status,
                    SolveStatus::NoSolution,
                    "{method}, m = {mass}, v = {speed}"
                );
            }
        }
    }
}

/// A stack of plates, alone and with a pair of jaws: the proximal point finds what is too large for pivoting.
#[test]
fn large_redundant_problems() {
    for (plates, jaws) in [(5, true), (50, false), (50, true), (500, false), (500, true)] {
        for case in 0..3 {
            let mut problem = common::stack(plates, &mut Dice::new(case));
            let n = problem.len();
            if jaws {
                let mut entries = problem.W.triplets();
                entries.extend([(n, n, 1.0), (n, n + 1, -1.0), (n + 1, n, -1.0), (n + 1, n + 1, 1.0)]);
                let W = SparseMatrix::from_triplets(n + 2, n + 2, &entries).expect("in range");
                problem.b.extend([-1e-2, -2e-2]);
                problem = OneStepProblem::new(Matrix::Sparse(W), problem.b);
            }
            let report = solve(Method::Auto, &problem);
            let expected = if jaws { SolveStatus::NoSolution } else { SolveStatus::Solved };
            assert_eq!(report.status, expected, "{plates} plates, case {case}: {report:?}");
        }
    }
}

/// Ill-conditioned but definite problems always have a solution; found up to condition 1e9, never denied up to 1e10.
#[test]
fn nearly_singular_problems_are_not_refused() {
    for exponent in 1..=10 {
        let gap = 10.0_f64.powi(-exponent);
        for b in [[-1.0, -1.0], [-1.0, -0.3], [-1.0, 0.999], [-1e-3, 1e-3]] {
            let W = DenseMatrix::from_rows(&[vec![1.0, gap - 1.0], vec![gap - 1.0, 1.0]]).expect("2 × 2");
            let problem = OneStepProblem::new(Matrix::Dense(W), b.to_vec());
            for method in Method::ALL {
                let status = solve(method, &problem).status;
                assert_ne!(status, SolveStatus::NoSolution, "{method}, 1e-{exponent}, {b:?}");
                let found = method != Method::Auto || exponent == 10 || status == SolveStatus::Solved;
                assert!(found, "1e-{exponent}, {b:?}");
            }
        }
    }
}

/// One contact with W = 0: nothing to do for b ≥ 0, impossible for b < 0.
#[test]
fn a_contact_that_impulses_cannot_move() {
    for (b, status) in [(1.0, SolveStatus::Solved), (0.0, SolveStatus::Solved), (-1.0, SolveStatus::NoSolution)] {
        let problem = OneStepProblem::new(Matrix::Dense(DenseMatrix::zeros(1, 1)), vec![b]);
        assert_eq!(solve(Method::Auto, &problem).status, status, "b = {b}");
    }
}

/// W < 0: b < 0 has no solution (every p ≥ 0 makes u smaller), b > 0 has two.
#[test]
fn a_contact_with_negative_diagonal() {
    let W = DenseMatrix::from_rows(&[vec![-2.0]]).expect("1 × 1");
    let problem = |b: f64| OneStepProblem::new(Matrix::Dense(W.clone()), vec![b]);
    assert_eq!(solve(Method::Auto, &problem(1.0)).status, SolveStatus::Solved);
    assert_eq!(solve(Method::Auto, &problem(-1.0)).status, SolveStatus::NoSolution);
}

/// p_A of one basis by Gauss–Jordan elimination, written apart from the solvers; `None` when a pivot is below 1e-9.
fn basis(problem: &OneStepProblem, mask: usize) -> Option<Vec<f64>> {
    let rows: Vec<usize> = (0..problem.len()).filter(|i| mask >> i & 1 == 1).collect();
    let k = rows.len();
    let mut A: Vec<Vec<f64>> =
        rows.iter().map(|&i| rows.iter().map(|&j| problem.W.get(i, j)).chain([-problem.b[i]]).collect()).collect();
    for c in 0..k {
        let r = (c..k).max_by(|&x, &y| A[x][c].abs().total_cmp(&A[y][c].abs()))?;
        A.swap(c, r);
        if A[c][c].abs() < 1e-9 {
            return None;
        }
        for i in (0..k).filter(|&i| i != c) {
            let factor = A[i][c] / A[c][c];
            for j in c..=k {
                A[i][j] -= factor * A[c][j];
            }
        }
    }
    let mut p = vec![0.0; problem.len()];
    for (c, &i) in rows.iter().enumerate() {
        p[i] = A[c][k] / A[c][c];
    }
    Some(p)
}

/// Matrices of no kind at all, 1 to 6 rows: whatever the bases say, `auto` says. Signs are judged with 1e-9, and a
/// random matrix comes that close to a singular basis less than once in a thousand problems.
#[test]
fn arbitrary_matrices_agree_with_brute_force() {
    let (mut solvable, mut unsolvable) = (0, 0);
    for case in 0..3000 {
        let dice = &mut Dice::new(case);
        let n = 1 + dice.below(6);
        let W = DenseMatrix::from_columns(n, n, (0..n * n).map(|_| dice.uniform()).collect()).expect("n × n");
        let problem = OneStepProblem::new(Matrix::Dense(W), (0..n).map(|_| dice.uniform()).collect());
        let mut regular = true;
        let found = (0..1usize << n).any(|mask| {
            let Some(p) = basis(&problem, mask) else {
                regular = false;
                return false;
            };
            let mut u = vec![0.0; n];
            problem.velocity(&p, &mut u);
            p.iter().chain(&u).all(|&x| x >= -1e-9)
        });
        let status = solve(Method::Auto, &problem).status;
        if found {
            assert_eq!(status, SolveStatus::Solved, "case {case}\n{problem}");
            solvable += 1;
        } else if regular {
            assert_eq!(status, SolveStatus::NoSolution, "case {case}\n{problem}");
            unsolvable += 1;
        }
    }
    println!("3000 arbitrary problems: {solvable} solvable, {unsolvable} not");
    assert!(solvable > 500 && unsolvable > 500 && solvable + unsolvable >= 2997);
}

/// A definite W has a solution for every b, in whatever units the contacts are written: W = S Ŵ S, b = S b̂ with S and b̂ over many
/// decades. No method may call it contradictory, and in moderate units `auto` solves it.
#[test]
fn definite_problems_are_never_refuted() {
    let mut dice = Dice::new(5);
    let (mut solved, count) = (0, 2000);
    for case in 0..count {
        let plain = common::definite(&mut dice);
        let n = plain.len();
        let decades = if case % 2 == 0 { 2.0 } else { 16.0 };
        let s: Vec<f64> = (0..n).map(|_| 10_f64.powf(dice.between(-decades, decades))).collect();
        let mut W = DenseMatrix::zeros(n, n);
        for i in 0..n {
            for j in 0..n {
                W.set(i, j, s[i] * plain.W.get(i, j) * s[j]);
            }
        }
        let b = (0..n).map(|i| s[i] * plain.b[i] * 10_f64.powf(dice.between(-0.5 * decades, 0.5 * decades))).collect();
        let problem = OneStepProblem::new(Matrix::Dense(W), b);
        for method in Method::ALL.into_iter().filter(|method| method.solves_complementarity()) {
            let report = solve(method, &problem);
            assert_ne!(report.status, SolveStatus::NoSolution, "case {case}, {method}: {problem}");
            if method == Method::Auto {
                assert!(decades > 2.0 || report.status == SolveStatus::Solved, "case {case}: {report:?}");
                solved += usize::from(report.status == SolveStatus::Solved);
            }
        }
    }
    println!("auto solves {solved} of {count}");
}

/// The problem in which a definite W was first taken for a contradiction: the load of its contacts spans 16 decades.
#[test]
fn loads_over_sixteen_decades() {
    let W = [
        vec![1.801856580133703e18, -1.1864003205342059e24, 12132114843.385033, -6.38720995003538e25],
        vec![-1.1864003205342059e24, 7.246081573648707e32, -2.628997344506292e17, 3.434477131711723e32],
        vec![12132114843.385033, -2.628997344506292e17, 248.90658243155463, -6.034763043750015e17],
        vec![-6.38720995003538e25, 3.434477131711723e32, -6.034763043750015e17, 3.6364699116615773e33],
    ];
    let b = vec![-1031.8169703472838, -6.831738036227404e23, -0.0012297087007268675, -1.23471716746769e26];
    let problem = OneStepProblem::new(Matrix::Dense(DenseMatrix::from_rows(&W).expect("square")), b);
    let mut p = vec![0.0; 4];
    let report = Solver::default().solve(&problem, &mut p);
    assert_eq!(report.status, SolveStatus::Solved, "{report:?}");
    // by exact arithmetic over all bases
    for (p, exact) in p.iter().zip([2.9473229053514336, 0.0, 107379009.95252854, 1.035411032834875e-7]) {
        assert!((p - exact).abs() <= 1e-9 * exact, "{p} {exact}");
    }
}
