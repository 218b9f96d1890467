//! One, two and four threads: the same hash, the same bytes.

mod common;
use common::{folder, percussion, run};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Runs of every kind of model; the number of threads leaves no trace.
#[test]
fn runs_do_not_depend_on_threads() {
    let folder = folder("threads");
    for (name, more) in [
        ("two-mass-oscillator", &[][..]),
        ("elastic-bar", &["--end", "0.001"]),
        ("rocking-block", &["--end", "0.5"]),
        ("slanted-rod", &[]),
        ("newtons-cradle", &["--end", "0.1"]),
        ("sphere-pile", &["--end", "0.3"]),
        ("box-pile", &["--end", "0.2"]),
    ] {
        let mut first = None;
        for threads in ["1", "2", "4"] {
            let summary = run(&folder, name, "out", &[&["--threads", threads], more].concat());
            let hash = summary["state_hash"].as_str().expect("a hash").to_string();
            let tables = ["trajectory.csv", "contacts.csv", "ledger.csv", "events.csv"]
                .map(|table| std::fs::read(folder.join("out").join(table)).expect("a table"));
            assert!(tables[0].len() > 1000, "{name}: something ran");
            match &first {
                None => first = Some((hash, tables)),
                Some(first) => {
                    assert_eq!(first.0, hash, "{name}, {threads} threads");
                    assert!(first.1 == tables, "{name}, {threads} threads: other bytes");
                }
            }
        }
    }
}

/// The table of a sweep.
#[test]
fn sweeps_do_not_depend_on_threads() {
    let folder = folder("sweep-threads");
    let text = "[sweep]\nscenario = \"slanted-rod\"\nmethod = \"random\"\nsamples = 12\nseed = 5\n\
                [[sweep.parameter]]\nkey = \"time.end\"\nfrom = 0.05\nto = 0.2\n";
    std::fs::write(folder.join("s.toml"), text).expect("a sweep");
    let tables = ["1", "2", "4"].map(|threads| {
        let out = format!("out-{threads}");
        let said = percussion(&folder, &["sweep", "s.toml", "--out", &out, "--threads", threads]);
        assert_eq!(said.code, 0, "{}", said.err);
        std::fs::read(folder.join(out).join("sweep.csv")).expect("a table")
    });
    assert!(tables[0].len() > 200 && tables[0] == tables[1] && tables[0] == tables[2]);
}

/// Every file below a folder but the pages and what a run is gone on with, by its path; without the times on the wall, which stand last in a row.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut list = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(there) = folders.pop() {
        for entry in std::fs::read_dir(&there).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending != "html") {
                let text = std::fs::read_to_string(&path).expect("text");
                let timed = text.lines().next().is_some_and(|head| head.ends_with(",wall_s"));
                let timed_keys = ["\"wall_s\"", "\"summary_crc64\""];
                let kept = |line: &&str| !timed_keys.iter().any(|key| line.trim_start().starts_with(key));
                let cut =
                    |line: &str| if timed { line.rsplit_once(',').expect("cells").0.to_string() } else { line.into() };
                let text: Vec<String> = text.lines().filter(kept).map(cut).collect();
                list.insert(path.strip_prefix(folder).expect("below").to_path_buf(), text.join("\n"));
            }
        }
    }
    list
}

/// Comparisons and convergence studies: runs, tables and orders, some of them refused.
#[test]
fn studies_do_not_depend_on_threads() {
    let folder = folder("study-threads");
    let schemes = "moreau-jean,newmark,hht,generalized-alpha-ggl,event-driven,splitting";
    for (k, words) in [
        &["compare", "bouncing-ball", "--schemes", schemes, "--end", "1"][..],
        &["compare", "newtons-cradle", "--schemes", "moreau-jean,energy-momentum,newmark", "--end", "0.05"],
        &[
            "converge",
            "impact-oscillator",
            "--schemes",
            "moreau-jean,newmark,hht",
            "--steps",
            "1e-2,5e-3,2.5e-3",
            "--hausdorff",
        ],
    ]
    .into_iter()
    .enumerate()
    {
        let tables = ["1", "2", "4"].map(|threads| {
            let out = format!("{k}-{threads}");
            let said = percussion(&folder, &[words, &["--quiet", "--out", &out, "--threads", threads]].concat());
            assert_eq!(said.code, 0, "{words:?}: {}", said.err);
            files(&folder.join(out))
        });
        let size: usize = tables[0].values().map(String::len).sum();
        assert!(size > 1000, "{words:?}: {size} bytes");
        for other in &tables[1..] {
            assert!(tables[0].keys().eq(other.keys()), "{words:?}: other files");
            for (path, text) in other {
                assert!(&tables[0][path] == text, "{words:?}: {} depends on threads", path.display());
            }
        }
    }
}
