//! From `[model]` to matrices, contacts and joints.

use crate::build::load::Source;
use crate::build::scenario::Description;
use crate::build::scenario_folder::bytes;
use crate::error::{Result, ScenarioError};
use crate::exchange::matrix_market::{self, Layout};
use crate::format::keys::linear::{BarContactSpec, BarSpec, LinearSpec};
use crate::format::suggest;
use crate::format::values::{MatrixSpec, RowSpec, SignalSpec, Spread, VectorSpec};
use crate::limits::{MAX_CONTACTS, MAX_INLINE_ROWS, MAX_N};
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion_model::build::{Bar, MassKind};
use percussion_model::{Code, Contact, InputError, Joint, LinearModel, LinearParts, Signal};
use percussion_step::Model;
use toml::Value;

/// A checked model with its initial state, not yet checked against contacts and joints.
pub struct Built {
    /// How it was described.
    pub description: Description,
    /// The model.
    pub model: Model,
    /// q at t = 0.
    pub q0: Vec<f64>,
    /// v at t = 0.
    pub v0: Vec<f64>,
    /// The key that places the bodies, where contacts and joints have no tables of their own.
    pub start: Option<&'static str>,
    /// The table each body was described by; copies share one. Empty for other kinds of models.
    pub tables: Vec<usize>,
}

/// A model of kind "linear".
pub fn linear(spec: LinearSpec, source: &Source) -> Result<Built> {
    limit("model.contact", "contacts", spec.contact.len(), MAX_CONTACTS)?;
    let mass = matrix(spec.mass, "model.mass", source)?;
    let n = mass.n_rows();
    // before the vectors, whose lengths are judged by it
    if n == 0 || mass.n_cols() != n {
        let message = format!("is {n} × {}", mass.n_cols());
        let help = "give a square matrix with at least one row";
        return Err(InputError::new(Code::BAD_SHAPE, "model.mass", message, help).into());
    }
    let optional = |spec: Option<MatrixSpec>, field| spec.map(|spec| matrix(spec, field, source)).transpose();
    let stiffness = optional(spec.stiffness, "model.stiffness")?;
    let damping = optional(spec.damping, "model.damping")?;
    let force: Vec<Signal> = match spec.force {
        Some(force) => force.into_iter().map(|SignalSpec(signal)| signal).collect(),
        None => vec![Signal::default(); n],
    };
    let mut contacts = Vec::with_capacity(spec.contact.len());
    for (i, contact) in spec.contact.into_iter().enumerate() {
        let normal = row(contact.normal, n, &format!("model.contact[{i}].normal"))?;
        let mut tangents = Vec::new();
        for (k, tangent) in contact.tangents.unwrap_or_default().into_iter().enumerate() {
            tangents.push(row(tangent, n, &format!("model.contact[{i}].tangents[{k}]"))?);
        }
        if contact.friction.is_none() && !tangents.is_empty() {
            let help = "give friction = μ, which may be 0, or remove the tangents";
            let field = format!("model.contact[{i}].tangents");
            return Err(InputError::new(Code::FRICTION, field, "tangents without friction", help).into());
        }
        let (offset, restitution) = (contact.offset.0, contact.restitution);
        contacts.push(Contact { normal, offset, restitution, tangents, friction: contact.friction.unwrap_or(0.0) });
    }
    let mut joints = Vec::with_capacity(spec.joint.len());
    for (i, joint) in spec.joint.into_iter().enumerate() {
        let row = row(joint.row, n, &format!("model.joint[{i}].row"))?;
        joints.push(Joint { row, offset: joint.offset });
    }
    let zero = || vec![0.0; n];
    let q0 = written_vector(spec.q0, "model.q0", source)?.unwrap_or_else(zero);
    let v0 = written_vector(spec.v0, "model.v0", source)?.unwrap_or_else(zero);
    let (gravity, conservative) = (spec.gravity, spec.conservative);
    let weight = match &gravity {
        Some(a) => weight(&mass, &vector(Some(a.clone()), n, "model.gravity")?),
        None => vec![0.0; n],
    };
    let description = Description::Linear { force: force.clone(), gravity: gravity.clone(), conservative };
    let mut loads = force;
    // what counts as a potential: the weight, and constant loads where they are said to be conservative
    let mut potential = weight.clone();
    for ((load, potential), weight) in loads.iter_mut().zip(&mut potential).zip(weight) {
        if conservative && load.is_constant() && !load.is_live() {
            *potential += load.mean;
        }
        load.mean += weight;
    }
    let booked = gravity.is_some() || conservative;
    let model = LinearModel::new(LinearParts { mass, damping, stiffness, force: loads, contacts, joints })?;
    let model = if booked { model.with_potential_load(potential)? } else { model };
    Ok(Built { description, model: Model::from(model), q0, v0, start: None, tables: Vec::new() })
}

/// M a.
fn weight(mass: &Matrix, a: &[f64]) -> Vec<f64> {
    let mut weight = vec![0.0; a.len()];
    mass.mul_add(1.0, a, &mut weight);
    weight
}

/// A model of kind "bar".
pub fn bar(spec: BarSpec) -> Result<Built> {
    limit("model.contact", "contacts", spec.contact.len(), MAX_CONTACTS)?;
    let mass = match spec.mass.as_str() {
        "consistent" => MassKind::Consistent,
        "lumped" => MassKind::Lumped,
        other => {
            let message = format!("mass = \"{other}\" does not exist for a bar");
            let help = suggest::help(other, ["consistent", "lumped"]);
            return Err(InputError::new(Code::WRONG_TYPE, "model.mass", message, help).into());
        }
    };
    let elements = usize::try_from(spec.elements).unwrap_or(0);
    limit("model.elements", "elements", elements, MAX_N as usize - 1)?;
    let bar = Bar { young: spec.young, density: spec.density, area: spec.area, length: spec.length, elements, mass };
    let (mass, stiffness) = bar.matrices()?;
    let n = bar.n_nodes();
    let force: Vec<Signal> = match spec.force {
        Some(force) => spread(force, n).into_iter().map(|SignalSpec(signal)| signal).collect(),
        None => vec![Signal::default(); n],
    };
    let mut contacts = Vec::with_capacity(spec.contact.len());
    for (i, contact) in spec.contact.into_iter().enumerate() {
        contacts.push(bar_contact(contact, n, &format!("model.contact[{i}]"))?);
    }
    let initial = |x: Option<Spread<f64>>| x.map(|x| spread(x, n));
    let (q0, v0) = (vector(initial(spec.q0), n, "model.q0")?, vector(initial(spec.v0), n, "model.v0")?);
    let description = Description::Bar { bar, force: force.clone() };
    let model = LinearModel::new(LinearParts {
        mass,
        damping: None,
        stiffness: Some(stiffness),
        force,
        contacts,
        joints: Vec::new(),
    })?;
    Ok(Built { description, model: Model::from(model), q0, v0, start: None, tables: Vec::new() })
}

fn bar_contact(contact: BarContactSpec, n: usize, field: &str) -> Result<Contact> {
    let node = match usize::try_from(contact.node) {
        Ok(node) if node < n => node,
        _ => {
            let message = format!("there is no node {} on a bar with nodes 0 to {}", contact.node, n - 1);
            return Err(InputError::new(
                Code::BAD_SHAPE,
                format!("{field}.node"),
                message,
                "nodes are numbered from 0",
            )
            .into());
        }
    };
    if contact.direction.abs() != 1 {
        let message = format!("direction = {} is neither 1 nor -1", contact.direction);
        let help = "1: the obstacle lies below the node, -1: above";
        return Err(InputError::new(Code::WRONG_TYPE, format!("{field}.direction"), message, help).into());
    }
    let normal = vec![(node, contact.direction as f64)];
    Ok(Contact { normal, offset: contact.offset.0, restitution: contact.restitution, ..Contact::default() })
}

/// The nodes of a bar have no tangential velocity: friction has nothing to act on.
pub fn refuse_friction(bar: &Value) -> Result<()> {
    let contacts = bar.get("contact").and_then(Value::as_array).into_iter().flatten();
    for (i, contact) in contacts.enumerate() {
        if let Some(key) = ["friction", "tangents"].into_iter().find(|key| contact.get(key).is_some()) {
            let message = "the nodes of a bar move along it and along nothing else";
            let help = "remove friction and tangents, or describe the system by matrices";
            return Err(InputError::new(Code::FRICTION, format!("model.contact[{i}].{key}"), message, help).into());
        }
    }
    Ok(())
}

/// Refuses more than the most.
pub fn limit(field: &str, what: &str, found: usize, most: usize) -> Result<()> {
    if found <= most {
        return Ok(());
    }
    let message = format!("{found} {what}, where {most} is the limit");
    Err(InputError::new(Code::TOO_LARGE, field, message, "use a coarser model, or sparse matrix files").into())
}

fn spread<T: Clone>(x: Spread<T>, n: usize) -> Vec<T> {
    match x {
        Spread::All(x) => vec![x; n],
        Spread::Each(list) => list,
    }
}

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
        Some(VectorSpec::File(name)) => {
            let A = matrix(MatrixSpec::File(name), field, source)?;
            if A.n_cols() != 1 {
                let message = format!("is {} × {}", A.n_rows(), A.n_cols());
                return Err(InputError::new(Code::BAD_SHAPE, field, message, "give a file of one column").into());
            }
            let mut x = vec![0.0; A.n_rows()];
            A.triplets().into_iter().for_each(|(i, _, value)| x[i] += value);
            Ok(Some(x))
        }
    }
}

fn not_finite(field: String, x: f64) -> Box<ScenarioError> {
    InputError::new(Code::NOT_FINITE, field, format!("the number is {x}"), "give a finite number").into()
}

/// (coordinate, entry) of a row; zeros of a written-out list are not stored.
fn row(spec: RowSpec, n: usize, field: &str) -> Result<Vec<(usize, f64)>> {
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

fn matrix(spec: MatrixSpec, field: &str, source: &Source) -> Result<Matrix> {
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
    let market = matrix_market::read(&bytes, &shown)?;
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
