//! D1-minus-linear: piecewise linear velocities that jump at the ends of steps, forces half-explicit at acceleration level.
//!
//!   forces at t_k:      0 ≤ Γ⁺ ⟂ λ⁺ ≥ 0 on contacts closed and not opening,   a⁺ = M⁻¹(f(q, v, t) + Gλ⁺)
//!   positions:          ṽ = v + h a⁺,   q⁺ = q + (h/2)(v + ṽ)
//!   forces at t_{k+1}:  the same at (q⁺, ṽ) on contacts closed at both ends,   a⁻ = M⁻¹(f(q⁺, ṽ, t⁺) + Gλ⁻)
//!   velocities:         v⁻ = v + (h/2)(a⁺ + a⁻),   v⁺ = v⁻ + M⁻¹G P,   0 ≤ U⁺ + êU⁻ ⟂ P ≥ 0 on closed contacts
//!
//! The structure (jump at the end, λ⁺ and λ⁻, half-explicit evaluation) is that of Schindler and Acary, read from its implementation
//! in Siconos. Ours: a contact that closes does not take away the forces of others that stay closed, opening contacts of an impact
//! get ê = 1 so that they cannot give energy, and under `hold` a rebound whose flight would end within the step is made with ê = 0,
//! without which no body with e > 0 comes to rest.
//!
//! Multiplying by Δq gives an identity for linear models, with H = E − (h²/8)‖a⁻‖²_M and a⁻_k of the last step:
//!
//!   ΔH = ΔqᵀF_{k+½} − ½ΔqᵀC(v + ṽ) + ½Δgᵀ(λ⁺ + λ⁻) + ½(U⁻ + U⁺)ᵀP − (h²/8)(‖a⁺_k‖²_M − ‖a⁻_k‖²_M)

use crate::contact::instant::InstantContacts;
use crate::located::stiffness::{too_stiff, verlet_is_stable};
use crate::mechanism::Mechanism;
use crate::{Activation, ContactState, LedgerEntry, Memory, State, Step, StepFailure, StepStart, Stepper};
use percussion_model::{InputError, LinearModel};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// What the scheme carries from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
struct EndAcceleration {
    /// a⁻.
    a: Vec<f64>,
    /// ‖a⁻‖²_M.
    square: f64,
}

crate::carried! { EndAcceleration { a, square } }

/// The scheme bound to a model.
pub struct D1MinusLinear {
    contacts: InstantContacts,
    /// The model's matrices, where it has any: the identity is theirs.
    linear: Option<Arc<LinearModel>>,
    /// Whether rebounds that end within the step are cut.
    cut: bool,
    /// λ⁺ and λ⁻ by contact [N].
    force: [Vec<f64>; 2],
    /// P by contact.
    p: Vec<f64>,
    /// Contacts closed at the start.
    closed: Vec<bool>,
    free: Vec<f64>,
    a: [Vec<f64>; 2],
    v_tilde: Vec<f64>,
    dq: Vec<f64>,
    u_minus: Vec<f64>,
}

impl D1MinusLinear {
    /// Binds the scheme.
    pub fn new(
        mechanism: Box<dyn Mechanism>,
        linear: Option<Arc<LinearModel>>,
        activation: Activation,
        options: SolverOptions,
    ) -> Self {
        let (n, m) = (mechanism.n(), mechanism.n_contacts());
        Self {
            contacts: InstantContacts::new(mechanism, options),
            linear,
            cut: activation == Activation::Hold,
            force: [vec![0.0; m], vec![0.0; m]],
            p: vec![0.0; m],
            closed: vec![false; m],
            free: vec![0.0; n],
            a: [vec![0.0; n], vec![0.0; n]],
            v_tilde: vec![0.0; n],
            dq: vec![0.0; n],
            u_minus: vec![0.0; m],
        }
    }

    /// a and λ at a place, on contacts closed there, at end 1 also at the start, and not opening. `free` keeps M⁻¹f.
    fn forces(&mut self, end: usize, at: &State, rest: f64, h: f64) -> Result<(), StepFailure> {
        let State { t, q, v } = at;
        let contacts = &mut self.contacts;
        if !contacts.mechanism.accelerate(*t, q, v, &[], &mut self.free, &mut []) {
            return Err(StepFailure::singular(*t, h, None));
        }
        contacts.clear();
        let given = contacts.next_given();
        for i in 0..self.closed.len() {
            let closed = (end == 0 || self.closed[i]) && contacts.closed(i, q, *t);
            if end == 0 {
                self.closed[i] = closed;
            }
            let acts = match &given {
                Some(given) => given.iter().any(|(of, _)| *of == i),
                None => closed && contacts.mechanism.gap_rate(i, q, v, *t) <= rest,
            };
            if acts {
                let gamma = contacts.mechanism.gap_acceleration(i, q, v, &self.free, *t);
                contacts.add(i, gamma);
            }
        }
        contacts.solve((*t, q), at, h)?;
        contacts.end_instant();
        self.a[end].copy_from_slice(&self.free);
        contacts.push(&mut self.a[end]);
        self.force[end].fill(0.0);
        for (k, &i) in contacts.set.iter().enumerate() {
            self.force[end][i] = contacts.x[k];
        }
        Ok(())
    }

    /// The impact at the end: P into `p`, v changed.
    fn impact(&mut self, after: &mut State, rest: f64, from: &State, h: f64) -> Result<(), StepFailure> {
        let contacts = &mut self.contacts;
        let State { t, q, v } = after;
        contacts.clear();
        let given = contacts.next_given();
        let mut any = false;
        for i in 0..self.p.len() {
            let u = contacts.mechanism.gap_rate(i, q, v, *t);
            self.u_minus[i] = u;
            self.p[i] = 0.0;
            if let Some(given) = &given {
                if let Some(&(_, other)) = given.iter().find(|(of, _)| *of == i) {
                    contacts.strike(i, u, other);
                    any = true;
                }
                continue;
            }
            if !contacts.closed(i, q, *t) {
                continue;
            }
            any |= u < -rest;
            let mut other = (u > rest).then_some(1.0);
            if self.cut && u < 0.0 {
                // flight of the rebound: 2 e|U|/|Γ|
                let e = contacts.mechanism.restitution(i);
                let gamma = contacts.mechanism.gap_acceleration(i, q, v, &self.free, *t);
                if -2.0 * e * u <= -gamma * h {
                    other = Some(0.0);
                }
            }
            contacts.strike(i, u, other);
        }
        if !any {
            return Ok(());
        }
        contacts.solve((*t, q), from, h)?;
        contacts.end_instant();
        contacts.push(v);
        for (k, &i) in contacts.set.iter().enumerate() {
            self.p[i] = contacts.x[k];
        }
        Ok(())
    }

    fn square(&self, q: &[f64], a: &[f64]) -> f64 {
        2.0 * self.contacts.mechanism.kinetic_energy(q, a)
    }

    /// Works and balance of the step from `state`; `v_minus` is before the impact.
    fn ledger(&self, state: &State, memory: &Memory, h: f64, step: &Step, next: &Memory) -> LedgerEntry {
        let mechanism = &*self.contacts.mechanism;
        let after = &step.after;
        let mut entry = LedgerEntry {
            kinetic: mechanism.kinetic_energy(&after.q, &after.v),
            potential: mechanism.potential_energy(&after.q),
            ..Default::default()
        };
        match &self.linear {
            Some(model) => {
                let load = mechanism.power(state.t, &state.q, &self.dq).external
                    + mechanism.power(after.t, &after.q, &self.dq).external;
                entry.work_external = 0.5 * load;
                if let Some(C) = model.damping() {
                    entry.work_damping = -0.5 * (C.bilinear(&self.dq, &state.v) + C.bilinear(&self.dq, &self.v_tilde));
                }
            }
            None => {
                let (a, b) =
                    (mechanism.power(state.t, &state.q, &state.v), mechanism.power(after.t, &after.q, &after.v));
                entry.work_external = 0.5 * h * (a.external + b.external);
                entry.work_damping = 0.5 * h * (a.damping + b.damping);
            }
        }
        for c in &step.contacts {
            let force = 0.5 * (self.force[0][c.id] + self.force[1][c.id]);
            let way = c.gap - mechanism.gap(c.id, &state.q, state.t);
            entry.work_contact += force * way + 0.5 * self.p[c.id] * (self.u_minus[c.id] + c.u_after);
            if let Some(model) = &self.linear {
                let offset = &model.contacts()[c.id].offset;
                if !offset.is_constant() {
                    entry.work_external -= force * (offset.at(after.t) - offset.at(state.t));
                    entry.work_external -= self.p[c.id] * offset.rate(after.t);
                }
            }
        }
        if self.linear.is_some() {
            let jump = self.square(&state.q, &self.a[0]) - memory.carried.of::<EndAcceleration>().square;
            entry.dissipation_numerical = 0.125 * h * h * jump;
        }
        entry.close(self.algorithmic_energy(memory, h), self.algorithmic_energy(next, h));
        entry
    }
}

impl Stepper for D1MinusLinear {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.contact_problem()
    }

    fn instants(&mut self) -> Option<&mut InstantContacts> {
        Some(&mut self.contacts)
    }

    fn start(&mut self, state: &State) -> Memory {
        let mechanism = &self.contacts.mechanism;
        let H = mechanism.kinetic_energy(&state.q, &state.v) + mechanism.potential_energy(&state.q);
        let m = mechanism.n_contacts();
        // a problem that cannot be solved here is met again, and reported, by the first step
        let _ = self.forces(0, state, 0.0, 0.0);
        let square = self.square(&state.q, &self.a[0]);
        Memory::new(H, m).carrying(EndAcceleration { a: self.a[0].clone(), square })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let (n, m) = (state.q.len(), self.p.len());
        self.contacts.begin_step();
        step.h = h;
        self.contacts.look(from, step, next);
        let rest = InstantContacts::rest(next.u_max);
        let after = &mut step.after;
        after.t = state.t + h;
        after.q.resize(n, 0.0);
        after.v.resize(n, 0.0);

        // forces at the start, positions
        self.forces(0, state, rest, h)?;
        let initial: [&[f64]; 2] = [&state.q, &state.v];
        for i in 0..n {
            self.v_tilde[i] = initial[1][i] + h * self.a[0][i];
            after.q[i] = initial[0][i] + 0.5 * h * (initial[1][i] + self.v_tilde[i]);
        }
        // without contact forces the velocity would end at v + (h/2)(M⁻¹f + M⁻¹f⁺): the first half of it
        for c in &mut step.contacts {
            c.u_free += 0.5 * h * self.contacts.mechanism.gap_rate(c.id, &state.q, &self.free, state.t);
        }
        if self.contacts.mechanism.drifts()
            && !self.contacts.mechanism.project(after.t, &mut after.q, &mut self.v_tilde, &[])
        {
            return Err(StepFailure::singular(state.t, h, None));
        }

        // forces at the end, velocities
        after.v.copy_from_slice(&self.v_tilde);
        self.forces(1, after, rest, h)?;
        for c in &mut step.contacts {
            c.u_free += 0.5 * h * self.contacts.mechanism.gap_rate(c.id, &after.q, &self.free, after.t);
        }
        for i in 0..n {
            self.dq[i] = after.q[i] - state.q[i];
            after.v[i] = state.v[i] + 0.5 * h * (self.a[0][i] + self.a[1][i]);
        }
        if self.contacts.mechanism.drifts()
            && !self.contacts.mechanism.project(after.t, &mut after.q, &mut after.v, &[])
        {
            return Err(StepFailure::singular(state.t, h, None));
        }

        // impact at the end
        self.impact(after, rest, state, h)?;
        step.info = self.contacts.info;
        next.clear_impulses(m);
        let mechanism = &mut self.contacts.mechanism;
        for c in &mut step.contacts {
            c.gap = mechanism.gap(c.id, &after.q, after.t);
            c.u_after = mechanism.gap_rate(c.id, &after.q, &after.v, after.t);
            c.p = self.p[c.id] + 0.5 * h * (self.force[0][c.id] + self.force[1][c.id]);
            next.p[c.id] = c.p;
        }
        let carried = next.carried.renew::<EndAcceleration>();
        carried.a.clone_from(&self.a[1]);
        carried.square = self.square(&step.after.q, &self.a[1]);
        let mechanism = &self.contacts.mechanism;
        next.H = mechanism.kinetic_energy(&step.after.q, &step.after.v) + mechanism.potential_energy(&step.after.q);
        step.ledger = self.ledger(state, memory, h, step, next);
        // in the index set: closed at the end, or pushed
        let closed = |c: &ContactState| c.p > 0.0 || c.gap <= 0.0;
        step.contacts.retain(closed);
        Ok(())
    }

    fn refuse(&mut self, state: &State, h: f64) -> Option<InputError> {
        too_stiff("d1-minus-linear", &mut *self.contacts.mechanism, state, h, verlet_is_stable)
    }

    /// H by this step's h; E where there is no identity.
    fn algorithmic_energy(&self, memory: &Memory, h: f64) -> f64 {
        if self.linear.is_some() {
            memory.H - 0.125 * h * h * memory.carried.of::<EndAcceleration>().square
        } else {
            memory.H
        }
    }
}
