//! The program as its users meet it: arguments in, files and exit code out.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

/// Says, past the captured output, that something cannot be tried here; where everything has to run, that is a failure.
pub fn skipped(what: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("SKIPPED: {what}\n").as_bytes());
    assert!(std::env::var_os("CI").is_none(), "skipped: {what}");
}

/// The program, about to run in a folder.
pub fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_percussion"));
    command.current_dir(folder);
    command
}

/// What the program said and how it ended.
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs the program; it never panics.
pub fn percussion(folder: &Path, arguments: &[&str]) -> Said {
    let said: Said = program(folder).args(arguments).output().expect("the program starts").into();
    assert!(!said.err.contains("panicked") && said.code != 101, "{arguments:?}: {}", said.err);
    said
}

/// Runs a scenario into a folder and expects success.
pub fn run(folder: &Path, scenario: &str, out: &str, more: &[&str]) -> serde_json::Value {
    let mut arguments = vec!["run", scenario, "--out", out, "--json"];
    arguments.extend_from_slice(more);
    let said = percussion(folder, &arguments);
    assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
    serde_json::from_str(&said.out).expect("--json prints the summary")
}

/// A column of a CSV file; empty cells are NaN.
pub fn column(path: &Path, name: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(path).expect("a table");
    let mut lines = text.lines();
    let place = lines.next().expect("a header").split(',').position(|cell| cell == name).expect("the column");
    lines.map(|line| line.split(',').nth(place).expect("a cell").parse().unwrap_or(f64::NAN)).collect()
}

/// A ball above a floor, with `extra` at the end of the table named.
pub const BALL: &str = r#"format = 1
name = "ball"
[model]
kind = "linear"
mass = [[1.0]]
stiffness = [[0.0]]
damping = [[0.0]]
force = [-10.0]
q0 = [1.0]
v0 = [0.0]
[[model.contact]]
normal = [1.0]
offset = 0.0
restitution = 0.8
[scheme]
name = "moreau-jean"
theta = 0.5
[solver]
name = "auto"
tolerance = 1e-10
max_iterations = 100
[time]
end = 1.0
step = 1e-2
[output]
every = 1
"#;

/// Eight masses on springs, each contact closed and coupled to the one below: round-off leaves more than 1e-15.
pub fn stiff_column() -> String {
    let n = 8;
    // masses on springs, each contact closed and coupled to the one below
    let matrix = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    };
    let mass = matrix(&|i, j| if i == j { 0.1 * (i + 1) as f64 } else { 0.0 });
    let stiffness = matrix(&|i, j| [1e3, -300.0, 0.0][i.abs_diff(j).min(2)]);
    let force: Vec<f64> = (0..n).map(|i| -0.981 * (i + 1) as f64).collect();
    let q0: Vec<f64> = (0..n).map(|i| 0.1 * (i + 1) as f64).collect();
    let mut text = format!(
        "[model]\nkind = \"linear\"\nmass = {mass:?}\nstiffness = {stiffness:?}\nforce = {force:?}\nq0 = {q0:?}\n"
    );
    for i in 0..n {
        let mut normal = vec![0.0; n];
        normal[i] = 1.0;
        if i > 0 {
            normal[i - 1] = -0.937;
        }
        let offset: f64 = -normal.iter().zip(&q0).map(|(a, b)| a * b).sum::<f64>();
        text += &format!("[[model.contact]]\nnormal = {normal:?}\noffset = {offset}\nrestitution = 0.3\n");
    }
    text += "[solver]\nname = \"lemke\"\n[time]\nend = 0.5\nstep = 1e-3\n";
    text
}
