//! Runge–Kutta of any order between events, a short Moreau step around each.

use crate::located::options::HighOrderOptions;
use crate::mechanism::Mechanism;
use crate::mechanism::bodies::BodiesMechanism;
use crate::mechanism::lagrangian::NonlinearMechanism;
use crate::mechanism::linear::LinearMechanism;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    BETWEEN_IMPACTS, Bound, Circumstances, ContactFrame, Energy, Equations, Facts, Promises, Steps, Stored, System,
    no_gap_law, unsupported,
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
    fn values(&self) -> Vec<(&'static str, Written)> {
        vec![
            ("order", Written::Integer(self.0.order as i64)),
            ("bracket", Written::Number(self.0.bracket)),
            ("cut", Written::Number(self.0.cut)),
            ("tableau", Written::Word(self.0.family.name().into())),
        ]
    }

    fn facts(&self) -> Facts {
        Facts {
            smooth_order: self.0.order as u32,
            locates_events: true,
            promises: Promises { gap: false, joints: true, momentum: false },
            penetration: "contacts are located to the bracket and to round-off",
            closes_gaps: false,
            corrects_positions: false,
            impulses_of_an_impact: 1,
            energy_depends_on_step: false,
            opening_restitution: 1.0,
            steps: Steps::Own,
            extrapolates: false,
            contact_frame: ContactFrame::End,
            impact_law: false,
            rolling: false,
            elements: false,
            needs_regular_mass: false,
            moving_gaps: true,
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
        let Some(mechanism) = LinearMechanism::new(Arc::clone(model)) else {
            let message = format!("{} needs a mass that can be inverted", scheme.name);
            return Err(unsupported(message, "check model.mass"));
        };
        self.on(Box::new(mechanism), scheme, options)
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound {
        self.on(Box::new(NonlinearMechanism::new(Arc::clone(model))), scheme, options)
    }

    fn bodies(&self, scene: &Arc<Bodies>, scheme: &Scheme, options: SolverOptions) -> Bound {
        self.on(Box::new(BodiesMechanism::new(Arc::clone(scene), scheme.name)?), scheme, options.strict())
    }
}
