//! Jointed bodies followed from event to event: pendulums, stops, springs, motors, and what is refused.

use percussion_model::bodies::math::Vec3;
use percussion_model::bodies::{
    Bodies, BodyParts, JointKind, JointParts, Journal, Motion, Motor, PairLaw, SceneParts, Spring,
};
use percussion_model::{Code, InputError, Signal};
use percussion_solve::SolverOptions;
use percussion_step::problems::{cuboid, ground, joint, scene, solid};
use percussion_step::{EventKind, Problem, Scheme, Simulation};

const G: f64 = 9.81;

fn parts(planar: bool, bodies: Vec<BodyParts>, gravity: Vec3) -> SceneParts {
    scene(planar, gravity, bodies, PairLaw::default()).expect("a law")
}

/// A thin rod along x, its moments of inertia a little apart from each other.
fn rod(name: &str, mass: f64, length: f64, position: Vec3) -> BodyParts {
    let i = mass * length * length / 12.0;
    solid(name, position, mass, [0.1 * i, i, 1.05 * i])
}

fn hinge(name: &str, bodies: [usize; 2], anchor: Vec3, axis: Vec3) -> JointParts {
    joint(name, JointKind::Revolute, bodies, anchor, axis)
}

fn run(parts: SceneParts, h: f64) -> Result<(Simulation, Bodies), InputError> {
    let scene = Bodies::new(parts)?;
    let problem = Problem::bodies(scene.clone())?;
    let scheme = Scheme::named("event-driven")?;
    Ok((Simulation::new(&problem, &scheme, SolverOptions::default(), h)?, scene))
}

/// The largest violation of a joint over a run, and the largest residual and change of energy over the largest energy.
fn watch(run: &mut Simulation, scene: &Bodies, steps: usize) -> (f64, f64, f64) {
    let start = run.initial_ledger().energy();
    let (mut joint, mut residual, mut change, mut size) = (0.0_f64, 0.0_f64, 0.0_f64, 1e-300_f64);
    for _ in 0..steps {
        let ledger = run.advance().unwrap().ledger;
        residual = residual.max(ledger.balance.abs());
        change = change.max((ledger.energy() - start).abs());
        size = size.max(ledger.kinetic);
        for k in 0..scene.n_rigid_rows() {
            joint = joint.max(scene.rigid_violation(k, &run.state().q).abs());
        }
    }
    (joint, residual / size, change / size)
}

/// A double pendulum in the plane and the same one in space: the same motion, joints to 1e-13, energy to 1e-10.
#[test]
fn double_pendulum_in_plane_and_space() {
    let mut ends = Vec::new();
    for planar in [true, false] {
        // swings in the x-y plane
        let mut scene = parts(
            planar,
            vec![ground(), rod("a", 1.0, 1.0, [0.5, 0.0, 0.0]), rod("b", 0.5, 0.8, [1.4, 0.0, 0.0])],
            [0.0, -G, 0.0],
        );
        let axis = [0.0, 0.0, 1.0];
        scene.joints = vec![hinge("first", [0, 1], [0.0; 3], axis), hinge("second", [1, 2], [1.0, 0.0, 0.0], axis)];
        let (mut run, scene) = run(scene, 0.01).unwrap();
        let (joint, residual, change) = watch(&mut run, &scene, 200);
        assert!(joint < 1e-13 && residual < 1e-10 && change < 1e-10, "{joint} {residual} {change}");
        let state = run.state();
        let i = if planar { 3 } else { 7 };
        ends.push([state.q[i], state.q[i + 1], state.q[2 * i], state.q[2 * i + 1]]);
    }
    for k in 0..4 {
        assert!((ends[0][k] - ends[1][k]).abs() < 1e-8, "{ends:?}");
    }
}

/// A physical pendulum let go level against a stop straight down: by energy it arrives with θ̇² = 3 g/l·…, and leaves with e times it.
#[test]
fn pendulum_meets_its_stop() {
    for planar in [true, false] {
        let mut scene = parts(planar, vec![ground(), rod("arm", 1.0, 1.0, [0.5, 0.0, 0.0])], [0.0, -G, 0.0]);
        let down = -std::f64::consts::FRAC_PI_2;
        scene.joints = vec![JointParts {
            limits: Some([down, 1.0]),
            restitution: 0.6,
            ..hinge("pin", [0, 1], [0.0; 3], [0.0, 0.0, 1.0])
        }];
        let (mut run, scene) = run(scene, 0.01).unwrap();
        let first = scene.first_joint_contact() as usize;
        let mut events = Vec::new();
        for _ in 0..150 {
            events.extend(run.advance().unwrap().events.iter().filter(|e| e.kind == EventKind::Impact).copied());
        }
        // ½ I θ̇² = m g l/2, I = m l²/4 + I_z
        let inertia = 0.25 + 1.05 / 12.0;
        let speed = (G / inertia).sqrt();
        assert!(events.len() >= 2 && events[0].contact == first);
        let (u, after) = (events[0].u_before.unwrap(), events[0].u_after.unwrap());
        assert!((u + speed).abs() < 1e-9 && (after - 0.6 * speed).abs() < 1e-9, "{u} {after} {speed}");
        // the second approach is the first departure
        assert!((events[1].u_before.unwrap() + after).abs() < 1e-9);
    }
}

/// Two balls on a spring with a damper, pulled by a constant force: the ledger books spring, damper, drag and load.
#[test]
fn springs_dampers_and_loads_are_booked() {
    let body = |name: &str, x: f64| BodyParts {
        angular_velocity: [1.0, -2.0, 0.5],
        drag: [0.1, 0.05],
        ..solid(name, [x, 0.0, 0.0], 1.0, [0.1, 0.2, 0.25])
    };
    let mut first = body("a", 0.0);
    first.force = [Signal::harmonic(1.0, 0.5, 3.0, 0.2), Signal::constant(0.3), Signal::default()];
    first.torque = [Signal::default(), Signal::constant(0.1), Signal::default()];
    let mut scene = parts(false, vec![first, body("b", 1.0)], [0.0, 0.0, -1.0]);
    scene.springs = vec![Spring {
        bodies: [0, 1],
        points: [[0.0, 0.1, 0.0], [0.0, 0.0, 0.2]],
        stiffness: 40.0,
        damping: 0.5,
        length: 0.8,
    }];
    let (mut run, scene) = run(scene, 0.02).unwrap();
    let (mut damping, mut external) = (0.0, 0.0);
    let start = run.initial_ledger().energy();
    for _ in 0..200 {
        let ledger = run.advance().unwrap().ledger;
        assert!(ledger.balance.abs() < 1e-9, "{}", ledger.balance);
        assert!(ledger.work_damping <= 0.0);
        damping += ledger.work_damping;
        external += ledger.work_external;
    }
    let state = run.state();
    let end = scene.kinetic_energy(&state.v) + scene.potential_energy(&state.q);
    assert!((end - start - damping - external).abs() < 1e-8 && damping < -0.1 && external.abs() > 0.1);
}

/// A motor turns a flywheel against a spring and a damper on its angle: θ̈ = (M − k θ − d θ̇)/I in closed form.
#[test]
fn a_motor_turns_against_spring_and_damper() {
    let (M, k, d) = (0.4, 2.0, 0.3);
    let mut scene = parts(false, vec![ground(), rod("wheel", 1.0, 1.0, [0.0; 3])], [0.0; 3]);
    scene.joints = vec![JointParts {
        motor: Some(Motor::Force(Signal::constant(M))),
        stiffness: k,
        damping: d,
        ..hinge("axle", [0, 1], [0.0; 3], [0.0, 0.0, 1.0])
    }];
    let (mut run, scene) = run(scene, 0.01).unwrap();
    let (joint, residual, _) = watch(&mut run, &scene, 100);
    assert!(joint < 1e-13 && residual < 1e-10, "{joint} {residual}");
    let inertia = 1.05 / 12.0;
    let (decay, omega) = (0.5 * d / inertia, (k / inertia - (0.5 * d / inertia).powi(2)).sqrt());
    let t: f64 = 1.0;
    let angle = M / k * (1.0 - (-decay * t).exp() * ((omega * t).cos() + decay / omega * (omega * t).sin()));
    let q = &run.state().q[7..];
    let turned = 2.0 * q[6].atan2(q[3]);
    assert!((turned - angle).abs() < 1e-9, "{turned} {angle}");
}

/// What has no smooth motion between located events is refused with a code, the name of the thing and another scheme.
#[test]
fn what_it_cannot_do_is_named() {
    let brick = |name: &str, z: f64| cuboid(name, [0.1; 3], [0.0, 0.0, z]);
    let refusal = |scene: SceneParts| match run(scene, 0.01) {
        Err(error) => error,
        Ok(_) => panic!("refused"),
    };
    let boxes = refusal(parts(false, vec![brick("lower", 0.0), brick("upper", 0.3)], [0.0; 3]));
    let mut moved = brick("table", 0.0);
    moved.motion = Motion::Prescribed { velocity: Default::default(), angular_velocity: Default::default() };
    let moved = refusal(parts(false, vec![moved, rod("rod", 1.0, 1.0, [0.0; 3])], [0.0; 3]));
    let mut play = parts(false, vec![ground(), rod("pin", 1.0, 1.0, [0.5, 0.0, 0.0])], [0.0; 3]);
    let kind = JointKind::Journal(Journal { radius: 0.01, clearance: 1e-3, length: 0.0 });
    play.joints = vec![JointParts { kind, ..hinge("worn", [0, 1], [0.0; 3], [0.0, 0.0, 1.0]) }];
    let mut driven = parts(false, vec![ground(), rod("crank", 1.0, 1.0, [0.5, 0.0, 0.0])], [0.0; 3]);
    let motor = Some(Motor::Velocity(Signal::constant(1.0)));
    driven.joints = vec![JointParts { motor, ..hinge("engine", [0, 1], [0.0; 3], [0.0, 0.0, 1.0]) }];
    let cases =
        [(boxes, "\"lower\""), (moved, "\"table\""), (refusal(play), "\"worn\""), (refusal(driven), "\"engine\"")];
    for (error, name) in cases {
        let text = format!("{error:?}");
        assert!(error.code == Code::UNSUPPORTED && text.contains(name.trim_matches('"')), "{text}");
        assert!(text.contains("moreau-jean"), "{text}");
    }
}
