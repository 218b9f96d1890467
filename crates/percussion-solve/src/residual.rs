//! The two residuals of an answer, and the division they share. Each kind of problem has its own natural map: see
//! `complementarity/residual.rs`, `friction/residual.rs` and `mlcp/residual.rs`.
//!
//!   e = √(Σ F_i² / scale²)

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

/// 1/size, and 1 where the size vanishes: the step ρ that belongs to a diagonal block or entry.
#[inline]
pub(crate) fn inverse_size(size: f64) -> f64 {
    if size > f64::MIN_POSITIVE { 1.0 / size } else { 1.0 }
}
