//! Nonlinear models with their derivatives written out; one model per file.

pub(crate) mod accept;
mod beam;
mod beam_discrete_gradient;
mod beam_element;
mod formula_model;
mod linear_as_lagrangian;
mod particle;
mod pendulum;
mod rocking_block;
mod steered;

pub use beam::{Beam, BeamParts};
pub use beam_element::BeamElement;
pub use formula_model::{FormulaContact, FormulaEnergies, FormulaParts, ParameterUse};
pub use linear_as_lagrangian::LinearAsLagrangian;
pub use particle::PointMass;
pub use pendulum::Pendulum;
pub use rocking_block::RockingBlock;
pub use steered::Steered;

use percussion_matrix::DenseMatrix;

/// A_ij ← A_ij + x.
#[inline]
pub(crate) fn add(A: &mut DenseMatrix, i: usize, j: usize, x: f64) {
    A.set(i, j, A.get(i, j) + x);
}
