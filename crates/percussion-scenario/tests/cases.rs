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
    contact: f64,
    numerical: f64,
}

impl Recorder for Sums {
    fn start(&mut self, _: &Start) -> Result<(), Stop> {
        Ok(())
    }

    fn record(&mut self, _: u64, step: &Step) -> Result<(), Stop> {
        let entry = &step.ledger;
        self.energy = self.energy.max(entry.energy().abs());
        self.contact += entry.work_contact + entry.work_projection.unwrap_or(0.0);
        self.numerical += entry.dissipation_numerical;
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

/// A driven beam has 0.17 J; what contact and scheme take and give in a hundred impacts is of the size of what the load puts in, 0.75 J.
#[test]
fn the_ledger_of_a_beam_is_bounded() {
    let Some(loaded) = case("solids/beam.toml", Some("generalized-alpha-ggl"), None) else { return };
    let mut sums = Sums::default();
    let (_, verdicts) = ran(loaded, &mut sums);
    let Sums { energy, contact, numerical } = sums;
    assert!(energy < 0.2 && contact.abs() < 1.0 && numerical.abs() < 1.0, "{energy} {contact} {numerical}");
    assert!(contact < 0.0 && !verdicts.failed(), "{contact} {verdicts:?}");
}
