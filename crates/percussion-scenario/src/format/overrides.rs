//! `--set key=value`: one key of the scenario changed from outside.

use crate::error::{Result, ScenarioError};
use crate::format::locate::{Segment, segments};
use crate::format::nesting::is_shallow;
use percussion_model::Code;
use toml::{Table, Value};

/// Parts of a key at most; a scenario has six.
const MAX_PARTS: usize = 40;

/// A key and its new value, with the words it was asked for in.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// As typed: `--set scheme.theta=0.6`.
    pub label: String,
    /// The dotted key.
    pub field: String,
    /// The value.
    pub value: Value,
}

impl Override {
    /// From `key=value`; the value is TOML, a bare word is text.
    pub fn parse(text: &str) -> Result<Self> {
        let label = format!("--set {text}");
        let refuse = |message: &str| {
            Err(ScenarioError::file(
                Code::BAD_OVERRIDE,
                label.clone(),
                message,
                "write --set key=value, such as --set scheme.theta=0.6 or --set model.contact.0.restitution=0.5",
            ))
        };
        let Some((field, value)) = text.split_once('=') else {
            return refuse("there is no = between key and value");
        };
        let (field, value) = (field.trim(), value.trim());
        if field.is_empty() || field.split('.').any(|part| part.trim().is_empty()) {
            return refuse("the key is empty or has an empty part");
        }
        if !is_shallow(value) {
            return refuse("the value's brackets lie too deep in each other");
        }
        let value = match value.parse::<Value>() {
            Ok(value) => value,
            Err(_) if is_bare(value) => Value::String(value.to_string()),
            Err(_) => {
                let message = "the value is not valid TOML";
                let help = "numbers, lists and tables as in TOML; text of several words in quotes: --set 'dynamics.section=\"q0 > 0.5\"'";
                return Err(ScenarioError::file(Code::BAD_OVERRIDE, label.clone(), message, help));
            }
        };
        Ok(Self { label, field: field.to_string(), value })
    }

    /// From another option of the command line that sets one key.
    pub fn option(label: String, field: &str, value: Value) -> Self {
        Self { label, field: field.to_string(), value }
    }

    /// Whether it changes this table of the scenario, or a key of it.
    pub fn is_of(&self, table: &str) -> bool {
        segments(&self.field).first().is_some_and(|first| text(first) == table)
    }

    /// Whether an error about `field` concerns what this override set.
    pub fn concerns(&self, field: &str) -> bool {
        let (mine, theirs) = (segments(&self.field), segments(field));
        mine.len() <= theirs.len() && mine.iter().zip(&theirs).all(|(a, b)| text(a) == text(b))
    }

    /// Changes the table.
    pub fn apply(&self, table: &mut Table) -> Result<()> {
        let path = segments(&self.field);
        let refuse = |message: String, help: &str| {
            Err(ScenarioError::file(Code::BAD_OVERRIDE, self.label.clone(), message, help).about(self.field.clone()))
        };
        if path.len() > MAX_PARTS {
            // tables in tables without end: whoever walks or frees them runs out of stack
            let label: String = self.label.chars().take(60).chain("…".chars()).collect();
            let message = format!("the key has {} parts; the limit is {MAX_PARTS}", path.len());
            return Err(ScenarioError::file(Code::BAD_OVERRIDE, label, message, "name a key of the scenario"));
        }
        let Some((first, rest)) = path.split_first() else {
            return refuse("the key is empty".into(), "name a key");
        };
        let mut here: &mut Value = match rest {
            [] => {
                table.insert(text(first), self.value.clone());
                return Ok(());
            }
            _ => table.entry(text(first)).or_insert_with(|| Value::Table(Table::new())),
        };
        for (k, segment) in rest.iter().enumerate() {
            let (last, name) = (k + 1 == rest.len(), text(segment));
            match here {
                Value::Table(inner) if last => {
                    inner.insert(name, self.value.clone());
                    return Ok(());
                }
                Value::Table(inner) => here = inner.entry(name).or_insert_with(|| Value::Table(Table::new())),
                Value::Array(list) => {
                    let length = list.len();
                    let element = name.parse().ok().and_then(|k: usize| list.get_mut(k));
                    match element {
                        Some(element) if last => {
                            *element = self.value.clone();
                            return Ok(());
                        }
                        Some(element) => here = element,
                        None => {
                            let message = format!("there is no entry {name} in a list of {length}");
                            return refuse(message, "entries are numbered from 0");
                        }
                    }
                }
                other => {
                    let message = format!("{name} is looked for inside a {}", other.type_str());
                    return refuse(message, "only tables and lists have parts");
                }
            }
        }
        Ok(())
    }
}

fn text(segment: &Segment) -> String {
    match segment {
        Segment::Key(key) => key.clone(),
        Segment::Index(k) => k.to_string(),
    }
}

fn is_bare(value: &str) -> bool {
    value.starts_with(|c: char| c.is_alphabetic()) && value.chars().all(|c| c.is_alphanumeric() || "-_. /".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of many parts overflowed the stack, found by fuzzing with long inputs.
    #[test]
    fn keys_without_end() {
        for n in [41, 100_000] {
            let text = format!("{}a=1", "a.".repeat(n - 1));
            let mut table = Table::new();
            let error = Override::parse(&text).and_then(|set| set.apply(&mut table)).unwrap_err();
            assert!(error.code == Code::BAD_OVERRIDE && error.message.contains("parts"), "{}", error.message);
        }
        let mut table = Table::new();
        Override::parse(&format!("{}a=1", "a.".repeat(39))).and_then(|set| set.apply(&mut table)).expect("40 parts");
    }

    fn with(text: &str, set: &str) -> Result<Table> {
        let mut table: Table = text.parse().expect("test text is TOML");
        Override::parse(set)?.apply(&mut table)?;
        Ok(table)
    }

    /// Numbers, words, lists, list entries and tables that were not there.
    #[test]
    fn values_and_places() {
        let text = "[model]\nq0 = [1.0, 2.0]\n[[model.contact]]\nrestitution = 0.8\n";
        assert_eq!(with(text, "model.q0.1=3.5").expect("index")["model"]["q0"][1].as_float(), Some(3.5));
        assert_eq!(with(text, "model.q0[0]=1").expect("index")["model"]["q0"][0].as_integer(), Some(1));
        assert_eq!(with(text, "scheme.name=newmark").expect("word")["scheme"]["name"].as_str(), Some("newmark"));
        assert_eq!(with(text, "output.every=5").expect("new table")["output"]["every"].as_integer(), Some(5));
        let contact = with(text, "model.contact.0.restitution=0.1").expect("nested");
        assert_eq!(contact["model"]["contact"][0]["restitution"].as_float(), Some(0.1));
    }

    /// What cannot be applied is refused with E107.
    #[test]
    fn refusals() {
        let text = "[model]\nq0 = [1.0]\n";
        for set in ["model.q0.7=1", "noequals", "=1", "a..b=1", "model.q0.0.x=1", "model.q0=[1", "x=1\ny=2"] {
            let error = with(text, set).expect_err(set);
            assert_eq!(error.code, Code::BAD_OVERRIDE, "{set}");
        }
    }
}
