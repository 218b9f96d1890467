//! Several steps of a scheme handed on as one.
//!
//!   W = Σ W_i,    P = Σ P_i by contact,    the state, the gaps and the velocities of the last
//!
//! Whole turns of joints are counted part by part: a body may spin by more than half a turn in the whole.
//! Velocities at contacts are those along the normals that the scheme speaks of, at the start of the whole step, in its middle or at its end; stick
//! and slip are of the parts, and the whole is only open or closed.

use crate::{
    ContactFrame, ContactPlace, ContactState, ContactStatus, JointReaction, Model, Step, StepStart, Tangential,
};
use percussion_model::bodies::{Bodies, Frame};
use std::collections::BTreeMap;

/// What the parts so far add up to.
#[derive(Debug)]
pub struct Parts {
    model: Model,
    /// Which normals the scheme speaks of.
    frame: ContactFrame,
    contacts: BTreeMap<usize, (ContactState, Option<Tangential>, Option<ContactPlace>)>,
    reactions: BTreeMap<usize, JointReaction>,
    /// Whole turns of the joints since the start of the step, and where the bodies are.
    turns: Vec<f64>,
    frames: Vec<Frame>,
    first: bool,
}

/// Where the bodies of a scene with joints are; nothing of a model without.
fn places(scene: Option<&Bodies>, q: &[f64]) -> Vec<Frame> {
    let jointed = scene.filter(|scene| !scene.joints().is_empty());
    jointed.map_or(Vec::new(), |scene| (0..scene.len()).map(|i| scene.frame(i, q)).collect())
}

impl Parts {
    /// Of steps on a model.
    pub fn new(model: &Model, frame: ContactFrame) -> Self {
        let (contacts, reactions) = (BTreeMap::new(), BTreeMap::new());
        let (turns, frames) = (Vec::new(), Vec::new());
        Self { model: model.clone(), frame, contacts, reactions, turns, frames, first: true }
    }

    /// Begins a step from here.
    pub fn begin(&mut self, from: &StepStart, step: &mut Step) {
        self.contacts.clear();
        self.reactions.clear();
        self.first = true;
        self.frames = places(self.model.bodies().map(|scene| &**scene), &from.state.q);
        self.turns.clear();
        self.turns.resize(self.model.bodies().map_or(0, |scene| scene.joints().len()), 0.0);
        step.turns.clear();
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
        self.count_turns(&after.q);
        step.info.add(info);
        step.parts += 1;
        self.first = false;
    }

    /// Goes on to the places at the end of a part.
    fn count_turns(&mut self, q: &[f64]) {
        let Some(scene) = self.model.bodies().filter(|_| !self.frames.is_empty()) else { return };
        let after = places(Some(scene), q);
        for (j, turns) in self.turns.iter_mut().enumerate() {
            *turns = scene.turns_after(j, *turns, &self.frames, &after);
        }
        self.frames = after;
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
        if let Some(scene) = scene.filter(|_| !self.frames.is_empty()) {
            let begun = places(Some(scene), &before.q);
            let ends = |j: usize| scene.turns_after(j, 0.0, &begun, &self.frames);
            step.turns.extend(self.turns.iter().enumerate().map(|(j, n)| (j, n - ends(j))).filter(|(_, n)| *n != 0.0));
        }
        // what one part leaves, another may take back
        if let Some(scene) = scene.filter(|_| step.momentum.kept && step.parts > 1) {
            step.momentum.residual = step.momentum.left_since(&scene.momentum(&before.q, &before.v).0);
        }
    }
}
