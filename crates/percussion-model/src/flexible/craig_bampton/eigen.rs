//! Vibrations of small dense systems, beside rigid motions that are known.
//!
//!   K y = ω² M y,  K Y = 0:    A = K + τ M Y (YᵀMY)⁻¹ YᵀM = LLᵀ,    L⁻¹ M L⁻ᵀ w = μ w,    ω² = 1/μ,  y = √ω² L⁻ᵀ w
//!
//! The lowest frequencies are the largest μ, and keep their digits however stiff the highest are.

use percussion_matrix::{DenseMatrix, Factor, Matrix};

/// AᵀB.
pub fn times_transposed(A: &DenseMatrix, B: &DenseMatrix) -> DenseMatrix {
    let mut C = DenseMatrix::zeros(A.n_cols(), B.n_cols());
    for j in 0..B.n_cols() {
        for i in 0..A.n_cols() {
            C.set(i, j, A.column(i).iter().zip(B.column(j)).map(|(a, b)| a * b).sum());
        }
    }
    C
}

/// A B.
pub fn times(A: &DenseMatrix, B: &DenseMatrix) -> DenseMatrix {
    let mut C = DenseMatrix::zeros(A.n_rows(), B.n_cols());
    for j in 0..B.n_cols() {
        for (k, &b) in B.column(j).iter().enumerate().filter(|(_, b)| **b != 0.0) {
            C.column_mut(j).iter_mut().zip(A.column(k)).for_each(|(c, a)| *c += a * b);
        }
    }
    C
}

/// L of A = LLᵀ.
pub struct Triangle(DenseMatrix);

impl Triangle {
    /// None where A is not positive definite.
    pub fn new(A: DenseMatrix) -> Option<Self> {
        match Factor::cholesky(&Matrix::Dense(A)).ok()? {
            Factor::DenseCholesky(L) => Some(Self(L)),
            Factor::Diagonal(_)
            | Factor::DenseLu(_)
            | Factor::SparseCholesky(_)
            | Factor::SparseLu(_)
            | Factor::SymmetricLu(_)
            | Factor::Products(_) => None,
        }
    }

    /// x ← L⁻¹x.
    pub fn forward(&self, x: &mut [f64]) {
        for j in 0..x.len() {
            x[j] /= self.0.get(j, j);
            let (head, tail) = x.split_at_mut(j + 1);
            tail.iter_mut().zip(&self.0.column(j)[j + 1..]).for_each(|(x, l)| *x -= l * head[j]);
        }
    }

    /// x ← L⁻ᵀx.
    pub fn back(&self, x: &mut [f64]) {
        for j in (0..x.len()).rev() {
            let sum: f64 = self.0.column(j)[j + 1..].iter().zip(&x[j + 1..]).map(|(l, x)| l * x).sum();
            x[j] = (x[j] - sum) / self.0.get(j, j);
        }
    }

    /// Eigenvalues μ of L⁻¹BL⁻ᵀ, rising, and the vectors L⁻ᵀw.
    pub fn modes(&self, mut B: DenseMatrix) -> Option<(Vec<f64>, DenseMatrix)> {
        let n = B.n_rows();
        (0..n).for_each(|j| self.forward(B.column_mut(j)));
        let mut C = DenseMatrix::zeros(n, n);
        for i in 0..n {
            (0..n).for_each(|j| C.set(j, i, B.get(i, j)));
        }
        (0..n).for_each(|j| self.forward(C.column_mut(j)));
        let (values, mut vectors) = C.symmetric_eigen()?;
        (0..n).for_each(|j| self.back(vectors.column_mut(j)));
        Some((values, vectors))
    }
}

/// ω² and modes of unit mass by rising frequency, the motions Y left out.
pub fn lifted_modes(K: &DenseMatrix, M: &DenseMatrix, Y: &DenseMatrix) -> Option<(Vec<f64>, DenseMatrix)> {
    let n = K.n_rows();
    let Z = times(M, Y);
    let rigid = Triangle::new(times_transposed(Y, &Z))?;
    // rows of S⁻½ YᵀM
    let mut content = DenseMatrix::zeros(Y.n_cols(), n);
    for i in 0..n {
        (0..Y.n_cols()).for_each(|k| content.set(k, i, Z.get(i, k)));
        rigid.forward(content.column_mut(i));
    }
    let lift = (0..n).map(|i| K.get(i, i) / M.get(i, i)).filter(|x| x.is_finite()).fold(0.0_f64, f64::max);
    let mut A = times_transposed(&content, &content);
    for (a, k) in A.values_mut().iter_mut().zip(K.values()) {
        *a = lift * *a + k;
    }
    let (mu, vectors) = Triangle::new(A)?.modes(M.clone())?;
    let (mut squares, mut columns) = (Vec::new(), Vec::new());
    for j in (0..n).rev() {
        let mut y = vectors.column(j).to_vec();
        let mass = mu[j];
        let mut of: Vec<f64> = (0..Y.n_cols()).map(|k| (0..n).map(|i| content.get(k, i) * y[i]).sum()).collect();
        if of.iter().map(|x| x * x).sum::<f64>() > 0.5 * mass {
            continue;
        }
        if mass.is_nan() || mass <= 0.0 {
            return None;
        }
        // what round-off left of rigid motions
        rigid.back(&mut of);
        for (k, c) in of.iter().enumerate() {
            y.iter_mut().zip(Y.column(k)).for_each(|(y, r)| *y -= c * r);
        }
        squares.push(1.0 / mass);
        columns.extend(y.iter().map(|x| x / mass.sqrt()));
    }
    let count = squares.len();
    (count + Y.n_cols() == n).then_some(())?;
    Some((squares, DenseMatrix::from_columns(n, count, columns)?))
}
