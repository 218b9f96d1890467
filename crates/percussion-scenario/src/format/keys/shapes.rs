//! `shape = { kind = "…", … }` of a body and `shapes = [ … ]` of one that has several: words and keys are those of the shapes themselves.

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

/// One of several shapes as written: the keys of a shape and those of its place.
#[derive(Clone, Debug, PartialEq)]
pub struct PieceSpec(pub ShapeSpec);

fn read(value: Value, kinds: &'static [Kind], at: &Place) -> Read<ShapeSpec> {
    let (kind, rest) = take_kind(value, Shape::NAMES, at)?;
    match known(&kind, kinds) {
        Some(known) => Ok(ShapeSpec { kind, keys: read_table(rest, known.keys, at)? }),
        None => Err(unknown_kind(&kind, Shape::NAMES, at)),
    }
}

fn known(kind: &str, kinds: &'static [Kind]) -> Option<&'static Kind> {
    kinds.iter().find(|known| known.name == kind || known.also.contains(&kind))
}

fn lines(spec: &ShapeSpec, kinds: &'static [Kind]) -> Option<Lines> {
    let mut lines = Lines::new();
    push(&mut lines, "kind", &spec.kind);
    lines.extend(table_lines(&spec.keys, known(&spec.kind, kinds)?.keys));
    Some(lines)
}

impl FromValue for ShapeSpec {
    fn from_value(value: Value, _: &Form, at: &Place) -> Read<Self> {
        read(value, Shape::KINDS, at)
    }
}

impl FromValue for PieceSpec {
    fn from_value(value: Value, _: &Form, at: &Place) -> Read<Self> {
        read(value, Shape::PLACED, at).map(Self)
    }
}

impl ToText for ShapeSpec {
    fn text(&self) -> Option<String> {
        self.lines().as_ref().map(inline)
    }

    fn lines(&self) -> Option<Lines> {
        lines(self, Shape::KINDS)
    }
}

impl ToText for PieceSpec {
    fn text(&self) -> Option<String> {
        self.lines().as_ref().map(inline)
    }

    fn lines(&self) -> Option<Lines> {
        lines(&self.0, Shape::PLACED)
    }
}
