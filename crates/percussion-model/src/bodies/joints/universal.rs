//! Hooke's joint: a cross whose one arm turns in body a and whose other arm, square to it, turns in body b.
//!
//!   p_a = p_b,    s_a·t_b = 0,    s along `axis`, t along `cross`;    of two shafts at an angle β  tan θ_b = cos β tan θ_a, counted from where s lies across their plane

use super::connection::check_finite;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::math::{Vec3, dot, norm, scale};
use crate::bodies::shapes::Scenes;
use crate::written::{JointValues, Value};
use crate::{Code, Form, InputError, Key, KeyDefault, Kind};

/// The two arms of a cross turn in their bodies; space only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Universal {
    /// World direction at t = 0 of the arm in b, square to the axis.
    pub cross: Vec3,
}

const KEYS: &[Key] = &[Key::new(
    "cross",
    Form::exactly(3, &Form::NUMBER),
    "",
    KeyDefault::Required,
    "universal: world direction at t = 0 of the arm that turns in b, square to axis, which turns in a",
)];

impl Connection for Universal {
    const FACTS: Facts = Facts {
        kind: Kind {
            name: "universal",
            also: &[],
            keys: KEYS,
            meaning: "a cross whose arms turn in a and in b: two shafts at an angle; space only",
        },
        scenes: Scenes::Spatial,
        slides: false,
        has_play: false,
        counts_turns: false,
        anchor: Anchor::Shared,
        mark: Mark::Dot,
    };

    fn read<V: JointValues>(values: &V) -> Result<Self, V::Error> {
        Ok(Self { cross: values.needed("cross", values.vector("cross", false)?)? })
    }

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![("cross", Value::Numbers(self.cross.to_vec()))]
    }

    fn check(&self, parts: &JointParts) -> Result<(), InputError> {
        check_finite(&self.cross)?;
        let (size, axis) = (norm(&self.cross), norm(&parts.axis));
        if size == 0.0 || dot(&self.cross, &parts.axis).abs() > 1e-6 * size * axis {
            let message = format!("{:?} is zero or not square to axis = {:?}", self.cross, parts.axis);
            return Err(InputError::new(Code::CONTRADICTION, "cross", message, "give a direction square to axis"));
        }
        Ok(())
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        let cross = scale(1.0 / norm(&self.cross), &self.cross);
        let mut rigid = between.place();
        rigid.push(between.pair(&between.directions[2], &cross));
        Ok(Held { rigid, coupled: vec![], coordinate: None, play: None })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
