//! Certificates and checks where a first version was too trusting: rest, stiff dampers, negative springs, odd joints.

mod common;

use common::{Dice, Recipe, USUAL, random_problem};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::build::column;
use percussion_model::{Code, Contact, Joint, LinearModel, LinearParts, Signal};
use percussion_solve::SolverOptions;
use percussion_step::{
    Audit, Both, Guarantee, Outcome, Problem, SCHEMES, Scheme, SchemeOptions, Trajectory, Verdict, Verdicts, simulate,
};

fn dense(rows: &[&[f64]]) -> Matrix {
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
    Matrix::Dense(DenseMatrix::from_rows(&rows).expect("a matrix"))
}

fn parts(mass: Matrix) -> LinearParts {
    let n = mass.n_rows();
    let force = vec![Signal::constant(0.0); n];
    LinearParts { mass, damping: None, stiffness: None, force, contacts: vec![], joints: vec![] }
}

fn judge(problem: &Problem, scheme: &Scheme, h: f64, end: f64) -> Verdicts {
    let (mut audit, mut run) = (Audit::new(), Trajectory::new());
    let outcome = simulate(problem, scheme, SolverOptions::default(), h, end, &mut Both(&mut audit, &mut run));
    assert!(matches!(outcome.expect("accepted"), Outcome::Finished));
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
    let mut parts = parts(dense(&[&[1.0]]));
    parts.stiffness = Some(dense(&[&[2314.2]]));
    parts.damping = Some(dense(&[&[893.4]]));
    let model = LinearModel::new(parts).expect("a model");
    let problem = Problem::linear(model, vec![0.02], vec![0.5]).expect("a problem");
    let options = SchemeOptions { theta: Some(1.0), ..Default::default() };
    let midpoint = Scheme::resolve("moreau-jean-midpoint", &options).expect("a scheme").0;
    let verdicts = judge(&problem, &midpoint, 1.0, 10.0);
    assert_eq!(verdicts.energy.status, Verdict::Warn, "{}", verdicts.energy.text);
    assert!(verdicts.energy.text.contains("dampers"), "{}", verdicts.energy.text);
    // h v_{k+θ}ᵀC v_{k+θ} has a sign
    let standard = Scheme::resolve("moreau-jean", &options).expect("a scheme").0;
    assert_eq!(judge(&problem, &standard, 1.0, 10.0).energy.status, Verdict::Pass);
}

/// No theorem is claimed for a spring that pushes away, and what it creates is a warning, not a failure.
#[test]
fn negative_stiffness_has_no_theorem() {
    let mut parts = parts(dense(&[&[1.0]]));
    parts.stiffness = Some(dense(&[&[-4.0]]));
    let model = LinearModel::new(parts).expect("a model");
    let problem = Problem::linear(model, vec![0.1], vec![0.0]).expect("a problem");
    let scheme = Scheme::moreau_jean(0.6);
    let guarantee = Guarantee::new(&scheme, &problem.model);
    assert!(!guarantee.holds && guarantee.reason.contains("negative direction"), "{guarantee:?}");
    assert!(!judge(&problem, &scheme, 1e-2, 1.0).failed());
}

/// Joints that are nearly dependent, or tie masses of very different size, are kept or refused, never a panic.
#[test]
fn odd_joints_are_kept() {
    let cases = [
        (dense(&[&[1e-12, 0.0, 0.0], &[0.0, 1e12, 0.0], &[0.0, 0.0, 1.0]]), [1.0, 1.0, 0.0]),
        (dense(&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]]), [1.0, 1e-9, 0.0]),
    ];
    for (mass, second) in cases {
        let mut parts = parts(mass);
        parts.force = vec![Signal::constant(1.0); 3];
        let row = |x: [f64; 3]| x.into_iter().enumerate().collect::<Vec<_>>();
        parts.joints = vec![Joint { row: row([1.0, 0.0, 0.0]), offset: 0.0 }, Joint { row: row(second), offset: 0.0 }];
        let problem = Problem::linear(LinearModel::new(parts).expect("a model"), vec![0.0; 3], vec![0.0; 3]);
        let problem = problem.expect("a problem");
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
        let mut parts = parts(dense(&[&[1.0, 0.0], &[0.0, 3.0]]));
        parts.force = vec![Signal::harmonic(1.0, 2.0, 3.0, 0.0), Signal::constant(-0.5)];
        parts.joints = vec![Joint { row: vec![(0, scale), (1, -scale)], offset: 0.1 * scale }];
        let model = LinearModel::new(parts).expect("a model");
        let problem = Problem::linear(model, vec![0.0, 0.1], vec![0.0; 2]).expect("a problem");
        let verdicts = judge(&problem, &Scheme::named("generalized-alpha").expect("a scheme"), 1e-3, 5.0);
        assert_eq!(verdicts.joints.status, Verdict::Pass, "scale {scale}: {}", verdicts.joints.text);
        assert!(verdicts.joints.worst < 1e-12);
    }
}

/// Singular and slightly unsymmetric masses are refused whatever the size of the other entries.
#[test]
fn masses_are_judged_without_units() {
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
            let mut run = Trajectory::new();
            let h = [1e-3, 0.02, 0.1][(seed % 3) as usize];
            let outcome = simulate(&problem, &scheme, SolverOptions::default(), h, 60.0 * h, &mut run);
            assert!(matches!(outcome.expect("accepted"), Outcome::Finished), "{} seed {seed}", entry.name);
            let largest = run.ledger.iter().fold(1e-3_f64, |s, e| s.max(e.energy().abs()));
            let residual = run.ledger.iter().fold(0.0_f64, |s, e| s.max(e.balance.abs()));
            assert!(residual <= 1e-11 * largest, "{} seed {seed}: {residual:e}", entry.name);
        }
    }
}

/// A random system whose C has a skew part as large as its symmetric one.
fn gyroscopic(dice: &mut Dice) -> Problem {
    let base = random_problem(dice, Recipe { restitution: None, ..USUAL });
    let percussion_step::Model::Linear(model) = &base.model else { panic!("linear") };
    let n = model.n();
    let mut C = model.damping().expect("damped").to_dense();
    for i in 0..n {
        for j in 0..i {
            let x = dice.real(-1.0, 1.0);
            C.set(i, j, C.get(i, j) + x);
            C.set(j, i, C.get(j, i) - x);
        }
    }
    let parts = LinearParts {
        mass: model.mass().clone(),
        damping: Some(Matrix::Dense(C)),
        stiffness: model.stiffness().cloned(),
        force: model.loads().to_vec(),
        contacts: model.contacts().iter().map(|c| Contact { restitution: 0.5, ..c.clone() }).collect(),
        joints: vec![],
    };
    Problem::linear(LinearModel::new(parts).expect("a model"), base.q0.clone(), base.v0.clone()).expect("a problem")
}
