//! Tables of large scenes: what is kept where nothing is said of it, and that all that is asked for is kept.

use percussion_model::Code;
use percussion_scenario::{LoadOptions, Loaded, load_text, write_scenario};

/// Spheres on a grid, three thousand of them under a name of their own, and `[output]`.
fn scene(end: f64, output: &str) -> String {
    format!(
        "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, -9.81]\n[[body]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\nfixed = true\n\
         [[body]]\nname = \"ball\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\ndensity = 1000.0\nposition = [0.0, 0.0, 1.0]\n\
         repeat = {{ count = [100, 70, 1], spacing = [0.3, 0.3, 0.3] }}\n\
         [[body]]\nname = \"egg\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\ndensity = 1000.0\nposition = [0.0, 0.0, 2.0]\n\
         repeat = {{ count = [100, 30, 1], spacing = [0.3, 0.3, 0.3] }}\n\
         [scheme]\nname = \"moreau-jean\"\n[time]\nend = {end:?}\nstep = 1e-2\n{output}"
    )
}

fn loaded(text: &str, kept: bool) -> Loaded {
    let options = LoadOptions { kept, ..LoadOptions::default() };
    load_text("scene.toml", text, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn told(loaded: &Loaded) -> Vec<String> {
    let about = loaded.scenario.warnings.iter().filter(|warning| warning.code == Code::THINNED);
    about.map(|warning| warning.message.clone()).collect()
}

/// 10 000 bodies: 100 steps are below a gigabyte and kept; of 400 steps every fourth row; of 100 000 a hundred rows of every body.
#[test]
fn rows_go_first() {
    for (end, every) in [(1.0, 1), (4.0, 4), (1000.0, 863)] {
        let run = loaded(&scene(end, ""), true);
        assert_eq!((run.scenario.every, run.scenario.selection.is_whole()), (every, true), "until {end}");
        let said = told(&run);
        assert_eq!(said.len(), usize::from(every > 1));
        assert!(said.iter().all(|message| message.contains(&format!("in {every} steps"))), "{said:?}");
        // who measures, draws or steps by hand has everything
        let other = loaded(&scene(end, ""), false);
        assert!(other.scenario.every == 1 && told(&other).is_empty());
    }
}

/// What is written is kept as it is written, and nothing is said of it.
#[test]
fn what_is_asked_for_is_kept() {
    let run = loaded(&scene(1000.0, "[output]\nevery = 1\n"), true);
    assert!(run.scenario.every == 1 && run.scenario.selection.is_whole() && told(&run).is_empty());
    let run = loaded(&scene(1000.0, "[output]\nselect = [\"egg.7\", \"ball.69*\"]\n"), true);
    let names: usize = 1 + 1 + 10 + 100;
    assert_eq!((run.scenario.every, run.scenario.selection.q.len()), (1, 7 * names));
    assert!(told(&run).is_empty());
}

/// Thirty thousand bodies: a hundred rows of all would be too much. The scenario that is written says what is kept, and keeps the same.
#[test]
fn then_bodies_with_their_contacts() {
    let text = scene(10.0, "").replace("[100, 70, 1]", "[100, 270, 1]");
    let run = loaded(&text, true);
    let scenario = &run.scenario;
    assert_eq!(scenario.every, 10);
    let said = told(&run);
    assert!(said.len() == 1 && said[0].contains("4286 of them"), "{said:?}");
    assert_eq!((scenario.selection.q.len(), scenario.selection.v.len()), (7 * 4286, 6 * 4286));
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("thinned");
    std::fs::create_dir_all(&folder).expect("a folder");
    let written = write_scenario(scenario, &folder).expect("written");
    let again = loaded(&written, true);
    assert_eq!((again.scenario.every, &again.scenario.selection), (scenario.every, &scenario.selection));
    assert!(told(&again).is_empty(), "said twice");
}

/// Ten thousand names, each looked up: a word that means nothing is found among them, and named.
#[test]
fn a_word_among_many_that_means_nothing() {
    let words: Vec<String> = (0..7000).map(|k| format!("\"ball.{}\"", if k == 4321 { 7000 } else { k })).collect();
    let text = scene(1.0, &format!("[output]\nselect = [{}]\n", words.join(", ")));
    let refused = load_text("scene.toml", &text, &LoadOptions::default()).err().expect("refused");
    let said = refused.to_string();
    assert!(said.contains("E154") && said.contains("ball.7000"), "{}", &said[..said.len().min(600)]);
}
