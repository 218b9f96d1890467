//! Moreau–Jean θ-scheme and its always-dissipative midpoint variant.
//!
//!   M (v⁺ − v) = h (F_{k+θ} − C v_{k+θ} − K q_{k+θ}) + G P
//!   q⁺ = q + h v_{k+θ}     M̂ = M + hθC + h²θ²K      (standard)
//!   q⁺ = q + h v_{k+½}     M̂ = M + hθC + ½h²θK      (midpoint variant)
//!
//! v_free = v + M̂⁻¹ h (F_{k+θ} − C v − K (q + hθ v)) in both. Ledger:
//!
//!   (33)  ΔE = h v_{k+θ}ᵀF_{k+θ} − h v_{k+θ}ᵀC v_{k+θ} + (½−θ)(‖Δv‖²_M + ‖Δq‖²_K) + U_{k+θ}ᵀP
//!   (91)  ΔE = ΔqᵀF_{k+θ} − ΔqᵀC v_{k+θ} + (½−θ)‖Δq‖²_K + U_{k+½}ᵀP

use crate::contact::phase::{ContactPhase, obstacle_work, work};
use crate::linear::load::Load;
use crate::linear::operators::{Operators, Weights};
use crate::linear::projection::PaidProjection;
use crate::{LedgerEntry, Memory, Projection, Scheme, State, Step, StepFailure, StepStart, Stepper};
use percussion_model::LinearModel;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// The θ-scheme bound to a linear model.
pub struct MoreauJean {
    model: Arc<LinearModel>,
    theta: f64,
    midpoint: bool,
    contacts: ContactPhase,
    projection: Option<PaidProjection>,
    load: Load,
    operators: Vec<Operators>,
    threads: usize,
    /// Δv, Δq, v_{k+θ} and a spare.
    work: [Vec<f64>; 4],
}

impl MoreauJean {
    /// Binds the scheme.
    pub fn new(model: Arc<LinearModel>, theta: f64, midpoint: bool, scheme: &Scheme, options: SolverOptions) -> Self {
        let n = model.n();
        Self {
            theta,
            midpoint,
            contacts: ContactPhase::new(&model, scheme, options),
            projection: (scheme.projection == Projection::Paid).then(|| PaidProjection::new(&model, options)),
            load: Load::new(&model),
            operators: Vec::new(),
            threads: 1,
            work: std::array::from_fn(|_| vec![0.0; n]),
            model,
        }
    }
}

impl Stepper for MoreauJean {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.contact_problem()
    }

    fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    fn start(&mut self, state: &State) -> Memory {
        let H = self.model.kinetic_energy(&state.v) + self.model.potential_energy(&state.q);
        Memory::new(H, self.model.n_contacts())
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let hk = if self.midpoint { 0.5 * h * h * self.theta } else { (h * self.theta).powi(2) };
        let (damping, threads) = (h * self.theta, self.threads);
        let weights = Weights { damping, stiffness: hk, response: 1.0, columns: false, threads };
        let operators = Operators::of(&mut self.operators, &self.model, (state.t, h), weights)?;
        let (model, load, theta, n) = (&*self.model, &mut self.load, self.theta, state.q.len());
        let [dv, dq, v_theta, spare] = self.work.each_mut().map(|list| &mut list[..n]);
        let (q, v) = (&state.q[..n], &state.v[..n]);
        let position_theta = if self.midpoint { 0.5 } else { theta };
        step.h = h;
        step.after.t = state.t + h;

        // free motion: dv = M̂⁻¹ h (F_{k+θ} − C v − K (q + hθ v))
        load.evaluate(model, state.t, h);
        for (i, dv) in dv.iter_mut().enumerate() {
            *dv = h * load.weighted(theta, i);
        }
        if let Some(C) = model.damping() {
            C.mul_add(-h, v, dv);
        }
        if model.stiffness().is_some() {
            for i in 0..n {
                spare[i] = q[i] + h * theta * v[i];
            }
            model.add_elastic_force(-h, spare, dv);
        }
        operators.factor.solve(dv);

        // active contacts and their impulses
        self.contacts.select(from, step, next);
        operators.ensure_all(model, self.contacts.columns());
        for i in 0..n {
            spare[i] = v[i] + dv[i];
        }
        self.contacts.solve(from, spare, &operators.response, step, next)?;

        // correct
        operators.push(model, self.contacts.impulses(), dv);
        step.after.q.resize(n, 0.0);
        step.after.v.resize(n, 0.0);
        let (q_after, v_after) = (&mut step.after.q[..n], &mut step.after.v[..n]);
        for i in 0..n {
            v_after[i] = v[i] + dv[i];
            v_theta[i] = v[i] + theta * dv[i];
            dq[i] = h * (v[i] + position_theta * dv[i]);
            q_after[i] = q[i] + dq[i];
        }
        self.contacts.conclude(from, step);

        // ledger
        let mut entry = LedgerEntry::of(model, &step.after);
        let mut external = 0.0;
        for i in 0..n {
            let path = if self.midpoint { dq[i] } else { h * v_theta[i] };
            external += path * load.weighted(theta, i);
        }
        entry.work_external = external + obstacle_work(model, &step.contacts, state.t, h, position_theta);
        if let Some(C) = model.damping() {
            // Δq = h v_{k+θ} in the standard scheme
            entry.work_damping = -C.bilinear(dq, v_theta);
        }
        entry.work_contact = work(step, position_theta);
        if theta != 0.5 {
            let kinetic = if self.midpoint { 0.0 } else { 2.0 * model.kinetic_energy(dv) };
            entry.dissipation_numerical = (theta - 0.5) * (kinetic + 2.0 * model.potential_energy(dq));
        }
        entry.close(memory.H, entry.energy());
        next.H = entry.algorithmic_energy;
        step.ledger = entry;

        if let Some(projection) = &mut self.projection {
            projection.lift(model, from, load, &self.contacts, step, next)?;
        }
        Ok(())
    }
}
