//! `percussion solve`: small problems written out here, with answers found by hand.

mod common;

use common::{column, folder, percussion};
use serde_json::Value;
use std::path::Path;

/// 0 ≤ 2z − 4 ⟂ z ≥ 0 twice: z = (2, 0).
const LCP: &str = "2\n0\n2\n2\n2 2\n2 0\n0 2\n-4 4\nfrom a lecture\n";
/// 0 ≤ −z − 1 ⟂ z ≥ 0: nothing satisfies it.
const NO_SOLUTION: &str = "1\n0\n1\n1\n1 1\n-1\n-1\n";
/// u − v = 0, 0 ≤ u + v − 1 ⟂ v ≥ 0: u = v = ½.
const MLCP: &str = "1\n0\n1\n1\n0 1 2\n0 1\n0\n2\n2\n2 2\n1 1\n-1 1\n0 -1\n";
/// W = I, b = (−1, 2), μ = ½: slip with r = (1, −½).
const PLANE: &str = "2\n1\n0\n2\n2\n2 2\n1 0\n0 1\n-1 2\n0.5\n";
/// The same in global form with a mass of 1 and H = I, in space, sticking: r = (1, −0.1, 0).
const GLOBAL: &str =
    "3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 0.1 0\n0 0 0\n0.5\n";

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file");
}

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("a JSON object per line")).collect()
}

#[test]
fn every_kind_is_found_and_solved() {
    let folder = folder("solve-kinds");
    let files = [
        ("l.dat", LCP, "lcp", 2),
        ("m.dat", MLCP, "mlcp", 1),
        ("p.dat", PLANE, "fc2d", 1),
        ("g.dat", GLOBAL, "gfc3d", 1),
    ];
    for (name, text, _, _) in files {
        write(&folder, name, text);
    }
    let said = percussion(&folder, &["solve", "l.dat", "m.dat", "p.dat", "g.dat", "--json", "--out", "answers"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let objects = lines(&said.out);
    assert_eq!(objects.len(), 4);
    for (object, (name, _, kind, contacts)) in objects.iter().zip(files) {
        assert_eq!(object["file"], name);
        assert_eq!(object["kind"], kind);
        assert_eq!(object["contacts"], contacts);
        assert_eq!(object["status"], "solved");
        for key in ["residual", "residual_scaled"] {
            assert!(object[key].as_f64().is_some_and(|x| x <= 1e-10), "{object}");
        }
        assert!(object["iterations"].is_u64() && object["time_s"].is_f64() && object["solver"].is_string());
    }
    assert!(objects[3]["residual_global"].as_f64().is_some_and(|x| x <= 1e-10));
    let close = |name: &str, key: &str, expected: &[f64]| {
        let found = column(&folder.join("answers").join(name), key);
        assert_eq!(found.len(), expected.len(), "{name}");
        for (x, y) in found.iter().zip(expected) {
            assert!((x - y).abs() < 1e-9, "{name} {key}: {found:?}");
        }
    };
    close("l.dat.csv", "z", &[2.0, 0.0]);
    close("m.dat.csv", "z", &[0.5, 0.5]);
    close("p.dat.csv", "r_n", &[1.0]);
    close("p.dat.csv", "r_t1", &[-0.5]);
    close("g.dat.csv", "r_n", &[1.0]);
    close("g.dat.csv", "r_t1", &[-0.1]);
    close("g.dat.csv", "r_t2", &[0.0]);
}

/// Proved unsolvable is an answer; above the tolerance is not.
#[test]
fn exit_codes() {
    let folder = folder("solve-exit");
    write(&folder, "none.dat", NO_SOLUTION);
    write(&folder, "plane.dat", PLANE);
    let said = percussion(&folder, &["solve", "none.dat", "--json", "--out", "answers"]);
    assert_eq!((said.code, lines(&said.out)[0]["status"].as_str()), (0, Some("no_solution")));
    assert!(!folder.join("answers/none.dat.csv").exists());

    // projected sweeps alone prove nothing
    let said = percussion(&folder, &["solve", "none.dat", "--json", "--solver", "pgs"]);
    assert_eq!((said.code, lines(&said.out)[0]["status"].as_str()), (4, Some("not_converged")));

    // a file that is not there, and one that is: the second is solved all the same
    let said = percussion(&folder, &["solve", "missing.dat", "plane.dat", "--json"]);
    assert_eq!(said.code, 3);
    assert_eq!(lines(&said.out).len(), 1);
    assert!(said.err.contains("E100") && said.err.contains("missing.dat"), "{}", said.err);

    for arguments in [
        ["solve", "plane.dat", "--solver", "simplex"],
        ["solve", "plane.dat", "--tolerance", "nan"],
        ["solve", "plane.dat", "--tolerance", "0"],
        ["solve", "plane.dat", "--time-limit", "-1"],
        ["solve", "plane.dat", "--kind", "fc4d"],
    ] {
        assert_eq!(percussion(&folder, &arguments).code, 2, "{arguments:?}");
    }
    assert_eq!(percussion(&folder, &["solve"]).code, 2);
    let said = percussion(&folder, &["solve", "plane.dat", "--solver", "lemke"]);
    assert_eq!(said.code, 3);
    assert!(said.err.contains("E105") && said.err.contains("nsgs"), "{}", said.err);
    let said = percussion(&folder, &["solve", "plane.dat", "--kind", "fc3d"]);
    assert_eq!(said.code, 3);
    assert!(said.err.contains("fc2d"), "{}", said.err);
    write(&folder, "occupied", "a file where the folder should be");
    assert_eq!(percussion(&folder, &["solve", "plane.dat", "--out", "occupied"]).code, 7);
}

/// `--solver all` tries every method of the kind, the driver included.
#[test]
fn all_solvers_are_compared() {
    let folder = folder("solve-all");
    write(&folder, "l.dat", LCP);
    let said = percussion(&folder, &["solve", "l.dat", "--solver", "all", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let solvers: Vec<String> =
        lines(&said.out).iter().map(|object| object["solver"].as_str().unwrap_or("").to_string()).collect();
    for name in ["lemke", "pgs", "newton-min", "newton-fb", "enumeration", "proximal"] {
        assert!(solvers.iter().any(|solver| solver == name), "{name} is missing in {solvers:?}");
    }
    let table = percussion(&folder, &["solve", "l.dat", "--solver", "all"]);
    assert_eq!(table.out.lines().count(), 1 + solvers.len(), "{}", table.out);
}

/// A time limit ends every method within a second of it, with what was reached: one step of a wall of 42 bricks to a tolerance nobody reaches.
#[test]
fn time_limits_are_kept() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/walls/wall-42-step.dat");
    if !file.is_file() {
        println!("SKIPPED: {} is not beside the repository", file.display());
        return;
    }
    let file = file.display().to_string();
    let limit = ["--tolerance", "1e-15", "--time-limit", "0.1", "--solver", "all", "--json"];
    let said = percussion(&folder("solve-limit"), &[&["solve", file.as_str()][..], &limit].concat());
    assert_eq!(said.code, 4, "{}", said.err);
    let tried = lines(&said.out);
    assert!(tried.len() > 5, "{}", said.out);
    for object in tried {
        let seconds = object["time_s"].as_f64().expect("a time");
        assert!(seconds <= 1.1, "{object}");
        assert!(["time_limit", "not_converged"].contains(&object["status"].as_str().unwrap_or("")), "{object}");
    }
}

/// Each hostile file: its code and exit 3, at once.
#[test]
fn hostile_files() {
    let folder = folder("solve-hostile");
    let files = [
        ("empty.dat", "", "E162"),
        ("words.dat", "it was a dark and stormy night", "E162"),
        ("huge.dat", "1000000000000\n0\n1000000000000\n1000000000000\n1000000000000 1000000000000\n1 2 3", "E161"),
        ("word.dat", "2\n0\n2\n2\n2 2\n2 0\n0 x\n-4 4", "E160"),
        ("negative.dat", "2\n-1\n0\n2\n2\n2 2\n1 0\n0 1\n-1 2\n0.5\n", "E16"),
        ("nan.dat", "2\n1\n0\n2\n2\n2 2\n1 0\n0 nan\n-1 2\n0.5\n", "E110"),
        ("cut.dat", &PLANE[..24], "E161"),
        ("dims.dat", "2\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 2 3\n0.5\n", "E1"),
        ("friction.dat", "2\n1\n0\n2\n2\n2 2\n1 0\n0 1\n-1 2\n-0.5\n", "E122"),
    ];
    for (name, text, code) in files {
        write(&folder, name, text);
        let start = std::time::Instant::now();
        let said = percussion(&folder, &["solve", name, "--json"]);
        assert_eq!(said.code, 3, "{name}: {}", said.err);
        assert!(said.err.contains(code) && said.err.contains(name), "{name}: {}", said.err);
        assert!(start.elapsed().as_secs_f64() < 2.0, "{name}");
    }
}
