//! Live simulations: the same bits as a run, saved and fed back to the same bits, driven with a ledger that closes.

use percussion_model::Code;
use percussion_scenario::{Live, LiveState, LoadOptions, load, load_text};
use percussion_step::{Outcome, Pack, SCHEMES, Trajectory};

/// Built-in scenes of every kind, with joints and friction among them, small enough to run by every scheme; and one as text.
const SCENES: [&str; 16] = [
    "bouncing-ball",
    "two-mass-oscillator",
    "impact-oscillator",
    "sliding-block",
    "pendulum",
    "rocking-block",
    "kane-double-pendulum",
    "slider-crank",
    "newtons-cradle",
    "elastic-bar",
    "rotating-beam",
    "spin-up",
    "two-bars",
    "earthquake-block",
    "opening-gate",
    FORMULA,
];

/// A pendulum of two coordinates whose bob slides on a floor that swings.
const FORMULA: &str = r#"
[model]
kind = "formula"
coordinates = ["phi", "s"]
parameters = { m = 1.0, l = 1.0, k = 200.0, g = 9.81 }
kinetic = "0.5*m*(s_dot^2 + (l + s)^2*phi_dot^2)"
potential = "-m*g*(l + s)*cos(phi) + 0.5*k*s^2"
force = ["-0.1*phi_dot", 0]
q0 = [0.35, 0.05]
[[model.contact]]
gap = "1.0 - (l + s)*cos(phi) + 0.01*sin(9*t)"
tangent = "(l + s)*sin(phi)"
friction = 0.3
restitution = 0.5
[time]
end = 1.0
step = 5e-3
"#;

fn open(scene: &str, scheme: &str) -> Option<Live> {
    let options = LoadOptions { scheme: Some(scheme.into()), ..LoadOptions::default() }.live();
    let loaded = if scene.contains('\n') { load_text("a formula", scene, &options) } else { load(scene, &options) };
    Live::new(loaded.ok()?).ok()
}

/// q and v as bits.
fn bits(live: &Live) -> Vec<u64> {
    live.state().q.iter().chain(&live.state().v).map(|x| x.to_bits()).collect()
}

/// Steps as far as they go.
fn steps(live: &mut Live, n: usize) -> usize {
    (0..n).take_while(|_| live.step().is_ok()).count()
}

/// Every scheme on every scene: saved at a step drawn at random, carried as bytes into another simulation and fed back, the motion goes
/// on to the bits of the uncut run; so it does after going back in the same one.
#[test]
fn a_state_fed_back_goes_on_to_the_same_bits() {
    let (mut pairs, mut draw) = (0, 7_u64);
    for scene in SCENES {
        let before = pairs;
        for entry in SCHEMES {
            let Some(mut uncut) = open(scene, entry.name) else { continue };
            draw = draw.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let cut = 3 + (draw >> 33) as usize % 40;
            if steps(&mut uncut, cut) < cut {
                continue;
            }
            let saved = uncut.save();
            let mut bytes = Vec::new();
            saved.pack(&mut bytes);
            let made = steps(&mut uncut, 30);
            let end = bits(&uncut);

            let mut other = open(scene, entry.name).expect("opened before");
            let read = LiveState::unpack(&mut &bytes[..]).expect("a state");
            other.restore(&read).unwrap_or_else(|error| panic!("{scene} by {}: {error}", entry.name));
            assert_eq!(other.state().t, saved.run.state.t);
            assert_eq!(steps(&mut other, 30), made, "{scene} by {}", entry.name);
            assert_eq!(bits(&other), end, "{scene} by {}, step {cut}", entry.name);
            uncut.restore(&saved).expect("its own state");
            steps(&mut uncut, 30);
            assert_eq!(bits(&uncut), end, "{scene} by {}, back to step {cut}", entry.name);
            // back to the beginning
            uncut.reset().unwrap_or_else(|error| panic!("{scene} by {}: {error}", entry.name));
            steps(&mut uncut, cut + made);
            assert_eq!(bits(&uncut), end, "{scene} by {}, from the beginning", entry.name);
            pairs += 1;
        }
        assert!(pairs > before, "{scene}: no scheme");
    }
    assert!(pairs >= 100, "{pairs} pairs of scene and scheme");
}

/// A live simulation in which nothing is set makes the steps of `run`; `reset` makes them again.
#[test]
fn nothing_set_is_a_run() {
    for (scene, scheme) in [
        ("bouncing-ball", "moreau-jean"),
        ("two-mass-oscillator", "generalized-alpha"),
        ("kane-double-pendulum", "moreau-jean"),
        ("slider-crank", "energy-momentum"),
        ("newtons-cradle", "event-driven"),
    ] {
        let set = vec![];
        let options = LoadOptions { scheme: Some(scheme.into()), set, ..LoadOptions::default() };
        let mut batch = load(scene, &options).unwrap_or_else(|error| panic!("{error}"));
        let mut rows = Trajectory::new();
        assert!(matches!(batch.simulation.run(60, &mut rows), Outcome::Finished));
        let mut live = open(scene, scheme).expect("a simulation");
        for _ in 0..2 {
            assert_eq!(steps(&mut live, 60), 60);
            let last = rows.len() - 1;
            assert_eq!((&live.state().q[..], &live.state().v[..]), (rows.q(last), rows.v(last)), "{scene} {scheme}");
            live.reset().expect("its own start");
        }
    }
}

const ARM: &str = r#"
[model]
kind = "bodies"
dimension = 2
friction = 0.3
[[body]]
name = "ground"
shape = { kind = "plane" }
position = [0.0, -0.3]
fixed = true
[[body]]
name = "arm"
shape = { kind = "box", size = [0.8, 0.1] }
density = 100.0
position = [0.4, 0.0]
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
density = 100.0
position = [2.0, -0.2]
[[joint]]
name = "shoulder"
kind = "revolute"
a = "ground"
b = "arm"
anchor = [0.0, 0.0]
motor = { force = 0.0 }
[time]
end = 1.0
step = 1e-3
"#;

/// A controller turns an arm; what its torque does is external work, and the ledger closes to 1e-11 of the energy.
#[test]
fn what_is_set_is_external_work() {
    for scheme in ["moreau-jean", "energy-momentum", "generalized-alpha-ggl"] {
        let options = LoadOptions { scheme: Some(scheme.into()), ..LoadOptions::default() };
        let loaded = load_text("arm", ARM, &options.live()).unwrap_or_else(|error| panic!("{scheme}: {error}"));
        let mut live = Live::new(loaded).unwrap_or_else(|error| panic!("{error}"));
        let (mut work, mut energy) = (0.0, 0.0_f64);
        let start = live.scenario().model().potential_energy(&live.state().q);
        for k in 0..400 {
            let joint = &live.joints()[0];
            live.set("shoulder.motor", &[400.0 * (0.5 - joint.value) - 60.0 * joint.rate]).expect("a motor");
            live.set("ball.force", &[if k < 100 { 5.0 } else { 0.0 }, 0.0]).expect("a body");
            live.step().unwrap_or_else(|failure| panic!("{scheme}: {failure:?}"));
            let entry = &live.last().ledger;
            energy = energy.max(entry.energy().abs()).max(entry.kinetic);
            work += entry.work_external
                + entry.work_contact
                + entry.work_damping
                + entry.work_joints
                + entry.work_projection.unwrap_or(0.0)
                - entry.dissipation_numerical;
            assert!(entry.balance.abs() <= 1e-11 * energy.max(1.0), "{scheme}: {:e}", entry.balance);
        }
        let end = live.last().ledger.energy();
        assert!((end - start - work).abs() <= 1e-9 * energy.max(1.0), "{scheme}: {} {work}", end - start);
        let joint = &live.joints()[0];
        assert!((joint.value - 0.5).abs() < 0.2 && joint.name == "shoulder", "{joint:?}");
        let touch = live.contacts().into_iter().find(|c| c.impulse[0] > 0.0).expect("the ball lies on the ground");
        let bodies = touch.bodies.clone().expect("bodies");
        assert!(bodies.contains(&"ball".to_string()) && bodies.contains(&"ground".to_string()), "{bodies:?}");
        let (place, normal) = (touch.place.expect("a place"), touch.normal.expect("a normal"));
        assert!((place[1] + 0.3).abs() < 1e-3 && (normal[1].abs() - 1.0).abs() < 1e-12, "{place:?} {normal:?}");
        assert!((touch.force[0] - touch.impulse[0] / 1e-3).abs() < 1e-9 * touch.force[0]);
        let (_, run, kept) = live.solution().expect("a solution");
        assert!(run.summary.warnings.iter().any(|w| w.contains(Code::DRIVEN.as_str())));
        assert_eq!(kept.trajectory.values.len() / kept.trajectory.columns.len(), 401);
    }
}

/// What does not exist, or does not fit, is refused by name.
#[test]
fn refusals() {
    let mut live = Live::new(load_text("arm", ARM, &LoadOptions::default().live()).expect("a scene")).expect("live");
    let error = live.set("sholder.motor", &[1.0]).expect_err("no such name");
    assert!(error.code == Code::BAD_NAME && error.help.contains("shoulder.motor"), "{error}");
    assert_eq!(live.set("arm.force", &[1.0]).expect_err("two numbers").code, Code::BAD_SHAPE);
    assert_eq!(live.set("arm.force", &[1.0, f64::NAN]).expect_err("a number").code, Code::NOT_FINITE);
    let other = open("bouncing-ball", "moreau-jean").expect("live").save();
    assert_eq!(live.restore(&other).expect_err("another scene").code, Code::BAD_CHECKPOINT);
}
