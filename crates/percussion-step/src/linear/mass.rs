//! M on the velocities the joints allow: because every velocity and acceleration a scheme forms then satisfies J x = 0,
//! joints neither drift nor work.

use crate::State;
use crate::linear::factorised::factorised;
use percussion_matrix::ConstrainedFactor;
use percussion_model::LinearModel;

/// The factorised mass of a model with its joints.
pub fn mass_factor(model: &LinearModel) -> ConstrainedFactor {
    factorised(model, &[(1.0, model.mass())], None, 1)
        .expect("M with these joints was factorised when the model was made")
}

/// a = M⁻¹(F − K q − C v).
pub fn acceleration(model: &LinearModel, mass: &mut ConstrainedFactor, state: &State) -> Vec<f64> {
    let mut a = vec![0.0; state.q.len()];
    model.force(state.t, &mut a);
    if let Some(K) = model.stiffness() {
        K.mul_add(-1.0, &state.q, &mut a);
    }
    if let Some(C) = model.damping() {
        C.mul_add(-1.0, &state.v, &mut a);
    }
    mass.solve(&mut a);
    a
}
