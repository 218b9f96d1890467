//! Landing: 0 ≤ g_{k+1} ⟂ p₁ ≥ 0 at position level, and ΔE ≤ W_ext + W_damp for every step.

use crate::derivative::whole::StepForm;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, Facts, Promises, Steps, Stored, System, Theorem,
    no_gap_law,
};
use crate::schemes::landing::bodies::BodiesMotion;
use crate::schemes::landing::lagrangian::LagrangianMotion;
use crate::schemes::landing::linear::LinearMotion;
use crate::schemes::landing::stepper::Landing;
use crate::schemes::options::parameter;
use crate::schemes::{SchemeEntry, SchemeOptions, keys};
use crate::{Activation, Model, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Where in its step a contact lands.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// At the instant it touches; otherwise at the end of the step.
    pub inside: bool,
}

/// `landing`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "landing",
    summary: "midpoint rule that nothing penetrates and that creates no energy, whatever the step; order 1, inside 2",
    parameters: &[keys::LANDING, keys::FRICTION_LAW],
    only_law: None,
    resolve: |options, _| Ok(Arc::new(Parameters { inside: inside(options)? })),
};

/// The word written.
fn inside(options: &SchemeOptions) -> Result<bool, InputError> {
    match options.landing.as_deref() {
        None | Some("end") => Ok(false),
        Some("inside") => Ok(true),
        Some(other) => {
            let message = format!("landing = \"{other}\" does not exist");
            Err(parameter("landing", message, "use \"end\" or \"inside\""))
        }
    }
}

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: &[
                Ability::ClosesGaps,
                Ability::ImpactLaw,
                Ability::Rolling,
                Ability::NeedsRegularMass,
                Ability::MovingGaps,
            ],
            promises: Promises { gap: true, joints: true, momentum: true },
            smooth_order: 2,
            steps: Steps::Free,
            opening_restitution: 1.0,
            penetration: "none: contacts obey their law on positions",
            contact_frame: ContactFrame::Parts,
            stored: Stored::Missing("the velocities between the parts of a step are not stored"),
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        no_gap_law(activation)
    }

    fn friction(&self, _: System) -> Result<(), &'static str> {
        Ok(())
    }

    fn energy(&self, on: &Circumstances) -> Energy {
        let e = on.largest_restitution;
        let theorem = Theorem {
            name: "landing without loss, then an impact law that takes energy out",
            condition: format!("0 ≤ e ≤ 1, any step: largest e = {e}"),
            met: e <= 1.0,
            damping_has_sign: true,
            filtered: false,
            any_potential: true,
            newton_friction: false,
            because: Some("landing costs nothing, friction and the impact law take energy out, for every step"),
        };
        Energy { theorem: Ok(theorem), identity: Some("ΔE = W_ext + W_damp + W_friction + ½Σ(1−ê)U⁻p₂") }
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        let motion = LinearMotion::new(Arc::clone(model), scheme.impact_law);
        Ok(Box::new(Landing::new(motion, self.inside, scheme.friction_law, options)))
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound {
        let motion = LagrangianMotion::new(Arc::clone(model), &options);
        Ok(Box::new(Landing::new(motion, self.inside, scheme.friction_law, options)))
    }

    fn bodies(&self, scene: &Arc<Bodies>, scheme: &Scheme, options: SolverOptions) -> Bound {
        let motion = BodiesMotion::new(Arc::clone(scene), options.tolerance);
        Ok(Box::new(Landing::new(motion, self.inside, scheme.friction_law, options)))
    }

    /// Part by part.
    fn step_form(&self, _: &Model) -> StepForm {
        StepForm::Landing { inside: self.inside }
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        vec![("landing", Written::Word(if self.inside { "inside" } else { "end" }.into()))]
    }
}
