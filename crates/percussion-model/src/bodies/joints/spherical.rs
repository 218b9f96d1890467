//! A ball in its socket: turns about the anchor are left.
//!
//!   p_a = p_b

use super::{Anchor, Between, Connection, Fit, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{InputError, Kind};

/// A ball in its socket: turns about the anchor are left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spherical;

impl Connection for Spherical {
    const KIND: Kind = Kind { name: "spherical", also: &[], keys: &[], meaning: "turns about the anchor are left" };
    const SCENES: Scenes = Scenes::Both;
    const SLIDES: bool = false;
    const ANCHOR: Anchor = Anchor::Shared;

    fn read<V: JointValues>(_values: &V) -> Result<Self, V::Error> {
        Ok(Self)
    }

    fn values(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    fn check(&self, _parts: &JointParts) -> Result<(), InputError> {
        Ok(())
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        Ok(Held { rigid: between.place(), coupled: vec![], coordinate: None })
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
        Mark::Dot
    }
}
