//! The smooth motion of bodies: generalized-α without contact, turns in each body's own frame.

use crate::schemes::ggl::bodies::{BodiesGgl, BodiesGglMemory, Motion, Row, Smooth};
use crate::{NewmarkLike, State, StepFailure, StepStart};
use percussion_model::bodies::math::{Mat3, Vec3, add, axpy, cross, inverse, mul, mul_mat, norm, scale, skew, sub};
use percussion_model::bodies::{Body, Twist, at};
use std::sync::Arc;

/// I + gain (∂(w × I w)/∂w + c).
pub(super) fn turning_matrix(body: &Body, w: &Vec3, gain: f64) -> Mat3 {
    let I = &body.inertia;
    let (left, right) = (mul_mat(&skew(w), I), skew(&mul(I, w)));
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let turning = if body.isotropic { 0.0 } else { left[i][j] - right[i][j] };
            I[i][j] + gain * (turning + if i == j { body.drag[1] } else { 0.0 })
        })
    })
}

/// Its inverse, where it exists.
pub(super) fn turning_inverse(body: &Body, w: &Vec3, gain: f64) -> Option<Mat3> {
    inverse(&turning_matrix(body, w, gain))
}

impl BodiesGgl {
    /// All bodies, with where they would be and how far they go.
    pub(super) fn smooth_motion(&mut self, from: &StepStart, kept: &BodiesGglMemory) -> Result<Motion, StepFailure> {
        let StepStart { state, h, .. } = *from;
        let scene = Arc::clone(&self.scene);
        let before = self.twists(&state.v, state.t);
        let mut motion = Motion { qt: state.q.clone(), ..Default::default() };
        if self.jointed() {
            self.smooth_jointed(from, &before, kept, &mut motion)?;
        } else {
            for (i, body) in scene.bodies().iter().enumerate() {
                motion.parts.push(match scene.imposed(i, state.t + h) {
                    None => self.smooth(body, state, &before[i], &kept.rates[i], h),
                    Some(twist) => {
                        let mean = |a: &Vec3, b: &Vec3| scale(0.5 * h, &add(a, b));
                        let shift = Twist { v: mean(&before[i].v, &twist.v), w: mean(&before[i].w, &twist.w) };
                        Smooth { twist, shift, ..Default::default() }
                    }
                });
            }
        }
        for (i, body) in scene.bodies().iter().enumerate() {
            let shift = &motion.parts[i].shift;
            scene.advance(i, &state.q, 1.0, shift, &mut motion.qt);
            let turning = if shift.w == [0.0; 3] { 0.0 } else { norm(&shift.w) * body.reach.min(1e6) };
            let way = norm(&shift.v) + turning;
            motion.way = motion.way.max(way);
            motion.margin.push(0.1 * way);
        }
        motion.way = motion.way.max(1e-12);
        motion.tilde = motion.parts.iter().map(|part| part.twist).collect();
        motion.before = before;
        Ok(motion)
    }

    /// v̇ and ẇ of a body under its loads, without contact.
    pub(super) fn rate(&self, i: usize, Twist { v, w }: &Twist, t: f64) -> Row {
        let body = &self.scene.bodies()[i];
        if !body.is_free() {
            return [0.0; 6];
        }
        let [f @ .., m0, m1, m2] = self.load(body, v, w, t);
        let (a, b) = (scale(body.inverse_mass, &f), mul(&body.inverse_inertia, &[m0, m1, m2]));
        [a[0], a[1], a[2], b[0], b[1], b[2]]
    }

    /// Force and moment of loads, weight, drag and the gyroscopic term.
    pub(super) fn load(&self, body: &Body, v: &Vec3, w: &Vec3, t: f64) -> Row {
        let force = axpy(&axpy(&at(&body.force, t), body.heavy_mass(), &self.scene.gravity()), -body.drag[0], v);
        let gyroscopic = if body.isotropic { [0.0; 3] } else { cross(w, &mul(&body.inertia, w)) };
        let moment = sub(&axpy(&at(&body.torque, t), -body.drag[1], w), &gyroscopic);
        [force[0], force[1], force[2], moment[0], moment[1], moment[2]]
    }

    /// Generalized-α of one body without contact.
    pub(super) fn smooth(&self, body: &Body, state: &State, before: &Twist, memory: &[f64], h: f64) -> Smooth {
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = self.p;
        let t = state.t + h;
        let (a_n, rate_n) = (&memory[..6], &memory[6..12]);
        let [c, c_w] = body.drag;
        let filter = (1.0 - alpha_f) / (1.0 - alpha_m);
        let past: Row = std::array::from_fn(|k| (alpha_f * rate_n[k] - alpha_m * a_n[k]) / (1.0 - alpha_m));
        let part = |x: &[f64]| [x[0], x[1], x[2]];
        // velocity without the new rate, and what the rate adds to it
        let base = |v: &Vec3, a_n: Vec3, past: Vec3| axpy(&axpy(v, h * (1.0 - gamma), &a_n), h * gamma, &past);
        let gain = h * gamma * filter;

        let force = axpy(&at(&body.force, t), body.mass, &self.scene.gravity());
        let v_base = base(&before.v, part(a_n), part(&past));
        let v_rate = scale(1.0 / (body.mass + gain * c), &axpy(&force, -c, &v_base));

        // I ẇ + w × I w + c w = τ, w = base + gain ẇ
        let torque = at(&body.torque, t);
        let w_base = base(&before.w, part(&a_n[3..]), part(&past[3..]));
        let mut w_rate: Vec3 = part(&rate_n[3..]);
        let I = &body.inertia;
        for _ in 0..20 {
            let w = axpy(&w_base, gain, &w_rate);
            let Iw = mul(I, &w);
            let gyroscopic = if body.isotropic { [0.0; 3] } else { cross(&w, &Iw) };
            let r = sub(&add(&axpy(&mul(I, &w_rate), c_w, &w), &gyroscopic), &torque);
            let change = if self.scene.is_planar() {
                [0.0, 0.0, r[2] / (I[2][2] + gain * c_w)]
            } else {
                turning_inverse(body, &w, gain).map_or(mul(&body.inverse_inertia, &r), |J| mul(&J, &r))
            };
            w_rate = sub(&w_rate, &change);
            if norm(&change) <= 1e-15 * norm(&w_rate) {
                break;
            }
        }
        let rate = [v_rate[0], v_rate[1], v_rate[2], w_rate[0], w_rate[1], w_rate[2]];
        let a: Row = std::array::from_fn(|k| past[k] + filter * rate[k]);
        let twist = Twist { v: axpy(&v_base, gain, &v_rate), w: axpy(&w_base, gain, &w_rate) };
        let way =
            |v: &Vec3, a_n: Vec3, a: Vec3| axpy(&axpy(&scale(h, v), h * h * (0.5 - beta), &a_n), h * h * beta, &a);
        let shift = Twist { v: way(&before.v, part(a_n), part(&a)), w: way(&before.w, part(&a_n[3..]), part(&a[3..])) };
        Smooth { twist, shift, a, rate }
    }
}
