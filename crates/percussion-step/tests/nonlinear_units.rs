//! Nonlinear schemes in other units, with broken models, and with redundant constraints.

use percussion_model::{Auto, Code, Energies, Lagrangian, Number};
use percussion_solve::SolverOptions;
use percussion_step::{Outcome, Problem, Scheme, State, Trajectory, simulate};
use std::sync::Arc;

const SIX: [&str; 6] = [
    "generalized-alpha-ggl",
    "generalized-alpha-modified-lcp",
    "smooth-generalized-alpha",
    "moreau-jean",
    "generalized-alpha",
    "energy-momentum",
];

fn run(problem: &Problem, name: &str, h: f64, end: f64) -> (Outcome, Trajectory) {
    let mut run = Trajectory::new();
    let scheme = Scheme::named(name).expect("a scheme");
    let outcome = simulate(problem, &scheme, SolverOptions::default(), h, end, &mut run).expect("accepted");
    (outcome, run)
}

/// A ball of any mass above a floor, in any unit of length.
#[derive(Debug)]
struct Ball {
    mass: f64,
    metre: f64,
}

impl Energies for Ball {
    fn n(&self) -> usize {
        1
    }
    fn restitutions(&self) -> &[f64] {
        &[0.8]
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn kinetic<D: Number>(&self, _q: &[D], v: &[D]) -> D {
        v[0] * v[0] * (0.5 * self.mass)
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q[0] * (self.mass * 10.0 * self.metre)
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[0]
    }
}

/// Masses from 1e-12 to 1e9 and lengths in µm to Mm give the same motion in their units, to round-off of the scaling.
#[test]
fn units_do_not_matter() {
    for name in SIX {
        let reference = scaled(name, 1.0, 1.0);
        for (mass, metre) in [(1e-12, 1.0), (1e9, 1.0), (1.0, 1e6), (1e-6, 1e-6), (1e-12, 1e6)] {
            let run = scaled(name, mass, metre);
            let difference = run.iter().zip(&reference).fold(0.0_f64, |s, (a, b)| s.max((a / metre - b).abs()));
            assert!(difference <= 1e-9, "{name}, mass {mass}, metre {metre}: {difference:e}");
        }
    }
}

/// Heights until after the first bounce.
fn scaled(name: &str, mass: f64, metre: f64) -> Vec<f64> {
    let model: Arc<dyn Lagrangian> = Arc::new(Auto::new(Ball { mass, metre }).expect("a model"));
    let problem = Problem::nonlinear(model, vec![0.8013 * metre], vec![0.0]).expect("a problem");
    let (outcome, run) = run(&problem, name, 2e-3, 0.6);
    assert!(matches!(outcome, Outcome::Finished), "{name}, mass {mass}, metre {metre}: {outcome:?}");
    run.q
}

/// A potential that is not defined below 0.5: NaN ends the run where it appears and never enters a result.
#[derive(Debug)]
struct Broken;

impl Energies for Broken {
    fn n(&self) -> usize {
        1
    }
    fn restitutions(&self) -> &[f64] {
        &[0.5]
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn kinetic<D: Number>(&self, _q: &[D], v: &[D]) -> D {
        v[0] * v[0] * 0.5
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q[0] * 10.0 + (q[0] - 0.5).sqrt() * 1e-3
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[0]
    }
}

#[test]
fn nan_ends_a_run() {
    let model: Arc<dyn Lagrangian> = Arc::new(Auto::new(Broken).expect("a model"));
    let error = Problem::nonlinear(Arc::clone(&model), vec![0.2], vec![0.0]).expect_err("NaN at the start");
    assert_eq!(error.code, Code::NOT_FINITE);
    let problem = Problem::nonlinear(model, vec![1.0], vec![0.0]).expect("a problem");
    for name in SIX {
        let (outcome, run) = run(&problem, name, 2e-3, 1.0);
        assert!(matches!(outcome, Outcome::Failed(_)), "{name}: {outcome:?}");
        assert!(run.ledger.iter().all(|e| e.energy().is_finite() && e.balance.is_finite()), "{name}");
        assert!(run.q.iter().all(|&q| q > 0.49), "{name}: went on to {:?}", run.q.last());
    }
}

/// A plate on four coplanar corners, in heave, roll and pitch: more contacts than it needs.
#[derive(Debug)]
struct Table;

impl Energies for Table {
    fn n(&self) -> usize {
        3
    }
    fn restitutions(&self) -> &[f64] {
        &[0.5; 4]
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn kinetic<D: Number>(&self, _q: &[D], v: &[D]) -> D {
        v[0] * v[0] * 0.5 + v[1] * v[1] * 0.05 + v[2] * v[2] * 0.08
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q[0] * 9.81
    }
    fn constraint<D: Number>(&self, j: usize, q: &[D]) -> D {
        let (a, b) = [(0.4, 0.3), (0.4, -0.3), (-0.4, 0.3), (-0.4, -0.3)][j];
        q[0] + q[1] * a + q[2] * b
    }
}

/// Velocity-level schemes and energy-momentum stand on four corners too, at rest and dropped flat; heave is what three
/// corners would give.
#[test]
fn redundant_corners() {
    let model: Arc<dyn Lagrangian> = Arc::new(Auto::new(Table).expect("a model"));
    for name in ["generalized-alpha-ggl", "moreau-jean", "generalized-alpha", "energy-momentum"] {
        for height in [0.0, 0.1] {
            let start = State { t: 0.0, q: vec![height, 0.0, 0.0], v: vec![0.0; 3] };
            let problem = Problem::nonlinear(Arc::clone(&model), start.q, start.v).expect("a problem");
            let (outcome, run) = run(&problem, name, 2e-3, 1.5);
            assert!(matches!(outcome, Outcome::Finished), "{name} from {height}: {outcome:?}");
            let last = run.len() - 1;
            assert!(run.q(last)[0].abs() <= 1e-3, "{name}: {:?}", run.q(last));
            assert!(run.q(last)[1].abs() <= 1e-9 && run.q(last)[2].abs() <= 1e-9, "{name}: tilts {:?}", run.q(last));
        }
    }
}

/// Four corners on the floor are named once, under every scheme; lifted ones and three are not.
#[test]
fn redundant_corners_are_named() {
    use percussion_model::Code;
    use percussion_step::{Scheme, Simulation};
    let model: Arc<dyn Lagrangian> = Arc::new(Auto::new(Table).expect("a model"));
    let names = |q0: [f64; 3], scheme: &str| {
        let problem = Problem::nonlinear(Arc::clone(&model), q0.to_vec(), vec![0.0; 3]).expect("a problem");
        let scheme = Scheme::named(scheme).expect("a scheme");
        let simulation = Simulation::new(&problem, &scheme, SolverOptions::default(), 1e-3);
        simulation.unwrap_or_else(|e| panic!("{e}")).warnings()
    };
    for scheme in ["generalized-alpha-ggl", "moreau-jean", "energy-momentum"] {
        let flat = names([0.0; 3], scheme);
        assert_eq!(flat.len(), 1, "{scheme}: {flat:?}");
        assert_eq!(flat[0].code, Code::REDUNDANT_CONTACT);
        assert!(flat[0].message.contains("1 of the 4 contacts") && flat[0].message.contains("contact 3"), "{flat:?}");
        assert!(names([0.1, 0.0, 0.0], scheme).is_empty(), "{scheme}");
        // two corners of a tilted table
        assert!(names([0.04, 0.1, 0.0], scheme).is_empty(), "{scheme}");
    }
}
