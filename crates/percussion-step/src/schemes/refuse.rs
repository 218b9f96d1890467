//! What a scheme cannot do with a model, said before the first step.

use crate::schemes::SchemeKind;
use crate::schemes::ggl::newton::GglVariant;
use crate::{Activation, Model, Problem, Scheme};
use percussion_matrix::{DenseMatrix, Factor, Matrix};
use percussion_model::{Code, InputError};
use percussion_solve::{Method, SolverOptions};

/// Options no solver can work with.
pub(crate) fn check_solver(options: &SolverOptions) -> Result<(), InputError> {
    let refuse = |field: &str, message: String, help: &str| {
        Err(InputError::new(Code::BAD_SOLVER_OPTION, format!("solver.{field}"), message, help))
    };
    if !(1e-15..=1.0).contains(&options.tolerance) {
        let message = format!("tolerance = {:?} is outside [1e-15, 1]", options.tolerance);
        return refuse("tolerance", message, "1e-10 is the default; under 1e-14 rounding decides");
    }
    if options.max_iterations == 0 {
        return refuse("max_iterations", "max_iterations = 0".into(), "give at least 1");
    }
    Ok(())
}

/// A method that knows no cone would be named in the results of a run that another one solved.
pub(crate) fn check_method(problem: &Problem, options: &SolverOptions) -> Result<(), InputError> {
    let method = options.method;
    if !problem.model.has_friction() || method.solves_friction() || matches!(method, Method::Own(_)) {
        return Ok(());
    }
    let message = format!("{method} does not solve contacts with friction, which this model has");
    Err(InputError::new(Code::UNKNOWN_SOLVER, "solver.name", message, "use \"auto\", or another with friction"))
}

/// Moreau–Jean divides forces by M alone, joints or not.
pub(crate) fn check_mass(problem: &Problem, scheme: &Scheme) -> Result<(), InputError> {
    let (Model::Nonlinear(model), SchemeKind::MoreauJean { .. }) = (&problem.model, &scheme.kind) else {
        return Ok(());
    };
    let mut M = DenseMatrix::zeros(model.n(), model.n());
    model.mass(&problem.q0, &mut M);
    Factor::cholesky(&Matrix::Dense(M)).map(drop).map_err(|failure| {
        let place = failure.row.map_or(String::new(), |row| format!(", first seen at coordinate {row}"));
        let message = format!("{} needs a mass that is regular without the joints{place}", scheme.name);
        unsupported(message, "use generalized-alpha or generalized-alpha-ggl, or give that coordinate a mass")
    })
}

/// A law of impact where restitution is a number of the contact only.
pub(crate) fn refuse_law(model: &Model, scheme: &Scheme) -> Result<(), InputError> {
    let Some(law) = &scheme.impact_law else { return Ok(()) };
    let known = matches!(model, Model::Linear(_))
        && matches!(
            scheme.kind,
            SchemeKind::MoreauJean { .. } | SchemeKind::NewmarkLike(_) | SchemeKind::ImplicitVelocity { .. }
        );
    if known {
        return Ok(());
    }
    let message = format!("{} takes no impact law of its own ({}) on this kind of model", scheme.name, law.name);
    Err(unsupported(message, "use moreau-jean, newmark, hht or generalized-alpha on a linear model"))
}

/// Friction where the scheme or its parameters have no law for it.
pub(crate) fn refuse_friction(model: &Model, scheme: &Scheme) -> Result<(), InputError> {
    let located = matches!(scheme.kind, SchemeKind::RungeKuttaMoreau(_));
    if !model.has_friction() || (matches!(model, Model::Bodies(_)) && !located) {
        return Ok(());
    }
    let refuse = |message: String, help: &str| Err(unsupported(message, help));
    let known = match (model, &scheme.kind) {
        (
            Model::Linear(_),
            SchemeKind::MoreauJean { .. }
            | SchemeKind::NewmarkLike(_)
            | SchemeKind::ImplicitVelocity { .. }
            | SchemeKind::D0Constant,
        ) => true,
        (_, SchemeKind::EventDriven(_)) => true,
        // the θ- and α-families without variants: `bind_nonlinear` refuses the others
        (Model::Nonlinear(_), SchemeKind::MoreauJean { .. } | SchemeKind::NewmarkLike(_)) => true,
        (Model::Linear(_), SchemeKind::Ggl(_, GglVariant::Ggl)) => {
            if scheme.sequential || scheme.activation != Activation::Hold {
                let message = "friction at position level needs activation = \"hold\" and solution = \"monolithic\"";
                return refuse(message.into(), "remove the two keys: these are the defaults");
            }
            true
        }
        _ => false,
    };
    if !known {
        let message = format!("{} has no friction: {}", scheme.name, why_no_friction(&scheme.kind));
        return refuse(
            message,
            "use moreau-jean, newmark, hht, generalized-alpha or event-driven, or remove friction and tangents",
        );
    }
    if scheme.friction_law != crate::FrictionLaw::Newton && !scheme.opening_restitution().is_finite() {
        let message = "theta = 0 leaves no velocity for Frémond's law: α = (1 − θ)/θ is infinite".to_string();
        return refuse(message, "use theta ≥ 0.5, or friction_law = \"newton\"");
    }
    Ok(())
}

/// What a scheme lacks that Coulomb's law speaks of, in one sentence.
fn why_no_friction(kind: &SchemeKind) -> &'static str {
    match kind {
        SchemeKind::ImplicitPosition { .. } | SchemeKind::SchatzmanPaoli { .. } => {
            "its law is on positions, and Coulomb's is on velocities"
        }
        SchemeKind::EnergyMomentum => "its contact forces follow from gaps by discrete gradients, not from a velocity",
        SchemeKind::SmoothAlpha(_) => "contacts are inequalities on positions, without a velocity of impact",
        SchemeKind::Ggl(_, GglVariant::ModifiedLcp) => {
            "its complementarity joins gap and impulse, and leaves no velocity for a law along the contact"
        }
        SchemeKind::Ggl(..) => "its friction needs a constant mass and gradients, those of linear models",
        SchemeKind::RungeKuttaMoreau(_) => "it locates events, and stick–slip transitions are not among them",
        SchemeKind::D1MinusLinear | SchemeKind::Splitting { .. } => {
            "persistent contacts carry forces at acceleration level, and no law with friction is given for these"
        }
        SchemeKind::D0Constant => "on models that are not linear its explicit step has normal impulses only",
        _ => "not for this kind of model",
    }
}

/// A scheme that does not go with the model.
pub(crate) fn unsupported(message: String, help: &str) -> InputError {
    InputError::new(Code::UNSUPPORTED, "scheme.name", message, help)
}
