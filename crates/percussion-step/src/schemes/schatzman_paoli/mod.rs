//! The Schatzman–Paoli scheme: contact forces on positions, restitution by reflection (Paoli and Schatzman 2002).

pub mod lagrangian;
pub mod linear;
pub mod parameters;

use crate::{State, StepFailure};
use percussion_model::Code;

/// What the scheme carries from step to step: the velocity that leaves q_k, found one position ahead.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VelocityAhead {
    /// w_{k+½}; at the start a_0.
    w: Vec<f64>,
    /// h of the last step [s]; zero at the start.
    h: f64,
    /// q_0 and v_0, at the start only.
    start: Vec<Vec<f64>>,
}

crate::packed! { VelocityAhead { w, h, start } }

impl crate::Carry for VelocityAhead {
    fn fits(&self, start: &Self) -> bool {
        // a run that has not begun carries where it begins: q_0 and v_0
        let begins = self.start.len() == 2 && self.start.iter().all(|x| x.len() == self.w.len());
        self.w.len() == start.w.len() && (self.start.is_empty() || begins)
    }
}

impl VelocityAhead {
    /// At the start of a run.
    fn new(a_0: Vec<f64>, state: &State) -> Self {
        Self { w: a_0, h: 0.0, start: vec![state.q.clone(), state.v.clone()] }
    }

    /// After a step.
    fn set(&mut self, w: &[f64], h: f64) {
        self.w.clear();
        self.w.extend_from_slice(w);
        self.h = h;
        self.start.clear();
    }

    /// w_{−½} of steps of length h, and the place a `part` of a step before q_0; none after the start.
    fn before_start(&self, h: f64, part: f64) -> Option<(Vec<f64>, Vec<f64>)> {
        let [q0, v0] = &self.start[..] else { return None };
        let w: Vec<f64> = v0.iter().zip(&self.w).map(|(v, a)| v - 0.5 * h * a).collect();
        let place = q0.iter().zip(&w).map(|(q, w)| q - part * h * w).collect();
        Some((place, w))
    }
}

/// e of a contact in a position step; `first`: where g_{k−1} was made up from the start. A gap that never was below zero is not given back.
fn reflected(restitution: f64, first: bool, before: f64) -> f64 {
    if first && before < 0.0 { 0.0 } else { restitution }
}

/// The step changed in the middle of a run.
fn unequal(state: &State, h: f64, last: f64) -> StepFailure {
    StepFailure {
        code: Code::UNSUPPORTED,
        t: state.t,
        h,
        message: format!("the step changes from {last} to {h}; the two-step form needs equal steps"),
        help: "keep the step, or use moreau-jean".into(),
        problem: None,
    }
}
