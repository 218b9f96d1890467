//! Python's signals, asked for now and then by work that has let go of the interpreter.

use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Whether Ctrl-C, or another signal whose handler raised, has ended the work.
pub struct Interrupt(Mutex<(Instant, Option<PyErr>)>);

impl Interrupt {
    /// None yet.
    pub fn new() -> Self {
        Self(Mutex::new((Instant::now(), None)))
    }

    /// Whether the work goes on; asks the interpreter at most twenty times a second.
    pub fn go_on(&self) -> bool {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.1.is_none() && asked.0.elapsed() > Duration::from_millis(50) {
            *asked = (Instant::now(), Python::attach(|py| py.check_signals()).err());
        }
        asked.1.is_none()
    }

    /// What was raised.
    pub fn raised(self) -> Option<PyErr> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }
}
