//! A model whose mass, force and gaps are Python functions, as a `Lagrangian`.
//!
//!   M(q) dv = f(q, v, t) dt + g_qᵀ di,    g(q, t) ≥ 0;    derivatives that are not given are central differences
//!
//! A function that raises leaves its exception here and answers NaN, which ends the step; no function is called again.

use crate::errors;
use numpy::{PyArray1, PyReadonlyArrayDyn};
use percussion::matrix::DenseMatrix;
use percussion::model::{Code, Lagrangian, MovingGaps, check_model};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The callables, each taking and returning float64 arrays of checked shapes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Functions {
    /// q → M, n × n.
    mass: Py<PyAny>,
    /// q, v, t → f, n.
    force: Py<PyAny>,
    /// q, v, t → ∂f/∂q and ∂f/∂v, n × n.
    force_q: Option<Py<PyAny>>,
    force_v: Option<Py<PyAny>>,
    /// q → V and ∂V/∂q.
    potential: Option<Py<PyAny>>,
    potential_q: Option<Py<PyAny>>,
    /// q, t → joints, then gaps; and ∂/∂q, one row each.
    constraint: Option<Py<PyAny>>,
    constraint_q: Option<Py<PyAny>>,
    /// q, t → ∂/∂t of the gaps.
    gap_t: Option<Py<PyAny>>,
    /// q → the tangents of all contacts, one row each.
    tangent: Option<Py<PyAny>>,
}

/// A user-written model, handed to Rust.
#[pyclass(frozen, module = "percussion._core")]
pub struct OwnModel(Arc<Inner>);

struct Inner {
    n: usize,
    n_joints: usize,
    restitutions: Vec<f64>,
    constant_mass: bool,
    /// μ of each contact.
    frictions: Vec<f64>,
    /// Tangents of each contact with friction.
    n_tangents: usize,
    /// Whether gaps depend on time by themselves.
    moving: bool,
    /// Whether it is compared with itself before it runs.
    pub checked: bool,
    functions: Arc<Functions>,
    /// What a function raised in this run.
    raised: Mutex<Option<PyErr>>,
    /// The time forces were last asked for [s].
    asked_at: Mutex<f64>,
    memo: Mutex<Memo>,
}

/// Constraints come one by one and are computed all at once: the last answers are kept.
#[derive(Default)]
struct Memo {
    value_at: (f64, Vec<f64>),
    value: Vec<f64>,
    gradient_at: (f64, Vec<f64>),
    gradient: Vec<f64>,
    mass: Vec<f64>,
}

#[pymethods]
impl OwnModel {
    #[new]
    fn new(
        n: usize,
        n_joints: usize,
        laws: (Vec<f64>, Vec<f64>, usize, bool),
        constant_mass: bool,
        checked: bool,
        functions: Functions,
    ) -> Self {
        let (restitutions, frictions, n_tangents, moving) = laws;
        Self(Arc::new(Inner {
            n,
            n_joints,
            restitutions,
            frictions,
            n_tangents,
            moving,
            checked,
            constant_mass,
            functions: Arc::new(functions),
            raised: Mutex::new(None),
            asked_at: Mutex::new(0.0),
            memo: Mutex::new(Memo::default()),
        }))
    }

    /// What in the model contradicts the rest at random states about these.
    fn check(&self, py: Python<'_>, q: Vec<f64>, v: Vec<f64>) -> PyResult<Vec<String>> {
        let found = py.detach(|| check_model(&*self.0, &q, &v));
        self.raised(py, Some((0, 0.0))).map_or(Ok(found), Err)
    }
}

impl OwnModel {
    /// The same functions for one run: its exceptions and what it remembers are its own, whatever runs beside it.
    pub fn share(&self) -> Self {
        let Inner {
            n, n_joints, restitutions, frictions, n_tangents, moving, checked, constant_mass, functions, ..
        } = &*self.0;
        Self(Arc::new(Inner {
            n: *n,
            n_joints: *n_joints,
            restitutions: restitutions.clone(),
            frictions: frictions.clone(),
            n_tangents: *n_tangents,
            moving: *moving,
            checked: *checked,
            constant_mass: *constant_mass,
            functions: Arc::clone(functions),
            raised: Mutex::new(None),
            asked_at: Mutex::new(0.0),
            memo: Mutex::new(Memo::default()),
        }))
    }

    /// As Rust sees it.
    pub fn lagrangian(&self) -> Arc<dyn Lagrangian> {
        Arc::clone(&self.0) as Arc<dyn Lagrangian>
    }

    /// What in the model contradicts the rest, unless it is not to be checked.
    pub fn contradictions(&self, q: &[f64], v: &[f64]) -> Vec<String> {
        if self.0.checked { check_model(&*self.0, q, v) } else { Vec::new() }
    }

    /// Whether a function has raised.
    pub fn has_raised(&self) -> bool {
        lock(&self.0.raised).is_some()
    }

    /// The exception of a function, with the step and the time it happened at; Ctrl-C and exits as they are.
    ///
    /// A study does not tell its steps: the time is then that of the last force.
    pub fn raised(&self, py: Python<'_>, step: Option<(u64, f64)>) -> Option<PyErr> {
        let cause = lock(&self.0.raised).take()?;
        if !cause.is_instance_of::<PyException>(py) {
            return Some(cause);
        }
        let make = || {
            let message = format!("a function of the model raised {cause}");
            let help = "see the exception it came from";
            let fields = PyDict::new(py);
            fields.set_item("message", &message)?;
            fields.set_item("help", help)?;
            fields.set_item("t", step.map_or_else(|| *lock(&self.0.asked_at), |(_, t)| t))?;
            fields.set_item("step", step.map(|(step, _)| step))?;
            let place = match step {
                Some((0, _)) => "before the first step".into(),
                Some((step, t)) => format!("step {step} from t = {t} s"),
                None => format!("near t = {} s", *lock(&self.0.asked_at)),
            };
            let code = Code::MODEL_RAISED.as_str();
            let error = errors::exception(py, code, &format!("error[{code}]: {place}: {message}"), &fields)?;
            error.set_cause(py, Some(cause.clone_ref(py)));
            Ok(error)
        };
        Some(make().unwrap_or_else(|error: PyErr| error))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a function is given.
enum Argument<'a> {
    Vector(&'a [f64]),
    Time(f64),
}

impl Inner {
    /// The numbers a function answers with, NaN once any function has raised.
    fn call(&self, function: &Py<PyAny>, arguments: &[Argument], length: usize) -> Vec<f64> {
        if lock(&self.raised).is_some() {
            return vec![f64::NAN; length];
        }
        let answer = Python::attach(|py| {
            let mut list = Vec::with_capacity(arguments.len());
            for argument in arguments {
                list.push(match argument {
                    Argument::Vector(x) => PyArray1::from_slice(py, x).into_any(),
                    Argument::Time(t) => t.into_pyobject(py)?.into_any(),
                });
            }
            let answer = function.bind(py).call1(PyTuple::new(py, list)?)?;
            let array: PyReadonlyArrayDyn<f64> = answer.extract()?;
            Ok(array.as_array().iter().copied().collect::<Vec<f64>>())
        });
        match answer {
            Ok(numbers) if numbers.len() == length => numbers,
            Ok(_) => vec![f64::NAN; length],
            Err(error) => {
                lock(&self.raised).get_or_insert(error);
                vec![f64::NAN; length]
            }
        }
    }

    /// ½ vᵀṀv: what −(Ṁv − ½ ∂(vᵀMv)/∂q) in f takes from v·f, and the kinetic energy gets back from M. It is no work.
    fn inertial_power(&self, q: &[f64], v: &[f64]) -> f64 {
        let speed = v.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
        if self.constant_mass || speed == 0.0 {
            return 0.0;
        }
        // Ṁ as a difference along v, as long as those of the other derivatives
        let d = FIRST * q.iter().fold(1.0_f64, |s, q| s.max(q.abs())) / speed;
        let kinetic = |d: f64| {
            let M = self.M(&q.iter().zip(v).map(|(q, v)| q + d * v).collect::<Vec<_>>());
            let n = self.n;
            0.5 * (0..n).map(|i| v[i] * (0..n).map(|j| M[i * n + j] * v[j]).sum::<f64>()).sum::<f64>()
        };
        (kinetic(d) - kinetic(-d)) / (2.0 * d)
    }

    fn n_constraints(&self) -> usize {
        self.n_joints + self.restitutions.len()
    }

    fn f(&self, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
        if lock(&self.raised).is_none() {
            *lock(&self.asked_at) = t;
        }
        self.call(&self.functions.force, &[Argument::Vector(q), Argument::Vector(v), Argument::Time(t)], self.n)
    }

    fn M(&self, q: &[f64]) -> Vec<f64> {
        if self.constant_mass && !lock(&self.memo).mass.is_empty() {
            return lock(&self.memo).mass.clone();
        }
        let M = self.call(&self.functions.mass, &[Argument::Vector(q)], self.n * self.n);
        if self.constant_mass {
            lock(&self.memo).mass.clone_from(&M);
        }
        M
    }

    fn g(&self, q: &[f64], t: f64) -> Vec<f64> {
        let Some(constraint) = &self.functions.constraint else { return Vec::new() };
        self.call(constraint, &[Argument::Vector(q), Argument::Time(t)], self.n_constraints())
    }

    /// ∂g/∂q, row after row.
    fn g_q(&self, q: &[f64], t: f64) -> Vec<f64> {
        let (n, m) = (self.n, self.n_constraints());
        match &self.functions.constraint_q {
            Some(function) => self.call(function, &[Argument::Vector(q), Argument::Time(t)], m * n),
            None => transposed(&differences(q, m, FIRST, |q| self.g(q, t)), n, m),
        }
    }

    /// ∂g/∂t of the gaps.
    fn g_t(&self, q: &[f64], t: f64) -> Vec<f64> {
        match &self.functions.gap_t {
            Some(f) => self.call(f, &[Argument::Vector(q), Argument::Time(t)], self.restitutions.len()),
            None => differences(&[t], self.n_constraints(), FIRST, |t| self.g(q, t[0])).split_off(self.n_joints),
        }
    }

    /// Relative steps of differences of g_t and of g_q.
    fn steps(&self) -> (f64, f64) {
        let step = |given: &Option<Py<PyAny>>| if given.is_some() { FIRST } else { SECOND };
        (step(&self.functions.gap_t), step(&self.functions.constraint_q))
    }

    /// g_j(q, t); all of them are computed at once and kept.
    fn constraint_at(&self, j: usize, q: &[f64], t: f64) -> f64 {
        let memo = lock(&self.memo);
        if memo.value_at.0 == t && memo.value_at.1 == q && !memo.value.is_empty() {
            return memo.value[j];
        }
        drop(memo);
        let g = self.g(q, t);
        let mut memo = lock(&self.memo);
        memo.value_at = (t, q.to_vec());
        memo.value = g;
        memo.value[j]
    }

    fn gradient_at(&self, j: usize, q: &[f64], t: f64, row: &mut [f64]) {
        let n = self.n;
        let memo = lock(&self.memo);
        if memo.gradient_at.0 == t && memo.gradient_at.1 == q && !memo.gradient.is_empty() {
            row.copy_from_slice(&memo.gradient[j * n..(j + 1) * n]);
            return;
        }
        drop(memo);
        let g_q = self.g_q(q, t);
        row.copy_from_slice(&g_q[j * n..(j + 1) * n]);
        let mut memo = lock(&self.memo);
        memo.gradient_at = (t, q.to_vec());
        memo.gradient = g_q;
    }

    fn hessian_at(&self, j: usize, q: &[f64], t: f64, weight: f64, H: &mut DenseMatrix) {
        let n = self.n;
        let D = differences(q, n, self.steps().1, |q| self.g_q(q, t)[j * n..(j + 1) * n].to_vec());
        add(H, &D, weight);
    }

    fn V_q(&self, q: &[f64]) -> Vec<f64> {
        match (&self.functions.potential_q, &self.functions.potential) {
            (Some(function), _) => self.call(function, &[Argument::Vector(q)], self.n),
            (None, Some(V)) => differences(q, 1, FIRST, |q| self.call(V, &[Argument::Vector(q)], 1)),
            (None, None) => vec![0.0; self.n],
        }
    }
}

/// Relative steps of central differences: ε^(1/3) of values that are exact, ε^(1/5) of values that are differences.
const FIRST: f64 = 6e-6;
const SECOND: f64 = 7e-4;

/// ∂f_i/∂x_j at [j·m + i]: one block per variable.
fn differences(x: &[f64], m: usize, relative: f64, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut D = Vec::with_capacity(m * x.len());
    let mut moved = x.to_vec();
    for j in 0..x.len() {
        let d = relative * x[j].abs().max(1.0);
        moved[j] = x[j] + d;
        let (above, up) = (moved[j], f(&moved));
        moved[j] = x[j] - d;
        let (below, down) = (moved[j], f(&moved));
        moved[j] = x[j];
        D.extend((0..m).map(|i| (up[i] - down[i]) / (above - below)));
    }
    D
}

/// Blocks by variable to rows by function.
fn transposed(D: &[f64], n: usize, m: usize) -> Vec<f64> {
    (0..m).flat_map(|i| (0..n).map(move |j| D[j * m + i])).collect()
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a model of {} coordinates written in Python", self.n)
    }
}

impl Lagrangian for Inner {
    fn n(&self) -> usize {
        self.n
    }

    fn n_joints(&self) -> usize {
        self.n_joints
    }

    fn restitutions(&self) -> &[f64] {
        &self.restitutions
    }

    fn mass_is_constant(&self) -> bool {
        self.constant_mass
    }

    fn frictions(&self) -> &[f64] {
        &self.frictions
    }

    fn n_tangents(&self, i: usize) -> usize {
        if self.frictions.get(i).is_some_and(|&mu| mu > 0.0) { self.n_tangents } else { 0 }
    }

    fn contact_tangent(&self, i: usize, k: usize, q: &[f64], row: &mut [f64]) {
        let Some(function) = &self.functions.tangent else { return };
        let (n, m) = (self.n, self.restitutions.len() * self.n_tangents);
        let rows = self.call(function, &[Argument::Vector(q)], m * n);
        let first = (i * self.n_tangents + k) * n;
        row.copy_from_slice(&rows[first..first + n]);
    }

    fn mass(&self, q: &[f64], M: &mut DenseMatrix) {
        let rows = self.M(q);
        for i in 0..self.n {
            for j in 0..self.n {
                M.set(i, j, rows[i * self.n + j]);
            }
        }
    }

    fn mass_tangent(&self, q: &[f64], x: &[f64], D: &mut DenseMatrix) {
        if self.constant_mass {
            return;
        }
        let n = self.n;
        let Mx = |q: &[f64]| {
            let M = self.M(q);
            (0..n).map(|i| (0..n).map(|j| M[i * n + j] * x[j]).sum()).collect()
        };
        add(D, &differences(q, n, FIRST, Mx), 1.0);
    }

    fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]) {
        f.copy_from_slice(&self.f(q, v, t));
    }

    fn force_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        let n = self.n;
        let given = |function: &Py<PyAny>| {
            let D = self.call(function, &[Argument::Vector(q), Argument::Vector(v), Argument::Time(t)], n * n);
            transposed(&D, n, n)
        };
        let f_q = match &self.functions.force_q {
            Some(function) => given(function),
            None => differences(q, n, FIRST, |q| self.f(q, v, t)),
        };
        let f_v = match &self.functions.force_v {
            Some(function) => given(function),
            None => differences(v, n, FIRST, |v| self.f(q, v, t)),
        };
        add(K, &f_q, -1.0);
        add(C, &f_v, -1.0);
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.functions.potential.as_ref().map_or(0.0, |V| self.call(V, &[Argument::Vector(q)], 1)[0])
    }

    fn potential_gradient(&self, q: &[f64], d: &mut [f64]) {
        d.copy_from_slice(&self.V_q(q));
    }

    fn potential_hessian(&self, q: &[f64], H: &mut DenseMatrix) {
        let relative = if self.functions.potential_q.is_some() { FIRST } else { SECOND };
        add(H, &differences(q, self.n, relative, |q| self.V_q(q)), 1.0);
    }

    fn power_without_potential(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let (f, V_q) = (self.f(q, v, t), self.V_q(q));
        let power: f64 = (0..self.n).map(|i| v[i] * (f[i] + V_q[i])).sum();
        power + self.inertial_power(q, v)
    }

    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        self.constraint_at(j, q, 0.0)
    }

    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        self.gradient_at(j, q, 0.0, row);
    }

    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        self.hessian_at(j, q, 0.0, weight, H);
    }

    fn moving_gaps(&self) -> Option<&dyn MovingGaps> {
        self.moving.then_some(self)
    }
}

impl MovingGaps for Inner {
    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64 {
        self.constraint_at(self.n_joints + i, q, t)
    }

    fn gradient(&self, i: usize, q: &[f64], t: f64, row: &mut [f64]) {
        self.gradient_at(self.n_joints + i, q, t, row);
    }

    fn hessian(&self, i: usize, q: &[f64], t: f64, weight: f64, H: &mut DenseMatrix) {
        self.hessian_at(self.n_joints + i, q, t, weight, H);
    }

    fn rate(&self, i: usize, q: &[f64], t: f64) -> f64 {
        self.g_t(q, t)[i]
    }

    fn gradient_rate(&self, i: usize, q: &[f64], t: f64, row: &mut [f64]) {
        let mixed = differences(q, 1, self.steps().0, |q| vec![self.g_t(q, t)[i]]);
        row.iter_mut().zip(mixed).for_each(|(row, mixed)| *row += mixed);
    }

    fn acceleration(&self, i: usize, q: &[f64], t: f64) -> f64 {
        differences(&[t], 1, self.steps().0, |t| vec![self.g_t(q, t[0])[i]])[0]
    }
}

/// A ← A + weight·D with D in blocks by column.
fn add(A: &mut DenseMatrix, D: &[f64], weight: f64) {
    for (a, d) in A.values_mut().iter_mut().zip(D) {
        *a += weight * d;
    }
}
