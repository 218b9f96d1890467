//! Supports, obstacles and gravity set by hand between steps: they move as they would if the same motion were written, the ledger closes, states
//! and resets go on to the same bits, and what was set is stored with the run, which verifies.

use percussion_model::Code;
use percussion_scenario::{Attachments, Finding, Live, LoadOptions, Source, load, verify};
use percussion_step::{Ability, Outcome, SCHEMES, Trajectory};

/// A mass on a spring between two obstacles.
const MASS: &str = r#"
[model]
kind = "linear"
mass = [[1.0, 0.0], [0.0, 0.5]]
stiffness = [[300.0, -300.0], [-300.0, 400.0]]
damping = [[0.2, 0.0], [0.0, 0.1]]
gravity = [-9.81, -9.81]
q0 = [0.0, 0.0]
[[model.contact]]
normal = [1.0, 0.0]
offset = LIFT
restitution = 0.4
[[model.contact]]
normal = [0.0, -1.0]
offset = 0.4
restitution = 0.0
[time]
end = 0.6
step = 5e-3
"#;

/// A block held at its top, over a plane.
const BLOCK: &str = r#"
[model]
kind = "solid"
mesh = "mesh.msh"
plane = "strain"
gravity = [0.0, -9.81]
[[model.part]]
group = "block"
material = { young = 1e6, poisson = 0.3, density = 1500.0 }
damping = { mass = 1.0, stiffness = 1e-4 }
[[model.support]]
group = "block top"
motion = [LEFT, 0.0]
[[model.contact]]
surface = "block bottom"
against = { plane = { point = [0.0, -1e-3], normal = [0.0, 1.0] } }
friction = FRICTION
[time]
end = 0.01
step = 2e-4
"#;

fn source(text: &str) -> Source {
    let mut given = Attachments::default();
    given.files.insert("mesh.msh".into(), include_bytes!("../../../gallery/elastic-block/mesh.msh").as_slice().into());
    Source::of_text("a test", text, given)
}

fn options(scheme: &str) -> LoadOptions {
    LoadOptions { scheme: Some(scheme.into()), ..LoadOptions::default() }
}

fn live(text: &str, scheme: &str) -> Live {
    let loaded = if text.contains('\n') {
        source(text).load(&options(scheme).live())
    } else {
        load(text, &options(scheme).live())
    };
    Live::new(loaded.unwrap_or_else(|error| panic!("{scheme}: {error}"))).expect("equal steps")
}

fn bits(live: &Live) -> Vec<u64> {
    live.state().q.iter().chain(&live.state().v).map(|x| x.to_bits()).collect()
}

/// Steps; the largest residual over the largest energy of schemes that have an identity.
fn steps(live: &mut Live, n: usize) -> f64 {
    let exact = live.scenario().guarantee().has_identity();
    let (mut worst, mut energy) = (0.0_f64, 1e-3_f64);
    for _ in 0..n {
        live.step().unwrap_or_else(|failure| panic!("{}: {failure:?}", live.scenario().scheme.name));
        let entry = &live.last().ledger;
        energy = energy.max(entry.energy().abs()).max(entry.kinetic);
        worst = worst.max(if exact { entry.balance.abs() } else { 0.0 });
    }
    worst / energy
}

/// s with rate r from t₀ on, reached within h, and 0 again from t₁ on; corners are `late`: with 1e-9 s the derivatives at them are those before.
fn written(from: f64, r: f64, [t0, t1]: [f64; 2], h: f64, late: f64) -> String {
    let one = |at: f64, r: f64| {
        let later = |after: f64| format!("t - {at} - {}", after + late);
        format!("if({}, if({}, {r}*(t - {at} - {h}/2), {r}*(t - {at})^2/(2*{h})), 0)", later(0.0), later(h))
    };
    format!("{{ formula = \"{from} + {} + {}\" }}", one(t0, r), one(t1, -r))
}

/// The motion of the run of a text.
fn run(text: &str, scheme: &str, n: u64) -> Vec<f64> {
    let mut loaded = source(text).load(&options(scheme)).unwrap_or_else(|error| panic!("{scheme}: {error}"));
    let mut rows = Trajectory::new();
    assert!(matches!(loaded.simulation.run(n, &mut rows), Outcome::Finished), "{scheme}");
    rows.q(rows.len() - 1).to_vec()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

/// A floor is lifted and stopped by hand under every scheme that follows obstacles: the motion is that of the same floor as a formula of t.
#[test]
fn obstacles_are_moved() {
    let still = MASS.replace("LIFT", "0.02");
    let h = 5e-3;
    let (mut followed, mut refused) = (0, 0);
    for entry in SCHEMES {
        let Ok(loaded) = source(&still).load(&options(entry.name).live()) else { continue };
        let mut live = Live::new(loaded).expect("equal steps");
        let name = "contact[0].offset_rate";
        if entry.name == "smooth-generalized-alpha" {
            let error = live.set(name, &[0.1]).expect_err("a scheme without moving obstacles");
            assert!(error.code == Code::BAD_NAME && error.help.contains("does not follow"), "{error}");
            refused += 1;
            continue;
        }
        let mut worst = steps(&mut live, 20);
        live.set(name, &[7.0]).expect("an obstacle");
        live.set(name, &[-0.3]).expect("an obstacle: the last value counts");
        let saved = live.save();
        worst = worst.max(steps(&mut live, 40));
        live.set(name, &[0.0]).expect("an obstacle");
        let end = live.save();
        worst = worst.max(steps(&mut live, 40));
        assert!(worst <= 1e-11, "{}: {worst:e}", entry.name);
        let (reached, there) = (bits(&live), live.state().q.clone());
        // whoever stops at corners sees both sides of one, the others look at the ends of steps
        let late = if live.scenario().scheme.facts().has(Ability::StopsAtCorners) { 0.0 } else { 1e-9 };
        let moved = MASS.replace("LIFT", &written(0.02, -0.3, [20.0 * h, 60.0 * h], h, late));
        let difference = apart(&there, &run(&moved, entry.name, 100));
        // the two-step scheme has looked a step ahead when a value is set: the floor's way in a step
        let bound = if entry.name == "schatzman-paoli" { 0.3 * h } else { 1e-9 };
        println!("{}: {difference:.1e}", entry.name);
        assert!(difference <= bound, "{}: {difference:e}", entry.name);
        // the floor is where it should be: −w = −0.02 + 0.3 · 40 h
        let place = live.scenario().model().gap(0, &[0.0, 0.0], live.state().t);
        assert!((place - (0.02 - 0.3 * 40.0 * h)).abs() < 1e-12, "{}: {place}", entry.name);
        live.restore(&end).expect("its own state");
        steps(&mut live, 40);
        assert_eq!(bits(&live), reached, "{}", entry.name);
        live.restore(&saved).expect("its own state");
        steps(&mut live, 40);
        live.set(name, &[0.0]).expect("an obstacle");
        steps(&mut live, 40);
        assert_eq!(bits(&live), reached, "{}", entry.name);
        // given back, it stays where it is; reset, it is where it began
        live.release(name).expect("an obstacle");
        steps(&mut live, 2);
        assert!((live.scenario().model().gap(0, &[0.0, 0.0], live.state().t) - place).abs() < 1e-12);
        live.reset().expect("its own start");
        steps(&mut live, 100);
        assert_eq!(live.state().q, run(&still, entry.name, 100), "{}", entry.name);
        followed += 1;
    }
    assert!(followed >= 18 && refused == 1, "{followed} {refused}");
}

/// The support of a solid is pulled and stopped by hand; the same as a formula of t, and a plane with friction is lifted under it.
#[test]
fn supports_are_moved() {
    let h = 2e-4;
    for scheme in ["moreau-jean", "generalized-alpha", "newmark", "hht", "landing"] {
        let still = BLOCK.replace("LEFT", "0.0").replace("FRICTION", "0.0");
        let pulled = BLOCK.replace("LEFT", &written(0.0, 0.4, [5.0 * h, 25.0 * h], h, 1e-9)).replace("FRICTION", "0.0");
        let mut live = live(&still, scheme);
        steps(&mut live, 5);
        live.set("block top.velocity", &[0.4, 0.0]).expect("a support");
        let mut worst = steps(&mut live, 10);
        let saved = live.save();
        worst = worst.max(steps(&mut live, 10));
        live.set("block top.velocity", &[0.0, 0.0]).expect("a support");
        worst = worst.max(steps(&mut live, 15));
        assert!(worst <= 1e-11, "{scheme}: {worst:e}");
        let (reached, there) = (bits(&live), live.state().q.clone());
        let difference = apart(&there, &run(&pulled, scheme, 40));
        let size = there.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        assert!(difference <= 1e-9 * size && size > 1e-3, "{scheme}: {difference:e} of {size:e}");
        live.restore(&saved).expect("its own state");
        steps(&mut live, 10);
        live.set("block top.velocity", &[0.0, 0.0]).expect("a support");
        steps(&mut live, 15);
        assert_eq!(bits(&live), reached, "{scheme}");
        live.reset().expect("its own start");
        steps(&mut live, 40);
        assert_eq!(live.state().q, run(&still, scheme, 40), "{scheme}");
    }
    let rough = BLOCK.replace("LEFT", "0.0").replace("FRICTION", "0.3");
    let mut live = live(&rough, "moreau-jean");
    let error = live.set("contact[0].velocity", &[0.0, 0.1]).expect_err("with friction");
    assert!(error.help.contains("normal_velocity"), "{error}");
    live.set("contact[0].normal_velocity", &[0.5]).expect("along the normal");
    let (mut work, mut worst) = (0.0, 0.0_f64);
    for _ in 0..40 {
        worst = worst.max(steps(&mut live, 1));
        work += live.last().ledger.work_external;
    }
    assert!(worst <= 1e-11 && work > 1e-3, "{worst:e} {work}");
}

/// Gravity set at the start is the motion of the scenario with that gravity, for every kind that has it; what differs from the one
/// written is external work.
#[test]
fn gravity_is_set() {
    let mass = MASS.replace("LIFT", "0.02");
    let block = BLOCK.replace("LEFT", "0.0").replace("FRICTION", "0.0");
    // schemes that carry accelerations find at t = 0 itself what was written: so does a formula that changes right after
    let late = |from: f64, to: f64| format!("{{ formula = \"if(t - 1e-9, {to}, {from})\" }}");
    let late_mass = format!("[{}, {}]", late(-9.81, -2.0), late(-9.81, 1.0));
    let (late_pendulum, late_rocking) = (late(10.0, 4.0), late(9.81, 4.0));
    let late_block = format!("[0.0, 0.0, {}]", late(-9.81, -5.0));
    let cases: [(&str, &str, &[f64], &str); 10] = [
        ("chain", "moreau-jean", &[0.0, -3.0, 0.5], "[0.0, -3.0, 0.5]"),
        ("slider-crank", "energy-momentum", &[1.0, -3.0], "[1.0, -3.0]"),
        ("rocking-block-3d", "generalized-alpha-ggl", &[0.0, 0.0, -5.0], &late_block),
        ("newtons-cradle", "event-driven", &[0.0, 0.0, -5.0], "[0.0, 0.0, -5.0]"),
        ("spin-up", "energy-momentum", &[0.0, -5.0], "[0.0, -5.0]"),
        ("pendulum", "moreau-jean", &[4.0], &late_pendulum),
        ("rocking-block", "generalized-alpha", &[4.0], &late_rocking),
        ("rotating-beam", "energy-momentum", &[4.0], "4.0"),
        (&mass, "generalized-alpha", &[-2.0, 1.0], &late_mass),
        (&block, "moreau-jean", &[3.0, -1.0], "[3.0, -1.0]"),
    ];
    for (scene, scheme, g, written) in cases {
        let name = scene.lines().next().unwrap_or(scene);
        let of = |options: LoadOptions| {
            let loaded = if scene.contains('\n') { source(scene).load(&options) } else { load(scene, &options) };
            loaded.unwrap_or_else(|error| panic!("{name} {scheme}: {error}"))
        };
        let moved = |options: LoadOptions| {
            let (mut loaded, mut rows) = (of(options), Trajectory::new());
            assert!(matches!(loaded.simulation.run(25, &mut rows), Outcome::Finished), "{name}");
            rows.q(rows.len() - 1).to_vec()
        };
        let plain = moved(options(scheme));
        let other = moved(LoadOptions { set: vec![format!("model.gravity={written}")], ..options(scheme) });
        let mut live = Live::new(of(options(scheme).live())).expect("equal steps");
        live.set("gravity", g).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (mut worst, mut work) = (0.0_f64, 0.0);
        for _ in 0..25 {
            worst = worst.max(steps(&mut live, 1));
            work += live.last().ledger.work_external.abs();
        }
        assert!(worst <= 1e-11, "{name} {scheme}: {worst:e}");
        let (difference, way) = (apart(&live.state().q, &other), apart(&plain, &other));
        assert!(difference <= 1e-9 * way.max(1e-2), "{name} {scheme}: {difference:e} of {way:e}");
        assert!(work > 0.0 && way > 0.0, "{name} {scheme}: no work");
        live.reset().expect("its own start");
        steps(&mut live, 25);
        assert_eq!(live.state().q, plain, "{name} {scheme}");
    }
}

/// Gravity that a formula of t keeps at one value is a load, and moves every kind as that value does; the ledger closes.
#[test]
fn gravity_is_a_signal() {
    let mass = MASS.replace("LIFT", "0.02");
    let block = BLOCK.replace("LEFT", "0.0").replace("FRICTION", "0.0");
    let of = |g: &str| format!("{{ formula = \"{g} + 0*t\" }}");
    let cases: [(&str, &str, [String; 2]); 6] = [
        ("pendulum", "moreau-jean", ["4.0".into(), of("4.0")]),
        ("rocking-block", "energy-momentum", ["4.0".into(), of("4.0")]),
        ("rotating-beam", "energy-momentum", ["4.0".into(), of("4.0")]),
        ("pendulum", "event-driven", ["4.0".into(), of("4.0")]),
        (&mass, "generalized-alpha", ["[-9.0, 2.0]".into(), format!("[{}, {}]", of("-9.0"), of("2.0"))]),
        (&block, "moreau-jean", ["[3.0, -9.0]".into(), format!("[{}, {}]", of("3.0"), of("-9.0"))]),
    ];
    for (scene, scheme, gravity) in cases {
        let ends = gravity.map(|g| {
            let options = LoadOptions { set: vec![format!("model.gravity={g}")], ..options(scheme) };
            let loaded = if scene.contains('\n') { source(scene).load(&options) } else { load(scene, &options) };
            let mut loaded = loaded.unwrap_or_else(|error| panic!("{scheme} {g}: {error}"));
            let mut rows = Trajectory::new();
            assert!(matches!(loaded.simulation.run(40, &mut rows), Outcome::Finished), "{scheme} {g}");
            let size = rows.ledger.iter().fold(1e-3_f64, |size, e| size.max(e.energy().abs()).max(e.kinetic));
            let worst = rows.ledger.iter().fold(0.0_f64, |worst, e| worst.max(e.balance.abs())) / size;
            assert!(worst <= 1e-11 || !loaded.scenario.guarantee().has_identity(), "{scheme} {g}: {worst:e}");
            rows.q(rows.len() - 1).to_vec()
        });
        let difference = apart(&ends[0], &ends[1]);
        assert!(difference <= 1e-9, "{scheme}: {difference:e}");
    }
}

/// Released loads and gravity, and a force on a mass that has a weight: the weight stays.
#[test]
fn a_force_leaves_the_weight() {
    let text = "[model]\nkind = \"linear\"\nmass = [[2.0]]\ngravity = [-10.0]\n[time]\nend = 1.0\nstep = 0.01\n";
    let mut live = live(text, "moreau-jean");
    live.set("force[0]", &[20.0]).expect("a load");
    steps(&mut live, 50);
    assert!(live.state().q[0].abs() < 1e-12, "{:?}", live.state());
    live.release("force[0]").expect("a load");
    live.set("gravity", &[4.0]).expect("gravity");
    steps(&mut live, 50);
    // 4 t²/2 at t = 0.5
    assert!((live.state().q[0] - 0.5).abs() < 1e-12, "{:?}", live.state());
}

/// What is set, by name.
type Values<'a> = &'a [(&'a str, &'a [f64])];

/// A run whose loads, obstacles, supports and gravity were set is stored with what was set, and verifies; so does a record that began at a state
/// that was restored, with a hand on.
#[test]
fn what_was_set_verifies() {
    let mass = MASS.replace("LIFT", "0.02");
    let block = BLOCK.replace("LEFT", "0.0").replace("FRICTION", "0.0");
    let cases: [(&str, &str, Values); 6] = [
        (&mass, "moreau-jean", &[("force[1]", &[3.0]), ("contact[0].offset_rate", &[-0.2])]),
        (&mass, "generalized-alpha", &[("gravity", &[-5.0, 1.0]), ("contact[0].offset_rate", &[-0.2])]),
        (&mass, "newmark", &[("force[0]", &[-4.0])]),
        (&block, "moreau-jean", &[("block top.velocity", &[0.3, 0.0]), ("gravity", &[0.0, -3.0])]),
        ("opening-gate", "moreau-jean", &[("gate.velocity", &[0.0, 0.3]), ("gravity", &[0.0, -7.0])]),
        ("pendulum", "moreau-jean", &[("gravity", &[2.0]), ("force[0]", &[0.4])]),
    ];
    for (k, (scene, scheme, values)) in cases.into_iter().enumerate() {
        let mut live = live(scene, scheme);
        let check = |live: &mut Live, what: &str| {
            let folder = std::env::temp_dir().join(format!("percussion-live-{}-{k}-{what}", std::process::id()));
            let (scenario, run, kept) = live.solution().expect("a solution");
            kept.save(&scenario, &run.summary, &folder).unwrap_or_else(|error| panic!("{error}"));
            let found = verify(&folder).unwrap_or_else(|error| panic!("{scheme} {what}: {error}"));
            for check in &found.checks {
                assert!(!matches!(check.finding, Finding::Differs { .. }), "{scene} {scheme} {what}: {check:?}");
            }
            let _ = std::fs::remove_dir_all(folder);
        };
        steps(&mut live, 10);
        for (name, value) in values {
            live.set(name, value).unwrap_or_else(|error| panic!("{scheme}: {error}"));
        }
        steps(&mut live, 15);
        check(&mut live, "set");
        let saved = live.save();
        for (name, _) in values {
            live.release(name).expect("it was set");
        }
        steps(&mut live, 10);
        check(&mut live, "released");
        live.restore(&saved).expect("its own state");
        steps(&mut live, 10);
        check(&mut live, "restored");
    }
}

/// What cannot be set says why.
#[test]
fn reasons() {
    let formula = "[model]\nkind = \"formula\"\ncoordinates = [\"x\"]\nkinetic = \"0.5*x_dot^2\"\n[time]\nend = 1.0\nstep = 0.01\n";
    let plain = "[model]\nkind = \"linear\"\nmass = [[2.0]]\n[time]\nend = 1.0\nstep = 0.01\n";
    let corner = BLOCK
        .replace("LEFT", "0.0")
        .replace("FRICTION", "0.2")
        .replace("[[model.contact]]", "[[model.support]]\ngroup = \"block left\"\nfix = [\"x\"]\n[[model.contact]]");
    for (scene, name, word) in [
        ("slider-crank", "frame.velocity", "fixed"),
        ("slider-crank", "crank pin.motor", "no motor"),
        ("slider-crank", "crank.velocity", "freely"),
        ("opening-gate", "gate.force", "prescribed"),
        (formula, "gravity", "parameter"),
        (plain, "gravity", "has none"),
        ("elastic-bar", "gravity", "bar"),
        ("pendulum", "contact[0].offset_rate", "stands still"),
        (&corner, "block left.velocity", "shares nodes"),
    ] {
        let mut live = live(scene, "moreau-jean");
        let error = live.set(name, &[1.0]).expect_err(name);
        assert!(error.code == Code::BAD_NAME && error.help.contains(word), "{name}: {error}");
    }
}
