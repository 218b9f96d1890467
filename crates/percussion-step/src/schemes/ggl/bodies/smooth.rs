//! Generalized-α of one body, turns in its own frame.

use crate::schemes::ggl::bodies::{BodiesGgl, Row, Smooth};
use crate::{NewmarkLike, State};
use percussion_model::bodies::math::{Mat3, Vec3, add, axpy, cross, inverse, mul, mul_mat, norm, scale, skew, sub};
use percussion_model::bodies::{Body, Twist, at};

impl BodiesGgl {
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
                let (left, right) = (mul_mat(&skew(&w), I), skew(&Iw));
                let J: Mat3 = std::array::from_fn(|i| {
                    std::array::from_fn(|j| {
                        let turning = if body.isotropic { 0.0 } else { left[i][j] - right[i][j] };
                        I[i][j] + gain * (turning + if i == j { c_w } else { 0.0 })
                    })
                });
                inverse(&J).map_or(mul(&body.inverse_inertia, &r), |J| mul(&J, &r))
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
