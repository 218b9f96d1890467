//! Generalized-α with contacts and joints at position and velocity level: names, numbers, what is known of its energy.

use crate::bodies::drives::check_drives;
use crate::newton::system::newton_tolerance;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    Bound, Circumstances, ContactFrame, Energy, Equations, Facts, Promises, Steps, Stored, System, no_bodies,
    no_gap_law, unsupported,
};
use crate::schemes::ggl::bodies::BodiesGgl;
use crate::schemes::ggl::conditions::GglVariant;
use crate::schemes::ggl::lagrangian::Ggl;
use crate::schemes::ggl::linear::LinearGgl;
use crate::schemes::newmark::parameters::{NewmarkLike, chung_hulbert};
use crate::schemes::options::parameter;
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Chung and Hulbert's numbers and the complementarity condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// α_m, α_f, β, γ of ρ∞.
    pub alpha: NewmarkLike,
    /// The scheme itself or its modified condition.
    pub variant: GglVariant,
}

/// `generalized-alpha-ggl`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "generalized-alpha-ggl",
    summary: "generalized-α with contacts and joints satisfied at position and velocity level: nothing penetrates",
    parameters: &[keys::RHO_INF, keys::ACTIVATION, keys::SOLUTION, keys::FRICTION_LAW],
    only_law: None,
    resolve: |options, _| Ok(Arc::new(Parameters { alpha: chung_hulbert(options)?, variant: GglVariant::Ggl })),
};

/// `generalized-alpha-modified-lcp`.
pub const MODIFIED_LCP: SchemeEntry = SchemeEntry {
    name: "generalized-alpha-modified-lcp",
    summary: "the comparison scheme 0 ≤ g ⟂ ν − hΛ ≥ 0; it chatters at rest",
    parameters: &[keys::RHO_INF, keys::ACTIVATION],
    only_law: None,
    resolve: |options, _| Ok(Arc::new(Parameters { alpha: chung_hulbert(options)?, variant: GglVariant::ModifiedLcp })),
};

/// Friction and bodies have one form of the scheme.
fn only_defaults(scheme: &Scheme, subject: &str) -> Result<(), InputError> {
    if scheme.sequential || scheme.activation != Activation::Hold {
        let message = format!("{subject} needs activation = \"hold\" and solution = \"monolithic\"");
        return Err(unsupported(message, "remove the two keys: these are the defaults"));
    }
    Ok(())
}

impl Equations for Parameters {
    fn values(&self) -> Vec<(&'static str, Written)> {
        self.alpha.values_of_rho_inf()
    }

    fn facts(&self) -> Facts {
        Facts {
            smooth_order: self.alpha.smooth_order(),
            locates_events: false,
            promises: Promises { gap: true, joints: true },
            penetration: "contacts hold at position level",
            closes_gaps: true,
            corrects_positions: true,
            impulses_of_an_impact: 1,
            energy_depends_on_step: false,
            opening_restitution: 1.0,
            steps: Steps::Free,
            extrapolates: false,
            contact_frame: ContactFrame::End,
            impact_law: false,
            rolling: false,
            needs_regular_mass: false,
            stored: Stored::Missing("the scheme keeps multipliers that are not stored"),
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        match activation {
            Activation::PredictedAndClosing => {
                let message = "the position-level scheme decides on g(q̂) ≤ 0 and has no closing test";
                Err(parameter("activation", message, "use \"hold\" or \"predicted\""))
            }
            Activation::Gap | Activation::Equilibrium => no_gap_law(activation),
            Activation::Hold | Activation::Predicted { .. } => Ok(()),
        }
    }

    fn friction(&self, system: System) -> Result<(), &'static str> {
        match (system, self.variant) {
            (System::Bodies, _) | (System::Linear, GglVariant::Ggl) => Ok(()),
            (_, GglVariant::ModifiedLcp) => {
                Err("its complementarity joins gap and impulse, and leaves no velocity for a law along the contact")
            }
            (System::Lagrangian, GglVariant::Ggl) => {
                Err("its friction needs a constant mass and gradients, those of linear models")
            }
        }
    }

    fn energy(&self, _: &Circumstances) -> Energy {
        Energy::identity(
            "landing on g = 0 can add energy, O(h) at an impact and O(h²) in a step of lasting contact; the ledger shows it",
            "ΔE = W_ext + W_damp + ½pᵀ(u_n + u_{n+1}) + W_joints + W_projection − D, each by its own formula",
        )
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        let model = Arc::clone(model);
        if model.has_friction() {
            only_defaults(scheme, "friction at position level")?;
        }
        Ok(Box::new(LinearGgl::new(model, self.alpha, self.variant, scheme, options)))
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound {
        let hold = scheme.activation == Activation::Hold;
        let mut stepper = Ggl::new(Arc::clone(model), self.variant, self.alpha, hold, newton_tolerance(&options));
        stepper.sequential = scheme.sequential;
        Ok(Box::new(stepper))
    }

    fn bodies(&self, scene: &Arc<Bodies>, scheme: &Scheme, options: SolverOptions) -> Bound {
        if self.variant != GglVariant::Ggl {
            return no_bodies(scheme);
        }
        only_defaults(scheme, &format!("{} on bodies", scheme.name))?;
        check_drives(scene)?;
        Ok(Box::new(BodiesGgl::new(Arc::clone(scene), self.alpha, scheme, options)))
    }
}
