//! Jointed bodies under generalized-α with contacts and joints at position and velocity level.

mod common;

use percussion_model::Signal;
use percussion_model::bodies::math::Vec3;
use percussion_model::bodies::{
    Bodies, BodyParts, JointKind, JointParts, Motion, Motor, PairLaw, SceneParts, Shape, Spring,
};
use percussion_step::problems::{self, ground, joint, solid};
use percussion_step::{Problem, Simulation};

fn scene(planar: bool, gravity: Vec3, bodies: Vec<BodyParts>, joints: Vec<JointParts>) -> SceneParts {
    let law = PairLaw { restitution: 0.5, friction: 0.3, ..Default::default() };
    SceneParts { joints, ..problems::scene(planar, gravity, bodies, law).expect("a law") }
}

fn start(parts: &SceneParts, scheme: &str, h: f64) -> (Simulation, Bodies) {
    let scene = Bodies::new(parts.clone()).expect("a scene");
    let problem = Problem::bodies(scene.clone()).expect("a problem");
    (common::start(&problem, &common::scheme(scheme, |_| ()), h), scene)
}

const GGL: &str = "generalized-alpha-ggl";

/// The largest violation of any joint.
fn violation(scene: &Bodies, q: &[f64]) -> f64 {
    (0..scene.n_rigid_rows()).map(|k| scene.rigid_violation(k, q).abs()).fold(0.0, f64::max)
}

/// The largest |D v| of any joint: its violation one small step further, over that step.
fn drift(scene: &Bodies, q: &[f64], v: &[f64]) -> f64 {
    let e = 1e-6;
    let at = |sign: f64| {
        let mut there = q.to_vec();
        (0..scene.len()).for_each(|i| scene.advance(i, q, sign * e, &scene.twist(i, v), &mut there));
        (0..scene.n_rigid_rows()).map(|k| scene.rigid_violation(k, &there)).collect::<Vec<_>>()
    };
    at(1.0).iter().zip(at(-1.0)).map(|(a, b)| (a - b).abs() / (2.0 * e)).fold(0.0, f64::max)
}

/// A double pendulum in space, spherical and revolute joints.
fn double_pendulum() -> SceneParts {
    let mut upper = solid("upper", [0.3, 0.0, 0.0], 1.0, [0.01, 0.03, 0.03]);
    upper.angular_velocity = [0.0, 0.0, 2.0];
    upper.velocity = [0.0, 0.6, 0.0];
    let mut lower = solid("lower", [0.8, 0.0, 0.0], 0.7, [0.02, 0.015, 0.03]);
    lower.angular_velocity = [0.0, 0.0, 2.0];
    lower.velocity = [0.0, 1.6, 0.0];
    let joints = vec![
        joint("hook", JointKind::Spherical, [0, 1], [0.0; 3], [0.0, 0.0, 1.0]),
        joint("knee", JointKind::Revolute, [1, 2], [0.6, 0.0, 0.0], [0.0, 1.0, 0.0]),
    ];
    scene(false, [0.0, 0.0, -9.81], vec![ground(), upper, lower], joints)
}

/// Without contact: order two against an energy-momentum run of steps eight times finer than the finest, joints to 1e-10 in
/// position and velocity, the ledger to round-off.
#[test]
fn a_double_pendulum_is_of_order_two() {
    let parts = double_pendulum();
    let end = 0.5;
    let (mut exact, _) = start(&parts, "energy-momentum", 1.25e-4);
    for _ in 0..(end / 1.25e-4 + 0.5) as usize {
        exact.advance().expect("a step");
    }
    let errors = [4e-3, 2e-3, 1e-3].map(|h| {
        let (mut run, bodies) = start(&parts, GGL, h);
        let energy = run.initial_ledger().kinetic;
        for _ in 0..(end / h + 0.5) as usize {
            let step = run.advance().expect("a step");
            assert!(violation(&bodies, &step.after.q) <= 1e-12, "{:e}", violation(&bodies, &step.after.q));
            assert!(drift(&bodies, &step.after.q, &step.after.v) <= 1e-9);
            assert!(step.ledger.balance.abs() <= 1e-12 * energy.max(10.0), "{:e}", step.ledger.balance);
        }
        run.state().q.iter().zip(&exact.state().q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    });
    println!("errors {errors:?}");
    let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
    assert!(orders.iter().all(|p| (1.7..2.5).contains(p)), "{errors:?}: orders {orders:?}");
}

/// A rod that swings against a stop of its hinge, and one against a wall, e = ½: no penetration, joints to 1e-10, the ledger
/// closes, and the energy that is left after the first impact is that of Moreau and Jean's scheme at fine steps.
#[test]
fn a_pendulum_against_its_stop() {
    let rod = |x: f64| BodyParts { shape: Shape::sphere(0.05), ..solid("rod", [x, 0.0, 0.0], 1.0, [0.1, 0.1, 0.1]) };
    let mut hinge = joint("hinge", JointKind::Revolute, [0, 1], [0.0; 3], [0.0, 0.0, 1.0]);
    hinge.limits = Some([-1.2, 3.0]);
    hinge.restitution = 0.5;
    let stopped = scene(true, [0.0, -9.81, 0.0], vec![ground(), rod(1.0)], vec![hinge.clone()]);
    hinge.limits = None;
    let wall = BodyParts {
        name: "wall".into(),
        shape: Shape::cuboid([0.2, 2.0, 0.0]),
        position: [0.1, -1.0, 0.0],
        motion: Motion::Fixed,
        ..Default::default()
    };
    let walled = scene(true, [0.0, -9.81, 0.0], vec![ground(), rod(1.0), wall], vec![hinge]);
    for (name, parts) in [("stop", stopped), ("wall", walled)] {
        let after_impact = |scheme: &str, h: f64| {
            let (mut run, bodies) = start(&parts, scheme, h);
            let (mut struck, mut lowest) = (false, f64::INFINITY);
            let mut energies = Vec::new();
            for _ in 0..(1.0 / h) as usize {
                let step = run.advance().expect("a step");
                struck |= step.contacts.iter().any(|c| c.p > 0.0);
                if scheme == GGL {
                    lowest = step.contacts.iter().map(|c| c.gap).fold(lowest, f64::min);
                    assert!(violation(&bodies, &step.after.q) <= 1e-10, "{:e}", violation(&bodies, &step.after.q));
                    assert!(step.ledger.balance.abs() <= 1e-12 * 10.0, "{name} {:e}", step.ledger.balance);
                }
                if struck {
                    energies.push(step.ledger.energy());
                }
            }
            assert!(struck && (scheme != GGL || lowest >= -1e-12), "{name}: gap {lowest:e}");
            energies[0]
        };
        let (ours, fine) = (after_impact(GGL, 1e-3), after_impact("moreau-jean", 1e-5));
        println!("{name}: {ours} {fine}");
        assert!((ours - fine).abs() <= 0.02 * fine.abs(), "{name}: {ours} {fine}");
    }
}

/// A stiff spring with a damper between two points, and a spring on a hinge: the motion of energy-momentum at fine steps.
#[test]
fn springs_and_dampers() {
    let mut parts = double_pendulum();
    parts.joints[1].stiffness = 200.0;
    parts.joints[1].damping = 0.2;
    parts.springs.push(Spring {
        bodies: [0, 2],
        points: [[0.0, 0.0, 0.5], [0.1, 0.0, 0.0]],
        stiffness: 5000.0,
        damping: 3.0,
        length: 0.8,
    });
    let end = 0.3;
    let (mut exact, _) = start(&parts, "energy-momentum", 2.5e-5);
    for _ in 0..(end / 2.5e-5 + 0.5) as usize {
        exact.advance().expect("a step");
    }
    let errors = [1e-3, 5e-4].map(|h| {
        let (mut run, bodies) = start(&parts, GGL, h);
        let mut damped = 0.0;
        for _ in 0..(end / h + 0.5) as usize {
            let step = run.advance().expect("a step");
            assert!(violation(&bodies, &step.after.q) <= 1e-12);
            assert!(step.ledger.balance.abs() <= 1e-11, "{:e}", step.ledger.balance);
            damped += step.ledger.work_damping;
        }
        assert!(damped < -0.1, "{damped}");
        run.state().q.iter().zip(&exact.state().q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    });
    println!("errors {errors:?}");
    assert!(errors[0] / errors[1] > 3.0 && errors[1] < 1e-3, "{errors:?}");
}

/// A motor that turns a crank at ω: c = ω t to round-off of the steps, whatever hangs on it; one that pushes with a force does the
/// work f Δc.
#[test]
fn motors() {
    let mut parts = double_pendulum();
    parts.bodies[1].velocity = [0.0, 0.0, 0.0];
    parts.bodies[1].angular_velocity = [0.0; 3];
    parts.bodies[2].velocity = [0.0; 3];
    parts.bodies[2].angular_velocity = [0.0; 3];
    parts.joints[0] = joint("crank", JointKind::Revolute, [0, 1], [0.0; 3], [0.0, 1.0, 0.0]);
    parts.joints[0].motor = Some(Motor::Velocity(Signal::constant(0.0)));
    let (mut run, bodies) = start(&parts, GGL, 1e-3);
    for _ in 0..200 {
        let step = run.advance().expect("a step");
        assert!(violation(&bodies, &step.after.q) <= 1e-12);
        let w: f64 = step.after.v[6 + 3..6 + 6].iter().map(|w| w * w).sum::<f64>().sqrt();
        assert!(w <= 1e-11, "the crank is held: {w:e}");
    }
    let force = 0.3;
    parts.gravity = [0.0; 3];
    parts.joints[0].motor = Some(Motor::Force(Signal::constant(force)));
    let (mut run, _) = start(&parts, GGL, 1e-3);
    let (mut external, first) = (0.0, run.initial_ledger().energy());
    let mut last = first;
    for _ in 0..200 {
        let step = run.advance().expect("a step");
        external += step.ledger.work_external;
        last = step.ledger.energy();
    }
    assert!(last > 1e-3 && (last - first - external).abs() <= 1e-3 * last, "{last} {external}");
}

/// Two hinges in line hold a door twice: the motion is that of one hinge.
#[test]
fn dependent_joints_pass() {
    let door = |second: bool| {
        let mut door = solid("door", [0.4, 0.0, 0.0], 5.0, [0.2, 0.5, 0.3]);
        door.angular_velocity = [0.0, 0.0, 1.5];
        door.velocity = [0.0, 0.6, 0.0];
        let hinge = |name: &str, z: f64| joint(name, JointKind::Revolute, [0, 1], [0.0, 0.0, z], [0.0, 0.0, 1.0]);
        let mut joints = vec![hinge("lower", -0.5)];
        if second {
            joints.push(hinge("upper", 0.5));
        }
        scene(false, [0.0, 0.0, -9.81], vec![ground(), door], joints)
    };
    let ends = [false, true].map(|second| {
        let (mut run, bodies) = start(&door(second), GGL, 1e-3);
        for _ in 0..300 {
            let step = run.advance().expect("a step");
            assert!(violation(&bodies, &step.after.q) <= 1e-11, "{:e}", violation(&bodies, &step.after.q));
        }
        run.state().q.clone()
    });
    let apart = ends[0].iter().zip(&ends[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart <= 1e-9, "{apart:e}");
}
