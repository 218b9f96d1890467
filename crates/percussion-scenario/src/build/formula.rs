//! From `[model]` of kind "formula" to the model, checked at random states before it runs.

use crate::build::coordinates;
use crate::build::dials::Hands;
use crate::build::linear::Built;
use crate::build::matrices::vector;
use crate::build::scenario::Description;
use crate::error::Result;
use crate::format::keys::formula::FormulaSpec;
use crate::scene::Picture;
use percussion_model::{Code, InputError, Lagrangian};
use percussion_step::Model;
use std::sync::Arc;

/// A model of kind "formula".
pub fn formula(spec: FormulaSpec) -> Result<Built> {
    let model = spec.parts().model()?;
    Picture::of(&spec)?;
    let n = model.n();
    coordinates::check(&spec.coordinates, spec.units.as_ref(), n)?;
    coordinates::check_contacts(spec.contact.iter().map(|contact| contact.name.as_deref().unwrap_or_default()))?;
    let (q0, v0) = (vector(spec.q0.clone(), n, "model.q0")?, vector(spec.v0.clone(), n, "model.v0")?);
    if q0.len() == n {
        // a quadratic form shows at any state where it is defined
        let v: Vec<f64> = (0..n).map(|k| 1.0 + 0.37 * k as f64).collect();
        let w: Vec<f64> = (0..n).map(|k| if k % 2 == 0 { -2.3 } else { 0.7 } - 0.11 * k as f64).collect();
        if let Some(fact) = model.energies().wrong_inertia(&q0, &v, &w) {
            let field = if spec.kinetic.is_some() { "model.kinetic" } else { "model.mass" };
            let help = "T is ½ q̇ᵀM(q)q̇ with a symmetric M; rates are written x_dot";
            return Err(InputError::new(Code::WRONG_MODEL, field, fact, help).into());
        }
        if let Some((i, fact)) = model.energies().wrong_tangent(&q0, &v, &w) {
            let help = "a tangent is a place, without rates, or a velocity, linear in them";
            return Err(InputError::new(Code::WRONG_MODEL, format!("model.contact[{i}].tangent"), fact, help).into());
        }
        if let Some((field, k, x)) = model.energies().jump_in_place(&q0, &v) {
            let message = format!("jumps where {} passes {x:.6}, and no force does work there", spec.coordinates[k]);
            let help = "let both sides of step, sign or if agree where they change over, such as (x - 1)*step(x - 1)";
            return Err(InputError::new(Code::WRONG_MODEL, format!("model.{field}"), message, help).into());
        }
        if let Some((i, t)) = model.energies().jumping_gap(&q0) {
            let message = format!("the obstacle jumps at t = {t:.6} s from one place to another");
            let help = "let it move: a ramp is (t - 1)*step(t - 1), and a parameter may be a signal such as smooth";
            return Err(InputError::new(Code::BAD_SIGNAL, format!("model.contact[{i}].gap"), message, help).into());
        }
    }
    let (model, start) = (Model::from(Arc::new(model) as Arc<dyn Lagrangian>), Some("model.q0"));
    Ok(Built {
        description: Description::Formula(Box::new(spec)),
        model,
        q0,
        v0,
        start,
        tables: Vec::new(),
        hands: Hands::default(),
    })
}
