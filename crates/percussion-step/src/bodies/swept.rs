//! Steps on bodies that nothing passes through: a step whose path leads a body through another is made in parts, and so is one that cannot be
//! made as a whole.
//!
//!   depth on the way > limit · ℓ  ⟹  a part to just before the two meet, one in which they do, and the rest, each looked at again
//!   no step of length h           ⟹  halves, down to h/16, and longer parts again after each that was made
//!
//! A law on velocities lets bodies move by (1 − θ) h U into each other, a law on positions looks at the end of a step only; what is fast
//! beside its thickness ℓ is on the other side by then. In a part short enough for a way of ℓ/4 every scheme meets the contact by its
//! own law. Steps are pure, so that one is thrown away without a trace, and the parts are handed on as one step. Steps of bodies that
//! are slow beside their thickness cost one look at how far each of them came.

use crate::step::parts::Parts;
use crate::{Ability, ContactFrame, Memory, Model, Scheme, State, Step, StepFailure, StepStart, Stepper, Warning};
use percussion_model::InputError;
use percussion_model::bodies::{Bodies, Crossing, PathSearch};
use percussion_solve::Stop;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Overlap on the way, over ℓ, for which a step is made in parts: that for which the certificate of the gap fails.
pub const THROUGH: f64 = 0.5;
/// What a step must add to an overlap that is there to be made in parts.
const DEEPER: f64 = 0.05;
/// The same where the scheme or its law promises g ≥ 0.
pub const NOTICED: f64 = 0.1;
/// How near bodies are brought before the part in which they meet, and their way in that part, over ℓ.
const NEAR: f64 = 0.0625;
const MEETING: f64 = 0.25;
/// Parts of a step at most: what still passes is left to the certificate.
const MOST: usize = 400;
/// The shortest part, of the step, for a step that cannot be made as a whole.
const SHORTEST: f64 = 1.0 / 16.0;

/// A stepper on bodies whose steps are swept.
pub struct Swept {
    inner: Box<dyn Stepper>,
    scene: Arc<Bodies>,
    search: PathSearch,
    limit: f64,
    /// Whether the scheme or its law promises g ≥ 0.
    promised: bool,
    /// Whether a step may be made in parts: those that locate their events are only looked at.
    cuts: bool,
    parts: Parts,
    part: Step,
    at: State,
    memory: Memory,
    stop: Stop,
}

impl Swept {
    /// A stepper of the model, its steps swept where it moves bodies that may meet.
    pub fn over(inner: Box<dyn Stepper>, model: &Model, scheme: &Scheme) -> Box<dyn Stepper> {
        let Some(scene) = model.bodies().cloned().filter(|_| model.has_contacts()) else { return inner };
        let promised = scheme.promises_gap(model) || scheme.activation == crate::Activation::Gap;
        let facts = scheme.facts();
        Box::new(Self {
            inner,
            search: PathSearch::new(&scene),
            limit: if promised { NOTICED } else { THROUGH },
            promised,
            cuts: !facts.has(Ability::LocatesEvents),
            parts: Parts::new(model, facts.contact_frame == ContactFrame::Start),
            part: Step::default(),
            at: State::default(),
            memory: Memory::default(),
            stop: Stop::default(),
            scene,
        })
    }

    /// The deepest overlap on a way, and the first that is too deep and can still be kept from being so.
    fn look(&mut self, q0: &[f64], q1: &[f64]) -> (Option<Crossing>, Option<Crossing>) {
        let (mut deepest, mut first): (Option<Crossing>, Option<Crossing>) = (None, None);
        self.search.crossings(&self.scene, q0, q1, |c| {
            if deepest.is_none_or(|d| c.part > d.part) {
                deepest = Some(*c);
            }
            if c.part > self.limit.max(c.before + DEEPER) && first.is_none_or(|f| c.from < f.from) {
                first = Some(*c);
            }
        });
        (deepest, first)
    }

    /// The same step in parts, the first of this length.
    fn by_parts(
        &mut self,
        from: &StepStart,
        first: f64,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure> {
        self.at.clone_from(from.state);
        self.memory.clone_from(from.memory);
        self.parts.begin(from, step);
        let (mut left, mut length, mut longest) = (from.h, first, f64::INFINITY);
        for number in 1.. {
            let at = StepStart { state: &self.at, memory: &self.memory, h: length };
            if let Err(failure) = self.inner.step(&at, &mut self.part, next) {
                if length <= SHORTEST * from.h || number >= MOST || self.stop.requested() {
                    return Err(failure);
                }
                length *= 0.5;
                longest = length;
                continue;
            }
            let q0 = std::mem::take(&mut self.at.q);
            let (deepest, first) = self.look(&q0, &self.part.after.q.clone());
            self.at.q = q0;
            if let Some(first) = first.filter(|_| number < MOST) {
                length = shorter(length, &first);
                continue;
            }
            self.part.crossing = deepest;
            self.parts.add(&self.part, step);
            left -= length;
            if left <= 1e-12 * from.h {
                break;
            }
            self.at.clone_from(&self.part.after);
            std::mem::swap(&mut self.memory, next);
            longest *= 2.0;
            length = left.min(longest);
        }
        self.parts.finish(from, step);
        self.refuse_passage(from, step)
    }

    /// No step where the scheme promises g ≥ 0 and bodies still pass through each other, however short its parts are.
    fn refuse_passage(&self, from: &StepStart, step: &Step) -> Result<(), StepFailure> {
        let Some(crossing) = step.crossing.filter(|c| self.promised && c.part > THROUGH) else { return Ok(()) };
        let [a, b] = crossing.bodies.map(|i| &self.scene.bodies()[i].name);
        let part = crossing.part;
        let message = format!(
            "\"{a}\" and \"{b}\" pass through each other, {part:.2} of the least half-thickness of the two deep"
        );
        Err(StepFailure::newton(from.state, from.h, message))
    }
}

/// How much of a step of length h to make: to just before the two meet, or, where they are that near, until they have.
fn shorter(h: f64, crossing: &Crossing) -> f64 {
    let until = crossing.from * crossing.way - NEAR;
    // what overlaps already has less left until it is through
    let meeting = MEETING * (1.0 - crossing.before / THROUGH).clamp(0.2, 1.0);
    let way = if until > NEAR { until } else { meeting.min(0.5 * crossing.way) };
    h * (way / crossing.way).min(0.9)
}

impl Stepper for Swept {
    fn settle(&mut self, state: &mut State) -> Option<Warning> {
        self.inner.settle(state)
    }

    fn start(&mut self, state: &State) -> Memory {
        self.inner.start(state)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        if let Err(failure) = self.inner.step(from, step, next) {
            // what is told is why the whole step failed
            return match self.cuts && !self.stop.requested() {
                true => self.by_parts(from, 0.5 * from.h, step, next).map_err(|_| failure),
                false => Err(failure),
            };
        }
        let (deepest, first) = self.look(&from.state.q, &step.after.q);
        (step.crossing, step.parts) = (deepest, 1);
        match first.filter(|_| self.cuts) {
            Some(crossing) => self.by_parts(from, shorter(from.h, &crossing), step, next),
            None => Ok(()),
        }
    }

    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.inner.contact_problem()
    }

    fn algorithmic_energy(&self, memory: &Memory, h: f64) -> f64 {
        self.inner.algorithmic_energy(memory, h)
    }

    fn use_threads(&mut self, threads: usize) {
        self.inner.use_threads(threads);
    }

    fn stop_when(&mut self, stop: &Stop) {
        self.stop = stop.clone();
        self.inner.stop_when(stop);
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        self.inner.statistics()
    }

    fn refuse(&mut self, state: &State, h: f64) -> Option<InputError> {
        self.inner.refuse(state, h)
    }

    fn warnings(&mut self, h: f64) -> Vec<Warning> {
        self.inner.warnings(h)
    }
}
