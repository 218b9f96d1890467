//! A hinge: a turn about the axis is left.
//!
//!   p_a = p_b,  z_a = z_b

use super::{Anchor, Between, Connection, Fit, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{InputError, Kind};

/// A hinge: a turn about the axis is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Revolute;

impl Connection for Revolute {
    const KIND: Kind = Kind { name: "revolute", also: &[], keys: &[], meaning: "a turn about the axis is left" };
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
        Ok(Held {
            rigid: [between.place(), between.upright()].concat(),
            coupled: vec![],
            coordinate: Some(between.angle()),
        })
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
