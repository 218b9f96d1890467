//! A joint of constant velocity between two shafts: they turn alike at any angle.
//!
//!   p_a = p_b,    x_a·y_b − y_a·x_b = 0
//!
//! x, y are square to the shaft in each body, and parallel while the shafts are in line. The row is twice the sine of the turn of b from a
//! times the part of its axis along the shaft: zero where b is bent from a about an axis square to both shafts, and not turned.

use super::connection::check_finite;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::math::{Vec3, axpy, cross, dot, norm, scale};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{Code, Form, InputError, Key, KeyDefault, Kind};

/// Two shafts that turn alike at any angle; space only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantVelocity {
    /// World direction at t = 0 of the shaft of b.
    pub shaft: Vec3,
}

const KEYS: &[Key] = &[Key::new(
    "shaft",
    Form::exactly(3, &Form::NUMBER),
    "",
    KeyDefault::Required,
    "constant-velocity: world direction at t = 0 of the shaft of b; axis is that of a",
)];

impl Connection for ConstantVelocity {
    const FACTS: Facts = Facts {
        kind: Kind {
            name: "constant-velocity",
            also: &[],
            keys: KEYS,
            meaning: "two shafts that turn alike at any angle between them; space only",
        },
        scenes: Scenes::Spatial,
        slides: false,
        has_play: false,
        counts_turns: false,
        anchor: Anchor::Shared,
        mark: Mark::Dot,
    };

    fn read<V: JointValues>(values: &V) -> Result<Self, V::Error> {
        Ok(Self { shaft: values.needed("shaft", values.vector("shaft", false)?)? })
    }

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![("shaft", Value::Numbers(self.shaft.to_vec()))]
    }

    fn check(&self, parts: &JointParts) -> Result<(), InputError> {
        check_finite(&self.shaft)?;
        let size = norm(&self.shaft) * norm(&parts.axis);
        if size == 0.0 || dot(&self.shaft, &parts.axis) < 0.1 * size {
            let message = format!("{:?} is zero or nearly square to axis = {:?}, or points back", self.shaft, parts.axis);
            let help = "give shafts that bend by less than 84°, both along the drive";
            return Err(InputError::new(Code::CONTRADICTION, "shaft", message, help));
        }
        Ok(())
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        let [x, y, z] = &between.directions;
        let shaft = scale(1.0 / norm(&self.shaft), &self.shaft);
        // the shortest turn from one shaft to the other: d + a × d + a × (a × d)/(1 + z·shaft), a = z × shaft
        let a = cross(z, &shaft);
        let bent = |d: &Vec3| {
            let once = cross(&a, d);
            axpy(&axpy(d, 1.0, &once), 1.0 / (1.0 + dot(z, &shaft)), &cross(&a, &once))
        };
        let coupled =
            vec![between.term(between.pair(x, &bent(y)), 1.0), between.term(between.pair(y, &bent(x)), -1.0)];
        Ok(Held { rigid: between.place(), coupled, coordinate: None, play: None })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
