//! What a motion keeps from step to step, and what a step tells of it.

use crate::located::motion::{Motion, Sizes, Standing};
use crate::located::phase::Phase;
use crate::mechanism::hold::{Along, Hold};
use crate::{
    ContactState, ContactStatus, EventKind, LedgerEntry, Memory, State, Step, StepFailure, StepInfo, Tangential,
};
use percussion_matrix::vector;
use percussion_model::Code;

/// Places of the standings, of the numbers, and of what contacts do along themselves in the memory of the scheme.
const STANDINGS: usize = 0;
const NUMBERS: usize = 1;
const ALONG: usize = 2;
/// Numbers kept of a contact that rubs: what it does, in which direction, and what was told of it.
const ALONG_SIZE: usize = 4;

impl Motion {
    /// The memory of a run that begins.
    pub fn start(&mut self, state: &State) -> Memory {
        let m = self.mechanism.n_contacts();
        let Phase { q, v, .. } = &mut self.now;
        self.mechanism.enter((&state.q, &state.v), q, v);
        let H = self.mechanism.kinetic_energy(q, v) + self.mechanism.potential_energy(q);
        let numbers = vec![0.0, vector::max_abs(q), vector::max_abs(v), 0.0, 0.0];
        let along = if self.frictional { vec![0.0; ALONG_SIZE * m] } else { Vec::new() };
        let mut memory = Memory::new(H, m, vec![vec![0.0; m], numbers, along]);
        for i in 0..m {
            memory.u_max = memory.u_max.max(self.mechanism.gap_rate(i, q, v, state.t).abs());
        }
        memory
    }

    /// Takes up the motion where the last step left it; whether it is the first.
    pub fn begin(&mut self, state: &State, memory: &Memory, h: f64) -> Result<bool, StepFailure> {
        let m = self.mechanism.n_contacts();
        let [ahead, q, v, force, a] = memory.fields[NUMBERS][..] else { unreachable!("five numbers are kept") };
        self.sizes = Sizes { ahead, q, v, force, a };
        self.u_max = memory.u_max;
        self.held.clear();
        for i in 0..m {
            self.standing[i] = match memory.fields[STANDINGS][i] {
                1.0 => Standing::Held,
                2.0 => Standing::Released,
                3.0 => Standing::Flying,
                _ => Standing::Open,
            };
            let kept = memory.fields[ALONG].get(ALONG_SIZE * i..ALONG_SIZE * (i + 1));
            let (along, told) = kept.map_or((Along::Smooth, None), |kept| self.remember(i, kept));
            self.told[i] = told;
            if self.standing[i] == Standing::Held {
                self.held.push(Hold { contact: i, along });
            }
        }
        (self.h, self.energy) = (h, memory.H);
        (self.external, self.damping, self.work_contact) = (0.0, 0.0, 0.0);
        self.info = StepInfo::default();
        self.contacts.begin_step();
        self.events.clear();
        self.impulses.fill([0.0; 3]);
        self.met.fill(false);
        self.fremond.fill(false);
        let Phase { t, q, v, a, .. } = &mut self.now;
        *t = state.t;
        self.mechanism.enter((&state.q, &state.v), q, v);
        a.resize(q.len(), 0.0);
        self.smallest_gap = None;
        for i in 0..m {
            let gap = self.mechanism.gap(i, q, state.t);
            let u_t = if self.frictional { self.mechanism.tangent_rate(i, q, v) } else { [0.0; 2] };
            self.u_start[i] = [self.mechanism.gap_rate(i, q, v, state.t), u_t[0], u_t[1]];
            if self.smallest_gap.is_none_or(|(g, _)| gap < g) {
                self.smallest_gap = Some((gap, i));
            }
        }
        self.evaluate()?;
        Ok(ahead == 0.0)
    }

    /// Stops, springs and couplings mean the whole angle of a hinge; here it is known within half a turn only.
    pub fn within_half_a_turn(&self, before: &[f64], after: &[f64]) -> Result<(), StepFailure> {
        let Some(name) = self.mechanism.turned_over(before, after) else { return Ok(()) };
        Err(StepFailure {
            code: Code::TURNED_TOO_FAR,
            t: self.now.t,
            h: self.h,
            message: format!("joint \"{name}\" passed half a turn, and schemes that locate events do not count turns"),
            help: "use energy-momentum, moreau-jean or generalized-alpha-ggl, which count them".into(),
            problem: None,
        })
    }

    /// Writes the step and the memory for the next one.
    pub fn conclude(&mut self, t: f64, step: &mut Step, next: &mut Memory) {
        self.now.t = t;
        let (q, v) = (&self.now.q, &self.now.v);
        step.h = self.h;
        step.after.t = t;
        self.mechanism.leave((q, v), &mut step.after.q, &mut step.after.v);
        step.smallest_gap = self.smallest_gap.map(|(gap, i)| (gap, self.mechanism.identity(i)));
        step.info = self.info;
        step.located = true;
        std::mem::swap(&mut step.events, &mut self.events);
        for event in &mut step.events {
            event.contact = self.mechanism.identity(event.contact);
        }
        step.contacts.clear();
        step.friction.clear();
        let m = self.mechanism.n_contacts();
        for i in (0..m).filter(|&i| self.met[i]) {
            let ([u_before, ..], [p, ..]) = (self.u_start[i], self.impulses[i]);
            let (gap, u_after) = (self.mechanism.gap(i, q, t), self.mechanism.gap_rate(i, q, v, t));
            let id = self.mechanism.identity(i);
            step.contacts.push(ContactState { id, gap, u_before, u_free: u_before, u_after, p });
            if self.frictional {
                let u_after = self.mechanism.tangent_rate(i, q, v);
                step.friction.push(self.tangential(i, u_after));
            }
        }

        let mut entry = LedgerEntry {
            kinetic: self.mechanism.kinetic_energy(q, v),
            potential: self.mechanism.potential_energy(q),
            work_external: self.external,
            work_damping: self.damping,
            work_contact: self.work_contact,
            ..Default::default()
        };
        entry.close(self.energy, entry.energy());
        step.ledger = entry;

        next.H = entry.algorithmic_energy;
        next.u_max = self.u_max;
        next.p.clear();
        next.p.extend(self.impulses.iter().map(|p| p[0]));
        next.p_t.clear();
        if self.frictional {
            next.p_t.extend(self.impulses.iter().map(|p| [p[1], p[2]]));
        }
        next.push.clear();
        next.push.resize(m, 0.0);
        next.fields.resize_with(3, Vec::new);
        next.fields[STANDINGS].clear();
        next.fields[STANDINGS].extend(self.standing.iter().map(|&s| s as u8 as f64));
        next.fields[NUMBERS].clear();
        let Sizes { ahead, q, v, force, a } = self.sizes;
        next.fields[NUMBERS].extend([ahead, q, v, force, a]);
        next.fields[ALONG].clear();
        if self.frictional {
            next.fields[ALONG].resize(ALONG_SIZE * m, 0.0);
            for hold in &self.held {
                let (kind, [x, y]) = match hold.along {
                    Along::Smooth => (0.0, [0.0; 2]),
                    Along::Stuck => (1.0, [0.0; 2]),
                    Along::Slides(sliding) => (
                        if sliding.fast {
                            2.0
                        } else if sliding.moves {
                            3.0
                        } else {
                            4.0
                        },
                        sliding.direction,
                    ),
                };
                let at = ALONG_SIZE * hold.contact;
                next.fields[ALONG][at..at + 3].copy_from_slice(&[kind, x, y]);
            }
            for (i, told) in self.told.iter().enumerate() {
                next.fields[ALONG][ALONG_SIZE * i + 3] = match told {
                    Some(EventKind::Stick) => 1.0,
                    Some(_) => 2.0,
                    None => 0.0,
                };
            }
        }
    }

    /// What `conclude` wrote of a contact.
    fn remember(&self, i: usize, kept: &[f64]) -> (Along, Option<EventKind>) {
        let along = match kept[0] {
            1.0 => Along::Stuck,
            2.0..=4.0 => Along::Slides(self.sliding(i, [kept[1], kept[2]], kept[0] < 4.0, kept[0] == 2.0)),
            _ => Along::Smooth,
        };
        let told = match kept[3] {
            1.0 => Some(EventKind::Stick),
            2.0 => Some(EventKind::Slip),
            _ => None,
        };
        (along, told)
    }

    /// What a contact did along itself in the step.
    fn tangential(&self, id: usize, u_after: [f64; 2]) -> Tangential {
        let ([p, x, y], [_, u, w]) = (self.impulses[id], self.u_start[id]);
        let mu = self.mechanism.friction(id);
        let hold = self.held.iter().find(|hold| hold.contact == id);
        let status = match (ContactStatus::judge(mu, &[p, x, y], &[0.0, u_after[0], u_after[1]], 0.0, 0.0), hold) {
            (ContactStatus::Stick | ContactStatus::Slip, Some(Hold { along: Along::Stuck, .. })) => {
                ContactStatus::Stick
            }
            (ContactStatus::Stick | ContactStatus::Slip, Some(Hold { along: Along::Slides(_), .. })) => {
                ContactStatus::Slip
            }
            (judged, _) => judged,
        };
        Tangential {
            n: self.mechanism.n_tangents(id),
            u_before: [u, w],
            u_after,
            p: [x, y],
            status,
            fremond: self.fremond[id],
            rubs: mu > 0.0,
            ..Default::default()
        }
    }
}
