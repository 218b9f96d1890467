//! `shape = { kind = "…", … }` of a body: words and keys are those of the shapes themselves.

use crate::format::record::{FromValue, Place, Read, read_table, take_kind, unknown_kind};
use crate::format::text::{Lines, ToText, inline, push, table_lines};
use percussion_model::bodies::Shape;
use percussion_model::{Form, Kind};
use toml::{Table, Value};

/// A shape as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeSpec {
    /// One of the words of [`Shape::KINDS`].
    pub kind: String,
    /// Its keys.
    pub keys: Table,
}

impl FromValue for ShapeSpec {
    fn from_value(value: Value, _: &Form, at: &Place) -> Read<Self> {
        let (kind, rest) = take_kind(value, Shape::NAMES, at)?;
        match known(&kind) {
            Some(known) => Ok(Self { kind, keys: read_table(rest, known.keys, at)? }),
            None => Err(unknown_kind(&kind, Shape::NAMES, at)),
        }
    }
}

fn known(kind: &str) -> Option<&'static Kind> {
    Shape::KINDS.iter().find(|known| known.name == kind || known.also.contains(&kind))
}

impl ToText for ShapeSpec {
    fn text(&self) -> Option<String> {
        self.lines().as_ref().map(inline)
    }

    fn lines(&self) -> Option<Lines> {
        let mut lines = Lines::new();
        push(&mut lines, "kind", &self.kind);
        lines.extend(table_lines(&self.keys, known(&self.kind)?.keys));
        Some(lines)
    }
}
