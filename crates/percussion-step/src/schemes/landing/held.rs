//! Solves on the motions that joints allow, of a small dense system.
//!
//!   [A g_bᵀ; g_b 0] [x; λ] = [f; r]

use crate::newton::system::{NewtonSystem, REDUNDANT};
use percussion_matrix::{DenseMatrix, vector};

/// A factorised system with its joints.
#[derive(Debug, Default)]
pub struct Held {
    system: NewtonSystem,
    n: usize,
    x: Vec<f64>,
}

impl Held {
    /// Factorises A with the gradients of joints; false when that is singular. Redundant joints share what they carry.
    pub fn make(&mut self, A: &DenseMatrix, joints: &[Vec<f64>]) -> bool {
        let n = A.n_rows();
        self.n = n;
        self.system.clear(n + joints.len());
        self.system.add_block(0, 0, 1.0, A);
        for (j, row) in joints.iter().enumerate() {
            self.system.add_column(0, n + j, 1.0, row);
            self.system.add_row(n + j, 0, 1.0, row);
        }
        if self.system.factorise() {
            return true;
        }
        let size = vector::max_abs(A.values());
        let shift = |j: usize| -REDUNDANT * vector::dot(&joints[j], &joints[j]) / size;
        !joints.is_empty() && self.system.factorise_shifted(|i| if i < n { 0.0 } else { shift(i - n) })
    }

    /// x ← the motion under the forces x with g_b x = r.
    pub fn solve(&mut self, x: &mut [f64], r: impl Iterator<Item = f64>) {
        self.x.clear();
        self.x.extend_from_slice(x);
        self.x.extend(r);
        self.system.solve_refined(&mut self.x);
        x.copy_from_slice(&self.x[..self.n]);
    }
}
