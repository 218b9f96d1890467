//! Parameter studies: rows by number, for whoever distributes them, and all of them on threads.

use crate::errors;
use crate::interrupt::Interrupt;
use percussion::scenario::{
    Column, RowMaker as _, Shard, Sweep, TableFormat, append_rows, gather, missing_rows, run_sweep, write_sweep_parquet,
};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A sweep that has been read and checked.
#[pyclass(frozen, module = "percussion._core")]
pub struct SweepPlan(Sweep);

#[pymethods]
impl SweepPlan {
    #[new]
    #[pyo3(signature = (path, name, text, folder))]
    fn new(
        py: Python<'_>,
        path: Option<String>,
        name: &str,
        text: Option<String>,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let sweep = match (path, text) {
            (Some(path), _) => Sweep::open(&path),
            (None, text) => Sweep::from_text(name, &text.unwrap_or_default(), folder),
        };
        sweep.map(Self).map_err(|error| errors::raise(py, &error))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn count(&self) -> u64 {
        self.0.count
    }

    #[getter]
    fn header(&self) -> String {
        self.0.header()
    }

    /// Names of the table's columns and what they hold: integer, number or word.
    #[getter]
    fn columns(&self) -> Vec<(String, &'static str)> {
        self.0.columns().into_iter().map(|(name, kind)| (name, kind.name())).collect()
    }

    /// Where files of matrices and meshes are looked for.
    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        self.0.folder().map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf()))
    }

    /// The sweep with its scenario as one text, which needs no file but those of matrices.
    fn standalone(&self) -> String {
        self.0.standalone()
    }

    /// Row i as a line of the table.
    fn row(&self, py: Python<'_>, i: u64) -> PyResult<String> {
        let (stop, over) = (AtomicBool::new(false), AtomicBool::new(false));
        let mut interrupt = None;
        let row = py.detach(|| {
            let here = std::thread::current();
            std::thread::scope(|scope| {
                let worker = scope.spawn(|| {
                    let row = self.0.row(i, &stop);
                    over.store(true, Ordering::Release);
                    here.unpark();
                    row
                });
                // a worker that panics ends without a word
                while !over.load(Ordering::Acquire) && !worker.is_finished() {
                    std::thread::park_timeout(Duration::from_millis(50));
                    if interrupt.is_none() {
                        interrupt = Python::attach(|py| py.check_signals()).err();
                        stop.store(interrupt.is_some(), Ordering::Relaxed);
                    }
                }
                worker.join()
            })
        });
        match (interrupt, row) {
            (Some(interrupt), _) => Err(interrupt),
            (None, Ok(Some(row))) => Ok(row),
            (None, _) => Err(pyo3::exceptions::PyRuntimeError::new_err(format!("run {i} of the sweep did not end"))),
        }
    }

    /// The runs a folder of results does not have yet.
    fn missing(&self, py: Python<'_>, folder: PathBuf) -> PyResult<Vec<u64>> {
        py.detach(|| missing_rows(&self.0, &folder)).map_err(|error| errors::raise(py, &error))
    }

    /// Adds rows to a folder of results.
    fn append(&self, py: Python<'_>, folder: PathBuf, rows: Vec<String>) -> PyResult<()> {
        py.detach(|| append_rows(&self.0, &folder, &rows)).map_err(|error| errors::raise(py, &error))
    }

    /// Writes the table once all rows are there; how many are missing.
    fn gather(&self, py: Python<'_>, folder: PathBuf, parquet: bool) -> PyResult<u64> {
        py.detach(|| gather(&self.0, &folder, format(parquet))).map_err(|error| errors::raise(py, &error))
    }

    /// Runs a shard on threads into a folder; how many runs were made, found and are missing.
    fn run(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        shard: (u64, u64),
        threads: usize,
        parquet: bool,
    ) -> PyResult<(u64, u64, u64)> {
        let interrupt = Interrupt::new();
        let result = py.detach(|| {
            run_sweep(&self.0, &folder, Shard { i: shard.0, n: shard.1 }, threads, format(parquet), &|_| {
                interrupt.go_on()
            })
        });
        if let Some(raised) = interrupt.raised() {
            return Err(raised);
        }
        let end = result.map_err(|error| errors::raise(py, &error))?;
        Ok((end.made, end.found, end.missing))
    }
}

fn format(parquet: bool) -> TableFormat {
    if parquet { TableFormat::Parquet } else { TableFormat::Csv }
}

/// The table of a sweep, given as CSV with the kinds of its columns, as one Parquet file.
#[pyfunction]
pub fn write_parquet(py: Python<'_>, columns: Vec<(String, String)>, text: String, path: PathBuf) -> PyResult<()> {
    let kind = |name: &str| Column::from_name(name).unwrap_or(Column::Word);
    let columns: Vec<_> = columns.into_iter().map(|(name, word)| (name, kind(&word))).collect();
    py.detach(|| write_sweep_parquet(&columns, &text, &path)).map_err(|error| errors::raise(py, &error))
}
