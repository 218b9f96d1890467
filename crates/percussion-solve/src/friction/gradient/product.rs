//! A friction problem seen through products alone: what first-order methods need.
//!
//!   u = W r + b
//!
//! W may be stored or be implied by the bodies' velocities.

use crate::Residuals;
use crate::friction::Cone;
use crate::friction::residual;
use crate::friction::task::Task;

/// Products with W, and what surrounds them.
pub(crate) trait Product {
    /// b, d n [m/s].
    fn b(&self) -> &[f64];

    /// ρ_i = 1/‖W_ii‖₂, n [kg].
    fn rho(&self) -> &[f64];

    /// The cone of contact i.
    fn cone(&self, i: usize) -> Cone;

    /// u ← W r + b.
    fn velocity(&mut self, r: &[f64], u: &mut [f64]);

    /// F ← u + s n, the velocity of the law with de Saxcé's shift.
    fn shifted<const D: usize>(&self, u: &[f64], F: &mut [f64]) {
        for (i, (F, u)) in F.as_chunks_mut::<D>().0.iter_mut().zip(u.as_chunks::<D>().0).enumerate() {
            *F = *u;
            F[0] += self.cone(i).shift(u);
        }
    }

    /// Both residuals of r with the velocities given.
    fn residuals<const D: usize>(&self, r: &[f64], u: &[f64]) -> Residuals {
        residual::natural::<D>(self.b(), |i| self.cone(i), self.rho(), r, u)
    }
}

impl Product for Task<'_> {
    fn b(&self) -> &[f64] {
        &self.problem.b
    }

    fn rho(&self) -> &[f64] {
        self.rho
    }

    fn cone(&self, i: usize) -> Cone {
        self.problem.cone(i)
    }

    fn velocity(&mut self, r: &[f64], u: &mut [f64]) {
        self.problem.velocity(r, u);
    }
}
