//! The active block of W and its factorisation, kept while neither W nor the active set changes.
//!
//!   W_AA x_A = r_A,    x_i = 0 for i ∉ A
//!
//! Dense blocks are gathered. Sparse ones keep the pattern of W: inactive rows and columns become those of a diagonal
//! matrix, so the symbolic factorisation outlives every change of the active set.

use super::lcp::Lcp;
use super::pattern::FullPattern;
use percussion_matrix::SmallLu;
use percussion_matrix::{DenseMatrix, Factor, Matrix, NotFactorised, SparseMatrix};

/// Up to this size a dense block is factorised in place.
const SMALL: usize = 32;

/// The factorised active block.
#[derive(Debug, Default)]
pub(crate) struct ActiveBlock {
    /// What the factor belongs to, `None` when it may not be kept.
    key: Option<Key>,
    active: Vec<bool>,
    rows: Vec<usize>,
    compact: Vec<f64>,
    small: SmallLu,
    large: Option<Factor>,
    sparse: Option<SparseBlock>,
}

/// Revision, size and shift of the matrix behind the factor.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Key {
    revision: u64,
    n: usize,
    sparse: bool,
    shift: f64,
}

impl ActiveBlock {
    /// Factorises W_AA unless that was the last thing done; false when it is singular.
    #[inline]
    pub fn prepare(&mut self, lcp: &Lcp, active: &[bool]) -> bool {
        let sparse = matches!(lcp.W, Matrix::Sparse(_));
        let key = Key { revision: lcp.revision, n: lcp.len(), sparse, shift: lcp.shift };
        if lcp.revision != 0 && self.key == Some(key) && self.active == active {
            return true;
        }
        let same_matrix = lcp.revision != 0 && self.key == Some(key);
        self.key = None;
        self.active.clear();
        self.active.extend_from_slice(active);
        let regular = match lcp.W {
            Matrix::Dense(W) => self.prepare_dense(lcp, W),
            Matrix::Sparse(W) => self.prepare_sparse(lcp, W, same_matrix),
        };
        // a singular block is found again at the next call rather than remembered
        if regular && lcp.revision != 0 {
            self.key = Some(key);
        }
        regular
    }

    /// x ← W_AA⁻¹ x on the active rows, 0 on the others.
    #[inline]
    pub fn solve(&mut self, x: &mut [f64]) {
        if let Some(block) = &mut self.sparse {
            for (x, &active) in x.iter_mut().zip(&self.active) {
                if !active {
                    *x = 0.0;
                }
            }
            if let Some(factor) = block.factor() {
                factor.solve(x);
            }
            return;
        }
        let k = self.rows.len();
        for (c, &i) in self.rows.iter().enumerate() {
            self.compact[c] = x[i];
        }
        match &mut self.large {
            Some(factor) => factor.solve(&mut self.compact[..k]),
            None => self.small.solve(&mut self.compact[..k]),
        }
        x.fill(0.0);
        for (c, &i) in self.rows.iter().enumerate() {
            x[i] = self.compact[c];
        }
    }

    fn prepare_dense(&mut self, lcp: &Lcp, W: &DenseMatrix) -> bool {
        self.sparse = None;
        self.large = None;
        self.rows.clear();
        self.rows.extend((0..self.active.len()).filter(|&i| self.active[i]));
        let k = self.rows.len();
        if self.compact.len() < k {
            self.compact.resize(k, 0.0);
        }
        let shift = |i: usize| if lcp.shift == 0.0 { 0.0 } else { lcp.shift / lcp.rho[i] };
        if k <= SMALL {
            let A = self.small.reset(k);
            for (c, &j) in self.rows.iter().enumerate() {
                let column = W.column(j);
                for (r, &i) in self.rows.iter().enumerate() {
                    A[r + c * k] = column[i];
                }
                A[c + c * k] += shift(j);
            }
            return self.small.factorise();
        }
        let mut A = DenseMatrix::zeros(k, k);
        let mut symmetric = true;
        for (c, &j) in self.rows.iter().enumerate() {
            for (r, &i) in self.rows.iter().enumerate() {
                A.set(r, c, W.get(i, j));
                symmetric &= r >= c || symmetric_pair(W.get(i, j), W.get(j, i), lcp.rho[i].min(lcp.rho[j]));
            }
            A.set(c, c, A.get(c, c) + shift(j));
        }
        if A.values().iter().any(|x| !x.is_finite()) {
            return false;
        }
        let A = Matrix::Dense(A);
        self.large = factorise(&A, symmetric);
        self.large.is_some()
    }

    fn prepare_sparse(&mut self, lcp: &Lcp, W: &SparseMatrix, same_matrix: bool) -> bool {
        if !same_matrix {
            if W.values().iter().any(|x| !x.is_finite()) {
                return false;
            }
            match &mut self.sparse {
                Some(block) if block.pattern.fits(W) => block.symmetric = is_symmetric(W, lcp.rho),
                place => *place = Some(SparseBlock::new(W, lcp.rho)),
            }
        }
        match &mut self.sparse {
            Some(block) => block.refactor(lcp, W, &self.active),
            None => false,
        }
    }
}

/// The active block completed to n × n on the pattern of W, and its factors. Each keeps its symbolic part whatever becomes of its numbers: of
/// contacts that repeat each other every second active set is singular, and the order took most of the time.
#[derive(Debug)]
struct SparseBlock {
    pattern: FullPattern,
    symmetric: bool,
    cholesky: Option<Factor>,
    lu: Option<Factor>,
    /// Which of them is that of the present set.
    by_lu: bool,
}

impl SparseBlock {
    fn new(W: &SparseMatrix, rho: &[f64]) -> Self {
        let (pattern, symmetric) = (FullPattern::new(W), is_symmetric(W, rho));
        Self { pattern, symmetric, cholesky: None, lu: None, by_lu: false }
    }

    fn factor(&mut self) -> Option<&mut Factor> {
        if self.by_lu { self.lu.as_mut() } else { self.cholesky.as_mut() }
    }

    fn refactor(&mut self, lcp: &Lcp, W: &SparseMatrix, active: &[bool]) -> bool {
        let A = self.pattern.fill(W, |i, j, w| match (active[i] && active[j], i == j) {
            (true, true) => w + lcp.shift / lcp.rho[i],
            (true, false) => w,
            (false, true) => 1.0 / lcp.rho[i],
            (false, false) => 0.0,
        });
        self.by_lu = !(self.symmetric && refactored(&mut self.cholesky, A, Factor::cholesky));
        !self.by_lu || refactored(&mut self.lu, A, Factor::lu)
    }
}

/// Factorises A with the symbolic part that is there; false when it is singular.
fn refactored(
    factor: &mut Option<Factor>,
    A: &Matrix,
    make: impl Fn(&Matrix) -> Result<Factor, NotFactorised>,
) -> bool {
    match factor {
        Some(factor) => factor.refactor(A).is_ok(),
        None => {
            *factor = make(A).ok();
            factor.is_some()
        }
    }
}

/// Cholesky when symmetric and positive definite, else LU, else nothing.
fn factorise(A: &Matrix, symmetric: bool) -> Option<Factor> {
    let cholesky = if symmetric { Factor::cholesky(A).ok() } else { None };
    cholesky.or_else(|| Factor::lu(A).ok())
}

/// Whether two mirrored entries differ by no more than the rounding of the diagonal beside them.
fn symmetric_pair(x: f64, y: f64, rho: f64) -> bool {
    (x - y).abs() * rho <= 1e-14
}

fn is_symmetric(W: &SparseMatrix, rho: &[f64]) -> bool {
    (0..W.n_cols()).all(|j| {
        let (rows, values) = W.column(j);
        rows.iter().zip(values).all(|(&i, &x)| i == j || symmetric_pair(x, W.get(j, i), rho[i].min(rho[j])))
    })
}
