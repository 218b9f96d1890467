//! Runs that go on: to a later end, and as the start of another scenario.

use percussion_scenario::{LoadOptions, Means, Resumed, RunFolder, StartFrom, TABLES, load, load_text, resume_to, run};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("percussion-continued-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn run_to(scene: &str, scheme: &str, end: f64, every: u64, folder: &Path) {
    let set = vec![format!("output.every={every}")];
    let options = LoadOptions { scheme: Some(scheme.into()), end: Some(end), set, ..LoadOptions::default() };
    let loaded = load(scene, &options).unwrap_or_else(|error| panic!("{scene} {scheme}: {error}"));
    run(loaded, folder, &mut |_| true).unwrap_or_else(|error| panic!("{error}"));
}

/// A finished run gone on with to a later end has the tables of one run to that end, thinned or not.
#[test]
fn to_a_later_end() {
    let cases = [
        ("bouncing-ball", "moreau-jean", 1),
        ("two-mass-oscillator", "generalized-alpha", 7),
        ("slider-crank", "moreau-jean", 3),
        ("pendulum", "generalized-alpha-ggl", 1),
        ("impact-oscillator", "event-driven", 1),
    ];
    for (scene, scheme, every) in cases {
        let step = load(scene, &LoadOptions::default()).expect("built in").scenario.step;
        let (short, long) = (folder(&format!("{scene}-short")), folder(&format!("{scene}-long")));
        run_to(scene, scheme, 50.0 * step, every, &short);
        run_to(scene, scheme, 120.0 * step, every, &long);
        let resumed = resume_to(
            &short,
            Duration::from_secs(10),
            Means { threads: 1, stop: &percussion_solve::Stop::default(), device: None },
            120.0 * step,
            &mut |_| true,
        );
        assert!(matches!(resumed, Ok(Resumed::Run(_))), "{scene} {scheme}: {resumed:?}");
        for table in TABLES.into_iter().chain(["scenario.toml"]) {
            let [a, b] = [&short, &long].map(|folder| std::fs::read(folder.join(table)).expect("a table"));
            assert!(a == b, "{scene} by {scheme}: {table} differs");
        }
        let earlier = resume_to(
            &short,
            Duration::from_secs(10),
            Means { threads: 1, stop: &percussion_solve::Stop::default(), device: None },
            10.0 * step,
            &mut |_| true,
        );
        assert!(earlier.is_err(), "an end before the run");
        for folder in [short, long] {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Adaptive steps depend on their end: another one is refused and the folder stays as it is; the same one changes no table.
#[test]
fn adaptive_steps_have_one_end() {
    let folder = folder("adaptive");
    let options = LoadOptions { end: Some(0.5), set: vec!["time.adaptive={}".into()], ..LoadOptions::default() };
    run(load("bouncing-ball", &options).expect("adaptive"), &folder, &mut |_| true).expect("a run");
    let files = || {
        let list = std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("a file").path());
        let mut all: Vec<_> = list.map(|path| (path.clone(), std::fs::read(path).expect("bytes"))).collect();
        all.sort();
        all
    };
    let before = files();
    let stop = percussion_solve::Stop::default();
    let go_on = |end: f64| {
        let means = Means { threads: 1, stop: &stop, device: None };
        resume_to(&folder, Duration::from_secs(10), means, end, &mut |_| true)
    };
    for end in [0.8, 2.0, 0.25] {
        let refused = go_on(end).map(|_| ()).expect_err("another end");
        assert_eq!(refused.field, "time.end");
        assert!(files() == before, "end = {end} changed the folder");
    }
    assert!(matches!(go_on(0.5), Ok(Resumed::Run(_))));
    for table in TABLES.into_iter().chain(["scenario.toml"]) {
        let now = std::fs::read(folder.join(table)).expect("a table");
        assert!(before.iter().any(|(path, bytes)| path.ends_with(table) && *bytes == now), "{table} differs");
    }
    let _ = std::fs::remove_dir_all(folder);
}

/// The end of a run with joints and friction is admitted as a start, bodies by name, and its scenario reproduces the run.
#[test]
fn as_the_start_of_another() {
    let (first, second, again) = (folder("first"), folder("second"), folder("again"));
    run_to("slider-crank", "moreau-jean", 0.2, 1, &first);
    let options = LoadOptions { from: Some(StartFrom::parse(&first.display().to_string())), ..LoadOptions::default() };
    let loaded = load("slider-crank", &options).unwrap_or_else(|error| panic!("{error}"));
    let left = RunFolder::open(&first).expect("a run").rows().and_then(|mut rows| {
        let mut row = percussion_scenario::Row::default();
        while rows.next(&mut row)? {}
        Ok(row.state)
    });
    let left = left.expect("rows");
    let moves = |k: usize, x: &[f64]| x[k].to_bits();
    let bodies = loaded.scenario.model().bodies().expect("bodies");
    let free = bodies.bodies().iter().position(|body| body.is_free()).expect("a body");
    let size = left.v.len() / bodies.len();
    assert!((size * free..size * (free + 1)).all(|k| moves(k, &left.v) == moves(k, &loaded.scenario.problem.v0)));
    run(loaded, &second, &mut |_| true).unwrap_or_else(|error| panic!("{error}"));
    let copied = load(&second.join("scenario.toml").display().to_string(), &LoadOptions::default());
    run(copied.unwrap_or_else(|error| panic!("{error}")), &again, &mut |_| true)
        .unwrap_or_else(|error| panic!("{error}"));
    for table in TABLES {
        let [a, b] = [&second, &again].map(|folder| std::fs::read(folder.join(table)).expect("a table"));
        assert!(a == b, "{table} differs");
    }
    for folder in [first, second, again] {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// `RUN@t` is a run and a time; an address with @ and no number is a folder.
#[test]
fn places_in_time() {
    assert_eq!(StartFrom::parse("runs/a@0.5"), StartFrom { run: "runs/a".into(), t: Some(0.5) });
    assert_eq!(StartFrom::parse("runs/a@home"), StartFrom { run: "runs/a@home".into(), t: None });
    let text = "[model]\nkind = \"linear\"\nmass = [[1.0]]\n[start]\nq = [1.0, 2.0]\nv = [0.0]\n[time]\nend = 0.1\nstep = 1e-3\n";
    let error = load_text("a test", text, &LoadOptions::default()).map(|_| ()).expect_err("sizes");
    assert_eq!(error.field, "start.q");
}
