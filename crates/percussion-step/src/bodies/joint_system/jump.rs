//! Drives that do not fit the velocities at the start of a run: they jump, and the motor's impulse is booked.
//!
//!   S λ = θ (ω − J v),    v⁺ = v + A⁻¹Jᵀλ,    W = ½ v⁺·M v⁺ − ½ v·M v
//!
//! A speed that is told at the end of the first step only would leave every angle ωh/2 behind for good.

use crate::bodies::joint_system::JointSystem;
use crate::bodies::momentum::{MomentumBook, Source};
use percussion_model::bodies::math::{mul, scale};
use percussion_model::bodies::{Frame, RowLaw, Twist};

/// Part of the speed asked for by which a drive may miss it.
const FITS: f64 = 1e-9;

impl JointSystem {
    /// Whether any row asks for a speed.
    pub fn has_drives(&self) -> bool {
        self.rows.iter().any(|row| matches!(row.law, RowLaw::Rate(_)))
    }

    /// Velocities as the drives ask for them at t, in place of those before; the impulses of rows, none where the drives fit.
    pub fn jump(&mut self, t: f64, q: &[f64], frames: &[Frame], before: &mut [Twist]) -> Option<Vec<f64>> {
        let still = vec![Twist::default(); frames.len()];
        if !self.stand(q, frames, &still, t, 0.0) {
            return None;
        }
        let rate = self.rates_of(|i| before[i]);
        let (mut lambda, mut fits) = (vec![0.0; self.rows.len()], true);
        for (r, row) in self.rows.iter().enumerate() {
            lambda[r] = match &row.law {
                RowLaw::Rigid { .. } => -self.theta * rate[r],
                RowLaw::Rate(w) => {
                    fits &= (w.at(t) - rate[r]).abs() <= FITS * w.at(t).abs();
                    self.theta * (w.at(t) - rate[r])
                }
                RowLaw::Force(_)
                | RowLaw::Servo(_)
                | RowLaw::Spring { .. }
                | RowLaw::Curve(_)
                | RowLaw::Rotor { .. } => 0.0,
            };
        }
        if fits {
            return None;
        }
        self.react(&mut lambda, |i, dv| {
            for k in 0..3 {
                before[i].v[k] += dv[k];
                before[i].w[k] += dv[3 + k];
            }
        });
        Some(lambda)
    }

    /// Books the impulses of a jump, for the rows it left behind.
    pub fn book_jump(&self, lambda: &[f64], book: &mut MomentumBook) {
        let free = |i: usize| self.inverse[i].0 > 0.0;
        for (i, &(first, count)) in
            self.of_body.iter().enumerate().filter(|(i, _)| free(*i) && !self.scene.bodies()[*i].modal)
        {
            let frame = &self.passages[i].ends[0];
            for e in &self.entries[first..first + count] {
                let inside = self.rows[e.row].terms.iter().all(|t| t.term.bodies.into_iter().all(free));
                let source = if inside { Source::Inside } else { Source::Joint };
                let [p, m] = [[e.D[0], e.D[1], e.D[2]], [e.D[3], e.D[4], e.D[5]]].map(|d| scale(lambda[e.row], &d));
                book.impulse(source, &frame.x, &p, &mul(&frame.R, &m));
            }
        }
    }
}
