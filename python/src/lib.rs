//! The extension module `percussion._core` behind the Python package: conversions, and nothing of its own.
//!
//! ```text
//! Python values ─► tables, matrices, callables ─► percussion::scenario ─► Vec<f64> moved into NumPy
//! ```

mod dynamics;
mod errors;
mod figures;
mod from_python;
mod handle;
mod interrupt;
mod listing;
mod live;
mod own_model;
mod run;
mod sensitivity;
mod signals;
mod solve;
mod study;
mod sweep;
mod words;

use pyo3::prelude::*;

/// The compiled part of the package `percussion`.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<handle::Handle>()?;
    module.add_class::<own_model::OwnModel>()?;
    module.add_class::<sweep::SweepPlan>()?;
    module.add_class::<live::LiveSimulation>()?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(run::check, module)?)?;
    module.add_function(wrap_pyfunction!(from_python::toml_text, module)?)?;
    module.add_function(wrap_pyfunction!(from_python::refusal, module)?)?;
    module.add_function(wrap_pyfunction!(study::compare, module)?)?;
    module.add_function(wrap_pyfunction!(study::converge, module)?)?;
    module.add_function(wrap_pyfunction!(dynamics::dynamics, module)?)?;
    module.add_function(wrap_pyfunction!(dynamics::dynamics_begin, module)?)?;
    module.add_function(wrap_pyfunction!(dynamics::dynamics_kind, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::sensitivity, module)?)?;
    module.add_function(wrap_pyfunction!(solve::solve_file, module)?)?;
    module.add_function(wrap_pyfunction!(solve::solve_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::write_parquet, module)?)?;
    module.add_function(wrap_pyfunction!(listing::export_parquet, module)?)?;
    module.add_function(wrap_pyfunction!(listing::export_hdf5, module)?)?;
    module.add_function(wrap_pyfunction!(figures::curves, module)?)?;
    module.add_function(wrap_pyfunction!(figures::figure, module)?)?;
    module.add_function(wrap_pyfunction!(listing::schemes, module)?)?;
    module.add_function(wrap_pyfunction!(listing::solvers, module)?)?;
    module.add_function(wrap_pyfunction!(listing::scenarios, module)?)?;
    module.add_function(wrap_pyfunction!(listing::scenario_text, module)?)?;
    module.add_function(wrap_pyfunction!(listing::report, module)?)?;
    module.add_function(wrap_pyfunction!(listing::play, module)?)?;
    module.add_function(wrap_pyfunction!(listing::explain, module)?)?;
    module.add_function(wrap_pyfunction!(listing::in_python, module)?)?;
    module.add_function(wrap_pyfunction!(listing::schema_text, module)?)?;
    module.add_function(wrap_pyfunction!(listing::command_line, module)?)?;
    Ok(())
}
