//! Periodic orbits of a driven system by shooting on the event-driven flow.
//!
//!   φ_{mT}(x) = x,   Newton:  (Zᵀ M Z − 1) y = Zᵀ(x − φ(x)),   dx = Z y,   M = ∂φ/∂x with the saltation of every event
//!
//! The columns of Z span the directions that joints, and contacts held at the start, leave (all of them where there are none); after a
//! step x goes to the nearest state these permit. The eigenvalues of Zᵀ M Z are the Floquet multipliers: the orbit is stable where all
//! lie inside the unit circle. Shooting starts at an instant t₀ away from events: at an event x jumps, and an orbit whose impact
//! passes the start as a parameter changes would seem to end there.

use crate::eigenvalues::eigenvalues;
use percussion_matrix::{DenseMatrix, SmallLu, math, vector};
use percussion_model::Code;
use percussion_step::{Flow, FlowStop, Instant, LocatedEvent, Permitted, State, StepFailure};

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
    /// t₀, where shooting starts.
    pub start: f64,
    /// (q, v) there.
    pub at_start: Vec<f64>,
    /// m, the periods after which it closes.
    pub periods: usize,
    /// Floquet multipliers, real and imaginary part, the largest first.
    pub multipliers: Vec<(f64, f64)>,
    /// M Z Zᵀ, from t₀ on.
    pub monodromy: DenseMatrix,
    /// M Z, column by column.
    pub image: Vec<Vec<f64>>,
    /// Z, and how the start goes with a parameter.
    pub permitted: Permitted,
    /// d(φ − x)/dp, the change of the period included; empty without a parameter.
    pub rate: Vec<f64>,
    /// max |φ(x) − x|.
    pub residual: f64,
    /// Newton steps.
    pub iterations: usize,
    /// Its impacts and stops, by rising time from 0 to mT.
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
        self.stability() == Stability::Stable
    }

    /// What becomes of perturbations.
    pub fn stability(&self) -> Stability {
        let radius = self.radius();
        if (radius - 1.0).abs() <= NEUTRAL {
            Stability::Neutral
        } else if radius < 1.0 {
            Stability::Stable
        } else {
            Stability::Unstable
        }
    }

    /// The slowest approach of an impact [m/s].
    pub fn slowest_impact(&self) -> Option<f64> {
        self.impacts().map(|instant| -instant.approach).reduce(f64::min)
    }

    /// Its impacts.
    pub fn impacts(&self) -> impl Iterator<Item = &Instant> {
        self.instants.iter().filter(|instant| instant.kind == percussion_step::EventKind::Impact)
    }

    /// The number of its impacts, an accumulation of ever smaller ones at a contact counted as one: how many of these are followed
    /// before they count as rest is no property of the orbit.
    pub fn counted_impacts(&self) -> usize {
        let mut runs: Vec<(usize, Vec<f64>)> = Vec::new();
        for impact in self.impacts() {
            let speed = -impact.approach;
            match runs.iter_mut().rfind(|(contact, _)| *contact == impact.contact) {
                Some((_, run)) if run.last().is_some_and(|last| speed < *last) => run.push(speed),
                Some(_) | None => runs.push((impact.contact, vec![speed])),
            }
        }
        let accumulates = |run: &[f64]| run.len() > 4 && run[run.len() - 1] < 1e-3 * run[0];
        runs.iter().map(|(_, run)| if accumulates(run) { 1 } else { run.len() }).sum()
    }

    /// Zᵀ M Z − 1, column by column.
    pub(crate) fn shifted(&self) -> Vec<f64> {
        shifted(&self.image, &self.permitted.basis)
    }
}

/// What becomes of small perturbations of an orbit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// They die out.
    Stable,
    /// Some neither die out nor grow: nothing damps them, or a contact sticks all the time, wherever it is.
    Neutral,
    /// Some grow.
    Unstable,
}

/// φ(x) from t₀ with its derivatives.
pub(crate) struct Shot {
    pub start: f64,
    pub end: Vec<f64>,
    /// M Z.
    pub image: Vec<Vec<f64>>,
    pub permitted: Permitted,
    pub rate: Vec<f64>,
    pub instants: Vec<Instant>,
    pub nearest: Option<(f64, usize, f64)>,
}

/// Newton steps before giving up.
const STEPS: usize = 40;
/// Part of the size of x to which an orbit closes, and the part that must be reached.
const CLOSED: f64 = 1e-13;
const CLOSE_ENOUGH: f64 = 1e-9;
/// A start nearer to an event than this part of what could be is moved.
const NEAR: f64 = 0.25;
/// Distance from one within which the largest |μ| says neither: the round-off of a monodromy.
const NEUTRAL: f64 = 1e-10;

/// (q, v) at a time as a state.
pub(crate) fn state(t: f64, x: &[f64]) -> State {
    let (q, v) = x.split_at(x.len() / 2);
    State { t, q: q.to_vec(), v: v.to_vec() }
}

pub(crate) fn numbers(state: State) -> Vec<f64> {
    state.q.into_iter().chain(state.v).collect()
}

impl Driven {
    /// The state after m periods from t₀, and its derivatives.
    pub(crate) fn shoot(&mut self, (start, x): (f64, &[f64]), m: usize) -> Result<Shot, FlowStop> {
        let from = state(start, x);
        let permitted = self.flow.permitted(&from)?;
        let columns = permitted.basis.iter().chain(&permitted.starts).cloned().collect();
        let end = self.flow.run(&from, m as f64 * self.period, columns)?;
        let mut image = end.columns;
        let moved = image.split_off(permitted.basis.len());
        let rate = moved.first().zip(permitted.starts.first()).map_or(Vec::new(), |(column, began)| {
            let moved = m as f64 * self.period_rate;
            let rates = end.state.v.iter().chain(&end.acceleration);
            column.iter().zip(began).zip(rates).map(|((x, began), rate)| x - began + moved * rate).collect()
        });
        // a motion that starts where nothing may move has events, and no derivatives of their times
        let known = |event: &LocatedEvent| Instant {
            t: event.t,
            kind: event.kind,
            contact: event.contact,
            derivative: Vec::new(),
            approach: event.u_before.unwrap_or(0.0),
        };
        let alone = permitted.basis.is_empty() && permitted.starts.is_empty();
        let instants = if alone { end.events.iter().map(known).collect() } else { end.instants };
        let (end, nearest) = (numbers(end.state), end.nearest);
        Ok(Shot { start, end, image, permitted, rate, instants, nearest })
    }

    /// The orbit of m periods nearest to a guess of its state at t = 0.
    pub fn orbit(&mut self, guess: &[f64], m: usize) -> Result<Orbit, StepFailure> {
        let end = self.flow.run(&state(0.0, guess), m as f64 * self.period, Vec::new())?;
        let times: Vec<f64> = end.events.iter().map(|event| event.t).collect();
        let start = away_from(0.0, &times, m as f64 * self.period).unwrap_or(0.0);
        let x = self.carried((0.0, guess), start)?;
        self.close((start, x), m)
    }

    /// Where a motion from (t, x) is at a later time.
    pub(crate) fn carried(&mut self, (t, x): (f64, &[f64]), to: f64) -> Result<Vec<f64>, StepFailure> {
        if to <= t {
            return Ok(x.to_vec());
        }
        Ok(numbers(self.flow.run(&state(t, x), to - t, Vec::new())?.state))
    }

    /// Newton's iteration from a guess at t₀.
    fn close(&mut self, (start, mut x): (f64, Vec<f64>), m: usize) -> Result<Orbit, StepFailure> {
        let mut last = f64::INFINITY;
        for iterations in 0..STEPS {
            let shot = self.shoot((start, &x), m)?;
            let residual: Vec<f64> = shot.end.iter().zip(&x).map(|(end, x)| end - x).collect();
            let (size, error) = (vector::max_abs(&x).max(vector::max_abs(&shot.end)), vector::max_abs(&residual));
            // round-off: no better than the step before
            if error <= CLOSED * size || (error <= CLOSE_ENOUGH * size && error > 0.5 * last) {
                return self.closed(x, m, shot, error, iterations);
            }
            last = error;
            let basis = &shot.permitted.basis;
            let mut lu = SmallLu::default();
            lu.reset(basis.len()).copy_from_slice(&shifted(&shot.image, basis));
            let mut y: Vec<f64> = basis.iter().map(|z| -vector::dot(z, &residual)).collect();
            if !lu.factorise() {
                return Err(lost(m, "orbits meet here (a fold), or a contact sticks all the time, wherever it is"));
            }
            lu.solve(&mut y);
            let mut dx = vec![0.0; x.len()];
            basis.iter().zip(&y).for_each(|(z, y)| vector::axpy(*y, z, &mut dx));
            // a step longer than the state leads nowhere
            let part = (0.5 * size.max(f64::MIN_POSITIVE) / vector::max_abs(&dx)).min(1.0);
            vector::axpy(part, &dx, &mut x);
            x = numbers(self.flow.settle(&state(start, &x), &shot.permitted)?);
        }
        Err(lost(m, "Newton's iteration does not close"))
    }

    /// An orbit from the last shot.
    pub(crate) fn closed(
        &mut self,
        at_start: Vec<f64>,
        periods: usize,
        shot: Shot,
        residual: f64,
        iterations: usize,
    ) -> Result<Orbit, StepFailure> {
        let Shot { start, image, permitted, rate, mut instants, nearest, .. } = shot;
        let whole = periods as f64 * self.period;
        let x = self.carried((start, &at_start), (start / whole).ceil() * whole)?;
        instants.iter_mut().for_each(|instant| instant.t -= whole * (instant.t / whole).floor());
        instants.sort_by(|a, b| a.t.total_cmp(&b.t));
        let k = permitted.basis.len();
        let mut values = shifted(&image, &permitted.basis);
        (0..k).for_each(|i| values[i * (k + 1)] += 1.0);
        let multipliers = DenseMatrix::from_columns(k, k, values).map_or(Vec::new(), |M| eigenvalues(&M));
        let mut monodromy = DenseMatrix::zeros(x.len(), x.len());
        for (image, z) in image.iter().zip(&permitted.basis) {
            z.iter().enumerate().for_each(|(j, z)| vector::axpy(*z, image, monodromy.column_mut(j)));
        }
        let nearest = nearest.map(|(gap, i, t)| (gap, i, t - whole * (t / whole).floor()));
        Ok(Orbit {
            x,
            start,
            at_start,
            periods,
            multipliers,
            monodromy,
            image,
            permitted,
            rate,
            residual,
            iterations,
            instants,
            nearest,
        })
    }
}

/// Zᵀ M Z − 1, column by column.
fn shifted(image: &[Vec<f64>], basis: &[Vec<f64>]) -> Vec<f64> {
    let entry = |i: usize, j: usize| vector::dot(&basis[i], &image[j]) - f64::from(u8::from(i == j));
    (0..basis.len()).flat_map(|j| (0..basis.len()).map(move |i| entry(i, j))).collect()
}

/// The middle of the longest stretch without events, where a start is much nearer to one than need be; times repeat after `whole`.
pub(crate) fn away_from(start: f64, times: &[f64], whole: f64) -> Option<f64> {
    let wrap = |t: f64| t - whole * (t / whole).floor();
    let mut sorted: Vec<f64> = times.iter().map(|&t| wrap(t)).collect();
    sorted.sort_by(f64::total_cmp);
    let first = *sorted.first()?;
    let next = sorted.iter().skip(1).copied().chain(std::iter::once(first + whole));
    let (from, longest) = sorted.iter().zip(next).map(|(&a, b)| (a, b - a)).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let nearest = sorted.iter().map(|t| wrap(t - start).min(wrap(start - t))).fold(f64::INFINITY, f64::min);
    (nearest < NEAR * 0.5 * longest).then(|| wrap(from + 0.5 * longest))
}

fn lost(m: usize, why: &str) -> StepFailure {
    let message = format!("no orbit of {m} periods was found near the guess: {why}");
    let help = "start from a motion that has settled: more transient, or another initial state".into();
    StepFailure { code: Code::NO_ORBIT, t: 0.0, h: 0.0, message, help, problem: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_keep_away_from_events() {
        assert_eq!(away_from(0.0, &[], 2.0), None);
        assert_eq!(away_from(0.0, &[1.0], 2.0), None);
        // an event at the start: the other side of the circle
        assert_eq!(away_from(0.0, &[2.0], 2.0), Some(1.0));
        assert_eq!(away_from(0.1, &[0.0, 0.2, 1.2], 2.0), Some(0.7));
    }
}
