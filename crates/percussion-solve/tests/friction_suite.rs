//! Every friction method on every kind of problem: redundant, nonsymmetric, frictionless, in other units, degenerate.

mod common;

use common::Dice;
use percussion_matrix::{BlockMatrix, SparseMatrix};
use percussion_solve::friction::{
    FrictionProblem, FrictionSolver, GlobalFrictionProblem, Stop, friction_residuals, solve_global_admm,
};
use percussion_solve::{Method, SolveReport, SolveStatus, SolverOptions};
use proptest::prelude::*;

fn methods() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|m| m.solves_friction())
}

/// The problem whose W is given by rows.
fn problem(d: usize, W: &[Vec<f64>], b: Vec<f64>, mu: f64) -> FrictionProblem {
    let n = W.len() / d;
    let mut blocks = Vec::new();
    for i in 0..n {
        for j in 0..n {
            blocks.push((i, j, (0..d * d).map(|k| W[i * d + k % d][j * d + k / d]).collect::<Vec<f64>>()));
        }
    }
    let blocks: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, block.as_slice())).collect();
    let W = BlockMatrix::from_blocks(d, n, &blocks).unwrap();
    FrictionProblem::new(W, b, vec![mu; n], if d == 5 { vec![0.2 * mu; n] } else { Vec::new() }).unwrap()
}

/// W = HᵀM⁻¹H and b = Hᵀv for rows of H.
fn from_rows(d: usize, H: &[Vec<f64>], mass: &[f64], v: &[f64], mu: f64) -> FrictionProblem {
    let dot = |x: &[f64], y: &[f64]| (0..mass.len()).map(|k| x[k] * y[k] / mass[k]).sum::<f64>();
    let W: Vec<Vec<f64>> = H.iter().map(|x| H.iter().map(|y| dot(x, y)).collect()).collect();
    let b = H.iter().map(|h| h.iter().zip(v).map(|(h, v)| h * v).sum()).collect();
    problem(d, &W, b, mu)
}

fn random(dice: &mut Dice, d: usize, contacts: usize, mu: f64) -> FrictionProblem {
    let n = 2 * d * contacts + 4;
    let H: Vec<Vec<f64>> = (0..d * contacts).map(|_| (0..n).map(|_| dice.uniform()).collect()).collect();
    let mass: Vec<f64> = (0..n).map(|_| dice.between(0.5, 2.0)).collect();
    let v: Vec<f64> = (0..n).map(|_| dice.uniform()).collect();
    from_rows(d, &H, &mass, &v, mu)
}

/// A box of half sizes (a, b, c) on its four lower corners, moving with v: 12 rows, 6 coordinates.
fn box_on_corners(v: [f64; 6], mu: f64) -> FrictionProblem {
    let (a, b, c) = (0.5, 0.3, 0.2);
    let mut H = Vec::new();
    for (x, y) in [(a, b), (-a, b), (-a, -b), (a, -b)] {
        // u = v + ω × p with p = (x, y, −c); rows N = z, T1 = x, T2 = y
        H.push(vec![0.0, 0.0, 1.0, y, -x, 0.0]);
        H.push(vec![1.0, 0.0, 0.0, 0.0, -c, -y]);
        H.push(vec![0.0, 1.0, 0.0, c, 0.0, x]);
    }
    let inertia = |p: f64, q: f64| 2.0 * (p * p + q * q) / 3.0;
    from_rows(3, &H, &[2.0, 2.0, 2.0, inertia(b, c), inertia(a, c), inertia(a, b)], &v, mu)
}

fn solve(problem: &FrictionProblem, method: Method, tolerance: f64, limit: usize) -> (Vec<f64>, SolveReport) {
    let mut solver = FrictionSolver::new(SolverOptions { method, tolerance, enough: None, max_iterations: limit });
    let mut r = vec![0.0; problem.b.len()];
    let report = solver.solve(problem, &mut r);
    (r, report)
}

/// Solved, and the velocities are those of the first method where they are unique.
fn all_agree(problem: &FrictionProblem, tolerance: f64, limit: usize, what: &str) {
    all_solve(problem, tolerance, limit, what, true);
}

fn all_solve(problem: &FrictionProblem, tolerance: f64, limit: usize, what: &str, unique: bool) {
    let mut first: Option<Vec<f64>> = None;
    for method in methods() {
        if problem.dim() == 5 && method == Method::NewtonFb {
            continue;
        }
        let (r, report) = solve(problem, method, tolerance, limit);
        assert_eq!(report.status, SolveStatus::Solved, "{what}, {method}: {report:?}");
        let mut u = vec![0.0; r.len()];
        problem.velocity(&r, &mut u);
        assert!(friction_residuals(problem, &r, &u).worst() <= tolerance, "{what}, {method}");
        let size = problem.b.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let reference = first.get_or_insert_with(|| u.clone());
        for (x, y) in u.iter().zip(reference.iter()) {
            assert!(!unique || (x - y).abs() <= 1e3 * tolerance * size, "{what}, {method}: {x} and {y}");
        }
    }
}

/// Plane, space and rolling, with and without friction: W regular, so the velocities are unique for moderate μ.
#[test]
fn all_dimensions() {
    let mut dice = Dice::new(21);
    for d in [2, 3, 5] {
        for mu in [0.0, 0.05, 0.3] {
            for contacts in [1, 2, 5] {
                let problem = random(&mut dice, d, contacts, mu);
                all_agree(&problem, 1e-9, 100_000, &format!("d = {d}, μ = {mu}, {contacts} contacts"));
            }
        }
    }
}

/// W with a skew part, as gyroscopic terms and finite rotations make it.
#[test]
fn nonsymmetric() {
    let mut dice = Dice::new(4);
    for case in 0..6 {
        let symmetric = random(&mut dice, 3, 3, 0.3);
        let mut rows: Vec<Vec<f64>> = (0..9).map(|i| (0..9).map(|j| symmetric.W.get(i, j)).collect()).collect();
        for i in 0..9 {
            for j in 0..i {
                let skew = 0.3 * dice.uniform();
                rows[i][j] += skew;
                rows[j][i] -= skew;
            }
        }
        all_agree(&problem(3, &rows, symmetric.b.clone(), 0.3), 1e-9, 100_000, &format!("case {case}"));
    }
}

/// Four corners, six coordinates. Reactions are not unique; velocities are when the box sticks, falls flat or has no
/// friction. While it slides and turns, how the corners share the load changes the torque of friction, and with it u.
#[test]
fn redundant_box() {
    let motions = [
        [0.0, 0.0, -1.0, 0.0, 0.0, 0.0],
        [0.1, 0.05, -1.0, 0.0, 0.0, 0.0],
        [1.0, 0.5, -1.0, 0.1, 0.0, 0.3],
        [0.0, 0.0, -0.1, 0.5, 0.2, 1.0],
    ];
    for (case, v) in motions.into_iter().enumerate() {
        for mu in [0.0, 0.3] {
            let unique = case < 2 || mu == 0.0;
            all_solve(&box_on_corners(v, mu), 1e-8, 200_000, &format!("motion {case}, μ = {mu}"), unique);
        }
    }
}

/// Grams and tonnes, millimetres and kilometres: a method takes the same steps to the same answer.
#[test]
fn units_do_not_matter() {
    let mut dice = Dice::new(9);
    let reference = random(&mut dice, 3, 4, 0.3);
    for method in methods() {
        let (r, report) = solve(&reference, method, 1e-8, 100_000);
        assert_eq!(report.status, SolveStatus::Solved, "{method}: {report:?}");
        for (mass, speed) in [(1e6, 1.0), (1e-6, 1e3), (1.0, 1e-6)] {
            let mut other = reference.clone();
            other.W.values_mut().iter_mut().for_each(|w| *w /= mass);
            other.b.iter_mut().for_each(|b| *b *= speed);
            // the plain residual depends on units, so the scaled one of the answer is asked
            let (r_other, report) = solve(&other, method, 1e-8, 100_000);
            assert!(report.residuals.scaled <= 1e-8, "{method}, {mass}, {speed}: {report:?}");
            let size = r.iter().map(|x| x.abs()).fold(0.0, f64::max);
            for (x, y) in r_other.iter().zip(&r) {
                assert!((x / (mass * speed) - y).abs() <= 1e-5 * size, "{method}, {mass}, {speed}: {x} {y}");
            }
        }
    }
}

/// The global form without W reaches the velocities of the condensed form.
#[test]
fn global_form() {
    let mut dice = Dice::new(77);
    for d in [2, 3, 5] {
        let (n, contacts) = (14, 4);
        let m = d * contacts;
        let M = SparseMatrix::from_diagonal(&(0..n).map(|_| dice.between(0.5, 2.0)).collect::<Vec<f64>>());
        let mut entries = Vec::new();
        for j in 0..m {
            for i in 0..n {
                entries.push((i, j, dice.uniform()));
            }
        }
        let problem = GlobalFrictionProblem {
            dim: d,
            M,
            H: SparseMatrix::from_triplets(n, m, &entries).unwrap(),
            f: (0..n).map(|_| dice.uniform()).collect(),
            w: vec![0.0; m],
            mu: vec![0.3; contacts],
            mu_rolling: if d == 5 { vec![0.1; contacts] } else { Vec::new() },
        };
        let options = SolverOptions { tolerance: 1e-9, max_iterations: 100_000, ..SolverOptions::default() };
        let answer = solve_global_admm(&problem, &vec![0.0; m], &options, &Stop::default()).unwrap();
        assert_eq!(answer.report.status, SolveStatus::Solved, "d = {d}: {:?}", answer.report);
        assert!(problem.residual(&answer.v, &answer.r) <= 1e-9);
        let (condensed, mut factor) = problem.condense().unwrap();
        let mut u = vec![0.0; m];
        condensed.velocity(&answer.r, &mut u);
        assert!(
            friction_residuals(&condensed, &answer.r, &u).worst() <= 1.0001e-9,
            "judged without W, confirmed with W"
        );
        let (r, report) = solve(&condensed, Method::Auto, 1e-11, 100_000);
        assert_eq!(report.status, SolveStatus::Solved);
        for (x, y) in problem.velocity(&mut factor, &r).iter().zip(&answer.v) {
            assert!((x - y).abs() <= 1e-6, "d = {d}: {x} and {y}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Zero, rank-one, indefinite or hugely scaled W, infeasible b: an answer of numbers and an honest report.
    #[test]
    fn degenerate_data_end_in_an_honest_report(
        kind in 0usize..6, d in prop::sample::select(vec![2usize, 3, 5]), contacts in 1usize..4,
        numbers in prop::collection::vec(-1.0..1.0f64, 256), mu in prop::sample::select(vec![0.0, 0.3, 2.0, 1e3]),
    ) {
        let m = d * contacts;
        let x = &numbers[..m];
        let entry = |i: usize, j: usize| match kind {
            0 => 0.0,
            1 => x[i] * x[j],
            2 => numbers[(i * m + j) % 256],
            3 => 1e12 * x[i] * x[j] + if i == j { 1e-12 } else { 0.0 },
            // normals only: tangents have no mass to act on
            4 => if i.is_multiple_of(d) && j.is_multiple_of(d) { x[i] * x[j] } else { 0.0 },
            _ => if i == j { 1e-300 } else { 0.0 },
        };
        let W: Vec<Vec<f64>> = (0..m).map(|i| (0..m).map(|j| entry(i, j)).collect()).collect();
        let problem = problem(d, &W, (0..m).map(|i| numbers[200 + i]).collect(), mu);
        for method in methods() {
            let (r, report) = solve(&problem, method, 1e-8, 300);
            prop_assert!(r.iter().all(|x| x.is_finite()), "{} returned {:?}", method, r);
            let mut u = vec![0.0; m];
            problem.velocity(&r, &mut u);
            let truth = friction_residuals(&problem, &r, &u);
            prop_assert_eq!(report.residuals.worst().is_finite(), truth.worst().is_finite());
            prop_assert_eq!(report.status == SolveStatus::Solved, truth.worst() <= 1e-8, "{}: {:?} {:?}", method, report, truth);
        }
    }
}
