//! GGL trajectories of an independent implementation, reproduced to 1e-8 of each column's maximum.
//!
//! `tests/reference/ggl` holds a thinned copy; the whole files are used when PERCUSSION_REFERENCE names their folder.

mod common;

use common::scheme;
use percussion_model::Lagrangian;
use percussion_model::nonlinear::PointMass;
use percussion_step::measure::BarImpact;
use percussion_step::problems::{Known, pendulum_model, rocking_block_model, rotating_beam_model};
use percussion_step::{
    Activation, Ggl, GglVariant, Memory, NewmarkLike, SmoothAlpha, State, Step, StepStart, Stepper, VelocityLevel,
    VelocityScheme,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

type Columns = BTreeMap<String, Vec<f64>>;

fn read(name: &str) -> Columns {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let folder = std::env::var_os("PERCUSSION_REFERENCE").map_or(here, |f| PathBuf::from(f).join(".."));
    let text = std::fs::read_to_string(folder.join(format!("ggl/{name}.csv"))).expect(name);
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let mut columns: Columns = names.iter().map(|n| (n.to_string(), Vec::new())).collect();
    for line in lines {
        for (name, x) in names.iter().zip(line.split(',')) {
            columns.get_mut(*name).expect("a column").push(x.parse().expect("a number"));
        }
    }
    columns
}

/// Runs to `end`; q, v, E, g and Λ of every step, by the reference's names.
fn run(model: Arc<dyn Lagrangian>, mut stepper: impl Stepper, q0: &[f64], h: f64, end: f64) -> (Columns, Vec<Step>) {
    let (nb, m) = (model.n_joints(), model.restitutions().len());
    let mut state = State { t: 0.0, q: q0.to_vec(), v: vec![0.0; q0.len()] };
    let mut memory = stepper.start(&state);
    let (mut step, mut next) = (Step::default(), Memory::default());
    let mut columns = Columns::new();
    let mut steps = Vec::new();
    for k in 0..=(end / h).round() as usize {
        let mut put = |name: String, x: f64| columns.entry(name).or_default().push(x);
        put("t".into(), state.t);
        put("E".into(), model.kinetic_energy(&state.q, &state.v) + model.potential_energy(&state.q));
        for i in 0..q0.len() {
            put(format!("q{i}"), state.q[i]);
            put(format!("v{i}"), state.v[i]);
        }
        for j in 0..nb + m {
            put(format!("g{j}"), model.constraint(j, &state.q));
        }
        for j in 0..m {
            put(format!("Lambda{}", nb + j), memory.p[j]);
        }
        stepper
            .step(&StepStart { state: &state, memory: &memory, h }, &mut step, &mut next)
            .unwrap_or_else(|f| panic!("{f}"));
        std::mem::swap(&mut memory, &mut next);
        state = step.after.clone();
        state.t = (k + 1) as f64 * h;
        steps.push(step.clone());
    }
    (columns, steps)
}

fn deviation(file: &str, found: &Columns, h: f64, until: f64) -> f64 {
    let expected = &read(file);
    let mut worst = 0.0_f64;
    for (name, column) in expected {
        let Some(values) = found.get(name) else { continue };
        // the smooth scheme's file lists forces, not impulses
        let unit = if file.contains("smooth") && name.starts_with("Lambda") { 1.0 / h } else { 1.0 };
        // gaps and rates of satisfied constraints are round-off: compare on the scale of the coordinates
        let least = if name.starts_with('g') { 1.0 } else { 1e-300 };
        let scale = column.iter().chain(values).fold(least, |s: f64, x| s.max(x.abs()));
        for (x, t) in column.iter().zip(&expected["t"]) {
            let row = (t / h).round() as usize;
            if *t <= until && row < values.len() {
                worst = worst.max((unit * values[row] - x).abs() / scale);
            }
        }
    }
    worst
}

fn check(
    name: &str,
    model: Arc<dyn Lagrangian>,
    variant: GglVariant,
    rho: f64,
    q0: &[f64],
    time: (f64, f64),
) -> Vec<Step> {
    let stepper = Ggl::new(Arc::clone(&model), variant, NewmarkLike::chung_hulbert(rho), false, 1e-11);
    let steps = compare(name, model, stepper, q0, time);
    let residual = steps.iter().fold(0.0_f64, |s, step| s.max(step.ledger.balance.abs()));
    assert!(residual <= 1e-11, "{name}: ledger {residual:e}");
    steps
}

fn compare(
    name: &str,
    model: Arc<dyn Lagrangian>,
    stepper: impl Stepper,
    q0: &[f64],
    (h, end): (f64, f64),
) -> Vec<Step> {
    let (mut found, steps) = run(model, stepper, q0, h, end);
    // the beam's files list its tip only
    if name.contains("beam") {
        for i in 0..3 {
            for x in ["q", "v"] {
                let tip = found[&format!("{x}{}", q0.len() - 3 + i)].clone();
                found.insert(format!("{x}{i}"), tip);
            }
        }
    }
    let worst = deviation(name, &found, h, end);
    let iterations = steps.iter().map(|s| s.info.iterations).sum::<usize>() as f64 / steps.len() as f64;
    println!("{name}: {worst:.1e}, {iterations:.3} iterations");
    // contact forces of the smooth scheme are round-off of gaps divided by h²; the beam's floor is h EA ε
    let allowed = if name.contains("smooth") || name.contains("beam") { 1.5e-7 } else { 1e-8 };
    assert!(worst <= allowed, "{name}: {worst:e}");
    steps
}

fn ball() -> Arc<dyn Lagrangian> {
    Arc::new(PointMass::new(1.0, 0.2, 10.0, 0.8).expect("a ball"))
}

fn pendulum() -> Arc<dyn Lagrangian> {
    Arc::new(pendulum_model(0.8).expect("a pendulum"))
}

fn block() -> Arc<dyn Lagrangian> {
    Arc::new(rocking_block_model(0.5).expect("a block"))
}

#[test]
fn ball_ggl_and_modified_lcp() {
    check("ball_ggl_mono", ball(), GglVariant::Ggl, 0.8, &[1.001], (2e-3, 5.0));
    check("ball_lcp", ball(), GglVariant::ModifiedLcp { theta: 1.0 }, 0.8, &[1.001], (2e-3, 5.0));
}

#[test]
fn pendulum_ggl() {
    let angle = std::f64::consts::PI / 12.0;
    let q0 = [angle.cos(), angle.sin(), angle];
    for (name, rho) in [("pend_ggl_mono", 0.8), ("pend_ggl_rho0", 0.0)] {
        let steps = check(name, pendulum(), GglVariant::Ggl, rho, &q0, (1e-3, 8.0));
        let violation = steps.iter().fold(0.0_f64, |s, step| {
            s.max(pendulum().constraint(0, &step.after.q).abs()).max(pendulum().constraint(1, &step.after.q).abs())
        });
        assert!(violation <= 1e-12, "{name}: joints violated by {violation:e}");
    }
}

#[test]
fn rocking_block_ggl() {
    let steps = check("block_ggl_mono", block(), GglVariant::Ggl, 0.8, &[0.0, 1.0, 0.2], (1e-2, 5.0));
    let deepest = steps.iter().flat_map(|s| s.contacts.iter().map(|c| -c.gap)).fold(0.0, f64::max);
    assert!(deepest <= 1e-12, "penetration {deepest:e}");
    check("block_lcp", block(), GglVariant::ModifiedLcp { theta: 1.0 }, 0.8, &[0.0, 1.0, 0.2], (1e-2, 5.0));
}

/// Velocity-level schemes with the paper's activation g(q_n + h v_n) ≤ 0; Moreau's drift at the joints is visible.
#[test]
fn velocity_level_schemes() {
    let predicted = Activation::Predicted { prediction: 1.0 };
    let moreau = |model: &Arc<dyn Lagrangian>| {
        VelocityLevel::new(Arc::clone(model), VelocityScheme::MoreauJean(1.0 / 1.8), predicted, 1e-11)
    };
    let alpha = |model: &Arc<dyn Lagrangian>| {
        let scheme = VelocityScheme::Alpha(NewmarkLike::chung_hulbert(0.8));
        VelocityLevel::new(Arc::clone(model), scheme, predicted, 1e-11)
    };
    let angle = std::f64::consts::PI / 12.0;
    compare("ball_moreau", ball(), moreau(&ball()), &[1.001], (2e-3, 5.0));
    compare("ball_nsga", ball(), alpha(&ball()), &[1.001], (2e-3, 5.0));
    let steps =
        compare("pend_moreau", pendulum(), moreau(&pendulum()), &[angle.cos(), angle.sin(), angle], (1e-3, 8.0));
    let drift = steps.iter().fold(0.0_f64, |s, step| {
        s.max(pendulum().constraint(0, &step.after.q).abs()).max(pendulum().constraint(1, &step.after.q).abs())
    });
    assert!((drift - 4.62059e-4).abs() < 1e-9, "drift {drift:e}");
}

/// The smooth scheme of index 3 gains energy at impacts: ball 8.01 → 46.3 → 123.0 J.
#[test]
fn smooth_alpha_gains_energy() {
    let smooth =
        |model: &Arc<dyn Lagrangian>| SmoothAlpha::new(Arc::clone(model), NewmarkLike::chung_hulbert(0.8), 1e-11);
    let steps = compare("ball_smooth", ball(), smooth(&ball()), &[1.001], (2e-3, 5.0));
    let last = steps[steps.len() - 1].ledger.energy();
    assert!((last - 123.044).abs() < 1e-2, "ends with {last} J");
    // round-off sensitive after 2.5 s
    compare("block_smooth", block(), smooth(&block()), &[0.0, 1.0, 0.2], (1e-2, 2.5));
}

/// Four elements of steel swinging against a stop. The GGL run meets a cluster of impacts at 0.8465 s that amplifies
/// round-off a hundredfold (deviation 1.5e-8 before, 6.6e-6 at 0.849 s).
#[test]
fn rotating_beam() {
    let beam = rotating_beam_model();
    let q0 = beam.straight();
    let model: Arc<dyn Lagrangian> = Arc::new(beam);
    let predicted = Activation::Predicted { prediction: 1.0 };
    let p = NewmarkLike::chung_hulbert(0.65);
    let ggl = Ggl::new(Arc::clone(&model), GglVariant::Ggl, p, false, 1e-9);
    compare("beam_ggl_mono", Arc::clone(&model), ggl, &q0, (5e-4, 0.846));
    let alpha = VelocityLevel::new(Arc::clone(&model), VelocityScheme::Alpha(p), predicted, 1e-9);
    compare("beam_nsga", Arc::clone(&model), alpha, &q0, (5e-4, 2.0));
    let moreau = VelocityLevel::new(Arc::clone(&model), VelocityScheme::MoreauJean(1.0), predicted, 1e-9);
    compare("beam_moreau_th1", Arc::clone(&model), moreau, &q0, (5e-4, 2.0));
}

/// λ of joint 0 after the first impact oscillates, the less the more the scheme damps: none at ρ∞ = 0.
#[test]
fn smooth_multiplier_after_an_impact() {
    let angle = std::f64::consts::PI / 12.0;
    for (rho, expected) in [
        (0.8, [-28.50, 1.81, -24.83, -1.96]),
        (0.5, [-22.83, -6.75, -15.44, -10.95]),
        (0.0, [-13.45, -12.80, -12.58, -12.50]),
    ] {
        let p = NewmarkLike::chung_hulbert(rho);
        let mut stepper = Ggl::new(pendulum(), GglVariant::Ggl, p, false, 1e-11);
        let mut state = State { t: 0.0, q: vec![angle.cos(), angle.sin(), angle], v: vec![0.0; 3] };
        let mut memory = stepper.start(&state);
        let (mut step, mut next) = (Step::default(), Memory::default());
        let (mut found, mut hit) = (Vec::new(), false);
        while found.len() < 4 {
            stepper
                .step(&StepStart { state: &state, memory: &memory, h: 1e-3 }, &mut step, &mut next)
                .unwrap_or_else(|f| panic!("{f}"));
            std::mem::swap(&mut memory, &mut next);
            state.clone_from(&step.after);
            if hit {
                found.push(stepper.smooth_multipliers()[0]);
            }
            hit |= memory.p[0] > 0.0;
        }
        println!("rho = {rho}: {found:.2?}");
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() <= 0.006, "rho = {rho}: {found:?}");
        }
    }
}

/// The bar under Moreau–Jean (θ = 1/1.8) and under the smooth scheme; positions there are X + 5.005 + u here.
#[test]
fn bar_under_the_comparison_schemes() {
    let problem = BarImpact::USUAL.problem().expect("a bar");
    let moreau = scheme("moreau-jean", |o| {
        (o.theta, o.activation, o.prediction) = (Some(1.0 / 1.8), Some("predicted".into()), Some(1.0));
    });
    // the smooth scheme costs a dense Newton per step: its first contact is enough
    let smooth = scheme("smooth-generalized-alpha", |_| ());
    for (file, scheme, end) in [("bar_moreau", moreau, 2.0), ("bar_smooth", smooth, 0.7)] {
        let run = common::run(&problem, &scheme, 2e-3, end);
        let expected = read(file);
        let mut worst = 0.0_f64;
        for (k, t) in expected["t"].iter().enumerate().filter(|(_, t)| **t <= end) {
            let row = (t / 2e-3).round() as usize;
            for (i, node) in [0usize, 100, 200].into_iter().enumerate() {
                let place = run.q(row)[node] + 5.005 + 0.05 * node as f64;
                worst = worst.max((place - expected[&format!("q{i}")][k]).abs() / 15.0);
                worst = worst.max((run.v(row)[node] - expected[&format!("v{i}")][k]).abs() / 10.0);
            }
            worst = worst.max((run.ledger[row].energy() - expected["E"][k]).abs() / 500.0);
        }
        println!("{file}: {worst:.1e}");
        assert!(worst <= 1.3e-7, "{file}: {worst:e}");
    }
}
