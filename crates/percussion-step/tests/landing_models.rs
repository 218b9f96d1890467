//! The scheme `landing` on nonlinear models: trajectories of an independent implementation, joints, friction, random mechanisms.
//!
//! The trajectories are read from `shared/reference/energy`; where that folder is absent the test says so.

mod common;

use common::{as_nonlinear, audited, run, scheme};
use percussion_model::nonlinear::RockingBlock;
use percussion_step::problems::{Dice, Recipe, pendulum, random_system};
use percussion_step::{Problem, Scheme};
use std::path::PathBuf;
use std::sync::Arc;

fn landing() -> Scheme {
    scheme("landing", |_| {})
}

fn inside() -> Scheme {
    scheme("landing", |o| o.landing = Some("inside".into()))
}

fn swing(e: f64) -> Problem {
    pendulum(e).expect("a pendulum")
}

fn block(e: f64, mu: f64, v_x: f64) -> Problem {
    let model = RockingBlock::new(1.0, 1.0, 1.5, 9.81, e).expect("a block").with_friction(mu).expect("a block");
    Problem::nonlinear(Arc::new(model), vec![0.0, 1.0, 0.2], vec![v_x, 0.0, 0.0]).expect("a block above the floor")
}

/// Gravity is a load in the files and a potential here: kinetic energies are compared.
#[test]
fn reference_trajectories() {
    let cases = [
        ("landing_pendulum", swing(0.8), 2e-3, 2.0, f64::INFINITY),
        ("landing_block", block(0.5, 0.0, 0.0), 1e-2, 2.0, f64::INFINITY),
        ("landing_block_friction", block(0.5, 0.3, 1.0), 1e-2, 2.0, 0.9),
    ];
    for (name, problem, h, end, until) in cases {
        let path =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../../shared/reference/energy/{name}.csv"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("{} is absent: not compared", path.display());
            return;
        };
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
        let found = run(&problem, &landing(), h, end);
        let (mut early, mut late) = (0.0_f64, 0.0_f64);
        for line in lines {
            let row: Vec<f64> = line.split(',').map(|x| x.parse().expect("a number")).collect();
            let k = (row[0] / h).round() as usize;
            for (name, x) in names.iter().zip(&row) {
                let here = match (name.split_at(1), *name) {
                    (_, "E") => found.ledger[k].kinetic,
                    (("q", i), _) => found.q(k)[i.parse::<usize>().expect("an index")],
                    (("v", i), _) => found.v(k)[i.parse::<usize>().expect("an index")],
                    _ => continue,
                };
                let worst = if row[0] <= until { &mut early } else { &mut late };
                *worst = worst.max((here - x).abs());
            }
        }
        println!("{name}: {early:.1e}, later {late:.1e}");
        assert!(early <= 1e-9 && late <= 1e-6, "{name}: {early:e}, {late:e}");
    }
}

/// Gain, closure and penetration of mechanisms at several steps, restitutions and frictions.
#[test]
fn mechanisms_gain_nothing_and_pass_nothing() {
    for e in [0.0, 0.5, 1.0] {
        for (name, problem, h) in [
            ("pendulum", swing(e), 1e-3),
            ("block", block(e, 0.0, 0.0), 1e-2),
            ("rough block", block(e, 0.3, 1.0), 1e-2),
        ] {
            for scheme in [landing(), inside()] {
                let (run, audit) = audited(&problem, &scheme, h, 3.0);
                let E = audit.largest_energy();
                let last = run.v(run.len() - 1).iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                let joint = (0..problem.model.n_joints())
                    .map(|j| problem.model.joint_distance(j, run.q(run.len() - 1)))
                    .fold(0.0, f64::max);
                println!(
                    "{name} e = {e} {:?}: gain {:.1e}, closure {:.1e}, depth {:.1e}, joint {joint:.1e}, |v| {last:.1e}",
                    scheme.parameters()[0].1,
                    audit.largest_gain() / E,
                    audit.largest_residual() / E,
                    audit.deepest()
                );
                assert!(audit.largest_gain() <= 1e-12 * E && audit.largest_residual() <= 1e-11 * E, "{name} e = {e}");
                assert!(audit.deepest() <= 1e-13 && joint <= 1e-13, "{name} e = {e}");
            }
        }
    }
}

/// A linear model moved as a nonlinear one goes the same way.
#[test]
fn as_on_linear_models() {
    let mut dice = Dice(3);
    for _ in 0..20 {
        let problem =
            random_system(&mut dice, Recipe { joints: 1, loads_vary: false, ..Recipe::USUAL }).expect("a system");
        let (one, other) = (run(&problem, &landing(), 5e-3, 0.5), run(&as_nonlinear(&problem), &landing(), 5e-3, 0.5));
        let apart = one.q.iter().zip(&other.q).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()));
        assert!(apart <= 1e-6, "{apart:e}");
    }
}
