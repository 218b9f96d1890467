//! Milne's device: the error of a step by how far it ends from an extrapolation of the motion before it.
//!
//!   e = x_1 − p(t_{k+1}),   p the cubic through (q, v) at t_{k−1} and t_k
//!
//! p is off by O(h⁴), a step of order p ≤ 2 by O(h^{p+1}): their difference is the error of the step, for one step computed instead of
//! three. Only where neither the last step nor this one has an impulse, and where v = q̇; by halving elsewhere.

use crate::run::adaptive::controller::Controller;
use crate::run::adaptive::options::{Control, Estimate};
use crate::{Memory, State, Step, StepFailure, StepStart, Stepper};

/// Whether any contact pushed.
fn pushes(step: &Step) -> bool {
    step.contacts.iter().any(|c| c.p > 0.0)
}

impl Controller {
    /// Tries the step of n digits by one computation: error in units of its tolerance and factor of the next step; none where halves are asked
    /// for, or where the device does not apply.
    pub(super) fn attempt_once(
        &mut self,
        stepper: &mut dyn Stepper,
        state: &State,
        memory: &Memory,
        n: u64,
    ) -> Result<Option<(f64, f64)>, StepFailure> {
        let plain = self.model.n_q() == self.model.n_v();
        let once = match self.options.estimate {
            Estimate::Halving => false,
            Estimate::Milne => self.previous.is_some() && plain,
            Estimate::Embedded => true,
        };
        if !once {
            return Ok(None);
        }
        let h = n as f64 * self.digit;
        self.statistics.solves += 1;
        let (step, next) = &mut self.whole;
        stepper.step(&StepStart { state, memory, h }, step, next)?;
        step.after.t = (self.now + n) as f64 * self.digit;
        if self.options.estimate == Estimate::Embedded {
            return Ok(Some(self.judge_embedded(state, memory, h)));
        }
        // a contact that pushes, or that the step has passed unseen
        let (model, end) = (&self.model, &self.whole.0.after);
        let passed = (0..model.n_contacts()).any(|i| model.gap(i, &end.q, end.t) <= 0.0);
        if passed || pushes(&self.whole.0) {
            return Ok(None);
        }
        Ok(self.previous.as_ref().map(|before| self.judge_once(before, state, h)))
    }

    /// What the next step extrapolates from, after one that was accepted from `state`.
    pub(super) fn keep_history(&mut self, state: &State, once: bool) {
        if self.options.estimate != Estimate::Milne {
            return;
        }
        let from = if once { state } else { &self.middle };
        let smooth = once || !pushes(&self.halves[1].0);
        self.previous = smooth.then(|| from.clone());
    }

    fn judge_once(&self, before: &State, state: &State, h: f64) -> (f64, f64) {
        let (o, end) = (&self.options, &self.whole.0.after);
        let span = state.t - before.t;
        let s = 1.0 + h / span;
        let (s2, s3) = (s * s, s * s * s);
        // Hermite's basis and its derivatives at s > 1
        let at = [2.0 * s3 - 3.0 * s2 + 1.0, s3 - 2.0 * s2 + s, 3.0 * s2 - 2.0 * s3, s3 - s2];
        let rate = [6.0 * (s2 - s), 3.0 * s2 - 4.0 * s + 1.0, 6.0 * (s - s2), 3.0 * s2 - 2.0 * s];
        let cubic = |b: &[f64; 4], i: usize| {
            b[0] * before.q[i] + b[1] * span * before.v[i] + b[2] * state.q[i] + b[3] * span * state.v[i]
        };
        let dq = |i: usize| (end.q[i] - cubic(&at, i)).abs();
        let dv = |i: usize| (end.v[i] - cubic(&rate, i) / span).abs();
        let mut err = 0.0_f64;
        if o.control != Control::Velocities {
            err = err.max(worst(&dq, (&state.q, &end.q), (&o.atol.q, &o.rtol.q)));
        }
        if o.control != Control::Positions {
            err = err.max(worst(&dv, (&state.v, &end.v), (&o.atol.v, &o.rtol.v)));
        }
        (err, o.factor(err, self.smooth))
    }
}

/// The largest difference in units of its tolerance; NaN is no small error.
pub(super) fn worst(
    difference: &dyn Fn(usize) -> f64,
    (before, after): (&[f64], &[f64]),
    (atol, rtol): (&[f64], &[f64]),
) -> f64 {
    let mut worst = 0.0_f64;
    for i in 0..before.len() {
        let entry = crate::run::adaptive::options::entry;
        let tolerance = entry(atol, i) + entry(rtol, i) * before[i].abs().max(after[i].abs());
        let error = difference(i) / tolerance;
        worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
    }
    worst
}
