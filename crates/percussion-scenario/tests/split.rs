//! A run stopped and gone on with is the whole run, byte by byte: tables, certificates, counts and state hash.

use percussion_model::Structure;
use percussion_scenario::{
    LoadOptions, Resumed, Run, RunEnd, Summary, TABLES, builtin, load, resume, run_checkpointed, write_scenario,
};
use percussion_step::SCHEMES;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

const NEVER: Duration = Duration::MAX;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// What a run leaves, apart from the time it took.
#[derive(Debug, PartialEq)]
struct Left {
    tables: Vec<Vec<u8>>,
    scenario: Vec<u8>,
    summary: String,
}

impl Left {
    fn read(folder: &Path) -> Self {
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut summary: Summary = serde_json::from_slice(&read("summary.json")).expect("a summary");
        summary.wall_s = 0.0;
        assert!(!folder.join("checkpoint").exists(), "a finished run needs no checkpoint");
        let tables = TABLES.iter().map(|name| read(name)).collect();
        Self { tables, scenario: read("scenario.toml"), summary: summary.to_json() }
    }

    fn assert_same(&self, other: &Self, what: &str) {
        for (k, name) in TABLES.iter().enumerate() {
            assert!(self.tables[k] == other.tables[k], "{what}: {name} differs");
        }
        assert_eq!(self.summary, other.summary, "{what}");
        assert_eq!(self.scenario, other.scenario, "{what}");
    }
}

/// Runs to the end, once in one piece and once stopped after each of the steps named. False where the scheme refuses.
fn split_is_whole(name: &str, options: &LoadOptions, cuts: &[u64], what: &str) -> bool {
    let Ok(loaded) = load(name, options) else { return false };
    let whole = folder(&format!("whole-{what}"));
    let Run { end, summary } = run_checkpointed(loaded, &whole, NEVER, &mut |_| true).expect("a run");
    assert!(matches!(end, RunEnd::Finished), "{what}: {end:?}");
    let whole = Left::read(&whole);

    let split = folder(&format!("split-{what}"));
    let mut cuts = cuts.iter().copied().filter(|&cut| cut < summary.steps).peekable();
    let first = cuts.next();
    let loaded = load(name, options).expect("as before");
    let run = run_checkpointed(loaded, &split, NEVER, &mut |p| Some(p.step) != first).expect("a run");
    let mut interrupted = matches!(run.end, RunEnd::Interrupted);
    assert_eq!(interrupted, first.is_some(), "{what}");
    while interrupted {
        let cut = cuts.next();
        let Resumed::Run(run) = resume(&split, NEVER, &mut |p| Some(p.step) != cut).expect("it goes on") else {
            panic!("{what}: it had not ended");
        };
        interrupted = matches!(run.end, RunEnd::Interrupted);
        assert_eq!(interrupted, cut.is_some(), "{what}");
    }
    Left::read(&split).assert_same(&whole, what);
    true
}

/// Steps of a run: enough for contact to begin, last and end where that is cheap.
fn steps(name: &str) -> f64 {
    match load(name, &LoadOptions::default()).expect("built in").scenario.model().structure() {
        Structure::Bodies(scene) if scene.len() > 20 => 60.0,
        Structure::Bodies(_) => 150.0,
        Structure::Lagrangian(_) => 120.0,
        Structure::Constant(model) if model.n() > 50 => 120.0,
        Structure::Constant(_) => 700.0,
    }
}

/// Every scheme on every built-in scenario it moves, stopped three times; each scheme on three scenarios at least.
#[test]
fn every_scheme() {
    let mut ran: BTreeMap<&str, usize> = BTreeMap::new();
    for name in builtin::NAMES {
        let step = load(name, &LoadOptions::default()).expect("built in").scenario.step;
        let n = steps(name);
        let cuts = [1.0, 0.37 * n, 0.83 * n].map(|cut| cut as u64);
        for entry in SCHEMES {
            // the rod starts where Coulomb's law at acceleration level has no solution, and the scheme says so
            if *name == "painleve-rod" && entry.name == "event-driven" {
                continue;
            }
            let (scheme, end) = (Some(entry.name.to_string()), Some(n * step));
            let options = LoadOptions { scheme, end, ..LoadOptions::default() };
            let what = format!("{name}-{}", entry.name);
            *ran.entry(entry.name).or_default() += usize::from(split_is_whole(name, &options, &cuts, &what));
        }
    }
    println!("{ran:?}");
    for entry in SCHEMES {
        assert!(ran[entry.name] >= 3, "{}: {} scenarios", entry.name, ran[entry.name]);
    }
}

/// Thinned tables: the steps that wait for their row are in the checkpoint, and no row of a stop stays behind.
#[test]
fn thinned() {
    for (k, name) in ["bouncing-ball", "sliding-block", "newtons-cradle"].into_iter().enumerate() {
        let set = vec!["output.every=7".into()];
        let options = LoadOptions { set, ..LoadOptions::default() };
        assert!(split_is_whole(name, &options, &[3, 200, 205, 206, 207], &format!("thinned-{k}")));
    }
}

/// Adaptive steps: stopped between the two halves of a step too.
#[test]
fn adaptive() {
    for (scheme, extrapolate) in [("moreau-jean", false), ("generalized-alpha", false), ("moreau-jean", true)] {
        let adaptive = format!(
            "time.adaptive={{ order = 1, atol = 1e-6, rtol = 1e-6, step_min = 1e-7, extrapolate = {extrapolate} }}"
        );
        let set = vec![adaptive];
        let options = LoadOptions { scheme: Some(scheme.into()), set, end: Some(1.5), ..LoadOptions::default() };
        let what = format!("adaptive-{scheme}-{extrapolate}");
        assert!(split_is_whole("bouncing-ball", &options, &[1, 2, 11, 30, 41, 42, 43, 100], &what), "{what}");
    }
}

/// A checkpoint after every step, as often as can be, changes nothing.
#[test]
fn many_checkpoints() {
    let options = LoadOptions { end: Some(0.2), ..LoadOptions::default() };
    let run = |every: Duration, name: &str| {
        let folder = folder(name);
        run_checkpointed(load("slanted-rod", &options).expect("built in"), &folder, every, &mut |_| true)
            .expect("a run");
        Left::read(&folder)
    };
    run(Duration::ZERO, "often").assert_same(&run(NEVER, "never"), "checkpoints");
}

/// A run cut off before its first checkpoint starts again; one that has ended says so.
#[test]
fn without_a_checkpoint() {
    let options = LoadOptions { end: Some(0.5), ..LoadOptions::default() };
    let loaded = load("bouncing-ball", &options).expect("built in");
    let whole = folder("uncut");
    let begun = folder("begun");
    std::fs::create_dir_all(&begun).expect("a folder");
    write_scenario(&loaded.scenario, &begun).expect("a scenario");
    std::fs::write(begun.join("trajectory.csv"), "t,q0,v0\n0.0000").expect("a torn table");
    run_checkpointed(loaded, &whole, NEVER, &mut |_| true).expect("a run");
    assert!(matches!(resume(&begun, NEVER, &mut |_| true), Ok(Resumed::Run(_))));
    Left::read(&begun).assert_same(&Left::read(&whole), "begun");
    assert!(matches!(resume(&begun, NEVER, &mut |_| true), Ok(Resumed::Ended(_))));
}

/// Stops a run at step 40 and hands its folder to a saboteur; what resuming then says.
fn sabotaged(name: &str, deed: impl Fn(&Path)) -> String {
    let folder = folder(&format!("sabotaged-{name}"));
    let options = LoadOptions { end: Some(0.5), ..LoadOptions::default() };
    run_checkpointed(load("bouncing-ball", &options).expect("built in"), &folder, NEVER, &mut |p| p.step != 40)
        .expect("a run");
    deed(&folder);
    let before: Vec<_> = TABLES.iter().map(|table| std::fs::read(folder.join(table)).ok()).collect();
    let said = match resume(&folder, NEVER, &mut |_| true) {
        Ok(_) => panic!("{name}: it went on"),
        Err(error) => error.to_string(),
    };
    let after: Vec<_> = TABLES.iter().map(|table| std::fs::read(folder.join(table)).ok()).collect();
    assert!(before == after, "{name}: a refusal leaves the tables alone");
    assert!(folder.join("summary.json").exists(), "{name}: and the summary");
    said
}

/// What is not exactly as the checkpoint left it is refused with E302.
#[test]
fn changed_folders_are_refused() {
    let flip = |path: PathBuf, place: usize| {
        let mut bytes = std::fs::read(&path).expect("a file");
        bytes[place] ^= 1;
        std::fs::write(path, bytes).expect("written");
    };
    let cut = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a file");
        std::fs::write(path, &bytes[..bytes.len() / 2]).expect("written");
    };
    for (name, said) in [
        ("flipped", sabotaged("flipped", |f| flip(f.join("checkpoint"), 333))),
        ("halved", sabotaged("halved", |f| cut(f.join("checkpoint")))),
        ("magic", sabotaged("magic", |f| flip(f.join("checkpoint"), 3))),
        ("table", sabotaged("table", |f| flip(f.join("ledger.csv"), 200))),
        ("shorter", sabotaged("shorter", |f| cut(f.join("trajectory.csv")))),
        ("missing", sabotaged("missing", |f| std::fs::remove_file(f.join("events.csv")).expect("removed"))),
        (
            "scenario",
            sabotaged("scenario", |f| {
                let path = f.join("scenario.toml");
                let text = std::fs::read_to_string(&path).expect("a scenario");
                std::fs::write(path, text.replace("restitution = 0.8", "restitution = 0.7")).expect("written");
            }),
        ),
    ] {
        assert!(said.starts_with("E302"), "{name}: {said}");
    }
}
