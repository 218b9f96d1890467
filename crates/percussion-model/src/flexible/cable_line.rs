//! A cable as described: points on a line, elements that pull and never push.
//!
//!   node k:  m = Σ ½ρAL, or Σ ρAL/6 where its links carry the rest (`bodies/cable_links.rs`);    N = EA e⁺/L of each element
//!
//! Nodes of a cable are bodies too. Nothing turns them: their inertia, that of a ball of their mass, does not matter.

use super::{BeamContact, Cable, Element};
use crate::bodies::Frame;
use crate::bodies::math::{IDENTITY, Mat3, Vec3, axpy, diagonal, norm, sub};
use crate::{Code, InputError, Signal};

/// A cable as described.
#[derive(Clone, Debug, PartialEq)]
pub struct CableParts {
    /// Its nodes are called NAME.0, NAME.1, …
    pub name: String,
    /// Its ends at t = 0 [m].
    pub ends: [Vec3; 2],
    /// Number of elements.
    pub elements: usize,
    /// EA [N].
    pub axial: f64,
    /// Length without tension [m].
    pub length: f64,
    /// ρA [kg/m].
    pub mass: f64,
    /// World velocity of its first node at t = 0 [m/s].
    pub velocity: Vec3,
    /// Angular velocity at t = 0, world frame, about its first node [rad/s].
    pub angular_velocity: Vec3,
    /// What gravity adds to its constant part in time [m/s²].
    pub shaking: [Signal; 3],
    /// Its surface; `None` passes through everything.
    pub contact: Option<BeamContact>,
}

impl CableParts {
    /// The frames of its nodes at t = 0, along the line between its ends.
    pub fn nodes(&self) -> Result<Vec<Frame>, InputError> {
        let way = sub(&self.ends[1], &self.ends[0]);
        let positive = [("axial_stiffness", self.axial), ("length", self.length), ("mass_per_length", self.mass)];
        for (field, x) in positive {
            if !(x > 0.0 && x.is_finite()) {
                return Err(InputError::new(
                    Code::BAD_PARAMETER,
                    field,
                    format!("{x} is not positive"),
                    "give more than zero",
                ));
            }
        }
        if self.elements == 0 || !(norm(&way) > 0.0 && norm(&way).is_finite()) {
            let message = "a cable has elements between two different points";
            return Err(InputError::new(Code::BAD_SIZE, "to", message, "move one of its ends"));
        }
        let at = |k: usize| axpy(&self.ends[0], k as f64 / self.elements as f64, &way);
        Ok((0..=self.elements).map(|k| Frame { x: at(k), q: [1.0, 0.0, 0.0, 0.0], R: IDENTITY }).collect())
    }

    /// Mass and inertia of node k.
    pub fn matter(&self, k: usize) -> (f64, Mat3) {
        let element = self.length / self.elements as f64;
        let beside = if k == 0 || k == self.elements { 1.0 } else { 2.0 };
        let share = if self.contact.is_some() { 1.0 / 6.0 } else { 0.5 };
        let mass = share * beside * self.mass * element;
        let turning = mass * element * element / 12.0;
        (mass, diagonal(turning, turning, turning))
    }

    /// One of its elements.
    pub fn element(&self) -> Element {
        let length = self.length / self.elements as f64;
        Element::Cable(Cable { length, axial: self.axial, points: [[0.0; 3]; 2], at_end: false })
    }
}
