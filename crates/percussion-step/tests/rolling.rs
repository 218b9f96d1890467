//! Rolling friction of bodies: ‖m‖ ≤ μ_r p_N at every contact, against exact motions and the ledger.

mod common;

use common::start;
use percussion_model::bodies::math::{Vec3, norm};
use percussion_model::bodies::{BodyParts, JointKind, Matter, PairLaw, SceneParts, Shape};
use percussion_solve::SolverOptions;
use percussion_step::problems::{self, Dice, floor, joint, solid};
use percussion_step::{Activation, FrictionLaw, PackPart, Problem, Scheme, Simulation, Step, Tangential};

const G: f64 = 9.81;
const R: f64 = 0.1;

fn law(rolling: f64) -> PairLaw {
    PairLaw { restitution: 0.0, friction: 0.5, rolling, compliance: None }
}

fn scene(planar: bool, gravity: Vec3, bodies: Vec<BodyParts>, law: PairLaw) -> Problem {
    common::bodies(problems::scene(planar, gravity, bodies, law).expect("a law"))
}

/// A ball on the floor that rolls along x with v.
fn ball(i: usize, place: Vec3, v: f64) -> BodyParts {
    BodyParts {
        velocity: [v, 0.0, 0.0],
        angular_velocity: [0.0, v / R, 0.0],
        ..problems::ball(&format!("ball {i}"), R, place)
    }
}

/// Cone and direction of the moments of a step; its ledger.
fn check(step: &Step, mu_r: f64, scale: f64, theta: f64) {
    for (c, along) in step.contacts.iter().zip(&step.friction) {
        let Tangential { m, w_before, w_after, .. } = *along;
        let moment = m[0].hypot(m[1]);
        assert!(moment <= mu_r * c.p * (1.0 + 1e-9) + 1e-15 * scale, "‖m‖ = {moment:e}, p_N = {:e}", c.p);
        let work: f64 = (0..2).map(|k| m[k] * ((1.0 - theta) * w_before[k] + theta * w_after[k])).sum();
        assert!(work <= 1e-10 * scale || !along.fremond, "rolling friction gives {work:e}");
    }
    let entry = &step.ledger;
    assert!(entry.balance.abs() <= 1e-13 * scale, "residual {:e}", entry.balance);
    assert!(entry.created() <= 1e-12 * scale, "created {:e}", entry.created());
}

/// m a = f, I α = −μ_r m g − R f, a = R α: a = −μ_r g/(R (1 + I/(m R²))), 5/7 of g μ_r/R for a ball. The law is constant
/// while the ball rolls, so every step is exact; at the end it rests. In space, in the plane (disk: 2/3), and by every law.
#[test]
fn rolling_decelerates_by_the_law() {
    for law_of_friction in [FrictionLaw::Checked, FrictionLaw::Newton, FrictionLaw::Fremond] {
        for (planar, factor) in [(false, 5.0 / 7.0), (true, 2.0 / 3.0)] {
            let (mu_r, v0, h) = (2e-3, 0.2, 1e-3);
            let gravity = if planar { [0.0, -G, 0.0] } else { [0.0, 0.0, -G] };
            let mut body = ball(0, [0.0, 0.0, R], v0);
            if planar {
                body.position = [0.0, R, 0.0];
                body.angular_velocity = [0.0, 0.0, -v0 / R];
            }
            let problem = scene(planar, gravity, vec![floor(), body], law(mu_r));
            let scheme = Scheme { friction_law: law_of_friction, ..Scheme::moreau_jean(0.5) };
            let mut run = start(&problem, &scheme, h);
            let energy = run.initial_ledger().energy();
            let a = factor * G * mu_r / R;
            let stop = v0 / a;
            let at = if planar { 3 } else { 6 };
            for k in 1..=(1.2 * stop / h) as u64 {
                let step = run.advance().expect("a step");
                check(step, mu_r, energy, 0.5);
                let (t, v) = (k as f64 * h, step.after.v[at]);
                if t < stop - h {
                    assert!((v - (v0 - a * t)).abs() <= 1e-10 * v0, "{law_of_friction:?} t = {t}: {v}");
                    // the moment of the law, opposite to the turning
                    let along = &step.friction[0];
                    assert!((norm(&[along.m[0], along.m[1], 0.0]) - mu_r * step.contacts[0].p).abs() <= 1e-12);
                } else if t > stop + 3.0 * h && law_of_friction != FrictionLaw::Fremond {
                    assert!(v.abs() <= 1e-12, "{law_of_friction:?} t = {t}: {v:e} after the stop");
                }
            }
            // the way to rest, v0²/2a, but for the last step
            let way = run.state().q[if planar { 3 } else { 7 }];
            assert!((way - v0 * v0 / (2.0 * a)).abs() <= 2.0 * a * h * h + v0 * 1e-9, "{way}");
        }
    }
}

/// The same under `landing`, and balls that fall and roll: nothing passes, nothing is gained.
#[test]
fn landing_rolls_by_the_law() {
    for (planar, factor) in [(false, 5.0 / 7.0), (true, 2.0 / 3.0)] {
        let (mu_r, v0, h) = (2e-3, 0.2, 1e-3);
        let gravity = if planar { [0.0, -G, 0.0] } else { [0.0, 0.0, -G] };
        let mut body = ball(0, [0.0, 0.0, R], v0);
        if planar {
            body.position = [0.0, R, 0.0];
            body.angular_velocity = [0.0, 0.0, -v0 / R];
        }
        let problem = scene(planar, gravity, vec![floor(), body], law(mu_r));
        let mut run = start(&problem, &Scheme::named("landing").expect("a scheme"), h);
        let energy = run.initial_ledger().energy();
        let a = factor * G * mu_r / R;
        let (stop, at) = (v0 / a, if planar { 3 } else { 6 });
        for k in 1..=(1.1 * stop / h) as u64 {
            let step = run.advance().expect("a step");
            check(step, mu_r, energy, 0.5);
            let (t, v) = (k as f64 * h, step.after.v[at]);
            if t < stop - h {
                assert!((v - (v0 - a * t)).abs() <= 1e-9 * v0, "t = {t}: {v}");
            } else if t > stop + 3.0 * h {
                assert!(v.abs() <= 1e-10, "t = {t}: {v:e} after the stop");
            }
        }
    }
    for (seed, planar) in [(1, true), (2, false), (3, true), (4, false)] {
        let mut run = start(&thrown(seed, planar), &Scheme::named("landing").expect("a scheme"), 2e-3);
        let mut size = run.initial_ledger().energy().abs().max(run.initial_ledger().kinetic);
        let mut rolled = false;
        for _ in 0..300 {
            let step = run.advance().expect("a step");
            size = size.max(step.ledger.kinetic);
            assert!(step.ledger.created() <= 1e-12 * size, "created {:e}", step.ledger.created());
            assert!(step.ledger.balance.abs() <= 1e-12 * size, "residual {:e}", step.ledger.balance);
            assert!(step.contacts.iter().all(|c| c.gap >= -1e-12), "seed {seed}");
            rolled |= step.friction.iter().any(|along| along.m[0] != 0.0);
        }
        assert!(rolled);
    }
}

/// On an incline a ball stays where tan α < μ_r/R and rolls with 5/7 g (sin α − (μ_r/R) cos α) beyond.
#[test]
fn incline_holds_below_the_angle() {
    let mu_r = 5e-3;
    for (part, rolls) in [(0.5, false), (0.98, false), (1.02, true), (2.0, true)] {
        let angle = f64::atan(part * mu_r / R);
        let gravity = [G * angle.sin(), 0.0, -G * angle.cos()];
        let problem = scene(false, gravity, vec![floor(), ball(0, [0.0, 0.0, R], 0.0)], law(mu_r));
        let mut run = start(&problem, &Scheme::moreau_jean(0.5), 1e-3);
        for _ in 0..1000 {
            let step = run.advance().expect("a step");
            check(step, mu_r, 1.0, 0.5);
        }
        let v = run.state().v[6];
        let a = 5.0 / 7.0 * G * (angle.sin() - mu_r / R * angle.cos());
        if rolls {
            assert!((v - a).abs() <= 1e-9 * a, "tan α = {part} μ_r/R: {v} instead of {a}");
        } else {
            assert!(v.abs() <= 1e-12, "tan α = {part} μ_r/R: {v:e}");
        }
    }
}

/// Balls and capsules (boxes in the plane) thrown onto a floor with restitution.
fn thrown(seed: u64, planar: bool) -> Problem {
    let mut dice = Dice(seed);
    let mut bodies = vec![floor()];
    for i in 0..5 {
        let mut any = || dice.real(-1.0, 1.0);
        let shape = match i % 3 {
            0 => Shape::sphere(0.1),
            1 | 2 if planar => Shape::cuboid([0.2, 0.15, 0.0]),
            _ => Shape::capsule(0.06, 0.15),
        };
        let (x, up) = (0.5 * i as f64, 0.3 + 0.1 * any().abs());
        let mut body = BodyParts {
            name: format!("body {i}"),
            shape,
            matter: Matter::Density(1000.0),
            position: [x, 0.05 * any(), up],
            velocity: [any(), any(), any()],
            angular_velocity: [8.0 * any(), 8.0 * any(), 8.0 * any()],
            ..Default::default()
        };
        if planar {
            body.position = [x, up, 0.0];
            body.velocity[2] = 0.0;
            body.angular_velocity = [0.0, 0.0, 8.0 * any()];
        }
        bodies.push(body);
    }
    let gravity = if planar { [0.0, -G, 0.0] } else { [0.0, 0.0, -G] };
    scene(planar, gravity, bodies, PairLaw { restitution: 0.6, friction: 0.4, rolling: 0.01, compliance: None })
}

/// ΔE equals the works to round-off and nothing is created, on random throws in the plane and in space, θ = ½ and 0.6.
#[test]
fn the_ledger_closes_on_random_throws() {
    let mut moments = 0;
    for seed in 1..=6 {
        for planar in [false, true] {
            for theta in [0.5, 0.6] {
                let problem = thrown(seed, planar);
                let mut run = start(&problem, &Scheme::moreau_jean(theta), 1e-3);
                let scale = run.initial_ledger().energy() + run.initial_ledger().kinetic;
                for _ in 0..600 {
                    let step = run.advance().expect("a step");
                    check(step, 0.01, scale, theta);
                    moments += step.friction.iter().filter(|k| k.m != [0.0; 2]).count();
                }
            }
        }
    }
    assert!(moments > 500, "{moments} moments in all");
}

/// Sixty balls apart from each other take the road of many contacts and each rolls as one alone; a warm start is a start at
/// the answer.
#[test]
fn many_roll_as_one() {
    let (mu_r, v0, h) = (1e-3, 0.3, 1e-3);
    let bodies = (0..60).map(|i| ball(i, [0.0, i as f64, R], v0 * (1.0 + 0.01 * i as f64)));
    let problem = scene(false, [0.0, 0.0, -G], std::iter::once(floor()).chain(bodies).collect(), law(mu_r));
    for scheme in [
        Scheme { friction_law: FrictionLaw::Newton, ..Scheme::moreau_jean(0.5) },
        Scheme::moreau_jean(1.0).with_activation(Activation::Gap),
    ] {
        let mut run = start(&problem, &scheme, h);
        let a = 5.0 / 7.0 * G * mu_r / R;
        let mut sweeps = 0;
        for k in 1..=100 {
            let step = run.advance().expect("a step");
            sweeps = step.info.iterations;
            let t = h * f64::from(k);
            for i in 0..60 {
                let (v, exact) = (step.after.v[6 * (i + 1)], v0 * (1.0 + 0.01 * i as f64) - a * t);
                assert!((v - exact).abs() <= 1e-8, "{i}: {v} {exact}");
            }
        }
        assert!(sweeps <= 1, "{sweeps} sweeps from the last impulses");
    }
}

/// Stopped and gone on with, the same bits: impulses and moments are remembered.
#[test]
fn a_split_run_is_the_whole_run() {
    let problem = thrown(3, false);
    let scheme = Scheme::moreau_jean(0.5);
    let mut whole = start(&problem, &scheme, 1e-3);
    let mut first = start(&problem, &scheme, 1e-3);
    for _ in 0..400 {
        whole.advance().expect("a step");
        first.advance().expect("a step");
    }
    let mut kept = Vec::new();
    first.pack_part(&mut kept);
    let mut second = start(&problem, &scheme, 1e-3);
    second.unpack_part(&mut kept.as_slice()).expect("what was kept");
    for _ in 0..200 {
        assert_eq!(whole.advance().expect("a step"), second.advance().expect("a step"));
    }
}

/// A wheel on a fork: joints and rolling friction together. m of the fork rides along, I is the wheel's alone:
/// a (m_w + m_f + I/R²) = −μ_r N/R with the load on the wheel N.
#[test]
fn a_jointed_wheel_slows_down() {
    let (mu_r, v0, h) = (2e-3, 0.5, 1e-3);
    let wheel = ball(0, [0.0, 0.0, R], v0);
    let fork = BodyParts { velocity: [v0, 0.0, 0.0], ..solid("fork", [0.0, 0.0, R], 2.0, [0.1; 3]) };
    let axle = joint("axle", JointKind::Revolute, [1, 2], [0.0, 0.0, R], [0.0, 1.0, 0.0]);
    let bodies = problems::scene(false, [0.0, 0.0, -G], vec![floor(), wheel, fork], law(mu_r)).expect("a law");
    let problem = common::bodies(SceneParts { joints: vec![axle], ..bodies });
    let ball_mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * R.powi(3);
    let mass = ball_mass + 2.0;
    let a = mu_r / R * mass * G / (mass + 0.4 * ball_mass);
    for name in ["moreau-jean", "energy-momentum", "landing"] {
        let scheme = Scheme::named(name).expect("a scheme");
        let mut run = start(&problem, &scheme, h);
        let energy = run.initial_ledger().energy() + run.initial_ledger().kinetic;
        for k in 1..=200 {
            let step = run.advance().expect("a step");
            check(step, mu_r, energy, 0.5);
            let exact = v0 - a * h * f64::from(k);
            assert!((step.after.v[6] - exact).abs() <= 1e-8, "{name} {k}: {} {exact}", step.after.v[6]);
        }
    }
}

/// The exported problem has its moments in N·m·s and μ_r in metres, and is solved by the impulses beside it.
#[test]
fn the_problem_of_a_step_in_metres() {
    let mu_r = 2e-3;
    let problem = scene(false, [0.0, 0.0, -G], vec![floor(), ball(0, [0.0, 0.0, R], 0.2)], law(mu_r));
    let mut run = start(&problem, &Scheme::moreau_jean(0.5), 1e-3);
    let step = run.advance().expect("a step").clone();
    let (problem, r) = run.contact_problem().expect("a problem");
    assert_eq!((problem.dim(), problem.len()), (5, 1));
    assert!((problem.mu_rolling[0] - mu_r).abs() <= 1e-18);
    assert!((r[3] - step.friction[0].m[0]).abs() + (r[4] - step.friction[0].m[1]).abs() <= 1e-16);
    let mut u = vec![0.0; 5];
    problem.velocity(&r, &mut u);
    assert!(percussion_solve::friction::friction_residuals(&problem, &r, &u).worst() <= 1e-9);
}

/// Schemes without a law for it say so; so do coefficients below zero.
#[test]
fn refusals() {
    let problem = scene(false, [0.0, 0.0, -G], vec![floor(), ball(0, [0.0, 0.0, R], 0.2)], law(1e-3));
    let scheme = Scheme::named("generalized-alpha-ggl").expect("a scheme");
    let refused = Simulation::new(&problem, &scheme, SolverOptions::default(), 1e-3).err().expect("no law");
    assert!(refused.message.contains("rolling friction"), "{}", refused.message);
    assert_eq!(law(-1e-3).check().expect_err("negative").field, "rolling");
    assert_eq!(law(f64::NAN).check().expect_err("not a number").field, "rolling");
}
