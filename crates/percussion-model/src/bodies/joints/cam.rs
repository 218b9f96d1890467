//! A cam of a and a follower of b, which nothing holds together: the distance of a point of b from the profile is a coordinate.
//!
//!   c = d(p_b);    limits = [r, …] is a roller of radius r on the cam, a spring on it what presses or gives way

use super::connection::no_keys;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::{InputError, Kind};

/// The distance of a point of b from a curve of a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cam;

impl Connection for Cam {
    const FACTS: Facts = Facts {
        kind: Kind {
            name: "cam",
            also: &[],
            keys: &[],
            meaning: "holds nothing: the distance of the anchor, a point of b, from a curve of a is its coordinate, for limits and springs",
        },
        scenes: Scenes::Both,
        slides: false,
        has_play: false,
        counts_turns: false,
        anchor: Anchor::Shared,
        mark: Mark::Dot,
    };

    no_keys!();

    fn check(&self, parts: &JointParts) -> Result<(), InputError> {
        parts.needs_points()
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        Ok(Held { coordinate: Some(between.off_curve()?), ..Held::default() })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
