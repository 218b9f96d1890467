//! The two residuals that judge answers to 0 ≤ W p + b ⟂ p ≥ 0.
//!
//!   e  = ‖p − [p − u]₊‖ / max(‖b‖, ‖p‖, ‖u‖)                 (as FCLIB and Siconos; depends on units)
//!   eₛ = ‖p − [p − ρ∘u]₊‖ / max(‖p‖, ‖ρ∘b‖),  ρ_i = 1/|W_ii|   (independent of units)
//!
//! A solution makes both zero. A division is skipped where its scale is below the smallest normal number.

use super::OneStepProblem;
use super::lcp::step;
use crate::Residuals;
use crate::residual::relative;

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
