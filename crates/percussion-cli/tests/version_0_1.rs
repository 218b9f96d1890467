//! What version 0.1 wrote stays readable: its scenarios run to the same states, its run folders load and pass `verify`.
//!
//! `tests/data-0.1` holds files as that version took and wrote them; they are never edited. A difference is either a mistake or
//! stands in CHANGELOG.md with its measure.

mod common;
#[path = "../../percussion-scenario/tests/common/machine.rs"]
mod machine;

use common::{column, folder, percussion, run};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Scenarios whose runs are kept beside them, by the kind of model and the scheme they stand for.
const RUNS: [&str; 9] = [
    "adaptive",          // linear, moreau-jean-midpoint, adaptive steps
    "bar",               // bar, kh-generalized-alpha
    "beam",              // beam, energy-momentum, joints
    "linear-everything", // linear, moreau-jean, friction, moving wall, thinned rows
    "linkage",           // bodies in the plane, energy-momentum, joints with stop, motor, gear and play
    "matrix-files",      // linear, newmark, matrices in files
    "pendulum",          // pendulum, generalized-alpha-ggl, sequential
    "rocking-block",     // rocking-block, event-driven, friction
    "scene",             // bodies in space, moreau-jean, rolling friction, springs, a moved body
];

/// Runs whose motion is another since contacts and joints act in the middle of a step, which keeps angular momentum, and of the beam, whose sums are
/// taken in another order (3e-13): by how much the last row may differ, in parts of its largest number. The order in the step is the same.
const MOVED: [(&str, f64); 3] = [("beam", 1e-12), ("linkage", 4e-6), ("scene", 1e-3)];

/// The machine on which the runs were made; elsewhere the last bits may differ.
const MACHINE: &str = "x86_64-linux-avx512-28911f65";

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data-0.1")
}

/// A copy of a folder of the data, since commands may write into it.
fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder of 0.1").flatten() {
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

fn summary(run: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(run.join("summary.json")).expect("a summary")).expect("JSON")
}

/// Coordinates and velocities of the last row, by the names of the old table.
fn last_row(table: &Path, like: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(like).expect("a table");
    let names = text.lines().next().expect("a header").split(',');
    names.map(|name| *column(table, name).last().expect("a row")).collect()
}

/// Every scenario of 0.1 is accepted and moves as it did: to the bit on the kind of machine that made the runs, elsewhere the
/// last row to 1e-6 of its largest number, which is far below what an error of one step would leave.
#[test]
fn scenarios_move_as_they_did() {
    let (there, here) = (folder("moves-as-in-0.1"), data().join("scenarios"));
    let same_machine = machine::kind() == MACHINE;
    if !same_machine {
        let words = format!("SKIPPED: the hashes of 0.1 are of {MACHINE}, this is {}\n", machine::kind());
        let _ = std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes());
    }
    for name in RUNS {
        let scenario = here.join(format!("{name}.toml"));
        let new = run(&there, &scenario.to_string_lossy(), name, &[]);
        let old_run = data().join("runs").join(name);
        let old = summary(&old_run);
        assert_eq!((old["version"].as_str(), &old["steps"]), (Some("0.1.0"), &new["steps"]), "{name}");
        let moved = MOVED.iter().find(|(moved, _)| *moved == name);
        if same_machine && moved.is_none() {
            assert_eq!(old["state_hash"], new["state_hash"], "{name}: the motion is not that of version 0.1");
        }
        let old_table = old_run.join("trajectory.csv");
        let (before, after) =
            (last_row(&old_table, &old_table), last_row(&there.join(name).join("trajectory.csv"), &old_table));
        let size = before.iter().fold(1.0_f64, |s, x| s.max(x.abs()));
        let off = before.iter().zip(&after).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()));
        let bound = moved.map_or(1e-6, |(_, bound)| *bound);
        assert!(off <= bound * size, "{name}: the last row is off by {off:e} of {size:e}");
        assert_eq!(old["events"], new["events"], "{name}: other events");
    }
}

/// Every run folder of 0.1 loads: `verify` finds it good, its page and figure are drawn, its tables exported.
#[test]
fn run_folders_load() {
    let there = folder("runs-of-0.1");
    for name in RUNS.into_iter().chain(["interrupted"]) {
        copied(&data().join("runs").join(name), &there.join(name));
        let said = percussion(&there, &["verify", name, "--json"]);
        assert_eq!(said.code, 0, "{name}: {}{}", said.out, said.err);
        assert!(said.out.contains("checksums"), "{name}: {}", said.out);
        for arguments in [
            vec!["report", name],
            vec!["plot", name, "--figure", "energy", "--out", "figure.svg"],
            vec!["export", name, "--to", "csv", "--out", "tables"],
        ] {
            let said = percussion(&there, &arguments);
            assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
        }
        assert!(there.join(name).join("report.html").is_file());
    }
}

/// `verify` still recomputes: a changed number in a table of 0.1 is noticed.
#[test]
fn old_tables_are_recomputed() {
    let there = folder("changed-0.1");
    copied(&data().join("runs/matrix-files"), &there);
    let table = there.join("ledger.csv");
    let text = std::fs::read_to_string(&table).expect("a table");
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let row = lines.len() / 2;
    let mut cells: Vec<String> = lines[row].split(',').map(str::to_string).collect();
    let energy: f64 = cells[2].parse().expect("a number");
    cells[2] = format!("{:e}", energy + 1e-3);
    lines[row] = cells.join(",");
    std::fs::write(&table, lines.join("\n") + "\n").expect("written");
    assert_eq!(percussion(&there, &["verify", "."]).code, 5);
}

/// A sweep of 0.1 that is complete has nothing left to do: the same command leaves its rows as they are.
#[test]
fn a_sweep_is_taken_up() {
    let there = folder("sweep-of-0.1");
    copied(&data().join("scenarios"), &there);
    copied(&data().join("runs/study"), &there.join("study"));
    let before = std::fs::read(there.join("study/sweep.csv")).expect("a table");
    let said = percussion(&there, &["sweep", "study.toml", "--out", "study"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(std::fs::read(there.join("study/sweep.csv")).expect("a table"), before);
}

/// A checkpoint holds what a scheme carries from step to step and is of one version only: another one says whose it is.
#[test]
fn a_checkpoint_names_its_version() {
    let there = folder("checkpoint-of-0.1");
    copied(&data().join("runs/interrupted"), &there.join("interrupted"));
    let said = percussion(&there, &["resume", "interrupted"]);
    assert_eq!(said.code, 7, "{}", said.err);
    assert!(said.err.contains("E302") && said.err.contains("0.1.0"), "{}", said.err);
}
