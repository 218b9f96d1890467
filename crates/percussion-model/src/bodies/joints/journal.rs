//! A pin of body b in a hole of body a, with play: impacts and friction at the surface.
//!
//!   g = δ − |d|,  d from the axis of the hole to that of the pin, at the ends of the pin

use super::connection::{PLAY_KEYS, check_fit, read_fit};
use super::{Anchor, Between, Connection, Fit, Held, JointParts, Mark};
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
    const KIND: Kind =
        Kind { name: "journal", also: &[], keys: PLAY_KEYS, meaning: "a pin of body b in a hole of body a, with play" };
    const SCENES: Scenes = Scenes::Both;
    const SLIDES: bool = false;
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
        Mark::Pin
    }
}
