//! Energy-exact stepping: the identity to round-off on nonlinear potentials, gaps and joints, and a stiff beam that runs.

mod common;

use percussion_model::{Auto, Energies, Lagrangian, Number};
use percussion_step::problems::{Dice, Recipe, pendulum_model, rocking_block_model, rotating_beam_model};
use percussion_step::{Activation, EnergyMomentum, Memory, Scheme, State, Step, StepFailure, StepStart, Stepper};
use std::sync::Arc;

struct Run {
    /// Largest residual of the identity [J].
    residual: f64,
    /// Largest energy created in a step [J].
    gain: f64,
    /// |g₁ − g₀ − h u_mid| at worst [m].
    gap_identity: f64,
    /// Largest joint violation [m].
    joints: f64,
    /// Largest residual Newton stopped at, relative to the impulses and velocities of its step.
    newton: f64,
    impulses: usize,
    iterations: f64,
    state: State,
}

fn run(
    model: &Arc<dyn Lagrangian>,
    q0: &[f64],
    v0: &[f64],
    h: f64,
    end: f64,
    tolerance: f64,
) -> Result<Run, StepFailure> {
    run_with(model, q0, v0, (h, end), tolerance, true)
}

fn run_with(
    model: &Arc<dyn Lagrangian>,
    q0: &[f64],
    v0: &[f64],
    (h, end): (f64, f64),
    tolerance: f64,
    independent: bool,
) -> Result<Run, StepFailure> {
    let mut stepper = EnergyMomentum::new(Arc::clone(model), Activation::Hold, tolerance).expect("constant mass");
    stepper.independent_stress = independent;
    let mut state = State { t: 0.0, q: q0.to_vec(), v: v0.to_vec() };
    let mut memory = stepper.start(&state);
    let (mut step, mut next) = (Step::default(), Memory::default());
    let mut out = Run {
        residual: 0.0,
        gain: 0.0,
        gap_identity: 0.0,
        joints: 0.0,
        newton: 0.0,
        impulses: 0,
        iterations: 0.0,
        state: state.clone(),
    };
    let n = (end / h).round() as usize;
    for _ in 0..n {
        stepper.step(&StepStart { state: &state, memory: &memory, h }, &mut step, &mut next)?;
        out.residual = out.residual.max(step.ledger.balance.abs());
        out.gain = out.gain.max(step.ledger.created());
        out.newton = out.newton.max(step.info.residual);
        for c in &step.contacts {
            let k = model.n_joints() + c.id;
            let change = model.constraint(k, &step.after.q) - model.constraint(k, &state.q);
            let (before, after) = stepper.discrete_rates(c.id);
            out.gap_identity = out.gap_identity.max((change - 0.5 * h * (before + after)).abs());
            out.impulses += usize::from(c.p > 0.0);
        }
        for j in 0..model.n_joints() {
            out.joints = out.joints.max(model.constraint(j, &step.after.q).abs());
        }
        out.iterations += step.info.iterations as f64 / n as f64;
        std::mem::swap(&mut memory, &mut next);
        state.clone_from(&step.after);
    }
    out.state = state;
    Ok(out)
}

/// The pendulum in its one angle: T = ½(m l² + J)θ̇², V = m g l sin θ, wall l cos θ ≥ a.
#[derive(Debug)]
struct Swing;

impl Energies for Swing {
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
        v[0] * v[0] * 0.55
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q[0].sin() * 10.0
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[0].cos() - 0.5_f64.sqrt()
    }
}

#[test]
fn impacting_pendulum_in_one_angle() {
    let model: Arc<dyn Lagrangian> = Arc::new(Auto::new(Swing).expect("a model"));
    let run = run(&model, &[std::f64::consts::PI / 12.0], &[0.0], 1e-3, 8.0, 1e-12).unwrap_or_else(|f| panic!("{f}"));
    println!(
        "pendulum, one angle: identity {:.1e}, gap {:.1e}, gain {:.1e}, {} impulses",
        run.residual, run.gap_identity, run.gain, run.impulses
    );
    assert!(run.impulses > 10);
    assert!(run.residual <= 1e-12 && run.gap_identity <= 1e-12, "{:e} {:e}", run.residual, run.gap_identity);
    assert!(run.gain <= 1e-12, "gain {:e}", run.gain);
}

#[test]
fn pendulum_with_joints_neither_drifts_nor_gains() {
    let pendulum = pendulum_model(0.8).expect("a pendulum");
    let q0 = pendulum.at_angle(std::f64::consts::PI / 12.0);
    let model: Arc<dyn Lagrangian> = Arc::new(pendulum);
    let run = run(&model, &q0, &[0.0; 3], 1e-3, 8.0, 1e-12).unwrap_or_else(|f| panic!("{f}"));
    println!("pendulum, joints: identity {:.1e}, joints {:.1e}, gain {:.1e}", run.residual, run.joints, run.gain);
    assert!(run.residual <= 1e-12, "identity {:e}", run.residual);
    assert!(run.joints <= 1e-12, "joints {:e}", run.joints);
    assert!(run.gain <= 1e-12, "gain {:e}", run.gain);
}

#[test]
fn rocking_block_without_friction() {
    for e in [0.0, 0.5, 1.0] {
        let model: Arc<dyn Lagrangian> = Arc::new(rocking_block_model(e).expect("a block"));
        let run = run(&model, &[0.0, 1.0, 0.2], &[0.0; 3], 5e-3, 5.0, 1e-12).unwrap_or_else(|f| panic!("e = {e}: {f}"));
        println!(
            "block e = {e}: identity {:.1e}, gap {:.1e}, gain {:.1e}, {} impulses, end {:?}",
            run.residual, run.gap_identity, run.gain, run.impulses, run.state.v
        );
        assert!(run.residual <= 1e-12, "e = {e}: identity {:e}", run.residual);
        assert!(run.gap_identity <= 1e-12, "e = {e}: gap identity {:e}", run.gap_identity);
        assert!(run.gain <= 1e-12, "e = {e}: gain {:e}", run.gain);
    }
}

/// Through the accumulation of impacts to rest, at the default tolerance of 1e-10: Newton reaches it at every step and the
/// identity closes to 1e-12, for steps over two decades and every e.
#[test]
fn newton_reaches_its_tolerance_down_to_rest() {
    let pendulum = pendulum_model(0.8).expect("a pendulum");
    let hanging = pendulum.at_angle(std::f64::consts::PI / 12.0);
    for h in [1e-2, 5e-3, 1e-3, 5e-4, 1e-4] {
        for e in [0.0, 0.3, 0.5, 0.8, 1.0] {
            let pendulum = pendulum_model(e).expect("a pendulum");
            let block = rocking_block_model(e).expect("a block");
            let cases: [(Arc<dyn Lagrangian>, &[f64]); 2] =
                [(Arc::new(pendulum), &hanging), (Arc::new(block), &[0.0, 1.0, 0.2])];
            for (k, (model, q0)) in cases.iter().enumerate() {
                let run = run(model, q0, &[0.0; 3], h, 5.0, 1e-10).unwrap_or_else(|f| panic!("{k}, {h}, {e}: {f}"));
                assert!(run.newton <= 1e-10, "model {k}, h = {h}, e = {e}: Newton {:e}", run.newton);
                assert!(run.residual <= 1e-12, "model {k}, h = {h}, e = {e}: identity {:e}", run.residual);
                assert!(run.joints <= 1e-12, "model {k}, h = {h}, e = {e}: joints {:e}", run.joints);
                // joints take out the round-off the last step left in g, ε = 2.2e-16 m, and work p ε/h by it; p ≤ 4.5 N·s here
                let gain = 1e-12 + if k == 0 { 1e-15 / h } else { 0.0 };
                assert!(run.gain <= gain, "model {k}, h = {h}, e = {e}: gain {:e}", run.gain);
            }
        }
    }
}

/// Steel beam at h = 2e-3, 1e-3 and 5e-4 to 2 s: identity ≤ 1e-10; without the independent stress Newton diverges.
#[test]
fn rotating_beam_runs_at_large_steps() {
    let beam = rotating_beam_model();
    let (q0, v0) = (beam.straight(), vec![0.0; beam.n()]);
    let model: Arc<dyn Lagrangian> = Arc::new(beam);
    for h in [2e-3, 1e-3, 5e-4] {
        let run = run(&model, &q0, &v0, h, 2.0, 1e-11).unwrap_or_else(|f| panic!("h = {h}: {f}"));
        println!(
            "beam h = {h}: identity {:.1e}, gain {:.1e}, {:.2} iterations",
            run.residual, run.gain, run.iterations
        );
        assert!(run.residual <= 1e-10, "h = {h}: identity {:e}", run.residual);
        assert!(run.gain <= 1e-10, "h = {h}: gain {:e}", run.gain);
        let plain = run_with(&model, &q0, &v0, (h, 2.0), 1e-11, false);
        assert_eq!(plain.is_err(), h > 6e-4, "h = {h}: plain Newton was expected to diverge at the two larger steps");
        println!(
            "   plain Newton: {}",
            plain.as_ref().map_or_else(|f| f.to_string(), |r| format!("identity {:.1e}", r.residual))
        );
    }
}

/// On linear systems with constant loads and dampers the scheme is Moreau–Jean at θ = ½, and its ledger closes.
#[test]
fn linear_systems_move_as_under_moreau_jean() {
    for seed in 0..20 {
        let recipe = Recipe { loads_vary: false, ..Recipe::USUAL };
        let problem = common::random_problem(&mut Dice(60 + seed), recipe);
        let [a, b] = [Scheme::moreau_jean(0.5), Scheme::named("energy-momentum").expect("a scheme")]
            .map(|scheme| common::run(&problem, &scheme, 0.01, 1.0));
        let difference = a.q.iter().zip(&b.q).fold(0.0_f64, |s, (x, y)| s.max((x - y).abs()));
        assert!(difference <= 1e-9, "seed {seed}: {difference:e}");
        let residual = b.ledger.iter().fold(0.0_f64, |s, e| s.max(e.balance.abs()));
        let largest = b.ledger.iter().fold(1e-3_f64, |s, e| s.max(e.energy()));
        assert!(residual <= 1e-11 * largest, "seed {seed}: {residual:e}");
    }
}
