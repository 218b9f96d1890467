//! Columns δx through an impact: at a contact that closes, at the start, and where the speed of an obstacle jumps.
//!
//!   δt = −(δg + g_p)/U⁻ at a contact that closes, 0 at the other two;   δx⁺ = R_x (δx + f⁻δt) + R_t δt + R_p − f⁺δt
//!
//! with R of `reset.rs`. Contacts that push beside it have to be closed nearby too, δg + g_p + U⁻δt = 0 along every column: those that
//! were held are.

use crate::located::motion::{Motion, Standing};
use crate::located::no_derivative::{FlowStop, NoDerivative};
use crate::located::phase::{FlowFailure, Phase};
use crate::located::reset::Reset;
use crate::located::tangent::{Before, GRAZING, Passage, Shift, Tangent, central};
use crate::mechanism::Mechanism;
use crate::mechanism::hold::TangentialMotion;
use percussion_matrix::vector;

/// Part of the terms of what must not change that is round-off.
const ROUND_OFF: f64 = 1e-6;
/// Part of the sizes of the motion that differences may leave of nothing.
const NOTHING: f64 = 1e-9;
/// Part of the velocities of a motion under which a contact that was closed has not left.
const NEVER_LEFT: f64 = 1e-12;
/// Part of a parameter by which its models differ, as a rule.
const STEP: f64 = 1e-4;

impl Tangent {
    /// δt, and R_x (δx + f⁻δt) + R_t δt + R_p, at a contact that closes.
    pub(super) fn closing(&mut self, motion: &mut Motion, i: usize, before: &Before) -> Result<Shift, FlowStop> {
        let at = &before.phase;
        let approach = motion.mechanism.gap_rate(i, &at.q, &at.v, at.t);
        let open = before.standing[i] == Standing::Open;
        if approach >= 0.0 || (open && -approach <= GRAZING * motion.u_max.max(-approach)) {
            return Err(FlowStop::at(at.t, NoDerivative::Grazing(i)));
        }
        // what left without velocity and touches again by round-off has not come back
        let slow = if before.standing[i] == Standing::Released { motion.rest() } else { NEVER_LEFT * motion.sizes.v };
        if !open && -approach <= slow {
            return Ok(None);
        }
        let reset = Reset::of(motion, Some(i), at)?;
        let passage = self.through(motion, &reset, Some((i, approach)), before)?;
        self.watch_approach(motion, (i, approach), &passage.0, before)?;
        Ok(Some(passage))
    }

    /// How the approach of an impact goes with each parameter: δU⁻ along δx + f⁻δt, δt.
    fn watch_approach(
        &mut self,
        motion: &mut Motion,
        (i, approach): (usize, f64),
        times: &[f64],
        before: &Before,
    ) -> Result<(), FlowStop> {
        let (at, n) = (&before.phase, before.phase.q.len());
        for (c, &dt) in times.iter().enumerate() {
            let Some(p) = self.parameter(c) else { continue };
            let (dq, dv) = self.columns[c].split_at(n);
            let along = |x: &[f64], rate: &[f64]| x.iter().zip(rate).map(|(x, r)| x + dt * r).collect::<Vec<f64>>();
            let (to_q, to_v) = (along(dq, &at.v), along(dv, &at.a));
            let reach = short_of_corners(&*motion.mechanism, at.t, dt, self.reach(&to_q, &to_v, dt));
            let mechanism = &mut *motion.mechanism;
            let moved = |s: f64, out: &mut Vec<f64>| {
                let place = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + s * d).collect::<Vec<_>>();
                out[0] = mechanism.gap_rate(i, &place(&at.q, &to_q), &place(&at.v, &to_v), at.t + s * dt);
                true
            };
            let mut rate = central(1, reach, moved).map_err(|why| motion.failure(why))?;
            let of = |model: &mut dyn Mechanism, x: &mut [f64]| {
                x[0] = model.gap_rate(i, &at.q, &at.v, at.t);
                true
            };
            self.parameters[p].difference(1, of, &mut rate).map_err(|why| motion.failure(why))?;
            self.order.approach(at.t, (p, i), approach, rate[0]);
        }
        Ok(())
    }

    /// Through an impact whose instant nothing moves.
    pub(super) fn fixed(&mut self, motion: &mut Motion, before: &Before) -> Result<(), FlowStop> {
        if motion.records.is_empty() {
            return Ok(());
        }
        let reset = Reset::of(motion, None, &before.phase)?;
        if reset.is_empty() {
            return Ok(());
        }
        let (times, after, works) = self.through(motion, &reset, None, before)?;
        self.work.iter_mut().zip(works).for_each(|(sum, work)| *sum += work);
        self.columns = after;
        self.tell_impacts(motion, before, None, &times);
        self.come_to_stick(motion, reset.together())
    }

    fn through(
        &mut self,
        motion: &mut Motion,
        reset: &Reset,
        closes: Option<(usize, f64)>,
        before: &Before,
    ) -> Result<Passage, FlowStop> {
        let at = &before.phase;
        let n = at.q.len();
        let width = n + 1 + reset.n_checks();
        let (mut times, mut after, mut works) = (Vec::new(), Vec::new(), Vec::new());
        for c in 0..self.columns.len() {
            let (dq, dv) = (self.columns[c][..n].to_vec(), self.columns[c][n..].to_vec());
            let dt = match closes {
                Some((i, approach)) => -self.gap_along(motion, at, (c, i))?.0 / approach,
                None => 0.0,
            };
            for &k in reset.together().iter().filter(|&&k| closes.is_none_or(|(i, _)| i != k)) {
                let (gap, terms) = self.gap_along(motion, at, (c, k))?;
                let shift = motion.mechanism.gap_rate(k, &at.q, &at.v, at.t) * dt;
                let since = at.t - self.instants.last().map_or(self.from, |instant| instant.t.max(self.from));
                let size =
                    motion.mechanism.gap_size(k, &at.q, at.t).max(motion.sizes.q).max(motion.sizes.a * since * since);
                if (gap + shift).abs() > ROUND_OFF * (terms + shift.abs()) + self.noise(c, size) {
                    return Err(FlowStop::at(at.t, NoDerivative::Corner(reset.together().len())));
                }
            }
            // v⁺, the work, and what must not change
            let mut from_parameter = vec![0.0; width];
            if let Some(p) = self.parameter(c) {
                let of = |model: &mut dyn Mechanism, x: &mut [f64]| reset.apply(model, (at.t, &at.q, &at.v), x);
                let made = self.parameters[p].difference(width, of, &mut from_parameter);
                made.map_err(|why| motion.failure(why))?;
            }
            let along = |x: &[f64], rate: &[f64]| x.iter().zip(rate).map(|(x, r)| x + dt * r).collect::<Vec<f64>>();
            let (to_q, to_v) = (along(&dq, &at.v), along(&dv, &at.a));
            let reach = short_of_corners(&*motion.mechanism, at.t, dt, self.reach(&to_q, &to_v, dt));
            let mechanism = &mut *motion.mechanism;
            let moved = |s: f64, out: &mut Vec<f64>| {
                let place = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + s * d).collect::<Vec<_>>();
                reset.apply(mechanism, (at.t + s * dt, &place(&at.q, &to_q), &place(&at.v, &to_v)), out)
            };
            let mut velocity = central(width, reach, moved).map_err(|why| motion.failure(why))?;
            vector::axpy(1.0, &from_parameter, &mut velocity);
            let changes = velocity.split_off(n + 1);
            let size = vector::max_abs(&velocity[..n]).max(vector::max_abs(&to_v)).max(vector::max_abs(&to_q));
            let noise = ROUND_OFF * size + self.noise(c, motion.sizes.v.max(motion.u_max));
            if let Some(k) = changes.iter().position(|change| change.abs() > noise) {
                return Err(FlowStop::at(at.t, NoDerivative::Undecided(reset.checked(k))));
            }
            works.extend(velocity.pop());
            times.push(dt);
            after.push(to_q.into_iter().chain(velocity).collect());
        }
        Ok((times, after, works))
    }

    /// δv ← the velocities that held contacts permit near those of the motion. `starts`: the gaps of the columns have to be closed, and what is about
    /// to slide out of rest must not be pushed along: it would slide otherwise in the other direction.
    pub(super) fn onto_held(&mut self, motion: &mut Motion, starts: bool) -> Result<(), FlowStop> {
        if motion.held.is_empty() || self.columns.is_empty() {
            return Ok(());
        }
        let at = motion.now.clone();
        let Some(map) = Reset::onto_held(motion) else {
            return Err(motion.failure(FlowFailure::Singular).into());
        };
        let n = at.q.len();
        let width = n + 1 + map.n_checks();
        for c in 0..self.columns.len() {
            if starts {
                self.closed_nearby(motion, &at, c)?;
                self.find_idle(motion, &at, c);
            }
            let (dq, dv) = (self.columns[c][..n].to_vec(), self.columns[c][n..].to_vec());
            let place = |x: &[f64], d: &[f64], s: f64| x.iter().zip(d).map(|(x, d)| x + s * d).collect::<Vec<_>>();
            let mechanism = &mut *motion.mechanism;
            let moved = |s: f64, out: &mut Vec<f64>| {
                map.apply(mechanism, (at.t, &place(&at.q, &dq, s), &place(&at.v, &dv, s)), out)
            };
            let mut after = central(width, self.reach(&dq, &dv, 0.0), moved).map_err(|why| motion.failure(why))?;
            if let Some(p) = self.parameter(c) {
                let of = |model: &mut dyn Mechanism, x: &mut [f64]| map.apply(model, (at.t, &at.q, &at.v), x);
                self.parameters[p].difference(width, of, &mut after).map_err(|why| motion.failure(why))?;
            }
            self.work[c] += after[n];
            self.columns[c][n..].copy_from_slice(&after[..n]);
            if starts {
                self.rests_nearby(motion, &at, c)?;
            }
        }
        Ok(())
    }

    /// Held contacts without a force whose gap has a velocity along a column.
    fn find_idle(&mut self, motion: &mut Motion, at: &Phase, c: usize) {
        let still = vec![0.0; at.q.len()];
        for (hold, force) in motion.held.iter().zip(&motion.now.lambda) {
            let (i, mechanism) = (hold.contact, &mut *motion.mechanism);
            let dv = &self.columns[c][at.q.len()..];
            let moves = mechanism.gap_rate(i, &at.q, dv, at.t) - mechanism.gap_rate(i, &at.q, &still, at.t);
            if force[0] <= 0.0 && moves.abs() > self.noise(c, motion.sizes.v) && !self.idle.contains(&i) {
                self.idle.push(i);
            }
        }
    }

    /// Whether all held contacts are closed along a column too.
    fn closed_nearby(&mut self, motion: &mut Motion, at: &Phase, c: usize) -> Result<(), FlowStop> {
        for k in 0..motion.held.len() {
            let i = motion.held[k].contact;
            let (gap, terms) = self.gap_along(motion, at, (c, i))?;
            let size = motion.mechanism.gap_size(i, &at.q, at.t).max(motion.sizes.q);
            if gap.abs() > ROUND_OFF * terms + self.noise(c, size) {
                return Err(FlowStop::at(at.t, NoDerivative::Corner(1)));
            }
        }
        Ok(())
    }

    /// Whether what begins to slide out of rest has no velocity along a column.
    fn rests_nearby(&mut self, motion: &mut Motion, at: &Phase, c: usize) -> Result<(), FlowStop> {
        let (n, rest) = (at.q.len(), motion.rest());
        let (dq, dv) = self.columns[c].split_at(n);
        let reach = self.reach(dq, dv, 0.0);
        for hold in motion.held.iter().filter(|hold| matches!(hold.along, TangentialMotion::Slides(_))) {
            let (i, mechanism) = (hold.contact, &mut *motion.mechanism);
            let tangents = mechanism.n_tangents(i);
            let u = mechanism.tangent_rate(i, &at.q, &at.v);
            if u[..tangents].iter().any(|u| u.abs() > rest) {
                continue;
            }
            let moved = |s: f64, out: &mut Vec<f64>| {
                let place = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + s * d).collect::<Vec<_>>();
                let u = mechanism.tangent_rate(i, &place(&at.q, dq), &place(&at.v, dv));
                out.copy_from_slice(&u[..tangents]);
                true
            };
            let along = central(tangents, reach, moved).map_err(|_| FlowStop::at(at.t, NoDerivative::Standstill(i)))?;
            if vector::max_abs(&along) > ROUND_OFF * vector::max_abs(dv) + self.noise(c, motion.sizes.v) {
                return Err(FlowStop::at(at.t, NoDerivative::Standstill(i)));
            }
        }
        Ok(())
    }

    /// What a column may have of nothing, where the motion is of this size.
    pub(super) fn noise(&self, column: usize, size: f64) -> f64 {
        match self.parameter(column) {
            Some(p) => NOTHING * STEP * size / self.parameters[p].step,
            None => NOTHING,
        }
    }

    /// δg + g_p of contact i along a column, and the size of its terms.
    fn gap_along(
        &mut self,
        motion: &mut Motion,
        at: &Phase,
        (column, i): (usize, usize),
    ) -> Result<(f64, f64), FlowStop> {
        let n = at.q.len();
        let mechanism = &mut *motion.mechanism;
        let mut direction = vec![0.0; n];
        let still = mechanism.gap_rate(i, &at.q, &direction, at.t);
        let (mut sum, mut terms) = (0.0, 0.0);
        for k in 0..n {
            direction[k] = self.columns[column][k];
            if direction[k] != 0.0 {
                let term = mechanism.gap_rate(i, &at.q, &direction, at.t) - still;
                (sum, terms) = (sum + term, terms + term.abs());
            }
            direction[k] = 0.0;
        }
        if let Some(p) = self.parameter(column) {
            let mut gap = vec![0.0];
            let of = |model: &mut dyn Mechanism, x: &mut [f64]| {
                x[0] = model.gap(i, &at.q, at.t);
                true
            };
            self.parameters[p].difference(1, of, &mut gap).map_err(|why| motion.failure(why))?;
            (sum, terms) = (sum + gap[0], terms + gap[0].abs());
        }
        Ok((sum, terms))
    }
}

/// A reach whose instants t ± reach δt stay on this side of the corners of signals: behind them an obstacle has another speed.
fn short_of_corners(mechanism: &dyn Mechanism, t: f64, dt: f64, reach: f64) -> f64 {
    let far = reach * dt.abs();
    let corners = std::iter::successors(Some(mechanism.next_corner(t - far)), |at| Some(mechanism.next_corner(*at)));
    let nearest = corners.take_while(|at| *at < t + far).map(|at| (at - t).abs()).fold(f64::INFINITY, f64::min);
    if nearest < far && nearest > ROUND_OFF * far { 0.9 * reach * nearest / far } else { reach }
}
