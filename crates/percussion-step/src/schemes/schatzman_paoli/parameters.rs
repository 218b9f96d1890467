//! Schatzman–Paoli: 0 ≤ g_{k+1} + e g_{k−1} ⟂ p ≥ 0, the contact law on positions two steps apart.

use crate::derivative::whole::StepForm;
use crate::newton::system::newton_tolerance;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, FOR_LINEAR_SYSTEMS, Facts, Promises, Steps, Stored,
    System, no_bodies, no_gap_law,
};
use crate::schemes::moreau_jean::parameters::stable_theta;
use crate::schemes::schatzman_paoli::{lagrangian, linear};
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Model, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// θ of loads and springs.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// θ.
    pub theta: f64,
}

/// `schatzman-paoli`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "schatzman-paoli",
    summary: "two-step scheme with the contact law on positions, g_{k+1} + e g_{k−1} ≥ 0; order 1",
    parameters: &[keys::THETA],
    only_law: None,
    resolve: |options, warnings| Ok(Arc::new(Parameters { theta: stable_theta(options, warnings)? })),
};

const TIED: &str = "schatzman-paoli ties positions two steps apart, which needs equal steps";

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: &[Ability::TwoImpulses, Ability::EnergyOfStep],
            promises: Promises { gap: false, joints: true, momentum: false },
            smooth_order: if self.theta == 0.0 { 2 } else { 1 },
            steps: Steps::Equal(TIED),
            opening_restitution: 1.0,
            penetration: "the law joins gaps two steps apart, and those between may be negative by about a step's motion",
            contact_frame: ContactFrame::Start,
            stored: Stored::Missing("the position ahead of the first step is not stored"),
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        no_gap_law(activation)
    }

    fn friction(&self, system: System) -> Result<(), &'static str> {
        match system {
            System::Linear | System::Lagrangian => Err("its law is on positions, and Coulomb's is on velocities"),
            System::Bodies => Ok(()),
        }
    }

    fn energy(&self, on: &Circumstances) -> Energy {
        if on.system == System::Lagrangian {
            return Energy::measured(FOR_LINEAR_SYSTEMS);
        }
        Energy::identity(
            "an impact takes two impulses, and the second, which finds g_{k−1} < 0, gives back part of what the first took",
            "ΔH = h vᵀF_{k+θ} − h‖v‖²_C + pᵀ(g_{k+1}−g_{k−1})/(2h) − θh²‖v‖²_K, H between positions",
        )
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(linear::SchatzmanPaoli::new(Arc::clone(model), self.theta, scheme, options)))
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, _: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(lagrangian::SchatzmanPaoli::new(
            Arc::clone(model),
            self.theta,
            newton_tolerance(&options),
            options,
        )))
    }

    fn bodies(&self, _: &Arc<Bodies>, scheme: &Scheme, _: SolverOptions) -> Bound {
        no_bodies(scheme)
    }

    fn step_form(&self, _: &Model) -> StepForm {
        StepForm::Ahead { theta: self.theta }
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        vec![("theta", Written::Number(self.theta))]
    }
}
