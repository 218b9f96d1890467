//! Three modal coordinates of a reduced body as an element: what resists them, and what damps them.
//!
//!   V = ½ Σ ω²η²,    F = ω²η̄ + c Δη/h,  c = 2ζω:    F·Δη = ΔV + dissipation, whatever the step
//!
//! The coordinates are the place of body b, which moves as η₁ = η₀ + h η̇_θ does; body a is the frame they are measured in.

use super::action::BodyTangent;
use super::element::ElementStep;
use crate::bodies::Frame;
use crate::bodies::measure::Passage;

/// Stiffness and damping of three modal coordinates of unit mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModalSpring {
    /// ω² [1/s²].
    pub stiffness: [f64; 3],
    /// c [1/s].
    pub damping: [f64; 3],
}

impl ModalSpring {
    /// Of angular frequencies, zero where there is no mode, with one damping ratio for all.
    pub fn new(omega: [f64; 3], ratio: f64) -> Self {
        Self { stiffness: omega.map(|w| w * w), damping: omega.map(|w| 2.0 * ratio * w) }
    }

    /// V [J].
    pub fn energy(&self, b: &Frame) -> f64 {
        (0..3).map(|k| 0.5 * self.stiffness[k] * b.x[k] * b.x[k]).sum()
    }

    /// The same whose force over a step of length h is that of its end: c = ½ h ω².
    pub fn stressed_at_the_end(&self, h: f64) -> Self {
        Self { stiffness: self.stiffness, damping: self.stiffness.map(|k| 0.5 * h * k) }
    }

    /// Over a step of length h.
    #[inline]
    pub fn over_step(&self, b: &Passage, h: f64) -> ElementStep {
        let mut step = ElementStep::default();
        for k in 0..3 {
            let change = b.ends[1].x[k] - b.ends[0].x[k];
            let elastic = self.stiffness[k] * b.x[k];
            step.force[1][k] = elastic + self.damping[k] * change / h;
            step.energy_increment += elastic * change;
            step.dissipation += self.damping[k] * change * change / h;
        }
        step
    }

    /// ∂F/∂Δη.
    #[inline]
    pub fn tangent(&self, h: f64, to: &mut BodyTangent) {
        for k in 0..3 {
            to[1][1][k][k] = 0.5 * self.stiffness[k] + self.damping[k] / h;
        }
    }
}
