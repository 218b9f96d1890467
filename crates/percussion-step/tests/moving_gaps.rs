//! Gaps that depend on time by themselves, g(q, t): derivatives, the account of their work, and the same motions by other ways.

mod common;

use common::{as_nonlinear, parts, random_problem, run, scheme};
use percussion_model::nonlinear::{FormulaContact, FormulaParts};
use percussion_model::{AtTime, Code, Lagrangian, LinearModel, Signal, check_derivatives};
use percussion_solve::SolverOptions;
use percussion_step::problems::{Dice, Recipe};
use percussion_step::{Outcome, Problem, Simulation, Trajectory};
use std::sync::Arc;

/// A ball thrown on a table that swings up and down and tilts; with a mass that depends on the place where `varying`.
fn shaken(friction: f64, varying: bool) -> FormulaParts {
    let contact = FormulaContact {
        gap: "y - 0.05*sin(9*t) - 0.2*x*sin(3*t) - 0.02*x^2".into(),
        tangents: vec!["x".into()],
        friction,
        restitution: 0.6,
        name: String::new(),
    };
    let mass = if varying { "(1 + 0.2*cos(x))" } else { "1" };
    FormulaParts {
        coordinates: vec!["x".into(), "y".into()],
        kinetic: Some(format!("0.5*{mass}*x_dot^2 + 0.6*y_dot^2")),
        potential: Some("1.2*9.81*y + 2*x^2".into()),
        contacts: vec![contact],
        ..FormulaParts::default()
    }
}

fn problem(parts: &FormulaParts) -> Problem {
    let model = Arc::new(parts.model().expect("a model"));
    Problem::nonlinear(model, vec![0.3, 0.3], vec![0.5, 0.0]).expect("above the table")
}

/// Every derivative by q, by t and by both against differences.
#[test]
fn derivatives_are_exact() {
    let model = shaken(0.3, true).model().expect("a model");
    assert!(check_derivatives(&model, &[0.3, 0.1], &[1.0, -2.0], 0.4).worst() < 1e-8);
    let (q, v, delta) = ([0.4, 0.1], [0.7, -1.1], 1e-4);
    let gaps = model.moving_gaps().expect("it moves");
    for t in [0.0, 0.3, 1.7] {
        // along q + s v, t + s the gap has rate and acceleration as the constraints at a time say
        let along = |s: f64| gaps.gap(0, &[q[0] + s * v[0], q[1] + s * v[1]], t + s);
        let at = AtTime(&model, t);
        let (mut row, mut H) = (vec![0.0; 2], percussion_matrix::DenseMatrix::zeros(2, 2));
        at.gradient(0, &q, &mut row);
        at.hessian(0, &q, 1.0, &mut H);
        let rate = row[0] * v[0] + row[1] * v[1] + at.rate(0, &q);
        let curvature: f64 = (0..4).map(|k| v[k / 2] * H.get(k / 2, k % 2) * v[k % 2]).sum();
        let acceleration = curvature + at.drift(0, &q, &v);
        let (ahead, here, behind) = (along(delta), along(0.0), along(-delta));
        assert!(((ahead - behind) / (2.0 * delta) - rate).abs() < 1e-6, "{t}");
        assert!(((ahead - 2.0 * here + behind) / delta.powi(2) - acceleration).abs() < 1e-5, "{t}");
    }
}

/// Random linear systems with moving walls: the nonlinear schemes make the same steps as the linear ones.
#[test]
fn linear_models_move_alike() {
    let mut dice = Dice(7);
    for _ in 0..6 {
        let recipe = Recipe { loads_vary: false, ..Recipe::USUAL };
        let still = random_problem(&mut dice, recipe);
        let mut parts = parts(&still);
        for contact in &mut parts.contacts {
            contact.offset.add(1.0, &Signal::harmonic(0.0, 0.03, 11.0, 0.0));
        }
        let model = LinearModel::new(parts).expect("a model");
        let linear = Problem::linear(model, still.q0.clone(), still.v0.clone()).expect("a problem");
        for name in ["moreau-jean", "moreau-jean-midpoint"] {
            let scheme = scheme(name, |_| ());
            let (a, b) = (run(&linear, &scheme, 0.01, 0.3), run(&as_nonlinear(&linear), &scheme, 0.01, 0.3));
            let last = a.len() - 1;
            let size = a.q(last).iter().chain(a.v(last)).fold(1.0_f64, |s, x| s.max(x.abs()));
            for (x, y) in a.q(last).iter().chain(a.v(last)).zip(b.q(last).iter().chain(b.v(last))) {
                assert!((x - y).abs() < 1e-8 * size, "{name}: {x} {y}");
            }
            let works = |rows: &Trajectory| rows.ledger.iter().map(|e| e.work_contact).sum::<f64>();
            assert!((works(&a) - works(&b)).abs() < 1e-7 * size.powi(2), "{name}: {} {}", works(&a), works(&b));
        }
    }
}

/// What shakes the table is external work, to round-off where the scheme has an identity; every other scheme's balance is of its order.
#[test]
fn the_ledger_closes() {
    for varying in [false, true] {
        for (name, friction) in [("energy-momentum", 0.0), ("landing", 0.0), ("landing", 0.3)] {
            let rows = run(&problem(&shaken(friction, varying)), &scheme(name, |_| ()), 1e-3, 2.0);
            let largest = rows.ledger.iter().fold(0.0_f64, |s, e| s.max(e.energy().abs()));
            let worst = rows.ledger.iter().fold(0.0_f64, |s, e| s.max(e.balance.abs())) / largest;
            assert!(worst < 1e-11, "{name}, varying mass {varying}, μ = {friction}: {worst:e}");
            let pumped: f64 = rows.ledger.iter().map(|e| e.work_external.abs()).sum();
            assert!(pumped > 0.1 * largest, "{name}: the table moves nothing");
        }
    }
    let cases = [
        ("moreau-jean", false, 1e-2),
        ("generalized-alpha", false, 1e-2),
        ("event-driven", true, 1e-8),
        ("runge-kutta-moreau", false, 1e-8),
    ];
    for (name, varying, bound) in cases {
        let rows = run(&problem(&shaken(0.0, varying)), &scheme(name, |_| ()), 1e-3, 2.0);
        let largest = rows.ledger.iter().fold(0.0_f64, |s, e| s.max(e.energy().abs()));
        let balance = rows.ledger.iter().map(|e| e.balance).sum::<f64>().abs() / largest;
        let pumped: f64 = rows.ledger.iter().map(|e| e.work_external.abs()).sum();
        assert!(balance < bound, "{name}: {balance:e}");
        assert!(pumped > 0.1 * largest, "{name}: the table moves nothing");
    }
}

/// Located impacts and steps agree up to O(h), with friction and without.
#[test]
fn schemes_agree() {
    for friction in [0.0, 0.3] {
        let problem = problem(&shaken(friction, false));
        let end = |name: &str, h: f64| {
            let rows = run(&problem, &scheme(name, |_| ()), h, 0.6);
            rows.q(rows.len() - 1).to_vec()
        };
        let exact = end("event-driven", 1e-3);
        for (name, h, bound) in [
            ("runge-kutta-moreau", 1e-3, 1e-6),
            ("moreau-jean", 2e-4, 3e-3),
            ("generalized-alpha", 2e-4, 3e-3),
            ("energy-momentum", 2e-4, 3e-3),
            ("landing", 2e-4, 3e-3),
        ] {
            if friction > 0.0 && ["energy-momentum", "runge-kutta-moreau"].contains(&name) {
                continue;
            }
            let found = end(name, h);
            let off = exact.iter().zip(&found).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()));
            assert!(off < bound, "{name} μ = {friction}: {exact:?} {found:?}");
        }
    }
}

/// A resting ball is carried by the table: the gap stays closed, the velocity is the table's.
#[test]
fn rest_on_a_moving_table() {
    let contact = FormulaContact { gap: "y - 0.02*sin(5*t)".into(), ..FormulaContact::default() };
    let parts = FormulaParts {
        coordinates: vec!["y".into()],
        kinetic: Some("y_dot^2".into()),
        potential: Some("2*9.81*y".into()),
        contacts: vec![contact],
        ..FormulaParts::default()
    };
    let model = Arc::new(parts.model().expect("a model"));
    let problem = Problem::nonlinear(model, vec![0.0], vec![0.1]).expect("on the table");
    for (name, bound) in [("event-driven", 1e-9), ("moreau-jean", 1e-4), ("energy-momentum", 1e-4), ("landing", 1e-4)] {
        let rows = run(&problem, &scheme(name, |_| ()), 1e-3, 1.0);
        let last = rows.len() - 1;
        let (q, v) = (rows.q(last)[0], rows.v(last)[0]);
        assert!((q - 0.02 * 5.0_f64.sin()).abs() < bound, "{name}: {q}");
        assert!((v - 0.1 * 5.0_f64.cos()).abs() < 10.0 * bound, "{name}: {v}");
    }
}

/// Schemes that take gaps to depend on q alone say so.
#[test]
fn others_refuse() {
    for name in ["generalized-alpha-ggl", "schatzman-paoli", "smooth-generalized-alpha"] {
        let found =
            Simulation::new(&problem(&shaken(0.0, false)), &scheme(name, |_| ()), SolverOptions::default(), 1e-3);
        let error = found.err().unwrap_or_else(|| panic!("{name} is accepted"));
        assert_eq!(error.code, Code::UNSUPPORTED, "{name}: {error}");
    }
    let mut still = shaken(0.0, false);
    still.contacts[0].gap = "y".into();
    let ggl = scheme("generalized-alpha-ggl", |_| ());
    let mut simulation = Simulation::new(&problem(&still), &ggl, SolverOptions::default(), 1e-3).expect("accepted");
    assert!(matches!(simulation.run(10, &mut Trajectory::new()), Outcome::Finished));
}
