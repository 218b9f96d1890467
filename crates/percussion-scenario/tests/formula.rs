//! Models written as formulas: against the same systems written otherwise, and wrong ones refused.

use percussion_model::Code;
use percussion_scenario::{LoadOptions, load_text, scenario_text};
use percussion_step::{Outcome, Trajectory};

fn end(text: &str) -> (Vec<f64>, Vec<f64>, usize) {
    let mut loaded =
        load_text("a test", text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut rows = Trajectory::new();
    let outcome = loaded.simulation.run(loaded.scenario.count.n, &mut rows);
    assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
    let last = rows.len() - 1;
    let touches = rows.contacts.iter().filter(|(_, c)| c.p > 0.0).count();
    (rows.q(last).to_vec(), rows.v(last).to_vec(), touches)
}

/// Two balls on rods without mass; the lower one meets the floor with friction and spins by it.
const BY_FORMULA: &str = r#"
[model]
kind = "formula"
coordinates = ["a", "b", "s", "w"]
parameters = { m = 0.5, l = 1.0, k = 0.8, r = 0.1, J = 0.002, g = 9.81, floor = -1.72 }
kinetic = "m*l^2*a_dot^2 + 0.5*m*k^2*b_dot^2 + m*l*k*cos(a - b)*a_dot*b_dot + 0.5*J*(s_dot^2 + w_dot^2)"
potential = "-m*g*(2*l*cos(a) + k*cos(b))"
q0 = [0.9, 0.6, 0.0, 0.0]
[[model.contact]]
gap = "-l*cos(a) - k*cos(b) - floor - r"
tangent = "l*cos(a)*a_dot + k*cos(b)*b_dot + r*s_dot"
friction = 0.2
restitution = 0.5
"#;

const BY_BODIES: &str = r#"
[model]
kind = "bodies"
dimension = 2
no_contact = [["upper", "floor"], ["upper", "lower"]]
restitution = 0.5
friction = 0.2
[[body]]
name = "floor"
shape = { kind = "plane" }
position = [0.0, -1.72]
fixed = true
[[body]]
name = "upper"
shape = { kind = "sphere", radius = 0.1 }
mass = 0.5
inertia = [0.002]
position = [UX, UY]
[[body]]
name = "lower"
shape = { kind = "sphere", radius = 0.1 }
mass = 0.5
inertia = [0.002]
position = [LX, LY]
[[joint]]
kind = "distance"
a = "floor"
b = "upper"
anchor = [0.0, 0.0]
anchor_b = [UX, UY]
[[joint]]
kind = "distance"
a = "upper"
b = "lower"
anchor = [UX, UY]
anchor_b = [LX, LY]
"#;

/// The double pendulum with friction by formula is the one by bodies, to 1e-10 after impacts and sliding.
#[test]
fn a_double_pendulum_equals_its_bodies() {
    let (a, b) = (0.9_f64, 0.6_f64);
    let upper = [a.sin(), -a.cos()];
    let lower = [upper[0] + 0.8 * b.sin(), upper[1] - 0.8 * b.cos()];
    let mut bodies = BY_BODIES.to_string();
    for (word, x) in [("UX", upper[0]), ("UY", upper[1]), ("LX", lower[0]), ("LY", lower[1])] {
        bodies = bodies.replace(word, &format!("{x:?}"));
    }
    let time = "[scheme]\nname = \"event-driven\"\ntolerance = 1e-13\n[time]\nend = 0.9\nstep = 0.01\n";
    let (q, _, touches) = end(&format!("{BY_FORMULA}{time}"));
    let (x, _, others) = end(&format!("{bodies}{time}"));
    assert!(touches >= 2 && touches == others, "{touches} {others}");
    let tip = [q[0].sin() + 0.8 * q[1].sin(), -q[0].cos() - 0.8 * q[1].cos()];
    let error = (tip[0] - x[6]).abs().max((tip[1] - x[7]).abs()).max((q[2] - x[8]).abs());
    println!("{touches} contacts, {error:.1e} m");
    assert!(error < 1e-10, "{error:e}: {tip:?} {:?}", &x[6..9]);
}

/// A formula model is written so that it reads back to the same bits, and M(q) gives what T gives.
#[test]
fn written_and_by_mass() {
    let time = "[time]\nend = 0.5\nstep = 1e-3\n";
    let text = format!("{BY_FORMULA}{time}");
    let loaded = load_text("a test", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let written = scenario_text(&loaded.scenario).0;
    assert_eq!(end(&text), end(&written));
    let kinetic = BY_FORMULA.lines().find(|line| line.starts_with("kinetic")).expect("kinetic");
    let mass = "mass = [[\"2*m*l^2\", \"m*l*k*cos(a - b)\", 0, 0], [\"m*l*k*cos(a - b)\", \"m*k^2\", 0, 0], [0, 0, \"J\", 0], [0, 0, 0, \"J\"]]";
    let (q, v, _) = end(&format!("{}{time}", BY_FORMULA.replace(kinetic, mass)));
    let (p, u, _) = end(&text);
    assert!(q.iter().chain(&v).zip(p.iter().chain(&u)).all(|(a, b)| (a - b).abs() < 1e-9), "{q:?} {p:?}");
}

/// Every scheme that takes Lagrangian models keeps its identity on one by formula, forces in time and dampers included.
#[test]
fn ledgers_close() {
    let driven = "force = [\"0.3*cos(4*t) - 0.05*a_dot\", \"-0.05*b_dot\", 0, 0]\nq0 =";
    for scheme in ["moreau-jean", "energy-momentum", "generalized-alpha-ggl"] {
        let text = BY_FORMULA.replace("q0 =", driven).replace("friction = 0.2", "friction = 0.0");
        let text = format!("{text}[scheme]\nname = \"{scheme}\"\n[time]\nend = 1.0\nstep = 1e-3\n");
        let mut loaded = load_text("a test", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let mut rows = Trajectory::new();
        assert!(matches!(loaded.simulation.run(loaded.scenario.count.n, &mut rows), Outcome::Finished));
        if !loaded.scenario.guarantee().has_identity() {
            continue;
        }
        let largest = rows.ledger.iter().fold(1e-3_f64, |s, e| s.max(e.energy().abs()));
        let worst = rows.ledger.iter().fold(0.0_f64, |s, e| s.max(e.balance.abs()));
        assert!(worst <= 1e-10 * largest, "{scheme}: {worst:e}");
        // the load acts at t = 0 already and at rest
        assert!(rows.ledger[2].work_external != 0.0, "{scheme}: the load does no work");
    }
}

/// What is no model is refused with its code and place.
#[test]
fn refusals() {
    let with = |from: &str, to: &str| format!("{}[time]\nend = 0.1\nstep = 1e-3\n", BY_FORMULA.replace(from, to));
    let cases = [
        ("m*l^2*a_dot^2 +", "m*l^2*a_dot +", Code::WRONG_MODEL, "model.kinetic"),
        ("kinetic = \"", "kinetic = \"m*g + ", Code::WRONG_MODEL, "model.kinetic"),
        ("potential = \"", "potential = \"a_dot + ", Code::BAD_FORMULA, "model.potential"),
        ("gap = \"", "gap = \"x - ", Code::BAD_FORMULA, "model.contact[0].gap"),
        ("\"s\", \"w\"]", "\"s\", \"a\"]", Code::BAD_NAME, "model.coordinates"),
        ("m = 0.5", "sin = 0.5", Code::BAD_NAME, "model.parameters"),
        ("restitution = 0.5", "restitution = 1.5", Code::RESTITUTION, "model.contact[0].restitution"),
        ("kinetic =", "mass = [[1.0]]\nkinetic =", Code::BAD_SHAPE, "model.mass[0]"),
    ];
    for (from, to, code, field) in cases {
        match load_text("a test", &with(from, to), &LoadOptions::default()) {
            Err(error) => assert_eq!((error.code, error.field.as_str()), (code, field), "{error}"),
            Ok(_) => panic!("{to} was accepted"),
        }
    }
}

/// A gap may depend on t: the ball on a shaken table as formulas and as matrices with a moving obstacle.
#[test]
fn a_gap_in_time_is_a_moving_obstacle() {
    let scheme = "[scheme]\nname = \"moreau-jean\"\n[time]\nend = 1.0\nstep = 1e-3\n";
    let formula = format!(
        "[model]\nkind = \"formula\"\ncoordinates = [\"y\"]\nkinetic = \"0.5*y_dot^2\"\npotential = \"10*y\"\nq0 = [0.5]\n\
         [[model.contact]]\ngap = \"y - 0.02*sin(30*t)\"\nrestitution = 0.7\n{scheme}"
    );
    let linear = format!(
        "[model]\nkind = \"linear\"\nmass = [[1.0]]\ngravity = [-10.0]\nq0 = [0.5]\n\
         [[model.contact]]\nnormal = [1.0]\noffset = {{ formula = \"-0.02*sin(30*t)\" }}\nrestitution = 0.7\n{scheme}"
    );
    let ((q, v, touches), (q_linear, v_linear, touches_linear)) = (end(&formula), end(&linear));
    assert!((q[0] - q_linear[0]).abs() < 1e-10 && (v[0] - v_linear[0]).abs() < 1e-9, "{q:?} {q_linear:?}");
    assert!(touches == touches_linear && touches > 1);
    // a gap is a place: no rates
    let wrong = formula.replace("0.02*sin(30*t)", "0.02*y_dot");
    let error = load_text("a test", &wrong, &LoadOptions::default()).err().expect("refused");
    assert!(error.to_string().contains("y_dot"), "{error}");
}
