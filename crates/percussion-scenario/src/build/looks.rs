//! What bodies look like in pictures, where that is not what they are to others: meshes with a colour.

use crate::build::bodies::{below, size, vector};
use crate::build::load::Source;
use crate::build::scenario_folder::bytes;
use crate::error::Result;
use crate::exchange::mesh;
use crate::format::keys::bodies::{BodySpec, LookSpec};
use percussion_model::bodies::TriangleMesh;
use percussion_model::bodies::math::{add, mul, rotation};
use percussion_model::{Code, InputError};
use std::ops::Range;
use std::sync::Arc;

/// A mesh that a picture shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Number of the body.
    pub body: usize,
    /// As typed.
    pub spec: LookSpec,
    /// The file.
    pub bytes: Arc<[u8]>,
    /// In the frame of the body.
    pub mesh: TriangleMesh,
}

impl Look {
    /// What its file's name ends with.
    pub fn ending(&self) -> &str {
        self.spec.file.rsplit('.').next().unwrap_or("obj")
    }
}

/// The looks of a body as typed, for each of the bodies it stands for; fields are named relative to it.
pub fn of_body(spec: &BodySpec, bodies: Range<usize>, planar: bool, source: &Source) -> Result<Vec<Look>> {
    let mut found = Vec::new();
    for (k, look) in spec.looks.iter().flatten().enumerate() {
        let one = read(look, planar, source).map_err(|error| below(error, &format!("looks[{k}]")))?;
        found.extend(bodies.clone().map(|body| Look { body, ..one.clone() }));
    }
    Ok(found)
}

fn read(spec: &LookSpec, planar: bool, source: &Source) -> Result<Look> {
    if planar {
        let help = "leave it out: a plane scene is drawn by its shapes";
        return Err(InputError::new(Code::CONTRADICTION, "file", "meshes are shown in space", help).into());
    }
    let (bytes, _) = bytes(&spec.file, "file", source)?;
    let mut mesh = mesh::read(&spec.file, &bytes)?;
    let at = spec.position.as_ref().map_or(Ok([0.0; 3]), |x| vector(x, false, "position"))?;
    let turn = match spec.rotation.as_deref() {
        None => [1.0, 0.0, 0.0, 0.0],
        Some(&[w, x, y, z]) => [w, x, y, z],
        Some(other) => return Err(size(other.len(), 4, "rotation")),
    };
    let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
    if (length - 1.0).abs() > 1e-6 {
        let message = format!("the quaternion {turn:?} has length {length}");
        return Err(InputError::new(Code::BAD_ROTATION, "rotation", message, "give a unit quaternion").into());
    }
    let R = rotation(&turn);
    mesh.vertices.iter_mut().for_each(|v| *v = add(&at, &mul(&R, v)));
    Ok(Look { body: 0, spec: spec.clone(), bytes, mesh })
}
