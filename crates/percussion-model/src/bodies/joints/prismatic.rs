//! A rail: a shift along the axis is left.
//!
//!   x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0,  no turn

use super::{Anchor, Between, Connection, Fit, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{InputError, Kind};

/// A rail: a shift along the axis is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prismatic;

impl Connection for Prismatic {
    const KIND: Kind = Kind { name: "prismatic", also: &[], keys: &[], meaning: "a shift along the axis is left" };
    const SCENES: Scenes = Scenes::Both;
    const SLIDES: bool = true;
    const ANCHOR: Anchor = Anchor::Apart;

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
            rigid: [between.sideways(), between.no_turn()].concat(),
            coupled: vec![],
            coordinate: Some(between.shift()),
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
