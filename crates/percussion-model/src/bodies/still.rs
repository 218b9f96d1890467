//! A scene at rest: loads of one time, nothing driven.

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
                RowLaw::Rigid { .. } | RowLaw::Spring { .. } => {}
            }
        }
        still
    }

    /// How far the free bodies lie from each other, and how far they reach [m].
    pub fn size(&self, q: &[f64]) -> f64 {
        let free = || (0..self.len()).filter(|&i| self.bodies[i].is_free());
        let places: Vec<Vec3> = free().map(|i| self.frame(i, q).x).collect();
        let across = places.iter().map(|x| norm(&sub(x, &places[0]))).fold(0.0_f64, f64::max);
        let reach = free().map(|i| self.bodies[i].reach).filter(|r| r.is_finite()).fold(0.0_f64, f64::max);
        if across + reach > 0.0 { across + reach } else { 1.0 }
    }
}
