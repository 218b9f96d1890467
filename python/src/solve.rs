//! Contact problems on files and on arrays, solved beside Python: Ctrl-C and a time limit raise the solver's flag.

use crate::errors;
use crate::from_python::{refuse, sparse};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use percussion::files::{self, Answer, ContactProblem, Kind};
use percussion::matrix::{BlockMatrix, DenseMatrix, Matrix};
use percussion::model::Code;
use percussion::scenario::{at_file, load_problem, nearest};
use percussion::solve::friction::{FrictionProblem, Stop};
use percussion::solve::{Method, OneStepProblem, SolveStatus, SolverOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Solver, tolerance, limit of iterations and of time.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    solver: String,
    tolerance: Option<f64>,
    max_iterations: Option<usize>,
    time_limit: Option<f64>,
}

/// A problem in a file.
#[pyfunction]
pub fn solve_file<'py>(
    py: Python<'py>,
    path: PathBuf,
    kind: Option<String>,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let kind = match kind {
        None => None,
        Some(name) => Some(Kind::from_name(&name).ok_or_else(|| {
            let names = Kind::ALL.map(Kind::name).join(", ");
            refuse(py, Code::UNKNOWN_PROBLEM, "kind", format!("there is no kind \"{name}\""), &format!("use {names}"))
        })?),
    };
    let file = py.detach(|| load_problem(&path, kind)).map_err(|error| errors::raise(py, &error))?;
    let result = answer(py, &file.problem, &options, Some(&path))?;
    result.set_item("file", path.display().to_string())?;
    result.set_item("notes", file.notes)?;
    Ok(result)
}

type Triplets<'py> =
    ((usize, usize), PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f64>);

/// 0 ≤ W p + b ⟂ p ≥ 0, or with friction in blocks of d = 2, 3 or 5 where `mu` is given.
#[pyfunction]
#[pyo3(signature = (dense, entries, b, mu, mu_rolling, options))]
pub fn solve_arrays<'py>(
    py: Python<'py>,
    dense: Option<PyReadonlyArray2<'py, f64>>,
    entries: Option<Triplets<'py>>,
    b: Vec<f64>,
    mu: Option<Vec<f64>>,
    mu_rolling: Vec<f64>,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let W = match (dense, entries) {
        (Some(A), _) => {
            let A = A.as_array();
            let columns = A.columns().into_iter().flat_map(|column| column.to_vec()).collect();
            let dense = DenseMatrix::from_columns(A.nrows(), A.ncols(), columns);
            Matrix::Dense(dense.expect("as many entries as the array has"))
        }
        (None, Some((size, rows, columns, entries))) => sparse(py, "W", size, &rows, &columns, &entries)?,
        (None, None) => return Err(refuse(py, Code::WRONG_TYPE, "W", "is missing".into(), "give a matrix")),
    };
    let n = b.len();
    if W.n_rows() != n || W.n_cols() != n || n == 0 {
        let message = format!("is {} × {} where b has {n} entries", W.n_rows(), W.n_cols());
        return Err(refuse(py, Code::BAD_SHAPE, "W", message, "give a square W with one row per entry of b"));
    }
    for (name, list) in [("b", &b), ("mu", mu.as_ref().unwrap_or(&b)), ("mu_rolling", &mu_rolling)] {
        if let Some(i) = list.iter().position(|x| !x.is_finite()) {
            let message = format!("entry {i} is {}", list[i]);
            return Err(refuse(py, Code::NOT_FINITE, name, message, "give a finite number"));
        }
    }
    if !W.max_abs().is_finite() {
        return Err(refuse(py, Code::NOT_FINITE, "W", "a number is NaN or infinite".into(), "give a finite number"));
    }
    let problem = match mu {
        None => ContactProblem::Lcp(OneStepProblem::new(W, b)),
        Some(mu) => {
            if let Some(i) = mu.iter().chain(&mu_rolling).position(|&mu| mu < 0.0) {
                let message = format!("coefficient {i} is negative");
                return Err(refuse(py, Code::FRICTION, "mu", message, "give zero or a positive number"));
            }
            let d = if mu.is_empty() { 0 } else { n / mu.len() };
            let blocks = match &W {
                _ if !matches!(d, 2 | 3 | 5) => None,
                Matrix::Dense(A) => BlockMatrix::from_dense(d, A),
                Matrix::Sparse(A) => BlockMatrix::from_sparse(d, A),
            };
            let contacts = mu.len();
            let problem = blocks.and_then(|W| FrictionProblem::new(W, b, mu, mu_rolling));
            let problem = problem.ok_or_else(|| {
                let message = format!("{n} rows do not fit {contacts} contacts");
                let help = "give 2 rows per contact in the plane, 3 in space, 5 with mu_rolling, and one mu each";
                refuse(py, Code::BAD_SHAPE, "mu", message, help)
            })?;
            ContactProblem::Local(problem)
        }
    };
    answer(py, &problem, &options, None)
}

fn answer<'py>(
    py: Python<'py>,
    problem: &ContactProblem,
    options: &Options,
    path: Option<&PathBuf>,
) -> PyResult<Bound<'py, PyDict>> {
    let kind = problem.kind();
    let names: Vec<&str> = kind.methods().map(Method::name).collect();
    let Some(method) = Method::from_name(&options.solver).filter(|&method| kind.is_solved_by(method)) else {
        let message = format!("{} does not solve problems of kind {kind}", options.solver);
        let near = nearest(&options.solver, names.iter().copied()).map(|near| format!("did you mean \"{near}\"?"));
        let help = near.unwrap_or_else(|| format!("use one of {}", names.join(", ")));
        return Err(refuse(py, Code::UNKNOWN_SOLVER, "solver", message, &help));
    };
    let defaults = SolverOptions::default();
    let tolerance = options.tolerance.unwrap_or(defaults.tolerance);
    if !(1e-15..=1.0).contains(&tolerance) {
        let message = format!("tolerance = {tolerance} is outside [1e-15, 1]");
        return Err(refuse(py, Code::BAD_SOLVER_OPTION, "tolerance", message, "1e-10 is the default"));
    }
    let limit = match options.time_limit {
        None => None,
        Some(s) if s > 0.0 && s <= 1e9 => Some(Duration::from_secs_f64(s)),
        Some(s) => {
            let message = format!("time_limit = {s} is not a positive number of seconds");
            return Err(refuse(py, Code::BAD_SOLVER_OPTION, "time_limit", message, "leave it out for none"));
        }
    };
    // with a time limit the clock decides, else the number of iterations
    let patience = if limit.is_some() { usize::MAX >> 1 } else { defaults.max_iterations };
    let max_iterations = options.max_iterations.filter(|&k| k > 0).unwrap_or(patience);
    let chosen = SolverOptions { method, tolerance, enough: None, max_iterations };
    let started = Instant::now();
    let (result, interrupt) = py.detach(|| watched(problem, chosen, limit));
    if let Some(interrupt) = interrupt {
        return Err(interrupt);
    }
    let elapsed = started.elapsed().as_secs_f64();
    let Answer { report, residual_global, solution, width } = result.map_err(|error| {
        let path = path.cloned().unwrap_or_default();
        errors::raise(py, &at_file(*error, &path))
    })?;
    let dict = PyDict::new(py);
    dict.set_item("kind", kind.name())?;
    dict.set_item("contacts", problem.contacts())?;
    dict.set_item("solver", if method == Method::Auto { report.method } else { method }.name())?;
    dict.set_item(
        "status",
        match report.status {
            SolveStatus::Solved => "solved",
            SolveStatus::NotConverged => "not_converged",
            SolveStatus::NoSolution => "no_solution",
            SolveStatus::TimeLimit => "time_limit",
        },
    )?;
    dict.set_item("residual", report.residuals.plain)?;
    dict.set_item("residual_scaled", report.residuals.scaled)?;
    dict.set_item("residual_global", residual_global)?;
    dict.set_item("iterations", report.iterations)?;
    dict.set_item("time_s", elapsed)?;
    dict.set_item("width", width)?;
    dict.set_item("solution", PyArray1::from_vec(py, solution))?;
    Ok(dict)
}

/// Solves on a thread of its own while this one looks at the clock and at Python's signals.
fn watched(
    problem: &ContactProblem,
    options: SolverOptions,
    limit: Option<Duration>,
) -> (files::Result<Answer>, Option<PyErr>) {
    let flag = Arc::new(AtomicBool::new(false));
    let stop = Stop::when(Arc::clone(&flag));
    let (send, receive) = channel();
    let started = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = send.send(files::solve(problem, options, &stop));
        });
        let mut interrupt = None;
        loop {
            let look = Duration::from_millis(50);
            let left = limit.map_or(look, |limit| limit.saturating_sub(started.elapsed()).min(look));
            match receive.recv_timeout(left.max(Duration::from_millis(1))) {
                Ok(answer) => return (answer, interrupt),
                Err(RecvTimeoutError::Timeout) => {}
                // the solver's thread is gone without an answer: its panic resurfaces when the scope ends
                Err(RecvTimeoutError::Disconnected) => panic!("the solver stopped without an answer"),
            }
            if limit.is_some_and(|limit| started.elapsed() >= limit) {
                flag.store(true, Ordering::Relaxed);
            }
            if interrupt.is_none() {
                interrupt = Python::attach(|py| py.check_signals()).err();
                if interrupt.is_some() {
                    flag.store(true, Ordering::Relaxed);
                }
            }
        }
    })
}
