//! Coded errors as Python exceptions: the code, the place, the fact, the remedy, in words of Python.

use crate::words::{in_python, placed};
use percussion::scenario::ScenarioError;
use percussion::step::StepFailure;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception of a refused scenario or file.
pub fn raise(py: Python<'_>, error: &ScenarioError) -> PyErr {
    let make = || {
        let (error, fields) = (placed(error), PyDict::new(py));
        fields.set_item("field", in_python(&error.field))?;
        fields.set_item("message", in_python(&error.message))?;
        fields.set_item("help", in_python(&error.help))?;
        fields.set_item("file", error.file.as_deref().map(in_python))?;
        fields.set_item("line", error.place.map(|place| place.line))?;
        fields.set_item("column", error.place.map(|place| place.column))?;
        exception(py, error.code.as_str(), &percussion_cli::error_text(&error), &fields)
    };
    make().unwrap_or_else(|error| error)
}

/// The exception of a step that could not be made; `step` is its number.
pub fn failure(py: Python<'_>, failed: &StepFailure, step: u64) -> PyErr {
    let make = || {
        let fields = PyDict::new(py);
        fields.set_item("message", in_python(&failed.message))?;
        fields.set_item("help", in_python(&failed.help))?;
        fields.set_item("t", failed.t)?;
        fields.set_item("step", step)?;
        exception(py, failed.code.as_str(), &percussion_cli::failure_text(failed), &fields)
    };
    make().unwrap_or_else(|error| error)
}

/// The exception of a code, of the class of its family.
pub fn exception(py: Python<'_>, code: &str, text: &str, fields: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let make = py.import("percussion._errors")?.getattr("make")?;
    Ok(PyErr::from_value(make.call((code, in_python(text)), Some(fields))?))
}
