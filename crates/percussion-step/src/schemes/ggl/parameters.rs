//! Generalized-α with contacts and joints at position and velocity level: names, numbers, what is known of its energy.

use crate::bodies::drives::{check_drives, check_masses, check_resistance};
use crate::derivative::corrected::Apart;
use crate::derivative::whole::StepForm;
use crate::newton::system::newton_tolerance;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, Facts, Promises, Steps, Stored, System, no_bodies,
    no_gap_law, unsupported,
};
use crate::schemes::ggl::bodies::BodiesGgl;
use crate::schemes::ggl::conditions::{ClosedAt, GglVariant};
use crate::schemes::ggl::lagrangian::Ggl;
use crate::schemes::ggl::lagrangian::friction::FrictionGgl;
use crate::schemes::ggl::lagrangian::newton::Numerics;
use crate::schemes::ggl::linear::LinearGgl;
use crate::schemes::newmark::parameters::{NewmarkLike, chung_hulbert};
use crate::schemes::options::{SchemeOptions, parameter};
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Model, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{Code, InputError, Key, Lagrangian, LinearModel, Structure};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Chung and Hulbert's numbers and the complementarity condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// α_m, α_f, β, γ of ρ∞.
    pub alpha: NewmarkLike,
    /// The scheme itself or its modified condition.
    pub variant: GglVariant,
    /// Where the gap is asked that closes a contact.
    pub closed_at: ClosedAt,
    /// r, penalty terms and tolerances of Newton's iterations.
    pub numerics: Numerics,
}

/// `generalized-alpha-ggl`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "generalized-alpha-ggl",
    summary: "generalized-α with contacts and joints satisfied at position and velocity level: nothing penetrates",
    parameters: &[
        keys::RHO_INF,
        keys::ACTIVATION,
        keys::CLOSED_AT,
        keys::GAP_TOLERANCE,
        keys::SOLUTION,
        keys::FRICTION_LAW,
        keys::R,
        keys::AUGMENTED,
        keys::TOLERANCE_SMOOTH,
        keys::TOLERANCE_POSITION,
        keys::TOLERANCE_VELOCITY,
    ],
    only_law: None,
    resolve: |options, _| Ok(Arc::new(Parameters::resolve(options, GglVariant::Ggl)?)),
};

/// `generalized-alpha-modified-lcp`.
pub const MODIFIED_LCP: SchemeEntry = SchemeEntry {
    name: "generalized-alpha-modified-lcp",
    summary: "the comparison scheme 0 ≤ g ⟂ ν − hΛ ≥ 0; it chatters at rest",
    parameters: &[keys::RHO_INF, keys::ACTIVATION, keys::ESTIMATE_THETA],
    only_law: None,
    resolve: |options, _| {
        let theta = keys::value(&keys::ESTIMATE_THETA, options.estimate_theta)?;
        Ok(Arc::new(Parameters::resolve(options, GglVariant::ModifiedLcp { theta })?))
    },
};

impl Parameters {
    fn resolve(options: &SchemeOptions, variant: GglVariant) -> Result<Self, InputError> {
        let closed_at = closed_at(options)?;
        Ok(Self { alpha: chung_hulbert(options)?, variant, closed_at, numerics: numerics(options)? })
    }
}

/// Where the gap is asked, which only `predicted` leaves open.
fn closed_at(options: &SchemeOptions) -> Result<ClosedAt, InputError> {
    let contradiction = |field: &str, message: &str| {
        Err(InputError::new(Code::CONTRADICTION, format!("scheme.{field}"), message, "remove one of the two"))
    };
    if options.closed_at.is_some() && options.activation.as_deref() != Some("predicted") {
        return contradiction("closed_at", "closed_at belongs to activation = \"predicted\"");
    }
    if options.gap_tolerance.is_some() && options.closed_at.as_deref() != Some("end") {
        return contradiction("gap_tolerance", "gap_tolerance belongs to closed_at = \"end\"");
    }
    match options.closed_at.as_deref() {
        None | Some("smooth") => Ok(ClosedAt::Smooth),
        Some("start") => Ok(ClosedAt::Start),
        Some("ahead") => Ok(ClosedAt::Ahead),
        Some("end") => Ok(ClosedAt::End(keys::value(&keys::GAP_TOLERANCE, options.gap_tolerance)?)),
        Some(other) => {
            let message = format!("closed_at = \"{other}\" does not exist");
            Err(parameter("closed_at", message, "use \"smooth\", \"start\", \"ahead\" or \"end\""))
        }
    }
}

/// What steers Newton's iterations on nonlinear models.
fn numerics(options: &SchemeOptions) -> Result<Numerics, InputError> {
    let augmented = match options.augmented.as_deref() {
        None | Some("no") => false,
        Some("yes") => true,
        Some(other) => {
            let message = format!("augmented = \"{other}\" does not exist");
            return Err(parameter("augmented", message, "use \"no\" or \"yes\""));
        }
    };
    let tolerance = |key: &Key, written: Option<f64>| written.map(|x| keys::or(key, Some(x), x)).transpose();
    Ok(Numerics {
        r: keys::value(&keys::R, options.r)?,
        augmented,
        tolerances: [
            tolerance(&keys::TOLERANCE_SMOOTH, options.tolerance_smooth)?,
            tolerance(&keys::TOLERANCE_POSITION, options.tolerance_position)?,
            tolerance(&keys::TOLERANCE_VELOCITY, options.tolerance_velocity)?,
        ],
    })
}

/// Friction and bodies have one form of the scheme.
fn only_defaults(scheme: &Scheme, subject: &str) -> Result<(), InputError> {
    if scheme.sequential || scheme.activation != Activation::Hold {
        let message = format!("{subject} needs activation = \"hold\" and solution = \"monolithic\"");
        return Err(unsupported(message, "remove the two keys: these are the defaults"));
    }
    Ok(())
}

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: match self.variant {
                GglVariant::ModifiedLcp { theta: 1.0 } => {
                    &[Ability::ClosesGaps, Ability::CorrectsPositions, Ability::Elements, Ability::WindsUp]
                }
                GglVariant::Ggl | GglVariant::ModifiedLcp { .. } => {
                    &[Ability::ClosesGaps, Ability::CorrectsPositions, Ability::Elements]
                }
            },
            promises: Promises { gap: true, joints: true, momentum: false },
            smooth_order: self.alpha.smooth_order(),
            steps: match self.variant {
                GglVariant::ModifiedLcp { theta } if theta != 1.0 => Steps::Equal(
                    "the estimate with estimate_theta below 1 compares multipliers of steps of equal length",
                ),
                GglVariant::Ggl | GglVariant::ModifiedLcp { .. } => Steps::Free,
            },
            opening_restitution: 1.0,
            penetration: "contacts hold at position level",
            contact_frame: ContactFrame::End,
            stored: Stored::Projected(self.alpha),
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
            (System::Bodies, _) | (System::Linear | System::Lagrangian, GglVariant::Ggl) => Ok(()),
            (_, GglVariant::ModifiedLcp { .. }) => {
                Err("its complementarity joins gap and impulse, and leaves no velocity for a law along the contact")
            }
        }
    }

    fn energy(&self, on: &Circumstances) -> Energy {
        let why = match on.system {
            System::Linear => {
                "landing on g = 0 can add energy, O(h) at an impact and O(h²) in a step of lasting contact; the ledger shows it"
            }
            System::Lagrangian | System::Bodies => {
                "landing on g = 0 can add energy, O(h) at an impact and O(h²) in a step of lasting contact, and so can the α-method's \
                 own error, O(h³) in a step, where inertia or forces are not linear; the ledger shows it"
            }
        };
        Energy::identity(
            why,
            "ΔE = W_ext + W_damp + ½pᵀ(u_n + u_{n+1}) + W_joints + W_projection − D, each by its own formula",
        )
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        let model = Arc::clone(model);
        if model.has_friction() {
            only_defaults(scheme, "friction at position level")?;
        }
        let stepper = LinearGgl::new(model, self.alpha, self.variant, scheme, options);
        Ok(Box::new(stepper.closed_at(self.closed_at)))
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound {
        let hold = scheme.activation == Activation::Hold;
        let mut stepper = Ggl::new(Arc::clone(model), self.variant, self.alpha, hold, newton_tolerance(&options));
        stepper.sequential = scheme.sequential;
        (stepper.closed_at, stepper.numerics) = (self.closed_at, self.numerics);
        if model.frictions().iter().any(|&mu| mu > 0.0) {
            only_defaults(scheme, "friction at position level")?;
            return Ok(Box::new(FrictionGgl::new(stepper, scheme, options)));
        }
        Ok(Box::new(stepper))
    }

    fn bodies(&self, scene: &Arc<Bodies>, scheme: &Scheme, options: SolverOptions) -> Bound {
        if self.variant != GglVariant::Ggl {
            return no_bodies(scheme);
        }
        only_defaults(scheme, &format!("{} on bodies", scheme.name))?;
        check_drives(scene)?;
        check_resistance(scene, scheme.name, true)?;
        check_masses(scene, scheme.name)?;
        Ok(Box::new(BodiesGgl::new(Arc::clone(scene), self.alpha, scheme, options)))
    }

    /// Positions and velocities are apart.
    fn step_form(&self, model: &Model) -> StepForm {
        match model.structure() {
            Structure::Constant(_) | Structure::Lagrangian(_) => {
                StepForm::Corrected(Apart { alpha: self.alpha, variant: self.variant, closed_at: self.closed_at })
            }
            Structure::Bodies(_) => StepForm::CorrectedBodies(self.alpha),
        }
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        let mut values = self.alpha.values_of_rho_inf();
        if let GglVariant::ModifiedLcp { theta } = self.variant
            && theta != 1.0
        {
            values.push(("estimate_theta", Written::Number(theta)));
        }
        let place = match self.closed_at {
            ClosedAt::Smooth => None,
            ClosedAt::Start => Some("start"),
            ClosedAt::Ahead => Some("ahead"),
            ClosedAt::End(_) => Some("end"),
        };
        values.extend(place.map(|word| ("closed_at", Written::Word(word.into()))));
        if let ClosedAt::End(tolerance) = self.closed_at {
            values.push(("gap_tolerance", Written::Number(tolerance)));
        }
        let Numerics { r, augmented, tolerances } = self.numerics;
        if r != 1.0 {
            values.push(("r", Written::Number(r)));
        }
        if augmented {
            values.push(("augmented", Written::Word("yes".into())));
        }
        let names = ["tolerance_smooth", "tolerance_position", "tolerance_velocity"];
        values.extend(names.into_iter().zip(tolerances).filter_map(|(name, x)| Some((name, Written::Number(x?)))));
        values
    }
}
