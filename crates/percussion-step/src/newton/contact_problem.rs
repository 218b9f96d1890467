//! The contact problem behind a solution of Newton's method: impulses act through the mass, on velocities the joints allow.
//!
//!   [M g_bᵀ; g_b 0][y_j; ·] = [g_j; 0],    W_ij = g_i·y_j,    b = w − W p
//!
//! w is what the scheme's law sets against the impulse p of each contact, 0 ≤ w ⟂ p ≥ 0, in units of velocity.

use crate::contact::law::without_friction;
use crate::newton::system::{NewtonSystem, REDUNDANT};
use percussion_matrix::{DenseMatrix, Matrix, vector};
use percussion_solve::OneStepProblem;
use percussion_solve::friction::FrictionProblem;

/// The problem of the contacts (number, w, p) for the mass M and the gradients G of constraints, `nb` joints first; none
/// without contacts, or where the mass is singular.
pub fn contact_problem(
    M: &DenseMatrix,
    G: &DenseMatrix,
    nb: usize,
    contacts: &[(usize, f64, f64)],
) -> Option<(FrictionProblem, Vec<f64>)> {
    let (n, k) = (M.n_rows(), contacts.len());
    let mut system = NewtonSystem::default();
    system.clear(n + nb);
    system.add_block(0, 0, 1.0, M);
    for j in 0..nb {
        system.add_column(0, n + j, 1.0, G.column(j));
        system.add_row(n + j, 0, 1.0, G.column(j));
    }
    // redundant joints share what they carry
    let size = vector::max_abs(M.values());
    let norm = |j: usize| vector::dot(G.column(j), G.column(j));
    if !system.factorise() && !system.factorise_shifted(|i| if i < n { 0.0 } else { -REDUNDANT * norm(i - n) / size }) {
        return None;
    }
    let mut W = DenseMatrix::zeros(k, k);
    let mut b: Vec<f64> = contacts.iter().map(|&(_, w, _)| w).collect();
    for (column, &(j, _, p)) in contacts.iter().enumerate() {
        let mut y = vec![0.0; n + nb];
        y[..n].copy_from_slice(G.column(nb + j));
        system.solve_refined(&mut y);
        for (row, &(i, _, _)) in contacts.iter().enumerate() {
            let w = vector::dot(G.column(nb + i), &y[..n]);
            W.set(row, column, w);
            b[row] -= w * p;
        }
    }
    let mut problem = OneStepProblem::new(Matrix::Dense(W), b);
    problem.ids.clear();
    problem.ids.extend(contacts.iter().map(|&(id, _, _)| id));
    let p: Vec<f64> = contacts.iter().map(|&(_, _, p)| p).collect();
    without_friction(&problem, &p)
}
