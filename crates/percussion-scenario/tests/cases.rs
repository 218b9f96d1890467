//! Scenes that once went wrong, with their right outcome; they lie beside the repository, and without them there is nothing to say.
//!
//! Files, joints and momentum have their cases in the tests of those; a step of a wall is among the redundant problems.

use percussion_scenario::{LoadOptions, Loaded, load};
use percussion_step::{Audit, Outcome, Recorder, Start, Step, Stop, Verdicts};
use std::path::Path;

/// The scene under a scheme and to an end, where these are not its own.
fn case(name: &str, scheme: Option<&str>, end: Option<f64>) -> Option<Loaded> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases").join(name);
    if !path.exists() {
        println!("{name} is not beside the repository");
        return None;
    }
    let options = LoadOptions { scheme: scheme.map(Into::into), end, ..LoadOptions::default() };
    Some(load(&path.display().to_string(), &options).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// Runs to the end: q there, and the verdicts.
fn ran(loaded: Loaded, recorder: &mut dyn Recorder) -> (Vec<f64>, Verdicts) {
    let Loaded { scenario, mut simulation } = loaded;
    let mut audit = Audit::new();
    let outcome = simulation.run(scenario.count.n, &mut percussion_step::Both(&mut audit, recorder));
    assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
    (simulation.state().q.clone(), audit.judged(&scenario.guarantee(), &scenario.solver))
}

/// Sums of the ledger and the largest energy.
#[derive(Default)]
struct Sums {
    energy: f64,
    law: f64,
    projection: f64,
    numerical: f64,
    damping: f64,
    /// The largest work of the law in a step, and the largest residual.
    gained: f64,
    open: f64,
}

impl Recorder for Sums {
    fn start(&mut self, _: &Start) -> Result<(), Stop> {
        Ok(())
    }

    fn record(&mut self, _: u64, step: &Step) -> Result<(), Stop> {
        let entry = &step.ledger;
        self.energy = self.energy.max(entry.energy().abs());
        self.law += entry.work_contact;
        self.projection += entry.work_projection.unwrap_or(0.0);
        self.numerical += entry.dissipation_numerical;
        self.damping += entry.work_damping;
        self.gained = self.gained.max(entry.work_contact);
        self.open = self.open.max(entry.balance.abs());
        Ok(())
    }
}

/// A ball dropped on a plate and two balls that meet stay on their sides under every scheme that moves them.
#[test]
fn nothing_passes_through() {
    let cases = ["tunnelling/ggl-falls-through.toml", "tunnelling/spheres-pass-energy-momentum.toml"];
    for name in cases {
        for scheme in
            [None, Some("moreau-jean"), Some("generalized-alpha-ggl"), Some("landing"), Some("energy-momentum")]
        {
            let Some(loaded) = case(name, scheme, None) else { return };
            let above = |q: &[f64]| q[9] - q[2];
            let first = above(&loaded.scenario.problem.q0);
            let (q, verdicts) = ran(loaded, &mut Sums::default());
            assert!(first * above(&q) > 0.0, "{name} under {scheme:?}");
            assert!(!verdicts.failed(), "{name} under {scheme:?}: {:?}", verdicts.gap);
        }
    }
}

/// A step of a wall is not asked for more than it needs: both walls stand.
#[test]
fn walls_stand() {
    for name in ["walls/wall-30.toml", "walls/wall-180.toml"] {
        let Some(loaded) = case(name, None, Some(0.1)) else { return };
        let first = loaded.scenario.problem.q0.clone();
        let (q, verdicts) = ran(loaded, &mut Sums::default());
        let far = q.iter().zip(&first).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far <= 1e-5 && !verdicts.failed(), "{name}: {far:e} m, {verdicts:?}");
    }
}

/// A bob on a link against a rough wall: positions and friction agree.
#[test]
fn joints_and_friction_agree() {
    let Some(loaded) = case("ledger/ggl-joint-friction.toml", None, None) else { return };
    let (_, verdicts) = ran(loaded, &mut Sums::default());
    assert!(!verdicts.failed(), "{verdicts:?}");
}

/// A driven beam has 0.17 J at most; what law, landing, scheme and dampers take and give in a hundred impacts stays below three times that, and the law
/// never gives.
#[test]
fn the_ledger_of_a_beam_is_bounded() {
    let Some(loaded) = case("solids/beam.toml", Some("generalized-alpha-ggl"), None) else { return };
    let mut sums = Sums::default();
    let (_, verdicts) = ran(loaded, &mut sums);
    let Sums { energy, law, projection, numerical, damping, gained, open } = sums;
    for x in [law, projection, numerical, damping] {
        assert!(x.abs() <= 3.0 * energy, "{x} of {energy} J");
    }
    assert!(gained <= 1e-12 * energy && open <= 1e-12 * energy, "{gained:e} {open:e} of {energy} J");
    assert!(law < 0.0 && !verdicts.failed(), "{law} {verdicts:?}");
}

/// A ball rolls on a turntable along a circle that it runs through at 2/7 of the table's turn: order 2, 0.1 mm after a turn at 4 ms.
#[test]
fn a_ball_on_a_turntable_keeps_its_circle() {
    let off = |step: f64| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/ledger/turntable.toml");
        let options = LoadOptions { step: Some(step), ..LoadOptions::default() };
        let loaded = path.exists().then(|| load(&path.display().to_string(), &options).expect("a scene"))?;
        let (turn, end) = (10.0 * 2.0 / 7.0, loaded.scenario.count.n as f64 * step);
        let (q, verdicts) = ran(loaded, &mut Sums::default());
        assert!(!verdicts.failed(), "{verdicts:?}");
        let radius = 0.4 / turn;
        Some((q[7] - 0.3 + radius * (1.0 - (turn * end).cos())).hypot(q[8] - radius * (turn * end).sin()))
    };
    let (Some(coarse), Some(fine)) = (off(4e-3), off(1e-3)) else { return };
    let order = (coarse / fine).log2() / 2.0;
    println!("off the circle by {coarse:.1e} and {fine:.1e} m, order {order:.2}");
    assert!(coarse <= 1e-4 && order >= 1.9, "{coarse:e} {fine:e} {order}");
}
