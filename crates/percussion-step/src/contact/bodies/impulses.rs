//! The impulses of a step's contacts in space: what they do to bodies, and what is booked of them.
//!
//!   p = Σ r_k d_k at the point c of both bodies,    moment (c − x) × p + couple of rolling friction about the middle x of a way

use super::BodyContacts;
use crate::bodies::momentum::{Given, MomentumBook, Source};
use crate::bodies::rows::{directions, rolling_axes, rolling_length};
use crate::bodies::theta_step::ThetaStep;
use crate::contact::friction_rule::slack;
use crate::{Activation, FrictionLaw};
use percussion_matrix::BlockMatrix;
use percussion_model::bodies::math::{Vec3, add, axpy, cross, mul, mul_t, norm, scale, sub};
use percussion_model::bodies::{Bodies, Frame, Twist};

impl BodyContacts {
    /// Adds the moments of the impulses about the middles of the ways that the bodies now take [N·m·s].
    pub fn moments(&self, step: &ThetaStep, h: f64, moments: &mut [Vec3]) {
        for (i, point) in self.points.iter().enumerate() {
            let (impulse, couple) = self.impulse(i);
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let body = point.bodies[side];
                let x = axpy(&step.start.frames[body].x, 0.5 * h, &step.passing(&self.scene, body, h).v);
                let moment = add(&cross(&sub(&self.places[i], &x), &impulse), &couple);
                moments[body] = axpy(&moments[body], sign, &moment);
            }
        }
    }

    /// Adds what the first guess of the impulses does to velocities, with contacts as they are at the start of the step.
    pub fn add_guess(&self, frames: &[Frame], after: &mut [Twist]) {
        let (scene, d) = (&*self.scene, self.problem.dim);
        for (i, point) in self.points.iter().enumerate() {
            let r = &self.law.p[i * d..(i + 1) * d];
            if r[0] == 0.0 {
                continue;
            }
            let length = if d == 5 { rolling_length(scene, point.bodies) } else { 0.0 };
            let (p, couple) = in_space(scene, &directions(scene, &point.normal), r, length);
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let b = point.bodies[side];
                let (body, twist) = (&scene.bodies()[b], &mut after[b]);
                if body.is_free() {
                    let moment = scale(sign, &add(&cross(&point.arms[side], &p), &couple));
                    twist.v = axpy(&twist.v, sign * body.inverse_mass, &p);
                    twist.w = add(&twist.w, &mul(&body.inverse_inertia, &mul_t(&frames[b].R, &moment)));
                }
            }
        }
    }

    /// The impulse of contact i on its first body [N·s], and the couple of rolling friction [N·m·s].
    fn impulse(&self, i: usize) -> (Vec3, Vec3) {
        let (d, length) = (self.problem.dim, self.lengths.get(i).copied().unwrap_or(0.0));
        in_space(&self.scene, &self.directions[i], &self.law.p[i * d..(i + 1) * d], length)
    }

    /// Work that contacts can do on what rows have moved by one, and the energy it is measured by: that of the bodies touched, before and
    /// after, and what impulses alone would give them.
    pub fn at_stake(&self, step: &ThetaStep) -> (f64, f64) {
        let (mut work, mut energy) = (0.0, 0.0);
        for (i, point) in self.points.iter().enumerate() {
            let p = norm(&self.impulse(i).0);
            for &b in &point.bodies {
                let body = &self.scene.bodies()[b];
                if body.is_free() {
                    let size = if body.reach.is_finite() { body.reach } else { 1.0 };
                    let twist = &step.after[b];
                    work += p * (norm(&twist.v) + size * norm(&twist.w));
                    energy += p * p * body.inverse_mass;
                }
            }
        }
        for &b in self.bodies.iter().filter(|&&b| self.scene.bodies()[b].is_free()) {
            let body = &self.scene.bodies()[b];
            energy += body.kinetic_energy(&step.start.before[b]) + body.kinetic_energy(&step.after[b]);
        }
        (work, energy)
    }

    /// Σ|w·p| at the velocities that the step ends with: what impulses that miss the law can have created.
    pub fn slack_at_end(&self, u_after: &[f64]) -> f64 {
        let (d, law, on_gap) = (self.problem.dim, &self.law, self.laws.activation == Activation::Gap);
        let mut w = u_after.to_vec();
        for (i, (w, u)) in w.chunks_exact_mut(d).zip(law.u_before.chunks_exact(d)).enumerate() {
            w[0] += if on_gap { 0.0 } else { law.restitution[i] * u[0] };
            let fremond = if self.checked { law.fremond(i) } else { self.laws.friction == FrictionLaw::Fremond };
            let alpha = if fremond { self.alpha } else { 0.0 };
            (1..d).for_each(|k| w[k] += alpha * u[k]);
        }
        slack(d, &law.p, &w, |i| self.problem.cone(i))
    }

    /// Books the impulses; the middles of bodies' ways are those of the step.
    pub fn book(&self, step: &ThetaStep, h: f64, book: &mut MomentumBook) {
        book.impulses(self.points.len(), |i| {
            let (point, (p, m)) = (&self.points[i], self.impulse(i));
            let free = point.bodies.map(|b| self.scene.bodies()[b].is_free());
            let side = usize::from(!free[0]);
            let (body, sign) = (point.bodies[side], if side == 0 { 1.0 } else { -1.0 });
            let x = axpy(&step.start.frames[body].x, 0.5 * h, &step.passing(&self.scene, body, h).v);
            let source = if free[0] && free[1] { Source::Inside } else { Source::Contact };
            Given::new(source, &add(&x, &self.arms[i][side]), &scale(sign, &p), &scale(sign, &m))
        });
    }
}

/// The impulse that components r are, and the couple of rolling friction.
fn in_space(scene: &Bodies, directions: &[Vec3; 3], r: &[f64], length: f64) -> (Vec3, Vec3) {
    let (planar, mut p, mut couple) = (scene.is_planar(), [0.0; 3], [0.0; 3]);
    for k in 0..if planar { 2 } else { 3 } {
        p = axpy(&p, r[k], &directions[k]);
    }
    if r.len() == 5 {
        let axes = rolling_axes(scene, directions);
        for k in 0..if planar { 1 } else { 2 } {
            couple = axpy(&couple, r[3 + k] * length, &axes[k]);
        }
    }
    (p, couple)
}

/// W + ε W_NN on the diagonal, and b − ε W_NN r: the answer that is nearest to r where it is not unique.
pub fn hold(W: &mut BlockMatrix, b: &mut [f64], r: &[f64], holding: f64) {
    let d = W.block_size();
    for i in 0..W.n_blocks() {
        let (at, held) = (d * d * W.diagonal_position(i), holding * W.diagonal_block(i)[0]);
        for k in 0..d {
            W.values_mut()[at + k * (d + 1)] += held;
            b[i * d + k] -= held * r[i * d + k];
        }
    }
}
