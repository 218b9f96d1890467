//! Refusal of models too stiff for an explicit step, which would otherwise grow without bound.

use crate::State;
use crate::located::stability::rates;
use crate::mechanism::Mechanism;
use percussion_model::{Code, InputError};

/// Pieces of the step of 2/ω or 2/d in which the longest stable one is looked for.
const PIECES: usize = 200;

/// The words of a scheme that is stable for hω ≤ 2 and decay rates up to 2/h each alone, and together where `stable(hω, hd)`, at a state; `None`
/// where h is short enough.
pub fn too_stiff(
    name: &str,
    mechanism: &mut dyn Mechanism,
    state: &State,
    h: f64,
    stable: impl Fn(f64, f64) -> bool,
) -> Option<InputError> {
    let (omega, decay) = rates(mechanism, state)?;
    let alone = 2.0 / omega.max(decay).max(f64::MIN_POSITIVE);
    let piece = |k: usize| k as f64 / PIECES as f64 * alone;
    let longest = match (1..=PIECES).find(|&k| !stable(piece(k) * omega, piece(k) * decay)) {
        Some(k) if k < PIECES => piece(k - 1),
        Some(_) | None => alone,
    };
    refusal(name, omega, longest, h)
}

/// Symplectic Euler, x² + 2y ≤ 4 for x = hω and y = hd: beyond it velocities change their sign and grow from step to step.
pub fn euler_is_stable(x: f64, y: f64) -> bool {
    x * x + 2.0 * y <= 4.0
}

/// Verlet's step with the force at the end taken at the velocity that the force at the start leads to: the roots of z² − Tz + D lie in the unit circle
/// where |D| ≤ 1 and |T| ≤ 1 + D.
pub fn verlet_is_stable(x: f64, y: f64) -> bool {
    let s = x * x;
    let trace = 2.0 - s - y + 0.25 * s * y + 0.5 * y * y;
    let [qq, qw] = [1.0 - 0.5 * s, 1.0 - 0.5 * y];
    let [wq, ww] = [-s + 0.25 * s * s + 0.5 * y * s, 1.0 - y - 0.5 * s + 0.25 * s * y + 0.5 * y * y];
    let product = qq * ww - qw * wq;
    let round_off = 1e-12;
    product.abs() <= 1.0 + round_off && trace.abs() <= 1.0 + product + round_off
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a state grows over 4000 steps.
    fn grows(step: impl Fn([f64; 2]) -> [f64; 2]) -> bool {
        let mut state = [1.0, 0.3];
        (0..4000).any(|_| {
            state = step(state);
            state[0].abs() + state[1].abs() > 1e3
        })
    }

    /// A mass on a spring whose damper grows with the stiffness, as that of a solid, hω = x and hd = part·x²: what is called stable does not grow, and a
    /// twentieth beyond it does.
    #[test]
    fn damping_shortens_the_longest_step() {
        let longest = |part: f64, stable: fn(f64, f64) -> bool| {
            let x = |k: usize| 1e-3 * k as f64;
            x((1..3000).find(|&k| !stable(x(k), part * x(k) * x(k))).expect("a limit") - 1)
        };
        for part in [0.0, 0.1, 0.3, 1.0, 3.0] {
            let force = |x: f64, q: f64, v: f64| -x * x * q - part * x * x * v;
            let euler = |x: f64| grows(move |[q, v]| [q + v, v + force(x, q + v, v)]);
            let verlet = |x: f64| {
                grows(move |[q, v]| {
                    let a = force(x, q, v);
                    let q = q + v + 0.5 * a;
                    [q, v + 0.5 * (a + force(x, q, v + a))]
                })
            };
            let x = longest(part, euler_is_stable);
            assert!(!euler(0.99 * x) && euler(1.05 * x), "Euler with {part}: {x}");
            let x = longest(part, verlet_is_stable);
            assert!(!verlet(0.99 * x) && verlet(1.05 * x), "Verlet with {part}: {x}");
        }
    }
}
