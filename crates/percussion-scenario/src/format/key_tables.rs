//! The keys of a scenario as the tables of the book: one per TOML table, one row per key.

use super::keys::SCENARIO;
use percussion_model::{Form, Key, KeyDefault};
use percussion_step::SCHEMES;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use toml::{Table, Value};

/// Forms that are values, not tables; listed once, below the tables.
const VALUES: [&str; 7] = ["signal", "matrix", "row", "spread", "vector", "numbers", "tolerance"];

/// Every table and every key, as Markdown.
pub fn key_tables() -> String {
    let mut page = Page { text: String::new(), values: String::new(), done: BTreeSet::new() };
    page.heading("The top level", "");
    page.table("", SCENARIO);
    let Page { mut text, values, .. } = page;
    text.push_str("\n## Values that may be written in several ways\n\n| value | written as |\n|---|---|\n");
    text.push_str(&values);
    text
}

/// Comments that name the keys a scenario does not write, table by table; the parameters of other schemes left out.
pub fn unwritten_keys(scenario: &str) -> String {
    let table: Table = scenario.parse().unwrap_or_default();
    let mut text = "# Keys that are not written above, and what holds without them:\n".to_string();
    comments(&mut text, "", &Value::Table(table), SCENARIO);
    text
}

fn comments(text: &mut String, path: &str, table: &Value, keys: &'static [Key]) {
    let scheme = table.get("name").and_then(Value::as_str).unwrap_or_default();
    // a scheme's own rows have its own defaults
    let entry = SCHEMES.iter().find(|entry| path == "scheme" && entry.name == scheme);
    for key in entry.map_or(keys, |entry| entry.parameters) {
        let path = if path.is_empty() { key.name.to_string() } else { format!("{path}.{}", key.name) };
        match table.get(key.name) {
            Some(value) => below_comments(text, &path, value, &key.form),
            None if path.contains('.') => {
                let unit = if key.unit.is_empty() { String::new() } else { format!(" [{}]", key.unit) };
                let _ = writeln!(text, "# {path}: {}{unit} ({})", key.meaning, absent(key).replace(['`', '*'], ""));
            }
            None => {}
        }
    }
}

fn below_comments(text: &mut String, path: &str, value: &Value, form: &'static Form) {
    match form {
        Form::Table(keys) => comments(text, path, value, keys),
        Form::Kinds(kinds) => {
            let word = value.get("kind").and_then(Value::as_str);
            if let Some(kind) = kinds.iter().find(|kind| Some(kind.name) == word) {
                comments(text, path, value, kind.keys);
            }
        }
        Form::List { of, .. } if matches!(of, Form::Table(_)) => {
            if let Some(first) = value.get(0) {
                below_comments(text, path, first, of);
            }
        }
        Form::Named(_, form) => below_comments(text, path, value, form),
        Form::List { .. }
        | Form::OneOf(_)
        | Form::Number(_)
        | Form::Integer { .. }
        | Form::Flag
        | Form::Text
        | Form::Word(_)
        | Form::Entries
        | Form::Any => {}
    }
}

/// What holds when a key is absent.
fn absent(key: &Key) -> String {
    match key.default {
        KeyDefault::Required => "**required**".to_string(),
        KeyDefault::Number(x) => format!("`{x:?}`"),
        KeyDefault::Integer(n) => format!("`{n}`"),
        KeyDefault::Word(word) => format!("`\"{word}\"`"),
        KeyDefault::Flag(flag) => format!("`{flag}`"),
        KeyDefault::Absent(meaning) => meaning.to_string(),
    }
}

struct Page {
    text: String,
    /// Rows of the last table.
    values: String,
    /// Named forms that have been shown.
    done: BTreeSet<&'static str>,
}

impl Page {
    fn heading(&mut self, heading: &str, sentence: &str) {
        let _ = writeln!(self.text, "\n## {heading}");
        if !sentence.is_empty() {
            let _ = writeln!(self.text, "\n{sentence}.");
        }
    }

    /// The keys of one table, then the tables below it.
    fn table(&mut self, path: &str, keys: &'static [Key]) {
        if keys.is_empty() {
            return;
        }
        self.text.push_str("\n| key | value | unit | when absent | meaning |\n|---|---|---|---|---|\n");
        for key in keys {
            let (name, value) = (key.name, shown(&key.form));
            let _ = writeln!(self.text, "| `{name}` | {value} | {} | {} | {} |", key.unit, absent(key), key.meaning);
        }
        for key in keys {
            let path = if path.is_empty() { key.name.to_string() } else { format!("{path}.{}", key.name) };
            self.below(&path, &key.form, false);
        }
    }

    /// The tables that a form holds.
    fn below(&mut self, path: &str, form: &'static Form, listed: bool) {
        match form {
            Form::Table(keys) => {
                self.heading(&if listed { format!("`[[{path}]]`") } else { format!("`[{path}]`") }, "");
                self.table(path, keys);
            }
            Form::Kinds(kinds) => {
                for kind in *kinds {
                    self.heading(&format!("`{path}` of `kind = \"{}\"`", kind.name), kind.meaning);
                    self.table(path, kind.keys);
                }
            }
            Form::List { of, .. } => self.below(path, of, true),
            Form::OneOf(forms) => forms.iter().for_each(|form| self.below(path, form, listed)),
            Form::Named(name, form) => {
                let first = self.done.insert(name);
                if first && VALUES.contains(name) {
                    let _ = writeln!(self.values, "| {name} | {form} |");
                } else if first {
                    self.below(path, form, listed);
                }
            }
            Form::Number(_)
            | Form::Integer { .. }
            | Form::Flag
            | Form::Text
            | Form::Word(_)
            | Form::Entries
            | Form::Any => {}
        }
    }
}

/// A form in a cell: tables by the word, shared values by their names.
fn shown(form: &Form) -> String {
    match form {
        Form::Table(_) | Form::Kinds(_) => "table".into(),
        Form::Named(name, _) if VALUES.contains(name) => (*name).into(),
        Form::Named(_, form) => shown(form),
        Form::List { of: Form::Table(_) | Form::Kinds(_), .. } => "list of tables".into(),
        Form::List { of, least, most } if least == most => format!("list of {least}: {}", shown(of)),
        Form::List { of, least: _, most: usize::MAX } => format!("list: {}", shown(of)),
        Form::List { of, least, most } => format!("list of {least} to {most}: {}", shown(of)),
        Form::OneOf(forms) => forms.iter().map(shown).collect::<Vec<_>>().join(" or "),
        Form::Number(_)
        | Form::Integer { .. }
        | Form::Flag
        | Form::Text
        | Form::Word(_)
        | Form::Entries
        | Form::Any => form.to_string(),
    }
}
