//! `sensitivity`: derivatives of a run, as arrays.

use crate::errors;
use crate::from_python::Request;
use crate::study::Listener;
use percussion::scenario::LoadOptions;
use percussion::study::sensitivity::{SensitivityOptions, Side, sensitivity as differentiate};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Derivatives of a problem's run: rows (quantity, t, value, derivatives, errors), impacts, and how they were found.
#[pyfunction]
pub fn sensitivity<'py>(
    py: Python<'py>,
    request: Request<'py>,
    of: Vec<String>,
    wrt: Vec<String>,
    times: Vec<f64>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let subject = request.subject(py)?;
    let options = SensitivityOptions { of, wrt, times, base: subject.options.clone() };
    let listener = Listener::new(&subject);
    let threads = subject.threads(threads);
    let made = py.detach(|| {
        let load = |options: &LoadOptions| subject.load(options);
        differentiate(&load, &options, threads, &|_| listener.go_on())
    });
    let Some(made) = made.map_err(|error| errors::raise(py, &error))? else { return Err(listener.raised(py)) };
    let result = PyDict::new(py);
    result.set_item("scheme", &made.scheme)?;
    result.set_item("way", made.way.name())?;
    result.set_item("remark", &made.remark)?;
    result.set_item("wrt", made.wrt.clone())?;
    result.set_item("sides", made.sides.iter().map(|side| Side::name(*side)).collect::<Vec<_>>())?;
    result.set_item("reach", made.reach.iter().map(|reach| reach.map(|reach| reach.change)).collect::<Vec<_>>())?;
    let rows = PyList::empty(py);
    for row in made.rows {
        rows.append((&made.names[row.quantity], row.t, row.value, row.derivatives, row.errors))?;
    }
    result.set_item("rows", rows)?;
    let impacts = PyList::empty(py);
    for impact in made.impacts {
        impacts.append((impact.t, impact.contact, impact.derivatives))?;
    }
    result.set_item("impacts", impacts)?;
    Ok(result)
}
