//! What a motion keeps from step to step, and what a step tells of it.

use crate::located::motion::{Motion, Sizes, Standing};
use crate::located::phase::Phase;
use crate::mechanism::hold::{Hold, Sliding, TangentialMotion};
use crate::{
    ContactState, ContactStatus, EventKind, LedgerEntry, Memory, State, Step, StepFailure, StepInfo, Tangential,
};
use percussion_matrix::vector;
use percussion_model::Code;

/// What the scheme carries from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
struct LocatedMemory {
    /// How each contact stands.
    standing: Vec<Standing>,
    /// Sizes of the run.
    sizes: Sizes,
    /// What each contact does in its tangent plane; empty without friction.
    tangential: Vec<KeptTangential>,
}

/// What is kept of a contact with friction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct KeptTangential {
    held: Option<Held>,
    /// What events last told of it.
    told: Option<EventKind>,
}

/// A held contact with friction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Held {
    slides: bool,
    /// See `Sliding`.
    moves: bool,
    fast: bool,
    direction: [f64; 2],
}

crate::packed! {
    LocatedMemory { standing, sizes, tangential }
    KeptTangential { held, told }
    Held { slides, moves, fast, direction }
    Sizes { ahead, q, v, force, a }
}
crate::run::pack::packed_cases! { Standing { Open, Held, Released, Flying } }

impl crate::Carry for LocatedMemory {
    fn fits(&self, start: &Self) -> bool {
        self.standing.len() == start.standing.len() && self.tangential.len() == start.tangential.len()
    }
}

impl Motion {
    /// The memory of a run that begins.
    pub fn start(&mut self, state: &State) -> Memory {
        let m = self.mechanism.n_contacts();
        let Phase { q, v, .. } = &mut self.now;
        self.mechanism.enter((&state.q, &state.v), q, v);
        let H = self.mechanism.kinetic_energy(q, v) + self.mechanism.potential_energy(q);
        let sizes = Sizes { q: vector::max_abs(q), v: vector::max_abs(v), ..Default::default() };
        let tangential = vec![KeptTangential::default(); if self.frictional { m } else { 0 }];
        let mut memory =
            Memory::new(H, m).carrying(LocatedMemory { standing: vec![Standing::Open; m], sizes, tangential });
        for i in 0..m {
            memory.u_max = memory.u_max.max(self.mechanism.gap_rate(i, q, v, state.t).abs());
        }
        memory
    }

    /// Takes up the motion where the last step left it; whether it is the first.
    pub fn begin(&mut self, state: &State, memory: &Memory, h: f64) -> Result<bool, StepFailure> {
        let m = self.mechanism.n_contacts();
        let kept = memory.carried.of::<LocatedMemory>();
        self.sizes = kept.sizes;
        self.u_max = memory.u_max;
        self.standing.clone_from(&kept.standing);
        self.held.clear();
        for i in 0..m {
            let KeptTangential { held, told } = kept.tangential.get(i).copied().unwrap_or_default();
            self.told[i] = told;
            if self.standing[i] == Standing::Held {
                let along = match held {
                    None => TangentialMotion::Frictionless,
                    Some(held) if !held.slides => TangentialMotion::Sticks,
                    Some(held) => TangentialMotion::Slides(self.sliding(i, held.direction, held.moves, held.fast)),
                };
                self.held.push(Hold { contact: i, along });
            }
        }
        (self.h, self.energy) = (h, memory.H);
        (self.external, self.damping, self.work_contact) = (0.0, 0.0, 0.0);
        self.info = StepInfo::default();
        self.contacts.begin_step();
        self.events.clear();
        self.impulses.fill([0.0; 3]);
        self.reactions.clear();
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
        Ok(kept.sizes.ahead == 0.0)
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
        std::mem::swap(&mut step.reactions, &mut self.reactions);
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
        let carried = next.carried.renew::<LocatedMemory>();
        carried.standing.clone_from(&self.standing);
        carried.sizes = self.sizes;
        carried.tangential.clear();
        if self.frictional {
            carried.tangential.extend(self.told.iter().map(|&told| KeptTangential { held: None, told }));
            for hold in &self.held {
                carried.tangential[hold.contact].held = match hold.along {
                    TangentialMotion::Frictionless => None,
                    TangentialMotion::Sticks => Some(Held::default()),
                    TangentialMotion::Slides(Sliding { direction, moves, fast, .. }) => {
                        Some(Held { slides: true, moves: moves || fast, fast, direction })
                    }
                };
            }
        }
    }

    /// What a contact did in its tangent plane in the step.
    fn tangential(&self, id: usize, u_after: [f64; 2]) -> Tangential {
        let ([p, x, y], [_, u, w]) = (self.impulses[id], self.u_start[id]);
        let mu = self.mechanism.friction(id);
        let hold = self.held.iter().find(|hold| hold.contact == id);
        let status = match (ContactStatus::judge(mu, &[p, x, y], &[0.0, u_after[0], u_after[1]], 0.0, 0.0), hold) {
            (ContactStatus::Stick | ContactStatus::Slip, Some(Hold { along: TangentialMotion::Sticks, .. })) => {
                ContactStatus::Stick
            }
            (ContactStatus::Stick | ContactStatus::Slip, Some(Hold { along: TangentialMotion::Slides(_), .. })) => {
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
            frictional: mu > 0.0,
            ..Default::default()
        }
    }
}
