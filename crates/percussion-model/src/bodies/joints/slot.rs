//! A slider of body b in a straight guide of body a, with play on both sides.
//!
//!   g = δ ∓ x·d,  x across the guide, at the corners of the slider

use super::connection::{PLAY_KEYS, check_fit, read_fit};
use super::{Anchor, Between, Connection, Fit, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{InputError, Kind};

/// A slider of body b in a straight guide of body a, with play on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// Half the width of the slider [m]; negative where it runs outside the guide, as a sleeve on a pole.
    pub radius: f64,
    /// Half the width of the guide less half the width of the slider [m].
    pub clearance: f64,
    /// Of the slider along the guide; it touches at its corners [m].
    pub length: f64,
}

impl Slot {
    fn play(&self) -> Fit {
        Fit { radius: self.radius, clearance: self.clearance, length: self.length, round: false }
    }
}

impl Connection for Slot {
    const KIND: Kind = Kind {
        name: "slot",
        also: &[],
        keys: PLAY_KEYS,
        meaning: "a slider of body b in a straight guide of body a, with play",
    };
    const SCENES: Scenes = Scenes::Both;
    const SLIDES: bool = true;
    const ANCHOR: Anchor = Anchor::Apart;

    fn read<V: JointValues>(values: &V) -> Result<Self, V::Error> {
        let [radius, clearance, length] = read_fit(values)?;
        Ok(Self { radius, clearance, length })
    }

    fn values(&self) -> Vec<(&'static str, Value)> {
        self.play().values()
    }

    fn check(&self, _parts: &JointParts) -> Result<(), InputError> {
        check_fit(&self.play())
    }

    fn held(&self, _between: &Between) -> Result<Held, InputError> {
        Ok(Held::default())
    }

    fn fit(&self) -> Option<Fit> {
        Some(self.play())
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }

    fn counts_turns(&self) -> bool {
        false
    }

    fn mark(&self) -> Mark {
        Mark::Guide
    }
}
