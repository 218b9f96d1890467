//! The strongest frequency of a column.
//!
//!   X(f) = Σ w_k (x_k − x̄) exp(−2πi f t_k),   w Hann's window over the span,   f on a grid of half a bin, then refined between
//!
//! The sum is taken frequency by frequency, so that steps need not be equal and their number need not be a power of two.

use std::f64::consts::PI;

/// Rows up to which all are looked at; of more every n-th.
const ROWS: usize = 4096;

/// Where |X(f)| is largest [Hz]; none for fewer than four rows.
pub fn strongest_frequency(rows: &[(f64, f64)]) -> Option<f64> {
    let every = rows.len().div_ceil(ROWS).max(1);
    let rows: Vec<(f64, f64)> = rows.iter().step_by(every).copied().collect();
    let (first, last) = (rows.first()?.0, rows.last()?.0);
    let span = last - first;
    if rows.len() < 4 || span <= 0.0 {
        return None;
    }
    let mean = rows.iter().map(|(_, x)| x).sum::<f64>() / rows.len() as f64;
    let windowed: Vec<(f64, f64)> =
        rows.iter().map(|(t, x)| (t - first, (x - mean) * (PI * (t - first) / span).sin().powi(2))).collect();
    let size = |f: f64| {
        let (re, im) = windowed.iter().fold((0.0, 0.0), |(re, im), (t, x)| {
            let (s, c) = (2.0 * PI * f * t).sin_cos();
            (re + x * c, im - x * s)
        });
        f64::hypot(re, im)
    };
    // up to half the rate of the rows
    let bin = 0.5 / span;
    let (best, _) = (1..rows.len()).map(|k| (k, size(k as f64 * bin))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    // golden section between the neighbours
    let (mut low, mut high) = ((best as f64 - 1.0) * bin, (best as f64 + 1.0) * bin);
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..40 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if size(a) >= size(b) { high = b } else { low = a }
    }
    Some(0.5 * (low + high))
}
