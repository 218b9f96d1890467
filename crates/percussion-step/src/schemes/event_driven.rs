//! Event-driven integration: the smooth motion followed to a tolerance from event to event, every event located.
//!
//!   between events:  M a = f + G λ,  Γ = 0 on the held contacts (error control, dense output, roots of g, λ and u_T)
//!   at an event:     impacts, then forces (`impact.rs`)
//!
//! One step is one interval of output; it may hold any number of events. Two guards belong to the search: a contact that
//! has just rebounded limits the next stretch to the time of its flight, 2U⁺/|Γ|, with 5 % to spare, so that its landing
//! lies inside; and a flight that rises less than the round-off of its gap lands when its velocity says so.

pub mod parameters;

use crate::located::event_search::{Cause, EventSearch, Found};
use crate::located::integrator::Integrator;
use crate::located::motion::Motion;
use crate::located::options::{EventDrivenOptions, SmoothMethod};
use crate::located::tangent::Tangent;
use crate::mechanism::Mechanism;
use crate::mechanism::hold::Hold;
use crate::{FrictionLaw, Memory, State, Step, StepFailure, StepStart, Stepper};
use percussion_matrix::math;
use percussion_matrix::vector::max_abs;
use percussion_model::Code;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;

/// Events in one step of output after which nothing is believed to go on.
const EVENTS: usize = 100_000;
/// Those after which only flights are followed of which a step holds less than `EVENTS`: where one contact has come to rest in a corner, another
/// with e = 1 rebounds there for ever.
const MANY: usize = EVENTS / 10;
/// Stretches of a step after which is asked how many the whole of it takes, and the number that is never made.
const COUNTED: u64 = 100_000;
const NEVER: f64 = 1e10;
/// Changes of the step from one stretch to the next.
const SLOWEST: f64 = 0.2;
const FASTEST: f64 = 5.0;
const SAFETY: f64 = 0.9;

/// The event-driven scheme bound to a mechanism.
pub struct EventDriven {
    motion: Motion,
    search: EventSearch,
    /// Error allowed in a stretch, relative to the largest |q| and |v| of the run.
    tolerance: f64,
    stretches: u64,
    rejected: u64,
}

impl EventDriven {
    /// Binds the scheme.
    pub fn new(
        mechanism: Box<dyn Mechanism>,
        options: &EventDrivenOptions,
        law: FrictionLaw,
        solver: SolverOptions,
    ) -> Self {
        let EventDrivenOptions { method, tolerance, cut } = *options;
        let integrator = match method {
            SmoothMethod::Explicit => Integrator::plain(),
            SmoothMethod::Stiff => Integrator::stiff(),
        };
        let motion = Motion::new(mechanism, integrator, cut, law, solver);
        Self { motion, search: EventSearch::default(), tolerance, stretches: 0, rejected: 0 }
    }

    /// How far the next stretch may go, and the contact that lands at its end unseen.
    fn limit(&mut self, left: f64) -> (f64, Option<usize>) {
        let ahead = self.motion.sizes.ahead.min(left);
        let limit = self.motion.flight_limit(ahead);
        // no crumb is left for the end
        if limit.1.is_none() && limit.0 > 0.999_999 * left { (left, None) } else { limit }
    }

    /// A stretch of at most `h` within the tolerance, to `trial`; its length.
    fn stretch(&mut self, mut h: f64) -> Result<f64, StepFailure> {
        let motion = &mut self.motion;
        loop {
            StepFailure::unless_stopped(motion.now.t, h)?;
            self.stretches += 1;
            let outcome = motion.try_step(h);
            let (error, exponent) = match outcome {
                Ok(()) => {
                    // out of rest a motion is measured by what its loads could bring in the stretch
                    let Motion { sizes, now, trial, .. } = motion;
                    let gained = h * max_abs(&now.a).max(max_abs(&trial.a)).max(sizes.a);
                    let v = sizes.v.max(max_abs(&trial.v)).max(gained);
                    let q = sizes.q.max(max_abs(&trial.q)).max(h * gained);
                    motion.error(h, (self.tolerance * q, self.tolerance * v))
                }
                Err(_) => (f64::NAN, 1.0),
            };
            let factor =
                if error.is_nan() { SLOWEST } else { (SAFETY * math::powf(error, -exponent)).clamp(SLOWEST, FASTEST) };
            if error <= 1.0 {
                // a stretch cut short by a flight or by the output says nothing against longer ones
                motion.sizes.ahead = if factor >= 1.0 { motion.sizes.ahead.max(factor * h) } else { factor * h };
                return Ok(h);
            }
            self.rejected += 1;
            h *= factor.min(0.9);
            if h <= 16.0 * f64::EPSILON * motion.now.t.abs().max(f64::MIN_POSITIVE) {
                return Err(outcome.err().map_or_else(|| too_fine(motion.now.t, h), |why| motion.failure(why)));
            }
        }
    }

    /// The Runge–Kutta step that ends at the event, to `trial`; its length.
    fn locate(&mut self, found: Found, h: f64) -> Result<f64, StepFailure> {
        let motion = &mut self.motion;
        let mut length = found.theta * h;
        let mut last: Option<(f64, f64)> = None;
        for _ in 0..6 {
            motion.try_step(length).map_err(|why| motion.failure(why))?;
            let Some(phi) = motion.event_function(found.cause, false) else { break };
            // the slope of a gap is known; of forces and sliding velocities the secant has to do
            let slope = match (found.cause, last) {
                (Cause::Closes(i), _) => {
                    let Motion { mechanism, trial, .. } = motion;
                    mechanism.gap_rate(i, &trial.q, &trial.v, trial.t)
                }
                (_, Some((before, value))) => (phi - value) / (length - before),
                (cause, None) => motion.event_function(cause, true).map_or(0.0, |start| (phi - start) / length),
            };
            last = Some((length, phi));
            let better = (length - phi / slope).clamp(0.0, h);
            let done = phi.abs() <= motion.event_round_off(found.cause);
            let falls = slope < 0.0;
            if done || !falls || (better - length).abs() <= f64::EPSILON * motion.trial.t.abs() || better == length {
                break;
            }
            length = better;
        }
        Ok(length)
    }
}

impl Stepper for EventDriven {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.motion.contacts.contact_problem()
    }

    fn start(&mut self, state: &State) -> Memory {
        self.motion.start(state)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        self.follow(from, step, next, None)
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        vec![("stretches", self.stretches), ("stretches_rejected", self.rejected)]
    }
}

impl EventDriven {
    /// One step; a tangent, where there is one, goes with the motion.
    pub(crate) fn follow(
        &mut self,
        from: &StepStart,
        step: &mut Step,
        next: &mut Memory,
        mut tangent: Option<&mut Tangent>,
    ) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        self.motion.recording = tangent.is_some();
        let end = state.t + h;
        // a flight shorter than time can tell is none
        let shortest = 32.0 * f64::EPSILON * end.abs();
        if self.motion.begin(state, memory, h)? {
            self.motion.sizes.ahead = h;
            let before = tangent.is_some().then(|| self.motion.before());
            self.motion.resolve(&[], shortest, h)?;
            if let (Some(tangent), Some(before)) = (&mut tangent, before) {
                tangent.begins(&mut self.motion, &before)?;
            }
        }
        let (mut events, first) = (0, self.stretches);
        loop {
            if let Some(failure) = self.motion.asked_to_stop().or_else(|| self.without_end(state.t, first)) {
                return Err(failure);
            }
            let stop = self.motion.next_stop(end);
            let left = stop.t - self.motion.now.t;
            match stop.corner {
                Some(corner) if left <= 0.0 => {
                    let mut before = tangent.is_some().then(|| self.motion.before());
                    self.motion.cross_corner(corner, end, shortest)?;
                    if let (Some(tangent), Some(before)) = (&mut tangent, &mut before) {
                        before.phase.t = self.motion.now.t;
                        tangent.corner(&mut self.motion, corner, before)?;
                    }
                    continue;
                }
                None if left <= 0.0 => break,
                Some(_) | None => {}
            }
            if events == EVENTS {
                return Err(self.motion.endless(events));
            }
            // smooth motion until something happens
            let (limit, lands) = self.limit(left);
            let length = self.stretch(limit)?;
            let found = self.search.first(&mut self.motion, length);
            let arrived = match found {
                None => {
                    if length == left {
                        self.motion.trial.t = stop.t;
                    }
                    lands.filter(|_| length == limit)
                }
                Some(found) => {
                    self.locate(found, length)?;
                    match found.cause {
                        Cause::Closes(i) => Some(i),
                        _ => None,
                    }
                }
            };
            self.motion.accept()?;
            if let Some(failure) = self.motion.not_finite() {
                return Err(failure);
            }

            let Motion { mechanism, held, now, trial, .. } = &mut self.motion;
            if let Some(tangent) = &mut tangent {
                // what was accepted stands in `now`, and what it came from in `trial`
                tangent.stretch(&mut **mechanism, held, trial, now).map_err(|why| self.motion.failure(why))?;
            }

            // the event
            if found.is_some() || arrived.is_some() {
                events += 1;
                let cause = found.map(|found| found.cause).or(arrived.map(Cause::Closes));
                let before = tangent.is_some().then(|| self.motion.before());
                let shortest = if events > MANY { shortest.max(h / EVENTS as f64) } else { shortest };
                self.motion.resolve(arrived.as_slice(), shortest, h)?;
                if let (Some(tangent), Some(cause), Some(before)) = (&mut tangent, cause, before) {
                    tangent.event(&mut self.motion, cause, &before)?;
                }
            }
        }
        self.motion.conclude(end, step, next);
        self.motion.within_half_a_turn(&state.q, &step.after.q)?;
        Ok(())
    }

    /// A step of which so many stretches have made next to nothing: some motion is too fast for it.
    fn without_end(&self, start: f64, first: u64) -> Option<StepFailure> {
        let (made, done) = (self.stretches - first, (self.motion.now.t - start) / self.motion.h);
        if made % COUNTED != 0 || made == 0 || made as f64 <= done * NEVER {
            return None;
        }
        let whole = made as f64 / done.max(f64::MIN_POSITIVE);
        let message = format!("the step would take {whole:.0e} stretches: some motion is that much faster than it");
        let help =
            "check masses and stiffnesses; a stiff motion that is damped is followed with scheme.method = \"stiff\"";
        let (t, h) = (self.motion.now.t, self.motion.h);
        Some(StepFailure { code: Code::ENDLESS_EVENTS, t, h, message, help: help.into(), problem: None })
    }

    /// The contacts that a motion from a state holds closed.
    pub(crate) fn held_at(&mut self, state: &State, h: f64) -> Result<Vec<Hold>, StepFailure> {
        let memory = self.motion.start(state);
        if self.motion.begin(state, &memory, h)? {
            self.motion.sizes.ahead = h;
            self.motion.resolve(&[], 32.0 * f64::EPSILON * (state.t + h).abs(), h)?;
        }
        Ok(self.motion.held.clone())
    }

    /// The model.
    pub(crate) fn mechanism(&mut self) -> &mut dyn Mechanism {
        &mut *self.motion.mechanism
    }

    /// a where the motion is.
    pub(crate) fn acceleration(&self) -> &[f64] {
        &self.motion.now.a
    }
}

/// The tolerance asks for stretches that time cannot resolve.
fn too_fine(t: f64, h: f64) -> StepFailure {
    StepFailure {
        code: Code::NOT_FINITE_STATE,
        t,
        h,
        message: "no stretch is short enough for the tolerance: the forces are infinite or jump".into(),
        help: "raise scheme.tolerance, or check the model where it goes".into(),
        problem: None,
    }
}
