//! Operator splitting: a Runge–Kutta step of the smooth motion, then an impact with the positions frozen.
//!
//!   (q, v) → (q⁺, v₁) by the explicit table of order 5;   then 0 ≤ U⁺ + êU₁ ⟂ P ≥ 0 on contacts with g(q⁺) ≤ 0, U₁ ≤ 0
//!
//! Variant 1 flows without contacts: a body at rest sinks at the rate f h (1−e)/(2(1+e)). Variant 2 keeps the forces λ ≥ 0 of
//! persistent contacts in the flow, and makes a rebound whose flight would end within two steps with ê = 0: bodies rest. Both take
//! the restitution of U₁, the velocity at the end of the flow. The tests for persistence are ours. Where a signal jumps inside the step the flow
//! stops and goes on behind it with the contacts that persist there, so that no table reaches over a jump.
//!
//! No identity is known: the error of the flow is what the measured balance ΔE − works shows.

pub mod parameters;

use crate::contact::instant::InstantContacts;
use crate::located::explicit::Explicit;
use crate::located::motion::SmoothEnd;
use crate::located::phase::{Integrals, Phase, Stretch};
use crate::located::stability::{longest_step, rates};
use crate::located::stiffness::refusal;
use crate::located::tableau::Tableau;
use crate::mechanism::Mechanism;
use crate::mechanism::hold::Hold;
use crate::{LedgerEntry, Memory, State, Step, StepFailure, StepStart, Stepper};
use percussion_model::InputError;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;

/// What the fastest oscillation may grow by in a step: at hω = 1.8 the table of order 5 makes 1.4 % in a step, 66 times as much in 300, and a block went through its
/// floor by its own vibrations.
const GROWTH: f64 = 1.0 + 1e-5;

/// The scheme bound to a model.
pub struct Splitting {
    contacts: InstantContacts,
    flow: Explicit,
    /// Whether persistent contacts carry forces in the flow.
    persistent: bool,
    /// Where a stretch of the flow starts, from which it goes to another, and what it adds up.
    now: State,
    from: Phase,
    to: Phase,
    integrals: Integrals,
    held: Vec<Hold>,
    /// What the stretches of a step add up: works of loads and dampers, and impulses of held contacts.
    external: f64,
    damping: f64,
    carried: Vec<f64>,
    free: Vec<f64>,
    impulse: Vec<f64>,
    u_minus: Vec<f64>,
}

impl Splitting {
    /// Binds variant 1 or 2.
    pub fn new(mechanism: Box<dyn Mechanism>, variant: u8, options: SolverOptions) -> Self {
        let (n, m) = (mechanism.n(), mechanism.n_contacts());
        Self {
            contacts: InstantContacts::new(mechanism, options),
            flow: Explicit::new(Tableau::explicit(5).expect("the list has order 5")),
            persistent: variant == 2,
            now: State::default(),
            from: Phase::default(),
            to: Phase::default(),
            integrals: Integrals::default(),
            held: Vec::new(),
            external: 0.0,
            damping: 0.0,
            carried: vec![0.0; m],
            free: vec![0.0; n],
            impulse: vec![0.0; m],
            u_minus: vec![0.0; m],
        }
    }

    /// The contacts that carry a force where a stretch starts: closed, at rest, and pushed together by the loads.
    fn choose(&mut self, rest: f64, h: f64) -> Result<(), StepFailure> {
        self.held.clear();
        let contacts = &mut self.contacts;
        contacts.clear();
        if let Some(given) = contacts.next_given() {
            self.held.extend(given.iter().map(|(i, _)| Hold::frictionless(*i)));
            return Ok(());
        }
        if !self.persistent {
            return Ok(());
        }
        let State { t, q, v } = &self.now;
        if !contacts.mechanism.accelerate(*t, q, v, &[], &mut self.free, &mut []) {
            return Err(StepFailure::singular(*t, h, None));
        }
        for i in 0..self.impulse.len() {
            let gamma = contacts.mechanism.gap_acceleration(i, q, v, &self.free, *t);
            if contacts.rests(i, &self.now, rest, (gamma, h)) {
                contacts.add(i, gamma);
            }
        }
        contacts.solve((*t, q), &self.now, h)?;
        for (k, &i) in contacts.set.iter().enumerate() {
            if contacts.x[k] > 0.0 {
                self.held.push(Hold::frictionless(i));
            }
        }
        Ok(())
    }

    /// The smooth motion of a step, from corner to corner.
    fn flow(&mut self, state: &State, rest: f64, h: f64) -> Result<(), StepFailure> {
        let end = state.t + h;
        (self.external, self.damping) = (0.0, 0.0);
        self.carried.fill(0.0);
        self.now.t = state.t;
        self.now.q.clone_from(&state.q);
        self.now.v.clone_from(&state.v);
        let mut whole = true;
        loop {
            let stop = SmoothEnd::next(&*self.contacts.mechanism, self.now.t, end);
            whole &= stop.corner.is_none();
            let length = if whole { h } else { stop.t - self.now.t };
            if length > 0.0 {
                self.choose(rest, h)?;
                self.stretch(length, h)?;
            }
            let Some(corner) = stop.corner else { return Ok(()) };
            // forces are now those behind it
            let Self { contacts, now, to, held, .. } = self;
            now.t = SmoothEnd::beyond(corner, end);
            to.place(now.t, &now.q, &now.v);
            let singular = |_| StepFailure::singular(now.t, h, None);
            to.evaluate(&mut *contacts.mechanism, held).map_err(singular)?;
        }
    }

    /// Follows one stretch with the held contacts; one that would have to pull at its end is let go.
    fn stretch(&mut self, length: f64, h: f64) -> Result<(), StepFailure> {
        let Self { contacts, flow, now, from, to, integrals, held, .. } = self;
        let given = contacts.is_given();
        let mechanism = &mut *contacts.mechanism;
        let singular = || StepFailure::singular(now.t, h, None);
        from.place(now.t, &now.q, &now.v);
        loop {
            from.evaluate(mechanism, held).map_err(|_| singular())?;
            flow.step(Stretch { mechanism, held, from, h: length }, to, integrals).map_err(|_| singular())?;
            if mechanism.drifts() && !mechanism.project(to.t, &mut to.q, &mut to.v, &[]) {
                return Err(singular());
            }
            let pulls = (0..held.len()).find(|&k| !given && to.lambda[k][0] < 0.0);
            let Some(k) = pulls else { break };
            held.remove(k);
        }
        if let Some(watch) = &mut contacts.watch {
            watch.end_instant(held.iter().zip(&to.lambda).map(|(hold, x)| (hold.contact, x[0], None)));
        }
        self.external += integrals.external;
        self.damping += integrals.damping;
        for (hold, impulse) in held.iter().zip(&integrals.impulses) {
            self.carried[hold.contact] += impulse[0];
        }
        now.q.clone_from(&to.q);
        now.v.clone_from(&to.v);
        Ok(())
    }
}

impl Stepper for Splitting {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.contact_problem()
    }

    fn instants(&mut self) -> Option<&mut InstantContacts> {
        Some(&mut self.contacts)
    }

    fn start(&mut self, state: &State) -> Memory {
        self.contacts.start(state)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let m = self.impulse.len();
        self.contacts.begin_step();
        step.h = h;
        step.after.t = state.t + h;
        self.contacts.look(from, step, next);
        let rest = InstantContacts::rest(next.u_max);

        // smooth motion
        self.flow(state, rest, h)?;
        let Self { contacts, now, to, .. } = self;
        step.after.q.clone_from(&now.q);
        step.after.v.clone_from(&now.v);
        let State { t, q, v } = &mut step.after;

        // impact with frozen positions
        contacts.clear();
        let given = contacts.next_given();
        let mut any = false;
        for i in 0..m {
            let u = contacts.mechanism.gap_rate(i, q, v, *t);
            (self.u_minus[i], self.impulse[i]) = (u, 0.0);
            let held = self.held.contains(&Hold::frictionless(i));
            step.contacts[i].u_free = u;
            if let Some(given) = &given {
                if let Some(&(_, other)) = given.iter().find(|(of, _)| *of == i) {
                    contacts.strike(i, u, other);
                    any = true;
                }
                continue;
            }
            if !(held || contacts.mechanism.gap(i, q, *t) <= 0.0 && u <= rest) {
                continue;
            }
            any |= u < -rest;
            let mut other = None;
            if self.persistent {
                let e = contacts.mechanism.restitution(i);
                let gamma = contacts.mechanism.gap_acceleration(i, q, v, &to.a, *t);
                if -e * u < -gamma * h || held {
                    other = Some(0.0);
                }
            }
            contacts.strike(i, u, other);
        }
        if any {
            contacts.solve((*t, q), state, h)?;
            contacts.end_instant();
            contacts.push(v);
            for (k, &i) in contacts.set.iter().enumerate() {
                self.impulse[i] = contacts.x[k];
            }
        }
        step.info = contacts.info;

        // measured balance
        let after = &step.after;
        let mut entry = LedgerEntry {
            kinetic: contacts.mechanism.kinetic_energy(&after.q, &after.v),
            potential: contacts.mechanism.potential_energy(&after.q),
            work_external: self.external,
            work_damping: self.damping,
            ..Default::default()
        };
        next.clear_impulses(m);
        for c in &mut step.contacts {
            c.gap = contacts.mechanism.gap(c.id, &after.q, after.t);
            c.u_after = contacts.mechanism.gap_rate(c.id, &after.q, &after.v, after.t);
            c.p = self.impulse[c.id];
            entry.work_contact += 0.5 * c.p * (self.u_minus[c.id] + c.u_after);
            entry.work_external -= c.p * contacts.mechanism.obstacle_rate(c.id, &after.q, after.t);
            c.p += self.carried[c.id];
            next.p[c.id] = c.p;
        }
        entry.close(memory.H, entry.energy());
        next.H = entry.energy();
        step.ledger = entry;
        step.contacts.retain(|c| c.p > 0.0 || c.gap <= 0.0);
        Ok(())
    }

    fn refuse(&mut self, state: &State, h: f64) -> Option<InputError> {
        let rates = rates(&mut *self.contacts.mechanism, state)?;
        refusal("splitting", rates.0, longest_step(self.flow.tableau(), rates, GROWTH), h)
    }
}
