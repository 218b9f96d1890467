//! `compare` and `converge`: the library's studies, with Python's problems and motions.

use crate::errors;
use crate::from_python::{Request, Subject, value};
use crate::run::tables;
use percussion::scenario::{LoadOptions, RunEnd};
use percussion::step::measure::Exact;
use percussion::study::{self, Against, ConvergeOptions, Levels, Variant};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A scheme: its words as on the command line, and further keys of the scenario.
type Scheme<'py> = (String, Vec<(String, Bound<'py, PyAny>)>);

fn variants(schemes: &[Scheme], base: &LoadOptions, py: Python<'_>) -> PyResult<Vec<Variant>> {
    let mut list: Vec<Variant> = Vec::new();
    for (word, keys) in schemes {
        let mut variant = Variant::parse(word, base).map_err(|error| errors::raise(py, &error))?;
        for (key, x) in keys {
            let x = value(x, key)?;
            variant.label += &format!(" {}={}", key.trim_start_matches("scheme."), x.to_string().trim_matches('"'));
            variant.options.set.push(format!("{key}={x}"));
        }
        study::number_label(&mut variant, &list);
        list.push(variant);
    }
    Ok(list)
}

/// A watcher that listens for Ctrl-C some twenty times a second, and stops where a model's own function raised.
pub struct Listener<'a> {
    subject: &'a Subject,
    asked: Mutex<(Instant, Option<PyErr>)>,
}

impl<'a> Listener<'a> {
    /// Of a study about a subject.
    pub fn new(subject: &'a Subject) -> Self {
        Self { subject, asked: Mutex::new((Instant::now(), None)) }
    }

    /// Whether nothing has happened that ends the study.
    pub fn go_on(&self) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.1.is_none() && asked.0.elapsed() > Duration::from_millis(50) {
            *asked = (Instant::now(), Python::attach(|py| py.check_signals()).err());
        }
        asked.1.is_none() && !self.subject.has_raised()
    }

    /// What ended the study.
    pub fn raised(self, py: Python<'_>) -> PyErr {
        let interrupt = self.asked.into_inner().unwrap_or_else(PoisonError::into_inner).1;
        let own = self.subject.raised(py, None);
        interrupt.or(own).unwrap_or_else(|| PyRuntimeError::new_err("the study was stopped"))
    }
}

/// Runs a problem by several schemes; for each its label and what `run` gives, or the exception of a scheme that refuses it.
#[pyfunction]
pub fn compare<'py>(
    py: Python<'py>,
    request: Request<'py>,
    schemes: Vec<Scheme<'py>>,
    threads: usize,
) -> PyResult<Bound<'py, PyList>> {
    let subject = request.subject(py)?;
    let list = variants(&schemes, &subject.options, py)?;
    let listener = Listener::new(&subject);
    let threads = subject.threads(threads);
    let made = py.detach(|| {
        let load = |options: &LoadOptions| subject.load(options);
        study::compare_in_memory(&load, &list, threads, &|_| listener.go_on())
    });
    let Some(made) = made else { return Err(listener.raised(py)) };
    if subject.has_raised() {
        return Err(listener.raised(py));
    }
    let results = PyList::empty(py);
    for (variant, result) in list.iter().zip(made) {
        match result {
            Err(error) => results.append((variant.label.as_str(), errors::raise(py, &error)))?,
            Ok((scenario, run, kept)) => {
                let ended = match &run.end {
                    RunEnd::Failed(failure) => Some(errors::failure(py, failure, run.summary.steps + 1)),
                    RunEnd::Interrupted | RunEnd::Finished => None,
                };
                results.append((variant.label.as_str(), tables(py, scenario, run, kept, ended)?))?;
            }
        }
    }
    Ok(results)
}

/// Measures errors over steps or tolerances: what they are measured against, one dictionary per run, and the orders.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the words of the Python function")]
pub fn converge<'py>(
    py: Python<'py>,
    request: Request<'py>,
    schemes: Vec<Scheme<'py>>,
    steps: Option<Vec<f64>>,
    tolerances: Option<Vec<f64>>,
    exact: Option<Py<PyAny>>,
    reference: Option<Scheme<'py>>,
    hausdorff: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let subject = request.subject(py)?;
    let motion = exact.map(|function| Arc::new(PythonMotion { function, last: Mutex::new((None, None)) }));
    let against = match (&motion, reference) {
        (Some(motion), _) => Against::Motion(Arc::clone(motion) as Arc<dyn Exact>),
        (None, Some(scheme)) => Against::Scheme(variants(&[scheme], &subject.options, py)?.remove(0)),
        (None, None) => Against::Automatic,
    };
    let levels = match tolerances {
        Some(list) => Levels::Tolerances(list),
        None => Levels::Steps(steps.unwrap_or_default()),
    };
    let options = ConvergeOptions {
        variants: variants(&schemes, &subject.options, py)?,
        levels,
        against,
        hausdorff,
        norm: None,
        threads: subject.threads(threads),
    };
    let listener = Listener::new(&subject);
    let made = py.detach(|| {
        let load = |options: &LoadOptions| subject.load(options);
        study::converge(&load, &options, &|_| {
            listener.go_on() && motion.as_ref().is_none_or(|motion| !motion.has_raised())
        })
    });
    if let Some(error) = motion.as_ref().and_then(|motion| motion.raised()) {
        return Err(error);
    }
    if subject.has_raised() {
        return Err(listener.raised(py));
    }
    let Some(study) = made.map_err(|error| errors::raise(py, &error))? else { return Err(listener.raised(py)) };

    let result = PyDict::new(py);
    result.set_item("reference", &study.reference)?;
    result.set_item("labels", &study.labels)?;
    let rows = PyList::empty(py);
    for row in &study.rows {
        let cells = PyDict::new(py);
        let errors = row.errors.as_ref().ok();
        cells.set_item("scheme", row.variant)?;
        cells.set_item("level", row.level)?;
        cells.set_item("work", row.work)?;
        cells.set_item("wall_s", row.wall_s)?;
        cells.set_item("l1_q", errors.map(|e| e.l1_q))?;
        cells.set_item("l1_v", errors.map(|e| e.l1_v))?;
        cells.set_item("hausdorff_q", errors.and_then(|e| e.hausdorff_q))?;
        cells.set_item("hausdorff_v", errors.and_then(|e| e.hausdorff_v))?;
        cells.set_item("failure", row.errors.as_ref().err().map(|short| format!("{}: {}", short.code, short.words)))?;
        rows.append(cells)?;
    }
    result.set_item("rows", rows)?;
    let orders = PyList::empty(py);
    for order in study.orders() {
        orders.append((order.variant, order.measure, order.fit.map(|fit| (fit.order, fit.scatter))))?;
    }
    result.set_item("orders", orders)?;
    Ok(result)
}

/// Time, q and v.
type Known = (f64, Vec<f64>, Vec<f64>);

/// t → (q, v) in Python; the first exception ends the study.
struct PythonMotion {
    function: Py<PyAny>,
    last: Mutex<(Option<Known>, Option<PyErr>)>,
}

impl PythonMotion {
    fn at(&self, t: f64) -> (Vec<f64>, Vec<f64>) {
        if let Some((_, q, v)) = self.lock().0.as_ref().filter(|known| known.0 == t) {
            return (q.clone(), v.clone());
        }
        let found = Python::attach(|py| self.function.call1(py, (t,))?.extract::<(Vec<f64>, Vec<f64>)>(py));
        match found {
            Ok((q, v)) => {
                self.lock().0 = Some((t, q.clone(), v.clone()));
                (q, v)
            }
            Err(error) => {
                self.lock().1.get_or_insert(error);
                (Vec::new(), Vec::new())
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, (Option<Known>, Option<PyErr>)> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_raised(&self) -> bool {
        self.lock().1.is_some()
    }

    fn raised(&self) -> Option<PyErr> {
        self.lock().1.take()
    }
}

impl Exact for PythonMotion {
    fn q(&self, t: f64) -> Vec<f64> {
        self.at(t).0
    }

    fn v(&self, t: f64) -> Vec<f64> {
        self.at(t).1
    }
}
