//! Residuals of a step, and what the joints measure on its way.

use crate::bodies::joint_system::{Geometric, JointSystem, Push, RowTerm, row_dot};
use crate::bodies::theta_step::{BodiesStart, mean_twist, passage};
use percussion_model::bodies::math::{Vec3, add, axpy, cross, dot, mul, mul_t};
use percussion_model::bodies::measure::{Measure, Passage};
use percussion_model::bodies::{RowLaw, Twist};
use percussion_model::flexible::mean_frame::body_moment;
use std::sync::Arc;

impl JointSystem {
    /// The ways of the bodies through the step to velocities v₁.
    pub fn go(&mut self, from: &BodiesStart, after: &[Twist]) {
        let (h, theta, scene) = (from.h, self.theta, &*self.scene);
        self.frames.clear();
        self.passages.clear();
        for (i, body) in scene.bodies().iter().enumerate() {
            if self.of_body[i].1 == 0 && !body.is_free() && from.before[i] == Twist::default() {
                self.frames.push(from.frames[i]);
                self.passages.push(Passage::resting(&from.frames[i]));
                continue;
            }
            let mean = mean_twist(body, (&from.before[i], &after[i]), theta, h);
            let way = passage(scene, i, &from.frames[i], from.q, &mean, h);
            self.frames.push(way.ends[1]);
            self.passages.push(way);
        }
    }

    /// Residuals for the ways of the bodies, reactions λ and contact impulses already summed into `push`; with `full` also N and what
    /// `factor` needs.
    pub fn evaluate(&mut self, from: &BodiesStart, after: &[Twist], lambda: &[f64], push: &Push, full: bool) {
        let (h, theta) = (from.h, self.theta);
        let scene = Arc::clone(&self.scene);

        self.left_of_bodies(from, after, push);
        if !scene.spans().is_empty() {
            self.add_elements(from, after, full);
            self.add_bending(from, after);
        }
        self.add_solids(h);

        // rows
        for e in &mut self.entries {
            e.D = [0.0; 6];
        }
        if full {
            for e in &mut self.entries {
                e.N = [0.0; 6];
            }
            for (G, moment) in self.geometric.iter_mut().zip(&push.moments) {
                *G = Geometric { moment: *moment, ..Default::default() };
            }
            for (i, _) in scene.world_moments() {
                let given = mul_t(&from.frames[*i].R, &from.wrenches[*i].world_moment);
                self.geometric[*i].moment = axpy(&push.moments[*i], h, &given);
            }
        }
        for (r, row) in self.rows.iter().enumerate() {
            let mut c = 0.0;
            let mut start = 0.0;
            for RowTerm { term, entries } in &row.terms {
                let [a, b] = term.bodies;
                let (pa, pb) = (&self.passages[a], &self.passages[b]);
                let of = if let RowLaw::Rotor { .. } = row.law {
                    term.measure.rotor_row(pa, pb)
                } else {
                    term.measure.row(pa, pb)
                };
                let f = term.factor;
                if let Measure::Angle { .. } = term.measure {
                    let c0 = term.measure.value(&pa.ends[0], &pb.ends[0]);
                    start += f * c0;
                    c += f * term.measure.value_after(c0, &pa.ends[1], &pb.ends[1]);
                } else {
                    start += f * term.measure.value(&pa.ends[0], &pb.ends[0]);
                    c += f * term.measure.value(&pa.ends[1], &pb.ends[1]);
                }
                let end = if full { Some(term.measure.gradient(&pa.ends[1], &pb.ends[1])) } else { None };
                for side in 0..2 {
                    let e = &mut self.entries[entries[side]];
                    for k in 0..6 {
                        e.D[k] += f * of.rows[side][k];
                    }
                    let Some(end) = &end else { continue };
                    let p = if side == 0 { pa } else { pb };
                    let g = &end[side];
                    let turned = mul_t(&p.end_turn, &[g[3], g[4], g[5]]);
                    for k in 0..3 {
                        e.N[k] += f * g[k];
                        e.N[3 + k] += f * turned[k];
                    }
                    let G = &mut self.geometric[term.bodies[side]];
                    for (arm, y) in &of.arms[side] {
                        // [z][r] = r zᵀ − (r·z) 1
                        let z = mul_t(&p.ends[1].R, y);
                        let (weight, along) = (f * lambda[r], dot(arm, &z));
                        for i in 0..3 {
                            for j in 0..3 {
                                G.arms[i][j] += weight * arm[i] * z[j];
                            }
                            G.arms[i][i] -= weight * along;
                        }
                        let moment = mul_t(&p.ends[0].R, &p.spatial_moment(arm, y));
                        G.moment = axpy(&G.moment, weight, &moment);
                    }
                }
            }
            // angles may have turned more than once before: only the change is known from the frames
            self.c_end[r] = self.c_start[r] + (c - start);
            self.rate[r] = 0.0;
            self.rate_end[r] = 0.0;
        }

        // reactions on bodies and rates of rows
        for (i, &(first, n)) in self.of_body.iter().enumerate() {
            if n == 0 {
                continue;
            }
            let (b, a) = (&from.before[i], &after[i]);
            let mean = mean_twist(&scene.bodies()[i], (b, a), theta, h);
            let r = &mut self.r_body[i];
            for e in &self.entries[first..first + n] {
                let l = lambda[e.row];
                for k in 0..6 {
                    r[k] -= l * e.D[k];
                }
                self.rate[e.row] += row_dot(&e.D, &mean);
                self.rate_end[e.row] += row_dot(&e.D, a);
            }
        }
        self.left_of_rows(from, after, lambda);
    }

    /// Residuals of the equations of motion without reactions.
    fn left_of_bodies(&mut self, from: &BodiesStart, after: &[Twist], push: &Push) {
        let (h, theta) = (from.h, self.theta);
        for (i, body) in self.scene.bodies().iter().enumerate() {
            let r = &mut self.r_body[i];
            *r = [0.0; 6];
            if body.is_free() {
                let (b, a, way) = (&from.before[i], &after[i], &self.passages[i]);
                let mean = mean_twist(body, (b, a), theta, h);
                let [c, c_w] = body.drag;
                let wrench = &from.wrenches[i];
                let Iw = mul(&body.inertia, &mean.w);
                let gyroscopic = if body.isotropic { [0.0; 3] } else { cross(&mean.w, &Iw) };
                // a moment that turns with the body is R̄τ in space
                let moment = if body.isotropic && wrench.moment != [0.0; 3] {
                    mul_t(&way.ends[0].R, &mul(&way.R, &wrench.moment))
                } else {
                    wrench.moment
                };
                let moment = if wrench.world_moment == [0.0; 3] {
                    moment
                } else {
                    add(&moment, &body_moment(&way.ends[0].R, &way.tilt, &wrench.world_moment))
                };
                let dw: Vec3 = std::array::from_fn(|k| a.w[k] - b.w[k]);
                let Idw = mul(&body.inertia, &dw);
                let push = &push.impulses[i];
                for k in 0..3 {
                    r[k] = body.mass * (a.v[k] - b.v[k]) - h * (wrench.force[k] - c * mean.v[k]) - push[k];
                    r[3 + k] = Idw[k] + h * (gyroscopic[k] - moment[k] + c_w * mean.w[k]) - push[3 + k];
                }
            }
        }
    }

    /// Residuals of the rows, with c and rates of this evaluation.
    fn left_of_rows(&mut self, from: &BodiesStart, after: &[Twist], lambda: &[f64]) {
        let (h, theta) = (from.h, self.theta);
        self.bent = false;
        for (r, row) in self.rows.iter().enumerate() {
            self.r_row[r] = match &row.law {
                RowLaw::Rigid { target } => (self.c_end[r] - target) / h,
                RowLaw::Rate(w) => theta * (self.rate_end[r] - w.at(from.t + h)),
                RowLaw::Force(f) => lambda[r] - h * ((1.0 - theta) * f.at(from.t) + theta * f.at(from.t + h)),
                RowLaw::Servo(servo) => {
                    let (impulse, slope) = servo.over_step([self.c_start[r], self.c_end[r]], from.t, h);
                    self.bent |= slope != self.slope[r];
                    self.slope[r] = slope;
                    lambda[r] - impulse
                }
                RowLaw::Curve(curve) => {
                    let step = curve.over_step([self.c_start[r], self.c_end[r]], h);
                    self.bent |= (step.slope - self.slope[r]).abs() > 0.1 * (step.slope.abs() + self.slope[r].abs());
                    self.slope[r] = step.slope;
                    lambda[r] - step.impulse
                }
                RowLaw::Rotor { inertia } => {
                    self.slope[r] = *inertia;
                    lambda[r] + inertia * self.change_of_rate(r, from, after)
                }
                RowLaw::Spring { stiffness, damping, rest } => {
                    let mean = 0.5 * (self.c_start[r] + self.c_end[r]);
                    lambda[r] + h * stiffness * (mean - rest) + damping * (self.c_end[r] - self.c_start[r])
                }
            };
        }
    }

    /// Whether a law that is not linear has another slope than at the evaluation before: its factors are those of another law.
    pub fn is_bent(&self) -> bool {
        self.bent
    }

    /// D v_θ of every row, with D of the last evaluation.
    pub fn rates(&mut self, from: &BodiesStart, after: &[Twist]) {
        self.rate.fill(0.0);
        for (i, &(first, n)) in self.of_body.iter().enumerate().filter(|(_, of)| of.1 > 0) {
            let mean = mean_twist(&self.scene.bodies()[i], (&from.before[i], &after[i]), self.theta, from.h);
            for e in &self.entries[first..first + n] {
                self.rate[e.row] += row_dot(&e.D, &mean);
            }
        }
    }
}
