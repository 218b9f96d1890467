//! A chain of hinged rods by `energy-momentum`: steps per second of CPU time, violation of the joints, energy error.
//!
//! `chain [links] [seconds simulated] [plane|space]`; the chain of the book is `20 5 space`, h = 1e-3.

use percussion_model::bodies::{
    Bodies, BodyParts, JointKind, JointParts, Materials, Matter, Motion, PairLaw, SceneParts,
};
use percussion_solve::SolverOptions;
use percussion_step::{Problem, Scheme, Simulation};
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let n: usize = arguments.get(1).and_then(|x| x.parse().ok()).unwrap_or(20);
    let end: f64 = arguments.get(2).and_then(|x| x.parse().ok()).unwrap_or(5.0);
    let planar = arguments.get(3).is_some_and(|x| x == "plane");
    let scene = chain(n, planar);
    let problem = Problem::bodies(scene.clone()).expect("a chain at rest");
    let scheme = Scheme::named("energy-momentum").expect("a scheme");
    let h = 1e-3;
    let steps = (end / h).round() as u64;
    // once for speed, once for what the joints and the energy do
    let mut run = Simulation::new(&problem, &scheme, SolverOptions::default(), h).expect("a valid run");
    let (started, cpu) = (Instant::now(), cpu_seconds());
    for _ in 0..steps {
        run.advance().expect("a step");
    }
    let (used, wall) = (cpu_seconds() - cpu, started.elapsed().as_secs_f64());
    let statistics = run.statistics();
    let mut run = Simulation::new(&problem, &scheme, SolverOptions::default(), h).expect("a valid run");
    let E = run.initial_ledger().energy();
    let (mut drift, mut error, mut residual) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..steps {
        let step = run.advance().expect("a step");
        error = error.max((step.ledger.energy() - E).abs());
        residual = residual.max(step.ledger.balance.abs());
        for k in 0..scene.n_rigid_rows() {
            drift = drift.max(scene.rigid_violation(k, &step.after.q).abs());
        }
    }
    let scale = 9.81 * 0.25 * (n * n) as f64;
    println!(
        "{n} links in {}: {:.0} steps/s (cpu), wall {wall:.2} s, violation {drift:.1e} m, energy error {:.1e} of {scale:.0} J, \
         residual {residual:.1e} J, {statistics:?}",
        if planar { "the plane" } else { "space" },
        steps as f64 / used,
        error / scale
    );
}

/// Rods of 0.5 m and 1 kg, level, hinged to each other and to a fixed point.
fn chain(n: usize, planar: bool) -> Bodies {
    let mut bodies = vec![BodyParts { name: "hook".into(), motion: Motion::Fixed, ..Default::default() }];
    let mut joints = Vec::new();
    let i = 0.25 / 12.0;
    let inertia = [[6e-4, 0.0, 0.0], [0.0, i, 0.0], [0.0, 0.0, i]];
    for k in 0..n {
        let x = 0.5 * k as f64;
        bodies.push(BodyParts {
            name: format!("rod {k}"),
            matter: Matter::Given { mass: 1.0, inertia },
            position: [x + 0.25, 0.0, 0.0],
            ..Default::default()
        });
        joints.push(JointParts {
            name: format!("hinge {k}"),
            kind: JointKind::Revolute,
            bodies: [k, k + 1],
            anchor: [x, 0.0, 0.0],
            axis: if planar { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] },
            ..Default::default()
        });
    }
    let gravity = if planar { [0.0, -9.81, 0.0] } else { [0.0, 0.0, -9.81] };
    let materials = Materials::uniform(PairLaw::default()).expect("a material");
    let parts = SceneParts {
        planar,
        gravity,
        bodies,
        materials,
        springs: Vec::new(),
        joints,
        no_contact: Vec::new(),
        flexible: Default::default(),
    };
    Bodies::new(parts).expect("a chain")
}

/// CPU time of this process, user and system [s].
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
    let mut ticks = || fields.next().and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks() + ticks()) / 100.0
}
