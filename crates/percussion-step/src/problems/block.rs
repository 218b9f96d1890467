//! A block of 1 kg that slides on a floor or down a slope.
//!
//!   ẍ = g (sin α − μ cos α sgn ẋ),   at rest where tan α ≤ μ

use super::Known;
use super::linear::{linear, masses, rough_contact};
use crate::Problem;
use crate::measure::Slide;
use percussion_model::{InputError, LinearParts};

/// Weight of 1 kg [N].
const G: f64 = 9.81;

/// A block on a slope of the angle α with friction μ: q = (down the slope, off the slope), started at v0 along it.
pub fn incline(alpha: f64, mu: f64, v0: f64) -> Result<Problem, InputError> {
    let parts = LinearParts {
        contacts: vec![rough_contact(&[0.0, 1.0], &[&[1.0, 0.0]], 0.0, 0.0, mu)],
        ..masses(&[1.0, 1.0], &[G * alpha.sin(), -G * alpha.cos()])
    };
    linear(parts, &[0.0; 2], &[v0, 0.0])
}

impl Known for Slide {
    fn problem(&self) -> Result<Problem, InputError> {
        let pair = |along: f64, across: f64| if self.along == 0 { [along, across] } else { [across, along] };
        let (normal, tangent) = (pair(0.0, 1.0), pair(1.0, 0.0));
        let floor = rough_contact(&normal, &[&tangent], -self.height, 0.0, self.deceleration / G);
        let parts = LinearParts { contacts: vec![floor], ..masses(&[1.0, 1.0], &pair(0.0, -G)) };
        linear(parts, &pair(self.x0, self.height), &pair(self.v0, 0.0))
    }
}
