//! Dictionaries to TOML tables, arrays to matrices.

use crate::errors;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use percussion::matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion::model::{Code, InputError};
use percussion::scenario::{
    Attachments, LoadOptions, Loaded, MAX_COORDINATES, ScenarioError, StartFrom, load, load_table,
};
use percussion::solve::friction::DeviceChoice;
use percussion::step::Warning;
use percussion::study::Threads;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use toml::{Table, Value};

use crate::own_model::OwnModel;

/// The exception of a value no scenario has.
pub fn refuse(py: Python<'_>, code: Code, field: &str, message: String, help: &str) -> PyErr {
    let error: Box<ScenarioError> = InputError::new(code, field, message, help).into();
    errors::raise(py, &error)
}

/// The exception of a code, for checks made in Python.
#[pyfunction]
pub fn refusal(py: Python<'_>, code: &str, field: &str, message: String, help: &str) -> PyErr {
    let code = Code::explain(code).map_or(Code::WRONG_TYPE, |(code, _, _)| code);
    refuse(py, code, field, message, help)
}

/// A plain Python value as TOML; `field` is its dotted key in messages.
pub fn value(x: &Bound<'_, PyAny>, field: &str) -> PyResult<Value> {
    if let Ok(table) = x.cast::<PyDict>() {
        return Ok(Value::Table(dictionary(table, field)?));
    }
    if let Ok(flag) = x.cast::<PyBool>() {
        return Ok(Value::Boolean(flag.is_true()));
    }
    if x.is_instance_of::<PyInt>() {
        return x
            .extract::<i64>()
            .map(Value::Integer)
            .map_err(|_| refuse(x.py(), Code::WRONG_TYPE, field, format!("{x} is too large"), "give it as a float"));
    }
    if x.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(x.extract()?));
    }
    if let Ok(text) = x.cast::<PyString>() {
        return Ok(Value::String(text.to_string_lossy().into_owned()));
    }
    let parts: Option<Vec<Bound<PyAny>>> = if let Ok(list) = x.cast::<PyList>() {
        Some(list.iter().collect())
    } else {
        x.cast::<PyTuple>().ok().map(|tuple| tuple.iter().collect())
    };
    if let Some(parts) = parts {
        let entry = |(k, part): (usize, &Bound<PyAny>)| value(part, &format!("{field}[{k}]"));
        return Ok(Value::Array(parts.iter().enumerate().map(entry).collect::<PyResult<_>>()?));
    }
    let kind = x.get_type().name()?;
    let help = "use numbers, text, lists, dictionaries and arrays of numbers, as in a scenario file";
    Err(refuse(x.py(), Code::WRONG_TYPE, field, format!("a value of type {kind} has no place in a scenario"), help))
}

/// A dictionary as the text of a TOML file.
#[pyfunction]
pub fn toml_text(table: &Bound<'_, PyDict>) -> PyResult<String> {
    Ok(dictionary(table, "")?.to_string())
}

fn dictionary(table: &Bound<'_, PyDict>, field: &str) -> PyResult<Table> {
    let mut entries = Table::new();
    for (key, x) in table.iter() {
        // the numbers of coordinates in { 0 = 1.0 } are keys too
        let key = key.str()?.to_string_lossy().into_owned();
        let path = if field.is_empty() { key.clone() } else { format!("{field}.{key}") };
        entries.insert(key, value(&x, &path)?);
    }
    Ok(entries)
}

/// The choice of that name.
fn device(py: Python<'_>, name: &str) -> PyResult<DeviceChoice> {
    DeviceChoice::from_name(name).ok_or_else(|| {
        let message = format!("there is no device \"{name}\"");
        refuse(py, Code::BAD_SOLVER_OPTION, "solver.device", message, "cpu, gpu or auto")
    })
}

/// What is to be run, as the Python side hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Request<'py> {
    /// A file or a built-in name.
    source: Option<String>,
    /// Or tables, with the name they go by.
    name: String,
    table: Option<Bound<'py, PyDict>>,
    /// Dense matrices of those tables.
    dense: Vec<(String, PyReadonlyArray2<'py, f64>)>,
    /// Sparse ones: name, shape, rows, columns, entries.
    sparse: Vec<Triplets<'py>>,
    model: Option<Py<OwnModel>>,
    scheme: Option<String>,
    step: Option<f64>,
    end: Option<f64>,
    set: Vec<(String, Bound<'py, PyAny>)>,
    project: bool,
    /// The folder of a run to start from, or `folder@t`.
    start: Option<String>,
    /// Where many contacts are swept.
    device: Option<String>,
    /// The folder of the run.
    pub out: Option<PathBuf>,
}

type Triplets<'py> =
    (String, (usize, usize), PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f64>);

/// A problem that can be loaded again and again, from any thread.
pub struct Subject {
    /// What every run changes.
    pub options: LoadOptions,
    described: Described,
    own: Option<OwnModel>,
}

enum Described {
    Source(String),
    Tables { name: String, table: Table, given: Attachments },
}

impl Subject {
    /// The scenario with these changes, ready to run.
    pub fn load(&self, options: &LoadOptions) -> Result<Loaded, Box<ScenarioError>> {
        match &self.described {
            Described::Source(source) => load(source, options),
            Described::Tables { name, table, given } => load_table(name, table.clone(), given.clone(), options),
        }
    }

    /// So many threads, all cores for none; functions written in Python take turns anyway.
    pub fn threads(&self, asked: usize) -> Threads {
        match (self.own.is_some(), asked) {
            (true, _) => Threads(1),
            (false, 0) => Threads::default(),
            (false, n) => Threads(n),
        }
    }

    /// Whether a function of the model raised.
    pub fn has_raised(&self) -> bool {
        self.own.as_ref().is_some_and(OwnModel::has_raised)
    }

    /// What it raised, in a study or (with 0, 0.0) before the first step.
    pub fn raised(&self, py: Python<'_>, step: Option<(u64, f64)>) -> Option<PyErr> {
        self.own.as_ref().and_then(|own| own.raised(py, step))
    }
}

/// Meshes and tables that the description names, whose paths are taken from where Python runs.
fn files(py: Python<'_>, table: &Table, at: &str, read: &mut BTreeMap<String, Arc<[u8]>>) -> PyResult<()> {
    for (key, value) in table {
        let field = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
        let tables: Vec<&Table> = match value {
            Value::Table(below) => vec![below],
            Value::Array(list) => list.iter().filter_map(Value::as_table).collect(),
            Value::String(name) if key == "mesh" || key == "table" || (key == "inputs" && at.is_empty()) => {
                let bytes = std::fs::read(name).map_err(|error| {
                    let message = format!("\"{name}\" cannot be read: {error}");
                    refuse(py, Code::UNREADABLE, &field, message, "paths are taken from the working directory")
                })?;
                read.insert(name.clone(), bytes.into());
                continue;
            }
            Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => continue,
        };
        for below in tables {
            files(py, below, &field, read)?;
        }
    }
    Ok(())
}

impl Request<'_> {
    /// The problem with what is changed in every run.
    pub fn subject(&self, py: Python<'_>) -> PyResult<Subject> {
        let mut set = Vec::new();
        for (key, x) in &self.set {
            set.push(format!("{key}={}", value(x, key)?));
        }
        let (scheme, step, end) = (self.scheme.clone(), self.step, self.end);
        let device = self.device.as_deref().map(|name| device(py, name)).transpose()?;
        let from = self.start.as_deref().map(StartFrom::parse);
        let options =
            LoadOptions { set, scheme, step, end, project: self.project, device, from, ..LoadOptions::default() };
        let own = self.model.as_ref().map(|model| model.get().share());
        let described = match (&self.source, &self.table) {
            (None, Some(table)) => {
                let table = dictionary(table, "")?;
                let model = own.as_ref().map(OwnModel::lagrangian);
                let mut beside = BTreeMap::new();
                files(py, &table, "", &mut beside)?;
                let given =
                    Attachments { matrices: self.matrices(py)?, files: beside, model, ..Attachments::default() };
                Described::Tables { name: self.name.clone(), table, given }
            }
            (source, _) => Described::Source(source.clone().unwrap_or_default()),
        };
        Ok(Subject { options, described, own })
    }

    /// The scenario, ready to run; the callables of its model, if it has any.
    pub fn load(&self, py: Python<'_>) -> PyResult<(Loaded, Option<OwnModel>)> {
        self.load_as(py, false)
    }

    /// The same with loads and drives that can be set.
    pub fn load_live(&self, py: Python<'_>) -> PyResult<(Loaded, Option<OwnModel>)> {
        self.load_as(py, true)
    }

    fn load_as(&self, py: Python<'_>, live: bool) -> PyResult<(Loaded, Option<OwnModel>)> {
        let subject = self.subject(py)?;
        let options = LoadOptions { live, kept: !live, ..subject.options.clone() };
        let loaded = py.detach(|| subject.load(&options));
        // an exception of the model's own functions says more than the number that is missing
        if let Some(error) = subject.raised(py, Some((0, 0.0))) {
            return Err(error);
        }
        let mut loaded = loaded.map_err(|error| errors::raise(py, &error))?;
        if subject.own.as_ref().is_some_and(|own| !own.is_checked()) {
            let message = "forces, energies and derivatives were not compared with each other: check=False".into();
            loaded.scenario.warnings.push(Warning { code: Code::UNCHECKED, message });
        }
        if let Some(own) = &subject.own {
            let problem = &loaded.scenario.problem;
            let found = py.detach(|| own.contradictions(&problem.q0, &problem.v0));
            if let Some(error) = own.raised(py, Some((0, 0.0))) {
                return Err(error);
            }
            if !found.is_empty() {
                let help = "correct the function; forces that need no potential, such as a controller's, go into load; \
                            check=False runs the model as it is";
                return Err(refuse(py, Code::WRONG_MODEL, "model", found.join("; "), help));
            }
        }
        Ok((loaded, subject.own))
    }

    fn matrices(&self, py: Python<'_>) -> PyResult<BTreeMap<String, Matrix>> {
        let mut matrices = BTreeMap::new();
        for (name, A) in &self.dense {
            let A = A.as_array();
            let columns = A.columns().into_iter().flat_map(|column| column.to_vec()).collect();
            let dense = DenseMatrix::from_columns(A.nrows(), A.ncols(), columns);
            matrices.insert(name.clone(), Matrix::Dense(dense.expect("as many entries as the array has")));
        }
        for (name, size, rows, columns, entries) in &self.sparse {
            matrices.insert(name.clone(), sparse(py, name, *size, rows, columns, entries)?);
        }
        Ok(matrices)
    }
}

/// A sparse matrix from its entries; what is too large is refused before memory is allocated.
pub fn sparse(
    py: Python<'_>,
    name: &str,
    (n, m): (usize, usize),
    rows: &PyReadonlyArray1<i64>,
    columns: &PyReadonlyArray1<i64>,
    entries: &PyReadonlyArray1<f64>,
) -> PyResult<Matrix> {
    if n.max(m) as u64 > MAX_COORDINATES {
        let message = format!("is {n} × {m}, where {MAX_COORDINATES} rows are the limit");
        return Err(refuse(py, Code::TOO_LARGE, name, message, "use a coarser model"));
    }
    let (rows, columns, entries) = (rows.as_array(), columns.as_array(), entries.as_array());
    let place = |k: i64| usize::try_from(k).unwrap_or(usize::MAX);
    let triplets: Vec<_> =
        rows.iter().zip(columns).zip(entries).map(|((&i, &j), &x)| (place(i), place(j), x)).collect();
    SparseMatrix::from_triplets(n, m, &triplets).map(Matrix::Sparse).ok_or_else(|| {
        let message = "an entry lies outside the matrix".to_string();
        refuse(py, Code::BAD_SHAPE, name, message, "check its indices")
    })
}
