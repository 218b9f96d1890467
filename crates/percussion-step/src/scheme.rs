//! The schemes by name, their parameters by preset or freely, and what is refused.
//!
//! Adding a scheme: one row in `SCHEMES`, one arm in `resolve`, one arm in `bind` (`simulate.rs`), one file.

use crate::nonlinear::GglVariant;
use crate::smooth::{EventDrivenOptions, HighOrderOptions};
use crate::{Activation, Gyroscopic, ImpactLaw, Warning};
use percussion_model::{Code, InputError};

/// What a user may write about a scheme; everything is optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchemeOptions {
    /// θ of Moreau–Jean.
    pub theta: Option<f64>,
    /// β of the Newmark family.
    pub beta: Option<f64>,
    /// γ of the Newmark family.
    pub gamma: Option<f64>,
    /// α of HHT, positive convention.
    pub alpha: Option<f64>,
    /// α_m of generalized-α.
    pub alpha_m: Option<f64>,
    /// α_f of generalized-α.
    pub alpha_f: Option<f64>,
    /// ρ∞, spectral radius at infinite frequency.
    pub rho_inf: Option<f64>,
    /// A named set of parameters.
    pub preset: Option<String>,
    /// `hold`, `predicted-and-closing` or `predicted`.
    pub activation: Option<String>,
    /// c of `predicted`.
    pub prediction: Option<f64>,
    /// `none` or `paid`.
    pub projection: Option<String>,
    /// `monolithic` or `sequential`, for GGL.
    pub solution: Option<String>,
    /// `checked`, `newton` or `fremond`.
    pub friction_law: Option<String>,
    /// Relative error of the smooth motion between events.
    pub tolerance: Option<f64>,
    /// `explicit` or `stiff`: what follows the smooth motion between events.
    pub method: Option<String>,
    /// Part of the largest approach under which a rebound counts as rest.
    pub cut: Option<f64>,
    /// p of `runge-kutta-moreau`.
    pub order: Option<u32>,
    /// `explicit` or `radau-iia`.
    pub tableau: Option<String>,
    /// C: events are bracketed to C h^{p+1}.
    pub bracket: Option<f64>,
    /// 1 or 2, for splitting.
    pub variant: Option<i64>,
    /// `n1p` or `newton`, for bodies.
    pub gyroscopic: Option<String>,
}

/// What contacts that rub obey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionLaw {
    /// Frémond at impacts, Coulomb in persistent contact, the work tested; the default.
    #[default]
    Checked,
    /// Newton's restitution with Coulomb's law on the velocity after the step; it can create energy.
    Newton,
    /// Coulomb's law on u_{k+θ}; it cannot.
    Fremond,
}

impl FrictionLaw {
    /// The words in a scenario.
    pub const NAMES: [&'static str; 3] = ["checked", "newton", "fremond"];

    /// The word in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::Checked => "checked",
            Self::Newton => "newton",
            Self::Fremond => "fremond",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Checked, Self::Newton, Self::Fremond].into_iter().find(|law| law.name() == name)
    }
}

/// Whether residual penetration is lifted with dissipated energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Projection {
    /// Penetration at rest stays, O(h²) for e > 0, O(h) for e = 0.
    #[default]
    None,
    /// Lifted as far as the energy lost in the same step pays for it.
    Paid,
}

/// Parameters of the Newmark family: S a = b with (α_m, α_f, β, γ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewmarkLike {
    /// α_m, weight of the old inertia.
    pub alpha_m: f64,
    /// α_f, weight of the old forces.
    pub alpha_f: f64,
    /// β.
    pub beta: f64,
    /// γ.
    pub gamma: f64,
    /// Krenk–Høgsberg weighting of loads and damping instead of the standard one.
    pub kh: bool,
}

impl NewmarkLike {
    /// Newmark's own.
    pub fn newmark(beta: f64, gamma: f64) -> Self {
        Self { alpha_m: 0.0, alpha_f: 0.0, beta, gamma, kh: false }
    }

    /// Chung and Hulbert: second order with the least low-frequency dissipation for a given ρ∞.
    pub fn chung_hulbert(rho_inf: f64) -> Self {
        Self::second_order((2.0 * rho_inf - 1.0) / (rho_inf + 1.0), rho_inf / (rho_inf + 1.0))
    }

    /// Hilber, Hughes and Taylor, positive α.
    pub fn hht(alpha: f64) -> Self {
        Self { alpha_m: 0.0, alpha_f: alpha, beta: 0.25 * (1.0 + alpha).powi(2), gamma: 0.5 + alpha, kh: false }
    }

    /// γ and β that make (α_m, α_f) second order with the most high-frequency dissipation.
    pub fn second_order(alpha_m: f64, alpha_f: f64) -> Self {
        let gamma = 0.5 + alpha_f - alpha_m;
        Self { alpha_m, alpha_f, beta: 0.25 * (gamma + 0.5).powi(2), gamma, kh: false }
    }

    /// ν = ½ − α_m.
    pub fn nu(&self) -> f64 {
        0.5 - self.alpha_m
    }

    /// η = α_f − α_m.
    pub fn eta(&self) -> f64 {
        self.alpha_f - self.alpha_m
    }
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
    /// What contacts that rub obey.
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

/// One row of the list of schemes.
pub struct SchemeEntry {
    /// The word in a scenario.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The parameters it takes.
    pub parameters: &'static [&'static str],
    /// The models it moves.
    pub models: &'static str,
}

/// Every scheme of this version.
pub const SCHEMES: &[SchemeEntry] = &[
    SchemeEntry {
        name: "moreau-jean",
        summary: "θ-scheme with impulses at velocity level; dissipative for ½ ≤ θ ≤ 1/(1+e)",
        parameters: &["theta", "activation", "prediction", "projection", "friction_law", "gyroscopic"],
        models: "linear, nonlinear, bodies",
    },
    SchemeEntry {
        name: "moreau-jean-midpoint",
        summary: "the variant with midpoint positions; dissipative for every θ ≥ ½ and every e",
        parameters: &["theta", "activation", "prediction", "projection", "friction_law"],
        models: "linear",
    },
    SchemeEntry {
        name: "moreau-jean-fremond",
        summary: "moreau-jean with friction_law = \"fremond\": friction that cannot create energy",
        parameters: &["theta", "activation", "prediction", "projection", "friction_law", "gyroscopic"],
        models: "linear, nonlinear, bodies",
    },
    SchemeEntry {
        name: "newmark",
        summary: "nonsmooth Newmark (β, γ); dissipative for 2β ≥ γ ≥ ½",
        parameters: &["beta", "gamma", "preset", "activation", "prediction", "friction_law"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "hht",
        summary: "nonsmooth Hilber–Hughes–Taylor, α ∈ [0, 1/3]",
        parameters: &["alpha", "beta", "gamma", "activation", "prediction", "friction_law"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "generalized-alpha",
        summary: "nonsmooth generalized-α (Chung–Hulbert by ρ∞, or free α_m, α_f, β, γ)",
        parameters: &[
            "rho_inf",
            "alpha_m",
            "alpha_f",
            "beta",
            "gamma",
            "preset",
            "activation",
            "prediction",
            "friction_law",
        ],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "kh-generalized-alpha",
        summary: "generalized-α with Krenk–Høgsberg weighting: loads and damping stay out of the filters",
        parameters: &[
            "rho_inf",
            "alpha",
            "alpha_m",
            "alpha_f",
            "beta",
            "gamma",
            "preset",
            "activation",
            "prediction",
            "friction_law",
        ],
        models: "linear",
    },
    SchemeEntry {
        name: "implicit-newmark",
        summary: "fully implicit Newmark, contact force inside the acceleration (γ = 1, β = 0.5625)",
        parameters: &["beta", "gamma", "activation", "prediction", "friction_law"],
        models: "linear",
    },
    SchemeEntry {
        name: "naive-newmark-velocity",
        summary: "a deliberate failure: trapezoidal rule carrying the impulse in the acceleration; energy grows",
        parameters: &["beta", "gamma", "activation", "prediction", "friction_law"],
        models: "linear",
    },
    SchemeEntry {
        name: "naive-newmark-position",
        summary: "a deliberate failure: contact law on positions; the rebound depends on the impact phase",
        parameters: &["beta", "gamma"],
        models: "linear",
    },
    SchemeEntry {
        name: "generalized-alpha-ggl",
        summary: "generalized-α with contacts and joints satisfied at position and velocity level: nothing penetrates",
        parameters: &["rho_inf", "activation", "solution", "friction_law"],
        models: "linear, nonlinear, bodies",
    },
    SchemeEntry {
        name: "generalized-alpha-modified-lcp",
        summary: "the comparison scheme 0 ≤ g ⟂ ν − hΛ ≥ 0; it chatters at rest",
        parameters: &["rho_inf", "activation"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "smooth-generalized-alpha",
        summary: "the comparison scheme of index 3 without an impact law; energy grows at impacts",
        parameters: &["rho_inf"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "energy-momentum",
        summary: "discrete gradients: the energy identity exact for nonlinear potentials, gaps and joints",
        parameters: &["activation", "prediction", "friction_law"],
        models: "linear, nonlinear, bodies",
    },
    SchemeEntry {
        name: "schatzman-paoli",
        summary: "two-step scheme with the contact law on positions, g_{k+1} + e g_{k−1} ≥ 0; order 1",
        parameters: &["theta"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "d0-constant",
        summary: "time-discontinuous Galerkin of degree 0: symplectic Euler with impulses; order 1",
        parameters: &["activation", "prediction", "friction_law"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "d1-minus-linear",
        summary: "time-discontinuous Galerkin of degree 1, half-explicit: order 2 in smooth motion, 1 with impacts",
        parameters: &["activation"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "splitting",
        summary: "a Runge–Kutta step of the smooth motion, then an impact; variant 2 keeps persistent contacts in the flow",
        parameters: &["variant"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "event-driven",
        summary: "the smooth motion to a tolerance from event to event, every impact, closing, opening, stick and slip located",
        parameters: &["tolerance", "method", "cut", "friction_law"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "runge-kutta-moreau",
        summary: "Runge–Kutta of order 1 to 8 between events, each bracketed to C h^{p+1} and crossed by a Moreau step",
        parameters: &["order", "tableau", "bracket", "cut"],
        models: "linear, nonlinear",
    },
];

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

    /// Resolves what was written; refuses what cannot be meant and remarks on what is not proved.
    pub fn resolve(name: &str, options: &SchemeOptions) -> Result<(Self, Vec<Warning>), InputError> {
        let Some(entry) = SCHEMES.iter().find(|entry| entry.name == name) else {
            let names: Vec<_> = SCHEMES.iter().map(|entry| entry.name).collect();
            let message = format!("there is no scheme \"{name}\"");
            return Err(InputError::new(
                Code::UNKNOWN_SCHEME,
                "scheme.name",
                message,
                format!("use one of: {}", names.join(", ")),
            ));
        };
        refuse_foreign(entry, options)?;
        let mut warnings = Vec::new();
        let kind = match entry.name {
            "moreau-jean" | "moreau-jean-midpoint" | "moreau-jean-fremond" => {
                let theta = in_range("theta", options.theta.unwrap_or(0.5), 0.0, 1.0)?;
                if theta < 0.5 {
                    warn(&mut warnings, Code::UNSTABLE, format!("theta = {theta} < ½ is only conditionally stable"));
                }
                SchemeKind::MoreauJean { theta, midpoint: entry.name == "moreau-jean-midpoint" }
            }
            "implicit-newmark" => implicit(options, 0.5625, 1.0, false)?,
            "naive-newmark-velocity" => implicit(options, 0.25, 0.5, false)?,
            "naive-newmark-position" => implicit(options, 0.5, 1.0, true)?,
            "energy-momentum" => SchemeKind::EnergyMomentum,
            "d0-constant" => SchemeKind::D0Constant,
            "d1-minus-linear" => SchemeKind::D1MinusLinear,
            "splitting" => match options.variant.unwrap_or(2) {
                variant @ 1..=2 => SchemeKind::Splitting { variant: variant as u8 },
                other => return Err(parameter("variant", format!("variant = {other} does not exist"), "use 1 or 2")),
            },
            "schatzman-paoli" => {
                let theta = in_range("theta", options.theta.unwrap_or(0.5), 0.0, 1.0)?;
                if theta < 0.5 {
                    warn(&mut warnings, Code::UNSTABLE, format!("theta = {theta} < ½ is only conditionally stable"));
                }
                SchemeKind::SchatzmanPaoli { theta }
            }
            "event-driven" => SchemeKind::EventDriven(EventDrivenOptions::resolve(options)?),
            "runge-kutta-moreau" => SchemeKind::RungeKuttaMoreau(HighOrderOptions::resolve(options)?),
            "generalized-alpha-ggl" => SchemeKind::Ggl(chung_hulbert(options)?, GglVariant::Ggl),
            "generalized-alpha-modified-lcp" => SchemeKind::Ggl(chung_hulbert(options)?, GglVariant::ModifiedLcp),
            "smooth-generalized-alpha" => SchemeKind::SmoothAlpha(chung_hulbert(options)?),
            _ => SchemeKind::NewmarkLike(newmark_like(entry.name, options, &mut warnings)?),
        };
        let activation = activation(options, &kind)?;
        let projection = match options.projection.as_deref() {
            None | Some("none") => Projection::None,
            Some("paid") => Projection::Paid,
            Some(other) => {
                let message = format!("projection = \"{other}\" does not exist");
                return Err(parameter("projection", message, "use \"none\" or \"paid\""));
            }
        };
        let sequential = match options.solution.as_deref() {
            None | Some("monolithic") => false,
            Some("sequential") => true,
            Some(other) => {
                let message = format!("solution = \"{other}\" does not exist");
                return Err(parameter("solution", message, "use \"monolithic\" or \"sequential\""));
            }
        };
        let friction_law = friction_law(entry.name, options)?;
        let gyroscopic = match options.gyroscopic.as_deref() {
            None => Gyroscopic::N1p,
            Some(name) => Gyroscopic::from_name(name).ok_or_else(|| {
                let message = format!("gyroscopic = \"{name}\" does not exist");
                parameter("gyroscopic", message, "use \"n1p\" or \"newton\"")
            })?,
        };
        Ok((
            Self {
                name: entry.name,
                kind,
                activation,
                projection,
                sequential,
                extrapolated: false,
                friction_law,
                gyroscopic,
                impact_law: None,
            },
            warnings,
        ))
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

fn warn(warnings: &mut Vec<Warning>, code: Code, message: String) {
    warnings.push(Warning { code, message });
}

pub(crate) fn parameter(field: &str, message: impl Into<String>, help: impl Into<String>) -> InputError {
    InputError::new(Code::BAD_PARAMETER, format!("scheme.{field}"), message, help)
}

pub(crate) fn in_range(field: &str, x: f64, low: f64, high: f64) -> Result<f64, InputError> {
    if !x.is_finite() {
        return Err(InputError::new(
            Code::NOT_FINITE,
            format!("scheme.{field}"),
            format!("{field} = {x}"),
            "give a finite number",
        ));
    }
    if !(low..=high).contains(&x) {
        let (x, low, high) = (number(x), number(low), number(high));
        let message = format!("{field} = {x} is outside [{low}, {high}]");
        return Err(parameter(field, message, format!("choose a value in [{low}, {high}]")));
    }
    Ok(x)
}

/// A number for people: six decimals where that is enough, else as a power of ten.
fn number(x: f64) -> String {
    if x == 0.0 || (1e-4..1e6).contains(&x.abs()) {
        let text = format!("{x:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        format!("{x:e}")
    }
}

/// A parameter the scheme does not take is an error, not a silent no-op.
fn refuse_foreign(entry: &SchemeEntry, options: &SchemeOptions) -> Result<(), InputError> {
    let given = [
        ("theta", options.theta.is_some()),
        ("beta", options.beta.is_some()),
        ("gamma", options.gamma.is_some()),
        ("alpha", options.alpha.is_some()),
        ("alpha_m", options.alpha_m.is_some()),
        ("alpha_f", options.alpha_f.is_some()),
        ("rho_inf", options.rho_inf.is_some()),
        ("preset", options.preset.is_some()),
        ("activation", options.activation.is_some()),
        ("prediction", options.prediction.is_some()),
        ("projection", options.projection.is_some()),
        ("solution", options.solution.is_some()),
        ("friction_law", options.friction_law.is_some()),
        ("tolerance", options.tolerance.is_some()),
        ("method", options.method.is_some()),
        ("cut", options.cut.is_some()),
        ("order", options.order.is_some()),
        ("tableau", options.tableau.is_some()),
        ("bracket", options.bracket.is_some()),
        ("variant", options.variant.is_some()),
        ("gyroscopic", options.gyroscopic.is_some()),
    ];
    for (name, given) in given {
        if given && !entry.parameters.contains(&name) {
            let message = format!("{} has no parameter {name}", entry.name);
            let help = format!("it takes: {}", entry.parameters.join(", "));
            return Err(InputError::new(Code::CONTRADICTION, format!("scheme.{name}"), message, help));
        }
    }
    Ok(())
}

fn activation(options: &SchemeOptions, kind: &SchemeKind) -> Result<Activation, InputError> {
    let name = options.activation.as_deref().unwrap_or("hold");
    if options.prediction.is_some() && name != "predicted" {
        let message = format!("prediction belongs to activation = \"predicted\", not to \"{name}\"");
        return Err(InputError::new(Code::CONTRADICTION, "scheme.prediction", message, "remove one of the two"));
    }
    match name {
        "hold" if matches!(kind, SchemeKind::MoreauJean { theta, midpoint: false } if *theta <= 0.0) => {
            let message = "hold needs theta > 0: ê = (1 − θ)/θ is infinite";
            Err(parameter("theta", message, "use theta ≥ 0.5, or activation = \"predicted-and-closing\""))
        }
        "hold" => Ok(Activation::Hold),
        "predicted-and-closing" if matches!(kind, SchemeKind::Ggl(..)) => {
            let message = "the position-level scheme decides on g(q̂) ≤ 0 and has no closing test";
            Err(parameter("activation", message, "use \"hold\" or \"predicted\""))
        }
        "gap" if matches!(kind, SchemeKind::MoreauJean { theta, midpoint: false } if *theta == 1.0) => {
            Ok(Activation::Gap)
        }
        "gap" => {
            let message = "activation = \"gap\" is for moreau-jean with theta = 1 on bodies";
            Err(InputError::new(Code::UNSUPPORTED, "scheme.activation", message, "use \"hold\", or theta = 1"))
        }
        "predicted-and-closing" => Ok(Activation::PredictedAndClosing),
        "predicted" if matches!(kind, SchemeKind::D1MinusLinear) => {
            let message = "the scheme acts on contacts that are closed and predicts none";
            Err(parameter("activation", message, "use \"hold\" or \"predicted-and-closing\""))
        }
        "predicted" => {
            let prediction = in_range("prediction", options.prediction.unwrap_or(0.5), 0.0, 1.0)?;
            Ok(Activation::Predicted { prediction })
        }
        other => {
            let message = format!("activation = \"{other}\" does not exist");
            Err(parameter("activation", message, "use \"hold\", \"predicted-and-closing\", \"predicted\" or \"gap\""))
        }
    }
}

fn friction_law(scheme: &str, options: &SchemeOptions) -> Result<FrictionLaw, InputError> {
    let fixed = scheme == "moreau-jean-fremond";
    let Some(name) = &options.friction_law else {
        return Ok(if fixed { FrictionLaw::Fremond } else { FrictionLaw::Checked });
    };
    let Some(law) = FrictionLaw::from_name(name) else {
        let message = format!("friction_law = \"{name}\" does not exist");
        return Err(parameter("friction_law", message, "use \"checked\", \"newton\" or \"fremond\""));
    };
    if fixed && law != FrictionLaw::Fremond {
        let message = format!("moreau-jean-fremond is moreau-jean with Frémond's law, not with \"{name}\"");
        let help = "use name = \"moreau-jean\", or remove friction_law";
        return Err(InputError::new(Code::CONTRADICTION, "scheme.friction_law", message, help));
    }
    Ok(law)
}

fn chung_hulbert(options: &SchemeOptions) -> Result<NewmarkLike, InputError> {
    Ok(NewmarkLike::chung_hulbert(in_range("rho_inf", options.rho_inf.unwrap_or(0.8), 0.0, 1.0)?))
}

fn implicit(options: &SchemeOptions, beta: f64, gamma: f64, position: bool) -> Result<SchemeKind, InputError> {
    let beta = in_range("beta", options.beta.unwrap_or(beta), 1e-6, 2.0)?;
    let gamma = in_range("gamma", options.gamma.unwrap_or(gamma), 1e-6, 2.0)?;
    Ok(if position {
        SchemeKind::ImplicitPosition { beta, gamma }
    } else {
        SchemeKind::ImplicitVelocity { beta, gamma }
    })
}

fn newmark_like(name: &str, options: &SchemeOptions, warnings: &mut Vec<Warning>) -> Result<NewmarkLike, InputError> {
    let free = options.beta.is_some() || options.gamma.is_some();
    let alphas = options.alpha_m.is_some() || options.alpha_f.is_some();
    let exclusive = |first: &str, second: &str| {
        let message = format!("{first} fixes the parameters that {second} would set");
        InputError::new(Code::CONTRADICTION, format!("scheme.{first}"), message, "give one or the other")
    };
    let unknown_preset = |preset: &str, known: &str| {
        parameter("preset", format!("{name} has no preset \"{preset}\""), format!("use {known}"))
    };
    let rho = |default: f64| in_range("rho_inf", options.rho_inf.unwrap_or(default), 0.0, 1.0);

    // the set a preset or a single number fixes
    let base = match name {
        "newmark" => {
            if options.preset.is_some() && free {
                return Err(exclusive("preset", "beta and gamma"));
            }
            match options.preset.as_deref().unwrap_or("average-acceleration") {
                "average-acceleration" => NewmarkLike::newmark(0.25, 0.5),
                "linear-acceleration" => NewmarkLike::newmark(1.0 / 6.0, 0.5),
                "fox-goodwin" => NewmarkLike::newmark(1.0 / 12.0, 0.5),
                "central-difference" => NewmarkLike::newmark(0.0, 0.5),
                other => {
                    let known = "average-acceleration, linear-acceleration, fox-goodwin or central-difference";
                    return Err(unknown_preset(other, known));
                }
            }
        }
        "hht" => NewmarkLike::hht(in_range("alpha", options.alpha.unwrap_or(0.1), 0.0, 1.0 / 3.0)?),
        _ => {
            if options.rho_inf.is_some() && (alphas || free) {
                return Err(exclusive("rho_inf", "alpha_m, alpha_f, beta and gamma"));
            }
            if options.preset.is_some() && (alphas || free) {
                return Err(exclusive("preset", "alpha_m, alpha_f, beta and gamma"));
            }
            let hht_load = options.preset.as_deref() == Some("hilber-hughes-taylor");
            if options.alpha.is_some() && !hht_load {
                return Err(exclusive("alpha", "preset = \"hilber-hughes-taylor\" only"));
            }
            match options.preset.as_deref() {
                None | Some("chung-hulbert") if !alphas => NewmarkLike::chung_hulbert(rho(0.8)?),
                // α_f = 0
                Some("wood-bossak-zienkiewicz") => {
                    let rho = rho(0.8)?;
                    NewmarkLike::second_order((rho - 1.0) / (rho + 1.0), 0.0)
                }
                // the load weighting of the original HHT paper
                Some("hilber-hughes-taylor") if name == "kh-generalized-alpha" => {
                    NewmarkLike::hht(in_range("alpha", options.alpha.unwrap_or(0.1), 0.0, 1.0 / 3.0)?)
                }
                None => NewmarkLike::second_order(
                    in_range("alpha_m", options.alpha_m.unwrap_or(0.0), -1.0, 0.5)?,
                    in_range("alpha_f", options.alpha_f.unwrap_or(0.0), 0.0, 0.5)?,
                ),
                Some(other) => {
                    let known = if name == "kh-generalized-alpha" {
                        "chung-hulbert, wood-bossak-zienkiewicz or hilber-hughes-taylor"
                    } else {
                        "chung-hulbert or wood-bossak-zienkiewicz"
                    };
                    return Err(unknown_preset(other, known));
                }
            }
        }
    };
    let p = NewmarkLike {
        beta: in_range("beta", options.beta.unwrap_or(base.beta), 0.0, 2.0)?,
        gamma: in_range("gamma", options.gamma.unwrap_or(base.gamma), 0.0, 2.0)?,
        kh: name == "kh-generalized-alpha",
        ..base
    };

    // ν = 0 with η ≠ 0 has no filters, hence no identity (spec §3)
    if p.nu().abs() < 1e-12 && p.eta().abs() > 1e-12 {
        let message = format!("alpha_m = ½ with alpha_f = {} leaves no energy identity (ν = 0, η ≠ 0)", p.alpha_f);
        return Err(parameter("alpha_m", message, "use alpha_m < ½, or alpha_m = alpha_f = ½"));
    }
    if p.gamma < 0.5 - 1e-12 {
        let message = format!("gamma = {} < ½ feeds energy into every mode", p.gamma);
        warn(warnings, Code::UNSTABLE, message);
    }
    if 2.0 * p.beta < p.gamma - 1e-12 {
        let message = format!(
            "2β = {:.6} < γ = {:.6}: conditionally stable, and the contact operator can be indefinite at large steps",
            2.0 * p.beta,
            p.gamma
        );
        warn(warnings, Code::UNSTABLE, message);
    }
    Ok(p)
}
