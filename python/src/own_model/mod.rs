//! A model whose mass, force and gaps are Python functions, as a `Lagrangian`.
//!
//!   M(q) dv = f(q, v, t) dt + g_qᵀ di,    g(q, t) ≥ 0;    derivatives that are not given are central differences

mod function;
mod lagrangian;

pub use function::lock;

use crate::errors;
use function::{Function, Kept, Run, Takes};
use percussion::model::{Claims, Code, Lagrangian, check_model};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// The callables, each with what makes an array of its answer, and the shape of that.
struct Functions {
    /// q → M, n × n; and ∂M/∂q, n × n × n with the variable last.
    mass: Function,
    mass_q: Option<Function>,
    /// q, v, t → f, n.
    force: Function,
    /// The same of forces beside it that need no potential.
    load: Option<Function>,
    /// q, v, t → ∂f/∂q and ∂f/∂v, n × n.
    force_q: Option<Function>,
    force_v: Option<Function>,
    /// q → V and ∂V/∂q.
    potential: Option<Function>,
    potential_q: Option<Function>,
    /// q, t → joints, then gaps; and ∂/∂q, one row each.
    constraint: Option<Function>,
    constraint_q: Option<Function>,
    /// q, t → ∂/∂t of the gaps.
    gap_t: Option<Function>,
    /// q → the tangents of all contacts, one row each.
    tangent: Option<Function>,
}

impl Functions {
    fn read(given: &Bound<'_, PyDict>, n: usize, vectorized: bool, run: &Arc<Run>) -> PyResult<Self> {
        let read = |word: &str, takes: Takes| match given.get_item(word)?.filter(|x| !x.is_none()) {
            Some(x) => Ok(Some(Function::new(x.extract()?, takes, n, vectorized, run))),
            None => PyResult::Ok(None),
        };
        let needed = |word: &str, takes| read(word, takes)?.ok_or_else(|| PyException::new_err(word.to_string()));
        Ok(Self {
            mass: needed("mass", Takes::Q)?,
            mass_q: read("mass_q", Takes::Q)?,
            force: needed("force", Takes::Qvt)?,
            load: read("load", Takes::Qvt)?,
            force_q: read("force_q", Takes::Qvt)?,
            force_v: read("force_v", Takes::Qvt)?,
            potential: read("potential", Takes::Q)?,
            potential_q: read("potential_q", Takes::Q)?,
            constraint: read("constraint", Takes::Qt)?,
            constraint_q: read("constraint_q", Takes::Qt)?,
            gap_t: read("gap_t", Takes::Qt)?,
            tangent: read("tangent", Takes::Q)?,
        })
    }

    fn renew(&self, run: &Arc<Run>) -> Self {
        let renew = |f: &Option<Function>| f.as_ref().map(|f| f.renew(run));
        Self {
            mass: self.mass.renew(run),
            mass_q: renew(&self.mass_q),
            force: self.force.renew(run),
            load: renew(&self.load),
            force_q: renew(&self.force_q),
            force_v: renew(&self.force_v),
            potential: renew(&self.potential),
            potential_q: renew(&self.potential_q),
            constraint: renew(&self.constraint),
            constraint_q: renew(&self.constraint_q),
            gap_t: renew(&self.gap_t),
            tangent: renew(&self.tangent),
        }
    }
}

/// Derivatives found by differences, at the places they were last asked for.
#[derive(Default)]
struct Found {
    mass_q: Kept,
    mass_qq: Kept,
    potential_q: Kept,
    potential_qq: Kept,
    constraint_q: Kept,
    constraint_qq: Kept,
}

/// What a model is beside its functions.
#[derive(Clone)]
struct Facts {
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
    checked: bool,
}

/// A user-written model, handed to Rust.
#[pyclass(frozen, module = "percussion._core")]
pub struct OwnModel(Arc<Inner>);

struct Inner {
    facts: Facts,
    functions: Functions,
    run: Arc<Run>,
    found: Found,
}

impl Inner {
    /// Without the loads, which may contradict everything.
    fn unloaded(&self) -> Self {
        let functions = Functions { load: None, ..self.functions.renew(&self.run) };
        Self { facts: self.facts.clone(), functions, run: Arc::clone(&self.run), found: Found::default() }
    }

    /// What contradicts the rest; loads need a value only.
    fn contradictions(&self, q: &[f64], v: &[f64], everywhere: bool) -> Vec<String> {
        let own_gradient = self.functions.potential.is_some() && self.functions.potential_q.is_some();
        let mut found = check_model(&self.unloaded(), q, v, Claims { own_gradient, no_loads: true, everywhere });
        let load = self.functions.load.as_ref().map(|load| load.at(&[q, v, &[0.0]].concat()));
        if load.is_some_and(|load| load.iter().any(|x| !x.is_finite())) {
            found.push(format!("the load is infinite or NaN at q = {q:.4?}, v = {v:.4?}"));
        }
        found
    }
}

#[pymethods]
impl OwnModel {
    #[new]
    fn new(
        n: usize,
        n_joints: usize,
        laws: (Vec<f64>, Vec<f64>, usize, bool),
        switches: (bool, bool, bool),
        functions: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let (restitutions, frictions, n_tangents, moving) = laws;
        let (constant_mass, checked, vectorized) = switches;
        let run = Arc::new(Run::default());
        let functions = Functions::read(functions, n, vectorized, &run)?;
        let facts = Facts { n, n_joints, restitutions, constant_mass, frictions, n_tangents, moving, checked };
        Ok(Self(Arc::new(Inner { facts, functions, run, found: Found::default() })))
    }

    /// What in the model contradicts the rest at random states about these.
    fn check(&self, py: Python<'_>, q: Vec<f64>, v: Vec<f64>) -> PyResult<Vec<String>> {
        let found = py.detach(|| self.0.contradictions(&q, &v, true));
        self.raised(py, Some((0, 0.0))).map_or(Ok(found), Err)
    }
}

impl OwnModel {
    /// The same functions for one run: its exceptions and what it remembers are its own, whatever runs beside it.
    pub fn share(&self) -> Self {
        let run = Arc::new(Run::default());
        let functions = self.0.functions.renew(&run);
        Self(Arc::new(Inner { facts: self.0.facts.clone(), functions, run, found: Found::default() }))
    }

    /// As Rust sees it.
    pub fn lagrangian(&self) -> Arc<dyn Lagrangian> {
        Arc::clone(&self.0) as Arc<dyn Lagrangian>
    }

    /// What in the model contradicts the rest, unless it is not to be checked.
    pub fn contradictions(&self, q: &[f64], v: &[f64]) -> Vec<String> {
        if self.0.facts.checked { self.0.contradictions(q, v, false) } else { Vec::new() }
    }

    /// Whether it is compared with itself before it runs.
    pub fn is_checked(&self) -> bool {
        self.0.facts.checked
    }

    /// Whether a function has raised.
    pub fn has_raised(&self) -> bool {
        lock(&self.0.run.raised).is_some()
    }

    /// The exception of a function, with the step and the time it happened at; Ctrl-C and exits as they are.
    ///
    /// A study does not tell its steps: the time is then that of the last force.
    pub fn raised(&self, py: Python<'_>, step: Option<(u64, f64)>) -> Option<PyErr> {
        let cause = lock(&self.0.run.raised).take()?;
        if !cause.is_instance_of::<PyException>(py) {
            return Some(cause);
        }
        let make = || {
            let message = format!("a function of the model raised {cause}");
            let help = "see the exception it came from";
            let fields = PyDict::new(py);
            fields.set_item("message", &message)?;
            fields.set_item("help", help)?;
            fields.set_item("t", step.map_or_else(|| *lock(&self.0.run.asked_at), |(_, t)| t))?;
            fields.set_item("step", step.map(|(step, _)| step))?;
            let place = match step {
                Some((0, _)) => "before the first step".into(),
                Some((step, t)) => format!("step {step} from t = {t} s"),
                None => format!("near t = {} s", *lock(&self.0.run.asked_at)),
            };
            let code = Code::MODEL_RAISED.as_str();
            let error = errors::exception(py, code, &format!("error[{code}]: {place}: {message}"), &fields)?;
            error.set_cause(py, Some(cause.clone_ref(py)));
            Ok(error)
        };
        Some(make().unwrap_or_else(|error: PyErr| error))
    }
}
