//! A rod in a sleeve: a turn about the axis and a shift along it are left; limits, motor and spring act on the shift.
//!
//!   x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0,  z_a = z_b

use super::connection::no_keys;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::{InputError, Kind};

/// A rod in a sleeve: a turn about the axis and a shift along it are left; limits, motor and spring act on the shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylindrical;

impl Connection for Cylindrical {
    const FACTS: Facts = Facts {
        kind: Kind {
            name: "cylindrical",
            also: &[],
            keys: &[],
            meaning: "a turn about the axis and a shift along it are left",
        },
        scenes: Scenes::Spatial,
        slides: false,
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
        let rigid = [between.sideways(), between.upright()].concat();
        Ok(Held { rigid, coupled: vec![], coordinate: Some(between.shift()), play: None })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
