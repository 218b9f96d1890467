//! Forces and moments on bodies at an instant, and their powers.
//!
//!   m v̇ = m g + F(t) − c v + …,    I ẇ + w × I w = τ(t) − c_w w + …    (w in the frame of the body)
//!
//! Gravity, springs and springs of joints are potentials; dampers and drag dissipate; F, τ and motors are external.

use crate::mechanism::Power;
use percussion_model::bodies::math::{Vec3, add, axpy, cross, dot, mul, sub};
use percussion_model::bodies::{Bodies, Frame, JointRow, RowLaw, Twist, at};

/// A force in the world and a moment in the frame of the body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    /// [N].
    pub force: Vec3,
    /// [N·m].
    pub moment: Vec3,
}

/// Loads of all bodies, those that do not move included.
pub fn loads(scene: &Bodies, t: f64, frames: &[Frame], twists: &[Twist], out: &mut Vec<Load>) {
    out.clear();
    for (body, twist) in scene.bodies().iter().zip(twists) {
        let mut load = Load::default();
        if body.is_free() {
            let force = axpy(&at(&body.force, t), body.heavy_mass(), &scene.gravity());
            load.force = axpy(&force, -body.drag[0], &twist.v);
            let moment = axpy(&at(&body.torque, t), -body.drag[1], &twist.w);
            let gyroscopic = cross(&twist.w, &mul(&body.inertia, &twist.w));
            load.moment = if scene.is_planar() { moment } else { sub(&moment, &gyroscopic) };
        }
        out.push(load);
    }
    for spring in scene.springs() {
        let [a, b] = spring.bodies;
        for pull in spring.pulls((&frames[a], &twists[a]), (&frames[b], &twists[b])) {
            out[a].force = add(&out[a].force, &pull.force);
            out[b].force = sub(&out[b].force, &pull.force);
            out[a].moment = add(&out[a].moment, &pull.moments[0]);
            out[b].moment = add(&out[b].moment, &pull.moments[1]);
        }
    }
    for row in scene.joints().iter().flat_map(|joint| &joint.rows) {
        let Some((push, _)) = joint_push(row, t, |i| (frames[i], twists[i])) else { continue };
        let [term] = &row.terms[..] else { continue };
        let gradient = term.measure.gradient(&frames[term.bodies[0]], &frames[term.bodies[1]]);
        for (side, row) in gradient.iter().enumerate() {
            let load = &mut out[term.bodies[side]];
            load.force = axpy(&load.force, push, &[row[0], row[1], row[2]]);
            load.moment = axpy(&load.moment, push, &[row[3], row[4], row[5]]);
        }
    }
}

/// The force of a motor, spring or damper on the coordinate of a joint, and the powers of what is no potential.
pub(super) fn joint_push(row: &JointRow, t: f64, body: impl Fn(usize) -> (Frame, Twist)) -> Option<(f64, Power)> {
    let [term] = &row.terms[..] else { return None };
    if let RowLaw::Rigid { .. } | RowLaw::Rate(_) | RowLaw::Rotor { .. } = row.law {
        return None;
    }
    let [(a, s), (b, u)] = term.bodies.map(body);
    let rows = term.measure.gradient(&a, &b);
    let mut rate = 0.0;
    for (row, twist) in rows.iter().zip([&s, &u]) {
        rate += (0..3).map(|k| row[k] * twist.v[k] + row[3 + k] * twist.w[k]).sum::<f64>();
    }
    match &row.law {
        RowLaw::Force(signal) => {
            let push = signal.at(t);
            Some((push, Power { external: push * rate, damping: 0.0 }))
        }
        RowLaw::Curve(curve) => {
            let (push, lossy) = curve.force(term.measure.value(&a, &b), rate);
            Some((push, Power { external: 0.0, damping: lossy * rate }))
        }
        RowLaw::Servo(servo) => {
            let push = servo.force(term.measure.value(&a, &b), rate, t);
            Some((push, Power { external: push * rate, damping: 0.0 }))
        }
        RowLaw::Spring { stiffness, damping, rest } => {
            let push = -stiffness * (term.measure.value(&a, &b) - rest) - damping * rate;
            Some((push, Power { external: 0.0, damping: -damping * rate * rate }))
        }
        RowLaw::Rigid { .. } | RowLaw::Rate(_) | RowLaw::Rotor { .. } => None,
    }
}

/// Powers of loads and dampers.
pub fn powers(scene: &Bodies, t: f64, body: impl Fn(usize) -> (Frame, Twist)) -> Power {
    let mut power = Power::default();
    for (i, matter) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
        let (_, Twist { v, w }) = body(i);
        power.external += dot(&v, &at(&matter.force, t)) + dot(&w, &at(&matter.torque, t));
        power.damping -= matter.drag[0] * dot(&v, &v) + matter.drag[1] * dot(&w, &w);
    }
    for spring in scene.springs().iter().filter(|spring| spring.damping > 0.0) {
        let [(a, s), (b, u)] = spring.bodies.map(&body);
        let [_, viscous] = spring.pulls((&a, &s), (&b, &u));
        power.damping += dot(&viscous.force, &sub(&s.v, &u.v));
        power.damping += dot(&viscous.moments[0], &s.w) + dot(&viscous.moments[1], &u.w);
    }
    for row in scene.joints().iter().flat_map(|joint| &joint.rows) {
        if let Some((_, of)) = joint_push(row, t, &body) {
            power.external += of.external;
            power.damping += of.damping;
        }
    }
    power
}
