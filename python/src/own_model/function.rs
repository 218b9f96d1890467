//! A function written in Python: called with arrays, its answers checked, the last ones kept.
//!
//! Its arguments q, v, t stand one after the other in one list of numbers x, so that all derivatives are differences along some of
//! them. A function that raises leaves its exception and answers NaN, which ends the step; no function is called again.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArrayDyn, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyTuple};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Relative steps of central differences: ε^(1/3) for first derivatives of values, ε^(1/5) for those of differences, ε^(1/4) for
/// second ones.
pub const FIRST: f64 = 6e-6;
pub const OF_DIFFERENCES: f64 = 7e-4;
const SECOND: f64 = 2e-4;

/// Places whose answers are kept: those of two Newton iterations.
const PLACES: usize = 10;

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The last answers to a question, by the place it was asked at; what was asked last comes first.
#[derive(Default)]
pub struct Kept(Mutex<VecDeque<(Vec<f64>, Vec<f64>)>>);

impl Kept {
    /// The answer at x, asked for where it is not known. Only finite ones are kept: a function that raised may be mended.
    pub fn or(&self, x: &[f64], ask: impl FnOnce() -> Vec<f64>) -> Vec<f64> {
        let same = |at: &[f64]| at.len() == x.len() && at.iter().zip(x).all(|(a, b)| a.to_bits() == b.to_bits());
        let mut kept = lock(&self.0);
        if let Some(k) = kept.iter().position(|(at, _)| same(at))
            && let Some(known) = kept.remove(k)
        {
            kept.push_front(known);
            return kept[0].1.clone();
        }
        drop(kept);
        let answer = ask();
        if answer.iter().all(|x| x.is_finite()) {
            let mut kept = lock(&self.0);
            kept.truncate(PLACES - 1);
            kept.push_front((x.to_vec(), answer.clone()));
        }
        answer
    }
}

/// What a function is given of q, v and t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Takes {
    Q,
    Qt,
    Qvt,
}

/// A function as Python hands it over: what is called, what makes an array of any answer, the shape of that array.
type Handed = (Py<PyAny>, Py<PyAny>, Vec<usize>);

struct Given {
    call: Py<PyAny>,
    check: Py<PyAny>,
    shape: Vec<usize>,
    takes: Takes,
    n: usize,
    vectorized: bool,
}

/// What functions of one run share: the exception one of them raised, and the time forces were last asked for [s].
#[derive(Default)]
pub struct Run {
    pub raised: Mutex<Option<PyErr>>,
    pub asked_at: Mutex<f64>,
}

/// A function with what it answered in one run.
pub struct Function {
    given: Arc<Given>,
    run: Arc<Run>,
    kept: Kept,
}

impl Function {
    pub fn new(handed: Handed, takes: Takes, n: usize, vectorized: bool, run: &Arc<Run>) -> Self {
        let (call, check, shape) = handed;
        let given = Given { call, check, shape, takes, n, vectorized };
        Self { given: Arc::new(given), run: Arc::clone(run), kept: Kept::default() }
    }

    /// The same function for another run.
    pub fn renew(&self, run: &Arc<Run>) -> Self {
        Self { given: Arc::clone(&self.given), run: Arc::clone(run), kept: Kept::default() }
    }

    /// Numbers of an answer.
    pub fn length(&self) -> usize {
        self.given.shape.iter().product()
    }

    /// The answer at x.
    pub fn at(&self, x: &[f64]) -> Vec<f64> {
        self.kept.or(x, || self.ask(&[x.to_vec()]).swap_remove(0))
    }

    /// Answers at several places: in one call where the function takes them all at once.
    pub fn ask(&self, places: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let none = || vec![f64::NAN; self.length()];
        if lock(&self.run.raised).is_some() {
            return places.iter().map(|_| none()).collect();
        }
        if self.given.takes == Takes::Qvt
            && let Some(t) = places.first().and_then(|x| x.last())
        {
            *lock(&self.run.asked_at) = *t;
        }
        let answers = Python::attach(|py| {
            if self.given.vectorized {
                return self.given.all_at_once(py, places);
            }
            places.iter().map(|x| self.given.call(py, x)).collect()
        });
        answers.unwrap_or_else(|error| {
            lock(&self.run.raised).get_or_insert(error);
            places.iter().map(|_| none()).collect()
        })
    }

    /// ∂f_i/∂x_j at [j·m + i] for m numbers f and so many of the x, by central differences.
    pub fn slope(&self, x: &[f64], along: std::ops::Range<usize>, relative: f64) -> Vec<f64> {
        let places = stencil(x, along, relative);
        let answers = self.ask(&places.iter().map(|(_, place)| place.clone()).collect::<Vec<_>>());
        differences(&places, &answers)
    }

    /// ∂²f_i/∂x_j∂x_k at [(j·n + k)·m + i] for the first n of the x, from
    /// f(+j) − 2f + f(−j) and f(+j+k) + f(−j−k) − f(+j) − f(−j) − f(+k) − f(−k) + 2f.
    pub fn curvature(&self, x: &[f64], n: usize) -> Vec<f64> {
        let step = |j: usize| SECOND * x[j].abs().max(1.0);
        let moved = |j: usize, k: Option<usize>, sign: f64| {
            let mut place = x.to_vec();
            place[j] += sign * step(j);
            if let Some(k) = k {
                place[k] += sign * step(k);
            }
            place
        };
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|j| (0..j).map(move |k| (j, k))).collect();
        let single = (0..n).flat_map(|j| [moved(j, None, 1.0), moved(j, None, -1.0)]);
        let double = pairs.iter().flat_map(|&(j, k)| [moved(j, Some(k), 1.0), moved(j, Some(k), -1.0)]);
        let answers = self.ask(&single.chain(double).collect::<Vec<_>>());
        let (middle, m) = (self.at(x), self.length());
        let sum = |k: usize, i: usize| answers[2 * k][i] + answers[2 * k + 1][i];
        let mut D = vec![0.0; n * n * m];
        for j in 0..n {
            for i in 0..m {
                D[(j * n + j) * m + i] = (sum(j, i) - 2.0 * middle[i]) / step(j).powi(2);
            }
        }
        for (at, &(j, k)) in pairs.iter().enumerate() {
            for i in 0..m {
                let mixed = (sum(n + at, i) - sum(j, i) - sum(k, i) + 2.0 * middle[i]) / (2.0 * step(j) * step(k));
                D[(j * n + k) * m + i] = mixed;
                D[(k * n + j) * m + i] = mixed;
            }
        }
        D
    }
}

/// Places below and above x along some of its numbers, with what was moved.
pub fn stencil(x: &[f64], along: std::ops::Range<usize>, relative: f64) -> Vec<(usize, Vec<f64>)> {
    let moved = |j: usize, sign: f64| {
        let mut place = x.to_vec();
        place[j] += sign * relative * x[j].abs().max(1.0);
        (j, place)
    };
    along.flat_map(|j| [moved(j, -1.0), moved(j, 1.0)]).collect()
}

/// Central differences of answers at the places of a stencil, one block per variable.
pub fn differences(places: &[(usize, Vec<f64>)], answers: &[Vec<f64>]) -> Vec<f64> {
    let mut D = Vec::new();
    for (place, answer) in places.chunks_exact(2).zip(answers.chunks_exact(2)) {
        let j = place[0].0;
        let length = place[1].1[j] - place[0].1[j];
        D.extend(answer[1].iter().zip(&answer[0]).map(|(up, down)| (up - down) / length));
    }
    D
}

impl Given {
    /// q, v and t within x.
    fn parts<'a>(&self, x: &'a [f64]) -> (&'a [f64], Option<&'a [f64]>, Option<f64>) {
        let n = self.n;
        match self.takes {
            Takes::Q => (x, None, None),
            Takes::Qt => (&x[..n], None, Some(x[n])),
            Takes::Qvt => (&x[..n], Some(&x[n..2 * n]), Some(x[2 * n])),
        }
    }

    fn call(&self, py: Python<'_>, x: &[f64]) -> PyResult<Vec<f64>> {
        let (q, v, t) = self.parts(x);
        let q = PyArray1::from_slice(py, q);
        let call = self.call.bind(py);
        let answer = match (v, t) {
            (Some(v), Some(t)) => call.call1((q, PyArray1::from_slice(py, v), t)),
            (None, Some(t)) => call.call1((q, t)),
            (Some(v), None) => call.call1((q, PyArray1::from_slice(py, v))),
            (None, None) => call.call1((q,)),
        }?;
        let mut numbers = Vec::with_capacity(self.shape.iter().product());
        if !plain(&answer, &self.shape, &mut numbers) {
            let array: PyReadonlyArrayDyn<f64> = self.check.bind(py).call1((answer,))?.extract()?;
            numbers.clear();
            numbers.extend(array.as_array().iter());
        }
        Ok(numbers)
    }

    /// Places as columns; so are they in the answer.
    fn all_at_once(&self, py: Python<'_>, places: &[Vec<f64>]) -> PyResult<Vec<Vec<f64>>> {
        let (n, k) = (self.n, places.len());
        let columns = |from: usize| Array2::from_shape_fn((n, k), |(i, c)| places[c][from + i]).into_pyarray(py);
        let mut list = vec![columns(0).into_any()];
        if self.takes == Takes::Qvt {
            list.push(columns(n).into_any());
        }
        if self.takes != Takes::Q {
            let times = places.iter().map(|x| x.last().copied().unwrap_or_default()).collect::<Vec<_>>();
            list.push(times.into_pyarray(py).into_any());
        }
        let answer = self.call.bind(py).call1(PyTuple::new(py, list)?)?;
        let array: PyReadonlyArrayDyn<f64> = self.check.bind(py).call1((answer, k))?.extract()?;
        let mut answers = vec![Vec::with_capacity(self.shape.iter().product()); k];
        for (at, x) in array.as_array().iter().enumerate() {
            answers[at % k].push(*x);
        }
        Ok(answers)
    }
}

/// Takes the numbers of an array of floats, or of lists of plain numbers, of that shape; what else there is Python looks at.
fn plain(answer: &Bound<'_, PyAny>, shape: &[usize], numbers: &mut Vec<f64>) -> bool {
    if answer.is_exact_instance_of::<PyUntypedArray>() {
        let Ok(array) = answer.extract::<PyReadonlyArrayDyn<f64>>() else { return false };
        let array = array.as_array();
        let fits = array.shape() == shape;
        numbers.extend(array.iter().filter(|_| fits));
        return fits;
    }
    match (shape.split_first(), answer.cast_exact::<PyList>()) {
        (Some((&rows, rest)), Ok(list)) => list.len() == rows && list.iter().all(|row| plain(&row, rest, numbers)),
        (Some(_), Err(_)) => shape == [1] && number(answer, numbers),
        (None, _) => number(answer, numbers),
    }
}

/// Takes a float or an int.
fn number(x: &Bound<'_, PyAny>, numbers: &mut Vec<f64>) -> bool {
    let known = x.is_instance_of::<PyFloat>() || x.is_exact_instance_of::<PyInt>();
    match x.extract::<f64>() {
        Ok(x) if known => {
            numbers.push(x);
            true
        }
        _ => false,
    }
}
