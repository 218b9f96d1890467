//! The factor q(φ) by which a plane element of constant strain stretches its chord, over a step.
//!
//!   se3: q = (φ/2)/sin(φ/2) = Σ q_k wᵏ, w = φ²/4;    director: q = 1
//!   Σ_j (−1)ʲ q_{k−j}/(2j + 1)! = 0,  q₀ = 1;    q[φ₀, φ₁] = q[w₀, w₁](φ₀ + φ₁)/4

/// How stretch and shear of a plane element are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlaneStrain {
    /// The logarithm of SE(2): pure bending is exact on any mesh.
    #[default]
    Se3,
    /// The chord itself, turned by the mean angle.
    Director,
}

/// q over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    /// At both ends.
    pub ends: [f64; 2],
    /// q[φ₀, φ₁].
    pub slope: f64,
    /// ∂q[φ₀, φ₁]/∂φ₁.
    pub slope_change: f64,
    /// dq/dφ at φ₁.
    pub end_slope: f64,
}

/// Terms of the series: up to φ = π each is at most a quarter of the one before.
const TERMS: usize = 32;

const SERIES: [f64; TERMS] = {
    let mut q = [1.0; TERMS];
    let mut k = 1;
    while k < TERMS {
        let (mut sum, mut j, mut factor) = (0.0, 1, 1.0);
        while j <= k {
            factor *= -1.0 / ((2 * j) as f64 * (2 * j + 1) as f64);
            sum += factor * q[k - j];
            j += 1;
        }
        q[k] = -sum;
        k += 1;
    }
    q
};

impl Stretch {
    #[inline]
    pub fn new(strain: PlaneStrain, phi: [f64; 2]) -> Self {
        match strain {
            PlaneStrain::Director => Self { ends: [1.0; 2], slope: 0.0, slope_change: 0.0, end_slope: 0.0 },
            PlaneStrain::Se3 => {
                let w = phi.map(|x| 0.25 * x * x);
                let terms = if w[0].max(w[1]) < 0.05 { 10 } else { TERMS };
                let (mut b, mut s, mut d) = (0.0, 0.0, 0.0);
                for &c in SERIES[..terms].iter().rev() {
                    d = d * w[1] + s;
                    s = s * w[1] + b;
                    b = b * w[0] + c;
                }
                let dw = w[1] - w[0];
                let sum = 0.25 * (phi[0] + phi[1]);
                Self {
                    ends: [b, b + dw * s],
                    slope: s * sum,
                    slope_change: 0.5 * d * phi[1] * sum + 0.25 * s,
                    end_slope: 0.5 * phi[1] * (s + dw * d),
                }
            }
        }
    }

    #[inline]
    pub fn mean(&self) -> f64 {
        0.5 * (self.ends[0] + self.ends[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The series is (φ/2)/sin(φ/2) up to 0.95π, its slopes are divided differences, and their derivatives those of both.
    #[test]
    fn series_and_slopes() {
        let step = 1e-6;
        for phi in [[0.0, 1e-9], [0.1, 0.3], [-0.4, 0.4], [1.0, 2.0], [-2.9, -2.7]] {
            let q = Stretch::new(PlaneStrain::Se3, phi);
            let exact = |x: f64| if x.abs() < 1e-6 { 1.0 } else { 0.5 * x / (0.5 * x).sin() };
            for k in 0..2 {
                assert!((q.ends[k] - exact(phi[k])).abs() < 1e-15 * 3.0, "{phi:?}: {} {}", q.ends[k], exact(phi[k]));
            }
            assert!((q.slope * (phi[1] - phi[0]) - (q.ends[1] - q.ends[0])).abs() < 1e-15);
            let by = |s: f64| Stretch::new(PlaneStrain::Se3, [phi[0], phi[1] + s * step]);
            let (plus, minus) = (by(1.0), by(-1.0));
            assert!((0.5 * (plus.ends[1] - minus.ends[1]) / step - q.end_slope).abs() < 1e-8);
            assert!((0.5 * (plus.slope - minus.slope) / step - q.slope_change).abs() < 1e-8);
        }
    }
}
