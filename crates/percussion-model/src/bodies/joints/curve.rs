//! A point of b on a curve of a: a pin in a groove, a bead on a bent wire.
//!
//!   d(p_b) = 0,  d the distance from the curve in the frame of a;    in space p_b stays in its plane too

use super::connection::no_keys;
use super::{Anchor, Between, Connection, Facts, Held, JointParts, Mark};
use crate::bodies::measure::Measure;
use crate::bodies::shapes::Scenes;
use crate::{Code, InputError, Kind};

/// Part of the length of the curve by which the point may miss it at the start.
const ON: f64 = 1e-6;

/// A point of b on a curve of a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve;

impl Connection for Curve {
    const FACTS: Facts = Facts {
        kind: Kind {
            name: "curve",
            also: &[],
            keys: &[],
            meaning: "keeps the anchor, a point of b, on a curve of a through points in a plane: a pin in a groove",
        },
        scenes: Scenes::Both,
        slides: false,
        has_play: false,
        counts_turns: false,
        anchor: Anchor::Shared,
        mark: Mark::Dot,
    };

    no_keys!();

    fn check(&self, parts: &JointParts) -> Result<(), InputError> {
        parts.needs_points()
    }

    fn held(&self, between: &Between) -> Result<Held, InputError> {
        let measure = between.off_curve()?;
        if let Measure::Curve { curve, .. } = &measure {
            let off = curve.distance(&[0.0; 2]);
            if off.abs() > ON * curve.length() {
                let message = format!("misses the curve by {off:e} m at t = 0");
                let help = "place the point of b on the curve, or use a cam, whose coordinate is that distance";
                return Err(InputError::new(Code::JOINT_POSITION, "anchor", message, help));
            }
        }
        let mut rigid = vec![measure];
        if !between.planar {
            rigid.push(between.shift());
        }
        Ok(Held { rigid, ..Held::default() })
    }

    fn coupled(&self) -> Option<[usize; 2]> {
        None
    }
}
