//! A scalar that may vary in time, with its exact rate and acceleration.
//!
//!   s(t) = a + Σ A sin(ω t + φ) + Σ c w(t),    w: tables, profiles, formulas, products
//!
//! Between two [corners](Signal::next_corner) a signal is smooth; schemes that follow the smooth motion stop there.

mod dial;
mod profile;
mod table;
mod waveform;

pub use dial::{Course, Dial, Turn};
pub use profile::{Profile, PulseShape};
pub use table::{Interpolation, Table};
pub use waveform::Waveform;

use percussion_matrix::math;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

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

/// A waveform times a factor.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// c.
    pub factor: f64,
    /// w(t).
    pub waveform: Arc<Waveform>,
}

/// A load, the place of an obstacle, a velocity: a mean value, its harmonics and waveforms of any other kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signal {
    /// a, the value without harmonics.
    pub mean: f64,
    /// The harmonics; none for a constant.
    pub sines: Vec<Sine>,
    /// What is no harmonic.
    pub terms: Vec<Term>,
}

impl Signal {
    /// A constant.
    pub fn constant(mean: f64) -> Self {
        Self { mean, ..Self::default() }
    }

    /// A mean plus one harmonic.
    pub fn harmonic(mean: f64, amplitude: f64, omega: f64, phase: f64) -> Self {
        Self { mean, sines: vec![Sine { amplitude, omega, phase }], terms: Vec::new() }
    }

    /// One waveform times a factor.
    pub fn waveform(factor: f64, waveform: Waveform) -> Self {
        Self { terms: vec![Term { factor, waveform: Arc::new(waveform) }], ..Self::default() }
    }

    /// The product of signals.
    pub fn product(factors: Vec<Signal>) -> Self {
        Self::waveform(1.0, Waveform::Product(factors))
    }

    /// self ← self + c s; sines of the same frequency and phase become one.
    pub fn add(&mut self, c: f64, s: &Signal) {
        if c == 0.0 {
            return;
        }
        self.mean += c * s.mean;
        for sine in &s.sines {
            match self.sines.iter_mut().find(|own| own.omega == sine.omega && own.phase == sine.phase) {
                Some(own) => own.amplitude += c * sine.amplitude,
                None => self.sines.push(Sine { amplitude: c * sine.amplitude, ..*sine }),
            }
        }
        for term in &s.terms {
            match self.terms.iter_mut().find(|own| Arc::ptr_eq(&own.waveform, &term.waveform)) {
                Some(own) => own.factor += c * term.factor,
                None => self.terms.push(Term { factor: c * term.factor, waveform: Arc::clone(&term.waveform) }),
            }
        }
    }

    /// Whether it never changes.
    pub fn is_constant(&self) -> bool {
        self.sines.is_empty() && self.terms.iter().all(|term| term.waveform.is_constant())
    }

    /// Whether a hand may change it while a model exists.
    pub fn is_live(&self) -> bool {
        self.terms.iter().any(|term| term.waveform.is_live())
    }

    /// The mean as written, under a hand too.
    pub fn written_mean(&self) -> f64 {
        let hand = |term: &Term| match &*term.waveform {
            Waveform::Dial(dial) => term.factor * dial.mean(),
            Waveform::Table(_)
            | Waveform::Profile(_)
            | Waveform::Formula(_)
            | Waveform::Product(_)
            | Waveform::Derivative { .. } => 0.0,
        };
        self.mean + self.terms.iter().map(hand).sum::<f64>()
    }

    /// The highest angular frequency of its harmonics [rad/s]; zero where it has none.
    pub fn highest_frequency(&self) -> f64 {
        self.sines.iter().filter(|sine| sine.amplitude != 0.0).fold(0.0, |omega, sine| omega.max(sine.omega.abs()))
    }

    /// s(t).
    #[inline]
    pub fn at(&self, t: f64) -> f64 {
        let mut value = self.mean;
        for sine in &self.sines {
            value += sine.amplitude * math::sin(sine.omega * t + sine.phase);
        }
        for term in &self.terms {
            value += term.factor * term.waveform.at(t);
        }
        value
    }

    /// s(t − 0): the value that a jump at t has not yet changed, which is the one a step that ends there has had.
    pub fn until(&self, t: f64) -> f64 {
        if self.terms.is_empty() || !self.jumps() {
            return self.at(t);
        }
        let shortly_before = t - 16.0 * f64::EPSILON * t.abs();
        if self.next_corner(shortly_before) <= past(t) { self.at(shortly_before) } else { self.at(t) }
    }

    /// ṡ(t); from the right at a corner.
    #[inline]
    pub fn rate(&self, t: f64) -> f64 {
        let mut rate = 0.0;
        for sine in &self.sines {
            rate += sine.amplitude * sine.omega * math::cos(sine.omega * t + sine.phase);
        }
        for term in &self.terms {
            rate += term.factor * term.waveform.jet(t)[1];
        }
        rate
    }

    /// s̈(t); from the right at a corner.
    #[inline]
    pub fn acceleration(&self, t: f64) -> f64 {
        let mut acceleration = 0.0;
        for sine in &self.sines {
            acceleration -= sine.amplitude * sine.omega * sine.omega * math::sin(sine.omega * t + sine.phase);
        }
        for term in &self.terms {
            acceleration += term.factor * term.waveform.jet(t)[2];
        }
        acceleration
    }

    /// The first time after t, round-off apart, at which the signal or one of its derivatives jumps; ∞ where none does.
    #[inline]
    pub fn next_corner(&self, t: f64) -> f64 {
        self.terms.iter().map(|term| term.waveform.next_corner(t)).fold(f64::INFINITY, f64::min)
    }

    /// Whether the value itself jumps somewhere.
    pub fn jumps(&self) -> bool {
        self.terms.iter().any(|term| term.waveform.jumps())
    }

    /// ṡ as a signal: A ω sin(ω t + φ + π/2) and the rates of the waveforms.
    pub fn to_rate(&self) -> Self {
        let turned = |s: &Sine| Sine { amplitude: s.amplitude * s.omega, phase: s.phase + FRAC_PI_2, ..*s };
        self.derived(self.sines.iter().map(turned).collect(), 1)
    }

    /// s̈ as a signal: −A ω² sin(ω t + φ) and the accelerations of the waveforms.
    pub fn to_acceleration(&self) -> Self {
        let turned = |s: &Sine| Sine { amplitude: -s.amplitude * s.omega * s.omega, ..*s };
        self.derived(self.sines.iter().map(turned).collect(), 2)
    }

    fn derived(&self, sines: Vec<Sine>, order: usize) -> Self {
        let term = |term: &Term| Term {
            factor: term.factor,
            waveform: Arc::new(Waveform::Derivative { of: Arc::clone(&term.waveform), order }),
        };
        Self { mean: 0.0, sines, terms: self.terms.iter().map(term).collect() }
    }

    /// Whether every number in it is finite.
    pub fn is_finite(&self) -> bool {
        self.mean.is_finite()
            && self.sines.iter().all(|s| s.amplitude.is_finite() && s.omega.is_finite() && s.phase.is_finite())
            && self.terms.iter().all(|term| term.factor.is_finite() && term.waveform.is_finite())
    }
}

/// t as corners see it: round-off before a corner counts as past it, so that k·h and the time of a step agree.
#[inline]
pub(crate) fn past(t: f64) -> f64 {
    // of −∞ itself
    (t + 8.0 * f64::EPSILON * t.abs()).max(t)
}

#[cfg(test)]
mod tests;
