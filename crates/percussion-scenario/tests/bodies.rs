//! Scenes of bodies as files: what is refused and where, and that a resolved scene reproduces its run.

use percussion_scenario::{LoadOptions, load_text, scenario_text};

const SCENE: &str = r#"
name = "scene"
[model]
kind = "bodies"
friction = 0.4
[[body]]
name = "floor"
shape = { kind = "plane" }
fixed = true
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
density = 1000.0
position = [0.0, 0.0, 0.3]
rotation = [1.0, 0.0, 0.0, 0.0]
[[body]]
name = "top"
shape = { kind = "box", size = [0.4, 0.2, 0.1] }
mass = 1.0
inertia = [1.0, 2.0, 2.5]
position = [1.0, 0.0, 0.3]
angular_velocity = [1.0, 2.0, 3.0]
[time]
end = 0.1
step = 1e-3
"#;

/// A mass alone is spread evenly over the shape: the box of 1 kg has the inertias m (b² + c²)/12, and so moves as with these written out.
#[test]
fn a_mass_is_spread_over_its_shape() {
    let end = |inertia: &str| {
        let text = SCENE.replace("inertia = [1.0, 2.0, 2.5]", inertia).replace("density = 1000.0", "mass = 4.0");
        let mut loaded = load_text("scene", &text, &LoadOptions::default()).expect("a scene");
        let mut run = percussion_step::Trajectory::new();
        loaded.simulation.run(100, &mut run);
        run.q(run.len() - 1).to_vec()
    };
    let [x, y, z] = [0.04 + 0.01, 0.16 + 0.01, 0.16 + 0.04].map(|sum: f64| sum / 12.0);
    let (alone, written) = (end(""), end(&format!("inertia = [{x}, {y}, {z}]")));
    for (a, b) in alone.iter().zip(&written) {
        assert!((a - b).abs() <= 1e-13, "{a} beside {b}");
    }
}

/// Each mistake is refused with its code, at its key.
#[test]
fn mistakes_are_named() {
    for (old, new, code, field) in [
        ("radius = 0.1", "radius = -0.1", "E125", "body[1].shape.radius"),
        ("radius = 0.1", "radius = nan", "E110", "body[1].shape.radius"),
        ("density = 1000.0", "density = -1.0", "E123", "body[1].density"),
        ("mass = 1.0", "mass = -1.0", "E123", "body[2].mass"),
        ("[1.0, 2.0, 2.5]", "[1.0, 2.0, 3.5]", "E124", "body[2].inertia"),
        ("[1.0, 2.0, 2.5]", "[0.0, 2.0, 2.0]", "E124", "body[2].inertia"),
        ("[0.0, 0.0, 0.3]", "[0.0, nan, 0.3]", "E110", "body[1].position"),
        ("[1.0, 0.0, 0.0, 0.0]", "[1.0, 0.2, 0.0, 0.0]", "E126", "body[1].rotation"),
        ("[0.0, 0.0, 0.3]", "[0.0, 0.0, 0.05]", "E130", "body[1].position"),
        ("name = \"top\"", "name = \"ball\"", "E128", "body[2].name"),
        ("fixed = true", "fixed = true\nmaterial = \"steel\"", "E128", "body[0].material"),
        ("friction = 0.4", "friction = -0.4", "E122", "model.friction"),
        ("friction = 0.4", "rolling = -0.4", "E122", "model.rolling"),
        ("radius = 0.1", "radios = 0.1", "E102", "body[1].shape"),
        (
            "{ kind = \"sphere\", radius = 0.1 }",
            "{ kind = \"mesh\", vertices = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], triangles = [[0,2,1],[0,1,3],[0,3,2]] }",
            "E127",
            "body[1].shape.triangles",
        ),
        ("mass = 1.0", "density = 5.0\nmass = 1.0", "E152", "body[2].density"),
        (
            "{ kind = \"sphere\", radius = 0.1 }\ndensity = 1000.0",
            "{ kind = \"plane\" }\nmass = 1.0",
            "E103",
            "body[1].inertia",
        ),
        ("kind = \"bodies\"", "kind = \"bodies\"\ndimension = 4", "E111", "model.dimension"),
        ("fixed = true", "fixed = true\nvelocity = [1.0, 0.0, 0.0]", "E152", "body[0].velocity"),
        ("fixed = true", "fixed = true\nforce = [1.0, 0.0, 0.0]", "E152", "body[0].force"),
        (
            "[time]",
            "[[joint]]\nkind = \"revolute\"\na = \"ball\"\nb = \"top\"\nanchor = [0.5, 0.0, 0.3]\nfriction = 0.5\n[time]",
            "E152",
            "joint[0].friction",
        ),
        (
            "[time]",
            "[[joint]]\nkind = \"revolute\"\na = \"ball\"\nb = \"top\"\nanchor = [0.5, 0.0, 0.3]\nrestitution = 0.5\n[time]",
            "E152",
            "joint[0].restitution",
        ),
        (
            "[time]",
            "[[joint]]\nkind = \"revolute\"\na = \"ball\"\nb = \"top\"\nanchor = [0.5, 0.0, 0.3]\nrest = 0.5\n[time]",
            "E152",
            "joint[0].rest",
        ),
        (
            "[time]",
            "[[joint]]\nkind = \"revolute\"\na = \"ball\"\nb = \"top\"\nanchor = [0.5, 0.0, 0.3]\nanchor_b = [9.0, 0.0, 0.3]\n[time]",
            "E152",
            "joint[0].anchor_b",
        ),
        (
            "[time]",
            "[[pair]]\nmaterials = [\"default\"]\n[[pair]]\nmaterials = [\"default\"]\n[time]",
            "E152",
            "pair[1]",
        ),
        // one of the copies, at the table they share
        (
            "density = 1000.0",
            "density = 1000.0\nrepeat = { count = [1, 3, 1], spacing = [0.0, 0.15, 0.0] }",
            "E130",
            "body[1]",
        ),
    ] {
        assert!(SCENE.contains(old), "{old}");
        let text = SCENE.replacen(old, new, 1);
        let Err(error) = load_text("scene.toml", &text, &LoadOptions::default()) else { panic!("{new} was accepted") };
        assert_eq!(error.code.as_str(), code, "{new}: {error}");
        assert!(error.field.starts_with(field), "{new}: {error}");
        assert!(error.place.is_some(), "{new}: {error}");
    }
}

/// An overlap is named with its depth and its pair.
#[test]
fn overlaps_are_named() {
    let text = SCENE.replacen("[0.0, 0.0, 0.3]", "[0.0, 0.0, 0.05]", 1);
    let Err(error) = load_text("scene.toml", &text, &LoadOptions::default()) else { panic!("accepted") };
    let said = error.to_string();
    assert!(said.contains("\"ball\"") && said.contains("\"floor\"") && said.contains("5.000000e-2"), "{said}");
    // and can be moved apart
    let options = LoadOptions { project: true, ..LoadOptions::default() };
    let loaded = load_text("scene.toml", &text, &options).unwrap();
    assert!((loaded.scenario.problem.q0[9] - 0.1).abs() < 1e-9, "{:?}", loaded.scenario.problem.q0);
}

/// Surfaces are solids: what is inside one is as deep as the way out is long, and a shift takes it there.
///
/// The bug: a surface of triangles is hollow to contact detection, and a body wholly inside touched nothing. The start now asks
/// how deep each body lies in what the triangles enclose (E130).
#[test]
fn regression_nothing_starts_inside_a_surface() {
    let corners = "[[-1,-1,-1],[1,-1,-1],[1,1,-1],[-1,1,-1],[-1,-1,1],[1,-1,1],[1,1,1],[-1,1,1]]";
    let faces = "[[0,2,1],[0,3,2],[4,5,6],[4,6,7],[0,1,5],[0,5,4],[1,2,6],[1,6,5],[2,3,7],[2,7,6],[3,0,4],[3,4,7]]";
    let cube = format!("vertices = {corners}, triangles = {faces}");
    let small = format!("vertices = {}, triangles = {faces}", corners.replace('1', "0.1"));
    let scene = |shape: &str, z: f64| {
        format!(
            "[model]\nkind = \"bodies\"\n[[body]]\nname = \"big\"\nfixed = true\nshape = {{ kind = \"mesh\", {cube} }}\n\
             [[body]]\nname = \"small\"\ndensity = 1000.0\nposition = [0.0, 0.0, {z}]\nshape = {shape}\n[time]\nend = 0.1\nstep = 1e-3\n"
        )
    };
    let project = LoadOptions { project: true, ..LoadOptions::default() };
    let mesh = format!("{{ kind = \"mesh\", {small} }}");
    for shape in ["{ kind = \"sphere\", radius = 0.1 }", "{ kind = \"box\", size = [0.2, 0.2, 0.2] }", &mesh] {
        for z in [0.5, 0.8, 0.95] {
            let text = scene(shape, z);
            let Err(error) = load_text("inside.toml", &text, &LoadOptions::default()) else { panic!("{shape} at {z}") };
            assert_eq!((error.code.as_str(), &*error.field), ("E130", "body[1].position"), "{shape} at {z}: {error}");
            let depth = format!("overlap by {:.6e} m", 1.1 - z);
            assert!(error.message.contains(&depth), "{shape} at {z}: {error}, {depth}");
            let z_out = load_text("inside.toml", &text, &project).unwrap().scenario.problem.q0[9];
            assert!((z_out - 1.1).abs() < 1e-8, "{shape} from {z} to {z_out}");
        }
        load_text("outside.toml", &scene(shape, 1.1), &LoadOptions::default()).unwrap();
    }
}

/// `--fix-initial project` moves a body no further than its overlap asks, however many corners overlap.
///
/// The bug: a body was moved further the more of its corners overlapped. One least motion now satisfies all of them.
#[test]
fn regression_overlaps_are_left_by_the_shortest_way() {
    let turned = "position = [1.0, 0.0, 0.05]\nrotation = [0.9659258262890683, 0.25881904510252074, 0.0, 0.0]";
    let text = SCENE.replacen("position = [1.0, 0.0, 0.3]", turned, 1);
    let options = LoadOptions { project: true, ..LoadOptions::default() };
    let q = load_text("scene.toml", &text, &options).unwrap().scenario.problem.q0;
    let lowest = 0.1 * 30_f64.to_radians().sin() + 0.05 * 30_f64.to_radians().cos();
    assert!((q[16] - lowest).abs() < 1e-8 && q[14] == 1.0, "z = {}, not {lowest}", q[16]);
}

/// A resolved scene reads back to the same bits and the same motion, planar ones too.
#[test]
fn resolved_scenes_reproduce_the_run() {
    let planar = r#"
[model]
kind = "bodies"
dimension = 2
restitution = 0.3
friction = 0.5
rolling = 0.004
[[body]]
name = "ground"
shape = { kind = "plane" }
fixed = true
[[body]]
name = "tile"
shape = { kind = "box", size = [0.3, 0.2] }
density = 10.0
position = [0.0, 0.5]
angle = 0.4
velocity = [0.3, 0.0]
repeat = { count = [2, 3], spacing = [0.5, 0.4], jitter = [0.01, 0.0], seed = 7 }
[[body]]
name = "disk"
shape = { kind = "disk", radius = 0.1 }
density = 10.0
position = [0.1, 2.0]
[[body]]
name = "wedge"
shape = { kind = "polygon", points = [[0.0, 0.0], [0.4, 0.0], [0.0, 0.3]] }
density = 10.0
position = [1.2, 0.2]
[[spring]]
a = "disk"
b = "wedge"
stiffness = 3.0
length = 1.0
[time]
end = 1.0
step = 2e-3
"#;
    for text in [SCENE, planar] {
        let mut first = load_text("scene.toml", text, &LoadOptions::default()).unwrap();
        let resolved = scenario_text(&first.scenario).0;
        let mut second = load_text("resolved.toml", &resolved, &LoadOptions::default()).unwrap();
        assert_eq!(first.scenario.problem.q0, second.scenario.problem.q0);
        assert_eq!(scenario_text(&second.scenario).0, resolved);
        for _ in 0..first.scenario.count.n {
            let energy = first.simulation.advance().unwrap().ledger;
            assert_eq!(energy, second.simulation.advance().unwrap().ledger);
            assert!(energy.balance.abs() < 1e-12 * energy.energy().abs().max(1.0), "{energy:?}");
        }
        assert_eq!(first.simulation.state(), second.simulation.state());
    }
}
