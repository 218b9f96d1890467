//! What a user may write about a scheme, and what is refused before any scheme looks at it.

use crate::schemes::list::SchemeEntry;
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
pub(crate) fn refuse_foreign(entry: &SchemeEntry, options: &SchemeOptions) -> Result<(), InputError> {
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
