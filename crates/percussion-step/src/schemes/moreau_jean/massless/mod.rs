//! Laws of contact for nodes without mass, by the midpoint rule: `gap` and `equilibrium`.
//!
//! A node without mass has no impact; what it would lose or return as one is gone. Both laws speak of the gap at the end of
//! the step, so nothing penetrates.

pub mod anderson;
pub mod equilibrium;
pub mod gap;
pub mod settle;

use crate::linear::operators::Weights;
use crate::schemes::equations::Bound;
use crate::schemes::options::parameter;
use crate::{Activation, Scheme};
use equilibrium::Equilibrium;
use gap::GapLaw;
use percussion_model::{Code, InputError, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// The stepper of a scheme whose activation is one of these laws.
pub(crate) fn bind(model: &Arc<LinearModel>, theta: f64, scheme: &Scheme, options: SolverOptions) -> Bound {
    let name = scheme.activation.name();
    if theta != 0.5 {
        let message = format!("activation = \"{name}\" on solids needs theta = 0.5");
        return Err(parameter("theta", message, "set theta = 0.5, or activation = \"hold\""));
    }
    check(model, name)?;
    if scheme.activation == Activation::Gap {
        return Ok(Box::new(GapLaw::new(Arc::clone(model), scheme, options)));
    }
    if model.has_friction() {
        let message = "activation = \"equilibrium\" has no friction";
        return Err(parameter("activation", message, "use activation = \"gap\", which has"));
    }
    match Equilibrium::new(Arc::clone(model), options) {
        Some(law) => Ok(Box::new(law)),
        None => {
            let message = "nodes without mass are held by no stiffness";
            let help = "every contact node needs an element that reaches behind the surface";
            Err(InputError::new(Code::NEGATIVE_MASS, "model.contact.mass", message, help))
        }
    }
}

/// M + (h/2)C + (h²/4)K, and the weight of the responses in W.
pub(crate) fn weights(h: f64, response: f64, threads: usize) -> Weights {
    Weights { damping: 0.5 * h, stiffness: 0.25 * h * h, response, columns: false, threads }
}

/// Refuses contacts at nodes with mass, restitution and joints, for which these laws are not made.
pub(crate) fn check(model: &LinearModel, law: &str) -> Result<(), InputError> {
    let refuse =
        |field: String, message: String, help: &str| Err(InputError::new(Code::UNSUPPORTED, field, message, help));
    let massless = |i: usize| model.massless().get(i).copied().unwrap_or(false);
    for (i, contact) in model.contacts().iter().enumerate() {
        let rows = std::iter::once(&contact.normal).chain(&contact.tangents);
        if rows.flatten().any(|&(k, _)| !massless(k)) {
            let message = format!("activation = \"{law}\" is for contact nodes without mass, and contact {i} has mass");
            let help = "use a solid with mass = \"redistributed\" on its contact surfaces, or activation = \"hold\"";
            return refuse("scheme.activation".into(), message, help);
        }
        if contact.restitution > 0.0 {
            let message = format!("e = {} at a node without mass, which has no impact", contact.restitution);
            return refuse(format!("model.contact[{i}].restitution"), message, "set restitution = 0");
        }
    }
    if !model.joints().is_empty() {
        let message = format!("activation = \"{law}\" has no joints");
        return refuse("scheme.activation".into(), message, "use activation = \"hold\"");
    }
    Ok(())
}
