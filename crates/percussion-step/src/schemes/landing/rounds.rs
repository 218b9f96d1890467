//! Rounds x ← F(x) that draw near their end slowly, or go round it, mixed from those before (Anderson 1965).
//!
//!   r_k = F(x_k) − x_k,    γ = argmin |r_k − Σ γ_j Δr_j|,    x_{k+1} = F(x_k) − Σ γ_j ΔF_j
//!
//! Where F is its own answer x = F(x) holds whatever was mixed on the way: the end is that of the rounds alone.

use percussion_matrix::vector;

/// Rounds that are mixed.
const MEMORY: usize = 5;
/// Part of a difference that must be new beside the others.
const NEW: f64 = 1e-6;

/// The last rounds: where the present one started, and F and r of those before, newest first.
#[derive(Debug, Default)]
pub struct Rounds {
    x: Vec<f64>,
    kept: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Rounds {
    /// Another problem begins.
    pub fn forget(&mut self) {
        self.kept.clear();
    }

    /// A round starts at x.
    pub fn from(&mut self, x: Vec<f64>) {
        self.x = x;
    }

    /// It led to `F`; where the next is to start, if it is to be `mixed`.
    pub fn to(&mut self, F: Vec<f64>, mixed: bool) -> Option<Vec<f64>> {
        let r: Vec<f64> = F.iter().zip(&self.x).map(|(F, x)| F - x).collect();
        self.kept.insert(0, (F, r));
        self.kept.truncate(MEMORY + 1);
        (mixed && self.kept.len() > 1).then(|| self.mixture())
    }

    /// x_{k+1}, the differences made orthogonal one by one.
    fn mixture(&self) -> Vec<f64> {
        let minus = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let (mut next, mut left) = self.kept[0].clone();
        let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for pair in self.kept.windows(2) {
            let (mut dF, mut dr) = (minus(&pair[0].0, &pair[1].0), minus(&pair[0].1, &pair[1].1));
            let size = vector::dot(&dr, &dr);
            for (F, r) in &basis {
                let part = vector::dot(&dr, r) / vector::dot(r, r);
                vector::axpy(-part, r, &mut dr);
                vector::axpy(-part, F, &mut dF);
            }
            let new = vector::dot(&dr, &dr);
            if new > NEW * NEW * size {
                let gamma = vector::dot(&left, &dr) / new;
                vector::axpy(-gamma, &dr, &mut left);
                vector::axpy(-gamma, &dF, &mut next);
                basis.push((dF, dr));
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::Rounds;

    /// Two numbers that a round turns and shortens by a tenth need some 200 rounds alone, and three when they are mixed: F is linear.
    #[test]
    fn a_slow_spiral_ends_at_once() {
        let F = |x: &[f64]| vec![1.0 - 0.9 * x[1], 2.0 + 0.9 * x[0]];
        let (mut rounds, mut x) = (Rounds::default(), vec![0.0; 2]);
        for _ in 0..4 {
            rounds.from(x.clone());
            let to = F(&x);
            x = rounds.to(to.clone(), true).unwrap_or(to);
        }
        let left = F(&x).iter().zip(&x).map(|(F, x)| (F - x).abs()).fold(0.0, f64::max);
        assert!(left < 1e-13, "{left:e}");
    }
}
