//! The account of GGL, entry by entry: each has its own formula, so that their sum is a test, and the sums over whole runs are those
//! of an independent implementation to 1e-6.
//!
//! Its table is looked for as `shared/reference/energy/ggl_split.csv` beside the repository or above it; without it that test says so.

mod common;

use common::{bodies, random_problem, scheme};
use percussion_model::bodies::{BodyParts, JointKind, PairLaw};
use percussion_solve::SolverOptions;
use percussion_step::measure::BarImpact;
use percussion_step::problems::{
    Dice, Known, OneMass, Recipe, ball, cuboid, floor, ground, joint, pendulum, rocking_block, rotating_beam, scene,
    solid,
};
use percussion_step::{Problem, Simulation};
use std::path::Path;

/// Sums over a run [J], and the largest of a step.
#[derive(Default, Debug)]
struct Sums {
    change: f64,
    law: f64,
    projection: f64,
    joints: f64,
    scheme: f64,
    external: f64,
    damping: f64,
    /// The largest energy, residual and work of the law.
    energy: f64,
    residual: f64,
    gained: f64,
}

fn run(problem: &Problem, activation: &str, h: f64, end: f64) -> Sums {
    let scheme = scheme("generalized-alpha-ggl", |o| {
        o.rho_inf = Some(0.8);
        o.activation = Some(activation.into());
    });
    let options = SolverOptions { tolerance: 1e-12, ..Default::default() };
    let mut run = Simulation::new(problem, &scheme, options, h).expect("accepted");
    let first = run.initial_ledger();
    let (mut sums, mut last) = (Sums { energy: first.kinetic, ..Default::default() }, first.energy());
    for _ in 0..(end / h).round() as usize {
        let entry = run.advance().unwrap_or_else(|failure| panic!("{failure}")).ledger;
        sums.change += entry.energy() - last;
        last = entry.energy();
        sums.law += entry.work_contact;
        sums.projection += entry.work_projection.expect("GGL books it");
        sums.joints += entry.work_joints;
        sums.scheme -= entry.dissipation_numerical;
        sums.external += entry.work_external;
        sums.damping += entry.work_damping;
        sums.energy = sums.energy.max(entry.energy().abs()).max(entry.kinetic);
        sums.residual = sums.residual.max(entry.balance.abs());
        sums.gained = sums.gained.max(entry.work_contact);
    }
    sums
}

fn bar(d0: f64) -> Problem {
    BarImpact { d0, ..BarImpact::USUAL }.problem().expect("a bar")
}

/// Contact by the law, by turning rows and projection, joints, α-method: each sum to 1e-6 of the table, each step to 1e-12.
#[test]
fn sums_of_an_independent_implementation() {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .find_map(|folder| std::fs::read_to_string(folder.join("shared/reference/energy/ggl_split.csv")).ok());
    let Some(table) = found else {
        println!("shared/reference/energy/ggl_split.csv is not here: nothing compared");
        return;
    };
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let x: Vec<f64> = cells[1..].iter().map(|x| x.parse().expect("a number")).collect();
        let (e, h, end) = (x[1], x[2], x[3]);
        let problem = match cells[0] {
            "ball" => OneMass { q0: 1.201, ..OneMass::ball() }.problem(),
            "pendulum" => pendulum(e),
            "block" => rocking_block(e),
            "bar200" => Ok(bar(5.005)),
            other => panic!("{other}"),
        };
        let sums = run(&problem.expect("a problem"), "predicted", h, end);
        let ours = [sums.change - sums.external, sums.law, sums.projection, sums.joints, sums.scheme];
        let theirs = [x[4], x[5], x[6] + x[9], x[7] + x[8], x[10]];
        println!("{} h = {h}: {ours:.7?}, closes to {:.1e}", cells[0], sums.residual);
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert!((ours - theirs).abs() <= 1e-6, "{} h = {h}: {ours} {theirs}", cells[0]);
        }
        assert!(sums.residual <= 1e-12 * sums.energy, "{} h = {h}: {:e}", cells[0], sums.residual);
    }
}

/// In a bar with light contact nodes the entries stay of the size of the energy there is, law and landing together are small even at
/// coarse steps, and under `hold` no step gains by the law.
#[test]
fn entries_of_a_bar_stay_small() {
    for h in [2e-2, 2e-3, 5e-4] {
        let sums = run(&bar(5.0052), "hold", h, 2.0);
        println!("bar h = {h}: {sums:.4?}");
        for x in [sums.law, sums.projection, sums.scheme] {
            assert!(x.abs() <= 3.0 * sums.energy, "{sums:?}");
        }
        assert!((sums.law + sums.projection).abs() <= 5.0, "{sums:?}");
        assert!(sums.gained <= 1e-12 * sums.energy && sums.residual <= 1e-12 * sums.energy, "{sums:?}");
    }
}

/// Under `hold` no step gains by the law, every step closes, and the entries of a run are of the size of its energy: a pendulum with joints, blocks
/// that rock to rest, a beam that swings against a stop.
#[test]
fn the_law_never_gives_energy() {
    let cases = [
        (pendulum(0.8), 2e-3, 2.0),
        (rocking_block(0.5), 1e-2, 2.5),
        (rocking_block(1.0), 1e-2, 2.5),
        (Ok(rotating_beam()), 5e-4, 0.6),
    ];
    for (problem, h, end) in cases {
        let sums = run(&problem.expect("a problem"), "hold", h, end);
        println!("{sums:.5?}");
        for x in [sums.law, sums.projection, sums.joints, sums.scheme] {
            assert!(x.abs() <= 3.0 * sums.energy, "{sums:?}");
        }
        assert!(sums.gained <= 1e-12 * sums.energy && sums.residual <= 1e-12 * sums.energy, "{sums:?}");
    }
}

/// Random linear systems with dampers, varying loads, moving walls and joints close to round-off.
#[test]
fn random_systems_close() {
    let mut worst = 0.0_f64;
    let usual = Recipe::USUAL;
    for seed in 0..40 {
        for recipe in [usual, Recipe { walls_move: true, ..usual }, Recipe { joints: 2, ..usual }] {
            let problem = random_problem(&mut Dice(4400 + seed), recipe);
            for activation in ["hold", "predicted"] {
                let sums = run(&problem, activation, 5e-3, 1.0);
                worst = worst.max(sums.residual / sums.energy);
            }
        }
    }
    println!("closes to {worst:.1e} of the largest energy");
    assert!(worst <= 1e-12, "{worst:e}");
}

/// Bodies: a block in the plane, 1500 kg, does what the Lagrangian block of 1 kg does; bodies thrown together in space, with friction,
/// and a hinged rod that falls on the floor close too, and the law never gives energy.
#[test]
fn bodies_close() {
    let law = |e: f64, mu: f64| PairLaw { restitution: e, friction: mu, ..Default::default() };
    let turned = [0.1_f64.cos(), 0.0, 0.0, 0.1_f64.sin()];
    let tilted = BodyParts { rotation: turned, ..cuboid("block", [1.0, 1.5, 0.0], [0.0, 1.0, 0.0]) };
    let block = scene(true, [0.0, -9.81, 0.0], vec![floor(), tilted], law(0.5, 0.0)).expect("a law");
    let thrown = vec![
        floor(),
        BodyParts { velocity: [1.0, 0.0, 0.0], ..cuboid("box", [0.3, 0.2, 0.4], [0.0, 0.0, 0.5]) },
        BodyParts { angular_velocity: [3.0, 1.0, 0.0], ..cuboid("slab", [0.4, 0.4, 0.1], [0.1, 0.0, 1.2]) },
        ball("ball", 0.1, [0.05, 0.0, 0.9]),
    ];
    let thrown = scene(false, [0.0, 0.0, -9.81], thrown, law(0.4, 0.3)).expect("a law");
    let rod =
        BodyParts { shape: ball("", 0.1, [0.0; 3]).shape, ..solid("rod", [0.5, 0.4, 0.0], 1.0, [0.02, 0.1, 0.1]) };
    let mut hinged = scene(true, [0.0, -9.81, 0.0], vec![floor(), ground(), rod], law(0.5, 0.0)).expect("a law");
    hinged.joints.push(joint("pin", JointKind::Revolute, [1, 2], [0.0, 0.4, 0.0], [0.0, 0.0, 1.0]));

    let found = [("block", block, 1e-2, 2.5), ("thrown", thrown, 2e-3, 1.0), ("hinged", hinged, 1e-3, 1.0)].map(
        |(name, parts, h, end)| {
            let sums = run(&bodies(parts), "hold", h, end);
            println!("{name}: {sums:.5?}");
            assert!(sums.law < 0.0 && sums.residual <= 1e-12 * sums.energy, "{name}: {sums:?}");
            assert!(sums.gained <= 1e-10 * sums.energy, "{name}: {sums:?}");
            sums
        },
    );
    let lagrangian = run(&rocking_block(0.5).expect("a block"), "hold", 1e-2, 2.5);
    assert!((found[0].law / 1500.0 - lagrangian.law).abs() <= 1e-9, "{:?} {lagrangian:?}", found[0]);
    assert!((found[0].projection / 1500.0 - lagrangian.projection).abs() <= 1e-9, "{:?} {lagrangian:?}", found[0]);
}
