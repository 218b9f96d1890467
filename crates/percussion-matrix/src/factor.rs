//! Factorisations with their buffers: factorise seldom, solve at every step without allocating.
//!
//!   A = D (diagonal),   A = L Lᵀ (symmetric positive definite),   P A = L U (any other regular matrix)
//!
//! The numeric work is faer's. Dense substitution is written out here because the call overhead of a general kernel
//! exceeds the work of the small systems (one to a few dozen unknowns) that dominate. Where results are to be the same bits on
//! every machine, dense factors are those of `scalar_factor` and sparse ones faer's simplicial, which computes number by number.

use crate::dissection::dissected_by_pattern;
use crate::elimination::{Kind, SolveMemory, Tree, between, factorise, postordered, solve};
use crate::stop::requested;
use crate::{ConjugateGradients, DenseMatrix, Matrix, SparseMatrix, math, scalar_factor};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{SymbolicCholeskyRaw, SymmetricOrdering};
use faer::sparse::linalg::{SupernodalThreshold, cholesky, lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, MatRef, Par, Side};
use std::sync::Arc;

/// Unknowns from which a sparse matrix is dissected before it is factorised, and the factor made on threads.
const DISSECTED_FROM: usize = 4000;
/// What a factor without pivots may leave of a right-hand side, relative to its terms.
const LEFT_WITHOUT_PIVOTS: f64 = 1e-10;

/// Why a matrix could not be factorised.
#[derive(Clone, Debug, PartialEq)]
pub struct NotFactorised {
    /// The row whose pivot failed, when known.
    pub row: Option<usize>,
}

impl std::fmt::Display for NotFactorised {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.row {
            Some(row) => write!(f, "the matrix is singular or indefinite at row {row}"),
            None => write!(f, "the matrix is singular"),
        }
    }
}

impl std::error::Error for NotFactorised {}

/// A factorised square matrix, ready to solve A x = b.
#[derive(Debug)]
pub enum Factor {
    /// A is diagonal: the entries themselves.
    Diagonal(Vec<f64>),
    /// A = L Lᵀ.
    DenseCholesky(DenseMatrix),
    /// P A = L U.
    DenseLu(DenseLu),
    /// A = L Lᵀ, sparse.
    SparseCholesky(Box<SparseCholesky>),
    /// P A Q = L U, sparse.
    SparseLu(Box<SparseLu>),
    /// A = L U in a given order, the pattern of A symmetric.
    SymmetricLu(Box<SymmetricLu>),
    /// No factor: A x = b by products with A.
    Products(Box<ConjugateGradients>),
}

/// L below the diagonal (unit), U on and above, rows taken in the order `pivots`.
#[derive(Debug)]
pub struct DenseLu {
    LU: DenseMatrix,
    pivots: Vec<usize>,
    scratch: Vec<f64>,
}

/// A sparse Cholesky factor with its symbolic part and work memory.
pub struct SparseCholesky {
    symbolic: Arc<cholesky::SymbolicCholesky<usize>>,
    values: Vec<f64>,
    /// None of a large factor, which is seldom made again.
    factor_memory: Option<MemBuffer>,
    solve_memory: MemBuffer,
    /// Of a large factor, which threads may make and use.
    on_tree: Option<OnTree>,
    threads: usize,
}

/// Where threads find work in a factor.
struct OnTree {
    tree: Arc<Tree>,
    memory: SolveMemory,
}

/// L and U of a sparse matrix whose pattern is symmetric, without pivots; with them where that is not exact enough.
pub struct SymmetricLu {
    on_tree: OnTree,
    lower: Vec<f64>,
    upper: Vec<f64>,
    pivoted: Option<SparseLu>,
    threads: usize,
}

/// A sparse LU factor with its symbolic part and work memory.
pub struct SparseLu {
    symbolic: lu::SymbolicLu<usize>,
    numeric: lu::NumericLu<usize, f64>,
    factor_memory: MemBuffer,
    solve_memory: MemBuffer,
}

impl std::fmt::Debug for SparseCholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SparseCholesky(n = {}, entries = {})", self.symbolic.nrows(), self.values.len())
    }
}

impl std::fmt::Debug for SparseLu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SparseLu(n = {})", self.symbolic.nrows())
    }
}

impl std::fmt::Debug for SymmetricLu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SymmetricLu(entries = {})", self.lower.len() + self.upper.len())
    }
}

impl Factor {
    /// Factorises A by the cheapest method its structure allows: diagonal, Cholesky when symmetric, else LU.
    pub fn new(A: &Matrix) -> Result<Self, NotFactorised> {
        Self::in_order(A, None, 1)
    }

    /// The same with the unknowns eliminated in a given order where the method is sparse Cholesky, on so many threads.
    pub fn in_order(A: &Matrix, order: Option<&[usize]>, threads: usize) -> Result<Self, NotFactorised> {
        if A.is_diagonal() {
            return Self::diagonal(A);
        }
        let scale = A.max_abs();
        if A.asymmetry().is_some_and(|(_, _, difference)| difference > 1e-14 * scale) {
            return Self::lu(A);
        }
        match (A, order) {
            (Matrix::Sparse(S), Some(order)) => {
                Ok(Self::SparseCholesky(Box::new(SparseCholesky::new(S, Some(order), threads)?)))
            }
            (Matrix::Sparse(S), None) => Ok(Self::SparseCholesky(Box::new(SparseCholesky::new(S, None, threads)?))),
            (Matrix::Dense(_), _) => Self::cholesky(A),
        }
    }

    /// P A Q = L U of a sparse matrix with a symmetric pattern: in a given order without pivots where that is exact enough, as it is
    /// where the symmetric part is positive definite, on so many threads; else as `lu` does.
    pub fn lu_in_order(A: &Matrix, order: &[usize], threads: usize) -> Result<Self, NotFactorised> {
        match A {
            Matrix::Sparse(S) if !math::is_portable() => match SymmetricLu::new(S, order, threads)? {
                Some(factor) => Ok(Self::SymmetricLu(Box::new(factor))),
                None => Self::lu(A),
            },
            Matrix::Sparse(_) | Matrix::Dense(_) => Self::lu(A),
        }
    }

    /// Threads that make and use a large factor; its numbers do not depend on them.
    pub fn use_threads(&mut self, threads: usize) {
        match self {
            Self::SparseCholesky(factor) => factor.threads = threads,
            Self::SymmetricLu(factor) => factor.threads = threads,
            Self::Products(gradients) => gradients.use_threads(threads),
            Self::Diagonal(_) | Self::DenseCholesky(_) | Self::DenseLu(_) | Self::SparseLu(_) => (),
        }
    }

    /// The same interface for a symmetric positive definite matrix too large for a factor, unless it is diagonal.
    pub fn by_products(A: &Matrix) -> Result<Self, NotFactorised> {
        match A {
            Matrix::Sparse(S) if !A.is_diagonal() => Ok(Self::Products(Box::new(ConjugateGradients::new(S)?))),
            Matrix::Sparse(_) | Matrix::Dense(_) => Self::new(A),
        }
    }

    fn diagonal(A: &Matrix) -> Result<Self, NotFactorised> {
        let diagonal = A.diagonal();
        match diagonal.iter().position(|d| d.abs() < f64::MIN_POSITIVE || !d.is_finite()) {
            Some(row) => Err(NotFactorised { row: Some(row) }),
            None => Ok(Self::Diagonal(diagonal)),
        }
    }

    /// A = L Lᵀ; fails with the row at which A ceases to be positive definite. Only the lower triangle is read, but a large sparse
    /// matrix must be symmetric.
    pub fn cholesky(A: &Matrix) -> Result<Self, NotFactorised> {
        match A {
            Matrix::Dense(A) if math::is_portable() => {
                scalar_factor::cholesky(A).map(Self::DenseCholesky).map_err(|row| NotFactorised { row: Some(row) })
            }
            Matrix::Dense(A) => {
                let n = A.n_rows();
                let view = MatRef::from_column_major_slice(A.values(), n, n);
                let llt = view
                    .llt(Side::Lower)
                    .map_err(|LltError::NonPositivePivot { index }| NotFactorised { row: Some(index) })?;
                let mut L = DenseMatrix::zeros(n, n);
                for j in 0..n {
                    for i in j..n {
                        L.set(i, j, llt.L()[(i, j)]);
                    }
                }
                Ok(Self::DenseCholesky(L))
            }
            Matrix::Sparse(A) => Ok(Self::SparseCholesky(Box::new(SparseCholesky::new(A, None, 1)?))),
        }
    }

    /// P A = L U; fails when a pivot vanishes.
    pub fn lu(A: &Matrix) -> Result<Self, NotFactorised> {
        match A {
            Matrix::Dense(A) => Ok(Self::DenseLu(DenseLu::new(A)?)),
            Matrix::Sparse(A) => Ok(Self::SparseLu(Box::new(SparseLu::new(A)?))),
        }
    }

    /// Factorises another matrix of the same pattern, keeping the symbolic part of a sparse factor.
    pub fn refactor(&mut self, A: &Matrix) -> Result<(), NotFactorised> {
        match (&mut *self, A) {
            (Self::SparseCholesky(factor), Matrix::Sparse(A)) => factor.refactor(A),
            (Self::SparseLu(factor), Matrix::Sparse(A)) => factor.refactor(A),
            (Self::SymmetricLu(factor), Matrix::Sparse(A)) => factor.refactor(A),
            (Self::Diagonal(_), A) => Self::diagonal(A).map(|factor| *self = factor),
            (Self::DenseLu(_), A) => Self::lu(A).map(|factor| *self = factor),
            (Self::Products(_), A) => Self::by_products(A).map(|factor| *self = factor),
            (_, A) => Self::cholesky(A).map(|factor| *self = factor),
        }
    }

    /// A factor of another matrix of the same pattern, sharing the symbolic part of a sparse Cholesky factor.
    pub fn similar(&self, A: &Matrix) -> Result<Self, NotFactorised> {
        match (self, A) {
            (Self::SparseCholesky(factor), Matrix::Sparse(A)) => {
                let tree = factor.on_tree.as_ref().map(|on| Arc::clone(&on.tree));
                let made = SparseCholesky::with(Arc::clone(&factor.symbolic), tree, A, factor.threads)?;
                Ok(Self::SparseCholesky(Box::new(made)))
            }
            (Self::Products(_), A) => Self::by_products(A),
            _ => Self::new(A),
        }
    }

    /// x ← A⁻¹ x.
    #[inline]
    pub fn solve(&mut self, x: &mut [f64]) {
        match self {
            Self::Diagonal(diagonal) => {
                for (x, d) in x.iter_mut().zip(diagonal) {
                    *x /= *d;
                }
            }
            Self::DenseCholesky(L) => substitute(L, x),
            Self::DenseLu(factor) => factor.solve(x),
            Self::SparseCholesky(factor) => factor.solve(x),
            Self::SparseLu(factor) => factor.solve(x),
            Self::SymmetricLu(factor) => factor.solve(x),
            Self::Products(gradients) => gradients.solve(x),
        }
    }

    /// The factor where several threads may ask it at once.
    pub fn shared(&self) -> Option<&SparseCholesky> {
        match self {
            Self::SparseCholesky(factor) => Some(factor),
            Self::Diagonal(_)
            | Self::DenseCholesky(_)
            | Self::DenseLu(_)
            | Self::SparseLu(_)
            | Self::SymmetricLu(_)
            | Self::Products(_) => None,
        }
    }

    /// X ← A⁻¹ X for all columns at once: for many columns of a sparse Cholesky factor much cheaper than one by one.
    pub fn solve_columns(&mut self, X: &mut DenseMatrix) {
        match self {
            Self::SparseCholesky(factor) => factor.solve_columns(X),
            Self::Diagonal(_)
            | Self::DenseCholesky(_)
            | Self::DenseLu(_)
            | Self::SparseLu(_)
            | Self::SymmetricLu(_)
            | Self::Products(_) => {
                (0..X.n_cols()).for_each(|j| self.solve(X.column_mut(j)));
            }
        }
    }

    /// Gᵀ A⁻¹ H: on the elimination tree for some columns of H together and where G asks only, which is much cheaper than A⁻¹ H.
    pub fn between(&mut self, G: &SparseMatrix, H: &SparseMatrix) -> DenseMatrix {
        let on_tree = match self {
            Self::SymmetricLu(factor) if factor.pivoted.is_none() => {
                Some((&factor.on_tree.tree, Kind::Lu, (&factor.lower[..], &factor.upper[..]), factor.threads))
            }
            Self::SparseCholesky(factor) => {
                let numbers = (&factor.values[..], &[][..]);
                factor.on_tree.as_ref().map(|on| (&on.tree, Kind::Cholesky, numbers, factor.threads))
            }
            Self::Diagonal(_)
            | Self::DenseCholesky(_)
            | Self::DenseLu(_)
            | Self::SparseLu(_)
            | Self::SymmetricLu(_)
            | Self::Products(_) => None,
        };
        match on_tree {
            Some((tree, kind, numbers, threads)) => between(tree, kind, numbers, [G, H], threads),
            None => between_by_columns(G, H, |x| self.solve(x)),
        }
    }
}

/// Gᵀ A⁻¹ H, one column of H after the other.
pub fn between_by_columns(G: &SparseMatrix, H: &SparseMatrix, mut solve: impl FnMut(&mut [f64])) -> DenseMatrix {
    let mut W = DenseMatrix::zeros(G.n_cols(), H.n_cols());
    let mut x = vec![0.0; H.n_rows()];
    for j in 0..H.n_cols() {
        x.fill(0.0);
        H.add_column(j, 1.0, &mut x);
        solve(&mut x);
        W.column_mut(j).iter_mut().enumerate().for_each(|(i, w)| *w = G.column_dot(i, &x));
    }
    W
}

impl DenseLu {
    fn new(A: &DenseMatrix) -> Result<Self, NotFactorised> {
        let n = A.n_rows();
        let (LU, pivots) = if math::is_portable() { scalar_factor::lu(A) } else { vector_lu(A) };
        let tiny = f64::EPSILON * 1e-3 * crate::vector::max_abs(A.values());
        for i in 0..n {
            let pivot = LU.get(i, i);
            if pivot.abs() <= tiny || pivot.is_nan() {
                return Err(NotFactorised { row: Some(i) });
            }
        }
        Ok(Self { LU, pivots, scratch: vec![0.0; n] })
    }

    fn solve(&mut self, x: &mut [f64]) {
        let n = x.len();
        let y = &mut self.scratch;
        for i in 0..n {
            y[i] = x[self.pivots[i]];
        }
        for j in 0..n {
            let column = self.LU.column(j);
            let yj = y[j];
            for i in j + 1..n {
                y[i] -= column[i] * yj;
            }
        }
        for j in (0..n).rev() {
            let column = self.LU.column(j);
            let yj = y[j] / column[j];
            y[j] = yj;
            for i in 0..j {
                y[i] -= column[i] * yj;
            }
        }
        x.copy_from_slice(y);
    }
}

/// L and U in one matrix and the rows in the order they were taken, by faer.
fn vector_lu(A: &DenseMatrix) -> (DenseMatrix, Vec<usize>) {
    let n = A.n_rows();
    let lu = MatRef::from_column_major_slice(A.values(), n, n).partial_piv_lu();
    let mut LU = DenseMatrix::zeros(n, n);
    for j in 0..n {
        for i in 0..n {
            LU.set(i, j, if i > j { lu.L()[(i, j)] } else { lu.U()[(i, j)] });
        }
    }
    (LU, lu.P().arrays().0.to_vec())
}

/// From which density on sparse factors are computed in dense blocks, whose kernels depend on the processor.
fn blocks_from() -> SupernodalThreshold {
    if math::is_portable() { SupernodalThreshold::FORCE_SIMPLICIAL } else { SupernodalThreshold::default() }
}

fn view(A: &SparseMatrix) -> SparseColMatRef<'_, usize, f64> {
    let pattern = SymbolicSparseColMatRef::new_checked(A.n_rows(), A.n_cols(), A.col_ptr(), None, A.row_idx());
    SparseColMatRef::new(pattern, A.values())
}

/// The symbolic factor of a symmetric pattern in a given order.
fn symbolic(
    A: &SparseMatrix,
    order: Option<&[usize]>,
    blocks: SupernodalThreshold,
) -> Result<Arc<cholesky::SymbolicCholesky<usize>>, NotFactorised> {
    let backward = order.map(|order| {
        let mut backward = vec![0; order.len()];
        order.iter().enumerate().for_each(|(k, &i)| backward[i] = k);
        backward
    });
    let ordering = match (order, &backward) {
        (Some(forward), Some(backward)) => {
            SymmetricOrdering::Custom(PermRef::new_checked(forward, backward, A.n_rows()))
        }
        _ => SymmetricOrdering::Amd,
    };
    cholesky::factorize_symbolic_cholesky(
        view(A).symbolic(),
        Side::Lower,
        ordering,
        cholesky::CholeskySymbolicParams { supernodal_flop_ratio_threshold: blocks, ..Default::default() },
    )
    .map(Arc::new)
    .map_err(|_| NotFactorised { row: None })
}

impl OnTree {
    fn new(tree: Arc<Tree>) -> Self {
        Self { memory: SolveMemory::new(&tree), tree }
    }

    /// The unknown of a column.
    fn unknown(&self, column: usize) -> usize {
        self.tree.order().map_or(column, |(unknowns, _)| unknowns[column])
    }
}

impl SparseCholesky {
    fn new(A: &SparseMatrix, order: Option<&[usize]>, threads: usize) -> Result<Self, NotFactorised> {
        let large = A.n_rows() >= DISSECTED_FROM;
        // minimum degree loses to nested dissection by a factor that grows with the size
        let found = (order.is_none() && large).then(|| dissected_by_pattern(A));
        let order = order.or(found.as_deref());
        let next_to_ancestors = order.filter(|_| large).map(|order| postordered(A, order));
        let symbolic = symbolic(A, next_to_ancestors.as_deref().or(order), blocks_from())?;
        let tree = if large { Tree::new(Arc::clone(&symbolic)).map(Arc::new) } else { None };
        Self::with(symbolic, tree, A, threads)
    }

    fn with(
        symbolic: Arc<cholesky::SymbolicCholesky<usize>>,
        tree: Option<Arc<Tree>>,
        A: &SparseMatrix,
        threads: usize,
    ) -> Result<Self, NotFactorised> {
        let solve_memory = match &tree {
            Some(_) => MemBuffer::new(faer::dyn_stack::StackReq::EMPTY),
            None => MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq)),
        };
        let values = vec![0.0; symbolic.len_val()];
        let on_tree = tree.map(OnTree::new);
        let mut factor = Self { symbolic, values, factor_memory: None, solve_memory, on_tree, threads };
        factor.refactor(A)?;
        Ok(factor)
    }

    /// X ← A⁻¹ X, with work memory of its own: several threads may ask at once.
    pub fn solve_columns(&self, X: &mut DenseMatrix) {
        let (n, m) = (X.n_rows(), X.n_cols());
        let mut memory = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(m, Par::Seq));
        cholesky::LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(X.values_mut(), n, m),
            Par::Seq,
            MemStack::new(&mut memory),
        );
    }

    fn refactor(&mut self, A: &SparseMatrix) -> Result<(), NotFactorised> {
        if let Some(on_tree) = &self.on_tree {
            self.values.fill(0.0);
            let numbers = (&mut self.values[..], &mut [][..]);
            return factorise(&on_tree.tree, A, Kind::Cholesky, numbers, self.threads)
                .map_err(|column| NotFactorised { row: Some(on_tree.unknown(column)) });
        }
        let scratch = || self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = self.factor_memory.take().unwrap_or_else(|| MemBuffer::new(scratch()));
        let result = self.symbolic.factorize_numeric_llt(
            &mut self.values,
            view(A),
            Side::Lower,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        self.factor_memory = (A.n_rows() < DISSECTED_FROM).then_some(memory);
        if let Err(LltError::NonPositivePivot { index }) = result {
            // the pivot's row in the caller's order; faer counts pivots from 1 where it takes one by one, and from 0 in blocks
            let pivot = match self.symbolic.raw() {
                SymbolicCholeskyRaw::Simplicial(_) => index.saturating_sub(1),
                SymbolicCholeskyRaw::Supernodal(_) => index,
            };
            let row = self.symbolic.perm().map_or(pivot, |perm| perm.arrays().0[pivot]);
            return Err(NotFactorised { row: Some(row) });
        }
        // faer can return NaN without an error
        if self.values.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(NotFactorised { row: None }) }
    }

    fn solve(&mut self, x: &mut [f64]) {
        let n = x.len();
        if let Some(OnTree { tree, memory }) = &mut self.on_tree {
            return solve(tree, Kind::Cholesky, (&self.values[..], &[][..]), x, memory, self.threads);
        }
        cholesky::LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, n, 1),
            Par::Seq,
            MemStack::new(&mut self.solve_memory),
        );
    }
}

impl SymmetricLu {
    /// None where the pattern has no supernodes.
    fn new(A: &SparseMatrix, order: &[usize], threads: usize) -> Result<Option<Self>, NotFactorised> {
        let order = postordered(A, order);
        let symbolic = symbolic(A, Some(&order), SupernodalThreshold::FORCE_SUPERNODAL)?;
        let Some(tree) = Tree::new(Arc::clone(&symbolic)) else { return Ok(None) };
        let (lower, upper) = (vec![0.0; symbolic.len_val()], vec![0.0; tree.len_upper()]);
        let mut factor = Self { on_tree: OnTree::new(Arc::new(tree)), lower, upper, pivoted: None, threads };
        factor.refactor(A)?;
        Ok(Some(factor))
    }

    fn refactor(&mut self, A: &SparseMatrix) -> Result<(), NotFactorised> {
        self.lower.fill(0.0);
        self.upper.fill(0.0);
        self.pivoted = None;
        let numbers = (&mut self.lower[..], &mut self.upper[..]);
        let made = factorise(&self.on_tree.tree, A, Kind::Lu, numbers, self.threads).is_ok();
        if (!made || !self.is_exact(A)) && !requested() {
            self.pivoted = Some(SparseLu::new(A)?);
        }
        Ok(())
    }

    /// Whether A x = A 1 is solved to round-off.
    fn is_exact(&mut self, A: &SparseMatrix) -> bool {
        let ones = vec![1.0; A.n_rows()];
        let (mut b, mut size) = (vec![0.0; A.n_rows()], vec![0.0; A.n_rows()]);
        let add = |x: &[f64], sum: &mut [f64], of: fn(f64) -> f64| {
            A.triplets().for_each(|(i, j, a)| sum[i] += of(a * x[j]));
        };
        add(&ones, &mut b, |x| x);
        let mut x = b.clone();
        self.solve(&mut x);
        add(&x, &mut b, |x| -x);
        add(&x, &mut size, f64::abs);
        b.iter().zip(&size).all(|(left, size)| left.abs() <= LEFT_WITHOUT_PIVOTS * size)
    }

    fn solve(&mut self, x: &mut [f64]) {
        match &mut self.pivoted {
            Some(factor) => factor.solve(x),
            None => {
                let OnTree { tree, memory } = &mut self.on_tree;
                solve(tree, Kind::Lu, (&self.lower[..], &self.upper[..]), x, memory, self.threads);
            }
        }
    }
}

impl SparseLu {
    fn new(A: &SparseMatrix) -> Result<Self, NotFactorised> {
        let params = lu::LuSymbolicParams { supernodal_flop_ratio_threshold: blocks_from(), ..Default::default() };
        let symbolic =
            lu::factorize_symbolic_lu(view(A).symbolic(), params).map_err(|_| NotFactorised { row: None })?;
        let factor_memory = MemBuffer::new(symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default()));
        let solve_memory = MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let mut factor = Self { symbolic, numeric: lu::NumericLu::new(), factor_memory, solve_memory };
        factor.refactor(A)?;
        Ok(factor)
    }

    fn refactor(&mut self, A: &SparseMatrix) -> Result<(), NotFactorised> {
        self.symbolic
            .factorize_numeric_lu(
                &mut self.numeric,
                view(A),
                Par::Seq,
                MemStack::new(&mut self.factor_memory),
                Default::default(),
            )
            .map_err(|_| NotFactorised { row: None })?;
        // a probe solve: faer reports exact zero pivots only, and NaN not at all
        let mut probe = vec![1.0; A.n_rows()];
        self.solve(&mut probe);
        let bound = 1e18 / (f64::MIN_POSITIVE + crate::vector::max_abs(A.values()));
        if crate::vector::max_abs(&probe) <= bound { Ok(()) } else { Err(NotFactorised { row: None }) }
    }

    fn solve(&mut self, x: &mut [f64]) {
        let n = x.len();
        lu::LuRef::new_unchecked(&self.symbolic, &self.numeric).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, n, 1),
            Par::Seq,
            MemStack::new(&mut self.solve_memory),
        );
    }
}

/// x ← (L Lᵀ)⁻¹ x.
fn substitute(L: &DenseMatrix, x: &mut [f64]) {
    let n = L.n_rows();
    for j in 0..n {
        let column = L.column(j);
        let xj = x[j] / column[j];
        x[j] = xj;
        for i in j + 1..n {
            x[i] -= column[i] * xj;
        }
    }
    for j in (0..n).rev() {
        let column = L.column(j);
        let mut sum = x[j];
        for i in j + 1..n {
            sum -= column[i] * x[i];
        }
        x[j] = sum / column[j];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic numbers in (−1, 1) for test matrices.
    fn noise(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn residual(A: &Matrix, factor: &mut Factor, seed: &mut u64) -> f64 {
        let b: Vec<f64> = (0..A.n_rows()).map(|_| noise(seed)).collect();
        let mut x = b.clone();
        factor.solve(&mut x);
        let mut r = b;
        A.mul_add(-1.0, &x, &mut r);
        crate::vector::max_abs(&r)
    }

    /// A banded matrix with a dominant diagonal, symmetric or not.
    fn banded(n: usize, symmetric: bool, seed: &mut u64) -> SparseMatrix {
        let mut entries = Vec::new();
        for i in 0..n {
            entries.push((i, i, 5.0 + noise(seed)));
            for j in i + 1..n.min(i + 3) {
                let x = noise(seed);
                entries.push((i, j, x));
                entries.push((j, i, if symmetric { x } else { noise(seed) }));
            }
        }
        SparseMatrix::from_triplets(n, n, &entries).expect("in range")
    }

    /// Every storage and every method solves A x = b to round-off, again after a refactorisation.
    #[test]
    fn every_factor_solves() {
        let mut seed = 7;
        for n in [1, 2, 5, 40, 201] {
            for symmetric in [true, false] {
                let first = Matrix::Sparse(banded(n, symmetric, &mut seed));
                let second = Matrix::combination(n, &[(2.5, &first)]);
                let dense = Matrix::Dense(first.to_dense());
                for (A, B) in [(&first, &second), (&dense, &dense)] {
                    let mut factor = Factor::new(A).expect("dominant diagonal");
                    assert!(residual(A, &mut factor, &mut seed) <= 1e-14);
                    let mut twin = factor.similar(B).expect("dominant diagonal");
                    assert!(residual(B, &mut twin, &mut seed) <= 1e-14);
                    factor.refactor(B).expect("dominant diagonal");
                    assert!(residual(B, &mut factor, &mut seed) <= 1e-14);
                }
            }
        }
    }

    /// The row at which a small sparse matrix ceases to be definite is named, whether it is factorised number by number or in blocks.
    #[test]
    fn the_row_of_a_bad_pivot() {
        let n = 200;
        for reach in [1, n] {
            for bad in [0, 1, 17, n - 2, n - 1] {
                let mut entries = Vec::new();
                for i in 0..n {
                    entries.push((i, i, if i == bad { -1.0 } else { n as f64 }));
                    let near = (i + 1..n.min(i + 1 + reach)).flat_map(|j| [(i, j, 0.5), (j, i, 0.5)]);
                    entries.extend(near);
                }
                let A = SparseMatrix::from_triplets(n, n, &entries).expect("in range");
                let symbolic = symbolic(&A, None, blocks_from()).expect("a pattern");
                let in_blocks = matches!(symbolic.raw(), SymbolicCholeskyRaw::Supernodal(_));
                assert_eq!(in_blocks, reach == n, "one of each");
                let refused = Factor::cholesky(&Matrix::Sparse(A)).expect_err("indefinite");
                assert_eq!(refused.row, Some(bad), "in blocks: {in_blocks}");
            }
        }
    }

    /// An indefinite or singular matrix is refused, with the row where it shows.
    #[test]
    fn indefinite_and_singular_are_refused() {
        let indefinite = DenseMatrix::from_rows(&[vec![1.0, 2.0], vec![2.0, 1.0]]).expect("2 × 2");
        let sparse = SparseMatrix::from_triplets(2, 2, &[(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 1.0)]);
        for A in [Matrix::Dense(indefinite), Matrix::Sparse(sparse.expect("in range"))] {
            assert!(Factor::cholesky(&A).expect_err("indefinite").row.is_some_and(|row| row < 2));
        }
        let singular = Matrix::Dense(DenseMatrix::from_rows(&[vec![1.0, 2.0], vec![2.0, 4.0]]).expect("2 × 2"));
        assert!(Factor::lu(&singular).is_err());
        let zero = Matrix::Sparse(SparseMatrix::from_diagonal(&[1.0, 0.0]));
        assert_eq!(Factor::new(&zero).expect_err("singular"), NotFactorised { row: Some(1) });
    }
}
