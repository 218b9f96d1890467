//! Steps on bodies that nothing passes through: a step whose path leads a body through another is made in parts.
//!
//!   depth on the way > limit · ℓ  ⟹  a part to just before the two meet, one in which they do, and the rest, each looked at again
//!
//! A law on velocities lets bodies move by (1 − θ) h U into each other, a law on positions looks at the end of a step only; what is fast
//! beside its thickness ℓ is on the other side by then. In a part short enough for a way of ℓ/4 every scheme meets the contact by its
//! own law. Steps are pure, so that one is thrown away without a trace, and the parts are handed on as one step. Steps of bodies that
//! are slow beside their thickness cost one look at how far each of them came.

use crate::step::parts::Parts;
use crate::{ContactFrame, Memory, Model, Scheme, State, Step, StepFailure, StepStart, Stepper, Warning};
use percussion_model::InputError;
use percussion_model::bodies::{Bodies, Crossing, PathSearch};
use percussion_solve::Stop;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Overlap on the way, over ℓ, for which a step is made in parts: that for which the certificate of the gap fails.
pub const THROUGH: f64 = 0.5;
/// The same where the scheme or its law promises g ≥ 0.
pub const NOTICED: f64 = 0.1;
/// How near bodies are brought before the part in which they meet, and their way in that part, over ℓ.
const NEAR: f64 = 0.0625;
const MEETING: f64 = 0.25;
/// Parts of a step at most: what still passes is left to the certificate.
const MOST: usize = 400;

/// A stepper on bodies whose steps are swept.
pub struct Swept {
    inner: Box<dyn Stepper>,
    scene: Arc<Bodies>,
    search: PathSearch,
    limit: f64,
    /// Whether a step may be made in parts: those that locate their events are only looked at.
    cuts: bool,
    parts: Parts,
    part: Step,
    at: State,
    memory: Memory,
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
            cuts: !facts.locates_events,
            parts: Parts::new(model, facts.contact_frame == ContactFrame::Start),
            part: Step::default(),
            at: State::default(),
            memory: Memory::default(),
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
            if c.part > self.limit && c.before < self.limit && first.is_none_or(|f| c.from < f.from) {
                first = Some(*c);
            }
        });
        (deepest, first)
    }

    /// The same step in parts; `crossing` is the first of the step as a whole.
    fn by_parts(
        &mut self,
        from: &StepStart,
        crossing: Crossing,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure> {
        self.at.clone_from(from.state);
        self.memory.clone_from(from.memory);
        self.parts.begin(from, step);
        let (mut left, mut length) = (from.h, shorter(from.h, &crossing));
        for number in 1.. {
            let at = StepStart { state: &self.at, memory: &self.memory, h: length };
            self.inner.step(&at, &mut self.part, next)?;
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
            length = left;
        }
        self.parts.finish(from, step);
        Ok(())
    }
}

/// How much of a step of length h to make: to just before the two meet, or, where they are that near, until they have.
fn shorter(h: f64, crossing: &Crossing) -> f64 {
    let until = crossing.from * crossing.way - NEAR;
    let way = if until > NEAR { until } else { MEETING.min(0.5 * crossing.way) };
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
        self.inner.step(from, step, next)?;
        let (deepest, first) = self.look(&from.state.q, &step.after.q);
        (step.crossing, step.parts) = (deepest, 1);
        match first.filter(|_| self.cuts) {
            Some(crossing) => self.by_parts(from, crossing, step, next),
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
