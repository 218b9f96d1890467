//! Nonlinear models with their derivatives written out; one model per file.

mod accept;
mod particle;
mod pendulum;
mod rocking_block;

pub use particle::PointMass;
pub use pendulum::Pendulum;
pub use rocking_block::RockingBlock;

use percussion_matrix::DenseMatrix;

/// A_ij ← A_ij + x.
#[inline]
fn add(A: &mut DenseMatrix, i: usize, j: usize, x: f64) {
    A.set(i, j, A.get(i, j) + x);
}
