//! Newmark, HHT, generalized-α and KH: names and what is proved of them.
//!
//! H cannot grow by contacts and scheme for 2β ≥ γ ≥ ½ (Newmark) and 0 ≤ η ≤ γ − ½ ≤ ν (generalized-α, HHT, KH),
//! with ν = ½ − α_m, η = α_f − α_m (Acary 2016, (58), (63), (73), (74), (88); misprints corrected as noted in the book).

use crate::schemes::Scheme;
use crate::schemes::equations::{
    Ability, Bound, Circumstances, ContactFrame, Energy, Equations, FOR_LINEAR_SYSTEMS, Facts, LAW_ON_VELOCITIES,
    Promises, SLACK, Steps, Stored, System, Theorem, linear_only, no_bodies, no_gap_law,
};
use crate::schemes::newmark::linear::NewmarkStepper;
use crate::schemes::newmark::parameters::{NewmarkLike, generalized_alpha, hht, newmark, remarked};
use crate::schemes::velocity_level::{VelocityScheme, velocity_level};
use crate::schemes::{SchemeEntry, keys};
use crate::{Activation, Written};
use percussion_model::bodies::Bodies;
use percussion_model::{InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// The numbers of the family.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters(pub NewmarkLike);

/// `newmark`.
pub const NEWMARK: SchemeEntry = SchemeEntry {
    name: "newmark",
    summary: "nonsmooth Newmark (β, γ); dissipative for 2β ≥ γ ≥ ½",
    parameters: &[
        keys::BETA,
        keys::GAMMA,
        keys::PRESET,
        keys::ACTIVATION,
        keys::PREDICTION,
        keys::FRICTION_LAW,
        keys::IMPACT_LAW,
    ],
    only_law: None,
    resolve: |options, warnings| Ok(Arc::new(Parameters(remarked(newmark(options)?, options, warnings)?))),
};

const OF_ALPHA: &str = "what α gives";
const OF_ALPHAS: &str = "what ρ∞, or α_m and α_f, give";

/// `hht`.
pub const HHT: SchemeEntry = SchemeEntry {
    name: "hht",
    summary: "nonsmooth Hilber–Hughes–Taylor, α ∈ [0, 1/3]",
    parameters: &[
        keys::ALPHA,
        keys::absent(keys::BETA, OF_ALPHA),
        keys::absent(keys::GAMMA, OF_ALPHA),
        keys::ACTIVATION,
        keys::PREDICTION,
        keys::FRICTION_LAW,
        keys::IMPACT_LAW,
    ],
    only_law: None,
    resolve: |options, warnings| Ok(Arc::new(Parameters(remarked(hht(options)?, options, warnings)?))),
};

/// `generalized-alpha`.
pub const GENERALIZED_ALPHA: SchemeEntry = SchemeEntry {
    name: "generalized-alpha",
    summary: "nonsmooth generalized-α (Chung–Hulbert by ρ∞, or free α_m, α_f, β, γ)",
    parameters: &[
        keys::RHO_INF,
        keys::ALPHA_M,
        keys::ALPHA_F,
        keys::absent(keys::BETA, OF_ALPHAS),
        keys::absent(keys::GAMMA, OF_ALPHAS),
        keys::PRESET,
        keys::ACTIVATION,
        keys::PREDICTION,
        keys::FRICTION_LAW,
        keys::IMPACT_LAW,
    ],
    only_law: None,
    resolve: |options, warnings| {
        Ok(Arc::new(Parameters(remarked(generalized_alpha(options, false)?, options, warnings)?)))
    },
};

/// `kh-generalized-alpha`.
pub const KH: SchemeEntry = SchemeEntry {
    name: "kh-generalized-alpha",
    summary: "generalized-α with Krenk–Høgsberg weighting: loads and damping stay out of the filters, and are followed to order 1",
    parameters: &[
        keys::RHO_INF,
        keys::ALPHA,
        keys::ALPHA_M,
        keys::ALPHA_F,
        keys::absent(keys::BETA, OF_ALPHAS),
        keys::absent(keys::GAMMA, OF_ALPHAS),
        keys::PRESET,
        keys::ACTIVATION,
        keys::PREDICTION,
        keys::FRICTION_LAW,
        keys::IMPACT_LAW,
    ],
    only_law: None,
    resolve: |options, warnings| {
        Ok(Arc::new(Parameters(remarked(generalized_alpha(options, true)?, options, warnings)?)))
    },
};

impl Equations for Parameters {
    fn facts(&self) -> Facts {
        Facts {
            abilities: if 2.0 * self.0.beta == self.0.gamma {
                &[Ability::ImpactLaw, Ability::MovingGaps]
            } else {
                &[Ability::ImpactLaw, Ability::MovingGaps, Ability::EnergyOfStep]
            },
            promises: Promises { gap: false, joints: false, momentum: false },
            smooth_order: self.0.smooth_order(),
            steps: Steps::Free,
            opening_restitution: 1.0,
            penetration: LAW_ON_VELOCITIES,
            contact_frame: ContactFrame::Start,
            stored: Stored::Newmark(self.0),
        }
    }

    fn admits(&self, activation: Activation) -> Result<(), InputError> {
        no_gap_law(activation)
    }

    fn friction(&self, _: System) -> Result<(), &'static str> {
        Ok(())
    }

    fn energy(&self, on: &Circumstances) -> Energy {
        if on.system == System::Lagrangian {
            return Energy::measured(FOR_LINEAR_SYSTEMS);
        }
        let p = self.0;
        let (nu, eta) = (p.nu(), p.eta());
        let newmark = 2.0 * p.beta >= p.gamma - SLACK && p.gamma >= 0.5 - SLACK;
        let filters = eta >= -SLACK && eta <= p.gamma - 0.5 + SLACK && p.gamma - 0.5 <= nu + SLACK;
        let (name, condition, met, identity) = if p.alpha_m == 0.0 && p.alpha_f == 0.0 {
            (
                "Newmark dissipation of H (Acary 2016, (88))",
                format!("2β ≥ γ ≥ ½: β = {:.6}, γ = {:.6}", p.beta, p.gamma),
                newmark,
                "(63) ΔH = W_ext + W_damp + U_{k+½}ᵀP + (½−γ)(‖Δq‖²_K + (h²/2)(2β−γ)‖Δa‖²_M)",
            )
        } else {
            let (name, identity) = if p.kh {
                ("KH dissipation of H (Acary 2016, (74))", "(73) with H filtered by z")
            } else {
                ("generalized-α dissipation of H (Acary 2016, (58))", "(58) with H filtered by z, x, y")
            };
            let condition = format!(
                "2β ≥ γ ≥ ½ and 0 ≤ η ≤ γ−½ ≤ ν: β = {:.6}, γ = {:.6}, η = {eta:.6}, ν = {nu:.6}",
                p.beta, p.gamma
            );
            (name, condition, newmark && filters, identity)
        };
        let theorem = Theorem {
            name,
            condition,
            met,
            damping_has_sign: p == NewmarkLike::newmark(0.25, 0.5),
            // KH and Newmark see load and velocity as they are
            filtered: p.is_filtered(),
            any_potential: false,
            newton_friction: false,
            because: None,
        };
        Energy { theorem: Ok(theorem), identity: Some(identity) }
    }

    fn linear(&self, model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Bound {
        Ok(Box::new(NewmarkStepper::new(Arc::clone(model), self.0, scheme, options)))
    }

    fn lagrangian(&self, model: &Arc<dyn Lagrangian>, scheme: &Scheme, options: SolverOptions) -> Bound {
        if self.0.gamma <= 0.0 {
            return linear_only(scheme);
        }
        let kind = if self.0.kh { VelocityScheme::Weighted(self.0) } else { VelocityScheme::Alpha(self.0) };
        Ok(velocity_level(model, kind, scheme, options))
    }

    fn bodies(&self, _: &Arc<Bodies>, scheme: &Scheme, _: SolverOptions) -> Bound {
        no_bodies(scheme)
    }

    fn values(&self) -> Vec<(&'static str, Written)> {
        self.0.values()
    }
}
