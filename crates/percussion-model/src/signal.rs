//! A scalar that may vary in time, with its exact rate and acceleration.
//!
//!   s(t) = a + Σ A sin(ω t + φ),    ṡ(t) = Σ A ω cos(ω t + φ),    s̈(t) = −Σ A ω² sin(ω t + φ)

/// One harmonic A sin(ω t + φ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sine {
    /// A, in the unit of the signal.
    pub amplitude: f64,
    /// ω [rad/s].
    pub omega: f64,
    /// φ [rad].
    pub phase: f64,
}

/// A mean value and its harmonics: a load, or the place of an obstacle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signal {
    /// a, the value without harmonics.
    pub mean: f64,
    /// The harmonics; none for a constant.
    pub sines: Vec<Sine>,
}

impl Signal {
    /// A constant.
    pub fn constant(mean: f64) -> Self {
        Self { mean, sines: Vec::new() }
    }

    /// A mean plus one harmonic.
    pub fn harmonic(mean: f64, amplitude: f64, omega: f64, phase: f64) -> Self {
        Self { mean, sines: vec![Sine { amplitude, omega, phase }] }
    }

    /// Whether it never changes.
    pub fn is_constant(&self) -> bool {
        self.sines.is_empty()
    }

    /// The highest angular frequency in it [rad/s]; zero for a constant.
    pub fn highest_frequency(&self) -> f64 {
        self.sines.iter().filter(|sine| sine.amplitude != 0.0).fold(0.0, |omega, sine| omega.max(sine.omega.abs()))
    }

    /// s(t).
    #[inline]
    pub fn at(&self, t: f64) -> f64 {
        let mut value = self.mean;
        for sine in &self.sines {
            value += sine.amplitude * (sine.omega * t + sine.phase).sin();
        }
        value
    }

    /// ṡ(t).
    #[inline]
    pub fn rate(&self, t: f64) -> f64 {
        let mut rate = 0.0;
        for sine in &self.sines {
            rate += sine.amplitude * sine.omega * (sine.omega * t + sine.phase).cos();
        }
        rate
    }

    /// s̈(t).
    #[inline]
    pub fn acceleration(&self, t: f64) -> f64 {
        let mut acceleration = 0.0;
        for sine in &self.sines {
            acceleration -= sine.amplitude * sine.omega * sine.omega * (sine.omega * t + sine.phase).sin();
        }
        acceleration
    }

    /// Whether every number in it is finite.
    pub fn is_finite(&self) -> bool {
        self.mean.is_finite()
            && self.sines.iter().all(|s| s.amplitude.is_finite() && s.omega.is_finite() && s.phase.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rate and acceleration against a central difference; error O(δ²) = 1e-12 plus round-off 1e-16/δ.
    #[test]
    fn rate_is_the_derivative() {
        let s = Signal {
            mean: 1.0,
            sines: vec![
                Sine { amplitude: 2.0, omega: 3.0, phase: 0.4 },
                Sine { amplitude: -0.5, omega: 7.0, phase: 1.0 },
            ],
        };
        for t in [0.0, 0.3, 1.7] {
            let d = 1e-6;
            let difference = (s.at(t + d) - s.at(t - d)) / (2.0 * d);
            assert!((s.rate(t) - difference).abs() < 1e-8);
            let difference = (s.rate(t + d) - s.rate(t - d)) / (2.0 * d);
            assert!((s.acceleration(t) - difference).abs() < 1e-7);
        }
    }
}
