//! The stepper of a scheme on a model, or why there is none.

use crate::schemes::Scheme;
use crate::schemes::equations::{Ability, Bound, System, refuse_moving, unsupported};
use crate::{Activation, FrictionLaw, Model, Projection};
use percussion_model::{Code, InputError, Structure};
use percussion_solve::SolverOptions;

/// The stepper of a scheme on a model; what goes with no scheme of this model is refused first.
pub(crate) fn bind(model: &Model, scheme: &Scheme, options: SolverOptions) -> Bound {
    let system = model.system();
    let refuse = |field: &str, message: &str, help: &str| {
        Err(InputError::new(Code::UNSUPPORTED, format!("scheme.{field}"), message, help))
    };
    if scheme.activation == Activation::Gap && system == System::Lagrangian {
        return refuse("activation", "activation = \"gap\" is for bodies and solids", "use \"hold\"");
    }
    if scheme.activation == Activation::Equilibrium && system != System::Linear {
        return refuse("activation", "activation = \"equilibrium\" is for solids", "use \"hold\"");
    }
    refuse_massless(model, scheme)?;
    if scheme.projection == Projection::Paid && system != System::Linear {
        let help = "remove it, or use generalized-alpha-ggl, which does not penetrate";
        return refuse("projection", "projection = \"paid\" is for linear models", help);
    }
    refuse_friction(model, scheme)?;
    refuse_compliance(model, scheme)?;
    refuse_beams(model, scheme)?;
    refuse_impact_law(system, scheme)?;
    match model.structure() {
        // Newton's iterations and filters build on problems solved to the tolerance
        Structure::Constant(model) => scheme.equations().linear(model, scheme, options.strict()),
        Structure::Lagrangian(model) => {
            refuse_moving(&**model, scheme)?;
            if model.finite_solid().is_some() && !scheme.facts().has(Ability::FiniteDeformation) {
                let message = format!("{} does not move solids in finite deformation", scheme.name);
                return Err(unsupported(message, "use energy-momentum, or kinematics = \"linear\""));
            }
            scheme.equations().lagrangian(model, scheme, options.strict())
        }
        Structure::Bodies(scene) => scheme.equations().bodies(scene, scheme, options),
    }
}

/// Nodes without mass where M⁻¹ is needed, or under a law on velocities, which lets them fall through the floor.
fn refuse_massless(model: &Model, scheme: &Scheme) -> Result<(), InputError> {
    let massless = model.linear().is_some_and(|linear| linear.has_massless());
    if !massless || matches!(scheme.activation, Activation::Gap | Activation::Equilibrium) {
        return Ok(());
    }
    let message = if scheme.takes("theta") {
        format!("activation = \"{}\" on contact nodes without mass, which would fall through", scheme.activation.name())
    } else {
        format!("{} on contact nodes without mass, by which it would have to divide", scheme.name)
    };
    let help = "use moreau-jean with theta = 0.5 and activation = \"equilibrium\" or \"gap\", or mass = \"lumped\" or \"consistent\"";
    Err(InputError::new(Code::NEGATIVE_MASS, "model.contact.mass", message, help))
}

/// Contacts that give way where the step has no force of the depth in its contact problem.
fn refuse_compliance(model: &Model, scheme: &Scheme) -> Result<(), InputError> {
    if model.bodies().is_none_or(|scene| !scene.has_compliance()) || scheme.facts().has(Ability::Compliance) {
        return Ok(());
    }
    let message = format!("{} has impulses at its contacts, and no force of their depth", scheme.name);
    Err(unsupported(message, "use moreau-jean, moreau-jean-fremond or energy-momentum, or remove compliance"))
}

/// Beams and solids where a scheme has no elements between bodies.
fn refuse_beams(model: &Model, scheme: &Scheme) -> Result<(), InputError> {
    if model.bodies().is_some_and(|scene| !scene.elastic().is_empty())
        && !scheme.facts().has(Ability::SolidsAmongBodies)
    {
        let message = format!("{} does not move solids among bodies", scheme.name);
        return Err(unsupported(message, "use energy-momentum or moreau-jean"));
    }
    if model.bodies().is_some_and(|scene| scene.has_full_inertia()) && !scheme.facts().has(Ability::FullInertia) {
        let message = format!("{} does not move reduced bodies with full inertia", scheme.name);
        return Err(unsupported(message, "use energy-momentum or moreau-jean, or inertia = \"constant\""));
    }
    if model.bodies().is_none_or(|scene| scene.spans().is_empty()) || scheme.facts().has(Ability::Elements) {
        return Ok(());
    }
    let message = format!("{} does not move beams, nor bodies that are elastic by modes or bushings", scheme.name);
    Err(unsupported(message, "use energy-momentum, moreau-jean or generalized-alpha-ggl"))
}

/// A law of impact where restitution is a number of the contact only.
fn refuse_impact_law(system: System, scheme: &Scheme) -> Result<(), InputError> {
    let Some(law) = &scheme.impact_law else { return Ok(()) };
    if system == System::Linear && scheme.facts().has(Ability::ImpactLaw) {
        return Ok(());
    }
    let message = format!("{} takes no impact law of its own ({}) on this kind of model", scheme.name, law.name);
    Err(unsupported(message, "use moreau-jean, newmark, hht or generalized-alpha on a linear model"))
}

/// Friction where the scheme or its parameters have no law for it.
fn refuse_friction(model: &Model, scheme: &Scheme) -> Result<(), InputError> {
    if model.has_rolling() && !scheme.facts().has(Ability::Rolling) {
        let message = format!("{} has no law for rolling friction", scheme.name);
        return Err(unsupported(message, "use moreau-jean, moreau-jean-fremond or energy-momentum, or remove rolling"));
    }
    if !model.has_friction() {
        return Ok(());
    }
    if let Err(why) = scheme.equations().friction(model.system()) {
        let help = "use moreau-jean, newmark, hht, generalized-alpha or event-driven, or remove friction and tangents";
        return Err(unsupported(format!("{} has no friction: {why}", scheme.name), help));
    }
    // bodies have their own refusal of θ = 0
    let bodies = model.system() == System::Bodies;
    if !bodies && scheme.friction_law != FrictionLaw::Newton && !scheme.facts().opening_restitution.is_finite() {
        let message = "theta = 0 leaves no velocity for Frémond's law: α = (1 − θ)/θ is infinite".to_string();
        return Err(unsupported(message, "use theta ≥ 0.5, or friction_law = \"newton\""));
    }
    Ok(())
}
