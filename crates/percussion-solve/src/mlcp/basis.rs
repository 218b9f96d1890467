//! The linear systems of one choice of active pairs: polish of an answer, and enumeration of all choices.
//!
//!   active pairs: w_i = 0, z_k free;   the others: z_k = 0;   equalities: w_e = 0

use super::MlcpProblem;
use super::residual::{mlcp_residuals, steps};
use crate::Residuals;
use crate::Stop;
use percussion_matrix::vector::max_abs;

/// More pairs would take minutes.
pub(crate) const LARGEST: usize = 16;
/// Relative size below which a pivot of the full elimination is zero.
const ZERO_PIVOT: f64 = 1e-10;
/// A choice is refuted only by an error larger than this.
const CLEAR: f64 = 1e-6;

/// What the equations of a choice say.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Solutions {
    None,
    One,
    Many,
}

/// What the search showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// An answer within the tolerance.
    Found,
    /// Every choice is refuted.
    NoSolution,
    /// Some choice could be neither confirmed nor refuted, or there are too many.
    Undecided,
}

/// z of the choice that z itself shows, kept when it is better.
pub(crate) fn polish(problem: &MlcpProblem, z: &mut [f64]) -> Residuals {
    let before = mlcp_residuals(problem, z);
    let mut w = vec![0.0; problem.q.len()];
    problem.evaluate(z, &mut w);
    let rho = steps(problem);
    let active: Vec<bool> = problem.pairs().map(|(i, k)| z[k] > rho[i] * w[i]).collect();
    let (solutions, mut trial) = solve(problem, &active);
    if solutions == Solutions::None {
        return before;
    }
    clip(problem, &mut trial);
    let after = mlcp_residuals(problem, &trial);
    if after.worst() < before.worst() {
        z.copy_from_slice(&trial);
        return after;
    }
    before
}

/// All choices in turn; z is the best answer seen.
pub(crate) fn enumerate(
    problem: &MlcpProblem,
    z: &mut [f64],
    tolerance: f64,
    stop: &Stop,
) -> (Verdict, usize, Residuals) {
    let m = problem.n_pairs();
    if m > LARGEST {
        return (Verdict::Undecided, 0, Residuals::INFINITE);
    }
    let mut best = mlcp_residuals(problem, z);
    let mut refuted = true;
    for mask in 0..1_usize << m {
        if stop.requested() {
            return (Verdict::Undecided, mask, best);
        }
        let active: Vec<bool> = (0..m).map(|k| mask >> k & 1 == 1).collect();
        let (solutions, mut trial) = solve(problem, &active);
        if solutions == Solutions::None {
            continue;
        }
        clip(problem, &mut trial);
        let residuals = mlcp_residuals(problem, &trial);
        if residuals.worst() < best.worst() {
            best = residuals;
            z.copy_from_slice(&trial);
        }
        if best.worst() <= tolerance {
            return (Verdict::Found, mask + 1, best);
        }
        refuted &= solutions == Solutions::One && residuals.worst() > CLEAR;
    }
    (if refuted { Verdict::NoSolution } else { Verdict::Undecided }, 1 << m, best)
}

fn clip(problem: &MlcpProblem, z: &mut [f64]) {
    for (_, k) in problem.pairs() {
        z[k] = z[k].max(0.0);
    }
}

/// A z of the choice, by elimination with full pivoting of the scaled equations and two steps of refinement.
fn solve(problem: &MlcpProblem, active: &[bool]) -> (Solutions, Vec<f64>) {
    let rho = steps(problem);
    let pairs: Vec<(usize, usize)> = problem.pairs().collect();
    let mut rows: Vec<usize> = (0..problem.q.len()).filter(|&i| problem.equality[i]).collect();
    let mut columns: Vec<usize> = (0..problem.len()).filter(|&j| problem.free[j]).collect();
    for (&(i, k), _) in pairs.iter().zip(active).filter(|(_, active)| **active) {
        rows.push(i);
        columns.push(k);
    }
    let (n_rows, n_cols) = (rows.len(), columns.len());
    let mut z = vec![0.0; problem.len()];
    // columns scaled too: unknowns of a circuit differ by many powers of ten
    let scale: Vec<f64> = columns
        .iter()
        .map(|&j| {
            let size = rows.iter().map(|&i| (rho[i] * problem.M.get(i, j)).abs()).fold(0.0, f64::max);
            if size > f64::MIN_POSITIVE { 1.0 / size } else { 1.0 }
        })
        .collect();
    let entry = |r: usize, c: usize| rho[rows[r]] * problem.M.get(rows[r], columns[c]) * scale[c];
    let mut A: Vec<f64> = (0..n_rows * n_cols).map(|k| entry(k % n_rows, k / n_rows)).collect();
    let mut elimination = Elimination::new(n_rows, n_cols);
    let rank = elimination.factorise(&mut A);

    let mut residual = vec![0.0; problem.q.len()];
    for _ in 0..3 {
        problem.evaluate(&z, &mut residual);
        let b: Vec<f64> = rows.iter().map(|&i| -rho[i] * residual[i]).collect();
        let x = elimination.solve(&A, rank, &b);
        for (c, &j) in columns.iter().enumerate() {
            z[j] += scale[c] * x[c];
        }
    }
    problem.evaluate(&z, &mut residual);
    let left = rows.iter().map(|&i| (rho[i] * residual[i]).abs()).fold(0.0, f64::max);
    let size = max_abs(&problem.q.iter().zip(&rho).map(|(q, rho)| q * rho).collect::<Vec<_>>());
    let solutions = if left > CLEAR * size || z.iter().any(|x| !x.is_finite()) {
        Solutions::None
    } else if rank < n_cols {
        Solutions::Many
    } else {
        Solutions::One
    };
    (solutions, z)
}

/// Gauss elimination with full pivoting of a rectangular matrix, column-major.
struct Elimination {
    n_rows: usize,
    n_cols: usize,
    row_order: Vec<usize>,
    col_order: Vec<usize>,
}

impl Elimination {
    fn new(n_rows: usize, n_cols: usize) -> Self {
        Self { n_rows, n_cols, row_order: (0..n_rows).collect(), col_order: (0..n_cols).collect() }
    }

    /// L below, U above, both in the pivot order; the rank.
    fn factorise(&mut self, A: &mut [f64]) -> usize {
        let (m, n) = (self.n_rows, self.n_cols);
        for k in 0..m.min(n) {
            let mut best = (ZERO_PIVOT, None);
            for c in k..n {
                for r in k..m {
                    let size = A[r + c * m].abs();
                    if size > best.0 {
                        best = (size, Some((r, c)));
                    }
                }
            }
            let Some((r, c)) = best.1 else { return k };
            self.row_order.swap(k, r);
            self.col_order.swap(k, c);
            for column in 0..n {
                A.swap(k + column * m, r + column * m);
            }
            for row in 0..m {
                A.swap(row + k * m, row + c * m);
            }
            for row in k + 1..m {
                A[row + k * m] /= A[k + k * m];
            }
            for column in k + 1..n {
                let x = A[k + column * m];
                if x != 0.0 {
                    for row in k + 1..m {
                        A[row + column * m] -= A[row + k * m] * x;
                    }
                }
            }
        }
        m.min(n)
    }

    /// A solution with zeros for the unknowns that are not determined.
    fn solve(&self, A: &[f64], rank: usize, b: &[f64]) -> Vec<f64> {
        let m = self.n_rows;
        let mut y: Vec<f64> = self.row_order.iter().map(|&r| b[r]).collect();
        for k in 0..rank {
            for row in k + 1..m {
                y[row] -= A[row + k * m] * y[k];
            }
        }
        let mut x = vec![0.0; self.n_cols];
        for k in (0..rank).rev() {
            y[k] /= A[k + k * m];
            for row in 0..k {
                y[row] -= A[row + k * m] * y[k];
            }
            x[self.col_order[k]] = y[k];
        }
        x
    }
}
