//! The few vector operations every formula uses, in a fixed summation order.

/// xᵀy.
#[inline]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    debug_assert_eq!(x.len(), y.len());
    let mut sum = 0.0;
    for (a, b) in x.iter().zip(y) {
        sum += a * b;
    }
    sum
}

/// y ← y + α x.
#[inline]
pub fn axpy(alpha: f64, x: &[f64], y: &mut [f64]) {
    debug_assert_eq!(x.len(), y.len());
    for (b, a) in y.iter_mut().zip(x) {
        *b += alpha * a;
    }
}

/// max |x_i|, with NaN reported as NaN (`f64::max` would hide it).
#[inline]
pub fn max_abs(x: &[f64]) -> f64 {
    let mut largest = 0.0_f64;
    for a in x {
        if a.is_nan() {
            return f64::NAN;
        }
        largest = largest.max(a.abs());
    }
    largest
}

/// ‖x‖₂.
#[inline]
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
