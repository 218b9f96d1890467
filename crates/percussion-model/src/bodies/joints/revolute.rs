//! A hinge: a turn about the axis is left.
//!
//!   p_a = p_b,  z_a = z_b

use super::connection::no_keys;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::{InputError, Kind};

/// A hinge: a turn about the axis is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Revolute;

impl Connection for Revolute {
    const FACTS: Facts = Facts {
        kind: Kind { name: "revolute", also: &[], keys: &[], meaning: "a turn about the axis is left" },
        scenes: Scenes::Both,
        slides: false,
        has_play: false,
        counts_turns: false,
        anchor: Anchor::Shared,
        mark: Mark::Dot,
    };

    no_keys!();

    fn check(&self, _parts: &JointParts) -> Result<(), InputError> {
        Ok(())
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        let rigid = [between.place(), between.upright()].concat();
        Ok(Held { rigid, coupled: vec![], coordinate: Some(between.angle()), play: None })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
