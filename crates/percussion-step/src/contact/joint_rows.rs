//! Contacts of jointed bodies, their rows, and what bodies without joints would answer to them.
//!
//!   d at a place c:  (d, R̄⁻¹((c − x) × d)) on one body, its opposite on the other

use crate::StepFailure;
use crate::bodies::rows::{apply, directions, rolling_axes, rolling_length};
use crate::bodies::theta_step::BodiesStart;
use percussion_model::Code;
use percussion_model::bodies::math::{Vec3, cross, dot, mul, mul_t, norm, scale, sub};
use percussion_model::bodies::measure::{BodyRow, Passage};
use percussion_model::bodies::{Bodies, ContactPoint, Frame, JointTouch, Twist};
use percussion_model::flexible::mean_frame::body_moment;

/// A contact of the index set.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pub joint: JointTouch,
    /// Where shapes touch: how the gap is found again.
    pub point: Option<ContactPoint>,
    /// Where it is in the middle of the step; none for stops.
    pub place: Option<Vec3>,
    /// Velocities of the bodies that are moved, at the start and at the end of the step.
    pub told: [[f64; 5]; 2],
    /// ℓ of its rows of turning [m].
    pub length: f64,
    /// Whether joints leave its normal no motion, so that no impulse changes anything: faces of two wheels in one plane.
    pub idle: bool,
}

impl Touch {
    /// Whether component k has a row: stops have no tangents, joints do not resist rolling, the plane has one axis.
    pub fn exists(&self, k: usize, tangents: usize) -> bool {
        match k {
            _ if self.idle => false,
            0 => self.joint.given.is_none(),
            // dry friction of a joint acts along its one coordinate
            1..3 if self.joint.given.is_some() => k == 1,
            1..3 => self.joint.frictional && k <= tangents,
            _ => self.joint.rolling > 0.0 && k - 2 <= tangents,
        }
    }
}

impl Touch {
    /// Velocities of bodies that are moved, at one end of the step, where the contact is then.
    pub fn velocities_told(&self, scene: &Bodies, from: &BodiesStart, ways: &[Passage], end: usize) -> [f64; 5] {
        let mut u = [0.0; 5];
        for (side, &body) in self.joint.bodies.iter().enumerate().filter(|(_, b)| !scene.bodies()[**b].is_free()) {
            let t = from.t + end as f64 * from.h;
            let Some(twist) = scene.imposed(body, t).filter(|twist| *twist != Twist::default()) else { continue };
            let way = &ways[body];
            for (k, u) in u.iter_mut().enumerate() {
                let row = &self.joint.rows[k][side];
                *u += match &self.point {
                    Some(point) if k < 3 && self.place.is_some() => {
                        let [a, b] = self.joint.bodies.map(|i| &ways[i].ends[end]);
                        let arm = sub(&point.place_at(a, b).1, &way.ends[end].x);
                        let d = [row[0], row[1], row[2]];
                        dot(&d, &twist.v) + dot(&mul(&way.ends[end].R, &twist.w), &cross(&arm, &d))
                    }
                    _ => apply(row, &twist),
                };
            }
        }
        u
    }
}

/// H M⁻¹Hᵀ of a contact's normal as if its bodies had no joints.
pub fn mobility(scene: &Bodies, touch: &JointTouch) -> f64 {
    let mut sum = 0.0;
    for (&i, row) in touch.bodies.iter().zip(&touch.rows[0]) {
        let (body, w) = (&scene.bodies()[i], [row[3], row[4], row[5]]);
        if body.is_free() {
            sum += body.inverse_mass * (row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
            sum += dot(&w, &mul(&body.inverse_inertia, &w));
        }
    }
    sum
}

/// The sum of the sizes of which a contact's normal velocity is the sum.
pub fn rate_scale(touch: &JointTouch, twists: &[Twist]) -> f64 {
    let mut sum = 0.0;
    for (&i, row) in touch.bodies.iter().zip(&touch.rows[0]) {
        let Twist { v, w } = &twists[i];
        sum += (0..3).map(|k| (row[k] * v[k]).abs() + (row[3 + k] * w[k]).abs()).sum::<f64>();
        sum += norm(&[row[3], row[4], row[5]]) * norm(w) + norm(v);
    }
    sum
}

/// A contact of two bodies closes that joints leave no freedom.
pub fn without_freedom(scene: &Bodies, bodies: [usize; 2], (t, h): (f64, f64)) -> StepFailure {
    let [a, b] = bodies.map(|i| &scene.bodies()[i].name);
    let message = format!("a contact of \"{a}\" and \"{b}\" closes that joints leave no freedom");
    let help = "reduce the step, or leave the contact some freedom".to_string();
    StepFailure { code: Code::NO_SOLUTION, t, h, message, help, problem: None }
}

/// The row of a direction at a world place, over a way.
pub fn row_at(way: &Passage, place: &Vec3, d: &Vec3, sign: f64) -> BodyRow {
    let m = body_moment(&way.ends[0].R, &way.tilt, &cross(&sub(place, &way.x), d));
    joined(&scale(sign, d), &scale(sign, &m))
}

pub fn joined(v: &Vec3, w: &Vec3) -> BodyRow {
    [v[0], v[1], v[2], w[0], w[1], w[2]]
}

/// A contact of shapes with its rows in the frames of the bodies.
pub fn between_shapes(scene: &Bodies, frames: &[Frame], point: &ContactPoint) -> JointTouch {
    let law = scene.law_between(point.bodies, point.id);
    let row = |side: usize, d: &[f64; 3], sign: f64| {
        let m = mul_t(&frames[point.bodies[side]].R, &cross(&point.arms[side], d));
        [sign * d[0], sign * d[1], sign * d[2], sign * m[0], sign * m[1], sign * m[2]]
    };
    let directions = directions(scene, &point.normal);
    let mut rows = [[[0.0; 6]; 2]; 5];
    for (rows, d) in rows.iter_mut().zip(&directions) {
        *rows = [row(0, d, 1.0), row(1, d, -1.0)];
    }
    let length = rolling_length(scene, point.bodies);
    if law.rolling > 0.0 {
        let turn = |side: usize, axis: &[f64; 3], scaled: f64| {
            let m = mul_t(&frames[point.bodies[side]].R, axis);
            [0.0, 0.0, 0.0, scaled * m[0], scaled * m[1], scaled * m[2]]
        };
        for (rows, axis) in rows[3..].iter_mut().zip(&rolling_axes(scene, &directions)) {
            *rows = [turn(0, axis, length), turn(1, axis, -length)];
        }
    }
    JointTouch {
        id: point.id,
        bodies: point.bodies,
        gap: point.gap,
        rows,
        place: None,
        frictional: true,
        restitution: law.restitution,
        friction: law.friction,
        rolling: law.rolling / length,
        compliance: law.compliance,
        given: None,
    }
}
