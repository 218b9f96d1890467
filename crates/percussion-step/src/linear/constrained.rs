//! Solves on the velocities the joints allow.
//!
//!   [S Jᵀ; J 0] [x; λ] = [b; 0]:   x = y − S⁻¹Jᵀ (J S⁻¹Jᵀ)⁻¹ J y,   y = S⁻¹b
//!
//! Because every velocity and acceleration a scheme forms then satisfies J x = 0, joints neither drift nor work.

use crate::State;
use percussion_matrix::{DenseMatrix, Factor, Matrix, NotFactorised, SparseMatrix, vector};
use percussion_model::LinearModel;

/// A factorised S together with the joints' Schur complement.
#[derive(Debug)]
pub struct ConstrainedFactor {
    factor: Factor,
    joints: Option<Joints>,
}

#[derive(Debug)]
struct Joints {
    /// Jᵀ, n × n_joints.
    Jt: SparseMatrix,
    /// S⁻¹Jᵀ.
    Y: DenseMatrix,
    /// J S⁻¹Jᵀ.
    schur: Factor,
    lambda: Vec<f64>,
}

impl ConstrainedFactor {
    /// Factorises S; `similar` lends the symbolic part of a factor of the same pattern.
    pub fn new(S: &Matrix, Jt: &SparseMatrix, similar: Option<&Self>) -> Result<Self, NotFactorised> {
        let mut factor = match similar {
            Some(similar) => similar.factor.similar(S)?,
            None => Factor::new(S)?,
        };
        if Jt.n_cols() == 0 {
            return Ok(Self { factor, joints: None });
        }
        let (n, k) = (Jt.n_rows(), Jt.n_cols());
        let mut Y = DenseMatrix::zeros(n, k);
        for j in 0..k {
            Jt.add_column(j, 1.0, Y.column_mut(j));
            factor.solve(Y.column_mut(j));
        }
        let mut A = DenseMatrix::zeros(k, k);
        for j in 0..k {
            for i in 0..k {
                A.set(i, j, Jt.column_dot(i, Y.column(j)));
            }
        }
        let schur = Factor::new(&Matrix::Dense(A))?;
        Ok(Self { factor, joints: Some(Joints { Jt: Jt.clone(), Y, schur, lambda: vec![0.0; k] }) })
    }

    /// x ← the solution of the constrained system with right-hand side x.
    #[inline]
    pub fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
        if let Some(joints) = &mut self.joints {
            for j in 0..joints.lambda.len() {
                joints.lambda[j] = joints.Jt.column_dot(j, x);
            }
            joints.schur.solve(&mut joints.lambda);
            for (j, &lambda) in joints.lambda.iter().enumerate() {
                vector::axpy(-lambda, joints.Y.column(j), x);
            }
        }
    }

    /// a = M⁻¹(F − K q − C v) of a model whose M this is, on the velocities the joints allow.
    pub fn acceleration(&mut self, model: &LinearModel, state: &State) -> Vec<f64> {
        let mut a = vec![0.0; state.q.len()];
        model.force(state.t, &mut a);
        if let Some(K) = model.stiffness() {
            K.mul_add(-1.0, &state.q, &mut a);
        }
        if let Some(C) = model.damping() {
            C.mul_add(-1.0, &state.v, &mut a);
        }
        self.solve(&mut a);
        a
    }

    /// The factorised mass of a model.
    pub fn mass(model: &LinearModel) -> Self {
        Self::new(model.mass(), model.J(), None)
            .expect("M was factorised when the model was made, and its joints are independent")
    }

    /// The diagonal, when S is diagonal and there are no joints.
    pub fn diagonal(&self) -> Option<&[f64]> {
        match (&self.factor, &self.joints) {
            (Factor::Diagonal(diagonal), None) => Some(diagonal),
            _ => None,
        }
    }
}
