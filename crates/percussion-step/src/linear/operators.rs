//! What a step of a linear model divides by, kept by step size, and what unit impulses do through it.
//!
//!   S = M + c_C C + c_K K on the velocities the joints allow,    A_j = S⁻¹H_j,    W = c_A HᵀA

use crate::StepFailure;
use crate::contact::response::{Response, keep_few};
use crate::linear::factorised::{factorised, near_rows};
use crate::linear::mass::mass_factor;
use percussion_matrix::{ConstrainedFactor, SparseMatrix, vector};
use percussion_model::LinearModel;

/// S⁻¹ and the response columns for one step size.
pub struct Operators {
    h: f64,
    /// S⁻¹.
    pub factor: ConstrainedFactor,
    /// A, made column by column where S is not diagonal.
    pub response: Response,
    /// Σ H_j p_j and what it does, where A is not kept.
    pushed: Vec<f64>,
    /// H over the coordinates near contacts, where these alone answer for HᵀA.
    near: Option<SparseMatrix>,
    threads: usize,
}

/// Numbers in all columns of A above which schemes that can do without keep only HᵀA.
pub const MOST_KEPT: usize = 8_000_000;

/// The weights of damping, stiffness and responses.
#[derive(Clone, Copy)]
pub struct Weights {
    /// c_C.
    pub damping: f64,
    /// c_K.
    pub stiffness: f64,
    /// c_A.
    pub response: f64,
    /// Whether the scheme asks for single columns of A; otherwise it lets impulses act by `push`.
    pub columns: bool,
    /// Threads that factors, products and responses are made on; numbers do not depend on them.
    pub threads: usize,
}

impl Operators {
    /// Those of a step of length h from t, made if h is new.
    #[inline]
    pub fn of<'a>(
        kept: &'a mut Vec<Operators>,
        model: &LinearModel,
        (t, h): (f64, f64),
        weights: Weights,
    ) -> Result<&'a mut Operators, StepFailure> {
        let k = match kept.iter().position(|o| o.h == h) {
            Some(k) => k,
            None => Self::make(kept, model, (t, h), weights)?,
        };
        let operators = &mut kept[k];
        if operators.threads != weights.threads {
            operators.use_threads(weights.threads);
        }
        Ok(operators)
    }

    /// Makes those of a new h, and says where they are.
    #[cold]
    fn make(
        kept: &mut Vec<Operators>,
        model: &LinearModel,
        (t, h): (f64, f64),
        weights: Weights,
    ) -> Result<usize, StepFailure> {
        let mut terms = vec![(1.0, model.mass())];
        terms.extend(model.damping().map(|C| (weights.damping, C)));
        terms.extend(model.stiffness().map(|K| (weights.stiffness, K)));
        let similar = kept.last().map(|o| &o.factor);
        let factor = factorised(model, &terms, similar, weights.threads);
        let factor = factor.map_err(|failure| StepFailure::singular(t, h, failure.row))?;
        let made = Self::with(model, h, factor, weights);
        keep_few(kept);
        kept.push(made);
        Ok(kept.len() - 1)
    }

    /// Whether they are those of a step of length h.
    pub fn is_of(&self, h: f64) -> bool {
        self.h == h
    }

    /// Those of the mass alone, whatever the step.
    pub fn of_mass(model: &LinearModel) -> Self {
        let weights = Weights { damping: 0.0, stiffness: 0.0, response: 1.0, columns: true, threads: 1 };
        Self::with(model, 0.0, mass_factor(model), weights)
    }

    fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
        self.factor.use_threads(threads);
    }

    fn with(model: &LinearModel, h: f64, mut factor: ConstrainedFactor, weights: Weights) -> Self {
        let c_A = weights.response;
        let products = if weights.columns { None } else { factor.products() };
        let near = products.and_then(|gradients| near_rows(model, gradients));
        let response = match factor.diagonal() {
            Some(diagonal) => {
                let inverse: Vec<f64> = diagonal.iter().map(|d| 1.0 / d).collect();
                Response::scaled(model.H(), &inverse, None, c_A, 0.0)
            }
            None if near.is_some() || (!weights.columns && model.n() * model.H().n_cols() > MOST_KEPT) => {
                Response::of_gaps(model.H().n_cols(), c_A)
            }
            None => Response::on_demand(model.H().n_cols(), c_A, 0.0),
        };
        let pushed = if response.keeps_gaps_only() { vec![0.0; model.n()] } else { Vec::new() };
        Self { h, factor, response, pushed, near, threads: weights.threads }
    }

    /// c_A.
    #[inline]
    pub fn weight(&self) -> f64 {
        self.response.weight()
    }

    /// Makes A_j unless it exists.
    #[inline]
    pub fn ensure(&mut self, model: &LinearModel, j: usize) {
        let Self { factor, response, near, .. } = self;
        if response.keeps_gaps_only() {
            match (near, factor.products()) {
                (Some(rows), Some(gradients)) => response.ensure_block(j, rows, |A| gradients.solve_near(A)),
                _ => response.ensure_block(j, model.H(), |A| factor.solve_columns(A)),
            }
            return;
        }
        response.ensure(j, model.n(), |A, _| {
            model.H().add_column(j, 1.0, A);
            factor.solve(A);
        });
    }

    /// Makes A_j of all these unless they exist.
    #[inline]
    pub fn ensure_all(&mut self, model: &LinearModel, columns: impl Iterator<Item = usize> + Clone) {
        if !self.response.is_whole() {
            self.make_columns(model, columns);
        }
    }

    fn make_columns(&mut self, model: &LinearModel, columns: impl Iterator<Item = usize> + Clone) {
        let Self { factor, response, near, threads, .. } = self;
        if response.keeps_gaps_only()
            && let Some(factor) = factor.shared()
        {
            let H = near.as_ref().unwrap_or_else(|| model.H());
            response.ensure_blocks(columns, H, *threads, |A| factor.solve_columns(A));
            return;
        }
        columns.for_each(|j| self.ensure(model, j));
    }

    /// x ← x + Σ A_j p_j: column by column where A is kept, by one solve where it is not.
    #[inline]
    pub fn push(&mut self, model: &LinearModel, impulses: impl Iterator<Item = (usize, f64)>, x: &mut [f64]) {
        let impulses = impulses.filter(|&(_, p)| p != 0.0);
        if !self.response.keeps_gaps_only() {
            impulses.for_each(|(j, p)| self.response.add_A(j, p, x));
            return;
        }
        self.pushed.fill(0.0);
        let mut any = false;
        for (j, p) in impulses {
            any = true;
            model.H().add_column(j, p, &mut self.pushed);
        }
        if any {
            self.factor.solve(&mut self.pushed);
            vector::axpy(1.0, &self.pushed, x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
    use percussion_model::{Contact, LinearParts, Signal};

    /// A chain of springs with contacts at every third mass.
    fn chain(n: usize) -> LinearModel {
        let mut springs = vec![(0, 0, 7.0)];
        for i in 1..n {
            let k = 3.0 + (i % 5) as f64;
            springs.extend([(i, i, k), (i - 1, i - 1, k), (i, i - 1, -k), (i - 1, i, -k)]);
        }
        let at = |i: usize| Contact { normal: vec![(i, 1.0), ((i + 1) % n, -0.25)], ..Contact::default() };
        LinearModel::new(LinearParts {
            mass: Matrix::Sparse(SparseMatrix::from_diagonal(&vec![0.5; n])),
            damping: None,
            stiffness: SparseMatrix::from_triplets(n, n, &springs).map(Matrix::Sparse),
            force: vec![Signal::default(); n],
            contacts: (0..n).step_by(3).map(at).collect(),
            joints: Vec::new(),
        })
        .expect("a chain")
    }

    /// W from blocks of columns that are not kept, and impulses that act by one solve, are those of columns one by one.
    #[test]
    fn blocks_do_what_columns_do() {
        let model = chain(400);
        let weights = Weights { damping: 0.0, stiffness: 0.25, response: 0.75, columns: true, threads: 1 };
        let made = || {
            let mut list = Vec::new();
            Operators::of(&mut list, &model, (0.0, 1.0), weights).expect("regular");
            list.remove(0)
        };
        let m = model.n_contacts();
        let (mut kept, mut few) = (made(), made());
        few.response = Response::of_gaps(m, weights.response);
        few.pushed = vec![0.0; model.n()];
        let index: Vec<usize> = (0..m).filter(|j| j % 4 != 1).collect();
        let W = |operators: &mut Operators| {
            let mut W = Matrix::Dense(DenseMatrix::zeros(0, 0));
            index.iter().for_each(|&j| operators.ensure(&model, j));
            operators.response.delassus(model.G(), &index, &mut W);
            let rows: Vec<Option<usize>> = index.iter().map(|&j| Some(j)).collect();
            (W.to_dense(), operators.response.delassus_rows(model.H(), &rows).len())
        };
        let ((one, entries), (other, others)) = (W(&mut kept), W(&mut few));
        let apart = one.values().iter().zip(other.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart <= 1e-14 * vector::max_abs(one.values()), "{apart}");
        assert_eq!(entries, others);
        let impulses = || index.iter().map(|&j| (j, if j % 2 == 0 { 1.0 + j as f64 } else { 0.0 }));
        let (mut x, mut y) = (vec![1.0; model.n()], vec![1.0; model.n()]);
        kept.push(&model, impulses(), &mut x);
        few.push(&model, impulses(), &mut y);
        let apart = x.iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart <= 1e-13 * vector::max_abs(&x), "{apart}");
    }
}
