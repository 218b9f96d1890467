//! A validator of the few keywords of JSON Schema that the schema uses.

use serde_json::Value;

/// The first complaint about a value, or none.
pub fn complaint(root: &Value, schema: &Value, value: &Value, path: &str) -> Option<String> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#'));
        return complaint(root, target.expect("the reference exists"), value, path);
    }
    if let Some(options) = schema.get("oneOf").and_then(Value::as_array) {
        let complaints: Vec<_> = options.iter().map(|option| complaint(root, option, value, path)).collect();
        let fits = complaints.iter().filter(|c| c.is_none()).count();
        return (fits != 1).then(|| format!("{path}: {fits} of {} forms fit: {complaints:?}", options.len()));
    }
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array)
        && options.iter().all(|option| complaint(root, option, value, path).is_some())
    {
        return Some(format!("{path}: none of {} forms fits", options.len()));
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
        Some("boolean") => value.is_boolean(),
        _ => true,
    };
    if !fits {
        return Some(format!("{path}: {value} is not a {}", schema["type"]));
    }
    if let Some(x) = value.as_f64() {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        let outside = bound("minimum").is_some_and(|low| x < low)
            || bound("maximum").is_some_and(|high| x > high)
            || bound("exclusiveMinimum").is_some_and(|low| x <= low)
            || bound("exclusiveMaximum").is_some_and(|high| x >= high);
        if outside {
            return Some(format!("{path}: {x} is out of range"));
        }
    }
    if let Some(list) = value.as_array() {
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
        let n = list.len() as u64;
        if bound("minItems").is_some_and(|least| n < least) || bound("maxItems").is_some_and(|most| n > most) {
            return Some(format!("{path}: {n} entries"));
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
