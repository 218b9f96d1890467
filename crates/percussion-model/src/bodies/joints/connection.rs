//! What every kind of joint answers, and the functions of two bodies from which its rows are chosen; nothing here has a default.
//!
//!   place  p_a − p_b,    across  x_a·(p_b − p_a),    no turn  x_a·y_b, y_a·z_b, z_a·x_b,    upright  x_a·z_b, y_a·z_b

use super::{Joint, JointParts, Term};
use crate::bodies::math::{Vec3, cross, dot, mul_t, norm, sub, tangents};
use crate::bodies::measure::Measure;
use crate::bodies::shapes::Scenes;
use crate::bodies::{Frame, PlaneCurve};
use crate::written::{JointValues, Value};
use crate::{Code, Form, InputError, Key, KeyDefault, Kind};
use std::sync::Arc;

/// How far the points of a curve may leave its plane [m], and what of their distance.
const OUT_OF_PLANE: f64 = 1e-9;

/// Where a joint stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// Nowhere: it couples two other joints.
    Nowhere,
    /// At a point that both bodies share.
    Shared,
    /// At a point of each body; the two may differ.
    Apart,
}

/// How a joint is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// Not at all.
    Nothing,
    /// A dot on body b.
    Dot,
    /// A dot on each body.
    Ends,
    /// A pin in its hole.
    Pin,
    /// The walls of a guide.
    Guide,
}

/// Play between a pin and a hole, or a slider and a guide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Radius of the pin or half the width of the slider [m].
    pub radius: f64,
    /// [m].
    pub clearance: f64,
    /// Along the axis [m].
    pub length: f64,
    /// Whether it is a hole and not a guide.
    pub round: bool,
}

/// What a joint holds.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// Each keeps its value.
    pub rigid: Vec<Measure>,
    /// Their sum keeps its value.
    pub coupled: Vec<Term>,
    /// What is left free, where it is one coordinate that can be driven, sprung or stopped.
    pub coordinate: Option<Measure>,
    /// Its play.
    pub play: Option<Fit>,
}

/// What is known of a kind without its sizes.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Word, keys beside those of all joints, and meaning.
    pub kind: Kind,
    /// Where it may be used.
    pub scenes: Scenes,
    /// Whether bodies slide along its axis.
    pub slides: bool,
    /// Whether it has play.
    pub has_play: bool,
    /// Whether its own angle means more than its place.
    pub counts_turns: bool,
    /// Where it stands.
    pub anchor: Anchor,
    /// How it is drawn.
    pub mark: Mark,
}

/// The two bodies of a joint at t = 0.
pub struct Between<'a> {
    /// a and b.
    pub bodies: [usize; 2],
    /// Their frames.
    pub frames: [&'a Frame; 2],
    /// The anchor in a and b.
    pub points: [Vec3; 2],
    /// World directions: two across the axis, and the axis.
    pub directions: [Vec3; 3],
    /// Whether the scene is planar.
    pub planar: bool,
    /// World places at t = 0 of the curve that it follows, and whether it is closed.
    pub path: (&'a [Vec3], bool),
    /// The joints before it.
    pub earlier: &'a [Joint],
}

/// A kind of joint.
pub trait Connection: Copy {
    /// What is known without sizes.
    const FACTS: Facts;

    /// From its keys.
    fn read<V: JointValues>(values: &V) -> Result<Self, V::Error>;

    /// To its keys.
    fn values(&self) -> Vec<(&'static str, Value)>;

    /// Refuses what makes no sense for it; fields are named relative to the joint.
    fn check(&self, parts: &JointParts) -> Result<(), InputError>;

    /// What it holds and what it leaves free.
    fn held(&self, between: &Between) -> Result<Held, InputError>;

    /// The joints it couples.
    fn coupled(&self) -> Option<[usize; 2]>;
}

/// The reader and writer of a kind without keys of its own.
macro_rules! no_keys {
    () => {
        fn read<V: crate::JointValues>(_: &V) -> Result<Self, V::Error> {
            Ok(Self)
        }

        fn values(&self) -> Vec<(&'static str, crate::Value)> {
            Vec::new()
        }
    };
}
pub(super) use no_keys;

impl Between<'_> {
    fn in_body(&self, side: usize, d: &Vec3) -> Vec3 {
        mul_t(&self.frames[side].R, d)
    }

    /// A measure of the two bodies, times a factor.
    pub fn term(&self, measure: Measure, factor: f64) -> Term {
        Term { bodies: self.bodies, measure, factor }
    }

    /// The angle about the axis.
    pub fn angle(&self) -> Measure {
        let [x, _, z] = &self.directions;
        let both = |d: &Vec3| [self.in_body(0, d), self.in_body(1, d)];
        Measure::Angle { axes: both(z), across: both(x) }
    }

    /// The shift along the axis.
    pub fn shift(&self) -> Measure {
        self.along(&self.directions[2])
    }

    fn along(&self, d: &Vec3) -> Measure {
        Measure::Along { direction: self.in_body(0, d), points: self.points }
    }

    /// The distance of the anchors.
    pub fn distance(&self) -> Measure {
        Measure::Length { points: self.points }
    }

    /// The distance of b's anchor from the curve of a, in the plane across the axis.
    pub fn off_curve(&self) -> Result<Measure, InputError> {
        let z = self.directions[2];
        let x = tangents(&z)[0];
        let axes = [x, cross(&z, &x)];
        let anchor = self.frames[0].point(&self.points[0]);
        let (places, closed) = self.path;
        let mut flat = Vec::with_capacity(places.len());
        for (k, place) in places.iter().enumerate() {
            let d = sub(place, &anchor);
            if dot(&z, &d).abs() > OUT_OF_PLANE * (1.0 + norm(&d)) {
                let message = format!("point {k} leaves the plane across the axis through the anchor");
                let help = "give points of one plane, and its normal as axis";
                return Err(InputError::new(Code::BAD_SHAPE, "points", message, help));
            }
            flat.push(axes.map(|axis| dot(&axis, &d)));
        }
        let curve = Arc::new(PlaneCurve::new(&flat, closed)?);
        Ok(Measure::Curve { curve, axes: axes.map(|axis| self.in_body(0, &axis)), points: self.points })
    }

    /// The anchors stay together.
    pub fn place(&self) -> Vec<Measure> {
        (0..if self.planar { 2 } else { 3 }).map(|axis| Measure::Point { axis, points: self.points }).collect()
    }

    /// The anchors stay together across the axis.
    pub fn sideways(&self) -> Vec<Measure> {
        self.directions[..if self.planar { 1 } else { 2 }].iter().map(|d| self.along(d)).collect()
    }

    /// The product of a direction of a and one of b.
    pub fn pair(&self, s: &Vec3, t: &Vec3) -> Measure {
        Measure::Dot { vectors: [self.in_body(0, s), self.in_body(1, t)] }
    }

    /// Three products that vanish while b has not turned from a: their rates are the turns about z, x, y.
    pub fn no_turn(&self) -> Vec<Measure> {
        let [x, y, z] = &self.directions;
        if self.planar {
            return vec![self.pair(x, &[-x[1], x[0], 0.0])];
        }
        vec![self.pair(x, y), self.pair(y, z), self.pair(z, x)]
    }

    /// The axis of b stays parallel to that of a.
    pub fn upright(&self) -> Vec<Measure> {
        let [x, y, z] = &self.directions;
        if self.planar { vec![] } else { vec![self.pair(x, z), self.pair(y, z)] }
    }
}

/// The keys of joints with play.
pub const PLAY_KEYS: &[Key] = &[
    Key::new(
        "radius",
        Form::NUMBER,
        "m",
        KeyDefault::Required,
        "journal: of the pin; slot: half the width of the slider, negative for a sleeve on a pole",
    ),
    Key::new("clearance", Form::POSITIVE, "m", KeyDefault::Required, "journal, slot: play to each side"),
    Key::new(
        "length",
        Form::NOT_NEGATIVE,
        "m",
        KeyDefault::Number(0.0),
        "journal in space, slot: of the pin or slider along the axis",
    ),
];

/// Radius, clearance and length.
pub fn read_fit<V: JointValues>(values: &V) -> Result<[f64; 3], V::Error> {
    let (radius, clearance) = (values.needed_number("radius")?, values.needed_number("clearance")?);
    Ok([radius, clearance, values.number("length")?.unwrap_or(0.0)])
}

impl Fit {
    /// To the keys.
    pub fn values(&self) -> Vec<(&'static str, Value)> {
        [("radius", self.radius), ("clearance", self.clearance), ("length", self.length)]
            .map(|(key, x)| (key, Value::Number(x)))
            .to_vec()
    }
}

/// Refuses numbers that are not finite.
pub fn check_finite(numbers: &[f64]) -> Result<(), InputError> {
    if numbers.iter().all(|x| x.is_finite()) {
        return Ok(());
    }
    Err(InputError::new(Code::NOT_FINITE, "", "a number is NaN or infinite", "give finite numbers"))
}

/// Refuses sizes of play that make no sense.
pub fn check_fit(fit: &Fit) -> Result<(), InputError> {
    let refuse = |field: &str, message: String, help: &str| Err(InputError::new(Code::BAD_SIZE, field, message, help));
    check_finite(&[fit.radius, fit.clearance, fit.length])?;
    // a sleeve on a pole has its guide inside
    let radius = if fit.round { fit.radius } else { 0.0 };
    for (field, x) in [("clearance", fit.clearance), ("length", fit.length), ("radius", radius)] {
        if x < 0.0 {
            return refuse(field, format!("{field} = {x} is negative"), "give a length of 0 or more");
        }
    }
    if fit.clearance == 0.0 {
        let help = "give a clearance above zero, or use revolute or prismatic";
        return refuse("clearance", "there is no play".into(), help);
    }
    Ok(())
}
