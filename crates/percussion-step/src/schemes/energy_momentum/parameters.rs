//! Discrete gradients: ΔE = W_ext + U_{k+½}ᵀP exactly, on every potential, gap and joint.

use crate::derivative::whole::StepForm;
use crate::newton::system::newton_tolerance;
use crate::schemes::Scheme;
use crate::schemes::energy_momentum::EnergyMomentum;
use crate::schemes::energy_momentum::finite::FiniteMotion;
use crate::schemes::energy_momentum::friction::Frictional;
use crate::schemes::energy_momentum::varying_mass::EnergyMomentumVarying;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, Facts, LARGEST_DENSE, LAW_ON_VELOCITIES, Promises,
    Steps, Stored, System, Theorem, dense_face, no_gap_law, unsupported,
};
use crate::schemes::moreau_jean::linear::MoreauJean;
use crate::schemes::moreau_jean::parameters::move_bodies;
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Model, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel, Structure};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// It has no numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters;

/// `energy-momentum`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "energy-momentum",
    summary: "discrete gradients: the energy identity exact for nonlinear potentials, gaps and joints",
    parameters: &[keys::ACTIVATION, keys::PREDICTION, keys::FRICTION_LAW],
    only_law: None,
    resolve: |_, _| Ok(Arc::new(Parameters)),
};

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: &[
                Ability::ClosesGaps,
                Ability::Rolling,
                Ability::Compliance,
                Ability::Elements,
                Ability::FullInertia,
                Ability::SolidsAmongBodies,
                Ability::MovingGaps,
                Ability::FiniteDeformation,
            ],
            promises: Promises { gap: false, joints: true, momentum: true },
            smooth_order: 2,
            steps: Steps::Free,
            opening_restitution: 1.0,
            penetration: LAW_ON_VELOCITIES,
            contact_frame: ContactFrame::Middle,
            stored: Stored::Missing("the scheme keeps multipliers that are not stored"),
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        no_gap_law(activation)
    }

    fn friction(&self, _: System) -> Result<(), &'static str> {
        Ok(())
    }

    fn energy(&self, _: &Circumstances) -> Energy {
        let theorem = Theorem {
            name: "energy-exact stepping: ΔE = W_ext + p·u_{k+½}",
            condition: "index set with closing or held contacts".to_string(),
            met: true,
            damping_has_sign: true,
            filtered: false,
            any_potential: true,
            newton_friction: false,
            because: Some("the discrete gradients make contact work p·u_{k+½} ≤ 0 the only exchange"),
        };
        Energy { theorem: Ok(theorem), identity: Some("ΔE = h f_np·v_m + U_{k+½}ᵀP, discrete gradients") }
    }

    /// On constant matrices the discrete gradients are those at the middle: the scheme is Moreau–Jean with θ = ½, which has friction
    /// and sparse matrices.
    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        if model.n() > LARGEST_DENSE || model.has_friction() {
            return Ok(Box::new(MoreauJean::new(Arc::clone(model), 0.5, false, scheme, options)));
        }
        self.lagrangian(&dense_face(model, scheme)?, scheme, options)
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound {
        let (tolerance, frictional) = (newton_tolerance(&options), model.frictions().iter().any(|&mu| mu > 0.0));
        if let Some(motion) = FiniteMotion::new(model, scheme.activation, tolerance) {
            return Ok(Box::new(Frictional::new(motion, Arc::clone(model), scheme, options)));
        }
        if frictional && model.moving_gaps().is_some() {
            let message = "energy-momentum has no friction at gaps that depend on time".to_string();
            return Err(unsupported(message, "use moreau-jean, generalized-alpha or event-driven, or remove friction"));
        }
        let constant = EnergyMomentum::new(Arc::clone(model), scheme.activation, tolerance);
        let varying = || EnergyMomentumVarying::new(Arc::clone(model), scheme.activation, tolerance);
        Ok(match (constant, frictional) {
            (Some(stepper), false) => Box::new(stepper),
            (Some(stepper), true) => Box::new(Frictional::new(stepper.apart(), Arc::clone(model), scheme, options)),
            (None, false) => Box::new(varying()),
            (None, true) => Box::new(Frictional::new(varying().apart(), Arc::clone(model), scheme, options)),
        })
    }

    fn bodies(&self, scene: &Arc<Bodies>, scheme: &Scheme, options: SolverOptions) -> Bound {
        move_bodies(scene, 0.5, true, scheme, options)
    }

    /// Discrete gradients of constant masses; on rough linear models the θ-method (see `linear`).
    fn step_form(&self, model: &Model) -> StepForm {
        match model.structure() {
            Structure::Constant(model) if model.has_friction() => {
                StepForm::Sums(Stored::Theta { theta: 0.5, midpoint: false })
            }
            Structure::Constant(_) => StepForm::Between,
            Structure::Lagrangian(model) if model.mass_is_constant() && model.finite_solid().is_none() => {
                StepForm::Between
            }
            Structure::Lagrangian(_) => {
                StepForm::Sums(Stored::Missing("a mass that varies, or a solid in finite deformation"))
            }
            Structure::Bodies(_) => StepForm::Bodies { theta: 0.5, rows: true },
        }
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        Vec::new()
    }
}
