//! Newton directions of all unknowns at once, for joints that depend on each other and places where they nearly do.
//!
//!   [ ∂r_body/∂v₁   −Dᵀ ] [ δv   ]     [ r_body + Dᵀλ ]
//!   [ ∂r_row/∂v₁     E  ] [ λ₊   ] = − [ r_row − E λ  ]        E = 1 on springs and forces, else 0
//!
//! Every derivative is there, also how reactions turn with the other body, by central differences. The equations are solved by an
//! orthogonal factorisation with pivots: it sees the rank of the rows themselves where S = θ N A⁻¹Dᵀ sees its square. Of dependent
//! reactions the new values λ₊ of some are zero, so none grows from step to step. Slower by orders than the elimination: the
//! ladder comes here only when that has not arrived.

use crate::bodies::joint_system::{JointSystem, Push};
use crate::bodies::theta_step::BodiesStart;
use percussion_matrix::PivotedQr;
use percussion_model::bodies::math::norm;
use percussion_model::bodies::measure::BodyRow;
use percussion_model::bodies::{RowLaw, Twist};

/// Unknowns up to which the equations are formed.
const LARGEST: usize = 400;
/// Part of a body's size, and angle, by which ends of the step are moved for differences.
const NUDGE: f64 = 1e-5;
/// Part of the largest column under which a column depends on the others.
const DEPENDENT: f64 = 1e-11;

/// Parts of lengths, speeds and impulses that count as their round-off.
const SHARP: f64 = 1e-14;

/// The equations of all unknowns.
#[derive(Clone, Debug, Default)]
pub struct FullNewton {
    qr: PivotedQr,
    /// Body and component of each velocity.
    columns: Vec<(usize, usize)>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    /// D by columns of velocities and rows.
    reactions: Vec<f64>,
    rhs: Vec<f64>,
    x: Vec<f64>,
}

impl JointSystem {
    /// Whether the equations of all unknowns are few enough to be formed.
    pub fn fits_full_newton(&self) -> bool {
        let free = self.scene.bodies().iter().filter(|body| body.is_free()).count();
        self.rows.len() + free * if self.scene.is_planar() { 3 } else { 6 } <= LARGEST
    }

    /// Forms and factorises the equations of all unknowns at v₁, λ; the system is left evaluated there.
    pub fn factor_fully(&mut self, from: &BodiesStart, after: &mut [Twist], lambda: &[f64], push: &Push) {
        let mut full = std::mem::take(&mut self.full);
        let used: &[usize] = if self.scene.is_planar() { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
        full.columns.clear();
        for (i, _) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            full.columns.extend(used.iter().map(|&k| (i, k)));
        }
        let (n, m) = (full.columns.len(), self.rows.len());
        let size = n + m;
        let matrix = full.qr.reset(size, size);
        for (j, &(body, k)) in full.columns.iter().enumerate() {
            let reach = self.scene.bodies()[body].reach;
            let length = if reach > 0.0 && reach.is_finite() { reach } else { 1.0 };
            let nudge = NUDGE / (from.h * self.theta) * if k < 3 { length } else { 1.0 };
            let at = component(&mut after[body], k);
            let kept = *at;
            for sign in [1.0, -1.0] {
                *component(&mut after[body], k) = kept + sign * nudge;
                self.go(from, after);
                self.evaluate(from, after, lambda, push, false);
                let column = &mut matrix[j * size..(j + 1) * size];
                for (to, &(b, c)) in column.iter_mut().zip(&full.columns) {
                    *to += sign * self.r_body[b][c] / (2.0 * nudge);
                }
                for (to, r) in column[n..].iter_mut().zip(&self.r_row) {
                    *to += sign * r / (2.0 * nudge);
                }
            }
            *component(&mut after[body], k) = kept;
        }
        self.go(from, after);
        self.evaluate(from, after, lambda, push, true);
        full.reactions.clear();
        full.reactions.resize(n * m, 0.0);
        for (r, &(body, c)) in full.columns.iter().enumerate() {
            let (first, count) = self.of_body[body];
            for e in &self.entries[first..first + count] {
                matrix[(n + e.row) * size + r] = -e.D[c];
                full.reactions[e.row * n + r] = e.D[c];
            }
        }
        for (r, row) in self.rows.iter().enumerate() {
            if !row.law.holds() {
                matrix[(n + r) * size + n + r] = 1.0;
            }
        }
        full.balance(size);
        full.qr.factorise(DEPENDENT);
        self.full = full;
    }

    /// The direction at the last evaluation.
    pub fn full_direction(&mut self, lambda: &[f64], dv: &mut [BodyRow], dl: &mut [f64]) {
        let mut full = std::mem::take(&mut self.full);
        let n = full.columns.len();
        full.rhs.clear();
        full.rhs.extend(full.columns.iter().map(|&(b, c)| -self.r_body[b][c]));
        for (r, &l) in lambda.iter().enumerate() {
            for k in 0..n {
                full.rhs[k] -= full.reactions[r * n + k] * l;
            }
            full.rhs.push(if self.rows[r].law.holds() { 0.0 } else { l } - self.r_row[r]);
        }
        full.solve(dv, dl);
        dl.iter_mut().zip(lambda).for_each(|(d, l)| *d -= l);
        self.full = full;
    }

    /// How velocities and reactions answer a unit impulse along a row on two bodies.
    pub fn full_answer(&mut self, bodies: [usize; 2], rows: &[BodyRow; 2], dv: &mut [BodyRow], dl: &mut [f64]) {
        let mut full = std::mem::take(&mut self.full);
        full.rhs.clear();
        let part = |b: usize, c: usize| (0..2).filter(|&s| bodies[s] == b).map(|s| rows[s][c]).sum::<f64>();
        full.rhs.extend(full.columns.iter().map(|&(b, c)| part(b, c)));
        full.rhs.resize(full.columns.len() + self.rows.len(), 0.0);
        full.solve(dv, dl);
        self.full = full;
    }

    /// Whether all that is left of the equations is round-off: where the rows of the end are singular, velocities are not sharper
    /// than the root of it, and need not be.
    pub fn at_round_off(&self, from: &BodiesStart, after: &[Twist], lambda: &[f64]) -> bool {
        let (mut speed, mut length) = (0.0_f64, 0.0_f64);
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(i, _)| self.of_body[*i].1 > 0) {
            let reach = if body.reach.is_finite() { body.reach } else { 0.0 };
            length = length.max(norm(&from.frames[i].x) + reach);
            speed = speed.max(norm(&after[i].v) + norm(&after[i].w) * reach.max(1.0));
        }
        for (r, row) in self.rows.iter().enumerate() {
            let allowed = match &row.law {
                RowLaw::Rigid { .. } => SHARP * length / from.h,
                RowLaw::Rate(_) => SHARP * speed,
                RowLaw::Force(_) | RowLaw::Servo(_) | RowLaw::Curve(_) | RowLaw::Spring { .. } => {
                    SHARP * lambda[r].abs()
                }
                RowLaw::Rotor { inertia } => SHARP * (lambda[r].abs() + inertia * speed),
            };
            if self.r_row[r].abs() > allowed {
                return false;
            }
        }
        for (i, body) in self.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
            let (first, count) = self.of_body[i];
            let wrench = &from.wrenches[i];
            let mut pull = from.h * norm(&wrench.force) + body.mass * (norm(&from.before[i].v) + norm(&after[i].v));
            let inertia = (0..3).map(|k| body.inertia[k][k]).sum::<f64>();
            let mut twist = from.h * norm(&wrench.moment) + inertia * (norm(&from.before[i].w) + norm(&after[i].w));
            for e in &self.entries[first..first + count] {
                pull += lambda[e.row].abs() * norm(&[e.D[0], e.D[1], e.D[2]]);
                twist += lambda[e.row].abs() * norm(&[e.D[3], e.D[4], e.D[5]]);
            }
            let r = &self.r_body[i];
            if norm(&[r[0], r[1], r[2]]) > SHARP * pull || norm(&[r[3], r[4], r[5]]) > SHARP * twist {
                return false;
            }
        }
        true
    }

    /// The sum of squares of what is left of the equations, each against its own coefficients.
    pub fn left(&self) -> f64 {
        let full = &self.full;
        let n = full.columns.len();
        let bodies = full.columns.iter().zip(&full.row_scale).map(|(&(b, c), s)| (self.r_body[b][c] * s).powi(2));
        let rows = self.r_row.iter().zip(&full.row_scale[n..]).map(|(r, s)| (r * s).powi(2));
        bodies.sum::<f64>() + rows.sum::<f64>()
    }
}

impl FullNewton {
    /// Rows and columns of like size.
    fn balance(&mut self, size: usize) {
        let n = self.columns.len();
        self.row_scale.clear();
        self.column_scale.clear();
        let matrix = self.qr.values_mut();
        let inverse = |x: f64| if x > 0.0 { 1.0 / x } else { 1.0 };
        // reactions are not yet of the size of velocities
        for i in 0..size {
            let largest = (0..if i < n { n } else { size }).fold(0.0_f64, |s, j| s.max(matrix[j * size + i].abs()));
            self.row_scale.push(inverse(largest));
        }
        for column in matrix.chunks_exact_mut(size) {
            column.iter_mut().zip(&self.row_scale).for_each(|(x, s)| *x *= s);
            let norm = column.iter().map(|x| x * x).sum::<f64>().sqrt();
            let scale = inverse(norm);
            column.iter_mut().for_each(|x| *x *= scale);
            self.column_scale.push(scale);
        }
    }

    fn solve(&mut self, dv: &mut [BodyRow], dl: &mut [f64]) {
        let n = self.columns.len();
        self.rhs.iter_mut().zip(&self.row_scale).for_each(|(x, s)| *x *= s);
        self.x.clear();
        self.x.resize(self.rhs.len(), 0.0);
        self.qr.solve(&mut self.rhs, &mut self.x);
        self.x.iter_mut().zip(&self.column_scale).for_each(|(x, s)| *x *= s);
        dv.fill([0.0; 6]);
        for (&(body, c), x) in self.columns.iter().zip(&self.x) {
            dv[body][c] = *x;
        }
        dl.copy_from_slice(&self.x[n..]);
    }
}

fn component(twist: &mut Twist, k: usize) -> &mut f64 {
    if k < 3 { &mut twist.v[k] } else { &mut twist.w[k - 3] }
}
