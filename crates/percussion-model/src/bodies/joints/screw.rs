//! A screw in its nut: a shift of `pitch` along the axis for every turn about it.
//!
//!   x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0,  z_a = z_b,    z_a·(p_b − p_a) − pitch/2π · θ keeps its value

use super::connection::check_finite;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{Form, InputError, Key, KeyDefault, Kind};

/// A shift along the axis for every turn about it; space only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screw {
    /// [m per turn].
    pub pitch: f64,
}

const KEYS: &[Key] = &[Key::new("pitch", Form::NUMBER, "m", KeyDefault::Required, "screw: shift per turn")];

impl Connection for Screw {
    const FACTS: Facts = Facts {
        kind: Kind {
            name: "screw",
            also: &[],
            keys: KEYS,
            meaning: "a shift of pitch along the axis for every turn about it; space only",
        },
        scenes: Scenes::Spatial,
        slides: false,
        has_play: false,
        counts_turns: true,
        anchor: Anchor::Apart,
        mark: Mark::Dot,
    };

    fn read<V: JointValues>(values: &V) -> Result<Self, V::Error> {
        Ok(Self { pitch: values.needed_number("pitch")? })
    }

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![("pitch", Value::Number(self.pitch))]
    }

    fn check(&self, _parts: &JointParts) -> Result<(), InputError> {
        check_finite(&[self.pitch])
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        let (shift, angle) = (between.shift(), between.angle());
        let per_radian = self.pitch / std::f64::consts::TAU;
        Ok(Held {
            rigid: [between.sideways(), between.upright()].concat(),
            coupled: vec![between.term(shift, 1.0), between.term(angle, -per_radian)],
            coordinate: Some(angle),
            play: None,
        })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
