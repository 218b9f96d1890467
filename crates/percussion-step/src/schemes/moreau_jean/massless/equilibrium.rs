//! `equilibrium`: nodes without mass are in equilibrium at both ends of the step, and no contact takes or gives energy.
//!
//!   (K q)_c = F_c + G_c λ at k and k+1,    0 ≤ g_{k+1} ⟂ λ_{k+1} ≥ 0
//!   (M + (h/2)C + (h²/4)K) Δq = r + (h²/4) G λ_{k+1} − (h²/2) B α,    B = −K_ic K_cc⁻¹ G_c
//!   r_i = [h M v_k − (h²/2) K q_k + (h²/2) F̄]_i,    r_c = (h²/4)[F_{k+1} − K q_k]_c,    v_{i,k+1} = 2Δq_i/h − v_i
//!
//! With α = 0 the step gains ½ Σ(λ_k g_{k+1} − λ_{k+1} g_k): landing loses, lifting off gains. Contacts whose status changes
//! take it back, α_j B_jᵀΔq = ½(λ_{k,j} g_{k+1,j} − λ_{k+1,j} g_{k,j}), so that ΔE = F̄·Δq − ΔqᵀCΔq/h. α is a fixed point;
//! where none exists contact by contact, all contacts share the correction: α_j = w_j d_j N/Σ w d², d = BᵀΔq,
//! w = ½(λ_k + λ_{k+1}), N = ½ Σ(λ_k g_{k+1} − λ_{k+1} g_k). The impulse of a step is P = h(½(λ_k + λ_{k+1}) − α).

use super::anderson::Anderson;
use super::gap::settled;
use super::settle::Surface;
use super::weights;
use crate::contact::end_gaps::EndGaps;
use crate::contact::law::without_friction;
use crate::linear::load::Load;
use crate::linear::operators::{MOST_KEPT, Operators};
use crate::{ContactState, LedgerEntry, Memory, State, Step, StepFailure, StepInfo, StepStart, Stepper, Warning};
use percussion_matrix::vector;
use percussion_model::LinearModel;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Iterations for α before the correction is shared, and again before it is given up.
const MOST: usize = 60;
/// Work of contacts, relative to the energies, up to which a correction that was given up is as good as settled.
const WORK: f64 = 1e-12;
/// Change of α, relative to the largest force, at which it has settled.
const SETTLED: f64 = 1e-15;

/// λ of each contact, carried from step to step [N].
#[derive(Clone, Debug, Default, PartialEq)]
struct Forces {
    lambda: Vec<f64>,
}
crate::carried! { Forces { lambda } }

/// The law `equilibrium` bound to a linear model.
pub struct Equilibrium {
    model: Arc<LinearModel>,
    options: SolverOptions,
    contacts: EndGaps,
    surface: Surface,
    load: Load,
    operators: Vec<Operators>,
    threads: usize,
    corrections: Corrections,
    history: Anderson,
    /// Δq without λ and α, Δq.
    free: Vec<f64>,
    dq: Vec<f64>,
    /// Of all contacts: gap without α and λ, the same with α, g_k, λ_{k+1}, α, Δw.
    b_free: Vec<f64>,
    b: Vec<f64>,
    gap: Vec<f64>,
    lambda: Vec<f64>,
    alpha: Vec<f64>,
    shift: Vec<f64>,
    /// Steps in which a status changed, iterations in them, steps with a shared correction, steps that did not settle.
    counts: [u64; 4],
    /// Whether the last one did not.
    given_up: bool,
}

/// What corrections do, for one step size: B_j and Ŝ⁻¹B_j of contacts whose status has changed or, of large models with many
/// contacts, nothing but the last BᵀΔq, and each product by a solve.
#[derive(Default)]
struct Corrections {
    h: f64,
    kept: bool,
    columns: Vec<Option<Box<[Vec<f64>; 2]>>>,
    pulled: Vec<f64>,
}

impl Corrections {
    fn ensure(&mut self, j: usize, model: &LinearModel, surface: &mut Surface, operators: &mut Operators) {
        if self.kept && self.columns[j].is_none() {
            let B = surface.interior(model, j);
            let mut D = B.clone();
            operators.factor.solve(&mut D);
            self.columns[j] = Some(Box::new([B, D]));
        }
    }

    /// Notes Δq, so that `along` can answer.
    fn look(&mut self, model: &LinearModel, surface: &mut Surface, dq: &[f64]) {
        if !self.kept {
            self.pulled = surface.pull(model, dq);
        }
    }

    /// B_jᵀΔq.
    fn along(&self, j: usize, dq: &[f64]) -> f64 {
        match &self.columns[j] {
            Some(columns) => vector::dot(&columns[0], dq),
            None => self.pulled.get(j).copied().unwrap_or(0.0),
        }
    }

    /// Calls `act(c, Ŝ⁻¹B_j)` with c = α_j, or once with c = 1 and Ŝ⁻¹ Σ B_j α_j.
    fn push(
        &mut self,
        alpha: &[f64],
        model: &LinearModel,
        surface: &mut Surface,
        operators: &mut Operators,
        mut act: impl FnMut(f64, &[f64]),
    ) {
        if !self.kept {
            if alpha.iter().any(|&alpha| alpha != 0.0) {
                let mut D = surface.push(model, alpha);
                operators.factor.solve(&mut D);
                act(1.0, &D);
            }
            return;
        }
        for (j, &alpha) in alpha.iter().enumerate().filter(|(_, alpha)| **alpha != 0.0) {
            self.ensure(j, model, surface, operators);
            if let Some(columns) = &self.columns[j] {
                act(alpha, &columns[1]);
            }
        }
    }
}

impl Equilibrium {
    /// Binds the law; none where the nodes without mass are held by nothing.
    pub fn new(model: Arc<LinearModel>, options: SolverOptions) -> Option<Self> {
        let (n, m) = (model.n(), model.n_contacts());
        let of_contacts = || vec![0.0; m];
        Some(Self {
            options,
            contacts: EndGaps::new(&model, options),
            surface: Surface::new(&model)?,
            load: Load::new(&model),
            operators: Vec::new(),
            threads: 1,
            corrections: Corrections {
                kept: n * m <= MOST_KEPT,
                columns: (0..m).map(|_| None).collect(),
                ..Corrections::default()
            },
            history: Anderson::default(),
            free: vec![0.0; n],
            dq: vec![0.0; n],
            b_free: of_contacts(),
            b: of_contacts(),
            gap: of_contacts(),
            lambda: of_contacts(),
            alpha: of_contacts(),
            shift: of_contacts(),
            counts: [0; 4],
            given_up: false,
            model,
        })
    }

    /// Δq and gaps without λ and α.
    fn free_motion(&mut self, from: &StepStart, operators: &mut Operators, lambda: &[f64]) {
        let StepStart { state, h, .. } = *from;
        let (model, free) = (&*self.model, &mut self.free);
        self.load.evaluate(model, state.t, h);
        let quarter = 0.25 * h * h;
        free.fill(0.0);
        model.mass().mul_add(h, &state.v, free);
        for (i, x) in free.iter_mut().enumerate() {
            // twice the forces where there is mass, once where there is none
            *x += if model.massless()[i] {
                quarter * self.load.next[i]
            } else {
                2.0 * quarter * self.load.weighted(0.5, i)
            };
        }
        self.dq.fill(0.0);
        model.add_elastic_force(-quarter, &state.q, &mut self.dq);
        for (i, x) in free.iter_mut().enumerate() {
            *x += if model.massless()[i] { self.dq[i] } else { 2.0 * self.dq[i] };
        }
        operators.factor.solve(free);
        for j in 0..self.gap.len() {
            let offset = &model.contacts()[j].offset;
            self.shift[j] = if offset.is_constant() { 0.0 } else { offset.at(state.t + h) - offset.at(state.t) };
            self.gap[j] = if lambda[j] > 0.0 { 0.0 } else { model.gap(j, &state.q, state.t) };
            self.b_free[j] = self.gap[j] + self.shift[j] + model.G().column_dot(j, free);
        }
    }

    /// λ_{k+1} and Δq for the α at hand.
    fn solve(&mut self, (t, h): (f64, f64), operators: &mut Operators) -> Result<StepInfo, StepFailure> {
        self.dq.copy_from_slice(&self.free);
        self.b.copy_from_slice(&self.b_free);
        let half = 0.5 * h * h;
        let Self { model, corrections, surface, alpha, dq, b, .. } = self;
        corrections.push(alpha, model, surface, operators, |c, D| {
            vector::axpy(-half * c, D, dq);
            for (i, b) in b.iter_mut().enumerate() {
                *b -= half * c * model.G().column_dot(i, D);
            }
        });
        let info = self.contacts.solve((t, h), operators, &self.b, &mut self.lambda)?;
        vector::axpy(operators.weight(), &self.contacts.response, &mut self.dq);
        Ok(info)
    }

    /// g_{k+1} of contact j by the law: zero where it pushes.
    fn end_gap(&self, j: usize) -> f64 {
        if self.lambda[j] > 0.0 {
            return 0.0;
        }
        self.gap[j] + self.shift[j] + self.model.G().column_dot(j, &self.dq)
    }

    /// α that would take back what the contacts gain, contact by contact or shared; none where no status changes.
    fn correction(&mut self, before: &[f64], shared: bool, operators: &mut Operators) -> Option<Vec<f64>> {
        let changed: Vec<usize> = (0..before.len()).filter(|&j| (before[j] > 0.0) != (self.lambda[j] > 0.0)).collect();
        if changed.is_empty() {
            return None;
        }
        let gain = |own: &Self, j: usize| 0.5 * (before[j] * own.end_gap(j) - own.lambda[j] * own.gap[j]);
        let mut alpha = vec![0.0; before.len()];
        let touching = |own: &Self, j: &usize| before[*j] > 0.0 || own.lambda[*j] > 0.0;
        let listed: Vec<usize> =
            if shared { (0..before.len()).filter(|j| touching(self, j)).collect() } else { changed.clone() };
        let mut sums = (0.0, 0.0);
        self.corrections.look(&self.model, &mut self.surface, &self.dq);
        for &j in &listed {
            self.corrections.ensure(j, &self.model, &mut self.surface, operators);
            let d = self.corrections.along(j, &self.dq);
            if shared {
                let w = 0.5 * (before[j] + self.lambda[j]);
                alpha[j] = w * d;
                sums = (sums.0 + gain(self, j), sums.1 + w * d * d);
            } else if d != 0.0 {
                alpha[j] = gain(self, j) / d;
            }
        }
        if shared {
            let factor = if sums.1 > 0.0 { sums.0 / sums.1 } else { 0.0 };
            alpha.iter_mut().for_each(|alpha| *alpha *= factor);
        }
        Some(alpha)
    }

    /// The fixed point of α; whether it settled.
    fn iterate(
        &mut self,
        at: (f64, f64),
        operators: &mut Operators,
        before: &[f64],
        shared: bool,
        info: &mut StepInfo,
    ) -> Result<bool, StepFailure> {
        self.history.clear();
        self.alpha.fill(0.0);
        for round in 0..MOST {
            info.repeat(&self.solve(at, operators)?);
            let image = self.correction(before, shared, operators).unwrap_or_else(|| vec![0.0; before.len()]);
            let largest = before.iter().chain(&self.lambda).fold(0.0, |size: f64, x| size.max(*x));
            let change = image.iter().zip(&self.alpha).fold(0.0, |size: f64, (a, b)| size.max((a - b).abs()));
            if change <= SETTLED * largest {
                if round > 0 {
                    self.counts[0] += 1;
                    self.counts[1] += round as u64 + 1;
                }
                return Ok(true);
            }
            if round + 1 < MOST {
                let next = self.history.next(&self.alpha, &image);
                self.alpha.copy_from_slice(&next);
            }
        }
        Ok(false)
    }

    fn forces(&mut self, from: &StepStart, operators: &mut Operators, before: &[f64]) -> Result<StepInfo, StepFailure> {
        self.given_up = false;
        self.free_motion(from, operators, before);
        self.lambda.copy_from_slice(before);
        self.contacts.begin(&self.b_free, before);
        let at = (from.state.t, from.h);
        let mut info = StepInfo::default();
        if !self.iterate(at, operators, before, false, &mut info)? {
            self.counts[2] += 1;
            if !self.iterate(at, operators, before, true, &mut info)? {
                self.counts[3] += 1;
                self.given_up = true;
            }
        }
        Ok(info)
    }
}

impl Stepper for Equilibrium {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let (problem, x) = self.contacts.last();
        without_friction(problem, x)
    }

    fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    fn settle(&mut self, state: &mut State) -> Option<Warning> {
        settled(&self.model, state, self.options)
    }

    fn start(&mut self, state: &State) -> Memory {
        let H = self.model.kinetic_energy(&state.v) + self.model.potential_energy(&state.q);
        let settled = self.surface.settle(&self.model, &state.q, self.options);
        let lambda = settled.map_or_else(|| vec![0.0; self.model.n_contacts()], |settled| settled.lambda);
        Memory::new(H, self.model.n_contacts()).carrying(Forces { lambda })
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        let names =
            ["steps_with_changing_contacts", "correction_iterations", "corrections_shared", "corrections_given_up"];
        names.into_iter().zip(self.counts).collect()
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let model = Arc::clone(&self.model);
        let before = &memory.carried.of::<Forces>().lambda;
        if self.corrections.h != h {
            self.corrections.h = h;
            self.corrections.columns.iter_mut().for_each(|columns| *columns = None);
        }
        let mut kept = std::mem::take(&mut self.operators);
        let made = Operators::of(&mut kept, &model, (state.t, h), weights(h, 0.25 * h * h, self.threads));
        let result = made.and_then(|operators| self.forces(from, operators, before));
        self.operators = kept;
        step.info = result?;

        let n = model.n();
        step.h = h;
        step.after.t = state.t + h;
        step.after.q.resize(n, 0.0);
        step.after.v.resize(n, 0.0);
        for i in 0..n {
            let rate = self.dq[i] / h;
            step.after.q[i] = state.q[i] + self.dq[i];
            step.after.v[i] = if model.massless()[i] { rate } else { 2.0 * rate - state.v[i] };
        }

        // contacts and their work, which is round-off where α has settled
        step.contacts.clear();
        step.friction.clear();
        step.smallest_gap = None;
        next.u_max = memory.u_max;
        next.clear_impulses(model.n_contacts());
        let (mut contact_work, mut obstacle_work) = (0.0, 0.0);
        for j in 0..model.n_contacts() {
            if step.smallest_gap.is_none_or(|(least, _)| self.gap[j] < least) {
                step.smallest_gap = Some((self.gap[j], j));
            }
            if before[j] == 0.0 && self.lambda[j] == 0.0 && self.alpha[j] == 0.0 {
                continue;
            }
            let mean = 0.5 * (before[j] + self.lambda[j]);
            contact_work += mean * (self.end_gap(j) - self.gap[j]);
            obstacle_work -= mean * self.shift[j];
            if self.alpha[j] != 0.0 {
                contact_work -= self.alpha[j] * self.corrections.along(j, &self.dq);
            }
            let mut c = ContactState::before(j, self.gap[j], model.gap_rate(j, &state.v, state.t));
            c.gap = model.gap(j, &step.after.q, step.after.t);
            c.u_after = model.gap_rate(j, &step.after.v, step.after.t);
            c.u_free = (self.b_free[j] - self.gap[j]) / h;
            c.p = h * (mean - self.alpha[j]);
            next.p[j] = c.p;
            step.contacts.push(c);
        }
        if model.has_tangents() {
            crate::contact::phase::conclude_tangents(&model, &state.v, step);
        }
        next.carried.renew::<Forces>().lambda.clone_from(&self.lambda);

        let mut entry = LedgerEntry {
            kinetic: model.kinetic_energy(&step.after.v),
            potential: model.potential_energy(&step.after.q),
            work_external: obstacle_work + (0..n).map(|i| self.dq[i] * self.load.weighted(0.5, i)).sum::<f64>(),
            work_damping: model.damping().map_or(0.0, |C| -C.bilinear(&self.dq, &self.dq) / h),
            work_contact: contact_work,
            ..Default::default()
        };
        if self.given_up && contact_work.abs() > WORK * (memory.H.abs() + entry.kinetic + entry.potential.abs()) {
            let message = format!(
                "contacts that open and close in this step would give or take {contact_work:.1e} J, and no correction was found that keeps the energy"
            );
            return Err(from.failure(message));
        }
        entry.close(memory.H, entry.energy());
        next.H = entry.algorithmic_energy;
        step.ledger = entry;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_matrix::{Matrix, SparseMatrix};
    use percussion_model::{Contact, ElementFacts, LinearParts, NodalCoordinates, Signal};

    /// Two bars with held ends that strike a wall and each other, the nodes that touch without mass.
    fn bars(n: usize) -> Arc<LinearModel> {
        let bare = [0, n - 1, n];
        let mut springs = vec![(2 * n - 1, 2 * n - 1, 1.0), (n / 2, n / 2, 0.3)];
        for i in (1..n).chain(n + 1..2 * n) {
            springs.extend([(i, i, 1.0), (i - 1, i - 1, 1.0), (i, i - 1, -1.0), (i - 1, i, -1.0)]);
        }
        let mass: Vec<f64> = (0..2 * n).map(|i| if bare.contains(&i) { 0.0 } else { 1.0 }).collect();
        let wall = Contact { normal: vec![(0, 1.0)], offset: Signal::constant(0.02), ..Contact::default() };
        let between =
            Contact { normal: vec![(n, 1.0), (n - 1, -1.0)], offset: Signal::constant(0.01), ..Contact::default() };
        let facts = ElementFacts {
            massless: mass.iter().map(|&m| m == 0.0).collect(),
            coordinates: NodalCoordinates {
                nodes: (0..2 * n).map(|i| [Some(i), None, None]).collect(),
                translations: Vec::new(),
            },
            ..ElementFacts::default()
        };
        let parts = LinearParts {
            mass: Matrix::Sparse(SparseMatrix::from_diagonal(&mass)),
            damping: None,
            stiffness: SparseMatrix::from_triplets(2 * n, 2 * n, &springs).map(Matrix::Sparse),
            force: vec![Signal::default(); 2 * n],
            contacts: vec![wall, between],
            joints: Vec::new(),
        };
        Arc::new(LinearModel::of_elements(parts, facts).expect("two bars"))
    }

    /// The end of a run, the largest change of energy over the energy, and in how many steps a status changed.
    fn run(kept: bool) -> (State, f64, u64) {
        let (n, h) = (12, 0.4);
        let mut law = Equilibrium::new(bars(n), SolverOptions::default()).expect("held");
        law.corrections.kept = kept;
        let v = (0..2 * n).map(|i| if i < n { 0.05 - 0.01 * i as f64 } else { -0.06 }).collect();
        let mut state = State { t: 0.0, q: vec![0.0; 2 * n], v };
        let mut memory = law.start(&state);
        let (E, mut worst) = (memory.H, 0.0_f64);
        for _ in 0..400 {
            let (mut step, mut next) = (Step::default(), Memory::default());
            law.step(&StepStart { state: &state, memory: &memory, h }, &mut step, &mut next).expect("a step");
            worst = worst.max((step.ledger.energy() - E).abs() / E);
            (state, memory) = (step.after, next);
        }
        (state, worst, law.counts[0])
    }

    /// Corrections by products, as large models have them, are those by columns: the same motion, the same energy.
    #[test]
    fn products_do_what_columns_do() {
        let (by_columns, loss, changes) = run(true);
        let (by_products, other, others) = run(false);
        let apart = by_columns.q.iter().zip(&by_products.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(changes > 20 && changes == others, "{changes} {others}");
        assert!(loss <= 1e-11 && other <= 1e-11, "{loss} {other}");
        assert!(apart <= 1e-8, "{apart}");
    }
}
