//! The problem as the methods see it, with an optional proximal shift.
//!
//!   0 ≤ u = (W + ε diag ρ⁻¹) p + b  ⟂  p ≥ 0,    ρ_i = 1/|W_ii|

use super::certificate::is_definite;
use super::residual::natural_residuals;
use crate::Residuals;
use crate::Stop;
use crate::report::Outcome;
use crate::residual::{inverse_size, relative};
use crate::{Method, SolveReport, SolveStatus};
use percussion_matrix::Matrix;

/// One LCP, borrowed from a problem and the solver's work memory.
#[derive(Clone, Copy)]
pub(crate) struct Lcp<'a> {
    /// W, n × n [1/kg].
    pub W: &'a Matrix,
    /// b, n [m/s].
    pub b: &'a [f64],
    /// ρ_i = 1/|W_ii|, 1 where the diagonal vanishes, n [kg].
    pub rho: &'a [f64],
    /// ε ≥ 0, dimensionless.
    pub shift: f64,
    /// As in the problem; 0: keep nothing.
    pub revision: u64,
    /// A request from outside to end the iterations.
    pub stop: &'a Stop,
}

impl<'a> Lcp<'a> {
    /// The same W with another b and another shift.
    pub fn shifted(&self, shift: f64, b: &'a [f64]) -> Self {
        Self { shift, b, ..*self }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// u ← (W + ε diag ρ⁻¹) p + b.
    #[inline]
    pub fn velocity(&self, p: &[f64], u: &mut [f64]) {
        u.copy_from_slice(self.b);
        self.W.mul_add(1.0, p, u);
        if self.shift != 0.0 {
            for i in 0..u.len() {
                u[i] += self.shift / self.rho[i] * p[i];
            }
        }
    }

    /// The common residuals of p, whose velocity is u.
    #[inline]
    pub fn residuals(&self, p: &[f64], u: &[f64]) -> Residuals {
        natural_residuals(self.b, |i| self.rho[i], p, u)
    }

    /// Whether p, whose velocity is u, is an answer: both residuals within the tolerance, and wrong by no more than a
    /// millionth of b.
    #[inline]
    pub fn accepts(&self, p: &[f64], u: &[f64], residuals: &Residuals, tolerance: f64) -> bool {
        residuals.worst() <= tolerance && self.error(p, u) <= 1e-6
    }

    /// ‖p̂ − [p̂ − û]₊‖ / ‖b̂‖ in the scale p̂ = p/√ρ, û = √ρ u, b̂ = √ρ b, where diag(W) = 1 and every contact counts alike. A p
    /// that runs away along the kernel of W makes the residuals of an infeasible problem as small as you like, but not this.
    #[inline]
    pub fn error(&self, p: &[f64], u: &[f64]) -> f64 {
        let (mut sum, mut bb) = (0.0, 0.0);
        for i in 0..self.len() {
            let rho = self.rho[i];
            let s = p[i] - (p[i] - rho * u[i]).max(0.0);
            sum += s * s / rho;
            bb += rho * self.b[i] * self.b[i];
        }
        // max() turns a NaN into zero
        let finite = (sum + bb).is_finite() && p.iter().chain(u).all(|x| x.is_finite());
        if finite { relative(sum, bb) } else { f64::INFINITY }
    }

    /// p ← [p]₊ and the velocity and residuals that belong to it.
    pub fn finish(&self, p: &mut [f64], u: &mut [f64]) -> Residuals {
        for x in p.iter_mut() {
            // NaN is kept: the residual must see it
            if *x < 0.0 {
                *x = 0.0;
            }
        }
        self.velocity(p, u);
        self.residuals(p, u)
    }
}

impl Lcp<'_> {
    /// The report of one method alone: nothing that is not a number leaves it, and the residuals decide.
    pub fn judged(
        &self,
        method: Method,
        mut outcome: Outcome,
        refuted: bool,
        p: &mut [f64],
        u: &mut [f64],
        tolerance: f64,
    ) -> SolveReport {
        if outcome.residuals.worst() == f64::INFINITY {
            p.fill(0.0);
            outcome.residuals = self.finish(p, u);
        }
        let status = if self.accepts(p, u, &outcome.residuals, tolerance) {
            SolveStatus::Solved
        } else if refuted && !is_definite(self) {
            SolveStatus::NoSolution
        } else {
            SolveStatus::NotConverged
        };
        outcome.report(method, status)
    }
}

/// ρ_i = 1/|W_ii|, and 1 where the diagonal vanishes.
pub(crate) fn steps(W: &Matrix, rho: &mut Vec<f64>) {
    let n = W.n_rows();
    rho.clear();
    rho.reserve(n);
    for i in 0..n {
        rho.push(step(W.get(i, i)));
    }
}

/// ρ of one diagonal entry.
#[inline]
pub(crate) fn step(diagonal: f64) -> f64 {
    inverse_size(diagonal.abs())
}
