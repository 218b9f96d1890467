//! Initial states: what is refused, and what `project_start` makes of it.

use percussion_model::{Code, Joint, LinearModel, LinearParts};
use percussion_solve::SolverOptions;
use percussion_step::problems::{contact, masses};
use percussion_step::{Problem, project_start};

/// Three masses 1, 2, 3 on a line; g0 = q0 ≥ 0, g1 = q1 − q0 − 1 ≥ 0; q2 tied to q1.
fn model() -> LinearModel {
    let parts = LinearParts {
        contacts: vec![contact(&[1.0, 0.0, 0.0], 0.0, 0.5), contact(&[-1.0, 1.0, 0.0], -1.0, 0.5)],
        joints: vec![Joint { row: vec![(1, -1.0), (2, 1.0)], offset: -0.5 }],
        ..masses(&[1.0, 2.0, 3.0], &[0.0; 3])
    };
    LinearModel::new(parts).expect("a model")
}

#[test]
fn a_bad_start_is_refused_with_its_size() {
    let code =
        |q0: [f64; 3], v0: [f64; 3]| Problem::linear(model(), q0.to_vec(), v0.to_vec()).expect_err("a bad start").code;
    assert_eq!(code([-0.1, 2.0, 2.5], [0.0; 3]), Code::PENETRATION);
    assert_eq!(code([0.0, 2.0, 2.6], [0.0; 3]), Code::JOINT_POSITION);
    assert_eq!(code([0.0, 2.0, 2.5], [0.0, 1.0, 0.0]), Code::JOINT_VELOCITY);
    assert_eq!(code([f64::NAN, 2.0, 2.5], [0.0; 3]), Code::NOT_FINITE);
}

/// The projected start satisfies everything and is no farther away, in the mass metric, than an admissible one we know.
#[test]
fn projection_finds_the_nearest_start() {
    let (q0, v0) = (vec![-0.3, 0.4, 1.2], vec![1.0, 2.0, -1.0]);
    let bad = Problem::linear_unchecked(model(), q0.clone(), v0).expect("finite");
    let (good, change) = project_start(&bad, SolverOptions::default()).expect("an admissible start");
    good.check_start().expect("admissible");
    let Some(model) = good.model.linear() else { panic!("linear") };
    let distance = |q: &[f64]| {
        let d: Vec<f64> = q.iter().zip(&q0).map(|(a, b)| a - b).collect();
        model.kinetic_energy(&d)
    };
    for other in [[0.0, 1.0, 1.5], [0.0, 1.1, 1.6], [0.05, 1.05, 1.55]] {
        assert!(distance(&good.q0) <= distance(&other) + 1e-12);
    }
    let expected = model.kinetic_energy(&good.v0) - model.kinetic_energy(&bad.v0);
    assert!((change - expected).abs() < 1e-14 && change < 0.0);
}

/// A second, identical joint is superfluous and named; one that contradicts the first is refused.
#[test]
fn dependent_joints_are_named() {
    let parts = |offset: f64| LinearParts {
        joints: vec![
            Joint { row: vec![(0, 1.0), (1, -1.0)], offset: -1.0 },
            Joint { row: vec![(0, -2.0), (1, 2.0)], offset },
        ],
        ..masses(&[1.0; 2], &[0.0; 2])
    };
    assert_eq!(LinearModel::new(parts(2.0)).expect("consistent").superfluous_joints(), &[1]);
    let error = LinearModel::new(parts(2.1)).expect_err("contradiction");
    assert_eq!((error.code, error.field.as_str()), (Code::JOINTS_CONTRADICT, "model.joint[1]"));
}
