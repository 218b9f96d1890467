//! Elastic solids as users run them: built in with their meshes, on any number of threads, in two parts, checked and refined.

mod common;
use common::{folder, percussion, run};

/// Every solid of the gallery runs by its name, and the folder of the run is checked and makes the run again.
#[test]
fn built_in_solids() {
    let folder = folder("solids-built-in");
    for name in ["periodic-bar", "two-bars", "elastic-disc", "elastic-block", "hertz-impact"] {
        let first = run(&folder, name, name, &[]);
        let again = run(&folder, &format!("{name}/scenario.toml"), "again", &[]);
        assert_eq!(first["state_hash"], again["state_hash"], "{name}");
        assert_eq!(first["verdicts"]["energy"]["status"], "pass", "{name}");
        assert_eq!(first["verdicts"]["gap"]["status"], "pass", "{name}");
        let said = percussion(&folder, &["verify", name]);
        assert_eq!(said.code, 0, "{name}: {}{}", said.out, said.err);
    }
    assert!(percussion(&folder, &["list", "scenarios"]).out.contains("tuning-fork"));
}

/// The same bytes on one, two and four threads.
#[test]
fn any_number_of_threads() {
    let folder = folder("solids-threads");
    for name in ["elastic-block", "hertz-impact"] {
        let runs: Vec<_> = ["1", "2", "4"]
            .map(|threads| {
                run(&folder, name, threads, &["--threads", threads]);
                ["trajectory.csv", "contacts.csv", "ledger.csv"]
                    .map(|table| std::fs::read(folder.join(threads).join(table)).expect("a table"))
            })
            .into();
        assert!(runs[0] == runs[1] && runs[0] == runs[2], "{name}");
    }
}

/// A run that ends early and goes on is the run that never stopped.
#[test]
fn in_two_parts() {
    let folder = folder("solids-parts");
    for (name, half, end) in [("elastic-disc", "0.0476", "0.0952"), ("elastic-block", "0.3", "0.7")] {
        let whole = run(&folder, name, "whole", &[]);
        run(&folder, name, "part", &["--end", half]);
        assert_eq!(percussion(&folder, &["resume", "part", "--end", end, "--quiet"]).code, 0, "{name}");
        let part = std::fs::read_to_string(folder.join("part/summary.json")).expect("a summary");
        let part: serde_json::Value = serde_json::from_str(&part).expect("JSON");
        assert_eq!(whole["state_hash"], part["state_hash"], "{name}");
        std::fs::remove_dir_all(folder.join("part")).expect("a folder");
    }
}

/// Steps are refined and errors measured as for any other model.
#[test]
fn refined() {
    let folder = folder("solids-converge");
    let arguments =
        ["converge", "elastic-block", "--schemes", "moreau-jean", "--steps", "4e-3,2e-3,1e-3", "--end", "0.1"];
    let said = percussion(&folder, &arguments);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    // nodes strike too often for a reference of located events: it is the scheme itself with finer steps
    let arguments =
        ["converge", "elastic-disc", "--schemes", "generalized-alpha", "--steps", "1.36e-3,6.8e-4", "--end", "0.0272"];
    let said = percussion(&folder, &arguments);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("generalized-alpha with steps of 8.5e-5 s"), "{}", said.out);
}
