//! GGL generalized-α with friction on a linear model: positions, velocities and cones of a step as one cone problem.
//!
//!   v = v̂ + M⁻¹(G p_N + T p_T),    q = q̂ + M⁻¹(G ν + (h/2) T p_T),    0 ≤ g(q) ⟂ ν ≥ 0
//!   on J = {g(q̂) ≤ 0 or ν > 0}: the friction law on u = Hᵀv with u_n = Hᵀv_n, ê = 1 and α = 1 where `hold` and Frémond ask
//!
//! A multiplier that moves q by a_q M⁻¹H_c and v by a_v M⁻¹H_c changes the smooth acceleration by −a_q S⁻¹K Y_c − a_v S⁻¹C Y_c,
//! Y = M⁻¹H, with (a_q, a_v) = (h, 0) for ν/h, (0, 1) for p_N and (h/2, 1) for p_T. Rows of positions enter the cone problem as
//! contacts without friction. Without the shift by p_T a stuck contact would creep at (h/2) times its load.
//!
//! Ledger as without friction: ΔE = [E(q̂, v̂) − E_n] + ½(u + û)·p + [V(q) − V(q̂)], all components in the second term.

use crate::contact::friction_rule::{FrictionRule, Velocities};
use crate::contact::law::padded_blocks;
use crate::linear::load::Load;
use crate::linear::mass::{acceleration, mass_factor};
use crate::{
    Accelerations, ContactState, ContactStatus, LedgerEntry, Memory, NewmarkLike, Scheme, State, Step, StepFailure,
    StepInfo, StepStart, Stepper, Tangential,
};
use percussion_matrix::{ConstrainedFactor, Matrix, vector};
use percussion_model::LinearModel;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Rounds in which the sets may move; after a few they only grow.
const ROUNDS: usize = 30;
const SHRINKING: usize = 8;
/// Part of the normal way of a step that counts as round-off of a gap.
const CLOSED: f64 = 1e-10;

/// The scheme bound to a linear model whose contacts rub.
pub struct FrictionalGgl {
    model: Arc<LinearModel>,
    p: NewmarkLike,
    rule: FrictionRule,
    load: Load,
    mass: ConstrainedFactor,
    operators: Vec<Operators>,
    /// Components per contact.
    d: usize,
    /// Contacts with a row for ν, contacts with rows for p.
    at_position: Vec<usize>,
    closed: Vec<usize>,
    nu: Vec<f64>,
    /// p by contact: normal, tangents.
    impulses: Vec<[f64; 3]>,
    /// Contacts under Frémond's law in this step; it only grows within a step.
    fremond: Vec<bool>,
    outcome: Vec<Tangential>,
    problem: FrictionProblem,
    assembled: (u64, Vec<usize>, Vec<usize>),
    rows: Vec<Option<Row>>,
    u_before: Vec<f64>,
    u_free: Vec<f64>,
    restitution: Vec<f64>,
    z: Vec<f64>,
    // vectors of a step
    q_p: Vec<f64>,
    v_p: Vec<f64>,
    vd_free: Vec<f64>,
    vd: Vec<f64>,
    qt: Vec<f64>,
    vt: Vec<f64>,
    U: Vec<f64>,
    W: Vec<f64>,
    u_n: Vec<f64>,
}

/// What a row of the problem stands for: a column of H, and how its multiplier moves q and v.
#[derive(Clone, Copy, Debug)]
struct Row {
    column: usize,
    a_q: f64,
    a_v: f64,
    /// A condition on g/h instead of a velocity.
    position: bool,
}

struct Operators {
    h: f64,
    factor: ConstrainedFactor,
    columns: Vec<Option<Box<Columns>>>,
}

/// What unit multipliers along one column of H do.
struct Columns {
    /// M⁻¹H_c.
    Y: Vec<f64>,
    /// S⁻¹K Y and S⁻¹C Y, empty without K or C.
    B_K: Vec<f64>,
    B_C: Vec<f64>,
}

impl FrictionalGgl {
    /// Binds the scheme.
    pub fn new(model: Arc<LinearModel>, p: NewmarkLike, scheme: &Scheme, options: SolverOptions) -> Self {
        let (n, m) = (model.n(), model.n_contacts());
        let mass = mass_factor(&model);
        let rubbing = model.contacts().iter().filter(|c| c.friction > 0.0);
        let d = 1 + rubbing.map(|c| c.tangents.len()).max().unwrap_or(1);
        let zero = |k| vec![0.0; k];
        Self {
            p,
            rule: FrictionRule::new(scheme.friction_law, scheme.facts().opening_restitution, options),
            load: Load::new(&model),
            mass,
            operators: Vec::new(),
            d,
            at_position: Vec::new(),
            closed: Vec::new(),
            nu: zero(m),
            impulses: vec![[0.0; 3]; m],
            fremond: vec![false; m],
            outcome: vec![Tangential::default(); m],
            problem: FrictionProblem::empty(d),
            assembled: (0, Vec::new(), Vec::new()),
            rows: Vec::new(),
            u_before: Vec::new(),
            u_free: Vec::new(),
            restitution: Vec::new(),
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
            model,
        }
    }

    /// κ and κ_q: Δv̂ = κ Δv̇, Δq̂ = κ_q Δv̇.
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
        let columns = (0..self.model.H().n_cols()).map(|_| None).collect();
        self.operators.push(Operators { h, factor, columns });
        Ok(self.operators.len() - 1)
    }

    /// The tangents of contact j that rub, as columns of H.
    fn tangents(&self, j: usize) -> std::ops::Range<usize> {
        if self.model.contacts()[j].friction > 0.0 { self.model.tangent_columns(j) } else { 0..0 }
    }

    fn ensure(&mut self, k: usize, j: usize) {
        for c in std::iter::once(j).chain(self.tangents(j)) {
            if self.operators[k].columns[c].is_some() {
                continue;
            }
            let n = self.model.n();
            let mut Y = vec![0.0; n];
            self.model.H().add_column(c, 1.0, &mut Y);
            self.mass.solve(&mut Y);
            let factor = &mut self.operators[k].factor;
            let mut through = |A: Option<&Matrix>| {
                A.map_or(Vec::new(), |A| {
                    let mut x = vec![0.0; n];
                    A.mul_add(1.0, &Y, &mut x);
                    factor.solve(&mut x);
                    x
                })
            };
            let (B_K, B_C) = (through(self.model.stiffness()), through(self.model.damping()));
            self.operators[k].columns[c] = Some(Box::new(Columns { Y, B_K, B_C }));
        }
    }

    /// v̇, q̂, v̂ and the corrections U of q, W of v for the present multipliers.
    fn place(&mut self, k: usize, h: f64) {
        let (kappa, kappa_q) = self.weights(h);
        self.vd.copy_from_slice(&self.vd_free);
        self.U.fill(0.0);
        self.W.fill(0.0);
        for j in 0..self.nu.len() {
            let [p_n, p_t @ ..] = self.impulses[j];
            let normal = (j, self.nu[j], p_n);
            let along = self.tangents(j).zip(p_t).map(|(c, p)| (c, 0.5 * h * p, p));
            for (c, in_q, in_v) in std::iter::once(normal).chain(along) {
                if in_q == 0.0 && in_v == 0.0 {
                    continue;
                }
                let Some(columns) = &self.operators[k].columns[c] else { continue };
                if !columns.B_K.is_empty() {
                    vector::axpy(-in_q, &columns.B_K, &mut self.vd);
                }
                if !columns.B_C.is_empty() {
                    vector::axpy(-in_v, &columns.B_C, &mut self.vd);
                }
                vector::axpy(in_q, &columns.Y, &mut self.U);
                vector::axpy(in_v, &columns.Y, &mut self.W);
            }
        }
        for i in 0..self.vd.len() {
            self.qt[i] = self.q_p[i] + kappa_q * self.vd[i];
            self.vt[i] = self.v_p[i] + kappa * self.vd[i];
        }
    }

    /// g(q) of contact j at the present iterate.
    fn gap(&self, j: usize, t: f64) -> f64 {
        self.model.gap(j, &self.qt, t) + self.model.G().column_dot(j, &self.U)
    }

    /// Whether ν_j pushes: above zero, and by more than a gap that is open would leave of it as round-off.
    fn pushes(&self, k: usize, j: usize, t: f64) -> bool {
        let Some(columns) = &self.operators[k].columns[j] else { return false };
        self.nu[j] > 0.0 && self.nu[j] * self.model.G().column_dot(j, &columns.Y) >= self.gap(j, t)
    }

    /// Whether the velocity law acts on contact j: its gap is closed at q̂ to round-off, or held.
    fn is_closed(&self, k: usize, j: usize, h: f64, t: f64) -> bool {
        self.model.gap(j, &self.qt, t) <= CLOSED * h * self.u_n[j].abs() || self.pushes(k, j, t)
    }

    /// Rows and velocities of the present sets.
    fn describe(&mut self, state: &State, memory: &Memory, h: f64) {
        let (model, d, t) = (Arc::clone(&self.model), self.d, state.t + h);
        let (kappa, kappa_q) = self.weights(h);
        let H = model.H();
        for list in [&mut self.u_before, &mut self.u_free, &mut self.restitution, &mut self.z] {
            list.clear();
        }
        self.rows.clear();
        for &j in &self.at_position {
            self.rows.push(Some(Row { column: j, a_q: h, a_v: 0.0, position: true }));
            let place = H.column_dot(j, &self.q_p) + kappa_q * H.column_dot(j, &self.vd_free);
            self.u_free.push((place + model.contacts()[j].offset.at(t)) / h);
            self.z.push(memory.carried.of::<Accelerations>().nu[j] / h);
            self.restitution.push(0.0);
            for list in [&mut self.u_free, &mut self.z] {
                list.resize(list.len() + d - 1, 0.0);
            }
            self.u_before.resize(self.u_before.len() + d, 0.0);
            self.rows.resize(self.rows.len() + d - 1, None);
        }
        for &j in &self.closed {
            let contact = &model.contacts()[j];
            let free = |c: usize| H.column_dot(c, &self.v_p) + kappa * H.column_dot(c, &self.vd_free);
            self.rows.push(Some(Row { column: j, a_q: 0.0, a_v: 1.0, position: false }));
            self.u_before.push(self.u_n[j]);
            self.u_free.push(free(j) + contact.offset.rate(t));
            self.z.push(memory.p[j]);
            self.restitution.push(if self.u_n[j] > 0.0 { 1.0 } else { contact.restitution });
            let last = memory.p_t.get(j).copied().unwrap_or_default();
            let tangents = self.tangents(j);
            let padding = d - 1 - tangents.len();
            for (c, last) in tangents.zip(last) {
                self.rows.push(Some(Row { column: c, a_q: 0.5 * h, a_v: 1.0, position: false }));
                self.u_before.push(H.column_dot(c, &state.v));
                self.u_free.push(H.column_dot(c, &self.v_p) + kappa * H.column_dot(c, &self.vd_free));
                self.z.push(last);
            }
            for list in [&mut self.u_before, &mut self.u_free, &mut self.z] {
                list.resize(list.len() + padding, 0.0);
            }
            self.rows.resize(self.rows.len() + padding, None);
        }
    }

    /// W of the rows, unless it is there already.
    fn assemble(&mut self, k: usize, h: f64) {
        let key = h.to_bits();
        if self.assembled.0 == key && self.assembled.1 == self.at_position && self.assembled.2 == self.closed {
            return;
        }
        let (kappa, kappa_q) = self.weights(h);
        let along = |i: usize, x: &[f64]| if x.is_empty() { 0.0 } else { self.model.H().column_dot(i, x) };
        let mut entries = Vec::new();
        for (b, from) in self.rows.iter().enumerate() {
            let Some(from) = from else { continue };
            let c = self.operators[k].columns[from.column].as_ref().expect("made when its contact entered the set");
            for (a, to) in self.rows.iter().enumerate() {
                let Some(to) = to else { continue };
                let smooth = from.a_q * along(to.column, &c.B_K) + from.a_v * along(to.column, &c.B_C);
                let w = if to.position {
                    (from.a_q * along(to.column, &c.Y) - kappa_q * smooth) / h
                } else {
                    from.a_v * along(to.column, &c.Y) - kappa * smooth
                };
                if w != 0.0 {
                    entries.push((a, b, w));
                }
            }
        }
        let used: Vec<Option<usize>> = self.rows.iter().map(|row| row.map(|row| row.column)).collect();
        self.problem.W = padded_blocks(self.d, &used, &entries);
        self.problem.ids.clear();
        self.problem.ids.extend(self.at_position.iter().chain(&self.closed));
        self.problem.mu.clear();
        self.problem.mu.resize(self.at_position.len(), 0.0);
        self.problem.mu.extend(self.closed.iter().map(|&j| self.model.contacts()[j].friction));
        self.problem.revision += 1;
        self.assembled.0 = key;
        self.assembled.1.clone_from(&self.at_position);
        self.assembled.2.clone_from(&self.closed);
    }

    /// The cone problem on the present sets, solved for ν and p.
    fn solve(
        &mut self,
        k: usize,
        state: &State,
        memory: &Memory,
        h: f64,
        info: &mut StepInfo,
    ) -> Result<(), StepFailure> {
        self.describe(state, memory, h);
        self.assemble(k, h);
        let (d, np) = (self.d, self.at_position.len());
        self.rule.fremond.clear();
        self.rule.fremond.resize(np, false);
        self.rule.fremond.extend(self.closed.iter().map(|&j| self.fremond[j]));
        let u =
            Velocities { before: &self.u_before, free: &self.u_free, restitution: &self.restitution, positions: np };
        let report = match self.rule.solve(&mut self.problem, u, &mut self.z) {
            Ok(report) => report,
            Err(report) => return Err(StepFailure::unsolved_friction(state.t, h, &self.problem, &report)),
        };
        info.solves += report.solves;
        info.iterations += report.iterations;
        info.residual = report.residual;
        info.impacts = info.impacts.max(report.impacts);
        info.fallbacks += report.fallbacks;
        self.nu.fill(0.0);
        self.impulses.fill([0.0; 3]);
        for (i, &j) in self.at_position.iter().enumerate() {
            self.nu[j] = h * self.z[i * d];
        }
        let push = |i: usize| self.problem.W.diagonal_block(i)[0] * self.z[i * d];
        let scale = (0..self.problem.len()).fold(0.0, |scale: f64, i| scale.max(push(i)));
        for (i, &j) in self.closed.iter().enumerate() {
            let at = (np + i) * d..(np + i + 1) * d;
            let (r, w) = (&self.z[at.clone()], &self.rule.w[at]);
            self.impulses[j][0] = r[0];
            let tangents = self.tangents(j).len();
            self.impulses[j][1..=tangents].copy_from_slice(&r[1..=tangents]);
            self.fremond[j] |= self.rule.fremond[np + i];
            let mu = self.problem.mu[np + i];
            self.outcome[j].status = ContactStatus::judge(mu, r, w, scale, report.residual);
        }
        Ok(())
    }

    /// Sets and multipliers until the sets stay.
    fn settle(
        &mut self,
        k: usize,
        state: &State,
        memory: &Memory,
        h: f64,
        info: &mut StepInfo,
    ) -> Result<(), StepFailure> {
        let t = state.t + h;
        *info = StepInfo::default();
        self.nu.fill(0.0);
        self.impulses.fill([0.0; 3]);
        self.fremond.fill(false);
        self.outcome.fill(Tangential::default());
        self.at_position.clear();
        self.closed.clear();
        self.place(k, h);
        for round in 0..=ROUNDS {
            let mut moved = false;
            for j in 0..self.nu.len() {
                // positions: once asked for, always in the problem
                if self.gap(j, t) <= 0.0
                    && let Err(place) = self.at_position.binary_search(&j)
                {
                    self.at_position.insert(place, j);
                    moved = true;
                }
                match (self.is_closed(k, j, h, t), self.closed.binary_search(&j)) {
                    (true, Err(place)) => {
                        self.closed.insert(place, j);
                        moved = true;
                    }
                    (false, Ok(place)) if round < SHRINKING => {
                        self.closed.remove(place);
                        moved = true;
                    }
                    _ => {}
                }
            }
            if !moved {
                return Ok(());
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
        Err(StepFailure::newton(state, h, format!("the sets of closed contacts still move after {ROUNDS} rounds")))
    }
}

impl Stepper for FrictionalGgl {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        (!self.z.is_empty()).then(|| (self.problem.clone(), self.z.clone()))
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
        self.operators[k].factor.solve(&mut self.vd_free);
        if let Some(i) = self.vd_free.iter().position(|x| !x.is_finite()) {
            return Err(StepFailure::not_finite(state.t, h, i));
        }

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
        self.settle(k, state, memory, h, &mut step.info)?;

        // the new state and memory
        step.after.q.resize(n, 0.0);
        step.after.v.resize(n, 0.0);
        let carried = next.carried.renew::<Accelerations>();
        carried.carry(&self.p, &self.vd, memory.carried.of());
        carried.nu.clone_from(&self.nu);
        for i in 0..n {
            step.after.q[i] = self.qt[i] + self.U[i];
            step.after.v[i] = self.vt[i] + self.W[i];
        }
        step.contacts.clear();
        step.friction.clear();
        for list in [&mut next.p, &mut next.push] {
            list.clear();
            list.resize(m, 0.0);
        }
        next.p_t.clear();
        next.p_t.resize(m, [0.0; 2]);
        let (mut impulse, mut driven) = (0.0, 0.0);
        for j in 0..m {
            if self.closed.binary_search(&j).is_err() && !self.pushes(k, j, t) {
                continue;
            }
            let [p, p_t @ ..] = self.impulses[j];
            let (u_free, u_after) = (model.gap_rate(j, &self.vt, t), model.gap_rate(j, &step.after.v, t));
            impulse += 0.5 * p * (u_free + u_after);
            // what a moving obstacle puts in is the work of a load
            driven -= p * model.contacts()[j].offset.rate(t);
            let along = Tangential {
                n: model.tangent_columns(j).len(),
                u_before: model.tangent_rate(j, &state.v),
                u_after: model.tangent_rate(j, &step.after.v),
                p: p_t,
                fremond: self.fremond[j],
                frictional: model.contacts()[j].friction > 0.0,
                ..self.outcome[j]
            };
            impulse += Tangential { u_before: model.tangent_rate(j, &self.vt), ..along }.work(0.5);
            (next.p[j], next.p_t[j]) = (p, p_t);
            let gap = model.gap(j, &step.after.q, t);
            step.contacts.push(ContactState { id: j, gap, u_before: self.u_n[j], u_free, u_after, p });
            step.friction.push(along);
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
