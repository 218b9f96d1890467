//! `percussion export --to fclib`: the problems of a run, solved by `percussion solve` as by the run.

mod common;

use common::{folder, percussion, run};

/// Linear models, models written out, bodies, with friction and without, under schemes of every family: every exported
/// problem is one `solve` reads and solves.
#[test]
fn problems_of_a_run_are_solved_again() {
    let folder = folder("export-fclib");
    for (scenario, more) in [
        ("sliding-block", vec!["--end", "0.3"]),
        ("sliding-block", vec!["--end", "0.3", "--scheme", "generalized-alpha-ggl"]),
        ("rocking-block", vec!["--end", "0.5", "--scheme", "moreau-jean", "--set", "model.friction=0.5"]),
        ("dominoes", vec!["--end", "0.2"]),
        ("slider-crank", vec!["--end", "0.05"]),
        ("brick", vec!["--end", "1", "--scheme", "generalized-alpha-ggl"]),
        ("brick", vec!["--end", "1", "--scheme", "event-driven"]),
        ("bouncing-ball", vec!["--end", "1"]),
        ("bouncing-ball", vec!["--end", "1", "--scheme", "schatzman-paoli"]),
        ("rocking-block", vec!["--end", "1", "--scheme", "generalized-alpha-ggl"]),
    ] {
        run(&folder, scenario, "run", &more);
        let said = percussion(&folder, &["export", "run", "--to", "fclib", "--out", "problems"]);
        assert_eq!(said.code, 0, "{scenario}: {}", said.err);
        let mut files: Vec<String> = std::fs::read_dir(folder.join("problems"))
            .expect("the folder")
            .map(|entry| format!("problems/{}", entry.expect("an entry").file_name().display()))
            .collect();
        files.sort();
        assert!(!files.is_empty() && files.len() <= 1000, "{scenario}: {} files", files.len());
        let some: Vec<&str> = files.iter().step_by(files.len().div_ceil(5)).map(String::as_str).collect();
        let solved = percussion(&folder, &[&["solve", "--json", "--tolerance", "1e-9"], &some[..]].concat());
        assert_eq!(solved.code, 0, "{scenario}: {}{}", solved.err, solved.out);
        assert_eq!(solved.out.lines().filter(|line| line.contains("\"solved\"")).count(), some.len());
        std::fs::remove_dir_all(folder.join("problems")).expect("removed");
    }
}

/// A run in which nothing touches has no problems and says so; a folder is needed.
#[test]
fn runs_without_contact_say_so() {
    let folder = folder("export-fclib-free");
    run(&folder, "bouncing-ball", "run", &["--end", "0.1"]);
    let said = percussion(&folder, &["export", "run", "--to", "fclib", "--out", "problems"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("no contact took part"), "{}", said.out);
    assert_eq!(percussion(&folder, &["export", "run", "--to", "fclib"]).code, 2);
}
