//! The stepper of a scheme on a model, or why there is none.

use crate::bodies::drives::check_drives;
use crate::mechanism::Mechanism;
use crate::mechanism::bodies::BodiesMechanism;
use crate::mechanism::lagrangian::NonlinearMechanism;
use crate::mechanism::linear::LinearMechanism;
use crate::schemes::SchemeKind;
use crate::schemes::energy_momentum::EnergyMomentum;
use crate::schemes::energy_momentum::varying_mass::EnergyMomentumVarying;
use crate::schemes::event_driven::EventDriven;
use crate::schemes::galerkin::d0_explicit::ExplicitD0;
use crate::schemes::galerkin::d0_linear::D0Constant;
use crate::schemes::galerkin::d1_minus_linear::D1MinusLinear;
use crate::schemes::ggl::bodies::BodiesGgl;
use crate::schemes::ggl::lagrangian::Ggl;
use crate::schemes::ggl::linear::LinearGgl;
use crate::schemes::ggl::linear_friction::FrictionalGgl;
use crate::schemes::ggl::newton::GglVariant;
use crate::schemes::implicit_newmark::Implicit;
use crate::schemes::moreau_jean::bodies::BodiesMoreauJean;
use crate::schemes::moreau_jean::jointed::JointedBodies;
use crate::schemes::moreau_jean::linear::MoreauJean;
use crate::schemes::newmark::linear::NewmarkStepper;
use crate::schemes::refuse::{refuse_friction, refuse_law, unsupported};
use crate::schemes::runge_kutta_moreau::RungeKuttaMoreau;
use crate::schemes::schatzman_paoli::lagrangian::SchatzmanPaoli as NonlinearSchatzmanPaoli;
use crate::schemes::schatzman_paoli::linear::SchatzmanPaoli;
use crate::schemes::smooth_alpha::SmoothAlpha;
use crate::schemes::splitting::Splitting;
use crate::schemes::velocity_level::friction::VelocityFriction;
use crate::schemes::velocity_level::{VelocityLevel, VelocityScheme};
use crate::{Activation, Model, Scheme, Stepper};
use percussion_model::bodies::Bodies;
use percussion_model::nonlinear::LinearAsLagrangian;
use percussion_model::{Code, InputError, Lagrangian, LinearModel};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Coordinates up to which a linear model may be moved by a scheme made for dense nonlinear ones, whose Newton system has one
/// unknown per coordinate.
const LARGEST_DENSE: usize = 360;

/// The stepper of a scheme on a model, or why there is none.
pub(crate) fn bind(model: &Model, scheme: &Scheme, options: SolverOptions) -> Result<Box<dyn Stepper>, InputError> {
    if scheme.activation == Activation::Gap && !matches!(model, Model::Bodies(_)) {
        let message = "activation = \"gap\" is for bodies".to_string();
        return Err(InputError::new(Code::UNSUPPORTED, "scheme.activation", message, "use \"hold\""));
    }
    refuse_friction(model, scheme)?;
    refuse_law(model, scheme)?;
    let linear = match model {
        Model::Nonlinear(nonlinear) => return bind_nonlinear(Arc::clone(nonlinear), scheme, options),
        Model::Linear(linear) => Arc::clone(linear),
        Model::Bodies(scene) => return bind_bodies(Arc::clone(scene), scheme, options),
    };
    Ok(match scheme.kind {
        SchemeKind::MoreauJean { theta, midpoint } => {
            Box::new(MoreauJean::new(linear, theta, midpoint, scheme, options))
        }
        SchemeKind::NewmarkLike(p) => Box::new(NewmarkStepper::new(linear, p, scheme, options)),
        SchemeKind::ImplicitVelocity { beta, gamma } => {
            Box::new(Implicit::new(linear, beta, gamma, false, scheme, options))
        }
        SchemeKind::ImplicitPosition { beta, gamma } => {
            Box::new(Implicit::new(linear, beta, gamma, true, scheme, options))
        }
        SchemeKind::D0Constant => Box::new(D0Constant::new(linear, scheme, options)),
        SchemeKind::D1MinusLinear => {
            let mechanism = linear_mechanism(&linear)?;
            Box::new(D1MinusLinear::new(mechanism, Some(linear), scheme.activation, options))
        }
        SchemeKind::Splitting { variant } => Box::new(Splitting::new(linear_mechanism(&linear)?, variant, options)),
        SchemeKind::SchatzmanPaoli { theta } => Box::new(SchatzmanPaoli::new(linear, theta, scheme, options)),
        SchemeKind::Ggl(p, _) if linear.has_friction() => Box::new(FrictionalGgl::new(linear, p, scheme, options)),
        SchemeKind::EventDriven(_) | SchemeKind::RungeKuttaMoreau(_) => {
            let Some(mechanism) = LinearMechanism::new(linear) else {
                return Err(unsupported(
                    format!("{} needs a mass that can be inverted", scheme.name),
                    "check model.mass",
                ));
            };
            return located(Box::new(mechanism), scheme, options);
        }
        SchemeKind::Ggl(p, variant) => Box::new(LinearGgl::new(linear, p, variant, scheme, options)),
        SchemeKind::Own { .. } => {
            let message = format!("{} is a scheme of your own: nothing here knows its steps", scheme.name);
            return Err(unsupported(message, "run it with Simulation::own"));
        }
        SchemeKind::SmoothAlpha(_) | SchemeKind::EnergyMomentum => {
            if linear.n() > LARGEST_DENSE {
                let message = format!("{} moves linear models of up to {LARGEST_DENSE} coordinates", scheme.name);
                return Err(unsupported(message, "use generalized-alpha, or fewer coordinates"));
            }
            let face = LinearAsLagrangian::new(LinearModel::clone(&linear))?;
            return bind_nonlinear(Arc::new(face), scheme, options);
        }
    })
}

fn bind_bodies(scene: Arc<Bodies>, scheme: &Scheme, options: SolverOptions) -> Result<Box<dyn Stepper>, InputError> {
    if scene.has_rolling() && !matches!(scheme.kind, SchemeKind::MoreauJean { .. } | SchemeKind::EnergyMomentum) {
        let message = format!("{} has no law for rolling friction", scheme.name);
        return Err(unsupported(message, "use moreau-jean, moreau-jean-fremond or energy-momentum, or remove rolling"));
    }
    let theta = match scheme.kind {
        SchemeKind::MoreauJean { theta, midpoint: false } => theta,
        SchemeKind::EnergyMomentum => 0.5,
        SchemeKind::Ggl(p, GglVariant::Ggl) => return bodies_ggl(scene, p, scheme, options),
        SchemeKind::EventDriven(_) | SchemeKind::RungeKuttaMoreau(_) => {
            return located(Box::new(BodiesMechanism::new(scene, scheme.name)?), scheme, options);
        }
        _ => {
            let message = format!("{} does not move bodies", scheme.name);
            return Err(unsupported(
                message,
                "use moreau-jean, moreau-jean-fremond, energy-momentum, generalized-alpha-ggl or event-driven",
            ));
        }
    };
    let refuse = |field: &str, message: &str, help: &str| {
        Err(InputError::new(Code::BAD_PARAMETER, format!("scheme.{field}"), message, help))
    };
    if theta <= 0.0 {
        return refuse("theta", "theta = 0 leaves no velocity for the laws", "use theta between 0.5 and 1");
    }
    if scheme.activation == Activation::Gap && theta != 1.0 {
        return refuse("theta", "activation = \"gap\" needs theta = 1", "set theta = 1, or activation = \"hold\"");
    }
    if scheme.activation == Activation::Gap && scene.largest_restitution() > 0.0 {
        let message = "activation = \"gap\" stops bodies before they touch and has no restitution";
        return refuse("activation", message, "set restitution = 0 for every pair, or activation = \"hold\"");
    }
    if scene.joints().is_empty() && scheme.kind != SchemeKind::EnergyMomentum {
        return Ok(Box::new(BodiesMoreauJean::new(scene, theta, scheme, options)));
    }
    check_drives(&scene)?;
    Ok(Box::new(JointedBodies::new(scene, theta, scheme, options)))
}

/// Bodies with contacts and joints at position and velocity level.
fn bodies_ggl(
    scene: Arc<Bodies>,
    p: crate::NewmarkLike,
    scheme: &Scheme,
    options: SolverOptions,
) -> Result<Box<dyn Stepper>, InputError> {
    let refuse = |message: &str, help: &str| Err(unsupported(format!("{} {message}", scheme.name), help));
    if scheme.sequential || scheme.activation != Activation::Hold {
        let help = "remove the two keys: these are the defaults";
        return refuse("on bodies needs activation = \"hold\" and solution = \"monolithic\"", help);
    }
    check_drives(&scene)?;
    Ok(Box::new(BodiesGgl::new(scene, p, scheme, options)))
}

fn bind_nonlinear(
    model: Arc<dyn Lagrangian>,
    scheme: &Scheme,
    options: SolverOptions,
) -> Result<Box<dyn Stepper>, InputError> {
    // Newton goes to 1e-11 or to round-off whatever is asked: it converges fast, and ledgers are as exact as it is. What is
    // asked judges what was reached.
    let tolerance = (0.1 * options.tolerance).min(1e-11);
    let hold = scheme.activation == Activation::Hold;
    Ok(match scheme.kind {
        SchemeKind::Ggl(p, variant) => {
            let mut stepper = Ggl::new(model, variant, p, hold, tolerance);
            stepper.sequential = scheme.sequential;
            Box::new(stepper)
        }
        SchemeKind::SmoothAlpha(p) => Box::new(SmoothAlpha::new(model, p, tolerance)),
        SchemeKind::MoreauJean { theta, midpoint: false } if theta > 0.0 => {
            velocity_level(model, VelocityScheme::MoreauJean(theta), scheme, options, tolerance)
        }
        SchemeKind::NewmarkLike(p) if !p.kh && p.gamma > 0.0 => {
            velocity_level(model, VelocityScheme::Alpha(p), scheme, options, tolerance)
        }
        SchemeKind::D0Constant => {
            Box::new(ExplicitD0::new(Box::new(NonlinearMechanism::new(model)), scheme.activation, options))
        }
        SchemeKind::D1MinusLinear => {
            let mechanism = Box::new(NonlinearMechanism::new(model));
            Box::new(D1MinusLinear::new(mechanism, None, scheme.activation, options))
        }
        SchemeKind::Splitting { variant } => {
            Box::new(Splitting::new(Box::new(NonlinearMechanism::new(model)), variant, options))
        }
        SchemeKind::SchatzmanPaoli { theta } => {
            Box::new(NonlinearSchatzmanPaoli::new(model, theta, tolerance, options))
        }
        SchemeKind::EnergyMomentum => match EnergyMomentum::new(Arc::clone(&model), scheme.activation, tolerance) {
            Some(stepper) => Box::new(stepper),
            None => Box::new(EnergyMomentumVarying::new(model, scheme.activation, tolerance)),
        },
        SchemeKind::EventDriven(_) | SchemeKind::RungeKuttaMoreau(_) => {
            return located(Box::new(NonlinearMechanism::new(model)), scheme, options);
        }
        _ => {
            let message = format!("{} with these parameters is for linear models", scheme.name);
            return Err(unsupported(
                message,
                "use moreau-jean, generalized-alpha, generalized-alpha-ggl or energy-momentum",
            ));
        }
    })
}

/// The schemes that locate events, on any mechanism.
fn located(
    mechanism: Box<dyn Mechanism>,
    scheme: &Scheme,
    options: SolverOptions,
) -> Result<Box<dyn Stepper>, InputError> {
    Ok(match &scheme.kind {
        SchemeKind::RungeKuttaMoreau(p) => Box::new(RungeKuttaMoreau::new(mechanism, p, options)),
        SchemeKind::EventDriven(p) => Box::new(EventDriven::new(mechanism, p, scheme.friction_law, options)),
        _ => return Err(unsupported(format!("{} does not locate events", scheme.name), "use event-driven")),
    })
}

fn linear_mechanism(model: &Arc<LinearModel>) -> Result<Box<dyn Mechanism>, InputError> {
    match LinearMechanism::new(Arc::clone(model)) {
        Some(mechanism) => Ok(Box::new(mechanism)),
        None => Err(unsupported("the mass with these joints cannot be factorised".into(), "use moreau-jean")),
    }
}

/// With cones where some contact rubs.
fn velocity_level(
    model: Arc<dyn Lagrangian>,
    kind: VelocityScheme,
    scheme: &Scheme,
    options: SolverOptions,
    tolerance: f64,
) -> Box<dyn Stepper> {
    let rubs = model.frictions().iter().any(|&mu| mu > 0.0);
    let frictionless = VelocityLevel::new(model, kind, scheme.activation, tolerance);
    if rubs { Box::new(VelocityFriction::new(frictionless, scheme, options)) } else { Box::new(frictionless) }
}
