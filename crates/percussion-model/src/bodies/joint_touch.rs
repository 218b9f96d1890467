//! Contacts that joints bring with them: stops of a coordinate, a pin in a hole with play, a slider in a guide with play.
//!
//!   stop     g = ±(c − bound)
//!   journal  g = δ − |d|,  d from the axis of the hole to that of the pin, at the ends of the pin
//!   slot     g = δ ∓ x·d,  x across the guide, at the four corners of the slider (eight in space)
//!   backlash g = b/2 ± (c − c(0)),  c of a coupling
//!   dry friction on the coordinate  |p_T| ≤ h τ:  a contact with μ = 1 whose normal impulse is given, h τ

use super::math::{Vec3, axpy, cross, dot, mul, mul_t, norm, scale, sub, tangents};
use super::measure::{BodyRow, Measure};
use super::{Backlash, Bodies, Compliance, Frame, Joint, Play};

/// The first of the features of a joint that are the stops of its backlash.
const BACKLASH: u64 = 0x4000;
/// The feature of a joint that is its dry friction: no stop and no play has that number.
const DRY_FRICTION: u64 = 0x8000;

/// A contact of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTouch {
    /// Lasts: (n² + joint) · 2¹⁶ + feature for n bodies.
    pub id: u64,
    /// a and b.
    pub bodies: [usize; 2],
    /// g [m or rad].
    pub gap: f64,
    /// Rows of the normal, of the tangents and of turning about these on the velocities of a and b.
    pub rows: [[BodyRow; 2]; 5],
    /// World place and normal, towards a; none for stops.
    pub place: Option<(Vec3, Vec3)>,
    /// Whether it has tangents.
    pub frictional: bool,
    /// e.
    pub restitution: f64,
    /// μ.
    pub friction: f64,
    /// μ_r over the length the rows of turning are taken with; 0 in joints.
    pub rolling: f64,
    /// How it gives way, where it does; never in joints.
    pub compliance: Option<Compliance>,
    /// τ, the normal force of dry friction in a joint; its rows are those of the one tangent [N·m or N].
    pub given: Option<f64>,
}

/// A contact of a joint of which only the joint is known.
fn blank(joint: &Joint, id: u64) -> JointTouch {
    JointTouch {
        id,
        bodies: joint.bodies,
        gap: 0.0,
        rows: Default::default(),
        place: None,
        frictional: false,
        restitution: joint.restitution,
        friction: joint.friction,
        rolling: 0.0,
        compliance: None,
        given: None,
    }
}

impl Bodies {
    /// Identities from here on belong to joints.
    pub fn first_joint_contact(&self) -> u64 {
        ((self.len() * self.len()) as u64) << 16
    }

    /// The joint behind a contact's identity, where it is one's.
    pub fn joint_of(&self, id: u64) -> Option<usize> {
        id.checked_sub(self.first_joint_contact()).map(|k| (k >> 16) as usize)
    }

    /// Whether any joint has stops, backlash or play.
    pub fn joints_touch(&self) -> bool {
        self.joints().iter().any(|joint| !joint.stops.is_empty() || joint.backlash.is_some() || joint.play.is_some())
    }

    /// Appends every contact of the joints, by rising identity; stops know the whole turns of their joints, none where the list ends.
    pub fn joint_touches(&self, frames: &[Frame], turns: &[f64], out: &mut Vec<JointTouch>) {
        for (j, joint) in self.joints().iter().enumerate() {
            let [a, b] = joint.bodies;
            let id = self.first_joint_contact() + ((j as u64) << 16);
            let blank = blank(joint, id);
            for (k, stop) in joint.stops.iter().enumerate() {
                let measure = &stop.term.measure;
                let turned = std::f64::consts::TAU * turns.get(j).copied().unwrap_or(0.0);
                let gap = stop.side * (measure.value(&frames[a], &frames[b]) + turned - stop.bound);
                let rows = measure.gradient(&frames[a], &frames[b]).map(|row| row.map(|x| stop.side * x));
                let mut touch = JointTouch { id: id + k as u64, gap, friction: 0.0, ..blank };
                touch.rows[0] = rows;
                out.push(touch);
            }
            if let Some(backlash) = &joint.backlash {
                let row = backlash.row(|term| {
                    let [a, b] = term.bodies.map(|i| &frames[i]);
                    term.measure.gradient(a, b)
                });
                for (k, (gap, side)) in backlash.stops(backlash.value(frames, turns)).into_iter().enumerate() {
                    let (id, bodies) = (id + BACKLASH + k as u64, backlash.bodies);
                    let mut touch = JointTouch { id, bodies, gap, friction: 0.0, ..blank };
                    touch.rows[0] = row.map(|row| row.map(|x| side * x));
                    out.push(touch);
                }
            }
            if let Some(play) = &joint.play {
                self.play_touches(play, [a, b].map(|i| &frames[i]), &blank, out);
            }
        }
    }

    /// Appends dry friction in the joints, by rising identity.
    pub fn joint_frictions(&self, frames: &[Frame], out: &mut Vec<JointTouch>) {
        for (j, joint) in self.joints().iter().enumerate().filter(|(_, joint)| joint.friction_force > 0.0) {
            let Some(free) = &joint.coordinate else { continue };
            let mut rows: [[BodyRow; 2]; 5] = Default::default();
            rows[1] = free.measure.gradient(&frames[free.bodies[0]], &frames[free.bodies[1]]);
            out.push(JointTouch {
                id: self.first_joint_contact() + ((j as u64) << 16) + DRY_FRICTION,
                bodies: free.bodies,
                gap: 0.0,
                rows,
                place: None,
                frictional: true,
                restitution: 0.0,
                friction: 1.0,
                rolling: 0.0,
                compliance: None,
                given: Some(joint.friction_force),
            });
        }
    }

    /// The joint whose dry friction has this identity.
    pub fn dry_friction_of(&self, id: u64) -> Option<&Joint> {
        let joint = self.joints().get(self.joint_of(id)?)?;
        (id & 0xffff == DRY_FRICTION && joint.friction_force > 0.0).then_some(joint)
    }

    fn play_touches(&self, play: &Play, [a, b]: [&Frame; 2], blank: &JointTouch, out: &mut Vec<JointTouch>) {
        let hole = a.point(&play.points[0]);
        let z = mul(&a.R, &play.axes[0]);
        let mut push = |feature: u64, gap: f64, n: &Vec3, place: &Vec3| {
            let tangents = match (self.is_planar(), play.round) {
                (true, _) => [[n[1], -n[0], 0.0], [0.0; 3]],
                (false, true) => [cross(&z, n), z],
                (false, false) => tangents(n),
            };
            let id = blank.id + feature;
            let mut touch = JointTouch { id, gap, place: Some((*place, *n)), frictional: true, ..*blank };
            for (rows, d) in touch.rows.iter_mut().zip([n, &tangents[0], &tangents[1]]) {
                *rows = [row(a, place, d, 1.0), row(b, place, d, -1.0)];
            }
            out.push(touch);
        };
        // a disk or a point where the plane leaves nothing else; both ends in space
        let single = play.length == 0.0 || (self.is_planar() && play.round);
        let ends: &[f64] = if single { &[0.0] } else { &[-0.5, 0.5] };
        for (e, &end) in ends.iter().enumerate() {
            let p = b.point(&axpy(&play.points[1], end * play.length, &play.axes[1]));
            let d = sub(&p, &hole);
            if play.round {
                let d = axpy(&d, -dot(&d, &z), &z);
                let size = norm(&d);
                // a centred pin is as far from the wall as it gets, in every direction
                let n = if size > 0.0 { scale(1.0 / size, &d) } else { mul(&a.R, &play.across[0]) };
                push(e as u64, play.clearance - size, &n, &axpy(&p, play.radius, &n));
                continue;
            }
            for (k, across) in play.across[..if self.is_planar() { 1 } else { 2 }].iter().enumerate() {
                let x = mul(&a.R, across);
                for (s, side) in [1.0, -1.0].into_iter().enumerate() {
                    let n = scale(side, &x);
                    let gap = play.clearance - dot(&n, &d);
                    push((4 * e + 2 * k + s) as u64, gap, &n, &axpy(&p, play.radius, &n));
                }
            }
        }
    }

    /// The least gap of the play of joint j, its a and b in these frames; none without play.
    pub fn play_gap(&self, j: usize, at: [&Frame; 2], touches: &mut Vec<JointTouch>) -> Option<f64> {
        let joint = &self.joints()[j];
        touches.clear();
        self.play_touches(joint.play.as_ref()?, at, &blank(joint, 0), touches);
        touches.iter().map(|touch| touch.gap).reduce(f64::min)
    }

    /// What a stop measures, by its identity, and on which side it stops.
    pub fn stop_of(&self, id: u64) -> Option<(&Measure, f64)> {
        let stop = self.joints().get(self.joint_of(id)?)?.stops.get((id & 0xffff) as usize)?;
        Some((&stop.term.measure, stop.side))
    }

    /// Whether a contact's gap is an angle: a stop of a hinge, the backlash of wheels; of dry friction, whether its way is one.
    pub fn is_angular(&self, id: u64) -> bool {
        let measure = match (self.stop_of(id), self.backlash_of(id)) {
            (Some((measure, _)), _) => Some(measure),
            (None, Some((backlash, _))) => backlash.terms.first().map(|(term, _)| &term.measure),
            (None, None) => {
                self.dry_friction_of(id).and_then(|joint| joint.coordinate.as_ref()).map(|free| &free.measure)
            }
        };
        measure.is_some_and(|measure| matches!(measure, Measure::Angle { .. }))
    }

    /// How far what a joint's contact holds may go: the clearance of a journal or a slot, the backlash of teeth, the way between two stops
    /// [m or rad]; none of a single stop or of dry friction.
    pub fn joint_clearance(&self, id: u64) -> Option<f64> {
        let joint = self.joints().get(self.joint_of(id)?)?;
        let clearance = if self.stop_of(id).is_some() {
            let bounds = joint.stops.iter().map(|stop| stop.bound);
            let [low, high] = [bounds.clone().fold(f64::INFINITY, f64::min), bounds.fold(f64::NEG_INFINITY, f64::max)];
            high - low
        } else if let Some((backlash, _)) = self.backlash_of(id) {
            2.0 * backlash.half
        } else {
            joint.play.as_ref()?.clearance
        };
        (clearance > 0.0 && clearance.is_finite()).then_some(clearance)
    }

    /// What that clearance is, as people call it.
    pub fn clearance_name(&self, id: u64) -> Option<String> {
        let joint = self.joints().get(self.joint_of(id)?)?;
        let what = if self.stop_of(id).is_some() { "way between the stops" } else { "play" };
        Some(format!("the {what} of {}", joint.name))
    }

    /// Where a stop acts, by its identity: the joint's anchor on its second body, and the unit vector along which its impulse pushes the
    /// first one, or about which it turns it where the stop is one of an angle.
    pub fn stop_place(&self, id: u64, frames: &[Frame]) -> Option<(Vec3, Vec3)> {
        let (measure, side) = self.stop_of(id)?;
        let joint = self.joints().get(self.joint_of(id)?)?;
        let [a, b] = joint.bodies.map(|i| &frames[i]);
        let [x, y, z, turn @ ..] = measure.gradient(a, b)[0];
        let along = if self.is_angular(id) { mul(&a.R, &turn) } else { [x, y, z] };
        let size = norm(&along);
        (size > 0.0).then(|| (b.point(&joint.points[1]), scale(side / size, &along)))
    }

    /// The backlash behind a contact's identity, and on which side it stops.
    pub fn backlash_of(&self, id: u64) -> Option<(&Backlash, f64)> {
        let backlash = self.joints().get(self.joint_of(id)?)?.backlash.as_ref()?;
        let side = match (id & 0xffff).checked_sub(BACKLASH)? {
            0 => 1.0,
            1 => -1.0,
            _ => return None,
        };
        Some((backlash, side))
    }

    /// The contact of a joint by its identity, before any whole turn.
    pub fn joint_touch(&self, id: u64, frames: &[Frame]) -> Option<JointTouch> {
        let mut touches = Vec::new();
        self.joint_touches(frames, &[], &mut touches);
        self.joint_frictions(frames, &mut touches);
        touches.into_iter().find(|touch| touch.id == id)
    }
}

/// The row of a direction at a world place.
fn row(frame: &Frame, place: &Vec3, d: &Vec3, sign: f64) -> BodyRow {
    let m = mul_t(&frame.R, &cross(&sub(place, &frame.x), d));
    let (d, m) = (scale(sign, d), scale(sign, &m));
    [d[0], d[1], d[2], m[0], m[1], m[2]]
}
