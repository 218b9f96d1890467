//! Degenerate, exponential, wrong and extreme data.

mod common;

use common::Dice;
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion_solve::{Method, OneStepProblem, OneStepSolver, SolveReport, SolveStatus, Solver, SolverOptions};

fn solve(method: Method, problem: &OneStepProblem) -> (SolveReport, Vec<f64>) {
    let mut solver = Solver::new(SolverOptions { method, ..SolverOptions::default() });
    let mut p = vec![0.0; problem.len()];
    let report = solver.solve(problem, &mut p);
    (report, p)
}

/// Murty's upper triangular P-matrix makes Lemke visit exponentially many bases in theory; the solution is (0 … 0, 1).
#[test]
fn murty_exponential_example() {
    for n in [2, 6, 10, 12] {
        let mut W = DenseMatrix::identity(n);
        for i in 0..n {
            for j in i + 1..n {
                W.set(i, j, 2.0);
            }
        }
        let problem = OneStepProblem::new(Matrix::Dense(W), vec![-1.0; n]);
        for method in [Method::Auto, Method::Lemke, Method::NewtonMin, Method::NewtonFb, Method::Enumeration] {
            let (report, p) = solve(method, &problem);
            assert_eq!(report.status, SolveStatus::Solved, "{method}, n = {n}: {report:?}");
            for i in 0..n {
                // triangular with small integers: only the residual's 1e-10 and a condition of 2ⁿ matter
                assert!((p[i] - f64::from(u8::from(i == n - 1))).abs() < 1e-8, "{method}: {p:?}");
            }
        }
    }
}

/// b = 0 and ties: zero impulses, or any set of equal ratios, end in finitely many pivots.
#[test]
fn degenerate_right_hand_sides() {
    for case in 0..300 {
        let dice = &mut Dice::new(case);
        let mut problem = [common::box8(dice), common::table(dice), common::definite(dice)][case as usize % 3].clone();
        // zeros, and values from {−1, 0, 1}; consistent with the rank of W through b = W x
        let x: Vec<f64> = (0..problem.len()).map(|_| dice.below(3) as f64 - 1.0).collect();
        problem.b.fill(0.0);
        if case % 2 == 0 {
            let W = problem.W.clone();
            W.mul_add(1.0, &x, &mut problem.b);
        }
        for method in [Method::Auto, Method::Lemke, Method::Enumeration] {
            let (report, _) = solve(method, &problem);
            assert_eq!(report.status, SolveStatus::Solved, "{method}, case {case}: {report:?}");
        }
    }
}

/// NaN, infinities and wrong sizes give a report, p = 0 or finite, and no panic, whatever the method.
#[test]
fn data_that_are_not_numbers() {
    let good = common::box8(&mut Dice::new(1));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..3 {
            for n in [1, 2, 8, 40] {
                let mut problem = if n == 8 { good.clone() } else { identity(n) };
                match (place, &mut problem.W) {
                    (0, _) => problem.b[n / 2] = bad,
                    (1, Matrix::Dense(W)) => W.set(n / 2, n / 2, bad),
                    (_, Matrix::Dense(W)) => W.set(0, n - 1, bad),
                    _ => {}
                }
                for problem in [problem.clone(), as_sparse(&problem)] {
                    for method in Method::ALL {
                        let (report, p) = solve(method, &problem);
                        assert_eq!(report.status, SolveStatus::NotConverged, "{method}, {bad}, n = {n}, place {place}");
                        assert!(p.iter().all(|&x| x == 0.0), "{method}: {p:?}");
                        assert_eq!(report.residuals.worst(), f64::INFINITY);
                    }
                }
            }
        }
    }
    let mut wrong = identity(3);
    wrong.b.pop();
    assert_eq!(solve(Method::Auto, &wrong).0.status, SolveStatus::NotConverged);
}

fn identity(n: usize) -> OneStepProblem {
    OneStepProblem::new(Matrix::Dense(DenseMatrix::identity(n)), vec![-1.0; n])
}

/// Keeps entries that are not numbers.
fn as_sparse(problem: &OneStepProblem) -> OneStepProblem {
    let n = problem.len();
    let entries: Vec<_> = (0..n * n).map(|k| (k / n, k % n, problem.W.get(k / n, k % n))).collect();
    let W = SparseMatrix::from_triplets(n, n, &entries).expect("in range");
    OneStepProblem::new(Matrix::Sparse(W), problem.b.clone())
}

/// A guess that is not a number does not spoil the answer.
#[test]
fn a_wild_guess_is_survived() {
    let problem = common::redundant_closing(&mut Dice::new(5));
    for guess in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
        let mut p = vec![guess; problem.len()];
        let report = Solver::default().solve(&problem, &mut p);
        assert_eq!(report.status, SolveStatus::Solved, "guess {guess}: {report:?}");
        assert!(p.iter().all(|x| x.is_finite() && *x >= 0.0));
    }
}

/// The storage does not change the answer: both solve to residuals of 1e-10, velocities of order one agree to 1e-8.
#[test]
fn sparse_and_dense_agree() {
    for case in 0..300 {
        let dice = &mut Dice::new(case);
        let families: [fn(&mut Dice) -> OneStepProblem; 4] =
            [common::definite, common::nonsymmetric, common::redundant_closing, common::table];
        let dense = families[case as usize % 4](dice);
        let sparse = common::sparse(&dense);
        let mut u = [vec![0.0; dense.len()], vec![0.0; dense.len()]];
        for (problem, u) in [&dense, &sparse].into_iter().zip(&mut u) {
            let (report, p) = solve(Method::Auto, problem);
            assert_eq!(report.status, SolveStatus::Solved, "case {case}");
            problem.velocity(&p, u);
        }
        for i in 0..dense.len() {
            assert!((u[0][i] - u[1][i]).abs() <= 1e-8, "case {case}: {u:?}");
        }
    }
}

/// From its own solution a problem takes at most one iteration, and the answer does not move by more than rounding.
#[test]
fn warm_start_takes_one_iteration() {
    for case in 0..300 {
        let dice = &mut Dice::new(case);
        let families: [fn(&mut Dice) -> OneStepProblem; 5] =
            [common::definite, common::nonsymmetric, common::redundant_closing, common::table, common::box8];
        let problem = families[case as usize % 5](dice);
        let mut solver = Solver::default();
        let mut p = vec![0.0; problem.len()];
        solver.solve(&problem, &mut p);
        let first = p.clone();
        let report = solver.solve(&problem, &mut p);
        assert_eq!(report.status, SolveStatus::Solved);
        assert!(report.iterations <= 1, "case {case}: {report:?}");
        let size = first.iter().fold(1.0_f64, |s, x| s.max(x.abs()));
        for i in 0..p.len() {
            // condition numbers up to 1e4 on 2e-16
            assert!((p[i] - first[i]).abs() <= 1e-11 * size, "case {case}: {first:?} {p:?}");
        }
    }
}

/// What a solver remembers changes no bit of its answers: one solver through a sequence, a new one for each problem.
#[test]
fn memory_changes_no_bit() {
    let mut kept = Solver::default();
    let mut problem = common::chain(60);
    problem.revision = 1;
    let other = common::box8(&mut Dice::new(1));
    let mut p = vec![0.0; problem.len()];
    for k in 0..200 {
        for (i, b) in problem.b.iter_mut().enumerate() {
            *b = (0.37 * i as f64 + 0.05 * k as f64).sin() - 0.3;
        }
        if k % 17 == 0 {
            kept.solve(&other, &mut vec![0.0; other.len()]);
        }
        let mut fresh = p.clone();
        let reports = [kept.solve(&problem, &mut p), Solver::default().solve(&problem, &mut fresh)];
        assert_eq!(reports[0], reports[1], "step {k}");
        assert_eq!(p, fresh, "step {k}");
    }
}

/// Contacts of bodies between 1e-6 and 1e6 kg in one problem; the scaled residual sees the light ones.
#[test]
fn masses_over_twelve_orders() {
    for case in 0..300 {
        let dice = &mut Dice::new(case);
        let mut problem = common::definite(dice);
        let n = problem.len();
        let s: Vec<f64> = (0..n).map(|_| 10.0_f64.powf(3.0 * dice.uniform())).collect();
        if let Matrix::Dense(W) = &mut problem.W {
            for i in 0..n {
                for j in 0..n {
                    W.set(i, j, W.get(i, j) * s[i] * s[j]);
                }
                problem.b[i] *= s[i];
            }
        }
        assert_eq!(solve(Method::Auto, &problem).0.status, SolveStatus::Solved, "case {case}");
    }
}

/// A long chain, sparse, by every method that scales to it.
#[test]
fn chain_of_two_thousand() {
    let problem = common::chain(2000);
    let mut answers = Vec::new();
    for method in [Method::Auto, Method::NewtonMin, Method::Pgs, Method::Proximal, Method::NewtonFb] {
        let (report, p) = solve(method, &problem);
        assert_eq!(report.status, SolveStatus::Solved, "{method}: {report:?}");
        answers.push(p);
    }
    for p in &answers[1..] {
        for i in 0..p.len() {
            // residual 1e-10 of ‖p‖ ≈ 50, smallest eigenvalue of W 0.1
            assert!((p[i] - answers[0][i]).abs() < 1e-7);
        }
    }
}

/// Even load: four legs of a table that comes down flat carry the same under `proximal`.
#[test]
fn proximal_shares_the_load() {
    let G: Vec<Vec<f64>> =
        [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].iter().map(|&(x, y)| vec![1.0, y, -x]).collect();
    let problem = common::impact(&G, &[4.0, 1.0, 1.0], &[-1.0, 0.0, 0.0], |_| 0.0);
    let (report, p) = solve(Method::Proximal, &problem);
    assert_eq!(report.status, SolveStatus::Solved);
    for x in p {
        // m v shared by four legs; residual 1e-10 over ε = 1e-3
        assert!((x - 1.0).abs() < 1e-7);
    }
}

/// A problem survives being written and read.
#[test]
fn problems_can_be_saved() {
    let problem = common::table(&mut Dice::new(2));
    let text = serde_json::to_string(&problem).expect("serialises");
    let back: OneStepProblem = serde_json::from_str(&text).expect("reads back");
    // digits are kept to the last one or two
    assert!(problem.b.iter().zip(&back.b).all(|(x, y)| (x - y).abs() <= 1e-15 * x.abs()));
    assert_eq!(back.ids, problem.ids);
}
