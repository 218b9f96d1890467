//! What a scheme is: the equations of a step, what they promise, and the facts other code asks for.
//!
//! Each folder of `schemes/` implements [`Equations`] for its parameters. No method has a default and no fact may be left
//! out, so a scheme that forgets something does not compile.

use crate::derivative::whole::StepForm;
use crate::mechanism::Mechanism;
use crate::mechanism::linear::LinearMechanism;
use crate::{Activation, Model, NewmarkLike, Scheme, Stepper, Written};
use percussion_model::bodies::Bodies;
use percussion_model::nonlinear::LinearAsLagrangian;
use percussion_model::{Code, InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::fmt::Debug;
use std::sync::Arc;

/// The structure of a model's equations, as far as schemes tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Constant M, C, K, G.
    Linear,
    /// M(q), f(q, v, t), g(q).
    Lagrangian,
    /// Frames that move and turn; contacts come and go.
    Bodies,
}

/// A scheme made ready to move a model, or why it cannot.
pub type Bound = Result<Box<dyn Stepper>, InputError>;

/// The equations of a scheme with their numbers.
pub trait Equations: Debug + Send + Sync {
    /// The numbers and words by name: summaries show all of them, and those that are keys of the scheme give it back.
    fn values(&self) -> Vec<(&'static str, Written)>;

    /// What other code asks.
    fn facts(&self) -> Facts;

    /// Whether contacts may be selected by this rule.
    fn admits(&self, activation: Activation) -> Result<(), InputError>;

    /// Coulomb friction on such a system, or what the scheme lacks that Coulomb's law speaks of.
    fn friction(&self, system: System) -> Result<(), &'static str>;

    /// What is known of the energy on such a system.
    fn energy(&self, on: &Circumstances) -> Energy;

    /// On constant matrices.
    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound;

    /// On M(q), f(q, v, t), g(q).
    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound;

    /// On bodies.
    fn bodies(&self, scene: &Arc<Bodies>, scheme: &Scheme, options: SolverOptions) -> Bound;

    /// How steps on a model are differentiated: as they are stored, unless the scheme says otherwise.
    fn step_form(&self, _model: &Model) -> StepForm {
        StepForm::Sums(self.facts().stored)
    }
}

/// What a scheme promises at the end of every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promises {
    /// g ≥ 0: penetration is a failure and not a report.
    pub gap: bool,
    /// Joints at position level on every system; otherwise Lagrangian models drift away from them.
    pub joints: bool,
    /// Linear and angular momentum of bodies to round-off: a residual is a failure and not a warning.
    pub momentum: bool,
}

/// Which lengths of step a scheme can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Any, from step to step.
    Free,
    /// Equal ones only, and why.
    Equal(&'static str),
    /// It chooses its own between events.
    Own,
}

/// Which velocities stored contacts obey their law with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactFrame {
    /// Normals and tangents of the start of the step.
    Start,
    /// Of bodies: those of its middle.
    Middle,
    /// Those of its end.
    End,
    /// Those between the parts of a step, which are not stored: its impulses are sums, of which some was taken back.
    Parts,
}

/// What a scheme has or takes beyond steps with impulses on constant gaps; what it does not list it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// It finds the instants of its events; others name them by step.
    LocatesEvents,
    /// It stops where a signal or a derivative of it jumps, and goes on behind it; others look at the ends and the middles of steps.
    StopsAtCorners,
    /// Closed contacts end a step at g = 0, wherever they would have gone.
    ClosesGaps,
    /// Positions are corrected by multipliers of their own, whose work the ledger books apart.
    CorrectsPositions,
    /// An impact gives impulses in two consecutive steps, not in one.
    TwoImpulses,
    /// Two steps without impulses may be extrapolated (Richardson).
    Extrapolates,
    /// Restitution may be a function of the approach on linear models.
    ImpactLaw,
    /// It has a law for rolling friction.
    Rolling,
    /// Contacts of shapes may give way.
    Compliance,
    /// It moves flexible elements between bodies, such as beams.
    Elements,
    /// It moves reduced bodies whose inertia changes as they bend.
    FullInertia,
    /// It moves elastic solids among bodies.
    SolidsAmongBodies,
    /// It moves solids in finite deformation.
    FiniteDeformation,
    /// Forces are divided by M alone, which then must be regular without the joints.
    NeedsRegularMass,
    /// Gaps of nonlinear models may depend on time by themselves.
    MovingGaps,
    /// Its impulses move positions by more than onto contacts, and so wind up the stiffness behind them: steps in which they do are made in halves.
    WindsUp,
    /// Its H contains the step size, so that it jumps where the step changes.
    EnergyOfStep,
}

/// Facts about a scheme with its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// What it promises.
    pub promises: Promises,
    /// The order in smooth motion.
    pub smooth_order: u32,
    /// Which steps it can be given.
    pub steps: Steps,
    /// What it has or takes beyond the plain step.
    pub abilities: &'static [Ability],
    /// ê of an opening contact under `hold`: the value that makes its impulse do no work.
    pub opening_restitution: f64,
    /// What is to be said of penetration where it is only reported.
    pub penetration: &'static str,
    /// Where the contact law of a step of bodies is taken.
    pub contact_frame: ContactFrame,
    /// How a stored run can be followed.
    pub stored: Stored,
}

impl Facts {
    /// Whether the scheme has this.
    pub fn has(&self, wanted: Ability) -> bool {
        self.abilities.contains(&wanted)
    }
}

/// What the statement on energy depends on besides the scheme's numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circumstances {
    /// The structure of the model.
    pub system: System,
    /// ē, the largest restitution of any contact.
    pub largest_restitution: f64,
    /// Whether frictional contacts obey Newton's impact law with Coulomb's.
    pub newton_friction: bool,
}

/// What is known of a scheme's energy.
#[derive(Clone, Debug, PartialEq)]
pub struct Energy {
    /// The theorem with its condition, or why there is none.
    pub theorem: Result<Theorem, &'static str>,
    /// The identity the ledger's residual belongs to; none for a measured balance.
    pub identity: Option<&'static str>,
}

/// A theorem: contact impulses and the scheme itself can only take energy out.
#[derive(Clone, Debug, PartialEq)]
pub struct Theorem {
    /// Its name, with author and number.
    pub name: &'static str,
    /// Its condition with this run's numbers.
    pub condition: String,
    /// Whether these numbers meet it.
    pub met: bool,
    /// Whether the work of linear dampers has a sign too.
    pub damping_has_sign: bool,
    /// Whether the works of loads and dampers in it are those of filtered ones.
    pub filtered: bool,
    /// Whether it covers potentials of any kind, such as springs between bodies and indefinite stiffness.
    pub any_potential: bool,
    /// Whether Newton's impact law with Coulomb friction is covered.
    pub newton_friction: bool,
    /// Why energy is not created, where it is another reason than the usual one.
    pub because: Option<&'static str>,
}

/// How a stored run of a linear model can be followed from positions, velocities and impulses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stored {
    /// By the θ-method, positions by the midpoint rule or by θ.
    Theta {
        /// θ.
        theta: f64,
        /// Whether positions follow by the midpoint rule.
        midpoint: bool,
    },
    /// By the Newmark family with its filters.
    Newmark(NewmarkLike),
    /// By Newmark with the contact force inside the acceleration.
    Implicit {
        /// β.
        beta: f64,
        /// γ.
        gamma: f64,
        /// Whether the contact law is on positions.
        on_positions: bool,
    },
    /// By symplectic Euler.
    Euler,
    /// By generalized-α with impulses, positions apart: what moves them onto contacts is not stored.
    Projected(NewmarkLike),
    /// It cannot, and why.
    Missing(&'static str),
}

impl Energy {
    /// No theorem and a measured balance.
    pub fn measured(why: &'static str) -> Self {
        Self { theorem: Err(why), identity: None }
    }

    /// No theorem, but an identity that closes.
    pub fn identity(why: &'static str, identity: &'static str) -> Self {
        Self { theorem: Err(why), identity: Some(identity) }
    }
}

/// Why theorems for linear systems say nothing about others.
pub const FOR_LINEAR_SYSTEMS: &str = "the theorem is for linear systems; on a nonlinear one the balance is measured";

/// What is said of penetration under a law on velocities.
pub const LAW_ON_VELOCITIES: &str = "the scheme acts on velocities and promises none on positions";

/// What is said of penetration under `activation = "gap"` on bodies.
pub const LAW_ON_GAPS: &str = "the law acts on gaps at the ends of steps, linear in the motion of each: what turns within a step may overlap by its square";

/// Why Newton's law with friction promises nothing.
pub const NEWTON_FRICTION: &str =
    "Newton's impact law with Coulomb friction can create energy; friction_law = \"checked\" or \"fremond\" cannot";

/// What is known where events are located.
pub const BETWEEN_IMPACTS: &str =
    "impacts can only take energy out; between them the error of the integration decides, and is measured";

/// Why schemes with forces of persistent contacts have no friction.
pub const NO_FRICTION_IN_FORCES: &str =
    "persistent contacts carry forces at acceleration level, and no law with friction is given for these";

/// Room for round-off in parameters such as 1/(1+e).
pub const SLACK: f64 = 1e-12;

/// Coordinates up to which a linear model may be moved by a scheme made for dense nonlinear ones, whose Newton system has one
/// unknown per coordinate.
pub const LARGEST_DENSE: usize = 360;

/// A scheme that does not go with the model.
pub fn unsupported(message: String, help: &str) -> InputError {
    InputError::new(Code::UNSUPPORTED, "scheme.name", message, help)
}

/// The refusal of schemes that do not move bodies.
pub fn no_bodies(scheme: &Scheme) -> Bound {
    let help = "use moreau-jean, moreau-jean-fremond, energy-momentum, generalized-alpha-ggl, landing or event-driven";
    Err(unsupported(format!("{} does not move bodies", scheme.name), help))
}

/// The refusal of schemes, or of parameters, that are for linear models.
pub fn linear_only(scheme: &Scheme) -> Bound {
    let help = "use moreau-jean, generalized-alpha, generalized-alpha-ggl or energy-momentum";
    Err(unsupported(format!("{} with these parameters is for linear models", scheme.name), help))
}

/// The refusal of laws on the gap at the end of a step by schemes that have none.
pub fn no_gap_law(activation: Activation) -> Result<(), InputError> {
    match activation {
        Activation::Hold | Activation::PredictedAndClosing | Activation::Predicted { .. } => Ok(()),
        Activation::Gap | Activation::Equilibrium => {
            let message = format!(
                "activation = \"{}\" is for moreau-jean: theta = 1/2 on solids{}",
                activation.name(),
                if activation == Activation::Gap { ", theta = 1 on bodies" } else { "" }
            );
            let help = "use moreau-jean with theta = 0.5 on solids, or \"hold\" on nodes that have mass";
            Err(InputError::new(Code::UNSUPPORTED, "scheme.activation", message, help))
        }
    }
}

/// Obstacles that move by themselves where a scheme takes gaps to depend on q alone.
pub fn refuse_moving(model: &dyn Lagrangian, scheme: &Scheme) -> Result<(), InputError> {
    if model.moving_gaps().is_none() || scheme.facts().has(Ability::MovingGaps) {
        return Ok(());
    }
    let message = format!("a gap depends on time, which {} does not follow on this model", scheme.name);
    let help =
        "use moreau-jean, landing, generalized-alpha, energy-momentum or event-driven, or hold the obstacle still";
    Err(unsupported(message, help))
}

/// A small linear model as a Lagrangian one.
pub fn dense_face(model: &Arc<LinearModel>, scheme: &Scheme) -> Result<Arc<dyn Lagrangian>, InputError> {
    if model.n() > LARGEST_DENSE {
        let message = format!("{} moves linear models of up to {LARGEST_DENSE} coordinates", scheme.name);
        return Err(unsupported(message, "use generalized-alpha, or fewer coordinates"));
    }
    let face: Arc<dyn Lagrangian> = Arc::new(LinearAsLagrangian::new(LinearModel::clone(model)));
    refuse_moving(&*face, scheme)?;
    Ok(face)
}

/// A linear model as schemes with explicit forces see it.
pub fn linear_mechanism(model: &Arc<LinearModel>, scheme: &Scheme) -> Result<Box<dyn Mechanism>, InputError> {
    match LinearMechanism::new(Arc::clone(model)) {
        Some(mechanism) => Ok(Box::new(mechanism)),
        None => {
            let message = format!("{} needs a mass that can be inverted on the motions the joints allow", scheme.name);
            Err(unsupported(message, "check model.mass, or use moreau-jean"))
        }
    }
}
