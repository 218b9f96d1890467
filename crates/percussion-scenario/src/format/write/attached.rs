//! What stands in a file of its own beside `scenario.toml`.

use crate::exchange::matrix_market;
use crate::format::values::VectorSpec;
use crate::run::plain_file;
use percussion_matrix::{DenseMatrix, Matrix};
use std::borrow::Cow;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;

/// Numbers up to which a vector is written out.
const WRITTEN_OUT: usize = 2000;

/// The content of a file beside a scenario.
#[derive(Clone, Debug)]
pub enum Attached<'a> {
    /// A matrix, or a vector as a matrix of one column.
    Matrix(Cow<'a, Matrix>),
    /// A file as it was, such as a mesh.
    Bytes(Arc<[u8]>),
}

impl Attached<'_> {
    /// Writes the file.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        match self {
            Self::Matrix(A) => {
                let mut out = BufWriter::new(plain_file::create(path)?);
                matrix_market::write(&mut out, A)?;
                out.flush()
            }
            Self::Bytes(bytes) => plain_file::write(path, bytes),
        }
    }
}

/// A vector as it is written: in the scenario, or in a file where it is long.
pub fn vector(key: &str, x: &[f64], files: &mut Vec<(String, Attached)>) -> VectorSpec {
    if x.len() <= WRITTEN_OUT {
        return VectorSpec::Each(x.to_vec());
    }
    let mut column = DenseMatrix::zeros(x.len(), 1);
    column.values_mut().copy_from_slice(x);
    let name = format!("{key}.mtx");
    files.push((name.clone(), Attached::Matrix(Cow::Owned(Matrix::Dense(column)))));
    VectorSpec::File(name)
}
