//! A scheme: its equations, its parameters and what it promises.
//!
//! Adding one: a row in `SCHEMES` (`list.rs`), an arm in `resolve` (`resolve.rs`), an arm in `bind` (`../bind.rs`), a file.

pub mod bind;
pub mod energy_momentum;
pub mod event_driven;
pub mod galerkin;
pub mod ggl;
pub mod implicit_newmark;
pub mod list;
pub mod moreau_jean;
pub mod newmark;
pub mod options;
pub mod refuse;
pub mod resolve;
pub mod runge_kutta_moreau;
pub mod schatzman_paoli;
pub mod smooth_alpha;
pub mod splitting;
pub mod velocity_level;

pub use crate::contact::friction_law::FrictionLaw;
pub use crate::schemes::list::{SCHEMES, SchemeEntry};
pub use crate::schemes::newmark::parameters::NewmarkLike;
pub use crate::schemes::options::SchemeOptions;

use crate::located::options::{EventDrivenOptions, HighOrderOptions};
use crate::schemes::ggl::newton::GglVariant;
use crate::{Activation, Gyroscopic, ImpactLaw};
use percussion_model::InputError;

/// Whether residual penetration is lifted with dissipated energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Projection {
    /// Penetration at rest stays, O(h²) for e > 0, O(h) for e = 0.
    #[default]
    None,
    /// Lifted as far as the energy lost in the same step pays for it.
    Paid,
}

/// A resolved scheme.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// Its name in `SCHEMES`.
    pub name: &'static str,
    /// Its equations.
    pub kind: SchemeKind,
    /// The index set.
    pub activation: Activation,
    /// What happens to residual penetration.
    pub projection: Projection,
    /// GGL's parts one after the other in each Newton iteration instead of all at once.
    pub sequential: bool,
    /// Whether steps without impulses are extrapolated, which no identity covers.
    pub extrapolated: bool,
    /// What contacts with friction obey.
    pub friction_law: FrictionLaw,
    /// How the gyroscopic term of bodies is evaluated.
    pub gyroscopic: Gyroscopic,
    /// Restitution as a function of the approach, where it is not the contact's constant.
    pub impact_law: Option<ImpactLaw>,
}

/// The families of equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SchemeKind {
    /// θ-scheme; `midpoint`: positions by the midpoint rule whatever θ.
    MoreauJean {
        /// θ.
        theta: f64,
        /// The always-dissipative variant.
        midpoint: bool,
    },
    /// Newmark, HHT, generalized-α, KH with impulses apart from accelerations.
    NewmarkLike(NewmarkLike),
    /// Newmark with the contact force inside the acceleration, law on velocities.
    ImplicitVelocity {
        /// β.
        beta: f64,
        /// γ.
        gamma: f64,
    },
    /// Newmark with the contact force inside the acceleration, law on positions, no restitution.
    ImplicitPosition {
        /// β.
        beta: f64,
        /// γ.
        gamma: f64,
    },
    /// Generalized-α with constraints at position and velocity level, or its modified complementarity condition.
    Ggl(NewmarkLike, GglVariant),
    /// Generalized-α of index 3, contacts as plain inequalities.
    SmoothAlpha(NewmarkLike),
    /// Discrete gradients.
    EnergyMomentum,
    /// The contact law on positions two steps apart.
    SchatzmanPaoli {
        /// θ of loads and springs.
        theta: f64,
    },
    /// Velocities constant in each step.
    D0Constant,
    /// Smooth motion to a tolerance, every event located.
    EventDriven(EventDrivenOptions),
    /// Runge–Kutta steps of any order, a short Moreau step around each event.
    RungeKuttaMoreau(HighOrderOptions),
    /// Velocities linear in each step, with jumps at its end.
    D1MinusLinear,
    /// A Runge–Kutta step, then an impact.
    Splitting {
        /// 1: no contact in the flow; 2: persistent contacts carry forces in it.
        variant: u8,
    },
    /// A stepper of the user's (`Simulation::own`).
    Own {
        /// The identity its ledger obeys, if there is one.
        identity: Option<&'static str>,
    },
}

impl Scheme {
    /// The scheme of that name with its default parameters.
    pub fn named(name: &str) -> Result<Self, InputError> {
        Ok(Self::resolve(name, &SchemeOptions::default())?.0)
    }

    /// Moreau–Jean with the default activation.
    pub fn moreau_jean(theta: f64) -> Self {
        let kind = SchemeKind::MoreauJean { theta, midpoint: false };
        Self {
            name: "moreau-jean",
            kind,
            activation: Activation::Hold,
            projection: Projection::None,
            sequential: false,
            extrapolated: false,
            friction_law: FrictionLaw::Checked,
            gyroscopic: Gyroscopic::N1p,
            impact_law: None,
        }
    }

    /// A scheme of the user's own; `identity` is what its `LedgerEntry::balance` measures, `None` for a measured balance.
    pub fn own(name: &'static str, identity: Option<&'static str>) -> Self {
        Self { name, kind: SchemeKind::Own { identity }, ..Self::moreau_jean(0.5) }
    }

    /// The same scheme with another law of impact.
    pub fn with_impact_law(self, law: ImpactLaw) -> Self {
        Self { impact_law: Some(law), ..self }
    }

    /// The same scheme under another activation rule.
    pub fn with_activation(self, activation: Activation) -> Self {
        Self { activation, ..self }
    }

    /// The same scheme under another friction law.
    pub fn with_friction_law(self, friction_law: FrictionLaw) -> Self {
        Self { friction_law, ..self }
    }

    /// The resolved parameters by name, for summaries.
    pub fn parameters(&self) -> Vec<(&'static str, f64)> {
        match self.kind {
            SchemeKind::MoreauJean { theta, .. } | SchemeKind::SchatzmanPaoli { theta } => vec![("theta", theta)],
            SchemeKind::EventDriven(p) => vec![("tolerance", p.tolerance), ("cut", p.cut)],
            SchemeKind::RungeKuttaMoreau(p) => {
                vec![("order", p.order as f64), ("bracket", p.bracket), ("cut", p.cut)]
            }
            SchemeKind::EnergyMomentum
            | SchemeKind::D0Constant
            | SchemeKind::D1MinusLinear
            | SchemeKind::Own { .. } => Vec::new(),
            SchemeKind::Splitting { variant } => vec![("variant", f64::from(variant))],
            SchemeKind::NewmarkLike(p) | SchemeKind::Ggl(p, _) | SchemeKind::SmoothAlpha(p) => {
                vec![("alpha_m", p.alpha_m), ("alpha_f", p.alpha_f), ("beta", p.beta), ("gamma", p.gamma)]
            }
            SchemeKind::ImplicitVelocity { beta, gamma } | SchemeKind::ImplicitPosition { beta, gamma } => {
                vec![("beta", beta), ("gamma", gamma)]
            }
        }
    }

    /// The resolved parameters that are words.
    pub fn words(&self) -> Vec<(&'static str, &'static str)> {
        match self.kind {
            SchemeKind::EventDriven(p) => vec![("method", p.method.name())],
            SchemeKind::RungeKuttaMoreau(p) => vec![("tableau", p.family.name())],
            _ => Vec::new(),
        }
    }

    /// Whether the scheme finds the instants of its events, or names them by step.
    pub fn locates_events(&self) -> bool {
        matches!(self.kind, SchemeKind::EventDriven(_) | SchemeKind::RungeKuttaMoreau(_))
    }

    /// Whether g ≥ 0 is imposed on positions, so that penetration is a failure and not a report.
    pub fn promises_no_penetration(&self) -> bool {
        matches!(self.kind, SchemeKind::Ggl(..) | SchemeKind::SmoothAlpha(_))
    }

    /// What is to be said of penetration where it is only reported.
    pub fn says_of_gaps(&self) -> &'static str {
        match self.kind {
            SchemeKind::SchatzmanPaoli { .. } => {
                "the law joins gaps two steps apart, and those between may be negative by about a step's motion"
            }
            SchemeKind::EventDriven(_) => "contacts are located to the tolerance of the scheme and its round-off",
            SchemeKind::RungeKuttaMoreau(_) => "contacts are located to the bracket and to round-off",
            SchemeKind::ImplicitPosition { .. } => "the law is on positions at the ends of steps",
            _ => "the scheme acts on velocities and promises none on positions",
        }
    }

    /// How many steps running an impact gives an impulse.
    pub fn impulses_of_an_impact(&self) -> u8 {
        if matches!(self.kind, SchemeKind::SchatzmanPaoli { .. }) { 2 } else { 1 }
    }

    /// Whether joints of a nonlinear model are held on velocities only, so that positions drift.
    pub fn lets_joints_drift(&self, model: &crate::Model) -> bool {
        matches!(model, crate::Model::Nonlinear(_))
            && matches!(self.kind, SchemeKind::MoreauJean { .. } | SchemeKind::NewmarkLike(_))
    }

    /// The order in smooth motion.
    pub fn smooth_order(&self) -> u32 {
        let second = match self.kind {
            SchemeKind::MoreauJean { theta, .. } => theta == 0.5,
            SchemeKind::NewmarkLike(p) | SchemeKind::Ggl(p, _) | SchemeKind::SmoothAlpha(p) => {
                (p.gamma - 0.5 - p.eta()).abs() < 1e-12
            }
            SchemeKind::ImplicitVelocity { gamma, .. } | SchemeKind::ImplicitPosition { gamma, .. } => gamma == 0.5,
            SchemeKind::SchatzmanPaoli { theta } => theta == 0.0,
            SchemeKind::EnergyMomentum | SchemeKind::D1MinusLinear => true,
            SchemeKind::D0Constant | SchemeKind::Own { .. } => false,
            // that of the table; p = 5 in an estimate
            SchemeKind::Splitting { .. } => return 5,
            SchemeKind::EventDriven(_) => return 5,
            SchemeKind::RungeKuttaMoreau(p) => return p.order as u32,
        };
        if second { 2 } else { 1 }
    }

    /// Whether H contains the step size, so that it jumps where the step changes.
    pub fn energy_depends_on_step(&self) -> bool {
        match self.kind {
            SchemeKind::NewmarkLike(p) => 2.0 * p.beta != p.gamma,
            SchemeKind::D0Constant | SchemeKind::D1MinusLinear | SchemeKind::SchatzmanPaoli { .. } => true,
            _ => false,
        }
    }

    /// Whether closed contacts end a step at g = 0, wherever they would have gone.
    pub fn closes_gaps(&self) -> bool {
        use SchemeKind::{EnergyMomentum, Ggl, ImplicitPosition, SmoothAlpha};
        matches!(self.kind, Ggl(..) | ImplicitPosition { .. } | SmoothAlpha(_) | EnergyMomentum)
    }

    /// ê of an opening contact under `hold`: the value that makes its impulse do no work.
    pub fn opening_restitution(&self) -> f64 {
        match self.kind {
            SchemeKind::MoreauJean { theta, midpoint: false } => (1.0 - theta) / theta,
            _ => 1.0,
        }
    }
}
