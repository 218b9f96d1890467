//! The period doublings of a ball that bounces on a vibrating table (Holmes 1982; Tufillaro, Mello, Choi and Albano 1986), restitution ½.
//!
//! ẍ = −g above the table z = a sin ωt, Γ = aω²/g. A ball that hits once in n periods T leaves with g n T/2 and arrives with minus that, so that
//! the table moves with (1 − e)/(1 + e) · g n T/2 at the impact:
//!   Γ cos φ = n π (1 − e)/(1 + e).
//! The map from impact to impact has the determinant e² and, there, 1 + trace + determinant = 2(1 + e²) − (1 + e)² Γ sin φ, so that this orbit begins at
//! (a fold) and doubles its period at
//!   Γ_n = nπ (1 − e)/(1 + e),   Γ_n' = √(Γ_n² + (2(1 + e²)/(1 + e)²)²).
//! The diagram of Tufillaro, Abbott and Reilly (An Experimental Approach to Nonlinear Dynamics and Chaos, 1992, chapter 1) is the cascade that
//! follows for e = ½ and n = 1: at 60 Hz its amplitudes of 0.10 to 0.12 mm are Γ = 1.45 to 1.74.

use percussion_dynamics::{Driven, Orbit};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{Contact, LinearModel, LinearParts, Signal};
use percussion_solve::SolverOptions;
use percussion_step::{Flow, Problem, State};
use std::f64::consts::PI;

/// g = ω = 1: the amplitude is Γ.
fn driven(gamma: f64, e: f64) -> Driven {
    let one = || Matrix::Dense(DenseMatrix::from_rows(&[vec![1.0]]).expect("a matrix"));
    let model = LinearModel::new(LinearParts {
        mass: one(),
        damping: None,
        stiffness: None,
        force: vec![Signal::constant(-1.0)],
        contacts: vec![Contact {
            normal: vec![(0, 1.0)],
            offset: Signal::harmonic(0.0, -gamma, 1.0, 0.0),
            restitution: e,
            ..Contact::default()
        }],
        joints: vec![],
    })
    .expect("a ball");
    let problem = Problem::linear(model, vec![gamma + 1.0], vec![0.0]).expect("a problem");
    let flow = Flow::new(&problem, SolverOptions::default(), &[]).expect("a flow");
    Driven { flow, period: 2.0 * PI, period_rate: 0.0 }
}

/// Γ_n and Γ_n'.
fn closed_form(n: usize, e: f64) -> (f64, f64) {
    let first = n as f64 * PI * (1.0 - e) / (1.0 + e);
    (first, first.hypot(2.0 * (1.0 + e * e) / (1.0 + e).powi(2)))
}

/// The closed form's state at the strobe after its impact.
fn at_strobe(gamma: f64, n: usize, e: f64) -> [f64; 2] {
    let phase = (closed_form(n, e).0 / gamma).acos();
    let (v, s) = (n as f64 * PI, 2.0 * PI - phase);
    [gamma * phase.sin() + v * s - 0.5 * s * s, v - s]
}

/// (1 + μ₁)(1 + μ₂): zero where the period doubles.
fn doubling(orbit: &Orbit) -> f64 {
    let M = &orbit.monodromy;
    1.0 + M.get(0, 0) + M.get(1, 1) + M.get(0, 0) * M.get(1, 1) - M.get(0, 1) * M.get(1, 0)
}

/// The Γ at which the cycle of m periods, followed from a start inside its range, doubles.
fn doubles_at(m: usize, e: f64, (start, step): (f64, f64), guess: [f64; 2]) -> (f64, Orbit) {
    let mut x = guess.to_vec();
    let mut at = |gamma: f64| {
        let orbit = driven(gamma, e).orbit(&x, m).unwrap_or_else(|f| panic!("{m} at {gamma}: {}", f.message));
        x.clone_from(&orbit.x);
        orbit
    };
    let (mut low, mut high) = (start, start);
    assert!(doubling(&at(low)) > 0.0, "cycle {m} is stable at {low}");
    while doubling(&at(high)) > 0.0 {
        low = high;
        high += step;
    }
    for _ in 0..48 {
        let middle = 0.5 * (low + high);
        if doubling(&at(middle)) > 0.0 { low = middle } else { high = middle }
    }
    (low, at(low))
}

/// The state to which the motion settles in many periods.
fn settled(gamma: f64, e: f64) -> [f64; 2] {
    let [q, v] = at_strobe(gamma, 1, e);
    let (mut driven, mut state) = (driven(gamma, e), State { t: 0.0, q: vec![q + 1e-3], v: vec![v] });
    for _ in 0..512 {
        let end = driven.flow.run(&state, 2.0 * PI, vec![]).expect("a run");
        state = State { t: 0.0, ..end.state };
    }
    [state.q[0], state.v[0]]
}

/// From an impact to the next, with the Jacobian of (t, v): flights by scanning and bisection, derivatives of the implicit equation.
fn flight((t, v): (f64, f64), gamma: f64, e: f64) -> ((f64, f64), [[f64; 2]; 2]) {
    let height = |s: f64| gamma * t.sin() + v * s - 0.5 * s * s - gamma * (t + s).sin();
    let mut s = 1e-6;
    while height(s) > 0.0 {
        s += 1e-2;
    }
    let (mut low, mut high) = ((s - 1e-2).max(1e-7), s);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if height(middle) > 0.0 { low = middle } else { high = middle }
    }
    let (hit, arrival) = (t + high, v - high);
    let after = -e * arrival + (1.0 + e) * gamma * hit.cos();
    let slope = arrival - gamma * hit.cos();
    let dhit = [1.0 - gamma * (t.cos() - hit.cos()) / slope, -high / slope];
    let darrival = [1.0 - dhit[0], 1.0 - dhit[1]];
    let dafter = [0, 1].map(|k| -e * darrival[k] - (1.0 + e) * gamma * hit.sin() * dhit[k]);
    ((hit, after), [dhit, dafter])
}

/// 1 + trace + determinant over a cycle of m flights from an impact.
fn doubling_of_the_map(mut at: (f64, f64), m: usize, gamma: f64, e: f64) -> f64 {
    let mut J = [[1.0, 0.0], [0.0, 1.0]];
    for _ in 0..m {
        let (next, j) = flight(at, gamma, e);
        let entry = |i: usize, k: usize| j[i][0] * J[0][k] + j[i][1] * J[1][k];
        (at, J) = (next, [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]);
    }
    1.0 + J[0][0] + J[1][1] + J[0][0] * J[1][1] - J[0][1] * J[1][0]
}

/// Where orbits of n periods with one impact begin and double: 1e-9 of the closed form, for several n and e.
#[test]
fn first_doublings() {
    for (n, e) in [(1, 0.5), (2, 0.5), (1, 0.8), (3, 0.8)] {
        let (first, doubled) = closed_form(n, e);
        let start = first + 0.2 * (doubled - first);
        let (found, _) = doubles_at(n, e, (start, 0.3 * (doubled - first)), at_strobe(start, n, e));
        println!("n = {n}, e = {e}: begins at {first:.9}, doubles at {found:.9}, closed form {doubled:.9}");
        assert!((found - doubled).abs() < 1e-9, "{n} {e}: {found} {doubled}");
        // at the beginning a multiplier is 1: right above, (1 − μ₁)(1 − μ₂) = (1 + e)² Γ sin φ, which vanishes with φ
        let gamma = first * (1.0 + 1e-6);
        let orbit = driven(gamma, e).orbit(&at_strobe(gamma, n, e), n).expect("an orbit");
        let M = &orbit.monodromy;
        let near = 1.0 - M.get(0, 0) - M.get(1, 1) + M.get(0, 0) * M.get(1, 1) - M.get(0, 1) * M.get(1, 0);
        let expected = (1.0 + e).powi(2) * (gamma * gamma - first * first).sqrt();
        assert!((near / expected - 1.0).abs() < 1e-6, "{n} {e}: {near} {expected}");
    }
}

/// The cascade of e = ½: 1 → 2 → 4 → 8, each doubling a zero of the map from impact to impact to 1e-7 in Γ, the gaps shrinking as they should.
#[test]
fn cascade() {
    let e = 0.5;
    let mut found = Vec::new();
    for (m, start, step) in [(1, 1.45, 0.05), (2, 1.60, 0.03), (4, 1.685, 0.01)] {
        let (gamma, orbit) = doubles_at(m, e, (start, step), settled(start, e));
        assert_eq!(orbit.impacts().count(), m);
        // the same cycle by the map, from its last impact
        let last = orbit.impacts().last().expect("an impact").t;
        let end = driven(gamma, e).flow.run(
            &State { t: 0.0, q: vec![orbit.x[0]], v: vec![orbit.x[1]] },
            m as f64 * 2.0 * PI,
            vec![],
        );
        let v = end.expect("a run").state.v[0] + (m as f64 * 2.0 * PI - last);
        let zero = |gamma: f64| doubling_of_the_map((last, v), m, gamma, e);
        let slope = (zero(gamma + 1e-5) - zero(gamma - 1e-5)) / 2e-5;
        println!(
            "{m} → {}: Γ = {gamma:.9}; the map's 1 + trace + det is {:.1e} (slope {slope:.1})",
            2 * m,
            zero(gamma)
        );
        assert!(zero(gamma).abs() < 1e-7 * slope.abs().max(1.0), "{m}: {}", zero(gamma));
        found.push(gamma);
    }
    assert!((found[0] - closed_form(1, e).1).abs() < 1e-9);
    let ratio = (found[1] - found[0]) / (found[2] - found[1]);
    println!("doublings at {found:?}, ratio of the gaps {ratio:.3}");
    assert!((3.5..6.5).contains(&ratio), "{ratio}");
}
