//! Residuals of a step, and what the joints measure on its way.

use crate::bodies::joint_system::pieces::{Piece, Ways, Written, axis, place};
use crate::bodies::joint_system::{Geometric, JointSystem, Push, Row, RowTerm, row_dot};
use crate::bodies::theta_step::{BodiesStart, mean_twist, passage};
use percussion_model::bodies::math::{IDENTITY, Vec3, add, axpy, cross, mul, mul_t, scale};
use percussion_model::bodies::measure::Passage;
use percussion_model::bodies::{RowLaw, Twist};
use percussion_model::flexible::mean_frame::{body_moment, inverse_mean};
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
        let h = from.h;
        let scene = Arc::clone(&self.scene);

        self.left_of_bodies(from, after, push);
        if !scene.spans().is_empty() {
            self.add_elements(from, after, full);
            self.add_bending(from, after);
        }
        self.add_solids(h);

        if full {
            for (G, moment) in self.geometric.iter_mut().zip(&push.moments) {
                *G = Geometric { moment: *moment, ..Default::default() };
            }
            for (i, _) in scene.world_moments() {
                let given = mul_t(&from.frames[*i].R, &from.wrenches[*i].world_moment);
                self.geometric[*i].moment = axpy(&push.moments[*i], h, &given);
            }
        }
        self.read_rows(lambda, full);

        // reactions on bodies and rates of rows
        for (i, &(first, n)) in self.of_body.iter().enumerate() {
            if n == 0 {
                continue;
            }
            let r = &mut self.r_body[i];
            for e in &self.entries[first..first + n] {
                let l = lambda[e.row];
                for k in 0..6 {
                    r[k] -= l * e.D[k];
                }
            }
        }
        if self.speaks_of_rates {
            self.rate_end.fill(0.0);
            for (&(first, n), a) in self.of_body.iter().zip(after) {
                for e in &self.entries[first..first + n] {
                    self.rate_end[e.row] += row_dot(&e.D, a);
                }
            }
        }
        if !full || self.takes_back.is_some() {
            self.rates(from, after);
        }
        self.left_of_rows(from, after, lambda);
    }

    /// D of every row and c at the end of the step; with `full` also N and how moments turn with their bodies.
    fn read_rows(&mut self, lambda: &[f64], full: bool) {
        let Self { pieces, rows, passages, back, entries, geometric, c_start, c_end, of_body, .. } = self;
        back.clear();
        back.extend(passages.iter().zip(of_body.iter()).map(|(way, of)| match of.1 {
            0 => IDENTITY,
            _ => inverse_mean(&way.ends[0].R, &way.tilt),
        }));
        let ways = Ways { passages, back };
        let mut to = Written { entries, geometric, grown: c_end };
        let reactions = full.then_some(lambda);
        for piece in pieces.iter() {
            match piece {
                Piece::Place { row, count, at, points } => place((*row, *count), at, points, ways, reactions, &mut to),
                Piece::Axis { row, at, directions, axis: z } => {
                    axis(*row, at, (directions, z), ways, reactions, &mut to);
                }
                Piece::Single(r) => single(*r, &rows[*r], ways.passages, reactions, &mut to),
            }
        }
        // angles may have turned more than once before: only the change is known from the frames
        c_end.iter_mut().zip(c_start).for_each(|(c, start)| *c += *start);
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
                RowLaw::Rigid { target } => match self.takes_back {
                    None => (self.c_end[r] - target) / h,
                    Some(most) => self.rate[r] + (self.c_start[r] - target).clamp(-most, most) / h,
                },
                RowLaw::Rate(w) => theta * (self.rate_end[r] - w.at(from.t + h)),
                RowLaw::Force(f) => lambda[r] - h * ((1.0 - theta) * f.at(from.t) + theta * f.until(from.t + h)),
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

/// D of a row and how it grows; with reactions N too, and how its moments turn.
fn single(r: usize, row: &Row, passages: &[Passage], lambda: Option<&[f64]>, to: &mut Written) {
    for entry in row.terms.iter().flat_map(|t| t.entries) {
        let e = &mut to.entries[entry];
        e.D = [0.0; 6];
        if lambda.is_some() {
            e.N = [0.0; 6];
        }
    }
    let (mut start, mut c) = (0.0, 0.0);
    for RowTerm { term, entries } in &row.terms {
        let [a, b] = term.bodies;
        let (pa, pb) = (&passages[a], &passages[b]);
        let of =
            if let RowLaw::Rotor { .. } = row.law { term.measure.rotor_row(pa, pb) } else { term.measure.row(pa, pb) };
        let f = term.factor;
        let c0 = term.measure.value(&pa.ends[0], &pb.ends[0]);
        start += f * c0;
        c += f * term.measure.value_after(c0, &pa.ends[1], &pb.ends[1]);
        let end = lambda.map(|lambda| (term.measure.gradient(&pa.ends[1], &pb.ends[1]), lambda[r]));
        for side in 0..2 {
            let e = &mut to.entries[entries[side]];
            for k in 0..6 {
                e.D[k] += f * of.rows[side][k];
            }
            let Some((end, lambda)) = &end else { continue };
            let (p, g) = ([pa, pb][side], &end[side]);
            let turned = mul_t(&p.end_turn, &[g[3], g[4], g[5]]);
            for k in 0..3 {
                e.N[k] += f * g[k];
                e.N[3 + k] += f * turned[k];
            }
            let G = &mut to.geometric[term.bodies[side]];
            for (arm, y) in of.arms[side].iter().filter(|(_, y)| *y != [0.0; 3]) {
                let y = scale(f * lambda, y);
                G.add(p, arm, &y, &p.spatial_moment(arm, &y));
            }
        }
    }
    to.grown[r] = c - start;
}
