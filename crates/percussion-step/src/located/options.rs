//! Parameters of the schemes that locate events, and what is refused.

use crate::SchemeOptions;
use crate::located::tableau::Tableau;
use crate::schemes::keys;
use crate::schemes::options::parameter;
use percussion_model::InputError;

/// Which Runge–Kutta method follows the smooth motion of `event-driven`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmoothMethod {
    /// Dormand–Prince 5(4).
    Explicit,
    /// Radau IIA of order 5.
    Stiff,
}

impl SmoothMethod {
    /// The word in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Stiff => "stiff",
        }
    }
}

/// Parameters of `event-driven`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventDrivenOptions {
    /// What follows the smooth motion. Default explicit.
    pub method: SmoothMethod,
    /// Error allowed in a stretch, relative to the largest |q| and |v| of the run. Default 1e-12.
    pub tolerance: f64,
    /// A rebound under this part of the largest approach counts as rest. Default 1e-8.
    pub cut: f64,
}

impl EventDrivenOptions {
    /// From what was written.
    pub fn resolve(options: &SchemeOptions) -> Result<Self, InputError> {
        let method = match options.method.as_deref() {
            None | Some("explicit") => SmoothMethod::Explicit,
            Some("stiff") => SmoothMethod::Stiff,
            Some(other) => {
                let message = format!("method = \"{other}\" does not exist");
                return Err(parameter("method", message, "use \"explicit\" or \"stiff\""));
            }
        };
        let tolerance = keys::value(&keys::TOLERANCE, options.tolerance)?;
        Ok(Self { method, tolerance, cut: cut(options)? })
    }
}

/// The families of tables of `runge-kutta-moreau`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Orders 2, 3, 4, 5, 8.
    Explicit,
    /// Orders 1, 3, 5.
    RadauIia,
}

impl Family {
    /// The word in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::RadauIia => "radau-iia",
        }
    }

    /// The table of an order, if the family has one.
    pub fn tableau(self, order: usize) -> Option<Tableau> {
        match self {
            Self::Explicit => Tableau::explicit(order),
            Self::RadauIia => Tableau::radau(order),
        }
    }
}

/// Parameters of `runge-kutta-moreau`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HighOrderOptions {
    /// p. Default 4, or 5 for Radau IIA.
    pub order: usize,
    /// The family of tables. Default explicit.
    pub family: Family,
    /// C: an event is bracketed to C h^{p+1}. Default 1e-4.
    pub bracket: f64,
    /// A rebound under this part of the largest approach counts as rest. Default 1e-8.
    pub cut: f64,
}

impl HighOrderOptions {
    /// From what was written.
    pub fn resolve(options: &SchemeOptions) -> Result<Self, InputError> {
        let (family, default, known) = match options.tableau.as_deref() {
            None | Some("explicit") => (Family::Explicit, 4, "2, 3, 4, 5 or 8"),
            Some("radau-iia") => (Family::RadauIia, 5, "1, 3 or 5"),
            Some(other) => {
                let message = format!("tableau = \"{other}\" does not exist");
                return Err(parameter("tableau", message, "use \"explicit\" or \"radau-iia\""));
            }
        };
        let order = options.order.unwrap_or(default) as usize;
        if family.tableau(order).is_none() {
            let message = format!("there is no table of order {order} with tableau = \"{}\"", family.name());
            return Err(parameter("order", message, format!("use {known}")));
        }
        let bracket = keys::value(&keys::BRACKET, options.bracket)?;
        Ok(Self { order, family, bracket, cut: cut(options)? })
    }
}

fn cut(options: &SchemeOptions) -> Result<f64, InputError> {
    keys::value(&keys::CUT, options.cut)
}
