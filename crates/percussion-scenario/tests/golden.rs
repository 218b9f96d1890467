//! The gallery's fingerprints: the same version on the same kind of machine gives the same bits, today as when they were recorded.
//!
//! `golden/KIND-VERSION.txt` holds one line per scenario: its name, its hash, and why the hash is that one. KIND names what decides the bits: the processor, its vector unit (the
//! factorisations choose by it) and the system's sine. Elsewhere `expect.toml` is the judge. When hashes change with a reason:
//! say it in CHANGELOG.md, and `PERCUSSION_RECORD="that line" cargo test --release -p percussion-scenario --test golden`.

#[path = "common/machine.rs"]
mod machine;

use machine::kind;
use percussion_model::Structure;
use percussion_scenario::{LoadOptions, builtin, load, run_kept};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn file() -> PathBuf {
    let name = format!("{}-{}.txt", kind(), env!("CARGO_PKG_VERSION"));
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// The state hash of a scenario's first steps.
fn state_hash(name: &str) -> String {
    let loaded = load(name, &LoadOptions::default()).expect("built in");
    let steps = match loaded.scenario.model().structure() {
        Structure::Bodies(scene) if scene.len() > 20 => 120,
        Structure::Bodies(_) | Structure::Lagrangian(_) => 200,
        Structure::Constant(_) => 1000,
    };
    let (_, run, _) = run_kept(loaded, None, &mut |progress| progress.step < steps).expect("a run");
    run.summary.state_hash
}

/// Name, hash and reason of a line.
fn recorded(line: &str) -> Option<(&str, (&str, &str))> {
    let (name, rest) = line.split_once(' ')?;
    let (hash, reason) = rest.split_once(' ')?;
    (!reason.trim().is_empty()).then_some((name, (hash, reason)))
}

#[test]
fn the_gallery_has_its_fingerprints() {
    let changes =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CHANGELOG.md")).expect("changes");
    // wherever its lines end
    let changes = changes.split_whitespace().collect::<Vec<_>>().join(" ");
    let hashes: Vec<(&str, String)> = builtin::NAMES.iter().map(|name| (*name, state_hash(name))).collect();
    let text = std::fs::read_to_string(file());
    let known: BTreeMap<&str, (&str, &str)> = text.as_deref().unwrap_or("").lines().filter_map(recorded).collect();
    if let Ok(reason) = std::env::var("PERCUSSION_RECORD") {
        std::fs::create_dir_all(file().parent().expect("a folder")).expect("a folder");
        // what did not change keeps its reason
        let line = |(name, hash): &(&str, String)| match known.get(name) {
            Some((old, why)) if old == hash => format!("{name} {hash} {why}\n"),
            _ => format!("{name} {hash} {reason}\n"),
        };
        std::fs::write(file(), hashes.iter().map(line).collect::<String>()).expect("recorded");
    }
    let Ok(text) = std::fs::read_to_string(file()) else {
        // past the captured output
        let words = format!("SKIPPED: no fingerprints were recorded for {}; expect.toml judges here\n", kind());
        let _ = std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes());
        return;
    };
    let known: BTreeMap<&str, (&str, &str)> = text.lines().filter_map(recorded).collect();
    for (name, (_, reason)) in &known {
        assert!(
            changes.contains(reason),
            "CHANGELOG.md does not say why the hash of {name} is what it is: \"{reason}\""
        );
    }
    let same = |name: &str, hash: &str| known.get(name).is_some_and(|(known, _)| *known == hash);
    let changed: Vec<&str> = hashes.iter().filter(|(name, hash)| !same(name, hash)).map(|(name, _)| *name).collect();
    assert!(
        changed.is_empty(),
        "the motion of these scenarios is no longer the recorded one, bit by bit: {changed:?}\n\
         If that is meant, say why in CHANGELOG.md and record: PERCUSSION_RECORD=\"the line\" cargo test --release \
         -p percussion-scenario --test golden"
    );
    assert_eq!(hashes.len(), text.lines().count());
}
