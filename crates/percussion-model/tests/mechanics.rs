//! The one face of a model: rates are derivatives of values, rows are what rates are made of, starts are judged alike.

use percussion_matrix::{DenseMatrix, Matrix, vector};
use percussion_model::bodies::math::IDENTITY;
use percussion_model::bodies::{
    Bodies, BodyParts, JointKind, JointParts, Materials, Matter, Motion, PairLaw, SceneParts, Shape,
};
use percussion_model::nonlinear::Pendulum;
use percussion_model::{Code, Contact, Joint, LagrangianModel, LinearModel, LinearParts, Mechanics, Signal, Structure};
use std::sync::Arc;

fn linear() -> LinearModel {
    let parts = LinearParts {
        mass: Matrix::Dense(DenseMatrix::from_rows(&[vec![2.0, 0.5], vec![0.5, 1.0]]).unwrap()),
        damping: None,
        stiffness: None,
        force: vec![Signal::default(); 2],
        contacts: vec![Contact {
            normal: vec![(0, 1.0), (1, -2.0)],
            offset: Signal::harmonic(0.2, 0.7, 3.0, 0.1),
            restitution: 0.5,
            tangents: vec![vec![(1, 1.0)]],
            friction: 0.3,
            angular: false,
            name: String::new(),
        }],
        joints: vec![Joint { row: vec![(0, 3.0), (1, 1.0), (0, 1.0)], offset: -0.4 }],
    };
    LinearModel::new(parts).unwrap()
}

/// A brick hinged to a ball, above a floor.
fn bodies(planar: bool) -> Bodies {
    let body = |name: &str, shape: Shape, position| BodyParts {
        name: name.into(),
        shape,
        matter: Matter::Given { mass: 2.0, inertia: [[0.3, 0.0, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.5]] },
        position,
        ..Default::default()
    };
    let floor = BodyParts { motion: Motion::Fixed, ..body("floor", Shape::plane(), [0.0; 3]) };
    let up = |x: f64, height: f64| if planar { [x, height, 0.0] } else { [x, 0.1, height] };
    let ball = BodyParts {
        matter: Matter::Given { mass: 2.0, inertia: IDENTITY },
        ..body("ball", Shape::sphere(0.3), up(1.5, 1.0))
    };
    let brick = body("brick", Shape::cuboid([1.0, 0.6, 0.4]), up(0.0, 0.9));
    let hinge = JointParts { name: "hinge".into(), kind: JointKind::Revolute, bodies: [1, 2], ..Default::default() };
    Bodies::new(SceneParts {
        planar,
        gravity: if planar { [0.0, -9.81, 0.0] } else { [0.0, 0.0, -9.81] },
        bodies: vec![floor, brick, ball],
        materials: Materials::uniform(PairLaw { restitution: 0.5, friction: 0.2, ..PairLaw::default() }).unwrap(),
        springs: Vec::new(),
        joints: vec![JointParts { anchor: up(0.8, 1.0), ..hinge }],
        no_contact: Vec::new(),
        flexible: Default::default(),
    })
    .unwrap()
}

/// ġ is the derivative of g along a motion, and the product of its row with v but for the motion of the obstacle; so for joints.
/// Central differences of 1e-6 are good to 1e-8 here.
fn agree(model: &dyn Mechanics, contacts: &[usize], q: &[f64], v: &[f64], moved: &dyn Fn(f64) -> Vec<f64>) {
    let h = 1e-6;
    let mut row = Vec::new();
    let product = |row: &[(usize, f64)]| row.iter().map(|&(k, x)| x * v[k]).sum::<f64>();
    for &i in contacts {
        let rate = model.gap_rate(i, q, v, 0.2);
        let difference = (model.gap(i, &moved(h), 0.2 + h) - model.gap(i, &moved(-h), 0.2 - h)) / (2.0 * h);
        assert!((rate - difference).abs() < 1e-7, "contact {i}: {rate} {difference}");
        let obstacle = model.gap_rate(i, q, &vec![0.0; v.len()], 0.2);
        model.gap_row(i, q, &mut row);
        assert!((product(&row) + obstacle - rate).abs() < 1e-12, "{row:?}");
        assert!(model.mobility(i, q) > 0.0 && model.gap_terms(i, q) > 0.0);
    }
    for j in 0..model.n_joints() {
        let rate = model.joint_rate(j, q, v);
        let difference = (model.joint(j, &moved(h)) - model.joint(j, &moved(-h))) / (2.0 * h);
        assert!((rate - difference).abs() < 1e-7, "joint {j}: {rate} {difference}");
        model.joint_row(j, q, &mut row);
        assert!((product(&row) - rate).abs() < 1e-12, "{row:?}");
        let mut places: Vec<usize> = row.iter().map(|r| r.0).collect();
        places.dedup();
        assert_eq!(places.len(), row.len());
    }
}

/// q + h v.
fn straight(q: &[f64], v: &[f64]) -> impl Fn(f64) -> Vec<f64> {
    let (q, v) = (q.to_vec(), v.to_vec());
    move |h| {
        let mut to = q.clone();
        vector::axpy(h, &v, &mut to);
        to
    }
}

#[test]
fn rates_and_rows_agree() {
    let (q, v) = (vec![0.4, 0.3], vec![0.7, -1.1]);
    agree(&linear(), &[0], &q, &v, &straight(&q, &v));
    let pendulum = LagrangianModel(Arc::new(Pendulum::new(1.0, 0.2, 0.5, 9.81, 0.1, 0.5).unwrap()));
    let (q, v) = (vec![0.4, 0.3, 0.9], vec![0.7, -1.1, 0.3]);
    agree(&pendulum, &[0], &q, &v, &straight(&q, &v));
    for planar in [true, false] {
        let scene = bodies(planar);
        let v: Vec<f64> = (0..scene.n_v()).map(|k| 0.3 * ((k * k + 1) as f64).sin()).collect();
        let mut q = scene.q0().to_vec();
        for i in 1..3 {
            scene.advance(i, scene.q0(), 0.3, &scene.twist(i, &v), &mut q);
        }
        let v: Vec<f64> = v.iter().enumerate().map(|(k, x)| if k < scene.v_per_body() { 0.0 } else { *x }).collect();
        // a corner of the brick and the ball above the floor
        let contacts = [(1 << 16) + 1, 2 << 16];
        let moved = |h: f64| {
            let mut to = q.clone();
            for i in 1..3 {
                scene.advance(i, &q, h, &scene.twist(i, &v), &mut to);
            }
            to
        };
        agree(&scene, &contacts, &q, &v, &moved);
        assert!(contacts.iter().all(|&i| scene.knows_contact(i)) && !scene.knows_contact(0));
    }
}

/// Each kind of model refuses, by the same question, the start it cannot begin from.
#[test]
fn starts_are_judged() {
    let code = |model: &dyn Mechanics, q: &[f64], v: &[f64]| model.check_start(q, v).map_err(|e| e.code).err();
    let model = linear();
    assert_eq!(code(&model, &[0.1, 0.0], &[0.0, 0.0]), None);
    assert_eq!(code(&model, &[-0.1, 0.8], &[0.0, 0.0]), Some(Code::PENETRATION));
    assert_eq!(code(&model, &[0.2, 0.0], &[0.0, 0.0]), Some(Code::JOINT_POSITION));
    assert_eq!(code(&model, &[0.1, 0.0], &[1.0, 0.0]), Some(Code::JOINT_VELOCITY));
    assert_eq!(code(&model, &[f64::NAN, 0.0], &[0.0, 0.0]), Some(Code::NOT_FINITE));
    let pendulum = Pendulum::new(1.0, 0.2, 0.5, 9.81, 0.1, 0.5).unwrap();
    let place = pendulum.at_angle(1.0);
    let pendulum = LagrangianModel(Arc::new(pendulum));
    assert_eq!(code(&pendulum, &place, &[0.0; 3]), None);
    assert_eq!(code(&pendulum, &place, &[1.0, 0.0, 0.0]), Some(Code::JOINT_VELOCITY));
    let scene = bodies(false);
    let mut v = scene.v0().to_vec();
    assert_eq!(code(&scene, scene.q0(), &v), None);
    v[6] = 1.0;
    assert_eq!(code(&scene, scene.q0(), &v), Some(Code::JOINT_VELOCITY));
    let mut q = scene.q0().to_vec();
    q[9] = 0.1;
    assert_eq!(code(&scene, &q, scene.v0()), Some(Code::PENETRATION));
}

/// A model that is only known by its face can be asked what it is made of.
#[test]
fn structure_is_asked_of_the_face() {
    let models: [Arc<dyn Mechanics>; 3] = [
        Arc::new(linear()),
        Arc::new(LagrangianModel(Arc::new(Pendulum::new(1.0, 0.2, 0.5, 9.81, 0.1, 0.5).unwrap()))),
        Arc::new(bodies(true)),
    ];
    let names: Vec<&str> = models
        .iter()
        .map(|model| match Arc::clone(model).structure() {
            Structure::Constant(_) => "constant",
            Structure::Lagrangian(_) => "lagrangian",
            Structure::Bodies(_) => "bodies",
        })
        .collect();
    assert_eq!(names, ["constant", "lagrangian", "bodies"]);
    assert_eq!(models[2].coordinate_name(5), "θ of brick");
    assert_eq!(models[2].contact_name(1 << 16), "floor – brick 0");
}
