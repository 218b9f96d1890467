//! Solves on the kernel of some rows: the velocities that joints allow.
//!
//!   [S Jᵀ; J 0] [x; λ] = [b; 0]:   x = y − S⁻¹Jᵀ (J S⁻¹Jᵀ)⁻¹ J y,   y = S⁻¹b
//!
//! Rows are scaled so that J S⁻¹Jᵀ has a unit diagonal: units and lengths of rows do not matter.

use crate::{ConjugateGradients, DenseMatrix, Factor, Matrix, NotFactorised, SparseCholesky, SparseMatrix, vector};

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

impl Joints {
    /// x ← x − S⁻¹Jᵀ(J S⁻¹Jᵀ)⁻¹J x.
    fn project(&mut self, x: &mut [f64]) {
        for j in 0..self.lambda.len() {
            self.lambda[j] = self.Jt.column_dot(j, x);
        }
        self.schur.solve(&mut self.lambda);
        for (j, &lambda) in self.lambda.iter().enumerate() {
            vector::axpy(-lambda, self.Y.column(j), x);
        }
    }
}

impl ConstrainedFactor {
    /// Factorises S; `similar` lends the symbolic part of a factor of the same pattern.
    pub fn new(S: &Matrix, Jt: &SparseMatrix, similar: Option<&Self>) -> Result<Self, NotFactorised> {
        Self::in_order(S, Jt, similar, None, 1)
    }

    /// The same with the unknowns eliminated in a given order where the factor is sparse, on so many threads.
    pub fn in_order(
        S: &Matrix,
        Jt: &SparseMatrix,
        similar: Option<&Self>,
        order: Option<&[usize]>,
        threads: usize,
    ) -> Result<Self, NotFactorised> {
        let mut factor = match similar {
            Some(similar) => similar.factor.similar(S)?,
            None => Factor::in_order(S, order, threads)?,
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
        // unit diagonal
        let mut Jt = Jt.clone();
        let starts = Jt.col_ptr().to_vec();
        for j in 0..k {
            let scale = 1.0 / Jt.column_dot(j, Y.column(j)).abs().sqrt();
            if !scale.is_finite() {
                return Err(NotFactorised { row: None });
            }
            Jt.values_mut()[starts[j]..starts[j + 1]].iter_mut().for_each(|x| *x *= scale);
            Y.column_mut(j).iter_mut().for_each(|x| *x *= scale);
        }
        let mut A = DenseMatrix::zeros(k, k);
        for j in 0..k {
            for i in 0..k {
                A.set(i, j, Jt.column_dot(i, Y.column(j)));
            }
        }
        let schur = Factor::new(&Matrix::Dense(A))?;
        Ok(Self { factor, joints: Some(Joints { Jt, Y, schur, lambda: vec![0.0; k] }) })
    }

    /// Without joints and without a factor of S, which is symmetric and positive definite: by products with it.
    pub fn by_products(S: &Matrix) -> Result<Self, NotFactorised> {
        Ok(Self { factor: Factor::by_products(S)?, joints: None })
    }

    /// What answers for many columns on several threads at once: the factor of S or, where products solve, that near contacts.
    pub fn shared(&self) -> Option<&SparseCholesky> {
        match (&self.factor, &self.joints) {
            (Factor::Products(gradients), None) => gradients.near_factor().and_then(Factor::shared),
            (factor, None) => factor.shared(),
            (_, Some(_)) => None,
        }
    }

    /// Threads that make and use a large factor; its numbers do not depend on them.
    pub fn use_threads(&mut self, threads: usize) {
        self.factor.use_threads(threads);
    }

    /// What solves by products, where that is what solves.
    pub fn products(&mut self) -> Option<&mut ConjugateGradients> {
        match &mut self.factor {
            Factor::Products(gradients) => Some(gradients),
            Factor::Diagonal(_)
            | Factor::DenseCholesky(_)
            | Factor::DenseLu(_)
            | Factor::SparseCholesky(_)
            | Factor::SparseLu(_)
            | Factor::SymmetricLu(_) => None,
        }
    }

    /// X ← the same for all columns at once, cheaper than one by one where there are many.
    pub fn solve_columns(&mut self, X: &mut DenseMatrix) {
        self.factor.solve_columns(X);
        (0..X.n_cols()).for_each(|j| self.project(X.column_mut(j)));
    }

    /// x ← the solution of the constrained system with right-hand side x.
    #[inline]
    pub fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
        self.project(x);
    }

    /// Takes out what the joints do not allow.
    #[inline]
    fn project(&mut self, x: &mut [f64]) {
        if let Some(joints) = &mut self.joints {
            joints.project(x);
        }
    }

    /// The diagonal, when S is diagonal and there are no joints.
    pub fn diagonal(&self) -> Option<&[f64]> {
        match (&self.factor, &self.joints) {
            (Factor::Diagonal(diagonal), None) => Some(diagonal),
            _ => None,
        }
    }
}
