//! Works of joints, motors and springs over a step.

use crate::bodies::joint_system::{JointSystem, row_dot};
use crate::bodies::theta_step::{BodiesStart, middle};
use percussion_model::bodies::{RowLaw, Twist};

/// Works of joints, motors and springs over a step [J].
#[derive(Clone, Copy, Debug, Default)]
pub struct RowWorks {
    /// Of rigid rows.
    pub joints: f64,
    /// Of motors, and of the hands that move bodies.
    pub external: f64,
    /// Of motors alone.
    pub motors: f64,
    /// Of dampers.
    pub damping: f64,
    /// Potential lost less work done.
    pub numerical: f64,
}

impl JointSystem {
    /// Works of the rows for reactions λ: (joints, external, dampers, what free bodies got from told ones is external).
    pub fn works(&self, from: &BodiesStart, after: &[Twist], lambda: &[f64]) -> RowWorks {
        let mut works = RowWorks::default();
        for (r, row) in self.rows.iter().enumerate() {
            let work = lambda[r] * self.rate[r];
            match &row.law {
                RowLaw::Rigid { .. } => works.joints += work,
                RowLaw::Rate(_) | RowLaw::Force(_) => {
                    works.external += work;
                    works.motors += work;
                }
                RowLaw::Spring { stiffness, rest, .. } => {
                    let change = self.c_end[r] - self.c_start[r];
                    let mean = 0.5 * (self.c_end[r] + self.c_start[r]);
                    // what the spring gave up went to the potential; where D is not exact the rest is numerical
                    let elastic = -stiffness * (mean - rest) * change;
                    let share = if lambda[r] == 0.0 { 1.0 } else { -from.h * stiffness * (mean - rest) / lambda[r] };
                    works.damping += work * (1.0 - share);
                    works.numerical += elastic - work * share;
                }
            }
        }
        for (i, &(first, n)) in self.of_body.iter().enumerate() {
            if self.inverse[i].0 > 0.0 || n == 0 {
                continue;
            }
            let (b, a) = (&from.before[i], &after[i]);
            let mean = Twist { v: middle(&b.v, &a.v, self.theta), w: middle(&b.w, &a.w, self.theta) };
            for e in &self.entries[first..first + n] {
                works.external -= lambda[e.row] * row_dot(&e.D, &mean);
            }
        }
        works
    }
}
