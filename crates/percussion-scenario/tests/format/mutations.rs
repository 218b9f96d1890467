//! Scenarios changed at one key by the key's own row: schema and reader must agree on every one.
//!
//! What the row excludes (an unknown or missing key, another form, a number out of range, another word) both refuse; what it
//! admits the schema accepts, and the reader never refuses for its form or range.

use super::judge;
use percussion_model::{Bound, Code, Form, Key, KeyDefault, Kind};
use percussion_scenario::{LoadOptions, SCENARIO_KEYS, ScenarioError, builtin, load, load_text, scenario_text};
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// A key of a scenario: the table it may stand in, and its row.
#[derive(Clone)]
struct Spot {
    /// Keys and numbers that lead to its table.
    path: Vec<Step>,
    key: &'static Key,
    /// The table without numbers, to tell tables of one kind from those of another: `model(bar).contact`.
    table: String,
    /// Whether its table is one of several forms: without the key it may be another of them.
    choice: bool,
}

#[derive(Clone)]
enum Step {
    Key(&'static str),
    Index(usize),
}

/// All keys a scenario may have, in the tables it has.
fn spots(table: &Value) -> Vec<Spot> {
    let mut out = Vec::new();
    in_table(table, SCENARIO_KEYS, &mut Vec::new(), String::new(), &mut out);
    out
}

fn in_table(value: &Value, keys: &'static [Key], path: &mut Vec<Step>, table: String, out: &mut Vec<Spot>) {
    for key in keys {
        out.push(Spot { path: path.clone(), key, table: table.clone(), choice: false });
        if let Some(inner) = value.get(key.name) {
            path.push(Step::Key(key.name));
            in_value(inner, &key.form, path, format!("{table}.{}", key.name), out);
            path.pop();
        }
    }
}

fn in_value(value: &Value, form: &'static Form, path: &mut Vec<Step>, table: String, out: &mut Vec<Spot>) {
    match form {
        Form::Table(keys) if value.is_table() => in_table(value, keys, path, table, out),
        Form::Kinds(kinds) => {
            let word = value.get("kind").and_then(Value::as_str).unwrap_or_default();
            let is = |kind: &&Kind| kind.name == word || kind.also.contains(&word);
            if let Some(kind) = kinds.iter().find(is) {
                in_table(value, kind.keys, path, format!("{table}({})", kind.name), out);
            }
        }
        Form::List { of, .. } => {
            // the first of each kind is enough
            for (i, value) in value.as_array().into_iter().flatten().enumerate().take(40) {
                path.push(Step::Index(i));
                in_value(value, of, path, table.clone(), out);
                path.pop();
            }
        }
        Form::Named(_, form) => in_value(value, form, path, table, out),
        Form::OneOf(forms) => {
            let before = out.len();
            for form in forms.iter().filter(|form| is_meant(value, form)) {
                in_value(value, form, path, table.clone(), out);
            }
            out[before..].iter_mut().for_each(|spot| spot.choice = true);
        }
        _ => {}
    }
}

/// Whether one of several forms is that of a value: of tables, one whose required keys are there.
fn is_meant(value: &Value, form: &Form) -> bool {
    match form {
        Form::Table(keys) => {
            keys.iter().filter(|key| key.default == KeyDefault::Required).all(|key| value.get(key.name).is_some())
        }
        Form::Named(_, form) => is_meant(value, form),
        _ => true,
    }
}

/// The table of a spot.
fn at<'a>(root: &'a mut Value, path: &[Step]) -> &'a mut Table {
    let value = path.iter().fold(root, |value, step| match step {
        Step::Key(key) => value.get_mut(*key).expect("a table"),
        Step::Index(i) => value.get_mut(*i).expect("an entry"),
    });
    value.as_table_mut().expect("a table")
}

/// A value of another form; none for keys that take anything.
fn misfit(form: &Form) -> Option<Value> {
    match form {
        Form::Any => None,
        Form::Flag => Some(Value::Integer(1)),
        Form::Integer { .. } => Some(Value::Float(1.5)),
        Form::Named(_, form) => misfit(form),
        Form::Number(_) | Form::Text | Form::Word(_) | Form::List { .. } => Some(Value::Boolean(true)),
        Form::Entries | Form::Table(_) | Form::Kinds(_) | Form::OneOf(_) => Some(Value::Boolean(true)),
    }
}

/// Values just outside, and one inside, of what a form admits.
fn around(form: &Form, dice: &mut Dice) -> (Vec<Value>, Option<Value>) {
    match form {
        Form::Named(_, form) => around(form, dice),
        Form::Number(range) => {
            let outside = |bound: Bound, step: f64| match bound {
                Bound::None => None,
                Bound::Closed(x) => Some(x + step * (1e-3 * x.abs()).max(1e-3)),
                Bound::Open(x) => Some(x),
            };
            let ends = [outside(range.low, -1.0), outside(range.high, 1.0)];
            let end = |bound: Bound, other: f64| match bound {
                Bound::None => other,
                Bound::Closed(x) | Bound::Open(x) => x,
            };
            let low = end(range.low, end(range.high, 0.0) - 2.0);
            let high = end(range.high, low + 2.0);
            let inside = low + (high - low) * (0.05 + 0.9 * dice.unit());
            (ends.into_iter().flatten().map(Value::Float).collect(), Some(Value::Float(inside)))
        }
        Form::Integer { least, most } => {
            let below = least.checked_sub(1).filter(|_| *least > i64::MIN);
            let above = most.checked_add(1).filter(|_| *most < i64::MAX);
            let most = (*most).min(least.saturating_add(3));
            let inside = least + (dice.unit() * (most - least + 1) as f64) as i64;
            ([below, above].into_iter().flatten().map(Value::Integer).collect(), Some(Value::Integer(inside)))
        }
        Form::Word(words) => {
            let word = words[(dice.unit() * words.len() as f64) as usize];
            (vec![Value::String("no-such-word".into())], Some(Value::String(word.into())))
        }
        Form::Flag => (Vec::new(), Some(Value::Boolean(dice.unit() < 0.5))),
        Form::Text
        | Form::List { .. }
        | Form::Entries
        | Form::Table(_)
        | Form::Kinds(_)
        | Form::OneOf(_)
        | Form::Any => (Vec::new(), None),
    }
}

/// The outermost values that a form admits; counts of a thousand and more take long to build.
fn edges(form: &Form) -> Vec<Value> {
    match form {
        Form::Named(_, form) => edges(form),
        Form::Number(range) => {
            let edge = |bound: Bound, inwards: f64| match bound {
                Bound::None => None,
                Bound::Closed(x) => Some(x),
                Bound::Open(x) => Some(x + inwards * 1e-3 * x.abs().max(1e-3)),
            };
            [edge(range.low, 1.0), edge(range.high, -1.0)].into_iter().flatten().map(Value::Float).collect()
        }
        Form::Integer { least, most } => {
            [*least, *most].into_iter().filter(|n| n.abs() < 1000).map(Value::Integer).collect()
        }
        Form::Word(words) => words.iter().map(|word| Value::String((*word).into())).collect(),
        Form::Flag => vec![Value::Boolean(false), Value::Boolean(true)],
        Form::Text
        | Form::List { .. }
        | Form::Entries
        | Form::Table(_)
        | Form::Kinds(_)
        | Form::OneOf(_)
        | Form::Any => Vec::new(),
    }
}

/// Numbers that come again.
struct Dice(u64);

impl Dice {
    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The scenarios that are changed, as tables.
fn seeds() -> Vec<(String, Value)> {
    let mut texts: Vec<(String, String)> = builtin::NAMES
        .iter()
        .map(|name| (name.to_string(), builtin::text(name).expect("built in").to_string()))
        // hundreds of bodies take long to build and have no key of their own
        .filter(|(_, text)| !text.contains("repeat"))
        .collect();
    texts.push(("everything".into(), include_str!("everything.toml").into()));
    texts.push(("beams".into(), include_str!("beams.toml").into()));
    texts.push(("machine parts".into(), include_str!("machine_parts.toml").into()));
    let schemes = [
        ("newmark", "beta = 0.3\ngamma = 0.6"),
        ("hht", "alpha = 0.1"),
        ("generalized-alpha", "alpha_m = 0.1\nalpha_f = 0.2\nbeta = 0.4\ngamma = 0.7"),
        ("generalized-alpha-ggl", "rho_inf = 0.8\nsolution = \"sequential\"\nactivation = \"hold\""),
        (
            "generalized-alpha-ggl",
            "activation = \"predicted\"\nclosed_at = \"end\"\ngap_tolerance = 1e-9\nr = 2.0\naugmented = \"yes\"\ntolerance_smooth = 1e-10\ntolerance_position = 1e-10\ntolerance_velocity = 1e-10",
        ),
        ("generalized-alpha-modified-lcp", "estimate_theta = 0.8"),
        ("moreau-jean", "evaluation = \"theta\""),
        ("moreau-jean", "activation = \"predicted\"\nprediction = 0.6\nprojection = \"paid\""),
        ("event-driven", "tolerance = 1e-8\nmethod = \"stiff\"\ncut = 1e-8"),
        ("runge-kutta-moreau", "order = 3\ntableau = \"radau-iia\"\nbracket = 1.0"),
        ("splitting", "variant = 1"),
        ("landing", "landing = \"inside\""),
        ("newmark", "preset = \"average-acceleration\""),
    ];
    let ball = "[model]\nkind = \"linear\"\nmass = [[1.0]]\nstiffness = [[1.0]]\ndamping = [[0.1]]\nforce = [{ mean = -10.0, sines = [{ amplitude = 1.0, omega = 2.0, phase = 0.1 }] }]\ngravity = [-9.81]\nconservative = true\nsymmetrize = true\nfix = []\ncondense = true\ncoordinates = [\"y\"]\nunits = [\"m\"]\nq0 = [1.0]\nv0 = [0.0]\n[[model.contact]]\nname = \"floor\"\nnormal = { 0 = 1.0 }\noffset = 0.0\nrestitution = 0.5\n";
    for (name, parameters) in schemes {
        texts.push((
            name.into(),
            format!("{ball}[scheme]\nname = \"{name}\"\n{parameters}\n[time]\nend = 0.01\nstep = 1e-3\n"),
        ));
    }
    let adaptive = "adaptive = { order = 1, atol = { q = 1e-4, v = 1e-4, gap = 1e-4 }, rtol = 1e-4, control = \"qv\", violation = false, step_min = 1e-8, step_max = 1e-3, extrapolate = true, alpha = 0.8, alpha_min = 0.3, alpha_max = 4.0 }";
    texts.push(("adaptive".into(), format!("{ball}[time]\nend = 0.01\nstep = 1e-3\n{adaptive}\n")));
    // a body of several shapes, in space and in the plane
    for (dimension, place) in
        [(3, "position = [0.1, 0.0, 0.0], rotation = [1.0, 0.0, 0.0, 0.0]"), (2, "position = [0.1, 0.0], angle = 0.2")]
    {
        let height = if dimension == 3 { "height = 0.5, " } else { "" };
        let kinds = [
            format!("kind = \"box\", size = {:?}", vec![1.0; dimension]),
            "kind = \"sphere\", radius = 0.2".into(),
            "kind = \"capsule\", radius = 0.2, length = 1.0".into(),
            format!("kind = \"outline\", {height}points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]"),
        ];
        let kinds = kinds.map(|kind| format!("{{ {kind}, {place}, material = \"default\" }}"));
        let several = format!("shapes = [{}]", kinds.join(", "));
        let arm = if dimension == 3 {
            "[[body]]\nname = \"b\"\ndensity = 1.0\nshape = { kind = \"sphere\", radius = 0.1 }\nposition = [3.0, 0.0, 0.0]\n\
            [[joint]]\nkind = \"universal\"\na = \"a\"\nb = \"b\"\nanchor = [2.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]\ncross = [0.0, 0.0, 1.0]\n"
        } else {
            ""
        };
        texts.push((
            format!("shapes, {dimension}"),
            format!(
                "[model]\nkind = \"bodies\"\ndimension = {dimension}\n[[body]]\nname = \"a\"\ndensity = 1.0\n{several}\n{arm}\
                 [[material]]\nname = \"default\"\n[time]\nend = 0.01\nstep = 1e-3\n"
            ),
        ));
    }
    // two hinges in series, with nothing between them
    let hinged = "[model]\n\
         kind = \"bodies\"\n\
         [[body]]\n\
         name = \"post\"\n\
         shape = { kind = \"sphere\", radius = 0.1 }\n\
         fixed = true\n\
         [[body]]\n\
         name = \"link\"\n\
         shape = { kind = \"point\" }\n\
         massless = true\n\
         [[body]]\n\
         name = \"bob\"\n\
         shape = { kind = \"sphere\", radius = 0.1 }\n\
         density = 1.0\n\
         position = [1.0, 0.0, 0.0]\n\
         [[joint]]\n\
         kind = \"revolute\"\n\
         a = \"post\"\n\
         b = \"link\"\n\
         anchor = [0.0, 0.0, 0.0]\n\
         axis = [0.0, 1.0, 0.0]\n\
         [[joint]]\n\
         kind = \"revolute\"\n\
         a = \"link\"\n\
         b = \"bob\"\n\
         anchor = [0.0, 0.0, 0.0]\n\
         axis = [0.0, 0.0, 1.0]\n\
         [time]\n\
         end = 0.01\n\
         step = 1e-3\n";
    texts.push(("a link without mass".into(), hinged.into()));
    let milne = "adaptive = { estimate = \"milne\", depth = true }";
    texts.push(("adaptive, Milne".into(), format!("{ball}[time]\nend = 0.01\nstep = 1e-3\n{milne}\n")));
    for name in ["pendulum", "rotating-beam"] {
        let text = builtin::text(name).expect("built in");
        texts.push((format!("{name}, with friction"), text.replace("[model]\n", "[model]\nfriction = 0.3\n")));
    }
    // initial states and loads, which these three leave to default
    for name in ["elastic-bar", "pendulum", "rotating-beam"] {
        let loaded = load(name, &LoadOptions::default()).expect("built in");
        texts.push((format!("{name}, resolved"), scenario_text(&loaded.scenario).0));
    }
    // friction on a Lagrangian model needs a scheme at velocity level, which takes no ρ∞
    let block = builtin::text("rocking-block").expect("built in");
    let block: String =
        block.lines().filter(|line| !line.starts_with("rho_inf")).map(|line| format!("{line}\n")).collect();
    let block = block.replace("generalized-alpha-ggl", "moreau-jean").replace("[model]\n", "[model]\nfriction = 0.3\n");
    texts.push(("rocking-block, with friction".into(), block));
    let kinds = [
        "{ table = [[0.0, 0.0], [1.0, 2.0]], interpolation = \"cubic\", periodic = false, scale = 2.0, delay = 0.1, file = \"a.csv\" }",
        "{ step = { at = 1.0, from = 0.0, to = 1.0 } }",
        "{ ramp = { start = 0.0, end = 1.0, from = 0.0, to = 1.0 } }",
        "{ smooth = { start = 0.0, end = 1.0, from = 0.0, to = 1.0 } }",
        "{ pulse = { start = 0.0, end = 1.0, height = 1.0, shape = \"half-sine\" } }",
        "{ formula = \"sin(t)\" }",
        "{ sum = [1.0, { formula = \"t\" }] }",
        "{ product = [1.0, 2.0] }",
    ];
    // tables of loads on nodes, with all their keys
    let rod = builtin::text("flying-spaghetti").expect("built in");
    for (plain, rest) in [("20.0], [5.0, 0.0]]", ", 0.0, 0.0]"), ("-100.0], [5.0, 0.0]]", ", { table")] {
        let more = format!(
            "{plain}, interpolation = \"cubic\", periodic = false, scale = 2.0, delay = 0.1, file = \"a.csv\" }}{rest}"
        );
        texts.push((format!("load {plain}"), rod.replace(&format!("{plain} }}{rest}"), &more)));
    }
    for kind in kinds {
        let text = ball.replace("{ mean = -10.0, sines = [{ amplitude = 1.0, omega = 2.0, phase = 0.1 }] }", kind);
        texts.push((kind.into(), format!("{text}[time]\nend = 0.01\nstep = 1e-3\n")));
    }
    // obstacles and gravity by tables with all their keys
    let moving = ball.replace("offset = 0.0", &format!("offset = {}", kinds[0]));
    texts.push(("a moving obstacle".into(), format!("{moving}[time]\nend = 0.01\nstep = 1e-3\n")));
    let shaken = format!(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [{}, {{ mean = -9.81, sines = [{{ amplitude = 1.0, omega = 2.0, phase = 0.1 }}] }}]\n\
         [[body]]\nname = \"ball\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\ndensity = 100.0\nposition = [0.0, 1.0]\n\
         [time]\nend = 0.01\nstep = 1e-3\n",
        kinds[0]
    );
    texts.push(("shaken bodies".into(), shaken));
    let formulas = "[model]\nkind = \"formula\"\ncoordinates = [\"x\", \"y\"]\nunits = \"m\"\nparameters = { m = 2.0 }\nkinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"\npotential = \"m*9.81*y\"\nforce = [\"-0.1*x_dot\", 0.0]\nq0 = [0.0, 1.0]\nv0 = [1.0, 0.0]\npicture = { shapes = [{ kind = \"disc\", position = [\"x\", \"y\"], angle = \"x\", points = [[\"x\", 0.0], [0.0, \"y\"]], radius = 0.1, size = [0.1, 0.2], normal = [0.0, 1.0], thickness = 0.01 }] }\n[[model.contact]]\nname = \"floor\"\ngap = \"y\"\ntangent = \"x\"\nfriction = 0.3\nrestitution = 0.5\n";
    texts.push((
        "formulas".into(),
        format!("{formulas}[time]\nend = 0.01\nstep = 1e-3\n[output]\nevery = 2\nselect = [\"x\", \"floor\"]\n"),
    ));
    let by_mass = formulas.replace("kinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"", "mass = [[\"m\", 0.0], [0.0, \"m\"]]");
    texts.push(("formulas, by their mass".into(), format!("{by_mass}[time]\nend = 0.01\nstep = 1e-3\n")));
    // three frames at one place, joined by springs along and about the axes: as matrices, and reduced
    let row = |i: usize| {
        let chain = [[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]];
        (0..18).map(|j| if i % 6 == j % 6 { 1e3 * chain[i / 6][j / 6] } else { 0.0 }).collect::<Vec<f64>>()
    };
    let stiffness: Vec<Vec<f64>> = (0..18).map(row).collect();
    let flexible = format!(
        "[model]\nkind = \"bodies\"\n[[material]]\nname = \"default\"\n[[flexible]]\nname = \"a\"\nnodes = {:?}\nstiffness = {stiffness:?}\n\
         interfaces = [0]\nmodes = 2\ndamping_ratio = 0.01\ninertia = \"constant\"\nposition = [0.0, 0.0, 1.0]\nrotation = [1.0, 0.0, 0.0, 0.0]\n\
         velocity = [0.0, 0.0, 0.0]\nangular_velocity = [0.0, 0.0, 0.0]\ncontact = {{ radius = 0.1, material = \"default\" }}\n\
         [[body]]\nname = \"b\"\nfixed = true\n[[joint]]\nkind = \"fixed\"\na = \"a\"\na_marker = 0\nb = \"b\"\nanchor = [0.0, 0.0, 1.0]\n\
         [[joint]]\nkind = \"spherical\"\na = \"b\"\nb = \"a\"\nb_marker = 0\nanchor = [0.0, 0.0, 1.0]\n\
         [[bushing]]\na = \"a\"\na_marker = 0\nb = \"b\"\nanchor = [0.0, 0.0, 1.0]\nstiffness = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]\n\
         [[bushing]]\na = \"b\"\nb = \"a\"\nb_marker = 0\nanchor = [0.0, 0.0, 1.0]\nstiffness = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]\n\
         [time]\nend = 0.01\nstep = 1e-3\n",
        vec![vec![0.0, 0.0, 0.0, 1.0, 0.1, 0.1, 0.1]; 3]
    );
    let loaded = load_text("flexible", &flexible, &LoadOptions::default()).expect("a reduced body");
    let stiff = format!("inertia = \"full\"\ngeometric_stiffness = [{stiffness:?}, {stiffness:?}, {stiffness:?}]");
    let full = flexible.replace("inertia = \"constant\"", &stiff);
    texts.push(("flexible".into(), flexible));
    texts.push(("flexible, reduced".into(), scenario_text(&loaded.scenario).0));
    let loaded = load_text("flexible", &full, &LoadOptions::default()).expect("a reduced body with full inertia");
    texts.push(("flexible in full".into(), full));
    texts.push(("flexible in full, reduced".into(), scenario_text(&loaded.scenario).0));
    texts.push(("started".into(), format!("{ball}[start]\nq = [1.0]\nv = [0.0]\n[time]\nend = 0.01\nstep = 1e-3\n")));
    let joined = "[model]\nkind = \"linear\"\nmass = [[1.0, 0.0], [0.0, 1.0]]\n[[model.joint]]\nrow = { 0 = 1.0, 1 = -1.0 }\noffset = 0.0\n";
    texts.push(("joined".into(), format!("{joined}[time]\nend = 0.01\nstep = 1e-3\n")));
    let table = |text: String| Value::Table(text.parse::<Table>().expect("TOML"));
    texts.into_iter().map(|(name, text)| (name, table(text))).collect()
}

fn read(scenario: &Value) -> Result<(), Box<ScenarioError>> {
    let text = toml::to_string(scenario).expect("TOML");
    load_text("changed", &text, &LoadOptions::default()).map(|_| ())
}

/// Whether a refusal speaks of the form or range of one of these keys alone, not of how it goes with others.
fn formal(error: &ScenarioError, names: &[&str]) -> bool {
    let codes = [
        Code::UNKNOWN_KEY,
        Code::WRONG_TYPE,
        Code::UNKNOWN_KIND,
        Code::UNKNOWN_SCHEME,
        Code::UNKNOWN_SOLVER,
        Code::RESTITUTION,
        Code::BAD_SIZE,
        Code::BAD_SOLVER_OPTION,
        Code::BAD_OUTPUT,
        Code::BAD_ADAPTIVE,
    ];
    // a scheme also refuses parameters that do not go together
    let out_of_range = error.code == Code::BAD_PARAMETER && error.message.contains("is outside");
    // so do adaptive steps: step_min ≤ step_max, alpha_min < alpha < alpha_max
    let together = error.code == Code::BAD_ADAPTIVE && error.message.contains(" are not ");
    // and kinds that share a key: a slot's radius may be negative, a journal's may not
    let together = together || error.message.contains("radius") && error.field.contains("joint");
    let concerned = names.iter().any(|name| error.field.ends_with(name));
    concerned && !together && (codes.contains(&error.code) || out_of_range)
}

/// Both refuse.
fn both_refuse(scenario: &Value, what: &str) {
    let said = judge(&toml::to_string(scenario).expect("TOML"));
    assert!(said.is_some(), "{what}: the schema accepts it");
    assert!(read(scenario).is_err(), "{what}: the reader accepts it, the schema says {said:?}");
}

fn changed(seed: &Value, spot: &Spot, value: Option<Value>) -> Value {
    let mut scenario = seed.clone();
    let table = at(&mut scenario, &spot.path);
    match value {
        Some(value) => table.insert(spot.key.name.into(), value),
        None => table.remove(spot.key.name),
    };
    scenario
}

/// Every key in every kind of table: out of range, of another form, missing where it is required; at the ends of its range.
#[test]
fn every_key_is_held_to_its_row() {
    let (mut seen, mut missing) = (BTreeMap::new(), BTreeSet::new());
    let mut dice = Dice(1);
    let seeds = seeds();
    for (name, seed) in &seeds {
        assert_eq!(judge(&toml::to_string(seed).expect("TOML")), None, "{name}");
        read(seed).unwrap_or_else(|error| panic!("{name}: {error}"));
        for spot in spots(seed) {
            let id = format!("{}.{}", spot.table, spot.key.name);
            if at(&mut seed.clone(), &spot.path).contains_key(spot.key.name) {
                seen.entry(id).or_insert((name, seed, spot));
            } else {
                missing.insert(id);
            }
        }
    }
    missing.retain(|id| !seen.contains_key(id));
    // lists of a scene are tried at the top level; a mesh from a file needs the file, as looks, inputs, solids and their groups do, a law of impact the program that has it, and
    // a sweep is not one run
    let lists =
        ["material", "pair", "body", "spring", "joint", "beam", "cable", "bushing", "flexible", "solid", "load"]
            .map(|list| format!(".model(bodies).{list}"));
    let known = |id: &String| {
        lists.iter().any(|list| id.starts_with(list))
            || id.starts_with(".sweep")
            || ["(mesh).file", "(mesh).scale", "(hull).file", "(hull).scale"].iter().any(|key| id.ends_with(key))
            || ["mesh", "scale", "young", "poisson", "density"].iter().any(|key| *id == format!(".flexible.{key}"))
            || [".scheme.impact_law", ".inputs", ".body.looks", ".model(linear).mesh"].contains(&id.as_str())
            || id.starts_with(".solid")
            || id.ends_with("_group")
    };
    assert_eq!(missing.iter().filter(|id| !known(id)).collect::<Vec<_>>(), Vec::<&String>::new(), "never tried");
    for (id, (name, seed, spot)) in seen {
        let (outside, _) = around(&spot.key.form, &mut dice);
        for value in outside.into_iter().chain(misfit(&spot.key.form)) {
            both_refuse(&changed(seed, &spot, Some(value.clone())), &format!("{name}: {id} = {value}"));
        }
        for value in edges(&spot.key.form) {
            let (scenario, what) = (changed(seed, &spot, Some(value.clone())), format!("{name}: {id} = {value}"));
            assert_eq!(judge(&toml::to_string(&scenario).expect("TOML")), None, "{what}");
            if let Err(error) = read(&scenario) {
                assert!(!formal(&error, &[spot.key.name]), "{what}: the reader refuses it: {error}");
            }
        }
        if spot.key.default == KeyDefault::Required {
            let (scenario, what) = (changed(seed, &spot, None), format!("{name}: without {id}"));
            let another = spot.choice && judge(&toml::to_string(&scenario).expect("TOML")).is_none();
            if another {
                read(&scenario).unwrap_or_else(|error| panic!("{what}: {error}"));
            } else {
                both_refuse(&scenario, &what);
            }
        }
        let misspelt = Box::leak(Box::new(Key { name: "no_such_key", ..*spot.key }));
        let spot = Spot { key: misspelt, ..spot };
        both_refuse(&changed(seed, &spot, Some(Value::Integer(1))), &format!("{name}: {id}, misspelt"));
    }
}

/// 200 scenarios with one to three keys changed at random, some as their rows allow and some not.
#[test]
fn schema_and_reader_agree_on_random_scenarios() {
    let seeds = seeds();
    let mut dice = Dice(20);
    let (mut accepted, mut refused, mut mechanics) = (0, 0, 0);
    for case in 0..200 {
        let (name, seed) = &seeds[(dice.unit() * seeds.len() as f64) as usize];
        let (mut scenario, mut said, mut names) = (seed.clone(), Vec::new(), Vec::new());
        let wrong = dice.unit() < 0.5;
        for turn in 0..1 + (dice.unit() * 3.0) as usize {
            let spots: Vec<Spot> = spots(&scenario)
                .into_iter()
                .filter(|spot| at(&mut scenario.clone(), &spot.path).contains_key(spot.key.name))
                .collect();
            let spot = &spots[(dice.unit() * spots.len() as f64) as usize];
            let (outside, inside) = around(&spot.key.form, &mut dice);
            let value = if wrong && turn == 0 { outside.into_iter().next().or(misfit(&spot.key.form)) } else { inside };
            if let Some(value) = value {
                said.push(format!("{}.{} = {value}", spot.table, spot.key.name));
                names.push(spot.key.name);
                scenario = changed(&scenario, spot, Some(value));
            }
        }
        let what = format!("case {case}, {name}: {}", said.join(", "));
        let text = toml::to_string(&scenario).expect("TOML");
        match (judge(&text), read(&scenario)) {
            (Some(_), Err(_)) => refused += 1,
            (Some(complaint), Ok(())) => panic!("{what}: only the schema refuses it: {complaint}"),
            (None, Ok(())) => accepted += 1,
            // contacts that start closed, lists of another length, keys that exclude each other: beyond a schema
            (None, Err(error)) => {
                assert!(!formal(&error, &names), "{what}: only the reader refuses it: {error}");
                mechanics += 1;
            }
        }
    }
    assert!(accepted >= 50 && refused >= 50, "{accepted} accepted, {refused} refused, {mechanics} for their mechanics");
}
