//! A motion between events: where it is, which contacts are held closed, and what the step has added up so far.
//!
//!   ΔE = ∫ v·F dt − ∫ vᵀC v dt + Σ ½ Pᵀ(U⁻ + U⁺) + balance
//!
//! Impacts are booked exactly; the balance is what the integration between them, and the projection on closed contacts and
//! joints, left over.

use super::integrator::Integrator;
use super::mechanism::Mechanism;
use super::phase::{Integrals, Phase, Stuck};
use crate::{ContactState, LedgerEntry, LocatedEvent, Memory, State, Step, StepFailure, StepInfo};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::Code;
use percussion_solve::{OneStepProblem, Solver, SolverOptions};

/// How a contact stands between events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Away from its obstacle.
    Open,
    /// Closed, with a force that is watched.
    Held,
    /// Left without velocity: its gap is watched a little below zero until it has grown.
    Released,
    /// Left with a velocity: steps are limited by the time it needs to come back.
    Flying,
}

/// Part of the terms of a gap below which it counts as closed.
pub const CLOSED: f64 = 1e-12;
/// Places of the standings and of the numbers in the memory of the scheme.
const STANDINGS: usize = 0;
const NUMBERS: usize = 1;

/// The largest sizes met in a run, by which tolerances are measured, and the step proposed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// Length of the next stretch [s]; zero before the first.
    pub ahead: f64,
    /// max |q|.
    pub q: f64,
    /// max |v|.
    pub v: f64,
    /// The largest force of a held contact [N].
    pub force: f64,
}

/// A mechanism in motion.
pub struct Motion {
    /// The model.
    pub mechanism: Box<dyn Mechanism>,
    /// The Runge–Kutta method.
    pub integrator: Integrator,
    /// Where the motion is.
    pub now: Phase,
    /// Where the stretch under trial ends.
    pub trial: Phase,
    /// What it adds up.
    pub integrals: Integrals,
    /// How each contact stands.
    pub standing: Vec<Standing>,
    /// The contacts held closed, by rising number.
    pub held: Vec<usize>,
    /// Part of the largest approach under which a rebound counts as rest.
    pub cut: f64,
    /// The largest |U| of a contact at an event so far [m/s].
    pub u_max: f64,
    /// Sizes of the run.
    pub sizes: Sizes,
    /// Events of the step under way.
    pub events: Vec<LocatedEvent>,
    pub(super) solver: Solver,
    pub(super) problem: OneStepProblem,
    pub(super) info: StepInfo,
    pub(super) work_contact: f64,
    pub(super) set: Vec<usize>,
    pub(super) u: Vec<f64>,
    pub(super) p: Vec<f64>,
    pub(super) impulses: Vec<f64>,
    pub(super) met: Vec<bool>,
    external: f64,
    damping: f64,
    u_start: Vec<f64>,
    smallest_gap: Option<(f64, usize)>,
    energy: f64,
    t_start: f64,
    h: f64,
}

impl Motion {
    /// A mechanism, a method, and the contact solver's options.
    pub fn new(mechanism: Box<dyn Mechanism>, integrator: Integrator, cut: f64, options: SolverOptions) -> Self {
        let m = mechanism.n_contacts();
        Self {
            mechanism,
            integrator,
            now: Phase::default(),
            trial: Phase::default(),
            integrals: Integrals::default(),
            standing: vec![Standing::Open; m],
            held: Vec::new(),
            cut,
            u_max: 0.0,
            sizes: Sizes::default(),
            events: Vec::new(),
            solver: Solver::new(options),
            problem: OneStepProblem::empty(),
            info: StepInfo::default(),
            work_contact: 0.0,
            set: Vec::new(),
            u: Vec::new(),
            p: Vec::new(),
            impulses: vec![0.0; m],
            met: vec![false; m],
            external: 0.0,
            damping: 0.0,
            u_start: vec![0.0; m],
            smallest_gap: None,
            energy: 0.0,
            t_start: 0.0,
            h: 0.0,
        }
    }

    /// The memory of a run that begins.
    pub fn start(&mut self, state: &State) -> Memory {
        let m = self.mechanism.n_contacts();
        let H = self.mechanism.kinetic_energy(&state.q, &state.v) + self.mechanism.potential_energy(&state.q);
        let numbers = vec![0.0, vector::max_abs(&state.q), vector::max_abs(&state.v), 0.0];
        let mut memory = Memory::new(H, m, vec![vec![0.0; m], numbers]);
        for i in 0..m {
            memory.u_max = memory.u_max.max(self.mechanism.gap_rate(i, &state.q, &state.v, state.t).abs());
        }
        memory
    }

    /// Takes up the motion where the last step left it; whether it is the first.
    pub fn begin(&mut self, state: &State, memory: &Memory, h: f64) -> Result<bool, StepFailure> {
        let m = self.mechanism.n_contacts();
        let [ahead, q, v, force] = memory.fields[NUMBERS][..] else { unreachable!("four numbers are kept") };
        self.sizes = Sizes { ahead, q, v, force };
        self.u_max = memory.u_max;
        self.held.clear();
        for i in 0..m {
            self.standing[i] = match memory.fields[STANDINGS][i] {
                1.0 => Standing::Held,
                2.0 => Standing::Released,
                3.0 => Standing::Flying,
                _ => Standing::Open,
            };
            if self.standing[i] == Standing::Held {
                self.held.push(i);
            }
        }
        (self.t_start, self.h, self.energy) = (state.t, h, memory.H);
        (self.external, self.damping, self.work_contact) = (0.0, 0.0, 0.0);
        self.info = StepInfo::default();
        self.events.clear();
        self.impulses.fill(0.0);
        self.met.fill(false);
        self.now.place(state.t, &state.q, &state.v);
        self.smallest_gap = None;
        for i in 0..m {
            let gap = self.mechanism.gap(i, &state.q, state.t);
            self.u_start[i] = self.mechanism.gap_rate(i, &state.q, &state.v, state.t);
            if self.smallest_gap.is_none_or(|(g, _)| gap < g) {
                self.smallest_gap = Some((gap, i));
            }
        }
        self.evaluate()?;
        Ok(ahead == 0.0)
    }

    /// a and λ where the motion is.
    pub fn evaluate(&mut self) -> Result<(), StepFailure> {
        self.now.evaluate(&mut *self.mechanism, &self.held).map_err(|stuck| self.failure(stuck))?;
        for &lambda in &self.now.lambda {
            self.sizes.force = self.sizes.force.max(lambda.abs());
        }
        Ok(())
    }

    /// One Runge–Kutta step of length h from where the motion is, to `trial`.
    #[inline]
    pub fn try_step(&mut self, h: f64) -> Result<(), Stuck> {
        let Self { integrator, mechanism, held, now, trial, integrals, .. } = self;
        integrator.step(&mut **mechanism, held, now, h, trial, integrals)
    }

    /// Takes over the trial, brought back to closed contacts and joints.
    pub fn accept(&mut self) -> Result<(), StepFailure> {
        std::mem::swap(&mut self.now, &mut self.trial);
        self.external += self.integrals.external;
        self.damping += self.integrals.damping;
        for (k, &i) in self.held.iter().enumerate() {
            self.impulses[i] += self.integrals.impulses[k];
            self.met[i] = true;
            self.sizes.force = self.sizes.force.max(self.now.lambda[k].abs());
        }
        self.sizes.q = self.sizes.q.max(vector::max_abs(&self.now.q));
        self.sizes.v = self.sizes.v.max(vector::max_abs(&self.now.v));
        if self.mechanism.drifts() || !self.held.is_empty() {
            self.project()?;
        }
        Ok(())
    }

    /// Moves the state to closed contacts and joints where it has left them by more than round-off.
    pub fn project(&mut self) -> Result<(), StepFailure> {
        let Self { mechanism, now, held, sizes, .. } = self;
        let mut away = mechanism.drifts();
        for &i in held.iter() {
            let size = mechanism.gap_size(i, &now.q, now.t);
            away |= mechanism.gap(i, &now.q, now.t).abs() > 4.0 * f64::EPSILON * size;
            away |= mechanism.gap_rate(i, &now.q, &now.v, now.t).abs() > 4.0 * f64::EPSILON * sizes.v;
        }
        if !away {
            return Ok(());
        }
        if !mechanism.project(now.t, &mut now.q, &mut now.v, held) {
            return Err(self.failure(Stuck::Singular));
        }
        self.evaluate()
    }

    /// A stretch that could not be followed, as the failure of the step.
    pub fn failure(&self, stuck: Stuck) -> StepFailure {
        let message = match stuck {
            Stuck::Singular => "the equations of motion are singular: some motion has no inertia",
            Stuck::Stages => "the stages of the implicit Runge–Kutta step were not found",
        };
        let help = match stuck {
            Stuck::Singular => "give every motion that joints and closed contacts allow a mass".into(),
            Stuck::Stages => format!("try step = {:.1e}", 0.5 * self.h),
        };
        let code = if stuck == Stuck::Singular { Code::SINGULAR_STEP } else { Code::NOT_SOLVED };
        StepFailure { code, t: self.now.t, h: self.h, message: message.into(), help, problem: None }
    }

    /// A motion that has become infinite.
    pub fn not_finite(&self) -> Option<StepFailure> {
        let wrong = (0..self.now.q.len()).find(|&i| !(self.now.q[i].is_finite() && self.now.v[i].is_finite()))?;
        Some(StepFailure::not_finite(self.now.t, self.h, wrong))
    }

    /// More events in a step than any motion that goes on.
    pub fn endless(&self, events: usize) -> StepFailure {
        StepFailure {
            code: Code::ENDLESS_EVENTS,
            t: self.now.t,
            h: self.h,
            message: format!("{events} events in one step, the last at t = {}", self.now.t),
            help: "raise scheme.cut, the part of the largest approach under which a rebound counts as rest".into(),
            problem: None,
        }
    }

    /// Writes the step and the memory for the next one.
    pub fn conclude(&mut self, t: f64, step: &mut Step, next: &mut Memory) {
        self.now.t = t;
        let (q, v) = (&self.now.q, &self.now.v);
        step.h = self.h;
        step.after.t = t;
        step.after.q.clone_from(q);
        step.after.v.clone_from(v);
        step.smallest_gap = self.smallest_gap;
        step.info = self.info;
        step.located = true;
        std::mem::swap(&mut step.events, &mut self.events);
        step.contacts.clear();
        let m = self.mechanism.n_contacts();
        for id in (0..m).filter(|&i| self.met[i]) {
            let (u_before, p) = (self.u_start[id], self.impulses[id]);
            let (gap, u_after) = (self.mechanism.gap(id, q, t), self.mechanism.gap_rate(id, q, v, t));
            step.contacts.push(ContactState { id, gap, u_before, u_free: u_before, u_after, p });
        }

        let mut entry = LedgerEntry {
            kinetic: self.mechanism.kinetic_energy(q, v),
            potential: self.mechanism.potential_energy(q),
            work_external: self.external,
            work_damping: self.damping,
            work_contact: self.work_contact,
            ..Default::default()
        };
        entry.algorithmic_energy = entry.energy();
        entry.balance = entry.energy() - self.energy - entry.work_external - entry.work_damping - entry.created();
        step.ledger = entry;

        next.H = entry.algorithmic_energy;
        next.u_max = self.u_max;
        next.p.clone_from(&self.impulses);
        next.push.clear();
        next.push.resize(m, 0.0);
        next.fields.resize_with(2, Vec::new);
        next.fields[STANDINGS].clear();
        next.fields[STANDINGS].extend(self.standing.iter().map(|&s| s as u8 as f64));
        next.fields[NUMBERS].clear();
        let Sizes { ahead, q, v, force } = self.sizes;
        next.fields[NUMBERS].extend([ahead, q, v, force]);
    }

    /// Books works of loads or obstacles, and of dampers.
    pub(super) fn add_works(&mut self, external: f64, damping: f64) {
        self.external += external;
        self.damping += damping;
    }

    /// W of a set of contacts into the problem's matrix, responses kept.
    pub(super) fn respond(&mut self) -> Result<(), StepFailure> {
        let percussion_matrix::Matrix::Dense(W) = &mut self.problem.W else { unreachable!("made dense") };
        let regular = self.mechanism.response(&self.now.q, &self.set, W);
        self.problem.ids.clone_from(&self.set);
        self.problem.b.clear();
        if regular { Ok(()) } else { Err(self.failure(Stuck::Singular)) }
    }

    /// W of the last response.
    pub(super) fn W(&self) -> &DenseMatrix {
        match &self.problem.W {
            percussion_matrix::Matrix::Dense(W) => W,
            percussion_matrix::Matrix::Sparse(_) => unreachable!("made dense"),
        }
    }
}
