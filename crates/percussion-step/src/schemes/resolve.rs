//! From what was written to a scheme: names, ranges and combinations, each refused with its remedy.

use crate::contact::friction_law::friction_law;
use crate::located::options::{EventDrivenOptions, HighOrderOptions};
use crate::schemes::ggl::newton::GglVariant;
use crate::schemes::list::SCHEMES;
use crate::schemes::newmark::parameters::{chung_hulbert, implicit, newmark_like};
use crate::schemes::options::{SchemeOptions, in_range, parameter, refuse_foreign};
use crate::schemes::{Projection, Scheme, SchemeKind};
use crate::{Activation, Gyroscopic, Warning};
use percussion_model::{Code, InputError};

impl Scheme {
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
                    warnings.push(conditionally_stable(theta));
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
                    warnings.push(conditionally_stable(theta));
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
}

fn conditionally_stable(theta: f64) -> Warning {
    Warning { code: Code::UNSTABLE, message: format!("theta = {theta} < ½ is only conditionally stable") }
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
