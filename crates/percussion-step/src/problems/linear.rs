//! Pieces of linear problems: masses, contacts with and without friction, a start.
//!
//!   M dv + (K q + C v) dt = F dt + G dI,    g = Gᵀq + w ≥ 0

use crate::Problem;
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{Contact, InputError, LinearModel, LinearParts, Signal};

/// Masses that nothing connects, M = diag(m), under constant loads; springs, contacts and joints are for the caller to add.
///
/// ```
/// use percussion_model::LinearParts;
/// use percussion_step::problems::{contact, linear, masses};
///
/// // two masses in free fall, the lower one over a floor
/// let parts = LinearParts { contacts: vec![contact(&[1.0, 0.0], 0.0, 0.5)], ..masses(&[1.0, 2.0], &[-9.81, -19.62]) };
/// let problem = linear(parts, &[1.0, 1.5], &[0.0, 0.0])?;
/// # Ok::<(), percussion_model::InputError>(())
/// ```
pub fn masses(m: &[f64], force: &[f64]) -> LinearParts {
    let mut M = DenseMatrix::zeros(m.len(), m.len());
    m.iter().enumerate().for_each(|(i, m)| M.set(i, i, *m));
    LinearParts {
        mass: Matrix::Dense(M),
        damping: None,
        stiffness: None,
        force: force.iter().map(|&f| Signal::constant(f)).collect(),
        contacts: Vec::new(),
        joints: Vec::new(),
    }
}

/// The entries of a row that are not zero, with their coordinates.
pub fn row(entries: &[f64]) -> Vec<(usize, f64)> {
    entries.iter().copied().enumerate().filter(|(_, x)| *x != 0.0).collect()
}

/// A contact without friction: g = normal·q + offset ≥ 0 with restitution e.
pub fn contact(normal: &[f64], offset: f64, e: f64) -> Contact {
    Contact { normal: row(normal), offset: Signal::constant(offset), restitution: e, ..Contact::default() }
}

/// A contact with friction μ that slides along one tangent, in the plane, or two, in space.
pub fn rough_contact(normal: &[f64], tangents: &[&[f64]], offset: f64, e: f64, mu: f64) -> Contact {
    Contact { tangents: tangents.iter().map(|t| row(t)).collect(), friction: mu, ..contact(normal, offset, e) }
}

/// The parts, checked, with their start.
pub fn linear(parts: LinearParts, q0: &[f64], v0: &[f64]) -> Result<Problem, InputError> {
    Problem::linear(LinearModel::new(parts)?, q0.to_vec(), v0.to_vec())
}
