//! Dense LU with partial pivoting in memory that is reused.
//!
//!   P A = L U

/// A factorised k × k matrix; meant for small k, where the call of a general kernel costs more than the work.
#[derive(Debug, Default)]
pub struct SmallLu {
    k: usize,
    /// L below the diagonal (unit), U on and above, column-major.
    values: Vec<f64>,
    /// Row exchanged with row j at step j.
    pivots: Vec<usize>,
}

/// A pivot below this part of its column's largest entry counts as zero.
const SINGULAR: f64 = 1e-13;

impl SmallLu {
    /// Memory for a k × k matrix, column-major, to be filled before `factorise`.
    #[inline]
    pub fn reset(&mut self, k: usize) -> &mut [f64] {
        self.k = k;
        if self.values.len() < k * k {
            self.values.resize(k * k, 0.0);
        }
        if self.pivots.len() < k {
            self.pivots.resize(k, 0);
        }
        &mut self.values[..k * k]
    }

    /// Factorises what was filled in; false when it is singular or not finite.
    pub fn factorise(&mut self) -> bool {
        let k = self.k;
        let A = &mut self.values[..k * k];
        for j in 0..k {
            let (left, right) = A.split_at_mut(j * k);
            let column = &mut right[..k];
            let mut size = 0.0_f64;
            for &x in column.iter() {
                size = size.max(x.abs());
            }

            // column j of U and L by the columns before it
            for c in 0..j {
                column.swap(c, self.pivots[c]);
            }
            for c in 0..j {
                let x = column[c];
                if x != 0.0 {
                    let L = &left[c * k..(c + 1) * k];
                    for i in c + 1..k {
                        column[i] -= L[i] * x;
                    }
                }
            }

            // the largest pivot
            let mut best = j;
            for i in j + 1..k {
                if column[i].abs() > column[best].abs() {
                    best = i;
                }
            }
            let pivot = column[best];
            if !(pivot.abs() > SINGULAR * size && pivot.is_finite()) {
                return false;
            }
            self.pivots[j] = best;
            column.swap(j, best);
            let inverse = 1.0 / pivot;
            for x in &mut column[j + 1..] {
                *x *= inverse;
            }
            if best != j {
                for c in 0..j {
                    left.swap(c * k + j, c * k + best);
                }
            }
        }
        true
    }

    /// x ← A⁻¹ x.
    #[inline]
    pub fn solve(&self, x: &mut [f64]) {
        let k = self.k;
        let (A, pivots, x) = (&self.values[..k * k], &self.pivots[..k], &mut x[..k]);
        for j in 0..k {
            x.swap(j, pivots[j]);
        }
        for j in 0..k {
            let column = &A[j * k..(j + 1) * k];
            let xj = x[j];
            for i in j + 1..k {
                x[i] -= column[i] * xj;
            }
        }
        for j in (0..k).rev() {
            let column = &A[j * k..(j + 1) * k];
            let xj = x[j] / column[j];
            x[j] = xj;
            for i in 0..j {
                x[i] -= column[i] * xj;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SmallLu;

    /// A x = b with rows that must be exchanged; 3 × 3, so round-off stays below 1e-14.
    #[test]
    fn solves_with_row_exchanges() {
        let A = [0.0, 2.0, 1.0, 1.0, 4.0, -3.0, 5.0, 0.5, 2.0];
        let x = [1.0, -2.0, 3.0];
        let mut b = [0.0; 3];
        for j in 0..3 {
            for i in 0..3 {
                b[i] += A[i + 3 * j] * x[j];
            }
        }
        let mut lu = SmallLu::default();
        lu.reset(3).copy_from_slice(&A);
        assert!(lu.factorise());
        lu.solve(&mut b);
        for i in 0..3 {
            assert!((b[i] - x[i]).abs() < 1e-14, "{b:?}");
        }
    }

    /// A rank-one matrix and a NaN are refused.
    #[test]
    fn refuses_singular_and_nan() {
        let mut lu = SmallLu::default();
        lu.reset(2).copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        assert!(!lu.factorise());
        lu.reset(2).copy_from_slice(&[1.0, f64::NAN, 2.0, 4.0]);
        assert!(!lu.factorise());
    }
}
