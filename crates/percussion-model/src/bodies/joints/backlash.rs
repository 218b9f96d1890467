//! Backlash of a coupling: the coupled coordinate is free between two stops.
//!
//!   c = c₁ + ratio c₂,    −b/2 ≤ c − c(0) ≤ b/2
//!
//! A stop acts on two bodies; what carries the wheels stands still.

use super::{Joint, JointKind, Term};
use crate::bodies::measure::{BodyRow, Measure};
use crate::bodies::{Body, Frame, Motion};
use crate::{Code, InputError};
use std::f64::consts::TAU;

/// The play of a coupling.
#[derive(Clone, Debug, PartialEq)]
pub struct Backlash {
    /// What is coupled, and the joint of each, whose whole turns count.
    pub terms: Vec<(Term, usize)>,
    /// The two bodies that move.
    pub bodies: [usize; 2],
    /// c where it is in the middle of its play.
    pub middle: f64,
    /// b/2.
    pub half: f64,
}

impl JointKind {
    /// b of a coupling.
    pub fn backlash(&self) -> f64 {
        if let Self::Gear(gear) = self {
            return gear.backlash;
        }
        if let Self::Screw(screw) = self { screw.backlash } else { 0.0 }
    }
}

impl Backlash {
    /// Of joint j; `coupled` is what its kind couples.
    pub fn new(
        j: usize,
        joint: &Joint,
        coupled: &[Term],
        frames: &[Frame],
        bodies: &[Body],
    ) -> Result<Self, InputError> {
        let of = |k: usize| joint.kind.coupled().map_or(j, |joints| joints[k.min(1)]);
        let terms: Vec<(Term, usize)> = coupled.iter().enumerate().map(|(k, term)| (term.clone(), of(k))).collect();
        let mut moving: Vec<usize> = Vec::new();
        let mut carried = false;
        for &i in coupled.iter().flat_map(|term| &term.bodies) {
            carried |= matches!(bodies[i].motion, Motion::Prescribed { .. });
            if bodies[i].is_free() && !moving.contains(&i) {
                moving.push(i);
            }
        }
        let pair = match (&moving[..], joint.bodies) {
            (&[one], [a, b]) if !carried => Some([one, if a == one { b } else { a }]),
            (&[one, two], _) if !carried => Some([one, two]),
            _ => None,
        };
        let Some(bodies) = pair else {
            let message = "backlash needs two wheels on a frame that stands still";
            let help = "fix the body that carries the wheels, or remove backlash";
            return Err(InputError::new(Code::UNSUPPORTED, "backlash", message, help));
        };
        let mut backlash = Self { terms, bodies, middle: 0.0, half: 0.5 * joint.kind.backlash() };
        backlash.middle = backlash.value(frames, &[]);
        Ok(backlash)
    }

    /// c, with the whole turns of the joints.
    pub fn value(&self, frames: &[Frame], turns: &[f64]) -> f64 {
        let of = |(term, joint): &(Term, usize)| {
            let [a, b] = term.bodies.map(|i| &frames[i]);
            let angle = matches!(term.measure, Measure::Angle { .. });
            let turned = if angle { TAU * turns.get(*joint).copied().unwrap_or(0.0) } else { 0.0 };
            term.factor * (term.measure.value(a, b) + turned)
        };
        self.terms.iter().map(of).sum()
    }

    /// Gaps and signs of the stops.
    pub fn stops(&self, c: f64) -> [(f64, f64); 2] {
        [1.0, -1.0].map(|side| (side * (c - self.middle) + self.half, side))
    }

    /// The row of c at the two bodies, from those of its terms.
    pub fn row(&self, of: impl Fn(&Term) -> [BodyRow; 2]) -> [BodyRow; 2] {
        let mut rows = [[0.0; 6]; 2];
        for (term, _) in &self.terms {
            for (body, part) in term.bodies.into_iter().zip(of(term)) {
                for (row, _) in rows.iter_mut().zip(self.bodies).filter(|(_, own)| *own == body) {
                    (0..6).for_each(|k| row[k] += term.factor * part[k]);
                }
            }
        }
        rows
    }
}
