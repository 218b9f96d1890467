//! From what was written to a scheme: names, ranges and combinations, each refused with its remedy.

use crate::contact::friction_law::friction_law;
use crate::schemes::options::{SchemeOptions, parameter, refuse_foreign};
use crate::schemes::{Projection, SCHEMES, Scheme, SchemeEntry, keys};
use crate::{Activation, Gyroscopic, Warning};
use percussion_model::{Code, InputError};

impl Scheme {
    /// Resolves what was written; refuses what cannot be meant and remarks on what is not proved.
    pub fn resolve(name: &str, options: &SchemeOptions) -> Result<(Self, Vec<Warning>), InputError> {
        Self::resolve_among(SCHEMES, name, options)
    }

    /// The same with a list of one's own in the place of the library's.
    pub fn resolve_among(
        list: &[&'static SchemeEntry],
        name: &str,
        options: &SchemeOptions,
    ) -> Result<(Self, Vec<Warning>), InputError> {
        let Some(&entry) = list.iter().find(|entry| entry.name == name) else {
            let names: Vec<_> = list.iter().map(|entry| entry.name).collect();
            let message = format!("there is no scheme \"{name}\"");
            let help = format!("use one of: {}", names.join(", "));
            return Err(InputError::new(Code::UNKNOWN_SCHEME, "scheme.name", message, help));
        };
        refuse_foreign(entry, options)?;
        let mut warnings = Vec::new();
        let equations = (entry.resolve)(options, &mut warnings)?;
        let activation = activation(options)?;
        equations.admits(activation)?;
        let scheme = Self {
            projection: projection(options)?,
            sequential: sequential(options)?,
            friction_law: friction_law(entry, options)?,
            gyroscopic: gyroscopic(options)?,
            activation,
            ..Self::of(entry, equations)
        };
        Ok((scheme, warnings))
    }
}

/// The rule that selects the index set, before the scheme looks at it.
fn activation(options: &SchemeOptions) -> Result<Activation, InputError> {
    let name = options.activation.as_deref().unwrap_or("hold");
    if options.prediction.is_some() && name != "predicted" {
        let message = format!("prediction belongs to activation = \"predicted\", not to \"{name}\"");
        return Err(InputError::new(Code::CONTRADICTION, "scheme.prediction", message, "remove one of the two"));
    }
    match name {
        "hold" => Ok(Activation::Hold),
        "predicted-and-closing" => Ok(Activation::PredictedAndClosing),
        "predicted" => Ok(Activation::Predicted { prediction: keys::value(&keys::PREDICTION, options.prediction)? }),
        "gap" => Ok(Activation::Gap),
        "equilibrium" => Ok(Activation::Equilibrium),
        other => {
            let message = format!("activation = \"{other}\" does not exist");
            Err(parameter(
                "activation",
                message,
                "use \"hold\", \"predicted-and-closing\", \"predicted\", \"gap\" or \"equilibrium\"",
            ))
        }
    }
}

fn projection(options: &SchemeOptions) -> Result<Projection, InputError> {
    match options.projection.as_deref() {
        None | Some("none") => Ok(Projection::None),
        Some("paid") => Ok(Projection::Paid),
        Some(other) => {
            let message = format!("projection = \"{other}\" does not exist");
            Err(parameter("projection", message, "use \"none\" or \"paid\""))
        }
    }
}

fn sequential(options: &SchemeOptions) -> Result<bool, InputError> {
    match options.solution.as_deref() {
        None | Some("monolithic") => Ok(false),
        Some("sequential") => Ok(true),
        Some(other) => {
            let message = format!("solution = \"{other}\" does not exist");
            Err(parameter("solution", message, "use \"monolithic\" or \"sequential\""))
        }
    }
}

fn gyroscopic(options: &SchemeOptions) -> Result<Gyroscopic, InputError> {
    let Some(name) = options.gyroscopic.as_deref() else { return Ok(Gyroscopic::N1p) };
    Gyroscopic::from_name(name).ok_or_else(|| {
        let message = format!("gyroscopic = \"{name}\" does not exist");
        parameter("gyroscopic", message, "use \"n1p\" or \"newton\"")
    })
}
