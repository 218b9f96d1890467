//! A rod between two points: everything but their distance is left.
//!
//!   |p_a − p_b| = l

use super::connection::no_keys;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::math::{axpy, norm};
use crate::bodies::shapes::Scenes;
use crate::{Code, InputError, Kind};

/// A rod between two points: everything but their distance is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance;

impl Connection for Distance {
    const FACTS: Facts = Facts {
        kind: Kind {
            name: "distance",
            also: &[],
            keys: &[],
            meaning: "everything but the distance of two anchors is left",
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
        let apart = parts.anchor_b.map_or(0.0, |b| norm(&axpy(&b, -1.0, &parts.anchor)));
        if apart > 0.0 {
            return Ok(());
        }
        let help = "give anchor (on a) and anchor_b (on b) at different places, or use spherical";
        Err(InputError::new(Code::ZERO_JOINT, "anchor_b", "the distance is zero", help))
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        let rigid = vec![between.distance()];
        Ok(Held { rigid, coupled: vec![], coordinate: None, play: None })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
