//! One, two and four threads: the same hash, the same bytes.

mod common;
use common::{folder, percussion, run};

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
