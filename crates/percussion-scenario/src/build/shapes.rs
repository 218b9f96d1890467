//! From a shape as typed to a shape: each reads its own keys.

use crate::build::bodies::{below, size, unknown};
use crate::build::keys::Keys;
use crate::build::load::Source;
use crate::error::Result;
use crate::format::keys::bodies::BodySpec;
use crate::format::keys::shapes::{PieceSpec, ShapeSpec};
use percussion_matrix::math;
use percussion_model::bodies::{Frame, Materials, Piece, Shape};
use percussion_model::{Code, InputError, Values};

/// The shape of a body, or its several; fields are named relative to the body.
pub fn shapes(spec: &BodySpec, planar: bool, materials: &Materials, source: &Source) -> Result<Shape> {
    match (&spec.shape, &spec.shapes) {
        (Some(_), Some(_)) => {
            let help = "put the one shape into the list";
            Err(InputError::new(Code::CONTRADICTION, "shapes", "shape and shapes are both given", help).into())
        }
        (None, None) => Ok(Shape::point()),
        (Some(one), None) => shape(one, planar, source).map_err(|error| below(error, "shape")),
        (None, Some(several)) => {
            let mut pieces = Vec::new();
            for (k, piece) in several.iter().enumerate() {
                let at = |error| below(error, &format!("shapes[{k}]"));
                placed(piece, planar, materials, source, &mut pieces).map_err(at)?;
            }
            Ok(Shape::compound(pieces))
        }
    }
}

/// A shape at its place; one that is itself made of pieces brings all of them.
fn placed(spec: &PieceSpec, planar: bool, materials: &Materials, source: &Source, out: &mut Vec<Piece>) -> Result<()> {
    let keys = Keys { table: &spec.0.keys, source, earlier: &[] };
    let position = keys.vector("position", planar)?.unwrap_or_default();
    let turn = match (keys.get::<Vec<f64>>("rotation")?.as_deref(), keys.number("angle")?) {
        (Some(_), Some(_)) => {
            let message = "angle and rotation both turn the shape";
            return Err(InputError::new(Code::CONTRADICTION, "angle", message, "give one").into());
        }
        (None, Some(_)) if !planar => {
            let help = "use rotation = [w, x, y, z]";
            return Err(InputError::new(Code::CONTRADICTION, "angle", "angle is for planar scenes", help).into());
        }
        (Some(&[w, x, y, z]), None) => [w, x, y, z],
        (Some(other), None) => return Err(size(other.len(), 4, "rotation")),
        (None, angle) => {
            let (s, c) = math::sin_cos(0.5 * angle.unwrap_or(0.0));
            [c, 0.0, 0.0, s]
        }
    };
    let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
    if (length - 1.0).abs() > 1e-6 || planar && (turn[1] != 0.0 || turn[2] != 0.0) {
        let message = format!("the quaternion {turn:?} has length {length} or leaves the plane");
        return Err(InputError::new(Code::BAD_ROTATION, "rotation", message, "give a unit quaternion").into());
    }
    let material = match keys.get::<String>("material")? {
        None => None,
        Some(name) => {
            let names = materials.names().iter().map(String::as_str);
            Some(materials.find(&name).ok_or_else(|| unknown(&name, "material".into(), names))?)
        }
    };
    let shape = shape(&spec.0, planar, source)?;
    let here = Piece::new(shape, position, &turn, material);
    if here.shape.pieces().is_empty() {
        out.push(here);
    } else {
        let within = |piece: &Piece| Piece { frame: Frame::then(&here.frame, &piece.frame), material, ..piece.clone() };
        out.extend(here.shape.pieces().iter().map(within));
    }
    Ok(())
}

/// A shape; fields are named relative to it.
fn shape(spec: &ShapeSpec, planar: bool, source: &Source) -> Result<Shape> {
    let keys = Keys { table: &spec.keys, source, earlier: &[] };
    let no_such = || {
        let message = format!("there is no shape \"{}\"", spec.kind);
        Err(InputError::new(Code::UNKNOWN_KIND, "kind", message, "`percussion list schema` shows the kinds").into())
    };
    Shape::read(&spec.kind, &keys, planar).unwrap_or_else(no_such)
}
