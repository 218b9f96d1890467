//! What the playground stands on: reports made in memory, numbers of a scenario, files handed over.

use percussion_scenario::{
    Attachments, LoadOptions, Source, builtin, load, page, play_files, play_numbers, report, report_kept, run_kept,
};

/// A report made of tables in memory is, byte by byte, the one made of a run folder.
#[test]
fn reports_in_memory_are_those_of_folders() {
    let folder = std::env::temp_dir().join(format!("percussion-play-{}", std::process::id()));
    for (name, end) in [("bouncing-ball", 2.0), ("slider-crank", 2e-3), ("sphere-pile", 0.02), ("spinning-disk", 0.05)]
    {
        let loaded = load(name, &LoadOptions { end: Some(end), ..LoadOptions::default() }).expect(name);
        let (scenario, run, kept) = run_kept(loaded, Some(&folder), &mut |_| true).expect(name);
        let made = report_kept(&scenario, &run.summary, kept).expect(name);
        let read = report(&folder).expect(name);
        assert!(page(&[made]) == page(&[read]), "{name}: the pages differ");
    }
    std::fs::remove_dir_all(&folder).expect("it was written");
}

/// Sliders unless asked, those that are asked for, and the refusal of one that is no number, at its line.
#[test]
fn numbers_of_a_scenario() {
    let ball = builtin::text("bouncing-ball").expect("built in");
    let of = |text: &str| play_numbers(&Source::of_text("ball.toml", text, Attachments::default()));
    let keys = |text: &str| -> Vec<String> {
        of(text).expect("valid").into_iter().filter(|number| number.shown).map(|number| number.key).collect()
    };
    for key in ["model.contact.0.restitution", "scheme.theta", "time.step", "time.end"] {
        assert!(keys(ball).contains(&key.to_string()), "{key} has a slider");
    }
    let all = of(ball).expect("valid");
    let restitution = all.iter().find(|number| number.key == "model.contact.0.restitution").expect("a number");
    assert_eq!((restitution.low, restitution.high, restitution.value), (0.0, 1.0, 0.8));
    let step = all.iter().find(|number| number.key == "time.step").expect("a number");
    assert!(step.log && step.unit == "s");
    let asked = format!("{ball}\n[play]\nparameters = [\"model.q0[0]\", \"model.mass.0.0\"]\n");
    assert_eq!(keys(&asked), ["model.q0.0", "model.mass.0.0"]);
    let wrong = format!("{ball}\n[play]\nparameters = [\"model.q1.0\"]\n");
    let error = of(&wrong).expect_err("no such number");
    let line = wrong.lines().position(|line| line.starts_with("parameters")).expect("it is there") + 1;
    assert_eq!(error.place.map(|place| place.line), Some(line));
    let unknown = format!("{ball}\n[play]\nparameter = []\n");
    let source = Source::of_text("ball.toml", &unknown, Attachments::default());
    assert!(source.load(&LoadOptions::default()).is_err(), "[play] is read like any other table");
}

/// A file that a scenario names is found among those handed over, without any folder.
#[test]
fn files_travel_with_the_text() {
    let text = "format = 1\n[model]\nkind = \"linear\"\nmass = { file = \"M.mtx\" }\nq0 = [1.0]\nv0 = [0.0]\n\
                [time]\nend = 0.1\nstep = 0.01\n";
    let mut given = Attachments::default();
    given.files.insert("M.mtx".into(), b"%%MatrixMarket matrix array real general\n1 1\n2.0\n".to_vec().into());
    let source = Source::of_text("two.toml", text, given);
    let mass = source.load(&LoadOptions::default()).expect("the file is there").scenario;
    assert_eq!(mass.linear().expect("linear").mass().diagonal(), [2.0]);
    assert_eq!(play_files(&source).expect("one").len(), 1);
}
