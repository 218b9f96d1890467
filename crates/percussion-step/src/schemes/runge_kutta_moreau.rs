//! Runge–Kutta steps of order p between events and a Moreau step of length δ across each impact.
//!
//!   δ = max(C h^{p+1}, 8 ulp t):   RK to t_a, the last place before the event to δ/4;   Moreau on [t_a, t_a + δ];   RK on
//!   M (v_b − v_a) = δ M a + G P,   0 ≤ W P + U_free + e U_a ⟂ P ≥ 0,   q_b = q_a + δ v_{a+θ}
//!
//! The error is O(h^p) of the Runge–Kutta steps and O(C h^{p+1}) of each impact. Bracket and cut are separate numbers: a
//! flight shorter than δ, or slower than the cut, is the end of an accumulation.

pub mod parameters;

use crate::located::event_search::{Cause, EventSearch, Found};
use crate::located::integrator::Integrator;
use crate::located::motion::{CLOSED, Motion, Standing};
use crate::located::options::{Family, HighOrderOptions};
use crate::located::stability;
use crate::located::tableau::Tableau;
use crate::mechanism::{Mechanism, Power};
use crate::{FrictionLaw, JointReaction, Memory, State, Step, StepFailure, StepStart, Stepper};
use percussion_matrix::{math, vector};
use percussion_model::{Code, InputError};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;

/// Events in one step after which nothing is believed to go on.
const EVENTS: usize = 100_000;
/// How often a trial is halved before it counts as failed.
const HALVINGS: usize = 12;
/// Part of the step that its bracket may take.
const LONGEST_BRACKET: f64 = 0.5;
/// What the fastest oscillation may grow by in a step: low orders make undamped ones grow at any step.
const GROWTH: f64 = 1.1;
/// θ of the Moreau step.
const THETA: f64 = 0.5;

/// The scheme bound to a mechanism.
pub struct RungeKuttaMoreau {
    motion: Motion,
    search: EventSearch,
    order: usize,
    family: Family,
    bracket: f64,
    arrived: Vec<usize>,
    free: Vec<f64>,
    v: Vec<f64>,
    runs: u64,
    crossings: u64,
}

impl RungeKuttaMoreau {
    /// Binds the scheme.
    pub fn new(mechanism: Box<dyn Mechanism>, options: &HighOrderOptions, solver: SolverOptions) -> Self {
        let tableau =
            options.family.tableau(options.order).expect("the order was checked when the scheme was resolved");
        let integrator = match options.family {
            Family::Explicit => Integrator::explicit(tableau),
            Family::RadauIia => Integrator::radau(tableau),
        };
        Self {
            motion: Motion::new(mechanism, integrator, options.cut, FrictionLaw::Checked, solver),
            search: EventSearch::default(),
            order: options.order,
            family: options.family,
            bracket: options.bracket,
            arrived: Vec::new(),
            free: Vec::new(),
            v: Vec::new(),
            runs: 0,
            crossings: 0,
        }
    }

    /// Rebounds of earlier steps whose gap can be seen need no watch over their flight: a trial over the whole step shows
    /// where they land, and the bracket is a part of that step.
    fn settle(&mut self) {
        let Motion { mechanism, now, standing, .. } = &mut self.motion;
        for (i, standing) in standing.iter_mut().enumerate().filter(|(_, standing)| **standing == Standing::Flying) {
            if mechanism.gap(i, &now.q, now.t) > CLOSED * mechanism.gap_size(i, &now.q, now.t) {
                *standing = Standing::Open;
            }
        }
    }

    fn run(&mut self, h: f64) -> Result<(), StepFailure> {
        self.runs += 1;
        self.motion.try_step(h).map_err(|why| self.motion.failure(why))
    }

    /// A trial of length h, or of its half, quarter, … where the stages of an implicit step are not found; its length.
    fn try_run(&mut self, mut h: f64) -> Result<f64, StepFailure> {
        for _ in 0..HALVINGS {
            if self.run(h).is_ok() {
                return Ok(h);
            }
            h *= 0.5;
        }
        self.run(h).map(|()| h)
    }

    /// Whether the event has happened at the end of a Runge–Kutta step of length h.
    fn happened(&mut self, found: Found, h: f64) -> Result<bool, StepFailure> {
        if h <= 0.0 {
            return Ok(false);
        }
        self.run(h)?;
        let Some(phi) = self.motion.event_function(found.cause, false) else { return Ok(false) };
        let Motion { mechanism, trial, .. } = &mut self.motion;
        Ok(match found.cause {
            Cause::Closes(i) => phi <= 0.0 && (found.open || mechanism.gap_rate(i, &trial.q, &trial.v, trial.t) < 0.0),
            _ => phi < 0.0,
        })
    }

    /// The event between two Runge–Kutta steps of lengths no more than `width` apart; none when the steps do not see it.
    fn enclose(&mut self, found: Found, h: f64, width: f64) -> Result<Option<(f64, f64)>, StepFailure> {
        // the interval that bisection of the whole step would end with, if the dense output is right
        let mut width = h * math::exp2(math::log2(width / h).floor()).min(1.0);
        if width < f64::EPSILON * h {
            width = f64::EPSILON * h;
        }
        let mut a = (found.theta * h / width).floor() * width;
        let mut b = (a + width).min(h);
        let mut wider = width;
        if self.happened(found, a)? {
            while a > 0.0 && self.happened(found, a)? {
                (b, a) = (a, (a - wider).max(0.0));
                wider *= 2.0;
            }
        } else {
            while !self.happened(found, b)? {
                if b >= h {
                    return Ok(None);
                }
                (a, b) = (b, (b + wider).min(h));
                wider *= 2.0;
            }
        }
        // intervals are wide by powers of two times `width`, to round-off
        while b - a > 1.5 * width {
            let middle = 0.5 * (a + b);
            if middle <= a || middle >= b {
                break;
            }
            if self.happened(found, middle)? {
                b = middle;
            } else {
                a = middle;
            }
        }
        Ok(Some((a, b)))
    }

    /// The Moreau step of length d across the impact of a contact and of all that close with it.
    fn cross(&mut self, contact: usize, d: f64, delta: f64) -> Result<(), StepFailure> {
        self.crossings += 1;
        let motion = &mut self.motion;
        motion.closed(&[contact], d);
        self.arrived.clone_from(&motion.set);
        self.free.clear();
        for (k, &i) in motion.set.iter().enumerate() {
            let now = &motion.now;
            let gamma = motion.mechanism.gap_acceleration(i, &now.q, &now.v, &now.a, now.t);
            self.free.push(motion.u[k] + d * gamma);
        }
        let power = |motion: &Motion| motion.mechanism.power(motion.now.t, &motion.now.q, &motion.now.v);
        let before = power(motion);
        self.v.clone_from(&motion.now.v);
        for k in 0..motion.held.len() {
            motion.impulses[motion.held[k].contact][0] += d * motion.now.lambda[k][0];
        }
        JointReaction::accumulate(&mut motion.reactions, d, &motion.now.reactions);

        // velocities with the impulses of the step, positions by θ
        let a = std::mem::take(&mut motion.now.a);
        vector::axpy(d, &a, &mut motion.now.v);
        motion.now.a = a;
        motion.impact(Some(&self.free), delta, false)?;
        for i in 0..self.v.len() {
            motion.now.q[i] += d * ((1.0 - THETA) * self.v[i] + THETA * motion.now.v[i]);
        }
        motion.now.t += d;
        let Power { external, damping } = power(motion);
        motion.add_works(0.5 * d * (before.external + external), 0.5 * d * (before.damping + damping));
        motion.evaluate()
    }
}

impl Stepper for RungeKuttaMoreau {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.motion.contacts.contact_problem()
    }

    fn start(&mut self, state: &State) -> Memory {
        self.motion.start(state)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let end = state.t + h;
        let least = 8.0 * f64::EPSILON * end.abs();
        let delta = (self.bracket * h.powi(self.order as i32 + 1)).max(least);
        if self.motion.begin(state, memory, h)? {
            self.motion.sizes.ahead = h;
            self.motion.resolve(&[], delta, h)?;
        }
        self.settle();
        for events in 0.. {
            if let Some(failure) = self.motion.asked_to_stop() {
                return Err(failure);
            }
            let stop = self.motion.next_stop(end);
            let left = stop.t - self.motion.now.t;
            match stop.corner {
                Some(corner) if left <= 0.0 => {
                    self.motion.cross_corner(corner, end, delta)?;
                    continue;
                }
                None if left <= 0.0 => break,
                Some(_) | None => {}
            }
            if events == EVENTS {
                return Err(self.motion.endless(events));
            }

            // a trial over what is left of the step, or over a flight
            let (limit, lands) = self.motion.flight_limit(left);
            let length = self.try_run(limit)?;
            let lands = lands.filter(|_| length == limit);
            let mut event = None;
            self.search.denied.clear();
            while let Some(found) = self.search.first(&mut self.motion, length) {
                event = self.enclose(found, length, 0.25 * delta)?.map(|ends| (found.cause, ends));
                if event.is_some() {
                    break;
                }
                self.search.denied.push(found.cause);
                self.run(length)?;
            }
            match event {
                None => {
                    if length == left {
                        self.motion.trial.t = stop.t;
                    }
                    self.motion.accept()?;
                    if let Some(contact) = lands {
                        self.motion.resolve(&[contact], delta, h)?;
                    }
                }
                // up to the event, across it, and on from there
                Some((Cause::Closes(contact), (before, _))) => {
                    if before > 0.0 {
                        self.run(before)?;
                        self.motion.accept()?;
                    }
                    let d = delta.min(stop.t - self.motion.now.t);
                    self.cross(contact, d, delta)?;
                    let arrived = std::mem::take(&mut self.arrived);
                    let outcome = self.motion.resolve(&arrived, delta, h);
                    self.arrived = arrived;
                    outcome?;
                }
                Some((_, (_, after))) => {
                    self.run(after)?;
                    self.motion.accept()?;
                    self.motion.resolve(&[], delta, h)?;
                }
            }
            if let Some(failure) = self.motion.not_finite() {
                return Err(failure);
            }
        }
        self.motion.conclude(end, step, next);
        self.motion.within_half_a_turn(&state.q, &step.after.q)?;
        Ok(())
    }

    /// A bracket as long as the step leaves no flight after an impact, and an explicit table grows without bound on a model that
    /// is too stiff for the step.
    fn refuse(&mut self, state: &State, h: f64) -> Option<InputError> {
        let delta = self.bracket * h.powi(self.order as i32 + 1);
        if delta > LONGEST_BRACKET * h {
            let p = self.order + 1;
            let message = format!(
                "the bracket C·h^{p} = {delta:.1e} s is more than half of the step, {h:e} s: rebounds would end inside it, and \
                 restitution would be lost"
            );
            let largest = 0.1 * LONGEST_BRACKET * h.powi(-(self.order as i32));
            let help = format!("use scheme.bracket = {:.0e}, or a smaller step", largest.min(1e-4));
            return Some(InputError::new(Code::BAD_PARAMETER, "scheme.bracket", message, help));
        }
        let tableau = Tableau::explicit(self.order).filter(|_| self.family == Family::Explicit)?;
        let (omega, decay) = stability::rates(&mut *self.motion.mechanism, state)?;
        let longest = stability::longest_step(&tableau, (omega, decay), GROWTH);
        if h <= longest {
            return None;
        }
        let message = format!(
            "explicit order {} follows this model (up to {omega:.3e} rad/s) with steps to {longest:.1e} s, not {h:e} s",
            self.order
        );
        let help = format!("use scheme.tableau = \"radau-iia\", or step = {:.0e}", 0.5 * longest);
        Some(InputError::new(Code::UNSUPPORTED, "scheme.tableau", message, help))
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        vec![("runge_kutta_steps", self.runs), ("moreau_steps", self.crossings)]
    }
}
