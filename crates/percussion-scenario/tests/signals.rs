//! Signals in scenarios: every form is read, written so that it reads back to the same bits, and reproduces its run.

use percussion_model::Code;
use percussion_scenario::{Attachments, LoadOptions, Source, load, load_text, scenario_text, write_scenario};
use percussion_step::{Guarantee, Outcome, SCHEMES, Trajectory};
use std::collections::BTreeMap;
use std::path::Path;

/// Every form as a user writes it.
const FORMS: &[&str] = &[
    "-3.0",
    "{ mean = 1.0, sines = [{ amplitude = 2.0, omega = 3.0 }] }",
    "{ table = [[0.0, 0.0], [0.1, 2.5], [0.3, -1.0]], interpolation = \"cubic\", scale = 2.0, delay = 0.1 }",
    "{ table = [[0.0, 0.0], [0.1, 2.5], [0.3, 0.0]], periodic = true }",
    "{ step = { at = 0.2 } }",
    "{ ramp = { end = 0.3, to = -4.0 } }",
    "{ smooth = { start = 0.1, end = 0.3 } }",
    "{ pulse = { end = 0.3, height = 7.0, shape = \"half-sine\" } }",
    "{ formula = \"3*sin(2*pi*t)*exp(-t)\" }",
    "{ sum = [1.0, { ramp = { end = 1.0 } }, { mean = 0.5, sines = [{ amplitude = 1.0, omega = 2.0 }] }] }",
    "{ product = [2.0, { formula = \"cos(t)\" }, { sum = [1.0, { step = { at = 0.1 } }] }] }",
];

fn linear(force: &str, offset: &str) -> String {
    format!(
        "[model]\nkind = \"linear\"\nmass = [[1.0]]\nstiffness = [[50.0]]\nforce = [{force}]\nq0 = [0.1]\n\
         [[model.contact]]\nnormal = [1.0]\noffset = {offset}\nrestitution = 0.5\n[time]\nend = 0.5\nstep = 1e-3\n"
    )
}

fn scene(gravity: &str, force: &str, motor: &str) -> String {
    format!(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [{gravity}, -9.81]\n\
         [[body]]\nname = \"ground\"\nshape = {{ kind = \"plane\" }}\nposition = [0.0, -5.0]\nfixed = true\n\
         [[body]]\nname = \"arm\"\nshape = {{ kind = \"box\", size = [1.0, 0.1] }}\ndensity = 100.0\nposition = [0.5, 0.0]\n\
         force = [{force}, 0.0]\n\
         [[joint]]\nkind = \"revolute\"\na = \"ground\"\nb = \"arm\"\nanchor = [0.0, 0.0]\nmotor = {{ force = {motor} }}\n\
         [time]\nend = 0.2\nstep = 1e-3\n"
    )
}

fn end_state(text: &str) -> (Vec<f64>, String) {
    let mut loaded = load_text("a test", text, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let mut rows = Trajectory::new();
    let outcome = loaded.simulation.run(loaded.scenario.count.n, &mut rows);
    assert!(matches!(outcome, Outcome::Finished), "{outcome:?}\n{text}");
    (rows.q(rows.len() - 1).to_vec(), scenario_text(&loaded.scenario).0)
}

/// Read, written and read again: the same text, and a run to the same bits.
#[test]
fn every_form_comes_back() {
    for form in FORMS {
        let jumps = form.contains("step");
        let offset = if jumps { "0.0".to_string() } else { format!("{{ product = [0.01, {form}] }}") };
        for text in [linear(form, &offset), scene(form, form, form)] {
            let (first, written) = end_state(&text);
            let (second, again) = end_state(&written);
            assert_eq!(written, again);
            assert_eq!(first, second, "{form}");
        }
    }
}

/// Bodies with a joint, a motor and shaken gravity under every form, and a formula model whose load and stop depend on t: every scheme that has
/// an identity closes to 1e-11 of the largest energy.
#[test]
fn every_form_closes_on_other_kinds() {
    let mut closed = BTreeMap::new();
    let cases = FORMS.iter().map(|form| ("bodies", scene(form, form, form)));
    for (kind, text) in cases.chain([("formula", SWINGING.to_string())]) {
        for entry in SCHEMES {
            let options = LoadOptions { scheme: Some(entry.name.into()), end: Some(0.1), ..LoadOptions::default() };
            let Ok(mut loaded) = load_text("a test", &text, &options) else { continue };
            if !Guarantee::new(&loaded.scenario.scheme, &loaded.scenario.problem.model).has_identity() {
                continue;
            }
            let mut rows = Trajectory::new();
            let outcome = loaded.simulation.run(loaded.scenario.count.n, &mut rows);
            assert!(matches!(outcome, Outcome::Finished), "{outcome:?} by {}\n{text}", entry.name);
            let largest = rows.ledger.iter().fold(1e-3_f64, |s, e| s.max(e.energy().abs()).max(e.kinetic));
            let worst = rows.ledger.iter().fold(0.0_f64, |s, e| s.max(e.balance.abs())) / largest;
            assert!(worst <= 1e-11, "by {}: {worst:e}\n{text}", entry.name);
            *closed.entry((kind, entry.name)).or_insert(0) += 1;
        }
    }
    println!("{closed:?}");
    let bodies = closed.iter().filter(|((kind, _), _)| *kind == "bodies");
    assert!(bodies.clone().count() >= 2 && bodies.clone().all(|(_, &n)| n == FORMS.len()), "{closed:?}");
    assert!(closed.contains_key(&("formula", "energy-momentum")), "{closed:?}");
}

/// A pendulum with a stop that swings.
const SWINGING: &str = r#"
[model]
kind = "formula"
coordinates = ["a"]
kinetic = "0.5*a_dot^2"
potential = "-9.81*cos(a)"
force = ["3*sin(2*pi*t)*exp(-t) + if(t - 0.03, 2.0, -1.0)"]
q0 = [0.02]
v0 = [-1.0]
[[model.contact]]
gap = "a + 0.005*sin(40*t)"
restitution = 0.5
[time]
end = 0.2
step = 1e-3
"#;

/// A table in a file goes with the run and gives the same bits from there; its subfolder comes along.
#[test]
fn tables_are_copied_into_the_run() {
    let folder = std::env::temp_dir().join(format!("percussion-signals-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("data")).expect("a folder");
    let record = "# a record\ntime; value\n0.0; 0.0\n0.1; 4.0\n\n0.25 -3.0\n0.4,0\n";
    std::fs::write(folder.join("data/record.csv"), record).expect("a file");
    let text = linear("{ table = \"data/record.csv\", interpolation = \"cubic\" }", "0.0");
    let path = folder.join("scenario.toml");
    std::fs::write(&path, text).expect("a file");
    let open =
        |path: &Path| load(&path.display().to_string(), &LoadOptions::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let first = open(&path);
    let copy = folder.join("run");
    std::fs::create_dir_all(&copy).expect("a folder");
    let written = write_scenario(&first.scenario, &copy).expect("written");
    assert!(written.contains("table = \"data/record.csv\"") && copy.join("data/record.csv").is_file());
    let second = open(&copy.join("scenario.toml"));
    assert_eq!(first.scenario.description, second.scenario.description);
    assert_eq!(first.scenario.signal_files[0].points, [[0.0, 0.0], [0.1, 4.0], [0.25, -3.0], [0.4, 0.0]]);
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// What makes no sense is refused with its code and place.
#[test]
fn refusals() {
    let cases: &[(&str, &str, Code, &str)] = &[
        ("{ table = [[1.0, 0.0], [0.5, 1.0]] }", "0.0", Code::BAD_SIGNAL, "model.force[0].table"),
        ("{ ramp = { start = 2.0, end = 1.0 } }", "0.0", Code::BAD_SIGNAL, "model.force[0].ramp.end"),
        ("{ formula = \"2*x\" }", "0.0", Code::BAD_FORMULA, "model.force[0].formula"),
        ("{ sum = [1.0, { formula = \"sin(\" }] }", "0.0", Code::BAD_FORMULA, "model.force[0].sum[1].formula"),
        ("{ table = [[0.0, 1.0]], interpolation = \"odd\" }", "0.0", Code::WRONG_TYPE, "model.force[0].interpolation"),
        ("{ step = { at = 1.0 }, mean = 2.0 }", "0.0", Code::WRONG_TYPE, "model.force[0]"),
        ("{ table = \"none.csv\" }", "0.0", Code::UNREADABLE, "model.force[0].table"),
        ("0.0", "{ step = { at = 1.0 } }", Code::BAD_SIGNAL, "model.contact[0].offset"),
    ];
    for (force, offset, code, field) in cases {
        let Err(error) = load_text("a test", &linear(force, offset), &LoadOptions::default()) else {
            panic!("{force} {offset} was accepted")
        };
        assert_eq!((error.code, error.field.as_str()), (*code, *field), "{error:?}");
    }
}

/// An obstacle that is infinitely far away at the end of a step is no obstacle: the run fails there and says so, whether or not the contact takes part.
#[test]
fn obstacles_have_places() {
    let mut failed = 0;
    for entry in SCHEMES {
        let options = LoadOptions { scheme: Some(entry.name.into()), ..LoadOptions::default() };
        let text = linear("-1.0", "{ formula = \"0.01/(0.25 - t)\" }");
        let Ok(mut loaded) = load_text("a test", &text, &options) else { continue };
        match loaded.simulation.run(loaded.scenario.count.n, &mut Trajectory::new()) {
            // the two-step scheme meets it a step ahead, as a coordinate
            Outcome::Failed(failure) => {
                let named = failure.message.contains("contact 0") || entry.name == "schatzman-paoli";
                assert!(failure.code == Code::NOT_FINITE_STATE && named, "{}: {failure}", entry.name);
            }
            other => panic!("{}: {other:?}", entry.name),
        }
        failed += 1;
    }
    assert!(failed >= 18, "{failed}");
}

/// Two links with a motor; the lower one slides on a floor and on a lift.
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
name = "lift"
shape = { kind = "box", size = [0.4, 0.02] }
position = [0.9, -0.06]
LIFT
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
MOTOR
[[joint]]
name = "elbow"
kind = "revolute"
a = "upper"
b = "lower"
anchor = [0.5, 0.0]
[time]
end = 0.32
step = 4e-3
"#;

/// A block that is held on its left and stands on a plane.
const BLOCK: &str = r#"
[model]
kind = "solid"
mesh = "block.msh"
plane = "strain"
kinematics = "linear"
gravity = [GRAVITY, -9.81]
[[model.part]]
group = "block"
material = { young = 1e6, poisson = 0.3, density = 1500.0 }
[[model.support]]
group = "block left"
motion = [SUPPORT, 0.0]
[[model.load]]
group = "block top"
LOAD
[[model.contact]]
surface = "block bottom"
against = { plane = { point = [0.0, -1e-6], normal = [0.0, 1.0] } }
[time]
end = 0.32
step = 4e-3
"#;

/// The places in bodies with joints and friction, and in a solid, where a signal may stand, with that signal in one of them. Only motions must not jump.
fn places(form: &str) -> Vec<(&'static str, String)> {
    let write = |text: &str, own: (&str, String), others: &[(&str, &str)]| {
        let text = text.replace(own.0, &own.1);
        others.iter().fold(text, |text, (from, to)| text.replace(from, to))
    };
    let rest = [("LIFT", "fixed = true"), ("MOTOR", "motor = { force = 0.0 }")];
    let still = [("GRAVITY", "0.0"), ("SUPPORT", "0.0"), ("LOAD", "traction = [0.0, -70.0]")];
    let small = format!("{{ product = [0.02, {form}] }}");
    let servo = format!("motor = {{ target = {form}, stiffness = 30.0, damping = 1.0, limit = 40.0 }}");
    let mut list = vec![
        ("servo", write(LINKS, ("MOTOR", servo), &rest)),
        ("lift", write(LINKS, ("LIFT", format!("motion = {{ velocity = [0.0, {small}] }}")), &rest)),
        ("pressure", write(BLOCK, ("LOAD", format!("pressure = {form}")), &still)),
        ("traction", write(BLOCK, ("LOAD", format!("traction = [{form}, -70.0]")), &still)),
        ("gravity", write(BLOCK, ("GRAVITY", form.into()), &still)),
    ];
    if !form.contains("step") {
        list.push(("support", write(BLOCK, ("SUPPORT", small), &still)));
    }
    list
}

/// Servo targets, prescribed velocities, loads, gravity and supports under every form and every scheme that has an identity on them: it closes to 1e-11 of
/// the largest energy.
#[test]
fn every_place_closes() {
    let (mut closed, mut largest) = (BTreeMap::new(), 0.0_f64);
    for (place, text) in FORMS.iter().flat_map(|form| places(form)) {
        for entry in SCHEMES {
            let options = LoadOptions { scheme: Some(entry.name.into()), ..LoadOptions::default() };
            let mut given = Attachments::default();
            let mesh = include_bytes!("../../../gallery/elastic-block/mesh.msh").as_slice();
            given.files.insert("block.msh".into(), mesh.into());
            let Ok(mut loaded) = Source::of_text("a test", &text, given).load(&options) else { continue };
            if !Guarantee::new(&loaded.scenario.scheme, &loaded.scenario.problem.model).has_identity() {
                continue;
            }
            let mut rows = Trajectory::new();
            let outcome = loaded.simulation.run(loaded.scenario.count.n, &mut rows);
            assert!(matches!(outcome, Outcome::Finished), "{outcome:?} by {}\n{text}", entry.name);
            let size = rows.ledger.iter().fold(1e-3_f64, |s, e| s.max(e.energy().abs()).max(e.kinetic));
            let worst = rows.ledger.iter().fold(0.0_f64, |s, e| s.max(e.balance.abs())) / size;
            assert!(worst <= 1e-11, "{place} by {}: {worst:e}\n{text}", entry.name);
            largest = largest.max(worst);
            *closed.entry(place).or_insert(0) += 1;
        }
    }
    println!("{closed:?}, {largest:.1e}");
    // at least four schemes on bodies, twelve on solids
    let least = |place: &str| if ["servo", "lift"].contains(&place) { 4 } else { 12 } * (FORMS.len() - 2);
    assert!(closed.len() == 6 && closed.iter().all(|(place, &n)| n >= least(place)), "{closed:?}");
}
