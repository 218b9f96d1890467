//! Linear and angular momentum of bodies: exact where θ = ½, booked for every step.
//!
//!   R₁I w₁ − R₀I w₀ = μ,    contacts and joints between free bodies leave the sum as it is

mod common;

use percussion_model::bodies::math::{Vec3, diagonal, norm, sub};
use percussion_model::bodies::{
    Bodies, BodyParts, JointKind, JointParts, Matter, Motion, Motor, PairLaw, SceneParts, Shape, Spring,
};
use percussion_step::problems::{self, ball, cuboid};
use percussion_step::{FrictionLaw, Scheme, Simulation};

fn scene(planar: bool, gravity: Vec3, bodies: Vec<BodyParts>, e: f64, mu: f64) -> SceneParts {
    let law = PairLaw { restitution: e, friction: mu, ..Default::default() };
    problems::scene(planar, gravity, bodies, law).expect("a law")
}

fn start(parts: SceneParts, scheme: &Scheme, h: f64) -> Simulation {
    common::start(&common::bodies(parts), scheme, h)
}

/// The largest residuals of a run against its largest scales, the largest residual of energy against the largest energy, and the
/// number of impulses.
fn follow(parts: SceneParts, scheme: &Scheme, h: f64, steps: usize) -> ([f64; 2], f64, usize) {
    let mut run = start(parts, scheme, h);
    let (mut residual, mut scale) = ([0.0_f64; 2], [0.0_f64; 2]);
    let (mut energy, mut open, mut contacts) = (run.initial_ledger().energy().abs(), 0.0_f64, 0);
    for _ in 0..steps {
        let step = run.advance().expect("a step");
        assert!(step.momentum.kept);
        for k in 0..2 {
            residual[k] = residual[k].max(step.momentum.residual[k]);
            scale[k] = scale[k].max(step.momentum.scale[k]);
        }
        energy = energy.max(step.ledger.energy().abs()).max(step.ledger.kinetic);
        open = open.max(step.ledger.balance.abs());
        contacts += step.contacts.iter().filter(|c| c.p > 0.0).count();
    }
    ([residual[0] / scale[0], residual[1] / scale[1]], open / energy, contacts)
}

/// Two spheres that spin meet.
fn spinning_spheres(third: f64) -> SceneParts {
    let matter = Matter::Given { mass: 1.0, inertia: diagonal(0.004, 0.004, third) };
    let a = BodyParts { matter: matter.clone(), angular_velocity: [0.0, 0.0, 100.0], ..ball("A", 0.1, [0.0; 3]) };
    let b = BodyParts { matter, velocity: [1.0, 0.0, -5.0], ..ball("B", 0.1, [0.0, 0.0, 0.3]) };
    scene(false, [0.0; 3], vec![a, b], 1.0, 0.1)
}

fn moreau_jean(law: FrictionLaw) -> Scheme {
    Scheme { friction_law: law, ..Scheme::moreau_jean(0.5) }
}

/// Angular momentum of two spheres in an impact, for any step and both ways to count spin.
#[test]
fn spinning_spheres_keep_angular_momentum() {
    for (law, third) in [(FrictionLaw::Checked, 0.004), (FrictionLaw::Fremond, 0.004), (FrictionLaw::Fremond, 0.0041)] {
        for h in [4e-3, 1e-3, 2.5e-4] {
            let steps = (0.04_f64 / h).round() as usize;
            let (off, open, contacts) = follow(spinning_spheres(third), &moreau_jean(law), h, steps);
            println!("{law:?} {third} h = {h}: momentum {off:?}, energy {open:.1e}");
            assert!(contacts > 0);
            assert!(off[0] < 1e-14 && off[1] < 1e-14 && open < 1e-13, "{law:?} h = {h}: {off:?} {open}");
        }
    }
}

/// The prototype's numbers (spin in the frames of the bodies, rows repeated until they stop): the third moment of inertia is one
/// round-off off, so that the bodies do not count as balls.
#[test]
fn spinning_spheres_in_the_frames_of_the_bodies() {
    // h, v_A,x, v_A,z, then R w of A and B at 0.04 s
    let rows = [
        (
            4e-3,
            [-0.125215913562, -4.87395490951],
            [6.29942487714, 10.429498054, 99.270592909, 6.29942487714, 10.429498054, -0.729407091037],
        ),
        (
            1e-3,
            [-0.092175736402, -4.88758702891],
            [6.65530599779, 10.2488532692, 99.3091960863, 6.65530599779, 10.2488532692, -0.690803913695],
        ),
        (
            2.5e-4,
            [-0.0845754041426, -4.8907539374],
            [6.7518041576, 10.1955252237, 99.3184699252, 6.7518041576, 10.1955252237, -0.681530074842],
        ),
    ];
    let parts = || spinning_spheres(0.004 * (1.0 + f64::EPSILON));
    let bodies = Bodies::new(parts()).expect("a scene");
    for (h, v_a, spin) in rows {
        let mut run = start(parts(), &moreau_jean(FrictionLaw::Fremond), h);
        for _ in 0..(0.04_f64 / h).round() as usize {
            run.advance().expect("a step");
        }
        let state = run.state();
        for k in 0..2 {
            let w = percussion_model::bodies::math::mul(&bodies.frame(k, &state.q).R, &bodies.twist(k, &state.v).w);
            let off = norm(&sub(&w, &[spin[3 * k], spin[3 * k + 1], spin[3 * k + 2]]));
            assert!(off < 2e-8, "h = {h}, body {k}: {w:?} is {off:.1e} off");
        }
        let v = bodies.twist(0, &state.v).v;
        assert!((v[0] - v_a[0]).abs() < 1e-9 && (v[2] - v_a[1]).abs() < 1e-9, "h = {h}: {v:?}");
    }
}

/// Bricks, a cradle and jointed pairs in free flight.
#[test]
fn momentum_of_free_flight() {
    let brick = |name: &str, x: Vec3, v: Vec3, w: Vec3| BodyParts {
        matter: Matter::Density(400.0),
        velocity: v,
        angular_velocity: w,
        ..cuboid(name, [0.4, 0.25, 0.15], x)
    };
    let bricks = || {
        let a = brick("a", [0.0; 3], [0.5, 0.0, 0.0], [7.0, -3.0, 5.0]);
        let b = brick("b", [0.6, 0.05, 0.04], [-2.0, 0.1, 0.0], [-4.0, 6.0, 2.0]);
        scene(false, [0.0; 3], vec![a, b], 0.5, 0.4)
    };
    let cradle = || {
        let at = |k: usize, v: f64| {
            let name = format!("ball {k}");
            BodyParts {
                velocity: [v, 0.0, 0.0],
                ..ball(&name, 0.1, [0.2 * k as f64 + if k == 0 { -0.1 } else { 0.0 }, 0.0, 0.0])
            }
        };
        scene(false, [0.0; 3], (0..5).map(|k| at(k, if k == 0 { 2.0 } else { 0.0 })).collect(), 1.0, 0.2)
    };
    let bare = |planar: bool, kind: JointKind| {
        let (shape, z) = (Shape::point(), if planar { 0.0 } else { 1.0 });
        let inertia = diagonal(0.02, 0.05, 0.06);
        let body = |name: &str, x: Vec3, v: Vec3, w: Vec3| BodyParts {
            name: name.into(),
            shape: shape.clone(),
            matter: Matter::Given { mass: 1.5, inertia },
            position: x,
            velocity: v,
            angular_velocity: w,
            ..Default::default()
        };
        // one velocity at the joint, spins that it allows
        let bodies = vec![
            body("a", [0.0; 3], [0.3, 0.0, 0.0], [0.0, 0.0, 2.0]),
            body("b", [1.0, 0.0, 0.0], [0.3, 1.0 - 1.5, 0.0], [0.0, 0.0, -3.0]),
            body("c", [2.0, 0.4 * z, 0.0], [0.3, -0.5, 0.2 * z], [0.0, z, 1.0]),
        ];
        let mut parts = scene(planar, [0.0; 3], bodies, 0.0, 0.0);
        parts.joints = vec![JointParts {
            name: "hinge".into(),
            kind,
            bodies: [0, 1],
            anchor: [0.5, 0.0, 0.0],
            axis: [0.0, 0.0, 1.0],
            ..Default::default()
        }];
        let ends = Spring {
            bodies: [1, 2],
            points: [[0.1, 0.2, 0.0], [0.0, -0.1, 0.0]],
            stiffness: 50.0,
            damping: 0.3,
            length: 0.8,
        };
        parts.springs = vec![ends];
        parts
    };
    let plain = moreau_jean(FrictionLaw::Checked);
    let exact = common::scheme("energy-momentum", |_| {});
    type Case<'a> = (&'a str, SceneParts, &'a Scheme);
    let cases: Vec<Case> = vec![
        ("bricks", bricks(), &plain),
        ("bricks", bricks(), &exact),
        ("cradle", cradle(), &plain),
        ("cradle", cradle(), &exact),
        ("spheres", spinning_spheres(0.004), &exact),
        ("spheres", spinning_spheres(0.005), &exact),
        ("hinge in space", bare(false, JointKind::Revolute), &plain),
        ("hinge in space", bare(false, JointKind::Revolute), &exact),
        ("ball joint", bare(false, JointKind::Spherical), &exact),
        ("hinge in the plane", bare(true, JointKind::Revolute), &exact),
        ("hinge in the plane", bare(true, JointKind::Revolute), &plain),
    ];
    for (name, parts, scheme) in cases {
        let (off, open, contacts) = follow(parts, scheme, 4e-3, 400);
        println!("{name} under {}: momentum {off:?}, energy {open:.1e}, {contacts} impulses", scheme.name);
        assert!(off[0] <= 1e-12 && off[1] <= 1e-12 && open < 1e-12, "{name} under {}: {off:?} {open}", scheme.name);
    }
}

/// Springs, dampers and motors about the hinges of balls and boxes that tumble in free flight: one couple on both bodies.
#[test]
fn angles_of_hinges_keep_momentum() {
    let turn = |x: f64| percussion_model::Signal::harmonic(0.0, x, 9.0, 0.0);
    let motors = [
        None,
        Some(Motor::Force(turn(0.4))),
        Some(Motor::Velocity(turn(3.0))),
        Some(Motor::Servo(percussion_model::bodies::Servo {
            target: turn(0.5),
            velocity: None,
            stiffness: 3.0,
            damping: 0.1,
            limit: f64::INFINITY,
        })),
    ];
    for planar in [false, true] {
        let spin = if planar { [0.0, 0.0, 3.0] } else { [2.0, -3.0, 4.0] };
        for kinds in ["balls", "boxes", "mixed"] {
            for (k, motor) in motors.iter().enumerate() {
                let body = |name: &str, x: Vec3, round: bool| {
                    let shape = if round { ball(name, 0.1, x) } else { cuboid(name, [0.3, 0.2, 0.15], x) };
                    let velocity = percussion_model::bodies::math::cross(&spin, &x);
                    BodyParts { velocity, angular_velocity: spin, ..shape }
                };
                let rounds = [kinds != "boxes", kinds == "balls"];
                let bodies = vec![body("a", [0.0; 3], rounds[0]), body("b", [0.5, 0.0, 0.0], rounds[1])];
                let mut parts = scene(planar, [0.0; 3], bodies, 0.0, 0.0);
                parts.joints = vec![JointParts {
                    name: "hinge".into(),
                    kind: JointKind::Revolute,
                    bodies: [0, 1],
                    anchor: [0.25, 0.0, 0.0],
                    axis: if planar { [0.0, 0.0, 1.0] } else { [0.3, 1.0, 0.2] },
                    stiffness: 8.0,
                    damping: 0.05,
                    rest: 0.4,
                    motor: motor.clone(),
                    armature: if k == 1 { 0.02 } else { 0.0 },
                    ..Default::default()
                }];
                for scheme in [
                    moreau_jean(FrictionLaw::Checked),
                    common::scheme("energy-momentum", |_| {}),
                    common::scheme("landing", |_| {}),
                ] {
                    let (off, open, _) = follow(parts.clone(), &scheme, 4e-3, 250);
                    let name = format!("{kinds}, planar {planar}, motor {k} under {}", scheme.name);
                    println!("{name}: momentum {off:?}, energy {open:.1e}");
                    assert!(off[0] <= 1e-12 && off[1] <= 1e-12 && open < 1e-12, "{name}: {off:?} {open}");
                }
            }
        }
    }
}

/// A ball rolls to 2/7 of the table's turn on an exact circle: second order, 0.1 mm after one turn at 4 ms.
#[test]
fn turntable_has_order_two() {
    let parts = || {
        let table = BodyParts {
            name: "table".into(),
            shape: Shape::plane(),
            motion: Motion::Prescribed {
                velocity: Default::default(),
                angular_velocity: Box::new([0.0, 0.0, 10.0].map(percussion_model::Signal::constant)),
            },
            ..Default::default()
        };
        let ball = BodyParts {
            matter: Matter::Given { mass: 1.0, inertia: diagonal(0.001, 0.001, 0.001) },
            velocity: [0.0, 0.4, 0.0],
            angular_velocity: [52.0, 0.0, 0.0],
            ..ball("ball", 0.05, [0.3, 0.0, 0.05])
        };
        scene(false, [0.0, 0.0, -9.81], vec![table, ball], 0.0, 1.0)
    };
    // rolling: v̇ = (2/7) Ω × v about a centre that the start decides
    let exact = |t: f64| {
        let w = 10.0 * 0.001 / (0.001 + 0.0025);
        let radius = 0.4 / w;
        [0.3 - radius + radius * (w * t).cos(), radius * (w * t).sin()]
    };
    for scheme in [
        moreau_jean(FrictionLaw::Checked),
        common::scheme("energy-momentum", |_| {}),
        common::scheme("landing", |_| {}),
        common::scheme("landing", |options| options.landing = Some("inside".into())),
    ] {
        let errors = [4e-3, 2e-3, 1e-3].map(|h| {
            let mut run = start(parts(), &scheme, h);
            for _ in 0..(2.2_f64 / h).round() as usize {
                run.advance().expect("a step");
            }
            let (q, [x, y]) = (&run.state().q, exact(run.state().t));
            (q[7] - x).hypot(q[8] - y)
        });
        let order = (errors[0] / errors[2]).log2() / 2.0;
        println!("{}: {errors:?} m, order {order:.2}", scheme.name);
        assert!(errors[0] <= 1e-4 && order >= 1.9, "{}: {errors:?}, order {order}", scheme.name);
    }
}

/// A ball that slides at first rolls at 5/7 of its speed, whatever it spins about the vertical.
#[test]
fn rolling_ball() {
    let floor = BodyParts { name: "floor".into(), shape: Shape::plane(), motion: Motion::Fixed, ..Default::default() };
    let ball = BodyParts {
        velocity: [2.0, 0.0, 0.0],
        angular_velocity: [0.0, 0.0, 3.0],
        ..ball("ball", 0.1, [0.0, 0.0, 0.1])
    };
    let parts = scene(false, [0.0, 0.0, -9.81], vec![floor, ball], 0.0, 0.3);
    for h in [4e-3, 1e-3] {
        let mut run = start(parts.clone(), &moreau_jean(FrictionLaw::Checked), h);
        for _ in 0..(1.0_f64 / h).round() as usize {
            run.advance().expect("a step");
        }
        let v = &run.state().v[6..];
        println!("h = {h}: v = {:?}", &v[..3]);
        assert!((v[0] - 10.0 / 7.0).abs() < 1e-12 && v[1].abs() < 1e-12, "h = {h}: {v:?}");
    }
}

/// Under GGL impulses keep angular momentum to round-off; what changes it is the displacement U of the projection at given velocities, ΔL = Σ U × m v̂:
/// rows in another frame would not mend it, and the scheme promises no momentum.
#[test]
fn what_the_projection_of_ggl_does_to_momentum() {
    for h in [4e-3, 1e-3, 2.5e-4] {
        let mut parts = spinning_spheres(0.004);
        let masses = [1.0; 2];
        parts.materials = scene(false, [0.0; 3], Vec::new(), 1.0, 0.0).materials;
        let bodies = Bodies::new(parts.clone()).expect("a scene");
        let mut run = start(parts, &common::scheme("generalized-alpha-ggl", |_| {}), h);
        let (mut largest, mut size) = (0.0_f64, 0.0_f64);
        for _ in 0..(0.04_f64 / h).round() as usize {
            let before = run.state().clone();
            let after = &run.advance().expect("a step").after;
            let ([_, l0], _) = bodies.momentum(&before.q, &before.v);
            let ([_, l1], _) = bodies.momentum(&after.q, &after.v);
            let mut moved = [0.0; 3];
            for (i, m) in masses.iter().enumerate() {
                // no loads: q̂ = q_n + h v_n, v̂ = v_n
                let v = bodies.twist(i, &before.v).v;
                let U: Vec3 = std::array::from_fn(|k| after.q[7 * i + k] - before.q[7 * i + k] - h * v[k]);
                let of = percussion_model::bodies::math::cross(&U, &v);
                (0..3).for_each(|k| moved[k] += m * of[k]);
            }
            let change = sub(&l1, &l0);
            largest = largest.max(norm(&change));
            size = size.max(norm(&l1));
            assert!(norm(&sub(&change, &moved)) <= 1e-14 * size, "h = {h}: {change:?} {moved:?}");
        }
        println!("h = {h}: angular momentum changes by {:.1e} of its size", largest / size);
        assert!(largest > 1e-4 * size);
    }
}
