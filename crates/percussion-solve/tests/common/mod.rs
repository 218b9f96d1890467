//! Families of random one-step problems, after the measurements of redundant contacts.
//!
//!   W = G M⁻¹ Gᵀ,    b_i = (G v_k)_i (1 + e_i)
//!
//! Every family is feasible by construction: contacts close (G v_k ≤ 0) or share one coefficient of restitution.
#![allow(dead_code)]

use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion_solve::OneStepProblem;

/// Reproducible numbers.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e3779b97f4a7c15) ^ 0x2545f4914f6cdd1d);
        for _ in 0..4 {
            dice.uniform();
        }
        dice
    }

    /// In (−1, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// In (low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * 0.5 * (1.0 + self.uniform())
    }

    /// In 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        ((0.5 * (1.0 + self.uniform())) * n as f64) as usize % n
    }
}

/// W = G M⁻¹ Gᵀ for rows G_i and a diagonal M.
pub fn delassus(G: &[Vec<f64>], mass: &[f64]) -> DenseMatrix {
    let m = G.len();
    let mut W = DenseMatrix::zeros(m, m);
    for i in 0..m {
        for j in 0..m {
            let w = (0..mass.len()).map(|k| G[i][k] * G[j][k] / mass[k]).sum();
            W.set(i, j, w);
        }
    }
    W
}

/// b_i = (G v)_i (1 + e_i).
pub fn impact(G: &[Vec<f64>], mass: &[f64], v: &[f64], e: impl Fn(usize) -> f64) -> OneStepProblem {
    let b = G.iter().enumerate().map(|(i, g)| dot(g, v) * (1.0 + e(i))).collect();
    OneStepProblem::new(Matrix::Dense(delassus(G, mass)), b)
}

pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

fn vector(dice: &mut Dice, n: usize) -> Vec<f64> {
    (0..n).map(|_| dice.uniform()).collect()
}

fn masses(dice: &mut Dice, n: usize) -> Vec<f64> {
    (0..n).map(|_| dice.between(0.5, 3.0)).collect()
}

/// Symmetric positive definite W = AᵀA + 0.1, n from 1 to 12.
pub fn definite(dice: &mut Dice) -> OneStepProblem {
    let n = 1 + dice.below(12);
    let A: Vec<Vec<f64>> = (0..n).map(|_| vector(dice, n)).collect();
    let mut W = delassus(&A, &vec![1.0; n]);
    for i in 0..n {
        W.set(i, i, W.get(i, i) + 0.1);
    }
    OneStepProblem::new(Matrix::Dense(W), vector(dice, n))
}

/// Positive definite plus skew: a P-matrix that is not symmetric.
pub fn nonsymmetric(dice: &mut Dice) -> OneStepProblem {
    let mut problem = definite(dice);
    let n = problem.len();
    if let Matrix::Dense(W) = &mut problem.W {
        for i in 0..n {
            for j in 0..i {
                let s = dice.uniform();
                W.set(i, j, W.get(i, j) + s);
                W.set(j, i, W.get(j, i) - s);
            }
        }
    }
    problem
}

/// 8 closing contacts on 4 degrees of freedom, each with its own e.
pub fn redundant_closing(dice: &mut Dice) -> OneStepProblem {
    let v = vector(dice, 4);
    let mut G: Vec<Vec<f64>> = (0..8).map(|_| vector(dice, 4)).collect();
    for g in &mut G {
        if dot(g, &v) > 0.0 {
            g.iter_mut().for_each(|x| *x = -*x);
        }
    }
    let e: Vec<f64> = (0..8).map(|_| dice.between(0.0, 1.0)).collect();
    impact(&G, &masses(dice, 4), &v, |i| e[i])
}

/// 8 contacts on 4 degrees of freedom, closing or not, one e for all.
pub fn redundant_uniform(dice: &mut Dice) -> OneStepProblem {
    let v = vector(dice, 4);
    let G: Vec<Vec<f64>> = (0..8).map(|_| vector(dice, 4)).collect();
    let e = dice.between(0.0, 1.0);
    impact(&G, &masses(dice, 4), &v, |_| e)
}

/// 8 contacts on 4 degrees of freedom, closing or not, each with its own e: often infeasible.
pub fn heterogeneous(dice: &mut Dice) -> OneStepProblem {
    let v = vector(dice, 4);
    let G: Vec<Vec<f64>> = (0..8).map(|_| vector(dice, 4)).collect();
    let e: Vec<f64> = (0..8).map(|_| dice.between(0.0, 1.0)).collect();
    impact(&G, &masses(dice, 4), &v, |i| e[i])
}

/// 3 contacts on 5 degrees of freedom, each there three times.
pub fn triplicated(dice: &mut Dice) -> OneStepProblem {
    let v = vector(dice, 5);
    let base: Vec<Vec<f64>> = (0..3).map(|_| vector(dice, 5)).collect();
    let G: Vec<Vec<f64>> = (0..9).map(|i| base[i % 3].clone()).collect();
    let e = dice.between(0.0, 1.0);
    impact(&G, &masses(dice, 5), &v, |_| e)
}

/// A plate (height, two tilts) on the corners of a rectangle, and its mass and inertias.
fn plate(dice: &mut Dice, corners: &[(f64, f64)]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let G = corners.iter().map(|&(x, y)| vec![1.0, y, -x]).collect();
    (G, vec![dice.between(0.5, 3.0), dice.between(0.05, 1.0), dice.between(0.05, 1.0)])
}

/// A table on 4 coplanar legs that comes down with some tilt rate.
pub fn table(dice: &mut Dice) -> OneStepProblem {
    let (a, b) = (dice.between(0.2, 1.0), dice.between(0.2, 1.0));
    let (G, mass) = plate(dice, &[(a, b), (-a, b), (-a, -b), (a, -b)]);
    let v = [-dice.between(0.1, 1.0), dice.uniform(), dice.uniform()];
    let e = dice.between(0.0, 1.0);
    impact(&G, &mass, &v, |_| e)
}

/// A box on 8 coplanar points: corners and edge centres.
pub fn box8(dice: &mut Dice) -> OneStepProblem {
    let (a, b) = (dice.between(0.2, 1.0), dice.between(0.2, 1.0));
    let corners = [(a, b), (-a, b), (-a, -b), (a, -b), (a, 0.0), (0.0, b), (-a, 0.0), (0.0, -b)];
    let (G, mass) = plate(dice, &corners);
    let v = [-dice.between(0.1, 1.0), 0.3 * dice.uniform(), 0.3 * dice.uniform()];
    let e = dice.between(0.0, 1.0);
    impact(&G, &mass, &v, |_| e)
}

/// The same problem in the other storage.
pub fn sparse(problem: &OneStepProblem) -> OneStepProblem {
    let n = problem.len();
    let W = SparseMatrix::from_triplets(n, n, &problem.W.triplets()).expect("indices of W");
    OneStepProblem::new(Matrix::Sparse(W), problem.b.clone())
}

/// A chain: W tridiagonal with 2 and −1 plus a little, b of both signs.
pub fn chain(n: usize) -> OneStepProblem {
    let mut entries = Vec::new();
    for i in 0..n {
        entries.push((i, i, 2.1));
        if i + 1 < n {
            entries.push((i, i + 1, -1.0));
            entries.push((i + 1, i, -1.0));
        }
    }
    let b = (0..n).map(|i| (0.37 * i as f64).sin() - 0.3).collect();
    let W = SparseMatrix::from_triplets(n, n, &entries).expect("in range");
    OneStepProblem::new(Matrix::Sparse(W), b)
}

/// Plates stacked on their four corners, all falling with some noise: 4 contacts for 3 degrees of freedom each.
pub fn stack(plates: usize, dice: &mut Dice) -> OneStepProblem {
    let corners = [(0.5, 0.3), (-0.5, 0.3), (-0.5, -0.3), (0.5, -0.3)];
    let n = 4 * plates;
    let mut G = Vec::new();
    for k in 0..plates {
        for (c, &(x, y)) in corners.iter().enumerate() {
            for (d, g) in [1.0, y, -x].into_iter().enumerate() {
                G.push((4 * k + c, 3 * k + d, g));
                if k > 0 {
                    G.push((4 * k + c, 3 * (k - 1) + d, -g));
                }
            }
        }
    }
    let G = SparseMatrix::from_triplets(n, 3 * plates, &G).expect("in range");
    let inverse_mass: Vec<f64> = (0..3 * plates).map(|d| if d % 3 == 0 { 1.0 } else { 12.0 }).collect();
    let v: Vec<f64> = (0..3 * plates)
        .map(|d| if d % 3 == 0 { -1e-2 + 5e-3 * dice.uniform() } else { 1e-2 * dice.uniform() })
        .collect();
    let W = G.times(&SparseMatrix::from_diagonal(&inverse_mass)).times(&G.transpose());
    let mut b = vec![0.0; n];
    Matrix::Sparse(G).mul_add(1.0, &v, &mut b);
    OneStepProblem::new(Matrix::Sparse(W), b)
}
