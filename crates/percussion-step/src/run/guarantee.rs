//! Which theorem promises that no energy is created, or why none does.
//!
//! A scheme states its theorem, condition and identity (`schemes/*/parameters.rs`); here they meet the model and the rules.
//! With friction the theorems hold for the work u_{k(+½ or +θ)}·p of all components, which Frémond's law and the checked
//! rule keep from being positive and Newton's law with Coulomb's does not. All need U_{k(+½ or +θ)} P ≤ 0, which the
//! rules `hold` and `predicted-and-closing` give and `predicted` does not.

use crate::schemes::equations::{Circumstances, NEWTON_FRICTION, Theorem};
use crate::{Activation, FrictionLaw, Model, Scheme};
use percussion_model::LinearModel;

/// A statement about energy, made before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee {
    /// The theorem, if there is one.
    pub theorem: Option<&'static str>,
    /// Its condition with this run's numbers.
    pub condition: String,
    /// Whether it applies.
    pub holds: bool,
    /// Why or why not, in one sentence.
    pub reason: String,
    /// The identity the ledger's residual belongs to; none where the balance is only measured.
    pub identity: Option<&'static str>,
    /// How much of the promise is about energy as it is measured outside.
    pub level: Level,
}

/// How sure a verdict on energy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A theorem excludes that energy is created.
    Theorem,
    /// A theorem excludes it but for works of loads and dampers as the scheme's filters see them.
    Filtered,
    /// No theorem applies: what was created is measured.
    Measured,
}

impl Level {
    /// The word in `summary.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Theorem => "theorem",
            Self::Filtered => "filtered",
            Self::Measured => "measured",
        }
    }
}

/// Why extrapolated states promise nothing.
const EXTRAPOLATED: &str = "an extrapolated state is not the scheme's; the balance is measured";

/// Why contacts that are only predicted promise nothing.
const PREDICTED: &str = "activation = \"predicted\" admits opening contacts, whose impulses can do positive work";

/// Why the law on gaps promises nothing.
const GAP_LAW: &str = "activation = \"gap\" acts on the gap at the end of the step, which the theorem on velocities does not cover: while \
                       no gap is negative at the start of a step its contacts take energy out; overlap left by the solver's \
                       residual is pushed out again, which the ledger shows";

/// Why springs between free bodies promise nothing.
const SPRINGS: &str = "springs act with the force of the predicted middle of the step: their energy error, O(h³) in a step, \
                       is booked as numerical and has no sign";

/// Why contacts that give way promise nothing.
const COMPLIANCE: &str = "contacts that give way gain what their potential loses along the gap as the step sees it; where points turn \
                          or come and go, what is left of the change of that potential is booked as numerical and has no sign";

const STIFFNESS: &str = "the stiffness has a negative direction, which every theorem excludes";
const DAMPERS: &str = "the condition is met: contact impulses and the scheme's own terms take energy out; the work of the \
                       dampers, booked apart, has no sign in this scheme and is watched";
const FILTERED: &str = "H grows by no more than the work of the load and dampers as the scheme sees them (filtered, Acary 2016 (58)); \
                        the sign of the damper's work is not guaranteed";
const MET: &str = "the condition is met: contact impulses and the scheme can only take energy out";
const NOT_MET: &str = "the condition is not met: energy can be created, and the verdict will say whether it was";

impl Guarantee {
    /// What is said where there is no identity.
    pub const NO_IDENTITY: &str = "no identity";

    /// Whether the ledger's residual is that of an identity, or a measured balance.
    pub fn has_identity(&self) -> bool {
        self.identity.is_some()
    }

    /// The theorem for people: "none" where there is none.
    pub fn theorem_name(&self) -> &'static str {
        self.theorem.unwrap_or("none")
    }

    /// The identity for people: "no identity" where there is none.
    pub fn identity_name(&self) -> &'static str {
        self.identity.unwrap_or(Self::NO_IDENTITY)
    }

    /// For this scheme on this model.
    pub fn new(scheme: &Scheme, model: &Model) -> Self {
        let newton_friction = scheme.friction_law == FrictionLaw::Newton && model.has_friction();
        let on =
            Circumstances { system: model.system(), largest_restitution: model.largest_restitution(), newton_friction };
        let energy = scheme.equations().energy(&on);
        let none = |reason: &'static str, identity| Self {
            theorem: None,
            condition: "no condition is known".to_string(),
            holds: false,
            reason: reason.to_string(),
            identity,
            level: Level::Measured,
        };
        if let (Some(kept), true) = (of_gaps(scheme), model.linear().is_some()) {
            return kept;
        }
        match energy.theorem {
            _ if scheme.extrapolated => none(EXTRAPOLATED, None),
            Err(why) => none(why, energy.identity),
            Ok(theorem) => {
                let exclusion = exclusion(scheme, model, &theorem, newton_friction);
                let holds = exclusion.is_none() && theorem.met;
                let filtered = theorem.filtered && has_varying_works(model);
                let reason = match exclusion {
                    None if holds && filtered => FILTERED,
                    None => met(model, &theorem),
                    Some(why) => why,
                };
                Self {
                    theorem: Some(theorem.name),
                    level: match (holds, filtered) {
                        (false, _) => Level::Measured,
                        (true, true) => Level::Filtered,
                        (true, false) => Level::Theorem,
                    },
                    holds,
                    condition: theorem.condition,
                    reason: reason.to_string(),
                    identity: energy.identity,
                }
            }
        }
    }
}

/// What the laws on gaps of nodes without mass promise.
fn of_gaps(scheme: &Scheme) -> Option<Guarantee> {
    let (theorem, reason, identity) = match scheme.activation {
        Activation::Equilibrium => (
            "energy kept by nodes in equilibrium",
            "contacts neither take nor give energy: α takes back what changes of status would gain or lose",
            "ΔE = W_ext + W_damp + Σ ½(λ_k g_{k+1} − λ_{k+1} g_k) − α·BᵀΔq, the sum zero by the choice of α",
        ),
        Activation::Gap => (
            "dissipation of the law on gaps",
            "contacts take energy out: their work is −P g_k/h − μP‖U_T‖, and no gap is negative",
            "ΔE = W_ext + W_damp + U_{k+½}ᵀP",
        ),
        Activation::Hold | Activation::PredictedAndClosing | Activation::Predicted { .. } => return None,
    };
    Some(Guarantee {
        theorem: Some(theorem),
        condition: "θ = ½, contact nodes without mass, e = 0".to_string(),
        holds: true,
        reason: reason.to_string(),
        identity: Some(identity),
        level: Level::Theorem,
    })
}

/// What the theorem does not cover in this model under these rules, if anything.
fn exclusion(scheme: &Scheme, model: &Model, theorem: &Theorem, newton_friction: bool) -> Option<&'static str> {
    let (linear, bodies) = (model.linear(), model.bodies());
    // with joints springs are exact too
    let springs = bodies.is_some_and(|scene| !scene.springs().is_empty() && scene.joints().is_empty());
    let indefinite = linear.is_some_and(|linear| !linear.stiffness_is_semidefinite());
    [
        (matches!(scheme.activation, Activation::Predicted { .. }), PREDICTED),
        (newton_friction && !theorem.newton_friction, NEWTON_FRICTION),
        (scheme.activation == Activation::Gap, GAP_LAW),
        (springs && !theorem.any_potential, SPRINGS),
        (bodies.is_some_and(|scene| scene.has_compliance()), COMPLIANCE),
        (indefinite && !theorem.any_potential, STIFFNESS),
    ]
    .into_iter()
    .find_map(|(applies, why)| applies.then_some(why))
}

/// Whether a damping is written that is not zero.
fn damps(linear: &LinearModel) -> bool {
    linear.damping().is_some_and(|C| C.max_abs() > 0.0)
}

/// Whether loads vary or dampers work: what filters of load and velocity change.
fn has_varying_works(model: &Model) -> bool {
    model.linear().is_some_and(|linear| damps(linear) || !linear.force_is_constant())
}

/// What a theorem that covers the model says of it.
fn met(model: &Model, theorem: &Theorem) -> &'static str {
    let damped = model.linear().is_some_and(|linear| damps(linear));
    match (theorem.met, damped && !theorem.damping_has_sign) {
        (true, true) => DAMPERS,
        (true, false) => theorem.because.unwrap_or(MET),
        (false, _) => NOT_MET,
    }
}
