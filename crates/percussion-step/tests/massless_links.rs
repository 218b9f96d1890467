//! Links without mass: the limit of light ones, closed forms, stops on them, and what is refused.

use percussion_model::Code;
use percussion_model::bodies::math::{Vec3, norm, sub};
use percussion_model::bodies::{Bodies, BodyParts, JointKind, JointParts, Matter, PairLaw, SceneParts, Shape};
use percussion_solve::SolverOptions;
use percussion_step::problems::{Dice, ground, joint, scene, solid};
use percussion_step::{Problem, Scheme, Simulation, modes};

const G: f64 = 9.81;

fn parts(bodies: Vec<BodyParts>, joints: Vec<JointParts>) -> SceneParts {
    SceneParts { joints, ..scene(false, [0.0, 0.0, -G], bodies, PairLaw::default()).expect("a law") }
}

/// A link at a place, of this mass and a hundredth of it as moments; none where that is zero.
fn link(name: &str, position: Vec3, mass: f64) -> BodyParts {
    let body = solid(name, position, mass, [0.01 * mass; 3]);
    if mass == 0.0 { BodyParts { matter: Matter::Massless, ..body } } else { body }
}

fn simulation(parts: &SceneParts, scheme: &str, h: f64) -> (Simulation, Bodies) {
    let scene = Bodies::new(parts.clone()).unwrap();
    let problem = Problem::bodies(scene.clone()).unwrap();
    let scheme = Scheme::named(scheme).unwrap();
    (Simulation::new(&problem, &scheme, SolverOptions::default(), h).unwrap(), scene)
}

/// q after so many steps, and the largest balance left open.
fn after(parts: &SceneParts, scheme: &str, h: f64, steps: usize) -> (Vec<f64>, f64) {
    let (mut run, _) = simulation(parts, scheme, h);
    let mut open = 0.0_f64;
    for _ in 0..steps {
        open = open.max(run.advance().unwrap().ledger.balance.abs());
    }
    (run.state().q.clone(), open)
}

/// A body on three hinges in series, two links between them; springs, dampers and a rotor on the hinges.
fn gimbal(seed: u64, light: f64) -> SceneParts {
    let mut dice = Dice(seed);
    let mut near =
        |axis: usize| -> Vec3 { std::array::from_fn(|k| if k == axis { 1.0 } else { dice.real(-0.3, 0.3) }) };
    let axes = [near(0), near(1), near(2)];
    let anchors = [[0.0; 3], near(0).map(|x| 0.05 * x), near(1).map(|x| 0.05 * x)];
    let place = near(0).map(|x| 0.3 * x);
    let bodies = vec![
        ground(),
        link("ring", anchors[1], light),
        link("fork", anchors[2], light),
        solid("body", place, 1.3, [0.02, 0.03, 0.025]),
    ];
    let hinge = |k: usize| joint(["x", "y", "z"][k], JointKind::Revolute, [k, k + 1], anchors[k], axes[k]);
    let joints = vec![
        JointParts { armature: 0.004, ..hinge(0) },
        JointParts { stiffness: 2.0, rest: 0.4, ..hinge(1) },
        JointParts { damping: 0.02, ..hinge(2) },
    ];
    parts(bodies, joints)
}

/// What light links do differs from what links without mass do by as much as they are light, and the balance closes.
#[test]
fn light_links_tend_to_massless_ones() {
    for (seed, scheme) in [
        (1, "energy-momentum"),
        (2, "moreau-jean"),
        (3, "event-driven"),
        (4, "runge-kutta-moreau"),
        (5, "landing"),
        (6, "generalized-alpha-ggl"),
    ] {
        let body = |light: f64| {
            let mut parts = gimbal(seed, light);
            if scheme == "generalized-alpha-ggl" {
                // which has no rotors
                parts.joints.iter_mut().for_each(|joint| joint.armature = 0.0);
            }
            let (q, open) = after(&parts, scheme, 2e-3, 100);
            // of schemes in instants it is the error of the integration, order 4 at 2 ms
            let closes = if scheme == "runge-kutta-moreau" { 1e-9 } else { 1e-11 };
            assert!(open < closes, "{scheme}: {open}");
            [q[21], q[22], q[23]]
        };
        let limit = body(0.0);
        let [far, near] = [1e-2, 1e-3].map(|light| norm(&sub(&body(light), &limit)));
        let ratio = far / near;
        assert!((8.5..11.5).contains(&ratio) && near < 1e-3 && near > 1e-8, "{scheme}: {far} {near}");
    }
}

/// A body on two sliders and a hinge in series is free in a plane: it flies a parabola and turns evenly, by θ = ½ to round-off.
#[test]
fn a_body_on_sliders_without_mass_flies_a_parabola() {
    let [vx, vz, w] = [1.5, 2.0, 3.0];
    for scheme in ["energy-momentum", "moreau-jean", "landing", "event-driven"] {
        let bodies = vec![
            ground(),
            BodyParts { velocity: [vx, 0.0, 0.0], ..link("x", [0.0; 3], 0.0) },
            BodyParts { velocity: [vx, 0.0, vz], ..link("z", [0.0; 3], 0.0) },
            BodyParts {
                velocity: [vx, 0.0, vz],
                angular_velocity: [0.0, w, 0.0],
                ..solid("body", [0.0; 3], 2.0, [0.1, 0.2, 0.3])
            },
        ];
        let joints = vec![
            joint("x", JointKind::Prismatic, [0, 1], [0.0; 3], [1.0, 0.0, 0.0]),
            joint("z", JointKind::Prismatic, [1, 2], [0.0; 3], [0.0, 0.0, 1.0]),
            joint("turn", JointKind::Revolute, [2, 3], [0.0; 3], [0.0, 1.0, 0.0]),
        ];
        let (q, _) = after(&parts(bodies, joints), scheme, 0.01, 50);
        let t = 0.5_f64;
        let want = [vx * t, 0.0, vz * t - 0.5 * G * t * t];
        assert!(norm(&sub(&[q[21], q[22], q[23]], &want)) < 1e-11, "{scheme}: {:?} {want:?}", &q[21..24]);
        // Cayley's map turns by 2 atan(w h/2) a step, the flow by w t
        let turned = if scheme == "event-driven" { w * t } else { 50.0 * 2.0 * (0.5 * w * 0.01_f64).atan() };
        assert!((q[26] - (0.5 * turned).sin()).abs() < 1e-10, "{scheme}: {q:?}");
    }
}

/// A pendulum whose hinge is the first of two, the other one idle: it meets the stop of that hinge, which is on a link without mass, as
/// the pendulum with one hinge does.
#[test]
fn a_stop_on_a_link_without_mass_stops_what_it_carries() {
    let body = || solid("arm", [0.5, 0.0, 0.0], 1.0, [0.02, 0.02, 0.02]);
    let stopped = |b: usize| JointParts {
        limits: Some([-0.1, 0.7]),
        restitution: 0.5,
        friction_force: 0.3,
        ..joint("stopped", JointKind::Revolute, [0, b], [0.0; 3], [0.0, 1.0, 0.0])
    };
    let idle = joint("idle", JointKind::Revolute, [1, 2], [0.0; 3], [0.0, 0.0, 1.0]);
    let two = parts(vec![ground(), link("cross", [0.0; 3], 0.0), body()], vec![stopped(1), idle]);
    let one = parts(vec![ground(), body()], vec![stopped(1)]);
    for scheme in ["moreau-jean", "energy-momentum", "landing"] {
        let [(a, open), (b, _)] = [&two, &one].map(|parts| after(parts, scheme, 1e-3, 1500));
        // the solver's tolerance shows where dry friction acts on the link under `landing`: 1.8e-10 of 4.9 J
        let closes = if scheme == "landing" { 1e-9 } else { 1e-11 };
        assert!(open < closes, "{scheme}: {open}");
        for k in 0..7 {
            assert!((a[14 + k] - b[7 + k]).abs() < 1e-8, "{scheme}: {a:?} {b:?}");
        }
    }
}

/// The same under GGL, which knows no dry friction.
#[test]
fn ggl_strikes_over_links_without_mass() {
    let scheme = "generalized-alpha-ggl";
    let body = || solid("arm", [0.5, 0.0, 0.0], 1.0, [0.02, 0.02, 0.02]);
    let stopped = |b: usize| JointParts {
        limits: Some([-0.1, 0.7]),
        restitution: 0.5,
        ..joint("stopped", JointKind::Revolute, [0, b], [0.0; 3], [0.0, 1.0, 0.0])
    };
    let idle = joint("idle", JointKind::Revolute, [1, 2], [0.0; 3], [0.0, 0.0, 1.0]);
    let two = parts(vec![ground(), link("cross", [0.0; 3], 0.0), body()], vec![stopped(1), idle]);
    let one = parts(vec![ground(), body()], vec![stopped(1)]);
    let [(a, open), (b, _)] = [&two, &one].map(|parts| after(parts, scheme, 1e-3, 600));
    assert!(open < 1e-11, "{open}");
    for k in 0..7 {
        assert!((a[14 + k] - b[7 + k]).abs() < 1e-8, "{a:?} {b:?}");
    }
}

/// Two bodies joined by a cross without mass, thrown and spinning: linear and angular momentum stay what they are.
#[test]
fn a_cross_without_mass_keeps_momentum() {
    let w: Vec3 = [1.0, -2.0, 0.5];
    let at = |x: Vec3| -> Vec3 { [w[1] * x[2] - w[2] * x[1], w[2] * x[0] - w[0] * x[2], w[0] * x[1] - w[1] * x[0]] };
    let moving = |body: BodyParts| BodyParts { velocity: at(body.position), angular_velocity: w, ..body };
    let bodies = vec![
        moving(solid("a", [-0.4, 0.0, 0.1], 1.0, [0.02, 0.05, 0.06])),
        moving(link("cross", [0.0; 3], 0.0)),
        moving(solid("b", [0.3, 0.1, 0.0], 0.7, [0.03, 0.04, 0.05])),
    ];
    let joints = vec![
        joint("first", JointKind::Revolute, [0, 1], [0.0; 3], [0.0, 1.0, 0.0]),
        joint("second", JointKind::Revolute, [1, 2], [0.0; 3], [0.0, 0.3, 1.0]),
    ];
    let parts = SceneParts { gravity: [0.0; 3], ..parts(bodies, joints) };
    let (mut run, scene) = simulation(&parts, "energy-momentum", 5e-3);
    let of = |run: &Simulation| scene.momenta(&run.state().q, &run.state().v);
    let start = of(&run);
    for _ in 0..400 {
        run.advance().unwrap();
    }
    let end = of(&run);
    let apart = norm(&sub(&start.0, &end.0)).max(norm(&sub(&start.1, &end.1)));
    assert!(apart < 1e-12 && norm(&start.1) > 0.1, "{start:?} {end:?}");
}

/// A link that nothing with mass moves and one that touches are refused by name.
#[test]
fn links_that_nothing_moves_are_refused() {
    let body = || solid("arm", [0.5, 0.0, 0.0], 1.0, [0.02, 0.02, 0.02]);
    let hinge = |name: &str, bodies: [usize; 2], axis: Vec3| joint(name, JointKind::Revolute, bodies, [0.0; 3], axis);
    let one = vec![hinge("only", [0, 1], [0.0, 1.0, 0.0])];
    let both = vec![hinge("y", [0, 1], [0.0, 1.0, 0.0]), hinge("z", [1, 2], [0.0, 0.0, 1.0])];
    let loose = Bodies::new(parts(vec![ground(), link("link", [0.0; 3], 0.0), body()], one)).unwrap_err();
    assert_eq!((loose.code, loose.field.as_str()), (Code::BAD_MASS, "body[1].massless"));
    let round = BodyParts { shape: Shape::sphere(0.1), ..link("link", [0.0; 3], 0.0) };
    let touching = Bodies::new(parts(vec![ground(), round, body()], both.clone())).unwrap_err();
    assert!(touching.code == Code::BAD_MASS && touching.message.contains("meets"), "{touching:?}");
}

/// A scene in which nothing moves freely stays where it is, event by event too.
#[test]
fn a_scene_of_fixed_bodies_stays() {
    let (q, open) = after(&parts(vec![ground()], vec![]), "event-driven", 0.1, 3);
    assert!(open == 0.0 && q == after(&parts(vec![ground()], vec![]), "moreau-jean", 0.1, 3).0, "{q:?}");
}

/// The modes of a body that hangs from a cross without mass: ω² = m g l/(I + m l²) about each of its axes.
#[test]
fn a_body_that_hangs_from_a_cross_has_two_modes() {
    let (m, l, moments) = (1.5, 0.4, [0.03, 0.05, 0.02]);
    let bodies = vec![ground(), link("cross", [0.0; 3], 0.0), solid("bob", [0.0, 0.0, -l], m, moments)];
    let joints = vec![
        joint("x", JointKind::Revolute, [0, 1], [0.0; 3], [1.0, 0.0, 0.0]),
        joint("y", JointKind::Revolute, [1, 2], [0.0; 3], [0.0, 1.0, 0.0]),
    ];
    let scene = std::sync::Arc::new(Bodies::new(parts(bodies, joints)).unwrap());
    let found = modes(&scene, scene.q0(), 0.0).expect("modes");
    let mut want = [moments[0], moments[1]].map(|i| m * G * l / (i + m * l * l));
    want.sort_by(f64::total_cmp);
    assert_eq!(found.len(), 2);
    for (mode, want) in found.iter().zip(want) {
        assert!((mode.square - want).abs() < 1e-6 * want, "{} {want}", mode.square);
    }
}
