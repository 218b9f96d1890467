//! When loads and drives of a scene stop being smooth.

use super::{Bodies, Motion, RowLaw};
use crate::Signal;

impl Bodies {
    /// The first time after t at which a load, a drive, a prescribed velocity or one of their derivatives jumps.
    pub fn next_corner(&self, t: f64) -> f64 {
        let earliest = |signals: &[Signal]| signals.iter().map(|s| s.next_corner(t)).fold(f64::INFINITY, f64::min);
        let mut next = f64::INFINITY;
        for body in self.bodies() {
            next = next.min(earliest(&body.force)).min(earliest(&body.torque));
            match &body.motion {
                Motion::Free | Motion::Fixed => {}
                Motion::Prescribed { velocity, angular_velocity } => {
                    next = next.min(earliest(&velocity[..])).min(earliest(&angular_velocity[..]));
                }
            }
        }
        for row in self.joints().iter().flat_map(|joint| &joint.rows) {
            match &row.law {
                RowLaw::Rate(s) | RowLaw::Force(s) => next = next.min(s.next_corner(t)),
                RowLaw::Servo(servo) => {
                    next = next.min(servo.target.next_corner(t));
                    next = servo.velocity.iter().fold(next, |next, s| next.min(s.next_corner(t)));
                }
                RowLaw::Rigid { .. } | RowLaw::Spring { .. } | RowLaw::Curve(_) | RowLaw::Rotor { .. } => {}
            }
        }
        next
    }
}
