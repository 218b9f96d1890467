//! The keys of a table as shapes and joints ask for them.

use crate::build::bodies::{unknown, vector};
use crate::build::load::Source;
use crate::build::scenario_folder::bytes;
use crate::error::{Result, ScenarioError};
use crate::exchange::mesh;
use crate::format::record::{FromValue, Place};
use percussion_model::bodies::{JointParts, TriangleMesh};
use percussion_model::{Code, Form, InputError, JointValues, Values};
use toml::Table;

/// The keys of a table, whose values are of their forms.
pub struct Keys<'a> {
    /// The values.
    pub table: &'a Table,
    /// Where files are looked for.
    pub source: &'a Source,
    /// The joints before this one; none for shapes.
    pub earlier: &'a [JointParts],
}

impl Keys<'_> {
    pub(super) fn get<T: FromValue>(&self, key: &'static str) -> Result<Option<T>> {
        let read = |value: &toml::Value| T::from_value(value.clone(), &Form::Any, &Place::top(key));
        self.table.get(key).map(read).transpose().map_err(|(error, _)| error)
    }
}

impl Values for Keys<'_> {
    type Error = Box<ScenarioError>;

    fn number(&self, key: &'static str) -> Result<Option<f64>> {
        self.get(key)
    }

    fn vector(&self, key: &'static str, planar: bool) -> Result<Option<[f64; 3]>> {
        self.get::<Vec<f64>>(key)?.map(|x| vector(&x, planar, key)).transpose()
    }

    fn rows(&self, key: &'static str) -> Result<Option<Vec<Vec<f64>>>> {
        self.get(key)
    }

    fn points<const N: usize>(&self, key: &'static str) -> Result<Option<Vec<[f64; N]>>> {
        self.get(key)
    }

    fn triples(&self, key: &'static str) -> Result<Option<Vec<[i64; 3]>>> {
        self.get(key)
    }

    fn surface(&self, key: &'static str, scale: f64) -> Result<Option<TriangleMesh>> {
        self.get::<String>(key)?.map(|name| mesh_file(&name, scale, self.source)).transpose()
    }

    fn missing(&self, key: &'static str) -> Box<ScenarioError> {
        InputError::new(Code::WRONG_TYPE, key, format!("{key} is missing"), format!("add {key} = … to the table"))
            .into()
    }
}

impl JointValues for Keys<'_> {
    fn joints(&self, key: &'static str) -> Result<Option<[usize; 2]>> {
        let number = |name: &String| {
            let known = self.earlier.iter().map(|joint| joint.name.as_str());
            self.earlier
                .iter()
                .position(|joint| joint.name == *name)
                .ok_or_else(|| unknown(name, key.into(), known.clone()))
        };
        let Some([a, b]) = self.get::<[String; 2]>(key)? else { return Ok(None) };
        Ok(Some([number(&a)?, number(&b)?]))
    }
}

/// A mesh from a file of the scenario's folder.
fn mesh_file(name: &str, scale: f64, source: &Source) -> Result<TriangleMesh> {
    let (bytes, _) = bytes(name, "file", source)?;
    let mut mesh = mesh::read(name, &bytes)?;
    if !(scale > 0.0 && scale.is_finite()) {
        let message = format!("scale = {scale} is not positive");
        return Err(InputError::new(Code::BAD_SIZE, "scale", message, "give metres per unit of the file").into());
    }
    mesh.vertices.iter_mut().flatten().for_each(|x| *x *= scale);
    Ok(mesh)
}
