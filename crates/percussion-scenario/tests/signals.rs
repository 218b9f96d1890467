//! Signals in scenarios: every form is read, written so that it reads back to the same bits, and reproduces its run.

use percussion_model::Code;
use percussion_scenario::{LoadOptions, load, load_text, scenario_text, write_scenario};
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
