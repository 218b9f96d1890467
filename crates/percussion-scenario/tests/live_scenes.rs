//! Live simulations of what is largest and least usual: solids alone and among bodies, jointed bodies with friction, signals in every place. States are
//! fed back to the same bits, nothing set is a run, and loads of solids and parameters of formulas are set by name.

use percussion_scenario::{Attachments, Live, LiveState, LoadOptions, Source, load};
use percussion_step::{Ability, Outcome, Pack, SCHEMES, Trajectory};

/// A plate that a hinge and a spring hold by groups, pushed from below, with a ball that falls on it.
const PLATE: &str = r#"
[model]
kind = "bodies"
friction = 0.3
gravity = [0.0, { mean = 0.5, sines = [{ amplitude = 0.7, omega = 31.0 }, { amplitude = 0.3, omega = 47.0 }] }, -9.81]
[[body]]
name = "wall"
shape = { kind = "point" }
fixed = true
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.05 }
density = 500.0
position = [0.0, 0.0, 0.0605]
[[solid]]
name = "plate"
mesh = "plate.msh"
kinematics = "finite"
[[solid.part]]
group = "plate"
material = { law = "saint-venant-kirchhoff", young = 1e7, poisson = 0.3, density = 1200.0 }
[[solid.load]]
group = "bottom"
traction = [0.0, 0.0, { mean = 20.0, sines = [{ amplitude = 11.0, omega = 200.0 }] }]
[[solid.contact]]
surface = "top"
[[joint]]
name = "hinge"
kind = "revolute"
a = "wall"
b = "plate"
b_group = "rim"
anchor = [-0.1, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
[[spring]]
a = "wall"
b = "plate"
b_group = "centre"
point_a = [0.0, 0.0, 0.3]
stiffness = 2000.0
length = 0.28
[time]
end = 0.02
step = 5e-4
"#;

/// A block over a plane with friction, loads and gravity that vary; DEFORMATION is small or finite.
const BLOCK: &str = r#"
[model]
kind = "solid"
mesh = "block.msh"
plane = "strain"
kinematics = "DEFORMATION"
gravity = [{ sines = [{ amplitude = 2.0, omega = 90.0 }, { amplitude = 1.0, omega = 33.0 }] }, -9.81]
[[model.part]]
group = "block"
material = { LAW young = 1e6, poisson = 0.3, density = 1500.0 }
[[model.support]]
group = "block left"
fix = ["x", "y"]
[[model.load]]
group = "block top"
traction = [{ mean = 3.0, sines = [{ amplitude = 40.0, omega = 300.0 }] }, -70.0]
[[model.contact]]
surface = "block bottom"
against = { plane = { point = [0.0, -1e-6], normal = [0.0, 1.0] } }
FRICTION
[time]
end = 0.01
step = 2e-4
"#;

/// Two links with dry friction and a stop in their hinges; the lower one sweeps the floor.
const LINKS: &str = r#"
[model]
kind = "bodies"
dimension = 2
friction = 0.3
restitution = 0.4
no_contact = [["upper", "lower"], ["upper", "floor"]]
[[body]]
name = "floor"
shape = { kind = "plane" }
position = [0.0, -0.12]
fixed = true
[[body]]
name = "upper"
shape = { kind = "box", size = [0.5, 0.05] }
density = 200.0
position = [0.25, 0.0]
[[body]]
name = "lower"
shape = { kind = "capsule", radius = 0.03, length = 0.4 }
mass = 1.0
inertia = [0.02]
position = [0.75, 0.0]
[[joint]]
name = "shoulder"
kind = "revolute"
a = "floor"
b = "upper"
anchor = [0.0, 0.0]
HINGE
[[joint]]
name = "elbow"
kind = "revolute"
a = "upper"
b = "lower"
anchor = [0.5, 0.0]
[time]
end = 1.0
step = 2e-3
"#;

/// A mass on a spring above a floor, all of it parameters.
const FORMULA: &str = r#"
[model]
kind = "formula"
coordinates = ["y", "z"]
parameters = { m = 1.2, k = 80.0, g = { mean = 9.81, sines = [{ amplitude = 2.0, omega = 15.0 }, { amplitude = 1.0, omega = 21.0 }] }, push = { table = [[0.0, 0.0], [0.3, 4.0], [0.6, 0.0]] }, lift = { mean = 0.01, sines = [{ amplitude = 0.01, omega = 12.0 }] }, p = 2 }
kinetic = "0.5*m*y_dot^2 + (0.3 + 0.1*cos(y))*z_dot^2"
potential = "0.5*k*(y - z)^p + m*g*y + 30*z^2"
force = ["push - 0.1*y_dot", 0]
q0 = [0.2, 0.1]
[[model.contact]]
gap = "y + 0.05 - lift"
restitution = 0.5
[time]
end = 1.0
step = 2e-3
"#;

/// Matrices under forces and gravity of several sines.
const MASSES: &str = r#"
[model]
kind = "linear"
mass = [[1.3, 0.2], [0.2, 0.7]]
stiffness = [[300.0, -130.0], [-130.0, 400.0]]
force = [{ mean = 0.7, sines = [{ amplitude = 3.1, omega = 7.0 }] }, { table = [[0.0, 0.0], [0.1, 2.0], [0.5, 1.0]] }]
gravity = [{ mean = -9.81, sines = [{ amplitude = 3.0, omega = 7.0 }, { amplitude = 0.9, omega = 11.0 }] }, { table = [[0.0, 0.0], [0.2, 3.0]] }]
[[model.contact]]
normal = [1.0, 0.0]
offset = { mean = 0.02, sines = [{ amplitude = 0.01, omega = 20.0 }] }
restitution = 0.4
[time]
end = 0.6
step = 5e-3
"#;

fn block(kinematics: &str, friction: &str) -> String {
    let law = if kinematics == "finite" { "law = \"neo-hookean\"," } else { "" };
    BLOCK.replace("DEFORMATION", kinematics).replace("LAW", law).replace("FRICTION", friction)
}

fn source(text: &str) -> Source {
    let mut given = Attachments::default();
    given.files.insert("block.msh".into(), include_bytes!("../../../gallery/elastic-block/mesh.msh").as_slice().into());
    given.files.insert("plate.msh".into(), include_bytes!("../../../gallery/struck-plate/mesh.msh").as_slice().into());
    Source::of_text("a test", text, given)
}

fn options(scheme: &str) -> LoadOptions {
    LoadOptions { scheme: Some(scheme.into()), ..LoadOptions::default() }
}

fn live(text: &str, scheme: &str) -> Live {
    let options = options(scheme).live();
    let loaded = if text.contains('\n') { source(text).load(&options) } else { load(text, &options) };
    Live::new(loaded.unwrap_or_else(|error| panic!("{scheme}: {error}"))).expect("equal steps")
}

fn steps(live: &mut Live, n: usize) {
    let name = live.scenario().scheme.name;
    (0..n).for_each(|_| live.step().unwrap_or_else(|failure| panic!("{name}: {failure:?}")));
}

fn bits(live: &Live) -> Vec<u64> {
    live.state().q.iter().chain(&live.state().v).map(|x| x.to_bits()).collect()
}

/// Scenes, how many steps are made twice, and how many schemes move them at least.
fn scenes() -> Vec<(&'static str, String, usize, usize)> {
    let dry = LINKS.replace("HINGE", "friction_force = 0.05\nlimits = [-1.2, 0.4]");
    let stopped = LINKS.replace("HINGE", "limits = [-1.2, 0.4]");
    vec![
        ("plate", PLATE.into(), 4, 3),
        ("rough block", block("linear", "friction = 0.3"), 20, 14),
        ("block", block("linear", ""), 20, 21),
        ("finite block", block("finite", ""), 6, 1),
        ("dry links", dry, 60, 4),
        ("links", stopped.clone(), 60, 6),
        ("smooth links", stopped.replace("friction = 0.3", ""), 60, 7),
        ("formula", FORMULA.into(), 60, 12),
        ("masses", MASSES.into(), 60, 20),
    ]
}

/// Solids, jointed bodies with friction, signals everywhere, under every scheme that moves them: a live simulation in which nothing is set makes the steps of
/// a run to the last bit, and a state saved on the way, carried as bytes, goes on to them too.
#[test]
fn the_same_bits() {
    let mut draw = 11_u64;
    for (what, text, n, least) in scenes() {
        let mut moved = Vec::new();
        for entry in SCHEMES {
            let scheme = entry.name;
            let Ok(mut loaded) = source(&text).load(&options(scheme)) else { continue };
            draw = draw.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let cut = 1 + (draw >> 33) as usize % n;
            let mut rows = Trajectory::new();
            if !matches!(loaded.simulation.run(2 * n as u64, &mut rows), Outcome::Finished) {
                continue;
            }
            let last = rows.len() - 1;
            let end: Vec<u64> = rows.q(last).iter().chain(rows.v(last)).map(|x| x.to_bits()).collect();

            let mut uncut = live(&text, scheme);
            steps(&mut uncut, cut);
            let (saved, mut bytes) = (uncut.save(), Vec::new());
            saved.pack(&mut bytes);
            steps(&mut uncut, 2 * n - cut);
            assert_eq!(bits(&uncut), end, "{what} by {scheme}: not the steps of a run");
            let mut other = live(&text, scheme);
            other.restore(&LiveState::unpack(&mut &bytes[..]).expect("a state")).expect("of the same scene");
            steps(&mut other, 2 * n - cut);
            assert_eq!(bits(&other), end, "{what} by {scheme}, saved at step {cut}");
            moved.push(scheme);
        }
        println!("{what}: {}", moved.join(", "));
        assert!(moved.len() >= least, "{what}: {moved:?}");
    }
}

/// Built-in scenes with what only they have, by their own schemes: nothing set is a run.
#[test]
fn built_in_scenes_as_runs() {
    let scenes = [
        "earthquake-block",
        "cam-follower",
        "gear-rattle",
        "opening-gate",
        "rotating-beam",
        "two-bars",
        "geneva-drive",
    ];
    for scene in scenes {
        let mut loaded = load(scene, &LoadOptions::default()).unwrap_or_else(|error| panic!("{scene}: {error}"));
        let scheme = loaded.scenario.scheme.name;
        let mut rows = Trajectory::new();
        assert!(matches!(loaded.simulation.run(25, &mut rows), Outcome::Finished), "{scene}");
        let mut live = live(scene, scheme);
        steps(&mut live, 25);
        assert_eq!((&live.state().q[..], &live.state().v[..]), (rows.q(25), rows.v(25)), "{scene} by {scheme}");
    }
}

/// The largest residual over the largest energy, and the work of what is set, over some steps.
fn account(live: &mut Live, n: usize) -> (f64, f64) {
    let (mut worst, mut work, mut energy) = (0.0_f64, 0.0, 1e-3_f64);
    for _ in 0..n {
        steps(live, 1);
        let entry = &live.last().ledger;
        energy = energy.max(entry.energy().abs()).max(entry.kinetic);
        worst = worst.max(entry.balance.abs());
        work += entry.work_external;
    }
    (worst / energy, work)
}

/// The load of a solid among bodies is set by the names of solid and group: the motion of a scene in which that load is written.
#[test]
fn loads_of_solids_among_bodies() {
    let written = "{ mean = 20.0, sines = [{ amplitude = 11.0, omega = 200.0 }] }";
    let mut pressed = live(PLATE, "energy-momentum");
    pressed.set("plate.bottom.traction", &[0.0, 0.0, 300.0]).expect("a load");
    let (worst, work) = account(&mut pressed, 6);
    assert!(worst <= 1e-11 && work != 0.0, "{worst:e} {work}");
    let mut other = live(&PLATE.replace(written, "300.0"), "energy-momentum");
    steps(&mut other, 6);
    let apart = pressed.state().q.iter().zip(&other.state().q).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()));
    assert!(apart <= 1e-12, "{apart:e}");
    let error = pressed.set("plate.rim.force", &[1.0, 0.0, 0.0]).expect_err("no such load");
    assert!(error.help.contains("solid.load"), "{error}");
}

/// The formula model with what the next test sets at 0.06 s written as formulas of t; loads change `late` after that time, accelerations `moved` after it.
fn written(late: f64, moved: f64) -> String {
    let (at, h) = (0.06 + late, 2e-3);
    let (p, v) = (0.01 + 0.01 * (12.0_f64 * 0.06).sin(), 0.12 * (12.0_f64 * 0.06).cos());
    let later = |after: f64| format!("t - {}", 0.06 + after + moved);
    let ahead = format!(
        "{p} + (t - 0.06)*{v} + if({}, (t - 0.06 - {h}/2)*(0.2 - {v}), (t - 0.06)^2*(0.2 - {v})/(2*{h}))",
        later(h)
    );
    let lift = format!("lift = {{ formula = \"if({}, {ahead}, 0.01 + 0.01*sin(12*t))\" }}", later(0.0));
    FORMULA
        .replace("k = 80.0", &format!("k = {{ sum = [80.0, {{ formula = \"if(t - {at}, 60.0, 0.0)\" }}] }}"))
        .replace(
            "push = { table = [[0.0, 0.0], [0.3, 4.0], [0.6, 0.0]] }",
            &format!("push = {{ formula = \"if(t - {at}, -3.0, t*4.0/0.3)\" }}"),
        )
        .replace("lift = { mean = 0.01, sines = [{ amplitude = 0.01, omega = 12.0 }] }", &lift)
}

/// Parameters of a formula are set: in potential and forces their values, in gaps their rates; the motion is that of the same parameters written, the ledger closes,
/// and those of the inertia and of exponents are refused.
#[test]
fn parameters_of_formulas() {
    let mut closed = 0;
    for entry in SCHEMES {
        let Ok(loaded) = source(FORMULA).load(&options(entry.name).live()) else { continue };
        let mut set = Live::new(loaded).expect("equal steps");
        let exact = set.scenario().guarantee().has_identity();
        let stops = set.scenario().scheme.facts().has(Ability::StopsAtCorners);
        steps(&mut set, 30);
        set.set("parameters.k", &[140.0]).expect("a stiffness");
        set.set("parameters.push", &[-3.0]).expect("a load");
        set.set("parameters.lift.rate", &[0.2]).expect("a floor");
        let saved = set.save();
        let (worst, work) = account(&mut set, 60);
        assert!(!exact || worst <= 1e-11, "{}: {worst:e}", entry.name);
        assert!(work != 0.0, "{}", entry.name);
        closed += usize::from(exact);
        let end = bits(&set);
        set.restore(&saved).expect("its own state");
        steps(&mut set, 60);
        assert_eq!(bits(&set), end, "{}", entry.name);

        // the same as formulas of t: whoever stops at corners sees both sides of them; of the others those that carry loads find at one the load before,
        // the rest the load after, and all the acceleration before
        let late = if stops { [(0.0, 0.0); 2] } else { [(1e-9, 1e-9), (-1e-9, 1e-9)] };
        let apart = late.map(|(loads, floor)| {
            let mut loaded = source(&written(loads, floor))
                .load(&options(entry.name))
                .unwrap_or_else(|e| panic!("{}: {e}", entry.name));
            let mut rows = Trajectory::new();
            assert!(matches!(loaded.simulation.run(90, &mut rows), Outcome::Finished), "{}", entry.name);
            rows.q(90).iter().zip(&set.state().q).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()))
        });
        let apart = apart[0].min(apart[1]);
        println!("{}: {apart:.1e}, {worst:.1e}", entry.name);
        assert!(apart <= 1e-9, "{}: {apart:e}", entry.name);
        for (name, word) in [
            ("parameters.m", "inertia"),
            ("parameters.p", "exponent"),
            ("parameters.lift", "rate"),
            ("gravity", "parameters.NAME"),
        ] {
            let error = set.set(name, &[1.0]).expect_err(name);
            assert!(error.help.contains(word), "{name}: {error}");
        }
    }
    assert!(closed >= 1, "no scheme with an identity: {closed}");
}

/// Contacts of a solid are read with their surfaces, places and normals; together they carry what presses the block down.
#[test]
fn contacts_of_solids() {
    let mut pressed = live(&block("linear", ""), "moreau-jean");
    pressed.set("block top.traction", &[0.0, -900.0]).expect("a load");
    steps(&mut pressed, 40);
    let touching: Vec<_> = pressed.contacts().into_iter().filter(|c| c.impulse[0] > 0.0).collect();
    assert!(!touching.is_empty());
    for touch in touching {
        assert_eq!(touch.bodies, Some(["block bottom".to_string(), "plane".to_string()]));
        let (place, normal) = (touch.place.expect("a place"), touch.normal.expect("a normal"));
        assert!((place[1] + 1e-6).abs() < 1e-3 && normal == [0.0, 1.0, 0.0], "{place:?} {normal:?}");
    }
}
