//! The fingerprint of the stored states against the summary's.

use crate::run_folder::{Row, RunFolder};
use crate::verify::Finding;
use percussion_step::{Audit, LedgerEntry, Model, Recorder, Scheme, Start, State, Step};

/// The fingerprint of the stored states.
pub struct Fingerprint {
    audit: Audit,
    step: Step,
    begun: bool,
    model: Model,
    scheme: Scheme,
}

impl Fingerprint {
    /// Nothing seen yet.
    pub fn new(run: &RunFolder) -> Self {
        let scenario = &run.loaded.scenario;
        Self {
            audit: Audit::new(),
            step: Step::default(),
            begun: false,
            model: scenario.problem.model.clone(),
            scheme: scenario.scheme.clone(),
        }
    }

    /// Takes in a state.
    pub fn add(&mut self, state: &State) {
        let ledger = LedgerEntry::default();
        // an audit keeps, it does not write: nothing here can fail
        let _ = if self.begun {
            self.step.after.clone_from(state);
            self.audit.record(0, &self.step)
        } else {
            self.begun = true;
            self.audit.start(&Start { model: &self.model, scheme: &self.scheme, state, ledger: &ledger })
        };
    }

    /// Compares with the summary.
    pub fn compare(&self, run: &RunFolder, last: &Row, count: u64, thinned: &Option<String>) -> Finding {
        let summary = &run.summary;
        let differs = |place: String| Finding::Differs { worst: 1.0, place };
        if count == 0 && summary.steps == 0 && summary.failure.is_some() {
            return Finding::Unsupported("the run ended before its first row".into());
        }
        if count == 0 {
            return differs("the tables are empty".into());
        }
        if summary.steps != last.step || summary.t_end != last.state.t {
            return differs(format!("summary.json: {} steps to t = {}", summary.steps, summary.t_end));
        }
        if let Some(reason) = thinned {
            return Finding::Unsupported(format!("steps and t_end agree; state_hash: {reason}"));
        }
        if self.audit.state_hash() != summary.state_hash {
            return differs(format!(
                "state_hash {} of the stored states, {} in summary.json",
                self.audit.state_hash(),
                summary.state_hash
            ));
        }
        Finding::Agrees(0.0)
    }
}
