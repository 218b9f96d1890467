//! The Newmark family by numbers, presets and ρ∞.
//!
//! M a_{k+1−α_m} = f_{k+1−α_f}, q and v by β and γ; second order where γ = ½ + α_f − α_m.

use crate::Warning;
use crate::schemes::keys;
use crate::schemes::options::{SchemeOptions, Written, parameter};
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

    /// Whether its energy identity speaks of filtered loads and velocities: generalized-α and HHT, neither KH nor Newmark.
    pub fn is_filtered(&self) -> bool {
        !self.kh && self.eta() != 0.0
    }

    /// η = α_f − α_m.
    pub fn eta(&self) -> f64 {
        self.alpha_f - self.alpha_m
    }

    /// The numbers by name.
    pub fn values(&self) -> Vec<(&'static str, Written)> {
        [("alpha_m", self.alpha_m), ("alpha_f", self.alpha_f), ("beta", self.beta), ("gamma", self.gamma)]
            .map(|(name, x)| (name, Written::Number(x)))
            .into()
    }

    /// The numbers by name, with the ρ∞ they follow from.
    pub fn values_of_rho_inf(&self) -> Vec<(&'static str, Written)> {
        let mut values = self.values();
        values.extend(self.rho_inf().map(|rho| ("rho_inf", Written::Number(rho))));
        values
    }

    /// 2 where γ = ½ + α_f − α_m, else 1.
    pub fn smooth_order(&self) -> u32 {
        if (self.gamma - 0.5 - self.eta()).abs() < 1e-12 { 2 } else { 1 }
    }

    /// The ρ∞ of Chung and Hulbert with the fewest digits that gives these numbers bit by bit, from α_f = ρ∞/(1 + ρ∞).
    pub fn rho_inf(&self) -> Option<f64> {
        // steps of the last digit around α_f/(1 − α_f) among which ρ∞ is; three would do
        const NEIGHBOURS: i64 = 8;
        let near = self.alpha_f / (1.0 - self.alpha_f);
        (-NEIGHBOURS..=NEIGHBOURS)
            .filter_map(|k| near.to_bits().checked_add_signed(k))
            .map(f64::from_bits)
            .filter(|&rho| (0.0..=1.0).contains(&rho) && Self::chung_hulbert(rho) == *self)
            .min_by_key(|rho| format!("{rho:?}").len())
    }
}

/// Chung and Hulbert by the ρ∞ a user wrote.
pub(crate) fn chung_hulbert(options: &SchemeOptions) -> Result<NewmarkLike, InputError> {
    Ok(NewmarkLike::chung_hulbert(keys::value(&keys::RHO_INF, options.rho_inf)?))
}

fn exclusive(first: &str, second: &str) -> InputError {
    let message = format!("{first} fixes the parameters that {second} would set");
    InputError::new(Code::CONTRADICTION, format!("scheme.{first}"), message, "give one or the other")
}

fn unknown_preset(name: &str, preset: &str, known: &str) -> InputError {
    parameter("preset", format!("{name} has no preset \"{preset}\""), format!("use {known}"))
}

/// What a preset of Newmark's own scheme fixes.
pub(crate) fn newmark(options: &SchemeOptions) -> Result<NewmarkLike, InputError> {
    if options.preset.is_some() && (options.beta.is_some() || options.gamma.is_some()) {
        return Err(exclusive("preset", "beta and gamma"));
    }
    Ok(match options.preset.as_deref().unwrap_or("average-acceleration") {
        "average-acceleration" => NewmarkLike::newmark(0.25, 0.5),
        "linear-acceleration" => NewmarkLike::newmark(1.0 / 6.0, 0.5),
        "fox-goodwin" => NewmarkLike::newmark(1.0 / 12.0, 0.5),
        "central-difference" => NewmarkLike::newmark(0.0, 0.5),
        other => {
            let known = "average-acceleration, linear-acceleration, fox-goodwin or central-difference";
            return Err(unknown_preset("newmark", other, known));
        }
    })
}

/// What α of Hilber, Hughes and Taylor fixes.
pub(crate) fn hht(options: &SchemeOptions) -> Result<NewmarkLike, InputError> {
    Ok(NewmarkLike::hht(keys::value(&keys::ALPHA, options.alpha)?))
}

/// What ρ∞, a preset, or α_m and α_f fix; `kh` for Krenk and Høgsberg's weighting.
pub(crate) fn generalized_alpha(options: &SchemeOptions, kh: bool) -> Result<NewmarkLike, InputError> {
    let alphas = options.alpha_m.is_some() || options.alpha_f.is_some();
    let free = alphas || options.beta.is_some() || options.gamma.is_some();
    if options.rho_inf.is_some() && free {
        return Err(exclusive("rho_inf", "alpha_m, alpha_f, beta and gamma"));
    }
    if options.preset.is_some() && free {
        return Err(exclusive("preset", "alpha_m, alpha_f, beta and gamma"));
    }
    let preset = options.preset.as_deref();
    if options.alpha.is_some() && preset != Some("hilber-hughes-taylor") {
        return Err(exclusive("alpha", "preset = \"hilber-hughes-taylor\" only"));
    }
    let p = match preset {
        None | Some("chung-hulbert") if !alphas => chung_hulbert(options)?,
        // α_f = 0
        Some("wood-bossak-zienkiewicz") => {
            let rho = keys::value(&keys::RHO_INF, options.rho_inf)?;
            NewmarkLike::second_order((rho - 1.0) / (rho + 1.0), 0.0)
        }
        // the load weighting of Hilber, Hughes and Taylor (1977)
        Some("hilber-hughes-taylor") if kh => hht(options)?,
        None => NewmarkLike::second_order(
            keys::value(&keys::ALPHA_M, options.alpha_m)?,
            keys::value(&keys::ALPHA_F, options.alpha_f)?,
        ),
        Some(other) => {
            let (name, known) = if kh {
                ("kh-generalized-alpha", "chung-hulbert, wood-bossak-zienkiewicz or hilber-hughes-taylor")
            } else {
                ("generalized-alpha", "chung-hulbert or wood-bossak-zienkiewicz")
            };
            return Err(unknown_preset(name, other, known));
        }
    };
    Ok(NewmarkLike { kh, ..p })
}

/// β and γ as written over what fixes them; remarks on those without a proof of stability.
pub(crate) fn remarked(
    base: NewmarkLike,
    options: &SchemeOptions,
    warnings: &mut Vec<Warning>,
) -> Result<NewmarkLike, InputError> {
    let p = NewmarkLike {
        beta: keys::or(&keys::BETA, options.beta, base.beta)?,
        gamma: keys::or(&keys::GAMMA, options.gamma, base.gamma)?,
        ..base
    };

    // ν = 0 with η ≠ 0 has no filters, hence no identity
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

#[cfg(test)]
mod tests {
    use super::*;

    /// ρ∞ is found again for every thousandth of [0, 1] and for numbers with many digits, and never with more digits.
    #[test]
    fn spectral_radius_from_its_parameters() {
        let odd = (1..200).map(|k| (f64::from(k) * 0.618_033_988_749_894_8).fract());
        for rho in (0..=1000).map(|k| f64::from(k) / 1000.0).chain(odd) {
            let p = NewmarkLike::chung_hulbert(rho);
            let found = p.rho_inf().expect("ρ∞ itself is among the neighbours");
            assert_eq!(NewmarkLike::chung_hulbert(found), p, "{rho}");
            assert!(format!("{found:?}").len() <= format!("{rho:?}").len(), "{rho} became {found}");
        }
    }
}
