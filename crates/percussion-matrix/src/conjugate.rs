//! A x = b without a factor of A, for matrices so large that one would not fit: conjugate gradients (Hestenes and Stiefel 1952)
//! with the inverse of a part of A before them.
//!
//!   x ← x + α p,  r ← r − α A p,  z = B r,  p ← z + β p,    B = A_nn⁻¹ on the coordinates near contacts,  1/A_ii elsewhere
//!
//! At steps that resolve waves A = M + c K is well conditioned where there is mass, so that some twenty products suffice. Nodes of
//! contact surfaces may have none; near them a factor stands in. What acts near contacts begins with what that factor says. The
//! residual is computed again from x before an answer is given.

use crate::column_groups::ColumnGroups;
use crate::stop::requested;
use crate::{DenseMatrix, Factor, NotFactorised, SparseMatrix, vector};

/// What is left of the residual, relative to b in the norm of B, at the end and after each round.
const LEFT: f64 = 1e-15;
const LEFT_IN_A_ROUND: f64 = 1e-10;
/// Rounds, each from the residual computed again.
const ROUNDS: usize = 3;
/// Products of one round, at most.
const MOST: usize = 2000;

/// The matrix, what stands before it, and work memory.
#[derive(Debug)]
pub struct ConjugateGradients {
    A: ColumnGroups,
    near: Option<Near>,
    inverse_diagonal: Vec<f64>,
    /// On how many threads products are made.
    threads: usize,
    /// r, z, p, A p.
    work: [Vec<f64>; 4],
    products: u64,
}

/// Some coordinates with the factor of their block.
#[derive(Debug)]
pub struct Near {
    /// They, ascending.
    coordinates: Vec<usize>,
    factor: Factor,
    /// Whether the factor stands before the matrix; else it answers for what acts near contacts alone.
    before: bool,
    local: Vec<f64>,
}

impl ConjugateGradients {
    /// Of a symmetric positive definite matrix.
    pub fn new(A: &SparseMatrix) -> Result<Self, NotFactorised> {
        let (A, n) = (ColumnGroups::new(A), A.n_cols());
        if let Some(row) = A.diagonal().iter().position(|&d| d <= 0.0 || !d.is_finite()) {
            return Err(NotFactorised { row: Some(row) });
        }
        let inverse_diagonal = A.diagonal().iter().map(|d| 1.0 / d).collect();
        let work = std::array::from_fn(|_| vec![0.0; n]);
        Ok(Self { A, near: None, inverse_diagonal, threads: 1, work, products: 0 })
    }

    /// The matrix.
    pub fn matrix(&self) -> &ColumnGroups {
        &self.A
    }

    /// Threads that products are shared among, and the factor near contacts; numbers do not depend on them.
    pub fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
        if let Some(near) = &mut self.near {
            near.factor.use_threads(threads);
        }
    }

    /// Products made so far.
    pub fn products(&self) -> u64 {
        self.products
    }

    /// Factorises the block of these coordinates, ascending, eliminated as they come in `order`, a list of all; `before` says whether
    /// every product is to be met by it.
    pub fn look_near(
        &mut self,
        coordinates: Vec<usize>,
        order: Option<&[usize]>,
        before: bool,
    ) -> Result<(), NotFactorised> {
        let mut place = vec![usize::MAX; self.A.n()];
        coordinates.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        let order: Option<Vec<usize>> =
            order.map(|order| order.iter().map(|&i| place[i]).filter(|&k| k != usize::MAX).collect());
        let block = crate::Matrix::Sparse(self.A.block(&coordinates));
        let factor = Factor::in_order(&block, order.as_deref(), self.threads)
            .map_err(|failure| NotFactorised { row: failure.row.map(|row| coordinates[row]) })?;
        let local = vec![0.0; coordinates.len()];
        self.near = Some(Near { coordinates, factor, before, local });
        Ok(())
    }

    /// The coordinates whose block is factorised, ascending.
    pub fn near(&self) -> &[usize] {
        self.near.as_ref().map_or(&[], |near| &near.coordinates)
    }

    /// The factor of their block.
    pub fn near_factor(&self) -> Option<&Factor> {
        self.near.as_ref().map(|near| &near.factor)
    }

    /// X ← A_nn⁻¹ X over these coordinates.
    pub fn solve_near(&mut self, X: &mut DenseMatrix) {
        if let Some(near) = &mut self.near {
            near.factor.solve_columns(X);
        }
    }

    /// x ← A⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        let b = x.to_vec();
        x.fill(0.0);
        self.work[0].copy_from_slice(&b);
        let Some(size) = self.conditioned() else { return };
        let goal = LEFT * size;
        let mut last = size;
        if self.begin_near(x) {
            self.find_residual(&b, x);
            match self.conditioned() {
                Some(size) => last = size,
                None => return,
            }
        }
        for round in 0..ROUNDS {
            let left = self.round(x, goal.max(LEFT_IN_A_ROUND * last));
            if left <= goal && round > 0 {
                return;
            }
            self.find_residual(&b, x);
            // round-off of A x is what cannot be got rid of
            match self.conditioned() {
                Some(size) if size > goal && size < 0.5 * last => last = size,
                _ => return,
            }
        }
    }

    /// r = b − A x.
    fn find_residual(&mut self, b: &[f64], x: &[f64]) {
        let [r, _, _, Ax] = &mut self.work;
        self.A.times(x, Ax, self.threads);
        self.products += 1;
        b.iter().zip(Ax.iter()).zip(r).for_each(|((b, Ax), r)| *r = b - Ax);
    }

    /// x = A_nn⁻¹ r where r is zero on all other coordinates and the factor does not stand before the matrix anyway.
    fn begin_near(&mut self, x: &mut [f64]) -> bool {
        let Some(near) = self.near.as_mut().filter(|near| !near.before) else { return false };
        let r = &self.work[0];
        let acting = r.iter().filter(|r| **r != 0.0).count();
        if near.coordinates.iter().filter(|&&i| r[i] != 0.0).count() < acting {
            return false;
        }
        near.coordinates.iter().zip(&mut near.local).for_each(|(&i, local)| *local = r[i]);
        near.factor.solve(&mut near.local);
        near.coordinates.iter().zip(&near.local).for_each(|(&i, &local)| x[i] = local);
        true
    }

    /// z = B r, and √(rᵀz); none where r is zero or no number.
    fn conditioned(&mut self) -> Option<f64> {
        let [r, z, ..] = &mut self.work;
        for (z, (r, d)) in z.iter_mut().zip(r.iter().zip(&self.inverse_diagonal)) {
            *z = r * d;
        }
        if let Some(near) = self.near.as_mut().filter(|near| near.before) {
            near.coordinates.iter().zip(&mut near.local).for_each(|(&i, local)| *local = r[i]);
            near.factor.solve(&mut near.local);
            near.coordinates.iter().zip(&near.local).for_each(|(&i, &local)| z[i] = local);
        }
        let square = vector::dot(r, z);
        (square > 0.0 && square.is_finite()).then(|| square.sqrt())
    }

    /// x ← x + A⁻¹r until √(rᵀBr) ≤ goal, with z = B r to begin with; the size reached.
    fn round(&mut self, x: &mut [f64], goal: f64) -> f64 {
        let mut square = {
            let [r, z, p, _] = &mut self.work;
            p.copy_from_slice(z);
            vector::dot(r, z)
        };
        for _ in 0..MOST {
            let [r, _, p, Ap] = &mut self.work;
            self.A.times(p, Ap, self.threads);
            self.products += 1;
            let curvature = vector::dot(p, Ap);
            if curvature.is_nan() || curvature <= 0.0 || requested() {
                break;
            }
            let alpha = square / curvature;
            vector::axpy(alpha, p, x);
            vector::axpy(-alpha, Ap, r);
            let Some(size) = self.conditioned() else { return 0.0 };
            if size <= goal {
                return size;
            }
            let beta = size * size / square;
            square = size * size;
            let [_, z, p, _] = &mut self.work;
            p.iter_mut().zip(z).for_each(|(p, z)| *p = *z + beta * *p);
        }
        square.sqrt()
    }
}
