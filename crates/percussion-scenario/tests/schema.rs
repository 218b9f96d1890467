//! The schema against the scenarios it describes, by a validator of the few keywords it uses.

use percussion_scenario::{LoadOptions, builtin, load, scenario_text, schema};
use serde_json::Value;

/// The first complaint about a value, or none.
fn complaint(root: &Value, schema: &Value, value: &Value, path: &str) -> Option<String> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#'));
        return complaint(root, target.expect("the reference exists"), value, path);
    }
    if let Some(options) = schema.get("oneOf").and_then(Value::as_array) {
        let complaints: Vec<_> = options.iter().map(|option| complaint(root, option, value, path)).collect();
        let fits = complaints.iter().filter(|c| c.is_none()).count();
        return (fits != 1).then(|| format!("{path}: {fits} of {} forms fit: {complaints:?}", options.len()));
    }
    if schema.get("const").is_some_and(|x| x != value) {
        return Some(format!("{path}: {value} is not {}", schema["const"]));
    }
    if schema.get("enum").and_then(Value::as_array).is_some_and(|list| !list.contains(value)) {
        return Some(format!("{path}: {value} is not in the list"));
    }
    let fits = match schema.get("type").and_then(Value::as_str) {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("string") => value.is_string(),
        _ => true,
    };
    if !fits {
        return Some(format!("{path}: {value} is not a {}", schema["type"]));
    }
    if let Some(x) = value.as_f64() {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        let outside = bound("minimum").is_some_and(|low| x < low)
            || bound("maximum").is_some_and(|high| x > high)
            || bound("exclusiveMinimum").is_some_and(|low| x <= low);
        if outside {
            return Some(format!("{path}: {x} is out of range"));
        }
    }
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        return list.iter().enumerate().find_map(|(k, x)| complaint(root, items, x, &format!("{path}[{k}]")));
    }
    if let Some(object) = value.as_object() {
        let required = schema.get("required").and_then(Value::as_array);
        if let Some(key) =
            required.and_then(|keys| keys.iter().find(|k| !object.contains_key(k.as_str().expect("text"))))
        {
            return Some(format!("{path}: {key} is missing"));
        }
        for (key, x) in object {
            let place = format!("{path}.{key}");
            let numbered = key.chars().all(|c| c.is_ascii_digit());
            let pattern = schema.pointer("/patternProperties/^[0-9]+$").filter(|_| numbered);
            match schema.get("properties").and_then(|p| p.get(key)).or(pattern) {
                Some(inner) => {
                    if let Some(complaint) = complaint(root, inner, x, &place) {
                        return Some(complaint);
                    }
                }
                None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                    return Some(format!("{place} is unknown"));
                }
                None => {}
            }
        }
    }
    None
}

fn judge(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().expect("TOML");
    let (schema, value) = (schema(), serde_json::to_value(table).expect("JSON"));
    complaint(&schema, &schema, &value, "")
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
