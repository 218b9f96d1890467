//! The two residuals that judge every solver, computed here and nowhere else.
//!
//!   e  = ‖p − [p − u]₊‖ / max(‖b‖, ‖p‖, ‖u‖)                 (as FCLIB and Siconos; depends on units)
//!   eₛ = ‖p − [p − ρ∘u]₊‖ / max(‖p‖, ‖ρ∘b‖),  ρ_i = 1/|W_ii|   (independent of units)
//!
//! A solution makes both zero. A division is skipped where its scale is below the smallest normal number.

use crate::OneStepProblem;
use crate::lcp::step;
use serde::{Deserialize, Serialize};

/// The two residuals of an impulse vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Residuals {
    /// e, the natural-map residual in the units of the data.
    pub plain: f64,
    /// eₛ, the dimensionless one.
    pub scaled: f64,
}

impl Residuals {
    /// Of data or answers that are not numbers.
    pub const INFINITE: Self = Self { plain: f64::INFINITY, scaled: f64::INFINITY };

    /// The larger of the two; NaN counts as infinite.
    pub fn worst(&self) -> f64 {
        if self.plain.is_nan() || self.scaled.is_nan() { f64::INFINITY } else { self.plain.max(self.scaled) }
    }
}

/// Both residuals of p, whose velocity u = W p + b is given.
pub fn residuals(problem: &OneStepProblem, p: &[f64], u: &[f64]) -> Residuals {
    natural_residuals(&problem.b, |i| step(problem.W.get(i, i)), p, u)
}

/// The formulas, with ρ from wherever the caller keeps it.
#[inline]
pub(crate) fn natural_residuals(b: &[f64], rho: impl Fn(usize) -> f64, p: &[f64], u: &[f64]) -> Residuals {
    let n = b.len();
    let (p, u) = (&p[..n], &u[..n]);
    let (mut plain, mut scaled) = (0.0, 0.0);
    let (mut bb, mut pp, mut uu, mut rb) = (0.0, 0.0, 0.0, 0.0);
    for i in 0..n {
        let rho = rho(i);
        let d = p[i] - (p[i] - u[i]).max(0.0);
        let s = p[i] - (p[i] - rho * u[i]).max(0.0);
        plain += d * d;
        scaled += s * s;
        bb += b[i] * b[i];
        pp += p[i] * p[i];
        uu += u[i] * u[i];
        rb += (rho * b[i]) * (rho * b[i]);
    }
    // max() turns a NaN into a zero residual, and an overflowing scale any residual
    if !(bb + pp + uu + rb).is_finite() {
        return Residuals::INFINITE;
    }
    Residuals { plain: relative(plain, bb.max(pp).max(uu)), scaled: relative(scaled, pp.max(rb)) }
}

/// √(sum / scale), without the division where there is nothing to divide or nothing to divide by.
#[inline]
pub(crate) fn relative(sum: f64, scale: f64) -> f64 {
    if sum == 0.0 {
        0.0
    } else if scale > f64::MIN_POSITIVE {
        (sum / scale).sqrt()
    } else {
        sum.sqrt()
    }
}
