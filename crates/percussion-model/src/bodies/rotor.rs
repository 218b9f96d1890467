//! Rotors of drives: inertia that turns with the coordinate of a joint.
//!
//!   T = ½ J s²,    s = ċ = a·v,    impulse on the bodies over a step  −J Δs aᵀ
//!
//! a is constant: z_b·w_b − z_a·w_a of a hinge with its axis in the frames of the bodies, z·(v_b − v_a) of a slider whose guide does
//! not turn. What the impulse takes is J Δs s_θ = ΔT + (θ − ½) J Δs², and at both bodies it is one couple or one pair of forces.

use super::joints::{Joint, RowLaw, Term};
use super::math::mul;
use super::measure::{BodyRow, Measure};
use super::{Bodies, Body, Frame, Twist};
use crate::{Code, InputError};

/// The rotor of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotor {
    /// a and b.
    pub bodies: [usize; 2],
    /// a of both.
    pub rows: [BodyRow; 2],
    /// J [kg·m² or kg].
    pub inertia: f64,
}

impl Rotor {
    /// s.
    pub fn rate(&self, twist: impl Fn(usize) -> Twist) -> f64 {
        let mut sum = 0.0;
        for (body, row) in self.bodies.into_iter().zip(&self.rows) {
            let Twist { v, w } = twist(body);
            sum += (0..3).map(|k| row[k] * v[k] + row[3 + k] * w[k]).sum::<f64>();
        }
        sum
    }

    /// The rotor of a joint that has one; `frames` and `bodies` are those of the start.
    pub fn of(joint: &Joint, frames: &[Frame], bodies: &[Body]) -> Result<Option<Self>, InputError> {
        for row in &joint.rows {
            if let (RowLaw::Rotor { inertia }, [term]) = (&row.law, &row.terms[..]) {
                return Ok(Some(Self { bodies: term.bodies, rows: rows(term, frames, bodies)?, inertia: *inertia }));
            }
        }
        Ok(None)
    }
}

fn rows(term: &Term, frames: &[Frame], bodies: &[Body]) -> Result<[BodyRow; 2], InputError> {
    match &term.measure {
        Measure::Angle { axes: [a, b], .. } => {
            Ok([[0.0, 0.0, 0.0, -a[0], -a[1], -a[2]], [0.0, 0.0, 0.0, b[0], b[1], b[2]]])
        }
        Measure::Along { direction, .. } if term.bodies.into_iter().any(|i| !bodies[i].is_free()) => {
            let s = mul(&frames[term.bodies[0]].R, direction);
            Ok([[-s[0], -s[1], -s[2], 0.0, 0.0, 0.0], [s[0], s[1], s[2], 0.0, 0.0, 0.0]])
        }
        Measure::Along { .. }
        | Measure::Point { .. }
        | Measure::Dot { .. }
        | Measure::Length { .. }
        | Measure::Turn { .. }
        | Measure::Curve { .. }
        | Measure::Modal { .. } => {
            let message = "the armature of a slider needs a guide that stands still";
            let help = "remove armature, add it to the mass of the sliding body, or fix one of the two bodies";
            Err(InputError::new(Code::UNSUPPORTED, "armature", message, help))
        }
    }
}

impl Bodies {
    /// The rotors of the joints.
    pub fn rotors(&self) -> &[Rotor] {
        &self.rotors
    }

    /// Σ ½ J s².
    pub fn rotor_energy(&self, twist: impl Fn(usize) -> Twist) -> f64 {
        self.rotors.iter().map(|rotor| 0.5 * rotor.inertia * rotor.rate(&twist).powi(2)).sum()
    }
}
