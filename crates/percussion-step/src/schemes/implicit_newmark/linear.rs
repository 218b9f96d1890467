//! Newmark with the contact force inside the acceleration: one good scheme and two deliberate failures.
//!
//!   S = M + hγC + h²βK,   a_free = S⁻¹(F⁺ − Kq* − Cv*),   a⁺ = a_free + S⁻¹G λ,   P = hλ
//!   q⁺ = q* + h²βa⁺,   v⁺ = v* + hγa⁺;   a⁺, impulse included, is carried on
//!
//! velocity level: 0 ≤ U⁺ + ê U ⟂ P ≥ 0 (`implicit-newmark`, `naive-newmark-velocity`)
//! position level: 0 ≤ g(q⁺) ⟂ λ ≥ 0, all contacts, no restitution (`naive-newmark-position`)
//! with α of Hilber, Hughes and Taylor a⁺ = (1−α) q̈⁺ + α q̈, M q̈⁺ = F⁺ − Kq⁺ − Cv⁺ + Gλ: S = M + (1−α)(hγC + h²βK),
//! a_free = S⁻¹((1−α)(F⁺ − Kq* − Cv*) + αM q̈), a⁺ = a_free + (1−α)S⁻¹Gλ; no identity is known, and the balance is measured.
//!
//! The motion is smooth Newmark under the load F + GP/h, so Newmark's identity gives a ledger that closes:
//!
//!   ΔE = ΔqᵀF_{k+γ} − ΔqᵀCv_{k+γ} + (½−γ)‖Δq‖²_K − (h²/2)(2β−γ) ΔaᵀM a_{k+γ} + ΔqᵀG P_{k+γ}/h
//!
//! Its last term is written as U_{k+½}ᵀP (contact work) plus a rest, which is counted as numerical dissipation. The form
//! in E is used, not the one in H = E + (h²/4)(2β−γ)aᵀMa: with impulses inside a, H jumps up and down at an impact.

use crate::contact::phase::{ContactPhase, obstacle_work, work};
use crate::linear::load::Load;
use crate::linear::mass::{acceleration, mass_factor};
use crate::linear::operators::{Operators, Weights};
use crate::schemes::implicit_newmark::parameters::Parameters;
use crate::{ContactState, LedgerEntry, Memory, Scheme, State, Step, StepFailure, StepStart, Stepper};
use percussion_model::LinearModel;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// What the scheme carries from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
struct LastAcceleration {
    /// a with its contact forces.
    a: Vec<f64>,
    /// h of the step they acted over [s].
    h: f64,
    /// q̈ where a is a mean of two of them.
    whole: Vec<f64>,
}

crate::carried! { LastAcceleration { a, h, whole } }

/// The scheme bound to a linear model.
pub struct Implicit {
    model: Arc<LinearModel>,
    beta: f64,
    gamma: f64,
    alpha: f64,
    position: bool,
    contacts: ContactPhase,
    load: Load,
    operators: Vec<Operators>,
    /// q*, v*, a_free, Δq and a spare.
    work: [Vec<f64>; 5],
}

impl Implicit {
    /// Binds the scheme.
    pub fn new(model: Arc<LinearModel>, parameters: &Parameters, scheme: &Scheme, options: SolverOptions) -> Self {
        let n = model.n();
        Self {
            beta: parameters.beta,
            gamma: parameters.gamma,
            alpha: parameters.alpha,
            position: parameters.on_positions,
            contacts: ContactPhase::new(&model, scheme, options),
            load: Load::new(&model),
            operators: Vec::new(),
            work: std::array::from_fn(|_| vec![0.0; n]),
            model,
        }
    }

    /// The ledger of a step whose states and impulses are known.
    fn account(&mut self, from: &StepStart, step: &mut Step, old: &LastAcceleration, next: &mut Memory) {
        let StepStart { state, memory, h } = *from;
        let (n, beta, gamma) = (state.q.len(), self.beta, self.gamma);
        let (model, load) = (&*self.model, &self.load);
        let [q_star, _, a_new, dq, spare] = &mut self.work;
        let LastAcceleration { a, h: h_last, .. } = old;
        let mut entry = LedgerEntry::of(model, &step.after);
        let mut external = 0.0;
        for i in 0..n {
            external += dq[i] * load.weighted(gamma, i);
            spare[i] = (1.0 - gamma) * state.v[i] + gamma * step.after.v[i];
        }
        let obstacle = obstacle_work(model, &step.contacts, state.t, h, 0.5);
        entry.work_external = external + obstacle;
        if let Some(C) = model.damping() {
            entry.work_damping = -C.bilinear(dq, spare);
        }
        entry.work_contact = work(step, 0.5);
        if self.alpha > 0.0 {
            entry.close(memory.H, entry.energy());
            next.H = entry.algorithmic_energy;
            step.ledger = entry;
            return;
        }

        // ΔqᵀG (P/h)_{k+γ}, each P over its own h, of which U_{k+½}ᵀP − Pᵀẇ_{k+½} is already booked
        let mut through = 0.0;
        for j in 0..model.n_contacts() {
            let force = (1.0 - gamma) * memory.p[j] / h_last + gamma * next.p[j] / h;
            if force != 0.0 {
                through += force * model.G().column_dot(j, dq);
            }
            for (k, column) in model.tangent_columns(j).enumerate() {
                let last = |p: &[[f64; 2]]| p.get(j).map_or(0.0, |p| p[k]);
                let p = (1.0 - gamma) * last(&memory.p_t) + gamma * last(&next.p_t);
                if p != 0.0 {
                    through += p * model.H().column_dot(column, dq) / h;
                }
            }
        }
        let mut rest = through - entry.work_contact - obstacle;
        if gamma != 0.5 {
            rest += (1.0 - 2.0 * gamma) * model.potential_energy(dq);
        }
        let c_a = 2.0 * beta - gamma;
        if c_a != 0.0 {
            for i in 0..n {
                q_star[i] = a_new[i] - a[i];
                spare[i] = (1.0 - gamma) * a[i] + gamma * a_new[i];
            }
            rest -= 0.5 * h * h * c_a * model.mass().bilinear(q_star, spare);
        }
        entry.dissipation_numerical = -rest;
        entry.close(memory.H, entry.energy());
        next.H = entry.algorithmic_energy;
        step.ledger = entry;
    }
}

impl Stepper for Implicit {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.contact_problem()
    }

    fn start(&mut self, state: &State) -> Memory {
        let a = acceleration(&self.model, &mut mass_factor(&self.model), state);
        let H = self.model.kinetic_energy(&state.v) + self.model.potential_energy(&state.q);
        Memory::new(H, self.model.n_contacts()).carrying(LastAcceleration { whole: a.clone(), a, h: 1.0 })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        // unknown P at velocity level, λ = P/h at position level
        let new = 1.0 - self.alpha;
        let response = new * if self.position { h * h * self.beta } else { self.gamma };
        let weights = Weights {
            damping: new * h * self.gamma,
            stiffness: new * h * h * self.beta,
            response,
            columns: true,
            threads: 1,
        };
        let operators = Operators::of(&mut self.operators, &self.model, (state.t, h), weights)?;
        let (n, beta, gamma) = (state.q.len(), self.beta, self.gamma);
        let model = &*self.model;
        let [q_star, v_star, a_new, dq, spare] = self.work.each_mut().map(|list| &mut list[..n]);
        let old = memory.carried.of::<LastAcceleration>();
        let (a, whole) = (&old.a[..n], &old.whole);
        let (q, v) = (&state.q[..n], &state.v[..n]);
        step.h = h;
        step.after.t = state.t + h;

        // predictors and free acceleration
        self.load.evaluate(model, state.t, h);
        let load = &self.load;
        for i in 0..n {
            q_star[i] = q[i] + h * v[i] + h * h * (0.5 - beta) * a[i];
            v_star[i] = v[i] + h * (1.0 - gamma) * a[i];
            a_new[i] = load.next[i];
        }
        if let Some(K) = model.stiffness() {
            K.mul_add(-1.0, q_star, a_new);
        }
        if let Some(C) = model.damping() {
            C.mul_add(-1.0, v_star, a_new);
        }
        if self.alpha > 0.0 {
            a_new.iter_mut().for_each(|a| *a *= new);
            model.mass().mul_add(self.alpha, whole, a_new);
        }
        operators.factor.solve(a_new);

        // the contact law
        self.contacts.select(from, step, next);
        if self.position {
            self.contacts.select_all(model, state, step);
        }
        operators.ensure_all(model, self.contacts.columns());
        let t_next = step.after.t;
        if self.position {
            for i in 0..n {
                spare[i] = q_star[i] + h * h * beta * a_new[i];
            }
            let gap_free = |j: usize| model.gap(j, spare, t_next);
            self.contacts.solve_with(from, gap_free, &operators.response, step, next)?;
            // λ → P = hλ
            for (k, c) in step.contacts.iter_mut().enumerate() {
                c.p = h * self.contacts.p[k];
                next.p[c.id] = c.p;
            }
        } else {
            for i in 0..n {
                spare[i] = v_star[i] + h * gamma * a_new[i];
            }
            self.contacts.solve(from, spare, &operators.response, step, next)?;
        }

        // correct
        for (j, p) in self.contacts.impulses() {
            let p = if self.position { h * p } else { p };
            if p != 0.0 {
                operators.response.add_A(j, new * p / h, a_new);
            }
        }
        step.after.q.resize(n, 0.0);
        step.after.v.resize(n, 0.0);
        let (q_after, v_after) = (&mut step.after.q[..n], &mut step.after.v[..n]);
        for i in 0..n {
            q_after[i] = q_star[i] + h * h * beta * a_new[i];
            v_after[i] = v_star[i] + h * gamma * a_new[i];
            dq[i] = q_after[i] - q[i];
        }
        self.contacts.conclude(from, step);
        let carried = next.carried.renew::<LastAcceleration>();
        carried.a.clear();
        carried.a.extend_from_slice(a_new);
        carried.h = h;
        carried.whole.clear();
        carried.whole.extend(a_new.iter().zip(whole).map(|(a, old)| (a - self.alpha * old) / new));

        self.account(from, step, old, next);
        Ok(())
    }
}

impl ContactPhase {
    /// Every contact takes part: position-level schemes have no index set.
    pub(crate) fn select_all(&mut self, model: &LinearModel, state: &State, step: &mut Step) {
        step.contacts.clear();
        step.friction.clear();
        self.index.clear();
        for i in 0..model.n_contacts() {
            let gap = model.gap(i, &state.q, state.t);
            let u = model.gap_rate(i, &state.v, state.t);
            self.index.push(i);
            step.contacts.push(ContactState { id: i, gap, u_before: u, u_free: u, u_after: u, p: 0.0 });
        }
    }
}
