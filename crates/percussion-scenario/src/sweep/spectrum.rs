//! Lines in the spectrum of a column: the strongest, and the one at a frequency.
//!
//!   X(f) = Σ w_k (x_k − x̄) exp(−2πi f t_k),   w Hann's window over the span,   f on a grid of half a bin, then refined between
//!
//! A line of amplitude A has |X| = ½A Σ w. The sum is taken frequency by frequency, so that steps need not be equal and their number need not be a power of two.

use std::f64::consts::PI;

/// Rows up to which all are looked at; of more every n-th.
const ROWS: usize = 4096;

/// x − x̄ under the window.
struct Windowed {
    rows: Vec<(f64, f64)>,
    span: f64,
    /// Σ w.
    weight: f64,
}

impl Windowed {
    /// None for fewer than four rows.
    fn new(rows: &[(f64, f64)]) -> Option<Self> {
        let every = rows.len().div_ceil(ROWS).max(1);
        let mut rows: Vec<(f64, f64)> = rows.iter().step_by(every).copied().collect();
        let (first, last) = (rows.first()?.0, rows.last()?.0);
        let span = last - first;
        if rows.len() < 4 || span <= 0.0 {
            return None;
        }
        let mean = rows.iter().map(|(_, x)| x).sum::<f64>() / rows.len() as f64;
        let mut weight = 0.0;
        for (t, x) in &mut rows {
            *t -= first;
            let w = (PI * *t / span).sin().powi(2);
            weight += w;
            *x = (*x - mean) * w;
        }
        Some(Self { rows, span, weight })
    }

    /// |X(f)|.
    fn size(&self, f: f64) -> f64 {
        let (re, im) = self.rows.iter().fold((0.0, 0.0), |(re, im), (t, x)| {
            let (s, c) = (2.0 * PI * f * t).sin_cos();
            (re + x * c, im - x * s)
        });
        f64::hypot(re, im)
    }
}

/// The amplitude of the line at f [Hz]; none for fewer than four rows.
pub fn amplitude_at(rows: &[(f64, f64)], f: f64) -> Option<f64> {
    let windowed = Windowed::new(rows)?;
    Some(2.0 * windowed.size(f) / windowed.weight)
}

/// Where |X(f)| is largest [Hz]; none for fewer than four rows.
pub fn strongest_frequency(rows: &[(f64, f64)]) -> Option<f64> {
    let windowed = Windowed::new(rows)?;
    let (count, span) = (windowed.rows.len(), windowed.span);
    let size = |f: f64| windowed.size(f);
    // up to half the rate of the rows
    let bin = 0.5 / span;
    let (best, _) = (1..count).map(|k| (k, size(k as f64 * bin))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    // golden section between the neighbours
    let (mut low, mut high) = ((best as f64 - 1.0) * bin, (best as f64 + 1.0) * bin);
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..40 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if size(a) >= size(b) { high = b } else { low = a }
    }
    Some(0.5 * (low + high))
}
