//! A rail: a shift along the axis is left.
//!
//!   x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0,  no turn

use super::connection::no_keys;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::{InputError, Kind};

/// A rail: a shift along the axis is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prismatic;

impl Connection for Prismatic {
    const FACTS: Facts = Facts {
        kind: Kind { name: "prismatic", also: &[], keys: &[], meaning: "a shift along the axis is left" },
        scenes: Scenes::Both,
        slides: true,
        has_play: false,
        counts_turns: false,
        anchor: Anchor::Apart,
        mark: Mark::Dot,
    };

    no_keys!();

    fn check(&self, _parts: &JointParts) -> Result<(), InputError> {
        Ok(())
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        let rigid = [between.sideways(), between.no_turn()].concat();
        Ok(Held { rigid, coupled: vec![], coordinate: Some(between.shift()), play: None })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
