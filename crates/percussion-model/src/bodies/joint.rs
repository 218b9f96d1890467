//! Joints between two bodies: rows that hold, drive or spring, and the coordinate that is left free.
//!
//!   rigid  c(q) = c₀,    motor  ċ = ω(t) or a force f(t) on c,    spring  −k (c − c_rest) − d ċ
//!
//! Anchors and axes are given in the world at t = 0 and move with their bodies from there on.

use super::Frame;
use super::math::{Vec3, axpy, dot, mul_t, norm, scale, sub, tangents};
use super::measure::Measure;
use crate::{Code, InputError, Signal};

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Nothing.
    Fixed,
    /// A turn about the axis.
    Revolute,
    /// A shift along the axis.
    Prismatic,
    /// Turn about and shift along the axis.
    Cylindrical,
    /// Turns about the anchor.
    Spherical,
    /// Everything but the distance between two anchors.
    Distance,
    /// A shift of `pitch` along the axis for every turn about it.
    Screw {
        /// [m per turn].
        pitch: f64,
    },
    /// Couples the coordinates of two other joints: c₁ + ratio c₂ keeps its value.
    Gear {
        /// Numbers of the joints.
        joints: [usize; 2],
        /// Of the coordinates: rad/rad, or m/rad and rad/m where one slides.
        ratio: f64,
    },
    /// A pin of body b in a hole of body a, with play: impacts and friction at the surface.
    Journal {
        /// Of the pin [m].
        radius: f64,
        /// Radius of the hole less radius of the pin [m].
        clearance: f64,
        /// Of the pin along the axis; in space it touches at its two ends [m].
        length: f64,
    },
    /// A slider of body b in a straight guide of body a, with play on both sides.
    Slot {
        /// Half the width of the guide less half the width of the slider [m].
        clearance: f64,
        /// Half the width of the slider [m]; negative where it runs outside the guide, as a sleeve on a pole.
        radius: f64,
        /// Of the slider along the guide; it touches at its corners [m].
        length: f64,
    },
}

impl JointKind {
    /// The word in a scenario.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Cylindrical => "cylindrical",
            Self::Spherical => "spherical",
            Self::Distance => "distance",
            Self::Screw { .. } => "screw",
            Self::Gear { .. } => "gear",
            Self::Journal { .. } => "journal",
            Self::Slot { .. } => "slot",
        }
    }

    /// The words in a scenario.
    pub const NAMES: [&'static str; 10] =
        ["fixed", "revolute", "prismatic", "cylindrical", "spherical", "distance", "screw", "gear", "journal", "slot"];
}

/// What drives the coordinate of a joint.
#[derive(Clone, Debug, PartialEq)]
pub enum Motor {
    /// Its rate [rad/s or m/s].
    Velocity(Signal),
    /// A moment or force on it [N·m or N].
    Force(Signal),
}

/// A joint as described.
#[derive(Clone, Debug, PartialEq)]
pub struct JointParts {
    /// Unique.
    pub name: String,
    /// What it leaves free.
    pub kind: JointKind,
    /// Numbers of bodies a and b.
    pub bodies: [usize; 2],
    /// World place at t = 0 [m].
    pub anchor: Vec3,
    /// The anchor on b, where it is another: distances, and screws or sliders that start displaced.
    pub anchor_b: Option<Vec3>,
    /// World direction at t = 0; along z in the plane for hinges.
    pub axis: Vec3,
    /// The direction on b, where play lets it start tilted.
    pub axis_b: Option<Vec3>,
    /// Stops of the coordinate, measured from t = 0 [rad or m].
    pub limits: Option<[f64; 2]>,
    /// e of the stops or of the play.
    pub restitution: f64,
    /// μ of the play.
    pub friction: f64,
    /// Drives the coordinate.
    pub motor: Option<Motor>,
    /// k of a spring on the coordinate [N·m/rad or N/m].
    pub stiffness: f64,
    /// d of a damper on the coordinate.
    pub damping: f64,
    /// Coordinate at which the spring is at rest.
    pub rest: f64,
}

impl Default for JointParts {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: JointKind::Fixed,
            bodies: [0, 1],
            anchor: [0.0; 3],
            anchor_b: None,
            axis: [0.0, 0.0, 1.0],
            axis_b: None,
            limits: None,
            restitution: 0.0,
            friction: 0.0,
            motor: None,
            stiffness: 0.0,
            damping: 0.0,
            rest: 0.0,
        }
    }
}

/// A measure between two bodies, times a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// a and b of the measure.
    pub bodies: [usize; 2],
    /// The function.
    pub measure: Measure,
    /// Its weight.
    pub factor: f64,
}

/// What a row demands of c = Σ factor · measure.
#[derive(Clone, Debug, PartialEq)]
pub enum RowLaw {
    /// c = target.
    Rigid {
        /// Its value at t = 0.
        target: f64,
    },
    /// ċ = ω(t).
    Rate(Signal),
    /// A force f(t) on c.
    Force(Signal),
    /// −k (c − rest) − d ċ.
    Spring {
        /// k.
        stiffness: f64,
        /// d.
        damping: f64,
        /// c at rest.
        rest: f64,
    },
}

/// One row of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRow {
    /// One term, or the two of a coupling.
    pub terms: Vec<Term>,
    /// What it demands.
    pub law: RowLaw,
}

impl JointRow {
    /// c at these frames.
    pub fn value(&self, frames: &[Frame]) -> f64 {
        self.terms.iter().map(|t| t.factor * t.measure.value(&frames[t.bodies[0]], &frames[t.bodies[1]])).sum()
    }
}

/// A stop: side · (c − bound) ≥ 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// The coordinate.
    pub term: Term,
    /// +1 at the lower end, −1 at the upper.
    pub side: f64,
    /// Where.
    pub bound: f64,
}

/// Play between a pin and a hole, or a slider and a guide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// The anchor in a and b.
    pub points: [Vec3; 2],
    /// The axis in a and b.
    pub axes: [Vec3; 2],
    /// Directions across the axis in a.
    pub across: [Vec3; 2],
    /// Radius of the pin or half the width of the slider [m].
    pub radius: f64,
    /// [m].
    pub clearance: f64,
    /// [m].
    pub length: f64,
    /// Whether it is a hole and not a guide.
    pub round: bool,
}

/// A joint that makes sense, in the frames of its bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// What it leaves free.
    pub kind: JointKind,
    /// a and b.
    pub bodies: [usize; 2],
    /// The anchor in a and b, for pictures.
    pub points: [Vec3; 2],
    /// What it holds, drives and springs.
    pub rows: Vec<JointRow>,
    /// The coordinate it leaves free, if it is one.
    pub coordinate: Option<Term>,
    /// Its stops.
    pub stops: Vec<Stop>,
    /// Its play.
    pub play: Option<Play>,
    /// e of stops and play.
    pub restitution: f64,
    /// μ of the play.
    pub friction: f64,
}

impl Joint {
    /// From the world at t = 0 into the frames of the bodies; `earlier` are the joints before it.
    pub fn new(parts: &JointParts, frames: &[Frame], planar: bool, earlier: &[Joint]) -> Result<Self, InputError> {
        check(parts, frames.len(), planar)?;
        // a coupling stands where the first of its joints does
        let bodies = match parts.kind {
            JointKind::Gear { joints, .. } => earlier.get(joints[0]).map_or([0, 0], |joint| joint.bodies),
            _ => parts.bodies,
        };
        let [a, b] = bodies.map(|i| &frames[i]);
        let local = |f: &Frame, p: &Vec3| mul_t(&f.R, &sub(p, &f.x));
        let turn = |f: &Frame, d: &Vec3| mul_t(&f.R, d);
        let anchor_b = parts.anchor_b.unwrap_or(parts.anchor);
        let points = [local(a, &parts.anchor), local(b, &anchor_b)];
        let z = scale(1.0 / norm(&parts.axis), &parts.axis);
        let slides = matches!(parts.kind, JointKind::Prismatic | JointKind::Slot { .. });
        // in the plane hinges turn about z whatever is written
        let z = if planar && !slides { [0.0, 0.0, 1.0] } else { z };
        let [x, y] = if planar && slides { [[-z[1], z[0], 0.0], [0.0, 0.0, 1.0]] } else { tangents(&z) };
        let term = |measure, factor| Term { bodies, measure, factor };
        let angle = Measure::Angle { axes: [turn(a, &z), turn(b, &z)], across: [turn(a, &x), turn(b, &x)] };
        let along = |d: &Vec3| Measure::Along { direction: turn(a, d), points };
        let pointwise = |k: usize| Measure::Point { axis: k, points };
        let pair = |s: &Vec3, t: &Vec3| Measure::Dot { vectors: [turn(a, s), turn(b, t)] };
        // three products that vanish while b has not turned from a: their rates are the turns about z, x, y
        let no_turn: Vec<Measure> =
            if planar { vec![pair(&x, &[-x[1], x[0], 0.0])] } else { vec![pair(&x, &y), pair(&y, &z), pair(&z, &x)] };
        let upright: Vec<Measure> = if planar { vec![] } else { vec![pair(&x, &z), pair(&y, &z)] };
        let place: Vec<Measure> = (0..if planar { 2 } else { 3 }).map(pointwise).collect();
        let sideways: Vec<Measure> = if planar { vec![along(&x)] } else { vec![along(&x), along(&y)] };
        let (rigid, coordinate): (Vec<Measure>, Option<Measure>) = match parts.kind {
            JointKind::Fixed => ([place, no_turn].concat(), None),
            JointKind::Revolute => ([place, upright].concat(), Some(angle)),
            JointKind::Prismatic => ([sideways, no_turn].concat(), Some(along(&z))),
            JointKind::Cylindrical => ([sideways, upright].concat(), Some(along(&z))),
            JointKind::Screw { .. } => ([sideways, upright].concat(), Some(angle)),
            JointKind::Spherical => (place, None),
            JointKind::Distance => (vec![Measure::Length { points }], Some(Measure::Length { points })),
            JointKind::Gear { .. } | JointKind::Journal { .. } | JointKind::Slot { .. } => (vec![], None),
        };
        let hold = |terms: Vec<Term>| {
            let row = JointRow { terms, law: RowLaw::Rigid { target: 0.0 } };
            let target = row.value(frames);
            JointRow { law: RowLaw::Rigid { target }, ..row }
        };
        let mut rows: Vec<JointRow> = rigid.into_iter().map(|m| hold(vec![term(m, 1.0)])).collect();
        match parts.kind {
            JointKind::Screw { pitch } => {
                let per_radian = pitch / std::f64::consts::TAU;
                rows.push(hold(vec![term(along(&z), 1.0), term(angle, -per_radian)]));
            }
            JointKind::Gear { joints, ratio } => {
                let mut terms = Vec::new();
                for (k, factor) in [(0, 1.0), (1, ratio)] {
                    let free = earlier.get(joints[k]).and_then(|j| j.coordinate);
                    let Some(free) = free else {
                        let message = "couples a joint that has no coordinate of its own, or that comes later";
                        let help = "name two earlier revolute, prismatic or screw joints";
                        return Err(InputError::new(Code::BAD_NAME, "joints", message, help));
                    };
                    terms.push(Term { factor, ..free });
                }
                rows.push(hold(terms));
            }
            _ => {}
        }
        let coordinate = coordinate.map(|m| term(m, 1.0));
        let driven = parts.motor.is_some() || parts.stiffness > 0.0 || parts.damping > 0.0 || parts.limits.is_some();
        let Some(free) = coordinate.filter(|_| parts.kind != JointKind::Distance) else {
            if driven {
                let message = format!("a {} joint has no single coordinate to drive or to stop", parts.kind.name());
                let help = "use revolute, prismatic, cylindrical or screw, or a [[spring]]";
                return Err(InputError::new(Code::CONTRADICTION, "kind", message, help));
            }
            let (play, coordinate) = (play(parts, points, [a, b], &z, &[x, y]), None);
            return Ok(Self::assembled(parts, bodies, points, rows, coordinate, vec![], play));
        };
        match &parts.motor {
            Some(Motor::Velocity(w)) => rows.push(JointRow { terms: vec![free], law: RowLaw::Rate(w.clone()) }),
            Some(Motor::Force(f)) => rows.push(JointRow { terms: vec![free], law: RowLaw::Force(f.clone()) }),
            None => {}
        }
        if parts.stiffness > 0.0 || parts.damping > 0.0 {
            let law = RowLaw::Spring { stiffness: parts.stiffness, damping: parts.damping, rest: parts.rest };
            rows.push(JointRow { terms: vec![free], law });
        }
        if let Some([low, high]) = parts.limits {
            let start = free.measure.value(a, b);
            if !(low..=high).contains(&start) {
                let message = format!("limits = [{low}, {high}] do not hold the start, {start}");
                return Err(InputError::new(Code::JOINT_POSITION, "limits", message, "give bounds around the start"));
            }
        }
        let stops = parts.limits.map_or(vec![], |[low, high]| {
            vec![Stop { term: free, side: 1.0, bound: low }, Stop { term: free, side: -1.0, bound: high }]
        });
        Ok(Self::assembled(parts, bodies, points, rows, Some(free), stops, None))
    }

    fn assembled(
        parts: &JointParts,
        bodies: [usize; 2],
        points: [Vec3; 2],
        rows: Vec<JointRow>,
        coordinate: Option<Term>,
        stops: Vec<Stop>,
        play: Option<Play>,
    ) -> Self {
        Self {
            name: parts.name.clone(),
            kind: parts.kind,
            bodies,
            points,
            rows,
            coordinate,
            stops,
            play,
            restitution: parts.restitution,
            friction: parts.friction,
        }
    }
}

fn play(parts: &JointParts, points: [Vec3; 2], frames: [&Frame; 2], z: &Vec3, across: &[Vec3; 2]) -> Option<Play> {
    let (radius, clearance, length, round) = match parts.kind {
        JointKind::Journal { radius, clearance, length } => (radius, clearance, length, true),
        JointKind::Slot { radius, clearance, length } => (radius, clearance, length, false),
        _ => return None,
    };
    let z_b = parts.axis_b.map_or(*z, |d| scale(1.0 / norm(&d), &d));
    let axes = [mul_t(&frames[0].R, z), mul_t(&frames[1].R, &z_b)];
    let across = across.map(|d| mul_t(&frames[0].R, &d));
    Some(Play { points, axes, across, radius, clearance, length, round })
}

fn check(parts: &JointParts, n: usize, planar: bool) -> Result<(), InputError> {
    let refuse = |code, field: &str, message: String, help: &str| Err(InputError::new(code, field, message, help));
    let [a, b] = parts.bodies;
    let gear = matches!(parts.kind, JointKind::Gear { .. });
    if !gear && (a >= n || b >= n || a == b) {
        return refuse(Code::BAD_NAME, "a", format!("joins bodies {a} and {b} of {n}"), "name two different bodies");
    }
    let mut numbers = vec![parts.stiffness, parts.damping, parts.rest, parts.restitution, parts.friction];
    numbers.extend(parts.axis_b.iter().flatten());
    numbers.extend(parts.anchor.iter().chain(&parts.axis).chain(parts.anchor_b.iter().flatten()));
    numbers.extend(parts.limits.iter().flatten());
    let mut lengths = vec![];
    match parts.kind {
        JointKind::Screw { pitch } => numbers.push(pitch),
        JointKind::Gear { joints, ratio } => {
            numbers.push(ratio);
            let help = "couple two different joints with a ratio that is not 0";
            if joints[0] == joints[1] {
                return refuse(Code::CONTRADICTION, "joints", "couples a joint with itself".into(), help);
            }
            if ratio == 0.0 {
                return refuse(Code::CONTRADICTION, "ratio", "ratio = 0 would lock the first joint".into(), help);
            }
        }
        JointKind::Journal { radius, clearance, length } | JointKind::Slot { radius, clearance, length } => {
            lengths = vec![("clearance", clearance), ("length", length)];
            if let JointKind::Journal { .. } = parts.kind {
                lengths.push(("radius", radius));
            } else {
                numbers.push(radius);
            }
        }
        _ => {}
    }
    numbers.extend(lengths.iter().map(|&(_, x)| x));
    let signal = match &parts.motor {
        Some(Motor::Velocity(s) | Motor::Force(s)) => s.is_finite(),
        None => true,
    };
    if !signal || !numbers.iter().all(|x| x.is_finite()) {
        return refuse(Code::NOT_FINITE, "", "a number is NaN or infinite".into(), "give finite numbers");
    }
    if let Some((field, x)) = lengths.into_iter().find(|&(_, x)| x < 0.0) {
        return refuse(Code::BAD_SIZE, field, format!("{field} = {x} is negative"), "give a length of 0 or more");
    }
    if let JointKind::Journal { clearance, .. } | JointKind::Slot { clearance, .. } = parts.kind
        && clearance == 0.0
    {
        let help = "give a clearance above zero, or use revolute or prismatic";
        return refuse(Code::BAD_SIZE, "clearance", "there is no play".into(), help);
    }
    if norm(&parts.axis) == 0.0 {
        return refuse(Code::ZERO_JOINT, "axis", "is zero".into(), "give a direction");
    }
    if let Some(axis) = &parts.axis_b {
        if !matches!(parts.kind, JointKind::Journal { .. } | JointKind::Slot { .. }) {
            let message = format!("a {} joint has one axis", parts.kind.name());
            return refuse(Code::CONTRADICTION, "axis_b", message, "remove axis_b");
        }
        if norm(axis) == 0.0 {
            return refuse(Code::ZERO_JOINT, "axis_b", "is zero".into(), "give a direction");
        }
    }
    let slides = matches!(parts.kind, JointKind::Prismatic | JointKind::Slot { .. });
    if planar && slides && dot(&parts.axis, &[0.0, 0.0, 1.0]) != 0.0 {
        return refuse(Code::BAD_SHAPE, "axis", "leaves the plane".into(), "give a direction of the plane");
    }
    if planar && matches!(parts.kind, JointKind::Cylindrical | JointKind::Screw { .. }) {
        let message = format!("a {} joint needs space", parts.kind.name());
        return refuse(Code::BAD_SHAPE, "kind", message, "use revolute or prismatic in the plane");
    }
    if parts.kind == JointKind::Distance {
        let apart = parts.anchor_b.map_or(0.0, |b| norm(&axpy(&b, -1.0, &parts.anchor)));
        if apart == 0.0 {
            let help = "give anchor (on a) and anchor_b (on b) at different places, or use spherical";
            return refuse(Code::ZERO_JOINT, "anchor_b", "the distance is zero".into(), help);
        }
    }
    if !(0.0..=1.0).contains(&parts.restitution) {
        let message = format!("restitution = {} is outside [0, 1]", parts.restitution);
        return refuse(Code::RESTITUTION, "restitution", message, "give e between 0 and 1");
    }
    if parts.friction < 0.0 {
        let message = format!("friction = {} is negative", parts.friction);
        return refuse(Code::FRICTION, "friction", message, "give a coefficient of 0 or more");
    }
    if parts.stiffness < 0.0 || parts.damping < 0.0 {
        let message = "stiffness and damping must not be negative".into();
        return refuse(Code::BAD_PARAMETER, "stiffness", message, "give numbers of 0 or more");
    }
    Ok(())
}
