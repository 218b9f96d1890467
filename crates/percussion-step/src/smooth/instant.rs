//! What happens at an instant: impacts, and which closed contacts carry on with a force.
//!
//!   impact:   0 ≤ W P + (1 + e)U⁻ ⟂ P ≥ 0 on the closed contacts,    v⁺ = v⁻ + M⁻¹G P,    W = GᵀM⁻¹G
//!   forces:   0 ≤ Γ = W λ + Γ_free ⟂ λ ≥ 0 on those with U = 0:      λ > 0 held, Γ > 0 leaves
//!
//! A rebound slower than `cut` of the largest approach of the run is the end of an accumulation: the impact is solved again
//! with e = 0. A contact that opens takes the largest e of the set, which keeps the problem solvable. A contact with
//! λ = 0 = Γ is decided by the same problem a moment later, with it held until then: by the next derivative that is not
//! zero. One that nothing decides stays held without a force.

use super::motion::{CLOSED, Motion, Standing};
use super::phase::Stuck;
use crate::{EventKind, LocatedEvent, StepFailure};
use percussion_solve::{OneStepSolver, SolveStatus};

/// Impacts at one instant after which they are taken as plastic: contacts that hand an impulse to and fro.
const ROUNDS: usize = 200;
/// Part of the forces at a contact that counts as zero.
const ZERO: f64 = 1e-9;
/// Part of the largest velocity that may be left of the difference of two.
const ROUND_OFF: f64 = 1e-13;
/// Where the next derivative is looked for, in parts of the step.
const MOMENT: f64 = 1e-3;

/// What stands behind a contact with neither force nor acceleration.
enum Fate {
    Held,
    Leaves,
    Undetermined,
}

impl Motion {
    /// Velocities under this are rest: the cut, or the round-off of bodies that move together.
    pub fn rest(&self) -> f64 {
        (self.cut * self.u_max).max(ROUND_OFF * self.sizes.v)
    }

    /// Impacts until no closed contact approaches, then forces. `arrived`: contacts known to be closed; `shortest`: a flight
    /// under this time counts as rest; `h`: the step.
    pub fn resolve(&mut self, arrived: &[usize], shortest: f64, h: f64) -> Result<(), StepFailure> {
        for round in 0.. {
            self.closed(arrived, 0.0);
            let rest = self.rest();
            if self.u.iter().all(|&u| u >= -rest) {
                break;
            }
            if round == 2 * ROUNDS {
                return Err(self.endless(round));
            }
            self.impact(None, shortest, round >= ROUNDS)?;
            self.evaluate()?;
        }
        self.forces(h)
    }

    /// The closed contacts, and those that close within `reach`, into `set`, their velocities into `u`.
    pub fn closed(&mut self, arrived: &[usize], reach: f64) {
        self.set.clear();
        self.u.clear();
        let Self { mechanism, now, .. } = self;
        for i in 0..self.standing.len() {
            let (gap, u) = (mechanism.gap(i, &now.q, now.t), mechanism.gap_rate(i, &now.q, &now.v, now.t));
            let near = gap + 1.5 * reach * u.min(0.0) <= CLOSED * mechanism.gap_size(i, &now.q, now.t);
            if near || arrived.contains(&i) || self.standing[i] == Standing::Held {
                self.set.push(i);
                self.u.push(u);
                self.u_max = self.u_max.max(u.abs());
            }
        }
    }

    /// The impact problem on `set` with approach velocities `u`. `free`: velocities without impulses, where they are not
    /// those of the approach.
    pub fn impact(&mut self, free: Option<&[f64]>, shortest: f64, plastic: bool) -> Result<(), StepFailure> {
        let k = self.set.len();
        let rest = self.rest();
        self.respond()?;
        let largest = self.set.iter().map(|&i| self.mechanism.restitution(i)).fold(0.0, f64::max);
        let mut e: Vec<f64> = Vec::with_capacity(k);
        for (j, &i) in self.set.iter().enumerate() {
            let own = if self.u[j] > 0.0 { largest } else { self.mechanism.restitution(i) };
            e.push(if plastic { 0.0 } else { own });
        }
        let u_free = |motion: &Self, j: usize| free.map_or(motion.u[j], |free| free[j]);
        let mut after: Vec<f64> = vec![0.0; k];
        for again in [false, true] {
            self.problem.b.clear();
            for j in 0..k {
                self.problem.b.push(u_free(self, j) + e[j] * self.u[j]);
            }
            self.solve()?;
            for (j, after) in after.iter_mut().enumerate() {
                *after = u_free(self, j) + (0..k).map(|l| self.W().get(j, l) * self.p[l]).sum::<f64>();
            }
            if again {
                break;
            }
            // rebounds too slow to count
            let mut slow = false;
            for j in 0..k {
                let i = self.set[j];
                let gamma = self.mechanism.gap_acceleration(i, &self.now.q, &self.now.v, &self.now.a, self.now.t);
                let short = if gamma < 0.0 { -0.5 * gamma * shortest } else { 0.0 };
                if e[j] > 0.0 && self.u[j] < 0.0 && after[j] > 0.0 && after[j] <= rest.max(short) {
                    e[j] = 0.0;
                    slow = true;
                }
            }
            if !slow {
                break;
            }
        }

        // velocities, and the account
        for j in 0..k {
            if self.p[j] == 0.0 {
                continue;
            }
            self.mechanism.push(j, self.p[j], &mut self.now.v);
            let (i, p, t) = (self.set[j], self.p[j], self.now.t);
            self.impulses[i] += p;
            self.met[i] = true;
            let mean = 0.5 * (u_free(self, j) + after[j]);
            self.work_contact += p * mean;
            let rate = self.mechanism.obstacle_rate(i, t);
            self.add_works(-p * rate, 0.0);
            let (u_before, u_after) = (Some(self.u[j]), Some(after[j]));
            self.events.push(LocatedEvent { t, kind: EventKind::Impact, contact: i, u_before, u_after, p });
        }
        Ok(())
    }

    /// Solves the problem that was set up; impulses or forces go to `p`.
    fn solve(&mut self) -> Result<(), StepFailure> {
        self.p.clear();
        self.p.resize(self.set.len(), 0.0);
        let report = self.solver.solve(&self.problem, &mut self.p);
        self.info.solves += 1;
        self.info.iterations += report.iterations;
        self.info.residual = self.info.residual.max(report.residuals.worst());
        if report.status != SolveStatus::Solved {
            return Err(StepFailure::unsolved(self.now.t, 0.0, &self.problem, &report));
        }
        self.p.iter_mut().for_each(|p| *p = p.max(0.0));
        Ok(())
    }

    /// Which of the contacts with U = 0 stay closed; the others leave.
    pub fn forces(&mut self, h: f64) -> Result<(), StepFailure> {
        let rest = self.rest();
        let was_held = std::mem::take(&mut self.held);
        let mut leaving: Vec<usize> = Vec::new();
        let mut undetermined: Vec<usize> = Vec::new();

        // the contacts that neither approach nor leave
        let at_rest: Vec<usize> =
            (0..self.set.len()).filter(|&k| self.u[k].abs() <= rest).map(|k| self.set[k]).collect();
        let flying: Vec<(usize, f64)> =
            (0..self.set.len()).filter(|&k| self.u[k] > rest).map(|k| (self.set[k], self.u[k])).collect();
        if !at_rest.is_empty() {
            self.set.clone_from(&at_rest);
            for (i, fate) in self.fates()? {
                match fate {
                    Fate::Leaves => leaving.push(i),
                    Fate::Held => self.held.push(i),
                    Fate::Undetermined => {
                        undetermined.push(i);
                        self.held.push(i);
                    }
                }
            }
        }
        if !undetermined.is_empty() {
            self.look_ahead(h, &undetermined, &mut leaving)?;
        }

        // how each stands now, and what that means
        for &(i, u) in &flying {
            if was_held.contains(&i) {
                self.tell(EventKind::Open, i, u);
            }
            self.standing[i] = Standing::Flying;
        }
        for &i in &leaving {
            if was_held.contains(&i) {
                self.tell(EventKind::Open, i, 0.0);
            }
            self.standing[i] = Standing::Released;
        }
        for k in 0..self.held.len() {
            let i = self.held[k];
            self.met[i] = true;
            self.standing[i] = Standing::Held;
            if !was_held.contains(&i) {
                self.tell(EventKind::Close, i, 0.0);
            }
        }
        self.lift(&leaving)?;
        self.evaluate()?;
        self.project()
    }

    /// Brings contacts that leave from rest to g = 0 = U, where rounding or the rest velocity had them below: they would
    /// close again at once.
    fn lift(&mut self, leaving: &[usize]) -> Result<(), StepFailure> {
        let Self { mechanism, now, held, .. } = self;
        let mut below = leaving
            .iter()
            .copied()
            .filter(|&i| mechanism.gap(i, &now.q, now.t) < 0.0 || mechanism.gap_rate(i, &now.q, &now.v, now.t) < 0.0);
        let Some(first) = below.next() else { return Ok(()) };
        let mut set: Vec<usize> = held.iter().copied().chain([first]).chain(below).collect();
        set.sort_unstable();
        if mechanism.project(now.t, &mut now.q, &mut now.v, &set) {
            return Ok(());
        }
        Err(self.failure(Stuck::Singular))
    }

    fn tell(&mut self, kind: EventKind, contact: usize, u: f64) {
        self.met[contact] = true;
        let u = Some(u);
        self.events.push(LocatedEvent { t: self.now.t, kind, contact, u_before: u, u_after: u, p: 0.0 });
    }

    /// The forces problem on `set` where the motion is.
    fn fates(&mut self) -> Result<Vec<(usize, Fate)>, StepFailure> {
        let held = std::mem::take(&mut self.held);
        self.evaluate()?;
        self.held = held;
        self.respond()?;
        for k in 0..self.set.len() {
            let i = self.set[k];
            let now = &self.now;
            let gamma = self.mechanism.gap_acceleration(i, &now.q, &now.v, &now.a, now.t);
            self.problem.b.push(gamma);
        }
        self.solve()?;
        let k = self.set.len();
        let mut fates = Vec::with_capacity(k);
        for j in 0..k {
            let W = self.W();
            let (mut gamma, mut size) = (self.problem.b[j], self.problem.b[j].abs());
            for l in 0..k {
                gamma += W.get(j, l) * self.p[l];
                size += (W.get(j, l) * self.p[l]).abs();
            }
            let pushed = W.get(j, j) * self.p[j];
            let fate = if pushed > ZERO * size {
                Fate::Held
            } else if gamma > ZERO * size {
                Fate::Leaves
            } else {
                Fate::Undetermined
            };
            fates.push((self.set[j], fate));
        }
        Ok(fates)
    }

    /// Asks the forces problem again a moment later for the contacts it could not decide.
    fn look_ahead(&mut self, h: f64, undetermined: &[usize], leaving: &mut Vec<usize>) -> Result<(), StepFailure> {
        self.evaluate()?;
        let moment = MOMENT * h;
        if self.try_step(moment).is_err() {
            return Ok(());
        }
        std::mem::swap(&mut self.now, &mut self.trial);
        self.set.clone_from(&self.held);
        let fates = self.fates();
        std::mem::swap(&mut self.now, &mut self.trial);
        for (i, fate) in fates? {
            if matches!(fate, Fate::Leaves) && undetermined.contains(&i) {
                leaving.push(i);
            }
        }
        self.held.retain(|i| !leaving.contains(i));
        Ok(())
    }
}
