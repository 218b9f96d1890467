//! Random linear systems with contacts, the same ones every time.

use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{Contact, LinearModel, LinearParts, Signal};
use percussion_scenario::Result;
use percussion_step::Problem;

/// A small deterministic generator (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Uniform in [a, b).
    pub fn real(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// scale · (BᵀB/n + shift I), B random.
    fn positive(&mut self, n: usize, scale: f64, shift: f64) -> Matrix {
        let B: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| self.real(-1.0, 1.0)).collect()).collect();
        let mut A = DenseMatrix::zeros(n, n);
        for i in 0..n {
            for j in 0..n {
                let sum: f64 = (0..n).map(|k| B[k][i] * B[k][j]).sum();
                A.set(i, j, scale * (sum / n as f64 + if i == j { shift } else { 0.0 }));
            }
        }
        Matrix::Dense(A)
    }
}

/// Six coordinates, three contacts of the same restitution, springs, a constant load; with damping if asked.
pub fn problem(dice: &mut Dice, e: f64, damping: bool) -> Result<Problem> {
    let n = 6;
    let (mass, stiffness) = (dice.positive(n, 1.0, 0.5), dice.positive(n, 30.0, 0.1));
    let damping = damping.then(|| dice.positive(n, 0.3, 0.05));
    let contacts = (0..3)
        .map(|_| Contact {
            normal: (0..n).map(|i| (i, dice.real(-1.0, 1.0))).collect(),
            offset: Signal::constant(dice.real(0.0, 0.2)),
            restitution: e,
            ..Contact::default()
        })
        .collect();
    let force = (0..n).map(|_| Signal::constant(dice.real(-2.0, 2.0))).collect();
    let parts = LinearParts { mass, damping, stiffness: Some(stiffness), force, contacts, joints: vec![] };
    let v0 = (0..n).map(|_| dice.real(-2.0, 2.0)).collect();
    Ok(Problem::linear(LinearModel::new(parts)?, vec![0.0; n], v0)?)
}
