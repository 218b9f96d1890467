//! Random linear systems for experiments, the same ones for the same seed.
//!
//!   M, K, C = scale · (BᵀB/n + shift I),   B random

use crate::Problem;
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{Contact, InputError, Joint, LinearModel, LinearParts, Signal, Sine};

/// A small deterministic generator (splitmix64); the field is the seed.
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
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

    /// Uniform in a..=b.
    pub fn whole(&mut self, a: usize, b: usize) -> usize {
        a + (self.bits() % (b - a + 1) as u64) as usize
    }

    /// Random entries in (−1, 1).
    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.real(-1.0, 1.0)).collect()
    }

    /// scale · (BᵀB/n + shift I).
    pub fn positive(&mut self, n: usize, scale: f64, shift: f64) -> Matrix {
        let B: Vec<Vec<f64>> = (0..n).map(|_| self.vector(n)).collect();
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

/// What a random system is made of.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Least and most coordinates.
    pub n: (usize, usize),
    /// Least and most contacts.
    pub contacts: (usize, usize),
    /// Whether there are dampers, C ≠ 0.
    pub damping: bool,
    /// Whether F depends on t.
    pub loads_vary: bool,
    /// Whether obstacles move.
    pub walls_move: bool,
    /// Joints q_a = q_b + c, each on a pair of coordinates of its own.
    pub joints: usize,
    /// The same restitution everywhere, or random in [0, 1].
    pub restitution: Option<f64>,
}

impl Recipe {
    /// Damped, under varying loads, contacts of different restitution: fewer contacts than coordinates, so that every contact
    /// problem has a solution.
    pub const USUAL: Self = Self {
        n: (5, 8),
        contacts: (2, 3),
        damping: true,
        loads_vary: true,
        walls_move: false,
        joints: 0,
        restitution: None,
    };
}

/// A random problem, started above its contacts.
pub fn random_system(dice: &mut Dice, recipe: Recipe) -> Result<Problem, InputError> {
    let n = dice.whole(recipe.n.0, recipe.n.1);
    let m = dice.whole(recipe.contacts.0, recipe.contacts.1);
    let signal = |dice: &mut Dice, mean: f64, varies: bool, size: f64| {
        let sine =
            |d: &mut Dice| Sine { amplitude: d.real(-size, size), omega: d.real(0.5, 8.0), phase: d.real(0.0, 6.0) };
        Signal { mean, sines: if varies { vec![sine(dice), sine(dice)] } else { vec![] }, terms: Vec::new() }
    };
    let q0 = dice.vector(n);
    let mut v0 = dice.vector(n);
    v0.iter_mut().for_each(|v| *v *= 2.0);

    // joints q_a = q_b + c on disjoint pairs, satisfied by q0 and v0
    let joints: Vec<Joint> = (0..recipe.joints)
        .map(|k| {
            let (a, b) = (2 * k, 2 * k + 1);
            v0[b] = v0[a];
            Joint { row: vec![(a, 1.0), (b, -1.0)], offset: q0[b] - q0[a] }
        })
        .collect();
    let contacts = (0..m)
        .map(|_| {
            let normal: Vec<(usize, f64)> = dice.vector(n).into_iter().enumerate().collect();
            let here: f64 = normal.iter().map(|&(i, x)| x * q0[i]).sum();
            let mut offset = signal(dice, 0.0, recipe.walls_move, 0.05);
            offset.mean = dice.real(0.0, 0.3) - here - offset.at(0.0);
            Contact {
                normal,
                offset,
                restitution: recipe.restitution.unwrap_or_else(|| dice.real(0.0, 1.0)),
                ..Contact::default()
            }
        })
        .collect();
    let force = (0..n)
        .map(|_| {
            let mean = dice.real(-5.0, 5.0);
            signal(dice, mean, recipe.loads_vary, 5.0)
        })
        .collect();
    let parts = LinearParts {
        mass: dice.positive(n, 1.0, 0.5),
        damping: recipe.damping.then(|| dice.positive(n, 0.4, 0.05)),
        stiffness: Some(dice.positive(n, 20.0, 0.1)),
        force,
        contacts,
        joints,
    };
    Problem::linear(LinearModel::new(parts)?, q0, v0)
}
