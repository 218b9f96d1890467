//! Velocities linear in each step, with jumps at its end.

use crate::derivative::whole::StepForm;
use crate::mechanism::lagrangian::NonlinearMechanism;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, FOR_LINEAR_SYSTEMS, Facts, LAW_ON_VELOCITIES,
    NO_FRICTION_IN_FORCES, Promises, Steps, Stored, System, linear_mechanism, no_bodies, no_gap_law,
};
use crate::schemes::galerkin::d1_minus_linear::D1MinusLinear;
use crate::schemes::options::parameter;
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Model, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// It has no numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters;

/// `d1-minus-linear`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "d1-minus-linear",
    summary: "time-discontinuous Galerkin of degree 1, half-explicit: order 2 in smooth motion, 1 with impacts",
    parameters: &[keys::ACTIVATION],
    only_law: None,
    resolve: |_, _| Ok(Arc::new(Parameters)),
};

const IDENTITY: &str =
    "ΔH = ΔqᵀF_{k+½} − ½ΔqᵀC(v+ṽ) + ½Δgᵀ(λ⁺+λ⁻) + ½(U⁻+U⁺)ᵀP − (h²/8)(‖a⁺‖²_M − ‖a⁻‖²_M), H = E − (h²/8)‖a⁻‖²_M";

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: &[Ability::EnergyOfStep],
            promises: Promises { gap: false, joints: true, momentum: false },
            smooth_order: 2,
            steps: Steps::Free,
            opening_restitution: 1.0,
            penetration: LAW_ON_VELOCITIES,
            contact_frame: ContactFrame::Start,
            stored: Stored::Missing("the scheme keeps multipliers that are not stored"),
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        match activation {
            Activation::Predicted { .. } => {
                let message = "the scheme acts on contacts that are closed and predicts none";
                Err(parameter("activation", message, "use \"hold\" or \"predicted-and-closing\""))
            }
            Activation::Gap | Activation::Equilibrium => no_gap_law(activation),
            Activation::Hold | Activation::PredictedAndClosing => Ok(()),
        }
    }

    fn friction(&self, system: System) -> Result<(), &'static str> {
        match system {
            System::Linear | System::Lagrangian => Err(NO_FRICTION_IN_FORCES),
            System::Bodies => Ok(()),
        }
    }

    fn energy(&self, on: &Circumstances) -> Energy {
        if on.system == System::Lagrangian {
            return Energy::measured(FOR_LINEAR_SYSTEMS);
        }
        Energy::identity(
            "accelerations that jump with contacts and velocities exchange O(h²) with H; the ledger shows it",
            IDENTITY,
        )
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(D1MinusLinear::new(
            linear_mechanism(model, scheme)?,
            Some(Arc::clone(model)),
            scheme.activation,
            options,
        )))
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound {
        let mechanism = Box::new(NonlinearMechanism::new(Arc::clone(model)));
        Ok(Box::new(D1MinusLinear::new(mechanism, None, scheme.activation, options)))
    }

    fn bodies(&self, _: &Arc<Bodies>, scheme: &Scheme, _: SolverOptions) -> Bound {
        no_bodies(scheme)
    }

    fn step_form(&self, _: &Model) -> StepForm {
        StepForm::Instants
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        Vec::new()
    }
}
