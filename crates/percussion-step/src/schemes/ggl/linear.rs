//! GGL generalized-α on a linear model: both conditions of a step as one complementarity problem.
//!
//! With Y = M⁻¹G, κ = hγ(1−α_f)/(1−α_m), κ_q = (hβ/γ)κ and S = M + κC + κ_q K everything is affine in ν and Λ:
//!
//!   v̇ = S⁻¹(F⁺ − K q_p − C v_p) − B_K ν − B_C Λ,    B_K = S⁻¹K Y,  B_C = S⁻¹C Y
//!   q̂ = q_p + κ_q v̇,  q = q̂ + Yν,    v̂ = v_p + κ v̇,  v = v̂ + YΛ
//!   0 ≤ g(q)/h ⟂ ν/h ≥ 0,    0 ≤ U(v) + ê U_n ⟂ Λ ≥ 0 on {g(q̂) ≤ 0} (or ν > 0 under `hold`)
//!
//! so a Newton iteration with an inner complementarity solve is exact; it is repeated only while the set {g(q̂) ≤ 0} moves. In the
//! modified condition μ = ν − hΛ takes the place of ν in the first line of conditions; the sequential solution is in
//! `ggl_sequential.rs`.
//!
//! Ledger: ΔE = [E(q̂, v̂) − E_n] + ½(v + v̂)ᵀGΛ + [V(q) − V(q̂)]. The load works along U = Yν too: F⁺·U is external work and
//! taken out of the contact's share, which then vanishes at rest.

use crate::contact::law::without_friction;
use crate::linear::load::Load;
use crate::linear::mass::{acceleration, mass_factor};
use crate::schemes::ggl::newton::GglVariant;
use crate::schemes::ggl::sequential::Sequence;
use crate::{
    Accelerations, ContactState, LedgerEntry, Memory, NewmarkLike, Scheme, State, Step, StepFailure, StepInfo,
    StepStart, Stepper,
};
use percussion_matrix::{ConstrainedFactor, DenseMatrix, Matrix, vector};
use percussion_model::LinearModel;
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};
use std::sync::Arc;

/// Rounds in which the set of closed contacts may move.
const ROUNDS: usize = 30;
/// Part of the normal way of a step that counts as round-off of a gap.
const CLOSED: f64 = 1e-10;

/// The scheme bound to a linear model.
pub struct LinearGgl {
    pub(crate) model: Arc<LinearModel>,
    p: NewmarkLike,
    hold: bool,
    pub(crate) variant: GglVariant,
    sequential: bool,
    /// Of the sequential solution.
    pub(crate) tolerance: f64,
    solver: Solver,
    pub(crate) load: Load,
    mass: ConstrainedFactor,
    pub(crate) operators: Vec<Operators>,
    /// Contacts with a ν row, contacts with a Λ row.
    at_position: Vec<usize>,
    pub(crate) closed: Vec<usize>,
    pub(crate) nu: Vec<f64>,
    /// ν, or ν − hΛ in the modified condition: what is complementary to the gap.
    pub(crate) mu: Vec<f64>,
    pub(crate) La: Vec<f64>,
    problem: OneStepProblem,
    /// Step size and sets for which `problem.W` was assembled.
    assembled: (u64, Vec<usize>, Vec<usize>),
    z: Vec<f64>,
    // vectors of a step
    pub(crate) q_p: Vec<f64>,
    pub(crate) v_p: Vec<f64>,
    vd_free: Vec<f64>,
    pub(crate) vd: Vec<f64>,
    pub(crate) qt: Vec<f64>,
    pub(crate) vt: Vec<f64>,
    pub(crate) U: Vec<f64>,
    pub(crate) W: Vec<f64>,
    pub(crate) u_n: Vec<f64>,
    pub(crate) sequence: Sequence,
}

pub(crate) struct Operators {
    h: f64,
    factor: ConstrainedFactor,
    pub(crate) columns: Vec<Option<Box<Columns>>>,
}

/// What unit multipliers of one contact do.
pub(crate) struct Columns {
    /// M⁻¹G_j.
    pub(crate) Y: Vec<f64>,
    /// S⁻¹K Y.
    B_K: Vec<f64>,
    /// S⁻¹C Y, empty without damping.
    B_C: Vec<f64>,
}

impl LinearGgl {
    /// Binds the scheme.
    pub fn new(
        model: Arc<LinearModel>,
        p: NewmarkLike,
        variant: GglVariant,
        scheme: &Scheme,
        options: SolverOptions,
    ) -> Self {
        let (n, m) = (model.n(), model.n_contacts());
        let mass = mass_factor(&model);
        let zero = |k| vec![0.0; k];
        Self {
            p,
            hold: scheme.activation == crate::Activation::Hold,
            variant,
            sequential: scheme.sequential,
            // as for nonlinear models
            tolerance: (0.1 * options.tolerance).min(1e-11),
            solver: Solver::new(SolverOptions { tolerance: 0.1 * options.tolerance, ..options }),
            load: Load::new(&model),
            mass,
            operators: Vec::new(),
            at_position: Vec::new(),
            closed: Vec::new(),
            nu: zero(m),
            mu: zero(m),
            La: zero(m),
            problem: OneStepProblem::empty(),
            assembled: (0, Vec::new(), Vec::new()),
            z: Vec::new(),
            q_p: zero(n),
            v_p: zero(n),
            vd_free: zero(n),
            vd: zero(n),
            qt: zero(n),
            vt: zero(n),
            U: zero(n),
            W: zero(n),
            u_n: zero(m),
            sequence: Sequence::new(n, m),
            model,
        }
    }

    /// κ and κ_q.
    fn weights(&self, h: f64) -> (f64, f64) {
        let share = (1.0 - self.p.alpha_f) / (1.0 - self.p.alpha_m);
        (h * self.p.gamma * share, h * h * self.p.beta * share)
    }

    fn operators(&mut self, t: f64, h: f64) -> Result<usize, StepFailure> {
        if let Some(k) = self.operators.iter().position(|o| o.h == h) {
            return Ok(k);
        }
        let (kappa, kappa_q) = self.weights(h);
        let mut terms = vec![(1.0, self.model.mass())];
        terms.extend(self.model.damping().map(|C| (kappa, C)));
        terms.extend(self.model.stiffness().map(|K| (kappa_q, K)));
        let S = Matrix::combination(self.model.n(), &terms);
        let similar = self.operators.last().map(|o| &o.factor);
        let factor = ConstrainedFactor::new(&S, self.model.J(), similar)
            .map_err(|failure| StepFailure::singular(t, h, failure.row))?;
        crate::contact::response::keep_few(&mut self.operators);
        let columns = (0..self.model.n_contacts()).map(|_| None).collect();
        self.operators.push(Operators { h, factor, columns });
        Ok(self.operators.len() - 1)
    }

    /// Makes the columns of contact j.
    pub(crate) fn ensure(&mut self, k: usize, j: usize) {
        if self.operators[k].columns[j].is_some() {
            return;
        }
        let n = self.model.n();
        let mut Y = vec![0.0; n];
        self.model.G().add_column(j, 1.0, &mut Y);
        self.mass.solve(&mut Y);
        let factor = &mut self.operators[k].factor;
        let mut through = |A: Option<&Matrix>| match A {
            Some(A) => {
                let mut x = vec![0.0; n];
                A.mul_add(1.0, &Y, &mut x);
                factor.solve(&mut x);
                x
            }
            None => Vec::new(),
        };
        let (B_K, B_C) = (through(self.model.stiffness()), through(self.model.damping()));
        self.operators[k].columns[j] = Some(Box::new(Columns { Y, B_K, B_C }));
    }

    /// v̇, q̂, v̂, U and W for the present multipliers.
    pub(crate) fn place(&mut self, k: usize, h: f64) {
        let (kappa, kappa_q) = self.weights(h);
        self.vd.copy_from_slice(&self.vd_free);
        self.U.fill(0.0);
        self.W.fill(0.0);
        for j in 0..self.nu.len() {
            let (nu, La) = (self.nu[j], self.La[j]);
            if nu == 0.0 && La == 0.0 {
                continue;
            }
            let Some(columns) = &self.operators[k].columns[j] else { continue };
            if !columns.B_K.is_empty() {
                vector::axpy(-nu, &columns.B_K, &mut self.vd);
            }
            if !columns.B_C.is_empty() {
                vector::axpy(-La, &columns.B_C, &mut self.vd);
            }
            vector::axpy(nu, &columns.Y, &mut self.U);
            vector::axpy(La, &columns.Y, &mut self.W);
        }
        for i in 0..self.vd.len() {
            self.qt[i] = self.q_p[i] + kappa_q * self.vd[i];
            self.vt[i] = self.v_p[i] + kappa * self.vd[i];
        }
    }

    /// g(q) of contact j at the present iterate.
    pub(crate) fn gap(&self, j: usize, t: f64) -> f64 {
        self.model.gap(j, &self.qt, t) + self.model.G().column_dot(j, &self.U)
    }

    /// Whether ν_j pushes: above zero, and by more than a gap that is open would leave of it as round-off.
    fn pushes(&self, k: usize, j: usize, t: f64) -> bool {
        let Some(columns) = &self.operators[k].columns[j] else { return false };
        self.mu[j] > 0.0 && self.mu[j] * self.model.G().column_dot(j, &columns.Y) >= self.gap(j, t)
    }

    /// Whether the velocity condition acts on contact j: its gap is closed at q̂ to round-off, or held.
    pub(crate) fn is_closed(&self, k: usize, j: usize, t: f64) -> bool {
        let h = self.operators[k].h;
        let touching = CLOSED * h * self.u_n[j].abs();
        self.model.gap(j, &self.qt, t) <= touching || (self.hold && self.pushes(k, j, t))
    }

    /// ê of contact j.
    pub(crate) fn restitution(&self, j: usize) -> f64 {
        if self.hold && self.u_n[j] > 0.0 { 1.0 } else { self.model.contacts()[j].restitution }
    }

    /// The complementarity problem on the present sets, solved for ν and Λ.
    fn solve(
        &mut self,
        k: usize,
        state: &State,
        memory: &Memory,
        h: f64,
        info: &mut StepInfo,
    ) -> Result<(), StepFailure> {
        let (kappa, kappa_q) = self.weights(h);
        let t = state.t + h;
        let (np, nv) = (self.at_position.len(), self.closed.len());
        let operators = &self.operators[k];
        let model = &*self.model;
        let column = |j: usize| operators.columns[j].as_ref().expect("made when its contact entered the set");
        let along = |i: usize, x: &[f64]| if x.is_empty() { 0.0 } else { model.G().column_dot(i, x) };
        self.problem.b.clear();
        self.problem.ids.clear();
        for &i in &self.at_position {
            // g at zero multipliers, over h
            let place = model.G().column_dot(i, &self.q_p) + kappa_q * model.G().column_dot(i, &self.vd_free);
            let offset = model.contacts()[i].offset.at(t);
            self.problem.b.push((place + offset) / h);
            self.problem.ids.push(i);
        }
        for &i in &self.closed {
            let velocity = model.G().column_dot(i, &self.v_p) + kappa * model.G().column_dot(i, &self.vd_free);
            let e = self.restitution(i);
            self.problem.b.push(velocity + model.contacts()[i].offset.rate(t) + e * self.u_n[i]);
            self.problem.ids.push(i);
        }
        let key = h.to_bits();
        if self.assembled.0 != key || self.assembled.1 != self.at_position || self.assembled.2 != self.closed {
            if !matches!(self.problem.W, Matrix::Dense(_)) {
                self.problem.W = Matrix::Dense(DenseMatrix::zeros(0, 0));
            }
            let Matrix::Dense(W) = &mut self.problem.W else { unreachable!("made dense above") };
            W.reset(np + nv, np + nv);
            for (b, &j) in self.at_position.iter().enumerate() {
                let c = column(j);
                for (a, &i) in self.at_position.iter().enumerate() {
                    W.set(a, b, along(i, &c.Y) - kappa_q * along(i, &c.B_K));
                }
                for (a, &i) in self.closed.iter().enumerate() {
                    W.set(np + a, b, -kappa * h * along(i, &c.B_K));
                }
            }
            // in the modified condition ν = μ + hΛ
            let shared = if self.variant == GglVariant::ModifiedLcp { 1.0 } else { 0.0 };
            for (b, &j) in self.closed.iter().enumerate() {
                let c = column(j);
                for (a, &i) in self.at_position.iter().enumerate() {
                    let by_nu = along(i, &c.Y) - kappa_q * along(i, &c.B_K);
                    W.set(a, np + b, shared * by_nu - kappa_q / h * along(i, &c.B_C));
                }
                for (a, &i) in self.closed.iter().enumerate() {
                    let by_nu = -kappa * h * along(i, &c.B_K);
                    W.set(np + a, np + b, shared * by_nu + along(i, &c.Y) - kappa * along(i, &c.B_C));
                }
            }
            self.problem.revision += 1;
            self.assembled.0 = key;
            self.assembled.1.clone_from(&self.at_position);
            self.assembled.2.clone_from(&self.closed);
        }
        self.z.clear();
        // warm start by contact identity
        self.z.extend(self.at_position.iter().map(|&j| memory.carried.of::<Accelerations>().nu[j] / h));
        self.z.extend(self.closed.iter().map(|&j| memory.p[j]));
        let report = self.solver.solve(&self.problem, &mut self.z);
        info.solves += 1;
        info.iterations += report.iterations;
        info.residual = info.residual.max(report.residuals.worst());
        if report.status != SolveStatus::Solved {
            let mut failure = StepFailure::unsolved(state.t, h, &self.problem, &report);
            if self.variant == GglVariant::ModifiedLcp && report.status == SolveStatus::NoSolution {
                failure.message += "; the modified condition moves positions by impulses too, and with this stiffness and step gap \
                                    and velocity of a contact ask for opposite ones";
                failure.help =
                    format!("use generalized-alpha-ggl, whose multipliers are separate, or step = {:.1e}", 0.5 * h);
            }
            return Err(failure);
        }
        self.mu.fill(0.0);
        self.La.fill(0.0);
        for (&z, &j) in self.z.iter().zip(&self.at_position) {
            self.mu[j] = h * z.max(0.0);
        }
        for (&z, &j) in self.z[np..].iter().zip(&self.closed) {
            self.La[j] = z.max(0.0);
        }
        for j in 0..self.nu.len() {
            self.nu[j] = self.mu[j] + if self.variant == GglVariant::Ggl { 0.0 } else { h * self.La[j] };
        }
        Ok(())
    }
    /// All unknowns of a step at once.
    fn together(
        &mut self,
        k: usize,
        state: &State,
        memory: &Memory,
        h: f64,
        info: &mut StepInfo,
    ) -> Result<(), StepFailure> {
        let t = state.t + h;
        // sets and multipliers until the sets stay
        for zeroed in [&mut self.nu, &mut self.mu, &mut self.La] {
            zeroed.fill(0.0);
        }
        self.z.clear();
        *info = StepInfo::default();
        self.at_position.clear();
        self.closed.clear();
        self.place(k, h);
        for round in 0.. {
            let mut moved = false;
            for j in 0..self.nu.len() {
                // positions: once asked for, always in the problem
                if self.gap(j, t) <= 0.0
                    && let Err(place) = self.at_position.binary_search(&j)
                {
                    self.at_position.insert(place, j);
                    moved = true;
                }
                match (self.is_closed(k, j, t), self.closed.binary_search(&j)) {
                    (true, Err(place)) => {
                        self.closed.insert(place, j);
                        moved = true;
                    }
                    // after some rounds sets only grow, which ends any cycle
                    (false, Ok(place)) if round < 8 => {
                        self.closed.remove(place);
                        moved = true;
                    }
                    _ => {}
                }
            }
            if !moved {
                return Ok(());
            }
            if round == ROUNDS {
                return Err(StepFailure::unsolved(
                    state.t,
                    h,
                    &self.problem,
                    &percussion_solve::SolveReport {
                        status: SolveStatus::NotConverged,
                        method: percussion_solve::Method::Auto,
                        iterations: round,
                        residuals: percussion_solve::Residuals::INFINITE,
                    },
                ));
            }
            for index in 0..self.at_position.len() {
                self.ensure(k, self.at_position[index]);
            }
            for index in 0..self.closed.len() {
                self.ensure(k, self.closed[index]);
            }
            self.solve(k, state, memory, h, info)?;
            self.place(k, h);
        }
        Ok(())
    }
}

impl Stepper for LinearGgl {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        without_friction(&self.problem, &self.z)
    }

    fn start(&mut self, state: &State) -> Memory {
        let a = acceleration(&self.model, &mut self.mass, state);
        let H = self.model.kinetic_energy(&state.v) + self.model.potential_energy(&state.q);
        let m = self.model.n_contacts();
        Memory::new(H, m).carrying(Accelerations { nu: vec![0.0; m], ..Accelerations::new(a) })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let k = self.operators(state.t, h)?;
        let model = Arc::clone(&self.model);
        let (n, m, t) = (model.n(), model.n_contacts(), state.t + h);
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = self.p;
        let Accelerations { a, vd, .. } = memory.carried.of();
        step.h = h;
        step.after.t = t;
        step.info = StepInfo::default();

        // prediction and free acceleration
        for i in 0..n {
            let a_p = (alpha_f * vd[i] - alpha_m * a[i]) / (1.0 - alpha_m);
            self.v_p[i] = state.v[i] + h * ((1.0 - gamma) * a[i] + gamma * a_p);
            self.q_p[i] = state.q[i] + h * state.v[i] + h * h * ((0.5 - beta) * a[i] + beta * a_p);
        }
        self.load.evaluate(&model, state.t, h);
        self.vd_free.copy_from_slice(&self.load.next);
        if let Some(K) = model.stiffness() {
            K.mul_add(-1.0, &self.q_p, &mut self.vd_free);
        }
        if let Some(C) = model.damping() {
            C.mul_add(-1.0, &self.v_p, &mut self.vd_free);
        }
        let free = vector::max_abs(&self.vd_free);
        self.operators[k].factor.solve(&mut self.vd_free);

        // contacts at the start
        step.smallest_gap = None;
        next.u_max = memory.u_max;
        for j in 0..m {
            self.u_n[j] = model.gap_rate(j, &state.v, state.t);
            next.u_max = next.u_max.max(self.u_n[j].abs());
            let gap = model.gap(j, &state.q, state.t);
            if step.smallest_gap.is_none_or(|(g, _)| gap < g) {
                step.smallest_gap = Some((gap, j));
            }
        }

        let sequential = self.sequential && self.sequence(k, state, h, free, &mut step.info);
        if !sequential {
            self.together(k, state, memory, h, &mut step.info)?;
        }

        // the new state and memory
        step.after.q.resize(n, 0.0);
        step.after.v.resize(n, 0.0);
        let carried = next.carried.renew::<Accelerations>();
        carried.carry(&self.p, &self.vd, memory.carried.of());
        carried.nu.clone_from(&self.mu);
        for i in 0..n {
            step.after.q[i] = self.qt[i] + self.U[i];
            step.after.v[i] = self.vt[i] + self.W[i];
        }
        step.contacts.clear();
        next.p.clear();
        next.p.extend_from_slice(&self.La);
        next.push.clear();
        next.push.resize(m, 0.0);
        let (mut impulse, mut driven) = (0.0, 0.0);
        for j in 0..m {
            let listed = self.closed.binary_search(&j).is_ok() || self.pushes(k, j, t);
            if !listed {
                continue;
            }
            let (u_free, u_after) = (model.gap_rate(j, &self.vt, t), model.gap_rate(j, &step.after.v, t));
            impulse += 0.5 * self.La[j] * (u_free + u_after);
            // what a moving obstacle puts in is the work of a load
            driven -= self.La[j] * model.contacts()[j].offset.rate(t);
            let gap = model.gap(j, &step.after.q, t);
            step.contacts.push(ContactState { id: j, gap, u_before: self.u_n[j], u_free, u_after, p: self.La[j] });
        }

        // ledger
        let (T_hat, V_hat) = (model.kinetic_energy(&self.vt), model.potential_energy(&self.qt));
        let mut entry = LedgerEntry {
            kinetic: model.kinetic_energy(&step.after.v),
            potential: model.potential_energy(&step.after.q),
            ..Default::default()
        };
        let lifted = vector::dot(&self.load.next, &self.U);
        let along = vector::dot(&self.load.now, &state.v) + vector::dot(&self.load.next, &self.vt);
        let loads = 0.5 * h * along;
        entry.work_external = loads + lifted + driven;
        if let Some(C) = model.damping() {
            entry.work_damping = -0.5 * h * (C.bilinear(&state.v, &state.v) + C.bilinear(&self.vt, &self.vt));
        }
        entry.work_contact = impulse + (entry.potential - V_hat) - lifted;
        entry.dissipation_numerical = memory.H + loads + entry.work_damping - (T_hat + V_hat);
        entry.close(memory.H, entry.energy());
        next.H = entry.algorithmic_energy;
        step.ledger = entry;
        Ok(())
    }
}
