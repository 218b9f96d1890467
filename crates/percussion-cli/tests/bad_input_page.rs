//! The table of bad inputs: every row is tried on the program, and the book's page is made of the answers.
//!
//! `PERCUSSION_WRITE_PAGE=1 cargo test -p percussion-cli --test bad_input_page` writes the page again.

#![cfg(unix)]

#[path = "common/bad_rows.rs"]
mod bad_rows;
mod common;
#[path = "common/solid_rows.rs"]
mod solid_rows;
use common::{BALL, Said, folder, percussion};
use std::path::Path;

/// How an input reaches the program.
enum Input {
    /// A ball on a floor (one coordinate), one line changed.
    Ball(&'static str, &'static str),
    /// Two masses (two coordinates), one line changed.
    Two(&'static str, &'static str),
    /// A sphere above a plane, one line changed.
    Sphere(&'static str, &'static str),
    /// A block of finite elements above a plane, one line changed.
    Solid(&'static str, &'static str),
    /// Its mesh, one line changed.
    SolidMesh(&'static str, &'static str),
    /// Words after `run bouncing-ball`.
    Words(&'static [&'static str]),
    /// A Matrix Market file for the mass of two coordinates.
    Matrix(&'static str),
    /// A contact problem for `solve`.
    Problem(&'static str),
    /// A sweep.
    Sweep(&'static str),
    /// A run folder with one file changed: name, what is replaced, by what; then the command.
    Folder(&'static str, &'static str, &'static str, &'static str),
    /// A sphere whose shape is a mesh of this file and these bytes.
    Mesh(&'static str, fn() -> Vec<u8>),
    /// A robot for `new --from`.
    Robot(&'static str),
    /// Whatever it takes.
    Made(fn(&Path) -> Said),
    /// A test in `python/tests`: the file, the function, what is refused.
    Python(&'static str, &'static str, &'static str),
}
use Input::*;

struct Row {
    /// What is tried, in words.
    tried: &'static str,
    input: Input,
    /// What other packages do with it, where it was measured.
    others: &'static str,
    code: &'static str,
    exit: i32,
}

const fn row(tried: &'static str, input: Input, others: &'static str, code: &'static str, exit: i32) -> Row {
    Row { tried, input, others, code, exit }
}

const NAN_STATE: &str =
    "Siconos: process aborts; MuJoCo: NaN pose accepted; PyBullet, Exudyn: accepted; Rapier: body disabled";
const NAN_SPEED: &str = "MuJoCo: warning, state reset, returns 0; PyBullet, Exudyn: accepted; Siconos: process aborts";
const NEGATIVE_MASS: &str = "Siconos, PyBullet, Rapier: accepted in silence";
const DIFFERENT_E: &str = "Siconos: accepted in silence; MuJoCo, Drake: have no such coefficient";
const NO_TEXT: &str = "Siconos: `std::exception` without text";
const SILENT: &str = "Siconos: accepted in silence";

const TABLE: &[(&str, &[Row])] = &[
    (
        "Things that are not numbers",
        &[
            row("a position that is NaN", Ball("q0 = [1.0]", "q0 = [nan]"), NAN_STATE, "E110", 3),
            row("a velocity that is NaN", Ball("v0 = [0.0]", "v0 = [nan]"), NAN_SPEED, "E110", 3),
            row("an infinite position", Ball("q0 = [1.0]", "q0 = [inf]"), SILENT, "E110", 3),
            row("an infinite mass", Ball("mass = [[1.0]]", "mass = [[inf]]"), "", "E110", 3),
            row("a force that is NaN", Ball("force = [-10.0]", "force = [nan]"), "", "E110", 3),
            row("a normal that is NaN", Ball("normal = [1.0]", "normal = [nan]"), "", "E110", 3),
            row("an obstacle at infinity", Ball("offset = 0.0", "offset = -inf"), "", "E110", 3),
            row(
                "a body whose position is NaN",
                Sphere("position = [0.0, 0.0, 1.0]", "position = [0.0, 0.0, nan]"),
                NAN_STATE,
                "E110",
                3,
            ),
            row("a step that is NaN, from the command line", Words(&["--step", "nan"]), "", "E110", 3),
            row("a velocity whose energy overflows", Ball("v0 = [0.0]", "v0 = [1e200]"), "", "E110", 3),
        ],
    ),
    (
        "Masses and inertia",
        &[
            row("a negative mass", Ball("mass = [[1.0]]", "mass = [[-1.0]]"), NEGATIVE_MASS, "E113", 3),
            row("a mass of zero", Ball("mass = [[1.0]]", "mass = [[0.0]]"), NO_TEXT, "E113", 3),
            row(
                "a singular M, which coordinate",
                Two("mass = [[1.0, 0.0], [0.0, 1.0]]", "mass = [[1.0, 1.0], [1.0, 1.0]]"),
                "",
                "E113",
                3,
            ),
            row(
                "an M that is not symmetric",
                Two("mass = [[1.0, 0.0], [0.0, 1.0]]", "mass = [[1.0, 0.3], [0.2, 1.0]]"),
                "",
                "E112",
                3,
            ),
            row(
                "a mass of the wrong size",
                Ball("mass = [[1.0]]", "mass = [[1.0, 0.0], [0.0, 1.0]]"),
                SILENT,
                "E111",
                3,
            ),
            row(
                "a K that is not symmetric",
                Two("stiffness = [[1.0, 0.0], [0.0, 1.0]]", "stiffness = [[1.0, 0.3], [0.2, 1.0]]"),
                "",
                "E114",
                3,
            ),
            row(
                "a body of negative density",
                Sphere("density = 1000.0", "density = -1000.0"),
                NEGATIVE_MASS,
                "E123",
                3,
            ),
            row(
                "an inertia no body has",
                Sphere("density = 1000.0", "mass = 1.0\ninertia = [1.0, 1.0, 3.0]"),
                "",
                "E124",
                3,
            ),
            row("a negative radius", Sphere("radius = 0.1", "radius = -0.1"), "Rapier: accepted in silence", "E125", 3),
            row(
                "a rotation that is no unit quaternion",
                Sphere("density = 1000.0", "density = 1000.0\nrotation = [1.0, 1.0, 0.0, 0.0]"),
                "",
                "E126",
                3,
            ),
        ],
    ),
    (
        "Contacts",
        &[
            row("e = 1.5", Ball("restitution = 0.8", "restitution = 1.5"), DIFFERENT_E, "E120", 3),
            row("e = −0.5", Ball("restitution = 0.8", "restitution = -0.5"), DIFFERENT_E, "E120", 3),
            row("e that is NaN", Ball("restitution = 0.8", "restitution = nan"), "", "E110", 3),
            row("a negative coefficient of friction", Two("friction = 0.3", "friction = -0.3"), "", "E122", 3),
            row(
                "friction without tangents",
                Ball("restitution = 0.8", "restitution = 0.8\nfriction = 0.3"),
                "",
                "E122",
                3,
            ),
            row("a normal that is zero", Ball("normal = [1.0]", "normal = [0.0]"), "", "E121", 3),
            row("a normal of the wrong size", Ball("normal = [1.0]", "normal = [1.0, 0.0]"), NO_TEXT, "E111", 3),
            row("bodies that penetrate at the start", Ball("q0 = [1.0]", "q0 = [-0.1]"), "", "E130", 3),
            row(
                "a sphere that starts inside the plane",
                Sphere("position = [0.0, 0.0, 1.0]", "position = [0.0, 0.0, 0.05]"),
                "",
                "E130",
                3,
            ),
            row(
                "the same contact twice, closed",
                Ball(
                    "q0 = [1.0]\nv0 = [0.0]\n[[model.contact]]",
                    "q0 = [0.0]\nv0 = [0.0]\n[[model.contact]]\nnormal = [1.0]\noffset = 0.0\nrestitution = 0.8\n[[model.contact]]",
                ),
                "",
                "W408",
                0,
            ),
        ],
    ),
    (
        "Joints",
        &[
            row(
                "a position that violates a joint",
                Two("[[model.contact]]", "[[model.joint]]\nrow = [1.0, 1.0]\n[[model.contact]]"),
                "",
                "E131",
                3,
            ),
            row(
                "a velocity that violates a joint",
                Two("v0 = [0.0, 0.0]", "v0 = [1.0, 0.0]\n[[model.joint]]\nrow = [1.0, -1.0]"),
                "",
                "E132",
                3,
            ),
            row(
                "a joint whose row is zero",
                Two("[[model.contact]]", "[[model.joint]]\nrow = [0.0, 0.0]\n[[model.contact]]"),
                "",
                "E140",
                3,
            ),
            row(
                "the same joint twice",
                Two(
                    "[[model.contact]]",
                    "[[model.joint]]\nrow = [1.0, -1.0]\n[[model.joint]]\nrow = [1.0, -1.0]\n[[model.contact]]",
                ),
                "Exudyn: \"matrix is not factorized!\"",
                "W404",
                0,
            ),
            row(
                "joints that contradict each other",
                Two(
                    "[[model.contact]]",
                    "[[model.joint]]\nrow = [1.0, -1.0]\n[[model.joint]]\nrow = [1.0, -1.0]\noffset = 0.5\n[[model.contact]]",
                ),
                "Exudyn: \"matrix is not factorized!\"",
                "E141",
                3,
            ),
        ],
    ),
    (
        "Time, scheme and solver",
        &[
            row("a step of zero", Ball("step = 1e-2", "step = 0.0"), SILENT, "E150", 3),
            row("a negative step", Ball("step = 1e-2", "step = -1e-2"), SILENT, "E150", 3),
            row("an end before the start", Ball("end = 1.0", "end = -1.0"), "Siconos: process aborts", "E150", 3),
            row("more steps than can be counted", Ball("step = 1e-2", "step = 1e-300"), "", "E150", 3),
            row("tables larger than the disk", Ball("step = 1e-2", "step = 2e-12"), "", "E303", 7),
            row("θ = 2", Ball("theta = 0.5", "theta = 2.0"), SILENT, "E151", 3),
            row("a parameter of another scheme", Ball("theta = 0.5", "beta = 0.25"), "", "E152", 3),
            row(
                "a scheme that does not exist",
                Ball("name = \"moreau-jean\"", "name = \"moreau-jaen\""),
                "",
                "E104",
                3,
            ),
            row(
                "a scheme that does not move this model",
                Sphere("[time]", "[scheme]\nname = \"newmark\"\n[time]"),
                "",
                "E155",
                3,
            ),
            row("a solver that does not exist", Ball("name = \"auto\"", "name = \"magic\""), "", "E105", 3),
            row("a tolerance of zero", Ball("tolerance = 1e-10", "tolerance = 0.0"), "", "E153", 3),
            row("a tolerance below round-off", Ball("tolerance = 1e-10", "tolerance = 1e-17"), "", "E153", 3),
            row("no iteration allowed", Ball("max_iterations = 100", "max_iterations = 0"), "", "E153", 3),
            row("every = 0", Ball("every = 1", "every = 0"), "", "E154", 3),
        ],
    ),
    (
        "Texts",
        &[
            row("a misspelt key", Ball("restitution = 0.8", "restitutoin = 0.8"), "", "E102", 3),
            row("a key given twice", Ball("q0 = [1.0]", "q0 = [1.0]\nq0 = [2.0]"), "", "E101", 3),
            row("a bracket not closed", Ball("q0 = [1.0]", "q0 = [1.0"), "", "E101", 3),
            row("text where a number belongs", Ball("restitution = 0.8", "restitution = \"high\""), "", "E103", 3),
            row("a kind of model that does not exist", Ball("kind = \"linear\"", "kind = \"cloth\""), "", "E106", 3),
            row(
                "a file outside the scenario's folder",
                Ball("mass = [[1.0]]", "mass = { file = \"../../etc/passwd\" }"),
                "",
                "E117",
                3,
            ),
            row("a file that is not there", Ball("mass = [[1.0]]", "mass = { file = \"M.mtx\" }"), "", "E100", 3),
            row("a --set of a key that does not exist", Words(&["--set", "scheme.thetta=0.5"]), "", "E102", 3),
            row("a --set without a value", Words(&["--set", "nonsense"]), "", "E107", 3),
            row("an unknown option", Words(&["--fast"]), "", "usage", 2),
        ],
    ),
    (
        "Matrix files",
        &[
            row("a file that is no Matrix Market file", Matrix("1 2 3\n"), "", "E116", 3),
            row(
                "fewer entries than declared",
                Matrix("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n"),
                "",
                "E116",
                3,
            ),
            row(
                "sizes out of all proportion",
                Matrix("%%MatrixMarket matrix array real general\n1000000000 1000000000\n1.0\n"),
                "",
                "E118",
                3,
            ),
            row(
                "an entry outside the matrix",
                Matrix("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n"),
                "",
                "E116",
                3,
            ),
            row(
                "an entry that is NaN",
                Matrix("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 nan\n2 2 1.0\n"),
                "",
                "E110",
                3,
            ),
        ],
    ),
    (
        "Contact problems",
        &[
            row("an empty file", Problem(""), "", "E162", 3),
            row("a file cut short", Problem("1\n0 1 1\n1 1\n"), "", "E161", 3),
            row("a matrix with NaN", Problem("1\n0 1 1\n1 1\n nan\n -1.0\n"), "", "E110", 3),
            row(
                "sizes out of all proportion",
                Problem("3\n1000000000\n0 3000000000 3000000000\n3000000000 3000000000\n1.0\n"),
                "",
                "E161",
                3,
            ),
        ],
    ),
    (
        "Sweeps",
        &[
            row("no [sweep]", Sweep("name = \"x\"\n"), "", "E170", 3),
            row(
                "a scenario outside the sweep's folder",
                Sweep(
                    "[sweep]\nscenario = \"../../x.toml\"\n[[sweep.parameter]]\nkey = \"time.end\"\nvalues = [1.0]\n",
                ),
                "",
                "E117",
                3,
            ),
            row(
                "more runs than can be made",
                Sweep(
                    "[sweep]\nscenario = \"bouncing-ball\"\n[[sweep.parameter]]\nkey = \"time.end\"\nfrom = 0.0\nto = 1.0\ncount = 1000000000000\n",
                ),
                "",
                "E170",
                3,
            ),
        ],
    ),
    (
        "Run folders",
        &[
            row("a table cut short", Folder("trajectory.csv", "0,", "", "verify"), "", "E301", 3),
            row(
                "a number replaced by NaN",
                Folder("ledger.csv", "0.0000000000000000e0", "nan", "verify"),
                "",
                "E301",
                3,
            ),
            row("a summary that is no JSON", Folder("summary.json", "{", "", "report"), "", "E301", 3),
            row(
                "a checkpoint of something else",
                Folder("checkpoint", "percussion", "confusion!", "resume"),
                "",
                "E302",
                7,
            ),
            row("a table changed since its checkpoint", Folder("ledger.csv", "e0", "e1", "resume"), "", "E302", 7),
            row(
                "a scenario changed since its checkpoint",
                Folder("scenario.toml", "restitution = 0.8", "restitution = 0.9", "resume"),
                "",
                "E302",
                7,
            ),
        ],
    ),
];

const TWO: &str = "[model]\nkind = \"linear\"\nmass = [[1.0, 0.0], [0.0, 1.0]]\nstiffness = [[1.0, 0.0], [0.0, 1.0]]\nq0 = [1.0, 1.0]\n\
    v0 = [0.0, 0.0]\n[[model.contact]]\nnormal = [1.0, 0.0]\ntangents = [[0.0, 1.0]]\nfriction = 0.3\nrestitution = 0.5\n\
    [time]\nend = 0.1\nstep = 1e-2\n";

const SPHERE: &str = "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, -9.81]\nrestitution = 0.5\nfriction = 0.3\n[[body]]\nname = \"floor\"\n\
    shape = { kind = \"plane\" }\nfixed = true\n[[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.1 }\n\
    density = 1000.0\nposition = [0.0, 0.0, 1.0]\n[time]\nend = 0.1\nstep = 1e-2\n";

fn changed(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "no {old}");
    text.replacen(old, new, 1)
}

fn try_scenario(folder: &Path, text: &str) -> Said {
    std::fs::write(folder.join("bad.toml"), text).expect("a scenario");
    percussion(folder, &["run", "bad.toml", "--out", "out"])
}

fn tried(folder: &Path, input: &Input) -> Said {
    match input {
        Ball(old, new) => try_scenario(folder, &changed(BALL, old, new)),
        Two(old, new) => try_scenario(folder, &changed(TWO, old, new)),
        Sphere(old, new) => try_scenario(folder, &changed(SPHERE, old, new)),
        Solid(old, new) => {
            std::fs::write(folder.join("block.msh"), solid_rows::block()).expect("a mesh");
            try_scenario(folder, &changed(solid_rows::SOLID, old, new))
        }
        SolidMesh(old, new) => {
            std::fs::write(folder.join("block.msh"), changed(&solid_rows::block(), old, new)).expect("a mesh");
            try_scenario(folder, solid_rows::SOLID)
        }
        Words(words) => percussion(folder, &[&["run", "bouncing-ball", "--out", "out"], *words].concat()),
        Matrix(text) => {
            std::fs::write(folder.join("M.mtx"), text).expect("a file");
            try_scenario(folder, &changed(TWO, "mass = [[1.0, 0.0], [0.0, 1.0]]", "mass = { file = \"M.mtx\" }"))
        }
        Problem(text) => {
            std::fs::write(folder.join("bad.dat"), text).expect("a file");
            percussion(folder, &["solve", "bad.dat"])
        }
        Sweep(text) => {
            std::fs::write(folder.join("bad.toml"), text).expect("a file");
            percussion(folder, &["sweep", "bad.toml", "--out", "out"])
        }
        Folder(file, old, new, command) => {
            stopped_run(folder);
            let path = folder.join("run").join(file);
            let bytes = std::fs::read(&path).expect("a file");
            let place = bytes.windows(old.len()).position(|w| w == old.as_bytes()).expect("what is replaced");
            // cut where nothing takes its place
            let rest = if new.is_empty() { &[][..] } else { &bytes[place + old.len()..] };
            std::fs::write(&path, [&bytes[..place], new.as_bytes(), rest].concat()).expect("written");
            percussion(folder, &[command, "run"])
        }
        Mesh(file, bytes) => {
            std::fs::write(folder.join(file), bytes()).expect("a file");
            let shape = format!("shape = {{ kind = \"mesh\", file = \"{file}\" }}");
            try_scenario(folder, &changed(SPHERE, "shape = { kind = \"sphere\", radius = 0.1 }", &shape))
        }
        Robot(text) => {
            std::fs::write(folder.join("bad.urdf"), text).expect("a file");
            percussion(folder, &["new", "robot", "--from", "bad.urdf"])
        }
        Made(make) => make(folder),
        Python(..) => unreachable!("told apart before"),
    }
}

/// The row of a test that Python makes; it is there, and refuses with that code.
fn python(row: &Row, file: &str, test: &str, what: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/tests").join(file);
    let text = std::fs::read_to_string(&path).expect("tests of Python");
    let body = text.split(&format!("def {test}(")).nth(1).unwrap_or_else(|| panic!("{file} has no {test}"));
    let body = body.split("\ndef ").next().unwrap_or(body);
    assert!(body.contains(&format!("refused(\"{}\", {what}", row.code)), "{test} does not refuse {what}");
    let others = if row.others.is_empty() { "not tried" } else { row.others };
    format!("| {} | {others} | {} `{what}` (`python/tests/{file}`, `{test}`) | `InputError` |\n", row.tried, row.code)
}

/// A run interrupted half-way, with its checkpoint.
fn stopped_run(folder: &Path) {
    use percussion::scenario::{LoadOptions, load, run_checkpointed};
    let loaded = load("bouncing-ball", &LoadOptions { end: Some(0.2), ..LoadOptions::default() }).expect("built in");
    let stop = |progress: percussion::scenario::Progress| progress.step < 50;
    run_checkpointed(loaded, &folder.join("run"), std::time::Duration::MAX, &mut { stop }).expect("a run");
}

/// The line that says what is wrong: of an error its fact, of a warning itself.
fn fact(said: &Said) -> String {
    let lines: Vec<&str> = said.err.lines().collect();
    let fact = lines.iter().find_map(|line| line.trim_start().strip_prefix("= "));
    let warning = lines.iter().find_map(|line| line.strip_prefix("warning[").and_then(|line| line.split_once("]: ")));
    let left_out = said.out.split("not taken over from ").nth(1).and_then(|text| text.lines().nth(1)).map(str::trim);
    let first = lines.first().copied();
    let line = fact.or(warning.map(|(_, text)| text)).or(left_out).or(first).unwrap_or("");
    // what depends on the machine, and what a table cannot hold
    let line = match line.split_once(", and ") {
        Some((needs, free)) if free.contains(" are free") => needs,
        _ if line.contains("round-off alone leaves") => "the solver stopped at what round-off alone leaves here",
        _ => line,
    };
    line.replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*")
}

fn page() -> String {
    let mut page = String::from(
        "# Bad inputs\n\n\
         What the program does with inputs that make no sense, beside what other packages were seen to do with them (where that was \
         tried: Siconos 4.4, MuJoCo 4.0, PyBullet 3.2.7, Rapier 0.36, Exudyn 1.13, Drake 1.51; Drake rejects with words). Every \
         row is a test, and this page is written by it (`crates/percussion-cli/tests/bad_input_page.rs`). Errors also name the file \
         and the line and a remedy; `percussion explain E113` says more about a code. Exit codes: 2 usage, 3 input, 4 numerical failure, 7 files; \
         warnings (W) let the run go on.\n",
    );
    let mut k = 0;
    let mut wrong = Vec::new();
    for (title, rows) in TABLE.iter().chain(bad_rows::MORE).chain([&solid_rows::SOLIDS]) {
        page += &format!("\n## {title}\n\n| tried | other packages | percussion | exit |\n|---|---|---|---|\n");
        for row in *rows {
            k += 1;
            if let Python(file, test, what) = row.input {
                page += &python(row, file, test, what);
                continue;
            }
            let folder = folder(&format!("page-{k}"));
            let said = tried(&folder, &row.input);
            let what = format!("{} ({k}): {}{}", row.tried, said.out, said.err);
            // words of the command line's own, and what a robot's import leaves out, have no code
            let bare = row.code == "usage" || (row.code == "words" && said.out.contains("not taken over"));
            let coded = bare || said.err.contains(&format!("[{}]", row.code));
            let remedy = bare || said.code == 0 || said.err.contains("help: ");
            if said.code != row.exit || !coded || !remedy {
                wrong.push(format!("wanted {} and exit {}, or no remedy: {what}", row.code, row.exit));
            }
            let code = if bare { "–" } else { row.code };
            let others = if row.others.is_empty() { "not tried" } else { row.others };
            page += &format!("| {} | {others} | {code} {} | {} |\n", row.tried, fact(&said), said.code);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    page + &format!("\n{k} rows.\n")
}

/// Every row gives its code and exit, and the page says what the program said.
#[test]
fn the_page_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/bad-inputs.md");
    let page = page();
    if std::env::var_os("PERCUSSION_WRITE_PAGE").is_some() {
        std::fs::write(&path, &page).expect("the page");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    for (ours, theirs) in page.lines().zip(written.lines()) {
        assert_eq!(ours, theirs, "docs/book/bad-inputs.md is out of date: PERCUSSION_WRITE_PAGE=1 writes it");
    }
    assert_eq!(page, written, "docs/book/bad-inputs.md is out of date: PERCUSSION_WRITE_PAGE=1 writes it");
}

/// What was refused reads no file and leaves no folder.
#[test]
fn outside_files_need_permission() {
    let folder = folder("allowed");
    std::fs::create_dir_all(folder.join("inner")).expect("a folder");
    std::fs::write(folder.join("M.mtx"), "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 1.0\n")
        .expect("a file");
    let text = changed(TWO, "mass = [[1.0, 0.0], [0.0, 1.0]]", "mass = { file = \"../M.mtx\" }");
    std::fs::write(folder.join("inner/s.toml"), text).expect("a file");
    let said = percussion(&folder, &["run", "inner/s.toml", "--out", "out"]);
    assert!(said.code == 3 && said.err.contains("E117") && said.err.contains("--allow-outside"), "{}", said.err);
    assert!(!folder.join("out").exists());
    let said = percussion(&folder, &["run", "inner/s.toml", "--out", "out", "--allow-outside"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let sweep = "[sweep]\nscenario = \"../s.toml\"\n[[sweep.parameter]]\nkey = \"time.end\"\nvalues = [0.05]\n";
    std::fs::write(folder.join("inner/sweep.toml"), sweep).expect("a file");
    std::fs::write(folder.join("s.toml"), TWO).expect("a file");
    let said = percussion(&folder, &["sweep", "inner/sweep.toml", "--out", "swept"]);
    assert!(said.code == 3 && said.err.contains("E117"), "{}", said.err);
    let said = percussion(&folder, &["sweep", "inner/sweep.toml", "--out", "swept", "--allow-outside"]);
    assert_eq!(said.code, 0, "{}", said.err);
}
