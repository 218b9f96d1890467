//! Models written as formulas: against the same systems written otherwise, and wrong ones refused.

use percussion_model::Code;
use percussion_scenario::{LoadOptions, load_text, scenario_text};
use percussion_step::{Outcome, SCHEMES, Trajectory};

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

/// A mass on a spring whose stiffness, load and floor follow signals.
fn signals(stiffness: &str, load: &str, floor: &str) -> String {
    format!(
        "[model]\nkind = \"formula\"\ncoordinates = [\"y\", \"z\"]\n\
         parameters = {{ m = 1.3, k = {stiffness}, push = {load}, floor = {floor} }}\n\
         kinetic = \"0.5*m*y_dot^2 + 0.4*(1 + 0.2*cos(y))*z_dot^2\"\npotential = \"0.5*k*y^2 + 4*(z - 0.3*y)^2\"\n\
         force = [\"push*(1 + 0.1*z) - 0.2*y_dot\", {load}]\nq0 = [0.2, 0.1]\n\
         [[model.contact]]\ngap = \"y + 0.25 - floor\"\nrestitution = 0.6\n[time]\nend = 0.6\nstep = 5e-3\n"
    )
}

const KINDS: [&str; 11] = [
    "{ mean = 9.0, sines = [{ amplitude = 2.0, omega = 7.0, phase = 0.1 }] }",
    "{ table = [[0.0, 0.0], [0.2, 3.0], [0.7, -1.0]] }",
    "{ table = [[0.0, 0.0], [0.2, 3.0], [0.3, 0.0]], periodic = true }",
    "{ table = [[0.0, 0.0], [0.2, 3.0], [0.7, -1.0]], interpolation = \"cubic\" }",
    "{ step = { at = 0.2003, from = 1.0, to = 4.0 } }",
    "{ ramp = { start = 0.1, end = 0.4, from = 2.0, to = 5.0 } }",
    "{ smooth = { start = 0.1, end = 0.4, from = 2.0, to = 5.0 } }",
    "{ pulse = { start = 0.1, end = 0.3, height = 4.0 } }",
    "{ formula = \"3*sin(9*t)*exp(-t) + max(0, t - 0.2)\" }",
    "{ sum = [2.0, { ramp = { end = 0.3 } }] }",
    "{ product = [2.0, { formula = \"cos(8*t)\" }, { smooth = { end = 0.5 } }] }",
];

/// Every kind of signal in potential, force and, where it does not jump, gap, under every scheme that moves the model: one with an identity closes to 1e-11.
#[test]
fn signals_of_every_kind() {
    let (mut closed, mut ran) = (0, 0);
    for kind in KINDS {
        let jumps = kind.contains("step =") || kind.contains("pulse");
        let floor = if jumps { "0.0".into() } else { format!("{{ product = [0.01, {kind}] }}") };
        for (entry, floor) in SCHEMES.iter().flat_map(|entry| [(entry, "0.0".to_string()), (entry, floor.clone())]) {
            let text = signals(kind, kind, &floor);
            let options = LoadOptions { scheme: Some(entry.name.into()), ..LoadOptions::default() };
            let Ok(mut loaded) = load_text("a test", &text, &options) else { continue };
            let mut rows = Trajectory::new();
            let outcome = loaded.simulation.run(loaded.scenario.count.n, &mut rows);
            assert!(matches!(outcome, Outcome::Finished), "{} {kind}: {outcome:?}", entry.name);
            ran += 1;
            if !loaded.scenario.guarantee().has_identity() {
                continue;
            }
            let largest = rows.ledger.iter().fold(1e-2_f64, |s, e| s.max(e.energy().abs()));
            let worst = rows.ledger.iter().fold(0.0_f64, |s, e| s.max(e.balance.abs()));
            assert!(worst <= 1e-11 * largest, "{} {kind} {floor}: {:e}", entry.name, worst / largest);
            closed += 1;
        }
    }
    println!("{ran} runs, {closed} with an identity");
    assert!(ran >= 150 && closed >= 20, "{ran} {closed}");
}

/// Signals in formulas are those of matrices: the same motion, written both ways, and read back to the same bits.
#[test]
fn signals_as_in_matrices() {
    let time = "[time]\nend = 1.0\nstep = 1e-3\n";
    let (push, lift) = (KINDS[3], "{ smooth = { start = 0.2, end = 0.6, to = 0.05 } }");
    let formula = format!(
        "[model]\nkind = \"formula\"\ncoordinates = [\"y\"]\nparameters = {{ push = {push}, lift = {lift}, g = {{ mean = 9.81, sines = [{{ amplitude = 3.0, omega = 20.0 }}] }} }}\n\
         kinetic = \"y_dot^2\"\npotential = \"50*y^2 + 2*g*y\"\nforce = [\"push\"]\nq0 = [0.2]\n\
         [[model.contact]]\ngap = \"y - lift\"\nrestitution = 0.5\n{time}"
    );
    let linear = format!(
        "[model]\nkind = \"linear\"\nmass = [[2.0]]\nstiffness = [[100.0]]\nforce = [{push}]\n\
         gravity = [{{ mean = -9.81, sines = [{{ amplitude = -3.0, omega = 20.0 }}] }}]\nq0 = [0.2]\n\
         [[model.contact]]\nnormal = [1.0]\noffset = {{ product = [-1.0, {lift}] }}\nrestitution = 0.5\n{time}"
    );
    for scheme in ["moreau-jean", "event-driven"] {
        let scheme = format!("[scheme]\nname = \"{scheme}\"\n");
        let by_force = formula.replace("force = [\"push\"]", &format!("force = [{push}]"));
        let [(q, v, touches), (p, u, others), same] =
            [&formula, &linear, &by_force].map(|text| end(&format!("{text}{scheme}")));
        assert!((q[0] - p[0]).abs() < 1e-8 && (v[0] - u[0]).abs() < 1e-6, "{scheme} {q:?} {p:?} {v:?} {u:?}");
        assert!(touches == others && touches > 1, "{touches} {others}");
        assert!((q[0] - same.0[0]).abs() < 1e-12, "{scheme}");
    }
    let loaded = load_text("a test", &formula, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(end(&formula), end(&scenario_text(&loaded.scenario).0));
}

/// What must not vary, or not jump, is refused by name.
#[test]
fn signals_that_are_refused() {
    let good = signals("9.0", "1.0", "0.0");
    let step = "{ step = { at = 0.1 } }";
    let cases = [
        ("m = 1.3", format!("m = {}", KINDS[0]), Code::BAD_FORMULA, "model.kinetic"),
        ("potential = \"", "potential = \"t + ".into(), Code::BAD_FORMULA, "model.potential"),
        ("floor = 0.0", format!("floor = {step}"), Code::BAD_SIGNAL, "model.contact[0].gap"),
        ("- floor", "- 0.1*step(t - 0.3)".into(), Code::BAD_SIGNAL, "model.contact[0].gap"),
        ("- floor", "- if(t - 0.3, 0.1, 0)".into(), Code::BAD_SIGNAL, "model.contact[0].gap"),
        ("m = 1.3", "m = \"heavy\"".into(), Code::WRONG_TYPE, "model.parameters.m"),
        ("floor = 0.0", "floor = { wave = 1.0 }".into(), Code::UNKNOWN_KEY, "model.parameters.floor"),
    ];
    for (from, to, code, field) in cases {
        let error = load_text("a test", &good.replace(from, &to), &LoadOptions::default()).err();
        let error = error.unwrap_or_else(|| panic!("{to} was accepted"));
        assert!(error.code == code && error.field.starts_with(field), "{to}: {error}");
    }
    let ramp = good.replace("- floor", "- 0.1*(t - 0.3)*step(t - 0.3)");
    assert!(load_text("a test", &ramp, &LoadOptions::default()).is_ok());
    let matrices = "[model]\nkind = \"linear\"\nmass = [[1.0]]\nq0 = [1.0]\n[[model.contact]]\nnormal = [1.0]\nrestitution = 0.5\noffset = { formula = \"0.1*step(t - 0.5)\" }\n[time]\nend = 1.0\nstep = 1e-3\n";
    let error = load_text("a test", matrices, &LoadOptions::default()).err().expect("refused");
    assert_eq!(error.code, Code::BAD_SIGNAL, "{error}");
}

/// A model that contradicts itself where a coordinate passes some value, a tangent that is no velocity and an inertia that is no quadratic form are refused; what agrees on
/// both sides is taken, and so is an angle that starts again.
#[test]
fn jumps_in_places_and_wrong_rates() {
    let model = |kinetic: &str, potential: &str, gap: &str, tangent: &str| {
        format!(
            "[model]\nkind = \"formula\"\ncoordinates = [\"x\", \"y\"]\nkinetic = \"{kinetic}\"\npotential = \"{potential}\"\nq0 = [0.5, 0.2]\n\
             [[model.contact]]\ngap = \"{gap}\"\ntangent = \"{tangent}\"\nfriction = 0.3\nrestitution = 0.5\n[time]\nend = 0.1\nstep = 1e-3\n"
        )
    };
    let (T, V, g, u) = ("0.5*(x_dot^2 + y_dot^2)", "9.81*y + 25*x^2", "y", "x");
    let read = |text: &str| load_text("a test", text, &LoadOptions::default());
    let wrong = [
        (model(T, "9.81*y + 25*x^2 + 3*step(x)", g, u), "model.potential"),
        (model(T, "9.81*y + if(x - 2, 0, 25*x^2)", g, u), "model.potential"),
        (model("0.5*(x_dot^2 + (1 + step(-x))*y_dot^2)", V, g, u), "model.kinetic"),
        (model(T, V, "y - 0.1*step(x + 1)", u), "model.contact[0].gap"),
        (model(T, V, "if(x, y, y + 0.1)", u), "model.contact[0].gap"),
        (model("0.5*(x_dot^2 + abs(x_dot)*y_dot + y_dot^2)", V, g, u), "model.kinetic"),
        (model(T, V, g, "x_dot^2"), "model.contact[0].tangent"),
        (model(T, V, g, "abs(x_dot)"), "model.contact[0].tangent"),
        (model(T, V, g, "x_dot + 0.1"), "model.contact[0].tangent"),
    ];
    for (text, field) in wrong {
        let error = read(&text).err().unwrap_or_else(|| panic!("accepted:\n{text}"));
        assert_eq!((error.code, error.field.as_str()), (Code::WRONG_MODEL, field), "{error}");
    }
    let right = [
        model(T, "9.81*y + if(x, 25*x^2, 100*x^2)", g, u),
        model(T, "9.81*y + 10*max(0, x - 1)^2 + 5*(x - 2)*step(x - 2)", g, "x_dot + 0.1*y_dot*cos(x)"),
        model(T, "9.81*y + 3*atan2(y, x)^2", "y - 0.1*abs(sin(3*x))", "x + 0.1*y"),
        model("0.5*(x_dot^2 + 0.3*x_dot*y_dot + (1 + max(0, x)^2)*y_dot^2)", V, "min(y, y + x + 1)", "x*x_dot"),
    ];
    for text in right {
        read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
}
