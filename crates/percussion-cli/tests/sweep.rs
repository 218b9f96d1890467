//! `percussion sweep`: one table whatever the threads and shards, failed runs as rows, going on after an end.

mod common;

use common::{folder, percussion};
use std::path::Path;

const SWEEP: &str = r#"
[sweep]
scenario = "bouncing-ball"
method = "METHOD"
seed = 5
measure = ["last q0", "max q0", "sum p_n"]

[[sweep.parameter]]
key = "model.contact.0.restitution"
from = 0.0
to = 1.1
count = 12

[[sweep.parameter]]
key = "time.step"
values = [1e-2, 5e-3]
"#;

fn sweep(at: &Path, method: &str, samples: Option<u32>) -> String {
    let mut text = SWEEP.replace("METHOD", method);
    if let Some(n) = samples {
        text = text.replace("seed = 5", &format!("seed = 5\nsamples = {n}"));
    }
    let path = at.join(format!("{method}.toml"));
    std::fs::write(&path, text).expect("a sweep");
    path.display().to_string()
}

fn table(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("sweep.csv")).expect("the table")
}

/// Threads, shards in any order and a sweep cut short give the bytes of one thread; e > 1 is a row.
#[test]
fn one_table() {
    let at = folder("sweep-one-table");
    for (method, samples, runs) in
        [("grid", None, 24), ("random", Some(20), 20), ("latin-hypercube", Some(20), 20), ("sobol", Some(20), 20)]
    {
        let file = sweep(&at, method, samples);
        let out = |name: &str| at.join(format!("{method}-{name}"));
        let call = |folder: &Path, more: &[&str]| {
            let folder = folder.display().to_string();
            let mut words = vec!["sweep", file.as_str(), "--out", folder.as_str(), "--quiet"];
            words.extend(more);
            percussion(&at, &words)
        };
        assert_eq!(call(&out("one"), &["--threads", "1"]).code, 0);
        let expected = table(&out("one"));
        assert_eq!(expected.lines().count(), runs + 1, "{method}");
        assert_eq!(call(&out("four"), &["--threads", "4"]).code, 0);
        assert_eq!(table(&out("four")), expected, "{method}: threads");

        for shard in ["3/3", "1/3", "2/3"] {
            assert!(!out("shards").join("sweep.csv").exists());
            assert_eq!(call(&out("shards"), &["--shard", shard]).code, 0);
        }
        assert_eq!(table(&out("shards")), expected, "{method}: shards");

        // a machine that went down in the middle of a line
        let part = out("one").join("part-1-of-1.csv");
        let text = std::fs::read_to_string(&part).expect("a part");
        std::fs::write(&part, &text[..text.len() * 2 / 3]).expect("a part");
        std::fs::remove_file(out("one").join("sweep.csv")).expect("a table");
        assert_eq!(call(&out("one"), &[]).code, 0);
        assert_eq!(table(&out("one")), expected, "{method}: going on");
        if method == "grid" {
            let refused: Vec<&str> = expected.lines().filter(|line| line.contains(",refused,E120,")).collect();
            assert_eq!(refused.len(), 2, "e = 1.1 with two steps");
            let finished = expected.lines().filter(|line| line.contains(",finished,")).count();
            assert_eq!(finished, 22);
        }
    }
}

/// Mistakes are refused with E170 and their place; a folder of another sweep is left alone.
#[test]
fn refusals() {
    let at = folder("sweep-refusals");
    let file = sweep(&at, "grid", None);
    let out = at.join("out").display().to_string();
    assert_eq!(percussion(&at, &["sweep", &file, "--out", &out, "--shard", "4/3"]).code, 2);
    assert_eq!(percussion(&at, &["sweep", &file, "--out", &out, "--quiet"]).code, 0);
    for (from, to) in [
        ("method = \"grid\"", "method = \"gird\""),
        ("count = 12", ""),
        ("values = [1e-2, 5e-3]", ""),
        ("seed = 5", "seed = -5"),
        ("seed = 5", "seed = 5\nsamples = 3"),
        ("\"max q0\"", "\"largest q0\""),
        ("key = \"time.step\"", "key = \"model.contact.0.restitution\""),
        // another sweep in the same folder
        ("seed = 5", "seed = 6"),
    ] {
        let text = std::fs::read_to_string(&file).expect("the sweep").replace(from, to);
        let wrong = at.join("wrong.toml");
        std::fs::write(&wrong, text).expect("a sweep");
        let shown = percussion(&at, &["sweep", &wrong.display().to_string(), "--out", &out]);
        assert_eq!(shown.code, 3, "{to}: {}", shown.err);
        assert!(shown.err.contains("E170"), "{to}: {}", shown.err);
    }
}
