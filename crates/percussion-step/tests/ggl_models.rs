//! GGL on models outside the gallery: mass that depends on q, mass that is singular, mechanisms that cannot start.

mod common;

use percussion_matrix::DenseMatrix;
use percussion_model::nonlinear::Pendulum;
use percussion_model::{Auto, Code, Energies, Lagrangian, Number};
use percussion_solve::SolverOptions;
use percussion_step::{Audit, Both, Outcome, Problem, Scheme, Trajectory, project_start, simulate};
use std::sync::Arc;

fn run(problem: &Problem, h: f64, end: f64) -> (Trajectory, Audit) {
    common::audited(problem, &common::scheme("generalized-alpha-ggl", |_| ()), h, end)
}

/// Two rods of length and mass one in their angles; the tip may not cross x = 0.3.
#[derive(Debug)]
struct DoublePendulum;

impl Energies for DoublePendulum {
    fn n(&self) -> usize {
        2
    }
    fn restitutions(&self) -> &[f64] {
        &[0.6]
    }
    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
        v[0] * v[0] + v[1] * v[1] * 0.5 + (q[0] - q[1]).cos() * v[0] * v[1]
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        (q[0].cos() * 2.0 + q[1].cos()) * (-9.81)
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[0].sin() + q[1].sin() - 0.3
    }
}

/// M(q): the ledger closes with the term ½v_nᵀ(M_{n+1} − M_n)v_n, and nothing penetrates.
#[test]
fn mass_that_depends_on_q() {
    let model: Arc<dyn Lagrangian> = Arc::new(Auto::new(DoublePendulum).expect("a model"));
    let problem = Problem::nonlinear(model, vec![1.0, 1.2], vec![0.0; 2]).expect("a problem");
    let (run, audit) = run(&problem, 1e-3, 3.0);
    let residual = run.ledger.iter().fold(0.0_f64, |s, e| s.max(e.balance.abs()));
    let impulses = run.contacts.iter().filter(|(_, c)| c.p > 0.0).count();
    println!("double pendulum: ledger {residual:.1e}, {impulses} impulses, penetration {:.1e}", audit.deepest());
    assert!(impulses > 3 && residual <= 1e-11 && audit.deepest() <= 1e-12);
}

/// The same under energy-momentum: the identity to round-off although M depends on q, nothing created.
#[test]
fn energy_exact_with_a_mass_that_depends_on_q() {
    let model: Arc<dyn Lagrangian> = Arc::new(Auto::new(DoublePendulum).expect("a model"));
    let problem = Problem::nonlinear(model, vec![1.0, 1.2], vec![0.0; 2]).expect("a problem");
    let (mut audit, mut run) = (Audit::new(), Trajectory::new());
    let scheme = Scheme::named("energy-momentum").expect("a scheme");
    // the identity is as exact as Newton
    let options = SolverOptions { tolerance: 1e-12, ..Default::default() };
    let outcome = simulate(&problem, &scheme, options, 1e-3, 3.0, &mut Both(&mut audit, &mut run));
    let outcome = outcome.expect("accepted");
    assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
    let impulses = run.contacts.iter().filter(|(_, c)| c.p > 0.0).count();
    println!(
        "double pendulum: identity {:.1e}, gain {:.1e}, {impulses} impulses",
        audit.largest_residual(),
        audit.largest_gain()
    );
    assert!(impulses > 3 && audit.largest_residual() <= 1e-11 && audit.largest_gain() <= 1e-11);
    // and it is the same motion as under GGL before the wall is met, to the O(h²) of both
    let (other, _) = self::run(&problem, 1e-3, 0.2);
    let apart = (0..2).fold(0.0_f64, |s, i| s.max((run.q(200)[i] - other.q(200)[i]).abs()));
    assert!(apart <= 1e-6, "{apart:e}");
}

/// The pendulum with a massless angle: M is singular, [M gᵀ; g 0] is not.
#[derive(Debug)]
struct Massless(Pendulum);

impl Lagrangian for Massless {
    fn n(&self) -> usize {
        self.0.n()
    }
    fn n_joints(&self) -> usize {
        self.0.n_joints()
    }
    fn restitutions(&self) -> &[f64] {
        self.0.restitutions()
    }
    fn mass(&self, q: &[f64], M: &mut DenseMatrix) {
        self.0.mass(q, M);
        M.set(2, 2, 0.0);
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
}

fn pendulum(inertia: f64) -> Pendulum {
    Pendulum::new(1.0, inertia, 1.0, 10.0, 0.5_f64.sqrt(), 0.8).expect("a pendulum")
}

/// A massless angle is the limit of a small one: states agree to the size of the small inertia.
#[test]
fn singular_mass_tied_by_joints() {
    let q0 = pendulum(0.1).at_angle(std::f64::consts::PI / 12.0).to_vec();
    let none = Problem::nonlinear(Arc::new(Massless(pendulum(0.1))), q0.clone(), vec![0.0; 3]).expect("a problem");
    let little = Problem::nonlinear(Arc::new(pendulum(1e-9)), q0, vec![0.0; 3]).expect("a problem");
    let ((a, audit), (b, _)) = (run(&none, 1e-3, 0.5), run(&little, 1e-3, 0.5));
    let difference = a.q.iter().zip(&b.q).fold(0.0_f64, |s, (x, y)| s.max((x - y).abs()));
    println!("massless angle: {difference:.1e}, penetration {:.1e}", audit.deepest());
    assert!(difference <= 1e-6, "{difference:e}");
}

/// Moreau–Jean has M alone to divide by, and refuses the massless angle with a way out; the others move it, and alike.
#[test]
fn singular_mass_under_other_schemes() {
    let q0 = pendulum(0.1).at_angle(std::f64::consts::PI / 12.0).to_vec();
    let problem = Problem::nonlinear(Arc::new(Massless(pendulum(0.1))), q0, vec![0.0; 3]).expect("a problem");
    let end = |name: &str| {
        let mut run = Trajectory::new();
        let scheme = Scheme::named(name).expect("a scheme");
        let outcome = simulate(&problem, &scheme, SolverOptions::default(), 1e-3, 0.4, &mut run)?;
        assert!(matches!(outcome, Outcome::Finished), "{name}: {outcome:?}");
        Ok::<f64, percussion_model::InputError>(run.q(400)[2])
    };
    let error = end("moreau-jean").expect_err("M is singular");
    assert_eq!(error.code, Code::UNSUPPORTED);
    assert!(error.message.contains("coordinate 2"), "{}", error.message);
    let angle = end("generalized-alpha-ggl").expect("moves");
    for name in ["generalized-alpha", "smooth-generalized-alpha", "energy-momentum"] {
        let other = end(name).expect("moves");
        assert!((other - angle).abs() <= 1e-5, "{name}: {other} and {angle}");
    }
}

/// Joints given twice: projection finds the start of the joints given once. A massless angle does not hinder it either.
#[test]
fn projection_with_redundant_joints_and_without_mass() {
    let project = |model: Arc<dyn Lagrangian>| {
        let model = percussion_step::Model::from(model);
        let bad = Problem::unchecked(model, vec![0.9, 0.2, 0.3], vec![0.1, 0.5, 0.2]).expect("finite");
        let (good, _) = project_start(&bad, SolverOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        good.check_start().expect("admissible");
        good
    };
    let (once, twice) = (project(Arc::new(pendulum(0.1))), project(Arc::new(Twice(pendulum(0.1)))));
    let apart = once.q0.iter().chain(&once.v0).zip(twice.q0.iter().chain(&twice.v0));
    let apart = apart.fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()));
    assert!(apart <= 1e-12, "{apart:e}");
    project(Arc::new(Massless(pendulum(0.1))));
}

/// A velocity too large to square is named, not the place.
#[test]
fn overflow_names_what_is_at_fault() {
    let q0 = pendulum(0.1).at_angle(0.0).to_vec();
    let error = Problem::nonlinear(Arc::new(pendulum(0.1)), q0, vec![0.0, 1e200, 1e200]).expect_err("overflows");
    assert_eq!((error.code, error.field.as_str()), (Code::NOT_FINITE, "model.v0"));
    let far = vec![1e308, 1e308, 1e308];
    let error = Problem::nonlinear(Arc::new(pendulum(0.1)), far, vec![0.0; 3]).expect_err("overflows");
    assert_eq!((error.code, error.field.as_str()), (Code::NOT_FINITE, "model.q0"));
}

/// Every joint twice.
#[derive(Debug)]
struct Twice(Pendulum);

impl Lagrangian for Twice {
    fn n(&self) -> usize {
        3
    }
    fn n_joints(&self) -> usize {
        4
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
        self.0.constraint(if j < 4 { j / 2 } else { 2 }, q)
    }
    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        self.0.gradient(if j < 4 { j / 2 } else { 2 }, q, row);
    }
    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        self.0.hessian(if j < 4 { j / 2 } else { 2 }, q, weight, H);
    }
}

/// Freeing the massless angle from its joint leaves a motion without inertia, which is named.
#[derive(Debug)]
struct Free(Massless);

impl Lagrangian for Free {
    fn n(&self) -> usize {
        3
    }
    fn restitutions(&self) -> &[f64] {
        &[]
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
    fn constraint(&self, _j: usize, _q: &[f64]) -> f64 {
        0.0
    }
    fn gradient(&self, _j: usize, _q: &[f64], _row: &mut [f64]) {}
    fn hessian(&self, _j: usize, _q: &[f64], _weight: f64, _H: &mut DenseMatrix) {}
}

#[test]
fn motion_without_inertia_is_refused() {
    let error = Problem::nonlinear(Arc::new(Free(Massless(pendulum(0.1)))), vec![1.0, 0.0, 0.0], vec![0.0; 3])
        .expect_err("no inertia");
    assert_eq!(error.code, Code::MASS_NOT_POSITIVE);
    assert!(error.message.contains("coordinate 2"), "{}", error.message);
}

/// An inconsistent start is refused with its size; projection repairs it and tells the energy, or says it cannot.
#[test]
fn inconsistent_starts() {
    let code = |q0: [f64; 3], v0: [f64; 3]| {
        Problem::nonlinear(Arc::new(pendulum(0.1)), q0.to_vec(), v0.to_vec()).expect_err("a bad start").code
    };
    assert_eq!(code([1.0, 0.1, 0.0], [0.0; 3]), Code::JOINT_POSITION);
    assert_eq!(code([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]), Code::JOINT_VELOCITY);
    let angle: f64 = 1.2;
    assert_eq!(code([angle.cos(), angle.sin(), angle], [0.0; 3]), Code::PENETRATION);

    let model = percussion_step::Model::from(Arc::new(pendulum(0.1)) as Arc<dyn Lagrangian>);
    let bad = Problem::unchecked(model, vec![0.9, 0.2, 0.3], vec![0.1, 0.5, 0.2]).expect("finite");
    let (good, change) = project_start(&bad, SolverOptions::default()).expect("an admissible start");
    good.check_start().expect("admissible");
    let energy = |p: &Problem| p.model.kinetic_energy(&p.q0, &p.v0) + p.model.potential_energy(&p.q0);
    assert!((change - (energy(&good) - energy(&bad))).abs() < 1e-12);

    // a rod of length one cannot reach a wall at x = 1.5
    let far = Pendulum::new(1.0, 0.1, 1.0, 10.0, 1.5, 0.8).expect("a pendulum");
    let q0 = far.at_angle(0.0).to_vec();
    let model = percussion_step::Model::from(Arc::new(far) as Arc<dyn Lagrangian>);
    let impossible = Problem::unchecked(model, q0, vec![0.0; 3]).expect("finite");
    assert!(project_start(&impossible, SolverOptions::default()).is_err());
}
