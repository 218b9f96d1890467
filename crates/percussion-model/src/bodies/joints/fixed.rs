//! A joint that leaves nothing free.
//!
//!   p_a = p_b,  no turn

use super::{Anchor, Between, Connection, Fit, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{InputError, Kind};

/// A joint that leaves nothing free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fixed;

impl Connection for Fixed {
    const KIND: Kind = Kind { name: "fixed", also: &[], keys: &[], meaning: "nothing is left free" };
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
        Ok(Held { rigid: [between.place(), between.no_turn()].concat(), coupled: vec![], coordinate: None })
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
