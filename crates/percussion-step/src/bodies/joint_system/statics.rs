//! Bodies at rest: what acts on them, and the rows of what holds them.
//!
//!   r(q, λ) = F_elements − loads − Σ_springs Dᵀλ − Dᵀλ,    λ of a spring −k (c − rest), of rows that hold as given

use crate::bodies::joint_system::{JointSystem, Push};
use crate::bodies::spin::Wrench;
use crate::bodies::theta_step::BodiesStart;
use percussion_model::bodies::measure::BodyRow;
use percussion_model::bodies::{Frame, RowLaw, Twist};

impl JointSystem {
    /// r at the places q under loads of time t, with reactions λ of the rows that hold; those of springs and motors of force are
    /// written over.
    pub fn at_rest(&mut self, q: &[f64], t: f64, wrenches: &[Wrench], lambda: &mut [f64]) -> &[BodyRow] {
        let n = self.scene.len();
        let frames: Vec<Frame> = (0..n).map(|i| self.scene.frame(i, q)).collect();
        let still = vec![Twist::default(); n];
        let mut values = Vec::new();
        self.values(&frames, &mut values);
        for ((row, value), l) in self.rows.iter().zip(&values).zip(lambda.iter_mut()) {
            match &row.law {
                RowLaw::Rigid { .. } | RowLaw::Rate(_) => {}
                RowLaw::Force(force) => *l = force.at(t),
                RowLaw::Rotor { .. } => *l = 0.0,
                RowLaw::Curve(curve) => *l = curve.force(*value, 0.0).0,
                RowLaw::Servo(servo) => *l = servo.force(*value, 0.0, t),
                RowLaw::Spring { stiffness, rest, .. } => *l = -stiffness * (value - rest),
            }
        }
        self.c_start.copy_from_slice(&values);
        let from = BodiesStart { q, frames: &frames, before: &still, wrenches, t, h: 1.0 };
        self.go(&from, &still);
        self.evaluate(&from, &still, lambda, &Push::none(n), false);
        &self.r_body
    }

    /// The rows that hold at the last evaluation, each as (body, row) pairs with its number.
    pub fn holding_rows(&self) -> Vec<(usize, Vec<(usize, BodyRow)>)> {
        let mut held: Vec<(usize, Vec<(usize, BodyRow)>)> =
            (0..self.rows.len()).filter(|&r| self.rows[r].law.holds()).map(|r| (r, Vec::new())).collect();
        for (i, &(first, n)) in self.of_body.iter().enumerate() {
            for e in &self.entries[first..first + n] {
                if let Ok(k) = held.binary_search_by_key(&e.row, |(r, _)| *r) {
                    held[k].1.push((i, e.D));
                }
            }
        }
        held
    }
}
