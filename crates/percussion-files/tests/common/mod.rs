//! Small problems of every kind, made here.
#![allow(dead_code, reason = "each test file uses its part")]

use percussion_files::ContactProblem;
use percussion_matrix::{BlockMatrix, DenseMatrix, Matrix, SparseMatrix};
use percussion_solve::OneStepProblem;
use percussion_solve::friction::{FrictionProblem, GlobalFrictionProblem};
use percussion_solve::mlcp::MlcpProblem;

/// xorshift64*: the same numbers everywhere.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number in 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    /// A number in (−1, 1) with all its digits.
    pub fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }
}

fn dense(dice: &mut Dice, m: usize, n: usize) -> Matrix {
    Matrix::Dense(DenseMatrix::from_columns(m, n, dice.numbers(m * n)).expect("m n values"))
}

fn sparse(dice: &mut Dice, m: usize, n: usize, count: usize) -> SparseMatrix {
    let entries: Vec<_> = (0..count).map(|_| (dice.below(m), dice.below(n), dice.number())).collect();
    SparseMatrix::from_triplets(m, n, &entries).expect("inside")
}

fn mass(dice: &mut Dice, n: usize) -> SparseMatrix {
    let mut entries: Vec<_> = (0..n).map(|i| (i, i, 2.0 + dice.number())).collect();
    for i in 1..n {
        let x = 0.3 * dice.number();
        entries.extend([(i, i - 1, x), (i - 1, i, x)]);
    }
    SparseMatrix::from_triplets(n, n, &entries).expect("inside")
}

fn local(dice: &mut Dice, d: usize, n: usize) -> ContactProblem {
    let values: Vec<Vec<f64>> = (0..3 * n).map(|_| dice.numbers(d * d)).collect();
    let places: Vec<(usize, usize)> = (0..n).flat_map(|i| [(i, i), (i, (i + 2) % n), ((i + 3) % n, i)]).collect();
    let blocks: Vec<_> = places.iter().zip(&values).map(|(&(i, j), block)| (i, j, block.as_slice())).collect();
    let W = BlockMatrix::from_blocks(d, n, &blocks).expect("inside");
    let mu: Vec<f64> = dice.numbers(n).iter().map(|x| x.abs()).collect();
    let rolling = if d == 5 { dice.numbers(n).iter().map(|x| x.abs()).collect() } else { Vec::new() };
    ContactProblem::Local(FrictionProblem::new(W, dice.numbers(d * n), mu, rolling).expect("sizes"))
}

fn global(dice: &mut Dice, dim: usize, n: usize, contacts: usize) -> ContactProblem {
    let m = dim * contacts;
    let mu: Vec<f64> = dice.numbers(contacts).iter().map(|x| x.abs()).collect();
    let mu_rolling = if dim == 5 { dice.numbers(contacts).iter().map(|x| x.abs()).collect() } else { Vec::new() };
    let H = if m == 0 { SparseMatrix::from_triplets(n, 0, &[]).expect("empty") } else { sparse(dice, n, m, 3 * m) };
    let (M, f, w) = (mass(dice, n), dice.numbers(n), dice.numbers(m));
    ContactProblem::Global(GlobalFrictionProblem { dim, M, H, f, w, mu, mu_rolling })
}

/// One or more problems of every kind and storage.
pub fn problems(dice: &mut Dice) -> Vec<ContactProblem> {
    let lcp = |W: Matrix, b: Vec<f64>| ContactProblem::Lcp(OneStepProblem::new(W, b));
    let mixed = |M: Matrix, q: Vec<f64>, equality: &[bool], free: &[bool]| {
        let problem = MlcpProblem { M, q, equality: equality.to_vec(), free: free.to_vec() };
        assert!(problem.is_well_formed());
        ContactProblem::Mlcp(problem)
    };
    let (t, f) = (true, false);
    vec![
        lcp(dense(dice, 4, 4), dice.numbers(4)),
        lcp(Matrix::Sparse(sparse(dice, 6, 6, 14)), dice.numbers(6)),
        lcp(dense(dice, 2, 2), dice.numbers(2)),
        mixed(dense(dice, 5, 5), dice.numbers(5), &[t, t, f, t, f], &[t, t, f, t, f]),
        mixed(Matrix::Sparse(sparse(dice, 3, 3, 6)), dice.numbers(3), &[f, f, f], &[f, f, f]),
        // three equalities for two free unknowns
        mixed(dense(dice, 5, 4), dice.numbers(5), &[t, t, t, f, f], &[t, t, f, f]),
        local(dice, 2, 5),
        local(dice, 3, 4),
        local(dice, 5, 4),
        global(dice, 2, 7, 3),
        global(dice, 3, 6, 2),
        // as many coordinates as components: only the matrix H tells it from a local one
        global(dice, 3, 6, 2),
        global(dice, 5, 9, 2),
        global(dice, 2, 6, 0),
    ]
}
