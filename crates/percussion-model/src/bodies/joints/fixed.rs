//! A joint that leaves nothing free.
//!
//!   p_a = p_b,  no turn

use super::connection::no_keys;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::{InputError, Kind};

/// A joint that leaves nothing free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fixed;

impl Connection for Fixed {
    const FACTS: Facts = Facts {
        kind: Kind { name: "fixed", also: &[], keys: &[], meaning: "nothing is left free" },
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
        let rigid = [between.place(), between.no_turn()].concat();
        Ok(Held { rigid, coupled: vec![], coordinate: None, play: None })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
