//! Piecewise constant velocities (time-discontinuous Galerkin of degree 0): symplectic Euler with impulses.
//!
//!   q⁺ = q + h v,   M v⁺ = M v + h (F⁺ − K q⁺ − C v) + G P,   0 ≤ U⁺ + êU ⟂ P ≥ 0 on the contacts with g(q⁺) ≤ 0
//!
//! This form is ours; whether it is the P0 scheme of Schindler and Acary has not been checked. Multiplying by ½(v + v⁺) gives an
//! identity, exact for every h:
//!
//!   H = E + (h/2) vᵀK q,   ΔH = h v_{k+½}ᵀF⁺ − h v_{k+½}ᵀC v + U_{k+½}ᵀP
//!
//! H is positive as long as hω < 2 for every frequency ω. With closing or held contacts U_{k+½}ᵀP ≤ 0.

use crate::contact::phase::{ContactPhase, obstacle_work, work};
use crate::contact::response::Response;
use crate::linear::load::Load;
use crate::linear::mass::mass_factor;
use crate::located::stiffness::{euler_is_stable, too_stiff};
use crate::mechanism::linear::LinearMechanism;
use crate::{LedgerEntry, Memory, Scheme, State, Step, StepFailure, StepStart, Stepper};
use percussion_matrix::ConstrainedFactor;
use percussion_model::{InputError, LinearModel};
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// What the scheme carries from step to step: the part of H that goes with h.
#[derive(Clone, Debug, Default, PartialEq)]
struct MixedEnergy {
    mixed: f64,
}

crate::carried! { MixedEnergy { mixed } }

/// The scheme bound to a linear model.
pub struct D0Constant {
    model: Arc<LinearModel>,
    contacts: ContactPhase,
    load: Load,
    mass: ConstrainedFactor,
    response: Response,
    /// Δv, v_free, then v_{k+½}.
    work: [Vec<f64>; 2],
}

impl D0Constant {
    /// Binds the scheme.
    pub fn new(model: Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Self {
        let n = model.n();
        let mass = mass_factor(&model);
        let response = match mass.diagonal() {
            Some(diagonal) => {
                let inverse: Vec<f64> = diagonal.iter().map(|d| 1.0 / d).collect();
                Response::scaled(model.H(), &inverse, None, 1.0, 0.0)
            }
            None => Response::on_demand(model.H().n_cols(), 1.0, 0.0),
        };
        Self {
            contacts: ContactPhase::new(&model, scheme, options),
            load: Load::new(&model),
            mass,
            response,
            work: std::array::from_fn(|_| vec![0.0; n]),
            model,
        }
    }

    /// vᵀK q.
    fn mixed(&self, state: &State) -> f64 {
        self.model.stiffness().map_or(0.0, |K| K.bilinear(&state.v, &state.q))
    }
}

impl Stepper for D0Constant {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.contact_problem()
    }

    fn start(&mut self, state: &State) -> Memory {
        // the memory keeps E, and vᵀK q for H at any step
        let E = self.model.kinetic_energy(&state.v) + self.model.potential_energy(&state.q);
        Memory::new(E, self.model.n_contacts()).carrying(MixedEnergy { mixed: self.mixed(state) })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let (model, load, n) = (&*self.model, &mut self.load, state.q.len());
        let [dv, spare] = &mut self.work;
        step.h = h;
        step.after.t = state.t + h;

        // free motion
        load.evaluate(model, state.t, h);
        step.after.q.resize(n, 0.0);
        step.after.v.resize(n, 0.0);
        for i in 0..n {
            step.after.q[i] = state.q[i] + h * state.v[i];
            dv[i] = h * load.next[i];
        }
        if let Some(K) = model.stiffness() {
            K.mul_add(-h, &step.after.q, dv);
        }
        if let Some(C) = model.damping() {
            C.mul_add(-h, &state.v, dv);
        }
        self.mass.solve(dv);

        // active contacts and their impulses
        self.contacts.select(from, step, next);
        for j in self.contacts.columns() {
            self.response.ensure(j, n, |A, _| {
                model.H().add_column(j, 1.0, A);
                self.mass.solve(A);
            });
        }
        for i in 0..n {
            spare[i] = state.v[i] + dv[i];
        }
        self.contacts.solve(from, spare, &self.response, step, next)?;
        for (j, p) in self.contacts.impulses() {
            if p != 0.0 {
                self.response.add_A(j, p, dv);
            }
        }
        for i in 0..n {
            step.after.v[i] = state.v[i] + dv[i];
            spare[i] = state.v[i] + 0.5 * dv[i];
        }
        self.contacts.conclude(from, step);

        // ledger
        let mut entry = LedgerEntry::of(model, &step.after);
        for i in 0..n {
            entry.work_external += h * spare[i] * load.next[i];
        }
        entry.work_external += obstacle_work(model, &step.contacts, state.t, h, 0.5);
        if let Some(C) = model.damping() {
            entry.work_damping = -h * C.bilinear(spare, &state.v);
        }
        entry.work_contact = work(step, 0.5);
        next.H = entry.energy();
        next.carried.renew::<MixedEnergy>().mixed = self.mixed(&step.after);
        entry.close(self.algorithmic_energy(memory, h), self.algorithmic_energy(next, h));
        step.ledger = entry;
        Ok(())
    }

    fn refuse(&mut self, state: &State, h: f64) -> Option<InputError> {
        let mut mechanism = LinearMechanism::new(Arc::clone(&self.model))?;
        too_stiff("d0-constant", &mut mechanism, state, h, euler_is_stable)
    }

    /// H with this step's h.
    fn algorithmic_energy(&self, memory: &Memory, h: f64) -> f64 {
        memory.H + 0.5 * h * memory.carried.of::<MixedEnergy>().mixed
    }
}
