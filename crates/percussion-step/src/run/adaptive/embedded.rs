//! An embedded pair as estimator: Euler's rule beside the trapezoidal rule, with the velocities a step has anyway.
//!
//!   q̂ = q_k + h v_{k+1},   q = q_k + h (v_k + v_{k+1})/2,   e = q − q̂ = (h/2)(v_k − v_{k+1})
//!
//! e is the local error of the rule of order one, O(h²) in smooth motion and O(h) where the velocity jumps, as the error of q at an impact is:
//! one step is computed for an attempt, in flight and at impacts alike. The scheme's own q goes on. A model whose coordinates are not those of
//! its velocities has e by the rates of its coordinates.

use crate::run::adaptive::controller::Controller;
use crate::run::adaptive::milne::worst;
use crate::run::adaptive::options::AdaptiveOrder;
use crate::{Memory, State};

impl Controller {
    /// Error of the whole step in units of its tolerance and the factor of the next.
    pub(super) fn judge_embedded(&self, state: &State, memory: &Memory, h: f64) -> (f64, f64) {
        let (o, (step, _)) = (&self.options, &self.whole);
        let end = &step.after;
        let p = match o.order {
            AdaptiveOrder::Variable if self.sudden(step, memory) => 0,
            AdaptiveOrder::Variable => 1,
            AdaptiveOrder::Fixed(p) => p,
        };
        let dq = |i: usize| 0.5 * h * self.rate_of(i, |k| (end.v[k] - state.v[k]).abs());
        let err = worst(&dq, (&state.q, &end.q), (&o.atol.q, &o.rtol.q));
        let violation = self.violation(state, step);
        let factor = o.factor(err, p);
        (err.max(violation), if violation > 0.0 { factor.min(o.factor(violation, 0)) } else { factor })
    }
}
