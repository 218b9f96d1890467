//! Whether constant matrices are definite, judged in units in which their diagonals are one.
//!
//!   D⁻½ A D⁻½ + shift I = L Lᵀ,    D = diag(A)
//!
//! A factor of a large matrix costs as much as the run: there the lowest value of Lanczos' method decides, which is a Rayleigh quotient,
//! so that "not definite" is proved by a motion. A negative direction that is very weak can be missed.

use percussion_matrix::{Factor, Matrix, NotFactorised, SparseMatrix, vector};

/// Coordinates from which sparse matrices are judged by Lanczos' method.
const LARGE: usize = 20_000;
/// Its steps.
const STEPS: usize = 80;
/// Round-off of the lowest value, in units of a unit diagonal.
const ROUND_OFF: f64 = 1e-10;

/// Whether a symmetric matrix is positive definite; the row at which that fails where it is known.
pub fn check_positive(M: &Matrix) -> Result<(), NotFactorised> {
    match M {
        Matrix::Sparse(S) if S.n_rows() >= LARGE && !M.is_diagonal() => {
            if lowest_value(S) > 0.0 {
                Ok(())
            } else {
                Err(NotFactorised { row: None })
            }
        }
        Matrix::Sparse(_) | Matrix::Dense(_) => Factor::cholesky(&scaled(M, -1e-12)).map(drop),
    }
}

/// The lowest Ritz value of D⁻½ A D⁻½.
fn lowest_value(A: &SparseMatrix) -> f64 {
    let n = A.n_rows();
    let unit = |x: f64| if x > 0.0 { 1.0 / x.sqrt() } else { 1.0 };
    let d: Vec<f64> = (0..n).map(|i| unit(A.get(i, i))).collect();
    // a start without symmetry, the same in every run
    let mut seed = 1_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut x: Vec<f64> = (0..n).map(|_| next()).collect();
    let size = vector::norm(&x);
    x.iter_mut().for_each(|x| *x /= size);
    let (mut before, mut y) = (vec![0.0; n], vec![0.0; n]);
    let (mut diagonal, mut beside) = (Vec::new(), vec![0.0]);
    for _ in 0..STEPS.min(n) {
        y.fill(0.0);
        for j in 0..n {
            A.add_column(j, d[j] * x[j], &mut y);
        }
        y.iter_mut().zip(&d).for_each(|(y, d)| *y *= d);
        let (a, b) = (vector::dot(&x, &y), beside[beside.len() - 1]);
        diagonal.push(a);
        for i in 0..n {
            y[i] -= a * x[i] + b * before[i];
        }
        let size = vector::norm(&y);
        if size <= 1e-13 || !size.is_finite() {
            break;
        }
        beside.push(size);
        std::mem::swap(&mut before, &mut x);
        x.iter_mut().zip(&y).for_each(|(x, y)| *x = y / size);
    }
    lowest_of_tridiagonal(&diagonal, &beside[1..])
}

/// The lowest eigenvalue of a symmetric tridiagonal matrix, by counting sign changes of its leading minors.
fn lowest_of_tridiagonal(a: &[f64], b: &[f64]) -> f64 {
    let radius = |i: usize| b.get(i).map_or(0.0, |x| x.abs()) + if i > 0 { b[i - 1].abs() } else { 0.0 };
    let bound = |sign: f64| (0..a.len()).map(|i| sign * a[i] + radius(i)).fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-bound(-1.0), bound(1.0));
    let any_below = |x: f64| {
        let mut pivot = 1.0;
        (0..a.len()).any(|i| {
            let square = if i > 0 { b[i - 1] * b[i - 1] } else { 0.0 };
            pivot = a[i] - x - square / pivot;
            if pivot == 0.0 {
                pivot = f64::MIN_POSITIVE;
            }
            pivot < 0.0
        })
    };
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if any_below(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// D⁻½ A D⁻½ + shift I with D the diagonal: unit-free, for tests of definiteness. Rows with a zero diagonal stay as they are.
pub fn scaled(A: &Matrix, shift: f64) -> Matrix {
    let n = A.n_rows();
    let d: Vec<f64> = A.diagonal().iter().map(|x| if *x > 0.0 { 1.0 / x.sqrt() } else { 1.0 }).collect();
    match A {
        Matrix::Sparse(S) => {
            let mut entries = Vec::with_capacity(S.n_entries() + n);
            entries.extend(S.triplets().filter(|&(_, _, x)| x != 0.0).map(|(i, j, x)| (i, j, x * d[i] * d[j])));
            entries.extend((0..n).map(|i| (i, i, shift)));
            Matrix::Sparse(SparseMatrix::from_triplets(n, n, &entries).expect("indices of a valid matrix"))
        }
        Matrix::Dense(D) => {
            let mut scaled = D.clone();
            for j in 0..n {
                scaled.column_mut(j).iter_mut().enumerate().for_each(|(i, x)| *x *= d[i] * d[j]);
                scaled.set(j, j, scaled.get(j, j) + shift);
            }
            Matrix::Dense(scaled)
        }
    }
}

/// Whether a symmetric matrix has no negative direction, to round-off.
pub fn is_semidefinite(K: &Matrix) -> bool {
    let diagonal = K.diagonal().iter().all(|&x| x >= 0.0);
    diagonal
        && match K {
            Matrix::Sparse(S) if S.n_rows() >= LARGE && !K.is_diagonal() => lowest_value(S) > -ROUND_OFF,
            Matrix::Sparse(_) | Matrix::Dense(_) => Factor::cholesky(&scaled(K, 1e-10)).is_ok(),
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_matrix::math;

    /// Springs in a row with one spring of another stiffness, and mass 1 everywhere.
    fn chain(n: usize, odd: f64) -> SparseMatrix {
        let mut entries = vec![(0, 0, 1.0)];
        for i in 1..n {
            let k = if i == n / 3 { odd } else { 1.0 };
            entries.extend([(i, i, k), (i - 1, i - 1, k), (i, i - 1, -k), (i - 1, i, -k)]);
        }
        SparseMatrix::from_triplets(n, n, &entries).expect("in range")
    }

    /// Above and below the size that changes the method: the same verdicts; and one spring that pushes is found among 30 000.
    #[test]
    fn one_wrong_spring_is_found() {
        for n in [300, 30_000] {
            assert!(is_semidefinite(&Matrix::Sparse(chain(n, 1.0))), "{n}");
            assert!(!is_semidefinite(&Matrix::Sparse(chain(n, -0.1))), "{n}");
            assert!(check_positive(&Matrix::Sparse(chain(n, -0.1))).is_err(), "{n}");
        }
        let M: Vec<_> =
            (0..30_000).flat_map(|i| [(i, i, 4.0), (i, (i + 1) % 30_000, 1.0), ((i + 1) % 30_000, i, 1.0)]).collect();
        assert!(
            check_positive(&Matrix::Sparse(SparseMatrix::from_triplets(30_000, 30_000, &M).expect("in range"))).is_ok()
        );
    }

    /// The lowest value of a chain of n unit springs between walls is 2 − 2cos(π/(n+1)).
    #[test]
    fn tridiagonal() {
        let n = 40;
        let lowest = lowest_of_tridiagonal(&vec![2.0; n], &vec![-1.0; n - 1]);
        let exact = 2.0 - 2.0 * math::cos(std::f64::consts::PI / (n as f64 + 1.0));
        assert!((lowest - exact).abs() < 1e-14, "{lowest} {exact}");
    }
}
