//! From a shape as typed to a shape: each reads its own keys.

use crate::build::bodies::below;
use crate::build::keys::Keys;
use crate::build::load::Source;
use crate::error::Result;
use crate::format::keys::shapes::ShapeSpec;
use percussion_model::bodies::Shape;
use percussion_model::{Code, InputError};

/// The shape of a body; fields are named relative to the body.
pub fn shape(spec: &ShapeSpec, planar: bool, source: &Source) -> Result<Shape> {
    let keys = Keys { table: &spec.keys, source, earlier: &[] };
    let unknown = || {
        let message = format!("there is no shape \"{}\"", spec.kind);
        Err(InputError::new(Code::UNKNOWN_KIND, "kind", message, "`percussion list schema` shows the kinds").into())
    };
    Shape::read(&spec.kind, &keys, planar).unwrap_or_else(unknown).map_err(|error| below(error, "shape"))
}
