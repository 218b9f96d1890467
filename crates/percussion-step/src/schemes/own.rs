//! A stepper of the user's own, run by `Simulation::own`: what results may say of it.

use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, Facts, LAW_ON_VELOCITIES, Promises, Steps, Stored,
    System, unsupported,
};
use crate::{Activation, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Steps that only the user knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    /// The identity its ledger obeys, if there is one.
    pub identity: Option<&'static str>,
}

impl Own {
    fn refuse(scheme: &Scheme) -> Bound {
        let message = format!("{} is a scheme of your own: nothing here knows its steps", scheme.name);
        Err(unsupported(message, "run it with Simulation::own"))
    }
}

impl Equations for Own {
    fn facts(&self) -> Facts {
        Facts {
            abilities: &[Ability::MovingGaps],
            promises: Promises { gap: false, joints: true, momentum: false },
            smooth_order: 1,
            steps: Steps::Free,
            opening_restitution: 1.0,
            penetration: LAW_ON_VELOCITIES,
            contact_frame: ContactFrame::Start,
            stored: Stored::Missing("its equations are the user's"),
        }
    }

    fn admits(&self, _: Activation) -> Result<(), InputError> {
        Ok(())
    }

    fn friction(&self, _: System) -> Result<(), &'static str> {
        Ok(())
    }

    fn energy(&self, _: &Circumstances) -> Energy {
        Energy {
            theorem: Err("a scheme of the user's own: whether energy was created is watched"),
            identity: self.identity,
        }
    }

    fn linear(&self, _: &Arc<LinearModel>, scheme: &Scheme, _: SolverOptions) -> Bound {
        Self::refuse(scheme)
    }

    fn lagrangian(&self, _: &Arc<dyn Lagrangian>, scheme: &Scheme, _: SolverOptions) -> Bound {
        Self::refuse(scheme)
    }

    fn bodies(&self, _: &Arc<Bodies>, scheme: &Scheme, _: SolverOptions) -> Bound {
        Self::refuse(scheme)
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        Vec::new()
    }
}
