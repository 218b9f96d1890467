//! A slider of body b in a straight guide of body a, with play on both sides.
//!
//!   g = δ ∓ x·d,  x across the guide, at the corners of the slider

use super::connection::{PLAY_KEYS, check_fit, read_fit};
use super::{Anchor, Between, Connection, Facts, Fit, Held, JointParts, Mark};
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
    const FACTS: Facts = Facts {
        kind: Kind {
            name: "slot",
            also: &[],
            keys: PLAY_KEYS,
            meaning: "a slider of body b in a straight guide of body a, with play",
        },
        scenes: Scenes::Both,
        slides: true,
        has_play: true,
        counts_turns: false,
        anchor: Anchor::Apart,
        mark: Mark::Guide,
    };

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
        Ok(Held { play: Some(self.play()), ..Held::default() })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
