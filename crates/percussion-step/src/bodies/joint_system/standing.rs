//! The joints held where bodies stand: what impulses do there, and how velocities across rigid rows are changed.
//!
//!   S = θ D A⁻¹Dᵀ of the rows at the frames, springs weighted as in a step of length h, not at all for h = 0

use crate::bodies::joint_system::{JointSystem, Push, row_dot};
use crate::bodies::spin::Wrench;
use crate::bodies::theta_step::BodiesStart;
use percussion_model::bodies::{Frame, RowLaw, Twist};

impl JointSystem {
    /// Factorises there; false where that cannot be. `twists` are the velocities with which hands and drives work, see `told`.
    pub fn stand(&mut self, q: &[f64], frames: &[Frame], twists: &[Twist], t: f64, h: f64) -> bool {
        let n = frames.len();
        let (still, wrenches) = (vec![Twist::default(); n], vec![Wrench::default(); n]);
        let from = BodiesStart { q, frames, before: &still, wrenches: &wrenches, t, h };
        self.go(&from, &still);
        self.evaluate(&from, &still, &vec![0.0; self.rows.len()], &Push::none(n), true);
        let free = |i: usize| self.scene.bodies()[i].is_free();
        let mut told = self.rates_of(|i| if free(i) { Twist::default() } else { twists[i] });
        let rates = self.rates_of(|i| twists[i]);
        for (r, row) in self.rows.iter().enumerate() {
            if let RowLaw::Rate(_) = &row.law {
                told[r] = -rates[r];
            }
        }
        self.told = told;
        self.factor(&from, &still)
    }

    /// D v of every row as it stands.
    pub fn rates_of(&self, twist: impl Fn(usize) -> Twist) -> Vec<f64> {
        let mut rates = vec![0.0; self.rows.len()];
        for (i, &(first, count)) in self.of_body.iter().enumerate() {
            let twist = twist(i);
            for e in &self.entries[first..first + count] {
                rates[e.row] += row_dot(&e.D, &twist);
            }
        }
        rates
    }

    /// The law of a row.
    pub fn law(&self, r: usize) -> &RowLaw {
        &self.rows[r].law
    }
}
