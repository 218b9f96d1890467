//! What energy-exact steps share, whether the mass varies or not: where they begin, the law of their contacts, how they end.
//!
//!   index set {g(q₀ + h v₀) ≤ 0};    u = D_g·v along the discrete gradient,    0 ≤ u₁ + ê u₀ ⟂ p ≥ 0,   ê = 1 for opening contacts
//!   ΔE = W_ext + Σ_contacts p u_{k+½} + Σ_joints p u_{k+½}
//!
//! Where obstacles move D_g is that of g(·, t_{k+½}), and ∂g/∂t(q_{k+½}, t_{k+½}) joins every u: −p ∂g/∂t is external work.

use crate::contact::activation::Approach;
use crate::newton::contact_problem::contact_problem;
use crate::newton::driver::close_step;
use crate::newton::evaluation::Evaluation;
use crate::newton::system::{NewtonSystem, effective_masses, over, sharing};
use crate::schemes::energy_momentum::discrete_gradient::Potential;
use crate::{Activation, ContactState, LedgerEntry, Memory, State, Step, StepFailure, StepStart};
use percussion_matrix::{DenseMatrix, SparseMatrix, between_by_columns, vector};
use percussion_model::{AtTime, Lagrangian};
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// g_j at a time, as a function of q with derivatives.
pub struct ConstraintOf<'a>(pub AtTime<'a>, pub usize);

impl Potential for ConstraintOf<'_> {
    fn value(&self, q: &[f64]) -> f64 {
        self.0.constraint(self.1, q)
    }
    fn gradient(&self, q: &[f64], d: &mut [f64]) {
        self.0.gradient(self.1, q, d);
    }
    fn hessian(&self, q: &[f64], H: &mut DenseMatrix) {
        self.0.hessian(self.1, q, 1.0, H);
    }
}

/// The contacts of a step and the matrix of its motion, as the cone problem of friction asks for them.
pub trait ContactRows {
    /// Contacts and index set at the start of a step; notes the smallest gap and the largest velocity.
    fn begin(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure>;
    /// Whether contact i takes part in the step.
    fn takes_part(&self, i: usize) -> bool;
    /// row ← D_g of contact i at the iterate; comes zeroed.
    fn normal(&self, i: usize, row: &mut [f64]);
    /// row ← its k-th tangent in the middle of the step; comes zeroed.
    fn tangent(&self, i: usize, k: usize, qm: &[f64], row: &mut [f64]);
    /// entries ← either of them, row 0 the normal and k + 1 the k-th tangent, without zeros; `room` is work memory.
    fn entries(&self, i: usize, row: usize, qm: &[f64], room: &mut Vec<f64>, entries: &mut Vec<(usize, f64)>) {
        room.clear();
        room.resize(qm.len(), 0.0);
        match row {
            0 => self.normal(i, room),
            k => self.tangent(i, k - 1, qm, room),
        }
        entries.clear();
        entries.extend(room.iter().copied().enumerate().filter(|(_, x)| *x != 0.0));
    }
    /// What the motion of an obstacle adds to u along row k of contact i, normal first.
    fn drag(&self, i: usize, k: usize) -> f64;
    /// ê of contact i.
    fn restitution(&self, i: usize) -> f64;
    /// The mass contact i sees.
    fn mass_seen(&self, i: usize) -> f64;
    /// What Newton is to reach.
    fn tolerance(&self) -> f64;
    /// −r, without the impulses of contacts decided apart.
    fn right_side(&self) -> &[f64];
    /// Factorises the matrix at the iterate; false when it is singular.
    fn factorise(&mut self) -> bool;
    /// x ← its inverse times x.
    fn solve(&mut self, x: &mut [f64]);
    /// Gᵀ times its inverse times H.
    fn between(&mut self, G: &SparseMatrix, H: &SparseMatrix) -> DenseMatrix {
        between_by_columns(G, H, |x| self.solve(x))
    }
}

/// A model with the constraints of the step's start and the law of its contacts.
pub struct Frame {
    pub model: Arc<dyn Lagrangian>,
    activation: Activation,
    pub tolerance: f64,
    /// M and the constraints at q₀.
    pub at: Evaluation,
    pub system: NewtonSystem,
    /// Contacts that take part in the step.
    pub index: Vec<bool>,
    pub active: Vec<bool>,
    /// The mass each constraint sees.
    pub r: Vec<f64>,
    /// D_g by column, ∂g/∂t in the middle of the step, and u₀ with both.
    pub D: DenseMatrix,
    pub rates: Vec<f64>,
    pub u0: Vec<f64>,
    row: Vec<f64>,
}

impl Frame {
    /// For a model.
    pub fn new(model: Arc<dyn Lagrangian>, activation: Activation, tolerance: f64) -> Self {
        let at = Evaluation::new(&*model);
        let (n, nc) = (model.n(), at.g.len());
        Self {
            activation,
            tolerance,
            at,
            system: NewtonSystem::default(),
            index: vec![false; nc],
            active: vec![false; nc],
            r: vec![0.0; nc],
            D: DenseMatrix::zeros(n, nc),
            rates: vec![0.0; nc],
            u0: vec![0.0; nc],
            row: vec![0.0; n],
            model,
        }
    }

    /// The energy of a state.
    pub fn energy(&self, state: &State) -> f64 {
        self.model.kinetic_energy(&state.q, &state.v) + self.model.potential_energy(&state.q)
    }

    /// Mass, constraints and index set at the start of a step; notes the smallest gap and the largest velocity.
    pub fn begin(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let (model, nb) = (&*self.model, self.model.n_joints());
        self.at.dynamics(model, &state.q, &state.v, state.t);
        self.at.constraints(model, &state.q, state.t);
        if !effective_masses(&self.at, nb, &mut self.system, &mut self.r) {
            return Err(from.failure("the mass matrix is singular"));
        }
        step.h = h;
        step.smallest_gap = None;
        next.u_max = memory.u_max;
        self.row.copy_from_slice(&state.q);
        vector::axpy(h, &state.v, &mut self.row);
        for j in 0..model.restitutions().len() {
            let k = nb + j;
            let u = self.at.constraint_rate(k, &state.v);
            next.u_max = next.u_max.max(u.abs());
            if step.smallest_gap.is_none_or(|(g, _)| self.at.g[k] < g) {
                step.smallest_gap = Some((self.at.g[k], j));
            }
            let gap = AtTime(model, from.end()).constraint(k, &self.row) - h * u;
            self.index[k] = self.activation.admits(&Approach { gap, u, push: memory.push[j] }, h, next.u_max);
            if !self.index[k] {
                // it pushes nothing: neither its discrete gradient nor its rates are asked for
                self.D.column_mut(k).fill(0.0);
                (self.active[k], self.rates[k], self.u0[k]) = (false, 0.0, 0.0);
            }
        }
        Ok(())
    }

    /// Whether constraint j is a contact that takes no part in the step.
    pub fn far(&self, j: usize) -> bool {
        j >= self.model.n_joints() && !self.index[j]
    }

    /// ê of contact j, numbered after the joints.
    pub fn restitution(&self, j: usize) -> f64 {
        let opening = self.activation == Activation::Hold && self.u0[j] > 0.0;
        if opening { 1.0 } else { self.model.restitutions()[j - self.model.n_joints()] }
    }

    /// Decides whether contact j, with its impulse and what is left of its law, is active.
    pub fn choose(&mut self, j: usize, p: f64, law: f64) {
        self.active[j] = self.index[j] && p - self.r[j] * law >= 0.0;
    }

    /// State, contacts and ledger at (q₁, v₁), with impulses p, u_{k+½} of each constraint and the works of other forces and of
    /// friction.
    pub fn conclude(
        &mut self,
        from: &StepStart,
        (q1, v1, p): (&[f64], &[f64], &[f64]),
        middle: impl Fn(&Self, usize) -> f64,
        (work_external, work_contact): (f64, f64),
        (step, next): (&mut Step, &mut Memory),
    ) {
        let model = Arc::clone(&self.model);
        let (nb, at_end) = (model.n_joints(), AtTime(&*model, from.end()));
        step.after.set(from.end(), q1, v1);
        step.contacts.clear();
        next.clear_impulses(p.len() - nb);
        let mut entry = LedgerEntry { work_external, work_contact, ..Default::default() };
        for j in 0..p.len() {
            let work = p[j] * middle(self, j);
            if j < nb {
                entry.work_joints += work;
                continue;
            }
            entry.work_contact += work;
            entry.work_external -= p[j] * self.rates[j];
            next.p[j - nb] = p[j];
            next.push[j - nb] = over(p[j], self.r[j]);
            if self.index[j] {
                // velocities as the gap has them at either end; the law and the work use the discrete gradient
                self.row.fill(0.0);
                at_end.gradient(j, q1, &mut self.row);
                let u_after = vector::dot(&self.row, v1) + at_end.rate(j, q1);
                step.contacts.push(ContactState {
                    id: j - nb,
                    gap: at_end.constraint(j, q1),
                    u_before: self.at.constraint_rate(j, &from.state.v),
                    u_free: u_after - over(p[j], self.r[j]),
                    u_after,
                    p: p[j].max(0.0),
                });
            }
        }
        close_step(&*model, entry, from, step, next);
    }

    /// The problem behind the impulses p, with what the law of each contact says.
    pub fn problem(&self, p: &[f64], law: impl Fn(usize) -> f64) -> Option<(FrictionProblem, Vec<f64>)> {
        let nb = self.model.n_joints();
        let contacts: Vec<(usize, f64, f64)> =
            (nb..self.index.len()).filter(|&j| self.index[j]).map(|j| (j - nb, law(j), p[j])).collect();
        contact_problem(&self.at.M, &self.D, nb, &contacts)
    }
}

impl ContactRows for Frame {
    fn begin(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        Frame::begin(self, from, step, next)
    }

    fn takes_part(&self, i: usize) -> bool {
        self.index[self.model.n_joints() + i]
    }

    fn normal(&self, i: usize, row: &mut [f64]) {
        row.copy_from_slice(self.D.column(self.model.n_joints() + i));
    }

    fn tangent(&self, i: usize, k: usize, qm: &[f64], row: &mut [f64]) {
        self.model.contact_tangent(i, k, qm, row);
    }

    /// Friction at gaps that depend on time is refused.
    fn drag(&self, _i: usize, _k: usize) -> f64 {
        0.0
    }

    fn restitution(&self, i: usize) -> f64 {
        Frame::restitution(self, self.model.n_joints() + i)
    }

    fn mass_seen(&self, i: usize) -> f64 {
        self.r[self.model.n_joints() + i]
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn right_side(&self) -> &[f64] {
        &self.system.x
    }

    /// Redundant joints share what they carry.
    fn factorise(&mut self) -> bool {
        let Self { system, r, .. } = self;
        let constraints = system.x.len() - r.len();
        system.factorise() || system.factorise_shifted(|i| sharing(r, constraints, i))
    }

    fn solve(&mut self, x: &mut [f64]) {
        self.system.solve_refined(x);
    }
}
