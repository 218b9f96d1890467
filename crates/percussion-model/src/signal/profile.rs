//! Signals that go from one value to another, or up and back.
//!
//!   step: from → to at t₀;   ramp: from + (to − from) s;   smooth: from + (to − from)(10s³ − 15s⁴ + 6s⁵);   s = (t − t₀)/(t₁ − t₀)
//!
//! Outside [t₀, t₁] they hold their ends. The smooth step has no velocity and no acceleration there.

use super::past;
use crate::{Code, InputError};
use percussion_matrix::math;
use std::f64::consts::PI;

/// How a pulse goes up and down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PulseShape {
    /// At once.
    #[default]
    Rectangle,
    /// As half a period of a sine.
    HalfSine,
}

/// A step, ramp, smooth step or pulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Profile {
    /// From one value to another at once.
    Step {
        /// t₀ [s]; the second value holds there already.
        at: f64,
        /// Before.
        from: f64,
        /// After.
        to: f64,
    },
    /// From one value to another at a constant rate.
    Ramp {
        /// t₀ [s].
        start: f64,
        /// t₁ [s].
        end: f64,
        /// Until t₀.
        from: f64,
        /// From t₁ on.
        to: f64,
    },
    /// From one value to another without a jump of rate or acceleration.
    Smooth {
        /// t₀ [s].
        start: f64,
        /// t₁ [s].
        end: f64,
        /// Until t₀.
        from: f64,
        /// From t₁ on.
        to: f64,
    },
    /// Up and back; zero outside.
    Pulse {
        /// t₀ [s].
        start: f64,
        /// t₁ [s].
        end: f64,
        /// The largest value.
        height: f64,
        /// How.
        shape: PulseShape,
    },
}

impl Profile {
    /// Refuses numbers that are not finite and intervals that end before they begin.
    pub fn check(self) -> Result<Self, InputError> {
        if !self.is_finite() {
            return Err(InputError::new(Code::NOT_FINITE, "", "a number is not finite", "give finite numbers"));
        }
        let [start, end] = self.span();
        if !matches!(self, Self::Step { .. }) && end <= start {
            let message = format!("ends at {end} s and starts at {start} s");
            return Err(InputError::new(Code::BAD_SIGNAL, "end", message, "give an end after the start"));
        }
        Ok(self)
    }

    /// t₀ and t₁.
    pub fn span(&self) -> [f64; 2] {
        match *self {
            Self::Step { at, .. } => [at, at],
            Self::Ramp { start, end, .. } | Self::Smooth { start, end, .. } | Self::Pulse { start, end, .. } => {
                [start, end]
            }
        }
    }

    /// Value, rate and acceleration, derivatives from the right.
    pub fn jet(&self, t: f64) -> [f64; 3] {
        let [start, end] = self.span();
        let length = end - start;
        let now = past(t);
        let s = (t - start) / length;
        match *self {
            Self::Step { at, from, to } => [if now < at { from } else { to }, 0.0, 0.0],
            Self::Ramp { from, .. } | Self::Smooth { from, .. } if now < start => [from, 0.0, 0.0],
            Self::Ramp { to, .. } | Self::Smooth { to, .. } if now >= end => [to, 0.0, 0.0],
            Self::Ramp { from, to, .. } => [from + (to - from) * s, (to - from) / length, 0.0],
            Self::Smooth { from, to, .. } => {
                let d = to - from;
                let value = s * s * s * (10.0 + s * (6.0 * s - 15.0));
                let rate = 30.0 * s * s * (1.0 - s) * (1.0 - s);
                let acceleration = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s);
                [from + d * value, d * rate / length, d * acceleration / (length * length)]
            }
            Self::Pulse { .. } if now < start || now >= end => [0.0; 3],
            Self::Pulse { height, shape: PulseShape::Rectangle, .. } => [height, 0.0, 0.0],
            Self::Pulse { height, shape: PulseShape::HalfSine, .. } => {
                let omega = PI / length;
                let (sin, cos) = math::sin_cos(PI * s);
                [height * sin, height * omega * cos, -height * omega * omega * sin]
            }
        }
    }

    /// t₀, t₁ or never.
    pub fn next_corner(&self, t: f64) -> f64 {
        self.span().into_iter().find(|&corner| corner > past(t)).unwrap_or(f64::INFINITY)
    }

    /// Whether the value jumps.
    pub fn jumps(&self) -> bool {
        match *self {
            Self::Step { from, to, .. } => from != to,
            Self::Pulse { height, shape: PulseShape::Rectangle, .. } => height != 0.0,
            Self::Pulse { shape: PulseShape::HalfSine, .. } | Self::Ramp { .. } | Self::Smooth { .. } => false,
        }
    }

    /// Whether every number in it is finite.
    pub fn is_finite(&self) -> bool {
        let numbers = match *self {
            Self::Step { at, from, to } => [at, from, to, 0.0],
            Self::Ramp { start, end, from, to } | Self::Smooth { start, end, from, to } => [start, end, from, to],
            Self::Pulse { start, end, height, .. } => [start, end, height, 0.0],
        };
        numbers.iter().all(|x| x.is_finite())
    }
}
