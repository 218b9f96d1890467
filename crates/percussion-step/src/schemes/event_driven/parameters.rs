//! The smooth motion to a tolerance from event to event.

use crate::located::options::EventDrivenOptions;
use crate::mechanism::Mechanism;
use crate::mechanism::bodies::BodiesMechanism;
use crate::mechanism::lagrangian::NonlinearMechanism;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, BETWEEN_IMPACTS, Bound, Circumstances, ContactFrame, Energy, Equations, Facts, NEWTON_FRICTION, Promises,
    Steps, Stored, System, linear_mechanism, no_gap_law, unsupported,
};
use crate::schemes::event_driven::EventDriven;
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters(pub EventDrivenOptions);

/// `event-driven`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "event-driven",
    summary: "the smooth motion to a tolerance from event to event, every impact, closing, opening, stick and slip located",
    parameters: &[keys::TOLERANCE, keys::METHOD, keys::CUT, keys::FRICTION_LAW],
    only_law: None,
    resolve: |options, _| Ok(Arc::new(Parameters(EventDrivenOptions::resolve(options)?))),
};

impl Parameters {
    fn on(&self, mechanism: Box<dyn Mechanism>, scheme: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(EventDriven::new(mechanism, &self.0, scheme.friction_law, options)))
    }
}

/// Coordinates up to which motion between events is integrated: the integrator's matrices are full.
const LARGEST: usize = 2000;

/// Says at once that a model has too many coordinates, instead of using up the memory.
pub(crate) fn refuse_large(n: usize) -> Result<(), InputError> {
    if n <= LARGEST {
        return Ok(());
    }
    let message = format!("{n} coordinates: event-driven integrates with full matrices and takes at most {LARGEST}");
    Err(unsupported(message, "use moreau-jean, newmark or generalized-alpha, whose matrices are sparse"))
}

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: &[Ability::LocatesEvents, Ability::StopsAtCorners, Ability::MovingGaps],
            promises: Promises { gap: false, joints: true, momentum: false },
            smooth_order: 5,
            steps: Steps::Own,
            opening_restitution: 1.0,
            penetration: "contacts are located to the tolerance of the scheme and its round-off",
            contact_frame: ContactFrame::End,
            stored: Stored::Missing("the states at its events are not stored"),
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        no_gap_law(activation)
    }

    fn friction(&self, _: System) -> Result<(), &'static str> {
        Ok(())
    }

    fn energy(&self, on: &Circumstances) -> Energy {
        Energy::measured(if on.newton_friction { NEWTON_FRICTION } else { BETWEEN_IMPACTS })
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        refuse_large(model.n())?;
        self.on(linear_mechanism(model, scheme)?, scheme, options)
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound {
        self.on(Box::new(NonlinearMechanism::new(Arc::clone(model))), scheme, options)
    }

    fn bodies(&self, scene: &Arc<Bodies>, scheme: &Scheme, options: SolverOptions) -> Bound {
        self.on(Box::new(BodiesMechanism::new(Arc::clone(scene), scheme.name)?), scheme, options.strict())
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        vec![
            ("tolerance", Written::Number(self.0.tolerance)),
            ("cut", Written::Number(self.0.cut)),
            ("method", Written::Word(self.0.method.name().into())),
        ]
    }
}
