//! Amplitudes of the lines in a list of samples, of any length.
//!
//!   X_k = Σ_j w_j x_j exp(−2πi jk/N),   A_k = 2|X_k|/Σ w   (the mean itself at k = 0)
//!
//! so that x = A sin(2π kt/(Nh) + φ) has the amplitude A at k. A transform of any length is a convolution with a chirp, jk = (j² + k² −
//! (k − j)²)/2, made by transforms whose length is a power of two (Bluestein 1970).

use percussion_matrix::math;
use std::f64::consts::PI;

/// What samples are multiplied with first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Nothing: exact lines of motions that repeat after the samples.
    None,
    /// sin²(πj/N): a line has two neighbours of half its size, and no skirt where it lies between two bins.
    Hann,
}

/// A_k for k = 0 … N/2 of N samples.
pub fn amplitudes(samples: &[f64], window: Window) -> Vec<f64> {
    let n = samples.len();
    if n == 0 {
        return Vec::new();
    }
    let mean = samples.iter().sum::<f64>() / n as f64;
    let weight = |j: usize| match window {
        Window::None => 1.0,
        Window::Hann => {
            let s = math::sin(PI * j as f64 / n as f64);
            s * s
        }
    };
    let sum: f64 = (0..n).map(weight).sum();
    let (mut re, mut im) = (Vec::with_capacity(n), vec![0.0; n]);
    re.extend(samples.iter().enumerate().map(|(j, x)| weight(j) * (x - mean)));
    transform(&mut re, &mut im);
    let line = |k: usize| {
        // the highest frequency of an even number is its own mirror image
        let factor = if 2 * k == n { 1.0 } else { 2.0 };
        if k == 0 { mean } else { factor * math::hypot(re[k], im[k]) / sum }
    };
    (0..=n / 2).map(line).collect()
}

/// x ← Σ_j x_j exp(−2πi jk/N).
fn transform(re: &mut [f64], im: &mut [f64]) {
    let n = re.len();
    if n.is_power_of_two() {
        return radix_two(re, im);
    }
    // exp(−πi j²/N), j² taken modulo 2N so that large j keep their digits
    let chirp: Vec<(f64, f64)> = (0..n)
        .map(|j| {
            let angle = PI * ((j as u128 * j as u128) % (2 * n as u128)) as f64 / n as f64;
            (math::cos(angle), -math::sin(angle))
        })
        .collect();
    let m = (2 * n - 1).next_power_of_two();
    let (mut a, mut b) = ((vec![0.0; m], vec![0.0; m]), (vec![0.0; m], vec![0.0; m]));
    for j in 0..n {
        let (c, s) = chirp[j];
        (a.0[j], a.1[j]) = (re[j] * c - im[j] * s, re[j] * s + im[j] * c);
        for k in [j, (m - j) % m] {
            (b.0[k], b.1[k]) = (c, -s);
        }
    }
    radix_two(&mut a.0, &mut a.1);
    radix_two(&mut b.0, &mut b.1);
    for k in 0..m {
        let product = (a.0[k] * b.0[k] - a.1[k] * b.1[k], a.0[k] * b.1[k] + a.1[k] * b.0[k]);
        // the inverse transform is the transform of the conjugate, conjugated
        (a.0[k], a.1[k]) = (product.0, -product.1);
    }
    radix_two(&mut a.0, &mut a.1);
    for k in 0..n {
        let ((x, y), (c, s)) = ((a.0[k] / m as f64, -a.1[k] / m as f64), chirp[k]);
        (re[k], im[k]) = (x * c - y * s, x * s + y * c);
    }
}

/// The same for a power of two, in place (Cooley and Tukey 1965).
fn radix_two(re: &mut [f64], im: &mut [f64]) {
    let n = re.len();
    let mut j = 0;
    for i in 1..n {
        let mut bit = n >> 1;
        while j & bit != 0 {
            j ^= bit;
            bit >>= 1;
        }
        j |= bit;
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let turn: Vec<(f64, f64)> = (0..n / 2)
        .map(|k| {
            let angle = 2.0 * PI * k as f64 / n as f64;
            (math::cos(angle), -math::sin(angle))
        })
        .collect();
    let mut half = 1;
    while half < n {
        for first in (0..n).step_by(2 * half) {
            for k in 0..half {
                let ((c, s), a, b) = (turn[k * (n / (2 * half))], first + k, first + k + half);
                let (x, y) = (re[b] * c - im[b] * s, re[b] * s + im[b] * c);
                (re[b], im[b]) = (re[a] - x, im[a] - y);
                (re[a], im[a]) = (re[a] + x, im[a] + y);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths of all kinds against the sum itself, and Parseval's Σ|X|² = N Σ x².
    #[test]
    fn transforms_are_the_sum() {
        for n in [1_usize, 2, 3, 5, 8, 12, 31, 64, 100, 243] {
            let x: Vec<f64> = (0..n).map(|j| ((j * j * 7 + 3 * j) % 11) as f64 - 4.0).collect();
            let (mut re, mut im) = (x.clone(), vec![0.0; n]);
            transform(&mut re, &mut im);
            for k in 0..n {
                let angle = |j: usize| 2.0 * PI * ((j * k) % n) as f64 / n as f64;
                let sum = (0..n).fold((0.0, 0.0), |(a, b), j| (a + x[j] * angle(j).cos(), b - x[j] * angle(j).sin()));
                assert!((re[k] - sum.0).hypot(im[k] - sum.1) < 1e-11, "n = {n}, k = {k}");
            }
            let energy: f64 = re.iter().zip(&im).map(|(a, b)| a * a + b * b).sum();
            let own = n as f64 * x.iter().map(|x| x * x).sum::<f64>();
            assert!((energy - own).abs() <= 1e-12 * own.max(1.0), "n = {n}");
        }
    }

    /// Two lines on bins have their amplitudes under both windows; one between two bins has no skirt under Hann's.
    #[test]
    fn lines_have_their_amplitudes() {
        let n = 1200;
        let wave = |amplitude: f64, k: f64, j: usize| amplitude * (2.0 * PI * k * j as f64 / n as f64 + 0.4).sin();
        let x: Vec<f64> = (0..n).map(|j| 0.3 + wave(2.0, 12.0, j) + wave(0.01, 60.0, j)).collect();
        for window in [Window::None, Window::Hann] {
            let found = amplitudes(&x, window);
            assert_eq!(found.len(), 601);
            for (k, expected) in [(0, 0.3), (12, 2.0), (60, 0.01), (40, 0.0)] {
                assert!((found[k] - expected).abs() < 1e-12, "{window:?} {k}: {}", found[k]);
            }
        }
        let between: Vec<f64> = (0..n).map(|j| wave(1.0, 12.5, j)).collect();
        assert!(amplitudes(&between, Window::None)[100] > 1e-3);
        assert!(amplitudes(&between, Window::Hann)[100] < 1e-6);
        assert_eq!(amplitudes(&[1.0, -1.0, 1.0, -1.0], Window::None), [0.0, 0.0, 1.0]);
    }
}
