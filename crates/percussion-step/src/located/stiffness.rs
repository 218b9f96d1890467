//! Refusal of models too stiff for an explicit step, which would otherwise grow without bound.

use crate::State;
use crate::located::stability::rates;
use crate::mechanism::Mechanism;
use percussion_model::{Code, InputError};

/// The words of a scheme that is stable for hω ≤ 2 (and decay rates up to 2/h), at a state; `None` where h is short enough.
pub fn too_stiff(name: &str, mechanism: &mut dyn Mechanism, state: &State, h: f64) -> Option<InputError> {
    let (omega, decay) = rates(mechanism, state)?;
    refusal(name, omega, 2.0 / omega.max(decay).max(f64::MIN_POSITIVE), h)
}

/// The refusal of a step longer than the longest.
pub fn refusal(name: &str, omega: f64, longest: f64, h: f64) -> Option<InputError> {
    // power iteration knows the fastest motion to a few per cent
    if h <= longest {
        return None;
    }
    let message =
        format!("{name} is explicit: this model (up to {omega:.3e} rad/s) takes steps to {longest:.1e} s, not {h:e} s");
    let help = format!("use moreau-jean or another implicit scheme, or step = {:.0e}", 0.5 * longest);
    Some(InputError::new(Code::UNSUPPORTED, "scheme.name", message, help))
}
