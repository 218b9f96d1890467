//! `gap`: nodes without mass stop at the obstacle, with friction or without.
//!
//!   M̂ v_½ = M v_k + (h/2)(F̄ − K q_k) + ½ H P,    M̂ = M + (h/2)C + (h²/4)K,    q_{k+1} = q_k + h v_½
//!   0 ≤ g_k/h + U_N ⟂ P_N ≥ 0,    ‖P_T‖ ≤ μP_N against U_T,    U = Hᵀv_½ (+ Δw/h)
//!   ΔE = h F̄·v_½ − h‖v_½‖²_C + U·P,    U·P = −P_N g_k/h − μP_N‖U_T‖ ≤ 0
//!
//! In half velocities the velocities of the nodes without mass, which would alternate, enter nothing; theirs are shown as v_½.

use super::settle::Surface;
use super::weights;
use crate::contact::end_gaps::EndGaps;
use crate::contact::friction_phase::FrictionPhase;
use crate::contact::law::without_friction;
use crate::linear::load::Load;
use crate::linear::operators::Operators;
use crate::{
    ContactState, FrictionLaw, LedgerEntry, Memory, Scheme, State, Step, StepFailure, StepStart, Stepper, Tangential,
    Warning,
};
use percussion_model::{Code, LinearModel};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Whether a step was made.
type Made = Result<(), StepFailure>;

/// The law `gap` bound to a linear model.
pub struct GapLaw {
    model: Arc<LinearModel>,
    options: SolverOptions,
    contacts: EndGaps,
    friction: Option<Box<FrictionPhase>>,
    load: Load,
    operators: Vec<Operators>,
    threads: usize,
    /// v_½ and Δq.
    work: [Vec<f64>; 2],
    /// (g_k + h U)/h without impulses, Δw, and P, of all contacts.
    b: Vec<f64>,
    shift: Vec<f64>,
    p: Vec<f64>,
}

impl GapLaw {
    /// Binds the law.
    pub fn new(model: Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Self {
        // without restitution there is one law of friction
        let law = scheme.clone().with_friction_law(FrictionLaw::Newton);
        let (n, m) = (model.n(), model.n_contacts());
        Self {
            options,
            contacts: EndGaps::new(&model, options),
            friction: model.has_friction().then(|| Box::new(FrictionPhase::new(&model, &law, options))),
            load: Load::new(&model),
            operators: Vec::new(),
            threads: 1,
            work: std::array::from_fn(|_| vec![0.0; n]),
            b: vec![0.0; m],
            shift: vec![0.0; m],
            p: vec![0.0; m],
            model,
        }
    }

    /// P of the contacts listed, with friction: the set grows until no other gap is negative.
    fn with_friction(
        &mut self,
        operators: &mut Operators,
        from: &StepStart,
        step: &mut Step,
        next: &mut Memory,
    ) -> Made {
        let Self { model, contacts, friction, work: [v, _], b, p, .. } = self;
        let Some(friction) = friction else { return Ok(()) };
        let largest = b.iter().fold(0.0, |size: f64, b| size.max(b.abs()));
        let mut moved = vec![0.0; v.len()];
        loop {
            step.contacts.clear();
            step.friction.clear();
            for &j in &contacts.index {
                let mut c = ContactState::before(j, b[j], 0.0);
                c.u_free = b[j];
                step.contacts.push(c);
            }
            friction.select(from, &step.contacts, &vec![0.0; contacts.index.len()]);
            operators.ensure_all(model, contacts.index.iter().chain(&friction.tangents).copied());
            let mut listed = Vec::with_capacity(contacts.index.len());
            friction.solve(from, v, &operators.response, &mut listed, (step, next))?;
            p.fill(0.0);
            contacts.index.iter().zip(&listed).for_each(|(&j, &value)| p[j] = value);
            moved.fill(0.0);
            let along = friction.tangents.iter().copied().zip(friction.p.iter().copied());
            operators.push(model, contacts.index.iter().copied().zip(listed).chain(along), &mut moved);
            let before = contacts.index.len();
            for j in 0..b.len() {
                let u = b[j] + operators.weight() * model.G().column_dot(j, &moved);
                if u < -1e-14 * largest && !contacts.index[..before].contains(&j) {
                    contacts.index.push(j);
                }
            }
            if contacts.index.len() == before {
                contacts.response.copy_from_slice(&moved);
                return Ok(());
            }
            contacts.index.sort_unstable();
        }
    }
}

impl Stepper for GapLaw {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        match &self.friction {
            Some(friction) => friction.contact_problem(),
            None => {
                let (problem, x) = self.contacts.last();
                without_friction(problem, x)
            }
        }
    }

    fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    fn settle(&mut self, state: &mut State) -> Option<Warning> {
        settled(&self.model, state, self.options)
    }

    fn start(&mut self, state: &State) -> Memory {
        let H = self.model.kinetic_energy(&state.v) + self.model.potential_energy(&state.q);
        Memory::new(H, self.model.n_contacts())
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let model = Arc::clone(&self.model);
        let mut kept = std::mem::take(&mut self.operators);
        let made = Operators::of(&mut kept, &model, (state.t, h), weights(h, 0.5, self.threads));
        let result = made.and_then(|operators| self.impulses(operators, from, step, next));
        self.operators = kept;
        result?;

        // correct; nodes without mass keep v_½
        let n = model.n();
        let [v, dq] = &mut self.work;
        step.h = h;
        step.after.t = state.t + h;
        step.after.q.resize(n, 0.0);
        step.after.v.resize(n, 0.0);
        for i in 0..n {
            v[i] += 0.5 * self.contacts.response[i];
            dq[i] = h * v[i];
            step.after.q[i] = state.q[i] + dq[i];
            step.after.v[i] = if model.massless()[i] { v[i] } else { 2.0 * v[i] - state.v[i] };
        }

        // contacts and their work
        let (mut contact_work, mut obstacle_work) = (0.0, 0.0);
        step.friction.resize(step.contacts.len(), Tangential::default());
        for (c, along) in step.contacts.iter_mut().zip(&mut step.friction) {
            let rate = model.G().column_dot(c.id, v) + self.shift[c.id] / h;
            c.gap = model.gap(c.id, &step.after.q, step.after.t);
            c.u_before = model.gap_rate(c.id, &state.v, state.t);
            c.u_after = if c.p > 0.0 { c.gap / h } else { rate };
            contact_work += c.p * rate;
            obstacle_work -= c.p * self.shift[c.id] / h;
            along.n = model.tangent_columns(c.id).len();
            along.u_before = model.tangent_rate(c.id, &state.v);
            along.u_after = model.tangent_rate(c.id, v);
            contact_work += along.p[0] * along.u_after[0] + along.p[1] * along.u_after[1];
            if !along.frictional {
                along.status = c.status();
            }
        }
        if !model.has_tangents() {
            step.friction.clear();
        }
        if let Some(friction) = &self.friction {
            friction.judge(step);
        }

        let mut entry = LedgerEntry {
            kinetic: model.kinetic_energy(&step.after.v),
            potential: model.potential_energy(&step.after.q),
            work_external: obstacle_work + (0..n).map(|i| dq[i] * self.load.weighted(0.5, i)).sum::<f64>(),
            work_damping: model.damping().map_or(0.0, |C| -C.bilinear(dq, dq) / h),
            work_contact: contact_work,
            ..Default::default()
        };
        entry.close(memory.H, entry.energy());
        next.H = entry.algorithmic_energy;
        step.ledger = entry;
        Ok(())
    }
}

impl GapLaw {
    /// Free motion to the middle of the step, then the impulses of all contacts.
    fn impulses(&mut self, operators: &mut Operators, from: &StepStart, step: &mut Step, next: &mut Memory) -> Made {
        let StepStart { state, memory, h } = *from;
        let model = Arc::clone(&self.model);
        let (n, m) = (model.n(), model.n_contacts());
        self.load.evaluate(&model, state.t, h);
        let v = &mut self.work[0];
        for i in 0..n {
            v[i] = 0.5 * h * self.load.weighted(0.5, i);
        }
        model.mass().mul_add(1.0, &state.v, v);
        model.add_elastic_force(-0.5 * h, &state.q, v);
        operators.factor.solve(v);

        step.smallest_gap = None;
        next.u_max = memory.u_max;
        for j in 0..m {
            let offset = &model.contacts()[j].offset;
            self.shift[j] = if offset.is_constant() { 0.0 } else { offset.at(state.t + h) - offset.at(state.t) };
            let gap = model.gap(j, &state.q, state.t);
            if step.smallest_gap.is_none_or(|(least, _)| gap < least) {
                step.smallest_gap = Some((gap, j));
            }
            self.b[j] = (gap + self.shift[j]) / h + model.G().column_dot(j, v);
        }
        self.contacts.begin(&self.b, &memory.p);
        next.clear_impulses(m);
        step.contacts.clear();
        step.friction.clear();
        step.info = Default::default();
        if self.friction.is_some() {
            self.contacts.response.fill(0.0);
            return self.with_friction(operators, from, step, next);
        }
        self.p.copy_from_slice(&memory.p);
        step.info = self.contacts.solve((state.t, h), operators, &self.b, &mut self.p)?;
        for &j in &self.contacts.index {
            let mut c = ContactState::before(j, self.b[j], 0.0);
            (c.u_free, c.p) = (self.b[j], self.p[j]);
            step.contacts.push(c);
            next.p[j] = self.p[j];
        }
        Ok(())
    }
}

/// Moves the nodes without mass to equilibrium; says so where that changes anything.
pub(super) fn settled(model: &LinearModel, state: &mut State, options: SolverOptions) -> Option<Warning> {
    let settled = Surface::new(model)?.settle(model, &state.q, options)?;
    if !settled.moved {
        return None;
    }
    let change = model.potential_energy(&settled.q) - model.potential_energy(&state.q);
    state.q = settled.q;
    let message = format!(
        "the contact nodes, which have no mass, were moved to where they are in equilibrium; the energy changed by {change:.6e} J"
    );
    Some(Warning { code: Code::START_MOVED, message })
}
