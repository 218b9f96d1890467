//! Records as TOML: what the reader reads, written so that it reads back to the same bits.

use super::values::{Either, ListSpec, MatrixSpec, RowSpec, Spread};
use super::write::{list, number, quoted};
use percussion_model::Key;
use std::fmt::Write as _;
use toml::{Table, Value};

/// One table: its keys and what stands there.
pub type Lines = Vec<(&'static str, Entry)>;

/// What stands at a key.
pub enum Entry {
    /// After `key = `.
    Value(String),
    /// In tables of its own, `[[key]]`.
    Tables(Vec<Lines>),
}

/// What can be written into a scenario.
pub trait ToText {
    /// As it stands after `key = `; none where the key is left out.
    fn text(&self) -> Option<String>;

    /// The keys of a record.
    fn lines(&self) -> Option<Lines> {
        None
    }

    /// The tables of a list of records.
    fn tables(&self) -> Option<Vec<Lines>> {
        None
    }
}

/// Adds a key, unless it is left out.
pub fn push(lines: &mut Lines, key: &'static str, value: &impl ToText) {
    match value.tables() {
        Some(tables) if tables.is_empty() => {}
        Some(tables) => lines.push((key, Entry::Tables(tables))),
        None => lines.extend(value.text().map(|text| (key, Entry::Value(text)))),
    }
}

/// `{ a = 1, b = 2 }`.
pub fn inline(lines: &Lines) -> String {
    let entry = |(key, entry): &(&str, Entry)| match entry {
        Entry::Value(text) => format!("{key} = {text}"),
        Entry::Tables(tables) => format!("{key} = {}", list(tables.iter().map(inline))),
    };
    let entries: Vec<String> = lines.iter().map(entry).collect();
    format!("{{ {} }}", entries.join(", "))
}

/// One key a line, then the tables below, which are called `prefix` and their key.
pub fn write_lines(text: &mut String, lines: &Lines, prefix: &str) {
    for (key, entry) in lines {
        if let Entry::Value(value) = entry {
            let _ = writeln!(text, "{key} = {value}");
        }
    }
    for (key, entry) in lines {
        let Entry::Tables(tables) = entry else { continue };
        for table in tables {
            let _ = writeln!(text, "\n[[{prefix}{key}]]");
            write_lines(text, table, &format!("{prefix}{key}."));
        }
    }
}

/// The keys of a table that its owner reads itself, in their order.
pub fn table_lines(table: &Table, keys: &[Key]) -> Lines {
    keys.iter().filter_map(|key| Some((key.name, Entry::Value(value_text(table.get(key.name)?))))).collect()
}

/// A value, its numbers with the digits of all numbers.
fn value_text(value: &Value) -> String {
    match value {
        Value::Float(x) => number(*x),
        Value::Array(entries) => list(entries.iter().map(value_text)),
        Value::String(text) => quoted(text),
        Value::Integer(_) | Value::Boolean(_) | Value::Datetime(_) | Value::Table(_) => value.to_string(),
    }
}

macro_rules! plain {
    ($($type:ty, $x:ident => $text:expr;)*) => {$(
        impl ToText for $type {
            fn text(&self) -> Option<String> {
                let $x = self;
                Some($text)
            }
        }
    )*};
}

plain! {
    f64, x => number(*x);
    i64, n => n.to_string();
    u64, n => n.to_string();
    bool, flag => flag.to_string();
    String, text => quoted(text);
    Value, value => value.to_string();
}

impl<T: ToText> ToText for Option<T> {
    fn text(&self) -> Option<String> {
        self.as_ref().and_then(ToText::text)
    }
}

impl<T: ToText> ToText for Vec<T> {
    fn text(&self) -> Option<String> {
        Some(list(self.iter().filter_map(ToText::text)))
    }

    fn tables(&self) -> Option<Vec<Lines>> {
        self.iter().map(ToText::lines).collect()
    }
}

impl<T: ToText, const N: usize> ToText for [T; N] {
    fn text(&self) -> Option<String> {
        Some(list(self.iter().filter_map(ToText::text)))
    }
}

impl<A: ToText, B: ToText> ToText for Either<A, B> {
    fn text(&self) -> Option<String> {
        match self {
            Self::One(one) => one.text(),
            Self::Other(other) => other.text(),
        }
    }
}

impl<T: ToText> ToText for Spread<T> {
    fn text(&self) -> Option<String> {
        match self {
            Self::All(x) => x.text(),
            Self::Each(list) => list.text(),
        }
    }
}

impl ToText for MatrixSpec {
    fn text(&self) -> Option<String> {
        match self {
            Self::Rows(rows) => rows.text(),
            Self::File(name) => Some(format!("{{ file = {} }}", quoted(name))),
        }
    }
}

impl<T: ToText> ToText for ListSpec<T> {
    fn text(&self) -> Option<String> {
        match self {
            Self::Each(list) => list.text(),
            Self::File(name) => Some(format!("{{ file = {} }}", quoted(name))),
        }
    }
}

impl ToText for RowSpec {
    fn text(&self) -> Option<String> {
        match self {
            Self::Dense(row) => row.text(),
            Self::Sparse(row) => {
                let entries: Vec<String> = row.iter().map(|&(i, x)| format!("{i} = {}", number(x))).collect();
                Some(format!("{{ {} }}", entries.join(", ")))
            }
        }
    }
}
