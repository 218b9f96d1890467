//! Free unknowns out of a mixed problem by pivoting.
//!
//!   w = M z + q,  w_e = 0 solved for the free z_f   ⇒   z_f = …,   w_i = Σ_k M'_ik z_k + q'_i
//!
//! Each pivot exchanges an equality with a free unknown, the largest entry first. Where the block of the equalities is
//! singular, an equality e can still fix a complementary z_i while row i fixes a free unknown: the pair changes sides
//! (w_i becomes the unknown, z_i the function), and the rest is again a complementarity problem.

use super::MlcpProblem;
use super::residual::steps;
use percussion_matrix::{DenseMatrix, Matrix};

/// A pivot below this part of the largest entry of its row counts as zero.
const ZERO_PIVOT: f64 = 1e-11;

/// A variable of the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// The unknown z_j.
    Unknown(usize),
    /// w_i of a complementarity row.
    Row(usize),
    /// w_e = 0 of an equality.
    Zero,
}

/// The tableau: variables of the rows as functions of those of the columns.
#[derive(Clone, Debug)]
pub(crate) struct Tableau {
    /// Entries, rows × columns.
    T: DenseMatrix,
    q: Vec<f64>,
    /// What each row gives; an equality that is left gives zero.
    rows: Vec<Variable>,
    /// What each column multiplies.
    columns: Vec<Variable>,
    /// The smallest pivot used, relative to the largest entry of its row.
    pub smallest_pivot: f64,
}

/// What is left when the free unknowns are gone.
#[derive(Clone, Debug)]
pub(crate) enum Rest {
    /// 0 ≤ W x + b ⟂ x ≥ 0.
    Complementarity { W: Matrix, b: Vec<f64> },
    /// Equalities or free unknowns are left that no pivot removes.
    Mixed,
    /// An equation without unknowns that does not hold.
    Contradiction,
}

impl Tableau {
    /// Equations scaled by their largest entry; the free unknowns eliminated as far as possible.
    pub fn new(problem: &MlcpProblem) -> Self {
        let mut T = problem.M.to_dense();
        let mut q = problem.q.clone();
        let rho = steps(problem);
        for i in (0..q.len()).filter(|&i| problem.equality[i]) {
            q[i] *= rho[i];
            for j in 0..T.n_cols() {
                T.set(i, j, T.get(i, j) * rho[i]);
            }
        }
        let rows = problem.equality.iter().enumerate();
        let rows = rows.map(|(i, &equality)| if equality { Variable::Zero } else { Variable::Row(i) }).collect();
        let columns = (0..problem.len()).map(Variable::Unknown).collect();
        let mut tableau = Self { T, q, rows, columns, smallest_pivot: f64::INFINITY };
        tableau.eliminate(problem);
        tableau.change_sides(problem);
        tableau
    }

    fn is_free(&self, problem: &MlcpProblem, column: usize) -> bool {
        matches!(self.columns[column], Variable::Unknown(j) if problem.free[j])
    }

    /// Equalities against free unknowns, the largest entry first.
    fn eliminate(&mut self, problem: &MlcpProblem) {
        loop {
            let mut best = (ZERO_PIVOT, None);
            for c in (0..self.columns.len()).filter(|&c| self.is_free(problem, c)) {
                for r in (0..self.rows.len()).filter(|&r| self.rows[r] == Variable::Zero) {
                    let size = self.T.get(r, c).abs();
                    if size > best.0 {
                        best = (size, Some((r, c)));
                    }
                }
            }
            let Some((r, c)) = best.1 else { return };
            self.smallest_pivot = self.smallest_pivot.min(best.0);
            self.exchange(r, c);
        }
    }

    /// An equality fixes z_i, row i fixes a free unknown.
    fn change_sides(&mut self, problem: &MlcpProblem) {
        let pairs: Vec<(usize, usize)> = problem.pairs().collect();
        loop {
            let mut best = (ZERO_PIVOT, None);
            for &(i, k) in &pairs {
                let row = self.rows.iter().position(|&v| v == Variable::Row(i));
                let column = self.columns.iter().position(|&v| v == Variable::Unknown(k));
                let (Some(row), Some(column)) = (row, column) else { continue };
                let scale = self.row_size(row);
                let equalities = (0..self.rows.len()).filter(|&r| self.rows[r] == Variable::Zero);
                let fixes = equalities.map(|r| (self.T.get(r, column).abs(), r)).fold((0.0, 0), larger);
                let frees = (0..self.columns.len()).filter(|&c| self.is_free(problem, c));
                let fixed = frees.map(|c| (self.T.get(row, c).abs() / scale, c)).fold((0.0, 0), larger);
                let size = fixes.0.min(fixed.0);
                if size > best.0 {
                    best = (size, Some((fixes.1, column, row, fixed.1)));
                }
            }
            let Some((equality, column, row, free)) = best.1 else { return };
            self.smallest_pivot = self.smallest_pivot.min(best.0);
            self.exchange(equality, column);
            self.exchange(row, free);
        }
    }

    fn row_size(&self, row: usize) -> f64 {
        let size = (0..self.columns.len()).map(|c| self.T.get(row, c).abs()).fold(0.0, f64::max);
        if size > f64::MIN_POSITIVE { size } else { 1.0 }
    }

    /// The variables of a row and a column change places; a column of zeros is emptied.
    fn exchange(&mut self, row: usize, column: usize) {
        let pivot = self.T.get(row, column);
        let n_cols = self.columns.len();
        for c in (0..n_cols).filter(|&c| c != column) {
            let x = -self.T.get(row, c) / pivot;
            self.T.set(row, c, x);
        }
        self.q[row] = -self.q[row] / pivot;
        self.T.set(row, column, 1.0 / pivot);
        for r in (0..self.rows.len()).filter(|&r| r != row) {
            let factor = self.T.get(r, column);
            if factor == 0.0 {
                continue;
            }
            for c in (0..n_cols).filter(|&c| c != column) {
                self.T.set(r, c, self.T.get(r, c) + factor * self.T.get(row, c));
            }
            self.q[r] += factor * self.q[row];
            self.T.set(r, column, factor / pivot);
        }
        std::mem::swap(&mut self.rows[row], &mut self.columns[column]);
        if self.columns[column] == Variable::Zero {
            self.T.column_mut(column).fill(0.0);
        }
    }

    /// What is left to solve.
    pub fn rest(&self, problem: &MlcpProblem) -> Rest {
        // equations without unknowns, and free unknowns that occur nowhere
        let size = percussion_matrix::vector::max_abs(&self.q);
        for r in (0..self.rows.len()).filter(|&r| self.rows[r] == Variable::Zero) {
            let largest = (0..self.columns.len()).map(|c| self.T.get(r, c).abs()).fold(0.0, f64::max);
            if largest > ZERO_PIVOT {
                return Rest::Mixed;
            }
            if self.q[r].abs() > 1e-9 * size.max(f64::MIN_POSITIVE) {
                return Rest::Contradiction;
            }
        }
        for c in (0..self.columns.len()).filter(|&c| self.is_free(problem, c)) {
            if (0..self.rows.len()).any(|r| self.T.get(r, c).abs() > ZERO_PIVOT * self.row_size(r)) {
                return Rest::Mixed;
            }
        }
        let (rows, columns) = self.pairs(problem);
        let n = rows.len();
        if columns.len() != n {
            return Rest::Mixed;
        }
        let mut W = DenseMatrix::zeros(n, n);
        for (j, &c) in columns.iter().enumerate() {
            for (i, &r) in rows.iter().enumerate() {
                W.set(i, j, self.T.get(r, c));
            }
        }
        Rest::Complementarity { W: Matrix::Dense(W), b: rows.iter().map(|&r| self.q[r]).collect() }
    }

    /// The row and the column of each pair that is left; shorter lists when some pair lost both.
    fn pairs(&self, problem: &MlcpProblem) -> (Vec<usize>, Vec<usize>) {
        let (mut rows, mut columns) = (Vec::new(), Vec::new());
        for (i, k) in problem.pairs() {
            let is = |v: Variable| v == Variable::Row(i) || v == Variable::Unknown(k);
            rows.extend(self.rows.iter().position(|&v| is(v)));
            columns.extend(self.columns.iter().position(|&v| is(v)));
        }
        (rows, columns)
    }

    /// z from the solution x of what was left.
    pub fn recover(&self, problem: &MlcpProblem, x: &[f64], z: &mut [f64]) {
        let (_, columns) = self.pairs(problem);
        let mut values = vec![0.0; self.columns.len()];
        for (&c, &x) in columns.iter().zip(x) {
            values[c] = x;
        }
        for (c, &variable) in self.columns.iter().enumerate() {
            if let Variable::Unknown(j) = variable {
                z[j] = values[c];
            }
        }
        for (r, &variable) in self.rows.iter().enumerate() {
            if let Variable::Unknown(j) = variable {
                z[j] = self.q[r] + (0..values.len()).map(|c| self.T.get(r, c) * values[c]).sum::<f64>();
            }
        }
    }
}

fn larger(best: (f64, usize), next: (f64, usize)) -> (f64, usize) {
    if next.0 > best.0 { next } else { best }
}
