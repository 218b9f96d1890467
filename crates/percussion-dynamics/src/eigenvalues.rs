//! Eigenvalues of a small matrix that need not be symmetric.

use percussion_matrix::{DenseMatrix, math};

/// Real and imaginary parts, the largest absolute value first; of a conjugate pair, the positive imaginary part first. Empty where
/// they cannot be computed.
pub fn eigenvalues(A: &DenseMatrix) -> Vec<(f64, f64)> {
    let n = A.n_rows();
    let matrix = faer::Mat::from_fn(n, n, |i, j| A.get(i, j));
    let Ok(values) = matrix.eigenvalues() else { return Vec::new() };
    let mut list: Vec<(f64, f64)> = values.iter().map(|z| (z.re, z.im)).collect();
    let size = |&(re, im): &(f64, f64)| math::hypot(re, im);
    list.sort_by(|a, b| size(b).total_cmp(&size(a)).then(b.1.total_cmp(&a.1)));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A companion matrix has the roots of its polynomial: (x − 2)(x² + 1) = x³ − 2x² + x − 2.
    #[test]
    fn companion_matrix() {
        let A =
            DenseMatrix::from_rows(&[vec![2.0, -1.0, 2.0], vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]]).expect("3 × 3");
        let found = eigenvalues(&A);
        for (found, expected) in found.iter().zip([(2.0, 0.0), (0.0, 1.0), (0.0, -1.0)]) {
            assert!((found.0 - expected.0).abs() + (found.1 - expected.1).abs() < 1e-14, "{found:?}");
        }
    }
}
