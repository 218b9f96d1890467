//! The laws for contact nodes without mass: `equilibrium` keeps the energy through any number of impacts and penetrates
//! nothing, `gap` never creates energy, with friction or without.

#[path = "common/rectangles.rs"]
mod rectangles;

use percussion_model::solid::contact::{Against, Method, Multipliers, SurfaceContact};
use percussion_model::solid::reactions::{NodalState, Reactions};
use percussion_model::solid::{Hooke, Load, LoadKind, Rayleigh, Section, Solid, SolidMass, SolidParts, Support};
use percussion_model::{Signal, Sine};
use percussion_solve::SolverOptions;
use percussion_step::{Audit, Both, Outcome, Problem, Scheme, SchemeOptions, Trajectory, Verdict, simulate};
use rectangles::{add_block, against_plane, no_mesh, parts, still};

/// Deterministic numbers in (0, 1).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// What a run did with its energy and its gaps.
struct Kept {
    run: Trajectory,
    /// Largest |E − E₀ − works of loads and dampers| over the largest energy.
    loss: f64,
    /// Largest work of the contacts in one step, over the largest energy.
    created: f64,
    smallest_gap: f64,
    steps_in_contact: usize,
    /// Largest change of the momentum over what all mass has at the speed of the largest energy.
    drift: f64,
}

fn run(parts: SolidParts, law: &str, h: f64, steps: usize) -> Kept {
    run_to(SolverOptions::default().tolerance, parts, law, h, steps)
}

/// The same with contact problems solved to a residual.
fn run_to(tolerance: f64, parts: SolidParts, law: &str, h: f64, steps: usize) -> Kept {
    let solid = Solid::new(parts).expect("a solid");
    let (q0, v0) = solid.initial_state().expect("a start");
    let problem = Problem::linear(solid.linear_model().expect("a model"), q0, v0).expect("a problem");
    let options = SchemeOptions { theta: Some(0.5), activation: Some(law.into()), ..Default::default() };
    let scheme = Scheme::resolve("moreau-jean", &options).expect("a scheme").0;
    let (mut run, mut audit) = (Trajectory::new(), Audit::new());
    let mut both = Both(&mut run, &mut audit);
    let solver = SolverOptions { tolerance, ..Default::default() };
    let outcome = simulate(&problem, &scheme, solver, h, h * steps as f64, &mut both);
    let outcome = outcome.expect("accepted");
    assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
    let size = run.ledger.iter().fold(f64::MIN_POSITIVE, |size: f64, entry| size.max(entry.energy().abs()));
    let balance = run.ledger.iter().fold(0.0, |worst: f64, entry| worst.max(entry.balance.abs()));
    assert!(balance <= 1e-11 * size, "{law}: ledger {:.1e}", balance / size);
    let (mut works, mut loss, mut created) = (0.0, 0.0_f64, f64::NEG_INFINITY);
    for entry in &run.ledger {
        works += entry.work_external + entry.work_damping;
        loss = loss.max((entry.energy() - run.ledger[0].energy() - works).abs() / size);
        created = created.max(entry.work_contact / size);
    }
    let verdict = audit.verdicts(&percussion_step::Guarantee::new(&scheme, &problem.model), 1e-10);
    assert!(!verdict.failed() && verdict.energy.status == Verdict::Pass, "{law}: {verdict:?}");
    let model = problem.model.linear().expect("linear");
    let mut smallest_gap = f64::INFINITY;
    let mut steps_in_contact = 0;
    for k in 0..run.len() {
        let gaps = (0..model.n_contacts()).map(|j| model.gap(j, run.q(k), run.t[k]));
        smallest_gap = gaps.fold(smallest_gap, f64::min);
    }
    for j in 0..model.n_contacts() {
        steps_in_contact += run.impulses(j).iter().filter(|p| **p > 0.0).count();
    }
    let drift = drift(&solid, &run, size);
    Kept { run, loss, created, smallest_gap, steps_in_contact, drift }
}

/// Largest |P − P₀| over √(2 m E), for solids that nothing holds.
fn drift(solid: &Solid, run: &Trajectory, energy: f64) -> f64 {
    let mass = &solid.node_mass().lumped;
    let momentum = |row: usize| {
        let mut v = vec![[0.0; 3]; mass.len()];
        solid.coordinates().velocities(run.v(row), 0.0, &mut v);
        [0, 1].map(|axis| mass.iter().zip(&v).map(|(m, v)| m * v[axis]).sum::<f64>())
    };
    let start = momentum(0);
    let change = |row: usize| momentum(row).iter().zip(start).map(|(p, p0)| (p - p0).abs()).fold(0.0, f64::max);
    (0..run.len()).map(change).fold(0.0, f64::max) / (2.0 * mass.iter().sum::<f64>() * energy).sqrt()
}

/// A bar that strikes a wall in every period of 3 (Chouly, Hild, Renard 2015): 100 periods without loss.
#[test]
fn periodic_bar() {
    let (n, height) = (20, 0.05);
    let mut mesh = no_mesh();
    add_block(&mut mesh, "bar", [0.0, 0.0], [1.0, height], [n, 1], &mut still());
    let mut parts = parts(mesh, &["bar"], Hooke { young: 1.0, poisson: 0.0, density: 1.0 });
    parts.parts[0].displacement = [0.25, 0.0, 0.0];
    parts.parts[0].gradient[0][0] = -0.5;
    parts.supports = vec![Support::fixed("bar right", &[0, 1]), Support::fixed("bar bottom", &[1])];
    parts.contacts = vec![against_plane("bar left", [0.0, 0.0], [1.0, 0.0], 0.0)];
    let h = 0.5 / n as f64;
    let steps = (300.0 / h) as usize;
    let kept = run(parts, "equilibrium", h, steps);
    eprintln!("periodic bar: loss {:.1e}, smallest gap {:.1e}", kept.loss, kept.smallest_gap);
    assert!(kept.loss <= 1e-11 && kept.smallest_gap >= -1e-14);
    // the first contact: force ½ from t = 1 to 2
    let first = (3.0 / h) as usize;
    let impulse: f64 = (0..2).flat_map(|j| kept.run.impulses(j)[..first].to_vec()).sum();
    eprintln!("periodic bar: first impulse {:.4} of {:.4}", impulse, 0.5 * height);
    assert!((impulse / (0.5 * height) - 1.0).abs() <= 0.05, "{impulse}");
}

/// Two equal bars with different meshes exchange their velocities.
#[test]
fn two_bars() {
    let mut mesh = no_mesh();
    add_block(&mut mesh, "left", [0.0, 0.0], [1.0, 0.02], [50, 1], &mut still());
    add_block(&mut mesh, "right", [1.01, 0.0], [1.0, 0.02], [80, 1], &mut still());
    let mut parts = parts(mesh, &["left", "right"], Hooke { young: 1.0, poisson: 0.0, density: 1.0 });
    parts.parts[0].velocity = [0.1, 0.0, 0.0];
    parts.contacts = vec![SurfaceContact {
        surface: "left right".into(),
        against: Against::Surface {
            surface: "right left".into(),
            method: Method::Mortar(Multipliers::Standard),
            reach: 0.1,
        },
        restitution: 0.0,
        friction: 0.0,
        massless: true,
    }];
    let kept = run(parts, "equilibrium", 0.5 / 80.0, 400);
    let last = kept.run.len() - 1;
    let mean = |from: usize, to: usize| {
        let v = kept.run.v(last);
        (from..to).map(|i| v[2 * i]).sum::<f64>() / (to - from) as f64
    };
    let (left, right) = (mean(0, 102), mean(102, 264));
    eprintln!("two bars: loss {:.1e}, gap {:.1e}, v {left:.2e} {right:.5}", kept.loss, kept.smallest_gap);
    eprintln!("two bars: momentum {:.1e}", kept.drift);
    assert!(kept.loss <= 1e-11 && kept.smallest_gap >= -1e-14 && kept.drift <= 1e-11);
    assert!(left.abs() <= 0.003 && (right - 0.1).abs() <= 0.003, "{left} {right}");
}

/// Two blocks of 9 and 14 elements at the interface collide by mortar.
#[test]
fn two_blocks() {
    let mut mesh = no_mesh();
    add_block(&mut mesh, "below", [0.0, 0.0], [1.0, 0.5], [9, 5], &mut still());
    add_block(&mut mesh, "above", [0.0, 0.51], [1.0, 0.5], [14, 6], &mut still());
    let mut parts = parts(mesh, &["below", "above"], Hooke { young: 1.0, poisson: 0.3, density: 1.0 });
    parts.parts[1].velocity = [0.0, -0.1, 0.0];
    parts.contacts = vec![SurfaceContact {
        surface: "above bottom".into(),
        against: Against::Surface {
            surface: "below top".into(),
            method: Method::Mortar(Multipliers::Standard),
            reach: 0.1,
        },
        restitution: 0.0,
        friction: 0.0,
        massless: true,
    }];
    let kept = run(parts, "equilibrium", 0.03, 150);
    eprintln!("two blocks: loss {:.1e}, gap {:.1e}, pushed {}", kept.loss, kept.smallest_gap, kept.steps_in_contact);
    eprintln!("two blocks: momentum {:.1e}", kept.drift);
    assert!(kept.loss <= 1e-11 && kept.smallest_gap >= -1e-14 && kept.steps_in_contact > 100);
    assert!(kept.drift <= 1e-11);
}

/// A block thrown about between floor, ceiling and walls.
fn thrown(dice: &mut Dice, friction: f64, shake: f64) -> (SolidParts, f64) {
    let n = [4 + (3.0 * dice.next()) as usize, 4 + (3.0 * dice.next()) as usize];
    let mut mesh = no_mesh();
    let mut shaken = Dice(dice.next().to_bits());
    add_block(&mut mesh, "block", [0.0; 2], [1.0; 2], n, &mut || shake * (shaken.next() - 0.5));
    let mut parts = parts(mesh, &["block"], Hooke { young: 1.0, poisson: dice.between(0.0, 0.4), density: 1.0 });
    parts.section = Section::Strain { thickness: 1.0 };
    parts.parts[0].velocity = [dice.between(-0.2, 0.2), dice.between(-0.2, 0.2), 0.0];
    parts.gravity[1] = Signal::constant(dice.between(-0.05, 0.0));
    let room = 1.0 + dice.between(0.02, 0.1);
    parts.contacts = vec![
        against_plane("block bottom", [0.0, 1.0 - room], [0.0, 1.0], friction),
        against_plane("block top", [0.0, room], [0.0, -1.0], friction),
        against_plane("block left", [1.0 - room, 0.0], [1.0, 0.0], friction),
        against_plane("block right", [room, 0.0], [-1.0, 0.0], friction),
    ];
    let waves = Solid::new(parts.clone()).expect("a solid").crossing_time();
    (parts, waves)
}

/// So many runs, ten times as many in the long form (PERCUSSION_LONG=1).
fn so_many(n: usize) -> usize {
    if std::env::var_os("PERCUSSION_LONG").is_some() { 10 * n } else { n }
}

/// 40 random runs at h = 0.2 … 5 Δx/c keep their energy and penetrate nothing.
#[test]
fn random_blocks_in_equilibrium() {
    let mut dice = Dice(3);
    let (mut worst, mut gap, mut pushes) = (0.0_f64, f64::INFINITY, 0);
    let n = so_many(40);
    for k in 0..n {
        let (parts, waves) = thrown(&mut dice, 0.0, 0.0);
        let kept = run(parts, "equilibrium", waves * 0.2 * 25.0_f64.powf(k as f64 / (n - 1) as f64), 150);
        worst = worst.max(kept.loss);
        gap = gap.min(kept.smallest_gap);
        pushes += kept.steps_in_contact;
    }
    eprintln!("{n} random blocks: worst loss {worst:.1e}, smallest gap {gap:.1e}, {pushes} contacts");
    assert!(worst <= 1e-11 && gap >= -1e-14 && pushes > 1000);
}

/// With friction the law on gaps takes energy out in every step, on meshes of any form. What it may give is what the solver of the cone problem leaves, 1e-13: where
/// that is asked for 1e-14, a hundredth of it is given.
#[test]
fn gap_law_never_creates_energy() {
    let mut dice = Dice(5);
    let (mut created, mut gap, mut pushes) = ([f64::NEG_INFINITY; 2], [f64::INFINITY; 2], 0);
    let n = so_many(500);
    for k in 0..n {
        let friction = if k % 4 == 0 { 0.0 } else { dice.between(0.1, 0.9) };
        let (mut parts, waves) = thrown(&mut dice, friction, 0.3);
        parts.parts[0].damping = Rayleigh { mass: 0.0, stiffness: dice.between(0.0, 0.02) };
        let h = waves * dice.between(0.3, 3.0);
        for (k, tolerance) in [SolverOptions::default().tolerance, 1e-14].into_iter().enumerate() {
            let kept = run_to(tolerance, parts.clone(), "gap", h, 80);
            created[k] = created[k].max(kept.created);
            gap[k] = gap[k].min(kept.smallest_gap);
            pushes += kept.steps_in_contact;
        }
    }
    eprintln!(
        "{n} meshes with friction: largest contact work {:.1e} of E, smallest gap {:.1e}, {pushes} contacts of two runs each",
        created[0], gap[0]
    );
    eprintln!("the same with contact problems solved to 1e-14: {:.1e} of E, {:.1e}", created[1], gap[1]);
    // the largest of 40 000 steps, and of ten times as many
    let left = if n > 500 { 2e-13 } else { 1e-13 };
    assert!(created[0] <= left && created[1] <= 1e-14 && pushes > 500);
    assert!(gap[0] >= -1e-12 && gap[1] >= -1e-14);
}

/// A block that hardly changes its volume, in steps of 77 Δx/c: all nodes land in one step and leave in the next, where no correction
/// keeps the energy. Such steps are made in halves.
#[test]
fn nearly_incompressible() {
    let mut mesh = no_mesh();
    add_block(&mut mesh, "block", [0.0, 0.002], [0.2, 0.1], [8, 4], &mut still());
    let mut parts = parts(mesh, &["block"], Hooke { young: 1e6, poisson: 0.4999, density: 1000.0 });
    parts.section = Section::Strain { thickness: 1.0 };
    parts.parts[0].velocity = [0.0, -1.0, 0.0];
    parts.contacts = vec![against_plane("block bottom", [0.0, 0.0], [0.0, 1.0], 0.0)];
    let kept = run(parts, "equilibrium", 1.5e-3, 14);
    eprintln!("nearly incompressible: loss {:.1e}, momentum {:.1e}", kept.loss, kept.drift);
    assert!(kept.steps_in_contact > 0 && kept.loss <= 1e-11 && kept.smallest_gap >= -1e-12);
}

/// What supports do is all that changes the momentum beside loads and dampers: of a sheet that is shaken, of one with consistent mass and dampers.
/// At rest they carry the weight.
#[test]
fn supports_carry_what_is_left() {
    let shaken = |axis: usize, motion: Signal| {
        let mut n = [0.0; 3];
        n[axis] = 1.0;
        (n, motion)
    };
    let wave = Signal { sines: vec![Sine { amplitude: 1e-3, omega: 40.0, phase: 0.3 }], ..Signal::default() };
    for (mass, dampers, motion) in [
        (SolidMass::Lumped, Rayleigh { mass: 0.0, stiffness: 0.0 }, wave),
        (SolidMass::Consistent, Rayleigh { mass: 1.5, stiffness: 1e-3 }, Signal::default()),
        (SolidMass::Lumped, Rayleigh { mass: 30.0, stiffness: 3e-3 }, Signal::default()),
    ] {
        let mut mesh = no_mesh();
        let mut dice = Dice(7);
        add_block(&mut mesh, "sheet", [0.0; 2], [0.4, 0.2], [8, 4], &mut || 0.2 * (dice.next() - 0.5));
        let mut parts = parts(mesh, &["sheet"], Hooke { young: 1e6, poisson: 0.3, density: 1000.0 });
        parts.mass = mass;
        parts.gravity[1] = Signal::constant(-9.81);
        parts.parts[0].damping = dampers;
        parts.supports = vec![Support {
            group: "sheet left".into(),
            directions: vec![shaken(0, motion), shaken(1, Signal::default())],
        }];
        let traction = LoadKind::Traction([300.0, 100.0].map(Signal::constant).to_vec());
        parts.loads = vec![Load { group: "sheet top".into(), kind: traction }];
        let solid = Solid::new(parts.clone()).expect("a solid");
        let steps = if dampers.mass > 10.0 { 4000 } else { 60 };
        let run = run(parts, "hold", 5e-4, steps).run;

        let reactions = Reactions::new(&solid).expect("elements").expect("something is held");
        let n = solid.matter().n_nodes();
        let state = |row: usize| {
            let (t, mut u, mut v) = (run.t[row], vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
            solid.coordinates().displacements(run.q(row), t, &mut u);
            solid.coordinates().velocities(run.v(row), t, &mut v);
            NodalState { t, u, v }
        };
        let weights = &solid.node_mass().weight;
        let momentum =
            |state: &NodalState, axis: usize| -> f64 { weights.iter().zip(&state.v).map(|(m, v)| m * v[axis]).sum() };
        let mass: f64 = weights.iter().sum();
        let loads = [300.0 * 0.4, 100.0 * 0.4 - 9.81 * mass];
        let (mut worst, mut last) = (0.0_f64, [0.0; 2]);
        for row in 1..run.len() {
            let (a, b) = (state(row - 1), state(row));
            let R = reactions.over(&solid, [&a, &b], &vec![[0.0; 3]; n]).expect("not inside out");
            for axis in 0..2 {
                let given: f64 = R.iter().map(|R| R[axis]).sum();
                let (before, after) = (momentum(&a, axis), momentum(&b, axis));
                let drag = 0.5 * dampers.mass * (before + after);
                worst = worst.max((given + loads[axis] - drag - (after - before) / (b.t - a.t)).abs());
                last[axis] = given;
            }
        }
        eprintln!("{:?}: balance open by {worst:.1e} N of {:.0} N", solid.description().mass, 9.81 * mass);
        assert!(worst <= 1e-10 * 9.81 * mass, "{worst:e}");
        if steps == 4000 {
            let off = last.iter().zip(loads).map(|(R, F)| (R + F).abs()).fold(0.0, f64::max);
            eprintln!("at rest the supports give {last:?} N against {loads:?} N");
            assert!(off <= 1e-6 * 9.81 * mass, "{last:?} {loads:?}");
        }
    }
}
