//! Where a run is, as a value: saved, restored and fed back to the same bits.
//!
//!   (number, t, q, v, memory)_k  →  steps k+1, k+2, …  as if the run had not been left

use crate::{Memory, Simulation, State};

/// A run at an instant: the state and all a scheme carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// Steps made.
    pub number: u64,
    /// Length of a step [s].
    pub h: f64,
    /// t, q, v.
    pub state: State,
    /// What the scheme carries.
    pub memory: Memory,
}
crate::packed! { Saved { number, h, state, memory } }
crate::packed! { percussion_model::Course { written, since, place, rate, later, over } }
crate::packed! { percussion_model::Turn { now, before, after } }

impl Simulation {
    /// What the scheme would carry if the run began here, under the loads of this moment.
    pub fn begun_here(&mut self) -> Memory {
        self.stepper.start(&self.state)
    }

    /// Where the run is; equal steps only.
    pub fn save(&self) -> Saved {
        Saved { number: self.number, h: self.h, state: self.state.clone(), memory: self.memory.clone() }
    }

    /// Puts the run where it was saved, this one or another of the same model, scheme and step. False, and nothing is changed,
    /// where it was saved from something else or steps are adaptive.
    ///
    /// A state that a run produced is always admitted, whatever it penetrates or violates by the errors of its scheme.
    pub fn restore(&mut self, saved: &Saved) -> bool {
        let mut memory = saved.memory.clone();
        if self.controller.is_some() || saved.h != self.h || !self.fits(&mut memory, &saved.state) {
            return false;
        }
        self.number = saved.number;
        self.state.clone_from(&saved.state);
        self.memory = memory;
        true
    }

    /// Begins again at another state, at the present time: what the scheme carries is made for it.
    pub fn place(&mut self, q: &[f64], v: &[f64]) -> bool {
        let state = State { t: self.state.t, q: q.to_vec(), v: v.to_vec() };
        let sizes = q.len() == self.state.q.len() && v.len() == self.state.v.len();
        if self.controller.is_some() || !sizes || !q.iter().chain(v).all(|x| x.is_finite()) {
            return false;
        }
        self.memory = self.stepper.start(&state);
        self.state = state;
        true
    }
}
