//! What joints do to their bodies at an instant.
//!
//!   f = Σ λ D_v,    m_b = Σ λ D_w (frame of b, about its centre),    m = R m_b − (R r_b) × f about the anchor
//!
//! over the rows that hold, the rotor, and the motors and springs of the joint.

use crate::JointReaction;
use crate::mechanism::body_loads::joint_push;
use percussion_model::bodies::math::{Vec3, cross, mul, mul_t, sub};
use percussion_model::bodies::{Bodies, Frame, JointRow, RowLaw, Twist};

/// Where the bodies are, and the multipliers found there.
pub struct Told<'a> {
    /// Of all bodies.
    pub frames: &'a [Frame],
    /// Their velocities.
    pub twists: &'a [Twist],
    /// λ of the rows that hold, then of the rotors.
    pub lambda: &'a [f64],
    /// The time of forces; impulses have none, and motors and springs no part in them.
    pub at: Option<f64>,
}

/// Lists what every joint that has rows does to its body b.
pub fn tell(scene: &Bodies, told: &Told, out: &mut Vec<JointReaction>) {
    let Told { frames, twists, lambda, at } = *told;
    let (held, rotors) = lambda.split_at(scene.n_rigid_rows().min(lambda.len()));
    let (mut held, mut rotors) = (held.iter(), scene.rotors().iter().zip(rotors));
    out.clear();
    for (joint, parts) in scene.joints().iter().enumerate().filter(|(_, joint)| !joint.rows.is_empty()) {
        let b = parts.bodies[1];
        let mut sum = [0.0; 6];
        let mut add = |c: f64, bodies: [usize; 2], D: &[[f64; 6]; 2]| {
            for (_, D) in bodies.into_iter().zip(D).filter(|(body, _)| *body == b) {
                (0..6).for_each(|k| sum[k] += c * D[k]);
            }
        };
        for row in &parts.rows {
            match row.law {
                RowLaw::Rigid { .. } => {
                    let l = held.next().copied().unwrap_or_default();
                    gradients(row, frames, |factor, bodies, D| add(factor * l, bodies, D));
                }
                RowLaw::Rotor { .. } => {
                    if let Some((rotor, l)) = rotors.next() {
                        add(*l, rotor.bodies, &rotor.rows);
                    }
                }
                RowLaw::Rate(_) | RowLaw::Force(_) | RowLaw::Servo(_) | RowLaw::Spring { .. } | RowLaw::Curve(_) => {
                    let push = at.and_then(|t| joint_push(row, t, |i| (frames[i], twists[i])));
                    if let Some((push, _)) = push {
                        gradients(row, frames, |_, bodies, D| add(push, bodies, D));
                    }
                }
            }
        }
        if scene.is_planar() {
            (sum[2], sum[3], sum[4]) = (0.0, 0.0, 0.0);
        }
        let R = &frames[b].R;
        let force: Vec3 = [sum[0], sum[1], sum[2]];
        let about_centre = mul(R, &[sum[3], sum[4], sum[5]]);
        let moment = sub(&about_centre, &cross(&mul(R, &parts.points[1]), &force));
        out.push(JointReaction { joint, force, moment, own: [mul_t(R, &force), mul_t(R, &moment)] });
    }
}

/// The factor, the bodies and the gradients of each term of a row.
fn gradients(row: &JointRow, frames: &[Frame], mut with: impl FnMut(f64, [usize; 2], &[[f64; 6]; 2])) {
    for term in &row.terms {
        let [a, b] = term.bodies.map(|i| &frames[i]);
        with(term.factor, term.bodies, &term.measure.gradient(a, b));
    }
}
