//! The nonlinear built-in scenarios against trajectories of an independent implementation, under its activation rule.

use percussion_scenario::{LoadOptions, Loaded, load};
use percussion_step::{Memory, Outcome, Step, StepStart, Stepper, Trajectory};
use std::path::Path;

/// Columns of a reference file by name.
fn reference(name: &str) -> impl Fn(&str) -> Option<Vec<f64>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../percussion-step/tests/reference/ggl");
    let text = std::fs::read_to_string(folder.join(format!("{name}.csv"))).expect(name);
    move |column| {
        let mut lines = text.lines();
        let place = lines.next().expect("a header").split(',').position(|word| word == column)?;
        Some(lines.map(|line| line.split(',').nth(place).expect("a cell").parse().expect("a number")).collect())
    }
}

fn run(scenario: &str, end: Option<f64>) -> (Loaded, Trajectory) {
    let options = LoadOptions { set: vec!["scheme.activation=predicted".into()], end, ..LoadOptions::default() };
    let mut loaded = load(scenario, &options).expect("built in");
    let mut run = Trajectory::new();
    assert!(matches!(loaded.simulation.run(loaded.scenario.count.n, &mut run), Outcome::Finished));
    (loaded, run)
}

/// The largest difference of q, v and E, each over its column's maximum.
fn deviation(scenario: &str, file: &str, end: Option<f64>) -> f64 {
    let (loaded, run) = run(scenario, end);
    let (column, h) = (reference(file), loaded.scenario.step);
    let t = column("t").expect("times");
    // the beam's file lists its tip only: the last three coordinates of each model
    let first = run.n - 3;
    let mut worst = 0.0_f64;
    let mut compare = |name: &str, of: &dyn Fn(usize) -> f64| {
        let expected = column(name).unwrap_or_else(|| panic!("{file} has {name}"));
        let scale = expected.iter().fold(0.0_f64, |s, x| s.max(x.abs())).max(1e-300);
        for (x, t) in expected.iter().zip(&t) {
            let row = (t / h).round() as usize;
            if row < run.len() {
                worst = worst.max((of(row) - x).abs() / scale);
            }
        }
    };
    compare("E", &|row| run.ledger[row].energy());
    for i in 0..3 {
        compare(&format!("q{i}"), &|row| run.q(row)[first + i]);
        compare(&format!("v{i}"), &|row| run.v(row)[first + i]);
    }
    println!("{scenario}: {worst:.1e}");
    worst
}

#[test]
fn pendulum() {
    let worst = deviation("pendulum", "pend_ggl_mono", None);
    assert!(worst <= 1e-7, "{worst:e}");
}

#[test]
fn rocking_block() {
    let worst = deviation("rocking-block", "block_ggl_mono", None);
    assert!(worst <= 1e-7, "{worst:e}");
}

/// To 0.84 s: a cluster of impacts soon after amplifies round-off. The reference was solved to 1e-9 only, which shows in
/// the angular velocity of the tip (1.7e-7; E 1.5e-8, positions 7e-9), however small the tolerance here.
#[test]
fn rotating_beam() {
    let worst = deviation("rotating-beam", "beam_ggl_mono", Some(0.84));
    assert!(worst <= 2e-7, "{worst:e}");
}

/// The multiplier of x − l cos θ, m ẍ of the smooth motion, in the four steps after the first impact: it oscillates and
/// decays with ρ∞, and is monotone at ρ∞ = 0. Two digits after the point are printed by the independent implementation.
#[test]
fn joint_force_after_an_impact() {
    let cases: [(f64, [f64; 4]); 3] = [
        (0.8, [-28.50, 1.81, -24.83, -1.96]),
        (0.5, [-22.83, -6.75, -15.44, -10.95]),
        (0.0, [-13.45, -12.80, -12.58, -12.50]),
    ];
    for (rho, expected) in cases {
        let loaded = load("pendulum", &LoadOptions::default()).expect("built in");
        let problem = loaded.scenario.problem;
        let Some(model) = problem.model.lagrangian() else { panic!("a nonlinear model") };
        let p = percussion_step::NewmarkLike::chung_hulbert(rho);
        let mut ggl = percussion_step::Ggl::new(model.clone(), percussion_step::GglVariant::Ggl, p, false, 1e-11);
        let mut state = percussion_step::State { t: 0.0, q: problem.q0, v: problem.v0 };
        let mut memory = ggl.start(&state);
        let (mut step, mut next) = (Step::default(), Memory::default());
        let (mut met, mut after) = (false, Vec::new());
        while after.len() < 4 {
            ggl.step(&StepStart { state: &state, memory: &memory, h: 1e-3 }, &mut step, &mut next).expect("a step");
            std::mem::swap(&mut memory, &mut next);
            state.clone_from(&step.after);
            // the acceleration of the smooth motion is carried; the step of the impact itself is left out
            if met {
                after.push(memory.carried.of::<percussion_step::Accelerations>().vd[0]);
            }
            met |= memory.p[0] > 0.0;
        }
        println!("ρ∞ = {rho}: {after:.2?}");
        for (found, expected) in after.iter().zip(expected) {
            assert!((found - expected).abs() <= 6e-3, "ρ∞ = {rho}: {after:?}");
        }
    }
}
