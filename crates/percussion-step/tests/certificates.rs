//! Certificates and checks where a first version was too trusting: rest, stiff dampers, negative springs, odd joints.

mod common;

use common::{audited, random_problem, run, scheme};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::build::column;
use percussion_model::{Code, Joint, LinearModel, LinearParts, Signal};
use percussion_step::problems::{Dice, OneMass, Recipe, linear, masses};
use percussion_step::{Guarantee, Problem, SCHEMES, Scheme, Verdict, Verdicts};

fn dense(rows: &[&[f64]]) -> Matrix {
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
    Matrix::Dense(DenseMatrix::from_rows(&rows).expect("a matrix"))
}

fn judge(problem: &Problem, scheme: &Scheme, h: f64, end: f64) -> Verdicts {
    let (_, audit) = audited(problem, scheme, h, end);
    audit.verdicts(&Guarantee::new(scheme, &problem.model), 1e-10)
}

/// Three masses at rest on each other from the start: E is round-off, and so is the residual; nothing fails.
#[test]
fn rest_from_the_start_passes() {
    let model = column(&[1.0, 2.0, 0.5], -9.81, 0.3).expect("a column");
    let problem = Problem::linear(model, vec![0.0; 3], vec![0.0; 3]).expect("a problem");
    for entry in SCHEMES.iter().filter(|e| !e.name.starts_with("naive") && !e.name.starts_with("smooth")) {
        if entry.name == "generalized-alpha-modified-lcp" {
            continue;
        }
        let verdicts = judge(&problem, &Scheme::named(entry.name).expect("a scheme"), 1e-3, 0.5);
        // without a theorem: their initial acceleration ignores the floor, which costs the first steps
        if !["implicit-newmark", "schatzman-paoli"].contains(&entry.name) {
            assert_eq!(verdicts.energy.status, Verdict::Pass, "{}: {}", entry.name, verdicts.energy.text);
        }
        assert!(!verdicts.failed(), "{}: {verdicts:?}", entry.name);
    }
}

/// One stiff damper, no load: the midpoint variant's damping work turns positive at a large step and is flagged.
#[test]
fn dampers_that_put_energy_in_are_flagged() {
    let mass = OneMass { stiffness: 2314.2, damping: 893.4, q0: 0.02, v0: 0.5, ..OneMass::default() };
    let problem = mass.problem().expect("a problem");
    let midpoint = scheme("moreau-jean-midpoint", |o| o.theta = Some(1.0));
    let verdicts = judge(&problem, &midpoint, 1.0, 10.0);
    assert_eq!(verdicts.energy.status, Verdict::Warn, "{}", verdicts.energy.text);
    assert!(verdicts.energy.text.contains("dampers"), "{}", verdicts.energy.text);
    // h v_{k+θ}ᵀC v_{k+θ} has a sign
    let standard = scheme("moreau-jean", |o| o.theta = Some(1.0));
    assert_eq!(judge(&problem, &standard, 1.0, 10.0).energy.status, Verdict::Pass);
}

/// No theorem is claimed for a spring that pushes away, and what it creates is a warning, not a failure.
#[test]
fn negative_stiffness_has_no_theorem() {
    let problem = OneMass { stiffness: -4.0, q0: 0.1, ..OneMass::default() }.problem().expect("a problem");
    let scheme = Scheme::moreau_jean(0.6);
    let guarantee = Guarantee::new(&scheme, &problem.model);
    assert!(!guarantee.holds && guarantee.reason.contains("negative direction"), "{guarantee:?}");
    assert!(!judge(&problem, &scheme, 1e-2, 1.0).failed());
}

/// Joints that are nearly dependent, or tie masses of very different size, are kept or refused, never a panic.
#[test]
fn odd_joints_are_kept() {
    let cases = [([1e-12, 1e12, 1.0], [1.0, 1.0, 0.0]), ([1.0; 3], [1.0, 1e-9, 0.0])];
    for (mass, second) in cases {
        let mut parts = masses(&mass, &[1.0; 3]);
        let row = |x: [f64; 3]| x.into_iter().enumerate().collect::<Vec<_>>();
        parts.joints = vec![Joint { row: row([1.0, 0.0, 0.0]), offset: 0.0 }, Joint { row: row(second), offset: 0.0 }];
        let problem = linear(parts, &[0.0; 3], &[0.0; 3]).expect("a problem");
        for name in ["moreau-jean", "newmark", "implicit-newmark", "generalized-alpha-ggl"] {
            let verdicts = judge(&problem, &Scheme::named(name).expect("a scheme"), 1e-2, 0.5);
            assert_eq!(verdicts.joints.status, Verdict::Pass, "{name}: {}", verdicts.joints.text);
        }
    }
}

/// The joint certificate speaks of metres: a row written a million times larger gives the same verdict.
#[test]
fn joint_certificate_does_not_depend_on_the_rows_scale() {
    for scale in [1.0, 1e6, 1e-6] {
        let mut parts = masses(&[1.0, 3.0], &[0.0; 2]);
        parts.force = vec![Signal::harmonic(1.0, 2.0, 3.0, 0.0), Signal::constant(-0.5)];
        parts.joints = vec![Joint { row: vec![(0, scale), (1, -scale)], offset: 0.1 * scale }];
        let problem = linear(parts, &[0.0, 0.1], &[0.0; 2]).expect("a problem");
        let verdicts = judge(&problem, &Scheme::named("generalized-alpha").expect("a scheme"), 1e-3, 5.0);
        assert_eq!(verdicts.joints.status, Verdict::Pass, "scale {scale}: {}", verdicts.joints.text);
        assert!(verdicts.joints.worst < 1e-12);
    }
}

/// Singular and slightly unsymmetric masses are refused whatever the size of the other entries.
#[test]
fn masses_are_judged_without_units() {
    let parts = |mass: Matrix| {
        let n = mass.n_rows();
        LinearParts { mass, ..masses(&vec![1.0; n], &vec![0.0; n]) }
    };
    let code = |mass: Matrix| LinearModel::new(parts(mass)).expect_err("a bad mass").code;
    assert_eq!(code(dense(&[&[0.1, 0.3], &[0.3, 0.9]])), Code::MASS_NOT_POSITIVE);
    let hidden = dense(&[&[1e6, 0.0, 0.0], &[0.0, 1.0, 1e-7], &[0.0, 0.0, 1.0]]);
    assert_eq!(code(hidden), Code::MASS_NOT_SYMMETRIC);
    // 24 orders of magnitude between two masses are no reason to refuse
    assert!(LinearModel::new(parts(dense(&[&[1e-12, 0.0], &[0.0, 1e12]]))).is_ok());
}

/// Gyroscopic damping, C not symmetric: the identities hold as before.
#[test]
fn ledger_closes_with_gyroscopic_damping() {
    for entry in SCHEMES.iter().take(9) {
        let scheme = Scheme::named(entry.name).expect("a scheme");
        for seed in 0..30 {
            let problem = gyroscopic(&mut Dice(8000 + seed));
            let h = [1e-3, 0.02, 0.1][(seed % 3) as usize];
            let run = run(&problem, &scheme, h, 60.0 * h);
            let largest = run.ledger.iter().fold(1e-3_f64, |s, e| s.max(e.energy().abs()));
            let residual = run.ledger.iter().fold(0.0_f64, |s, e| s.max(e.balance.abs()));
            assert!(residual <= 1e-11 * largest, "{} seed {seed}: {residual:e}", entry.name);
        }
    }
}

/// A random system whose C has a skew part as large as its symmetric one.
fn gyroscopic(dice: &mut Dice) -> Problem {
    let base = random_problem(dice, Recipe { restitution: None, ..Recipe::USUAL });
    let mut parts = common::parts(&base);
    let n = base.q0.len();
    let mut C = parts.damping.expect("damped").to_dense();
    for i in 0..n {
        for j in 0..i {
            let x = dice.real(-1.0, 1.0);
            C.set(i, j, C.get(i, j) + x);
            C.set(j, i, C.get(j, i) - x);
        }
    }
    parts.damping = Some(Matrix::Dense(C));
    parts.contacts.iter_mut().for_each(|c| c.restitution = 0.5);
    linear(parts, &base.q0, &base.v0).expect("a problem")
}
