//! M r + Jᵀλ = f at a place, and what is in it.

use crate::derivative::contacts::{Rows, Touch};
use crate::derivative::equations::Forces;
use crate::newton::evaluation::mul_add;
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::Lagrangian;

/// f, or a part of it.
pub fn force(model: &dyn Lagrangian, forces: Forces, (q, v, t): (&[f64], &[f64], f64)) -> Vec<f64> {
    let (mut f, mut gradient) = (vec![0.0; q.len()], vec![0.0; q.len()]);
    if forces != Forces::Potential {
        model.force(q, v, t, &mut f);
    }
    match forces {
        Forces::All => {}
        Forces::Potential | Forces::Others => {
            model.potential_gradient(q, &mut gradient);
            let sign = if forces == Forces::Potential { -1.0 } else { 1.0 };
            vector::axpy(sign, &gradient, &mut f);
        }
    }
    f
}

/// HᵀP at the end of a step.
pub fn push(model: &dyn Lagrangian, touches: &[Touch], q: &[f64], t: f64) -> Vec<f64> {
    let mut sum = vec![0.0; q.len()];
    for touch in touches.iter().filter(|touch| touch.pushes) {
        for c in 0..=touch.tangents {
            vector::axpy(touch.p[c], &Rows(model).row(touch.id, c, q, t), &mut sum);
        }
    }
    sum
}

/// (M r + Jᵀλ − f, J r).
pub fn balance(model: &dyn Lagrangian, q: &[f64], r: &[f64], multipliers: &[f64], f: &[f64]) -> Vec<f64> {
    let n = q.len();
    let mut M = DenseMatrix::zeros(n, n);
    model.mass(q, &mut M);
    let mut whole: Vec<f64> = f.iter().map(|f| -f).collect();
    mul_add(&M, 1.0, r, &mut whole);
    let joints = joint_rows(model, q);
    joints.iter().zip(multipliers).for_each(|(row, x)| vector::axpy(*x, row, &mut whole));
    whole.extend(joints.iter().map(|row| vector::dot(row, r)));
    whole
}

/// The rows of the joints at q.
pub fn joint_rows(model: &dyn Lagrangian, q: &[f64]) -> Vec<Vec<f64>> {
    let row = |j: usize| {
        let mut row = vec![0.0; q.len()];
        model.gradient(j, q, &mut row);
        row
    };
    (0..model.n_joints()).map(row).collect()
}
