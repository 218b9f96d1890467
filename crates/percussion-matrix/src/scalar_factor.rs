//! Dense factorisations in one fixed order of operations, for results that are the same bits on every machine.
//!
//!   A = L Lᵀ,    P A = L U,    column by column:  A₂₂ ← A₂₂ − l u

use crate::DenseMatrix;

/// L of A = L Lᵀ, or the row at which A ceases to be positive definite. Only the lower triangle is read.
pub fn cholesky(A: &DenseMatrix) -> Result<DenseMatrix, usize> {
    let n = A.n_rows();
    let mut L = DenseMatrix::zeros(n, n);
    for j in 0..n {
        L.column_mut(j)[j..].copy_from_slice(&A.column(j)[j..]);
    }
    let mut l = vec![0.0; n];
    for j in 0..n {
        let pivot = L.get(j, j);
        if pivot.is_nan() || pivot <= 0.0 {
            return Err(j);
        }
        let root = pivot.sqrt();
        let column = L.column_mut(j);
        column[j] = root;
        column[j + 1..].iter_mut().for_each(|x| *x /= root);
        l[j + 1..].copy_from_slice(&column[j + 1..]);
        for k in j + 1..n {
            for (x, y) in L.column_mut(k)[k..].iter_mut().zip(&l[k..]) {
                *x -= y * l[k];
            }
        }
    }
    Ok(L)
}

/// L below the diagonal (unit) and U on and above it, and the rows of A in the order they were taken. A vanishing pivot stays zero.
pub fn lu(A: &DenseMatrix) -> (DenseMatrix, Vec<usize>) {
    let n = A.n_rows();
    let mut LU = A.clone();
    let mut rows: Vec<usize> = (0..n).collect();
    let mut l = vec![0.0; n];
    for j in 0..n {
        let column = LU.column(j);
        let best = (j + 1..n).fold(j, |best, i| if column[i].abs() > column[best].abs() { i } else { best });
        if best != j {
            rows.swap(best, j);
            (0..n).for_each(|k| LU.column_mut(k).swap(best, j));
        }
        let column = LU.column_mut(j);
        let pivot = column[j];
        if pivot == 0.0 {
            continue;
        }
        column[j + 1..].iter_mut().for_each(|x| *x /= pivot);
        l[j + 1..].copy_from_slice(&column[j + 1..]);
        for k in j + 1..n {
            let column = LU.column_mut(k);
            let u = column[j];
            for (x, y) in column[j + 1..].iter_mut().zip(&l[j + 1..]) {
                *x -= y * u;
            }
        }
    }
    (LU, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// L Lᵀ and Pᵀ L U give the matrix back to round-off; what is indefinite is refused at its row.
    #[test]
    fn factors_multiply_to_the_matrix() {
        let mut seed = 3_u64;
        let mut noise = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for n in [1, 2, 7, 30] {
            let values = (0..n * n).map(|_| noise()).collect();
            let B = DenseMatrix::from_columns(n, n, values).expect("square");
            let product = |f: &dyn Fn(usize, usize, usize) -> f64, i, j| (0..n).map(|k| f(i, j, k)).sum::<f64>();
            let (LU, rows) = lu(&B);
            let lower = |i: usize, k: usize| {
                if i == k {
                    1.0
                } else if i > k {
                    LU.get(i, k)
                } else {
                    0.0
                }
            };
            let upper = |k: usize, j: usize| if k <= j { LU.get(k, j) } else { 0.0 };
            let mut A = DenseMatrix::identity(n);
            for i in 0..n {
                for j in 0..n {
                    let made = product(&|i, j, k| lower(i, k) * upper(k, j), i, j);
                    assert!((made - B.get(rows[i], j)).abs() < 1e-13);
                    A.set(i, j, A.get(i, j) + product(&|i, j, k| B.get(i, k) * B.get(j, k), i, j));
                }
            }
            let L = cholesky(&A).expect("positive definite");
            for i in 0..n {
                for j in 0..n {
                    assert!(
                        (product(&|i, j, k| L.get(i, k) * L.get(j, k), i, j) - A.get(i, j)).abs() < 1e-13 * n as f64
                    );
                }
            }
            A.set(n - 1, n - 1, -1.0);
            assert_eq!(cholesky(&A).expect_err("indefinite"), n - 1);
        }
    }
}
