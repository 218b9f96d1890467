//! How fast a model can move, and the step up to which an explicit table follows it.
//!
//!   ω² = ρ(∂a/∂q), d = ρ(∂a/∂v) by power iteration on differences of a;    h ω ≤ z with |R(iz)| ≤ growth,   h d ≤ z with |R(−z)| ≤ growth

use crate::State;
use crate::located::tableau::Tableau;
use crate::mechanism::Mechanism;
use percussion_matrix::vector;

/// Power iterations: enough for a few per cent of the largest frequency.
const ITERATIONS: usize = 60;

/// The largest frequency and the largest rate of decay at a state [1/s].
pub fn rates(mechanism: &mut dyn Mechanism, state: &State) -> Option<(f64, f64)> {
    let mut start = State { t: state.t, ..Default::default() };
    mechanism.enter((&state.q, &state.v), &mut start.q, &mut start.v);
    let state = &start;
    let rate = |of: &[f64], mechanism: &mut dyn Mechanism, velocity: bool| {
        let n = of.len();
        let (mut x, mut a, mut y) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        if !mechanism.accelerate(state.t, &state.q, &state.v, &[], &mut a, &mut []) {
            return None;
        }
        // alternating signs: the fastest motions of chains and meshes are of this kind
        for (k, x) in x.iter_mut().enumerate() {
            *x = (1.0 + 0.1 * (k % 7) as f64) * if k % 2 == 0 { 1.0 } else { -1.0 };
        }
        let mut largest = 0.0;
        let size = if mechanism.is_linear() { 1.0 } else { 1e-6 * vector::max_abs(of).max(1e-3) };
        for _ in 0..ITERATIONS {
            let length = vector::norm(&x);
            if length == 0.0 {
                break;
            }
            x.iter_mut().for_each(|x| *x /= length);
            let moved: Vec<f64> = of.iter().zip(&x).map(|(o, x)| o + size * x).collect();
            let (q, v) = if velocity { (&state.q, &moved) } else { (&moved, &state.v) };
            if !mechanism.accelerate(state.t, q, v, &[], &mut y, &mut []) {
                return None;
            }
            for k in 0..n {
                x[k] = (y[k] - a[k]) / size;
            }
            largest = vector::norm(&x);
        }
        Some(largest)
    };
    let square = rate(&state.q, mechanism, false)?;
    Some((square.sqrt(), rate(&state.v, mechanism, true)?))
}

/// The longest step with which the table follows oscillations of `omega` and decay at the rate `decay`, growing by no more than this in a step.
pub fn longest_step(tableau: &Tableau, (omega, decay): (f64, f64), growth: f64) -> f64 {
    (tableau.oscillation_limit(growth) / omega).min(tableau.decay_limit(growth) / decay)
}
