//! The two functions f(t), g(t) of t = cos φ that make a logarithm of the base measures, over a step.
//!
//!   se3: f = φ/sin φ, g = (f − 1)/(1 − t²);    cayley: f = 2/(1 + t), g = 1/(1 + t)²;    director: f = 1, g = 0
//!   f = Σ c_k uᵏ, u = 1 − t:  c₀ = 1, c_{k+1} = c_k (k + 1)/(2k + 3);    g: g₀ = 1/6, g_k = (c_{k+1} + g_{k−1})/2
//!
//! Exact rows need the divided difference f[t₀, t₁] = (f₁ − f₀)/(t₁ − t₀) without cancellation, tangents its derivative too.

use percussion_matrix::math;

/// How the strain of an element depends on the relative turn of its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrainMeasure {
    /// The logarithm of SE(3): constant strain is a helix, pure bending is exact on any mesh.
    #[default]
    Se3,
    /// κL = 2 tan(φ/2): rational.
    Cayley,
    /// κL = sin φ: softens as elements bend, and coarse meshes fold.
    Director,
}

/// A function of t over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coefficient {
    /// Values at both ends.
    pub ends: [f64; 2],
    /// f[t₀, t₁].
    pub slope: f64,
    /// ∂f[t₀, t₁]/∂t₁.
    pub slope_change: f64,
    /// df/dt at t₁.
    pub end_slope: f64,
}

impl Coefficient {
    /// The mean of both ends.
    #[inline]
    pub fn mean(&self) -> f64 {
        0.5 * (self.ends[0] + self.ends[1])
    }

    /// The same where the step begins and ends at t₁.
    #[inline]
    pub fn at_end(&self) -> Self {
        Self { ends: [self.ends[1]; 2], slope: self.end_slope, slope_change: 0.0, end_slope: self.end_slope }
    }
}

/// Above this u the series is not used.
const SERIES_END: f64 = 0.5;
/// Terms of the series at most.
const TERMS: usize = 42;
/// Terms that suffice below u: the rest is under 1e-17 of the sum, (u/2)ⁿ n².
const SUFFICE: [(f64, usize); 5] = [(1e-3, 7), (0.02, 11), (0.15, 18), (0.3, 24), (SERIES_END, TERMS)];

const F_SERIES: [f64; TERMS + 1] = {
    let mut c = [1.0; TERMS + 1];
    let mut k = 0;
    while k < TERMS {
        c[k + 1] = c[k] * (k + 1) as f64 / (2 * k + 3) as f64;
        k += 1;
    }
    c
};

const G_SERIES: [f64; TERMS] = {
    let mut g = [1.0 / 6.0; TERMS];
    let mut k = 1;
    while k < TERMS {
        g[k] = 0.5 * (F_SERIES[k + 1] + g[k - 1]);
        k += 1;
    }
    g
};

/// f and g over a step from t₀ to t₁.
#[inline]
pub fn coefficients(measure: StrainMeasure, t: [f64; 2]) -> [Coefficient; 2] {
    match measure {
        StrainMeasure::Se3 => {
            let u = t.map(|t| 1.0 - t);
            let largest = u[0].max(u[1]);
            for (limit, terms) in SUFFICE {
                if largest < limit {
                    return [series(&F_SERIES[..terms], u), series(&G_SERIES[..terms], u)];
                }
            }
            closed_form(t)
        }
        StrainMeasure::Cayley => rational(t),
        StrainMeasure::Director => [Coefficient { ends: [1.0; 2], ..Default::default() }, Coefficient::default()],
    }
}

/// A power series of u and its divided differences by Horner's rule.
#[inline]
fn series(c: &[f64], u: [f64; 2]) -> Coefficient {
    // value at u₀, f[u₀, u₁] and f[u₀, u₁, u₁]
    let (mut b, mut s, mut d) = (0.0, 0.0, 0.0);
    for &c in c.iter().rev() {
        d = d * u[1] + s;
        s = s * u[1] + b;
        b = b * u[0] + c;
    }
    let du = u[1] - u[0];
    // u = 1 − t changes the sign of first differences
    Coefficient { ends: [b, b + du * s], slope: -s, slope_change: d, end_slope: -(s + du * d) }
}

fn rational(t: [f64; 2]) -> [Coefficient; 2] {
    let [p, q] = t.map(|t| 1.0 / (1.0 + t));
    let both = p * q;
    let sum = 2.0 + t[0] + t[1];
    let f = Coefficient {
        ends: [2.0 * p, 2.0 * q],
        slope: -2.0 * both,
        slope_change: 2.0 * both * q,
        end_slope: -2.0 * q * q,
    };
    let g = Coefficient {
        ends: [p * p, q * q],
        slope: -sum * both * both,
        slope_change: both * both * (2.0 * sum * q - 1.0),
        end_slope: -2.0 * q * q * q,
    };
    [f, g]
}

/// f, g, f′, g′, f″, g″ of the logarithm at t, away from t = ±1.
fn logarithm_at(t: f64) -> [[f64; 2]; 3] {
    let square = (1.0 - t * t).max(f64::MIN_POSITIVE);
    let sine = square.sqrt();
    let f = math::atan2(sine, t) / sine;
    let g = (f - 1.0) / square;
    let df = (t * f - 1.0) / square;
    let dg = (df + 2.0 * t * g) / square;
    let ddf = (f + 3.0 * t * df) / square;
    let ddg = (ddf + 2.0 * g + 4.0 * t * dg) / square;
    [[f, g], [df, dg], [ddf, ddg]]
}

/// Gauss's points and weights on [0, 1], three of them.
const GAUSS: [(f64, f64); 3] =
    [(0.112_701_665_379_258_31, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];

/// Part of 1 + t below which a difference of t counts as small.
const CLOSE: f64 = 1e-3;

fn closed_form(t: [f64; 2]) -> [Coefficient; 2] {
    let [start, end] = t.map(logarithm_at);
    let dt = t[1] - t[0];
    let mut out = [Coefficient::default(); 2];
    let inside = (dt.abs() <= CLOSE * (1.0 + t[0].min(t[1]))).then(|| GAUSS.map(|(z, _)| logarithm_at(t[0] + z * dt)));
    for (k, c) in out.iter_mut().enumerate() {
        c.ends = [start[0][k], end[0][k]];
        c.end_slope = end[1][k];
        match &inside {
            // f[t₀, t₁] = ∫ f′(t₀ + ζΔt) dζ, its derivative ∫ ζ f″ dζ
            Some(inside) => {
                for ((z, weight), at) in GAUSS.iter().zip(inside) {
                    c.slope += weight * at[1][k];
                    c.slope_change += weight * z * at[2][k];
                }
            }
            None => {
                c.slope = (c.ends[1] - c.ends[0]) / dt;
                c.slope_change = (c.end_slope - c.slope) / dt;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Series and closed forms agree where both hold: values to 1e-15, differences to what cancellation leaves of 1e-3.
    #[test]
    fn series_meets_closed_form() {
        for t in [[0.55, 0.6], [0.6, 0.6000001], [0.75, 0.51], [0.9, 0.7]] {
            let u = t.map(|t: f64| 1.0 - t);
            let s = [series(&F_SERIES[..TERMS], u), series(&G_SERIES, u)];
            let c = closed_form(t);
            for k in 0..2 {
                assert!((s[k].ends[1] - c[k].ends[1]).abs() < 4e-15, "{t:?}");
                assert!((s[k].slope - c[k].slope).abs() < 1e-12, "{t:?} {k}: {} {}", s[k].slope, c[k].slope);
                assert!((s[k].end_slope - c[k].end_slope).abs() < 1e-13, "{t:?}");
                assert!((s[k].slope_change - c[k].slope_change).abs() < 1e-10, "{t:?} {k}");
            }
        }
    }

    /// slope·Δt is the change of the values to round-off, for every measure and on both sides of every limit.
    #[test]
    fn slopes_are_divided_differences() {
        for measure in [StrainMeasure::Se3, StrainMeasure::Cayley, StrainMeasure::Director] {
            for start in [0.9999, 0.99, 0.9, 0.72, 0.5001, 0.49, 0.0, -0.5, -0.9] {
                for dt in [0.0, 1e-12, 1e-7, 9e-4, 2e-3, -0.01, -0.05] {
                    let t: [f64; 2] = [start, f64::min(start + dt, 1.0)];
                    for c in coefficients(measure, t) {
                        let change = c.ends[1] - c.ends[0];
                        let size = c.ends[0].abs().max(c.ends[1].abs());
                        assert!((c.slope * (t[1] - t[0]) - change).abs() <= 1e-13 * size, "{measure:?} {t:?}");
                    }
                }
            }
        }
    }

    /// The derivatives of values and slopes against central differences.
    #[test]
    fn derivatives_at_the_end() {
        let step = 1e-6;
        for measure in [StrainMeasure::Se3, StrainMeasure::Cayley] {
            for t in [[0.99, 0.98], [0.9, 0.85], [0.6, 0.55], [0.45, 0.2], [0.3, 0.3004], [-0.6, -0.7], [-0.5, -0.5]] {
                let by = |s: f64| coefficients(measure, [t[0], t[1] + s * step]);
                let (plus, minus, at) = (by(1.0), by(-1.0), coefficients(measure, t));
                for k in 0..2 {
                    let of_value = 0.5 * (plus[k].ends[1] - minus[k].ends[1]) / step;
                    let of_slope = 0.5 * (plus[k].slope - minus[k].slope) / step;
                    let scale = 1.0 + at[k].end_slope.abs() + at[k].slope_change.abs();
                    assert!((of_value - at[k].end_slope).abs() < 1e-7 * scale, "{measure:?} {t:?} {k}");
                    assert!((of_slope - at[k].slope_change).abs() < 1e-6 * scale, "{measure:?} {t:?} {k}");
                }
            }
        }
    }
}
