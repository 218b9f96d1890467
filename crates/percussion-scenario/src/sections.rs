//! One table of the scenario as one typed struct, with serde's complaints turned into coded errors.

use crate::error::ScenarioError;
use crate::load::Refused;
use crate::locate::Part;
use crate::suggest;
use percussion_model::{Code, InputError};
use serde::de::DeserializeOwned;
use toml::Value;

/// The section `name` as a T.
pub fn section<T: DeserializeOwned>(name: &str, value: Value) -> Result<T, Refused> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let inner = error.path().to_string();
        let path = if inner == "." { name.to_string() } else { format!("{name}.{inner}") };
        explain(&path, error.inner().message().trim())
    })
}

/// What serde said about a path, as a coded error.
fn explain(path: &str, message: &str) -> Refused {
    let mut quoted = message.split('`').skip(1).step_by(2);
    if message.starts_with("unknown field") {
        let key = quoted.next().unwrap_or_default();
        let known: Vec<&str> = quoted.collect();
        return unknown_key(path, key, &known);
    }
    if message.starts_with("missing field") {
        let key = quoted.next().unwrap_or_default();
        let table = if path.is_empty() { String::new() } else { format!("{path}.") };
        let error = InputError::new(
            Code::WRONG_TYPE,
            format!("{table}{key}"),
            format!("{key} is missing"),
            format!("add {key} = … to the table; `percussion list schema` shows every key"),
        );
        return (error.into(), Part::Value);
    }
    let error =
        InputError::new(Code::WRONG_TYPE, path, message, "`percussion list schema` shows the kind of every value");
    (error.into(), Part::Value)
}

/// A key no table of that kind has.
pub fn unknown_key(table: &str, key: &str, known: &[&str]) -> Refused {
    // the path of an unknown key may or may not end in the key itself
    let table = table.strip_suffix(key).map_or(table, |t| t.strip_suffix('.').unwrap_or(t));
    let field = if table.is_empty() { key.to_string() } else { format!("{table}.{key}") };
    let help = suggest::help(key, known.iter().copied());
    let message =
        if table.is_empty() { format!("a scenario has no key {key}") } else { format!("[{table}] has no key {key}") };
    let error: Box<ScenarioError> = InputError::new(Code::UNKNOWN_KEY, field, message, help).into();
    (error, Part::Key)
}
