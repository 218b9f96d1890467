//! A recorder that keeps a run in memory.

use crate::{ContactState, LedgerEntry, Recorder, Start, Step, Stop, Tangential};

/// Every recorded state, contact and ledger entry; row 0 is the initial state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// Keep every so many steps; 0 and 1 both mean all. Ledger works in between are summed.
    pub every: u64,
    /// Number of coordinates.
    pub n: usize,
    /// t of each row.
    pub t: Vec<f64>,
    /// q of each row, one after the other.
    pub q: Vec<f64>,
    /// v of each row, one after the other.
    pub v: Vec<f64>,
    /// The ledger of each row.
    pub ledger: Vec<LedgerEntry>,
    /// The contacts of the index set, with the row they belong to.
    pub contacts: Vec<(usize, ContactState)>,
    /// Their tangential motion, one for each; empty where no contact has tangents.
    pub friction: Vec<Tangential>,
    pending: Option<LedgerEntry>,
}

impl Trajectory {
    /// Keeps all steps.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps all of n steps of a model with `n_q` coordinates, with its memory taken beforehand.
    pub fn with_capacity(steps: usize, n_q: usize, contacts: usize) -> Self {
        let rows = steps + 1;
        Self {
            t: Vec::with_capacity(rows),
            q: Vec::with_capacity(rows * n_q),
            v: Vec::with_capacity(rows * n_q),
            ledger: Vec::with_capacity(rows),
            contacts: Vec::with_capacity(contacts),
            ..Self::default()
        }
    }

    /// Forgets the rows and keeps the memory.
    pub fn clear(&mut self) {
        for part in [&mut self.t, &mut self.q, &mut self.v] {
            part.clear();
        }
        self.ledger.clear();
        self.contacts.clear();
        self.friction.clear();
        self.pending = None;
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }

    /// q of a row.
    pub fn q(&self, row: usize) -> &[f64] {
        &self.q[row * self.n..(row + 1) * self.n]
    }

    /// v of a row.
    pub fn v(&self, row: usize) -> &[f64] {
        let n = self.v.len() / self.len().max(1);
        &self.v[row * n..(row + 1) * n]
    }

    /// Impulse of a contact in the step that led to each row, zero where it was not in the index set.
    pub fn impulses(&self, contact: usize) -> Vec<f64> {
        let mut p = vec![0.0; self.len()];
        for (row, c) in self.contacts.iter().filter(|(_, c)| c.id == contact) {
            p[*row] = c.p;
        }
        p
    }

    #[inline]
    fn push(&mut self, t: f64, q: &[f64], v: &[f64], ledger: &LedgerEntry) {
        self.t.push(t);
        self.q.extend_from_slice(q);
        self.v.extend_from_slice(v);
        self.ledger.push(*ledger);
    }
}

impl Recorder for Trajectory {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.n = start.state.q.len();
        self.push(start.state.t, &start.state.q, &start.state.v, start.ledger);
        Ok(())
    }

    #[inline]
    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        let summed;
        let mut ledger = &step.ledger;
        if self.every > 1 {
            summed = match self.pending.take() {
                Some(mut sum) => {
                    sum.accumulate(ledger);
                    sum
                }
                None => *ledger,
            };
            if !number.is_multiple_of(self.every) {
                self.pending = Some(summed);
                return Ok(());
            }
            ledger = &summed;
        }
        let row = self.len();
        self.contacts.extend(step.contacts.iter().map(|c| (row, *c)));
        self.friction.extend_from_slice(&step.friction);
        self.push(step.after.t, &step.after.q, &step.after.v, ledger);
        Ok(())
    }
}
