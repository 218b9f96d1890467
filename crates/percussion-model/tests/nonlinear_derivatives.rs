//! The derivatives of every nonlinear model against differences, and the parameters they refuse.

use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::check_derivatives;
use percussion_model::nonlinear::{Beam, BeamParts, LinearAsLagrangian, Pendulum, PointMass, RockingBlock};
use percussion_model::{Code, Contact, DerivativeReport, Joint, Lagrangian, LinearModel, LinearParts, Signal};

/// Equidistributed numbers in [−1, 1]: the fractional parts of k√2, k√3, … are enough for states nobody chose.
fn numbers(seed: usize, n: usize, size: f64) -> Vec<f64> {
    let mut x = (seed as f64 * 0.618_033_988_749_895 + 0.137) % 1.0;
    (0..n)
        .map(|_| {
            x = (x * 997.0 + 0.754_877_666) % 1.0;
            size * (2.0 * x - 1.0)
        })
        .collect()
}

const STEEL: BeamParts = BeamParts {
    length: 1.0,
    width: 0.01,
    depth: 0.01,
    young: 2.1e11,
    poisson: 0.3,
    density: 7800.0,
    gravity: 9.81,
    elements: 4,
    wall: std::f64::consts::FRAC_1_SQRT_2,
    restitution: 0.8,
};

fn damped_pair(offset: Signal) -> LinearModel {
    let matrix = |rows: [[f64; 2]; 2]| Matrix::Dense(DenseMatrix::from_rows(&rows.map(|r| r.to_vec())).unwrap());
    let parts = LinearParts {
        mass: matrix([[2.0, 0.5], [0.5, 1.0]]),
        damping: Some(matrix([[0.3, -0.1], [-0.1, 0.2]])),
        stiffness: Some(matrix([[5.0, -2.0], [-2.0, 3.0]])),
        force: vec![Signal::constant(-1.0), Signal::harmonic(0.2, 0.7, 3.0, 0.1)],
        contacts: vec![Contact { normal: vec![(0, 1.0), (1, -2.0)], offset, restitution: 0.5, ..Contact::default() }],
        joints: vec![Joint { row: vec![(0, 1.0), (1, 1.0)], offset: -0.4 }; 2],
    };
    LinearModel::new(parts).unwrap()
}

/// The worst report over 25 states near `centre`.
fn worst(model: &dyn Lagrangian, centre: &[f64], spread: f64) -> DerivativeReport {
    let mut all = DerivativeReport::default();
    for k in 0..25 {
        let mut q = numbers(2 * k, model.n(), spread);
        q.iter_mut().zip(centre).for_each(|(q, c)| *q += c);
        let v = numbers(2 * k + 1, model.n(), 3.0);
        let report = check_derivatives(model, &q, &v, 0.3 * k as f64);
        if report.worst().is_nan() || report.worst() > all.worst() {
            all = report;
        }
    }
    println!("{model:?}\n    {all}");
    all
}

/// Differences of fourth order with δ = 1e-3 leave about 1e-12; 1e-7 would already be a wrong term.
#[test]
fn derivatives_are_exact() {
    let ball = PointMass::new(1.0, 0.2, 10.0, 0.8).unwrap();
    assert!(worst(&ball, &[1.0], 1.0).worst() < 1e-7);
    let pendulum = Pendulum::new(1.0, 0.1, 1.0, 10.0, 0.5_f64.sqrt(), 0.8).unwrap();
    assert!(worst(&pendulum, &[0.0; 3], 3.0).worst() < 1e-7);
    let block = RockingBlock::new(1.0, 1.0, 1.5, 9.81, 0.5).unwrap();
    assert!(worst(&block, &[0.0; 3], 3.0).worst() < 1e-7);
    let beam = Beam::new(STEEL).unwrap();
    assert!(worst(&beam, &beam.straight(), 1.0).worst() < 1e-7);
    let beam = Beam::with_joints(BeamParts { depth: 0.02, ..STEEL }).unwrap();
    assert!(worst(&beam, &beam.straight(), 0.1).worst() < 1e-7);
    let linear = LinearAsLagrangian::new(damped_pair(Signal::constant(0.3)));
    assert!(worst(&linear, &[0.0; 2], 3.0).worst() < 1e-7);
}

/// The wrapper answers as the linear model does, without its superfluous joint; a moving obstacle at its time.
#[test]
fn a_linear_model_keeps_its_numbers() {
    let model = damped_pair(Signal::constant(0.3));
    let wrapped = LinearAsLagrangian::new(model.clone());
    let (q, v) = ([0.3, -0.7], [1.1, 0.4]);
    assert_eq!((wrapped.n_joints(), wrapped.restitutions()), (1, &[0.5][..]));
    // rows of joints are made of length one
    let length = model.joints()[0].row.iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
    assert!((wrapped.constraint(0, &q) - model.joint_violation(0, &q) / length).abs() < 1e-15);
    assert_eq!(wrapped.constraint(1, &q), model.gap(0, &q, 0.0));
    assert_eq!(wrapped.kinetic_energy(&q, &v), model.kinetic_energy(&v));
    let moving = damped_pair(Signal::harmonic(0.0, 0.1, 1.0, 0.0));
    let (wrapped, t) = (LinearAsLagrangian::new(moving.clone()), 0.7);
    let gaps = wrapped.moving_gaps().expect("an obstacle moves");
    assert_eq!((gaps.gap(0, &q, t), wrapped.constraint(1, &q)), (moving.gap(0, &q, t), moving.gap(0, &q, 0.0)));
    assert_eq!(gaps.rate(0, &q, t), 0.1 * t.cos());
}

/// Joints hold at every angle, and the reference gaps of the block at (0, 1, 0.2) are met.
#[test]
fn conventions_of_the_cases() {
    let pendulum = Pendulum::new(1.0, 0.1, 1.0, 10.0, 0.5_f64.sqrt(), 0.8).unwrap();
    let q = pendulum.at_angle(0.7);
    assert!(pendulum.constraint(0, &q).abs() < 1e-15 && pendulum.constraint(1, &q).abs() < 1e-15);
    let block = RockingBlock::new(1.0, 1.0, 1.5, 9.81, 0.5).unwrap();
    assert!((block.constraint(0, &[0.0, 1.0, 0.2]) - 0.364_284_732_016_599_33).abs() < 1e-15);
    assert!((block.constraint(1, &[0.0, 1.0, 0.2]) - 0.165_615_401_221_538_12).abs() < 1e-15);
    assert_eq!(block.potential_energy(&[0.0, 1.0, 0.2]), 9.81);
}

/// A wrong parameter is refused with its name.
#[test]
fn parameters_are_refused() {
    let refused = |result: Result<(), percussion_model::InputError>, code: Code, field: &str| {
        let error = result.unwrap_err();
        assert_eq!((error.code, error.field.as_str()), (code, field), "{error}");
    };
    let ball = |m, R, g, e| PointMass::new(m, R, g, e).map(|_| ());
    refused(ball(-1.0, 0.2, 10.0, 0.8), Code::MASS_NOT_POSITIVE, "model.mass");
    refused(ball(f64::NAN, 0.2, 10.0, 0.8), Code::NOT_FINITE, "model.mass");
    refused(ball(1.0, -0.2, 10.0, 0.8), Code::BAD_SHAPE, "model.radius");
    refused(ball(1.0, 0.2, f64::INFINITY, 0.8), Code::NOT_FINITE, "model.gravity");
    refused(ball(1.0, 0.2, 10.0, 1.1), Code::RESTITUTION, "model.restitution");
    refused(ball(1.0, 0.2, 10.0, f64::NAN), Code::NOT_FINITE, "model.restitution");
    let pendulum = |m, J, l, w, e| Pendulum::new(m, J, l, 10.0, w, e).map(|_| ());
    refused(pendulum(0.0, 0.1, 1.0, 0.7, 0.8), Code::MASS_NOT_POSITIVE, "model.mass");
    refused(pendulum(1.0, -0.1, 1.0, 0.7, 0.8), Code::MASS_NOT_POSITIVE, "model.inertia");
    refused(pendulum(1.0, 0.1, 0.0, 0.7, 0.8), Code::BAD_SHAPE, "model.length");
    refused(pendulum(1.0, 0.1, 1.0, f64::NAN, 0.8), Code::NOT_FINITE, "model.wall");
    refused(pendulum(1.0, 0.1, 1.0, 0.7, -0.1), Code::RESTITUTION, "model.restitution");
    let block = |m, b, a, e| RockingBlock::new(m, b, a, 9.81, e).map(|_| ());
    refused(block(-1.0, 1.0, 1.5, 0.5), Code::MASS_NOT_POSITIVE, "model.mass");
    refused(block(1.0, 0.0, 1.5, 0.5), Code::BAD_SHAPE, "model.width");
    refused(block(1.0, 1.0, f64::NAN, 0.5), Code::NOT_FINITE, "model.height");
    refused(block(1.0, 1.0, 1.5, 2.0), Code::RESTITUTION, "model.restitution");
    let rough = |mu| RockingBlock::new(1.0, 1.0, 1.5, 9.81, 0.5).and_then(|block| block.with_friction(mu)).map(|_| ());
    refused(rough(-0.3), Code::FRICTION, "model.friction");
    refused(rough(f64::NAN), Code::NOT_FINITE, "model.friction");
    let beam = |parts| Beam::new(parts).map(|_| ());
    refused(beam(BeamParts { elements: 0, ..STEEL }), Code::BAD_SHAPE, "model.elements");
    refused(beam(BeamParts { length: -1.0, ..STEEL }), Code::BAD_SHAPE, "model.length");
    refused(beam(BeamParts { width: 0.0, ..STEEL }), Code::BAD_SHAPE, "model.width");
    refused(beam(BeamParts { depth: f64::NAN, ..STEEL }), Code::NOT_FINITE, "model.depth");
    refused(beam(BeamParts { young: 0.0, ..STEEL }), Code::BAD_SHAPE, "model.young");
    refused(beam(BeamParts { poisson: 0.6, ..STEEL }), Code::BAD_SHAPE, "model.poisson");
    refused(beam(BeamParts { density: -7800.0, ..STEEL }), Code::MASS_NOT_POSITIVE, "model.density");
    refused(beam(BeamParts { wall: f64::NAN, ..STEEL }), Code::NOT_FINITE, "model.wall");
    refused(beam(BeamParts { restitution: 1.5, ..STEEL }), Code::RESTITUTION, "model.restitution");
}

/// The check finds a wrong sign: a pendulum whose joint gradient lost its minus.
#[test]
fn a_wrong_gradient_is_found() {
    #[derive(Debug)]
    struct Wrong(Pendulum);
    impl Lagrangian for Wrong {
        fn n(&self) -> usize {
            3
        }
        fn restitutions(&self) -> &[f64] {
            self.0.restitutions()
        }
        fn n_joints(&self) -> usize {
            2
        }
        fn mass(&self, q: &[f64], M: &mut DenseMatrix) {
            self.0.mass(q, M);
            M.set(0, 0, 1.0 + q[0]);
        }
        fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]) {
            self.0.force(q, v, t, f);
            f[0] += 1.0;
        }
        fn force_tangents(&self, _q: &[f64], _v: &[f64], _t: f64, _K: &mut DenseMatrix, _C: &mut DenseMatrix) {}
        fn potential_energy(&self, q: &[f64]) -> f64 {
            self.0.potential_energy(q)
        }
        fn constraint(&self, j: usize, q: &[f64]) -> f64 {
            self.0.constraint(j, q)
        }
        fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
            self.0.gradient(j, q, row);
            row[2] = -row[2];
        }
        fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
            self.0.hessian(j, q, weight, H)
        }
    }
    let wrong = Wrong(Pendulum::new(1.0, 0.1, 1.0, 10.0, 0.7, 0.8).unwrap());
    let report = check_derivatives(&wrong, &[0.3, 0.2, 0.6], &[1.0, 2.0, 3.0], 0.0);
    assert!(report.gradient > 0.1 && report.hessian > 0.1, "{report}");
    assert!(report.mass_tangent > 0.1, "a mass said to be constant: {report}");
    assert!(report.power > 0.01, "a force outside the potential: {report}");
    assert!(report.stiffness == 0.0 && report.damping == 0.0);
}

/// The tangent of a corner is the derivative of its abscissa, and at right angles to the gradient of its height.
#[test]
fn tangents_of_the_block() {
    let block = RockingBlock::new(1.0, 1.0, 1.5, 9.81, 0.5).unwrap().with_friction(0.3).unwrap();
    assert_eq!((block.frictions(), block.n_tangents(0)), (&[0.3, 0.3][..], 1));
    for (i, X) in [(0, 0.5), (1, -0.5)] {
        for theta in [-1.2, 0.0, 0.3, 2.0] {
            let corner = |theta: f64| X * theta.cos() + 0.75 * theta.sin();
            let height = |theta: f64| block.constraint(i, &[0.0, 0.0, theta]);
            // a rigid corner keeps its distance from the centre
            assert!((corner(theta).hypot(height(theta)) - 0.5_f64.hypot(0.75)).abs() < 1e-15);
            let mut row = [0.0; 3];
            block.contact_tangent(i, 0, &[0.4, 0.9, theta], &mut row);
            let d = 1e-5;
            let slope = (corner(theta + d) - corner(theta - d)) / (2.0 * d);
            assert!(row[0] == 1.0 && row[1] == 0.0 && (row[2] - slope).abs() < 1e-9, "{row:?} {slope}");
        }
    }
}

/// A block that leaves the drift of its tangents to the default.
#[derive(Debug)]
struct Plain(RockingBlock);

impl Lagrangian for Plain {
    fn n(&self) -> usize {
        self.0.n()
    }
    fn restitutions(&self) -> &[f64] {
        self.0.restitutions()
    }
    fn mass(&self, q: &[f64], M: &mut DenseMatrix) {
        self.0.mass(q, M);
    }
    fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]) {
        self.0.force(q, v, t, f);
    }
    fn force_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        self.0.force_tangents(q, v, t, K, C);
    }
    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.0.potential_energy(q)
    }
    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        self.0.constraint(j, q)
    }
    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        self.0.gradient(j, q, row);
    }
    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        self.0.hessian(j, q, weight, H);
    }
    fn contact_tangent(&self, i: usize, k: usize, q: &[f64], row: &mut [f64]) {
        self.0.contact_tangent(i, k, q, row);
    }
}

/// (d row/dt)·v of the block's tangents: written out, by the default difference (1e-11 of its size), and by a plain central
/// difference of row·v along the motion (1e-8).
#[test]
fn drift_of_tangents() {
    let block = RockingBlock::new(1.0, 1.0, 1.5, 9.81, 0.5).unwrap().with_friction(0.3).unwrap();
    let plain = Plain(block.clone());
    for seed in 0..20 {
        let (q, v) = (numbers(seed, 3, 1.5), numbers(seed + 100, 3, 4.0));
        for i in 0..2 {
            let rate = |t: f64| {
                let place: Vec<f64> = q.iter().zip(&v).map(|(q, v)| q + t * v).collect();
                let mut row = [0.0; 3];
                block.contact_tangent(i, 0, &place, &mut row);
                row.iter().zip(&v).map(|(a, b)| a * b).sum::<f64>()
            };
            let exact = block.tangent_drift(i, 0, &q, &v);
            let difference = (rate(1e-6) - rate(-1e-6)) / 2e-6;
            let size = v[2] * v[2];
            assert!((exact - difference).abs() < 1e-8 * (1.0 + size), "{exact} {difference}");
            let default = plain.tangent_drift(i, 0, &q, &v);
            assert!((exact - default).abs() < 1e-11 * (1.0 + size), "{exact} {default}");
        }
    }
    assert_eq!(plain.tangent_drift(0, 0, &[0.1, 0.2, 0.3], &[0.0; 3]), 0.0);
}
