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

impl Signals {
    /// Nothing seen yet.
    pub fn new() -> Self {
        Self { started: Instant::now(), next: 0, raised: None }
    }

    /// Whether to go on after so many steps.
    #[inline]
    pub fn go_on(&mut self, step: u64) -> bool {
        if step < self.next {
            return true;
        }
        let speed = step as f64 / self.started.elapsed().as_secs_f64().max(1e-6);
        self.next = step + (INTERVAL * speed).clamp(1.0, 1e6) as u64;
        self.raised = Python::attach(|py| py.check_signals()).err();
        self.raised.is_none()
    }
}
