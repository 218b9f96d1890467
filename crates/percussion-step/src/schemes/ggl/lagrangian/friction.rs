//! GGL with friction on a Lagrangian model: Newton for the motion, one cone problem for all contacts in every iteration.
//!
//!   q = q̂ + U_T + M⁻¹g_qᵀν,   U_T = (h/2) P_c M⁻¹Tᵀp_T,   v = v̂ + M⁻¹(g_qᵀΛ + Tᵀp_T),   0 ≤ g(q) ⟂ ν ≥ 0
//!   P_c = 1 − M⁻¹G_cᵀ(G_cM⁻¹G_cᵀ)⁺G_c,   G_c: joints and the normals of closed contacts
//!   on {g(q̂) ≤ 0 or ν > 0}: the friction law on u = H v with u_n = H v_n,   H = [g_q; T] at q_{n+1}
//!
//! At an iterate Newton's matrix is that of the frictionless step without contact rows, and the multipliers enter linearly:
//! gaps g + g_qΔq and velocities H(v + Δv) are affine in z = (ν/h, Λ, p_T). What this leaves out, the change of H, is of order
//! h. U_T is the part of a step's sliding that moves no closed gap and no joint: P_c M⁻¹Hᵀp is unique although p is not, and
//! lifts no contact.

use crate::contact::law::{ContactLaw, components, padded_blocks, tangents};
use crate::newton::driver::{Iteration, Judged, iterate};
use crate::newton::system::{REDUNDANT, Scales, carry, inertia, larger};
use crate::schemes::ggl::conditions::{restitution, touches};
use crate::schemes::ggl::lagrangian::ladder::{Rung, join};
use crate::schemes::ggl::lagrangian::newton::{GglNewton, Iterate, Setting};
use crate::schemes::ggl::lagrangian::{Ggl, HALVINGS};
use crate::schemes::ggl::ledger::Projection;
use crate::step::contact::judge;
use crate::{Memory, Scheme, State, Step, StepFailure, StepInfo, StepStart, Stepper, Tangential, Warning};
use percussion_matrix::{DenseMatrix, vector};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Iterations in which contacts may leave the closed set and Frémond flags are dropped: velocities are still rough.
const ROUGH: usize = 4;
const MAX_ITERATIONS: usize = 60;

/// The scheme bound to a model with friction.
pub struct FrictionGgl {
    base: Ggl,
    cones: Cones,
}

/// The contacts of a step and their problem.
struct Cones {
    /// The problem of the iteration under way: gaps first, then the contacts under the law.
    law: ContactLaw,
    /// Components per contact.
    d: usize,
    /// Contacts with a row for ν, and those under the law; both by rising number.
    at_position: Vec<usize>,
    closed: Vec<usize>,
    moved: bool,
    /// p of every contact, normal first.
    p: Vec<[f64; 3]>,
    fremond: Vec<bool>,
    /// The rows of H, d per closed contact; which of them are not zero; and M U_T/h per unit of their impulses.
    H: Vec<f64>,
    used: Vec<Option<usize>>,
    shift: Vec<f64>,
    projection: Projection,
    /// Velocities under the law as it was solved, in blocks of d.
    u_law: Vec<f64>,
    /// The free Newton step, and what a unit of each multiplier adds to it.
    free: Vec<f64>,
    responses: Vec<Vec<f64>>,
    info: StepInfo,
}

impl FrictionGgl {
    /// Adds friction to the scheme, which holds opening contacts.
    pub fn new(base: Ggl, scheme: &Scheme, options: SolverOptions) -> Self {
        let (d, m) = (components(&*base.model), base.model.restitutions().len());
        let law = ContactLaw::new(d, scheme.friction_law, scheme.facts().opening_restitution, options);
        Self { base, cones: Cones::new(law, d, m) }
    }

    /// The conditions of a step, solved from the prediction.
    fn solve(&mut self, from: &StepStart) -> Result<(), StepFailure> {
        let model = Arc::clone(&self.base.model);
        let StepStart { state, memory, h } = *from;
        self.base.predict(state, memory, h);
        self.cones.clear(memory);
        let Ggl { newton, x, carried, tolerance, closed_at, numerics, p, variant, .. } = &mut self.base;
        let s = Setting {
            model: &*model,
            p: *p,
            variant: *variant,
            hold: true,
            h,
            t: from.end(),
            v_n: &state.v,
            closed_at: *closed_at,
            numerics: *numerics,
            weights: [1.0; 3],
            carried,
        };
        let mut attempt = Attempt { newton, x, cones: &mut self.cones, s, tolerance: *tolerance };
        let (iterations, worst) = iterate(&mut attempt, from, MAX_ITERATIONS)?;
        let info = &mut self.cones.info;
        info.solves = info.solves.max(1);
        info.iterations += iterations;
        info.residual = info.residual.max(worst);
        self.base.counts.add(Rung::Newton);
        Ok(())
    }

    /// One step of length h, itself `depth` times halved: solved as a whole, or as two of half the length. Damped increments, the
    /// second rung of steps without friction, are not tried: on a stiff beam they lead to solutions with 10⁸ J.
    fn whole(&mut self, from: &StepStart, depth: usize, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        match self.solve(from) {
            Ok(()) => self.conclude(from, step, next),
            Err(failure) if depth == HALVINGS => return Err(failure),
            Err(_) => {
                self.base.counts.add(Rung::Halved);
                let h = 0.5 * from.h;
                let (mut first, mut between) = (Step::default(), Memory::default());
                self.whole(&StepStart { h, ..*from }, depth + 1, &mut first, &mut between)?;
                self.whole(&StepStart { state: &first.after, memory: &between, h }, depth + 1, step, next)?;
                join(&*self.base.model, &first, from.h, step);
            }
        }
        Ok(())
    }

    /// The new state and memory, contacts, energy.
    fn conclude(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) {
        let model = Arc::clone(&self.base.model);
        let StepStart { state, memory, h } = *from;
        let nb = model.n_joints();
        step.h = h;
        let gaps = (0..model.restitutions().len()).map(|i| (model.constraint(nb + i, &state.q), i));
        step.smallest_gap = gaps.min_by(|a, b| a.0.total_cmp(&b.0));
        step.info = self.cones.info;
        let Ggl { newton, x, p, .. } = &mut self.base;
        for j in nb..x.nu.len() {
            newton.in_A[j] = x.nu[j] > 0.0;
        }
        step.after.set(from.end(), &x.q, &x.v);
        step.contacts.clear();
        step.friction.clear();
        next.clear_impulses(model.restitutions().len());
        next.p_t.clear();
        next.p_t.extend(self.cones.p.iter().map(|p| [p[1], p[2]]));
        carry(p, &x.vd, memory, next);
        next.u_max = memory.u_max;
        let mut works = self.base.record(state, step, next);
        works.law += self.along(step, state);
        self.base.joint_works(from, next, &mut works);
        self.base.account(from, step, next, &mut works);
        next.H = step.ledger.energy();
    }

    /// What contacts did along their tangents, with its work.
    fn along(&self, step: &mut Step, from: &State) -> f64 {
        let (model, cones) = (&*self.base.model, &self.cones);
        let (n, d) = (model.n(), cones.d);
        let mut work = 0.0;
        for c in &step.contacts {
            let frictional = model.frictions()[c.id] > 0.0;
            let mut along =
                Tangential { n: tangents(model, c.id), fremond: cones.fremond[c.id], frictional, ..Default::default() };
            if let Ok(k) = cones.closed.binary_search(&c.id) {
                for t in 0..along.n {
                    let row = &cones.H[(k * d + 1 + t) * n..(k * d + 2 + t) * n];
                    (along.u_before[t], along.u_after[t]) =
                        (vector::dot(row, &from.v), vector::dot(row, &step.after.v));
                    along.p[t] = cones.p[c.id][1 + t];
                }
            }
            work += along.work(0.5);
            step.friction.push(along);
        }
        let r = &self.base.newton.r;
        let nb = model.n_joints();
        let of: Vec<(f64, f64)> = step.contacts.iter().map(|c| (model.frictions()[c.id], c.p / r[nb + c.id])).collect();
        judge(step, 1.0, |k| of[k]);
        work
    }
}

impl Cones {
    fn new(law: ContactLaw, d: usize, m: usize) -> Self {
        Self {
            law,
            d,
            at_position: Vec::new(),
            closed: Vec::new(),
            moved: false,
            p: vec![[0.0; 3]; m],
            fremond: vec![false; m],
            H: Vec::new(),
            used: Vec::new(),
            shift: Vec::new(),
            projection: Projection::default(),
            u_law: Vec::new(),
            free: Vec::new(),
            responses: Vec::new(),
            info: StepInfo::default(),
        }
    }

    /// Forgets the last step but for its impulses, a first guess.
    fn clear(&mut self, memory: &Memory) {
        self.at_position.clear();
        self.closed.clear();
        self.fremond.fill(false);
        self.u_law.clear();
        self.info = StepInfo::default();
        for (i, p) in self.p.iter_mut().enumerate() {
            let [first, second] = memory.p_t.get(i).copied().unwrap_or_default();
            *p = [memory.p[i], first, second];
        }
    }

    /// Joints act, contact rows stay out of the matrix; contacts are closed by their gaps and ν.
    fn choose_sets(&mut self, newton: &mut GglNewton, s: &Setting, x: &Iterate, iteration: usize) {
        let nb = s.nb();
        for i in 0..x.q.len() {
            newton.qt[i] = x.q[i] - x.U[i];
        }
        self.moved = false;
        for j in 0..s.nc() {
            (newton.in_A[j], newton.in_B[j]) = (j < nb, j < nb);
            if j < nb {
                newton.closed[j] = true;
                continue;
            }
            newton.u_n[j] = vector::dot(newton.at.G.column(j), s.v_n);
            newton.e_hat[j] = restitution(true, newton.u_n[j], s.model.restitutions()[j - nb]);
            let gap = s.model.constraint(j, &newton.qt);
            let closes = touches(gap, newton.u_n[j], s.h) || (x.nu[j] > 0.0 && newton.at.g[j] <= x.nu[j] / newton.r[j]);
            match (closes, self.closed.binary_search(&(j - nb))) {
                (true, Err(place)) => {
                    self.closed.insert(place, j - nb);
                    self.moved = true;
                }
                (false, Ok(place)) if iteration < ROUGH => {
                    self.closed.remove(place);
                    self.moved = true;
                }
                (true, Ok(_)) | (false, Err(_) | Ok(_)) => {}
            }
            newton.closed[j] = self.closed.binary_search(&(j - nb)).is_ok();
        }
    }

    /// H at the iterate, and ½(T − G_cᵀκ) with κ = (G_cM⁻¹G_cᵀ)⁺G_cM⁻¹T, what a unit of p_T adds to M U/h.
    fn evaluate_rows(&mut self, newton: &mut GglNewton, s: &Setting, q: &[f64]) {
        let (model, n, nb, d) = (s.model, q.len(), s.nb(), self.d);
        self.H.clear();
        self.H.resize(self.closed.len() * d * n, 0.0);
        self.used.clear();
        for (k, row) in self.H.chunks_exact_mut(n).enumerate() {
            let i = self.closed[k / d];
            match k % d {
                0 => row.copy_from_slice(newton.at.G.column(nb + i)),
                t if t <= tangents(model, i) => model.contact_tangent(i, t - 1, q, row),
                _ => {}
            }
            self.used.push(row.iter().any(|&x| x != 0.0).then_some(k));
        }
        self.shift.clear();
        self.shift.resize(self.H.len(), 0.0);
        if self.closed.is_empty() || !inertia(&newton.at, nb, &mut newton.system) {
            return;
        }
        let held: Vec<usize> = (0..nb).chain(self.closed.iter().map(|i| nb + i)).collect();
        let mut Y = DenseMatrix::zeros(n, held.len());
        for (k, &j) in held.iter().enumerate() {
            newton.system.x.clear();
            newton.system.x.extend_from_slice(newton.at.G.column(j));
            newton.system.solve();
            Y.column_mut(k).copy_from_slice(&newton.system.x);
        }
        let G = &newton.at.G;
        self.projection.factorise(held.len(), |a, b| vector::dot(G.column(held[a]), Y.column(b)));
        for (k, (row, shift)) in self.H.chunks_exact(n).zip(self.shift.chunks_exact_mut(n)).enumerate() {
            if k % d == 0 || self.used[k].is_none() {
                continue;
            }
            let mut kappa: Vec<f64> = (0..held.len()).map(|a| vector::dot(row, Y.column(a))).collect();
            self.projection.solve(&mut kappa);
            vector::axpy(0.5, row, shift);
            for (&j, kappa) in held.iter().zip(&kappa) {
                vector::axpy(-0.5 * kappa, G.column(j), shift);
            }
        }
    }

    /// The largest residuals of momentum and conditions, with the tangential impulses and the law as it was solved.
    fn residuals(&mut self, newton: &mut GglNewton, s: &Setting, x: &Iterate) -> (f64, f64) {
        let (n, nb, d) = (x.q.len(), s.nb(), self.d);
        newton.residuals(s, x);
        let (at_U, at_nu, at_W, at_La) = s.blocks();
        let r = newton.residual();
        let (mut position, mut velocity) = (r[at_U..at_U + n].to_vec(), r[at_W..at_W + n].to_vec());
        for (k, (row, shift)) in self.H.chunks_exact(n).zip(self.shift.chunks_exact(n)).enumerate() {
            if k % d != 0 {
                let p = self.p[self.closed[k / d]][k % d];
                vector::axpy(-p, shift, &mut position);
                vector::axpy(-p, row, &mut velocity);
            }
        }
        let momentum = larger(vector::max_abs(&r[..n]), larger(vector::max_abs(&position), vector::max_abs(&velocity)));
        let mut conditions = vector::max_abs(&r[n..n + nb]);
        conditions = larger(conditions, vector::max_abs(&r[at_nu..at_nu + nb]));
        conditions = larger(conditions, vector::max_abs(&r[at_La..at_La + nb]));
        for j in nb..s.nc() {
            let gap = newton.at.g[j] / s.h;
            conditions = larger(conditions, if x.nu[j] > 0.0 { gap.abs() } else { (-gap).max(0.0) });
        }
        let np = self.at_position.len();
        for (k, row) in self.H.chunks_exact(n).enumerate() {
            if let (Some(u), Some(before)) = (self.u_law.get(k), self.law.u_before.get(np * d + k)) {
                conditions = larger(conditions, (vector::dot(row, &x.v) - u).abs());
                conditions = larger(conditions, (vector::dot(row, s.v_n) - before).abs());
            }
        }
        (momentum, conditions)
    }

    /// The free Newton step and the responses; false when the matrix is singular.
    fn linearise(&mut self, newton: &mut GglNewton, s: &Setting, x: &Iterate) -> bool {
        let n = x.q.len();
        let (at_U, _, at_W, _) = s.blocks();
        newton.assemble(s, x);
        self.free.clone_from(&newton.system.x);
        let size = self.free.len();
        let compliance = |i: usize| s.joint_of(i).map_or(0.0, |j| -REDUNDANT / newton.r[j]);
        if !newton.system.factorise() && !newton.system.factorise_shifted(compliance) {
            return false;
        }
        newton.system.solve_refined(&mut self.free);

        // contacts the free step would let through get a row for ν
        for j in s.nb()..s.nc() {
            let reach = newton.at.g[j] / s.h + s.gap_change(newton.at.G.column(j), &self.free);
            let i = j - s.nb();
            let asked = reach <= 0.0 || newton.at.g[j] <= 0.0 || newton.closed[j];
            if let (true, Err(place)) = (asked, self.at_position.binary_search(&i)) {
                self.at_position.insert(place, i);
                self.moved = true;
            }
        }
        let np = self.at_position.len();
        self.responses.resize_with(np + self.used.len(), Vec::new);
        for (k, column) in self.responses.iter_mut().enumerate() {
            column.clear();
            column.resize(size, 0.0);
            if k < np {
                column[at_U..at_U + n].copy_from_slice(newton.at.G.column(s.nb() + self.at_position[k]));
            } else {
                let row = (k - np) * n..(k - np + 1) * n;
                column[at_W..at_W + n].copy_from_slice(&self.H[row.clone()]);
                column[at_U..at_U + n].copy_from_slice(&self.shift[row]);
            }
            newton.system.solve_refined(column);
        }
        self.free.iter().chain(self.responses.iter().flatten()).all(|x| x.is_finite())
    }

    /// Velocities and W of the linearised motion.
    fn describe(&mut self, newton: &GglNewton, s: &Setting, x: &Iterate) {
        let (n, nb, d) = (x.q.len(), s.nb(), self.d);
        let (np, at_W) = (self.at_position.len(), s.blocks().2);
        let law = &mut self.law;
        for list in [&mut law.u_before, &mut law.u_free, &mut law.restitution, &mut law.p] {
            list.clear();
        }
        law.positions = np;
        for &i in &self.at_position {
            let row = newton.at.G.column(nb + i);
            law.u_free.push(newton.at.g[nb + i] / s.h + s.gap_change(row, &self.free));
            law.p.push(x.nu[nb + i] / s.h);
            law.u_free.resize(law.u_free.len() + d - 1, 0.0);
            law.p.resize(law.p.len() + d - 1, 0.0);
            law.restitution.push(0.0);
        }
        law.u_before.resize(np * d, 0.0);
        let along = |row: &[f64], y: &[f64]| vector::dot(row, &y[..n]) + vector::dot(row, &y[at_W..at_W + n]);
        for (k, row) in self.H.chunks_exact(n).enumerate() {
            let i = self.closed[k / d];
            law.u_before.push(vector::dot(row, s.v_n));
            law.u_free.push(vector::dot(row, &x.v) + along(row, &self.free));
            law.p.push(if self.used[k].is_some() { self.p[i][k % d] } else { 0.0 });
            if k % d == 0 {
                law.restitution.push(newton.e_hat[nb + i]);
            }
        }

        // W: rows of positions first, one each in a block of d
        let mut entries = Vec::new();
        for (c, y) in self.responses.iter().enumerate() {
            let b = if c < np { c * d } else { np * d + c - np };
            if c >= np && self.used[c - np].is_none() {
                continue;
            }
            for (a, &i) in self.at_position.iter().enumerate() {
                entries.push((a * d, b, s.gap_change(newton.at.G.column(nb + i), y)));
            }
            for (a, row) in self.H.chunks_exact(n).enumerate().filter(|(a, _)| self.used[*a].is_some()) {
                entries.push((np * d + a, b, along(row, y)));
            }
        }
        let mut rows: Vec<Option<usize>> = (0..np * d).map(|k| k.is_multiple_of(d).then_some(k)).collect();
        rows.extend(&self.used);
        let problem = &mut law.problem;
        problem.W = padded_blocks(d, &rows, &entries);
        problem.revision += 1;
        problem.ids.clear();
        problem.ids.extend(self.at_position.iter().chain(&self.closed));
        problem.mu.clear();
        problem.mu.resize(np, 0.0);
        problem.mu.extend(self.closed.iter().map(|&i| s.model.frictions()[i]));
    }

    /// The law for the linearised motion; the contacts of one iteration need not be those of the last.
    fn solve(&mut self, from: &StepStart, iteration: usize) -> Result<(), StepFailure> {
        let np = self.at_position.len();
        let rough = iteration < ROUGH;
        if rough {
            self.fremond.fill(false);
        }
        let flags = self.closed.iter().map(|&i| self.fremond[i]);
        self.law.flag(std::iter::repeat_n(false, np).chain(flags));
        self.law.iterate(from, rough, &mut self.info)?;
        self.u_law.clear();
        self.u_law.extend(self.law.velocities().skip(np * self.d));
        for (k, &i) in self.closed.iter().enumerate() {
            self.fremond[i] |= self.law.fremond(np + k);
        }
        Ok(())
    }

    /// The Newton step with its multipliers.
    fn apply(&mut self, newton: &mut GglNewton, s: &Setting, x: &mut Iterate) {
        let (nb, d, np) = (s.nb(), self.d, self.at_position.len());
        let total = &mut newton.system.x;
        total.clone_from(&self.free);
        for (c, y) in self.responses.iter().enumerate() {
            let z = self.law.p[if c < np { c * d } else { np * d + c - np }];
            if z != 0.0 {
                vector::axpy(z, y, total);
            }
        }
        x.update(s, &newton.system.x);
        self.p.fill([0.0; 3]);
        x.nu[nb..].fill(0.0);
        x.La[nb..].fill(0.0);
        for (k, &i) in self.at_position.iter().enumerate() {
            x.nu[nb + i] = s.h * self.law.p[k * d].max(0.0);
        }
        for (k, &i) in self.closed.iter().enumerate() {
            let at = (np + k) * d;
            self.p[i][..d].copy_from_slice(&self.law.p[at..at + d]);
            x.La[nb + i] = self.law.p[at];
        }
    }
}

/// A step under way.
struct Attempt<'a> {
    newton: &'a mut GglNewton,
    x: &'a mut Iterate,
    cones: &'a mut Cones,
    s: Setting<'a>,
    tolerance: f64,
}

impl Iteration for Attempt<'_> {
    fn judge(&mut self, from: &StepStart, iteration: usize) -> Result<Judged, StepFailure> {
        let Self { newton, x, cones, s, .. } = self;
        newton.evaluate(s, x);
        if iteration == 0 && !newton.scale_multipliers(s) {
            return Err(from.failure("mass and joints leave some motion without inertia"));
        }
        cones.choose_sets(newton, s, x, iteration);
        cones.evaluate_rows(newton, s, &x.q);
        let (momentum, conditions) = cones.residuals(newton, s, x);
        let scales = Scales::new(&newton.at, &x.q, &x.v, &x.vd, s.v_n, s.h);
        let unknown = iteration == 0 && !cones.closed.is_empty();
        if cones.moved || unknown || cones.u_law.len() != cones.used.len() {
            return Ok(Judged { worst: scales.worst(momentum, conditions), done: false });
        }
        let round_off = || newton.at.round_off(s.model, &x.q, &x.v, s.t, s.h);
        Ok(scales.judge(momentum, conditions, self.tolerance, round_off))
    }

    fn improve(&mut self, from: &StepStart, iteration: usize) -> Result<(), StepFailure> {
        let Self { newton, x, cones, s, .. } = self;
        if !cones.linearise(newton, s, x) {
            return Err(from.failure("the Newton matrix is singular"));
        }
        cones.describe(newton, s, x);
        if cones.law.p.is_empty() {
            cones.u_law.clear();
        } else {
            cones.solve(from, iteration)?;
        }
        cones.apply(newton, s, x);
        Ok(())
    }
}

impl Stepper for FrictionGgl {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.cones.law.contact_problem()
    }

    fn start(&mut self, state: &State) -> Memory {
        self.base.start(state)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        self.whole(from, 0, step, next)
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        self.base.statistics()
    }

    fn warnings(&mut self, h: f64) -> Vec<Warning> {
        self.base.warnings(h)
    }
}
