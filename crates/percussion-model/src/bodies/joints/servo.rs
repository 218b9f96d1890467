//! Servo motors: a spring and a damper between a coordinate and its target, as strong as the motor is.
//!
//!   f = max(−l, min(l, k (r − c) + d (ṙ − ċ)))
//!   over a step  λ = h f with r and c as the means of both ends, ṙ in the middle, ċ = (c₁ − c₀)/h
//!
//! The work λ (c₁ − c₀)/h is a motor's: what its spring holds is no potential, since the target may be moved at will.

use super::connection::check_finite;
use crate::{Code, InputError, Signal};

/// A motor that follows a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Servo {
    /// r [rad or m].
    pub target: Signal,
    /// ṙ where it is not the rate of r [rad/s or m/s].
    pub velocity: Option<Signal>,
    /// k [N·m/rad or N/m].
    pub stiffness: f64,
    /// d [N·m·s/rad or N·s/m].
    pub damping: f64,
    /// l: the largest moment or force; infinite for none.
    pub limit: f64,
}

impl Servo {
    /// Refuses servos that do nothing or push away from their targets.
    pub fn check(&self) -> Result<(), InputError> {
        let refuse = |code, message: &str, help: &str| Err(InputError::new(code, "motor", message, help));
        let signals = self.target.is_finite() && self.velocity.as_ref().is_none_or(Signal::is_finite);
        check_finite(&[self.stiffness, self.damping, if signals { 0.0 } else { f64::NAN }])?;
        if self.stiffness < 0.0 || self.damping < 0.0 || self.limit.is_nan() || self.limit < 0.0 {
            let message = "stiffness, damping and limit of a servo must not be negative";
            return refuse(Code::BAD_PARAMETER, message, "give numbers of 0 or more");
        }
        if self.stiffness == 0.0 && self.damping == 0.0 {
            let message = "a servo without stiffness and damping does nothing";
            return refuse(Code::CONTRADICTION, message, "give stiffness, damping or both");
        }
        Ok(())
    }

    /// ṙ(t).
    pub fn rate(&self, t: f64) -> f64 {
        self.velocity.as_ref().map_or_else(|| self.target.rate(t), |velocity| velocity.at(t))
    }

    /// Whether a force asked for is more than the motor has.
    pub fn saturates(&self, force: f64) -> bool {
        force.abs() > self.limit
    }

    /// What the motor would do if it were strong enough, at an instant.
    pub fn wanted(&self, c: f64, rate: f64, t: f64) -> f64 {
        self.stiffness * (self.target.at(t) - c) + self.damping * (self.rate(t) - rate)
    }

    /// f at an instant.
    pub fn force(&self, c: f64, rate: f64, t: f64) -> f64 {
        self.bounded(self.wanted(c, rate, t))
    }

    /// λ over a step from t, and how it falls as c₁ grows.
    pub fn over_step(&self, [c0, c1]: [f64; 2], t: f64, h: f64) -> (f64, f64) {
        let r = 0.5 * (self.target.at(t) + self.target.until(t + h));
        let (error, rate) = (r - 0.5 * (c0 + c1), self.rate(t + 0.5 * h));
        if h == 0.0 {
            return (0.0, 0.0);
        }
        let wanted = self.stiffness * error + self.damping * (rate - (c1 - c0) / h);
        let slope = if self.saturates(wanted) { 0.0 } else { 0.5 * h * self.stiffness + self.damping };
        (h * self.bounded(wanted), slope)
    }

    /// The servo that holds what its target is at time t.
    pub fn held_at(&self, t: f64) -> Self {
        let velocity = self.velocity.as_ref().map(|_| Signal::constant(0.0));
        Self { target: Signal::constant(self.target.at(t)), velocity, ..self.clone() }
    }

    fn bounded(&self, force: f64) -> f64 {
        force.clamp(-self.limit, self.limit)
    }
}
