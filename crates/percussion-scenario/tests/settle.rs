//! Equilibrium of beams, cables and bodies with contact: tables of the literature, what contacts carry, what has no equilibrium.

use percussion_scenario::{LoadOptions, Loaded, load_text, run_kept, scenario_text, settle};
use percussion_step::Settled;

fn at_rest(text: &str) -> (Loaded, Settled) {
    let mut loaded = load_text("settled", text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let settled = settle(&mut loaded.scenario, 0.0).unwrap_or_else(|error| panic!("{error}"));
    (loaded, settled)
}

fn place(loaded: &Loaded, settled: &Settled, name: &str) -> [f64; 3] {
    let scene = loaded.scenario.model().bodies().expect("bodies");
    let body = scene.bodies().iter().position(|body| body.name == name).expect("a body");
    scene.frame(body, &settled.state.q).x
}

/// A beam clamped at the origin, loaded at its last node.
fn clamped(beam: &str, n: usize, load: &str) -> String {
    format!(
        "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"wall\"\nfixed = true\n[[beam]]\nname = \"rod\"\nelements = {n}\n{beam}\n[[joint]]\nkind = \"fixed\"\na = \"wall\"\nb = \"rod\"\nanchor = [0.0, 0.0, 0.0]\n[[load]]\nbeam = \"rod\"\nnode = {n}\n{load}\n[time]\nstep = 1e-2\nend = 1.0\n"
    )
}

fn tip(beam: &str, n: usize, load: &str) -> [f64; 3] {
    let (loaded, settled) = at_rest(&clamped(beam, n, load));
    place(&loaded, &settled, &format!("rod.{n}"))
}

/// The Princeton beam: tip displacements [mm] as Exudyn's geometrically exact beam has them too, to 1e-7 m.
#[test]
fn princeton_beam() {
    let cases = [
        (8.896, 15.0, 8, [-2.2321, -10.5977, 42.0146]),
        (8.896, 45.0, 8, [-14.3189, -8.9257, 108.6971]),
        (13.345, 45.0, 8, [-30.2600, -15.5054, 156.1975]),
        (13.345, 75.0, 8, [-47.8333, -6.4202, 195.5004]),
        (8.896, 15.0, 32, [-2.2474, -10.6407, 42.1813]),
        (13.345, 75.0, 32, [-48.0698, -6.4672, 196.0989]),
    ];
    let (b, d, E) = (12.3777e-3, 3.2024e-3, 71.7e9_f64);
    let (A, G) = (b * d, E / 2.62);
    let stiffness = [E * A, G * A, G * A, 2.92574, E * b * d * d * d / 12.0, E * d * b * b * b / 12.0];
    for (F, beta, n, exact) in cases {
        let beta: f64 = f64::to_radians(beta);
        let beam = format!(
            "from = [0.0, 0.0, 0.0]\nto = [0.508, 0.0, 0.0]\nresidual = false\nstiffness = {stiffness:?}\nmass_per_length = 0.1\ninertia_per_length = [2e-6, 1e-6, 1e-6]"
        );
        let load = format!("force = [0.0, {:?}, {:?}]", -F * beta.cos(), F * beta.sin());
        let end = tip(&beam, n, &load);
        let moved = [1e3 * (end[0] - 0.508), 1e3 * end[1], 1e3 * end[2]];
        for k in 0..3 {
            assert!((moved[k] - exact[k]).abs() < 1e-4, "{F} {beta} {n}: {moved:?} {exact:?}");
        }
    }
}

/// A beam rolled up by M = πEI/L to half a circle, exact on any mesh; Mattiasson's cantilever under PL²/EI = 10 with four elements.
#[test]
fn large_bending() {
    let beam = "from = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]\nresidual = false\nstiffness = [1e4, 1e4, 1e4, 2.0, 2.0, 2.0]\nmass_per_length = 1.0\ninertia_per_length = [2e-2, 1e-2, 1e-2]";
    let moment = format!("moment = [0.0, 0.0, {:?}]", 2.0 * std::f64::consts::PI);
    for n in [5, 10] {
        let end = tip(beam, n, &moment);
        let off = end[0].abs().max((end[1] - 2.0 / std::f64::consts::PI).abs()).max(end[2].abs());
        assert!(off < 1e-13, "{n}: {end:?} {off:e}");
    }
    let beam = beam
        .replace("residual = false", "residual = true")
        .replace("[1e4, 1e4, 1e4, 2.0, 2.0, 2.0]", "[1e6, 1e6, 1e6, 1.0, 1.0, 1.0]");
    let end = tip(&beam, 4, "force = [0.0, 0.0, -10.0]");
    assert!((1.0 - end[0] - 0.55500).abs() < 5e-4 && (end[2] + 0.81061).abs() < 5e-4, "{end:?}");
}

/// The error of Mattiasson's cantilever falls by four with halved elements.
#[test]
fn order_two_in_the_mesh() {
    let beam = "from = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]\nresidual = false\nstiffness = [1e6, 1e6, 1e6, 1.0, 1.0, 1.0]\nmass_per_length = 1.0\ninertia_per_length = [2e-2, 1e-2, 1e-2]";
    let errors: Vec<f64> =
        [4, 8, 16].iter().map(|&n| (0.81061 + tip(beam, n, "force = [0.0, 0.0, -10.0]")[2]).abs()).collect();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.9..=2.15).contains(&order), "{errors:?}");
    }
}

/// The 45° bend of Bathe and Bolourchi under 300 and 600 N out of its plane.
#[test]
fn bend() {
    let E = 1e7;
    let stiffness = [E, 5e6, 5e6, 0.1406 * 5e6, E / 12.0, E / 12.0];
    let beam = format!(
        "from = [0.0, 0.0, 0.0]\narc = {{ centre = [0.0, 100.0, 0.0], angle = {:?} }}\nresidual = false\nstiffness = {stiffness:?}\nmass_per_length = 1.0\ninertia_per_length = [0.2, 0.1, 0.1]",
        std::f64::consts::FRAC_PI_4
    );
    let cases =
        [(8, 300, [58.594, 22.139, 40.363]), (8, 600, [46.976, 15.585, 53.465]), (16, 600, [46.913, 15.565, 53.572])];
    for (n, F, exact) in cases {
        let end = tip(&beam, n, &format!("force = [0.0, 0.0, {F}.0]"));
        // the tip starts at R (sin 45°, 1 − cos 45°, 0) and the table has x along the clamp
        for (x, exact) in end.iter().zip(exact) {
            assert!((x - exact).abs() < 1e-3, "{n} {F}: {end:?}");
        }
    }
}

const HANGING: &str = "[model]\nkind = \"bodies\"\n[[body]]\nname = \"ground\"\nfixed = true\n[[body]]\nname = \"ball\"\nmass = 1.0\ninertia = [0.01, 0.01, 0.01]\nposition = [1.0, 0.0, 0.0]\n[[cable]]\nname = \"line\"\nfrom = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]\nfrom_body = \"ground\"\nto_body = \"ball\"\nelements = 6\naxial_stiffness = 2e4\nlength = 1.1\nmass_per_length = 0.05\n[scheme]\nname = \"energy-momentum\"\n[time]\nstep = 1e-2\nend = 0.1\n";

/// A ball on a slack cable comes to hang below its support, the cable as long as its weight makes it; the scenario written starts
/// there and stays.
#[test]
fn cable() {
    let (loaded, settled) = at_rest(HANGING);
    let ball = place(&loaded, &settled, "ball");
    // tension in element k: the ball and what of the cable hangs below
    let (L, node, g) = (1.1 / 6.0, 0.05 * 1.1 / 6.0, 9.81);
    let hang: f64 = (0..6).map(|k| L * (1.0 + g * (1.0 + node * (0.5 + f64::from(k))) / 2e4)).sum();
    assert!(ball[0].abs() < 1e-9 && ball[1].abs() < 1e-9 && (ball[2] + hang).abs() < 1e-9, "{ball:?} {hang}");
    let (text, _) = scenario_text(&loaded.scenario);
    let again = load_text("again", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (_, run, kept) = run_kept(again, None, &mut |_| true).expect("a run");
    assert!(matches!(run.end, percussion_scenario::RunEnd::Finished), "{:?}", run.end);
    let n = kept.trajectory.columns.len();
    let last = &kept.trajectory.values[kept.trajectory.values.len() - n..];
    assert!((last[1 + 7 + 2] + hang).abs() < 1e-8, "{}", last[1 + 7 + 2]);
}

/// A beam laid across two supports sags between them; the supports carry its weight. A box on a slope stays by friction.
#[test]
fn with_contact() {
    let text = "[model]\nkind = \"bodies\"\nrestitution = 0.0\nfriction = 0.6\n[[body]]\nname = \"left\"\nfixed = true\nshape = { kind = \"cylinder\", radius = 0.1, length = 1.0 }\nposition = [-0.4, 0.0, 0.0]\nrotation = [0.7071067811865476, 0.7071067811865476, 0.0, 0.0]\n[[body]]\nname = \"right\"\nfixed = true\nshape = { kind = \"cylinder\", radius = 0.1, length = 1.0 }\nposition = [0.4, 0.0, 0.0]\nrotation = [0.7071067811865476, 0.7071067811865476, 0.0, 0.0]\n[[beam]]\nname = \"rod\"\nfrom = [-0.5, 0.0, 0.112]\nto = [0.5, 0.0, 0.112]\nelements = 10\nsection = { kind = \"circle\", radius = 0.01 }\nyoung = 1e9\ndensity = 1000.0\ncontact = { radius = 0.01 }\n[time]\nstep = 1e-3\nend = 0.1\n";
    let (loaded, settled) = at_rest(text);
    let weight = 1000.0 * std::f64::consts::PI * 1e-4 * 9.81;
    let lifted: f64 = settled.last.contacts.iter().map(|c| c.p).sum::<f64>() / settled.last.h;
    let middle = place(&loaded, &settled, "rod.5");
    let end = place(&loaded, &settled, "rod.0");
    assert!(lifted > 0.97 * weight && lifted < 1.2 * weight, "{lifted} {weight}");
    assert!(middle[2] < end[2] && middle[2] > 0.09 && end[2] < 0.112, "{middle:?} {end:?}");
}

/// A beam a millimetre above a floor comes to lie on it, carried by its own weight.
#[test]
fn above_a_floor() {
    let text = "[model]\nkind = \"bodies\"\nrestitution = 0.0\nfriction = 0.5\n[[body]]\nname = \"floor\"\nfixed = true\nshape = { kind = \"plane\" }\n[[beam]]\nname = \"rod\"\nfrom = [0.0, 0.0, 0.011]\nto = [1.0, 0.0, 0.011]\nelements = 8\nsection = { kind = \"circle\", radius = 0.01 }\nyoung = 1e9\ndensity = 1000.0\ncontact = { radius = 0.01 }\n[time]\nstep = 1e-3\nend = 0.1\n";
    let (loaded, settled) = at_rest(text);
    let weight = 1000.0 * std::f64::consts::PI * 1e-4 * 9.81;
    let lifted: f64 = settled.last.contacts.iter().map(|c| c.p).sum::<f64>() / settled.last.h;
    assert!((lifted / weight - 1.0).abs() < 1e-6, "{lifted} {weight}");
    for node in 0..=8 {
        let at = place(&loaded, &settled, &format!("rod.{node}"));
        assert!((at[2] - 0.01).abs() < 1e-7 && (at[0] - 0.125 * f64::from(node)).abs() < 1e-7, "{node}: {at:?}");
    }
}

/// A slack rope of steel comes to hang as the catenary of its length between supports on one level, to the order of its mesh.
#[test]
fn slack_rope_of_steel() {
    let text = "[model]\nkind = \"bodies\"\n[[body]]\nname = \"frame\"\nfixed = true\n[[cable]]\nname = \"rope\"\nfrom = [0.0, 0.0, 0.0]\nto = [1.0, 0.0, 0.0]\nfrom_body = \"frame\"\nto_body = \"frame\"\nelements = 20\naxial_stiffness = 1e7\nlength = 1.2\nmass_per_length = 0.5\n[time]\nstep = 1e-3\nend = 0.1\n";
    let (loaded, settled) = at_rest(text);
    // 2a sinh(1/2a) = 1.2
    let (mut low, mut high) = (0.05, 10.0);
    for _ in 0..200 {
        let a: f64 = 0.5 * (low + high);
        if 2.0 * a * (0.5 / a).sinh() > 1.2 { low = a } else { high = a }
    }
    let sag = low * ((0.5 / low).cosh() - 1.0);
    let middle = place(&loaded, &settled, "rope.10");
    assert!((middle[0] - 0.5).abs() < 1e-8 && middle[1].abs() < 1e-9, "{middle:?}");
    assert!((middle[2] + sag).abs() < 2e-3 * sag, "{middle:?} {sag}");
}

/// What can fall for ever has no equilibrium, and says so.
#[test]
fn nothing_holds_it() {
    let text = HANGING.replace("from_body = \"ground\"\n", "");
    let mut loaded = load_text("falling", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let error = settle(&mut loaded.scenario, 0.0).expect_err("nothing holds it");
    assert_eq!(error.code.as_str(), "E213");
}
