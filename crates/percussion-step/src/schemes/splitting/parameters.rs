//! A Runge–Kutta step of the smooth motion, then an impact.

use crate::derivative::whole::StepForm;
use crate::mechanism::lagrangian::NonlinearMechanism;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, Facts, LAW_ON_VELOCITIES, NO_FRICTION_IN_FORCES,
    Promises, Steps, Stored, System, linear_mechanism, no_bodies, no_gap_law,
};
use crate::schemes::options::parameter;
use crate::schemes::splitting::Splitting;
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Model, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Which contacts the flow carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// 1: no contact in the flow; 2: persistent contacts carry forces in it.
    pub variant: u8,
}

/// `splitting`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "splitting",
    summary: "a Runge–Kutta step of the smooth motion, then an impact; variant 2 keeps persistent contacts in the flow",
    parameters: &[keys::VARIANT],
    only_law: None,
    resolve: |options, _| match options.variant.unwrap_or(2) {
        variant @ 1..=2 => Ok(Arc::new(Parameters { variant: variant as u8 })),
        other => Err(parameter("variant", format!("variant = {other} does not exist"), "use 1 or 2")),
    },
};

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: &[Ability::StopsAtCorners, Ability::MovingGaps],
            promises: Promises { gap: false, joints: true, momentum: false },
            smooth_order: 5,
            steps: Steps::Free,
            opening_restitution: 1.0,
            penetration: LAW_ON_VELOCITIES,
            contact_frame: ContactFrame::Start,
            stored: Stored::Missing("the scheme keeps multipliers that are not stored"),
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        no_gap_law(activation)
    }

    fn friction(&self, system: System) -> Result<(), &'static str> {
        match system {
            System::Linear | System::Lagrangian => Err(NO_FRICTION_IN_FORCES),
            System::Bodies => Ok(()),
        }
    }

    fn energy(&self, _: &Circumstances) -> Energy {
        Energy::measured("the Runge–Kutta flow has its own small energy error, which is measured")
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(Splitting::new(linear_mechanism(model, scheme)?, self.variant, options)))
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, _: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(Splitting::new(Box::new(NonlinearMechanism::new(Arc::clone(model))), self.variant, options)))
    }

    fn bodies(&self, _: &Arc<Bodies>, scheme: &Scheme, _: SolverOptions) -> Bound {
        no_bodies(scheme)
    }

    fn step_form(&self, _: &Model) -> StepForm {
        StepForm::Instants
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        vec![("variant", Written::Integer(i64::from(self.variant)))]
    }
}
