//! Scenes with joints that once went wrong, each with its right outcome; they lie beside the repository and are skipped where
//! that is alone.

use percussion_scenario::{LoadOptions, RunEnd, load, run_kept};
use std::path::PathBuf;

fn case(folder: &str, name: &str) -> Option<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases").join(folder);
    let path = root.join(name);
    if !path.is_file() {
        println!("SKIPPED: {} is not there", path.display());
        return None;
    }
    Some(path.display().to_string())
}

/// What a run came to: status and worst value of a verdict, by name.
struct Outcome {
    end: RunEnd,
    energy: (String, f64),
    joints: f64,
    momentum: String,
    largest: f64,
    steps: u64,
}

fn run(path: &str, options: &LoadOptions) -> Outcome {
    let loaded = load(path, options).unwrap_or_else(|error| panic!("{path}: {error:?}"));
    let (_, run, kept) = run_kept(loaded, None, &mut |_| true).expect("a run");
    let verdict = |name: &str| &run.summary.verdicts[name];
    let (columns, values) = (&kept.ledger.columns, &kept.ledger.values);
    let at = columns.iter().position(|name| name == "energy").expect("energies");
    let energies = values.chunks_exact(columns.len()).map(|row| row[at]);
    Outcome {
        energy: (verdict("energy").status.clone(), verdict("energy").worst),
        joints: verdict("joints").worst,
        momentum: verdict("momentum").status.clone(),
        largest: energies.fold(0.0_f64, |s, x| s.max(x.abs())),
        steps: run.summary.steps,
        end: run.end,
    }
}

fn finished(outcome: &Outcome, what: &str) {
    assert!(matches!(outcome.end, RunEnd::Finished), "{what}: {:?}", outcome.end);
    assert_eq!(outcome.energy.0, "pass", "{what}: {:?}", outcome.energy);
    assert!(outcome.joints <= 1e-10, "{what}: joints {:e}", outcome.joints);
    assert_eq!(outcome.momentum, "pass", "{what}");
}

/// A threefold Bricard loop, redundant far from flat, at eight steps: energy to 1e-10, joints to 1e-10 m.
#[test]
fn bricard_closes_at_every_step() {
    let Some(path) = case("joints", "bricard.toml") else { return };
    for step in [4e-3, 3e-3, 2e-3, 1e-3, 5e-4, 3e-4, 2e-4, 1e-4] {
        // as many steps each, through the places where the shortest failed
        let end = Some(if step < 3e-4 { 1.4 } else { 2.5 });
        let outcome = run(&path, &LoadOptions { step: Some(step), end, ..Default::default() });
        finished(&outcome, &format!("h = {step}"));
        assert!(
            outcome.energy.1 <= 1e-10 * outcome.largest,
            "h = {step}: {:e} J of {}",
            outcome.energy.1,
            outcome.largest
        );
    }
}

/// A parallelogram passes its change point: the ledger closes.
#[test]
fn parallelogram_passes_its_change_point() {
    let Some(path) = case("joints", "fourbar.toml") else { return };
    for step in [1e-3, 2e-3, 5e-4] {
        finished(&run(&path, &LoadOptions { step: Some(step), ..Default::default() }), &format!("h = {step}"));
    }
}

/// A spring on fixed joints, θ = 0.67: the ledger closes. The scheme creates energy there and promises no momentum.
#[test]
fn sprung_chain_closes_its_ledger() {
    let Some(path) = case("joints", "ledger-open-101822.toml") else { return };
    let outcome = run(&path, &LoadOptions::default());
    assert!(matches!(outcome.end, RunEnd::Finished), "{:?}", outcome.end);
    assert!(outcome.energy.0 != "fail" && outcome.joints <= 1e-10, "{:?}", outcome.energy);
}

/// Two rods and a bar stretched out into one line resist their weight only by infinite reactions: refused by name, and no energy is
/// created before.
#[test]
fn locked_loop_is_refused_by_name() {
    let Some(path) = case("joints", "theorem-broken-105319.toml") else { return };
    let outcome = run(&path, &LoadOptions::default());
    let RunEnd::Failed(failure) = &outcome.end else { panic!("{:?}", outcome.end) };
    assert!(failure.message.contains("grow without bound") || failure.message.contains("depend on"), "{failure:?}");
    assert!(outcome.energy.0 == "pass" && outcome.joints <= 1e-9, "{:?} {:e}", outcome.energy, outcome.joints);
    assert!(outcome.steps < 5000, "{}", outcome.steps);
}

/// A motor from rest: its work is booked.
#[test]
fn motor_from_rest() {
    let Some(path) = case("joints", "mrest.toml") else { return };
    for scheme in ["moreau-jean", "energy-momentum"] {
        let options = LoadOptions { scheme: Some(scheme.into()), ..Default::default() };
        finished(&run(&path, &options), scheme);
    }
}

/// Two spheres that spin keep their angular momentum in an impact.
#[test]
fn spinning_spheres() {
    let Some(path) = case("ledger", "two-spheres.toml") else { return };
    for step in [4e-3, 1e-3, 2.5e-4] {
        let outcome = run(&path, &LoadOptions { step: Some(step), ..Default::default() });
        assert_eq!(outcome.momentum, "pass");
        assert_eq!(outcome.energy.0, "pass");
    }
}
