//! A scene as the search for its equilibrium and its vibrations see it: loads of one time, nothing driven, stress of the end of a step.

use super::math::{Vec3, norm, sub};
use super::{Bodies, Motion, RowLaw};
use crate::Signal;

impl Bodies {
    /// The same scene under the loads of time t; what is driven stands still.
    pub fn held_at(&self, t: f64) -> Self {
        let mut still = self.clone();
        let hold = |signals: &mut [Signal]| signals.iter_mut().for_each(|s| *s = Signal::constant(s.at(t)));
        for body in &mut still.bodies {
            hold(&mut body.force);
            hold(&mut body.torque);
            if let Motion::Prescribed { .. } = body.motion {
                body.motion = Motion::Fixed;
            }
        }
        still.moments.iter_mut().for_each(|(_, moment)| hold(moment));
        for row in still.joints.iter_mut().flat_map(|joint| &mut joint.rows) {
            match &mut row.law {
                RowLaw::Rate(rate) => *rate = Signal::constant(0.0),
                RowLaw::Force(force) => hold(std::slice::from_mut(force)),
                RowLaw::Servo(servo) => *servo = servo.held_at(t),
                RowLaw::Rigid { .. } | RowLaw::Spring { .. } | RowLaw::Curve(_) | RowLaw::Rotor { .. } => {}
            }
        }
        still
    }

    /// The same scene with springs and elements whose force over a step of length h is that of its end: C ε̄ + (τ/h)C Δε with τ = h/2.
    pub fn stressed_at_the_end(&self, h: f64) -> Self {
        let mut damped = self.clone();
        for span in &mut damped.spans {
            span.element = span.element.stressed_at_the_end(h);
        }
        for spring in &mut damped.springs {
            spring.damping = 0.5 * h * spring.stiffness;
        }
        for row in damped.joints.iter_mut().flat_map(|joint| &mut joint.rows) {
            if let RowLaw::Spring { stiffness, damping, .. } = &mut row.law {
                *damping = 0.5 * h * *stiffness;
            }
        }
        damped
    }

    /// How far the free bodies lie from each other, and how far they reach [m].
    pub fn size(&self, q: &[f64]) -> f64 {
        let free = || (0..self.len()).filter(|&i| self.bodies[i].is_free() && !self.bodies[i].modal);
        let places: Vec<Vec3> = free().map(|i| self.frame(i, q).x).collect();
        let across = places.iter().map(|x| norm(&sub(x, &places[0]))).fold(0.0_f64, f64::max);
        let reach = free().map(|i| self.bodies[i].reach).filter(|r| r.is_finite()).fold(0.0_f64, f64::max);
        if across + reach > 0.0 { across + reach } else { 1.0 }
    }
}
