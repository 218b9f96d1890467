//! Velocities constant in each step: symplectic Euler with impulses.

use crate::mechanism::lagrangian::NonlinearMechanism;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, FOR_LINEAR_SYSTEMS, Facts, LAW_ON_VELOCITIES,
    Promises, Steps, Stored, System, Theorem, no_bodies, no_gap_law,
};
use crate::schemes::galerkin::d0_explicit::ExplicitD0;
use crate::schemes::galerkin::d0_linear::D0Constant;
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// It has no numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters;

/// `d0-constant`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "d0-constant",
    summary: "time-discontinuous Galerkin of degree 0: symplectic Euler with impulses; order 1",
    parameters: &[keys::ACTIVATION, keys::PREDICTION, keys::FRICTION_LAW],
    only_law: None,
    resolve: |_, _| Ok(Arc::new(Parameters)),
};

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: &[Ability::EnergyOfStep],
            promises: Promises { gap: false, joints: true, momentum: false },
            smooth_order: 1,
            steps: Steps::Free,
            opening_restitution: 1.0,
            penetration: LAW_ON_VELOCITIES,
            contact_frame: ContactFrame::Start,
            stored: Stored::Euler,
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        no_gap_law(activation)
    }

    fn friction(&self, system: System) -> Result<(), &'static str> {
        match system {
            System::Linear | System::Bodies => Ok(()),
            System::Lagrangian => Err("on models that are not linear its explicit step has normal impulses only"),
        }
    }

    fn energy(&self, on: &Circumstances) -> Energy {
        if on.system == System::Lagrangian {
            return Energy::measured(FOR_LINEAR_SYSTEMS);
        }
        let theorem = Theorem {
            name: "dissipation of H = E + (h/2) vᵀKq",
            condition: "none on the parameters; H is positive only while hω < 2".to_string(),
            met: true,
            damping_has_sign: false,
            filtered: false,
            any_potential: false,
            newton_friction: false,
            because: None,
        };
        Energy {
            theorem: Ok(theorem), identity: Some("ΔH = h v_{k+½}ᵀF_{k+1} − h v_{k+½}ᵀC v_k + U_{k+½}ᵀP")
        }
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(D0Constant::new(Arc::clone(model), scheme, options)))
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound {
        let mechanism = Box::new(NonlinearMechanism::new(Arc::clone(model)));
        Ok(Box::new(ExplicitD0::new(mechanism, scheme.activation, options)))
    }

    fn bodies(&self, _: &Arc<Bodies>, scheme: &Scheme, _: SolverOptions) -> Bound {
        no_bodies(scheme)
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        Vec::new()
    }
}
