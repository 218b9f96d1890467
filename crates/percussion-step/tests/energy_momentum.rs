//! Energy-exact stepping: the identity to round-off on nonlinear potentials, gaps and joints, and a stiff beam that runs.

mod common;

use percussion_model::{Auto, Energies, Lagrangian, Number};
use percussion_step::problems::{
    Dice, Recipe, contact, linear, masses, pendulum_model, rocking_block_model, rotating_beam_model,
};
use percussion_step::{
    Activation, EnergyMomentum, Memory, Problem, Scheme, State, Step, StepFailure, StepStart, Stepper,
};
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

/// n unit links with a mass at the end of each, hanging from a point beside a wall that the last one meets: M(q) is full.
#[derive(Debug)]
struct Chain {
    n: usize,
}

impl Energies for Chain {
    fn n(&self) -> usize {
        self.n
    }
    fn restitutions(&self) -> &[f64] {
        &[0.5]
    }
    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let (mut x, mut y, mut T) = (D::from(0.0), D::from(0.0), D::from(0.0));
        for (q, v) in q.iter().zip(v) {
            x += q.cos() * *v;
            y += q.sin() * *v;
            T += x * x + y * y;
        }
        T * 0.5
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        let (mut y, mut V) = (D::from(0.0), D::from(0.0));
        for q in q {
            y -= q.cos();
            V += y * 9.81;
        }
        V
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q.iter().fold(D::from(0.3), |x, q| x + q.sin())
    }
    fn force<D: Number>(&self, _q: &[D], v: &[D], _t: f64, Q: &mut [D]) {
        Q.iter_mut().zip(v).for_each(|(Q, v)| *Q = -*v * 0.2);
    }
}

/// Steps of a problem under the scheme: the largest residual over the largest energy, the most iterations, the largest work of contacts, and
/// how many impulses there were.
fn steps(problem: &Problem, h: f64, count: usize) -> (f64, usize, f64, usize) {
    let mut run = common::start(problem, &Scheme::named("energy-momentum").expect("a scheme"), h);
    let (mut residual, mut iterations, mut work, mut impulses, mut largest) = (0.0_f64, 0, 0.0_f64, 0, 1.0_f64);
    for _ in 0..count {
        let step = run.advance().unwrap_or_else(|failure| panic!("{failure}"));
        largest = largest.max(step.ledger.energy().abs());
        residual = residual.max(step.ledger.balance.abs());
        iterations = iterations.max(step.info.iterations);
        work = work.max(step.ledger.work_contact);
        impulses += step.contacts.iter().filter(|c| c.p > 0.0).count();
    }
    (residual / largest, iterations, work, impulses)
}

/// A chain of twenty links: the identity to Newton's tolerance, 1e-11, in a few iterations with the matrix written out.
#[test]
fn a_mass_that_depends_on_twenty_coordinates() {
    let n = 20;
    let model: Arc<dyn Lagrangian> = Arc::new(Auto::new(Chain { n }).expect("a chain"));
    let q: Vec<f64> = (0..n).map(|i| 0.4 - 0.02 * i as f64).collect();
    let problem = Problem::nonlinear(model, q, vec![-1.0; n]).expect("a problem");
    let (residual, iterations, work, impulses) = steps(&problem, 0.01, 60);
    println!("chain: identity {residual:.1e} of E, at most {iterations} iterations, {impulses} impulses");
    assert!(impulses > 0 && work <= 1e-12, "{impulses} impulses, {work:e} J");
    assert!(residual <= 1e-11 && iterations <= 6, "{residual:e}, {iterations} iterations");
}

/// A unit mass on a spring in polar coordinates (r, φ) falls on a rough floor: M = diag(1, r²).
#[derive(Debug)]
struct Polar {
    friction: [f64; 1],
}

impl Energies for Polar {
    fn n(&self) -> usize {
        2
    }
    fn restitutions(&self) -> &[f64] {
        &[0.3]
    }
    fn frictions(&self) -> &[f64] {
        &self.friction
    }
    fn n_tangents(&self, _i: usize) -> usize {
        1
    }
    fn contact_tangent(&self, _i: usize, _k: usize, q: &[f64], row: &mut [f64]) {
        row.copy_from_slice(&[q[1].cos(), -q[0] * q[1].sin()]);
    }
    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
        (v[0] * v[0] + q[0] * q[0] * v[1] * v[1]) * 0.5
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q[0] * q[1].sin() * 9.81 + (q[0] - 1.0) * (q[0] - 1.0) * 20.0
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[0] * q[1].sin() + 0.6
    }
}

/// Friction on every kind of model: the identity to round-off, work of contacts never positive, and the masses come to rest.
#[test]
fn friction_takes_what_the_ledger_says() {
    let pendulum = pendulum_model(0.5).and_then(|p| p.with_friction(0.4)).expect("a pendulum");
    let hanging = pendulum.at_angle(std::f64::consts::PI / 12.0);
    let block = rocking_block_model(0.4).and_then(|block| block.with_friction(0.3)).expect("a block");
    let polar: Arc<dyn Lagrangian> = Arc::new(Auto::new(Polar { friction: [0.4] }).expect("a model"));
    let problems = [
        ("pendulum", Problem::nonlinear(Arc::new(pendulum), hanging.to_vec(), vec![0.0; 3])),
        ("block", Problem::nonlinear(Arc::new(block), vec![0.0, 1.0, 0.2], vec![1.0, 0.0, 0.0])),
        ("polar", Problem::nonlinear(polar, vec![1.0, 0.1], vec![0.5, 0.0])),
    ];
    for (name, problem) in problems {
        for h in [1e-2, 2e-3] {
            let problem = problem.as_ref().expect("a problem");
            let (residual, iterations, work, impulses) = steps(problem, h, (2.0 / h) as usize);
            println!("{name}, h = {h}: identity {residual:.1e} of E, work {work:.1e} J, {iterations} iterations");
            assert!(impulses > 10, "{name}, h = {h}: {impulses} impulses");
            assert!(residual <= 1e-12, "{name}, h = {h}: identity {residual:e}");
            assert!(work <= 1e-11, "{name}, h = {h}: contacts gave {work:e} J");
        }
    }
}

/// A linear model of more coordinates than dense Newton systems are made for moves as under Moreau–Jean.
#[test]
fn four_hundred_masses() {
    let n = 400;
    let mut parts = masses(&vec![1.0; n], &vec![-9.81; n]);
    let mut normal = vec![0.0; n];
    normal[0] = 1.0;
    parts.contacts.push(contact(&normal, 0.0, 0.5));
    let problem = linear(parts, &vec![0.01; n], &vec![0.0; n]).expect("a problem");
    let (residual, _, work, impulses) = steps(&problem, 1e-3, 100);
    assert!(impulses > 0 && work <= 1e-12 && residual <= 1e-13, "{impulses}, {work:e}, {residual:e}");
}
