//! Dense equations of any rank: Householder's QR with column pivots.
//!
//!   A P = Q R,    x = P (R₁₁⁻¹ Q₁ᵀ b, 0):  least residual, unknowns that follow from the others zero

/// A factorisation with its memory.
#[derive(Clone, Debug, Default)]
pub struct PivotedQr {
    n_rows: usize,
    n_cols: usize,
    /// By columns: R above, Householder vectors below and on the diagonal.
    values: Vec<f64>,
    /// Diagonal of R.
    diagonal: Vec<f64>,
    permutation: Vec<usize>,
    rank: usize,
    work: Vec<f64>,
}

impl PivotedQr {
    /// Room for a matrix by columns, zero.
    pub fn reset(&mut self, n_rows: usize, n_cols: usize) -> &mut [f64] {
        (self.n_rows, self.n_cols) = (n_rows, n_cols);
        self.values.clear();
        self.values.resize(n_rows * n_cols, 0.0);
        &mut self.values
    }

    /// The matrix by columns, before it is factorised.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Number of independent columns found.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Factorises what stands in the memory; columns count as dependent below `cutoff` of the largest.
    pub fn factorise(&mut self, cutoff: f64) {
        let (m, n) = (self.n_rows, self.n_cols);
        self.permutation.clear();
        self.permutation.extend(0..n);
        self.diagonal.clear();
        self.rank = 0;
        let mut largest = 0.0_f64;
        for k in 0..m.min(n) {
            let norm =
                |values: &[f64], j: usize| values[j * m + k..(j + 1) * m].iter().map(|x| x * x).sum::<f64>().sqrt();
            let (mut best, mut size) = (k, -1.0);
            for j in k..n {
                let s = norm(&self.values, j);
                if s > size {
                    (best, size) = (j, s);
                }
            }
            largest = largest.max(size);
            if size.is_nan() || size <= cutoff * largest {
                break;
            }
            if best != k {
                for i in 0..m {
                    self.values.swap(k * m + i, best * m + i);
                }
                self.permutation.swap(k, best);
            }
            // v = x + sign(x₁)|x| e₁
            let sign = if self.values[k * m + k] < 0.0 { -1.0 } else { 1.0 };
            self.values[k * m + k] += sign * size;
            self.diagonal.push(-sign * size);
            let (left, right) = self.values.split_at_mut((k + 1) * m);
            let v = &left[k * m + k..];
            let square: f64 = v.iter().map(|x| x * x).sum();
            for column in right.chunks_exact_mut(m) {
                reflect(v, square, &mut column[k..]);
            }
            self.rank += 1;
        }
    }

    /// x for a right-hand side b, which is used up.
    pub fn solve(&mut self, b: &mut [f64], x: &mut [f64]) {
        let m = self.n_rows;
        for k in 0..self.rank {
            let v = &self.values[k * m + k..(k + 1) * m];
            let square: f64 = v.iter().map(|x| x * x).sum();
            reflect(v, square, &mut b[k..]);
        }
        self.work.clear();
        self.work.resize(self.rank, 0.0);
        for k in (0..self.rank).rev() {
            let mut sum = b[k];
            for j in k + 1..self.rank {
                sum -= self.values[j * m + k] * self.work[j];
            }
            self.work[k] = sum / self.diagonal[k];
        }
        x.fill(0.0);
        for (k, &y) in self.work.iter().enumerate() {
            x[self.permutation[k]] = y;
        }
    }
}

fn reflect(v: &[f64], square: f64, x: &mut [f64]) {
    if square == 0.0 {
        return;
    }
    let along = 2.0 * v.iter().zip(&*x).map(|(a, b)| a * b).sum::<f64>() / square;
    x.iter_mut().zip(v).for_each(|(x, v)| *x -= along * v);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix of rank r, its equations consistent: they are solved, with no more than r unknowns.
    #[test]
    fn solves_consistent_equations_of_any_rank() {
        let mut seed = 7_u64;
        let mut dice = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
        };
        for (m, n, r) in [(6, 6, 6), (9, 7, 4), (5, 8, 5), (12, 12, 9)] {
            let left: Vec<f64> = (0..m * r).map(|_| dice()).collect();
            let right: Vec<f64> = (0..r * n).map(|_| dice()).collect();
            let mut A = vec![0.0; m * n];
            for j in 0..n {
                for i in 0..m {
                    A[j * m + i] = (0..r).map(|k| left[k * m + i] * right[j * r + k]).sum();
                }
            }
            let wanted: Vec<f64> = (0..n).map(|_| dice()).collect();
            let b: Vec<f64> = (0..m).map(|i| (0..n).map(|j| A[j * m + i] * wanted[j]).sum()).collect();
            let mut qr = PivotedQr::default();
            qr.reset(m, n).copy_from_slice(&A);
            qr.factorise(1e-12);
            assert_eq!(qr.rank(), r);
            let (mut rhs, mut x) = (b.clone(), vec![0.0; n]);
            qr.solve(&mut rhs, &mut x);
            for i in 0..m {
                let sum: f64 = (0..n).map(|j| A[j * m + i] * x[j]).sum();
                assert!((sum - b[i]).abs() < 1e-12, "{sum} {}", b[i]);
            }
            assert!(x.iter().filter(|x| **x != 0.0).count() <= r);
        }
    }
}
