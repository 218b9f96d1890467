//! Gaps that depend on time by themselves: obstacles that move.
//!
//!   g_i(q, t) ≥ 0,    u_N = ∂g_i/∂q·v + ∂g_i/∂t,    g̈_i = ∂g_i/∂q·a + (∂²g_i/∂q²)[v, v] + 2 (∂²g_i/∂q∂t)·v + ∂²g_i/∂t²
//!
//! The impulse p of such a contact brings the model p ∂g/∂q·v of energy; −p ∂g/∂t of it is what moves the obstacle, external work.

use crate::Lagrangian;
use percussion_matrix::DenseMatrix;

/// The gaps of a model with obstacles that move, numbered as its contacts. Derivatives are added to what they are given.
pub trait MovingGaps: Send + Sync {
    /// g_i(q, t).
    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64;

    /// row ← ∂g_i/∂q; comes zeroed.
    fn gradient(&self, i: usize, q: &[f64], t: f64, row: &mut [f64]);

    /// H ← H + weight · ∂²g_i/∂q².
    fn hessian(&self, i: usize, q: &[f64], t: f64, weight: f64, H: &mut DenseMatrix);

    /// ∂g_i/∂t.
    fn rate(&self, i: usize, q: &[f64], t: f64) -> f64;

    /// row ← row + ∂²g_i/∂q∂t.
    fn gradient_rate(&self, i: usize, q: &[f64], t: f64, row: &mut [f64]);

    /// ∂²g_i/∂t².
    fn acceleration(&self, i: usize, q: &[f64], t: f64) -> f64;
}

/// The constraints of a model at a time, joints first: those of an obstacle that moves where it is then.
#[derive(Clone, Copy, Debug)]
pub struct AtTime<'a>(pub &'a dyn Lagrangian, pub f64);

impl<'a> AtTime<'a> {
    /// The moving gap that constraint j is, with its number.
    fn moving(&self, j: usize) -> Option<(&'a dyn MovingGaps, usize)> {
        let i = j.checked_sub(self.0.n_joints())?;
        self.0.moving_gaps().map(|gaps| (gaps, i))
    }

    /// g_j(q, t).
    pub fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        match self.moving(j) {
            Some((gaps, i)) => gaps.gap(i, q, self.1),
            None => self.0.constraint(j, q),
        }
    }

    /// row ← ∂g_j/∂q; comes zeroed.
    pub fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        match self.moving(j) {
            Some((gaps, i)) => gaps.gradient(i, q, self.1, row),
            None => self.0.gradient(j, q, row),
        }
    }

    /// H ← H + weight · ∂²g_j/∂q².
    pub fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        match self.moving(j) {
            Some((gaps, i)) => gaps.hessian(i, q, self.1, weight, H),
            None => self.0.hessian(j, q, weight, H),
        }
    }

    /// ∂g_j/∂t.
    pub fn rate(&self, j: usize, q: &[f64]) -> f64 {
        self.moving(j).map_or(0.0, |(gaps, i)| gaps.rate(i, q, self.1))
    }

    /// row ← row + ∂²g_j/∂q∂t.
    pub fn gradient_rate(&self, j: usize, q: &[f64], row: &mut [f64]) {
        if let Some((gaps, i)) = self.moving(j) {
            gaps.gradient_rate(i, q, self.1, row);
        }
    }

    /// 2 (∂²g_j/∂q∂t)·v + ∂²g_j/∂t²: what the motion of an obstacle adds to the acceleration of its gap.
    pub fn drift(&self, j: usize, q: &[f64], v: &[f64]) -> f64 {
        let Some((gaps, i)) = self.moving(j) else { return 0.0 };
        let mut row = vec![0.0; q.len()];
        gaps.gradient_rate(i, q, self.1, &mut row);
        2.0 * percussion_matrix::vector::dot(&row, v) + gaps.acceleration(i, q, self.1)
    }
}
