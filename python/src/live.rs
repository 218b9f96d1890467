//! A live simulation: stepped without Python's lock, its state as NumPy arrays.

use crate::errors;
use crate::from_python::Request;
use crate::own_model::OwnModel;
use crate::run::tables;
use crate::signals::Signals;
use numpy::{PyArray1, PyReadonlyArray1};
use percussion::scenario::{Live, LiveState, ScenarioError};
use percussion::step::{Pack, StepFailure};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The compiled part of `percussion.Simulation`.
/// A joint, force and moment in the world, both in the frame of the second body.
type Reaction = (String, [f64; 3], [f64; 3], [[f64; 3]; 2]);

#[pyclass(module = "percussion._core")]
pub struct LiveSimulation {
    /// Only ever used by one thread at a time.
    live: Mutex<Live>,
    own: Option<OwnModel>,
}

/// Name, bodies, place, normal, gap, velocity, impulse, force, status.
type Touch =
    (String, Option<[String; 2]>, Option<[f64; 3]>, Option<[f64; 3]>, f64, [f64; 3], [f64; 3], [f64; 3], String);
/// t, step, kind, contact, u_before, u_after, p.
type Happening = (f64, u64, String, String, Option<f64>, Option<f64>, f64);

impl LiveSimulation {
    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl LiveSimulation {
    #[new]
    fn new(py: Python<'_>, request: Request<'_>) -> PyResult<Self> {
        let (mut loaded, own) = request.load_live(py)?;
        loaded.simulation.use_threads(1);
        let live = Live::new(loaded).map_err(|error| errors::raise(py, &error))?;
        Ok(Self { live: Mutex::new(live), own })
    }

    /// n steps; on failure those before it stand.
    fn step(&mut self, py: Python<'_>, n: u64) -> PyResult<()> {
        let Self { live, own } = self;
        let live = live.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut signals = Signals::new();
        let outcome: Result<(), StepFailure> = py.detach(|| {
            for k in 0..n {
                live.step()?;
                if (k & 0xff == 0xff && !signals.go_on(k)) || own.as_ref().is_some_and(OwnModel::has_raised) {
                    break;
                }
            }
            Ok(())
        });
        let (next, t) = (live.number() + 1, live.state().t);
        if let Some(error) = own.as_ref().and_then(|own| own.raised(py, Some((next, t)))) {
            return Err(error);
        }
        match (signals.raised, outcome) {
            (Some(error), _) => Err(error),
            (None, Err(failure)) => Err(errors::failure(py, &failure, next)),
            (None, Ok(())) => Ok(()),
        }
    }

    #[getter]
    fn t(&self) -> f64 {
        self.live().state().t
    }

    #[getter]
    fn h(&self) -> f64 {
        self.live().scenario().step
    }

    #[getter]
    fn number(&self) -> u64 {
        self.live().number()
    }

    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.live().state().q)
    }

    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.live().state().v)
    }

    /// Names that `set` takes, with units and numbers of values.
    fn names(&self) -> Vec<(String, &'static str, usize)> {
        self.live().controls().iter().map(|c| (c.name.clone(), c.unit, c.dials.len())).collect()
    }

    fn set(&self, py: Python<'_>, name: &str, values: Vec<f64>) -> PyResult<()> {
        self.live().set(name, &values).map_err(|error| errors::raise(py, &Box::<ScenarioError>::from(error)))
    }

    fn release(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.live().release(name).map_err(|error| errors::raise(py, &Box::<ScenarioError>::from(error)))
    }

    fn contacts(&self) -> Vec<Touch> {
        let touch = |c: percussion::scenario::TouchReading| {
            (c.name, c.bodies, c.place, c.normal, c.gap, c.velocity, c.impulse, c.force, c.status.to_string())
        };
        self.live().contacts().into_iter().map(touch).collect()
    }

    fn joints(&self) -> Vec<(String, f64, f64)> {
        self.live().joints().into_iter().map(|j| (j.name, j.value, j.rate)).collect()
    }

    fn reactions(&self) -> Vec<Reaction> {
        self.live().reactions().into_iter().map(|r| (r.name, r.force, r.moment, r.own)).collect()
    }

    /// Events of the last step.
    fn events(&self) -> Vec<Happening> {
        let live = self.live();
        let event = |e: &percussion::step::Event| {
            (e.t, e.step, e.kind.as_str().to_string(), live.contact_name(e.contact), e.u_before, e.u_after, e.p)
        };
        live.events().iter().map(event).collect()
    }

    /// The energy account of the last step.
    fn ledger(&self) -> [f64; 9] {
        let live = self.live();
        let e = &live.last().ledger;
        [
            e.kinetic,
            e.potential,
            e.algorithmic_energy,
            e.work_external,
            e.work_damping,
            e.work_contact,
            e.work_joints,
            e.dissipation_numerical,
            e.balance,
        ]
    }

    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut bytes = Vec::new();
        self.live().save().pack(&mut bytes);
        PyBytes::new(py, &bytes)
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
        self.live().restore(&state).map_err(|error| errors::raise(py, &error))
    }

    fn place(&self, py: Python<'_>, q: PyReadonlyArray1<'_, f64>, v: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        self.live().place(q.as_slice()?, v.as_slice()?).map_err(|error| errors::raise(py, &error))
    }

    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.live().reset().map_err(|error| errors::raise(py, &error))
    }

    fn solution<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (scenario, run, kept) = self.live().solution().map_err(|error| errors::raise(py, &error))?;
        tables(py, scenario, run, kept, None)
    }
}
