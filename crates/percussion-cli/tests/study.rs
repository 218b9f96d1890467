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
    let page = std::fs::read_to_string(there.join("c/report.html")).expect("a page");
    for head in
        ["loads", "dampers", "contacts", "joints", "energy created [J]", "L1 error of q", "steps", "largest impulse"]
    {
        assert!(page.contains(head), "{head}");
    }
    std::fs::write(there.join("c/2-moreau-jean-theta=1/note.txt"), "mine").expect("writable");

    let json = percussion(
        &there,
        &["compare", "sliding-block", "--schemes", "moreau-jean,runge-kutta-moreau", "--out", out, "--json"],
    );
    assert_eq!(json.code, 0, "{}", json.err);
    let value: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(value["runs"][1]["status"], "refused");
    assert_eq!(value["runs"][0]["summary"]["scenario"], "sliding-block");
    // the runs of the earlier comparison are gone, what somebody put there is not
    assert!(!there.join("c/3-generalized-alpha-ggl").exists());
    assert!(!there.join("c/2-moreau-jean-theta=1/trajectory.csv").exists());
    assert!(there.join("c/2-moreau-jean-theta=1/note.txt").is_file());
    let page = std::fs::read_to_string(there.join("c/report.html")).expect("a page");
    assert!(page.contains("runge-kutta-moreau refused: E155"));
}

/// A certificate that fails ends with 5 and says which run's it was and why.
#[test]
fn compare_says_why_it_fails() {
    let there = folder("study-reasons");
    let schemes = "generalized-alpha-ggl,moreau-jean";
    let asked = ["--set", "solver.tolerance=1e-14"];
    let words = ["compare", "pendulum", "--schemes", schemes, "--end", "0.5", "--out", "c", "--quiet"];
    let run = percussion(&there, &[&words[..], &asked].concat());
    assert_eq!(run.code, 5, "{}", run.err);
    assert!(run.err.contains("generalized-alpha-ggl: certificate solver failed"), "{}", run.err);
    // joints that drift under a scheme that does not promise them are no failure
    assert!(!run.err.contains("certificate joints failed"), "{}", run.err);
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

/// A scheme that refuses the model is rows with the reason; errors that are rounding are left out of the fit.
#[test]
fn converge_refused_and_rounded() {
    let there = folder("study-refused");
    let steps = ["--steps", "2e-2,1e-2,5e-3", "--out", "c"];
    let run = percussion(
        &there,
        &[&["converge", "sliding-block", "--schemes", "runge-kutta-moreau,moreau-jean"], &steps[..]].concat(),
    );
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("runge-kutta-moreau refused: E155"), "{}", run.err);
    let table = rows(&there.join("c/converge.csv"));
    assert_eq!(table.iter().filter(|row| row.contains("E155 refused")).count(), 3, "{table:?}");
    assert!(table[3].contains("finished"), "{table:?}");
    let page = std::fs::read_to_string(there.join("c/report.html")).expect("a page");
    assert!(page.contains("runge-kutta-moreau refused: E155"));
    let all =
        percussion(&there, &[&["converge", "sliding-block", "--schemes", "runge-kutta-moreau"], &steps[..]].concat());
    assert_eq!(all.code, 3, "{}", all.err);

    // a parabola is what the midpoint rule computes: before the first impact nothing is left but rounding
    let fall = ["converge", "bouncing-ball", "--schemes", "moreau-jean:theta=0.5", "--end", "0.3"];
    let run = percussion(&there, &[&fall[..], &steps[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("3 at round-off left out"), "{}", run.out);
    let orders = rows(&there.join("c/orders.csv"));
    assert!(orders.iter().all(|row| row.ends_with(",,,3")), "{orders:?}");
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
    // another page joins it
    let run = percussion(&there, &["reproduce", "two-masses", "--short", "--out", out]);
    assert_eq!(run.code, 0, "{}", run.err);
    let index = std::fs::read_to_string(there.join("papers/index.html")).expect("an index");
    assert!(index.contains("naive-newmark.html") && index.contains("two-masses.html"));
    let findings = rows(&there.join("papers/findings.csv"));
    for page in ["naive-newmark", "two-masses"] {
        assert!(findings.iter().any(|row| row.starts_with(&format!("\"{page}\",\"short\""))), "{page}");
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
