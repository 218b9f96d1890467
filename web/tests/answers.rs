//! The simulator of the page, natively: its answers are what the program computes and says.

use percussion_scenario::{Attachments, LoadOptions, Plain, Source, builtin, error_text, load, run_kept};
use percussion_web::Player;
use serde_json::{Value, json};

fn ask(question: &Value) -> Value {
    let mut said = 0;
    let answer = Player::default().answer(&question.to_string(), &mut |share| {
        assert!((0.0..=1.0).contains(&share));
        said += 1;
        true
    });
    serde_json::from_str(&answer).expect("JSON")
}

/// Runs have the program's hash and the parts of a page; two stand side by side.
#[test]
fn runs_are_the_programs() {
    let text = builtin::text("bouncing-ball").expect("built in");
    let set = ["model.contact.0.restitution=0.5"];
    let runs = json!([{}, { "scheme": "newmark", "set": set }]);
    let answer = ask(&json!({ "kind": "run", "name": "ball", "text": text, "runs": runs, "tables": true }));
    for (k, (scheme, set)) in [(None, vec![]), (Some("newmark"), set.to_vec())].into_iter().enumerate() {
        let set = set.into_iter().map(str::to_string).collect();
        let options = LoadOptions { scheme: scheme.map(str::to_string), set, ..LoadOptions::default() };
        let (_, run, kept) =
            run_kept(load("bouncing-ball", &options).expect("valid"), None, &mut |_| true).expect("runs");
        assert_eq!(answer["runs"][k]["state_hash"], run.summary.state_hash);
        let rows = answer["runs"][k]["tables"]["trajectory"]["values"].as_array().expect("numbers");
        assert_eq!(rows.len(), kept.trajectory.values.len());
    }
    assert!(
        answer["main"].as_str().expect("HTML").contains("id=\"viewer\"")
            && !answer["in_space"].as_bool().expect("a flag")
    );
}

/// Mistakes are told as the terminal tells them; what would run for ever or fill the memory is refused.
#[test]
fn refusals() {
    let text = builtin::text("bouncing-ball").expect("built in").replace("restitution = 0.8", "restitutoin = 0.8");
    let answer = ask(&json!({ "kind": "describe", "name": "ball.toml", "text": text }));
    let source = Source::of_text("ball.toml", &text, Attachments::default());
    let error = source.load(&LoadOptions::default()).err().expect("a wrong key");
    assert_eq!(answer["error"]["text"], error_text(&error, &Plain));
    assert_eq!(answer["error"]["line"], error.place.expect("a place").line);

    let ball = builtin::text("bouncing-ball").expect("built in");
    let long = ask(&json!({ "kind": "run", "name": "b", "text": ball, "runs": [{ "set": ["time.step=1e-9"] }] }));
    assert_eq!(long["error"]["code"], "E118");
    let wide = ask(&json!({ "kind": "describe", "name": "b", "text": "#".repeat(2 << 20) }));
    assert_eq!(wide["error"]["code"], "E118");
    let many = ask(&json!({ "kind": "run", "name": "b", "text": ball, "runs": [{}, {}, {}, {}, {}] }));
    assert_eq!(many["error"]["code"], "E118");
    assert_eq!(ask(&json!({ "kind": "dance" }))["error"]["code"], "E101");
}

/// Sliders, the schemes that take the scenario, and a study of orders.
#[test]
fn panels_and_studies() {
    let text = builtin::text("bouncing-ball").expect("built in");
    let panel = ask(&json!({ "kind": "describe", "name": "b", "text": text }));
    assert_eq!(panel["scheme"], "moreau-jean");
    let schemes = panel["schemes"].as_array().expect("names");
    let parameters = |name: &str| &schemes.iter().find(|scheme| scheme["name"] == name).expect("fits")["parameters"];
    let takes = |name: &str, key: &str| parameters(name).as_array().expect("names").contains(&json!(key));
    assert!(takes("moreau-jean", "theta") && !takes("event-driven", "theta") && schemes.len() > 3);
    assert!(panel["numbers"].as_array().expect("numbers").iter().any(|number| number["shown"] == true));
    let study = ask(&json!({ "kind": "converge", "name": "b", "text": text, "runs": [{ "set": ["time.end=1.0"] }] }));
    assert!(study["study"]["main"].as_str().expect("HTML").contains("<table"), "{study}");
    assert_eq!(study["study"]["csv"].as_str().expect("CSV").lines().count(), 6);
}

/// Where a scene has more numbers than are offered, those that are shown are among them, in the order `[play]` gives them.
#[test]
fn many_numbers() {
    let ball = "[[model.body]]\nname = \"ball Z\"\ndensity = 1000.0\nposition = [0.0, 0.0, Z]\nshape = { kind = \"sphere\", radius = 0.1 }\n";
    let balls: String = (0..150).map(|k| ball.replace('Z', &format!("{k}.5"))).collect();
    let rest = "[scheme]\nname = \"moreau-jean\"\ntheta = 0.5\n[time]\nend = 0.1\nstep = 1e-3\n";
    let scene = |play: &str| format!("[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, -9.81]\n{balls}{rest}{play}");
    let shown = |play: &str| -> Vec<String> {
        let panel = ask(&json!({ "kind": "describe", "name": "b", "text": scene(play) }));
        let numbers = panel["numbers"].as_array().unwrap_or_else(|| panic!("{panel}"));
        let shown = numbers.iter().filter(|number| number["shown"] == true);
        shown.map(|number| number["key"].as_str().expect("a key").to_string()).collect()
    };
    let usual = shown("");
    assert!(usual.contains(&"time.step".into()) && usual.contains(&"model.gravity.2".into()), "{usual:?}");
    let chosen = shown("[play]\nparameters = [\"time.step\", \"model.body.149.density\"]\n");
    assert_eq!(chosen, ["time.step", "model.body.149.density"]);
    let wrong =
        ask(&json!({ "kind": "describe", "name": "b", "text": scene("[play]\nparameters = [\"time.stp\"]\n") }));
    assert!(wrong["error"]["help"].as_str().expect("help").contains("time.step"), "{wrong}");
}

/// Adaptive steps are counted as they are made: what passes the bound is told with its code.
#[test]
fn bounds_of_a_run_that_goes_on() {
    let text = builtin::text("bouncing-ball").expect("built in");
    let adaptive = format!("{text}\n[time.adaptive]\nstep_max = 1e-7\n");
    let set = ["time.step=1e-7", "output.every=1000000"];
    let answer = ask(&json!({ "kind": "run", "name": "b", "text": adaptive, "runs": [{ "set": set }] }));
    let told = answer["runs"][0]["failure"].as_str().or(answer["error"]["code"].as_str());
    assert!(told.is_some_and(|told| told.contains("E118")), "{}", &answer.to_string()[..400]);
}
