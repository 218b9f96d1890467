//! The controller: error by halving, acceptance, the next step (linear-algebra free: it only calls the scheme).
//!
//!   e = (x_½ − x_1)/(2^p − 1), p ≥ 1;   e = 2 (x_½ − x_1), p = 0;   tol_i = atol + rtol max(|x_k|, |x_½|)
//!   err = max_i |e_i|/tol_i,   h_new = h min(α_max, max(α_min, α err^{−1/(p+1)})),   accepted when err ≤ 1 or h = h_min
//!
//! Violation: a contact may get deeper by at most its atol in a step, (g⁻_½ − g⁻_k)/atol ≤ 1 with g⁻ = max(0, −g); the depth
//! itself instead of its increment (`depth`) stalls as soon as a body rests a little too deep. It is of order h: p = 0 in its factor.
//!
//! Where the scheme puts closed contacts on g = 0, a step with an impact and its halves agree in q wherever in the step it
//! comes. What a velocity that jumps at the wrong instant can cost is then part of the error of q:
//!
//!   |q_½ − q_1| + h |v_½ − v_k|   in a step with an impact
//!
//! Both half steps are recorded, each with its own ledger entry. Rejected steps leave nothing behind because steps are pure.
//! Times are whole multiples of the last binary digit of the end: t and every h are exact, nothing is summed in rounding.

use crate::run::adaptive::milne::worst;
use crate::run::adaptive::options::{AdaptiveOptions, AdaptiveOrder, Control};
use crate::{Ability, Memory, Model, Pack, PackPart, Scheme, State, Step, StepFailure, StepStart, Stepper};
use percussion_matrix::stop::requested;

/// What the controller did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AdaptiveStatistics {
    /// Accepted pairs of half steps.
    pub accepted: u64,
    /// Attempts thrown away because of their error.
    pub rejected: u64,
    /// Attempts thrown away because the scheme could not make a step.
    pub failed: u64,
    /// Steps accepted at `step_min` in spite of their error.
    pub forced: u64,
    /// Steps of the scheme computed, kept or not: three for each attempt, one by Milne's device or an embedded pair.
    pub solves: u64,
    /// Accepted steps that were extrapolated.
    pub extrapolated: u64,
    /// The shortest step recorded [s].
    pub smallest_step: f64,
    /// The longest step recorded [s].
    pub largest_step: f64,
    /// The largest change of H by a change of h alone [J]; zero where H does not contain h.
    pub energy_jump: f64,
}

/// Chooses the steps of a run.
pub struct Controller {
    pub(super) options: AdaptiveOptions,
    pub(super) model: Model,
    /// Order of the scheme in smooth motion.
    pub(super) smooth: u32,
    /// Whether q alone does not show an error at an impact.
    closes_gaps: bool,
    /// The last binary digit of the end [s]; times are multiples of it.
    pub(super) digit: f64,
    pub(super) now: u64,
    end: u64,
    /// Proposed length of the next step [s].
    h: f64,
    pub(super) whole: (Step, Memory),
    pub(super) halves: [(Step, Memory); 2],
    /// Whether the second half waits to be recorded.
    pending: bool,
    pub(super) middle: State,
    /// The state before the present one, where no impulse acted between the two.
    pub(super) previous: Option<State>,
    /// H at the end of the last recorded step, with that step's h.
    last_H: Option<f64>,
    /// Counts.
    pub statistics: AdaptiveStatistics,
}

impl Controller {
    /// For a run to `end` whose first step is h.
    pub fn new(options: AdaptiveOptions, model: Model, scheme: &Scheme, h: f64, end: f64) -> Self {
        let digit = last_digit(end);
        Self {
            h: h.clamp(options.step_min, options.step_max),
            options,
            model,
            smooth: scheme.facts().smooth_order,
            closes_gaps: scheme.facts().has(Ability::ClosesGaps),
            digit,
            now: 0,
            end: if end > 0.0 { (end / digit) as u64 } else { 0 },
            whole: Default::default(),
            halves: Default::default(),
            pending: false,
            middle: State::default(),
            previous: None,
            last_H: None,
            statistics: AdaptiveStatistics::default(),
        }
    }

    /// Whether the end has been reached.
    pub fn finished(&self) -> bool {
        self.now == self.end && !self.pending
    }

    /// Takes out the half step that waits to be recorded.
    pub fn take_waiting(&mut self) -> Option<(Step, Memory)> {
        std::mem::take(&mut self.pending).then(|| std::mem::take(&mut self.halves[1]))
    }

    /// Lets a half step wait to be recorded.
    pub fn put_waiting(&mut self, step: Step, next: Memory) {
        (self.halves[1], self.pending) = ((step, next), true);
    }

    /// The next step to be recorded; its length is chosen here.
    pub fn next(
        &mut self,
        stepper: &mut dyn Stepper,
        from: &StepStart,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure> {
        let StepStart { state, memory, .. } = *from;
        if self.pending {
            self.pending = false;
            // swapped, not copied: nothing is allocated
            std::mem::swap(step, &mut self.halves[1].0);
            std::mem::swap(next, &mut self.halves[1].1);
            return Ok(());
        }
        loop {
            let n = self.length();
            let h = n as f64 * self.digit;
            let at_bottom = h <= self.options.step_min || n < 4;
            let solves = self.statistics.solves;
            let tried = match self.attempt_once(stepper, state, memory, n) {
                Ok(Some(judged)) => Ok((judged, true)),
                Ok(None) => self.attempt(stepper, state, memory, n).map(|()| (self.judge(state, memory, h), false)),
                Err(failure) => Err(failure),
            };
            // solvers that were told to stop end early: nothing of this attempt may stay, not even the length it would propose
            if requested() {
                self.statistics.solves = solves;
                return Err(StepFailure::interrupted(state.t, h));
            }
            let ((err, factor), once) = match tried {
                Ok(judged) => judged,
                Err(failure) if at_bottom => return Err(failure),
                Err(_) => {
                    self.statistics.failed += 1;
                    self.h = (self.options.alpha_min * h).max(self.options.step_min);
                    continue;
                }
            };
            let accepted = err <= 1.0;
            if !accepted && !at_bottom {
                self.statistics.rejected += 1;
                self.h = (factor.min(1.0) * h).max(self.options.step_min);
                continue;
            }
            self.statistics.accepted += 1;
            self.statistics.forced += u64::from(!accepted);
            self.keep_history(state, once);
            if !once {
                self.watch_H(stepper, memory);
            }
            self.now += n;
            // the end cuts steps: what was proposed before stands if it was longer
            let proposal = if self.now == self.end { self.h } else { factor * h };
            self.h = proposal.clamp(self.options.step_min, self.options.step_max);
            let extrapolated = !once && self.options.extrapolate && self.extrapolate(stepper, state, memory);
            if once || extrapolated {
                self.statistics.extrapolated += u64::from(extrapolated);
                self.count(h);
                std::mem::swap(step, &mut self.whole.0);
                std::mem::swap(next, &mut self.whole.1);
                return Ok(());
            }
            self.count(self.halves[0].0.h);
            self.count(self.halves[1].0.h);
            self.pending = true;
            std::mem::swap(step, &mut self.halves[0].0);
            std::mem::swap(next, &mut self.halves[0].1);
            return Ok(());
        }
    }

    /// The proposed step in digits: even, not beyond the end, and leaving no crumb before it.
    fn length(&self) -> u64 {
        let left = self.end - self.now;
        let n = 2 * ((0.5 * self.h / self.digit) as u64).max(1);
        if n >= left {
            left
        } else if 2 * n > left {
            left / 2 + (left / 2) % 2
        } else {
            n
        }
    }

    /// One step and two half steps.
    fn attempt(
        &mut self,
        stepper: &mut dyn Stepper,
        state: &State,
        memory: &Memory,
        n: u64,
    ) -> Result<(), StepFailure> {
        let first = n.div_ceil(2);
        let place = |n: u64| (self.now + n) as f64 * self.digit;
        let (t_middle, t_end) = (place(first), place(n));
        let (h, h_first, h_second) =
            (n as f64 * self.digit, first as f64 * self.digit, (n - first) as f64 * self.digit);
        self.statistics.solves += 3;
        let (step, next) = &mut self.whole;
        stepper.step(&StepStart { state, memory, h }, step, next)?;
        step.after.t = t_end;
        let [(step, next), (second, second_next)] = &mut self.halves;
        stepper.step(&StepStart { state, memory, h: h_first }, step, next)?;
        step.after.t = t_middle;
        self.middle.t = t_middle;
        self.middle.q.clone_from(&step.after.q);
        self.middle.v.clone_from(&step.after.v);
        if h_second == 0.0 {
            // a step of one digit has no halves
            second.clone_from(step);
            second_next.clone_from(next);
        } else {
            let from = StepStart { state: &self.middle, memory: next, h: h_second };
            stepper.step(&from, second, second_next)?;
        }
        second.after.t = t_end;
        Ok(())
    }

    /// The estimated error in units of its tolerance, and the factor of the next step.
    fn judge(&self, state: &State, memory: &Memory, h: f64) -> (f64, f64) {
        let o = &self.options;
        let p = match o.order {
            AdaptiveOrder::Fixed(p) => p,
            AdaptiveOrder::Variable if self.impact(memory) => 0,
            AdaptiveOrder::Variable => self.smooth,
        };
        let scale = if p == 0 { 2.0 } else { 1.0 / (2.0_f64.powi(p as i32) - 1.0) };
        let (one, two) = (&self.whole.0.after, &self.halves[1].0.after);
        let late = if self.closes_gaps && self.impact(memory) { h } else { 0.0 };
        let dq = |i: usize| (two.q[i] - one.q[i]).abs() + late * self.rate_of(i, |k| (two.v[k] - state.v[k]).abs());
        let dv = |i: usize| (two.v[i] - one.v[i]).abs();
        let scaled_q = |i: usize| scale * dq(i);
        let scaled_v = |i: usize| scale * dv(i);
        let mut err = 0.0_f64;
        if o.control != Control::Velocities {
            err = err.max(worst(&scaled_q, (&state.q, &two.q), (&o.atol.q, &o.rtol.q)));
        }
        if o.control != Control::Positions {
            err = err.max(worst(&scaled_v, (&state.v, &two.v), (&o.atol.v, &o.rtol.v)));
        }
        let mut next = o.factor(err, p);
        if o.violation {
            let violation = self.violation(state, &self.halves[1].0);
            next = next.min(o.factor(violation, 0));
            err = err.max(violation);
        }
        (err, next)
    }

    /// By how much a step lets a contact get deeper, in units of what is allowed; zero where nobody asks.
    pub(super) fn violation(&self, state: &State, step: &Step) -> f64 {
        let o = &self.options;
        if !o.violation {
            return 0.0;
        }
        let end = &step.after;
        let depth = |x: &State, i: usize| (-self.model.gap(i, &x.q, x.t)).max(0.0);
        let mut deeper = 0.0_f64;
        let before = |i: usize| if o.depth { 0.0 } else { depth(state, i) };
        let mut look = |i: usize| deeper = deeper.max(depth(end, i) - before(i));
        (0..self.model.n_contacts()).for_each(&mut look);
        if self.model.contacts_vary() {
            step.contacts.iter().for_each(|c| look(c.id));
        }
        deeper / o.atol.gap
    }

    /// How fast coordinate i moves at speeds v, at most. The four parameters of a rotation turn by half the angular velocity.
    pub(super) fn rate_of(&self, i: usize, v: impl Fn(usize) -> f64) -> f64 {
        if self.model.n_q() == self.model.n_v() {
            return v(i);
        }
        let (body, part) = (i / 7, i % 7);
        if part < 3 { v(6 * body + part) } else { 0.5 * (3..6).map(|k| v(6 * body + k)).sum::<f64>() }
    }

    /// Whether one of the three steps contains an impact.
    fn impact(&self, memory: &Memory) -> bool {
        self.sudden(&self.whole.0, memory)
            || self.sudden(&self.halves[0].0, memory)
            || self.sudden(&self.halves[1].0, &self.halves[0].1)
    }

    /// Whether a step contains an impact: an impulse of a contact that did not push before, or one on an approach that twice the load of the step
    /// does not explain.
    pub(super) fn sudden(&self, step: &Step, before: &Memory) -> bool {
        step.contacts.iter().any(|c| {
            let beyond_load = -c.u_before > 2.0 * (c.u_free - c.u_before).abs();
            c.p > 0.0 && (!before.pushed(c.id) || beyond_load)
        })
    }

    /// x = x_½ + (x_½ − x_1)/(2^p − 1) into `whole`, when no impulse acted and no contact is reached; false otherwise.
    fn extrapolate(&mut self, stepper: &mut dyn Stepper, state: &State, memory: &Memory) -> bool {
        let steps = [&self.whole.0, &self.halves[0].0, &self.halves[1].0];
        if steps.iter().any(|step| step.contacts.iter().any(|c| c.p > 0.0)) {
            return false;
        }
        let weight = 1.0 / (2.0_f64.powi(self.smooth as i32) - 1.0);
        let (first, second) = (self.halves[0].0.ledger, self.halves[1].0.ledger);
        let two = &self.halves[1].0.after;
        let after = &mut self.whole.0.after;
        for (one, two) in [(&mut after.q, &two.q), (&mut after.v, &two.v)] {
            for (x, y) in one.iter_mut().zip(two) {
                *x = y + weight * (y - *x);
            }
        }
        if (0..self.model.n_contacts()).any(|i| self.model.gap(i, &after.q, after.t) < 0.0) {
            return false;
        }

        // the works of the half steps; what they leave of ΔE is measured
        let mut entry = first;
        entry.accumulate(&second);
        entry.kinetic = self.model.kinetic_energy(&after.q, &after.v);
        // loads with a potential are still works here: `Simulation` books them
        let loads = |q: &[f64]| self.model.linear().map_or(0.0, |linear| linear.potential_work(q));
        entry.potential = self.model.potential_energy(&after.q) + loads(&after.q);
        let before = self.model.kinetic_energy(&state.q, &state.v) + self.model.potential_energy(&state.q);
        let before = before + loads(&state.q);
        entry.close(before, entry.energy());
        self.whole.0.ledger = entry;
        let mut fresh = stepper.start(after);
        fresh.u_max = self.halves[1].1.u_max.max(memory.u_max);
        self.whole.1 = fresh;
        true
    }

    fn count(&mut self, h: f64) {
        let s = &mut self.statistics;
        s.smallest_step = if s.smallest_step == 0.0 { h } else { s.smallest_step.min(h) };
        s.largest_step = s.largest_step.max(h);
    }

    /// H of the present state by this step's h against the last step's.
    fn watch_H(&mut self, stepper: &dyn Stepper, memory: &Memory) {
        let H = |memory: &Memory, h: f64| stepper.algorithmic_energy(memory, h);
        let [(first, middle), (second, _)] = &self.halves;
        let here = H(memory, first.h);
        let before = self.last_H.unwrap_or(here);
        let between = H(middle, second.h) - first.ledger.algorithmic_energy;
        let jump = (here - before).abs().max(between.abs());
        // what is computed twice differs by round-off
        let round_off = 8.0 * f64::EPSILON * here.abs().max(before.abs());
        if jump > round_off {
            self.statistics.energy_jump = self.statistics.energy_jump.max(jump);
        }
        self.last_H = Some(second.ledger.algorithmic_energy);
    }
}

crate::packed! {
    AdaptiveStatistics {
        accepted,
        rejected,
        failed,
        forced,
        solves,
        extrapolated,
        smallest_step,
        largest_step,
        energy_jump,
    }
}

impl PackPart for Controller {
    fn pack_part(&self, out: &mut Vec<u8>) {
        let Self { now, h, halves, pending, last_H, statistics, previous, .. } = self;
        (*now, *h).pack(out);
        last_H.pack(out);
        previous.pack(out);
        statistics.pack(out);
        pending.then(|| halves[1].clone()).pack(out);
    }

    fn unpack_part(&mut self, from: &mut &[u8]) -> Option<()> {
        (self.now, self.h) = Pack::unpack(from)?;
        self.last_H = Pack::unpack(from)?;
        self.previous = Pack::unpack(from)?;
        self.statistics = Pack::unpack(from)?;
        let waiting: Option<(Step, Memory)> = Pack::unpack(from)?;
        self.pending = waiting.is_some();
        if let Some(half) = waiting {
            self.halves[1] = half;
        }
        // a step of the lengths the options allow, and not beyond the end
        let allowed = self.options.step_min..=self.options.step_max;
        (self.now <= self.end && allowed.contains(&self.h)).then_some(())
    }
}

/// The last binary digit of a positive number: it is a whole multiple, and a 53-bit number can count to it.
fn last_digit(x: f64) -> f64 {
    if x > 0.0 { (x.next_up() - x).max(f64::MIN_POSITIVE) } else { f64::MIN_POSITIVE }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// end/digit is whole and gives the end back, also just under and at powers of two.
    #[test]
    fn the_end_is_a_multiple_of_its_last_digit() {
        for end in [1.0, 4.0, 5.0, 0.1, 3.602249, 2.0_f64.next_down(), 1e-7, 12345.678, 1e9] {
            let digit = last_digit(end);
            let count = (end / digit) as u64;
            assert_eq!(count as f64 * digit, end, "{end}");
            assert!(count <= 1 << 53);
        }
    }
}
