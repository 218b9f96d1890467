//! The period of what drives a linear model: T = 2π/ω for the slowest harmonic, where every other is a multiple of it.

use percussion_model::{LinearModel, Signal};

/// Why loads have no common period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForcingError {
    /// Nothing depends on time.
    Autonomous,
    /// A signal is no sum of harmonics: what repeats in it is not known.
    Unknown,
    /// ω of a harmonic is no multiple of the slowest: the two [rad/s].
    Incommensurable(f64, f64),
}

/// How far a ratio of frequencies may lie from a whole number.
const WHOLE: f64 = 1e-9;

/// T of the loads and obstacles of a model [s].
pub fn forcing_period(model: &LinearModel) -> Result<f64, ForcingError> {
    let offsets = model.contacts().iter().map(|contact| &contact.offset);
    let signals: Vec<&Signal> = model.loads().iter().chain(offsets).collect();
    if signals.iter().any(|signal| !signal.terms.is_empty()) {
        return Err(ForcingError::Unknown);
    }
    let frequencies = || {
        let moving = |sine: &&percussion_model::Sine| sine.amplitude != 0.0 && sine.omega != 0.0;
        signals.iter().flat_map(|signal| &signal.sines).filter(moving).map(|sine| sine.omega.abs())
    };
    let slowest = frequencies().reduce(f64::min).ok_or(ForcingError::Autonomous)?;
    for omega in frequencies() {
        let ratio = omega / slowest;
        if (ratio - ratio.round()).abs() > WHOLE * ratio {
            return Err(ForcingError::Incommensurable(omega, slowest));
        }
    }
    Ok(2.0 * std::f64::consts::PI / slowest)
}
