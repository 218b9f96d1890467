//! Generalized-α of bodies under joints, springs and motors, without contact.
//!
//!   M v̇ + (gyroscopic, drag) = f + Dᵀλ at (q̃, ṽ),    ṽ = … + hγ a,    a = (1−α_f)/(1−α_m) v̇ + past
//!   rigid  D ṽ = 0;    motor  D ṽ = ω;    force  λ = f;    spring  λ = −k (c − rest) − d D ṽ
//!
//! Newton's method on v̇ and λ, with the turning of D left out of the matrix: its rate is O(h) of the motion. Springs stand in the
//! matrix, so stiff ones converge as well.

use crate::schemes::ggl::bodies::joints::{as_row, product};
use crate::schemes::ggl::bodies::{BodiesGgl, BodiesGglMemory, Row, Smooth};
use crate::{NewmarkLike, State, StepFailure};
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::bodies::math::{Mat3, axpy, cross, inverse, mul, mul_mat, scale, skew, sub};
use percussion_model::bodies::{Body, Frame, RowLaw, Twist, at};
use std::sync::Arc;

const ITERATIONS: usize = 60;
/// Part of the motion below which the last change must be; where round-off allows no more, this suffices.
const ARRIVED: f64 = 1e-15;
const STALLED: f64 = 1e-9;
/// Pivots of dependent joints are lifted by this part; iterations take the error out.
const LIFT: f64 = 1e-9;

/// Works of the rows over the smooth part [J].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SmoothWorks {
    pub external: f64,
    pub damping: f64,
}

impl BodiesGgl {
    /// The smooth part of all bodies, its reactions λ [N], and the works of motors, dampers and hands.
    pub(super) fn smooth_jointed(
        &mut self,
        state: &State,
        before: &[Twist],
        told: &[Option<Twist>],
        (kept, c_start): (&BodiesGglMemory, &[f64]),
        h: f64,
    ) -> Result<(Vec<Smooth>, Vec<f64>, SmoothWorks), StepFailure> {
        let scene = Arc::clone(&self.scene);
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = self.p;
        let (n, t) = (scene.len(), state.t + h);
        let filter = (1.0 - alpha_f) / (1.0 - alpha_m);
        let (gain, reach) = (h * gamma * filter, h * h * beta * filter);
        let start: Vec<Frame> = (0..n).map(|i| scene.frame(i, &state.q)).collect();

        // velocity and displacement without the new rate
        let mut past = vec![[0.0; 6]; n];
        let mut v_base = vec![[0.0; 6]; n];
        let mut way_base = vec![[0.0; 6]; n];
        let mut rate = vec![[0.0; 6]; n];
        for i in 0..n {
            let v = as_row(&before[i]);
            if let Some(end) = &told[i] {
                let end = as_row(end);
                v_base[i] = end;
                way_base[i] = std::array::from_fn(|k| 0.5 * h * (v[k] + end[k]));
                continue;
            }
            let (a_n, rate_n) = (&kept.rates[i][..6], &kept.rates[i][6..12]);
            for k in 0..6 {
                past[i][k] = (alpha_f * rate_n[k] - alpha_m * a_n[k]) / (1.0 - alpha_m);
                v_base[i][k] = v[k] + h * (1.0 - gamma) * a_n[k] + h * gamma * past[i][k];
                way_base[i][k] = h * v[k] + h * h * (0.5 - beta) * a_n[k] + h * h * beta * past[i][k];
                rate[i][k] = rate_n[k];
            }
        }
        let mut lambda = kept.lambda.clone();
        let m = lambda.len();
        let mut q = state.q.clone();
        let mut last = f64::INFINITY;
        let shifted = |base: &Row, rate: &Row, weight: f64| std::array::from_fn(|k| base[k] + weight * rate[k]);
        let twist_of = |x: &Row| Twist { v: [x[0], x[1], x[2]], w: [x[3], x[4], x[5]] };
        for iteration in 0..ITERATIONS {
            // where this leads
            let velocity: Vec<Row> = (0..n).map(|i| shifted(&v_base[i], &rate[i], gain)).collect();
            for i in 0..n {
                let way: Row = shifted(&way_base[i], &rate[i], reach);
                scene.advance(i, &state.q, 1.0, &twist_of(&way), &mut q);
            }
            let frames: Vec<Frame> = (0..n).map(|i| scene.frame(i, &q)).collect();
            self.joints.place(&start, c_start, &frames);
            let rows = &self.joints.rows;

            // A⁻¹ of each body, and what its equation lacks
            let mut inverses: Vec<Option<(f64, Mat3)>> = vec![None; n];
            let mut delta = vec![[0.0; 6]; n];
            for (i, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
                let force = axpy(&at(&body.force, t), body.mass, &scene.gravity());
                let torque = at(&body.torque, t);
                let Twist { v, w } = twist_of(&velocity[i]);
                let Iw = mul(&body.inertia, &w);
                let turning = if body.isotropic { [0.0; 3] } else { cross(&w, &Iw) };
                let (a, b) = (twist_of(&rate[i]).v, twist_of(&rate[i]).w);
                let f = sub(&axpy(&force, -body.drag[0], &v), &scale(body.mass, &a));
                let moment = sub(&sub(&axpy(&torque, -body.drag[1], &w), &turning), &mul(&body.inertia, &b));
                delta[i] = [f[0], f[1], f[2], moment[0], moment[1], moment[2]];
                inverses[i] = Some(answer(body, &w, gain, scene.is_planar()));
            }
            for (row, l) in rows.iter().zip(&lambda) {
                for (body, D) in &row.D {
                    (0..6).for_each(|k| delta[*body][k] += l * D[k]);
                }
            }
            let respond = |i: usize, x: &Row| -> Row {
                let Some((inverse_mass, J)) = &inverses[i] else { return [0.0; 6] };
                let w = mul(J, &[x[3], x[4], x[5]]);
                [inverse_mass * x[0], inverse_mass * x[1], inverse_mass * x[2], w[0], w[1], w[2]]
            };
            for i in 0..n {
                delta[i] = respond(i, &delta[i]);
            }

            // rows: weight · D δ + own · δλ = −residual
            let mut change = vec![0.0; m];
            if m > 0 {
                let responses: Vec<Vec<(usize, Row)>> =
                    rows.iter().map(|row| row.D.iter().map(|(body, D)| (*body, respond(*body, D))).collect()).collect();
                let mut S = DenseMatrix::zeros(m, m);
                for (r, row) in rows.iter().enumerate() {
                    let rate = row.rate(&velocity);
                    let (weight, own, residual) = match &row.law {
                        RowLaw::Rigid { .. } => (1.0, 0.0, rate / gain),
                        RowLaw::Rate(w) => (1.0, 0.0, (rate - w.at(t)) / gain),
                        RowLaw::Force(f) => (0.0, 1.0, lambda[r] - f.at(t)),
                        RowLaw::Spring { stiffness, damping, rest } => (
                            stiffness * reach + damping * gain,
                            1.0,
                            lambda[r] + stiffness * (row.c - rest) + damping * rate,
                        ),
                    };
                    change[r] = -residual - weight * row.rate(&delta);
                    for (j, response) in responses.iter().enumerate() {
                        let of = |body: usize| row.D.iter().find(|(other, _)| *other == body);
                        let sum: f64 =
                            response.iter().filter_map(|(body, x)| of(*body).map(|(_, D)| product(D, x))).sum();
                        S.set(r, j, weight * sum);
                    }
                    let pivot = S.get(r, r);
                    let lifted = if own == 0.0 && pivot > 0.0 { pivot * (1.0 + LIFT) } else { pivot + own };
                    S.set(r, r, if lifted > 0.0 { lifted } else { 1.0 });
                }
                let Ok(mut factor) = Factor::lu(&Matrix::Dense(S)) else {
                    return Err(StepFailure::singular(state.t, h, None));
                };
                factor.solve(&mut change);
                for (response, change) in responses.iter().zip(&change) {
                    for (body, x) in response {
                        (0..6).for_each(|k| delta[*body][k] += change * x[k]);
                    }
                }
            }
            for (l, change) in lambda.iter_mut().zip(&change) {
                *l += change;
            }
            let (mut moved, mut motion) = (0.0, 0.0);
            for (i, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
                (0..6).for_each(|k| rate[i][k] += delta[i][k]);
                let energy = |x: &Row| body.kinetic_energy(&twist_of(x));
                moved += gain * gain * energy(&delta[i]);
                motion += energy(&velocity[i]) + gain * gain * energy(&rate[i]);
            }
            let size = if moved == 0.0 { 0.0 } else { (moved / motion.max(f64::MIN_POSITIVE)).sqrt() };
            if !size.is_finite() {
                break;
            }
            let stalled = size <= STALLED && size > 0.3 * last && iteration > 2;
            last = size;
            if size <= ARRIVED || stalled {
                let works = self.smooth_works(before, &velocity, &lambda, h);
                let parts = (0..n).map(|i| {
                    let way: Row = shifted(&way_base[i], &rate[i], reach);
                    let free = told[i].is_none();
                    let a: Row = std::array::from_fn(|k| if free { past[i][k] + filter * rate[i][k] } else { 0.0 });
                    let twist = twist_of(&shifted(&v_base[i], &rate[i], gain));
                    Smooth { twist, shift: twist_of(&way), a, rate: rate[i] }
                });
                return Ok((parts.collect(), lambda, works));
            }
        }
        let message = format!("Newton's method for the smooth part did not arrive in {ITERATIONS} iterations");
        Err(StepFailure::newton(state, h, message))
    }

    /// Of motors, dampers, and of the hands that move bodies, with D at q̃ and the mean of the velocities.
    fn smooth_works(&self, before: &[Twist], after: &[Row], lambda: &[f64], h: f64) -> SmoothWorks {
        let mean: Vec<Row> = before
            .iter()
            .zip(after)
            .map(|(b, a)| {
                let b = as_row(b);
                std::array::from_fn(|k| 0.5 * (a[k] + b[k]))
            })
            .collect();
        let mut works = SmoothWorks::default();
        for (row, l) in self.joints.rows.iter().zip(lambda) {
            let rate = row.rate(&mean);
            match &row.law {
                RowLaw::Rigid { .. } => {}
                RowLaw::Rate(_) | RowLaw::Force(_) => works.external += h * l * rate,
                RowLaw::Spring { damping, .. } => works.damping -= h * damping * rate * rate,
            }
            works.external -= h * l * row.rate_of_told(&self.scene, &mean);
        }
        works
    }

    /// Rates at the start that agree with loads, springs, joints and motors: D v̇ = ω̇ − Ḋ v.
    pub(super) fn start_rates(&mut self, state: &State) -> (Vec<Row>, Vec<f64>, Vec<f64>) {
        let scene = Arc::clone(&self.scene);
        let n = scene.len();
        let frames: Vec<Frame> = (0..n).map(|i| scene.frame(i, &state.q)).collect();
        let twists: Vec<Twist> =
            (0..n).map(|i| scene.imposed(i, state.t).unwrap_or_else(|| scene.twist(i, &state.v))).collect();
        let velocity: Vec<Row> = twists.iter().map(as_row).collect();
        let c: Vec<f64> = self.joints.rows.iter().map(|row| row.value(&frames)).collect();

        // Ḋ v and ω̇ by central differences along the motion
        let size = velocity.iter().flatten().fold(1.0_f64, |m, x| m.max(x.abs()));
        let e = 1e-6 / size;
        let mut ends = [Vec::new(), Vec::new()];
        for (end, sign) in ends.iter_mut().zip([1.0, -1.0]) {
            let mut q = state.q.clone();
            for (i, twist) in twists.iter().enumerate() {
                scene.advance(i, &state.q, sign * e, twist, &mut q);
            }
            let there: Vec<Frame> = (0..n).map(|i| scene.frame(i, &q)).collect();
            self.joints.place(&frames, &c, &there);
            *end = self.joints.rows.iter().map(|row| row.rate(&velocity)).collect();
        }
        self.joints.place(&frames, &c, &frames);
        let mut rate = vec![[0.0; 6]; n];
        for (i, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let Twist { v, w } = &twists[i];
            let force = axpy(&axpy(&at(&body.force, state.t), body.mass, &scene.gravity()), -body.drag[0], v);
            let turning = if body.isotropic { [0.0; 3] } else { cross(w, &mul(&body.inertia, w)) };
            let moment = sub(&axpy(&at(&body.torque, state.t), -body.drag[1], w), &turning);
            rate[i] = [force[0], force[1], force[2], moment[0], moment[1], moment[2]];
        }
        let mut lambda = vec![0.0; self.joints.rows.len()];
        for (row, l) in self.joints.rows.iter().zip(&mut lambda) {
            *l = match &row.law {
                RowLaw::Force(f) => f.at(state.t),
                RowLaw::Spring { stiffness, damping, rest } => {
                    -stiffness * (row.c - rest) - damping * row.rate(&velocity)
                }
                _ => 0.0,
            };
            for (body, D) in row.D.iter().filter(|(body, _)| scene.bodies()[*body].is_free()) {
                (0..6).for_each(|k| rate[*body][k] += *l * D[k]);
            }
        }
        for i in 0..n {
            rate[i] = crate::schemes::ggl::bodies::joints::respond(&scene, i, &rate[i]);
            // told bodies change as they are told
            if let (Some(a), Some(b)) = (scene.imposed(i, state.t + e), scene.imposed(i, state.t)) {
                let (a, b) = (as_row(&a), as_row(&b));
                rate[i] = std::array::from_fn(|k| (a[k] - b[k]) / e);
            }
        }
        if self.joints.hold(&scene, true) {
            let t = state.t;
            self.joints.project(&mut rate, &mut lambda, |r, row| {
                let turning = (ends[0][r] - ends[1][r]) / (2.0 * e);
                match &row.law {
                    RowLaw::Rate(w) => (w.at(t + e) - w.at(t)) / e - turning,
                    _ => -turning,
                }
            });
        }
        (rate, lambda, c)
    }
}

/// 1/(m + gain c) and (I + gain (∂(w × I w)/∂w + c))⁻¹.
fn answer(body: &Body, w: &[f64; 3], gain: f64, planar: bool) -> (f64, Mat3) {
    let [c, c_w] = body.drag;
    let I = &body.inertia;
    let (left, right) = (mul_mat(&skew(w), I), skew(&mul(I, w)));
    let J: Mat3 = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let turning = if body.isotropic { 0.0 } else { left[i][j] - right[i][j] };
            I[i][j] + gain * (turning + if i == j { c_w } else { 0.0 })
        })
    });
    let inverse = if planar {
        let mut inverse = [[0.0; 3]; 3];
        inverse[2][2] = 1.0 / J[2][2];
        inverse
    } else {
        inverse(&J).unwrap_or(body.inverse_inertia)
    };
    (1.0 / (body.mass + gain * c), inverse)
}
