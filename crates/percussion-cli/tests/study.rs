//! `compare`, `converge` and `reproduce` from the command line: tables, files, exit codes.

mod common;

use common::{folder, percussion};

/// Rows of a CSV file without the header.
fn rows(path: &std::path::Path) -> Vec<String> {
    std::fs::read_to_string(path).expect("a table").lines().skip(1).map(str::to_string).collect()
}

#[test]
fn compare_writes_tables_runs_and_a_page() {
    let there = folder("study-compare");
    let out = "c";
    let run = percussion(
        &there,
        &[
            "compare",
            "bouncing-ball",
            "--schemes",
            "moreau-jean,moreau-jean:theta=1,generalized-alpha-ggl",
            "--end",
            "1",
            "--out",
            out,
        ],
    );
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("moreau-jean theta=1") && run.out.contains("penetration"), "{}", run.out);
    assert_eq!(rows(&there.join("c/compare.csv")).len(), 3);
    assert!(there.join("c/report.html").is_file());
    assert!(there.join("c/2-moreau-jean-theta=1/trajectory.csv").is_file());

    let json = percussion(
        &there,
        &["compare", "sliding-block", "--schemes", "moreau-jean,runge-kutta-moreau", "--out", out, "--json"],
    );
    assert_eq!(json.code, 0, "{}", json.err);
    let value: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(value["runs"][1]["status"], "refused");
    assert_eq!(value["runs"][0]["summary"]["scenario"], "sliding-block");
}

#[test]
fn converge_writes_orders() {
    let there = folder("study-converge");
    let out = "c";
    let words = [
        "converge",
        "impact-oscillator",
        "--schemes",
        "moreau-jean,newmark",
        "--steps",
        "1e-2,5e-3,2.5e-3",
        "--out",
        out,
    ];
    let run = percussion(&there, &words);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("against the exact motion") && run.out.contains("order of newmark"), "{}", run.out);
    assert_eq!(rows(&there.join("c/converge.csv")).len(), 6);
    let orders = rows(&there.join("c/orders.csv"));
    assert_eq!(orders.len(), 4);
    assert!(there.join("c/report.html").is_file());
    let tolerances = percussion(
        &there,
        &[
            "converge",
            "impact-oscillator",
            "--schemes",
            "moreau-jean:time.adaptive.order=0",
            "--tolerances",
            "1e-2,1e-3",
            "--out",
            out,
            "--json",
        ],
    );
    assert_eq!(tolerances.code, 0, "{}", tolerances.err);
    let value: serde_json::Value = serde_json::from_str(&tolerances.out).expect("JSON");
    assert_eq!(value["runs"][0]["tolerance"], 0.01);
}

#[test]
fn reproduce_builds_a_page() {
    let there = folder("study-reproduce");
    let out = "papers";
    let run = percussion(&there, &["reproduce", "naive-newmark", "--short", "--out", out]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("index.html"));
    for file in ["index.html", "naive-newmark.html", "naive-newmark-1.svg", "naive-newmark-1.csv", "findings.csv"] {
        assert!(there.join("papers").join(file).is_file(), "{file}");
    }
}

/// Input errors exit with 3 and name the remedy; usage errors with 2.
#[test]
fn bad_studies() {
    let there = folder("study-bad");
    let cases: [(&[&str], i32, &str); 7] = [
        (&["compare", "bouncing-ball", "--schemes", "moreau-jeann"], 3, "moreau-jean"),
        (&["compare", "bouncing-ball", "--schemes", "moreau-jean:theta"], 3, "E171"),
        (&["compare", "bouncing-ball"], 2, "--schemes"),
        (&["converge", "bouncing-ball", "--schemes", "moreau-jean", "--steps", "1e-2"], 3, "E171"),
        (&["converge", "bouncing-ball", "--schemes", "moreau-jean", "--steps", "1e-2,x"], 2, "x"),
        (&["converge", "no-such-file", "--schemes", "moreau-jean", "--steps", "1e-2,1e-3"], 3, "no such file"),
        (&["reproduce", "naive-newmrk"], 3, "naive-newmark"),
    ];
    for (words, code, text) in cases {
        let run = percussion(&there, words);
        assert_eq!(run.code, code, "{words:?}: {}", run.err);
        assert!(run.err.contains(text), "{words:?}: {}", run.err);
    }
}
