//! Gears, racks and belts: the coordinates of two other joints are coupled.
//!
//!   c₁ + ratio c₂ keeps its value, or stays within its backlash

use super::connection::check_finite;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark, Term};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{Code, Form, InputError, Key, KeyDefault, Kind};

/// Couples the coordinates of two other joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gear {
    /// Numbers of the joints.
    pub joints: [usize; 2],
    /// Of the coordinates: rad/rad, or m/rad and rad/m where one slides.
    pub ratio: f64,
    /// Play of c₁ + ratio c₂, from stop to stop, in the unit of c₁; 0 for none.
    pub backlash: f64,
}

/// The key of couplings with play.
pub const BACKLASH: Key = Key::new(
    "backlash",
    Form::NOT_NEGATIVE,
    "rad or m",
    KeyDefault::Number(0.0),
    "gear, screw: play of the coupling from stop to stop, as the first coordinate or the shift measures it",
);

/// Refuses play below zero.
pub fn check_backlash(backlash: f64) -> Result<(), InputError> {
    if backlash >= 0.0 && backlash.is_finite() {
        return Ok(());
    }
    let message = format!("backlash = {backlash} is negative or not finite");
    Err(InputError::new(Code::BAD_SIZE, "backlash", message, "give a play of 0 or more"))
}

const KEYS: &[Key] = &[
    Key::new("joints", Form::exactly(2, &Form::Text), "", KeyDefault::Required, "gear: two earlier joints"),
    Key::new("ratio", Form::NUMBER, "", KeyDefault::Required, "gear: c₁ + ratio c₂ keeps its value"),
    BACKLASH,
];

impl Connection for Gear {
    const FACTS: Facts = Facts {
        kind: Kind { name: "gear", also: &[], keys: KEYS, meaning: "couples the coordinates of two earlier joints" },
        scenes: Scenes::Both,
        slides: false,
        has_play: false,
        counts_turns: false,
        anchor: Anchor::Nowhere,
        mark: Mark::Nothing,
    };

    fn read<V: JointValues>(values: &V) -> Result<Self, V::Error> {
        let joints = values.needed("joints", values.joints("joints")?)?;
        let backlash = values.number("backlash")?.unwrap_or(0.0);
        Ok(Self { joints, ratio: values.needed_number("ratio")?, backlash })
    }

    fn values(&self) -> Vec<(&'static str, Value)> {
        let mut values = vec![("joints", Value::Joints(self.joints)), ("ratio", Value::Number(self.ratio))];
        values.extend((self.backlash > 0.0).then_some(("backlash", Value::Number(self.backlash))));
        values
    }

    fn check(&self, _parts: &JointParts) -> Result<(), InputError> {
        check_finite(&[self.ratio])?;
        check_backlash(self.backlash)?;
        let help = "couple two different joints with a ratio that is not 0";
        if self.joints[0] == self.joints[1] {
            return Err(InputError::new(Code::CONTRADICTION, "joints", "couples a joint with itself", help));
        }
        if self.ratio == 0.0 {
            return Err(InputError::new(Code::CONTRADICTION, "ratio", "ratio = 0 would lock the first joint", help));
        }
        Ok(())
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        let mut coupled = Vec::new();
        for (joint, factor) in self.joints.into_iter().zip([1.0, self.ratio]) {
            let Some(free) = between.earlier.get(joint).and_then(|joint| joint.coordinate.clone()) else {
                let message = "couples a joint that has no coordinate of its own, or that comes later";
                let help = "name two earlier revolute, prismatic or screw joints";
                return Err(InputError::new(Code::BAD_NAME, "joints", message, help));
            };
            coupled.push(Term { factor, ..free });
        }
        Ok(Held { rigid: vec![], coupled, coordinate: None, play: None })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        Some(self.joints)
    }
}
