//! A rod between two points: everything but their distance is left.
//!
//!   |p_a − p_b| = l

use super::{Anchor, Between, Connection, Fit, Held, JointParts, Mark};
use crate::bodies::math::{axpy, norm};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{Code, InputError, Kind};

/// A rod between two points: everything but their distance is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance;

impl Connection for Distance {
    const KIND: Kind =
        Kind { name: "distance", also: &[], keys: &[], meaning: "everything but the distance of two anchors is left" };
    const SCENES: Scenes = Scenes::Both;
    const SLIDES: bool = false;
    const ANCHOR: Anchor = Anchor::Apart;

    fn read<V: JointValues>(_values: &V) -> Result<Self, V::Error> {
        Ok(Self)
    }

    fn values(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    fn check(&self, parts: &JointParts) -> Result<(), InputError> {
        let apart = parts.anchor_b.map_or(0.0, |b| norm(&axpy(&b, -1.0, &parts.anchor)));
        if apart > 0.0 {
            return Ok(());
        }
        let help = "give anchor (on a) and anchor_b (on b) at different places, or use spherical";
        Err(InputError::new(Code::ZERO_JOINT, "anchor_b", "the distance is zero", help))
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        Ok(Held { rigid: vec![between.distance()], coupled: vec![], coordinate: None })
    }

    fn fit(&self) -> Option<Fit> {
        None
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }

    fn counts_turns(&self) -> bool {
        false
    }

    fn mark(&self) -> Mark {
        Mark::Ends
    }
}
