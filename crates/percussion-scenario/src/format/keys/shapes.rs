//! `shape = { kind = "…", … }` of a body: words and keys are those of the shapes themselves.

use crate::format::record::{FromValue, Place, Read, read_table, take_kind, unknown_kind};
use percussion_model::Form;
use percussion_model::bodies::Shape;
use toml::{Table, Value};

/// A shape as written.
#[derive(Clone, Debug)]
pub struct ShapeSpec {
    /// One of the words of [`Shape::KINDS`].
    pub kind: String,
    /// Its keys.
    pub keys: Table,
}

impl FromValue for ShapeSpec {
    fn from_value(value: Value, _: &Form, at: &Place) -> Read<Self> {
        let (kind, rest) = take_kind(value, Shape::NAMES, at)?;
        match Shape::KINDS.iter().find(|known| known.name == kind || known.also.contains(&kind.as_str())) {
            Some(known) => Ok(Self { kind, keys: read_table(rest, known.keys, at)? }),
            None => Err(unknown_kind(&kind, Shape::NAMES, at)),
        }
    }
}
