//! The keys of a scenario as JSON Schema (draft 2020-12), for editors and for people.

use super::keys::SCENARIO;
use percussion_model::{Bound, Form, Key, KeyDefault, Kind, Range};
use serde_json::{Map, Value, json};

/// The schema.
pub fn schema() -> Value {
    let mut shared = Map::new();
    let mut schema = table("what to simulate, how in time, how at an instant, and what to keep", SCENARIO, &mut shared);
    let object = [
        ("$schema", json!("https://json-schema.org/draft/2020-12/schema")),
        ("title", json!("Percussion scenario")),
        // a sweep may take its scenario from another file
        (
            "anyOf",
            json!([{ "required": schema["required"] }, {
                "required": ["sweep"],
                "properties": { "sweep": { "required": ["scenario"] } }
            }]),
        ),
        ("$defs", Value::Object(shared)),
    ];
    if let Value::Object(schema) = &mut schema {
        schema.remove("required");
        schema.extend(object.map(|(name, value)| (name.to_string(), value)));
    }
    schema
}

/// An object with these keys and no others; forms with a name go to `shared`.
fn table(description: &str, keys: &[Key], shared: &mut Map<String, Value>) -> Value {
    let required: Vec<&str> =
        keys.iter().filter(|key| key.default == KeyDefault::Required).map(|key| key.name).collect();
    let properties: Map<String, Value> = keys.iter().map(|key| (key.name.to_string(), property(key, shared))).collect();
    let mut table = json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    });
    if !description.is_empty() {
        table["description"] = json!(description);
    }
    table
}

/// One key: its form, sentence, unit and default.
fn property(key: &Key, shared: &mut Map<String, Value>) -> Value {
    let mut value = of_form(&key.form, shared);
    let mut description = key.meaning.to_string();
    if !key.unit.is_empty() {
        description.push_str(&format!(" [{}]", key.unit));
    }
    match key.default {
        KeyDefault::Required => {}
        KeyDefault::Number(x) => value["default"] = json!(x),
        KeyDefault::Integer(n) => value["default"] = json!(n),
        KeyDefault::Word(word) => value["default"] = json!(word),
        KeyDefault::Flag(flag) => value["default"] = json!(flag),
        KeyDefault::Absent(meaning) => description.push_str(&format!("; when absent: {meaning}")),
    }
    value["description"] = json!(description);
    value
}

fn of_form(form: &Form, shared: &mut Map<String, Value>) -> Value {
    match form {
        Form::Number(range) => number(range),
        Form::Integer { least, most } => {
            let mut value = json!({ "type": "integer", "minimum": least });
            if *most < i64::MAX {
                value["maximum"] = json!(most);
            }
            value
        }
        Form::Flag => json!({ "type": "boolean" }),
        Form::Text => json!({ "type": "string" }),
        Form::Word(words) => json!({ "enum": words }),
        Form::List { of, least, most } => {
            let mut value = json!({ "type": "array", "items": of_form(of, shared) });
            if *least > 0 {
                value["minItems"] = json!(least);
            }
            if *most < usize::MAX {
                value["maxItems"] = json!(most);
            }
            value
        }
        Form::Entries => {
            let entry = json!({ "^[0-9]+$": { "type": "number" } });
            json!({ "type": "object", "patternProperties": entry, "additionalProperties": false })
        }
        Form::Table(keys) => table("", keys, shared),
        Form::Kinds(kinds) => {
            let kinds: Vec<Value> = kinds.iter().map(|kind| of_kind(kind, shared)).collect();
            json!({ "oneOf": kinds })
        }
        Form::OneOf(forms) => {
            let forms: Vec<Value> = forms.iter().map(|form| of_form(form, shared)).collect();
            json!({ "oneOf": forms })
        }
        Form::Named(name, form) => {
            if !shared.contains_key(*name) {
                let value = of_form(form, shared);
                shared.insert(name.to_string(), value);
            }
            json!({ "$ref": format!("#/$defs/{name}") })
        }
        Form::Any => json!({}),
    }
}

/// The keys of one kind, and the word that chooses it.
fn of_kind(kind: &Kind, shared: &mut Map<String, Value>) -> Value {
    let mut value = table(kind.meaning, kind.keys, shared);
    let words = [&[kind.name], kind.also].concat();
    value["properties"]["kind"] = json!({ "enum": words });
    if let Some(required) = value["required"].as_array_mut() {
        required.insert(0, json!("kind"));
    }
    value
}

fn number(range: &Range) -> Value {
    let mut value = json!({ "type": "number" });
    match range.low {
        Bound::None => {}
        Bound::Closed(x) => value["minimum"] = json!(x),
        Bound::Open(x) => value["exclusiveMinimum"] = json!(x),
    }
    match range.high {
        Bound::None => {}
        Bound::Closed(x) => value["maximum"] = json!(x),
        Bound::Open(x) => value["exclusiveMaximum"] = json!(x),
    }
    value
}
