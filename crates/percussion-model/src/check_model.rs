//! Whether a model agrees with itself: forces with the derivatives of its energies, Jacobians with its gaps, at random states.
//!
//!   ½(f(q, v) + f(q, −v)) − f(q, 0) = −(Ṁv − ½ ∂(vᵀMv)/∂q),    f(q, 0) = −∂V/∂q + loads,    ∂g, ∂²g, ∂f as differences give them
//!
//! Dampers and loads have no even part in v beyond their value at rest; what is even there and no inertia is a forgotten or wrong
//! velocity term. Loads at rest are what the power of the forces without a potential is odd in v by, ½(P(q, e_i) − P(q, −e_i)); what the
//! force at rest is beyond them and −∂V/∂q may not change with q, and is zero where all loads were left aside. Where f_i − ∂V/∂q_i is
//! that, its sign is wrong.

use crate::{Lagrangian, check_derivatives};
use percussion_matrix::DenseMatrix;

/// States that are tried.
const STATES: usize = 6;
/// Relative difference from which something counts as wrong: derivatives by differences are good to 1e-8.
const WRONG: f64 = 1e-5;

/// What the writer of a model says of it beside its functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// ∂V/∂q is a function of its own, not −f at rest.
    pub own_gradient: bool,
    /// Forces without a potential were left aside: those at rest are −∂V/∂q.
    pub no_loads: bool,
    /// Every function has a value at all states that are tried; else a model need not be defined everywhere.
    pub everywhere: bool,
}

/// What in a model contradicts the rest, each with its size; none where it agrees.
pub fn check_model(model: &dyn Lagrangian, q0: &[f64], v0: &[f64], claims: Claims) -> Vec<String> {
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
    let tangents = || (0..model.restitutions().len()).flat_map(|i| (0..model.n_tangents(i)).map(move |k| (i, k)));
    let mut flat: Vec<(usize, usize)> =
        tangents().filter(|&(i, _)| model.frictions().get(i).is_some_and(|mu| *mu > 0.0)).collect();
    let mut missing = Missing::default();
    missing.look(model, (q0, v0), claims);
    let at_start = missing.found.len();
    for _ in 0..STATES {
        let q: Vec<f64> = q0.iter().map(|x| x + 0.4 * random() * x.abs().max(1.0)).collect();
        let v: Vec<f64> = q0.iter().map(|_| 3.0 * random() * speed).collect();
        let report = check_derivatives(model, &q, &v, 0.0);
        if !missing.look(model, (&q, &v), claims) || !report.worst().is_finite() {
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
        let rest = AtRest::new(model, &q, claims);
        note("the gradient of the potential (potential_q)", rest.wrong_gradient());
        at_rest.push(rest);
        flat.retain(|&(i, k)| {
            let mut row = vec![0.0; n];
            model.contact_tangent(i, k, &q, &mut row);
            row.iter().all(|x| *x == 0.0)
        });
    }
    worst.retain(|(_, size)| *size > WRONG);
    let mut found: Vec<String> = worst.iter().map(|(what, size)| format!("{what} differs by {size:.1e}")).collect();
    found.extend(unlike_the_potential(&at_rest, n, claims));
    // a state beside the start may lie outside of what the functions are defined for, all of them may not
    missing.found.truncate(if claims.everywhere || at_rest.is_empty() { usize::MAX } else { at_start });
    found.extend(missing.found);
    if at_rest.is_empty() && found.is_empty() {
        found.push("no state near the given one has finite values and differences of all functions".into());
    }
    if !at_rest.is_empty() {
        found.extend(flat.iter().map(|(i, _)| format!("a tangent of contact {i} is zero: nothing slides along it")));
    }
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

/// Functions without a value, each with the first state it has none at.
#[derive(Default)]
struct Missing {
    known: Vec<&'static str>,
    found: Vec<String>,
}

impl Missing {
    /// Looks at one state; whether every function has a value there. Derivatives of what has none are not named.
    fn look(&mut self, model: &dyn Lagrangian, (q, v): (&[f64], &[f64]), claims: Claims) -> bool {
        let n = model.n();
        let square = || DenseMatrix::zeros(n, n);
        let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
        let (mut M, mut D, mut K, mut C) = (square(), square(), square(), square());
        let (mut f, mut V_q) = (vec![0.0; n], vec![0.0; n]);
        model.mass(q, &mut M);
        model.mass_tangent(q, v, &mut D);
        model.force(q, v, 0.0, &mut f);
        model.force_tangents(q, v, 0.0, &mut K, &mut C);
        if claims.own_gradient {
            model.potential_gradient(q, &mut V_q);
        }
        let mut parts = vec![
            ("the mass", finite(M.values())),
            ("the force", finite(&f)),
            ("the potential", model.potential_energy(q).is_finite()),
            ("the gradient of the potential (potential_q)", finite(&V_q)),
            ("the derivative of M(q)", finite(D.values()) || !finite(M.values())),
            ("the derivative of the force by q (force_q)", finite(K.values()) || !finite(&f)),
            ("the derivative of the force by v (force_v)", finite(C.values()) || !finite(&f)),
        ];
        for j in 0..model.n_joints() + model.restitutions().len() {
            let mut row = vec![0.0; n];
            model.gradient(j, q, &mut row);
            let value = model.constraint(j, q).is_finite();
            parts.push(("a gap or joint", value));
            parts.push(("the gradient of a gap or joint (gap_q, joint_q)", finite(&row) || !value));
        }
        for i in 0..model.restitutions().len() {
            if let Some(gaps) = model.moving_gaps() {
                let rate = gaps.rate(i, q, 0.0).is_finite() || !gaps.gap(i, q, 0.0).is_finite();
                parts.push(("the derivative of a gap by time (gap_t)", rate));
            }
            for k in 0..model.n_tangents(i) {
                let mut row = vec![0.0; n];
                model.contact_tangent(i, k, q, &mut row);
                parts.push(("a tangent of a contact", finite(&row)));
            }
        }
        for (what, _) in parts.iter().filter(|(_, there)| !there) {
            if !self.known.contains(what) {
                self.known.push(what);
                self.found.push(format!("{what} is infinite or NaN at q = {q:.4?}, v = {v:.4?}"));
            }
        }
        parts.iter().all(|(_, there)| *there)
    }
}

/// A model at rest.
struct AtRest {
    f: Vec<f64>,
    V_q: Vec<f64>,
    /// ∂V/∂q as the model gives it.
    given: Option<Vec<f64>>,
    /// Forces that are said to have no potential.
    loads: Vec<f64>,
    /// Round-off of V_q.
    noise: f64,
    /// Whether ∂f/∂q is symmetric: f has a potential.
    conservative: bool,
}

impl AtRest {
    fn new(model: &dyn Lagrangian, q: &[f64], claims: Claims) -> Self {
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
        let given = claims.own_gradient.then(|| {
            let mut given = rest.clone();
            model.potential_gradient(q, &mut given);
            given
        });
        let power = |i: usize, sign: f64| {
            let mut v = rest.clone();
            v[i] = sign;
            model.power_without_potential(q, &v, 0.0)
        };
        let load = |i: usize| if claims.no_loads { 0.0 } else { 0.5 * (power(i, 1.0) - power(i, -1.0)) };
        Self { loads: (0..n).map(load).collect(), f, V_q, given, noise, conservative: !turning }
    }

    /// ∂V/∂q as given against differences of V, beyond their round-off and relative to the largest entry.
    fn wrong_gradient(&self) -> f64 {
        let Some(given) = &self.given else { return 0.0 };
        let size = given.iter().chain(&self.V_q).fold(0.0_f64, |s, x| s.max(x.abs()));
        let difference = given.iter().zip(&self.V_q).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()));
        if difference <= self.noise { 0.0 } else { difference / size }
    }
}

/// Coordinates whose force at rest is not that of the potential.
fn unlike_the_potential(states: &[AtRest], n: usize, claims: Claims) -> Vec<String> {
    // constant loads that nobody speaks of are work, unless there are said to be none
    let extent = |of: &dyn Fn(&AtRest) -> f64| {
        let from = if claims.no_loads { (0.0, 0.0) } else { (f64::MAX, f64::MIN) };
        let (low, high) = states.iter().map(of).fold(from, |(a, b): (f64, f64), x| (a.min(x), b.max(x)));
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
        let excess = |s: &AtRest| s.f[i] - s.loads[i] + s.V_q[i];
        let bound = WRONG * extent(&|s| s.f[i]).max(size) + noise;
        if extent(&excess) <= bound {
            continue;
        }
        let Some(s) = states.iter().max_by(|a, b| excess(a).abs().total_cmp(&excess(b).abs())) else { continue };
        let against = format!("{:.4e} against {:.4e}", s.f[i] - s.loads[i], -s.V_q[i]);
        found.push(if extent(&|s| s.f[i] - s.loads[i] - s.V_q[i]) <= bound {
            format!("the force on coordinate {i} at rest is +∂V/∂q, not −∂V/∂q: a wrong sign ({against})")
        } else if conservative {
            format!(
                "the force on coordinate {i} at rest has a potential, but not the one given ({against}): a term has the wrong \
                 sign, or stands in one of the two only"
            )
        } else {
            format!(
                "the force on coordinate {i} at rest is not −∂V/∂q ({against}): a term has the wrong sign or is missing, or it has \
                 no potential and is not said to be a load"
            )
        });
    }
    found
}
