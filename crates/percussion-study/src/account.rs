//! What the ledger of a run adds up to, step by step, whatever part of the tables is kept.
//!
//!   ΔH = W_external + W_damping + W_contact + W_projection + W_joints − D + Σ residuals

use crate::{ErrorMeter, Errors};
use percussion_step::{LedgerEntry, Recorder, Start, Step, Stop};

/// Sums over all steps of a run [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// E at the start.
    pub energy_start: f64,
    /// E at the end.
    pub energy_end: f64,
    /// H, the energy the scheme's identity speaks of, at the start.
    pub algorithmic_start: f64,
    /// At the end.
    pub algorithmic_end: f64,
    /// Sum of the works of loads.
    pub external: f64,
    /// Of dampers.
    pub damping: f64,
    /// Of contacts, by their law.
    pub contact: f64,
    /// Of contacts and joints, by the projection of positions; zero for schemes without one.
    pub projection: f64,
    /// Of joints.
    pub joints: f64,
    /// Of what the scheme itself takes.
    pub dissipation: f64,
    /// Of the steps in which neither loads nor dampers account for a gain.
    pub created: f64,
    /// Largest |residual|.
    pub residual: f64,
    /// Errors where the exact motion is known.
    pub errors: Option<Errors>,
}

impl Account {
    /// What of ΔH no entry explains: round-off under an identity.
    pub fn not_booked(&self) -> f64 {
        let works = self.external + self.damping + self.contact + self.projection + self.joints;
        self.algorithmic_end - self.algorithmic_start - works + self.dissipation
    }
}

/// A recorder that keeps the account and measures errors where there is something to measure against.
pub(crate) struct Accountant<'a> {
    sums: Account,
    meter: Option<ErrorMeter<'a>>,
}

impl<'a> Accountant<'a> {
    pub fn new(meter: Option<ErrorMeter<'a>>) -> Self {
        Self { sums: Account::default(), meter }
    }

    pub fn account(&self) -> Account {
        Account { errors: self.meter.as_ref().map(ErrorMeter::errors), ..self.sums }
    }

    fn energies(&mut self, entry: &LedgerEntry) {
        (self.sums.energy_end, self.sums.algorithmic_end) = (entry.energy(), entry.algorithmic_energy);
    }
}

impl Recorder for Accountant<'_> {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.energies(start.ledger);
        (self.sums.energy_start, self.sums.algorithmic_start) = (self.sums.energy_end, self.sums.algorithmic_end);
        self.meter.as_mut().map_or(Ok(()), |meter| meter.start(start))
    }

    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        let entry = &step.ledger;
        self.energies(entry);
        let sums = &mut self.sums;
        sums.external += entry.work_external;
        sums.damping += entry.work_damping;
        sums.contact += entry.work_contact;
        sums.projection += entry.work_projection.unwrap_or(0.0);
        sums.joints += entry.work_joints;
        sums.dissipation += entry.dissipation_numerical;
        sums.created += entry.gained().max(0.0);
        sums.residual = sums.residual.max(entry.balance.abs());
        self.meter.as_mut().map_or(Ok(()), |meter| meter.record(number, step))
    }
}
