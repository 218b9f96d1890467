//! The elastic bar in two-node finite elements.
//!
//!   K_e = EA/L_e [1 −1; −1 1],   M_e = ρA L_e/6 [2 1; 1 2] (consistent)  or  ρA L_e/2 [1 0; 0 1] (lumped)

use crate::InputError;
use crate::code::Code;
use percussion_matrix::{Matrix, SparseMatrix};

/// How an element's mass is shared by its two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassKind {
    /// From the shape functions; couples neighbouring nodes.
    Consistent,
    /// Half to each node; diagonal.
    Lumped,
}

/// A straight bar of n elements, n + 1 nodes, one axial displacement each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// E, Young's modulus [Pa].
    pub young: f64,
    /// ρ, density [kg/m³].
    pub density: f64,
    /// A, cross-section [m²].
    pub area: f64,
    /// L, length [m].
    pub length: f64,
    /// Number of elements of equal length.
    pub elements: usize,
    /// Consistent or lumped mass.
    pub mass: MassKind,
}

impl Bar {
    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.elements + 1
    }

    /// M and K of the free bar, sparse.
    pub fn matrices(&self) -> Result<(Matrix, Matrix), InputError> {
        let positive = [
            ("young", self.young),
            ("density", self.density),
            ("area", self.area),
            ("length", self.length),
            ("elements", self.elements as f64),
        ];
        for (field, x) in positive {
            if !(x > 0.0 && x.is_finite()) {
                let code = if x.is_finite() { Code::BAD_SHAPE } else { Code::NOT_FINITE };
                let message = format!("{field} = {x} must be positive");
                return Err(InputError::new(code, format!("model.{field}"), message, "give a positive number"));
            }
        }
        let n = self.n_nodes();
        let L_e = self.length / self.elements as f64;
        let k = self.young * self.area / L_e;
        let m = self.density * self.area * L_e;
        let (own, shared) = match self.mass {
            MassKind::Consistent => (m / 3.0, m / 6.0),
            MassKind::Lumped => (m / 2.0, 0.0),
        };
        let (mut M, mut K) = (Vec::new(), Vec::new());
        for e in 0..self.elements {
            for (i, j) in [(e, e), (e + 1, e + 1)] {
                M.push((i, j, own));
                K.push((i, j, k));
            }
            for (i, j) in [(e, e + 1), (e + 1, e)] {
                if shared != 0.0 {
                    M.push((i, j, shared));
                }
                K.push((i, j, -k));
            }
        }
        let sparse = |entries: &[_]| Matrix::Sparse(SparseMatrix::from_triplets(n, n, entries).expect("in range"));
        Ok((sparse(&M), sparse(&K)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Total mass, no force in a translation, and EA/L under a unit stretch.
    #[test]
    fn mass_and_stiffness_of_the_whole() {
        for mass in [MassKind::Consistent, MassKind::Lumped] {
            let bar = Bar { young: 900.0, density: 2.0, area: 0.5, length: 10.0, elements: 8, mass };
            let (M, K) = bar.matrices().expect("positive data");
            let ones = vec![1.0; 9];
            assert!((M.bilinear(&ones, &ones) - 10.0).abs() < 1e-13);
            let mut force = vec![0.0; 9];
            K.mul_add(1.0, &ones, &mut force);
            assert!(force.iter().all(|f| f.abs() < 1e-13));
            let stretch: Vec<f64> = (0..9).map(|i| i as f64 / 8.0).collect();
            assert!((K.bilinear(&stretch, &stretch) - 45.0).abs() < 1e-12);
        }
    }
}
