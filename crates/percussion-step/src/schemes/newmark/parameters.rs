//! The Newmark family by numbers, presets and ρ∞.
//!
//! M a_{k+1−α_m} = f_{k+1−α_f}, q and v by β and γ; second order where γ = ½ + α_f − α_m.

use crate::Warning;
use crate::schemes::SchemeKind;
use crate::schemes::options::{SchemeOptions, in_range, parameter};
use percussion_model::{Code, InputError};

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

/// Chung and Hulbert by the ρ∞ a user wrote.
pub(crate) fn chung_hulbert(options: &SchemeOptions) -> Result<NewmarkLike, InputError> {
    Ok(NewmarkLike::chung_hulbert(in_range("rho_inf", options.rho_inf.unwrap_or(0.8), 0.0, 1.0)?))
}

/// Newmark with the contact force inside the acceleration.
pub(crate) fn implicit(
    options: &SchemeOptions,
    beta: f64,
    gamma: f64,
    position: bool,
) -> Result<SchemeKind, InputError> {
    let beta = in_range("beta", options.beta.unwrap_or(beta), 1e-6, 2.0)?;
    let gamma = in_range("gamma", options.gamma.unwrap_or(gamma), 1e-6, 2.0)?;
    Ok(if position {
        SchemeKind::ImplicitPosition { beta, gamma }
    } else {
        SchemeKind::ImplicitVelocity { beta, gamma }
    })
}

/// The parameters of `newmark`, `hht`, `generalized-alpha` or `kh-generalized-alpha`; remarks on those without a proof of stability.
pub(crate) fn newmark_like(
    name: &str,
    options: &SchemeOptions,
    warnings: &mut Vec<Warning>,
) -> Result<NewmarkLike, InputError> {
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
        warnings.push(Warning { code: Code::UNSTABLE, message });
    }
    if 2.0 * p.beta < p.gamma - 1e-12 {
        let message = format!(
            "2β = {:.6} < γ = {:.6}: conditionally stable, and the contact operator can be indefinite at large steps",
            2.0 * p.beta,
            p.gamma
        );
        warnings.push(Warning { code: Code::UNSTABLE, message });
    }
    Ok(p)
}
