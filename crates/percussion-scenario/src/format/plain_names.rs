//! Names that could pass for lines of the program: a control character in a name is refused where it stands.

use super::locate::Part;
use super::record::{Place, Read};
use percussion_model::{Code, InputError};
use toml::{Table, Value};

/// Refuses every `name` with a control character, at any depth.
pub fn refuse_control_characters(table: &Table) -> Read<()> {
    in_table(table, &Place::top(""))
}

fn in_table(table: &Table, at: &Place) -> Read<()> {
    table.iter().try_for_each(|(key, value)| in_value(key, value, &at.key(key)))
}

fn in_value(key: &str, value: &Value, at: &Place) -> Read<()> {
    match value {
        Value::Table(table) => in_table(table, at),
        // lists of numbers are long
        Value::Array(list) if !matches!(list.first(), Some(Value::Table(_) | Value::Array(_))) => Ok(()),
        Value::Array(list) => list.iter().enumerate().try_for_each(|(i, value)| in_value(key, value, &at.index(i))),
        Value::String(text) if key == "name" && text.chars().any(char::is_control) => {
            let message = "a name holds a control character, such as the end of a line";
            let help = "write the name on one line, without tabs";
            let error = InputError::new(Code::BAD_NAME, at.to_string(), message, help);
            Err((error.into(), Part::Value))
        }
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => Ok(()),
    }
}
