//! Several steps of a scheme handed on as one.
//!
//!   W = Σ W_i,    P = Σ P_i by contact,    the state, the gaps and the velocities of the last
//!
//! Velocities at contacts are those along the normals that the scheme speaks of, at the start of the whole step, in its middle or at its end; stick
//! and slip are of the parts, and the whole is only open or closed.

use crate::{
    ContactFrame, ContactPlace, ContactState, ContactStatus, JointReaction, Model, Step, StepStart, Tangential,
};
use std::collections::BTreeMap;

/// What the parts so far add up to.
#[derive(Debug)]
pub struct Parts {
    model: Model,
    /// Which normals the scheme speaks of.
    frame: ContactFrame,
    contacts: BTreeMap<usize, (ContactState, Option<Tangential>, Option<ContactPlace>)>,
    reactions: BTreeMap<usize, JointReaction>,
    first: bool,
}

impl Parts {
    /// Of steps on a model.
    pub fn new(model: &Model, frame: ContactFrame) -> Self {
        let (contacts, reactions) = (BTreeMap::new(), BTreeMap::new());
        Self { model: model.clone(), frame, contacts, reactions, first: true }
    }

    /// Begins a step from here.
    pub fn begin(&mut self, from: &StepStart, step: &mut Step) {
        self.contacts.clear();
        self.reactions.clear();
        self.first = true;
        step.h = from.h;
        step.info = Default::default();
        step.smallest_gap = None;
        (step.crossing, step.parts) = (None, 0);
        step.events.clear();
    }

    /// Adds a part.
    pub fn add(&mut self, part: &Step, step: &mut Step) {
        let Step { h: _, after, contacts, friction, places, reactions, smallest_gap, ledger, info, .. } = part;
        step.after.clone_from(after);
        for (k, c) in contacts.iter().enumerate() {
            let (tangential, place) = (friction.get(k).copied(), places.get(k).copied());
            let Some((sum, along, _)) = self.contacts.get_mut(&c.id) else {
                self.contacts.insert(c.id, (*c, tangential, place));
                continue;
            };
            *sum = ContactState { u_before: sum.u_before, p: sum.p + c.p, ..*c };
            if let (Some(along), Some(more)) = (along, tangential) {
                let added = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
                let (p, m) = (added(along.p, more.p), added(along.m, more.m));
                *along = Tangential { u_before: along.u_before, w_before: along.w_before, p, m, ..more };
            }
        }
        for r in reactions {
            let sum = self.reactions.entry(r.joint).or_insert(JointReaction { joint: r.joint, ..Default::default() });
            sum.add(1.0, r);
        }
        if smallest_gap.is_some_and(|(gap, _)| step.smallest_gap.is_none_or(|(least, _)| gap < least)) {
            step.smallest_gap = *smallest_gap;
        }
        if part.crossing.is_some_and(|c| step.crossing.is_none_or(|deepest| c.part > deepest.part)) {
            step.crossing = part.crossing;
        }
        if self.first {
            (step.ledger, step.momentum) = (*ledger, part.momentum);
        } else {
            step.momentum.accumulate(&part.momentum);
            let balance = step.ledger.balance + ledger.balance;
            step.ledger.accumulate(ledger);
            step.ledger.balance = balance;
        }
        step.info.add(info);
        step.parts += 1;
        self.first = false;
    }

    /// The whole step.
    pub fn finish(&mut self, from: &StepStart, step: &mut Step) {
        let (before, after) = (from.state, &step.after);
        let place = if self.frame == ContactFrame::Start { &before.q } else { &after.q };
        let scene = self.model.bodies();
        step.contacts.clear();
        step.friction.clear();
        step.places.clear();
        for (&id, (c, along, at)) in &mut self.contacts {
            let gap = self.model.gap(id, &after.q, after.t);
            if gap.is_finite() {
                c.gap = gap;
            }
            let of_bodies = scene.and_then(|scene| self.frame.velocity(scene, id, before, after));
            let u = of_bodies.unwrap_or_else(|| {
                let [s, t] = self.model.tangent_rate(id, place, &after.v);
                [self.model.gap_rate(id, place, &after.v, after.t), s, t]
            });
            if u[0].is_finite() {
                c.u_after = u[0];
            }
            step.contacts.push(*c);
            if let Some(along) = along {
                if u[1..].iter().all(|u| u.is_finite()) {
                    along.u_after = [u[1], u[2]];
                }
                along.status = if c.p > 0.0 { ContactStatus::Closed } else { ContactStatus::Open };
                step.friction.push(*along);
            }
            step.places.extend(*at);
        }
        step.reactions.clear();
        step.reactions.extend(self.reactions.values());
        // what one part leaves, another may take back
        if let Some(scene) = scene.filter(|_| step.momentum.kept && step.parts > 1) {
            step.momentum.residual = step.momentum.left_since(&scene.momentum(&before.q, &before.v).0);
        }
    }
}
