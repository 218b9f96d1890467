//! A scheme: symplectic Euler on linear models, with impact and friction by the library's contact phase.
//!
//!   M (v⁺ − v) = h (F − C v − K q) + H P,    q⁺ = q + h v⁺,    0 ≤ U⁺ + ê U ⟂ P_N ≥ 0, Coulomb's law on the tangents
//!
//! Multiplied by ½(v + v⁺) it has an identity, exact for every h, with an energy of its own:
//!
//!   𝓗 = E − (h/2) vᵀK q,    Δ𝓗 = h v_{k+½}ᵀF − h v_{k+½}ᵀC v + U_{k+½}ᵀP
//!
//! since ΔE holds (h/2)(v_{k+½}ᵀKΔq + ΔvᵀK q_{k+½}) = (h/2) Δ(vᵀK q). With held contacts U_{k+½}ᵀP ≤ 0: no energy is created.

use percussion::model::bodies::Bodies;
use percussion::model::{InputError, Lagrangian, LinearModel};
use percussion::solve::SolverOptions;
use percussion::solve::friction::FrictionProblem;
use percussion::step::{
    Ability, Activation, Bound, Circumstances, ContactFrame, ContactPhase, Energy, Equations, Facts, LedgerEntry, Load,
    Memory, Operators, Promises, Scheme, SchemeEntry, State, Step, StepFailure, StepStart, Stepper, Steps, Stored,
    System, Theorem, Weights, Written, contact_work, keys, linear_only, no_bodies, obstacle_work,
};
use std::sync::Arc;

/// `[scheme] name = "symplectic-euler"`.
pub static ENTRY: SchemeEntry = SchemeEntry {
    name: "symplectic-euler",
    summary: "explicit and of order 1; keeps E − (h/2) vᵀKq",
    parameters: &[keys::ACTIVATION, keys::PREDICTION, keys::FRICTION_LAW, keys::IMPACT_LAW],
    only_law: None,
    resolve: |_, _| Ok(Arc::new(SymplecticEuler)),
};

/// It has no parameters.
#[derive(Debug)]
struct SymplecticEuler;

impl Equations for SymplecticEuler {
    fn values(&self) -> Vec<(&'static str, Written)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        Facts {
            promises: Promises { gap: false, joints: false, momentum: false },
            smooth_order: 1,
            steps: Steps::Free,
            abilities: &[Ability::ImpactLaw, Ability::NeedsRegularMass, Ability::EnergyOfStep],
            opening_restitution: 1.0,
            penetration: "the scheme acts on velocities and promises none on positions",
            contact_frame: ContactFrame::Start,
            stored: Stored::Missing("its equations are the program's own"),
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        percussion::step::no_gap_law(activation)
    }

    fn friction(&self, _: System) -> Result<(), &'static str> {
        Ok(())
    }

    fn energy(&self, _: &Circumstances) -> Energy {
        let theorem = Theorem {
            name: "dissipation of E − (h/2) vᵀKq",
            condition: "none on the parameters; the energy is positive only while hω < 2".to_string(),
            met: true,
            damping_has_sign: false,
            any_potential: false,
            newton_friction: false,
            filtered: false,
            because: None,
        };
        Energy {
            theorem: Ok(theorem), identity: Some("Δ(E − (h/2) vᵀKq) = h v_{k+½}ᵀ(F − C v_k) + U_{k+½}ᵀP")
        }
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(Euler {
            contacts: ContactPhase::new(model, scheme, options),
            load: Load::new(model),
            operators: Vec::new(),
            dv: vec![0.0; model.n()],
            v: vec![0.0; model.n()],
            model: Arc::clone(model),
        }))
    }

    fn lagrangian(&self, _: &Arc<dyn Lagrangian>, scheme: &Scheme, _: SolverOptions) -> Bound {
        linear_only(scheme)
    }

    fn bodies(&self, _: &Arc<Bodies>, scheme: &Scheme, _: SolverOptions) -> Bound {
        no_bodies(scheme)
    }
}

/// The scheme bound to a model, with its buffers: a steady step allocates nothing.
struct Euler {
    model: Arc<LinearModel>,
    contacts: ContactPhase,
    load: Load,
    operators: Vec<Operators>,
    /// Δv.
    dv: Vec<f64>,
    /// v_free, then v_{k+½}.
    v: Vec<f64>,
}

impl Euler {
    /// E − (h/2) vᵀK q.
    fn energy(&self, state: &State, h: f64) -> f64 {
        let mixed = self.model.stiffness().map_or(0.0, |K| K.bilinear(&state.v, &state.q));
        self.model.kinetic_energy(&state.v) + self.model.potential_energy(&state.q) - 0.5 * h * mixed
    }
}

impl Stepper for Euler {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.contacts.contact_problem()
    }

    fn start(&mut self, state: &State) -> Memory {
        Memory::new(self.energy(state, 0.0), self.model.n_contacts())
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, h, .. } = *from;
        let before = self.energy(state, h);
        let (model, n) = (&*self.model, state.q.len());
        let weights = Weights { damping: 0.0, stiffness: 0.0, response: 1.0, columns: true, threads: 1 };
        let operators = Operators::of(&mut self.operators, model, (state.t, h), weights)?;
        step.h = h;
        step.after.t = state.t + h;

        // free motion: Δv = h M⁻¹(F − C v − K q)
        self.load.evaluate(model, state.t, h);
        for i in 0..n {
            self.dv[i] = h * self.load.now[i];
        }
        if let Some(C) = model.damping() {
            C.mul_add(-h, &state.v, &mut self.dv);
        }
        if let Some(K) = model.stiffness() {
            K.mul_add(-h, &state.q, &mut self.dv);
        }
        operators.factor.solve(&mut self.dv);
        for i in 0..n {
            self.v[i] = state.v[i] + self.dv[i];
        }

        // contacts that take part, and their impulses
        self.contacts.select(from, step, next);
        for j in self.contacts.columns() {
            operators.ensure(model, j);
        }
        self.contacts.solve(from, &self.v, &operators.response, step, next)?;
        for (j, p) in self.contacts.impulses() {
            operators.response.add_A(j, p, &mut self.dv);
        }

        // the state arrived at
        step.after.q.resize(n, 0.0);
        step.after.v.resize(n, 0.0);
        for i in 0..n {
            step.after.v[i] = state.v[i] + self.dv[i];
            step.after.q[i] = state.q[i] + h * step.after.v[i];
            self.v[i] = state.v[i] + 0.5 * self.dv[i];
        }
        self.contacts.conclude(from, step);

        // its ledger
        let external: f64 = (0..n).map(|i| h * self.v[i] * self.load.now[i]).sum();
        let mut entry = LedgerEntry {
            kinetic: model.kinetic_energy(&step.after.v),
            potential: model.potential_energy(&step.after.q),
            work_external: external + obstacle_work(model, &step.contacts, state.t, h, 0.5),
            work_damping: model.damping().map_or(0.0, |C| -h * C.bilinear(&self.v, &state.v)),
            work_contact: contact_work(step, 0.5),
            ..Default::default()
        };
        entry.close(before, self.energy(&step.after, h));
        next.H = entry.algorithmic_energy;
        step.ledger = entry;
        Ok(())
    }
}
