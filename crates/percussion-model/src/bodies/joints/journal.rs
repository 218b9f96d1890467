//! A pin of body b in a hole of body a, with play: impacts and friction at the surface.
//!
//!   g = δ − |d|,  d from the axis of the hole to that of the pin, at the ends of the pin

use super::connection::{PLAY_KEYS, check_fit, read_fit};
use super::{Anchor, Between, Connection, Facts, Fit, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{InputError, Kind};

/// A pin of body b in a hole of body a, with play: impacts and friction at the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Journal {
    /// Of the pin [m].
    pub radius: f64,
    /// Radius of the hole less radius of the pin [m].
    pub clearance: f64,
    /// Of the pin along the axis; in space it touches at its two ends [m].
    pub length: f64,
}

impl Journal {
    fn play(&self) -> Fit {
        Fit { radius: self.radius, clearance: self.clearance, length: self.length, round: true }
    }
}

impl Connection for Journal {
    const FACTS: Facts = Facts {
        kind: Kind {
            name: "journal",
            also: &[],
            keys: PLAY_KEYS,
            meaning: "a pin of body b in a hole of body a, with play",
        },
        scenes: Scenes::Both,
        slides: false,
        has_play: true,
        counts_turns: false,
        anchor: Anchor::Apart,
        mark: Mark::Pin,
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
