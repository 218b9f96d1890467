//! Schatzman–Paoli for nonlinear models: Newton on the velocity w between two positions and the multipliers.
//!
//!   q_{k+1} = q_k + h w_{k+½},   v_k = ½ (w_{k−½} + w_{k+½})
//!   M(q_k)(w_{k+½} − w_{k−½}) = h (θ f(q_{k+1}, v_k, t_{k+1}) + (1−θ) f(q_k, v_k, t_k)) + g_b(q_k)ᵀμ + Σ ∇g_j(q̄_j) p_j
//!   g_b(q_{k+1}) = 0,   0 ≤ (1+e_j) g_j(q̄_j)/h ⟂ p_j ≥ 0,   q̄_j = (q_{k+1} + e_j q_{k−1})/(1+e_j)
//!
//! Each contact has its own q̄_j, so restitutions may differ. As in the linear scheme a step looks one position ahead for the
//! velocity centred at its end. With x = [Δw, −Δμ, −Δp] the matrix is
//!
//!   [M + h²θK_{k+1} + ½h(θC_{k+1} + (1−θ)C_k) − Σ h p_j ∇²g_j/(1+e_j),  g_b(q_k)ᵀ, ∇g_j;   g_b(q_{k+1}), 0;   B: ∇g_jᵀ, else −1]
//!
//! No identity is known: the balance of ½wᵀM w + V, taken in the middle between two positions, is measured.

use crate::located::start::starting_acceleration;
use crate::mechanism::lagrangian::NonlinearMechanism;
use crate::newton::contact_problem::contact_problem;
use crate::newton::driver::{Iteration, Judged, iterate};
use crate::newton::evaluation::{Evaluation, mul_add};
use crate::newton::system::{NewtonSystem, Scales, effective_masses, larger, over, sharing};
use crate::schemes::schatzman_paoli::{VelocityAhead, reflected, unequal};
use crate::{ContactState, LedgerEntry, Memory, State, Step, StepFailure, StepInfo, StepStart, Stepper};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::Lagrangian;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

const MAX_ITERATIONS: usize = 60;
/// Iterations more where round-off was reached but not what was asked.
const TRIES: usize = 4;

/// The scheme bound to a nonlinear model.
pub struct SchatzmanPaoli {
    model: Arc<dyn Lagrangian>,
    theta: f64,
    tolerance: f64,
    options: SolverOptions,
    /// M(q_k), weighted forces, gradients that carry the multipliers.
    at: Evaluation,
    /// Forces and tangents at the other end.
    far: Evaluation,
    system: NewtonSystem,
    r: Vec<f64>,
    /// e, zero for joints.
    e: Vec<f64>,
    active: Vec<bool>,
    /// μ and p, joints first.
    La: Vec<f64>,
    /// Rows of the conditions and their values [m/s].
    rows: DenseMatrix,
    conditions: Vec<f64>,
    residual: Vec<f64>,
    hessian: DenseMatrix,
    w: Vec<f64>,
    w_next: Vec<f64>,
    q: Vec<f64>,
    q_next: Vec<f64>,
    v: Vec<f64>,
    place: Vec<f64>,
    /// t_k of the position step under way, and its iterations at the round-off of the forces.
    t: f64,
    at_floor: usize,
}

impl SchatzmanPaoli {
    /// Binds the scheme to a model.
    pub fn new(model: Arc<dyn Lagrangian>, theta: f64, tolerance: f64, options: SolverOptions) -> Self {
        let at = Evaluation::new(&*model);
        let (n, nc) = (model.n(), at.g.len());
        let zero = |k| vec![0.0; k];
        Self {
            theta,
            tolerance,
            options,
            far: Evaluation::new(&*model),
            system: NewtonSystem::default(),
            r: zero(nc),
            e: zero(nc),
            active: vec![false; nc],
            La: zero(nc),
            rows: DenseMatrix::zeros(n, nc),
            conditions: zero(nc),
            residual: Vec::new(),
            hessian: DenseMatrix::zeros(n, n),
            w: zero(n),
            w_next: zero(n),
            q: zero(n),
            q_next: zero(n),
            v: zero(n),
            place: zero(n),
            t: 0.0,
            at_floor: 0,
            at,
            model,
        }
    }

    /// a_0 with the forces of contacts that rest.
    fn a_0(&self, state: &State) -> Result<Vec<f64>, StepFailure> {
        let mechanism = NonlinearMechanism::new(Arc::clone(&self.model));
        starting_acceleration(Box::new(mechanism), self.options, state)
    }

    fn restitution(&self, j: usize) -> f64 {
        self.e[j]
    }

    /// e of joints and contacts in the position step that leaves `self.q`.
    fn restitutions(&mut self, first: bool, h: f64) {
        let nb = self.model.n_joints();
        for i in 0..self.q.len() {
            self.place[i] = self.q[i] - h * self.w[i];
        }
        for (id, &e) in self.model.restitutions().iter().enumerate() {
            self.e[nb + id] = reflected(e, first, self.model.constraint(nb + id, &self.place));
        }
    }

    /// place ← q̄_j.
    fn mean_place(&mut self, e: f64, h: f64) {
        for i in 0..self.q.len() {
            let before = self.q[i] - h * self.w[i];
            self.place[i] = (self.q_next[i] + e * before) / (1.0 + e);
        }
    }

    /// Forces, gradients, conditions and residuals at the iterate; returns scales, momentum and conditions.
    fn evaluate(&mut self, from: &StepStart) -> (Scales, f64, f64) {
        let (h, t) = (from.h, self.t);
        let model = Arc::clone(&self.model);
        let (n, nb, nc, theta) = (model.n(), model.n_joints(), self.La.len(), self.theta);
        for i in 0..n {
            self.q_next[i] = self.q[i] + h * self.w_next[i];
            self.v[i] = 0.5 * (self.w[i] + self.w_next[i]);
        }
        // M(q_k) stays; forces are weighted
        model.force(&self.q, &self.v, t, &mut self.at.f);
        model.force(&self.q_next, &self.v, t + h, &mut self.far.f);
        for i in 0..n {
            self.at.f[i] = (1.0 - theta) * self.at.f[i] + theta * self.far.f[i];
        }
        for j in 0..nc {
            let e = self.restitution(j);
            if j < nb {
                self.place.copy_from_slice(&self.q_next);
            } else {
                self.mean_place(e, h);
            }
            self.rows.column_mut(j).fill(0.0);
            model.gradient(j, &self.place, self.rows.column_mut(j));
            self.conditions[j] = (1.0 + e) * model.constraint(j, &self.place) / h;
            if j >= nb {
                self.at.G.column_mut(j).copy_from_slice(self.rows.column(j));
            }
        }

        let r = &mut self.residual;
        r.clear();
        r.resize(n + nc, 0.0);
        for i in 0..n {
            self.place[i] = self.w_next[i] - self.w[i];
        }
        mul_add(&self.at.M, 1.0, &self.place, &mut r[..n]);
        vector::axpy(-h, &self.at.f, &mut r[..n]);
        let mut worst = 0.0;
        for j in 0..nc {
            vector::axpy(-self.La[j], self.at.G.column(j), &mut r[..n]);
            self.active[j] = j < nb || self.La[j] - self.r[j] * self.conditions[j] >= 0.0;
            let x = if self.active[j] { self.conditions[j] } else { self.La[j] };
            r[n + j] = x;
            worst = larger(worst, if self.active[j] { x.abs() } else { over(x.abs(), self.r[j]) });
        }
        let momentum = vector::max_abs(&r[..n]);
        // place holds Δw: its rate is the acceleration
        self.place.iter_mut().for_each(|x| *x /= h);
        let scales = Scales::new(&self.at, &self.q, &self.w_next, &self.place, &from.state.v, h);
        (scales.with_impulses(&self.La, &self.r), momentum, worst)
    }

    /// From w_{k−½} to w_{k+½} at `self.q` and `self.t`, with the works added to `entry` and the solver's part to `info`.
    fn leave(&mut self, from: &StepStart, info: &mut StepInfo, entry: &mut LedgerEntry) -> Result<(), StepFailure> {
        let (h, t) = (from.h, self.t);
        let model = Arc::clone(&self.model);
        let (n, nb) = (model.n(), model.n_joints());
        let first = from.memory.carried.of::<VelocityAhead>().h == 0.0 && t == from.state.t;
        self.restitutions(first, h);
        self.w_next.copy_from_slice(&self.w);
        self.La.fill(0.0);
        self.at.M.values_mut().fill(0.0);
        model.mass(&self.q, &mut self.at.M);
        self.at.constraints(&*model, &self.q, t);
        if !effective_masses(&self.at, nb, &mut self.system, &mut self.r) {
            return Err(from.failure("the mass matrix is singular"));
        }
        self.at_floor = 0;
        let (iterations, worst) = iterate(self, from, MAX_ITERATIONS)?;
        info.solves += 1;
        info.iterations += iterations;
        info.residual = info.residual.max(worst);

        for j in 0..self.La.len() {
            let work = self.La[j] * vector::dot(self.at.G.column(j), &self.v);
            *(if j < nb { &mut entry.work_joints } else { &mut entry.work_contact }) += work;
        }
        entry.work_external += h * model.power_without_potential(&self.q, &self.v, t);
        for i in 0..n {
            self.place[i] = self.q[i] + 0.5 * h * self.w_next[i];
        }
        entry.algorithmic_energy =
            model.kinetic_energy(&self.place, &self.w_next) + model.potential_energy(&self.place);
        Ok(())
    }
}

impl Iteration for SchatzmanPaoli {
    fn judge(&mut self, from: &StepStart, _iteration: usize) -> Result<Judged, StepFailure> {
        let (scales, momentum, conditions) = self.evaluate(from);
        let (h, end) = (from.h, self.t + from.h);
        let Self { model, far, q_next, v, .. } = self;
        let mut floor = false;
        let mut judged = scales.judge(momentum, conditions, self.tolerance, || {
            floor = true;
            far.round_off(&**model, q_next, v, end, h)
        });
        // where only round-off was reached, what was asked is tried for a little longer: it falls out differently each time
        if floor && judged.done && judged.worst > self.options.tolerance && self.at_floor < TRIES {
            self.at_floor += 1;
            judged.done = false;
        }
        Ok(judged)
    }

    fn improve(&mut self, from: &StepStart, _iteration: usize) -> Result<(), StepFailure> {
        let (h, t) = (from.h, self.t);
        let model = Arc::clone(&self.model);
        let (n, nb, nc, theta) = (model.n(), model.n_joints(), self.La.len(), self.theta);
        self.at.tangents(&*model, &self.q, &self.v, t);
        self.far.tangents(&*model, &self.q_next, &self.v, t + h);
        let T = &mut self.system;
        T.clear(n + nc);
        T.add_block(0, 0, 1.0, &self.at.M);
        T.add_block(0, 0, h * h * theta, &self.far.K);
        T.add_block(0, 0, 0.5 * h * theta, &self.far.C);
        T.add_block(0, 0, 0.5 * h * (1.0 - theta), &self.at.C);
        for j in 0..nc {
            self.system.add_column(0, n + j, 1.0, self.at.G.column(j));
            if !self.active[j] {
                self.system.add(n + j, n + j, -1.0);
            } else {
                self.system.add_row(n + j, 0, 1.0, self.rows.column(j));
            }
            if j >= nb && self.La[j] != 0.0 {
                let e = self.restitution(j);
                self.mean_place(e, h);
                self.hessian.values_mut().fill(0.0);
                model.hessian(j, &self.place, -self.La[j] * h / (1.0 + e), &mut self.hessian);
                self.system.add_block(0, 0, 1.0, &self.hessian);
            }
        }
        for (x, r) in self.system.x.iter_mut().zip(&self.residual) {
            *x = -r;
        }
        if !self.system.solve_sharing(|i| sharing(&self.r, n, i)) {
            return Err(from.failure("the Newton matrix is singular"));
        }
        for i in 0..n {
            self.w_next[i] += self.system.x[i];
        }
        for j in 0..nc {
            self.La[j] -= self.system.x[n + j];
        }
        Ok(())
    }
}

impl Stepper for SchatzmanPaoli {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let nb = self.model.n_joints();
        let contacts: Vec<(usize, f64, f64)> =
            (nb..self.La.len()).map(|j| (j - nb, self.conditions[j], self.La[j])).collect();
        contact_problem(&self.at.M, &self.at.G, nb, &contacts)
    }

    fn start(&mut self, state: &State) -> Memory {
        // a problem that cannot be solved here is met again, and reported, by the first step
        let a = self.a_0(state).unwrap_or_else(|_| vec![0.0; state.q.len()]);
        Memory::new(0.0, self.model.restitutions().len()).carrying(VelocityAhead::new(a, state))
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let model = Arc::clone(&self.model);
        let (nb, m) = (model.n_joints(), model.restitutions().len());
        let (mut entry, mut info) = (LedgerEntry::default(), StepInfo::default());
        step.h = h;

        // gaps and velocities at the start
        self.at.constraints(&*model, &state.q, state.t);
        step.contacts.clear();
        step.smallest_gap = None;
        next.u_max = memory.u_max;
        for id in 0..m {
            let (gap, u) = (self.at.g[nb + id], vector::dot(self.at.G.column(nb + id), &state.v));
            if step.smallest_gap.is_none_or(|(g, _)| gap < g) {
                step.smallest_gap = Some((gap, id));
            }
            next.u_max = next.u_max.max(u.abs());
            step.contacts.push(ContactState { id, gap, u_before: u, u_free: u, u_after: u, p: 0.0 });
        }

        // the velocity that leaves q_k is known, but for the first step, which finds it from w_{−½}
        let VelocityAhead { w: ahead, h: last, .. } = memory.carried.of();
        self.q.copy_from_slice(&state.q);
        if *last == 0.0 {
            for (i, a) in self.a_0(state)?.iter().enumerate() {
                self.w[i] = state.v[i] - 0.5 * h * a;
            }
            self.t = state.t;
            self.leave(from, &mut info, &mut entry)?;
            step.contacts.iter_mut().for_each(|c| c.p = self.La[nb + c.id].max(0.0));
            std::mem::swap(&mut self.w, &mut self.w_next);
        } else if *last != h {
            return Err(unequal(state, h, *last));
        } else {
            self.w.copy_from_slice(ahead);
        }

        // arrive, and look one position ahead
        for (q, w) in self.q.iter_mut().zip(&self.w) {
            *q += h * w;
        }
        self.t = from.end();
        self.leave(from, &mut info, &mut entry)?;
        step.info = info;
        step.after.set(from.end(), &self.q, &self.v);
        next.clear_impulses(m);
        for c in &mut step.contacts {
            let j = nb + c.id;
            self.place.fill(0.0);
            model.gradient(j, &step.after.q, &mut self.place);
            c.gap = model.constraint(j, &step.after.q);
            c.u_after = vector::dot(&self.place, &step.after.v);
            let p = self.La[j].max(0.0);
            c.u_free = c.u_after - 0.5 * over(p, self.r[j]);
            c.p += p;
            (next.p[c.id], next.push[c.id]) = (p, over(p, self.r[j]));
        }
        next.carried.renew::<VelocityAhead>().set(&self.w_next, h);

        // measured balance
        entry.kinetic = model.kinetic_energy(&step.after.q, &step.after.v);
        entry.potential = model.potential_energy(&step.after.q);
        entry.close(self.algorithmic_energy(memory, h), entry.algorithmic_energy);
        next.H = entry.algorithmic_energy;
        step.ledger = entry;
        Ok(())
    }

    /// The energy between positions; at the start that of w_{−½}.
    fn algorithmic_energy(&self, memory: &Memory, h: f64) -> f64 {
        let Some((middle, w)) = memory.carried.of::<VelocityAhead>().before_start(h, 0.5) else { return memory.H };
        self.model.kinetic_energy(&middle, &w) + self.model.potential_energy(&middle)
    }
}
