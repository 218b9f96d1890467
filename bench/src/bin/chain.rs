//! Trees of joints: steps per second of CPU time, violation of the joints, energy error.
//!
//! `chain [links] [seconds simulated] [plane|space]`: hinged rods by `energy-momentum`; the chain of the book is `20 5 space`.
//! `chain arm [seconds]`: an arm with six hinges, of the sizes and masses of a UR5, let go level, by `energy-momentum`.
//! `chain quadruped [seconds]`: a trunk on four legs of three hinges with servos, of the sizes and masses of an A1, standing on four round
//! feet with friction, by `moreau-jean`. All with h = 1e-3.

use percussion_model::Signal;
use percussion_model::bodies::math::{Vec3, axpy, scale, sub};
use percussion_model::bodies::{
    Bodies, BodyParts, JointKind, JointParts, Materials, Matter, Motion, Motor, PairLaw, SceneParts, Servo, Shape,
};
use percussion_solve::SolverOptions;
use percussion_step::{Problem, Scheme, Simulation};
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let kind = arguments.get(1).map_or("20", String::as_str);
    let n: usize = kind.parse().unwrap_or(20);
    let end: f64 = arguments.get(2).and_then(|x| x.parse().ok()).unwrap_or(5.0);
    let planar = arguments.get(3).is_some_and(|x| x == "plane");
    let (name, scene, scheme) = match kind {
        "arm" => ("arm of six hinges".into(), arm(), "energy-momentum"),
        "quadruped" => ("standing quadruped".into(), quadruped(), "moreau-jean"),
        _ => (
            format!("{n} links in {}", if planar { "the plane" } else { "space" }),
            chain(n, planar),
            "energy-momentum",
        ),
    };
    let problem = Problem::bodies(scene.clone()).expect("a scene at rest");
    let scheme = Scheme::named(scheme).expect("a scheme");
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
    let (mut drift, mut error, mut residual, mut moving) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..steps {
        let step = run.advance().expect("a step");
        error = error.max((step.ledger.energy() - E).abs());
        residual = residual.max(step.ledger.balance.abs());
        moving = moving.max(step.ledger.kinetic);
        for k in 0..scene.n_rigid_rows() {
            drift = drift.max(scene.rigid_violation(k, &step.after.q).abs());
        }
    }
    println!(
        "{name}: {:.0} steps/s (cpu), wall {wall:.2} s, violation {drift:.1e}, energy changed by {error:.1e} J, largest kinetic {moving:.3e} J, \
         balance of a step {residual:.1e} J, {statistics:?}",
        steps as f64 / used,
    );
    let state = run.state();
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(0x100000001b3);
    println!("hash {:016x}", state.q.iter().chain(&state.v).fold(0xcbf29ce484222325, hash));
    let shown: Vec<String> = state.q.iter().rev().take(7).rev().map(|x| format!("{x:.12e}")).collect();
    println!("the last body is at {}", shown.join(" "));
}

/// Rods of 0.5 m and 1 kg, level, hinged to each other and to a fixed point.
fn chain(n: usize, planar: bool) -> Bodies {
    let mut bodies = vec![held("hook")];
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
        let axis = if planar { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
        joints.push(hinge([k, k + 1], [x, 0.0, 0.0], axis));
    }
    scene(planar, bodies, joints, 0.0)
}

/// Links of a UR5 let go level: mass, and the way of a uniform rod of this radius from one end to the other, and the hinge before it.
fn arm() -> Bodies {
    type Link = (f64, [Vec3; 2], f64, Vec3, Vec3);
    let links: [Link; 6] = [
        (3.7, [[0.0, 0.0, 0.0], [0.0, 0.0, 0.178]], 0.06, [0.0, 0.0, 0.089159], [0.0, 0.0, 1.0]),
        (
            8.393,
            [[0.0, 0.13585, 0.089159], [0.56, 0.13585, 0.089159]],
            0.054,
            [0.0, 0.13585, 0.089159],
            [0.0, 1.0, 0.0],
        ),
        (
            2.275,
            [[0.425, 0.01615, 0.089159], [0.925, 0.01615, 0.089159]],
            0.06,
            [0.425, 0.01615, 0.089159],
            [0.0, 1.0, 0.0],
        ),
        (
            1.219,
            [[0.817, 0.05, 0.089159], [0.817, 0.17, 0.089159]],
            0.06,
            [0.81725, 0.01615, 0.089159],
            [0.0, 1.0, 0.0],
        ),
        (
            1.219,
            [[0.817, 0.10915, 0.05], [0.817, 0.10915, -0.07]],
            0.06,
            [0.81725, 0.10915, 0.089159],
            [0.0, 0.0, -1.0],
        ),
        (
            0.1879,
            [[0.817, 0.15, -0.00549], [0.817, 0.19, -0.00549]],
            0.0375,
            [0.81725, 0.10915, -0.00549],
            [0.0, 1.0, 0.0],
        ),
    ];
    let mut bodies = vec![held("base")];
    let mut joints = Vec::new();
    for (k, (mass, [from, to], radius, anchor, axis)) in links.into_iter().enumerate() {
        bodies.push(rod(format!("link {}", k + 1), mass, (from, to), radius));
        joints.push(hinge([k, k + 1], anchor, axis));
    }
    scene(false, bodies, joints, 0.0)
}

/// A trunk on four legs; every foot is a ball at the end of its shin.
fn quadruped() -> Bodies {
    let (thigh_turn, shin_turn, length, foot) = (0.8_f64, 0.7_f64, 0.2, 0.02);
    let height = length * (thigh_turn.cos() + shin_turn.cos()) + foot;
    let floor = BodyParts { shape: Shape::plane(), ..held("floor") };
    let trunk = BodyParts {
        name: "trunk".into(),
        matter: Matter::Given { mass: 4.713, inertia: [[0.0158, 0.0, 0.0], [0.0, 0.0377, 0.0], [0.0, 0.0, 0.0457]] },
        position: [0.0, 0.0, height],
        contact: false,
        ..Default::default()
    };
    let mut bodies = vec![floor, trunk];
    let mut joints = Vec::new();
    for (x, side) in [(0.1805, 1.0), (0.1805, -1.0), (-0.1805, 1.0), (-0.1805, -1.0)] {
        let first = bodies.len();
        let hip = [x, 0.047 * side, height];
        let shoulder = [x, (0.047 + 0.0838) * side, height];
        let knee = axpy(&shoulder, length, &[-thigh_turn.sin(), 0.0, -thigh_turn.cos()]);
        let end = axpy(&knee, length, &[shin_turn.sin(), 0.0, -shin_turn.cos()]);
        bodies.push(rod(format!("hip {first}"), 0.696, (hip, shoulder), 0.04));
        bodies.push(rod(format!("thigh {first}"), 1.013, (shoulder, knee), 0.025));
        // the shin is a ball at the foot, heavy as shin and foot are together
        let shin = BodyParts {
            shape: Shape::sphere(foot),
            contact: true,
            position: end,
            ..rod(format!("shin {first}"), 0.226, (knee, end), 0.015)
        };
        bodies.push(shin);
        let legs: [([usize; 2], Vec3, Vec3); 3] = [
            ([1, first], hip, [1.0, 0.0, 0.0]),
            ([first, first + 1], shoulder, [0.0, 1.0, 0.0]),
            ([first + 1, first + 2], knee, [0.0, 1.0, 0.0]),
        ];
        for (pair, anchor, axis) in legs {
            let servo =
                Servo { target: Signal::constant(0.0), velocity: None, stiffness: 100.0, damping: 2.0, limit: 33.5 };
            joints.push(JointParts { motor: Some(Motor::Servo(servo)), ..hinge(pair, anchor, axis) });
        }
    }
    scene(false, bodies, joints, 0.7)
}

fn held(name: &str) -> BodyParts {
    BodyParts { name: name.into(), motion: Motion::Fixed, ..Default::default() }
}

fn hinge(bodies: [usize; 2], anchor: Vec3, axis: Vec3) -> JointParts {
    JointParts {
        name: format!("hinge {}", bodies[1]),
        kind: JointKind::Revolute,
        bodies,
        anchor,
        axis,
        ..Default::default()
    }
}

/// A round rod along one of the axes of the world or anywhere in a plane across y, without a shape.
fn rod(name: String, mass: f64, (from, to): (Vec3, Vec3), radius: f64) -> BodyParts {
    let d = sub(&to, &from);
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let (across, along) = (mass * (square / 12.0 + radius * radius / 4.0), mass * radius * radius / 2.0);
    let e = d.map(|x| x / square.sqrt());
    let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    let inertia =
        std::array::from_fn(|i| std::array::from_fn(|j| across * unit(i, j) + (along - across) * e[i] * e[j]));
    let position = axpy(&from, 0.5, &d);
    BodyParts { name, matter: Matter::Given { mass, inertia }, position, contact: false, ..Default::default() }
}

fn scene(planar: bool, bodies: Vec<BodyParts>, joints: Vec<JointParts>, friction: f64) -> Bodies {
    let gravity = scale(-9.81, &if planar { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] });
    let law = PairLaw { friction, ..Default::default() };
    let materials = Materials::uniform(law).expect("a material");
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
    Bodies::new(parts).expect("a tree of joints")
}

/// CPU time of this process, user and system [s].
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
    let mut ticks = || fields.next().and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks() + ticks()) / 100.0
}
