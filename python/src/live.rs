//! A live simulation: stepped without Python's lock, its state as NumPy arrays.

use crate::errors;
use crate::from_python::Request;
use crate::own_model::{OwnModel, lock};
use crate::run::tables;
use crate::signals::Signals;
use numpy::{PyArray1, PyReadonlyArray1};
use percussion::scenario::{Live, LiveState, ScenarioError};
use percussion::step::{Pack, StepFailure};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// A joint, force and moment in the world, both in the frame of the second body.
type Reaction = (String, [f64; 3], [f64; 3], [[f64; 3]; 2]);

/// The compiled part of `percussion.Simulation`.
#[pyclass(frozen, module = "percussion._core")]
pub struct LiveSimulation {
    /// Used by one thread at a time: whoever comes while a step is made waits for its end.
    live: Mutex<Live>,
    /// The thread that makes a step.
    stepping: Mutex<Option<ThreadId>>,
    own: Option<OwnModel>,
}

/// Name, bodies, place, normal, gap, velocity, impulse, force, status.
type Touch =
    (String, Option<[String; 2]>, Option<[f64; 3]>, Option<[f64; 3]>, f64, [f64; 3], [f64; 3], [f64; 3], String);
/// t, step, kind, contact, u_before, u_after, p.
type Happening = (f64, u64, String, String, Option<f64>, Option<f64>, f64);

impl LiveSimulation {
    /// The simulation between two steps. A function of its own model, called in the middle of one, must not wait for its end.
    fn live(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Live>> {
        if *lock(&self.stepping) == Some(std::thread::current().id()) {
            let message = "the simulation is in the middle of a step: functions of its model are given q, v and t";
            return Err(PyRuntimeError::new_err(message));
        }
        Ok(self.live.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }

    /// One step of those that `step` makes.
    fn advance(&self) -> Result<(), StepFailure> {
        let mut live = lock(&self.live);
        *lock(&self.stepping) = Some(std::thread::current().id());
        let made = live.step();
        *lock(&self.stepping) = None;
        made
    }
}

#[pymethods]
impl LiveSimulation {
    #[new]
    fn new(py: Python<'_>, request: Request<'_>) -> PyResult<Self> {
        let (mut loaded, own) = request.load_live(py)?;
        loaded.simulation.use_threads(1);
        let live = Live::new(loaded).map_err(|error| errors::raise(py, &error))?;
        Ok(Self { live: Mutex::new(live), stepping: Mutex::new(None), own })
    }

    /// n steps; on failure those before it stand.
    fn step(&self, py: Python<'_>, n: u64) -> PyResult<()> {
        drop(self.live(py)?);
        let mut signals = Signals::new();
        let outcome: Result<(), StepFailure> = py.detach(|| {
            for k in 0..n {
                self.advance()?;
                if (k & 0xff == 0xff && !signals.go_on(k)) || self.own.as_ref().is_some_and(OwnModel::has_raised) {
                    break;
                }
            }
            Ok(())
        });
        let live = self.live(py)?;
        let (next, t) = (live.number() + 1, live.state().t);
        drop(live);
        if let Some(error) = self.own.as_ref().and_then(|own| own.raised(py, Some((next, t)))) {
            return Err(error);
        }
        match (signals.raised, outcome) {
            (Some(error), _) => Err(error),
            (None, Err(failure)) => Err(errors::failure(py, &failure, next)),
            (None, Ok(())) => Ok(()),
        }
    }

    #[getter]
    fn t(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.live(py)?.state().t)
    }

    #[getter]
    fn h(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.live(py)?.scenario().step)
    }

    #[getter]
    fn number(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.live(py)?.number())
    }

    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, &self.live(py)?.state().q))
    }

    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, &self.live(py)?.state().v))
    }

    /// Names that `set` takes, with units and numbers of values.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<(String, &'static str, usize)>> {
        Ok(self.live(py)?.controls().iter().map(|c| (c.name.clone(), c.unit, c.dials.len())).collect())
    }

    fn set(&self, py: Python<'_>, name: &str, values: Vec<f64>) -> PyResult<()> {
        self.live(py)?.set(name, &values).map_err(|error| errors::raise(py, &Box::<ScenarioError>::from(error)))
    }

    fn release(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.live(py)?.release(name).map_err(|error| errors::raise(py, &Box::<ScenarioError>::from(error)))
    }

    fn contacts(&self, py: Python<'_>) -> PyResult<Vec<Touch>> {
        let touch = |c: percussion::scenario::TouchReading| {
            (c.name, c.bodies, c.place, c.normal, c.gap, c.velocity, c.impulse, c.force, c.status.to_string())
        };
        Ok(self.live(py)?.contacts().into_iter().map(touch).collect())
    }

    fn joints(&self, py: Python<'_>) -> PyResult<Vec<(String, f64, f64)>> {
        Ok(self.live(py)?.joints().into_iter().map(|j| (j.name, j.value, j.rate)).collect())
    }

    fn reactions(&self, py: Python<'_>) -> PyResult<Vec<Reaction>> {
        Ok(self.live(py)?.reactions().into_iter().map(|r| (r.name, r.force, r.moment, r.own)).collect())
    }

    /// Events of the last step.
    fn events(&self, py: Python<'_>) -> PyResult<Vec<Happening>> {
        let live = self.live(py)?;
        let event = |e: &percussion::step::Event| {
            (e.t, e.step, e.kind.as_str().to_string(), live.contact_name(e.contact), e.u_before, e.u_after, e.p)
        };
        Ok(live.events().iter().map(event).collect())
    }

    /// The energy account of the last step.
    fn ledger(&self, py: Python<'_>) -> PyResult<[f64; 9]> {
        let live = self.live(py)?;
        let e = &live.last().ledger;
        Ok([
            e.kinetic,
            e.potential,
            e.algorithmic_energy,
            e.work_external,
            e.work_damping,
            e.work_contact,
            e.work_joints,
            e.dissipation_numerical,
            e.balance,
        ])
    }

    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        self.live(py)?.save().pack(&mut bytes);
        Ok(PyBytes::new(py, &bytes))
    }

    fn restore(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let mut rest = bytes;
        let Some(state) = LiveState::unpack(&mut rest).filter(|_| rest.is_empty()) else {
            let message = "is no saved state";
            let help = "give back what .state was";
            return Err(crate::from_python::refuse(
                py,
                percussion::model::Code::BAD_CHECKPOINT,
                "state",
                message.into(),
                help,
            ));
        };
        self.live(py)?.restore(&state).map_err(|error| errors::raise(py, &error))
    }

    fn place(
        &self,
        py: Python<'_>,
        q: PyReadonlyArray1<'_, f64>,
        v: PyReadonlyArray1<'_, f64>,
        project: bool,
    ) -> PyResult<()> {
        self.live(py)?.place(q.as_slice()?, v.as_slice()?, project).map_err(|error| errors::raise(py, &error))
    }

    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.live(py)?.reset().map_err(|error| errors::raise(py, &error))
    }

    fn solution<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (scenario, run, kept) = self.live(py)?.solution().map_err(|error| errors::raise(py, &error))?;
        tables(py, scenario, run, kept, None)
    }
}
