//! Linear and angular momentum of a linear solid that nothing holds. Its displacements are small, so moments are about undeformed places.
//!
//!   (P, L) = Rᵀ M v,    R_i = (b, X × b) of the coordinate along b of the node at X,    Rᵀ K = 0

use crate::bodies::math::{Vec3, add, axpy, norm};
use percussion_matrix::Matrix;

/// Dampers that take no momentum leave this part of their entries.
const ROUND_OFF: f64 = 1e-12;

/// What a unit force or velocity along each coordinate means for the momenta.
#[derive(Clone, Debug, PartialEq)]
pub struct Momenta {
    of_forces: Vec<[Vec3; 2]>,
    of_velocities: Vec<[Vec3; 2]>,
}

impl Momenta {
    /// From R; none where dampers brake rigid motion.
    pub fn new(of_forces: Vec<[Vec3; 2]>, mass: &Matrix, damping: Option<&Matrix>) -> Option<Self> {
        let through = |A: &Matrix| {
            let (mut sums, mut sizes) = (vec![[[0.0; 3]; 2]; of_forces.len()], [0.0_f64; 2]);
            for (i, j, x) in A.triplets() {
                for k in 0..2 {
                    sums[j][k] = axpy(&sums[j][k], x, &of_forces[i][k]);
                    sizes[k] = sizes[k].max(x.abs() * norm(&of_forces[i][k]));
                }
            }
            (sums, sizes)
        };
        if let Some(C) = damping {
            let (sums, sizes) = through(C);
            if sums.iter().any(|sum| (0..2).any(|k| norm(&sum[k]) > ROUND_OFF * sizes[k])) {
                return None;
            }
        }
        Some(Self { of_velocities: through(mass).0, of_forces })
    }

    /// P and L at velocities v, and what they are measured against: Σ of the sizes of their terms.
    pub fn total(&self, v: &[f64]) -> ([Vec3; 2], [f64; 2]) {
        let (mut total, mut scale) = ([[0.0; 3]; 2], [0.0; 2]);
        for (row, &v) in self.of_velocities.iter().zip(v) {
            for k in 0..2 {
                total[k] = axpy(&total[k], v, &row[k]);
                scale[k] += v.abs() * norm(&row[k]);
            }
        }
        (total, scale)
    }

    /// What forces or impulses along some coordinates give.
    pub fn given(&self, forces: impl Iterator<Item = (usize, f64)>) -> [Vec3; 2] {
        forces.fold([[0.0; 3]; 2], |sum, (i, f)| {
            let own = |k: usize| add(&sum[k], &crate::bodies::math::scale(f, &self.of_forces[i][k]));
            [own(0), own(1)]
        })
    }

    /// Whether all of it lies in the plane of x and y.
    pub fn is_planar(&self) -> bool {
        self.of_forces.iter().all(|[b, _]| b[2] == 0.0)
    }
}
