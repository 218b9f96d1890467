//! Whether a model agrees with itself: forces with the derivatives of its energies, Jacobians with its gaps, at random states.
//!
//!   ½(f(q, v) + f(q, −v)) − f(q, 0) = −(Ṁv − ½ ∂(vᵀMv)/∂q),    f(q, 0) = −∂V/∂q + loads,    ∂g, ∂²g, ∂f as differences give them
//!
//! Dampers and loads have no even part in v beyond their value at rest; what is even there and no inertia is a forgotten or wrong
//! velocity term. A force at rest whose ∂f/∂q is symmetric has a potential: what it is beyond −∂V/∂q may not change with q. Where
//! f_i − ∂V/∂q_i does not, its sign is wrong.

use crate::{Lagrangian, check_derivatives};
use percussion_matrix::DenseMatrix;

/// States that are tried.
const STATES: usize = 6;
/// Relative difference from which something counts as wrong: derivatives by differences are good to 1e-8.
const WRONG: f64 = 1e-5;

/// What in a model contradicts the rest, each with its size; none where it agrees.
pub fn check_model(model: &dyn Lagrangian, q0: &[f64], v0: &[f64]) -> Vec<String> {
    let n = model.n();
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (dice >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let speed = v0.iter().fold(1.0_f64, |s, v| s.max(v.abs()));
    let mut worst: Vec<(&str, f64)> = Vec::new();
    let mut note = |what: &'static str, size: f64| match worst.iter_mut().find(|(known, _)| *known == what) {
        Some((_, largest)) => *largest = largest.max(size),
        None => worst.push((what, size)),
    };
    let mut at_rest = Vec::new();
    for _ in 0..STATES {
        let q: Vec<f64> = q0.iter().map(|x| x + 0.4 * random() * x.abs().max(1.0)).collect();
        let v: Vec<f64> = q0.iter().map(|_| 3.0 * random() * speed).collect();
        let report = check_derivatives(model, &q, &v, 0.0);
        // a model need not be defined everywhere
        if !report.worst().is_finite() {
            continue;
        }
        note("the derivative of the force by q (force_q)", report.stiffness);
        note("the derivative of the force by v (force_v)", report.damping);
        note("the gradient of a gap or joint (gap_q, joint_q)", report.gradient);
        note("the second derivative of a gap or joint", report.hessian);
        note("the derivative of a gap by time (gap_t)", report.gap_rate);
        note("the derivative of M(q), or a mass called constant", report.mass_tangent);
        note("the symmetry of M, or the kinetic energy", report.mass);
        note("the velocity terms of the force, −(Ṁv − ½ ∂(vᵀMv)/∂q)", velocity_terms(model, &q, &v));
        at_rest.push(AtRest::new(model, &q));
    }
    worst.retain(|(_, size)| *size > WRONG);
    let mut found: Vec<String> = worst.iter().map(|(what, size)| format!("{what} differs by {size:.1e}")).collect();
    found.extend(unlike_the_potential(&at_rest, n));
    found
}

/// The even part of f in v against what the inertia demands, relative to the larger of the two.
fn velocity_terms(model: &dyn Lagrangian, q: &[f64], v: &[f64]) -> f64 {
    let n = model.n();
    let force = |sign: f64| {
        let v: Vec<f64> = v.iter().map(|v| sign * v).collect();
        let mut f = vec![0.0; n];
        model.force(q, &v, 0.0, &mut f);
        f
    };
    let (forward, back, rest) = (force(1.0), force(-1.0), force(0.0));

    // Ṁv = D v and ½ ∂(vᵀMv)/∂q = ½ Dᵀv with D = ∂(M v)/∂q
    let mut D = DenseMatrix::zeros(n, n);
    model.mass_tangent(q, v, &mut D);
    let (mut difference, mut size) = (0.0_f64, 0.0_f64);
    for i in 0..n {
        let demanded: f64 = (0..n).map(|k| (0.5 * D.get(k, i) - D.get(i, k)) * v[k]).sum();
        let found = 0.5 * (forward[i] + back[i]) - rest[i];
        difference = difference.max((found - demanded).abs());
        size = size.max(found.abs()).max(demanded.abs()).max(1e-3 * forward[i].abs());
    }
    if difference == 0.0 { 0.0 } else { difference / size }
}

/// A model at rest.
struct AtRest {
    f: Vec<f64>,
    V_q: Vec<f64>,
    /// Round-off of V_q.
    noise: f64,
    /// Whether ∂f/∂q is symmetric: f has a potential.
    conservative: bool,
}

impl AtRest {
    fn new(model: &dyn Lagrangian, q: &[f64]) -> Self {
        let (n, rest) = (q.len(), vec![0.0; q.len()]);
        let (mut f, mut V_q, mut noise) = (rest.clone(), rest.clone(), 0.0_f64);
        model.force(q, &rest, 0.0, &mut f);
        for i in 0..n {
            let delta = 1e-4 * q[i].abs().max(1.0);
            let V = [-2.0, -1.0, 1.0, 2.0].map(|steps: f64| {
                let mut moved = q.to_vec();
                moved[i] += steps * delta;
                model.potential_energy(&moved)
            });
            V_q[i] = (8.0 * (V[2] - V[1]) - (V[3] - V[0])) / (12.0 * delta);
            noise = noise.max(32.0 * f64::EPSILON * V[0].abs() / delta);
        }
        let (mut K, mut C) = (DenseMatrix::zeros(n, n), DenseMatrix::zeros(n, n));
        model.force_tangents(q, &rest, 0.0, &mut K, &mut C);
        let size = K.values().iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        let turning = (0..n).any(|i| (0..i).any(|j| (K.get(i, j) - K.get(j, i)).abs() > WRONG * size));
        Self { f, V_q, noise, conservative: !turning }
    }
}

/// Coordinates whose force at rest has a potential, but not the one given.
fn unlike_the_potential(states: &[AtRest], n: usize) -> Vec<String> {
    let spread = |of: &dyn Fn(&AtRest) -> f64| {
        let (low, high) = states.iter().map(of).fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
        high - low
    };
    let size = states.iter().flat_map(|s| &s.V_q).fold(0.0_f64, |s, x| s.max(x.abs()));
    let noise = states.iter().fold(0.0_f64, |s, at| s.max(at.noise));
    // without a potential every force is work
    if states.len() < 2 || size <= noise {
        return Vec::new();
    }
    let conservative = states.iter().all(|s| s.conservative);
    let mut found = Vec::new();
    for i in 0..n {
        let bound = |a: f64| WRONG * a.max(size) + noise;
        let (excess, own) = (spread(&|s| s.f[i] + s.V_q[i]), spread(&|s| s.f[i]));
        if excess <= bound(own) {
            continue;
        }
        let s = &states[0];
        let against = format!("{:.4e} against {:.4e}", s.f[i], -s.V_q[i]);
        if spread(&|s| s.f[i] - s.V_q[i]) <= bound(own) {
            found.push(format!("the force on coordinate {i} at rest is +∂V/∂q, not −∂V/∂q: a wrong sign ({against})"));
        } else if conservative {
            found.push(format!(
                "the force on coordinate {i} at rest has a potential, but not the one given ({against}): a term has the wrong \
                 sign, or stands in one of the two only"
            ));
        }
    }
    found
}
