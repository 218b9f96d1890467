//! Runge–Kutta of any order between events, a short Moreau step around each.

use crate::located::options::HighOrderOptions;
use crate::mechanism::Mechanism;
use crate::mechanism::bodies::BodiesMechanism;
use crate::mechanism::lagrangian::NonlinearMechanism;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, BETWEEN_IMPACTS, Bound, Circumstances, ContactFrame, Energy, Equations, Facts, Promises, Steps, Stored,
    System, linear_mechanism, no_gap_law,
};
use crate::schemes::runge_kutta_moreau::RungeKuttaMoreau;
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters(pub HighOrderOptions);

/// `runge-kutta-moreau`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "runge-kutta-moreau",
    summary: "Runge–Kutta of order 1 to 8 between events, each bracketed to C h^{p+1} and crossed by a Moreau step",
    parameters: &[keys::ORDER, keys::TABLEAU, keys::BRACKET, keys::CUT],
    only_law: None,
    resolve: |options, _| Ok(Arc::new(Parameters(HighOrderOptions::resolve(options)?))),
};

impl Parameters {
    fn on(&self, mechanism: Box<dyn Mechanism>, _: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(RungeKuttaMoreau::new(mechanism, &self.0, options)))
    }
}

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: &[Ability::LocatesEvents, Ability::StopsAtCorners, Ability::MovingGaps],
            promises: Promises { gap: false, joints: true, momentum: false },
            smooth_order: self.0.order as u32,
            steps: Steps::Own,
            opening_restitution: 1.0,
            penetration: "contacts are located to the bracket and to round-off",
            contact_frame: ContactFrame::End,
            stored: Stored::Missing("the states at its events are not stored"),
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        no_gap_law(activation)
    }

    fn friction(&self, _: System) -> Result<(), &'static str> {
        Err("it locates events, and stick–slip transitions are not among them")
    }

    fn energy(&self, _: &Circumstances) -> Energy {
        Energy::measured(BETWEEN_IMPACTS)
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
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
            ("order", Written::Integer(self.0.order as i64)),
            ("bracket", Written::Number(self.0.bracket)),
            ("cut", Written::Number(self.0.cut)),
            ("tableau", Written::Word(self.0.family.name().into())),
        ]
    }
}
