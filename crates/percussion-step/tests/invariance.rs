//! The motion does not depend on how it is described: other units, other coordinates, contacts in another order.
//!
//!   q' = T q with T orthogonal (permuted, mirrored, rotated axes):  M' = T M Tᵀ,  n' = T n,  F' = T F
//!   units of mass a, length b, time c:  M' = a M,  C' = a/c C,  K' = a/c² K,  F' = ab/c² F,  q' = b q,  v' = b/c v,  h' = c h

mod common;

use common::{parts, random_problem};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{Contact, Joint, LinearParts, Signal};
use percussion_solve::SolverOptions;
use percussion_step::problems::{Dice, Recipe, linear};
use percussion_step::{Ability, Problem, SCHEMES, Scheme, Simulation};

const SYSTEMS: u64 = 12;
const STEPS: usize = 60;
const H: f64 = 0.02;

/// A random system with constant loads; with friction where asked.
fn system(k: u64, friction: bool) -> Problem {
    let mut dice = Dice(1009 * (k + 1));
    let joints = (k % 3) as usize;
    let recipe = Recipe { n: (6, 8), contacts: (2, 3), loads_vary: false, joints, ..Recipe::USUAL };
    let recipe = if friction { Recipe { joints: 0, ..recipe } } else { recipe };
    let problem = random_problem(&mut dice, recipe);
    if !friction {
        return problem;
    }
    let mut parts = parts(&problem);
    let n = problem.q0.len();
    for contact in &mut parts.contacts {
        contact.tangents = vec![dice.vector(n).into_iter().enumerate().collect()];
        contact.friction = dice.real(0.1, 0.8);
    }
    rebuilt(parts, &problem.q0, &problem.v0)
}

fn rebuilt(parts: LinearParts, q0: &[f64], v0: &[f64]) -> Problem {
    linear(parts, q0, v0).expect("a start as good as before")
}

/// An orthogonal matrix as rows.
type Frame = Vec<Vec<f64>>;

fn turned(T: &Frame, x: &[f64]) -> Vec<f64> {
    T.iter().map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

fn turned_back(T: &Frame, x: &[f64]) -> Vec<f64> {
    (0..x.len()).map(|j| (0..x.len()).map(|i| T[i][j] * x[i]).sum()).collect()
}

fn turned_row(T: &Frame, row: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut x = vec![0.0; T.len()];
    row.iter().for_each(|&(i, a)| x[i] += a);
    turned(T, &x).into_iter().enumerate().collect()
}

fn turned_matrix(T: &Frame, A: &Matrix) -> Matrix {
    let n = T.len();
    let A = A.to_dense();
    let mut B = DenseMatrix::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let mut sum = 0.0;
            for k in 0..n {
                for l in 0..n {
                    sum += T[i][k] * A.get(k, l) * T[j][l];
                }
            }
            B.set(i, j, sum);
            B.set(j, i, sum);
        }
    }
    Matrix::Dense(B)
}

fn in_frame(problem: &Problem, T: &Frame) -> Problem {
    let old = parts(problem);
    let means: Vec<f64> = old.force.iter().map(|f| f.mean).collect();
    let matrix = |A: &Matrix| turned_matrix(T, A);
    let contacts = old.contacts.iter().map(|c| Contact {
        normal: turned_row(T, &c.normal),
        tangents: c.tangents.iter().map(|row| turned_row(T, row)).collect(),
        ..c.clone()
    });
    let joints = old.joints.iter().map(|j| Joint { row: turned_row(T, &j.row), offset: j.offset });
    let new = LinearParts {
        mass: matrix(&old.mass),
        damping: old.damping.as_ref().map(matrix),
        stiffness: old.stiffness.as_ref().map(matrix),
        force: turned(T, &means).into_iter().map(Signal::constant).collect(),
        contacts: contacts.collect(),
        joints: joints.collect(),
    };
    rebuilt(new, &turned(T, &problem.q0), &turned(T, &problem.v0))
}

/// q after every step.
fn motion(problem: &Problem, scheme: &Scheme, h: f64) -> Option<Vec<Vec<f64>>> {
    let mut simulation = Simulation::new(problem, scheme, SolverOptions::default(), h).ok()?;
    let mut list = Vec::new();
    for _ in 0..STEPS {
        match simulation.advance() {
            Ok(step) => list.push(step.after.q.clone()),
            Err(_) => break,
        }
    }
    Some(list)
}

/// The largest difference relative to the largest |q|; a run that ends earlier than the other differs.
fn difference(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let size = a.iter().flatten().fold(0.0_f64, |s, x| s.max(x.abs()));
    a.iter().flatten().zip(b.iter().flatten()).fold(0.0_f64, |s, (x, y)| s.max((x - y).abs())) / size
}

/// Every scheme on random systems, as they are and as `other` describes them; `back` undoes the description.
fn compare(
    what: &str,
    tolerance: impl Fn(&Scheme) -> f64,
    other: impl Fn(&Problem, u64) -> (Problem, f64, Box<dyn Fn(&[f64]) -> Vec<f64>>),
) {
    for entry in SCHEMES {
        let scheme = Scheme::named(entry.name).expect("a scheme");
        let (mut ran, mut worst) = (0, 0.0_f64);
        for k in 0..2 * SYSTEMS {
            let problem = system(k, k % 2 == 1);
            let Some(here) = motion(&problem, &scheme, H) else { continue };
            let (problem, h, back) = other(&problem, k);
            let there = motion(&problem, &scheme, h).expect("accepted as before");
            let there: Vec<Vec<f64>> = there.iter().map(|q| back(q)).collect();
            let difference = difference(&here, &there);
            let allowed = tolerance(&scheme);
            assert!(difference <= allowed, "{what}, {}, system {k}: {difference:e} > {allowed:e}", entry.name);
            worst = worst.max(difference);
            ran += 1;
        }
        println!("{what:<24} {:<32} {ran:>3} systems, largest difference {worst:.1e}", entry.name);
        assert!(ran >= SYSTEMS, "{what}, {}: {ran} systems", entry.name);
    }
}

/// Round-off of some 60 steps with impacts; schemes that integrate to a tolerance differ by it.
fn round_off(scheme: &Scheme) -> f64 {
    if scheme.facts().has(Ability::LocatesEvents) { 1e-7 } else { 1e-9 }
}

/// Units of mass, length and time in powers of two: every number of the run is scaled by them.
#[test]
fn units() {
    compare("units", round_off, |problem, k| {
        let [a, b, c] =
            [[1024.0, 0.125, 1.0], [1.0, 4096.0, 0.25], [2.0_f64.powi(-20), 2.0_f64.powi(-10), 8.0]][(k % 3) as usize];
        let scaled = |A: &Matrix, s: f64| {
            let A = A.to_dense();
            let values = A.values().iter().map(|x| s * x).collect();
            Matrix::Dense(DenseMatrix::from_columns(A.n_rows(), A.n_cols(), values).expect("as before"))
        };
        let old = parts(problem);
        let contacts =
            old.contacts.iter().map(|x| Contact { offset: Signal::constant(b * x.offset.mean), ..x.clone() });
        let joints = old.joints.iter().map(|j| Joint { row: j.row.clone(), offset: b * j.offset });
        let new = LinearParts {
            mass: scaled(&old.mass, a),
            damping: old.damping.as_ref().map(|C| scaled(C, a / c)),
            stiffness: old.stiffness.as_ref().map(|K| scaled(K, a / (c * c))),
            force: old.force.iter().map(|f| Signal::constant(a * b / (c * c) * f.mean)).collect(),
            contacts: contacts.collect(),
            joints: joints.collect(),
        };
        let q0: Vec<f64> = problem.q0.iter().map(|q| b * q).collect();
        let v0: Vec<f64> = problem.v0.iter().map(|v| b / c * v).collect();
        (rebuilt(new, &q0, &v0), c * H, Box::new(move |q: &[f64]| q.iter().map(|q| q / b).collect()))
    });
}

/// Contacts and joints in the opposite order.
#[test]
fn order_of_contacts() {
    compare("order of contacts", round_off, |problem, _| {
        let mut parts = parts(problem);
        parts.contacts.reverse();
        parts.joints.reverse();
        (rebuilt(parts, &problem.q0, &problem.v0), H, Box::new(<[f64]>::to_vec))
    });
}

/// Axes in another order, some of them turned round.
#[test]
fn mirrored_axes() {
    compare("mirror and order of axes", round_off, |problem, k| {
        let n = problem.q0.len();
        let mut dice = Dice(k + 5);
        let mut places: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            places.swap(i, dice.whole(0, i));
        }
        let mut T = vec![vec![0.0; n]; n];
        for (i, &j) in places.iter().enumerate() {
            T[i][j] = if dice.whole(0, 1) == 0 { 1.0 } else { -1.0 };
        }
        let there = in_frame(problem, &T);
        (there, H, Box::new(move |q: &[f64]| turned_back(&T, q)))
    });
}

/// A rotated frame.
#[test]
fn rotated_frame() {
    compare("rotated frame", round_off, |problem, k| {
        let n = problem.q0.len();
        let mut dice = Dice(77 * k + 3);
        // Gram–Schmidt, twice for round-off
        let mut T: Frame = Vec::new();
        while T.len() < n {
            let mut x = dice.vector(n);
            for _ in 0..2 {
                for row in &T {
                    let along: f64 = x.iter().zip(row).map(|(a, b)| a * b).sum();
                    x.iter_mut().zip(row).for_each(|(x, b)| *x -= along * b);
                }
            }
            let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            x.iter_mut().for_each(|x| *x /= length);
            T.push(x);
        }
        let there = in_frame(problem, &T);
        (there, H, Box::new(move |q: &[f64]| turned_back(&T, q)))
    });
}
