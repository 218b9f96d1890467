//! Runs that go on: to a later end, and as the start of another scenario.

use percussion_model::Code;
use percussion_scenario::{
    INPUTS, Live, LoadOptions, Means, Resumed, RunFolder, StartFrom, TABLES, load, load_text, resume_to, run, run_kept,
};
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
    let remarks = |options: &LoadOptions| {
        let warnings = load("slider-crank", options).unwrap_or_else(|error| panic!("{error}")).scenario.warnings;
        warnings
            .into_iter()
            .filter(|said| said.code == Code::EARLIER_START)
            .map(|said| said.message)
            .collect::<Vec<_>>()
    };
    assert!(remarks(&options).is_empty());
    // between two rows: the one before, and it is said
    let between = StartFrom { run: first.clone(), t: Some(0.1 + 0.3 * loaded.scenario.step) };
    let said = remarks(&LoadOptions { from: Some(between), ..LoadOptions::default() });
    assert!(said.len() == 1 && said[0].contains("at t = 0.1"), "{said:?}");
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

/// `RUN@t` is a run and a time; an address with @ and no finite number is a folder. A folder that is no run is said to be none, to go on from as to go on with.
#[test]
fn places_in_time() {
    assert_eq!(StartFrom::parse("runs/a@0.5"), StartFrom { run: "runs/a".into(), t: Some(0.5) });
    for name in ["runs/a@home", "runs/a@nan", "runs/a@inf", "runs/a@"] {
        assert_eq!(StartFrom::parse(name), StartFrom { run: name.into(), t: None });
    }
    let text = "[model]\nkind = \"linear\"\nmass = [[1.0]]\n[start]\nq = [1.0, 2.0]\nv = [0.0]\n[time]\nend = 0.1\nstep = 1e-3\n";
    let error = load_text("a test", text, &LoadOptions::default()).map(|_| ()).expect_err("sizes");
    assert_eq!(error.field, "start.q");
    let stop = percussion_solve::Stop::default();
    let means = Means { threads: 1, stop: &stop, device: None };
    let nowhere = folder("nowhere");
    let error = resume_to(&nowhere, Duration::from_secs(10), means, 1.0, &mut |_| true).map(|_| ());
    let error = error.expect_err("no such run");
    assert!(error.code == Code::BAD_RUN && error.help.contains("folder of a run"), "{error}");
}

/// The folder of a live simulation as it is now.
fn saved(live: &mut Live, folder: &Path) {
    let (scenario, run, kept) = live.solution().unwrap_or_else(|error| panic!("{error}"));
    assert!(run.summary.warnings.iter().all(|said| !said.contains("W428")), "{:?}", run.summary.warnings);
    kept.save(&scenario, &run.summary, folder).unwrap_or_else(|error| panic!("{error}"));
}

fn same_tables(a: &Path, b: &Path, what: &str) {
    for table in TABLES.into_iter().chain([INPUTS]) {
        let [a, b] = [a, b]
            .map(|folder| std::fs::read(folder.join(table)).unwrap_or_else(|error| panic!("{what} {table}: {error}")));
        assert!(a == b, "{what}: {table} differs");
    }
}

fn go_on(folder: &Path, end: f64) {
    let stop = percussion_solve::Stop::default();
    let means = Means { threads: 1, stop: &stop, device: None };
    let resumed = resume_to(folder, Duration::from_secs(10), means, end, &mut |_| true);
    assert!(matches!(resumed, Ok(Resumed::Run(_))), "{resumed:?}");
}

/// A scene, a scheme, what is set by name, its values, and the steps of a row.
type Driven<'a> = (&'a str, &'a str, &'a str, &'a [f64], u64);

/// A live run that was driven, saved in a folder, runs again to the same bytes from its scenario, and goes on to those of the live run itself; so
/// does one whose bodies were placed at the start.
#[test]
fn a_driven_run_is_made_again() {
    let cases: [Driven; 6] = [
        ("bouncing-ball", "moreau-jean", "force[0]", &[-15.0], 1),
        ("two-mass-oscillator", "generalized-alpha", "force[1]", &[40.0], 7),
        ("opening-gate", "moreau-jean", "gate.velocity", &[0.0, 0.3], 1),
        ("slider-crank", "moreau-jean", "gravity", &[1.0, -3.0], 3),
        ("pendulum", "generalized-alpha-ggl", "force[0]", &[0.7], 1),
        ("bouncing-ball", "event-driven", "contact[0].offset_rate", &[-0.5], 1),
    ];
    for (scene, scheme, name, values, every) in cases {
        let what = format!("{scene} {scheme} {name}");
        let set = vec![format!("output.every={every}")];
        let options = LoadOptions { scheme: Some(scheme.into()), set, ..LoadOptions::default() }.live();
        let mut live =
            Live::new(load(scene, &options).unwrap_or_else(|error| panic!("{what}: {error}"))).expect("equal steps");
        let steps =
            |live: &mut Live, n: u64| (0..n).for_each(|_| live.step().unwrap_or_else(|e| panic!("{what}: {e:?}")));
        let word = |part: &str| folder(&format!("{scene}-{scheme}-{part}"));
        let [short, long, again] = ["driven-short", "driven-long", "driven-again"].map(word);
        // a place of one's own at the start, and something set there before
        live.set(name, &values.iter().map(|x| 0.5 * x).collect::<Vec<_>>()).expect("a hand");
        let (q, mut v) = (live.state().q.clone(), live.state().v.clone());
        if scene == "bouncing-ball" {
            v[0] = 0.3;
        }
        live.place(&q, &v, false).expect("a place");
        steps(&mut live, 10);
        live.set(name, values).expect("a hand");
        steps(&mut live, 15);
        live.release(name).expect("a hand");
        steps(&mut live, 5);
        live.set(name, values).expect("a hand");
        saved(&mut live, &short);
        steps(&mut live, 30);
        saved(&mut live, &long);

        let loaded = load(&short.join("scenario.toml").display().to_string(), &LoadOptions::default());
        run(loaded.unwrap_or_else(|error| panic!("{what}: {error}")), &again, &mut |_| true)
            .unwrap_or_else(|e| panic!("{e}"));
        same_tables(&short, &again, &format!("{what} again"));
        let h = live.scenario().step;
        for part in [&short, &again] {
            go_on(part, 60.0 * h);
            same_tables(part, &long, &format!("{what} gone on with"));
        }
        for folder in [short, long, again] {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// A run kept in memory and saved later is gone on with as one that was written.
#[test]
fn a_run_in_memory_goes_on() {
    for (scene, every) in [("two-mass-oscillator", 1), ("slider-crank", 7)] {
        let step = load(scene, &LoadOptions::default()).expect("built in").scenario.step;
        let (short, long) = (folder(&format!("{scene}-kept")), folder(&format!("{scene}-written")));
        let set = vec![format!("output.every={every}")];
        let options = LoadOptions { end: Some(50.0 * step), set, ..LoadOptions::default() };
        let (scenario, run, kept) =
            run_kept(load(scene, &options).expect("built in"), None, &mut |_| true).expect("a run");
        kept.save(&scenario, &run.summary, &short).unwrap_or_else(|error| panic!("{error}"));
        run_to(scene, scenario.scheme.name, 120.0 * step, every, &long);
        go_on(&short, 120.0 * step);
        for table in TABLES.into_iter().chain(["scenario.toml"]) {
            let [a, b] = [&short, &long].map(|folder| std::fs::read(folder.join(table)).expect("a table"));
            assert!(a == b, "{scene}: {table} differs");
        }
        for folder in [short, long] {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// A table of inputs that makes no sense is refused with its line, and one of another model by name.
#[test]
fn inputs_that_make_no_sense() {
    let place = folder("inputs");
    std::fs::create_dir_all(&place).expect("a folder");
    let text = "inputs = \"inputs.csv\"\n[model]\nkind = \"linear\"\nmass = [[1.0]]\n[time]\nend = 0.1\nstep = 1e-3\n";
    std::fs::write(place.join("a.toml"), text).expect("a file");
    let header = "step,t,name,axis,value\n";
    for (rows, said) in [
        ("", "no table of inputs"),
        ("step,t,name,axis,value\n0,0.0,force[0]\n", "five cells"),
        ("step,t,name,axis,value\n0,0.0,force[0],0,much\n", "no number"),
        ("step,t,name,axis,value\n5,0.0,force[0],0,1.0\n4,0.0,force[0],0,1.0\n", "before the one above"),
        ("step,t,name,axis,value\n0,0.0,force[3],0,1.0\n", "no such load"),
        ("step,t,name,axis,value\n0,0.0,force[0],0,inf\n", "not finite"),
    ] {
        std::fs::write(place.join("inputs.csv"), rows).expect("a file");
        let error = load(&place.join("a.toml").display().to_string(), &LoadOptions::default()).err().expect("refused");
        assert!(error.message.contains(said), "{error}");
    }
    std::fs::write(place.join("inputs.csv"), format!("{header}3,3e-3,force[0],0,2.0\n")).expect("a file");
    let mut loaded = load(&place.join("a.toml").display().to_string(), &LoadOptions::default()).expect("a scenario");
    loaded.simulation.run(13, &mut percussion_step::Trajectory::new());
    assert!((loaded.simulation.state().v[0] - 0.02).abs() < 1e-12, "{:?}", loaded.simulation.state());
    let _ = std::fs::remove_dir_all(place);
}
