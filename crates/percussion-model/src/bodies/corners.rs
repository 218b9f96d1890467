//! When loads and drives of a scene stop being smooth, or have no value.

use super::{Bodies, Motion, RowLaw};
use crate::Signal;

impl Bodies {
    /// Every load, drive and prescribed velocity, with what it is.
    fn signals(&self) -> impl Iterator<Item = (&Signal, &'static str, &str)> {
        let of_bodies = self.bodies().iter().flat_map(|body| {
            let loads =
                body.force.iter().map(|s| (s, "the load on")).chain(body.torque.iter().map(|s| (s, "the moment on")));
            let moved = match &body.motion {
                Motion::Free | Motion::Fixed => None,
                Motion::Prescribed { velocity, angular_velocity } => {
                    Some(velocity.iter().chain(angular_velocity.iter()))
                }
            };
            let moved = moved.into_iter().flatten().map(|s| (s, "the prescribed velocity of"));
            loads.chain(moved).map(|(s, what)| (s, what, body.name.as_str()))
        });
        let of_joints = self.joints().iter().flat_map(|joint| {
            joint
                .rows
                .iter()
                .flat_map(|row| match &row.law {
                    RowLaw::Rate(s) | RowLaw::Force(s) => vec![s],
                    RowLaw::Servo(servo) => servo.velocity.iter().chain([&servo.target]).collect(),
                    RowLaw::Rigid { .. } | RowLaw::Spring { .. } | RowLaw::Curve(_) | RowLaw::Rotor { .. } => {
                        Vec::new()
                    }
                })
                .map(|s| (s, "the motor of", joint.name.as_str()))
        });
        let of_nodes = self.moments.iter().flat_map(|(_, moment)| moment.iter().map(|s| (s, "a moment on", "a beam")));
        of_bodies.chain(of_joints).chain(of_nodes)
    }

    /// The first time after t at which a load, a drive, a prescribed velocity or one of their derivatives jumps.
    pub fn next_corner(&self, t: f64) -> f64 {
        self.signals().map(|(s, _, _)| s.next_corner(t)).fold(f64::INFINITY, f64::min)
    }

    /// A load or drive that has no finite value at time t, by name.
    pub fn undefined_signal(&self, t: f64) -> Option<String> {
        let (_, what, name) = self.signals().find(|(s, _, _)| !s.at(t).is_finite())?;
        Some(format!("{what} {name}"))
    }
}
