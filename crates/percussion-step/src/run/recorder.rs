//! What is kept of a run.

use crate::{LedgerEntry, Model, Scheme, State, Step};

/// What a recorder is told before the first step.
pub struct Start<'a> {
    /// The model.
    pub model: &'a Model,
    /// The scheme.
    pub scheme: &'a Scheme,
    /// The initial state.
    pub state: &'a State,
    /// Its energies.
    pub ledger: &'a LedgerEntry,
}

/// Why a recorder ends a run.
#[derive(Debug)]
pub enum Stop {
    /// The user asked for it.
    Interrupted,
    /// Something could not be kept.
    Failed(Box<dyn std::error::Error + Send + Sync>),
}

/// Receives every accepted step.
pub trait Recorder {
    /// The initial state.
    fn start(&mut self, start: &Start) -> Result<(), Stop>;

    /// One accepted step; `number` counts from 1.
    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop>;
}

/// Two recorders as one.
pub struct Both<'a>(pub &'a mut dyn Recorder, pub &'a mut dyn Recorder);

impl Recorder for Both<'_> {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.0.start(start)?;
        self.1.start(start)
    }

    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        self.0.record(number, step)?;
        self.1.record(number, step)
    }
}
