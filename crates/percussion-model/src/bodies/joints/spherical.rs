//! A ball in its socket: turns about the anchor are left.
//!
//!   p_a = p_b

use super::connection::no_keys;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::{InputError, Kind};

/// A ball in its socket: turns about the anchor are left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spherical;

impl Connection for Spherical {
    const FACTS: Facts = Facts {
        kind: Kind { name: "spherical", also: &[], keys: &[], meaning: "turns about the anchor are left" },
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
        let rigid = between.place();
        Ok(Held { rigid, coupled: vec![], coordinate: None, play: None })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
