//! Products and sums of the small matrices that elements are made of.
//!
//!   (A B)_ij = Σ_k A_ik B_kj, every size known to the compiler

use crate::bodies::math::{Mat3, Vec3};

/// A 6 × 6 matrix, by rows.
pub type Mat6 = [[f64; 6]; 6];
/// Six numbers: three of translation, then three of rotation.
pub type Vec6 = [f64; 6];

/// A + c B.
#[inline]
pub fn add_scaled<const M: usize, const N: usize>(A: &[[f64; N]; M], c: f64, B: &[[f64; N]; M]) -> [[f64; N]; M] {
    std::array::from_fn(|i| std::array::from_fn(|j| A[i][j] + c * B[i][j]))
}

/// A B.
#[inline]
pub fn product<const M: usize, const K: usize, const N: usize>(A: &[[f64; K]; M], B: &[[f64; N]; K]) -> [[f64; N]; M] {
    std::array::from_fn(|i| {
        let mut row = [0.0; N];
        for k in 0..K {
            for j in 0..N {
                row[j] += A[i][k] * B[k][j];
            }
        }
        row
    })
}

/// Aᵀ B.
#[inline]
pub fn product_t<const M: usize, const K: usize, const N: usize>(
    A: &[[f64; M]; K],
    B: &[[f64; N]; K],
) -> [[f64; N]; M] {
    std::array::from_fn(|i| {
        let mut row = [0.0; N];
        for k in 0..K {
            for j in 0..N {
                row[j] += A[k][i] * B[k][j];
            }
        }
        row
    })
}

/// A Bᵀ.
#[inline]
pub fn product_by_t(A: &Mat3, B: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| A[i][0] * B[j][0] + A[i][1] * B[j][1] + A[i][2] * B[j][2]))
}

/// A x.
#[inline]
pub fn apply<const M: usize, const N: usize>(A: &[[f64; N]; M], x: &[f64; N]) -> [f64; M] {
    std::array::from_fn(|i| {
        let mut sum = 0.0;
        for j in 0..N {
            sum += A[i][j] * x[j];
        }
        sum
    })
}

/// a·b of vectors of any length.
#[inline]
pub fn inner<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for k in 0..N {
        sum += a[k] * b[k];
    }
    sum
}

/// a bᵀ.
#[inline]
pub fn outer(a: &Vec3, b: &Vec3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i] * b[j]))
}

/// The axial vector of the skew part: ax(A) × x = ½(A − Aᵀ) x.
#[inline]
pub fn axial(A: &Mat3) -> Vec3 {
    [0.5 * (A[2][1] - A[1][2]), 0.5 * (A[0][2] - A[2][0]), 0.5 * (A[1][0] - A[0][1])]
}

/// The matrix with these two 3 × 3 blocks on its diagonal, on both sides of A: diag(Q, Q) A diag(Q, Q)ᵀ.
pub fn turned_blocks(A: &Mat6, Q: &Mat3) -> Mat6 {
    let mut both = [[0.0; 6]; 6];
    for i in 0..3 {
        both[i][..3].copy_from_slice(&Q[i]);
        both[3 + i][3..].copy_from_slice(&Q[i]);
    }
    let transposed: Mat6 = std::array::from_fn(|i| std::array::from_fn(|j| both[j][i]));
    product(&product(&both, A), &transposed)
}

/// A⁻¹ of a symmetric positive definite matrix by Cholesky's factor; `None` where it is not one.
pub fn inverse_spd(A: &Mat6) -> Option<Mat6> {
    let mut G = [[0.0; 6]; 6];
    for j in 0..6 {
        for i in j..6 {
            let mut sum = A[i][j];
            for k in 0..j {
                sum -= G[i][k] * G[j][k];
            }
            if i == j {
                // a pivot of round-off against its diagonal counts as none
                if !(sum > 1e-14 * A[i][i] && sum.is_finite()) {
                    return None;
                }
                G[j][j] = sum.sqrt();
            } else {
                G[i][j] = sum / G[j][j];
            }
        }
    }
    let mut inverse = [[0.0; 6]; 6];
    for c in 0..6 {
        let mut x = [0.0; 6];
        x[c] = 1.0;
        for i in 0..6 {
            for k in 0..i {
                x[i] -= G[i][k] * x[k];
            }
            x[i] /= G[i][i];
        }
        for i in (0..6).rev() {
            for k in i + 1..6 {
                x[i] -= G[k][i] * x[k];
            }
            x[i] /= G[i][i];
        }
        for i in 0..6 {
            inverse[i][c] = x[i];
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A A⁻¹ = 1 for a full positive matrix; a matrix with a negative eigenvalue has no factor.
    #[test]
    fn inverse_of_a_positive_matrix() {
        let B: Mat6 = std::array::from_fn(|i| std::array::from_fn(|j| ((3 * i + 5 * j) as f64).sin()));
        let mut A = product_t(&B, &B);
        for (k, row) in A.iter_mut().enumerate() {
            row[k] += 0.5;
        }
        let unit = product(&A, &inverse_spd(&A).unwrap());
        for i in 0..6 {
            for j in 0..6 {
                assert!((unit[i][j] - if i == j { 1.0 } else { 0.0 }).abs() < 1e-13);
            }
        }
        A[2][2] = -1.0;
        assert!(inverse_spd(&A).is_none());
    }
}
