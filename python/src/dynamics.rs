//! `dynamics`: studies of `[dynamics]` made into a folder.

use crate::errors;
use crate::interrupt::Interrupt;
use percussion::scenario::{Dynamics, DynamicsKind, LoadOptions, Shard, TableFormat};
use percussion::study::Threads;
use percussion::study::dynamics::{begin, make};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A scenario, keys that are set, and another scheme.
type Asked = (String, Vec<String>, Option<String>);

/// What a study is: its kind, and whether its rows can be shared out.
#[pyfunction]
pub fn dynamics_kind(py: Python<'_>, study: Asked) -> PyResult<(&'static str, bool)> {
    let study = open(study).map_err(|error| errors::raise(py, &error))?;
    let kind = match study.kind {
        DynamicsKind::Section => "section",
        DynamicsKind::Spectrum => "spectrum",
        DynamicsKind::Bifurcation => "bifurcation",
        DynamicsKind::Basin => "basin",
        DynamicsKind::Orbit => "orbit",
        DynamicsKind::Exponent => "exponent",
    };
    Ok((kind, study.has_independent_rows()))
}

/// Makes the folder of a study, and refuses one that holds another.
#[pyfunction]
pub fn dynamics_begin(py: Python<'_>, study: Asked, folder: PathBuf) -> PyResult<()> {
    let study = open(study).map_err(|error| errors::raise(py, &error))?;
    begin(&study, &folder).map_err(|error| errors::raise(py, &error))
}

/// Makes a study, or a shard of one, into a folder; its files and the rows that are missing.
#[pyfunction]
pub fn dynamics(
    py: Python<'_>,
    study: Asked,
    folder: PathBuf,
    shard: (u64, u64),
    threads: usize,
    parquet: bool,
) -> PyResult<(Vec<PathBuf>, u64)> {
    let study = open(study).map_err(|error| errors::raise(py, &error))?;
    let interrupt = Interrupt::new();
    let format = if parquet { TableFormat::Parquet } else { TableFormat::Csv };
    let made = py.detach(|| {
        make(&study, &folder, Shard { i: shard.0, n: shard.1 }, Threads(threads), format, &|_| interrupt.go_on())
    });
    if let Some(raised) = interrupt.raised() {
        return Err(raised);
    }
    match made.map_err(|error| errors::raise(py, &error))? {
        Some(made) => Ok((made.files().to_vec(), made.missing())),
        None => Err(pyo3::exceptions::PyRuntimeError::new_err("the study was stopped")),
    }
}

fn open((scenario, set, scheme): Asked) -> percussion::scenario::Result<Dynamics> {
    Dynamics::open(&scenario, &LoadOptions { set, scheme, ..LoadOptions::default() })
}
