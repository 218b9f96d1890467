//! One run: loaded, stepped without Python's lock, its tables moved into NumPy without a copy.

use crate::errors;
use crate::from_python::Request;
use crate::handle::Handle;
use crate::signals::Signals;
use crate::words::in_python;
use numpy::PyArray1;
use percussion::scenario::{Cells, Kept, Run, RunEnd, Scenario, run_kept};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Validates only; the scenario's name and its warnings.
#[pyfunction]
pub fn check(py: Python<'_>, request: Request) -> PyResult<(String, Vec<String>)> {
    let (loaded, _) = request.load(py)?;
    let warnings = loaded.scenario.warnings.iter().map(|warning| in_python(&warning.to_string())).collect();
    Ok((loaded.scenario.name, warnings))
}

/// Runs; the tables, the summary, and the exception that ended it early, if one did.
#[pyfunction]
#[pyo3(signature = (request, tell=None))]
pub fn run<'py>(py: Python<'py>, request: Request<'py>, tell: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyDict>> {
    let (mut loaded, own) = request.load(py)?;
    // bodies take all cores: what is computed does not depend on it
    loaded.simulation.use_threads(std::thread::available_parallelism().map_or(1, usize::from));
    let mut signals = Signals::new();
    let folder = request.out.clone();
    let result = py.detach(|| {
        let mut watch = |progress: percussion::scenario::Progress| {
            let told = (progress.step, progress.steps, progress.t);
            signals.go_on_telling(progress.step, tell.as_ref().map(|tell| (tell, told)))
                && own.as_ref().is_none_or(|own| !own.has_raised())
        };
        run_kept(loaded, folder.as_deref(), &mut watch)
    });
    let (scenario, run, kept) = result.map_err(|error| errors::raise(py, &error))?;
    let (next, t) = (run.summary.steps + 1, run.summary.t_end);
    let of_model = own.as_ref().and_then(|own| own.raised(py, Some((next, t))));
    let ended = match (of_model, signals.raised, &run.end) {
        (Some(error), _, _) | (None, Some(error), _) => Some(error),
        (None, None, RunEnd::Failed(failure)) => Some(errors::failure(py, failure, next)),
        (None, None, RunEnd::Interrupted | RunEnd::Finished) => None,
    };

    tables(py, scenario, run, kept, ended)
}

/// The tables, the summary, and the exception that ended the run early.
pub fn tables<'py>(
    py: Python<'py>,
    scenario: Scenario,
    run: Run,
    kept: Kept,
    ended: Option<PyErr>,
) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("n_q", scenario.selection.q.len())?;
    result.set_item("n_v", scenario.selection.v.len())?;
    result.set_item("summary", run.summary.to_json())?;
    result.set_item("raised", ended)?;
    let tables = [
        ("trajectory", kept.trajectory),
        ("contacts", kept.contacts),
        ("energy", kept.ledger),
        ("events", kept.events),
        ("momentum", kept.momentum),
        ("reactions", kept.reactions),
        ("joints", kept.joints),
        ("beams", kept.beams),
        ("inputs", kept.inputs),
        ("names", kept.names),
    ];
    for (name, cells) in tables.into_iter().filter(|(_, cells)| !cells.columns.is_empty()) {
        let Cells { columns, values, words } = cells;
        result.set_item(name, (PyArray1::from_vec(py, values), columns, words))?;
    }
    result.set_item("handle", Handle { scenario, summary: run.summary, end: kept.end })?;
    Ok(result)
}
