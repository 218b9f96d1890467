//! Which theorem promises that no energy is created, or why none does.
//!
//! Moreau–Jean: ΔE − W ≤ 0 for ½ ≤ θ ≤ 1/(1+ē). Midpoint variant: θ ≥ ½. Newmark: 2β ≥ γ ≥ ½ for H.
//! Generalized-α, HHT, KH: 2β ≥ γ ≥ ½ and 0 ≤ η ≤ γ − ½ ≤ ν, with ν = ½ − α_m, η = α_f − α_m.
//! V. Acary, Energy conservation and dissipation properties of time-integration methods for nonsmooth elastodynamics with
//! contact, ZAMM 96 (2016); misprints corrected as noted in the book.
//!
//! With friction the same theorems hold for the work u_{k(+½ or +θ)}·p of all components, which Frémond's law and the
//! checked rule keep from being positive and Newton's law with Coulomb's does not.
//!
//! All need U_{k(+½ or +θ)} P ≤ 0, which the papers' index set and `hold` give and the slides' does not.

use crate::schemes::SchemeKind;
use crate::{Activation, FrictionLaw, Model, NewmarkLike, Scheme};

/// A statement about energy, made before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee {
    /// The theorem, or "none".
    pub theorem: String,
    /// Its condition with this run's numbers.
    pub condition: String,
    /// Whether it applies.
    pub holds: bool,
    /// Why or why not, in one sentence.
    pub reason: String,
    /// The identity the ledger's residual belongs to.
    pub identity: &'static str,
}

/// Why Newton's law with friction promises nothing.
const NEWTON: &str =
    "Newton's impact law with Coulomb friction can create energy; friction_law = \"checked\" or \"fremond\" cannot";

/// Why angles in space promise nothing.
const TUMBLING: &str = "couplings and springs on the angle of a hinge in space are exact while its axis does not tumble; \
                        otherwise they exchange O(h²), which the ledger books";

fn newton_rubs(scheme: &Scheme, model: &Model) -> bool {
    scheme.friction_law == FrictionLaw::Newton && model.has_friction()
}

/// Room for round-off in parameters such as 1/(1+e).
const SLACK: f64 = 1e-12;

impl Guarantee {
    /// Whether the ledger's residual is that of an identity, or a measured balance.
    pub fn has_identity(&self) -> bool {
        self.identity != "no identity"
    }

    /// For this scheme on this model.
    pub fn new(scheme: &Scheme, model: &Model) -> Self {
        let e_max = model.largest_restitution();
        if let Model::Nonlinear(_) = model
            && matches!(
                scheme.kind,
                SchemeKind::MoreauJean { .. }
                    | SchemeKind::NewmarkLike(_)
                    | SchemeKind::SchatzmanPaoli { .. }
                    | SchemeKind::D0Constant
                    | SchemeKind::D1MinusLinear
            )
        {
            return Self {
                theorem: "none".to_string(),
                condition: "no condition is known".to_string(),
                holds: false,
                reason: "the theorem is for linear systems; on a nonlinear one the balance is measured".to_string(),
                identity: "no identity",
            };
        }
        if scheme.extrapolated {
            return Self {
                theorem: "none".to_string(),
                condition: "no condition is known".to_string(),
                holds: false,
                reason: "an extrapolated state is not the scheme's; the balance is measured".to_string(),
                identity: "no identity",
            };
        }
        let (theorem, condition, met, identity) = match scheme.kind {
            SchemeKind::MoreauJean { theta, midpoint: false } => {
                let high = 1.0 / (1.0 + e_max);
                (
                    "Moreau–Jean dissipation (Acary 2016, Prop. 1)",
                    format!("½ ≤ θ ≤ 1/(1+e): θ = {theta}, largest e = {e_max}, 1/(1+e) = {high:.6}"),
                    (0.5 - SLACK..=high + SLACK).contains(&theta),
                    "(33) ΔE = W_ext + W_damp + U_{k+θ}ᵀP + (½−θ)(‖Δv‖²_M + ‖Δq‖²_K)",
                )
            }
            SchemeKind::MoreauJean { theta, midpoint: true } => (
                "midpoint variant dissipation (Acary 2016, (29))",
                format!("θ ≥ ½: θ = {theta}"),
                theta >= 0.5 - SLACK,
                "ΔE = W_ext + W_damp + U_{k+½}ᵀP + (½−θ)‖Δq‖²_K",
            ),
            SchemeKind::NewmarkLike(p) => {
                let (nu, eta) = (p.nu(), p.eta());
                let newmark = 2.0 * p.beta >= p.gamma - SLACK && p.gamma >= 0.5 - SLACK;
                let filters = eta >= -SLACK && eta <= p.gamma - 0.5 + SLACK && p.gamma - 0.5 <= nu + SLACK;
                let plain = p.alpha_m == 0.0 && p.alpha_f == 0.0;
                if plain {
                    (
                        "Newmark dissipation of H (Acary 2016, (88))",
                        format!("2β ≥ γ ≥ ½: β = {:.6}, γ = {:.6}", p.beta, p.gamma),
                        newmark,
                        "(63) ΔH = W_ext + W_damp + U_{k+½}ᵀP + (½−γ)(‖Δq‖²_K + (h²/2)(2β−γ)‖Δa‖²_M)",
                    )
                } else {
                    (
                        if p.kh {
                            "KH dissipation of H (Acary 2016, (74))"
                        } else {
                            "generalized-α dissipation of H (Acary 2016, (58))"
                        },
                        format!(
                            "2β ≥ γ ≥ ½ and 0 ≤ η ≤ γ−½ ≤ ν: β = {:.6}, γ = {:.6}, η = {eta:.6}, ν = {nu:.6}",
                            p.beta, p.gamma
                        ),
                        newmark && filters,
                        if p.kh { "(73) with H filtered by z" } else { "(58) with H filtered by z, x, y" },
                    )
                }
            }
            SchemeKind::Ggl(..) => (
                "none",
                "no condition is known".to_string(),
                false,
                "ΔE = [E(q̂, v̂) − E_n] + ½(v + v̂)ᵀg_qᵀΛ + [V(q) − V(q̂)] + ½v̂ᵀ(M(q) − M(q̂))v̂",
            ),
            SchemeKind::SmoothAlpha(_)
            | SchemeKind::EnergyMomentum
            | SchemeKind::EventDriven(_)
            | SchemeKind::RungeKuttaMoreau(_) => ("none", "no condition is known".to_string(), false, "no identity"),
            SchemeKind::D1MinusLinear => (
                "none",
                "no condition is known".to_string(),
                false,
                "ΔH = ΔqᵀF_{k+½} − ½ΔqᵀC(v+ṽ) + ½Δgᵀ(λ⁺+λ⁻) + ½(U⁻+U⁺)ᵀP − (h²/8)(‖a⁺‖²_M − ‖a⁻‖²_M), H = E − (h²/8)‖a⁻‖²_M",
            ),
            SchemeKind::Splitting { .. } => ("none", "no condition is known".to_string(), false, "no identity"),
            SchemeKind::Own { identity } => {
                ("none", "no condition is known".to_string(), false, identity.unwrap_or("no identity"))
            }
            SchemeKind::D0Constant => (
                "dissipation of H = E + (h/2) vᵀKq",
                "none on the parameters; H is positive only while hω < 2".to_string(),
                true,
                "ΔH = h v_{k+½}ᵀF_{k+1} − h v_{k+½}ᵀC v_k + U_{k+½}ᵀP",
            ),
            SchemeKind::SchatzmanPaoli { .. } => (
                "none",
                "no condition is known".to_string(),
                false,
                "ΔH = h vᵀF_{k+θ} − h‖v‖²_C + pᵀ(g_{k+1}−g_{k−1})/(2h) − θh²‖v‖²_K, H between positions",
            ),
            SchemeKind::ImplicitVelocity { .. } | SchemeKind::ImplicitPosition { .. } => {
                ("none", "no condition is known".to_string(), false, "Newmark's identity in E with the load F + GP/h")
            }
        };
        let tumbling = matches!(model, Model::Bodies(scene) if scene.has_tumbling_angles());
        if let SchemeKind::EnergyMomentum = scheme.kind {
            let newton = newton_rubs(scheme, model);
            let holds = !matches!(scheme.activation, Activation::Predicted { .. }) && !newton && !tumbling;
            let reason = if newton {
                NEWTON
            } else if tumbling {
                TUMBLING
            } else if holds {
                "the discrete gradients make contact work p·u_{k+½} ≤ 0 the only exchange"
            } else {
                "the slides' index set admits opening contacts, whose impulses can do positive work"
            };
            return Self {
                theorem: "energy-exact stepping: ΔE = W_ext + p·u_{k+½}".to_string(),
                condition: "index set with closing or held contacts".to_string(),
                holds,
                reason: reason.to_string(),
                identity: "ΔE = h f_np·v_m + U_{k+½}ᵀP, discrete gradients",
            };
        }
        let newton = newton_rubs(scheme, model);
        // with joints springs are exact too
        let springs = matches!(model, Model::Bodies(scene) if !scene.springs().is_empty() && scene.joints().is_empty());
        let stiff_ok = !matches!(model, Model::Linear(linear) if !linear.stiffness_is_semidefinite());
        let damped = matches!(model, Model::Linear(linear) if linear.damping().is_some());
        let damping_has_sign = matches!(scheme.kind, SchemeKind::MoreauJean { midpoint: false, .. })
            || matches!(scheme.kind, SchemeKind::MoreauJean { theta, .. } if theta == 0.5)
            || matches!(scheme.kind, SchemeKind::NewmarkLike(p) if p == NewmarkLike::newmark(0.25, 0.5));
        let gap_law = scheme.activation == Activation::Gap;
        let law_ok = !matches!(scheme.activation, Activation::Predicted { .. });
        let (holds, reason) = if theorem == "none" {
            let reason = match scheme.kind {
                SchemeKind::Ggl(..) => "the projection on g ≥ 0 can add energy, O(h²) in a step; the ledger shows it",
                SchemeKind::D1MinusLinear => {
                    "accelerations that jump with contacts and velocities exchange O(h²) with H; the ledger shows it"
                }
                SchemeKind::Own { .. } => "a scheme of the user's own: whether energy was created is watched",
                SchemeKind::Splitting { .. } => {
                    "the Runge–Kutta flow has its own small energy error, which is measured"
                }
                SchemeKind::SchatzmanPaoli { .. } => {
                    "an impact takes two impulses, and the second, which finds g_{k−1} < 0, gives back part of what the first took"
                }
                SchemeKind::EventDriven(_) if newton => NEWTON,
                SchemeKind::EventDriven(_) | SchemeKind::RungeKuttaMoreau(_) => {
                    "impacts can only take energy out; between them the error of the integration decides, and is measured"
                }
                SchemeKind::SmoothAlpha(_) => "without an impact law the scheme gains energy at impacts",
                _ => "no theorem is known for a contact force carried inside the acceleration",
            };
            (false, reason.to_string())
        } else if !law_ok {
            (false, "the slides' index set admits opening contacts, whose impulses can do positive work".to_string())
        } else if newton && !matches!(scheme.kind, SchemeKind::MoreauJean { theta: 1.0, midpoint: false }) {
            (false, NEWTON.to_string())
        } else if gap_law {
            let reason = "while no gap is negative at the start of a step its contacts take energy out; overlap left by the \
                          solver's residual is pushed out again, which the ledger shows";
            (false, reason.to_string())
        } else if tumbling {
            (false, TUMBLING.to_string())
        } else if springs {
            let reason = "springs act with the force of the predicted middle of the step: their energy error, O(h³) in a step, \
                          is booked as numerical and has no sign";
            (false, reason.to_string())
        } else if !stiff_ok {
            (false, "the stiffness has a negative direction, which every theorem excludes".to_string())
        } else if met && damped && !damping_has_sign {
            let reason = "the condition is met: contact impulses and the scheme's own terms take energy out; the work of the \
                          dampers, booked apart, has no sign in this scheme and is watched";
            (true, reason.to_string())
        } else if met {
            (true, "the condition is met: contact impulses and the scheme can only take energy out".to_string())
        } else {
            (
                false,
                "the condition is not met: energy can be created, and the verdict will say whether it was".to_string(),
            )
        };
        Self { theorem: theorem.to_string(), condition, holds, reason, identity }
    }
}
