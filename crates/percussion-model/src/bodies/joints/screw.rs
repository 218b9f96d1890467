//! A screw in its nut: a shift of `pitch` along the axis for every turn about it.
//!
//!   x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0,  z_a = z_b,    z_a·(p_b − p_a) − pitch/2π · θ keeps its value

use super::connection::check_finite;
use super::gear::{BACKLASH, check_backlash};
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{Form, InputError, Key, KeyDefault, Kind};

/// A shift along the axis for every turn about it; space only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screw {
    /// [m per turn].
    pub pitch: f64,
    /// Play along the axis, from stop to stop [m]; 0 for none.
    pub backlash: f64,
}

const KEYS: &[Key] = &[Key::new("pitch", Form::NUMBER, "m", KeyDefault::Required, "screw: shift per turn"), BACKLASH];

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
        let backlash = values.number("backlash")?.unwrap_or(0.0);
        Ok(Self { pitch: values.needed_number("pitch")?, backlash })
    }

    fn values(&self) -> Vec<(&'static str, Value)> {
        let mut values = vec![("pitch", Value::Number(self.pitch))];
        values.extend((self.backlash > 0.0).then_some(("backlash", Value::Number(self.backlash))));
        values
    }

    fn check(&self, _parts: &JointParts) -> Result<(), InputError> {
        check_finite(&[self.pitch])?;
        check_backlash(self.backlash)
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        let (shift, angle) = (between.shift(), between.angle());
        let per_radian = self.pitch / std::f64::consts::TAU;
        Ok(Held {
            rigid: [between.sideways(), between.upright()].concat(),
            coupled: vec![between.term(shift, 1.0), between.term(angle.clone(), -per_radian)],
            coordinate: Some(angle),
            play: None,
        })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
