//! The scheme `landing` on bodies with joints and springs: nothing passes, nothing is gained, joints hold, momentum is kept, what rests rests.

mod common;

use common::{bodies, scheme};
use percussion_model::Signal;
use percussion_model::bodies::math::{Vec3, add, cross};
use percussion_model::bodies::{
    Bodies, BodyParts, Gear, JointKind, Journal, Motion, Motor, PairLaw, SceneParts, Shape, Slot, Spring,
};
use percussion_step::problems::{self, Dice, ball, cuboid, floor, ground, joint, solid};
use percussion_step::{Scheme, Simulation};

/// The scheme, landings at the end of steps or inside them.
fn landing(inside: bool) -> Scheme {
    scheme("landing", |o| o.landing = inside.then(|| "inside".into()))
}

fn scene(planar: bool, gravity: Vec3, parts: Vec<BodyParts>, (e, mu): (f64, f64)) -> SceneParts {
    let law = PairLaw { restitution: e, friction: mu, ..Default::default() };
    problems::scene(planar, gravity, parts, law).expect("a law")
}

/// What a run did: largest gain and open balance against the energies seen, deepest gap [m], worst joint, residuals of momentum against their
/// scales, largest speed at the end, number of steps with contacts.
#[derive(Default)]
struct Seen {
    gain: f64,
    open: f64,
    deepest: f64,
    joints: f64,
    momentum: [f64; 2],
    fastest: f64,
    touched: usize,
    energies: Vec<f64>,
}

impl Seen {
    fn judge(&self, name: &str) {
        let Self { gain, open, deepest, joints, momentum, fastest, .. } = self;
        println!(
            "{name}: gain {gain:.1e}, open {open:.1e}, depth {deepest:.1e} m, joints {joints:.1e} m, momentum {:.1e} {:.1e}, at the end {fastest:.1e}",
            momentum[0], momentum[1]
        );
        assert!(*gain <= 1e-12 && *open <= 1e-11, "{name}");
        assert!(*deepest <= 1e-12 && *joints <= 1e-12, "{name}");
        assert!(momentum[0] <= 1e-12 && momentum[1] <= 1e-12, "{name}");
    }
}

fn follow(parts: &SceneParts, scheme: &Scheme, h: f64, end: f64) -> Seen {
    let model = Bodies::new(parts.clone()).expect("a scene");
    let mut run: Simulation = common::start(&bodies(parts.clone()), scheme, h);
    let first = run.initial_ledger();
    let (mut size, mut seen) = (first.energy().abs().max(1e-3), Seen::default());
    let (mut residual, mut scale) = ([0.0_f64; 2], [1e-12_f64; 2]);
    seen.energies.push(first.energy());
    for _ in 0..(end / h).round() as usize {
        let step = run.advance().unwrap_or_else(|failure| panic!("h = {h}: {failure:?}"));
        size = size.max(step.ledger.kinetic).max(step.ledger.energy().abs());
        seen.gain = seen.gain.max(step.ledger.created());
        seen.open = seen.open.max(step.ledger.balance.abs());
        seen.touched += usize::from(!step.contacts.is_empty());
        for c in &step.contacts {
            seen.deepest = seen.deepest.max(-c.gap);
        }
        assert!(step.momentum.kept);
        for k in 0..2 {
            residual[k] = residual[k].max(step.momentum.residual[k]);
            scale[k] = scale[k].max(step.momentum.scale[k]);
        }
        let violations = (0..model.n_rigid_rows()).map(|k| model.rigid_violation(k, &step.after.q).abs());
        seen.joints = violations.fold(seen.joints, f64::max);
        seen.fastest = step.after.v.iter().fold(0.0, |s: f64, v| s.max(v.abs()));
        seen.energies.push(step.ledger.energy());
    }
    (seen.gain, seen.open) = (seen.gain / size, seen.open / size);
    seen.momentum = [0, 1].map(|k| residual[k] / scale[k]);
    seen
}

/// A rod hinged above a floor, let fall on its tip.
fn pendulum(e: f64, mu: f64) -> SceneParts {
    let rod = BodyParts {
        position: [0.5, 0.4, 0.0],
        shape: Shape::cuboid([1.0, 0.1, 0.1]),
        ..solid("rod", [0.0; 3], 1.0, [0.1, 0.1, 0.1])
    };
    let hinge = joint("hinge", JointKind::Revolute, [2, 1], [0.0, 0.4, 0.0], [0.0, 0.0, 1.0]);
    let parts = scene(true, [0.0, -9.81, 0.0], vec![floor(), rod, ground()], (e, mu));
    SceneParts { joints: vec![hinge], ..parts }
}

/// A hinged rod that falls on a floor, with and without friction, elastic or not, landing at the end of steps or inside them.
#[test]
fn a_hinged_rod_on_a_floor() {
    for (e, mu) in [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.0, 0.4), (0.5, 1.2)] {
        for inside in [false, true] {
            let seen = follow(&pendulum(e, mu), &landing(inside), 2e-3, 1.5);
            let lost = seen.energies[0] - seen.energies[seen.energies.len() - 1];
            seen.judge(&format!("e = {e} μ = {mu} inside {inside}, lost {lost:.3}"));
            assert!(seen.touched > 0);
            if e == 1.0 && mu == 0.0 {
                assert!(lost.abs() <= 1e-12 * seen.energies[0].abs(), "{lost:e}");
            }
            // it lies on its corner, hinge and floor hold it
            if e == 0.0 {
                assert!(seen.fastest <= 1e-9, "{:e}", seen.fastest);
            }
        }
    }
}

/// Chains of boxes and balls, in the plane and in space, hinged, on springs, with dampers, told bodies and motors, falling on a floor.
fn chain(dice: &mut Dice, planar: bool) -> SceneParts {
    let up = |x: f64, z: f64, y: f64| if planar { [x, z, 0.0] } else { [x, y, z] };
    let mut parts = vec![floor()];
    let n = dice.whole(2, 3);
    let velocity = up(dice.real(-1.0, 1.0), dice.real(-2.0, 0.5), dice.real(-1.0, 1.0));
    let [x, y, z] = [0, 1, 2].map(|_| dice.real(-2.0, 2.0));
    let spin = if planar { [0.0, 0.0, z] } else { [x, y, z] };
    for i in 0..n {
        let at = up(0.6 * i as f64, dice.real(0.5, 0.8), dice.real(-0.05, 0.05));
        let mut part = if dice.real(0.0, 1.0) < 0.5 {
            cuboid(&format!("box {i}"), [0.3, 0.2, 0.25], at)
        } else {
            ball(&format!("ball {i}"), 0.15, at)
        };
        // as one rigid body, so that joints fit
        let w = cross(&spin, &at);
        (part.velocity, part.angular_velocity) = (add(&velocity, &w), spin);
        parts.push(part);
    }
    let (e, mu) = (dice.real(0.0, 1.0), if dice.real(0.0, 1.0) < 0.5 { dice.real(0.1, 0.8) } else { 0.0 });
    let gravity = if planar { [0.0, -9.81, 0.0] } else { [0.0, 0.0, -9.81] };
    let mut scene = scene(planar, gravity, parts, (e, mu));
    for i in 1..n {
        let between = |k: usize| 0.5 * (scene.bodies[i].position[k] + scene.bodies[i + 1].position[k]);
        let anchor: Vec3 = std::array::from_fn(between);
        match dice.whole(0, 3) {
            0 if !planar => {
                scene.joints.push(joint(&format!("j {i}"), JointKind::Spherical, [i, i + 1], anchor, [0.0, 1.0, 0.0]))
            }
            0 | 1 => {
                let axis = if planar { [0.0, 0.0, 1.0] } else { [0.2, 1.0, 0.1] };
                let mut hinge = joint(&format!("j {i}"), JointKind::Revolute, [i, i + 1], anchor, axis);
                (hinge.stiffness, hinge.damping) = (dice.real(0.0, 20.0), dice.real(0.0, 0.5));
                if dice.real(0.0, 1.0) < 0.4 {
                    (hinge.limits, hinge.restitution) = (Some([-0.3, 0.3]), dice.real(0.0, 1.0));
                }
                scene.joints.push(hinge);
            }
            _ => scene.springs.push(Spring {
                bodies: [i, i + 1],
                points: [[0.0; 3]; 2],
                stiffness: dice.real(10.0, 3000.0),
                damping: dice.real(0.0, 2.0),
                length: dice.real(0.4, 0.7),
            }),
        }
    }
    scene
}

/// Random chains in the plane and in space: nothing passes, nothing is gained, the account closes, joints hold, momentum is kept.
#[test]
fn random_chains() {
    let mut dice = Dice(29);
    let mut touched = 0;
    for k in 0..60 {
        let parts = chain(&mut dice, k % 2 == 0);
        let h = [1e-3, 2e-3, 5e-3][dice.whole(0, 2)];
        let seen = follow(&parts, &landing(k % 3 == 0), h, 0.8);
        seen.judge(&format!("chain {k}"));
        touched += seen.touched;
    }
    assert!(touched > 1000, "{touched}");
}

/// A hinge with a stop: an arm falls on it and bounces, e = 1 keeps its energy, e = 0 leaves it there.
#[test]
fn a_stop_of_a_hinge() {
    for (planar, e) in [(true, 0.0), (true, 0.5), (true, 1.0), (false, 0.0), (false, 1.0)] {
        let arm = solid("arm", [0.5, 0.0, 0.0], 1.0, [0.02, 0.1, 0.1]);
        let axis = if planar { [0.0, 0.0, 1.0] } else { [0.0, -1.0, 0.0] };
        let mut hinge = joint("hinge", JointKind::Revolute, [0, 1], [0.0; 3], axis);
        (hinge.limits, hinge.restitution) = (Some([-0.8, 2.0]), e);
        let gravity = if planar { [0.0, -9.81, 0.0] } else { [0.0, 0.0, -9.81] };
        let parts = SceneParts { joints: vec![hinge], ..scene(planar, gravity, vec![ground(), arm], (0.0, 0.0)) };
        let seen = follow(&parts, &landing(false), 2e-3, 2.0);
        seen.judge(&format!("stop, planar {planar}, e = {e}"));
        assert!(seen.touched > 0);
        let lost = seen.energies[0] - seen.energies[seen.energies.len() - 1];
        match e {
            0.0 => assert!(seen.fastest <= 1e-9, "{:e}", seen.fastest),
            1.0 => assert!(lost.abs() <= 1e-12, "{lost:e}"),
            _ => assert!(lost > 0.0),
        }
    }
}

/// A hand that moves the hook and a motor that asks for a speed do work through impacts; the account closes.
#[test]
fn hands_and_drives() {
    for (moved, driven) in [(true, false), (false, true), (true, true)] {
        let hook = if moved {
            let [x, y, z] = [Signal::harmonic(0.0, 0.5, 6.0, 0.0), Signal::constant(0.0), Signal::constant(0.0)];
            let still = || Signal::constant(0.0);
            let angular_velocity = [still(), still(), still()].into();
            BodyParts { motion: Motion::Prescribed { velocity: [x, y, z].into(), angular_velocity }, ..ground() }
        } else {
            ground()
        };
        let arm = BodyParts { shape: Shape::cuboid([0.8, 0.1, 0.1]), ..solid("arm", [0.4, 0.5, 0.0], 1.0, [0.1; 3]) };
        let load = ball("load", 0.1, [0.2, 0.9, 0.0]);
        let mut hinge = joint("hinge", JointKind::Revolute, [0, 2], [0.0, 0.5, 0.0], [0.0, 0.0, 1.0]);
        if driven {
            hinge.motor = Some(Motor::Velocity(Signal::harmonic(0.0, 1.0, 3.0, 0.0)));
        }
        let parts = scene(true, [0.0, -9.81, 0.0], vec![hook, floor(), arm, load], (0.5, 0.3));
        let parts = SceneParts { joints: vec![hinge], ..parts };
        for inside in [false, true] {
            let seen = follow(&parts, &landing(inside), 2e-3, 1.0);
            seen.judge(&format!("moved {moved}, driven {driven}, inside {inside}"));
            assert!(seen.touched > 0);
        }
    }
}

/// A wheel on an axle with dry friction τ: ω = ω₀ − τt/I until it stops, then rest; a spring that pulls by less than τ does not move it.
#[test]
fn dry_friction_of_a_hinge() {
    for planar in [true, false] {
        let (I, tau, w0, h) = (0.1, 0.5, 2.0, 1e-3);
        let wheel = BodyParts { angular_velocity: [0.0, 0.0, w0], ..solid("wheel", [0.0; 3], 1.0, [I; 3]) };
        let mut axle = joint("axle", JointKind::Revolute, [0, 1], [0.0; 3], [0.0, 0.0, 1.0]);
        axle.friction_force = tau;
        let parts = scene(planar, [0.0; 3], vec![ground(), wheel], (0.0, 0.0));
        let parts = SceneParts { joints: vec![axle], ..parts };
        let mut run: Simulation = common::start(&bodies(parts), &landing(false), h);
        let at = if planar { 5 } else { 11 };
        for k in 1..=600 {
            let step = run.advance().expect("a step");
            let exact = (w0 - tau / I * h * f64::from(k)).max(0.0);
            // the row is exact in the angle, whose change is 2 atan(hω/2): less than hω by (hω)²/12 of it
            let bound = (h * w0).powi(2) / 12.0 * tau / I * h * f64::from(k) + 1e-12;
            assert!((step.after.v[at] - exact).abs() <= bound, "planar {planar}, {k}: {} {exact}", step.after.v[at]);
            assert!(step.ledger.created() <= 1e-13 && step.ledger.balance.abs() <= 1e-13);
            assert!(step.momentum.residual[1] <= 1e-12 * step.momentum.scale[1].max(1e-3));
        }
    }
}

/// A pin without radius in a hole with play c is a pendulum of length c while it is pressed on: T = 2π√(c/g). With radius, friction and e in the plane and
/// in space, and a slider in a guide: nothing passes, nothing is gained, momentum is kept.
#[test]
fn play_of_journals_and_guides() {
    for planar in [true, false] {
        let gravity = if planar { [0.0, -9.81, 0.0] } else { [0.0, 0.0, -9.81] };
        let (c, angle) = (0.5, 0.02_f64);
        let place =
            if planar { [c * angle.sin(), -c * angle.cos(), 0.0] } else { [c * angle.sin(), 0.0, -c * angle.cos()] };
        let kind = JointKind::Journal(Journal { radius: 0.0, clearance: c, length: 0.0 });
        let mut hole = joint("hole", kind, [0, 1], [0.0; 3], [0.0, 1.0, 0.0]);
        hole.anchor_b = Some(place);
        let parts = scene(planar, gravity, vec![ground(), solid("pin", place, 1.0, [0.1; 3])], (0.0, 0.0));
        let parts = SceneParts { joints: vec![hole], ..parts };
        let mut run: Simulation = common::start(&bodies(parts.clone()), &landing(false), 1e-3);
        let (x, mut last, mut crossings) = (if planar { 3 } else { 7 }, place[0], Vec::new());
        for _ in 0..3500 {
            let step = run.advance().expect("a step");
            let now = step.after.q[x];
            if last > 0.0 && now <= 0.0 {
                crossings.push(step.after.t - 1e-3 * now / (now - last));
            }
            last = now;
        }
        let measured = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
        let period = std::f64::consts::TAU * (c / 9.81_f64).sqrt();
        assert!((measured / period - 1.0).abs() < 2e-3, "{measured} {period}");
        follow(&parts, &landing(false), 1e-3, 0.5).judge(&format!("pendulum in a hole, planar {planar}"));

        for (e, mu) in [(0.0, 0.3), (0.6, 0.2), (1.0, 0.0)] {
            let axis = if planar { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
            let arm = solid("arm", [0.5, 0.0, 0.0], 1.0, [0.02, 0.1, 0.1]);
            let length = if planar { 0.0 } else { 0.1 };
            let kind = JointKind::Journal(Journal { radius: 0.05, clearance: 2e-3, length });
            let mut pin = joint("pin", kind, [0, 1], [0.0; 3], axis);
            (pin.restitution, pin.friction) = (e, mu);
            let parts = scene(planar, gravity, vec![ground(), arm], (0.0, 0.0));
            let parts = SceneParts { joints: vec![pin], ..parts };
            let seen = follow(&parts, &landing(false), 1e-3, 0.6);
            seen.judge(&format!("arm on a pin, planar {planar}, e = {e}, μ = {mu}"));
            assert!(seen.touched > 0);

            let slider = solid("slider", [0.0; 3], 1.0, [0.01; 3]);
            let along = if planar { [0.8, -0.6, 0.0] } else { [0.8, 0.0, -0.6] };
            let kind = JointKind::Slot(Slot { radius: 0.05, clearance: 2e-3, length: 0.2 });
            let mut guide = joint("guide", kind, [0, 1], [0.0; 3], along);
            (guide.restitution, guide.friction) = (e, mu);
            let parts = scene(planar, gravity, vec![ground(), slider], (0.0, 0.0));
            let parts = SceneParts { joints: vec![guide], ..parts };
            let seen = follow(&parts, &landing(false), 1e-3, 0.3);
            seen.judge(&format!("slider in a guide, planar {planar}, e = {e}, μ = {mu}"));
            assert!(seen.touched > 0);
        }
    }
}

/// Wheels with backlash: the driven one crosses its play, strikes, and drives the other by the ratio; e = 1 without a drive keeps the energy.
#[test]
fn backlash_of_wheels() {
    for (planar, e) in [(true, 0.0), (true, 1.0), (false, 0.0), (false, 0.5)] {
        let first = BodyParts { angular_velocity: [0.0, 0.0, 3.0], ..solid("first", [0.0; 3], 1.0, [0.2; 3]) };
        let other = solid("other", [1.0, 0.0, 0.0], 1.0, [0.1; 3]);
        let axis = [0.0, 0.0, 1.0];
        let kind = JointKind::Gear(Gear { joints: [0, 1], ratio: 2.0, backlash: 0.1 });
        let mut gear = joint("gear", kind, [0, 0], [0.0; 3], axis);
        gear.restitution = e;
        let joints = vec![
            joint("axle 1", JointKind::Revolute, [0, 1], [0.0; 3], axis),
            joint("axle 2", JointKind::Revolute, [0, 2], [1.0, 0.0, 0.0], axis),
            gear,
        ];
        let parts = scene(planar, [0.0; 3], vec![ground(), first, other], (0.0, 0.0));
        let parts = SceneParts { joints, ..parts };
        let seen = follow(&parts, &landing(false), 1e-3, 1.0);
        seen.judge(&format!("backlash, planar {planar}, e = {e}"));
        assert!(seen.touched > 0);
        let lost = seen.energies[0] - seen.energies[seen.energies.len() - 1];
        if e == 1.0 {
            assert!(lost.abs() <= 1e-12, "{lost:e}");
        } else if e == 0.0 {
            // φ₁ + 2 φ₂ stays: the share of the energy across the coupling is lost, 1/(I₁ (1/I₁ + 4/I₂))
            let across = 1.0 / (0.2 * (1.0 / 0.2 + 4.0 / 0.1));
            // but for rows that are exact in angles, whose change is 2 atan(hω/2)
            assert!(
                (lost / seen.energies[0] - across).abs() <= (1e-3_f64 * 3.0).powi(2) / 12.0,
                "{lost} of {}",
                seen.energies[0]
            );
        }
    }
}

/// Random chains whose hinges have dry friction.
#[test]
fn random_chains_with_dry_friction() {
    let mut dice = Dice(31);
    let mut rubbed = 0;
    for k in 0..24 {
        let mut parts = chain(&mut dice, k % 2 == 0);
        for hinge in parts.joints.iter_mut().filter(|joint| joint.kind == JointKind::Revolute) {
            hinge.friction_force = dice.real(0.1, 5.0);
            rubbed += 1;
        }
        let h = [1e-3, 2e-3, 5e-3][dice.whole(0, 2)];
        follow(&parts, &landing(k % 3 == 0), h, 0.5).judge(&format!("chain {k} with dry friction"));
    }
    assert!(rubbed > 10, "{rubbed}");
}
