//! Live simulations: the same bits as a run, saved and fed back to the same bits, driven with a ledger that closes.

use percussion_model::Code;
use percussion_scenario::{
    Attachments, Cells, Live, LiveState, LoadOptions, Source, load, load_text, run_kept, verify,
};
use percussion_step::{EventKind, Outcome, Pack, SCHEMES, System, Trajectory};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Built-in scenes of every kind, with joints and friction among them, small enough to run by every scheme; and one as text.
const SCENES: [&str; 19] = [
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
    "cam-follower",
    FORMULA,
    LINES,
    REDUCED,
];

/// A ball on a cable, a block on a bushing.
const LINES: &str = r#"
[model]
kind = "bodies"
[[body]]
name = "ground"
fixed = true
[[body]]
name = "ball"
mass = 1.0
inertia = [0.01, 0.01, 0.01]
position = [1.0, 0.0, 0.0]
[[body]]
name = "block"
mass = 2.0
inertia = [0.1, 0.2, 0.15]
position = [0.0, 2.0, 0.0]
angular_velocity = [0.5, 0.0, 2.0]
[[cable]]
name = "line"
from = [0.0, 0.0, 0.0]
to = [1.0, 0.0, 0.0]
from_body = "ground"
to_body = "ball"
elements = 3
axial_stiffness = 2e4
length = 1.1
mass_per_length = 0.05
[[bushing]]
a = "ground"
b = "block"
anchor = [0.0, 2.1, 0.0]
stiffness = [2e3, 3e3, 1e3, 20.0, 0.0, 30.0]
damping = 1e-3
[time]
step = 1e-3
end = 1.0
"#;

/// A reduced flexible body that lands on a floor with friction.
const REDUCED: &str = r#"
[model]
kind = "bodies"
restitution = 0.3
friction = 0.4
[[body]]
name = "floor"
shape = { kind = "plane" }
position = [0.0, 0.0, -0.0012]
fixed = true
[[flexible]]
name = "bracket"
mesh = "mesh.msh"
young = 2e9
poisson = 0.35
density = 1200.0
interfaces = [0, 135, 153, 273]
modes = 4
velocity = [0.3, 0.0, -0.2]
contact = { radius = 0.001 }
[time]
step = 1e-4
end = 0.1
"#;

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
    let mut given = Attachments::default();
    given.files.insert("mesh.msh".into(), include_bytes!("../../../gallery/bracket/mesh.msh").as_slice().into());
    let text = || Source::of_text("a test", scene, given).load(&options);
    let loaded = if scene.contains('\n') { text() } else { load(scene, &options) };
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
    let mut kinds: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
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
            kinds
                .entry(match uncut.scenario().model().system() {
                    System::Linear => "linear",
                    System::Lagrangian => "nonlinear",
                    System::Bodies => "bodies",
                })
                .or_default()
                .insert(entry.name);
        }
        assert!(pairs > before, "{scene}: no scheme");
    }
    // every scheme that moves a kind of model at all
    for (column, kind) in [("linear", "linear"), ("nonlinear", "nonlinear"), ("bodies", "bodies")] {
        let moved = SCHEMES.iter().filter(|entry| percussion_step::support(entry.name).contains(&column));
        let missing: Vec<&str> = moved.map(|entry| entry.name).filter(|name| !kinds[kind].contains(name)).collect();
        assert!(missing.is_empty(), "{kind}: {missing:?}");
    }
    println!("{pairs} pairs of scene and scheme");
    assert!(pairs >= 200, "{pairs} pairs of scene and scheme");
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

/// Told of every step, with its events; told to break, it stops, and what was done stands.
#[test]
fn steps_and_events_are_told() {
    let mut ball = open("bouncing-ball", "moreau-jean").expect("a simulation");
    let (mut told, mut impacts) = (0, 0);
    let end = ball.advance_to(1.0, |ball| {
        told += 1;
        impacts += ball.events().iter().filter(|event| event.kind == EventKind::Impact).count();
        if impacts == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(end.is_ok() && impacts == 1 && ball.number() == told, "{told} {impacts}");
    // √(2 · 0.801/10)
    assert!((ball.state().t - 0.4002).abs() < 2.0 * ball.scenario().step, "{}", ball.state().t);
    let before = ball.number();
    ball.advance_to(0.5, |_| ControlFlow::Continue(())).expect("steps");
    assert!((ball.state().t - 0.5).abs() < 1e-9 && ball.number() > before);
    let (_, _, kept) = ball.solution().expect("a solution");
    assert_eq!(kept.trajectory.len() as u64, ball.number() + 1);
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
        assert!(run.summary.warnings.iter().all(|w| !w.contains(Code::DRIVEN.as_str())));
        assert_eq!(kept.trajectory.values.len() / kept.trajectory.columns.len(), 401);
    }
}

/// A scene, a scheme, what is set by name, its values, and a change of the scenario.
type Driven<'a> = (&'a str, &'a str, &'a str, &'a [f64], Option<&'a str>);

/// Every kind of model has hands on its loads: what is set does external work and the ledger closes; released and reset, the motion is
/// that of the scenario, bit for bit.
#[test]
fn every_kind_can_be_driven() {
    let push = "model.load=[{ group = \"block top\", traction = [0.0, -50.0] }]";
    let cases: [Driven; 11] = [
        ("bouncing-ball", "moreau-jean", "force[0]", &[3.0], None),
        ("elastic-bar", "generalized-alpha", "force[3]", &[20.0], None),
        ("pendulum", "moreau-jean", "force[0]", &[0.7], None),
        ("rocking-block", "moreau-jean", "force[1]", &[-2.0], None),
        ("rotating-beam", "energy-momentum", "force[5]", &[0.4], None),
        ("elastic-block", "moreau-jean", "block top.traction", &[400.0, -200.0], Some(push)),
        ("spin-up", "energy-momentum", "blade.4.force", &[0.0, 5.0], None),
        (FORMULA, "moreau-jean", "force.s", &[4.0], None),
        (LINES, "energy-momentum", "block.torque", &[0.1, 0.2, 0.3], None),
        (LINES, "energy-momentum", "line.1.force", &[0.0, 0.0, 2.0], None),
        ("opening-gate", "moreau-jean", "gate.velocity", &[0.0, 0.2], None),
    ];
    for (scene, scheme, name, values, change) in cases {
        let open = || {
            let set = change.iter().map(ToString::to_string).collect();
            let options = LoadOptions { scheme: Some(scheme.into()), set, ..LoadOptions::default() }.live();
            let loaded =
                if scene.contains('\n') { load_text("a test", scene, &options) } else { load(scene, &options) };
            Live::new(loaded.unwrap_or_else(|error| panic!("{scene}: {error}"))).expect("equal steps")
        };
        let (mut live, mut plain) = (open(), open());
        assert_eq!(steps(&mut live, 30), 30);
        assert_eq!(steps(&mut plain, 30), 30);
        let quiet: f64 = plain.last().ledger.work_external;
        live.set(name, values).unwrap_or_else(|error| {
            let names: Vec<&str> = live.controls().iter().map(|c| c.name.as_str()).collect();
            panic!("{scene}: {error} {names:?}")
        });
        let (mut work, mut energy) = (0.0, 1e-3_f64);
        for _ in 0..30 {
            live.step().unwrap_or_else(|failure| panic!("{scene}: {failure:?}"));
            let entry = &live.last().ledger;
            energy = energy.max(entry.energy().abs()).max(entry.kinetic);
            work += entry.work_external;
            let exact = live.scenario().guarantee().has_identity();
            assert!(!exact || entry.balance.abs() <= 1e-11 * energy, "{scene} {name}: {:e}", entry.balance);
        }
        // a gate that is lifted by hand meets nothing: its work is that of what it touches
        assert!(name.ends_with("velocity") || (work - 30.0 * quiet).abs() > 1e-12 * energy, "{scene} {name}: no work");
        assert_ne!(bits(&live), bits(&plain));
        live.reset().expect("its own start");
        assert_eq!(steps(&mut live, 30), 30);
        assert_eq!(bits(&live), bits(&plain), "{scene} {name}");
    }
}

/// Loads that are set, changed and released at random under every scheme: one with an identity closes to 1e-11 of the energy, and a state saved
/// between a setting and the next step goes on to the same bits.
#[test]
fn every_scheme_books_what_is_set() {
    let (mut closed, mut draw) = (0, 3_u64);
    for (scene, name) in
        [("two-mass-oscillator", "force[1]"), ("pendulum", "force[0]"), (FORMULA, "force.s"), (ARM, "arm.force")]
    {
        for entry in SCHEMES {
            let Some(mut live) = open(scene, entry.name) else { continue };
            let exact = live.scenario().guarantee().has_identity();
            let n = live.controls().iter().find(|c| c.name == name).expect("a load").dials.len();
            let (mut worst, mut energy, mut saved) = (0.0_f64, 1e-3_f64, None);
            for k in 0..60 {
                draw = draw.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let push = 20.0 * ((draw >> 11) as f64 / (1_u64 << 53) as f64 - 0.5);
                match k % 7 {
                    0 | 3 => live.set(name, &vec![push; n]).expect("a load"),
                    5 => live.release(name).expect("a load"),
                    _ => {}
                }
                if k == 42 {
                    saved = Some(live.save());
                }
                if live.step().is_err() {
                    break;
                }
                let entry = &live.last().ledger;
                energy = energy.max(entry.energy().abs()).max(entry.kinetic);
                if exact {
                    worst = worst.max(entry.balance.abs());
                }
                if k == 43 {
                    let end = bits(&live);
                    let now = live.save();
                    live.restore(saved.as_ref().expect("saved a step before")).expect("its own state");
                    assert_eq!(steps(&mut live, 2), 2);
                    assert_eq!(bits(&live), end, "{scene} by {}", live.scenario().scheme.name);
                    live.restore(&now).expect("its own state");
                }
            }
            assert!(worst <= 1e-11 * energy, "{scene} by {}: {:e}", entry.name, worst / energy);
            closed += usize::from(exact);
        }
    }
    assert!(closed >= 25, "{closed}");
}

/// A servo follows the target it is set, a gate the velocity; joints, reactions and contacts are read on the way.
#[test]
fn servos_and_gates() {
    let text = ARM
        .replace("motor = { force = 0.0 }", "motor = { target = 0.0, stiffness = 2000.0, damping = 100.0 }")
        .replace("[[joint]]", "[[body]]\nname = \"pusher\"\nshape = { kind = \"box\", size = [0.1, 0.2] }\nposition = [1.8, -0.19]\nmotion = { velocity = [0.0, 0.0] }\n[[joint]]");
    for scheme in ["moreau-jean", "energy-momentum"] {
        let options = LoadOptions { scheme: Some(scheme.into()), ..LoadOptions::default() }.live();
        let loaded = load_text("arm", &text, &options).unwrap_or_else(|error| panic!("{error}"));
        let mut live = Live::new(loaded).expect("equal steps");
        let mut pushed = 0.0;
        for k in 0..600 {
            live.set("shoulder.motor", &[if k < 300 { 0.3 } else { -0.1 }]).expect("a servo");
            live.set("pusher.velocity", &[0.4, 0.0]).expect("a body that is moved");
            live.step().unwrap_or_else(|failure| panic!("{scheme}: {failure:?}"));
            let balance = live.last().ledger.balance;
            assert!(balance.abs() <= 1e-11 * 100.0, "{scheme}: {balance:e}");
            let touch = live.contacts().into_iter().filter(|c| {
                c.bodies.as_ref().is_some_and(|b| b.contains(&"pusher".to_string()) && b.contains(&"ball".to_string()))
            });
            pushed += touch.map(|c| c.impulse[0]).sum::<f64>();
            if k == 299 || k == 599 {
                let joint = &live.joints()[0];
                let target = if k == 299 { 0.3 } else { -0.1 };
                // the weight bends the spring of the servo: m g ℓ/2 cos φ/k = 0.0157 rad
                assert!((joint.value + 0.0157 - target).abs() < 5e-3 && joint.rate.abs() < 0.05, "{scheme}: {joint:?}");
                // the hinge carries the arm
                let reaction = &live.reactions()[0];
                assert!((reaction.force[1] - 8.0 * 9.81).abs() < 2.0, "{scheme}: {reaction:?}");
            }
        }
        assert!(pushed > 1.0, "{scheme}: the pusher pushed {pushed} N s");
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

/// A thinned record ends with the row of its last step, as that of a run does, whenever it was looked at before; saved, it is verified.
#[test]
fn the_last_step_of_a_thinned_record() {
    for (scene, scheme) in [("bouncing-ball", "moreau-jean"), ("slider-crank", "moreau-jean"), (LINES, "moreau-jean")] {
        let step =
            if scene == LINES { 1e-3 } else { load(scene, &LoadOptions::default()).expect("a scene").scenario.step };
        let options = LoadOptions {
            scheme: Some(scheme.into()),
            step: Some(step),
            end: Some(50.0 * step),
            set: vec!["output.every=7".into()],
            ..LoadOptions::default()
        };
        let open = |options: &LoadOptions| match scene {
            LINES => load_text("lines", scene, options),
            _ => load(scene, options),
        };
        let (_, _, expected) = run_kept(open(&options).expect("a scene"), None, &mut |_| true).expect("a run");
        let mut live = Live::new(open(&options.live()).expect("a scene")).expect("live");
        for k in 0..50 {
            live.step().expect("a step");
            if k % 10 == 3 {
                live.solution().expect("a solution on the way");
            }
        }
        let (scenario, run, kept) = live.solution().expect("a solution");
        let bits = |cells: &Cells| cells.values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let all = |k: &percussion_scenario::Kept| {
            [&k.trajectory, &k.contacts, &k.ledger, &k.events, &k.momentum, &k.reactions, &k.joints, &k.beams].map(bits)
        };
        assert_eq!(kept.ledger.len(), 9, "rows 0, 7, …, 49, 50");
        assert!(all(&kept) == all(&expected), "{scheme}: tables differ");
        let folder = std::env::temp_dir().join(format!("percussion-thinned-{}-{}", std::process::id(), scene.len()));
        kept.save(&scenario, &run.summary, &folder).expect("a folder");
        let verified = verify(&folder).expect("a run");
        assert!(!verified.differs(), "{:?}", verified.checks);
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Bodies placed by hand that miss their joints by round-off are put onto them and go on, under every scheme; a larger miss is refused with its remedy, which
/// works; velocities that part a joint and rotations of another length are refused.
#[test]
fn bodies_are_placed_on_their_joints() {
    let mut moved = 0;
    for entry in SCHEMES {
        let Some(mut live) = open("slider-crank", entry.name) else { continue };
        if steps(&mut live, 20) < 20 {
            continue;
        }
        let (q, v) = (live.state().q.clone(), live.state().v.clone());
        let scene = live.scenario().model().bodies().expect("bodies").clone();
        let free = scene.bodies().iter().position(|body| body.is_free()).expect("a body");
        let size = q.len() / scene.len();
        let worst = |live: &Live| {
            let model = live.scenario().model();
            (0..model.n_joints()).fold(0.0_f64, |s, j| s.max(model.joint(j, &live.state().q).abs()))
        };
        for miss in [1e-9, 1e-7] {
            let mut off = q.clone();
            off[size * free] += miss;
            live.place(&off, &v, false).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            assert!(worst(&live) <= 1e-13, "{}: {:e}", entry.name, worst(&live));
            assert_eq!(steps(&mut live, 20), 20, "{} after a miss of {miss:e}", entry.name);
        }
        let mut off = q.clone();
        off[size * free] += 1e-2;
        let refused = live.place(&off, &v, false).expect_err("apart");
        assert_eq!((refused.code, refused.field.as_str()), (Code::JOINT_POSITION, "state.q"));
        assert!(refused.help.contains("project"), "{refused}");
        live.place(&off, &v, true).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert!(worst(&live) <= 1e-13, "{}: {:e}", entry.name, worst(&live));
        let mut parting = v.clone();
        parting[(v.len() / scene.len()) * free] += 5.0;
        let refused = live.place(&q, &parting, false).expect_err("parting");
        assert_eq!(refused.code, Code::JOINT_VELOCITY);
        live.place(&q, &parting, true).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        moved += 1;
    }
    assert!(moved >= 4, "{moved} schemes");
    let mut block = open(LINES, "moreau-jean").expect("a simulation");
    let (mut q, v) = (block.state().q.clone(), block.state().v.clone());
    q[3] = 2.0;
    assert_eq!(block.place(&q, &v, false).expect_err("a rotation").code, Code::BAD_ROTATION);
    q[3] = 1.0;
    q[4] = f64::NAN;
    assert_eq!(block.place(&q, &v, false).expect_err("a number").code, Code::NOT_FINITE);
    assert_eq!(block.place(&q[1..], &v, false).expect_err("a size").code, Code::BAD_SHAPE);
}

/// Contacts keep their names where a state is restored, in the same simulation and in another.
#[test]
fn contacts_keep_their_names() {
    let text = r#"
[model]
kind = "bodies"
dimension = 2
friction = 0.2
[[body]]
name = "table"
shape = { kind = "box", size = [4.0, 0.2] }
position = [0.0, -0.1]
fixed = true
[[body]]
name = "box"
shape = { kind = "box", size = [0.4, 0.2] }
density = 100.0
position = [0.0, 0.17]
rotation = [0.9887710779360422, 0.0, 0.0, -0.14943813247359922]
velocity = [1.0, 0.0]
[time]
step = 1e-3
end = 1.0
"#;
    let mut uncut = open(text, "moreau-jean").expect("a simulation");
    steps(&mut uncut, 250);
    let saved = uncut.save();
    let names = |live: &Live| live.contacts().into_iter().map(|c| (c.id, c.name)).collect::<BTreeMap<_, _>>();
    let mut seen = BTreeMap::new();
    for _ in 0..250 {
        assert_eq!(steps(&mut uncut, 1), 1);
        seen.extend(names(&uncut));
    }
    assert!(seen.len() >= 2, "{seen:?}");
    let mut other = open(text, "moreau-jean").expect("a simulation");
    for live in [&mut uncut, &mut other] {
        live.restore(&saved).expect("its state");
        for _ in 0..250 {
            assert_eq!(steps(live, 1), 1);
            for (id, name) in names(live) {
                assert_eq!(name, seen[&id]);
            }
        }
    }
}

/// A state of the same scene with another weight, spring or mass is refused, since what a scheme carries holds the energy; other friction and restitution
/// are taken, and the ledger closes.
#[test]
fn states_of_other_models() {
    let with = |scene: &str, scheme: &str, set: &[&str]| {
        let set = set.iter().map(|word| word.to_string()).collect();
        let options = LoadOptions { scheme: Some(scheme.into()), set, ..LoadOptions::default() }.live();
        let loaded = if scene.contains('\n') { load_text("a test", scene, &options) } else { load(scene, &options) };
        Live::new(loaded.unwrap_or_else(|error| panic!("{error}"))).expect("equal steps")
    };
    let cases: [(&str, &str, &[&str], bool); 6] = [
        ("pendulum", "energy-momentum", &["model.gravity=5.0"], false),
        ("pendulum", "generalized-alpha-ggl", &["model.gravity=5.0"], false),
        ("chain", "moreau-jean", &["model.gravity=[0.0, 0.0, -3.0]"], false),
        (FORMULA, "moreau-jean", &["model.parameters.k=210.0"], false),
        ("chain", "moreau-jean", &["model.friction=0.7"], true),
        ("newtons-cradle", "moreau-jean", &["model.restitution=0.5"], true),
    ];
    for (scene, scheme, set, taken) in cases {
        let (mut first, mut other) = (with(scene, scheme, &[]), with(scene, scheme, set));
        steps(&mut first, 20);
        match other.restore(&first.save()) {
            Ok(()) => {
                assert!(taken, "{set:?} was taken");
                steps(&mut other, 5);
                let entry = &other.last().ledger;
                assert!(entry.balance.abs() <= 1e-11 * entry.energy().abs().max(1.0), "{set:?}: {}", entry.balance);
            }
            Err(error) => {
                assert!(
                    !taken && error.code == Code::BAD_CHECKPOINT && error.help.contains("gravity"),
                    "{set:?} {error}"
                );
                assert_eq!(other.number(), 0);
            }
        }
    }
}
