//! Lines in the spectrum of a column: the strongest, and the one at a frequency.
//!
//!   X(f) = Σ w_k (x_k − x̄) exp(−2πi f t_k),   w Hann's window over the span
//!
//! A line of amplitude A has |X| = ½A Σ w. Where |X| is largest is found by a transform of the column at equal times, then refined between the
//! bins by the sum itself, for which steps need not be equal. Lines lie between one turn in the span and half the rate of the rows.

use percussion_dynamics::{Window, amplitudes};
use std::f64::consts::PI;

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
        let mut rows = rows.to_vec();
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

    /// The frequencies that the rows can show [Hz].
    fn range(&self) -> (f64, f64) {
        (1.0 / self.span, 0.5 * (self.rows.len() - 1) as f64 / self.span)
    }
}

/// The amplitude of the line at f [Hz]; none for fewer than four rows, or where they cannot show it.
pub fn amplitude_at(rows: &[(f64, f64)], f: f64) -> Option<f64> {
    let windowed = Windowed::new(rows)?;
    let (lowest, highest) = windowed.range();
    (f >= lowest && f <= highest).then(|| 2.0 * windowed.size(f) / windowed.weight)
}

/// Where |X(f)| is largest [Hz]; none for fewer than four rows, or where that is no line: less than one turn in the span.
pub fn strongest_frequency(rows: &[(f64, f64)]) -> Option<f64> {
    let windowed = Windowed::new(rows)?;
    let list = amplitudes(&at_equal_times(rows), Window::Hann);
    let (best, height) = list.iter().enumerate().skip(1).max_by(|a, b| a.1.total_cmp(b.1))?;
    if *height == 0.0 {
        return None;
    }
    // golden section between the neighbours
    let bin = 1.0 / (windowed.span * rows.len() as f64 / (rows.len() - 1) as f64);
    let (mut low, mut high) = ((best as f64 - 1.0) * bin, (best as f64 + 1.0) * bin);
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..40 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if windowed.size(a) >= windowed.size(b) { high = b } else { low = a }
    }
    let (found, (lowest, highest)) = (0.5 * (low + high), windowed.range());
    (found >= lowest).then_some(found.min(highest))
}

/// As many values at equal times, between rows linearly.
fn at_equal_times(rows: &[(f64, f64)]) -> Vec<f64> {
    let (first, last) = (rows[0].0, rows[rows.len() - 1].0);
    let step = (last - first) / (rows.len() - 1) as f64;
    let mut k = 0;
    let at = |i: usize| {
        let t = first + i as f64 * step;
        while k + 2 < rows.len() && rows[k + 1].0 < t {
            k += 1;
        }
        let ((a, x), (b, y)) = (rows[k], rows[k + 1]);
        if b > a { x + (y - x) * ((t - a) / (b - a)).clamp(0.0, 1.0) } else { y }
    };
    (0..rows.len()).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: usize, end: f64, of: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (0..n).map(|k| end * k as f64 / (n - 1) as f64).map(|t| (t, of(t))).collect()
    }

    /// A fast line among many rows is not taken for a slow one, and has its frequency and amplitude.
    #[test]
    fn fast_lines_are_where_they_are() {
        let made = rows(50_001, 10.0, |t| 3.0 + 0.2 * (2.0 * PI * 911.3 * t).sin() + 0.1 * (2.0 * PI * 7.0 * t).cos());
        let found = strongest_frequency(&made).expect("a line");
        assert!((found - 911.3).abs() < 1e-4, "{found}");
        assert!((amplitude_at(&made, 911.3).expect("a line") - 0.2).abs() < 1e-6);
        assert!((amplitude_at(&made, 7.0).expect("a line") - 0.1).abs() < 1e-6);
    }

    /// Unequal steps, as adaptive runs make them.
    #[test]
    fn steps_need_not_be_equal() {
        let made: Vec<(f64, f64)> = rows(4001, 20.0, |t| t)
            .iter()
            .map(|(t, _)| t + 0.003 * (1.7 * t).sin())
            .map(|t| (t, (9.0 * t).sin()))
            .collect();
        let found = strongest_frequency(&made).expect("a line");
        assert!((found - 9.0 / (2.0 * PI)).abs() < 1e-4, "{found}");
    }

    /// A motion that only decays has no line, nor has one that stands still; and rows show nothing faster than half of their rate.
    #[test]
    fn what_is_no_line_is_none() {
        assert_eq!(strongest_frequency(&rows(1000, 5.0, |t| (-t).exp())), None);
        assert_eq!(strongest_frequency(&rows(1000, 5.0, |_| 2.0)), None);
        for f in [0.0, 0.1, 101.0, 1e9] {
            assert_eq!(amplitude_at(&rows(1000, 5.0, |t| (20.0 * t).sin()), f), None, "{f}");
        }
    }
}
