//! Matrices, vectors and rows of a scenario, written out or in files of its folder.

use crate::build::linear::limit;
use crate::build::load::Source;
use crate::build::scenario_folder::bytes;
use crate::error::{Result, ScenarioError};
use crate::exchange::binary_matrix;
use crate::exchange::matrix_market::{self, Layout};
use crate::format::values::{ListSpec, MatrixSpec, RowSpec, VectorSpec};
use crate::limits::MAX_INLINE_ROWS;
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion_model::{Code, InputError};

/// Zero when absent; a number that is not finite is named by its place.
pub fn vector(x: Option<Vec<f64>>, n: usize, field: &str) -> Result<Vec<f64>> {
    let Some(x) = x else { return Ok(vec![0.0; n]) };
    match x.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(not_finite(format!("{field}[{i}]"), x[i])),
        None => Ok(x),
    }
}

/// A vector written out or in a file of one column.
pub fn written_vector(spec: Option<VectorSpec>, field: &str, source: &Source) -> Result<Option<Vec<f64>>> {
    match spec {
        None => Ok(None),
        Some(VectorSpec::Each(list)) => {
            let n = list.len();
            vector(Some(list), n, field).map(Some)
        }
        Some(VectorSpec::File(name)) => column(name, field, source).map(Some),
    }
}

/// The numbers of a file of one column.
fn column(name: String, field: &str, source: &Source) -> Result<Vec<f64>> {
    let A = matrix(MatrixSpec::File(name), field, source)?;
    if A.n_cols() != 1 {
        let message = format!("is {} × {}", A.n_rows(), A.n_cols());
        return Err(InputError::new(Code::BAD_SHAPE, field, message, "give a file of one column").into());
    }
    let mut x = vec![0.0; A.n_rows()];
    A.triplets().into_iter().for_each(|(i, _, value)| x[i] += value);
    Ok(x)
}

/// A list of other things than numbers, each made of the number in a file where it stands in one.
pub fn written_list<T>(
    spec: ListSpec<T>,
    field: &str,
    source: &Source,
    of_number: impl Fn(f64) -> Option<T>,
) -> Result<Vec<T>> {
    match spec {
        ListSpec::Each(list) => Ok(list),
        ListSpec::File(name) => {
            let numbers = column(name, field, source)?;
            let made = numbers.iter().map(|&x| of_number(x)).collect::<Option<Vec<T>>>();
            made.ok_or_else(|| {
                let message = "the file holds numbers that are not whole or are negative";
                InputError::new(Code::WRONG_TYPE, field, message, "give numbers of coordinates, from 0").into()
            })
        }
    }
}

fn not_finite(field: String, x: f64) -> Box<ScenarioError> {
    InputError::new(Code::NOT_FINITE, field, format!("the number is {x}"), "give a finite number").into()
}

/// (coordinate, entry) of a row; zeros of a written-out list are not stored.
pub fn row(spec: RowSpec, n: usize, field: &str) -> Result<Vec<(usize, f64)>> {
    match spec {
        RowSpec::Dense(row) => {
            if row.len() != n {
                let message = format!("has {} entries where the mass matrix has {n} rows", row.len());
                return Err(InputError::new(Code::BAD_SHAPE, field, message, format!("give {n} numbers")).into());
            }
            if let Some(i) = row.iter().position(|x| !x.is_finite()) {
                return Err(not_finite(format!("{field}[{i}]"), row[i]));
            }
            Ok(row.into_iter().enumerate().filter(|&(_, x)| x != 0.0).collect())
        }
        RowSpec::Sparse(row) => Ok(row.into_iter().filter(|&(_, x)| x != 0.0).collect()),
    }
}

/// Rows up to which a matrix is stored dense, and the filling above that from which it is.
const DENSE_ROWS: usize = 64;
const DENSE_FILL: f64 = 0.2;
/// Rows up to which a coordinate file is stored dense.
const DENSE_COORDINATE_ROWS: usize = 16;

/// A matrix written out, handed over or in a file.
pub fn matrix(spec: MatrixSpec, field: &str, source: &Source) -> Result<Matrix> {
    match spec {
        MatrixSpec::Rows(rows) => inline(rows, field),
        MatrixSpec::File(name) if source.given.matrices.contains_key(&name) => Ok(given(&source.given.matrices[&name])),
        MatrixSpec::File(name) => file(&name, field, source).map_err(|error| error.about(field)),
    }
}

/// As a file with the same entries would be stored.
fn given(A: &Matrix) -> Matrix {
    match A {
        Matrix::Dense(A) => store(A.clone()),
        Matrix::Sparse(S) if S.n_rows().max(S.n_cols()) <= DENSE_COORDINATE_ROWS => store(A.to_dense()),
        Matrix::Sparse(_) => A.clone(),
    }
}

fn inline(rows: Vec<Vec<f64>>, field: &str) -> Result<Matrix> {
    limit(field, "rows written out", rows.len(), MAX_INLINE_ROWS)?;
    let cols = rows.first().map_or(0, Vec::len);
    for (i, row) in rows.iter().enumerate() {
        if row.len() != cols {
            let message = format!("row {i} has {} entries where row 0 has {cols}", row.len());
            return Err(InputError::new(
                Code::BAD_SHAPE,
                format!("{field}[{i}]"),
                message,
                "make all rows equally long",
            )
            .into());
        }
        if let Some(j) = row.iter().position(|x| !x.is_finite()) {
            return Err(not_finite(format!("{field}[{i}][{j}]"), row[j]));
        }
    }
    let dense = DenseMatrix::from_rows(&rows);
    let dense = dense.ok_or_else(|| InputError::new(Code::BAD_SHAPE, field, "is empty", "give at least one row"))?;
    Ok(store(dense))
}

/// Dense, or sparse when it is large and mostly zeros.
fn store(A: DenseMatrix) -> Matrix {
    let (n, m) = (A.n_rows(), A.n_cols());
    let filled = A.values().iter().filter(|&&x| x != 0.0).count();
    let A = Matrix::Dense(A);
    if n <= DENSE_ROWS || filled as f64 > DENSE_FILL * (n * m) as f64 {
        return A;
    }
    match SparseMatrix::from_triplets(n, m, &A.triplets()) {
        Some(sparse) => Matrix::Sparse(sparse),
        None => A,
    }
}

fn file(name: &str, field: &str, source: &Source) -> Result<Matrix> {
    let place = format!("{field}.file");
    let (bytes, shown) = bytes(name, &place, source)?;
    if bytes.starts_with(binary_matrix::MARK) {
        return binary_matrix::read(&bytes, &shown);
    }
    let market = matrix_market::read(&bytes, &shown)?;
    drop(bytes);
    let (n, m) = (market.n_rows, market.n_cols);
    let dense_rows = if market.layout == Layout::Coordinate { DENSE_COORDINATE_ROWS } else { usize::MAX };
    if n.max(m) > dense_rows {
        let sparse = SparseMatrix::from_triplets(n, m, &market.entries);
        return sparse.map(Matrix::Sparse).ok_or_else(|| {
            InputError::new(Code::BAD_MATRIX_FILE, place, "has entries out of range", "check its rows and columns")
                .into()
        });
    }
    let mut A = DenseMatrix::zeros(n, m);
    for (i, j, x) in market.entries {
        A.set(i, j, A.get(i, j) + x);
    }
    Ok(store(A))
}
