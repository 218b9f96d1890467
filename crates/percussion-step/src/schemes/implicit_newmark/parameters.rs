//! Newmark with the contact force inside the acceleration: names and numbers.
//!
//!   M q̈⁺ = F⁺ − Kq⁺ − Cv⁺ + Gλ,   a⁺ = (1−α) q̈⁺ + α q̈,   q⁺, v⁺ by β and γ from a⁺ (α > 0: Acary's lectures, (65)–(67))

use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, Facts, LAW_ON_VELOCITIES, Promises, Steps, Stored,
    System, linear_only, no_bodies, no_gap_law,
};
use crate::schemes::implicit_newmark::linear::Implicit;
use crate::schemes::newmark::parameters::NewmarkLike;
use crate::schemes::options::SchemeOptions;
use crate::schemes::velocity_level::{VelocityScheme, velocity_level};
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{Form, KeyDefault};
use percussion_model::{InputError, Key, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// β, γ and where the contact law is.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// β.
    pub beta: f64,
    /// γ.
    pub gamma: f64,
    /// α of Hilber, Hughes and Taylor: the part of the old acceleration, contact force included.
    pub alpha: f64,
    /// Whether the contact law is on positions, without restitution.
    pub on_positions: bool,
}

/// A divisor: zero is not allowed.
const fn weight(key: Key, default: f64) -> Key {
    Key { form: Form::between(1e-6, 2.0), default: KeyDefault::Number(default), ..key }
}

const IMPLICIT_BETA: Key = weight(keys::BETA, 0.5625);
const IMPLICIT_GAMMA: Key = weight(keys::GAMMA, 1.0);
const TRAPEZOIDAL_BETA: Key = weight(keys::BETA, 0.25);
const TRAPEZOIDAL_GAMMA: Key = weight(keys::GAMMA, 0.5);
const POSITION_BETA: Key = weight(keys::BETA, 0.5);
/// α of the naive schemes.
const NAIVE_ALPHA: Key = Key {
    default: KeyDefault::Number(0.0),
    meaning: "α of Hilber, Hughes and Taylor, positive convention; above 0 it sets β and γ where these are absent",
    ..keys::ALPHA
};

/// `implicit-newmark`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "implicit-newmark",
    summary: "fully implicit Newmark, contact force inside the acceleration (γ = 1, β = 0.5625)",
    parameters: &[
        IMPLICIT_BETA,
        IMPLICIT_GAMMA,
        keys::ACTIVATION,
        keys::PREDICTION,
        keys::FRICTION_LAW,
        keys::IMPACT_LAW,
    ],
    only_law: None,
    resolve: |options, _| Ok(Arc::new(Parameters::resolve(options, &IMPLICIT_BETA, &IMPLICIT_GAMMA, false)?)),
};

/// `naive-newmark-velocity`.
pub const NAIVE_VELOCITY: SchemeEntry = SchemeEntry {
    name: "naive-newmark-velocity",
    summary: "a deliberate failure: trapezoidal rule carrying the impulse in the acceleration; energy grows",
    parameters: &[
        TRAPEZOIDAL_BETA,
        TRAPEZOIDAL_GAMMA,
        NAIVE_ALPHA,
        keys::ACTIVATION,
        keys::PREDICTION,
        keys::FRICTION_LAW,
        keys::IMPACT_LAW,
    ],
    only_law: None,
    resolve: |options, _| Ok(Arc::new(Parameters::resolve(options, &TRAPEZOIDAL_BETA, &TRAPEZOIDAL_GAMMA, false)?)),
};

/// `naive-newmark-position`.
pub const NAIVE_POSITION: SchemeEntry = SchemeEntry {
    name: "naive-newmark-position",
    summary: "a deliberate failure: contact law on positions; the rebound depends on the impact phase",
    parameters: &[POSITION_BETA, IMPLICIT_GAMMA, NAIVE_ALPHA],
    only_law: None,
    resolve: |options, _| Ok(Arc::new(Parameters::resolve(options, &POSITION_BETA, &IMPLICIT_GAMMA, true)?)),
};

impl Parameters {
    /// γ = 1 without filters and with the law on velocities: what nonlinear models have.
    fn is_implicit(&self) -> bool {
        self.gamma == 1.0 && self.alpha == 0.0 && !self.on_positions
    }

    fn resolve(options: &SchemeOptions, beta: &Key, gamma: &Key, on_positions: bool) -> Result<Self, InputError> {
        let alpha = keys::value(&NAIVE_ALPHA, options.alpha)?;
        if alpha > 0.0 {
            let of_alpha = NewmarkLike::hht(alpha);
            let (beta, gamma) =
                (keys::or(beta, options.beta, of_alpha.beta)?, keys::or(gamma, options.gamma, of_alpha.gamma)?);
            return Ok(Self { beta, gamma, alpha, on_positions });
        }
        let (beta, gamma) = (keys::value(beta, options.beta)?, keys::value(gamma, options.gamma)?);
        Ok(Self { beta, gamma, alpha, on_positions })
    }
}

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: if self.on_positions {
                &[Ability::ClosesGaps, Ability::MovingGaps]
            } else {
                &[Ability::ImpactLaw, Ability::MovingGaps]
            },
            // on nonlinear models joints are held on velocities
            promises: Promises { gap: false, joints: !self.is_implicit(), momentum: false },
            smooth_order: if self.gamma == 0.5 + self.alpha { 2 } else { 1 },
            steps: Steps::Free,
            opening_restitution: 1.0,
            penetration: if self.on_positions {
                "the law is on positions at the ends of steps"
            } else {
                LAW_ON_VELOCITIES
            },
            contact_frame: ContactFrame::Start,
            stored: if self.alpha > 0.0 {
                Stored::Missing("the scheme keeps accelerations that are not stored")
            } else {
                Stored::Implicit { beta: self.beta, gamma: self.gamma, on_positions: self.on_positions }
            },
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        no_gap_law(activation)
    }

    fn friction(&self, system: System) -> Result<(), &'static str> {
        match system {
            System::Linear if self.on_positions => Err("its law is on positions, and Coulomb's is on velocities"),
            System::Linear | System::Bodies => Ok(()),
            System::Lagrangian if self.is_implicit() => Ok(()),
            System::Lagrangian => Err("not for this kind of model"),
        }
    }

    fn energy(&self, on: &Circumstances) -> Energy {
        let why = "no theorem is known for a contact force carried inside the acceleration";
        if self.alpha > 0.0 || on.system == System::Lagrangian {
            return Energy::measured(why);
        }
        Energy::identity(why, "Newmark's identity in E with the load F + GP/h")
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(Implicit::new(Arc::clone(model), self, scheme, options)))
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound {
        if !self.is_implicit() {
            return linear_only(scheme);
        }
        Ok(velocity_level(model, VelocityScheme::Implicit(self.beta), scheme, options))
    }

    fn bodies(&self, _: &Arc<Bodies>, scheme: &Scheme, _: SolverOptions) -> Bound {
        no_bodies(scheme)
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        let mut values = vec![("beta", Written::Number(self.beta)), ("gamma", Written::Number(self.gamma))];
        if self.alpha > 0.0 {
            values.push(("alpha", Written::Number(self.alpha)));
        }
        values
    }
}
