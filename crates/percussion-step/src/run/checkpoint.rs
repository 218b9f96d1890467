//! A run in the middle: number of steps, state, the scheme's memory with its warm starts, the controller of adaptive steps.
//!
//!   (state, memory)_k  →  steps k+1, k+2, …   are the same bits, whether or not the run was stopped at k
//!
//! Steps are pure, so this is all there is to keep; factorisations and other work memory are made again.

use crate::run::adaptive::controller::Controller;
use crate::{Memory, Pack, PackPart, Simulation, State};

impl Simulation {
    /// Whether a memory has the shape this run's scheme gives it, so that no step looks for what is not there; what the
    /// scheme carries is read here.
    pub(crate) fn fits(&self, kept: &mut Memory, state: &State) -> bool {
        // at t = 0 the memory is as the scheme made it
        let fresh = &self.memory;
        if !kept.carried.restore(&fresh.carried) {
            return false;
        }
        let m = fresh.p.len();
        let lists = kept.p.len() == m && kept.push.len() == fresh.push.len();
        let tangents = kept.p_t.len() == fresh.p_t.len() || [0, m].contains(&kept.p_t.len());
        let rising = kept.persistent.windows(2).all(|pair| pair[0].id < pair[1].id);
        let bodies = self.model.contacts_vary() || kept.persistent.is_empty();
        let sizes = state.q.len() == self.state.q.len() && state.v.len() == self.state.v.len();
        let numbers = state.q.iter().chain(&state.v).all(|x| x.is_finite()) && state.t.is_finite();
        lists && tangents && rising && bodies && sizes && numbers
    }
}

impl PackPart for Simulation {
    fn pack_part(&self, out: &mut Vec<u8>) {
        self.number.pack(out);
        self.state.pack(out);
        self.memory.pack(out);
        let counts: Vec<u64> = self.statistics().into_iter().map(|(_, n)| n).collect();
        counts.pack(out);
        self.controller.is_some().pack(out);
        if let Some(controller) = &self.controller {
            controller.pack_part(out);
        }
    }

    /// To be called on a run at t = 0.
    fn unpack_part(&mut self, from: &mut &[u8]) -> Option<()> {
        let number: u64 = Pack::unpack(from)?;
        let (state, mut memory): (State, Memory) = Pack::unpack(from)?;
        let earlier: Vec<u64> = Pack::unpack(from)?;
        if self.number > 0 || number == 0 || !self.fits(&mut memory, &state) || earlier.len() != self.statistics().len()
        {
            return None;
        }
        if bool::unpack(from)? != self.controller.is_some() {
            return None;
        }
        if let Some(controller) = &mut self.controller {
            controller.unpack_part(from)?;
        } else if state.t != number as f64 * self.h {
            return None;
        }
        if let Some((step, mut next)) = self.controller.as_mut().and_then(Controller::take_waiting) {
            let known = step.contacts.iter().all(|c| self.model.knows_contact(c.id));
            if !(known && self.fits(&mut next, &step.after)) {
                return None;
            }
            if let Some(controller) = &mut self.controller {
                controller.put_waiting(step, next);
            }
        }
        (self.number, self.state, *self.memory, self.earlier) = (number, state, memory, earlier);
        Some(())
    }
}
