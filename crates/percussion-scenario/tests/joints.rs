//! Joints as files: what is refused and where, that a resolved scene reproduces its run, and meshes from files.

use percussion_scenario::{LoadOptions, load, load_text, scenario_text};

const SCENE: &str = r#"
[model]
kind = "bodies"
[[body]]
name = "frame"
fixed = true
[[body]]
name = "arm"
shape = { kind = "box", size = [0.4, 0.1, 0.1] }
contact = false
density = 1000.0
position = [0.2, 0.0, 0.0]
[[body]]
name = "wheel"
shape = { kind = "cylinder", radius = 0.1, length = 0.05 }
density = 1000.0
position = [0.4, 0.0, 0.2]
[[body]]
name = "nut"
mass = 1.0
inertia = [0.01, 0.01, 0.01]
position = [1.0, 0.0, 0.0]
[[body]]
name = "pin"
shape = { kind = "sphere", radius = 0.02 }
density = 1000.0
position = [2.0, 0.0, 0.0]
[[joint]]
name = "shoulder"
kind = "revolute"
a = "frame"
b = "arm"
anchor = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
limits = [-1.0, 0.5]
restitution = 0.3
stiffness = 2.0
damping = 0.1
rest = 0.2
[[joint]]
name = "axle"
kind = "revolute"
a = "arm"
b = "wheel"
anchor = [0.4, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
motor = { force = { mean = 0.1, sines = [{ amplitude = 0.2, omega = 3.0 }] } }
[[joint]]
kind = "gear"
joints = ["shoulder", "axle"]
ratio = 0.5
[[joint]]
kind = "screw"
a = "frame"
b = "nut"
anchor = [1.0, 0.0, 0.0]
pitch = 0.1
[[joint]]
kind = "journal"
a = "frame"
b = "pin"
anchor = [2.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
radius = 0.02
clearance = 1e-3
length = 0.05
restitution = 0.5
friction = 0.1
[[spring]]
a = "frame"
b = "nut"
stiffness = 3.0
length = 0.5
[scheme]
name = "energy-momentum"
[time]
end = 0.3
step = 1e-3
"#;

/// Each mistake is refused with its code, at its key.
#[test]
fn mistakes_are_named() {
    for (old, new, code, field) in [
        ("kind = \"screw\"", "kind = \"skrew\"", "E128", "joint[3].kind"),
        ("b = \"nut\"\nanchor", "b = \"nutt\"\nanchor", "E128", "joint[3].b"),
        ("pitch = 0.1\n", "", "E103", "joint[3].pitch"),
        ("pitch = 0.1\n", "pitch = nan\n", "E110", "joint[3]"),
        ("pitch = 0.1\n", "pitch = 0.1\nratio = 2.0\n", "E152", "joint[3].ratio"),
        ("clearance = 1e-3", "clearance = 0.0", "E125", "joint[4].clearance"),
        ("clearance = 1e-3", "clearance = -1e-3", "E125", "joint[4].clearance"),
        ("friction = 0.1", "friction = -0.1", "E122", "joint[4].friction"),
        ("restitution = 0.5", "restitution = 1.5", "E120", "joint[4].restitution"),
        ("limits = [-1.0, 0.5]", "limits = [0.1, 0.5]", "E131", "joint[0].limits"),
        ("axis = [0.0, 1.0, 0.0]", "axis = [0.0, 0.0, 0.0]", "E140", "joint[0].axis"),
        ("axis = [0.0, 1.0, 0.0]", "axis = [0.0, 1.0]", "E111", "joint[0].axis"),
        ("\"shoulder\", \"axle\"", "\"shoulder\", \"wrist\"", "E128", "joint[2].joints"),
        ("kind = \"screw\"", "name = \"axle\"\nkind = \"screw\"", "E128", "joint[3].name"),
        ("motor = { force", "motor = { velocity = 1.0, force", "E152", "joint[1].motor"),
        ("name = \"energy-momentum\"", "name = \"newmark\"", "E155", "scheme.name"),
        ("position = [1.0, 0.0, 0.0]", "position = [1.0, 0.0, 0.0]\nvelocity = [0.0, 0.1, 0.0]", "E132", "joint[3]"),
    ] {
        assert!(SCENE.contains(old), "{old}");
        let text = SCENE.replacen(old, new, 1);
        let Err(error) = load_text("scene.toml", &text, &LoadOptions::default()) else { panic!("{new} was accepted") };
        assert_eq!(error.code.as_str(), code, "{new}: {error}");
        assert!(error.field.starts_with(field), "{new}: {error}");
    }
}

/// A resolved scene reads back to the same bits and the same motion; the ledger closes.
#[test]
fn resolved_scenes_reproduce_the_run() {
    let mut first = load_text("scene.toml", SCENE, &LoadOptions::default()).unwrap();
    let resolved = scenario_text(&first.scenario).0;
    let mut second = load_text("resolved.toml", &resolved, &LoadOptions::default()).unwrap();
    assert_eq!(scenario_text(&second.scenario).0, resolved);
    let mut scale = 1.0_f64;
    for _ in 0..first.scenario.count.n {
        let entry = first.simulation.advance().unwrap().ledger;
        assert_eq!(entry, second.simulation.advance().unwrap().ledger);
        scale = scale.max(entry.energy().abs());
        assert!(entry.balance.abs() < 1e-11 * scale, "{entry:?}");
    }
    assert_eq!(first.simulation.state(), second.simulation.state());
}

/// A mesh from a file is found in the scenario's folder only, scaled, and as heavy as its volume; open ones are refused.
#[test]
fn meshes_come_from_files() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("meshes");
    std::fs::create_dir_all(&folder).unwrap();
    let cube = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n\
                f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    std::fs::write(folder.join("cube.obj"), cube).unwrap();
    std::fs::write(folder.join("open.obj"), cube.replace("f 5 6 7 8\n", "")).unwrap();
    let scene = |file: &str| {
        format!(
            "[model]\nkind = \"bodies\"\n[[body]]\nname = \"cube\"\ndensity = 1000.0\n\
             shape = {{ kind = \"mesh\", file = \"{file}\", scale = 0.5 }}\n[time]\nend = 0.01\nstep = 1e-3\n"
        )
    };
    let path = folder.join("scene.toml");
    let check = |file: &str| {
        std::fs::write(&path, scene(file)).unwrap();
        load(&path.to_string_lossy(), &LoadOptions::default())
    };
    let loaded = check("cube.obj").unwrap();
    let Some(bodies) = loaded.scenario.model().bodies() else { panic!("bodies") };
    assert!((bodies.bodies()[0].mass - 1000.0).abs() < 1e-9);
    assert!((loaded.scenario.problem.q0[0] - 0.5).abs() < 1e-12);
    for (file, code) in [("open.obj", "E127"), ("../cube.obj", "E117"), ("none.stl", "E100")] {
        assert_eq!(check(file).err().map(|e| e.code.as_str()), Some(code), "{file}");
    }
}

/// The slider-crank with play by GGL: pins to 1e-10 m, no corner inside the guide, the ledger closed, and the crank's energy
/// that of the energy-momentum run within 1 %.
#[test]
fn slider_crank_by_ggl() {
    let energies = ["generalized-alpha-ggl", "energy-momentum"].map(|scheme| {
        let options = LoadOptions { scheme: Some(scheme.into()), ..LoadOptions::default() };
        let mut loaded = load("slider-crank", &options).unwrap();
        let Some(bodies) = loaded.scenario.model().bodies().cloned() else { panic!("bodies") };
        let (mut touched, mut last) = (0, 0.0);
        for _ in 0..1500 {
            let step = loaded.simulation.advance().unwrap();
            last = step.ledger.energy();
            if scheme != "generalized-alpha-ggl" {
                continue;
            }
            let worst = (0..bodies.n_rigid_rows()).map(|k| bodies.rigid_violation(k, &step.after.q).abs());
            assert!(worst.fold(0.0, f64::max) <= 1e-10);
            for c in &step.contacts {
                assert!(c.gap >= -1e-12, "{} at {}", c.gap, step.after.t);
                touched += usize::from(c.p > 0.0);
            }
            assert!(step.ledger.balance.abs() <= 1e-12, "{:e}", step.ledger.balance);
        }
        assert!(touched > 0 || scheme != "generalized-alpha-ggl");
        last
    });
    println!("{energies:?}");
    assert!((energies[0] - energies[1]).abs() <= 0.01 * energies[1], "{energies:?}");
}

/// `--fix-initial project` changes velocities that part a joint by the least, weighed by mass, and tells the change of energy.
///
/// A rod of length l thrown by w across the hinge at its end, m v + J = m w, Iω = −J l/2 and v = −ω l/2 along the same direction, goes on with v = w/(1 + 4·I/(m l²)).
/// The bug: the option was proposed for E132 and did nothing on bodies.
#[test]
fn regression_velocities_are_projected_onto_joints() {
    let text = "[model]\nkind = \"bodies\"\n[[body]]\nname = \"wall\"\nfixed = true\n\
        [[body]]\nname = \"rod\"\nshape = { kind = \"box\", size = [1.0, 0.1, 0.1] }\ndensity = 1000.0\n\
        position = [0.5, 0.0, 0.0]\nvelocity = [0.0, 0.0, 1.0]\n\
        [[joint]]\nkind = \"revolute\"\na = \"wall\"\nb = \"rod\"\nanchor = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]\n\
        [time]\nend = 0.1\nstep = 1e-3\n";
    let Err(refused) = load_text("rod.toml", text, &LoadOptions::default()) else { panic!("accepted") };
    assert!(refused.code.as_str() == "E132" && refused.help.contains("--fix-initial project"), "{refused}");
    let project = LoadOptions { project: true, ..LoadOptions::default() };
    let scenario = load_text("rod.toml", text, &project).unwrap_or_else(|error| panic!("{error}")).scenario;
    let v = &scenario.problem.v0[6..];
    let (m, I) = (10.0, 10.0 * (1.0 + 0.01) / 12.0);
    let exact = 1.0 / (1.0 + 4.0 * I / m);
    assert!((v[2] - exact).abs() < 1e-12 && (v[4] + 2.0 * exact).abs() < 1e-12, "{v:?}, not {exact}");
    let lost = 0.5 * m * (1.0 - exact);
    let told = format!("changed by {:.6e} J", -lost);
    assert!(scenario.warnings.iter().any(|w| w.code.as_str() == "W407" && w.message.contains(&told)), "{told}");
    // the scenario of the run begins there
    let again = load_text("again.toml", &scenario_text(&scenario).0, &LoadOptions::default());
    assert_eq!(again.unwrap_or_else(|error| panic!("{error}")).scenario.problem.v0, scenario.problem.v0);
    // what is admissible already stays as it is
    let kept = load_text("rod.toml", &text.replace("velocity = [0.0, 0.0, 1.0]", ""), &project);
    assert_eq!(kept.unwrap_or_else(|error| panic!("{error}")).scenario.problem.v0, vec![0.0; 12]);
}
