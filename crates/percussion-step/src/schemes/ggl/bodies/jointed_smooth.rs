//! Generalized-α of bodies under joints, springs and motors, without contact.
//!
//!   M v̇ + (gyroscopic, drag) = f + Dᵀλ at (q̃, ṽ),    ṽ = … + hγ a,    a = (1−α_f)/(1−α_m) v̇ + past
//!   rigid  D ṽ = 0;    motor  D ṽ = ω;    force  λ = f;    servo  λ = f(c, D ṽ);    spring  λ = −k (c − rest) − d D ṽ
//!
//! Newton's method on v̇ and λ, with the turning of D left out of the matrix: its rate is O(h) of the motion. Springs stand in the
//! matrix, so stiff ones converge as well.

use crate::schemes::ggl::bodies::elements::{NewtonMatrix, world_moments};
use crate::schemes::ggl::bodies::eliminated::Eliminated;
use crate::schemes::ggl::bodies::joints::{JointRow, as_row, product};
use crate::schemes::ggl::bodies::shift::SparseRow;
use crate::schemes::ggl::bodies::smooth::{turning_inverse, turning_matrix};
use crate::schemes::ggl::bodies::{BodiesGgl, BodiesGglMemory, Motion, Row, Smooth, as_twist};
use crate::{NewmarkLike, State, StepFailure, StepStart};
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::bodies::math::{Mat3, axpy, cross, dot, mul, scale, sub};
use percussion_model::bodies::{Body, Frame, RowLaw, Twist, at};
use std::sync::Arc;

const ITERATIONS: usize = 60;
/// Part of the motion below which the last change must be; where round-off allows no more, this suffices.
const ARRIVED: f64 = 1e-15;
const STALLED: f64 = 1e-9;
/// Pivots of dependent joints are lifted by this part; iterations take the error out.
const LIFT: f64 = 1e-9;

/// Velocity and displacement without the new rates, and what these add.
struct Prediction {
    /// The part of a that earlier rates make.
    past: Vec<Row>,
    v_base: Vec<Row>,
    way_base: Vec<Row>,
    /// Whether a body is free to move.
    free: Vec<bool>,
    /// ṽ = v_base + gain v̇, Δ = way_base + reach v̇, a = past + filter v̇.
    gain: f64,
    reach: f64,
    filter: f64,
}

impl Prediction {
    fn velocity(&self, i: usize, rate: &Row) -> Row {
        std::array::from_fn(|k| self.v_base[i][k] + self.gain * rate[k])
    }

    fn way(&self, i: usize, rate: &Row) -> Row {
        std::array::from_fn(|k| self.way_base[i][k] + self.reach * rate[k])
    }

    /// A row as weight · D δ + own · δλ = −residual.
    fn law(&self, row: &JointRow, velocity: &[Row], rates: &[Row], l: f64, t: f64) -> (f64, f64, f64) {
        let Self { gain, reach, .. } = *self;
        let rate = row.rate(velocity);
        match &row.law {
            RowLaw::Rigid { .. } => (1.0, 0.0, rate / gain),
            RowLaw::Rate(w) => (1.0, 0.0, (rate - w.at(t)) / gain),
            RowLaw::Force(f) => (0.0, 1.0, l - f.at(t)),
            RowLaw::Servo(servo) => {
                let wanted = servo.wanted(row.c, rate, t);
                let slope = servo.stiffness * reach + servo.damping * gain;
                let weight = if servo.saturates(wanted) { 0.0 } else { slope };
                (weight, 1.0, l - servo.force(row.c, rate, t))
            }
            RowLaw::Curve(curve) => {
                let [k, d] = curve.stiffness(row.c, rate);
                (k * reach + d * gain, 1.0, l - curve.force(row.c, rate).0)
            }
            RowLaw::Rotor { inertia } => (*inertia, 1.0, l + inertia * row.rate(rates)),
            RowLaw::Spring { stiffness, damping, rest } => {
                (stiffness * reach + damping * gain, 1.0, l + stiffness * (row.c - rest) + damping * rate)
            }
        }
    }

    fn part(&self, i: usize, rate: &Row) -> Smooth {
        let a = if self.free[i] { std::array::from_fn(|k| self.past[i][k] + self.filter * rate[k]) } else { [0.0; 6] };
        let (twist, shift) = (as_twist(&self.velocity(i, rate)), as_twist(&self.way(i, rate)));
        Smooth { twist, shift, a, rate: *rate }
    }
}

impl BodiesGgl {
    /// The smooth part of all bodies, its reactions λ [N], and the works of dampers and of bodies that move springs.
    pub(super) fn smooth_jointed(
        &mut self,
        from: &StepStart,
        before: &[Twist],
        kept: &BodiesGglMemory,
        motion: &mut Motion,
    ) -> Result<(), StepFailure> {
        let StepStart { state, h, .. } = *from;
        let (n, t) = (self.scene.len(), from.end());
        let (prediction, mut rate) = self.prediction(before, &kept.rates, t, h);
        let mut lambda = kept.lambda.clone();
        let mut q = state.q.clone();
        let mut last = f64::INFINITY;
        for iteration in 0..ITERATIONS {
            StepFailure::unless_stopped(state.t, h)?;
            // where this leads
            let velocity: Vec<Row> = (0..n).map(|i| prediction.velocity(i, &rate[i])).collect();
            for i in 0..n {
                self.scene.advance(i, &state.q, 1.0, &as_twist(&prediction.way(i, &rate[i])), &mut q);
            }
            let frames = self.frames(&q);
            self.joints.place(&self.start, &kept.c, &frames);

            let increment = if self.elements.is_some() {
                self.increment_of_graph(&prediction, &velocity, &rate, &lambda, (&frames, t))
            } else {
                self.increment(&prediction, &velocity, &rate, &lambda, t)
            };
            let Some((delta, change)) = increment else {
                return Err(StepFailure::singular(state.t, h, None));
            };
            lambda.iter_mut().zip(&change).for_each(|(l, change)| *l += change);
            let (mut moved, mut whole, mut loads) = (0.0, 0.0, 0.0);
            for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
                (0..6).for_each(|k| rate[i][k] += delta[i][k]);
                let energy = |x: &Row| body.kinetic_energy(&as_twist(x));
                let gain = prediction.gain;
                moved += gain * gain * energy(&delta[i]);
                whole += energy(&velocity[i]) + gain * gain * energy(&rate[i]);
                let [x, y, z, ..] = self.lacking(body, &[0.0; 6], &[0.0; 6], t);
                loads += 0.5 * gain * gain * body.inverse_mass * (x * x + y * y + z * z);
            }
            let size = if moved == 0.0 { 0.0 } else { (moved / whole.max(f64::MIN_POSITIVE)).sqrt() };
            if !size.is_finite() {
                break;
            }
            // what joints hold at rest has no motion to be compared with, but loads
            let beside = (moved / (whole + loads).max(f64::MIN_POSITIVE)).sqrt();
            let stalled = beside <= STALLED && size > 0.3 * last && iteration > 2;
            // elements cannot tell places apart that differ by round-off, however slow the motion is
            let noise = if self.elements.is_some() && iteration > 2 { self.noise(&frames, h) } else { 0.0 };
            last = size;
            if size <= ARRIVED || stalled || moved <= noise {
                motion.parts = (0..n).map(|i| prediction.part(i, &rate[i])).collect();
                motion.forces = self.joint_forces(&lambda);
                motion.reactions = self.on_second_bodies(&lambda);
                self.spring_works(before, &velocity, (&kept.lambda, &lambda), h, motion);
                self.element_works(before, &velocity, h, motion);
                motion.lambda = lambda;
                return Ok(());
            }
        }
        Err(from.failure(format!("Newton's method for the smooth part did not arrive in {ITERATIONS} iterations")))
    }

    /// What the equations of bodies and rows lack with these rates and λ, rows placed where they lead; elements left out.
    pub(super) fn left_of_smooth(
        &mut self,
        (state, before, rates, c_start): (&State, &[Twist], &[Vec<f64>], &[f64]),
        h: f64,
        (rate, lambda): (&[Row], &[f64]),
    ) -> (Vec<Row>, Vec<f64>, Vec<Smooth>) {
        let (n, t) = (self.scene.len(), state.t + h);
        let (prediction, _) = self.prediction(before, rates, t, h);
        let velocity: Vec<Row> = (0..n).map(|i| prediction.velocity(i, &rate[i])).collect();
        let parts: Vec<Smooth> = (0..n).map(|i| prediction.part(i, &rate[i])).collect();
        let mut q = state.q.clone();
        for (i, part) in parts.iter().enumerate() {
            self.scene.advance(i, &state.q, 1.0, &part.shift, &mut q);
        }
        let frames = self.frames(&q);
        self.joints.place(&self.start, c_start, &frames);
        let own = |(i, body): (usize, &Body)| self.lacking(body, &velocity[i], &rate[i], t);
        let mut left: Vec<Row> = self.scene.bodies().iter().enumerate().map(own).collect();
        let mut of_rows = Vec::new();
        for (row, l) in self.joints.rows.iter().zip(lambda) {
            for (body, D) in &row.D {
                (0..6).for_each(|k| left[*body][k] += l * D[k]);
            }
            of_rows.push(prediction.law(row, &velocity, rate, *l, t).2);
        }
        (left, of_rows, parts)
    }

    /// Kinetic energy of the velocities that round-off of places and turns makes in a step, 16 ε |x|/h and 16 ε/h [J].
    fn noise(&self, frames: &[Frame], h: f64) -> f64 {
        let v = 16.0 * f64::EPSILON / h;
        let free = self.scene.bodies().iter().zip(frames).filter(|(body, _)| body.is_free());
        let of = |(body, frame): (&Body, &Frame)| {
            let I = &body.inertia;
            0.5 * v * v * (body.mass * dot(&frame.x, &frame.x) + I[0][0] + I[1][1] + I[2][2])
        };
        free.map(of).sum()
    }

    /// What follows from the last step, and its rates as a first guess.
    fn prediction(&self, before: &[Twist], rates: &[Vec<f64>], t: f64, h: f64) -> (Prediction, Vec<Row>) {
        let n = self.scene.len();
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = self.p;
        let filter = (1.0 - alpha_f) / (1.0 - alpha_m);
        let (gain, reach) = (h * gamma * filter, h * h * beta * filter);
        let zero = || vec![[0.0; 6]; n];
        let (past, v_base, way_base, free) = (zero(), zero(), zero(), vec![true; n]);
        let mut p = Prediction { past, v_base, way_base, free, gain, reach, filter };
        let mut rate = zero();
        for i in 0..n {
            let v = as_row(&before[i]);
            if let Some(end) = self.scene.imposed(i, t) {
                let end = as_row(&end);
                p.free[i] = false;
                p.v_base[i] = end;
                p.way_base[i] = std::array::from_fn(|k| 0.5 * h * (v[k] + end[k]));
                continue;
            }
            let (a_n, rate_n) = (&rates[i][..6], &rates[i][6..12]);
            for k in 0..6 {
                p.past[i][k] = (alpha_f * rate_n[k] - alpha_m * a_n[k]) / (1.0 - alpha_m);
                p.v_base[i][k] = v[k] + h * (1.0 - gamma) * a_n[k] + h * gamma * p.past[i][k];
                p.way_base[i][k] = h * v[k] + h * h * (0.5 - beta) * a_n[k] + h * h * beta * p.past[i][k];
                rate[i][k] = rate_n[k];
            }
        }
        (p, rate)
    }

    /// One Newton increment of the rates and of λ, rows where they are placed; none where the matrix is singular.
    fn increment(
        &mut self,
        prediction: &Prediction,
        velocity: &[Row],
        rates: &[Row],
        lambda: &[f64],
        t: f64,
    ) -> Option<(Vec<Row>, Vec<f64>)> {
        let mut many = self.joints.many.take();
        let found = self.increment_with(&mut many, prediction, (velocity, rates, lambda), t);
        self.joints.many = many;
        found
    }

    /// The same, its rows eliminated by blocks where these are given.
    fn increment_with(
        &self,
        many: &mut Option<Eliminated>,
        prediction: &Prediction,
        (velocity, rates, lambda): (&[Row], &[Row], &[f64]),
        t: f64,
    ) -> Option<(Vec<Row>, Vec<f64>)> {
        let (scene, rows) = (&*self.scene, &self.joints.rows);
        let gain = prediction.gain;
        let n = scene.len();
        // A⁻¹ of each body, and what its equation lacks
        let mut inverses: Vec<Option<(f64, Mat3)>> = vec![None; n];
        let mut delta = vec![[0.0; 6]; n];
        for (i, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            delta[i] = self.lacking(body, &velocity[i], &rates[i], t);
            inverses[i] = Some(inverse_of(body, &as_twist(&velocity[i]).w, gain, scene.is_planar()));
        }
        for (row, l) in rows.iter().zip(lambda) {
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
        let m = lambda.len();
        let mut change = vec![0.0; m];
        if m == 0 {
            return Some((delta, change));
        }
        let responses: Vec<SparseRow> =
            rows.iter().map(|row| row.D.iter().map(|(body, D)| (*body, respond(*body, D))).collect()).collect();
        let mut laws = Vec::with_capacity(m);
        for (r, row) in rows.iter().enumerate() {
            let (weight, own, residual) = prediction.law(row, velocity, rates, lambda[r], t);
            change[r] = -residual - weight * row.rate(&delta);
            laws.push((weight, own));
        }
        match many {
            Some(many) => {
                if !many.factor(rows, |c| Some(&responses[c]), |r| laws[r].0, |r| laws[r].1) {
                    return None;
                }
                many.solve(&mut change);
            }
            None => solve_dense(rows, &responses, &laws, &mut change)?,
        }
        for (response, change) in responses.iter().zip(&change) {
            for (body, x) in response {
                (0..6).for_each(|k| delta[*body][k] += change * x[k]);
            }
        }
        Some((delta, change))
    }

    /// The same where elements join bodies, by the graph of bodies and joints.
    fn increment_of_graph(
        &mut self,
        prediction: &Prediction,
        velocity: &[Row],
        rates: &[Row],
        lambda: &[f64],
        (frames, t): (&[Frame], f64),
    ) -> Option<(Vec<Row>, Vec<f64>)> {
        let mut elements = self.elements.take()?;
        let scene = &*self.scene;
        elements.place(scene, frames);
        let n = scene.len();
        let mut lacking = vec![[0.0; 6]; n];
        let mut own = vec![[[0.0; 6]; 6]; n];
        for (i, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            lacking[i] = self.lacking(body, &velocity[i], &rates[i], t);
            own[i] = own_matrix(body, &as_twist(&velocity[i]).w, prediction.gain);
        }
        for (i, moment) in world_moments(scene, frames, t) {
            (0..3).for_each(|k| lacking[i][3 + k] += moment[k]);
        }
        for span in scene.spans() {
            let [a, b] = span.bodies;
            for k in 0..3 {
                // consistent mass: M v̇ has (μ/6)(v̇_b − v̇_a) more at a, and less at b
                let between = span.coupling * (rates[b][k] - rates[a][k]);
                lacking[a][k] -= between;
                lacking[b][k] += between;
            }
        }
        elements.add_forces(scene, velocity, -1.0, &mut lacking);
        for (row, l) in self.joints.rows.iter().zip(lambda) {
            for (body, D) in &row.D {
                (0..6).for_each(|k| lacking[*body][k] += l * D[k]);
            }
        }
        lacking.iter_mut().for_each(|r| r.iter_mut().for_each(|x| *x = -*x));
        let ways: Vec<Row> = (0..n).map(|i| prediction.way(i, &rates[i])).collect();
        let (mut laws, mut residual) = (Vec::new(), Vec::new());
        for (row, l) in self.joints.rows.iter().zip(lambda) {
            let (weight, own, r) = prediction.law(row, velocity, rates, *l, t);
            laws.push((weight, own));
            residual.push(r);
        }
        let Prediction { gain, reach, .. } = *prediction;
        let matrix = NewtonMatrix { own, ways: &ways, gain, reach, laws };
        let found = elements.direction(scene, &self.joints.rows, &matrix, (&lacking, &residual));
        self.elements = Some(elements);
        found
    }

    /// What the equation of a body lacks: f − drag − gyroscopic − M v̇, without joints.
    fn lacking(&self, body: &Body, velocity: &Row, rate: &Row, t: f64) -> Row {
        let force = axpy(&at(&body.force, t), body.heavy_mass(), &self.scene.gravity());
        let torque = at(&body.torque, t);
        let (Twist { v, w }, Twist { v: a, w: b }) = (as_twist(velocity), as_twist(rate));
        let turning = if body.isotropic { [0.0; 3] } else { cross(&w, &mul(&body.inertia, &w)) };
        let f = sub(&axpy(&force, -body.drag[0], &v), &scale(body.mass, &a));
        let moment = sub(&sub(&axpy(&torque, -body.drag[1], &w), &turning), &mul(&body.inertia, &b));
        [f[0], f[1], f[2], moment[0], moment[1], moment[2]]
    }

    /// Works of dampers, and of fixed and prescribed bodies on springs, with D at q̃ and the mean of the velocities.
    fn spring_works(
        &self,
        before: &[Twist],
        after: &[Row],
        (last, lambda): (&[f64], &[f64]),
        h: f64,
        motion: &mut Motion,
    ) {
        let mean = |(b, a): (&Twist, &Row)| -> Row {
            let b = as_row(b);
            std::array::from_fn(|k| 0.5 * (a[k] + b[k]))
        };
        let mean: Vec<Row> = before.iter().zip(after).map(mean).collect();
        let gamma = self.p.gamma;
        for (r, row) in self.joints.rows.iter().enumerate() {
            let rate = row.rate(&mean);
            let lost = match &row.law {
                RowLaw::Spring { damping, .. } => h * damping * rate * rate,
                RowLaw::Curve(curve) => -h * curve.force(row.c, rate).1 * rate,
                RowLaw::Rigid { .. } | RowLaw::Rate(_) | RowLaw::Force(_) | RowLaw::Servo(_) | RowLaw::Rotor { .. } => {
                    continue;
                }
            };
            let force = (1.0 - gamma) * last[r] + gamma * lambda[r];
            motion.damping -= lost;
            motion.prescribed -= h * force * row.rate_of_prescribed(&self.scene, &mean);
        }
    }

    /// Works of viscosity, and of fixed and prescribed bodies on elements, at q̃ with the mean of the velocities.
    fn element_works(&self, before: &[Twist], after: &[Row], h: f64, motion: &mut Motion) {
        let Some(elements) = &self.elements else { return };
        let mean = |(b, a): (&Twist, &Row)| -> Row {
            let b = as_row(b);
            std::array::from_fn(|k| 0.5 * (a[k] + b[k]))
        };
        let mean: Vec<Row> = before.iter().zip(after).map(mean).collect();
        let (lost, prescribed) = elements.powers(&self.scene, &mean);
        motion.damping -= h * lost;
        motion.prescribed += h * prescribed;
    }

    /// Rates at the start that agree with loads, springs, joints and motors: D v̇ = ω̇ − Ḋ v.
    pub(super) fn start_rates(&mut self, state: &State) -> (Vec<Row>, Vec<f64>, Vec<f64>) {
        self.start_rates_by(state, 1e-6, &[0.5])
    }

    /// The same by differences Σ w_k (f(k e) − f(−k e))/e along the motion.
    pub(super) fn start_rates_by(&mut self, state: &State, e: f64, weights: &[f64]) -> (Vec<Row>, Vec<f64>, Vec<f64>) {
        let scene = Arc::clone(&self.scene);
        let n = scene.len();
        let frames = self.frames(&state.q);
        let twists = self.twists(&state.v, state.t);
        let velocity: Vec<Row> = twists.iter().map(as_row).collect();
        let c: Vec<f64> = self.joints.rows.iter().map(|row| row.value(&frames)).collect();

        // Ḋ v and ω̇ by central differences along the motion
        let size = velocity.iter().flatten().fold(1.0_f64, |m, x| m.max(x.abs()));
        let (e, brief) = (e / size, 1e-6 / size);
        let mut turning = vec![0.0; self.joints.rows.len()];
        let mut there = |s: f64| {
            let mut q = state.q.clone();
            for (i, twist) in twists.iter().enumerate() {
                scene.advance(i, &state.q, s * e, twist, &mut q);
            }
            let there = self.frames(&q);
            self.joints.place(&frames, &c, &there);
            self.joints.rows.iter().map(|row| row.rate(&velocity)).collect::<Vec<f64>>()
        };
        for (k, weight) in weights.iter().enumerate() {
            let s = (k + 1) as f64;
            let (ahead, behind) = (there(s), there(-s));
            for (sum, (a, b)) in turning.iter_mut().zip(ahead.iter().zip(&behind)) {
                *sum += weight * (a - b) / e;
            }
        }
        self.joints.place(&frames, &c, &frames);
        let mut rate = vec![[0.0; 6]; n];
        for (i, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            rate[i] = self.load(body, &twists[i].v, &twists[i].w, state.t);
        }
        let mut lambda = vec![0.0; self.joints.rows.len()];
        for (row, l) in self.joints.rows.iter().zip(&mut lambda) {
            *l = match &row.law {
                RowLaw::Force(f) => f.at(state.t),
                RowLaw::Servo(servo) => servo.force(row.c, row.rate(&velocity), state.t),
                RowLaw::Curve(curve) => curve.force(row.c, row.rate(&velocity)).0,
                RowLaw::Spring { stiffness, damping, rest } => {
                    -stiffness * (row.c - rest) - damping * row.rate(&velocity)
                }
                RowLaw::Rigid { .. } | RowLaw::Rate(_) | RowLaw::Rotor { .. } => 0.0,
            };
            for (body, D) in row.D.iter().filter(|(body, _)| scene.bodies()[*body].is_free()) {
                (0..6).for_each(|k| rate[*body][k] += *l * D[k]);
            }
        }
        if let Some(elements) = &mut self.elements {
            elements.place(&scene, &frames);
            elements.add_forces(&scene, &velocity, -1.0, &mut rate);
            for (i, moment) in world_moments(&scene, &frames, state.t) {
                (0..3).for_each(|k| rate[i][3 + k] += moment[k]);
            }
        }
        let holds = self.joints.hold(&scene, true);
        rate = self.joints.masses.respond_all(&scene, &rate);
        for i in 0..n {
            // prescribed bodies change as prescribed
            if let (Some(a), Some(b)) = (scene.imposed(i, state.t + brief), scene.imposed(i, state.t)) {
                let (a, b) = (as_row(&a), as_row(&b));
                rate[i] = std::array::from_fn(|k| (a[k] - b[k]) / brief);
            }
        }
        if holds {
            let t = state.t;
            let wanted = |r: usize, row: &JointRow| match &row.law {
                RowLaw::Rate(w) => (w.at(t + brief) - w.at(t)) / brief - turning[r],
                RowLaw::Rigid { .. }
                | RowLaw::Force(_)
                | RowLaw::Servo(_)
                | RowLaw::Spring { .. }
                | RowLaw::Curve(_)
                | RowLaw::Rotor { .. } => -turning[r],
            };
            self.joints.project(&mut rate, &mut lambda, wanted);
            self.joints.unweighted(&vec![[0.0; 6]; n], &mut lambda, wanted);
        }
        (rate, lambda, c)
    }
}

/// x ← S⁻¹x, S_rj = weight_r D_r A⁻¹D_jᵀ and own_r on the diagonal; none where it is singular.
fn solve_dense(rows: &[JointRow], responses: &[SparseRow], laws: &[(f64, f64)], x: &mut [f64]) -> Option<()> {
    let mut S = DenseMatrix::zeros(rows.len(), rows.len());
    for (r, (row, (weight, own))) in rows.iter().zip(laws).enumerate() {
        for (j, response) in responses.iter().enumerate() {
            let of = |body: usize| row.D.iter().find(|(other, _)| *other == body);
            let sum: f64 = response.iter().filter_map(|(body, x)| of(*body).map(|(_, D)| product(D, x))).sum();
            S.set(r, j, weight * sum);
        }
        let pivot = S.get(r, r);
        let lifted = if *own == 0.0 && pivot > 0.0 { pivot * (1.0 + LIFT) } else { pivot + own };
        S.set(r, r, if lifted > 0.0 { lifted } else { 1.0 });
    }
    Factor::lu(&Matrix::Dense(S)).ok()?.solve(x);
    Some(())
}

/// m + gain c and I + gain (∂(w × I w)/∂w + c).
fn own_matrix(body: &Body, w: &[f64; 3], gain: f64) -> [Row; 6] {
    let mut A = [[0.0; 6]; 6];
    let J = turning_matrix(body, w, gain);
    for k in 0..3 {
        A[k][k] = body.mass + gain * body.drag[0];
        (0..3).for_each(|c| A[3 + k][3 + c] = J[k][c]);
    }
    A
}

/// 1/(m + gain c) and (I + gain (∂(w × I w)/∂w + c))⁻¹; of links without mass by their stand-ins, which iterations take out.
fn inverse_of(body: &Body, w: &[f64; 3], gain: f64, planar: bool) -> (f64, Mat3) {
    let [c, c_w] = body.drag;
    let inverse = if planar {
        let mut inverse = [[0.0; 3]; 3];
        inverse[2][2] = 1.0 / (body.divisor().1[2][2] + gain * c_w);
        inverse
    } else if body.stand_in.is_some() {
        body.inverse_inertia
    } else {
        turning_inverse(body, w, gain).unwrap_or(body.inverse_inertia)
    };
    (1.0 / (body.divisor().0 + gain * c), inverse)
}
