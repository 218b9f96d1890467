//! Generalized-α of index 3 with contacts as plain inequalities: a comparison without an impact law.

use crate::derivative::whole::StepForm;
use crate::newton::system::newton_tolerance;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, Facts, Promises, Steps, Stored, System, dense_face,
    no_bodies, no_gap_law,
};
use crate::schemes::newmark::parameters::{NewmarkLike, chung_hulbert};
use crate::schemes::smooth_alpha::SmoothAlpha;
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Model, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Chung and Hulbert's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters(pub NewmarkLike);

/// `smooth-generalized-alpha`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "smooth-generalized-alpha",
    summary: "the comparison scheme of index 3 without an impact law; energy grows at impacts",
    parameters: &[keys::RHO_INF],
    only_law: None,
    resolve: |options, _| Ok(Arc::new(Parameters(chung_hulbert(options)?))),
};

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: &[Ability::ClosesGaps],
            promises: Promises { gap: true, joints: true, momentum: false },
            smooth_order: self.0.smooth_order(),
            steps: Steps::Free,
            opening_restitution: 1.0,
            penetration: "contacts hold at position level",
            contact_frame: ContactFrame::Start,
            stored: Stored::Missing("the scheme keeps multipliers that are not stored"),
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        no_gap_law(activation)
    }

    fn friction(&self, system: System) -> Result<(), &'static str> {
        match system {
            System::Linear | System::Lagrangian => {
                Err("contacts are inequalities on positions, without a velocity of impact")
            }
            System::Bodies => Ok(()),
        }
    }

    fn energy(&self, _: &Circumstances) -> Energy {
        Energy::measured("without an impact law the scheme gains energy at impacts")
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        self.lagrangian(&dense_face(model, scheme)?, scheme, options)
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, _: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(SmoothAlpha::new(Arc::clone(model), self.0, newton_tolerance(&options))))
    }

    fn bodies(&self, _: &Arc<Bodies>, scheme: &Scheme, _: SolverOptions) -> Bound {
        no_bodies(scheme)
    }

    fn step_form(&self, _: &Model) -> StepForm {
        StepForm::Smooth(self.0)
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        self.0.values_of_rho_inf()
    }
}
