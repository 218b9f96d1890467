//! Periodic orbits of a driven system by shooting on the event-driven flow.
//!
//!   φ_{mT}(x) = x,   Newton:  (M − 1) dx = x − φ(x),   M = ∂φ/∂x with the saltation of every event
//!
//! The eigenvalues of M are the Floquet multipliers: the orbit is stable where all lie inside the unit circle.

use crate::eigenvalues::eigenvalues;
use percussion_matrix::{DenseMatrix, SmallLu, math, vector};
use percussion_model::Code;
use percussion_step::{Flow, FlowStop, Instant, State, StepFailure};

/// A system with a period that drives it.
pub struct Driven {
    /// Its flow, perhaps with a parameter.
    pub flow: Flow,
    /// T [s].
    pub period: f64,
    /// dT/dp.
    pub period_rate: f64,
}

/// A closed orbit.
#[derive(Clone, Debug, PartialEq)]
pub struct Orbit {
    /// (q, v) at t = 0.
    pub x: Vec<f64>,
    /// m, the periods after which it closes.
    pub periods: usize,
    /// Floquet multipliers, real and imaginary part, the largest first.
    pub multipliers: Vec<(f64, f64)>,
    /// M.
    pub monodromy: DenseMatrix,
    /// ∂φ/∂p, the change of the period included; empty without a parameter.
    pub rate: Vec<f64>,
    /// max |φ(x) − x|.
    pub residual: f64,
    /// Newton steps.
    pub iterations: usize,
    /// Its impacts and stops.
    pub instants: Vec<Instant>,
    /// The smallest gap at which an open contact turns back: gap, contact, time.
    pub nearest: Option<(f64, usize, f64)>,
}

impl Orbit {
    /// The largest |μ|.
    pub fn radius(&self) -> f64 {
        self.multipliers.first().map_or(0.0, |&(re, im)| math::hypot(re, im))
    }

    /// Whether perturbations die out.
    pub fn is_stable(&self) -> bool {
        self.radius() < 1.0
    }

    /// The slowest approach of an impact [m/s].
    pub fn slowest_impact(&self) -> Option<f64> {
        self.impacts().map(|instant| -instant.approach).reduce(f64::min)
    }

    /// Its impacts.
    pub fn impacts(&self) -> impl Iterator<Item = &Instant> {
        self.instants.iter().filter(|instant| instant.kind == percussion_step::EventKind::Impact)
    }
}

/// φ(x) with its derivatives.
pub(crate) struct Shot {
    pub end: Vec<f64>,
    pub M: DenseMatrix,
    pub rate: Vec<f64>,
    pub instants: Vec<Instant>,
    pub nearest: Option<(f64, usize, f64)>,
}

/// Newton steps before giving up.
const STEPS: usize = 40;
/// Part of the size of x to which an orbit closes, and the part that must be reached.
const CLOSED: f64 = 1e-13;
const CLOSE_ENOUGH: f64 = 1e-9;

impl Driven {
    /// The state after m periods, and its derivatives.
    pub(crate) fn shoot(&mut self, x: &[f64], m: usize) -> Result<Shot, FlowStop> {
        let n = self.flow.n();
        let from = State { t: 0.0, q: x[..n].to_vec(), v: x[n..].to_vec() };
        let end = self.flow.run(&from, m as f64 * self.period, self.flow.unit_columns())?;
        let parameter = end.columns.get(2 * n).cloned();
        let rate = parameter.map_or(Vec::new(), |mut column| {
            let moved = m as f64 * self.period_rate;
            let rates = end.state.v.iter().chain(&end.acceleration);
            column.iter_mut().zip(rates).for_each(|(x, rate)| *x += moved * rate);
            column
        });
        let values = end.columns[..2 * n].concat();
        let M = DenseMatrix::from_columns(2 * n, 2 * n, values).unwrap_or_else(|| DenseMatrix::zeros(2 * n, 2 * n));
        let state: Vec<f64> = end.state.q.into_iter().chain(end.state.v).collect();
        Ok(Shot { end: state, M, rate, instants: end.instants, nearest: end.nearest })
    }

    /// The orbit of m periods nearest to a guess.
    pub fn orbit(&mut self, guess: &[f64], m: usize) -> Result<Orbit, StepFailure> {
        let mut x = guess.to_vec();
        let mut last = f64::INFINITY;
        for iterations in 0..STEPS {
            let shot = self.shoot(&x, m)?;
            let residual: Vec<f64> = shot.end.iter().zip(&x).map(|(end, x)| end - x).collect();
            let (size, error) = (vector::max_abs(&x).max(vector::max_abs(&shot.end)), vector::max_abs(&residual));
            // round-off: no better than the step before
            if error <= CLOSED * size || (error <= CLOSE_ENOUGH * size && error > 0.5 * last) {
                return Ok(closed(x, m, shot, error, iterations));
            }
            last = error;
            let mut dx = residual;
            if !solve_shifted(&shot.M, &mut dx) {
                return Err(lost(m, "M − 1 is singular: orbits meet here (a fold)"));
            }
            // a step longer than the state leads nowhere
            let part = (0.5 * size.max(f64::MIN_POSITIVE) / vector::max_abs(&dx)).min(1.0);
            vector::axpy(part, &dx, &mut x);
        }
        Err(lost(m, "Newton's iteration does not close"))
    }
}

/// An orbit from the last shot.
pub(crate) fn closed(x: Vec<f64>, periods: usize, shot: Shot, residual: f64, iterations: usize) -> Orbit {
    let Shot { M, rate, instants, nearest, .. } = shot;
    let multipliers = eigenvalues(&M);
    Orbit { x, periods, multipliers, monodromy: M, rate, residual, iterations, instants, nearest }
}

/// r ← −(M − 1)⁻¹ r.
fn solve_shifted(M: &DenseMatrix, r: &mut [f64]) -> bool {
    let n = r.len();
    let mut lu = SmallLu::default();
    let A = lu.reset(n);
    A.copy_from_slice(M.values());
    (0..n).for_each(|i| A[i + i * n] -= 1.0);
    if !lu.factorise() {
        return false;
    }
    lu.solve(r);
    r.iter_mut().for_each(|x| *x = -*x);
    true
}

fn lost(m: usize, why: &str) -> StepFailure {
    let message = format!("no orbit of {m} periods was found near the guess: {why}");
    let help = "start from a motion that has settled: more transient, or another initial state".into();
    StepFailure { code: Code::NO_ORBIT, t: 0.0, h: 0.0, message, help, problem: None }
}
