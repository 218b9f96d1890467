//! Lyapunov exponents by orthonormal columns carried with the flow (Benettin et al. 1980), jumps exact.
//!
//!   X ← Z Zᵀ (∂φ_T/∂x) X = Q R,   λ_i = Σ log R_ii / (N T),   X ← Q
//!
//! The columns of Z span the directions that joints and contacts held at the end of the period leave. Without Z Zᵀ the round-off of X in
//! the others, where nothing contracts, would grow to be the largest part of X. Where the motion comes to rest R_ii = 0, and λ_i = −∞.

use crate::orbit::{Driven, state};
use percussion_matrix::{math, vector};
use percussion_step::{EventKind, State, StepFailure};
use std::sync::atomic::{AtomicBool, Ordering};

/// Exponents of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Exponents {
    /// λ_i, the largest first [1/s]; −∞ of directions that are lost.
    pub values: Vec<f64>,
    /// λ_1 after each period.
    pub course: Vec<f64>,
    /// Impacts in all.
    pub impacts: usize,
    /// Periods that could not be differentiated (grazing, simultaneous impacts) and were left out.
    pub skipped: usize,
    /// Where it ended: (q, v).
    pub end: Vec<f64>,
}

/// The first `count` exponents of the motion that starts at x, over N periods after a transient; none when it was stopped.
///
/// A column that is lost (the motion comes to rest, and what is behind it no longer depends on how it came there) has the exponent −∞. One that
/// was lost in the transient begins again: a rest that does not come again is none of the attractor's.
pub fn exponents(
    driven: &mut Driven,
    x: &[f64],
    count: usize,
    (transient, periods): (u64, u64),
    stop: &AtomicBool,
    told: &dyn Fn(u64),
) -> Result<Option<Exponents>, StepFailure> {
    let mut state = state(0.0, x);
    let count = count.clamp(1, driven.flow.free(&state)?.max(1));
    let mut columns = vec![vec![0.0; x.len()]; count];
    let mut sums = vec![0.0; count];
    let (mut course, mut impacts, mut skipped, mut counted) = (Vec::new(), 0, 0, 0_u64);
    for k in 0..transient + periods {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if k <= transient && columns.iter().any(|column| lost(column)) {
            begin(&mut columns, &driven.flow.permitted(&state)?.basis);
        }
        let carried = if columns.iter().all(|column| lost(column)) { Vec::new() } else { columns.clone() };
        let (end, known) = match driven.flow.run(&state, driven.period, carried) {
            Ok(end) => (end, true),
            // the motion goes on where its derivative does not exist
            Err(stop) if stop.reason.is_some() => {
                skipped += 1;
                (driven.flow.run(&state, driven.period, Vec::new())?, false)
            }
            Err(stop) => return Err(stop.failure),
        };
        state = State { t: 0.0, q: end.state.q, v: end.state.v };
        if known {
            let mut lengths = vec![0.0; count];
            if !end.columns.is_empty() {
                columns = end.columns;
                let basis = driven.flow.permitted(&state)?.basis;
                columns.iter_mut().for_each(|column| *column = projected(&basis, column));
                lengths = orthonormal(&mut columns);
            }
            if k >= transient {
                counted += 1;
                let log = |length: f64| if length > 0.0 { math::ln(length) } else { f64::NEG_INFINITY };
                sums.iter_mut().zip(&lengths).for_each(|(sum, length)| *sum += log(*length));
            }
        }
        if k >= transient {
            impacts += end.events.iter().filter(|event| event.kind == EventKind::Impact).count();
            course.push(sums[0] / (counted.max(1) as f64 * driven.period));
        }
        told(k + 1);
    }
    let time = counted.max(1) as f64 * driven.period;
    let mut values: Vec<f64> = sums.iter().map(|sum| sum / time).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    let end = state.q.into_iter().chain(state.v).collect();
    Ok(Some(Exponents { values, course, impacts, skipped, end }))
}

/// Whether a column is no perturbation any more.
fn lost(column: &[f64]) -> bool {
    column.iter().all(|x| *x == 0.0)
}

/// Gives the columns that are lost a direction of their own, as far as there are any.
fn begin(columns: &mut [Vec<f64>], basis: &[Vec<f64>]) {
    for (c, column) in columns.iter_mut().enumerate().filter(|(_, column)| lost(column)) {
        // no column is the one the others already span at the start
        for (i, z) in basis.iter().enumerate() {
            vector::axpy(f64::from(u8::from(i == c)) + 0.1 / (1.0 + i as f64 + 2.0 * c as f64), z, column);
        }
    }
    orthonormal(columns);
}

/// Z Zᵀ x.
fn projected(basis: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; x.len()];
    basis.iter().for_each(|z| vector::axpy(vector::dot(z, x), z, &mut sum));
    sum
}

/// What is left of a column beside the others, in parts of its length, below which it is round-off.
const ROUND_OFF: f64 = 1e-14;

/// Gram–Schmidt; the lengths R_ii. Of a column that the others span nothing is left: zeros, and zero.
fn orthonormal(columns: &mut [Vec<f64>]) -> Vec<f64> {
    let mut lengths = Vec::with_capacity(columns.len());
    for c in 0..columns.len() {
        let (done, rest) = columns.split_at_mut(c);
        let whole = vector::norm(&rest[0]);
        // twice is enough
        for _ in 0..2 {
            for other in done.iter() {
                let along = vector::dot(other, &rest[0]);
                vector::axpy(-along, other, &mut rest[0]);
            }
        }
        let left = vector::norm(&rest[0]);
        let length = if left > ROUND_OFF * whole { left } else { 0.0 };
        lengths.push(length);
        rest[0].iter_mut().for_each(|x| *x = if length > 0.0 { *x / length } else { 0.0 });
    }
    lengths
}
