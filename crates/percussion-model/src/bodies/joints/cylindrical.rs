//! A rod in a sleeve: a turn about the axis and a shift along it are left; limits, motor and spring act on the shift.
//!
//!   x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0,  z_a = z_b

use super::{Anchor, Between, Connection, Fit, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{InputError, Kind};

/// A rod in a sleeve: a turn about the axis and a shift along it are left; limits, motor and spring act on the shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylindrical;

impl Connection for Cylindrical {
    const KIND: Kind = Kind {
        name: "cylindrical",
        also: &[],
        keys: &[],
        meaning: "a turn about the axis and a shift along it are left",
    };
    const SCENES: Scenes = Scenes::Spatial;
    const SLIDES: bool = false;
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
            rigid: [between.sideways(), between.upright()].concat(),
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
