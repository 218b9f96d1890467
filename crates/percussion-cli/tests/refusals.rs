//! What must not pass for an answer, wait for ever or take all memory.

mod common;

use common::{folder, percussion};
use std::process::Command;

/// A mass squeezed by two walls that move together has no solution; its reactions grow without bound and are no answer.
///
/// The bug: residuals were divided by the largest reaction, so that reactions which grow without bound excused any velocity, and an
/// impossible problem passed as solved. Reactions now count up to a thousand times the load.
#[test]
fn regression_reactions_without_bound_are_no_solution() {
    let folder = folder("no-bound");
    // dim nc, W dense 4 × 4, b, mu: W_N = [[1, −1], [−1, 1]], b_N = −1
    let file = "2\n2\n0 4 4\n4 4\n1 0 -1 0\n0 1 0 -1\n-1 0 1 0\n0 -1 0 1\n-1 0 -1 0\n0.5 0.5\n";
    std::fs::write(folder.join("vice.dat"), file).expect("a file");
    for solver in ["auto", "nsgs", "nsgs-anderson", "prox-newton", "apgd"] {
        let said = percussion(&folder, &["solve", "vice.dat", "--solver", solver]);
        assert!(!said.out.contains(" solved "), "{solver}: {}", said.out);
        // the driver proves it, and a proof is an answer
        let proved = said.out.contains("no_solution");
        assert_eq!(
            (proved, said.code),
            if solver == "auto" { (true, 0) } else { (false, 4) },
            "{solver}: {}",
            said.out
        );
    }
    // W = I, b = (−1, 2), μ = 1e10: r = 0 would leave an approach of 1 m/s
    std::fs::write(folder.join("rough.dat"), "2\n1\n0 2 2\n2 2\n1 0\n0 1\n-1 2\n1e10\n").expect("a file");
    let said = percussion(&folder, &["solve", "rough.dat", "--json", "--out", "answers"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(!said.out.contains("\"iterations\":0"), "{}", said.out);
}

/// A mass between two rough walls that jam it comes to rest, with impulses of the size of its load.
///
/// The bug: where Coulomb's problem of a jammed mass was not solved, the run stopped. The checked rule now falls back to Frémond's
/// law there and records that it did.
#[test]
fn regression_a_mass_in_a_groove_rests() {
    let folder = folder("groove");
    let (s, c) = 20.0_f64.to_radians().sin_cos();
    let wall = |side: f64| {
        format!(
            "[[model.contact]]\nnormal = [{:e}, {s:e}]\ntangents = [[{s:e}, {:e}]]\nfriction = 0.6\nrestitution = 0.5\n",
            side * c,
            -side * c
        )
    };
    let scenario = format!(
        "[model]\nkind = \"linear\"\nmass = [[1.0, 0.0], [0.0, 1.0]]\nforce = [0.0, -9.81]\nq0 = [0.0, 0.2]\nv0 = [0.7, 0.0]\n{}{}\
         [time]\nend = 1.0\nstep = 2e-3\n",
        wall(1.0),
        wall(-1.0)
    );
    std::fs::write(folder.join("groove.toml"), scenario).expect("a file");
    for scheme in ["moreau-jean", "generalized-alpha"] {
        let said = percussion(&folder, &["run", "groove.toml", "--scheme", scheme, "--out", "out"]);
        assert_eq!(said.code, 0, "{scheme}: {}{}", said.out, said.err);
        assert_eq!(percussion(&folder, &["verify", "out"]).code, 0, "{scheme}");
        let table = std::fs::read_to_string(folder.join("out/trajectory.csv")).expect("a table");
        let last: Vec<f64> =
            table.lines().last().expect("rows").split(',').map(|x| x.parse().expect("a number")).collect();
        assert!(last[3].hypot(last[4]) < 1e-8, "{scheme}: v = {:?}", &last[3..]);
    }
}

/// A global problem cut short is not taken for a local one, and a method without cones is refused where something rubs.
///
/// The bug: a file of a global problem that ends too early was read as a local problem, and a method that knows no cones was
/// let loose on friction. Both gave an answer, to another question.
#[test]
fn regression_a_file_cut_short_is_not_another_kind() {
    let folder = folder("something-else");
    let whole = "3\n1\n0 3 3\n3 3\n1 0 0\n0 1 0\n0 0 1\n0 3 3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n0 0 0\n0.5\n";
    std::fs::write(folder.join("whole.dat"), whole).expect("a file");
    let said = percussion(&folder, &["solve", "whole.dat"]);
    assert!(said.code == 0 && said.out.contains("gfc3d"), "{}{}", said.out, said.err);
    std::fs::write(folder.join("cut.dat"), &whole[..whole.len() - 30]).expect("a file");
    let said = percussion(&folder, &["solve", "cut.dat"]);
    assert!(said.code == 3 && said.err.contains("E161"), "{}{}", said.out, said.err);
    let said = percussion(&folder, &["run", "sliding-block", "--set", "solver.name=lemke", "--out", "out"]);
    assert!(said.code == 3 && said.err.contains("E105"), "{}", said.err);
    let shape = "body.0.shape={ kind = \"plane\", normal = [1.0, 0.0, 0.0] }";
    let said = percussion(&folder, &["check", "brick", "--set", shape]);
    assert!(said.code == 3 && said.err.contains("E102"), "{}", said.err);
}

/// Pipes are not waited for, lines without end not read, contacts that all meet not multiplied out.
#[cfg(unix)]
#[test]
fn nothing_is_waited_for() {
    let folder = folder("waiting");
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status().expect("mkfifo");
    assert!(made.success());
    let scenario = "[model]\nkind = \"linear\"\nmass = { file = \"pipe\" }\nforce = [0.0]\nq0 = [0.0]\nv0 = [0.0]\n[time]\nend = 1.0\nstep = 0.1\n";
    std::fs::write(folder.join("pipe.toml"), scenario).expect("a file");
    for arguments in [&["check", "pipe.toml"][..], &["new", "robot", "--from", "pipe"]] {
        let said = percussion(&folder, arguments);
        assert!(said.code == 3 && said.err.contains("E100"), "{arguments:?}: {}", said.err);
    }
    assert_eq!(percussion(&folder, &["run", "bouncing-ball", "--end", "0.1", "--out", "out"]).code, 0);
    let ledger = std::fs::OpenOptions::new().write(true).open(folder.join("out/ledger.csv")).expect("a table");
    ledger.set_len(4 << 30).expect("a hole in the file");
    let said = percussion(&folder, &["verify", "out"]);
    assert!(said.code != 0 && said.err.len() < 3000, "{}", said.err.len());
    std::fs::remove_dir_all(folder.join("out")).expect("removed");
}

/// Two runs do not share a folder.
///
/// The bug: nothing kept two runs from writing into one folder, each over the tables of the other. The first now holds a lock,
/// which the system takes away however the program ends.
#[test]
fn regression_a_folder_has_one_run() {
    let folder = folder("one-run");
    let program = env!("CARGO_BIN_EXE_percussion");
    let mut first = Command::new(program)
        .args(["run", "bouncing-ball", "--end", "1e5", "--set", "output.every=1000", "--out", "out"])
        .current_dir(&folder)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("a run");
    while !folder.join("out/trajectory.csv").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    for arguments in [&["run", "bouncing-ball", "--out", "out"][..], &["resume", "out"]] {
        let said = percussion(&folder, arguments);
        assert!(said.code == 7 && said.err.contains("another run"), "{arguments:?}: {} {}", said.code, said.err);
    }
    first.kill().expect("killed");
    first.wait().expect("gone");
    assert_eq!(percussion(&folder, &["run", "bouncing-ball", "--end", "0.1", "--out", "out"]).code, 0);
}
