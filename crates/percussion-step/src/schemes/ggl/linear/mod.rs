//! GGL generalized-α on a linear model: positions, velocities and friction of a step as one problem.
//!
//!   v = v̂ + M⁻¹(G Λ + T p_T),    q = q̂ + M⁻¹(G ν + (h/2) T p_T),    0 ≤ g(q) ⟂ ν ≥ 0
//!   on {g(q̂) ≤ 0} (or ν > 0 under `hold` and with friction): the impact and friction law on u = Hᵀv
//!
//! Everything is affine in the multipliers (`smooth.rs`), so one complementarity problem without friction (`complementarity.rs`)
//! or one cone problem with it (`cones.rs`) is exact; it is repeated only while the sets move. The sequential solution of the
//! paper is in `sequential.rs`, the account of energy in `../ledger.rs`.

pub mod complementarity;
pub mod cones;
pub mod sequential;
pub mod smooth;

use crate::linear::mass::acceleration;
use crate::schemes::ggl::conditions::{ClosedAt, GglVariant, touches};
use crate::schemes::ggl::ledger::{Projection, Works};
use crate::{
    Accelerations, Activation, ContactState, Memory, NewmarkLike, Scheme, State, Step, StepFailure, StepInfo,
    StepStart, Stepper,
};
use complementarity::Complementarity;
use cones::Cones;
use percussion_matrix::vector;
use percussion_model::{Code, InputError, LinearModel};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use sequential::Sequence;
use smooth::{Multipliers, SmoothLinear};
use std::sync::Arc;

/// Rounds in which the sets may move; after the first few they only grow, which ends any cycle.
const ROUNDS: usize = 30;
const SHRINKING: usize = 8;
/// Halvings of a step that is refused, for one that is not.
const HALVINGS: i32 = 12;

/// The scheme bound to a linear model.
pub struct LinearGgl {
    smooth: SmoothLinear,
    x: Multipliers,
    conditions: Conditions,
    sequence: Option<Sequence>,
    variant: GglVariant,
    /// Closed also where ν > 0, and ê = 1 for opening contacts.
    hold: bool,
    closed_at: ClosedAt,
    /// Gaps at the place known before the step, where they are asked there.
    g_ahead: Vec<f64>,
    /// Contacts with a row for ν, contacts with rows for Λ and p_T; both by rising number.
    at_position: Vec<usize>,
    closed: Vec<usize>,
    u_n: Vec<f64>,
    /// Contacts that push, and W_A for them.
    pushing: Vec<usize>,
    projected: Vec<usize>,
    projection: Projection,
    // Δq, a_γ and v_½ of the ledger
    dq: Vec<f64>,
    a_gamma: Vec<f64>,
    v_half: Vec<f64>,
}

/// The problem of a round.
enum Conditions {
    /// No contact has friction.
    Complementarity(Box<Complementarity>),
    /// Some have.
    Cones(Box<Cones>),
}

/// What a problem on the present sets is made from.
#[derive(Clone, Copy)]
pub struct Round<'a> {
    smooth: &'a SmoothLinear,
    at_position: &'a [usize],
    closed: &'a [usize],
    u_n: &'a [f64],
    hold: bool,
    state: &'a State,
    memory: &'a Memory,
    h: f64,
    /// The end of the step.
    t: f64,
}

impl Round<'_> {
    /// μ of contact j in the last step.
    fn last_nu(&self, j: usize) -> f64 {
        self.memory.carried.of::<Accelerations>().nu[j]
    }

    /// Contacts that pushed in the last step, with h(1−θ)μ_n of the modified condition.
    fn carried(&self, variant: GglVariant) -> impl Iterator<Item = (usize, f64)> + '_ {
        let nu: &[f64] = if variant.is_mixed() { &self.memory.carried.of::<Accelerations>().nu } else { &[] };
        nu.iter().enumerate().map(move |(j, &last)| (j, variant.carried(last))).filter(|(_, x)| *x != 0.0)
    }
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
        let friction = model.has_friction();
        let conditions = if friction {
            Conditions::Cones(Box::new(Cones::new(&model, scheme, options)))
        } else {
            Conditions::Complementarity(Box::new(Complementarity::new(variant, options)))
        };
        let sequential = scheme.sequential && !friction;
        Self {
            x: Multipliers::new(m),
            conditions,
            sequence: sequential.then(|| Sequence::new(n, m, options)),
            variant,
            hold: friction || scheme.activation == Activation::Hold,
            closed_at: ClosedAt::default(),
            g_ahead: vec![0.0; m],
            at_position: Vec::new(),
            closed: Vec::new(),
            u_n: vec![0.0; m],
            pushing: Vec::new(),
            projected: Vec::new(),
            projection: Projection::default(),
            dq: vec![0.0; n],
            a_gamma: vec![0.0; n],
            v_half: vec![0.0; n],
            smooth: SmoothLinear::new(model, p),
        }
    }

    /// The same with the gap asked elsewhere.
    pub fn closed_at(self, closed_at: ClosedAt) -> Self {
        Self { closed_at, ..self }
    }

    /// Whether the velocity condition acts on contact j.
    fn is_closed(&self, j: usize, h: f64, t: f64) -> bool {
        let smooth = &self.smooth;
        let gap = match self.closed_at {
            ClosedAt::Smooth => smooth.model.gap(j, &smooth.qt, t),
            ClosedAt::Start | ClosedAt::Ahead => self.g_ahead[j],
            ClosedAt::End(tolerance) => smooth.gap(j, t) - tolerance,
        };
        touches(gap, self.u_n[j], h) || (self.hold && smooth.pushes(&self.x, j, t))
    }

    /// Puts every contact into the sets its gap and multipliers ask for; whether a set moved.
    fn move_sets(&mut self, round: usize, h: f64, t: f64) -> bool {
        let mut moved = false;
        for j in 0..self.u_n.len() {
            // positions: once asked for, always in the problem
            if self.smooth.gap(j, t) <= 0.0
                && let Err(place) = self.at_position.binary_search(&j)
            {
                self.at_position.insert(place, j);
                moved = true;
            }
            match (self.is_closed(j, h, t), self.closed.binary_search(&j)) {
                (true, Err(place)) => {
                    self.closed.insert(place, j);
                    moved = true;
                }
                (false, Ok(place)) if round < SHRINKING => {
                    self.closed.remove(place);
                    moved = true;
                }
                (true, Ok(_)) | (false, Err(_) | Ok(_)) => {}
            }
        }
        moved
    }

    /// All unknowns of a step at once: sets and multipliers until the sets stay.
    fn settle(&mut self, state: &State, memory: &Memory, h: f64, info: &mut StepInfo) -> Result<(), StepFailure> {
        let t = state.t + h;
        *info = StepInfo::default();
        self.x.clear();
        self.at_position.clear();
        self.closed.clear();
        match &mut self.conditions {
            Conditions::Complementarity(problem) => problem.clear(),
            Conditions::Cones(problem) => problem.clear(),
        }
        // the modified condition carries multipliers from step to step
        if self.variant.is_mixed() {
            for (j, &last) in memory.carried.of::<Accelerations>().nu.iter().enumerate() {
                self.x.nu[j] = self.variant.carried(last);
                if self.x.nu[j] != 0.0 {
                    self.smooth.ensure(j);
                }
            }
        }
        self.smooth.place(&self.x, h);
        for round in 0..=ROUNDS {
            if !self.move_sets(round, h, t) {
                return Ok(());
            }
            for &j in self.at_position.iter().chain(&self.closed) {
                self.smooth.ensure(j);
            }
            let round = Round {
                smooth: &self.smooth,
                at_position: &self.at_position,
                closed: &self.closed,
                u_n: &self.u_n,
                hold: self.hold,
                state,
                memory,
                h,
                t,
            };
            match &mut self.conditions {
                Conditions::Complementarity(problem) => problem.solve(&round, &mut self.x, info)?,
                Conditions::Cones(problem) => problem.solve(&round, &mut self.x, info)?,
            }
            self.smooth.place(&self.x, h);
        }
        Err(StepFailure::newton(state, h, format!("the sets of closed contacts still move after {ROUNDS} rounds")))
    }

    /// U_n of all contacts, and the smallest gap.
    fn look(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) {
        let StepStart { state, memory, h } = *from;
        let model = &self.smooth.model;
        step.smallest_gap = None;
        next.u_max = memory.u_max;
        for j in 0..self.u_n.len() {
            self.u_n[j] = model.gap_rate(j, &state.v, state.t);
            next.u_max = next.u_max.max(self.u_n[j].abs());
            let gap = model.gap(j, &state.q, state.t);
            if step.smallest_gap.is_none_or(|(g, _)| gap < g) {
                step.smallest_gap = Some((gap, j));
            }
            if let Some(part) = self.closed_at.explicit() {
                self.g_ahead[j] = gap + part * h * self.u_n[j];
            }
        }
    }

    /// Contacts that took part at either level, with the works of the law and of moving obstacles.
    fn record(&mut self, state: &State, step: &mut Step, next: &mut Memory) -> Works {
        let (smooth, x) = (&self.smooth, &self.x);
        let (model, t) = (&smooth.model, step.after.t);
        step.contacts.clear();
        step.friction.clear();
        next.p.clear();
        next.p.extend_from_slice(&x.La);
        next.p_t.clear();
        next.push.clear();
        next.push.resize(x.La.len(), 0.0);
        self.pushing.clear();
        let mut works = Works::default();
        for j in 0..x.La.len() {
            let pushes = smooth.pushes(x, j, t);
            if self.closed.binary_search(&j).is_err() && !pushes {
                continue;
            }
            let (p, u_n) = (x.La[j], self.u_n[j]);
            let (u_free, u_after) = (model.gap_rate(j, &smooth.vt, t), model.gap_rate(j, &step.after.v, t));
            works.law += 0.5 * p * (u_n + u_after);
            // what a moving obstacle puts in is the work of a load
            let offset = &model.contacts()[j].offset;
            works.driven -= 0.5 * p * (offset.rate(state.t) + offset.rate(t));
            let gap = model.gap(j, &step.after.q, t);
            step.contacts.push(ContactState { id: j, gap, u_before: u_n, u_free, u_after, p });
            if let Conditions::Cones(cones) = &self.conditions {
                let along = cones.along(smooth, x, j, state, &step.after);
                works.law += along.work(0.5);
                step.friction.push(along);
            }
            if pushes || p > 0.0 {
                self.pushing.push(j);
            }
        }
        if let Conditions::Cones(_) = self.conditions {
            next.p_t.extend_from_slice(&x.p_t);
        }
        works
    }

    /// The works that belong to the motion between the states.
    fn account(&mut self, state: &State, memory: &Memory, h: f64, step: &mut Step, next: &Memory, works: &mut Works) {
        let SmoothLinear { model, p, load, .. } = &self.smooth;
        let Accelerations { a: a_n, .. } = memory.carried.of();
        let Accelerations { a, .. } = next.carried.of();
        let (q, v) = (&step.after.q, &step.after.v);
        for i in 0..q.len() {
            self.dq[i] = q[i] - state.q[i];
            self.a_gamma[i] = (1.0 - p.gamma) * a_n[i] + p.gamma * a[i];
            self.v_half[i] = 0.5 * (state.v[i] + v[i]);
        }
        works.loads = (1.0 - p.gamma) * vector::dot(&self.dq, &load.now) + p.gamma * vector::dot(&self.dq, &load.next);
        if !model.force_is_constant() {
            let middle = state.t + 0.5 * h;
            works.plain = Some(model.loads().iter().zip(&self.dq).map(|(load, dq)| dq * load.at(middle)).sum());
        }
        if let Some(C) = model.damping() {
            works.damping = -(1.0 - p.gamma) * C.bilinear(&self.dq, &state.v) - p.gamma * C.bilinear(&self.dq, v);
        }
        let potential = model.potential_energy(q);
        works.bracket =
            potential - model.potential_energy(&state.q) + h * model.mass().bilinear(&self.v_half, &self.a_gamma);

        // G_A ζ against G_A a_γ
        if self.projected != self.pushing {
            self.projected.clone_from(&self.pushing);
            let (smooth, rows) = (&self.smooth, &self.projected);
            let W = |i: usize, j: usize| smooth.model.G().column_dot(rows[i], &smooth.made(rows[j]).Y);
            self.projection.factorise(rows.len(), W);
        }
        let G = self.smooth.model.G();
        let (dq, v_half, a_gamma) = (&self.dq, &self.v_half, &self.a_gamma);
        let row = |&j: &usize| (G.column_dot(j, dq) - h * G.column_dot(j, v_half), G.column_dot(j, a_gamma));
        works.projection = self.projection.work(self.projected.iter().map(row));
        step.ledger = works.entry(self.smooth.model.kinetic_energy(v), potential, memory.H);
    }
}

impl LinearGgl {
    /// The first contact whose own impulse would make it approach: the part θ of hΛ moves positions, and over a step that is long beside the
    /// periods of the stiffness behind the contact this pushes back more than Λ does. Its conditions then have no solution for some states.
    fn pushed_back(&mut self, state: &State, h: f64) -> Option<usize> {
        let GglVariant::ModifiedLcp { theta } = self.variant else { return None };
        (0..self.smooth.model.n_contacts())
            .find(|&j| self.smooth.mixed_mobility(j, theta, (state.t, h)).is_ok_and(|mobility| mobility < 0.0))
    }
}

impl Stepper for LinearGgl {
    fn refuse(&mut self, state: &State, h: f64) -> Option<InputError> {
        let j = self.pushed_back(state, h)?;
        let message = format!(
            "with this stiffness and step the modified condition has no solution for some states: an impulse at contact {j} moves \
             positions too, and what that does over {h:e} s makes it approach"
        );
        let short = (1..=HALVINGS).map(|k| h * 0.5_f64.powi(k)).find(|&h| self.pushed_back(state, h).is_none());
        let shorter = short.map_or(String::new(), |h| format!(", or step = {h:.1e}"));
        let help = format!("use generalized-alpha-ggl, whose multipliers are separate{shorter}");
        Some(InputError::new(Code::UNSUPPORTED, "scheme.name", message, help))
    }

    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        match &self.conditions {
            Conditions::Complementarity(problem) => problem.last(),
            Conditions::Cones(problem) => problem.last(),
        }
    }

    fn start(&mut self, state: &State) -> Memory {
        let model = Arc::clone(&self.smooth.model);
        let a = acceleration(&model, &mut self.smooth.mass, state);
        let E = model.kinetic_energy(&state.v) + model.potential_energy(&state.q);
        let m = model.n_contacts();
        Memory::new(E, m).carrying(Accelerations { nu: vec![0.0; m], ..Accelerations::new(a) })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        step.h = h;
        step.after.t = state.t + h;
        step.info = StepInfo::default();

        // the smooth part without multipliers, and the contacts at the start
        let force = self.smooth.predict(state, memory, h)?;
        self.look(from, step, next);

        // multipliers
        if !self.sequence(state, h, force, &mut step.info) {
            self.settle(state, memory, h, &mut step.info)?;
        }

        // the new state and memory
        let SmoothLinear { p, vd, qt, vt, U, W, .. } = &self.smooth;
        step.after.q.clear();
        step.after.q.extend(qt.iter().zip(U).map(|(q, U)| q + U));
        step.after.v.clear();
        step.after.v.extend(vt.iter().zip(W).map(|(v, W)| v + W));
        let carried = next.carried.renew::<Accelerations>();
        carried.carry(p, vd, memory.carried.of());
        carried.nu.clone_from(&self.x.mu);

        // contacts and energy
        let mut works = self.record(state, step, next);
        self.account(state, memory, h, step, next, &mut works);
        next.H = step.ledger.energy();
        Ok(())
    }
}
