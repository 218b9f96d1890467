//! Ctrl-C while Rust computes: Python is asked some twenty times a second whether a signal has come.

use pyo3::prelude::*;
use std::time::Instant;

/// Asks now and then, and keeps the exception of a signal.
pub struct Signals {
    started: Instant,
    next: u64,
    /// What the signal's handler raised, `KeyboardInterrupt` unless the user set another.
    pub raised: Option<PyErr>,
}

/// Seconds between two questions.
const INTERVAL: f64 = 0.05;

/// A step, their number, and t.
type Told = (u64, u64, f64);

impl Signals {
    /// Nothing seen yet.
    pub fn new() -> Self {
        Self { started: Instant::now(), next: 0, raised: None }
    }

    /// Whether to go on after so many steps.
    #[inline]
    pub fn go_on(&mut self, step: u64) -> bool {
        self.go_on_telling(step, None)
    }

    /// The same, telling a function of Python how far the run is; what it raises ends the run.
    #[inline]
    pub fn go_on_telling(&mut self, step: u64, tell: Option<(&Py<PyAny>, Told)>) -> bool {
        if step < self.next {
            return true;
        }
        let speed = step as f64 / self.started.elapsed().as_secs_f64().max(1e-6);
        self.next = step + (INTERVAL * speed).clamp(1.0, 1e6) as u64;
        let asked = Python::attach(|py| {
            py.check_signals()?;
            tell.map_or(Ok(()), |(tell, progress)| tell.call1(py, progress).map(drop))
        });
        self.raised = asked.err();
        self.raised.is_none()
    }
}
