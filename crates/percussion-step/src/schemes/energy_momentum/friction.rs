//! Friction in energy-exact steps: Newton for the motion, one cone problem for all contacts in every iteration.
//!
//!   Δp = … + Σ H p,   H = [D_g, T(q_m)],   u₀ = Hᵀv₀,   u₁ = 2HᵀΔq/h − u₀,   the friction law on u₁ + (ê, α) u₀
//!
//! One H serves velocities and impulses, so ΔE = W_ext + Σ p·(u₀ + u₁)/2 exactly, for the mass constant or not, and the sum is not
//! positive under the checked rule and under Frémond's law. At an iterate the multipliers enter linearly: with the matrix of the
//! motion and its joints, u₁ is affine in p.

use crate::contact::law::{ContactLaw, components, padded_full, tangents};
use crate::newton::driver::{Iteration, Judged, iterate};
use crate::newton::system::{Scales, larger};
use crate::schemes::energy_momentum::frame::ContactRows;
use crate::step::contact::judge;
use crate::{Memory, Scheme, State, Step, StepFailure, StepInfo, StepStart, Stepper, Tangential};
use percussion_matrix::{SparseMatrix, phase, vector};
use percussion_model::Lagrangian;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Iterations in which Frémond flags are dropped: velocities are still rough.
const ROUGH: usize = 4;
const MAX_ITERATIONS: usize = 60;

/// What an iterate leaves beside its momentum.
pub struct Left {
    /// What residuals are compared with.
    pub scales: Scales,
    /// The largest residual of joints, as a velocity.
    pub conditions: f64,
    /// Round-off of the momentum.
    pub floor: f64,
}

/// The motion of an energy-exact step with its joints; Newton's unknowns begin with n whose increments move q₁ by `way` each, and
/// end with −ΔP of all constraints.
pub trait Motion: Send {
    /// Its contacts, and the matrix of the motion.
    fn rows(&mut self) -> &mut dyn ContactRows;
    /// The memory of a run that begins at a state.
    fn memory(&mut self, state: &State) -> Memory;
    /// The first guess of a step.
    fn prepare(&mut self, from: &StepStart);
    /// The residual at the iterate; contacts decided apart push with what `push` gave, and their rows take it away.
    fn evaluate(&mut self, from: &StepStart) -> Result<Left, StepFailure>;
    /// The matrix there, with −r as its right-hand side.
    fn linearise(&mut self, from: &StepStart) -> Result<(), StepFailure>;
    /// The residual of momentum.
    fn balance(&self) -> &[f64];
    /// The row it begins at.
    fn first_row(&self) -> usize;
    /// ∂q₁ over a change of the first unknowns.
    fn way(&self, h: f64) -> f64;
    /// Takes an increment.
    fn update(&mut self, from: &StepStart, x: &[f64]);
    /// Sets the normal impulse of constraint j.
    fn push(&mut self, j: usize, p: f64);
    /// Threads it may use; its numbers do not depend on them.
    fn use_threads(&mut self, _threads: usize) {}
    /// Δq/h.
    fn mean_velocity(&self) -> &[f64];
    /// The account of momentum of the step that `finish` and friction have told of, where the motion keeps one.
    fn account(&self, _from: &StepStart, _step: &mut Step) {}
    /// State, contacts and ledger, to which friction adds its work and that of obstacles that drag.
    fn finish(&mut self, from: &StepStart, works: (f64, f64), to: (&mut Step, &mut Memory));
}

/// The scheme bound to a model with friction.
pub struct Frictional<M> {
    motion: M,
    model: Arc<dyn Lagrangian>,
    /// The problem of the iteration under way, on the contacts that take part.
    law: ContactLaw,
    /// Components per contact.
    d: usize,
    /// Contacts under the law, by rising number.
    closed: Vec<usize>,
    /// p of every contact, normal first.
    p: Vec<[f64; 3]>,
    /// The columns of H without their zeros, d per closed contact, and which of them are not zero.
    H: Vec<Vec<(usize, f64)>>,
    used: Vec<Option<usize>>,
    // in blocks of d
    u_after: Vec<f64>,
    u_law: Vec<f64>,
    /// The Newton step: free, then with impulses.
    increment: Vec<f64>,
    room: Vec<f64>,
    last: f64,
    info: StepInfo,
}

/// A row times a velocity.
fn along(row: &[(usize, f64)], v: &[f64]) -> f64 {
    row.iter().map(|&(i, x)| x * v[i]).fold(0.0, |sum, x| sum + x)
}

impl<M: Motion> Frictional<M> {
    /// Adds friction to a motion whose contacts are decided apart.
    pub fn new(motion: M, model: Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Self {
        let (d, m) = (components(&*model), model.restitutions().len());
        Self {
            motion,
            law: ContactLaw::new(d, scheme.friction_law, scheme.facts().opening_restitution, options),
            d,
            closed: Vec::new(),
            p: vec![[0.0; 3]; m],
            H: Vec::new(),
            used: Vec::new(),
            u_after: Vec::new(),
            u_law: Vec::new(),
            increment: Vec::new(),
            room: Vec::new(),
            last: f64::MAX,
            info: StepInfo::default(),
            model,
        }
    }

    /// The contacts of the step, with the last impulses as a first guess of the problem.
    fn prepare(&mut self, from: &StepStart) {
        self.motion.prepare(from);
        let rows = self.motion.rows();
        self.closed.clear();
        self.closed.extend((0..self.p.len()).filter(|&i| rows.takes_part(i)));
        self.p.fill([0.0; 3]);
        self.law.clear();
        self.u_law.clear();
        for &i in &self.closed {
            let [first, second] = from.memory.p_t.get(i).copied().unwrap_or_default();
            self.law.p.extend_from_slice(&[from.memory.p[i], first, second][..self.d]);
        }
        self.last = f64::MAX;
        self.info = StepInfo::default();
    }

    /// H at the iterate with the velocities along it.
    fn evaluate_rows(&mut self, from: &StepStart) {
        let StepStart { state, h, .. } = *from;
        let d = self.d;
        let qm: Vec<f64> = state.q.iter().zip(self.motion.mean_velocity()).map(|(q, v)| q + 0.5 * h * v).collect();
        self.H.resize_with(self.closed.len() * d, Vec::new);
        for list in [&mut self.law.u_before, &mut self.u_after, &mut self.law.restitution] {
            list.clear();
        }
        self.used.clear();
        for (k, row) in self.H.iter_mut().enumerate() {
            let (i, t) = (self.closed[k / d], k % d);
            let rows = self.motion.rows();
            if t == 0 {
                self.law.restitution.push(rows.restitution(i));
            }
            if t <= tangents(&*self.model, i) {
                rows.entries(i, t, &qm, &mut self.room, row);
            } else {
                row.clear();
            }
            self.used.push((!row.is_empty()).then_some(k));
            let drag = rows.drag(i, t);
            let before = along(row, &state.v) + drag;
            self.law.u_before.push(before);
            self.u_after.push(2.0 * (along(row, self.motion.mean_velocity()) + drag) - before);
        }
    }

    /// The momentum that is left with the tangential impulses, and the energy it stands for.
    fn momentum(&self) -> (f64, f64) {
        let d = self.d;
        let mut left = self.motion.balance().to_vec();
        for (k, row) in self.H.iter().enumerate().filter(|(k, _)| k % d != 0) {
            let p = self.p[self.closed[k / d]][k % d];
            row.iter().for_each(|&(i, x)| left[i] -= p * x);
        }
        (vector::max_abs(&left), vector::dot(&left, self.motion.mean_velocity()).abs())
    }

    /// The free Newton step, and W; false when the matrix is singular.
    fn respond(&mut self, from: &StepStart) -> bool {
        let (n, d, first) = (self.model.n(), self.d, self.motion.first_row());
        let rate = 2.0 * self.motion.way(from.h) / from.h;
        let rows = self.motion.rows();
        self.increment.clear();
        self.increment.extend_from_slice(rows.right_side());
        if !rows.factorise() {
            return false;
        }
        rows.solve(&mut self.increment);
        let ends = self.H.iter().zip(&self.u_after);
        self.law.u_free.clear();
        self.law.u_free.extend(ends.map(|(row, u)| u + rate * along(row, &self.increment[..n])));
        if self.closed.is_empty() {
            return self.increment.iter().all(|x| x.is_finite());
        }

        // what a unit of each impulse along a row that is not zero adds to the velocities along all of them
        let used: Vec<usize> = self.used.iter().copied().flatten().collect();
        let columns = |shift: usize| {
            let entry = |(j, &k): (usize, &usize)| self.H[k].iter().map(move |&(i, x)| (shift + i, j, x));
            let entries: Vec<_> = used.iter().enumerate().flat_map(entry).collect();
            SparseMatrix::from_triplets(self.increment.len(), used.len(), &entries).expect("indices of coordinates")
        };
        let (seen, pushed) = (columns(0), columns(first));
        let W = self.motion.rows().between(&seen, &pushed);
        let problem = &mut self.law.problem;
        problem.W = padded_full(d, &self.used, &W, rate);
        problem.revision += 1;
        problem.ids.clone_from(&self.closed);
        problem.mu.clear();
        problem.mu.extend(self.closed.iter().map(|&i| self.model.frictions()[i]));
        self.increment.iter().chain(W.values()).all(|x| x.is_finite())
    }

    /// The Newton step with the impulses found.
    fn apply(&mut self, from: &StepStart) {
        if self.law.p.iter().any(|z| *z != 0.0) {
            let first = self.motion.first_row();
            let rows = self.motion.rows();
            self.increment.copy_from_slice(rows.right_side());
            for (row, z) in self.H.iter().zip(&self.law.p) {
                row.iter().for_each(|&(i, x)| self.increment[first + i] += z * x);
            }
            rows.solve(&mut self.increment);
        }
        self.motion.update(from, &self.increment);
        let nb = self.model.n_joints();
        self.p.fill([0.0; 3]);
        for (z, &i) in self.law.p.chunks_exact(self.d).zip(&self.closed) {
            self.p[i][..self.d].copy_from_slice(z);
        }
        for (i, p) in self.p.iter().enumerate() {
            self.motion.push(nb + i, p[0]);
        }
    }

    /// Velocities along the tangents of either end, as those of the gaps are stored.
    fn note_ends(&self, start: &State, step: &mut Step) {
        let mut row = vec![0.0; self.model.n()];
        let mut rate = |i: usize, t: usize, state: &State| {
            row.fill(0.0);
            self.model.contact_tangent(i, t, &state.q, &mut row);
            vector::dot(&row, &state.v)
        };
        for (c, along) in step.contacts.iter().zip(&mut step.friction) {
            for t in 0..along.n {
                (along.u_before[t], along.u_after[t]) = (rate(c.id, t, start), rate(c.id, t, &step.after));
            }
        }
    }

    /// What contacts did along the tangents of the law, in the order of `closed`.
    fn along(&self) -> Vec<Tangential> {
        let of = |(k, &i): (usize, &usize)| {
            let (n, frictional) = (tangents(&*self.model, i), self.model.frictions()[i] > 0.0);
            let mut along = Tangential { n, fremond: self.law.fremond(k), frictional, ..Default::default() };
            for t in 0..n {
                let at = k * self.d + 1 + t;
                (along.u_before[t], along.u_after[t]) = (self.law.u_before[at], self.u_after[at]);
                along.p[t] = self.p[i][1 + t];
            }
            along
        };
        self.closed.iter().enumerate().map(of).collect()
    }
}

impl<M: Motion> Iteration for Frictional<M> {
    /// Until the residual is what was asked and no more is gained for the energy identity.
    fn judge(&mut self, from: &StepStart, iteration: usize) -> Result<Judged, StepFailure> {
        let Left { scales, mut conditions, floor } = self.motion.evaluate(from)?;
        self.evaluate_rows(from);
        let (momentum, work) = self.momentum();
        if self.u_law.len() != self.used.len() || (iteration == 0 && !self.closed.is_empty()) {
            return Ok(Judged { worst: scales.worst(momentum, conditions).max(f64::MIN_POSITIVE), done: false });
        }
        for (u, law) in self.u_after.iter().zip(&self.u_law) {
            conditions = larger(conditions, (u - law).abs());
        }
        let worst = scales.worst(momentum, conditions);
        let energy = from.memory.H.abs();
        let met = scales.met(momentum, conditions, self.motion.rows().tolerance(), floor);
        let done = met && (work <= 8.0 * f64::EPSILON * energy || worst > 0.5 * self.last);
        self.last = worst;
        Ok(Judged { worst: if done { scales.beyond_round_off(momentum, conditions, floor) } else { worst }, done })
    }

    fn improve(&mut self, from: &StepStart, iteration: usize) -> Result<(), StepFailure> {
        self.motion.linearise(from)?;
        if !self.respond(from) {
            return Err(from.failure("the Newton matrix is singular"));
        }
        if !self.closed.is_empty() {
            phase::enter("friction law");
            self.law.iterate(from, iteration < ROUGH, &mut self.info)?;
            phase::enter("rows");
            self.u_law.clear();
            self.u_law.extend(self.law.velocities());
        }
        self.apply(from);
        Ok(())
    }
}

impl<M: Motion> Stepper for Frictional<M> {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.law.contact_problem()
    }

    fn start(&mut self, state: &State) -> Memory {
        self.motion.memory(state)
    }

    fn use_threads(&mut self, threads: usize) {
        self.motion.use_threads(threads);
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        self.motion.rows().begin(from, step, next)?;
        self.prepare(from);
        let (iterations, worst) = iterate(self, from, MAX_ITERATIONS)?;
        step.info = self.info;
        step.info.solves = step.info.solves.max(1);
        step.info.iterations += iterations;
        step.info.residual = step.info.residual.max(worst);

        let along = self.along();
        let work = along.iter().map(|along| along.work(0.5)).sum();
        let mut dragged = 0.0;
        for (k, &i) in self.closed.iter().enumerate() {
            let rows = self.motion.rows();
            dragged -= (0..along[k].n).map(|t| along[k].p[t] * rows.drag(i, 1 + t)).sum::<f64>();
        }
        self.motion.finish(from, (work, dragged), (step, next));
        step.friction.clear();
        step.friction.extend(along);
        self.motion.account(from, step);
        next.p_t.clear();
        next.p_t.extend(self.p.iter().map(|p| [p[1], p[2]]));
        let rows = self.motion.rows();
        let of: Vec<(f64, f64)> =
            step.contacts.iter().map(|c| (self.model.frictions()[c.id], c.p / rows.mass_seen(c.id))).collect();
        judge(step, 1.0, |k| of[k]);
        self.note_ends(from.state, step);
        Ok(())
    }
}
