//! Linear equations with a banded matrix: Gaussian elimination with pivots sought in the column.

/// A banded matrix of n rows.
pub struct Band {
    n: usize,
    lower: usize,
    width: usize,
    values: Vec<f64>,
}

impl Band {
    /// Zero, for entries at most `half` away from the diagonal.
    pub fn new(n: usize, half: usize) -> Self {
        let width = 3 * half + 1;
        Self { n, lower: half, width, values: vec![0.0; n * width] }
    }

    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    fn at(&self, i: usize, j: usize) -> usize {
        i * self.width + j + self.lower - i
    }

    pub fn add(&mut self, i: usize, j: usize, x: f64) {
        assert!(i.abs_diff(j) <= self.lower, "entry outside the band");
        let at = self.at(i, j);
        self.values[at] += x;
    }

    /// b ← A⁻¹ b; the matrix is spent.
    pub fn solve(&mut self, b: &mut [f64]) {
        let (n, half) = (self.n, self.lower);
        for k in 0..n {
            let last = (k + half).min(n - 1);
            let best = (k..=last)
                .max_by(|&i, &j| self.values[self.at(i, k)].abs().total_cmp(&self.values[self.at(j, k)].abs()))
                .unwrap();
            let right = (k + 2 * half).min(n - 1);
            if best != k {
                for j in k..=right {
                    let (p, q) = (self.at(k, j), self.at(best, j));
                    self.values.swap(p, q);
                }
                b.swap(k, best);
            }
            let pivot = self.values[self.at(k, k)];
            assert!(pivot != 0.0, "singular in row {k}");
            for i in k + 1..=last {
                let factor = self.values[self.at(i, k)] / pivot;
                if factor == 0.0 {
                    continue;
                }
                for j in k..=right {
                    let (p, q) = (self.at(i, j), self.at(k, j));
                    self.values[p] -= factor * self.values[q];
                }
                b[i] -= factor * b[k];
            }
        }
        for k in (0..n).rev() {
            let mut sum = b[k];
            for j in k + 1..=(k + 2 * half).min(n - 1) {
                sum -= self.values[self.at(k, j)] * b[j];
            }
            b[k] = sum / self.values[self.at(k, k)];
        }
    }
}
