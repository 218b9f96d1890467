//! A line between two points, which holds nothing: its length is a coordinate for motors, springs, stops, friction and couplings.
//!
//!   c = |p_a − p_b|;    a rope over a pulley couples two lines,  c₁ + n c₂ keeps its value;    limits = [0, l] is a rope that may hang slack

use super::connection::no_keys;
use super::{Anchor, Between, Connection, Distance, Facts, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::{InputError, Kind};

/// The length between two points, which nothing holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line;

impl Connection for Line {
    const FACTS: Facts = Facts {
        kind: Kind {
            name: "line",
            also: &[],
            keys: &[],
            meaning: "holds nothing: the length between two anchors is its coordinate, for motors, springs, limits and gears",
        },
        scenes: Scenes::Both,
        slides: false,
        has_play: false,
        counts_turns: false,
        anchor: Anchor::Apart,
        mark: Mark::Ends,
    };

    no_keys!();

    fn check(&self, parts: &JointParts) -> Result<(), InputError> {
        Distance.check(parts)
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        Ok(Held { rigid: vec![], coupled: vec![], coordinate: Some(between.distance()), play: None })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
