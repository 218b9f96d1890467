//! GGL with joints and friction: links that swing against rough walls without a failure.
//!
//! The trajectories of an independent implementation are looked for as `shared/reference/energy/ggl_joint_friction_*.csv` beside the
//! repository or above it; without them that test says so. The long forms run with `--ignored`.

mod common;

use common::{bodies, scheme, start};
use percussion_model::bodies::math::Vec3;
use percussion_model::bodies::{Bodies, BodyParts, JointKind, PairLaw, SceneParts, Shape};
use percussion_solve::SolverOptions;
use percussion_step::problems::{Dice, ground, joint, scene, solid};
use percussion_step::{LedgerEntry, Problem, Simulation};
use std::path::Path;

const GGL: &str = "generalized-alpha-ggl";

/// A plane wall through a point, turned by an angle.
fn wall(name: &str, position: Vec3, angle: f64) -> BodyParts {
    let rotation = [(0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin()];
    BodyParts { name: name.into(), shape: Shape::plane(), position, rotation, ..ground() }
}

/// A disk of mass m at the end of a link.
fn bob(name: &str, position: Vec3, m: f64, radius: f64) -> BodyParts {
    let moment = 0.5 * m * radius * radius;
    BodyParts { shape: Shape::sphere(radius), ..solid(name, position, m, [moment; 3]) }
}

fn law(restitution: f64, friction: f64) -> PairLaw {
    PairLaw { restitution, friction, ..Default::default() }
}

/// A bob on a link of 1 m falls from the horizontal onto a wall.
fn swinging(mu: f64) -> Problem {
    let all = vec![wall("wall", [0.0, -0.9, 0.0], 0.35), ground(), bob("bob", [1.0, 0.0, 0.0], 1.0, 0.1)];
    let mut parts = scene(true, [0.0, -9.81, 0.0], all, law(0.6, mu)).expect("a law");
    parts.joints.push(joint("pin", JointKind::Revolute, [1, 2], [0.0; 3], [0.0, 0.0, 1.0]));
    bodies(parts)
}

/// One or two links, in the plane or in space, and one or two walls.
fn links(seed: u64) -> SceneParts {
    let mut dice = Dice(77_000 + seed);
    let (planar, two) = (seed.is_multiple_of(2), dice.whole(0, 1) == 1);
    let up = |x: f64, y: f64| if planar { [x, y, 0.0] } else { [x, 0.0, y] };
    let mut all = vec![ground(), bob("first", up(1.0, 0.0), dice.real(0.2, 2.0), dice.real(0.05, 0.2))];
    if two {
        all.push(bob("second", up(1.8, 0.0), dice.real(0.2, 2.0), dice.real(0.05, 0.2)));
    }
    for k in 0..dice.whole(1, 2) {
        let (x, y, turn) = (dice.real(-0.3, 0.3), dice.real(-0.9, -0.4), dice.real(0.0, 0.6));
        let mut wall =
            wall(&format!("wall {k}"), up(if k == 0 { x } else { -0.5 }, y), if k == 0 { turn } else { -0.7 });
        if !planar {
            // normal z, leaning about y
            wall.rotation = [wall.rotation[0], 0.0, -wall.rotation[3], 0.0];
        }
        all.push(wall);
    }
    let law = law(dice.real(0.0, 1.0), dice.real(0.1, 1.2));
    let mut parts = scene(planar, up(0.0, -9.81), all, law).expect("a law");
    let (kind, axis) = if planar {
        (JointKind::Revolute, [0.0, 0.0, 1.0])
    } else {
        ([JointKind::Revolute, JointKind::Spherical][dice.whole(0, 1)], [0.0, 1.0, 0.0])
    };
    parts.joints.push(joint("pin", kind, [0, 1], [0.0; 3], axis));
    if two {
        parts.joints.push(joint("elbow", kind, [1, 2], up(1.0, 0.0), axis));
    }
    parts
}

/// Steps until the end; the deepest gap, and the words of a failure.
fn steps(problem: &Problem, h: f64, end: f64) -> Result<f64, String> {
    let mut run = start(problem, &scheme(GGL, |_| {}), h);
    let mut deepest = 0.0_f64;
    for _ in 0..(end / h).round() as usize {
        let step = run.advance().map_err(|failure| failure.to_string())?;
        deepest = step.contacts.iter().fold(deepest, |d, c| d.max(-c.gap));
        if step.ledger.balance.abs() > 1e-10 * step.ledger.energy().abs().max(1.0) {
            let LedgerEntry { balance, work_contact, .. } = step.ledger;
            return Err(format!("ledger open by {balance:e} J where contacts did {work_contact:e} J"));
        }
    }
    Ok(deepest)
}

/// No failure, and no penetration, in so many links; where the walls lie over the start, others are drawn.
fn swing_many(count: usize) {
    let mut failed = Vec::new();
    let scenes = (0..).filter_map(|seed| Some((seed, Problem::bodies(Bodies::new(links(seed)).ok()?).ok()?)));
    for (seed, problem) in scenes.take(count) {
        let h = [1e-3, 2e-3, 4e-3][(seed % 3) as usize];
        match steps(&problem, h, 1.0) {
            Ok(deepest) if deepest <= 1e-9 => {}
            Ok(deepest) => failed.push((seed, format!("{deepest:e} m deep"))),
            Err(words) => failed.push((seed, words)),
        }
    }
    assert!(failed.is_empty(), "{} of {count} failed: {failed:?}", failed.len());
}

/// Positions and velocities of an independent implementation to 1e-8, row by row.
#[test]
fn an_independent_implementation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/reference/energy"))
        .find(|folder| folder.join("ggl_joint_friction_mu0.3_h0.001.csv").is_file());
    let Some(folder) = folder else {
        println!("shared/reference/energy/ggl_joint_friction_*.csv is not here: nothing compared");
        return;
    };
    for (mu, h) in [(0.3, 1e-3), (0.3, 5e-4), (1.0, 5e-4)] {
        let table = folder.join(format!("ggl_joint_friction_mu{mu}_h{h}.csv"));
        let table = std::fs::read_to_string(table).expect("a table");
        let options = SolverOptions { tolerance: 1e-12, ..Default::default() };
        let scheme = scheme(GGL, |o| o.rho_inf = Some(0.8));
        let mut run = Simulation::new(&swinging(mu), &scheme, options, h).expect("accepted");
        let (mut worst, mut number) = (0.0_f64, 0);
        let mut after = Vec::new();
        for line in table.lines().skip(1) {
            let x: Vec<f64> = line.split(',').map(|x| x.parse().expect("a number")).collect();
            while number < (x[0] / h).round() as usize {
                let step = run.advance().unwrap_or_else(|failure| panic!("{failure}"));
                after = [&step.after.q[6..], &step.after.v[6..]].concat();
                number += 1;
            }
            worst = after.iter().zip(&x[1..7]).fold(worst, |worst, (a, b)| worst.max((a - b).abs()));
        }
        println!("mu = {mu}, h = {h}: off by at most {worst:.1e}");
        assert!(worst <= 1e-8, "mu = {mu}, h = {h}: {worst:e}");
    }
}

/// A bob on a link meets a rough wall: every friction, coarse steps and fine ones.
#[test]
fn a_bob_on_a_link() {
    for mu in [0.3, 0.6, 1.0] {
        for h in [2e-3, 1e-3, 5e-4] {
            let deepest = steps(&swinging(mu), h, 1.2).unwrap_or_else(|words| panic!("mu = {mu}, h = {h}: {words}"));
            assert!(deepest <= 1e-12, "mu = {mu}, h = {h}: {deepest:e}");
        }
    }
}

/// The bob with fine steps.
#[test]
#[ignore = "some seconds"]
fn a_bob_in_fine_steps() {
    for mu in [0.3, 0.6, 1.0] {
        for h in [2e-4, 1e-4, 5e-5, 2e-5] {
            steps(&swinging(mu), h, 1.2).unwrap_or_else(|words| panic!("mu = {mu}, h = {h}: {words}"));
        }
    }
}

/// Random links against random walls, one in ten of them; the long form has all.
#[test]
fn fifty_random_links() {
    swing_many(50);
}

/// Random links against random walls: none of 500 fails.
#[test]
#[ignore = "the long form"]
fn five_hundred_random_links() {
    swing_many(500);
}
