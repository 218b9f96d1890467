//! A column of masses standing on each other, one contact below each.
//!
//!   g_0 = q_0,   g_i = q_i − q_{i−1}

use crate::{Contact, InputError, LinearModel, LinearParts, Signal};
use percussion_matrix::{Matrix, SparseMatrix};

/// N masses under the weight m·a each (a < 0 pulls down), all contacts with the same restitution.
pub fn column(masses: &[f64], a: f64, restitution: f64) -> Result<LinearModel, InputError> {
    let n = masses.len();
    let contacts = (0..n)
        .map(|i| {
            let normal = if i == 0 { vec![(0, 1.0)] } else { vec![(i - 1, -1.0), (i, 1.0)] };
            Contact { normal, offset: Signal::constant(0.0), restitution, ..Contact::default() }
        })
        .collect();
    LinearModel::new(LinearParts {
        mass: Matrix::Sparse(SparseMatrix::from_diagonal(masses)),
        damping: None,
        stiffness: None,
        force: masses.iter().map(|m| Signal::constant(m * a)).collect(),
        contacts,
        joints: Vec::new(),
    })
}
