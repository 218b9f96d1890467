//! Moreau–Jean: names, numbers and what is proved of them.
//!
//!   M (v⁺ − v) = h F_{k+θ} + G P,    q⁺ = q + h v_{k+θ},    0 ≤ U⁺ + e U ⟂ P ≥ 0
//!
//! ΔE − W ≤ 0 for ½ ≤ θ ≤ 1/(1+ē) (Acary 2016, Prop. 1); with midpoint positions for every θ ≥ ½ (Acary 2016, (29)).

use crate::bodies::drives::check_drives;
use crate::derivative::whole::StepForm;
use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, FOR_LINEAR_SYSTEMS, Facts, LAW_ON_VELOCITIES,
    Promises, SLACK, Steps, Stored, System, Theorem, linear_only, no_bodies, no_gap_law,
};
use crate::schemes::moreau_jean::bodies::BodiesMoreauJean;
use crate::schemes::moreau_jean::jointed::JointedBodies;
use crate::schemes::moreau_jean::linear::MoreauJean;
use crate::schemes::moreau_jean::massless;
use crate::schemes::options::{SchemeOptions, parameter};
use crate::schemes::velocity_level::{VelocityScheme, velocity_level};
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, FrictionLaw, Model, Warning, Written};
use percussion_model::Code;
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Key, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// θ and the rule for positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// θ ∈ [0, 1]: ½ is the midpoint rule, 1 damps most.
    pub theta: f64,
    /// Positions by the midpoint rule whatever θ: always dissipative.
    pub midpoint: bool,
    /// M, forces and rows of nonlinear models at q_{k+θ} instead of at q_{k+1}.
    pub between: bool,
}

const KEYS: &[Key] = &[
    keys::THETA,
    keys::ACTIVATION,
    keys::PREDICTION,
    keys::PROJECTION,
    keys::FRICTION_LAW,
    keys::IMPACT_LAW,
    keys::GYROSCOPIC,
    keys::EVALUATION,
];

/// `moreau-jean`.
pub const ENTRY: SchemeEntry = SchemeEntry {
    name: "moreau-jean",
    summary: "θ-scheme with impulses at velocity level; dissipative for ½ ≤ θ ≤ 1/(1+e)",
    parameters: KEYS,
    only_law: None,
    resolve: |options, warnings| Ok(Arc::new(Parameters::resolve(options, warnings, false)?)),
};

/// `moreau-jean-midpoint`.
pub const MIDPOINT: SchemeEntry = SchemeEntry {
    name: "moreau-jean-midpoint",
    summary: "the variant with midpoint positions; dissipative for every θ ≥ ½ and every e",
    parameters: &[
        keys::THETA,
        keys::ACTIVATION,
        keys::PREDICTION,
        keys::PROJECTION,
        keys::FRICTION_LAW,
        keys::IMPACT_LAW,
    ],
    only_law: None,
    resolve: |options, warnings| Ok(Arc::new(Parameters::resolve(options, warnings, true)?)),
};

/// `moreau-jean-fremond`.
pub const FREMOND: SchemeEntry = SchemeEntry {
    name: "moreau-jean-fremond",
    summary: "moreau-jean with friction_law = \"fremond\": friction that cannot create energy",
    parameters: KEYS,
    only_law: Some(FrictionLaw::Fremond),
    resolve: |options, warnings| Ok(Arc::new(Parameters::resolve(options, warnings, false)?)),
};

impl Parameters {
    fn resolve(options: &SchemeOptions, warnings: &mut Vec<Warning>, midpoint: bool) -> Result<Self, InputError> {
        let between = match options.evaluation.as_deref() {
            None | Some("end") => false,
            Some("theta") => true,
            Some(other) => {
                let message = format!("evaluation = \"{other}\" does not exist");
                return Err(parameter("evaluation", message, "use \"end\" or \"theta\""));
            }
        };
        Ok(Self { theta: stable_theta(options, warnings)?, midpoint, between })
    }

    /// Positions by the law's own weight, without a midpoint.
    fn is_plain(&self) -> bool {
        !self.midpoint
    }
}

/// θ as written; a remark where it is below ½.
pub(crate) fn stable_theta(options: &SchemeOptions, warnings: &mut Vec<Warning>) -> Result<f64, InputError> {
    let theta = keys::value(&keys::THETA, options.theta)?;
    if theta < 0.5 {
        let message = format!("theta = {theta} < ½ is only conditionally stable");
        warnings.push(Warning { code: Code::UNSTABLE, message });
    }
    Ok(theta)
}

/// Whether bodies depend on each other by more than contacts and springs.
fn are_jointed(scene: &Bodies) -> bool {
    !scene.joints().is_empty() || scene.has_elements()
}

/// Bodies by the θ-method: the plain scheme where nothing is jointed, joints solved with the step elsewhere. With θ = ½ the plain scheme
/// is exact in energy and momentum; only springs, whose force it predicts, are solved with the step where they are to be `exact`, and
/// contacts that give way always.
pub(crate) fn move_bodies(
    scene: &Arc<Bodies>,
    theta: f64,
    exact: bool,
    scheme: &Scheme,
    options: SolverOptions,
) -> Bound {
    if theta <= 0.0 {
        return Err(parameter("theta", "theta = 0 leaves no velocity for the laws", "use theta between 0.5 and 1"));
    }
    if scheme.activation == Activation::Gap {
        if theta != 1.0 {
            let help = "set theta = 1, or activation = \"hold\"";
            return Err(parameter("theta", "activation = \"gap\" needs theta = 1", help));
        }
        if scene.largest_restitution() > 0.0 {
            let message = "activation = \"gap\" stops bodies before they touch and has no restitution";
            let help = "set restitution = 0 for every pair, or activation = \"hold\"";
            return Err(parameter("activation", message, help));
        }
    }
    let solved = are_jointed(scene) || scene.has_compliance();
    if !solved && (!exact || scene.springs().is_empty()) {
        return Ok(Box::new(BodiesMoreauJean::new(Arc::clone(scene), theta, scheme, options)));
    }
    check_drives(scene)?;
    // elements between bodies do work on every residual
    let options = if scene.has_elements() { options.strict() } else { options };
    Ok(Box::new(JointedBodies::new(Arc::clone(scene), theta, scheme, options)))
}

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: &[
                Ability::Extrapolates,
                Ability::ImpactLaw,
                Ability::Rolling,
                Ability::Compliance,
                Ability::Elements,
                Ability::FullInertia,
                Ability::SolidsAmongBodies,
                Ability::NeedsRegularMass,
                Ability::MovingGaps,
            ],
            promises: Promises { gap: false, joints: false, momentum: self.theta == 0.5 && !self.midpoint },
            smooth_order: if self.theta == 0.5 { 2 } else { 1 },
            steps: Steps::Free,
            opening_restitution: if self.midpoint { 1.0 } else { (1.0 - self.theta) / self.theta },
            penetration: LAW_ON_VELOCITIES,
            contact_frame: if self.theta == 0.5 { ContactFrame::Middle } else { ContactFrame::Start },
            stored: Stored::Theta { theta: self.theta, midpoint: self.midpoint },
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        match activation {
            Activation::Hold if self.is_plain() && self.theta <= 0.0 => {
                let message = "hold needs theta > 0: ê = (1 − θ)/θ is infinite";
                let help = "use theta ≥ 0.5, or activation = \"predicted-and-closing\"";
                Err(parameter("theta", message, help))
            }
            Activation::Gap if self.is_plain() && (self.theta == 1.0 || self.theta == 0.5) => Ok(()),
            Activation::Equilibrium if self.is_plain() && self.theta == 0.5 => Ok(()),
            Activation::Gap | Activation::Equilibrium => no_gap_law(activation),
            Activation::Hold | Activation::PredictedAndClosing | Activation::Predicted { .. } => Ok(()),
        }
    }

    fn friction(&self, _: System) -> Result<(), &'static str> {
        Ok(())
    }

    fn energy(&self, on: &Circumstances) -> Energy {
        if on.system == System::Lagrangian {
            return Energy::measured(FOR_LINEAR_SYSTEMS);
        }
        let (theta, e) = (self.theta, on.largest_restitution);
        let (name, condition, met, identity) = if self.midpoint {
            (
                "midpoint variant dissipation (Acary 2016, (29))",
                format!("θ ≥ ½: θ = {theta}"),
                theta >= 0.5 - SLACK,
                "ΔE = W_ext + W_damp + U_{k+½}ᵀP + (½−θ)‖Δq‖²_K",
            )
        } else {
            let high = 1.0 / (1.0 + e);
            (
                "Moreau–Jean dissipation (Acary 2016, Prop. 1)",
                format!("½ ≤ θ ≤ 1/(1+e): θ = {theta}, largest e = {e}, 1/(1+e) = {high:.6}"),
                (0.5 - SLACK..=high + SLACK).contains(&theta),
                "(33) ΔE = W_ext + W_damp + U_{k+θ}ᵀP + (½−θ)(‖Δv‖²_M + ‖Δq‖²_K)",
            )
        };
        let theorem = Theorem {
            name,
            condition,
            met,
            damping_has_sign: self.is_plain() || theta == 0.5,
            filtered: false,
            any_potential: false,
            newton_friction: self.is_plain() && theta == 1.0,
            because: None,
        };
        Energy { theorem: Ok(theorem), identity: Some(identity) }
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        match scheme.activation {
            Activation::Gap | Activation::Equilibrium => massless::bind(model, self.theta, scheme, options),
            Activation::Hold | Activation::PredictedAndClosing | Activation::Predicted { .. } => {
                Ok(Box::new(MoreauJean::new(Arc::clone(model), self.theta, self.midpoint, scheme, options)))
            }
        }
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound {
        if self.theta <= 0.0 {
            return linear_only(scheme);
        }
        let kind = match (self.midpoint, self.between) {
            (true, _) => VelocityScheme::Midpoint(self.theta),
            (false, true) => VelocityScheme::Between(self.theta),
            (false, false) => VelocityScheme::MoreauJean(self.theta),
        };
        Ok(velocity_level(model, kind, scheme, options))
    }

    fn bodies(&self, scene: &Arc<Bodies>, scheme: &Scheme, options: SolverOptions) -> Bound {
        if self.midpoint {
            return no_bodies(scheme);
        }
        if self.between {
            let message = "evaluation = \"theta\" is for nonlinear models in coordinates, not for bodies";
            return Err(parameter("evaluation", message, "remove it"));
        }
        move_bodies(scene, self.theta, false, scheme, options)
    }

    fn step_form(&self, model: &Model) -> StepForm {
        match model.bodies() {
            Some(scene) => StepForm::Bodies { theta: self.theta, rows: are_jointed(scene) },
            None => StepForm::Sums(self.facts().stored),
        }
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        let mut values = vec![("theta", Written::Number(self.theta))];
        if self.between {
            values.push(("evaluation", Written::Word("theta".into())));
        }
        values
    }
}
