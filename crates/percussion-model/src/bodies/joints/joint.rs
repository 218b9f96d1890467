//! Joints between two bodies: rows that hold, drive or spring, and the coordinate that is left free.
//!
//!   rigid  c(q) = c₀,    motor  ċ = ω(t), a force f(t) on c or a servo,    spring  −k (c − c_rest) − d ċ
//!
//! Anchors and axes are given in the world at t = 0 and move with their bodies from there on.

use super::connection::check_finite;
use super::{Acts, Backlash, Between, Fit, ForceCurve, Held, JointKind, Servo};
use crate::bodies::Frame;
use crate::bodies::math::{Vec3, axpy, mul_t, norm, scale, sub, tangents};
use crate::bodies::measure::Measure;
use crate::bodies::shapes::Scenes;
use crate::{Code, InputError, Signal};
use std::sync::Arc;

/// What drives the coordinate of a joint.
#[derive(Clone, Debug, PartialEq)]
pub enum Motor {
    /// Its rate [rad/s or m/s].
    Velocity(Signal),
    /// A moment or force on it [N·m or N].
    Force(Signal),
    /// A target it follows.
    Servo(Servo),
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
    /// The largest moment or force of dry friction on the coordinate [N·m or N].
    pub friction_force: f64,
    /// Inertia of a rotor that turns with the coordinate [kg·m² or kg].
    pub armature: f64,
    /// From which side its spring acts.
    pub acts: Acts,
    /// A force over the coordinate, and one over its rate: points by rising coordinate or rate.
    pub tables: [Vec<[f64; 2]>; 2],
    /// World places at t = 0 of the curve of a that it follows [m], …
    pub points: Vec<Vec3>,
    /// … and whether the last leads back to the first.
    pub closed: bool,
}

impl JointParts {
    /// A curve has points.
    pub(super) fn needs_points(&self) -> Result<(), InputError> {
        check_finite(&self.points.concat())?;
        if self.points.len() >= 2 {
            return Ok(());
        }
        let message = format!("a {} joint has {} points", self.kind.name(), self.points.len());
        Err(InputError::new(Code::BAD_SIZE, "points", message, "give the places through which its curve goes"))
    }
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
            friction_force: 0.0,
            armature: 0.0,
            acts: Acts::Both,
            tables: Default::default(),
            points: Vec::new(),
            closed: false,
        }
    }
}

/// A measure between two bodies, times a factor.
#[derive(Clone, Debug, PartialEq)]
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
    /// A force that leads c to a target.
    Servo(Servo),
    /// −k (c − rest) − d ċ.
    Spring {
        /// k.
        stiffness: f64,
        /// d.
        damping: f64,
        /// c at rest.
        rest: f64,
    },
    /// A force that a table gives.
    Curve(Arc<ForceCurve>),
    /// −J c̈, see [`Rotor`](crate::bodies::Rotor).
    Rotor {
        /// J.
        inertia: f64,
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

impl RowLaw {
    /// Whether it demands a motion, by a reaction that is not known beforehand.
    pub fn holds(&self) -> bool {
        match self {
            Self::Rigid { .. } | Self::Rate(_) => true,
            Self::Force(_) | Self::Servo(_) | Self::Spring { .. } | Self::Curve(_) | Self::Rotor { .. } => false,
        }
    }
}

impl JointRow {
    /// c at these frames.
    pub fn value(&self, frames: &[Frame]) -> f64 {
        self.terms.iter().map(|t| t.factor * t.measure.value(&frames[t.bodies[0]], &frames[t.bodies[1]])).sum()
    }
}

/// A stop: side · (c − bound) ≥ 0.
#[derive(Clone, Debug, PartialEq)]
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
    /// What it couples with backlash.
    pub(crate) coupling: Vec<Term>,
    /// The backlash of its coupling.
    pub backlash: Option<Backlash>,
    /// Its play.
    pub play: Option<Play>,
    /// e of stops and play.
    pub restitution: f64,
    /// μ of the play.
    pub friction: f64,
    /// The largest moment or force of dry friction on the coordinate [N·m or N].
    pub friction_force: f64,
}

impl Joint {
    /// A joint without rows yet, between the centres of two bodies.
    pub(in crate::bodies) fn of_rows(name: String, kind: JointKind, bodies: [usize; 2]) -> Self {
        Self {
            name,
            kind,
            bodies,
            points: [[0.0; 3]; 2],
            rows: Vec::new(),
            coordinate: None,
            stops: Vec::new(),
            coupling: Vec::new(),
            backlash: None,
            play: None,
            restitution: 0.0,
            friction: 0.0,
            friction_force: 0.0,
        }
    }

    /// From the world at t = 0 into the frames of the bodies; `earlier` are the joints before it.
    pub fn new(parts: &JointParts, frames: &[Frame], planar: bool, earlier: &[Joint]) -> Result<Self, InputError> {
        check(parts, frames.len(), planar)?;
        // a coupling stands where the first of its joints does
        let bodies = match parts.kind.coupled() {
            Some(joints) => earlier.get(joints[0]).map_or([0, 0], |joint| joint.bodies),
            None => parts.bodies,
        };
        let [a, b] = bodies.map(|i| &frames[i]);
        let local = |f: &Frame, p: &Vec3| mul_t(&f.R, &sub(p, &f.x));
        let points = [local(a, &parts.anchor), local(b, &parts.anchor_b.unwrap_or(parts.anchor))];
        let directions = directions(parts, planar);
        let path = (&parts.points[..], parts.closed);
        let between = Between { bodies, frames: [a, b], points, directions, planar, path, earlier };
        let Held { rigid, coupled, coordinate, play } = parts.kind.held(&between)?;
        let hold = |terms: Vec<Term>| {
            let row = JointRow { terms, law: RowLaw::Rigid { target: 0.0 } };
            let target = row.value(frames);
            JointRow { law: RowLaw::Rigid { target }, ..row }
        };
        let mut rows: Vec<JointRow> = rigid.into_iter().map(|m| hold(vec![between.term(m, 1.0)])).collect();
        let loose = parts.kind.backlash() > 0.0;
        let coupling = if loose { coupled.clone() } else { vec![] };
        if !coupled.is_empty() && !loose {
            rows.push(hold(coupled));
        }
        let coordinate = coordinate.map(|m| between.term(m, 1.0));
        let start = coordinate.as_ref().map(|free| (free, free.measure.value(a, b)));
        let stops = drive(parts, start, &mut rows)?;
        Ok(Self {
            name: parts.name.clone(),
            kind: parts.kind,
            bodies,
            points,
            rows,
            coordinate,
            stops,
            coupling,
            backlash: None,
            play: play.map(|fit| placed(parts, fit, &between)),
            restitution: parts.restitution,
            friction: parts.friction,
            friction_force: parts.friction_force,
        })
    }

    /// The curve of a that it follows, round or along which the anchor of b goes: its places in the frame of a, and whether it is closed.
    pub fn curve(&self) -> Option<(Vec<Vec3>, bool)> {
        let terms = self.rows.iter().flat_map(|row| &row.terms).chain(&self.coordinate);
        terms.into_iter().find_map(|term| match &term.measure {
            Measure::Curve { curve, axes, points } => {
                let place = |[u, v]: [f64; 2]| axpy(&axpy(&points[0], u, &axes[0]), v, &axes[1]);
                Some((curve.outline().map(place).collect(), curve.is_closed()))
            }
            Measure::Point { .. }
            | Measure::Dot { .. }
            | Measure::Along { .. }
            | Measure::Length { .. }
            | Measure::Angle { .. }
            | Measure::Turn { .. }
            | Measure::Modal { .. } => None,
        })
    }

    /// Number of relative motions it leaves.
    pub fn freedom(&self, planar: bool) -> usize {
        let rigid = self.rows.iter().filter(|row| matches!(row.law, RowLaw::Rigid { .. })).count();
        if planar { 3 - rigid } else { 6 - rigid }
    }
}

/// World directions: two across the axis, and the axis. In the plane hinges turn about z whatever is written.
fn directions(parts: &JointParts, planar: bool) -> [Vec3; 3] {
    let z = scale(1.0 / norm(&parts.axis), &parts.axis);
    match (planar, parts.kind.slides()) {
        (true, true) => [[-z[1], z[0], 0.0], [0.0, 0.0, 1.0], z],
        (true, false) => {
            let z = [0.0, 0.0, 1.0];
            let [x, y] = tangents(&z);
            [x, y, z]
        }
        (false, _) => {
            let [x, y] = tangents(&z);
            [x, y, z]
        }
    }
}

/// What a start may miss its limits by [rad or m].
const ROUNDED: f64 = 1e-12;

/// Adds motor, spring and rotor on the coordinate to the rows; gives its stops. `free` is the coordinate with its value at the start.
fn drive(parts: &JointParts, free: Option<(&Term, f64)>, rows: &mut Vec<JointRow>) -> Result<Vec<Stop>, InputError> {
    let sprung = parts.stiffness > 0.0 || parts.damping > 0.0 || parts.tables.iter().any(|table| !table.is_empty());
    let resisted = parts.friction_force > 0.0 || parts.armature > 0.0;
    let Some((free, start)) = free else {
        if parts.motor.is_some() || sprung || resisted || parts.limits.is_some() {
            let message = format!("a {} joint has no single coordinate to drive or to stop", parts.kind.name());
            let help = "use revolute, prismatic, cylindrical or screw, or a [[spring]]";
            return Err(InputError::new(Code::CONTRADICTION, "kind", message, help));
        }
        return Ok(vec![]);
    };
    let row = |law: RowLaw| JointRow { terms: vec![free.clone()], law };
    match &parts.motor {
        Some(Motor::Velocity(w)) => rows.push(row(RowLaw::Rate(w.clone()))),
        Some(Motor::Force(f)) => rows.push(row(RowLaw::Force(f.clone()))),
        Some(Motor::Servo(servo)) => rows.push(row(RowLaw::Servo(servo.clone()))),
        None => {}
    }
    rows.extend(springs(parts)?.into_iter().map(row));
    if parts.armature > 0.0 {
        rows.push(row(RowLaw::Rotor { inertia: parts.armature }));
    }
    let Some([low, high]) = parts.limits else { return Ok(vec![]) };
    // what rounding in the places of two bodies leaves of an angle
    let slack = ROUNDED * (1.0 + low.abs().min(high.abs()));
    if !(low - slack..=high + slack).contains(&start) {
        let message = format!("limits = [{low}, {high}] do not hold the start, {start}");
        return Err(InputError::new(Code::JOINT_POSITION, "limits", message, "give bounds around the start"));
    }
    let stop = |side: f64, bound: f64| Stop { term: free.clone(), side, bound };
    Ok(vec![stop(1.0, low), stop(-1.0, high)])
}

/// Springs and dampers on a coordinate: linear, from one side, by tables.
fn springs(parts: &JointParts) -> Result<Vec<RowLaw>, InputError> {
    let JointParts { stiffness, damping, rest, acts, .. } = *parts;
    let mut laws = Vec::new();
    match acts {
        Acts::Both if stiffness > 0.0 || damping > 0.0 => laws.push(RowLaw::Spring { stiffness, damping, rest }),
        Acts::Both => {}
        Acts::Above | Acts::Below => {
            laws.push(RowLaw::Curve(Arc::new(ForceCurve::one_sided(stiffness, damping, rest, acts)?)));
        }
    }
    if parts.tables.iter().any(|table| !table.is_empty()) {
        let [forces, rates] = parts.tables.clone();
        laws.push(RowLaw::Curve(Arc::new(ForceCurve::new(forces, rates, 0.0)?)));
    }
    Ok(laws)
}

/// The play of a joint in the frames of its bodies.
fn placed(parts: &JointParts, fit: Fit, between: &Between) -> Play {
    let [x, y, z] = &between.directions;
    let z_b = parts.axis_b.map_or(*z, |d| scale(1.0 / norm(&d), &d));
    let [a, b] = between.frames;
    Play {
        points: between.points,
        axes: [mul_t(&a.R, z), mul_t(&b.R, &z_b)],
        across: [x, y].map(|d| mul_t(&a.R, d)),
        radius: fit.radius,
        clearance: fit.clearance,
        length: fit.length,
        round: fit.round,
    }
}

fn check(parts: &JointParts, n: usize, planar: bool) -> Result<(), InputError> {
    let refuse = |code, field: &str, message: String, help: &str| Err(InputError::new(code, field, message, help));
    let [a, b] = parts.bodies;
    if parts.kind.coupled().is_none() && (a >= n || b >= n || a == b) {
        return refuse(Code::BAD_NAME, "a", format!("joins bodies {a} and {b} of {n}"), "name two different bodies");
    }
    let mut numbers = vec![parts.stiffness, parts.damping, parts.rest, parts.restitution, parts.friction];
    numbers.extend([parts.friction_force, parts.armature]);
    numbers.extend(parts.axis_b.iter().flatten());
    numbers.extend(parts.anchor.iter().chain(&parts.axis).chain(parts.anchor_b.iter().flatten()));
    numbers.extend(parts.limits.iter().flatten());
    let signal = match &parts.motor {
        Some(Motor::Velocity(s) | Motor::Force(s)) => s.is_finite(),
        Some(Motor::Servo(servo)) => servo.check().map(|()| true)?,
        None => true,
    };
    check_finite(if signal { &numbers[..] } else { &[f64::NAN] })?;
    parts.kind.check(parts)?;
    check_axes(parts, planar)?;
    if !(0.0..=1.0).contains(&parts.restitution) {
        let message = format!("restitution = {} is outside [0, 1]", parts.restitution);
        return refuse(Code::RESTITUTION, "restitution", message, "give e between 0 and 1");
    }
    if parts.friction < 0.0 {
        let message = format!("friction = {} is negative", parts.friction);
        return refuse(Code::FRICTION, "friction", message, "give a coefficient of 0 or more");
    }
    if parts.friction_force < 0.0 || parts.armature < 0.0 {
        let message = "friction_force and armature must not be negative".into();
        return refuse(Code::BAD_PARAMETER, "armature", message, "give numbers of 0 or more");
    }
    if parts.stiffness < 0.0 || parts.damping < 0.0 {
        let message = "stiffness and damping must not be negative".into();
        return refuse(Code::BAD_PARAMETER, "stiffness", message, "give numbers of 0 or more");
    }
    Ok(())
}

/// Axes are directions, of the plane where they have to be, and the scene knows the joint.
fn check_axes(parts: &JointParts, planar: bool) -> Result<(), InputError> {
    let refuse = |code, field: &str, message: String, help: &str| Err(InputError::new(code, field, message, help));
    if norm(&parts.axis) == 0.0 {
        return refuse(Code::ZERO_JOINT, "axis", "is zero".into(), "give a direction");
    }
    if let Some(axis) = &parts.axis_b {
        if !parts.kind.has_play() {
            let message = format!("a {} joint has one axis", parts.kind.name());
            return refuse(Code::CONTRADICTION, "axis_b", message, "remove axis_b");
        }
        if norm(axis) == 0.0 {
            return refuse(Code::ZERO_JOINT, "axis_b", "is zero".into(), "give a direction");
        }
    }
    if planar && parts.kind.slides() && parts.axis[2] != 0.0 {
        return refuse(Code::BAD_SHAPE, "axis", "leaves the plane".into(), "give a direction of the plane");
    }
    let (place, help) = match (parts.kind.facts().scenes, planar) {
        (Scenes::Both, _) | (Scenes::Planar, true) | (Scenes::Spatial, false) => return Ok(()),
        (Scenes::Spatial, true) => ("space", "use revolute or prismatic in the plane"),
        (Scenes::Planar, false) => ("a plane", "use revolute or prismatic in space"),
    };
    refuse(Code::BAD_SHAPE, "kind", format!("a {} joint needs {place}", parts.kind.name()), help)
}
