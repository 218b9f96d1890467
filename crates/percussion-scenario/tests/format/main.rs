//! Keys, schema and reader against each other, and against the scenarios and the book they describe.

mod book;
mod mutations;
mod validator;

use percussion_scenario::{LoadOptions, builtin, load, scenario_text, schema};

/// The schema's complaint about a scenario, or none.
fn judge(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().expect("TOML");
    let (schema, value) = (schema(), serde_json::to_value(table).expect("JSON"));
    validator::complaint(&schema, &schema, &value, "")
}

/// Every built-in scenario, as written and as resolved, fits.
#[test]
fn built_in_scenarios_fit() {
    for name in builtin::NAMES {
        assert_eq!(judge(builtin::text(name).expect("built in")), None, "{name}");
        let loaded = load(name, &LoadOptions::default()).expect("built in");
        assert_eq!(judge(&scenario_text(&loaded.scenario).0), None, "{name}, resolved");
    }
}

/// What the program refuses, the schema refuses.
#[test]
fn mistakes_do_not_fit() {
    let text = builtin::text("bouncing-ball").expect("built in");
    for (old, new) in [
        ("restitution = 0.8", "restitution = 1.8"),
        ("restitution = 0.8", "restitutoin = 0.8"),
        ("kind = \"linear\"", "kind = \"cubic\""),
        ("mass = [[1.0]]", "mass = 1.0"),
        ("name = \"moreau-jean\"", "name = \"moreau\""),
        ("step = 2e-3", "step = 0.0"),
    ] {
        assert!(text.contains(old), "{old}");
        assert!(judge(&text.replace(old, new)).is_some(), "{new}");
    }
}

/// A sweep is a scenario with `[sweep]`, or names one; without either the scenario is missing.
#[test]
fn sweeps_fit() {
    let sweep = "[sweep]\nscenario = \"bouncing-ball\"\n[[sweep.parameter]]\nkey = \"time.step\"\nvalues = [1e-3]\n";
    assert_eq!(judge(sweep), None);
    assert!(judge(&sweep.replace("scenario = \"bouncing-ball\"\n", "")).is_some());
    let own = format!(
        "{}\n{}",
        builtin::text("bouncing-ball").expect("built in"),
        sweep.replace("scenario = \"bouncing-ball\"\n", "")
    );
    assert_eq!(judge(&own), None);
    assert!(judge(&sweep.replace("values", "vlues")).is_some());
}
