//! What there is: schemes, solvers, scenarios, codes; and the program itself.

use crate::words;
use percussion::model::Code;
use percussion::scenario::{self, LoadOptions, Source, builtin};
use percussion::solve::Method;
use percussion::step::{SCHEMES, support};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Name, what it is, its parameters and models, scheme by scheme.
#[pyfunction]
pub fn schemes() -> Vec<(&'static str, &'static str, Vec<&'static str>, String)> {
    let models = |name: &str| {
        let words = support(name).into_iter().filter(|word| ["linear", "nonlinear", "bodies"].contains(word));
        words.collect::<Vec<_>>().join(", ")
    };
    SCHEMES.iter().map(|entry| (entry.name, entry.summary, entry.parameter_names(), models(entry.name))).collect()
}

/// Name and what it is good for, solver by solver.
#[pyfunction]
pub fn solvers() -> Vec<(&'static str, &'static str)> {
    Method::ALL.iter().map(|method| (method.name(), method.summary())).collect()
}

/// Name and what it shows, built-in scenario by scenario.
#[pyfunction]
pub fn scenarios() -> Vec<(&'static str, &'static str)> {
    builtin::names().map(|name| (name, builtin::summary(name))).collect()
}

/// The text of a scenario file or of a built-in scenario.
#[pyfunction]
pub fn scenario_text(py: Python<'_>, scenario: &str) -> PyResult<String> {
    Source::open(scenario).map(|source| source.text).map_err(|error| crate::errors::raise(py, &error))
}

/// One page about the runs in these folders.
#[pyfunction]
pub fn report(py: Python<'_>, runs: Vec<PathBuf>, out: PathBuf) -> PyResult<()> {
    let write = || {
        let reports: Vec<_> = runs.iter().map(|run| scenario::report(run)).collect::<scenario::Result<_>>()?;
        scenario::write_page(&reports, &out)
    };
    py.detach(write).map_err(|error| crate::errors::raise(py, &error))
}

/// A page that holds a scenario and the simulator.
#[pyfunction]
pub fn play(py: Python<'_>, scenario: &str, out: PathBuf) -> PyResult<()> {
    let write = || {
        let page = scenario::play_page(&Source::open(scenario)?, &LoadOptions::default())?;
        scenario::write_text(&out, &page)
    };
    py.detach(write).map_err(|error| crate::errors::raise(py, &error))
}

/// The tables of a run folder as Parquet files of another, or of the same.
#[pyfunction]
pub fn export_parquet(py: Python<'_>, run: PathBuf, out: PathBuf) -> PyResult<Vec<PathBuf>> {
    py.detach(|| scenario::export_parquet(&run, &out)).map_err(|error| crate::errors::raise(py, &error))
}

/// Writes the HDF5 file of a run.
#[pyfunction]
pub fn export_hdf5(py: Python<'_>, run: PathBuf, out: PathBuf) -> PyResult<PathBuf> {
    py.detach(|| scenario::export_hdf5(&run, &out)).map_err(|error| crate::errors::raise(py, &error))
}

/// Title and explanation of a code.
#[pyfunction]
pub fn explain(code: &str) -> Option<(String, String)> {
    Code::explain(code).map(|(_, title, text)| (words::in_python(title), words::in_python(text)))
}

/// A text of the program in words of Python.
#[pyfunction]
pub fn in_python(text: &str) -> String {
    words::in_python(text)
}

/// The JSON Schema of scenarios.
#[pyfunction]
pub fn schema_text() -> String {
    scenario::schema().to_string()
}

/// Runs the program on the words of a command line and returns its exit code.
#[pyfunction]
pub fn command_line(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| percussion_cli::exit_code(words))
}
