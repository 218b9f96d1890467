//! Events of a run: located by the scheme, or named step by step.
//!
//! impact: the contact was approached faster than twice what one step of load explains, −U_k > 2 |U_free − U_k|, or it is
//! new and was approached at more than 1 % of the largest velocity met (in stiff bodies one step of load explains a lot). Two bodies of a pile fall
//! alike: of their load nothing shows at the contact between them, and what the solver's residual leaves would look like an approach. Between
//! bodies h|g|, what one step of weight gives each of them, is the least load, and a hundredth of it the least approach of what is new;
//! close: an impulse in two steps running (persistent contact begins); open: persistent contact ends; stick, slip: a
//! contact that pushed in the last step too begins to stick or to slide. Where an impact takes two impulses (Schatzman–Paoli) the
//! second belongs to it: it is no impact of its own, and persistent contact begins with the third.

use crate::run::slots::Slots;
use crate::{Ability, ContactState, ContactStatus, Model, Scheme, Step};
use percussion_model::bodies::math::norm;

/// What happened at a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A collision.
    Impact,
    /// Persistent contact begins.
    Close,
    /// Persistent contact ends.
    Open,
    /// A persistent contact begins to stick.
    Stick,
    /// A persistent contact begins to slide.
    Slip,
    /// A contact that slides turns round without a rest; only schemes that locate events see it.
    Reverse,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [Self::Impact, Self::Close, Self::Open, Self::Stick, Self::Slip, Self::Reverse];

    /// The word in `events.csv`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Impact => "impact",
            Self::Close => "close",
            Self::Open => "open",
            Self::Stick => "stick",
            Self::Slip => "slip",
            Self::Reverse => "reverse",
        }
    }
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When it was located, or the end of the step in which it was seen [s].
    pub t: f64,
    /// Number of that step.
    pub step: u64,
    /// What.
    pub kind: EventKind,
    /// Where.
    pub contact: usize,
    /// Normal velocity before [m/s]; none for a contact that has left the index set.
    pub u_before: Option<f64>,
    /// Normal velocity after [m/s]; none for a contact that has left the index set.
    pub u_after: Option<f64>,
    /// Impulse [N·s].
    pub p: f64,
}

/// An event at the instant at which it happened, as schemes that locate events report it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocatedEvent {
    /// When [s].
    pub t: f64,
    /// What.
    pub kind: EventKind,
    /// Where.
    pub contact: usize,
    /// Normal velocity before [m/s].
    pub u_before: Option<f64>,
    /// Normal velocity after [m/s].
    pub u_after: Option<f64>,
    /// Impulse [N·s].
    pub p: f64,
}

/// How many of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Impacts.
    pub impact: u64,
    /// Beginnings of persistent contact.
    pub close: u64,
    /// Ends of persistent contact.
    pub open: u64,
    /// Beginnings of sticking.
    pub stick: u64,
    /// Beginnings of sliding.
    pub slip: u64,
    /// Reversals of sliding.
    pub reverse: u64,
}

impl EventCounts {
    /// How many of a kind.
    pub fn of(&self, kind: EventKind) -> u64 {
        match kind {
            EventKind::Impact => self.impact,
            EventKind::Close => self.close,
            EventKind::Open => self.open,
            EventKind::Stick => self.stick,
            EventKind::Slip => self.slip,
            EventKind::Reverse => self.reverse,
        }
    }
}

impl EventCounts {
    fn add(&mut self, kind: EventKind) {
        match kind {
            EventKind::Impact => self.impact += 1,
            EventKind::Close => self.close += 1,
            EventKind::Open => self.open += 1,
            EventKind::Stick => self.stick += 1,
            EventKind::Slip => self.slip += 1,
            EventKind::Reverse => self.reverse += 1,
        }
    }
}

/// Watches the contacts of consecutive steps.
#[derive(Clone, Debug, Default)]
pub struct EventDetector {
    /// Per contact: impulses in a row, up to `impact` + 1 for "persistent".
    pushing: Vec<u8>,
    /// Impulses an impact takes.
    impact: u8,
    /// Contacts that pushed in the last step.
    last: Vec<usize>,
    seen: Vec<bool>,
    slots: Slots,
    /// Per contact: what it did in the last step, while it pushes.
    mode: Vec<ContactStatus>,
    /// The largest approach or departure of a pushing contact so far [m/s].
    u_max: f64,
    /// |g| of a scene of bodies, else zero [m/s²].
    weight: f64,
    /// Counts so far.
    pub counts: EventCounts,
}

impl EventDetector {
    /// For a model with so many contacts; those of bodies come and go, and are not counted.
    pub fn new(n_contacts: usize) -> Self {
        Self {
            pushing: vec![0; n_contacts],
            impact: 1,
            last: Vec::new(),
            seen: vec![false; n_contacts],
            slots: Slots::new(n_contacts),
            mode: vec![ContactStatus::Open; n_contacts],
            u_max: 0.0,
            weight: 0.0,
            counts: Default::default(),
        }
    }

    /// For steps of a scheme on a model.
    pub fn start(&mut self, scheme: &Scheme, model: &Model) {
        self.weight = model.bodies().map_or(0.0, |scene| norm(&scene.gravity()));
        self.impact = if scheme.facts().has(Ability::TwoImpulses) { 2 } else { 1 };
    }

    /// Whether every contact it knows is one of the model's and has its places, as after reading it from a checkpoint.
    pub fn fits(&self, model: &Model) -> bool {
        let n = self.pushing.len();
        self.seen.len() == n
            && self.mode.len() == n
            && self.slots.fit(model.n_contacts(), n)
            && self.last.iter().all(|&id| model.knows_contact(id) && self.slots.has(id))
    }

    /// Reports the events of a step: those it located itself, or those its contacts show.
    pub fn step(&mut self, number: u64, step: &Step, mut report: impl FnMut(Event)) {
        if step.located {
            for e in &step.events {
                self.counts.add(e.kind);
                let LocatedEvent { t, kind, contact, u_before, u_after, p } = *e;
                report(Event { t, step: number, kind, contact, u_before, u_after, p });
            }
            return;
        }
        let t = step.after.t;
        let mut tell = |counts: &mut EventCounts, kind, contact, c: Option<&ContactState>| {
            counts.add(kind);
            let (u_before, u_after) = (c.map(|c| c.u_before), c.map(|c| c.u_after));
            report(Event { t, step: number, kind, contact, u_before, u_after, p: c.map_or(0.0, |c| c.p) });
        };

        // contacts that push now
        for (k, c) in step.contacts.iter().enumerate().filter(|(_, c)| c.p > 0.0) {
            let slot = self.slots.of(c.id);
            if slot >= self.seen.len() {
                self.seen.resize(slot + 1, false);
                self.pushing.resize(slot + 1, 0);
                self.mode.resize(slot + 1, ContactStatus::Open);
            }
            self.seen[slot] = true;
            self.u_max = self.u_max.max(c.u_before.abs());
            let weight = self.weight * step.h;
            let beyond_load = -c.u_before > 2.0 * (c.u_free - c.u_before).abs().max(weight);
            // what is left of a velocity at rest is round-off
            let approached = -c.u_before > 1e-6 * self.u_max;
            let new_and_fast = self.pushing[slot] == 0 && -c.u_before > 1e-2 * self.u_max.max(weight);
            let follows = self.pushing[slot] > 0 && self.pushing[slot] < self.impact;
            if approached && (beyond_load || new_and_fast) && !follows {
                tell(&mut self.counts, EventKind::Impact, c.id, Some(c));
            }
            if self.pushing[slot] == self.impact {
                tell(&mut self.counts, EventKind::Close, c.id, Some(c));
            }
            let mode = step.status(k);
            if self.pushing[slot] >= 1 && mode != self.mode[slot] {
                match mode {
                    ContactStatus::Stick => tell(&mut self.counts, EventKind::Stick, c.id, Some(c)),
                    ContactStatus::Slip => tell(&mut self.counts, EventKind::Slip, c.id, Some(c)),
                    _ => {}
                }
            }
            // the first step of a contact is a collision, not yet a way of moving
            self.mode[slot] = if self.pushing[slot] >= 1 { mode } else { ContactStatus::Open };
            self.pushing[slot] = (self.pushing[slot] + 1).min(self.impact + 1);
        }

        // contacts that pushed in the last step and no more
        for k in 0..self.last.len() {
            let id = self.last[k];
            let slot = self.slots.of(id);
            if !self.seen[slot] {
                if self.pushing[slot] > self.impact {
                    let place = step.contacts.binary_search_by_key(&id, |c| c.id);
                    tell(&mut self.counts, EventKind::Open, id, place.ok().map(|k| &step.contacts[k]));
                }
                self.pushing[slot] = 0;
            }
        }
        self.last.clear();
        for c in step.contacts.iter().filter(|c| c.p > 0.0) {
            self.last.push(c.id);
            let slot = self.slots.of(c.id);
            self.seen[slot] = false;
        }
    }
}

crate::packed! {
    LocatedEvent { t, kind, contact, u_before, u_after, p }
    EventCounts { impact, close, open, stick, slip, reverse }
    EventDetector { pushing, impact, last, seen, slots, mode, u_max, weight, counts }
}
crate::run::pack::packed_cases! { EventKind { Impact, Close, Open, Stick, Slip, Reverse } }
