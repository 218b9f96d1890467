//! What stands in a file of its own beside `scenario.toml`.

use crate::exchange::{binary_matrix, matrix_market};
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
                if is_large(A) {
                    binary_matrix::write(&mut out, A)?;
                } else {
                    matrix_market::write(&mut out, A)?;
                }
                out.flush()
            }
            Self::Bytes(bytes) => plain_file::write(path, bytes),
        }
    }
}

/// Whether a matrix is stored in binary: nobody reads so many numbers.
fn is_large(A: &Matrix) -> bool {
    A.n_rows() > WRITTEN_OUT
}

/// The name of the file a matrix goes to.
pub fn attached_matrix<'a>(key: &str, A: Cow<'a, Matrix>, files: &mut Vec<(String, Attached<'a>)>) -> String {
    let name = format!("{key}.{}", if is_large(&A) { "bin" } else { "mtx" });
    files.push((name.clone(), Attached::Matrix(A)));
    name
}

/// A vector as it is written: in the scenario, or in a file where it is long.
pub fn vector(key: &str, x: &[f64], files: &mut Vec<(String, Attached)>) -> VectorSpec {
    if x.len() <= WRITTEN_OUT {
        return VectorSpec::Each(x.to_vec());
    }
    let mut column = DenseMatrix::zeros(x.len(), 1);
    column.values_mut().copy_from_slice(x);
    VectorSpec::File(attached_matrix(key, Cow::Owned(Matrix::Dense(column)), files))
}
